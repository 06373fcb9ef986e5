// tests/fuzz/fuzz_msh.c -- libFuzzer on the .msh reader: meshes and surfaces.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_msh(data, size);
    return 0;
}
