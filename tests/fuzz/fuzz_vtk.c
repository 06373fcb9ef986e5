// tests/fuzz/fuzz_vtk.c -- libFuzzer on the .vtk reader: meshes and surfaces.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_vtk(data, size);
    return 0;
}
