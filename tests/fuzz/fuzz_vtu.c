// tests/fuzz/fuzz_vtu.c -- libFuzzer on the .vtu reader: meshes and surfaces.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_vtu(data, size);
    return 0;
}
