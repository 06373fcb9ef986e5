// tests/fuzz/fuzz_scene.c -- libFuzzer on scene files and --set.
#include "scene_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_scene(data, size);
    return 0;
}
