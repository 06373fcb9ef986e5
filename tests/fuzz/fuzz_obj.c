// tests/fuzz/fuzz_obj.c -- libFuzzer on the .obj reader: surfaces.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_obj(data, size);
    return 0;
}
