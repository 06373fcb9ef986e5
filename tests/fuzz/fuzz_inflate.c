// tests/fuzz/fuzz_inflate.c -- libFuzzer on unpacking: the announced size in two bytes, and a zlib stream.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_inflate(data, size);
    return 0;
}
