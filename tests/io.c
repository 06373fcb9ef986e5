// tests/io.c -- files in and out: the same bits back, every fault named with its place, nothing half done.
#include "test.h"
#include "base/random.h"
#include "io/gmsh.h"
#include "io/number.h"
#include "io/polygon.h"
#include "mesh/mesh.h"
#include <pliant/io.h>

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- a context that counts, fails on demand, and remembers its log ---------------------------------------------

static int64_t allocations_left = -1; // -1: no limit
static size_t peak_memory, memory;
static char notes[4096];

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    memory += size;
    peak_memory = memory > peak_memory ? memory : peak_memory;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *pointer, size_t size)
{
    (void)user;
    memory -= size;
    free(pointer);
}

static void take_note(void *user, pl_log_level level, const char *sentence)
{
    (void)user;
    (void)level;
    size_t length = strlen(notes);
    snprintf(notes + length, sizeof notes - length, "%s\n", sentence);
}

static pl_context *io_context(void)
{
    pl_context_def def = pl_context_def_default();
    def.allocator = (pl_allocator){allocate, release, NULL};
    def.log = take_note;
    def.thread_count = 1;
    pl_context *ctx;
    allocations_left = -1;
    notes[0] = 0;
    if (pl_context_create(&def, &ctx) != PL_OK)
        abort();
    return ctx;
}

static void end(pl_context *ctx)
{
    CHECK_THAT(pl_context_memory(ctx) == 0, "%zu bytes leaked", pl_context_memory(ctx));
    pl_context_destroy(&ctx);
}

// ---- a directory of our own ------------------------------------------------------------------------------------

static char directory[64];

static const char *in_directory(const char *name)
{
    static char path[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", directory, name);
    return path[next];
}

// Remove what is there and say how many files that were.
static int clear_directory(void)
{
    int count = 0;
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
        {
            count++;
            unlink(in_directory(entry->d_name));
        }
    closedir(dir);
    return count;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        abort();
    char *data = malloc(1 << 20);
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

// ---- meshes ----------------------------------------------------------------------------------------------------

// A row of cubes of five tetrahedra each, every coordinate a number of 17 digits, with these regions in turn.
static pl_mesh *sample_mesh(pl_context *ctx, int32_t cubes, int32_t region_count, const char *const *names)
{
    static const int8_t cut[2][5][4] = {{{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}},
                                        {{1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}, {0, 3, 6, 5}}};
    pl_mesh *mesh = pl__mesh_new(ctx, PL_ELEMENT_TET, 4 * (cubes + 1), 5 * cubes);
    if (!mesh || pl__mesh_set_regions(mesh, region_count, names) != PL_OK)
        abort();
    for (int32_t i = 0; i < mesh->node_count; ++i)
        for (int k = 0; k < 3; ++k)
        {
            double corner[3] = {i / 4, i % 2, i / 2 % 2};
            mesh->position[3 * i + k] = 1e-3 * (corner[k] + 0.1 * pl__random01(7, (uint64_t)i, (uint64_t)k));
        }
    for (int32_t t = 0; t < mesh->element_count; ++t)
    {
        // corner c of a cube: bit 0 along y, bit 1 along z, bit 2 along x, so that 4 nodes lie between two cubes
        for (int k = 0; k < 4; ++k)
            mesh->element[4 * t + k] = 4 * (t / 5) + cut[t / 5 % 2][t % 5][k];
        mesh->element_region[t] = (t * 7 / 3) % region_count;
    }
    if (pl__mesh_finish(&mesh, "sample") != PL_OK)
        abort();
    return mesh;
}

static void check_same_mesh(const pl_mesh *a, const pl_mesh *b)
{
    CHECK(pl__mesh_is_valid(b));
    CHECK(a->node_count == b->node_count && a->element_count == b->element_count);
    CHECK(memcmp(a->position, b->position, 3 * sizeof(double) * (size_t)a->node_count) == 0);
    CHECK(a->kind == b->kind && memcmp(a->element, b->element, sizeof(int32_t) * pl__mesh_index_count(a)) == 0);
    CHECK(memcmp(a->element_region, b->element_region, sizeof(int32_t) * (size_t)a->element_count) == 0);
    CHECK_THAT(a->region_count == b->region_count, "%d and %d", a->region_count, b->region_count);
    for (int32_t r = 0; r < a->region_count && a->region_count == b->region_count; ++r)
        CHECK_THAT(strcmp(a->region_name[r], b->region_name[r]) == 0, "\"%s\" and \"%s\"", a->region_name[r],
                   b->region_name[r]);
}

static pl_mesh *parse_msh(pl_context *ctx, const char *text)
{
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_parse(ctx, PL_FILE_MSH22_TEXT, "t.msh", text, strlen(text), &mesh));
    return mesh;
}

static pl_mesh *parse_tetgen(pl_context *ctx, const char *node, const char *ele)
{
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_parse_tetgen(ctx, "t.node", node, strlen(node), "t.ele", ele, strlen(ele), &mesh));
    return mesh;
}

static pl_surface *parse_obj(pl_context *ctx, const char *text)
{
    pl_surface *surface;
    CHECK_OK(ctx, pl_surface_parse(ctx, PL_FILE_OBJ, "t.obj", text, strlen(text), &surface));
    return surface;
}

static bool is_triangle(const pl_surface *s, int32_t i, int32_t a, int32_t b, int32_t c)
{
    const int32_t *t = &s->triangle[3 * i];
    return t[0] == a && t[1] == b && t[2] == c;
}

static bool is_tet(const pl_mesh *m, int32_t i, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t *t = &m->element[4 * i];
    return t[0] == a && t[1] == b && t[2] == c && t[3] == d;
}

// ---- numbers ---------------------------------------------------------------------------------------------------

static bool reads_like_strtod(const char *text)
{
    double ours = 0, theirs = strtod(text, NULL);
    return pl__parse_real(text, strlen(text), &ours) && memcmp(&ours, &theirs, sizeof ours) == 0;
}

// Correct rounding: ties, subnormals, overflow and hundreds of digits, as the C library has it.
static void numbers_are_rounded_correctly(void)
{
    static const char *const hard[] = {"0",
                                       "-0",
                                       "1",
                                       "+.5",
                                       "5.",
                                       "1e22",
                                       "1e23",
                                       "9007199254740993",
                                       "9007199254740993.00000000000000000000001",
                                       "8.5e-1",
                                       "4.9e-324",
                                       "2.4703282292062327e-324",
                                       "2.4703282292062328e-324",
                                       "2.2250738585072011e-308",
                                       "1.7976931348623158e308",
                                       "1.7976931348623159e308",
                                       "1e400",
                                       "1e-400",
                                       "-1e-400",
                                       "0e999999999999999999999",
                                       "179769313486231580793728971405301e277",
                                       "0.000000000000000000000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; ++i)
        CHECK_THAT(reads_like_strtod(hard[i]), "%s", hard[i]);
    for (uint64_t i = 0; i < 30000; ++i)
    {
        char text[1200];
        uint64_t bits = pl__mix64(i);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)(i % 20), value);
        CHECK_THAT(reads_like_strtod(text), "%s", text);
        // halfway between two neighbours, exactly, which has up to 770 digits
        if (i % 20 == 0 && fabs(value) < 1e300)
        {
            double next = nextafter(value, INFINITY);
            snprintf(text, sizeof text, "%.1000Le", ((long double)value + (long double)next) / 2);
            CHECK_THAT(reads_like_strtod(text), "%s", text);
        }
    }
}

static void numbers_come_back(void)
{
    for (uint64_t i = 0; i < 100000; ++i)
    {
        char text[PL__REAL_CHARS];
        double value, back = 0;
        uint64_t bits = pl__mix64(i);
        memcpy(&value, &bits, sizeof value);
        value = i % 2 ? value : (double)(int64_t)(bits >> 40) / 1000;
        if (!isfinite(value))
            continue;
        size_t length = pl__format_real(value, text);
        CHECK_THAT(strlen(text) == length && pl__parse_real(text, length, &back) && memcmp(&back, &value, 8) == 0, "%s",
                   text);
    }
    char text[PL__REAL_CHARS];
    pl__format_real(0.1, text);
    CHECK(strcmp(text, "0.1") == 0);
    pl__format_real(-0.0, text);
    CHECK(strcmp(text, "-0") == 0);
}

