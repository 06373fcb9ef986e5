// tests/fuzz/fuzz_tetgen.c -- libFuzzer on the .node/.ele reader: meshes, as .node and .ele with a '%' between them.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_tetgen(data, size);
    return 0;
}
