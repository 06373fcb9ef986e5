// tests/corpus.c -- every seed of the fuzzers, and thousands of mutations of each, through the readers.
//
// The libFuzzer programs in tests/fuzz search deeper; this one runs in every build, needs nothing but the readers, and
// always does the same.
#include "test.h"
#include "base/random.h"
#include "fuzz/scene_input.h"
#include "fuzz/liquid_input.h"

#include <dirent.h>

enum
{
    MAX_BYTES = 1 << 16
};

typedef void try_function(const void *data, size_t size);

static size_t load(const char *path, char *data)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(data, 1, MAX_BYTES, file) : 0;
    if (file)
        fclose(file);
    return size;
}

// In memory of its exact size, so that a sanitizer sees every byte too far.
static void try_exact(try_function *try, const char *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    try(copy, size);
    free(copy);
}

static uint64_t key, counter;
static size_t draw(size_t bound) { return bound ? (size_t)(pl__random01(1, key, counter++) * (double)bound) : 0; }

// Flip a byte, cut the end off, repeat or remove a piece, or put in something that readers find hard.
static size_t mutate(char *data, size_t size)
{
    static const char *const hard[] = {
        "-1", "0", "99999999999999999999", "1e999", "nan", "\xff\xff\xff\xff", "\n", "$End", "#", "\\\n", "/"};
    size_t at = draw(size), length = draw(size - at < 64 ? size - at : 64);
    switch (draw(5))
    {
    case 0: data[at] = (char)draw(256); return size;
    case 1: return at;
    case 2: // repeat a piece
        if (size + length > MAX_BYTES)
            return size;
        memmove(data + at + length, data + at, size - at);
        return size + length;
    case 3: // remove a piece
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    default:;
        const char *text = hard[draw(sizeof hard / sizeof hard[0])];
        length = strlen(text) < size - at ? strlen(text) : size - at;
        memcpy(data + at, text, length);
        return size;
    }
}

static uint64_t mutations = 300; // of each seed

static int try_file(try_function *try, const char *path)
{
    static char seed[MAX_BYTES], data[2 * MAX_BYTES];
    size_t size = load(path, seed);
    try_exact(try, seed, size);
    for (key = 0; key < (slow_tests ? 60 * mutations : mutations); ++key)
    {
        counter = 0;
        memcpy(data, seed, size);
        size_t mutated = size;
        for (size_t i = 0, count = 1 + draw(4); i < count && mutated; ++i)
            mutated = mutate(data, mutated);
        try_exact(try, data, mutated);
    }
    return 1;
}

static void try_directory(try_function *try, const char *path)
{
    char file[512];
    int count = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.' && snprintf(file, sizeof file, "%s/%s", path, entry->d_name) < (int)sizeof file)
            count += try_file(try, file);
    if (directory)
        closedir(directory);
    CHECK_THAT(count >= 10, "%s holds %d files", path, count);
}

#define SURVIVES(name)                                                                                                 \
    static void name##_reader_survives_its_corpus(void) { try_directory(try_##name, "tests/fuzz/corpus/" #name); }
SURVIVES(obj)
SURVIVES(msh)
SURVIVES(tetgen)
SURVIVES(ply)
SURVIVES(stl)
SURVIVES(medit)
SURVIVES(vega)
SURVIVES(vtk)
SURVIVES(vtu)
SURVIVES(pc2)
SURVIVES(inflate)
SURVIVES(scene)
SURVIVES(snapshot)
static void liquid_reader_survives_its_corpus(void)
{
    mutations = 60; // each that is read takes a step
    try_directory(try_liquid, "tests/fuzz/corpus/liquid");
    mutations = 300;
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(liquid_reader_survives_its_corpus), TEST(obj_reader_survives_its_corpus),
                                    TEST(msh_reader_survives_its_corpus),    TEST(tetgen_reader_survives_its_corpus),
                                    TEST(ply_reader_survives_its_corpus),    TEST(stl_reader_survives_its_corpus),
                                    TEST(medit_reader_survives_its_corpus),  TEST(vega_reader_survives_its_corpus),
                                    TEST(vtk_reader_survives_its_corpus),    TEST(vtu_reader_survives_its_corpus),
                                    TEST(pc2_reader_survives_its_corpus),    TEST(inflate_reader_survives_its_corpus),
                                    TEST(scene_reader_survives_its_corpus),  TEST(snapshot_reader_survives_its_corpus)};
    return RUN(tests);
}