static void words_are_not_numbers(void)
{
    static const char *const words[] = {"",    "-",   "+",    ".",   "-.",    "e5",    "1e", "1e+",
                                        "nan", "inf", "0x10", "1,5", "1.2.3", "1e5.0", "1 ", "--1"};
    double value;
    int64_t integer;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    {
        CHECK_THAT(!pl__parse_real(words[i], strlen(words[i]), &value), "%s", words[i]);
        CHECK_THAT(pl__parse_integer(words[i], strlen(words[i]), &integer) == PL__INTEGER_NOT, "%s", words[i]);
    }
    CHECK(pl__parse_integer("-9223372036854775808", 20, &integer) == PL__INTEGER_FINE && integer == INT64_MIN);
    CHECK(pl__parse_integer("9223372036854775807", 19, &integer) == PL__INTEGER_FINE && integer == INT64_MAX);
    CHECK(pl__parse_integer("9223372036854775808", 19, &integer) == PL__INTEGER_LARGE);
    CHECK(pl__parse_integer("99999999999999999999999999", 26, &integer) == PL__INTEGER_LARGE);
}

// ---- round trips -----------------------------------------------------------------------------------------------

static const char *const odd_names[] = {"bone", "soft \"x\" tissue", "", "5"};
static const char *const number_names[] = {"5", "9", "12", "2000000000"};
static const char *const no_name[] = {""};

static void save_and_load(pl_context *ctx, const pl_mesh *mesh, const char *name, pl_file_format format)
{
    pl_mesh *back = NULL;
    CHECK_OK(ctx, pl_mesh_save(mesh, in_directory(name), format));
    CHECK_OK(ctx, pl_mesh_load(ctx, in_directory(name), &back));
    if (back)
        check_same_mesh(mesh, back);
    pl_mesh_destroy(&back);
}

// Hexahedra or triangles with 17 digits and regions in turn.
static pl_mesh *sample_of(pl_context *ctx, pl_element_kind kind, int32_t region_count, const char *const *names)
{
    pl_shape_def def = pl_shape_def_default();
    def.kind = kind == PL_ELEMENT_HEX ? PL_SHAPE_BOX : PL_SHAPE_SHEET;
    def.elements = kind, def.edge = 0.3, def.jitter = 0.2;
    pl_mesh *mesh = NULL;
    if (pl_mesh_create_shape(ctx, &def, &mesh) != PL_OK || pl__mesh_set_regions(mesh, region_count, names) != PL_OK)
        abort();
    for (int32_t e = 0; e < mesh->element_count; ++e)
        mesh->element_region[e] = (e * 7 / 3) % region_count;
    return mesh;
}

static void hexahedra_and_triangles_keep_every_bit(void)
{
    pl_context *ctx = io_context();
    for (int kind = PL_ELEMENT_HEX; kind <= PL_ELEMENT_TRIANGLE; ++kind)
        for (int i = 0; i < 3; ++i)
        {
            const char *const *names = i == 0 ? no_name : i == 1 ? number_names : odd_names;
            pl_mesh *mesh = sample_of(ctx, (pl_element_kind)kind, i == 0 ? 1 : 4, names);
            save_and_load(ctx, mesh, "a.msh", PL_FILE_BY_NAME);
            for (pl_file_format f = PL_FILE_MSH22_TEXT; f <= PL_FILE_MSH41_BINARY; ++f)
                save_and_load(ctx, mesh, "b.msh", f);
            CHECK(pl_mesh_save(mesh, in_directory("c.node"), PL_FILE_BY_NAME) == PL_ERR_ARGUMENT);
            CHECK(strstr(pl_context_error(ctx), kind == PL_ELEMENT_HEX
                                                    ? "TetGen's files hold tetrahedra, not hexahedra; save them as .msh"
                                                    : "TetGen's files hold tetrahedra, not triangles"));
            CHECK_OK(ctx, pl_mesh_save(mesh, in_directory("c.obj"), PL_FILE_BY_NAME));
            pl_mesh_destroy(&mesh);
        }
    CHECK_THAT(strcmp(notes, "") == 0, "%s", notes);
    CHECK(clear_directory() == 3);
    end(ctx);
}

// Two cubes by their eight corners: in two groups of dimension 3, one of them twice; and a triangle, which is left out.
// The bytes of a file that Gmsh would write.
static const char cubes22[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"skin\"\n3 1 \"bone\"\n3 "
                              "2 \"fat\"\n$EndPhysicalNames\n"
                              "$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 2 "
                              "0 0\n10 2 1 0\n11 2 0 1\n12 2 1 1\n$EndNodes\n"
                              "$Elements\n4\n1 2 2 1 1 1 3 2\n2 5 2 1 1 1 2 3 4 5 6 7 8\n3 5 2 2 1 2 9 10 3 6 11 12 "
                              "7\n4 5 2 1 1 2 9 10 3 6 11 12 7\n$EndElements\n";

static void gmsh_hexahedra(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = parse_msh(ctx, cubes22);
    static const int32_t wanted[16] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 8, 9, 2, 5, 10, 11, 6};
    CHECK(mesh->kind == PL_ELEMENT_HEX && mesh->element_count == 2 &&
          memcmp(mesh->element, wanted, sizeof wanted) == 0);
    CHECK(mesh->region_count == 2 && strcmp(mesh->region_name[0], "bone") == 0 &&
          strcmp(mesh->region_name[1], "fat") == 0);
    CHECK(mesh->element_region[0] == 0 && mesh->element_region[1] == 1);
    CHECK_NEAR(pl_mesh_volume(mesh), 2, 1e-15);
    CHECK_THAT(strstr(notes, "left out 1 hexahedra that repeat others") &&
                   strstr(notes, "t.msh: left out 1 triangle\n"),
               "%s", notes);
    pl_mesh_destroy(&mesh);
    pl_surface *surface = NULL;
    CHECK_OK(ctx, pl_surface_parse(ctx, PL_FILE_MSH22_TEXT, "t.msh", cubes22, strlen(cubes22), &surface));
    CHECK(pl_surface_triangle_count(surface) == 20 && pl_surface_node_count(surface) == 12);
    pl_surface_destroy(&surface);
    end(ctx);
}

