// tests/fuzz/fuzz_ply.c -- libFuzzer on the .ply reader: surfaces.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_ply(data, size);
    return 0;
}
