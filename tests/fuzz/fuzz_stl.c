// tests/fuzz/fuzz_stl.c -- libFuzzer on the .stl reader: surfaces.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_stl(data, size);
    return 0;
}
