// tests/fuzz/fuzz_medit.c -- libFuzzer on the Medit .mesh reader: meshes and surfaces.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_medit(data, size);
    return 0;
}
