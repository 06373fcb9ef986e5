// tests/fuzz/fuzz_vega.c -- libFuzzer on the .veg reader: meshes and surfaces.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_vega(data, size);
    return 0;
}
