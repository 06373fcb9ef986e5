// tests/fuzz/fuzz_snapshot.c -- libFuzzer on snapshots with damaged, reordered, lost and repeated sections.
#include "snapshot_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_snapshot(data, size);
    return 0;
}