// Without volumes triangles are the mesh, with the groups of dimension 2; quadrangles are halved, and repeats left out.
static void gmsh_triangles_are_a_mesh(void)
{
    pl_context *ctx = io_context();
    static const char sheet[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 7 \"bone\"\n2 7 \"cloth\"\n$EndPhysicalNames\n"
        "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 0 0\n6 2 1 0\n$EndNodes\n"
        "$Elements\n4\n1 2 2 7 1 1 2 3\n2 2 2 7 1 1 3 4\n3 3 2 9 1 2 5 6 3\n4 2 2 9 1 3 1 2\n$EndElements\n";
    pl_mesh *mesh = parse_msh(ctx, sheet);
    CHECK(mesh->kind == PL_ELEMENT_TRIANGLE && mesh->element_count == 4 && mesh->node_count == 6);
    CHECK(mesh->region_count == 2 && strcmp(mesh->region_name[0], "cloth") == 0 &&
          strcmp(mesh->region_name[1], "9") == 0);
    CHECK(mesh->element_region[1] == 0 && mesh->element_region[2] == 1 && mesh->element_region[3] == 1);
    CHECK_NEAR(pl_mesh_area(mesh), 2, 1e-15);
    CHECK_THAT(strstr(notes, "left out 1 triangles that repeat others"), "%s", notes);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

// Both kinds of volumes: how many of each, and what to do.
static void mixtures_are_refused(void)
{
    pl_context *ctx = io_context();
    static const char both[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 "
        "1\n8 0 1 1\n"
        "9 3 3 3\n$EndNodes\n$Elements\n3\n1 5 0 1 2 3 4 5 6 7 8\n2 4 0 1 2 3 9\n3 4 0 1 3 4 9\n$EndElements\n";
    pl_mesh *mesh = NULL;
    pl_surface *surface = NULL;
    CHECK(pl_mesh_parse(ctx, PL_FILE_MSH22_TEXT, "t.msh", both, strlen(both), &mesh) == PL_ERR_FORMAT && !mesh);
    CHECK_THAT(strcmp(pl_context_error(ctx),
                      "t.msh: holds 2 tetrahedra and 1 hexahedron, but a mesh is of one kind; write them to files of "
                      "their own, or cut the hexahedra into tetrahedra") == 0,
               "%s", pl_context_error(ctx));
    CHECK(pl_surface_parse(ctx, PL_FILE_MSH22_TEXT, "t.msh", both, strlen(both), &surface) == PL_ERR_FORMAT &&
          !surface);
    end(ctx);
}

// Positions, tetrahedra, regions and their names.
static void every_mesh_format_keeps_every_bit(void)
{
    pl_context *ctx = io_context();
    for (int i = 0; i < 3; ++i)
    {
        const char *const *names = i == 0 ? no_name : i == 1 ? number_names : odd_names;
        pl_mesh *mesh = sample_mesh(ctx, 9, i == 0 ? 1 : 4, names);
        save_and_load(ctx, mesh, "a.msh", PL_FILE_BY_NAME);
        for (pl_file_format f = PL_FILE_MSH22_TEXT; f <= PL_FILE_MSH41_BINARY; ++f)
            save_and_load(ctx, mesh, "b.MSH", f);
        if (i < 2) // .ele has no names
        {
            save_and_load(ctx, mesh, "c.node", PL_FILE_BY_NAME);
            save_and_load(ctx, mesh, "c.ele", PL_FILE_TETGEN);
        }
        pl_mesh_destroy(&mesh);
    }
    CHECK(strcmp(notes, "") == 0);
    CHECK(clear_directory() == 4);
    end(ctx);
}

static void extreme_positions_come_back(void)
{
    pl_context *ctx = io_context();
    const double x[12] = {-1e-300, 5e-324, -0.0,   1.0 / 3, 1e-17,    1.2345678901234567e-30,
                          1e-200,  0.7,    3.1e-7, 0.1,     0.123456, 1.0000000000000002};
    const int32_t tet[4] = {0, 1, 2, 3};
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create(ctx, x, 4, tet, 1, &mesh));
    for (pl_file_format f = PL_FILE_MSH22_TEXT; f <= PL_FILE_MSH41_BINARY; ++f)
        save_and_load(ctx, mesh, "e.msh", f);
    pl_mesh_destroy(&mesh);
    clear_directory();
    end(ctx);
}

// Files from a machine of the other byte order: the writer swaps, the mark says so, the reader swaps back.
static void binary_reads_both_byte_orders(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = sample_mesh(ctx, 4, 4, odd_names), *back = NULL;
    for (int version = 2; version <= 4; version += 2)
    {
        pl__writer w;
        CHECK_OK(ctx, pl__writer_open(&w, ctx, in_directory("swapped.msh")));
        w.swap = true;
        pl__gmsh_write(&w, mesh, version, true);
        CHECK_OK(ctx, pl__writer_commit(&w));
        CHECK_OK(ctx, pl_mesh_load(ctx, in_directory("swapped.msh"), &back));
        check_same_mesh(mesh, back);
        pl_mesh_destroy(&back);
    }
    pl_mesh_destroy(&mesh);
    clear_directory();
    end(ctx);
}

static void surfaces_keep_every_bit(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = sample_mesh(ctx, 6, 1, no_name);
    pl_surface *surface, *back;
    // node 3 of a cut cube is used by no triangle here: it stays all the same
    CHECK_OK(ctx, pl_surface_create(ctx, mesh->position, mesh->node_count, mesh->triangle + 12,
                                    mesh->triangle_count - 4, &surface));
    CHECK_OK(ctx, pl_surface_save(surface, in_directory("s.obj")));
    CHECK_OK(ctx, pl_surface_load(ctx, in_directory("s.obj"), &back));
    CHECK(back->node_count == surface->node_count && back->triangle_count == surface->triangle_count);
    CHECK(memcmp(back->position, surface->position, 24 * (size_t)surface->node_count) == 0);
    CHECK(memcmp(back->triangle, surface->triangle, 12 * (size_t)surface->triangle_count) == 0);
    pl_surface_destroy(&back);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    clear_directory();
    end(ctx);
}

// ---- Gmsh ------------------------------------------------------------------------------------------------------

#define HEAD22 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES41 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"

static const char mixed22[] = // sparse tags, all sorts of cells, an element in two groups, unknown sections, CRLF
    "$Comments\r\nanything $Nodes\r\n$EndComments\r\n"
    "$MeshFormat\r\n2.1 0 8\r\n$EndMeshFormat\r\n"
    "$PhysicalNames\r\n3\r\n2 7 \"skin\"\r\n3 9 \"bone\"\r\n3 8 \"fat\"\r\n$EndPhysicalNames\r\n"
    "$Nodes\r\n6\r\n1000000000 0 0 0\r\n70 1 0 0\r\n2 0 1 0\r\n30 0 0 1\r\n5 9 9 9\r\n31 1. 1.0e0 +1\r\n$EndNodes\r\n"
    "$Elements\r\n7\r\n1 15 2 0 1 70\r\n2 1 2 0 1 70 2\r\n3 2 2 7 1 70 2 30\r\n10 4 3 9 1 0 1000000000 70 2 30\r\n"
    "11 4 2 8 2 70 2 30 31\r\n12 4 2 8 1 1000000000 70 2 30\r\n13 34 2 0 1 3 70 2 30\r\n$EndElements\r\n"
    "$NodeData\r\n1\r\n\"x\"\r\n$EndNodeData";

static void gmsh_2_mixed_cells(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = parse_msh(ctx, mixed22);
    CHECK(mesh->node_count == 5 && mesh->element_count == 2); // node 5 is used by nothing
    CHECK(is_tet(mesh, 0, 0, 1, 2, 3) && is_tet(mesh, 1, 1, 2, 3, 4));
    CHECK(mesh->position[3 * 4] == 1 && mesh->position[3 * 4 + 2] == 1);
    CHECK(mesh->region_count == 2 && strcmp(mesh->region_name[0], "fat") == 0 &&
          strcmp(mesh->region_name[1], "bone") == 0);
    CHECK(mesh->element_region[0] == 1 && mesh->element_region[1] == 0);
    CHECK_THAT(strstr(notes, "t.msh: left out 1 point, 1 line, 1 triangle, 1 cell of another kind\n"), "%s", notes);
    CHECK_THAT(strstr(notes, "left out 1 nodes that nothing uses"), "%s", notes);
    CHECK_THAT(strstr(notes, "left out 1 tetrahedra that repeat"), "%s", notes);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

static void gmsh_second_order_by_corners(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = parse_msh(
        ctx, HEAD22
        "$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n"
        "8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n$EndNodes\n$Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n");
    CHECK(mesh->node_count == 4 && is_tet(mesh, 0, 0, 1, 2, 3) && mesh->region_count == 1);
    CHECK_THAT(strstr(notes, "1 cells of higher order are taken by their corners"), "%s", notes);
    CHECK_THAT(strstr(notes, "left out 6 nodes"), "%s", notes);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

static const char rich41[] = // parametric nodes, empty blocks, groups of negative sign, nodes out of order
    HEAD41 "$PhysicalNames\n2\n3 4 \"hard\"\n1 4 \"not this\"\n$EndPhysicalNames\n"
           "$Entities\n1 1 1 2\n1 0 0 0 0\n1 0 0 0 1 1 1 1 4 2 1 -1\n1 0 0 0 1 1 1 0 1 1\n20 0 0 0 1 1 1 2 -4 6 1 "
           "1\n21 0 0 0 1 1 1 1 6 0\n$EndEntities\n"
           "$Nodes\n5 5 2 90\n0 1 1 1\n90\n0 0 0\n1 1 1 1\n4\n1 0 0 0.5\n2 1 1 1\n3\n0 1 0 0.5 0.5\n3 20 1 2\n2\n8\n0 "
           "0 1 .1 .2 .3\n1 1 1 4 5 6\n3 21 0 0\n$EndNodes\n"
           "$Elements\n4 4 1 4\n2 1 2 1\n1 90 4 3\n3 20 4 1\n2 90 4 3 2\n3 99 4 0\n3 21 4 2\n3 4 3 2 8\n4 90 3 4 "
           "2\n$EndElements\n";

static void gmsh_4_entities_and_parametric_nodes(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = NULL;
    // the last tetrahedron is the first again: three to a triangle is a fault of the file, not of the caller
    pl_status status = pl_mesh_parse(ctx, PL_FILE_MSH41_TEXT, "t.msh", rich41, strlen(rich41), &mesh);
    CHECK(status == PL_ERR_FORMAT && !mesh && strncmp(pl_context_error(ctx), "t.msh: ", 7) == 0);
    char text[2048];
    snprintf(text, sizeof text, "%s", rich41);
    char *extra = strstr(text, "3 21 4 2");
    memcpy(strstr(text, "$Elements\n4 4"), "$Elements\n4 3", 13);
    extra[7] = '1';
    snprintf(extra + 9, sizeof text - (size_t)(extra + 9 - text), "3 4 3 2 8\n$EndElements\n");
    notes[0] = 0;
    mesh = parse_msh(ctx, text);
    CHECK(mesh->node_count == 5 && mesh->element_count == 2 && is_tet(mesh, 0, 0, 1, 2, 3) &&
          is_tet(mesh, 1, 1, 2, 3, 4));
    CHECK(mesh->region_count == 2 && strcmp(mesh->region_name[0], "hard") == 0 &&
          strcmp(mesh->region_name[1], "6") == 0);
    CHECK(mesh->element_region[0] == 0 && mesh->element_region[1] == 1);
    CHECK_THAT(strstr(notes, "several physical groups"), "%s", notes);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

static void gmsh_4_partitioned(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = parse_msh(ctx, HEAD41 "$Entities\n0 0 0 1\n9 0 0 0 1 1 1 1 8 0\n$EndEntities\n"
                                          "$PartitionedEntities\n2\n1\n5 1\n0 0 0 1\n9 3 7 2 1 2 nan nan nan nan nan "
                                          "nan 1 3 0\n$EndPartitionedEntities\n" NODES41
                                          "$Elements\n1 1 1 1\n3 9 4 1\n1 1 2 3 4\n$EndElements\n");
    CHECK(mesh->region_count == 1 && strcmp(mesh->region_name[0], "3") == 0);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

// A 32-bit program's binary 4.1, written by hand, with its size_t of 4 bytes.
static void gmsh_4_of_a_32_bit_machine(void)
{
    pl_context *ctx = io_context();
    char file[1024];
    size_t n = 0;
#define TEXT(s) (memcpy(file + n, s, strlen(s)), n += strlen(s))
#define INT(v) (memcpy(file + n, &(int32_t){v}, 4), n += 4)
#define REAL(v) (memcpy(file + n, &(double){v}, 8), n += 8)
    TEXT("$MeshFormat\n4.1 1 4\n"), INT(1), TEXT("\n$EndMeshFormat\n$Nodes\n");
    INT(1), INT(4), INT(1), INT(4), INT(3), INT(1), INT(0), INT(4), INT(1), INT(2), INT(3), INT(4);
    REAL(0), REAL(0), REAL(0), REAL(1), REAL(0), REAL(0), REAL(0), REAL(1), REAL(0), REAL(0), REAL(0), REAL(1);
    TEXT("\n$EndNodes\n$Elements\n"), INT(1), INT(1), INT(1), INT(1), INT(3), INT(1), INT(4), INT(1);
    INT(1), INT(1), INT(2), INT(3), INT(4), TEXT("\n$EndElements\n");
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_parse(ctx, PL_FILE_MSH41_BINARY, "t.msh", file, n, &mesh));
    CHECK(mesh && mesh->element_count == 1);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

static void gmsh_surfaces(void)
{
    pl_context *ctx = io_context();
    static const char flat[] = HEAD22 "$Nodes\n5\n9 5 5 5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                                      "$Elements\n2\n1 3 2 0 1 1 2 3 4\n2 2 2 0 1 1 2 4\n$EndElements\n";
    pl_surface *surface;
    CHECK_OK(ctx, pl_surface_parse(ctx, PL_FILE_BY_NAME, "t.msh", flat, strlen(flat), &surface));
    CHECK(surface->node_count == 4 && surface->triangle_count == 3);
    CHECK(is_triangle(surface, 0, 0, 1, 2) && is_triangle(surface, 1, 0, 2, 3) && is_triangle(surface, 2, 0, 1, 3));
    pl_surface_destroy(&surface);
    // with tetrahedra, their boundary counts
    CHECK_OK(ctx, pl_surface_parse(ctx, PL_FILE_BY_NAME, "t.msh", mixed22, strlen(mixed22), &surface));
    CHECK(surface->node_count == 5 && surface->triangle_count == 6);
    pl_surface_destroy(&surface);
    end(ctx);
}

// ---- TetGen ----------------------------------------------------------------------------------------------------

static void tetgen_numbered_from_0_or_1(void)
{
    pl_context *ctx = io_context();
    static const char *const node[2] = {
        "# c\n\n4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0 # c\n3 0 0 1\n# end\n",
        "4 3 2 1\r\n1 0 0 0  7 8.5 1\r\n2 1 0 0  7 8.5 -1\r\n\r\n3 0 1 0  7 8.5 0\r\n4 0 0 1 7 8.5 1"};
    static const char *const ele[2] = {"1 4 0\n0 0 1 2 3\n", "# regions\n1 4 1\n1 1 2 3 4 -3\n"};
    for (int i = 0; i < 2; ++i)
    {
        pl_mesh *mesh = parse_tetgen(ctx, node[i], ele[i]);
        CHECK(mesh->node_count == 4 && is_tet(mesh, 0, 0, 1, 2, 3));
        CHECK(mesh->region_count == 1 && strcmp(mesh->region_name[0], i ? "-3" : "") == 0);
        pl_mesh_destroy(&mesh);
    }
    end(ctx);
}

static void tetgen_second_order_and_regions(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = parse_tetgen(ctx, "5 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n",
                                 "2 10 2\n1 1 2 3 4 5 5 5 5 5 5 20 .5\n2 2 3 4 5 1 1 1 1 1 1 1e1 .5\n");
    CHECK(mesh->element_count == 2 && mesh->region_count == 2 && strcmp(mesh->region_name[0], "10") == 0 &&
          mesh->element_region[0] == 1);
    CHECK_THAT(strstr(notes, "2 cells of higher order"), "%s", notes);
    pl_mesh_destroy(&mesh);
    mesh = parse_tetgen(ctx, "4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1 4 1\n1 1 2 3 4 0.5\n");
    CHECK(mesh->region_count == 1 && strcmp(mesh->region_name[0], "") == 0);
    CHECK_THAT(strstr(notes, "not all integers"), "%s", notes);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

// ---- OBJ -------------------------------------------------------------------------------------------------------

static void obj_spellings(void)
{
    pl_context *ctx = io_context();
    pl_surface *s = parse_obj(ctx, "\xEF\xBB\xBF# comment \\\r\nmtllib a.mtl\r\no thing\r\nv 0 0 0\r\n  v 1 0 0 "
                                   "1.0\r\nv 1 1 0 .5 .5 .5\r\nv 0 1 0 # last\r\n"
                                   "vt 0 0\r\nvn 0 0 1\r\ng a b \\\r\n f 1 2 99\r\ns off\r\nusemtl m\r\nf 1/1/1 2//1 "
                                   "\\\r\n 3/1\r\nf -4 -2 -1\r\nl 1 2\r\np 1\r\nf 1 1 2\r\nf 1 2 5\r\nv 0 0 1");
    CHECK(s->node_count == 5 && s->triangle_count == 3);
    CHECK(is_triangle(s, 0, 0, 1, 2) && is_triangle(s, 1, 0, 2, 3) && is_triangle(s, 2, 0, 1, 4));
    CHECK(s->position[3 * 4 + 2] == 1);
    CHECK_THAT(strstr(notes, "left out 1 triangles that name a node twice"), "%s", notes);
    pl_surface_destroy(&s);
    end(ctx);
}

static double area(const pl_surface *s)
{
    double sum = 0;
    for (int32_t i = 0; i < s->triangle_count; ++i)
    {
        const double *a = &s->position[3 * s->triangle[3 * i]], *b = &s->position[3 * s->triangle[3 * i + 1]],
                     *c = &s->position[3 * s->triangle[3 * i + 2]];
        sum += ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
        CHECK((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0);
    }
    return sum;
}

// A comb: triangles cover exactly its area, each turning the way the polygon turns. A fan would not.
static void concave_polygons_are_cut_within(void)
{
    pl_context *ctx = io_context();
    enum
    {
        TEETH = 20
    };
    char text[4096];
    int n = 0;
    for (int i = 0; i < TEETH; ++i)
        n += snprintf(text + n, sizeof text - (size_t)n, "v %d 0 %d\nv %d.5 5 0\n", i, i % 2, i);
    n += snprintf(text + n, sizeof text - (size_t)n, "v %d 0 0\nv %d -1 0\nv 0 -1 0\nf", TEETH, TEETH);
    for (int i = 2 * TEETH + 3; i >= 1; --i)
        n += snprintf(text + n, sizeof text - (size_t)n, " %d", i);
    pl_surface *s = parse_obj(ctx, text);
    CHECK(s->triangle_count == 2 * TEETH + 1);
    CHECK_NEAR(area(s), TEETH + 5.0 * TEETH / 2, 1e-9);
    pl_surface_destroy(&s);
    s = parse_obj(ctx, "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5\n"); // convex: a fan
    CHECK(is_triangle(s, 0, 0, 1, 2) && is_triangle(s, 1, 0, 2, 3) && is_triangle(s, 2, 0, 3, 4));
    pl_surface_destroy(&s);
    s = parse_obj(
        ctx,
        "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\nv 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nf -1 -2 -3 -4\n"); // crossed;
                                                                                                               // a
                                                                                                               // point
    CHECK(s->triangle_count == 4);
    pl_surface_destroy(&s);
    end(ctx);
}

// Beyond the limit of the ear clipper, which takes too long for hostile polygons, a fan.
static void huge_polygons_are_fans(void)
{
    pl_context *ctx = io_context();
    enum
    {
        N = PL__POLYGON_MAX + 50
    };
    char text[64 * N];
    int n = 0;
    for (int i = 0; i < N; ++i)
        n += snprintf(text + n, sizeof text - (size_t)n, "v %.9f %.9f 0\n", cos(6.28 * i / N), sin(6.28 * i / N));
    n += snprintf(text + n, sizeof text - (size_t)n, "f");
    for (int i = 1; i <= N; ++i)
        n += snprintf(text + n, sizeof text - (size_t)n, " %d", i);
    pl_surface *s = parse_obj(ctx, text);
    CHECK(s->triangle_count == N - 2 && is_triangle(s, N - 3, 0, N - 2, N - 1));
    CHECK_THAT(strstr(notes, "1 faces of more than 256 corners"), "%s", notes);
    pl_surface_destroy(&s);
    end(ctx);
}

static void frames_are_compact(void)
{
    pl_context *ctx = io_context();
    const double x[15] = {9, 9, 9, 0, 0, 0, 1, 0, 0, NAN, 0, 0, 0, 1, 0.1};
    const int32_t t[3] = {1, 2, 4}, bad[3] = {1, 2, 5}, unreal[3] = {1, 2, 3};
    size_t size;
    CHECK_OK(ctx, pl_obj_write(ctx, in_directory("f.obj"), x, 5, t, 1));
    char *text = read_whole(in_directory("f.obj"), &size);
    static const char expected[] = "v 0 0 0\nv 1 0 0\nv 0 1 0.1\nf 1 2 3\n";
    CHECK(size == strlen(expected) && memcmp(text, expected, size) == 0);
    free(text);
    CHECK_OK(ctx, pl_obj_write(ctx, in_directory("empty.obj"), NULL, 0, NULL, 0));
    CHECK(pl_obj_write(ctx, in_directory("no.obj"), x, 5, bad, 1) == PL_ERR_ARGUMENT);
    CHECK(pl_obj_write(ctx, in_directory("no.obj"), x, 5, unreal, 1) == PL_ERR_ARGUMENT);
    CHECK(clear_directory() == 2);
    end(ctx);
}

// ---- faults ----------------------------------------------------------------------------------------------------

typedef struct fault
{
    const char *text;
    const char *sentence; // how it starts
} fault;

static const fault msh_faults[] = {
    {"", "t.msh:1: there is no $MeshFormat"},
    {"solid cube\n", "t.msh:1: there is no $MeshFormat"},
    {"$Nodes\n1\n", "t.msh:1: a .msh file must start with $MeshFormat"},
    {"$MeshFormat\n1.0 0 8\n$EndMeshFormat\n", "t.msh:2: this version"},
    {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", "t.msh:2: this version"},
    {"$MeshFormat\n2.2 2 8\n", "t.msh:2: the file type (0 text, 1 binary) is 2"},
    {"$MeshFormat\n2.2 1 4\n", "t.msh:2: numbers of 4 bytes"},
    {"$MeshFormat\n2.2 0 3\n", "t.msh:2: numbers of 3 bytes"},
    {"$MeshFormat\n4.1 0 5\n", "t.msh:2: numbers of 5 bytes"},
    {"$MeshFormat\n2.2 1 8\n\1\1\1\1", "t.msh: byte 20: the mark of the byte order is 16843009"},
    {"$MeshFormat\n2.2 1 8\n\1", "t.msh: byte 20: the file ends in the mark"},
    {"$MeshFormat\n2.2 0 8\n$Nodes\n", "t.msh:3: expected $EndMeshFormat, found \"$Nodes\""},
    {HEAD22, "t.msh:4: expected $Nodes, found the end of the file"},
    {HEAD22 NODES22, "t.msh:11: expected $Elements, found the end of the file"},
    {HEAD22 "$Elements\n0\n$EndElements\n", "t.msh:4: $Elements must come after $Nodes"},
    {HEAD22 NODES22 NODES22, "t.msh:11: this section stands here a second time"},
    {HEAD22 "$Nodes\n-1\n$EndNodes\n", "t.msh:5: the number of nodes is -1"},
    {HEAD22 "$Nodes\n1000000000000\n$EndNodes\n", "t.msh:5: says 1000000000000 nodes, but only 11 bytes are left"},
    {HEAD22 "$Nodes\n99999999999999999999\n$EndNodes\n", "t.msh:5: the number of nodes is 99999999999999999999, but"},
    {HEAD22 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "t.msh:6: a coordinate is nan, but must be finite"},
    {HEAD22 "$Nodes\n1\n1 0 -Infinity 0\n$EndNodes\n", "t.msh:6: a coordinate is -Infinity, but must be finite"},
    {HEAD22 "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", "t.msh:6: a coordinate is 1e999, but must be finite"},
    {HEAD22 "$Nodes\n1\n1 0 0,5 0\n$EndNodes\n", "t.msh:6: expected a coordinate, found \"0,5\""},
    {HEAD22 "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", "t.msh:7: nodes 1 and 2 of the file are both numbered 1"},
    {HEAD22 "$Nodes\n2\n1 0 0 0\n$EndNodes\n", "t.msh:7: expected the number of a node, found \"$EndNodes\""},
    {HEAD22 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "t.msh:7: expected $EndNodes, found \"2\""},
    {HEAD22 "$Nodes\n1\n1 0 0 \001\303\377\n$EndNodes\n", "t.msh:6: expected a coordinate, found \"???\""},
    {HEAD22 "$PhysicalNames\n1\n3 1 bone\n$EndPhysicalNames\n", "t.msh:6: expected a name in quotes"},
    {HEAD22 "$PhysicalNames\n1\n3 1 \"bone\n$EndPhysicalNames\n", "t.msh:6: expected a name in quotes"},
    {HEAD22 "$PhysicalNames\n9999999\n3 1 \"a\"\n$EndPhysicalNames\n", "t.msh:5: says 9999999 names"},
    {HEAD22 "$Periodic\n1 2 3\n", "t.msh:4: this section has no end"},
    {HEAD22 NODES22 "$Elements\n1\n1 4 2 0 1 1 2 3 5\n$EndElements\n", "t.msh:13: there is no node 5"},
    {HEAD22 NODES22 "$Elements\n1\n1 4 2 0 1 1 2 3 -4\n$EndElements\n", "t.msh:13: there is no node -4"},
    {HEAD22 NODES22 "$Elements\n1\n1 4 2 0 1 1 2 3 3\n$EndElements\n", "t.msh:13: the tetrahedron names node 3 twice"},
    {HEAD22 NODES22 "$Elements\n1\n1 4 -1 0 1 1 2 3 4\n$EndElements\n", "t.msh:13: the number of tags is -1"},
    {HEAD22 NODES22 "$Elements\n1\n1 4 2 0 1 1 2 3\n$EndElements\n", "t.msh:14: expected a node of the element"},
    {HEAD22 NODES22 "$Elements\n2\n1 4 2 0 1 1 2 3 4\n$EndElements\n", "t.msh:14: expected the number of an element"},
    {HEAD22 NODES22 "$Elements\n1\n1 4 2 0 1 1 2 3 4\n", "t.msh:14: expected $EndElements, found the end of the file"},
    {HEAD22 NODES22 "$Elements\n0\n$EndElements\n", "t.msh: holds no tetrahedra"},
    {HEAD22 NODES22 "$Elements\n2\n1 2 2 0 1 1 2 3\n2 2 2 0 1 1 2 2\n$EndElements\n",
     "t.msh: triangle 1 (nodes 0 1 1) repeats node 1"},
    {HEAD22 NODES22 "$Elements\n1\n1 2 2 0 1 1 2 9\n$EndElements\n", "t.msh:13: there is no node 9"},
    {HEAD22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
     "t.msh: tetrahedron 0 (nodes 0 1 2 3) is degenerate"},
    {HEAD41 "$Nodes\n1 1 1 1\n4 1 0 1\n1\n0 0 0\n$EndNodes\n", "t.msh:6: the dimension of a block is 4"},
    {HEAD41 "$Nodes\n1 1 1 1\n3 1 0 2\n1\n2\n0 0 0\n1 1 1\n$EndNodes\n", "t.msh:6: a block of 2, where 1 are left"},
    {HEAD41 "$Nodes\n1 2 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", "t.msh:8: says 2 nodes, but the blocks hold 1"},
    {HEAD41 "$Nodes\n1 18446744073709551615 1 1\n", "t.msh:5: the number of items is 18446744073709551615"},
    {HEAD41 "$Entities\n0 0 0 99\n$EndEntities\n", "t.msh:5: says 99 entities"},
    {HEAD41 "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 77 1 0\n$EndEntities\n", "t.msh:6: says 77 physical groups"},
    {HEAD41 NODES41 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 7\n$EndElements\n", "t.msh:19: there is no node 7"},
    {HEAD41 NODES41 "$Elements\n2 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
     "t.msh:20: expected the dimension of a block"},
    {HEAD41 NODES41 "$Elements\n1 1 1 1\n3 1 4 1\n-1 1 2 3 4\n$EndElements\n", "t.msh:19: the tag of an element is -1"},
};

static const fault obj_faults[] = {
    {"", "t.obj: holds no triangles"},
    {"v 0 0 0\n", "t.obj: holds no triangles"},
    {"v 0 0\n", "t.obj:1: expected a coordinate, found the end of the line"},
    {"v 0 0", "t.obj:1: expected a coordinate, found the end of the file"},
    {"\nv 0 0 x\n", "t.obj:2: expected a coordinate, found \"x\""},
    {"v 0 0 nan\n", "t.obj:1: a coordinate is nan"},
    {"v 0 0 0\nf 1 1\n", "t.obj:2: a face of 2 corners"},
    {"v 0 0 0\nf 1 1 0\n", "t.obj:2: there is no vertex 0"},
    {"v 0 0 0\nf 1 1 2\n", "t.obj:2: there is no vertex 2: the file has 1, numbered from 1"},
    {"v 0 0 0\nf 1 1 -2\n", "t.obj:2: there is no vertex -2"},
    {"v 0 0 0\nf 1 1 99999999999999999999999999999999\n", "t.obj:2: there is no vertex 999999999999999999999999:"},
    {"v 0 0 0\nf 1 1 /1\n", "t.obj:2: expected the number of a vertex, found \"/1\""},
    {"v 0 0 0\nf 1 1 1.5\n", "t.obj:2: expected the number of a vertex, found \"1.5\""},
    {"v 0 0 0\nf 1 1 1\n", "t.obj: holds no triangles"},
};

static const fault node_faults[] = {
    {"", "t.node:1: expected the number of nodes, found the end of the file"},
    {"# only\n", "t.node:2: expected the number of nodes, found the end of the file"},
    {"4 2 0 0\n", "t.node:1: the dimension is 2, but must be in [3, 3]"},
    {"-4 3 0 0\n", "t.node:1: the number of nodes is -4"},
    {"4 3 0 2\n", "t.node:1: whether there is a boundary marker is 2"},
    {"400000000 3 0 0\n", "t.node:1: says 400000000 nodes, but only 1 bytes are left"},
    {"1 3\n1 0 0\n           \n", "t.node:2: expected a coordinate, found the end of the line"},
    {"1 3\n1 0 0 0 5\n", "t.node:2: expected the end of the line, found \"5\""},
    {"1 3\n1 0 0 0\n2 0 0 0\n", "t.node:3: expected the end of the file, found \"2\""},
    {"2 3\n1 0 0 0          \n\n", "t.node:4: expected the number of a node, found the end of the file"},
    {"2 3\n1 0 0 0\n1 0 0 0\n", "t.node:4: nodes 1 and 2 of the file are both numbered 1"},
};

static const fault ele_faults[] = {
    {"", "t.ele:1: expected the number of tetrahedra, found the end of the file"},
    {"1 3 0\n1 1 2 3\n", "t.ele:1: these are triangles"},
    {"1 5 0\n1 1 2 3\n", "t.ele:1: 5 nodes per tetrahedron"},
    {"0 4 0\n", "t.ele: holds no tetrahedra"},
    {"1 4 0\n1 0 1 2 3\n", "t.ele:2: there is no node 0"},
    {"1 4 0\n1 1 2 3 3\n", "t.ele:2: the tetrahedron names node 3 twice"},
    {"1 4 1\n1 1 2 3 4\n", "t.ele:2: expected an attribute, found the end of the line"},
    {"1 4 1\n1 1 2 3 4 inf\n", "t.ele:2: an attribute is inf"},
    {"1 4 0\n1 1 2 3 4 9\n", "t.ele:2: expected the end of the line, found \"9\""},
    {"1 4 0\n1 1 2 3 999999999999\n", "t.ele:2: a node of the tetrahedron is 999999999999"},
    {"99 4 0\n1 1 2 3 4\n", "t.ele:1: says 99 tetrahedra"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TETGEN_NODES "4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"

static void check_fault(pl_context *ctx, const fault *f, pl_status status, const void *made)
{
    CHECK_THAT(status == PL_ERR_FORMAT && !made, "%s: %s", f->text, pl_status_name(status));
    CHECK_THAT(strncmp(pl_context_error(ctx), f->sentence, strlen(f->sentence)) == 0, "\n  %s\n  %s",
               pl_context_error(ctx), f->sentence);
    CHECK(pl_context_memory(ctx) == 0);
}

static pl_status parse_tetgen_fault(pl_context *ctx, const char *node, const char *ele, pl_mesh **mesh)
{
    return pl_mesh_parse_tetgen(ctx, "t.node", node, strlen(node), "t.ele", ele, strlen(ele), mesh);
}

static void every_fault_is_named_with_its_place(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh;
    pl_surface *surface;
    for (const fault *f = msh_faults; f < msh_faults + COUNT(msh_faults); ++f)
    {
        pl_status status = pl_mesh_parse(ctx, PL_FILE_BY_NAME, "t.msh", f->text, strlen(f->text), &mesh);
        check_fault(ctx, f, status, mesh);
    }
    for (const fault *f = obj_faults; f < obj_faults + COUNT(obj_faults); ++f)
    {
        pl_status status = pl_surface_parse(ctx, PL_FILE_BY_NAME, "t.obj", f->text, strlen(f->text), &surface);
        check_fault(ctx, f, status, surface);
    }
    for (const fault *f = node_faults; f < node_faults + COUNT(node_faults); ++f)
    {
        pl_status status = parse_tetgen_fault(ctx, f->text, "", &mesh);
        check_fault(ctx, f, status, mesh);
    }
    for (const fault *f = ele_faults; f < ele_faults + COUNT(ele_faults); ++f)
    {
        pl_status status = parse_tetgen_fault(ctx, TETGEN_NODES, f->text, &mesh);
        check_fault(ctx, f, status, mesh);
    }
    end(ctx);
}

static void check_binary_fault(pl_context *ctx, char *file, size_t size, size_t at, uint64_t value,
                               const char *sentence)
{
    pl_mesh *mesh;
    char kept[8];
    memcpy(kept, file + at, 8);
    memcpy(file + at, &value, 8);
    CHECK(pl_mesh_parse(ctx, PL_FILE_MSH41_BINARY, "t.msh", file, size, &mesh) == PL_ERR_FORMAT && !mesh);
    CHECK_THAT(strcmp(pl_context_error(ctx), sentence) == 0, "\n  %s\n  %s", pl_context_error(ctx), sentence);
    memcpy(file + at, kept, 8);
}

// In binary files the place is a byte: that of the number at fault.
static void binary_faults_are_named_with_their_byte(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = sample_mesh(ctx, 1, 1, no_name);
    size_t size;
    CHECK_OK(ctx, pl_mesh_save(mesh, in_directory("t.msh"), PL_FILE_MSH41_BINARY));
    char *file = read_whole(in_directory("t.msh"), &size);
    size_t nodes = 0, elements = 0;
    for (size_t i = 0; i + 10 < size; ++i)
    {
        nodes = memcmp(file + i, "$Nodes\n", 7) == 0 ? i + 7 : nodes;
        elements = memcmp(file + i, "$Elements\n", 10) == 0 ? i + 10 : elements;
    }
    char sentence[128];
    size_t first = nodes + 32 + 20 + 8 * 8; // totals, head of the block, tags
    snprintf(sentence, sizeof sentence, "t.msh: byte %zu: a coordinate is not finite", first);
    check_binary_fault(ctx, file, size, first, 0x7ff8000000000000u, sentence);
    snprintf(sentence, sizeof sentence,
             "t.msh: byte %zu: the number of items is 18446744073709551615, which is too large", nodes + 8);
    check_binary_fault(ctx, file, size, nodes + 8, UINT64_MAX, sentence);
    snprintf(sentence, sizeof sentence, "t.msh: byte %zu: there is no node 9", elements + 32 + 20 + 8 * 4);
    check_binary_fault(ctx, file, size, elements + 32 + 20 + 8 * 4, 9, sentence);
    free(file);
    pl_mesh_destroy(&mesh);
    clear_directory();
    end(ctx);
}

static void wrong_doors_say_which_is_right(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh;
    pl_surface *surface;
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    CHECK(pl_mesh_parse(ctx, PL_FILE_OBJ, "bunny.obj", obj, strlen(obj), &mesh) == PL_ERR_FORMAT);
    CHECK(strcmp(pl_context_error(ctx),
                 "bunny.obj: holds 1 triangles but no tetrahedra; make some with pl_mesh_create_from_surface") == 0);
    CHECK(pl_mesh_parse(ctx, PL_FILE_BY_NAME, NULL, obj, strlen(obj), &mesh) == PL_ERR_ARGUMENT);
    CHECK(pl_mesh_parse(ctx, PL_FILE_TETGEN, "x", obj, strlen(obj), &mesh) == PL_ERR_ARGUMENT);
    CHECK(pl_mesh_load(ctx, "thing.step", &mesh) == PL_ERR_ARGUMENT && !mesh);
    CHECK(pl_surface_load(ctx, "thing.ele", &surface) == PL_ERR_ARGUMENT && !surface);
    CHECK(pl_mesh_load(ctx, in_directory("missing.msh"), &mesh) == PL_ERR_FILE &&
          strstr(pl_context_error(ctx), "missing.msh: No such file"));
    CHECK(pl_mesh_load(ctx, in_directory("missing.ele"), &mesh) == PL_ERR_FILE &&
          strstr(pl_context_error(ctx), "missing.node: No such file"));
    CHECK(pl_surface_load(ctx, in_directory("missing.obj"), &surface) == PL_ERR_FILE);
    end(ctx);
}

// Cut anywhere, a file is refused (a text may lose its last line break), and nothing leaks.
static void every_truncation_is_refused(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = sample_mesh(ctx, 2, 4, odd_names), *back;
    size_t before = pl_context_memory(ctx);
    for (pl_file_format f = PL_FILE_MSH22_TEXT; f <= PL_FILE_MSH41_BINARY; ++f)
    {
        size_t size;
        CHECK_OK(ctx, pl_mesh_save(mesh, in_directory("t.msh"), f));
        char *data = read_whole(in_directory("t.msh"), &size);
        for (size_t n = 0; n + 1 < size; ++n)
        {
            char *copy = malloc(n ? n : 1); // so that a sanitizer sees every byte too far
            memcpy(copy, data, n);
            CHECK_THAT(pl_mesh_parse(ctx, f, "t.msh", copy, n, &back) == PL_ERR_FORMAT && !back, "format %d, %zu bytes",
                       f, n);
            free(copy);
        }
        CHECK(pl_context_memory(ctx) == before);
        free(data);
    }
    pl_mesh_destroy(&mesh);
    clear_directory();
    end(ctx);
}

// A few bytes that announce billions of things do not make the reader ask for memory.
static void announced_counts_are_not_believed(void)
{
    static const char *const texts[] = {HEAD22 "$Nodes\n2000000000\n1 0 0 0\n$EndNodes\n",
                                        HEAD22 NODES22 "$Elements\n2000000000\n1 4 0 1 2 3 4\n",
                                        HEAD41 "$Nodes\n1 700000000 1 1\n3 1 0 700000000\n1\n",
                                        HEAD41 NODES41
                                        "$Elements\n1 4000000000000 1 1\n3 1 4 4000000000000\n1 1 2 3 4\n",
                                        HEAD41 "$Entities\n0 0 0 4000000000\n1 0 0 0 1 1 1 0 0\n",
                                        HEAD22 "$PhysicalNames\n2000000000\n3 1 \"a\"\n"};
    pl_context *ctx = io_context();
    pl_mesh *mesh;
    peak_memory = memory;
    size_t before = memory;
    for (size_t i = 0; i < COUNT(texts); ++i)
        CHECK(pl_mesh_parse(ctx, PL_FILE_MSH22_TEXT, "t.msh", texts[i], strlen(texts[i]), &mesh) == PL_ERR_FORMAT);
    CHECK(pl_mesh_parse_tetgen(ctx, "n", "700000000 3\n1 0 0 0\n", 20, "e", "", 0, &mesh) == PL_ERR_FORMAT);
    CHECK(pl_mesh_parse_tetgen(ctx, "n", TETGEN_NODES, strlen(TETGEN_NODES), "e", "500000000 4\n1 1 2 3 4\n", 22,
                               &mesh) == PL_ERR_FORMAT);
    CHECK_THAT(peak_memory - before < 4096, "%zu", peak_memory - before);
    end(ctx);
}

static void long_lines_and_zero_bytes(void)
{
    pl_context *ctx = io_context();
    size_t size = 1 << 20;
    char *text = malloc(size);
    pl_mesh *mesh;
    pl_surface *surface;
    memset(text, '7', size);
    CHECK(pl_surface_parse(ctx, PL_FILE_OBJ, "t.obj", text, size, &surface) == PL_ERR_FORMAT);
    memcpy(text, "v ", 2);
    CHECK(pl_surface_parse(ctx, PL_FILE_OBJ, "t.obj", text, size, &surface) == PL_ERR_FORMAT);
    CHECK(strstr(pl_context_error(ctx),
                 "a coordinate is 7777777777777777777777777777777777777777..., but must be finite"));
    CHECK(pl_mesh_parse_tetgen(ctx, "n", text + 2, size - 2, "e", "", 0, &mesh) == PL_ERR_FORMAT);
    memset(text, 0, size);
    CHECK(pl_mesh_parse(ctx, PL_FILE_MSH22_TEXT, "t.msh", text, size, &mesh) == PL_ERR_FORMAT);
    memcpy(text, "f ", 2);
    CHECK(pl_surface_parse(ctx, PL_FILE_OBJ, "t.obj", text, size, &surface) == PL_ERR_FORMAT);
    // a face of half a million corners
    for (size_t i = 9; i < size; ++i)
        text[i] = i % 2 ? ' ' : '1';
    memcpy(text, "v 0 0 0\nf", 9);
    CHECK(pl_surface_parse(ctx, PL_FILE_OBJ, "t.obj", text, size, &surface) == PL_ERR_FORMAT);
    free(text);
    end(ctx);
}

// ---- memory, locale, hosts -------------------------------------------------------------------------------------

typedef struct job
{
    pl_mesh *mesh;
    pl_surface *surface;
    int kind;
} job;

static pl_status do_job(pl_context *ctx, job *j)
{
    switch (j->kind)
    {
    case 0: return pl_mesh_load(ctx, in_directory("22.msh"), &j->mesh);
    case 1: return pl_mesh_load(ctx, in_directory("41.msh"), &j->mesh);
    case 2: return pl_mesh_load(ctx, in_directory("pair.ele"), &j->mesh);
    case 3: return pl_surface_load(ctx, in_directory("s.obj"), &j->surface);
    case 4: return pl_surface_load(ctx, in_directory("41.msh"), &j->surface);
    case 5: return pl_mesh_parse(ctx, PL_FILE_BY_NAME, "t.msh", mixed22, strlen(mixed22), &j->mesh);
    default: return PL_OK;
    }
}

static pl_status do_save(const pl_mesh *mesh, int kind)
{
    switch (kind)
    {
    case 0: return pl_mesh_save(mesh, in_directory("out.msh"), PL_FILE_MSH22_BINARY);
    case 1: return pl_mesh_save(mesh, in_directory("out.msh"), PL_FILE_MSH41_TEXT);
    case 2: return pl_mesh_save(mesh, in_directory("out.node"), PL_FILE_BY_NAME);
    default: return pl_mesh_save(mesh, in_directory("out.obj"), PL_FILE_BY_NAME);
    }
}

static void every_failed_allocation_is_survived(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = sample_mesh(ctx, 5, 4, odd_names);
    CHECK_OK(ctx, pl_mesh_save(mesh, in_directory("22.msh"), PL_FILE_MSH22_TEXT));
    CHECK_OK(ctx, pl_mesh_save(mesh, in_directory("41.msh"), PL_FILE_MSH41_BINARY));
    CHECK_OK(ctx, pl_mesh_save(mesh, in_directory("pair.ele"), PL_FILE_BY_NAME));
    write_file(in_directory("s.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", 42);
    size_t before = pl_context_memory(ctx);
    for (int kind = 0; kind < 6; ++kind)
        for (int64_t n = 0;; ++n)
        {
            job j = {.kind = kind};
            allocations_left = n;
            pl_status status = do_job(ctx, &j);
            allocations_left = -1;
            CHECK_THAT(status == PL_OK || status == PL_ERR_MEMORY, "job %d, allocation %d: %s", kind, (int)n,
                       pl_context_error(ctx));
            CHECK((status == PL_OK) == (j.mesh || j.surface));
            pl_mesh_destroy(&j.mesh);
            pl_surface_destroy(&j.surface);
            CHECK_THAT(pl_context_memory(ctx) == before, "job %d, allocation %d", kind, (int)n);
            if (status == PL_OK || n > 1000)
                break;
        }
    CHECK(clear_directory() == 5);
    for (int kind = 0; kind < 4; ++kind)
        for (int64_t n = 0;; ++n)
        {
            allocations_left = n;
            pl_status status = do_save(mesh, kind);
            allocations_left = -1;
            CHECK(status == PL_OK || status == PL_ERR_MEMORY);
            CHECK(pl_context_memory(ctx) == before);
            CHECK(clear_directory() == (status != PL_OK ? 0 : kind == 2 ? 2 : 1));
            if (status == PL_OK)
                break;
        }
    pl_mesh_destroy(&mesh);
    end(ctx);
}

// With a decimal comma in the host's locale, the same bytes are written and the same numbers read.
static void locale_does_not_matter(void)
{
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",      "fr_FR.UTF-8",
                                         "fr_FR.utf8",  "nl_NL.UTF-8", "it_IT.UTF-8"};
    pl_context *ctx = io_context();
    pl_mesh *mesh = sample_mesh(ctx, 3, 1, no_name);
    size_t plain_size, comma_size;
    CHECK_OK(ctx, pl_mesh_save(mesh, in_directory("plain.msh"), PL_FILE_MSH22_TEXT));
    size_t i = 0;
    while (i < COUNT(commas) && !setlocale(LC_ALL, commas[i]))
        i++;
    if (i == COUNT(commas))
        printf("     (no locale with a decimal comma is installed; trying the default one)\n");
    save_and_load(ctx, mesh, "comma.msh", PL_FILE_MSH22_TEXT);
    setlocale(LC_ALL, "C");
    char *plain = read_whole(in_directory("plain.msh"), &plain_size),
         *comma = read_whole(in_directory("comma.msh"), &comma_size);
    CHECK(plain_size == comma_size && memcmp(plain, comma, plain_size) == 0);
    free(plain);
    free(comma);
    pl_mesh_destroy(&mesh);
    clear_directory();
    end(ctx);
}

static int archive_opens, archive_closes;

static int archive_open(void *user, const char *path, const void **data, size_t *size)
{
    (void)user;
    archive_opens++;
    if (strcmp(path, "inside.node") == 0)
        *data = TETGEN_NODES;
    else if (strcmp(path, "inside.ele") == 0)
        *data = "1 4\n1 1 2 3 4\n";
    else
        return archive_opens--, ENOENT;
    *size = strlen(*data);
    return 0;
}

static void archive_close(void *user, const void *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    archive_closes++;
}

static void files_come_from_the_hosts_reader(void)
{
    pl_context_def def = pl_context_def_default();
    def.file_reader = (pl_file_reader){archive_open, archive_close, NULL};
    def.thread_count = 1;
    pl_context *ctx;
    pl_mesh *mesh;
    CHECK(pl_context_create(&def, &ctx) == PL_OK);
    CHECK_OK(ctx, pl_mesh_load(ctx, "inside.ele", &mesh));
    pl_mesh_destroy(&mesh);
    CHECK(pl_mesh_load(ctx, "outside.ele", &mesh) == PL_ERR_FILE);
    CHECK(archive_opens == 2 && archive_closes == 2);
    end(ctx);
}

// ---- writing ---------------------------------------------------------------------------------------------------

static void failed_writes_leave_nothing(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = sample_mesh(ctx, 400, 1, no_name);
    CHECK(pl_mesh_save(mesh, in_directory("no/such/place.msh"), PL_FILE_BY_NAME) == PL_ERR_FILE);
    CHECK(strstr(pl_context_error(ctx), "no/such/place.msh: No such file or directory"));
    CHECK(pl_mesh_save(mesh, "/dev/full", PL_FILE_MSH22_TEXT) == PL_ERR_FILE);
    CHECK_THAT(strcmp(pl_context_error(ctx), "/dev/full: No space left on device") == 0, "%s", pl_context_error(ctx));
    struct stat device;
    CHECK(stat("/dev/full", &device) == 0 && S_ISCHR(device.st_mode));
    CHECK(pl_mesh_save(mesh, directory, PL_FILE_OBJ) == PL_ERR_FILE);
    CHECK(pl_mesh_save(mesh, in_directory("x.stl"), PL_FILE_BY_NAME) == PL_ERR_ARGUMENT);

    // a disk that fills up half way: the old files stay as they were
    write_file(in_directory("old.msh"), "old", 3);
    write_file(in_directory("old.ele"), "old", 3);
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 30000; // less than any of the files needs
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    CHECK(pl_mesh_save(mesh, in_directory("old.msh"), PL_FILE_MSH22_TEXT) == PL_ERR_FILE);
    CHECK(strstr(pl_context_error(ctx), "old.msh: File too large"));
    CHECK(pl_mesh_save(mesh, in_directory("old.ele"), PL_FILE_TETGEN) == PL_ERR_FILE);
    // with short numbers only the second file of the pair is too large: the first is not replaced either
    for (int32_t i = 0; i < 3 * mesh->node_count; ++i)
        mesh->position[i] = floor(1e3 * mesh->position[i]);
    write_file(in_directory("old.node"), "old", 3);
    CHECK(pl_mesh_save(mesh, in_directory("old.ele"), PL_FILE_TETGEN) == PL_ERR_FILE);
    CHECK(strstr(pl_context_error(ctx), "old.ele: File too large"));
    setrlimit(RLIMIT_FSIZE, &limit);
    size_t size;
    char *old = read_whole(in_directory("old.msh"), &size);
    CHECK(size == 3 && memcmp(old, "old", 3) == 0);
    free(old);
    old = read_whole(in_directory("old.node"), &size);
    CHECK(size == 3 && memcmp(old, "old", 3) == 0);
    free(old);
    old = read_whole(in_directory("old.ele"), &size);
    CHECK(size == 3 && memcmp(old, "old", 3) == 0);
    free(old);
    CHECK(clear_directory() == 3);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

static void replaced_files_keep_links_and_permissions(void)
{
    pl_context *ctx = io_context();
    pl_mesh *mesh = sample_mesh(ctx, 1, 1, no_name);
    struct stat info;
    write_file(in_directory("real.msh"), "old", 3);
    chmod(in_directory("real.msh"), 0640);
    CHECK(symlink("real.msh", in_directory("link.msh")) == 0);
    CHECK_OK(ctx, pl_mesh_save(mesh, in_directory("link.msh"), PL_FILE_BY_NAME));
    CHECK(lstat(in_directory("link.msh"), &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(stat(in_directory("real.msh"), &info) == 0 && (info.st_mode & 0777) == 0640 && info.st_size > 100);
    CHECK(clear_directory() == 2);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

static void names_with_line_breaks_are_refused(void)
{
    pl_context *ctx = io_context();
    const char *name = "a\nb";
    pl_mesh *mesh = sample_mesh(ctx, 1, 1, &name);
    CHECK(pl_mesh_save(mesh, in_directory("x.msh"), PL_FILE_BY_NAME) == PL_ERR_ARGUMENT);
    CHECK(clear_directory() == 0);
    pl_mesh_destroy(&mesh);
    end(ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(numbers_are_rounded_correctly),
                                    TEST(numbers_come_back),
                                    TEST(words_are_not_numbers),
                                    TEST(every_mesh_format_keeps_every_bit),
                                    TEST(hexahedra_and_triangles_keep_every_bit),
                                    TEST(gmsh_hexahedra),
                                    TEST(gmsh_triangles_are_a_mesh),
                                    TEST(mixtures_are_refused),
                                    TEST(extreme_positions_come_back),
                                    TEST(binary_reads_both_byte_orders),
                                    TEST(surfaces_keep_every_bit),
                                    TEST(gmsh_2_mixed_cells),
                                    TEST(gmsh_second_order_by_corners),
                                    TEST(gmsh_4_entities_and_parametric_nodes),
                                    TEST(gmsh_4_partitioned),
                                    TEST(gmsh_4_of_a_32_bit_machine),
                                    TEST(gmsh_surfaces),
                                    TEST(tetgen_numbered_from_0_or_1),
                                    TEST(tetgen_second_order_and_regions),
                                    TEST(obj_spellings),
                                    TEST(concave_polygons_are_cut_within),
                                    TEST(huge_polygons_are_fans),
                                    TEST(frames_are_compact),
                                    TEST(every_fault_is_named_with_its_place),
                                    TEST(binary_faults_are_named_with_their_byte),
                                    TEST(wrong_doors_say_which_is_right),
                                    TEST(every_truncation_is_refused),
                                    TEST(announced_counts_are_not_believed),
                                    TEST(long_lines_and_zero_bytes),
                                    TEST(every_failed_allocation_is_survived),
                                    TEST(locale_does_not_matter),
                                    TEST(files_come_from_the_hosts_reader),
                                    TEST(failed_writes_leave_nothing),
                                    TEST(replaced_files_keep_links_and_permissions),
                                    TEST(names_with_line_breaks_are_refused)};
    snprintf(directory, sizeof directory, "/tmp/pliant-io-XXXXXX");
    if (!mkdtemp(directory))
        return 1;
    int result = RUN(tests);
    clear_directory();
    rmdir(directory);
    return result;
}
