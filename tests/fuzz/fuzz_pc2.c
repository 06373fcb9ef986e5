// tests/fuzz/fuzz_pc2.c -- libFuzzer on the .pc2 reader: point caches.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_pc2(data, size);
    return 0;
}
