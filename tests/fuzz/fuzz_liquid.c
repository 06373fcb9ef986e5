// tests/fuzz/fuzz_liquid.c -- libFuzzer on damaged states of a liquid, which goes on with those that it takes.
#include "liquid_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_liquid(data, size);
    return 0;
}
