// tests/export.c -- exported animations: bytes as their formats say, nothing torn, every fault named.
//
// `test_export --write DIR` writes all formats below DIR with DIR/expected.json beside them, and in DIR/hex the block
// as one hexahedron as .vtu, for the scripts that read them with other programs: meshio_exports.py, blender_exports.py,
// paraview_exports.py.
#include "animation.h"
#include "host.h"
#include "io/number.h"
#include <pliant/pliant.h>

#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- a directory to write into ---------------------------------------------------------------------------------

static char place[256], path[2][512];

static const char *in_place(const char *name)
{
    static int turn;
    snprintf(path[turn ^= 1], sizeof path[0], "%s/%s", place, name);
    return path[turn];
}

// Removes everything in `place`/NAME and says how many files it held; -1 when there is none.
static int clear(const char *name)
{
    char directory[300];
    snprintf(directory, sizeof directory, "%s/%s", place, name);
    DIR *d = opendir(directory);
    if (!d)
        return -1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(d));)
    {
        char file[600];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", directory, entry->d_name);
        CHECK_THAT(!strstr(entry->d_name, ".tmp"), "%s was left behind", file);
        unlink(file);
        count++;
    }
    closedir(d);
    rmdir(directory);
    return count;
}

static unsigned char *slurp(const char *name, size_t *size)
{
    FILE *f = fopen(in_place(name), "rb");
    CHECK_THAT(f, "%s is missing", name);
    unsigned char *bytes = calloc(1, 1 << 20);
    *size = f ? fread(bytes, 1, (1 << 20) - 1, f) : 0;
    if (f)
        fclose(f);
    return bytes;
}

static float float_at(const unsigned char *bytes)
{
    float value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static double double_at(const unsigned char *bytes)
{
    double value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t word_at(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int count_text(const unsigned char *bytes, const char *what)
{
    int count = 0;
    for (const char *at = (const char *)bytes; (at = strstr(at, what)); ++at)
        count++;
    return count;
}

// Instead of the block a cube, and beside it a tall cell of three.
static void of_cubes(moment *m, int32_t index)
{
    static const double phi[2] = {0.25, -1.5}, velocity[6] = {1, 2, 3, 4, 5, 6};
    static const pl_frame_field field[2] = {{"phi", 1, 1, phi}, {"speed", 3, 1, velocity}};
    static double node[48];
    static int32_t cell[16];
    for (int n = 0; n < 16; ++n)
    {
        node[3 * n] = -1 + 0.5 * (n / 8 + (n & 1));
        node[3 * n + 1] = 0.5 * (n >> 1 & 1) * (n < 8 ? 1 : 3);
        node[3 * n + 2] = 2 + 0.5 * (n >> 2 & 1);
        cell[n] = n;
    }
    (void)index;
    m->body[0] = (pl_frame_body){.name = "block",
                                 .node_count = 16,
                                 .nodes = node,
                                 .cell_kind = PL_ELEMENT_HEX,
                                 .cell_count = 2,
                                 .cells = cell,
                                 .field_count = 2,
                                 .fields = field};
}

// What a format needs to have something to write.
static void (*spoil_for(int format))(moment *, int32_t) { return format == PL_EXPORT_VDB ? of_cubes : NULL; }

static void export_as(pl_export_format format, int32_t frame_count, void (*spoil)(moment *, int32_t))
{
    pl_context *ctx = test_context(1);
    animation a;
    start_animation(&a, frame_count);
    a.spoil = spoil;
    CHECK_OK(ctx, pl_export(ctx, format, in_place("out"), &a.source));
    CHECK(pl_context_memory(ctx) == 0);
    forget(&a);
    pl_context_destroy(&ctx);
}

// The frame as it is at `index`, until the next call.
static const moment *moment_at(int32_t index)
{
    static animation a;
    const pl_frame *frame;
    forget(&a);
    start_animation(&a, FRAMES);
    (void)animation_read(&a, index, &frame);
    return a.now;
}

// ---- formats ---------------------------------------------------------------------------------------------------

static void names_and_formats_are_inverse(void)
{
    pl_context *ctx = test_context(1);
    pl_export_format found;
    int count = 0;
    for (const char *name; (name = pl_export_format_name((pl_export_format)count)); ++count)
        CHECK(pl_export_format_find(ctx, name, &found) == PL_OK && (int)found == count);
    CHECK(count == 8);
    CHECK(pl_export_format_find(ctx, "vtk", &found) == PL_OK && found == PL_EXPORT_VTU);
    CHECK(pl_export_format_find(ctx, "usda", &found) == PL_OK && found == PL_EXPORT_USD);
    CHECK(pl_export_format_find(ctx, "gltf", &found) == PL_OK && found == PL_EXPORT_GLB);
    CHECK(pl_export_format_find(ctx, "fbx", &found) == PL_ERR_ARGUMENT && found == PL_EXPORT_GLB);
    CHECK_THAT(strstr(pl_context_error(ctx), "'fbx'") && strstr(pl_context_error(ctx), "npy, obj and vdb"), "%s",
               pl_context_error(ctx));
    for (int i = 0; i < count; ++i)
        CHECK(strstr(pl_context_error(ctx), pl_export_format_name((pl_export_format)i)));
    CHECK(pl_export_format_find(ctx, NULL, &found) == PL_ERR_ARGUMENT);
    pl_context_destroy(&ctx);
}

static const char PLY_BLOCK[] = "ply\nformat binary_little_endian 1.0\ncomment Pliant: metres, y up\nelement vertex 9\n"
                                "property float x\nproperty float y\nproperty float z\n"
                                "property float vx\nproperty float vy\nproperty float vz\n"
                                "element face 12\nproperty list uchar int vertex_indices\nend_header\n";
static const char PLY_SHEET[] = "ply\nformat binary_little_endian 1.0\ncomment Pliant: metres, y up\nelement vertex 4\n"
                                "property float x\nproperty float y\nproperty float z\n"
                                "property float vx\nproperty float vy\nproperty float vz\n"
                                "property float nx\nproperty float ny\nproperty float nz\n"
                                "property float s\nproperty float t\n"
                                "element face 2\nproperty list uchar int vertex_indices\nend_header\n";

static void ply_has_the_bytes_of_its_head(void)
{
    size_t size, head = strlen(PLY_BLOCK);
    export_as(PL_EXPORT_PLY, FRAMES, NULL);
    unsigned char *bytes = slurp("out/block_000007.ply", &size);
    CHECK(size == head + 9 * 24 + 12 * 13 && memcmp(bytes, PLY_BLOCK, head) == 0);
    for (int i = 0; i < 3 * BLOCK_VERTICES; ++i)
    {
        const unsigned char *at = bytes + head + 24 * (i / 3) + 4 * (i % 3);
        CHECK(float_at(at) == (float)moment_at(4)->vertex[i]);
        CHECK(float_at(at + 12) == (float)moment_at(4)->vertex_velocity[i]);
    }
    for (int i = 0; i < 36; ++i)
        CHECK(word_at(bytes + head + 9 * 24 + 13 * (i / 3) + 1 + 4 * (i % 3)) == (uint32_t)cube_triangles[i]);
    free(bytes);
    bytes = slurp("out/sheet-2_000003.ply", &size);
    head = strlen(PLY_SHEET);
    CHECK(size == head + 4 * 44 + 2 * 13 && memcmp(bytes, PLY_SHEET, head) == 0);
    CHECK(float_at(bytes + head + 28) == 2 && float_at(bytes + head + 44 + 36) == 1 &&
          float_at(bytes + head + 44 + 40) == 0);
    CHECK(bytes[head + 4 * 44] == 3);
    free(bytes);
    CHECK(clear("out") == 2 * FRAMES);
}

static void fewer_uvs_than_vertices(moment *m, int32_t index)
{
    (void)index;
    m->body[1].triangle_count = 1; // 0, 2, 1 of both
    m->body[1].uv_count = 3;
}

static void ply_has_texture_coordinates_of_all_vertices_or_none(void)
{
    size_t size;
    export_as(PL_EXPORT_PLY, 1, fewer_uvs_than_vertices);
    unsigned char *bytes = slurp("out/sheet-2_000003.ply", &size);
    CHECK(strstr((char *)bytes, "property float nz\nelement face 1\n"));
    free(bytes);
    CHECK(clear("out") == 2);
}

static void obj_leaves_out_what_no_triangle_uses(void)
{
    size_t size;
    pl_context *ctx = test_context(1);
    pl_surface *surface;
    export_as(PL_EXPORT_OBJ, FRAMES, NULL);
    CHECK_OK(ctx, pl_surface_load(ctx, in_place("out/block_000007.obj"), &surface));
    CHECK(pl_surface_node_count(surface) == 8 && pl_surface_triangle_count(surface) == 12);
    for (int i = 0; i < 24; ++i)
        CHECK(pl_surface_positions(surface)[i] == moment_at(4)->vertex[3 + i]);
    for (int i = 0; i < 36; ++i)
        CHECK(pl_surface_triangles(surface)[i] == cube_triangles[i] - 1);
    pl_surface_destroy(&surface);
    pl_context_destroy(&ctx);
    unsigned char *bytes = slurp("out/block_000003.obj", &size);
    CHECK(count_text(bytes, "vt ") == 24);
    CHECK(strstr((char *)bytes, "g left_side\nf 1/1 5/2 7/3\nf 1/1 7/3 3/4\ng rest\nf 2/5 "));
    CHECK(count_text(bytes, "\ng ") == 3 && strstr((char *)bytes, "\ng default\nf 5/21 "));
    free(bytes);
    CHECK(clear("out") == 2 * FRAMES);
}

static void name_groups_oddly(moment *m, int32_t index)
{
    static const char *const names[2] = {"a #1", "C:\\"};
    (void)index;
    m->body[0].group_names = names;
}

static void obj_groups_survive_odd_names(void)
{
    size_t size;
    export_as(PL_EXPORT_OBJ, 1, name_groups_oddly);
    unsigned char *bytes = slurp("out/block_000003.obj", &size);
    CHECK(strstr((char *)bytes, "\ng a__1\nf ") && strstr((char *)bytes, "\ng C:_\nf "));
    free(bytes);
    CHECK(clear("out") == 2);
}

static const unsigned char *find(const unsigned char *bytes, size_t size, const char *what)
{
    size_t length = strlen(what);
    for (size_t i = 0; i + length <= size; ++i)
        if (memcmp(bytes + i, what, length) == 0)
            return bytes + i;
    CHECK_THAT(false, "'%s' is not in the file", what);
    return bytes;
}

// The block of an array of a .vtu; its size is checked.
static const unsigned char *vtu_block(const unsigned char *bytes, size_t size, const char *name, size_t block)
{
    char text[64];
    snprintf(text, sizeof text, "Name=\"%s\"", name);
    const char *head = (const char *)find(bytes, size, text);
    size_t offset = strtoul(strstr(head, "offset=\"") + 8, NULL, 10);
    const unsigned char *at = find(bytes, size, "<AppendedData encoding=\"raw\">\n_") + 31 + offset;
    CHECK_THAT(word_at(at) == block && word_at(at + 4) == 0, "%s: %u bytes", name, word_at(at));
    return at + 8;
}

static void vtu_blocks_lie_where_the_head_says(void)
{
    size_t size;
    export_as(PL_EXPORT_VTU, FRAMES, NULL);
    unsigned char *bytes = slurp("out/block_000007.vtu", &size);
    const unsigned char *points = vtu_block(bytes, size, "points", 192),
                        *moved = vtu_block(bytes, size, "displacement", 192);
    const unsigned char *cells = vtu_block(bytes, size, "connectivity", 96),
                        *ends = vtu_block(bytes, size, "offsets", 48);
    const unsigned char *kinds = vtu_block(bytes, size, "types", 6), *stress = vtu_block(bytes, size, "stress", 432);
    for (int i = 0; i < 24; ++i)
    {
        CHECK(double_at(points + 8 * i) == moment_at(4)->node[i]);
        CHECK(double_at(moved + 8 * i) == moment_at(4)->node[i] - cube_rest[i]);
        CHECK(word_at(cells + 4 * i) == (uint32_t)cube_tets[i]);
    }
    for (int i = 0; i < 6; ++i)
        CHECK(word_at(ends + 8 * i) == 4u * (unsigned)(i + 1) && kinds[i] == 10);
    CHECK(double_at(stress + 8 * 53) == moment_at(4)->stress[53]);
    free(bytes);
    bytes = slurp("out/sheet-2_000003.vtu", &size);
    CHECK(vtu_block(bytes, size, "types", 2)[1] == 5);
    CHECK(double_at(vtu_block(bytes, size, "velocity", 96) + 16) == 1);
    free(bytes);
    bytes = slurp("out/animation.pvd", &size);
    CHECK(count_text(bytes, "<DataSet ") == 2 * FRAMES);
    CHECK(strstr(
        (char *)bytes,
        "<DataSet timestep=\"0.125\" group=\"sheet-2\" part=\"1\" name=\"sheet-2\" file=\"sheet-2_000003.vtu\"/>"));
    free(bytes);
    CHECK(clear("out") == 2 * FRAMES + 1);
}

static const int32_t one_hex[8] = {0, 1, 3, 2, 4, 5, 7, 6}, two_triangles[6] = {0, 1, 3, 0, 3, 2};

static void as_hex(moment *m, int32_t index)
{
    (void)index;
    m->body[0].cell_kind = PL_ELEMENT_HEX;
    m->body[0].cell_count = 1;
    m->body[0].cells = one_hex;
}

static void as_shell(moment *m, int32_t index)
{
    (void)index;
    m->body[0].cell_kind = PL_ELEMENT_TRIANGLE;
    m->body[0].cell_count = 2;
    m->body[0].cells = two_triangles;
}

// Cells of other kinds, with their numbers of corners and VTK's of their types.
static void vtu_knows_hexahedra_and_triangles(void)
{
    size_t size;
    export_as(PL_EXPORT_VTU, FRAMES, as_hex);
    unsigned char *bytes = slurp("out/block_000007.vtu", &size);
    const unsigned char *cells = vtu_block(bytes, size, "connectivity", 32);
    for (int i = 0; i < 8; ++i)
        CHECK(word_at(cells + 4 * i) == (uint32_t)one_hex[i]);
    CHECK(vtu_block(bytes, size, "types", 1)[0] == 12 && word_at(vtu_block(bytes, size, "offsets", 8)) == 8);
    CHECK(double_at(vtu_block(bytes, size, "stress", 72) + 8 * 5) == moment_at(4)->stress[5]);
    free(bytes);
    (void)clear("out");
    export_as(PL_EXPORT_VTU, FRAMES, as_shell);
    bytes = slurp("out/block_000007.vtu", &size);
    CHECK(word_at(vtu_block(bytes, size, "connectivity", 24) + 20) == 2 && vtu_block(bytes, size, "types", 2)[1] == 5);
    CHECK(double_at(vtu_block(bytes, size, "points", 192) + 8 * 23) == moment_at(4)->node[23]);
    free(bytes);
    (void)clear("out");
    export_as(PL_EXPORT_NPY, FRAMES, as_hex);
    bytes = slurp("out/block_hexes.npy", &size);
    CHECK(word_at(bytes + size - 4) == 6);
    free(bytes);
    (void)clear("out");
    export_as(PL_EXPORT_NPY, FRAMES, as_shell);
    bytes = slurp("out/block_node_triangles.npy", &size);
    CHECK(word_at(bytes + size - 4) == 2);
    free(bytes);
    (void)clear("out");
}

static void pc2_matches_its_obj(void)
{
    size_t size;
    export_as(PL_EXPORT_PC2, FRAMES, NULL);
    unsigned char *bytes = slurp("out/block.pc2", &size);
    CHECK(size == 32 + FRAMES * 8 * 12 && memcmp(bytes, "POINTCACHE2\0\1\0\0\0\10\0\0\0", 20) == 0);
    CHECK(float_at(bytes + 20) == FIRST_NUMBER && float_at(bytes + 24) == 1 && word_at(bytes + 28) == FRAMES);
    for (int f = 0; f < FRAMES; ++f)
        for (int i = 0; i < 24; ++i)
            CHECK(float_at(bytes + 32 + 4 * (24 * f + i)) == (float)moment_at(f)->vertex[3 + i]);
    free(bytes);
    pl_context *ctx = test_context(1);
    pl_surface *surface;
    CHECK_OK(ctx, pl_surface_load(ctx, in_place("out/block.obj"), &surface));
    CHECK(pl_surface_node_count(surface) == 8 && pl_surface_positions(surface)[23] == moment_at(0)->vertex[26]);
    pl_surface_destroy(&surface);
    pl_context_destroy(&ctx);
    CHECK(clear("out") == 4);
}

static void every_third(moment *m, int32_t index)
{
    m->frame.number = 6 + 3 * index;
    m->frame.time = m->frame.number / FPS;
}

static void pc2_counts_the_frames_between_samples(void)
{
    size_t size;
    export_as(PL_EXPORT_PC2, FRAMES, every_third);
    unsigned char *bytes = slurp("out/sheet-2.pc2", &size);
    CHECK(float_at(bytes + 20) == 6 && float_at(bytes + 24) == 3);
    free(bytes);
    CHECK(clear("out") == 4);
}

static const unsigned char *npy_data(const unsigned char *bytes, size_t size, const char *dictionary, size_t data)
{
    size_t head = 10 + bytes[8] + 256u * bytes[9];
    CHECK(memcmp(bytes, "\x93NUMPY\1\0", 8) == 0 && head % 64 == 0 && bytes[head - 1] == '\n');
    CHECK_THAT(memcmp(bytes + 10, dictionary, strlen(dictionary)) == 0, "%.*s", (int)head - 10, bytes + 10);
    CHECK(size == head + data);
    return bytes + head;
}

static void npy_has_the_shape_it_says(void)
{
    size_t size;
    export_as(PL_EXPORT_NPY, FRAMES, NULL);
    unsigned char *bytes = slurp("out/block_positions.npy", &size);
    const unsigned char *data =
        npy_data(bytes, size, "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 9, 3), } ", FRAMES * 9 * 24);
    for (int f = 0; f < FRAMES; ++f)
        for (int i = 0; i < 27; ++i)
            CHECK(double_at(data + 8 * (27 * f + i)) == moment_at(f)->vertex[i]);
    free(bytes);
    bytes = slurp("out/block_tets.npy", &size);
    data = npy_data(bytes, size, "{'descr': '<i4', 'fortran_order': False, 'shape': (6, 4), } ", 96);
    CHECK(word_at(data + 4 * 5) == (uint32_t)cube_tets[5]);
    free(bytes);
    bytes = slurp("out/block_temperature.npy", &size);
    data = npy_data(bytes, size, "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 8), } ", FRAMES * 64);
    CHECK(double_at(data + 8 * 39) == moment_at(4)->temperature[7]);
    free(bytes);
    CHECK(clear("out") == 6 + 4 + 3);
}

// ---- USD -------------------------------------------------------------------------------------------------------

// The first velocity of the first body, by a movie that shows so many simulated seconds per second.
static void first_velocity(double time_scale, double v[3])
{
    pl_context *ctx = test_context(1);
    animation a;
    size_t size;
    start_animation(&a, FRAMES);
    a.source.time_scale = time_scale;
    CHECK_OK(ctx, pl_export(ctx, PL_EXPORT_USD, in_place("out"), &a.source));
    unsigned char *bytes = slurp("out/animation.usda", &size);
    const char *at = strstr((char *)bytes, "velocities.timeSamples");
    at = at ? strchr(at, '(') : NULL;
    CHECK(at && sscanf(at, "(%lf, %lf, %lf)", &v[0], &v[1], &v[2]) == 3);
    free(bytes);
    clear("out");
    forget(&a);
    pl_context_destroy(&ctx);
}

// A slow motion shows things move slower: velocities go with its points, per second of the movie.
static void usd_velocities_are_those_of_the_movie(void)
{
    double plain[3], slow[3], zero[3];
    first_velocity(1, plain);
    first_velocity(0.25, slow);
    first_velocity(0, zero);
    CHECK(plain[0] != 0 || plain[1] != 0 || plain[2] != 0);
    for (int i = 0; i < 3; ++i)
    {
        CHECK_NEAR(slow[i], 0.25 * plain[i], 1e-6 * fabs(plain[i]));
        CHECK(zero[i] == plain[i]);
    }
}

static void usd_is_constant_where_nothing_changes(void)
{
    size_t size;
    export_as(PL_EXPORT_USD, FRAMES, NULL);
    unsigned char *bytes = slurp("out/animation.usda", &size);
    const char *text = (char *)bytes;
    CHECK(strncmp(text, "#usda 1.0\n(\n", 12) == 0);
    CHECK(strstr(text, "startTimeCode = 3\n") && strstr(text, "endTimeCode = 7\n") &&
          strstr(text, "timeCodesPerSecond = 24\n"));
    CHECK(strstr(text, "upAxis = \"Y\"") && strstr(text, "metersPerUnit = 1\n"));
    CHECK(strstr(text, "def Mesh \"block\"\n") && strstr(text, "def Mesh \"sheet_2\"\n"));
    CHECK(count_text(bytes, "points.timeSamples") == 2 && count_text(bytes, "velocities.timeSamples") == 2);
    CHECK(count_text(bytes, "normals.timeSamples") == 1 && count_text(bytes, "extent.timeSamples") == 2);
    CHECK(count_text(bytes, "int[] faceVertexIndices = [") == 2 &&
          count_text(bytes, "texCoord2f[] primvars:st = [") == 2);
    CHECK(strstr(text, "def GeomSubset \"left_side\"") && strstr(text, "int[] indices = [0, 1]\n"));
    CHECK(strstr(text, "        3: [(-2, -0.015625, 0.125), (-1, -0.015625, 0.125), "));
    CHECK(count_text(bytes, "{") == count_text(bytes, "}") && count_text(bytes, "(") == count_text(bytes, ")"));
    CHECK(count_text(bytes, "[") == count_text(bytes, "]"));
    free(bytes);
    CHECK(clear("out") == 1);
}

static void cut_a_triangle(moment *m, int32_t index) { m->body[1].triangle_count = index < 2 ? 2 : 1; }

// For one frame, and only their order.
static void turn_triangles(moment *m, int32_t index)
{
    static const int32_t turned[6] = {0, 1, 2, 0, 2, 3};
    m->body[1].triangles = index == 2 ? turned : sheet_triangles;
}

static void usd_follows_a_surface_that_changes(void)
{
    size_t size;
    export_as(PL_EXPORT_USD, FRAMES, cut_a_triangle);
    unsigned char *bytes = slurp("out/animation.usda", &size);
    CHECK(count_text(bytes, "faceVertexIndices = ") == 1 && count_text(bytes, "faceVertexIndices.timeSamples") == 1);
    CHECK(count_text(bytes, ": [0, 2, 1, 0, 3, 2],\n") == 4 &&
          count_text(bytes, ": [0, 2, 1],\n") == 6); // also of texture coordinates
    CHECK(count_text(bytes, ": [3, 3],\n") == 2 && count_text(bytes, ": [3],\n") == 3);
    free(bytes);
    CHECK(clear("out") == 1);
    export_as(PL_EXPORT_USD, FRAMES, turn_triangles);
    bytes = slurp("out/animation.usda", &size);
    CHECK(count_text(bytes, "faceVertexIndices.timeSamples") == 1 && count_text(bytes, ": [0, 1, 2, 0, 2, 3],\n") == 1);
    free(bytes);
    CHECK(clear("out") == 1);
}

static void name_groups_alike(moment *m, int32_t index)
{
    static const char *const names[4] = {"a b", "a-b", "a_b_1", "7"};
    (void)index;
    m->body[0].group_count = 4;
    m->body[0].group_names = names;
}

static void usd_names_are_unique_identifiers(void)
{
    size_t size;
    export_as(PL_EXPORT_USD, 1, name_groups_alike);
    unsigned char *bytes = slurp("out/animation.usda", &size);
    CHECK(count_text(bytes, "def GeomSubset \"a_b\"") == 1 && count_text(bytes, "def GeomSubset \"a_b_1\"") == 1);
    CHECK(count_text(bytes, "def GeomSubset \"a_b_1_\"") == 1 && count_text(bytes, "def GeomSubset \"_7\"") == 1);
    free(bytes);
    CHECK(clear("out") == 1);
}

// ---- glTF ------------------------------------------------------------------------------------------------------

static void check_chunks(const unsigned char *bytes, size_t size, bool buffer)
{
    CHECK(memcmp(bytes, "glTF\2\0\0\0", 8) == 0 && word_at(bytes + 8) == size && size % 4 == 0);
    uint32_t json = word_at(bytes + 12);
    CHECK(memcmp(bytes + 16, "JSON{", 5) == 0 && json % 4 == 0 && 20 + json <= size);
    if (buffer)
        CHECK(memcmp(bytes + 24 + json, "BIN\0", 4) == 0 && word_at(bytes + 20 + json) == size - 28 - json);
    else
        CHECK(size == 20 + json);
}

// 4 items per triangle, base and targets: the first body has 24 vertices (8 of 3 faces each), the second 4.
static void glb_splits_seams_and_fills_its_chunks(void)
{
    size_t size;
    export_as(PL_EXPORT_GLB, FRAMES, NULL);
    unsigned char *bytes = slurp("out/animation.glb", &size);
    check_chunks(bytes, size, true);
    size_t first = 36 + 72 + 48 + 6 + 12 + 12 + 8, target = 72 + 12 + 12, animated = FRAMES + FRAMES * (FRAMES - 1);
    CHECK(size - 28 - word_at(bytes + 12) == 4 * (first + (FRAMES - 1) * target + animated));
    CHECK(count_text(bytes + 20, "\"targets\":[") == 2 && count_text(bytes + 20, "\"weights\":[0,0,0,0]") == 2);
    const unsigned char *weights = bytes + size - 4 * FRAMES * (FRAMES - 1);
    for (int f = 0; f < FRAMES; ++f)
        for (int t = 0; t < FRAMES - 1; ++t)
            CHECK(float_at(weights + 4 * ((FRAMES - 1) * f + t)) == (f == t + 1));
    free(bytes);
    CHECK(clear("out") == 1);
}

static void without_bodies(moment *m, int32_t index)
{
    (void)index;
    m->frame.body_count = 0;
}

static void without_triangles(moment *m, int32_t index)
{
    (void)index;
    m->body[0].triangle_count = m->body[0].vertex_count = m->body[0].node_count = m->body[0].cell_count =
        m->body[0].field_count = 0;
    m->body[1].triangle_count = 0;
}

static void empty_scenes_are_fine_in_every_format(void)
{
    size_t size;
    for (int format = 0; pl_export_format_name((pl_export_format)format); ++format)
        for (int frames = 1; frames <= 2; ++frames)
        {
            export_as((pl_export_format)format, frames, without_bodies);
            CHECK(clear("out") >= 0);
            export_as((pl_export_format)format, frames, without_triangles);
            CHECK(clear("out") >= 0);
            export_as((pl_export_format)format, frames, NULL);
            CHECK(clear("out") >= 0);
        }
    export_as(PL_EXPORT_GLB, 2, without_triangles);
    unsigned char *bytes = slurp("out/animation.glb", &size);
    check_chunks(bytes, size, false);
    CHECK(!strstr((char *)bytes + 20, "accessors") && !strstr((char *)bytes + 20, "animations"));
    free(bytes);
    CHECK(clear("out") == 1);
}

// ---- points ----------------------------------------------------------------------------------------------------

static const double some_radii[SHEET_VERTICES] = {0.5, 0, 0.25, 0.125};

// The sheet as points, one less in each frame.
static void of_points(moment *m, int32_t index)
{
    m->body[1].triangle_count = m->body[1].uv_count = 0;
    m->body[1].normals = NULL;
    m->body[1].radii = some_radii;
    m->body[1].vertex_count = SHEET_VERTICES - index;
}

static void ply_points_have_radii_and_no_faces(void)
{
    size_t size;
    export_as(PL_EXPORT_PLY, 2, of_points);
    unsigned char *bytes = slurp("out/sheet-2_000004.ply", &size);
    CHECK(strstr((char *)bytes, "element vertex 3\n") && !strstr((char *)bytes, "face"));
    CHECK(strstr((char *)bytes, "property float vz\nproperty float radius\nend_header\n"));
    const unsigned char *data = find(bytes, size, "end_header\n") + 11;
    CHECK(size == (size_t)(data - bytes) + 3 * 28);
    CHECK(float_at(data + 24) == 0.5f && float_at(data + 2 * 28 + 24) == 0.25f && float_at(data + 20) == 1);
    free(bytes);
    CHECK(clear("out") == 4);
}

static void vtu_points_are_cells(void)
{
    size_t size;
    export_as(PL_EXPORT_VTU, 2, of_points);
    unsigned char *bytes = slurp("out/sheet-2_000003.vtu", &size);
    CHECK(strstr((char *)bytes, "NumberOfPoints=\"4\" NumberOfCells=\"4\""));
    const unsigned char *radius = vtu_block(bytes, size, "radius", 32), *kind = vtu_block(bytes, size, "types", 4),
                        *cells = vtu_block(bytes, size, "connectivity", 16),
                        *speed = vtu_block(bytes, size, "velocity", 96);
    for (int i = 0; i < 4; ++i)
        CHECK(double_at(radius + 8 * i) == some_radii[i] && kind[i] == 1 && word_at(cells + 4 * i) == (uint32_t)i &&
              double_at(speed + 24 * i + 16) == 1);
    free(bytes);
    CHECK(clear("out") == 5);
}

static void usd_has_points_with_widths(void)
{
    size_t size;
    export_as(PL_EXPORT_USD, 2, of_points);
    unsigned char *bytes = slurp("out/animation.usda", &size);
    const char *points = strstr((char *)bytes, "def Points \"sheet_2\"");
    CHECK(points && !strstr(points, "faceVertexCounts") && strstr(points, "vector3f[] velocities.timeSamples"));
    CHECK(points && strstr(points, "float[] widths.timeSamples = {\n            3: [1, 0, 0.5, 0.25],\n"
                                   "            4: [1, 0, 0.5],\n"));
    CHECK(points && strstr(points, "extent.timeSamples = {\n            3: [(-2.5, -0.515625, -0.375), ("));
    free(bytes);
    CHECK(clear("out") == 1);
}

static void obj_has_points_as_elements(void)
{
    size_t size;
    export_as(PL_EXPORT_OBJ, 2, of_points);
    unsigned char *bytes = slurp("out/sheet-2_000004.obj", &size);
    CHECK(count_text(bytes, "v ") == 3 && count_text(bytes, "p ") == 3 && strstr((char *)bytes, "\np 3\n"));
    free(bytes);
    CHECK(clear("out") == 4);
}

// Formats with one mesh for all frames take points that stay as many.
static void as_many_points(moment *m, int32_t index)
{
    (void)index;
    of_points(m, 0);
}

static void npy_has_radii_of_points(void)
{
    size_t size;
    export_as(PL_EXPORT_NPY, 2, as_many_points);
    unsigned char *bytes = slurp("out/sheet-2_radii.npy", &size);
    CHECK(strstr((char *)bytes + 10, "'shape': (2, 4)") && size == 128 + 64 && double_at(bytes + 128) == 0.5);
    free(bytes);
    CHECK(clear("out") > 0);
    export_as(PL_EXPORT_GLB, 2, as_many_points);
    CHECK(clear("out") == 1);
    export_as(PL_EXPORT_PC2, 2, as_many_points);
    CHECK(clear("out") > 0);
}

// ---- faults ----------------------------------------------------------------------------------------------------

// What the export of FRAMES frames spoiled by `spoil` says, and nothing is left but whole files.
static void expect_refusal(pl_export_format format, void (*spoil)(moment *, int32_t), const char *sentence)
{
    pl_context *ctx = test_context(1);
    animation a;
    start_animation(&a, FRAMES);
    a.spoil = spoil;
    pl_status status = pl_export(ctx, format, in_place("out"), &a.source);
    CHECK_THAT(status == PL_ERR_ARGUMENT && strstr(pl_context_error(ctx), sentence), "%s: '%s', not '%s'",
               pl_status_name(status), pl_context_error(ctx), sentence);
    CHECK(pl_context_memory(ctx) == 0);
    forget(&a);
    pl_context_destroy(&ctx);
    clear("out");
}

#define SPOILER(name, change)                                                                                          \
    static void name(moment *m, int32_t index)                                                                         \
    {                                                                                                                  \
        (void)index;                                                                                                   \
        change;                                                                                                        \
    }

static const int32_t bad_triangles[36] = {1, 2, 9}, bad_tets[24] = {0, 1, 2, -1}, bad_uvs[36] = {24},
                     bad_groups[12] = {0, 2};
static const char *const bad_names[2] = {"fine", "a\nb"};
SPOILER(no_name, m->body[1].name = NULL)
SPOILER(bad_name, m->body[1].name = "a/b")
SPOILER(long_name, m->body[1].name = "0123456789012345678901234567890123456789012345678901234567890123")
SPOILER(same_name, m->body[1].name = "block")
SPOILER(bad_triangle, m->body[0].triangles = bad_triangles)
SPOILER(no_triangles, m->body[0].triangles = NULL)
SPOILER(bad_vertex, m->vertex[7] = NAN)
SPOILER(huge_vertex, m->vertex[7] = 1e31)
SPOILER(bad_velocity, m->node_velocity[23] = INFINITY)
SPOILER(bad_normal, m->sheet_normal[0] = NAN)
SPOILER(solid_points, m->body[1].radii = some_radii)
SPOILER(bad_radius, (as_many_points(m, 0), m->sheet_normal[2] = -1, m->body[1].radii = m->sheet_normal))
SPOILER(bad_tet, m->body[0].cells = bad_tets)
SPOILER(bad_cell_kind, m->body[0].cell_kind = (pl_element_kind)5)
SPOILER(no_nodes, m->body[0].nodes = NULL)
SPOILER(bad_uv, m->body[0].triangle_uvs = bad_uvs)
SPOILER(bad_group, m->body[0].triangle_groups = bad_groups)
SPOILER(bad_group_name, m->body[0].group_names = bad_names)
SPOILER(bad_field, m->field[2].values = (m->temperature[3] = NAN, m->temperature))
SPOILER(bad_components, m->field[1].components = 6)
SPOILER(taken_field, m->field[1].name = "velocity")
SPOILER(twice_a_field, m->field[1].name = "J")
SPOILER(fields_without_nodes, (m->body[0].node_count = m->body[0].cell_count = 0))
SPOILER(negative_count, m->body[0].uv_count = -1)
SPOILER(bad_color, m->body[1].color[2] = 1.5)
SPOILER(bad_number, m->frame.number = -1)
SPOILER(bad_time, m->frame.time = NAN)
SPOILER(stuck_number, m->frame.number = 3)
SPOILER(stuck_time, m->frame.time = index < 3 ? index : 1)
SPOILER(no_bodies_there, m->frame.bodies = NULL)

static void every_fault_of_a_frame_is_named(void)
{
    static const struct
    {
        void (*spoil)(moment *, int32_t);
        const char *sentence;
    } faults[] = {
        {no_name, "frame 0: body 1: '' is no name"},
        {bad_name, "frame 0: body 1: 'a/b' is no name; allowed are 1 to 63 letters, digits, _ and -"},
        {long_name, "is no name"},
        {same_name, "two bodies are called 'block'"},
        {bad_triangle, "frame 0: body 'block': triangle 0: vertex 9 is out of range, allowed is 0 to 8"},
        {no_triangles, "the indices of its 12 triangles are missing"},
        {bad_vertex, "body 'block': vertex 2 is nan"},
        {huge_vertex, "body 'block': vertex 2 is 1e+31, allowed is what is finite and within 1e+30"},
        {bad_velocity, "node velocity 7 is inf"},
        {bad_normal, "body 'sheet-2': normal 0 is nan"},
        {solid_points, "it has radii, of points, but 2 triangles and 0 nodes"},
        {bad_radius, "body 'sheet-2': radius 2 is -1, allowed is 0 to 1e+30"},
        {bad_cell_kind, "cell_kind is 5, allowed is 0 to 2"},
        {bad_tet, "tetrahedron 0: node -1 is out of range, allowed is 0 to 7"},
        {no_nodes, "8 are counted, but the array of each node is missing"},
        {bad_uv, "triangle 0: texture coordinate 24 is out of range, allowed is 0 to 23"},
        {bad_group, "triangle 1: group 2 is out of range, allowed is -1 to 1"},
        {bad_group_name, "the name of group 1 is missing or has control characters"},
        {bad_field, "temperature 3 is nan"},
        {bad_components, "field 'stress' has 6 components, allowed are 1, 3 and 9"},
        {taken_field, "a field must not be called 'velocity'"},
        {twice_a_field, "two fields are called 'J'"},
        {fields_without_nodes, "it has 4 fields, but no nodes"},
        {negative_count, "uv_count is -1"},
        {bad_color, "color[2] is 1.5, allowed is 0 to 1"},
        {bad_number, "its number is -1"},
        {bad_time, "its time is nan"},
        {stuck_number, "frame 1 has the number 3, which must be above 3"},
        {stuck_time, "frame 3 is at 1 s, which must be after 2 s"},
        {no_bodies_there, "body_count is 2, but bodies is NULL"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i)
        for (int format = 0; pl_export_format_name((pl_export_format)format); ++format)
            expect_refusal((pl_export_format)format, faults[i].spoil, faults[i].sentence);
}

SPOILER(lose_a_body, m->frame.body_count = index == 2 ? 1 : 2)
SPOILER(swap_names, m->body[1].name = index == 2 ? "other" : "sheet-2")
SPOILER(lose_velocities, m->body[0].vertex_velocities = index == 3 ? NULL : m->vertex_velocity)
SPOILER(lose_a_field, m->body[0].field_count = index == 2 ? 3 : 4)
SPOILER(uneven, m->frame.number = index * index)

static void one_mesh_for_all_frames_needs_it_unchanged(void)
{
    const pl_export_format strict[] = {PL_EXPORT_PC2, PL_EXPORT_GLB, PL_EXPORT_NPY};
    for (int i = 0; i < 3; ++i)
    {
        expect_refusal(strict[i], cut_a_triangle,
                       "frame 2: body 'sheet-2' has 4 vertices and 1 triangles, but 4 and 2 in frame 0");
        expect_refusal(strict[i], turn_triangles, "frame 2: body 'sheet-2' has other triangles");
        expect_refusal(strict[i], lose_a_field, "frame 2: body 'block' has other nodes, cells or fields");
    }
    const pl_export_format whole[] = {PL_EXPORT_PC2, PL_EXPORT_GLB, PL_EXPORT_NPY, PL_EXPORT_USD};
    for (int i = 0; i < 4; ++i)
    {
        expect_refusal(whole[i], lose_a_body, "frame 2 has 1 bodies, but frame 0 has 2");
        expect_refusal(whole[i], swap_names, "frame 2: body 'other' stands where 'sheet-2' was");
        expect_refusal(whole[i], lose_velocities, "frame 3: body 'block' has no velocities, unlike in frame 0");
    }
    expect_refusal(PL_EXPORT_PC2, uneven, "frame 2 has the number 4, but pc2 needs even distances");
    for (int i = 0; i < 4; ++i) // a sequence takes what comes
    {
        const pl_export_format sequence[] = {PL_EXPORT_PLY, PL_EXPORT_OBJ, PL_EXPORT_VTU, PL_EXPORT_USD};
        export_as(sequence[i], FRAMES, cut_a_triangle);
        clear("out");
        export_as(sequence[i], FRAMES, turn_triangles);
        clear("out");
    }
}

SPOILER(crowd, m->frame.time = index * 1e-3)
SPOILER(nearly_at_once, m->frame.time = index == 0 ? 0 : 1 + index * 0x1p-40)

static void glb_says_what_it_cannot_hold(void)
{
    pl_context *ctx = test_context(1);
    animation a;
    start_animation(&a, 301);
    a.spoil = crowd;
    CHECK(pl_export(ctx, PL_EXPORT_GLB, in_place("out"), &a.source) == PL_ERR_ARGUMENT);
    CHECK(strstr(pl_context_error(ctx), "301 frames are too many for glb") && a.reads == 0 && clear("out") == -1);
    a.source.frame_count = 300;
    CHECK_OK(ctx, pl_export(ctx, PL_EXPORT_GLB, in_place("out"), &a.source));
    CHECK(a.reads == 601 && clear("out") == 1);
    forget(&a);
    pl_context_destroy(&ctx);
    expect_refusal(PL_EXPORT_GLB, nearly_at_once, "frame 2 is at 1 s, which 32 bits cannot tell from the one before");
}

SPOILER(clash, (m->body[1] = m->body[0], m->body[1].name = "block_J", m->body[1].field_count = 0,
                m->body[0].field_count = 1, m->field[0].name = "J_nodes"))

static void npy_files_do_not_overwrite_each_other(void)
{
    expect_refusal(PL_EXPORT_NPY, clash, "give the same file block_J_nodes.npy");
}

// One leaf: the cube is voxel 0, the tall cell the voxels (1, 0..2, 0), that is 64, 72 and 80. The last block of the
// file is that of the vectors, before it there is their tree; the level set is outside beyond the cells.
static void grids_are_trees_of_voxels(void)
{
    size_t size;
    export_as(PL_EXPORT_VDB, 1, of_cubes);
    unsigned char *bytes = slurp("out/block_000003.vdb", &size);
    const unsigned char *leaf = bytes + size - 64 - 1 - 512 * 12, *values = leaf + 65;
    CHECK(size > 300000 && memcmp(bytes, " BDV\0\0\0\0", 8) == 0 && word_at(bytes + 8) == 224);
    CHECK(word_at(leaf) == 1 && word_at(leaf + 8) == (1 | 1 << 8 | 1 << 16) && leaf[64] == 6);
    for (int k = 0; k < 3; ++k)
    {
        CHECK(float_at(values + 4 * k) == 1 + k && float_at(values + 12 + 4 * k) == 0);
        for (int row = 0; row < 3; ++row)
            CHECK(float_at(values + 12 * (64 + 8 * row) + 4 * k) == 4 + k);
    }
    const unsigned char *map = NULL;
    for (size_t i = 0; i + 24 < size && !map; ++i)
        map = memcmp(bytes + i, "UniformScaleTranslateMap", 24) == 0 ? bytes + i + 24 : NULL;
    CHECK(map && double_at(map) == -0.75 && double_at(map + 8) == 0.25 && double_at(map + 16) == 2.25 &&
          double_at(map + 24) == 0.5);
    CHECK(map && word_at(map + 144) == 1 && float_at(map + 148) == 0.25f && word_at(map + 156) == 1);
    free(bytes);
    CHECK(clear("out") == 1);
    export_as(PL_EXPORT_VDB, 1, NULL); // bodies that are no grids are left out
    CHECK(clear("out") <= 0);
}

static void arguments_are_checked(void)
{
    pl_context *ctx = test_context(1);
    animation a;
    start_animation(&a, 0);
    char far[5000];
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = 0;
    CHECK(pl_export(ctx, PL_EXPORT_PLY, in_place("out"), &a.source) == PL_ERR_ARGUMENT);
    CHECK(strstr(pl_context_error(ctx), "frame_count is 0"));
    a.source.frame_count = 1;
    CHECK(pl_export(ctx, (pl_export_format)8, in_place("out"), &a.source) == PL_ERR_ARGUMENT);
    CHECK(pl_export(ctx, PL_EXPORT_PLY, "", &a.source) == PL_ERR_ARGUMENT);
    CHECK(pl_export(ctx, PL_EXPORT_PLY, far, &a.source) == PL_ERR_ARGUMENT);
    far[4090] = 0;
    CHECK(pl_export(ctx, PL_EXPORT_PLY, far, &a.source) == PL_ERR_FILE);
    CHECK(pl_export(ctx, PL_EXPORT_PLY, in_place("out"), NULL) == PL_ERR_ARGUMENT);
    a.source.fps = 0;
    CHECK(pl_export(ctx, PL_EXPORT_PLY, in_place("out"), &a.source) == PL_ERR_ARGUMENT);
    CHECK(clear("out") == -1);
    pl_context_destroy(&ctx);
}

// ---- failures --------------------------------------------------------------------------------------------------

static void a_source_that_fails_is_reported(void)
{
    for (int format = 0; pl_export_format_name((pl_export_format)format); ++format)
        for (int at = 0; at < FRAMES; ++at)
        {
            pl_context *ctx = test_context(1);
            animation a;
            start_animation(&a, FRAMES);
            a.fail_at = at;
            a.fail_with = PL_ERR_STATE;
            CHECK(pl_export(ctx, (pl_export_format)format, in_place("out"), &a.source) == PL_ERR_STATE);
            CHECK_THAT(strstr(pl_context_error(ctx), "could not be read: PL_ERR_STATE"), "%s", pl_context_error(ctx));
            CHECK(pl_context_memory(ctx) == 0);
            int files = clear("out");
            bool sequence = format == PL_EXPORT_PLY || format == PL_EXPORT_VTU || format == PL_EXPORT_OBJ;
            CHECK_THAT(sequence ? files == 2 * at || (at == 0 && files == -1) : files <= 2, "%s: %d files",
                       pl_export_format_name((pl_export_format)format), files);
            forget(&a);
            pl_context_destroy(&ctx);
        }
}

// A source with a sentence of its own is quoted; an older sentence is not.
static pl_status read_with_a_sentence(void *user, int32_t index, const pl_frame **frame)
{
    pl_export_format format;
    (void)index;
    *frame = NULL;
    return pl_export_format_find(user, "zip", &format);
}

static pl_status read_without_a_sentence(void *user, int32_t index, const pl_frame **frame)
{
    (void)user, (void)index, (void)frame;
    return PL_ERR_FILE;
}

static void the_sentence_is_that_of_the_source(void)
{
    pl_context *ctx = test_context(1);
    pl_frame_source source = {1, FPS, read_with_a_sentence, ctx, 0};
    CHECK(pl_export(ctx, PL_EXPORT_NPY, in_place("out"), &source) == PL_ERR_ARGUMENT);
    CHECK(strstr(pl_context_error(ctx), "there is no export format 'zip'"));
    source.read = read_without_a_sentence;
    CHECK(pl_export(ctx, PL_EXPORT_NPY, in_place("out"), &source) == PL_ERR_FILE);
    CHECK(strcmp(pl_context_error(ctx), "pl_export: frame 0 could not be read: PL_ERR_FILE") == 0);
    CHECK(clear("out") == -1);
    pl_context_destroy(&ctx);
}

static pl_export_format format_in_trial;

static pl_status attempt(pl_context *ctx)
{
    animation a;
    start_animation(&a, 3);
    a.spoil = spoil_for(format_in_trial);
    pl_status status = pl_export(ctx, format_in_trial, in_place("out"), &a.source);
    forget(&a);
    int files = clear("out");
    CHECK(status != PL_OK || files > 0);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    for (int format = 0; pl_export_format_name((pl_export_format)format); ++format)
    {
        format_in_trial = (pl_export_format)format;
        CHECK(survive_every_failure(attempt) > 2);
    }
}

static void directories_that_cannot_be(void)
{
    pl_context *ctx = test_context(1);
    animation a;
    start_animation(&a, FRAMES);
    FILE *file = fopen(in_place("file"), "w");
    CHECK(file && fclose(file) == 0);
    for (int format = 0; pl_export_format_name((pl_export_format)format); ++format)
    {
        a.spoil = spoil_for(format);
        CHECK(pl_export(ctx, (pl_export_format)format, in_place("no/such/place"), &a.source) == PL_ERR_FILE);
        CHECK(strstr(pl_context_error(ctx), "no/such/place: No such file or directory"));
        CHECK(pl_export(ctx, (pl_export_format)format, in_place("file"), &a.source) == PL_ERR_FILE);
        CHECK(strstr(pl_context_error(ctx), "file: Not a directory"));
        CHECK(pl_export(ctx, (pl_export_format)format, "/proc/self", &a.source) ==
              PL_ERR_FILE); // nothing can be made there
        if (geteuid() == 0)
            continue; // to whom nothing is read-only
        CHECK(mkdir(in_place("out"), 0555) == 0);
        CHECK(pl_export(ctx, (pl_export_format)format, in_place("out"), &a.source) == PL_ERR_FILE);
        CHECK(strstr(pl_context_error(ctx), "Permission denied") && clear("out") == 0);
    }
    unlink(in_place("file"));
    forget(&a);
    pl_context_destroy(&ctx);
}

// A file of each format leads to a device that is always full: the link stays, nothing else is torn.
static void a_full_device_is_an_error(void)
{
    static const char *const names[] = {"block_000005.ply", "block_000005.vtu", "sheet-2.pc2",      "animation.usda",
                                        "animation.glb",    "block_nodes.npy",  "block_000005.obj", "block_000005.vdb"};
    for (int format = 0; pl_export_format_name((pl_export_format)format); ++format)
    {
        pl_context *ctx = test_context(1);
        animation a;
        char link[64];
        start_animation(&a, FRAMES);
        a.spoil = spoil_for(format);
        snprintf(link, sizeof link, "out/%s", names[format]);
        CHECK(mkdir(in_place("out"), 0777) == 0 && symlink("/dev/full", in_place(link)) == 0);
        CHECK(pl_export(ctx, (pl_export_format)format, in_place("out"), &a.source) == PL_ERR_FILE);
        CHECK_THAT(strstr(pl_context_error(ctx), "/dev/full: No space left on device"), "%s", pl_context_error(ctx));
        CHECK(pl_context_memory(ctx) == 0);
        struct stat info;
        CHECK(lstat(in_place(link), &info) == 0 && S_ISLNK(info.st_mode));
        CHECK(clear("out") >= 1);
        forget(&a);
        pl_context_destroy(&ctx);
    }
}

// A disk that fills up: what is there of an earlier export stays, or is replaced by something whole.
static void a_disk_that_fills_up_tears_nothing(void)
{
    struct rlimit limit, small;
    signal(SIGXFSZ, SIG_IGN);
    for (int format = 0; pl_export_format_name((pl_export_format)format); ++format)
    {
        pl_context *ctx = test_context(1);
        animation a;
        start_animation(&a, FRAMES);
        a.spoil = spoil_for(format);
        getrlimit(RLIMIT_FSIZE, &limit);
        small = limit;
        small.rlim_cur = 150; // less than any file of the block takes
        setrlimit(RLIMIT_FSIZE, &small);
        pl_status status = pl_export(ctx, (pl_export_format)format, in_place("out"), &a.source);
        setrlimit(RLIMIT_FSIZE, &limit);
        CHECK(status == PL_ERR_FILE && strstr(pl_context_error(ctx), "File too large"));
        CHECK(clear("out") == -1);
        forget(&a);
        pl_context_destroy(&ctx);
    }
}

// Frames are asked for as often as the header says.
static void frames_are_read_as_often_as_promised(void)
{
    static const int64_t reads[] = {FRAMES, FRAMES, 0, 0, 2 * FRAMES + 1, FRAMES + 1, FRAMES, FRAMES};
    for (int format = 0; pl_export_format_name((pl_export_format)format); ++format)
    {
        pl_context *ctx = test_context(1);
        animation a;
        start_animation(&a, FRAMES);
        CHECK_OK(ctx, pl_export(ctx, (pl_export_format)format, in_place("out"), &a.source));
        CHECK_THAT(!reads[format] || a.reads == reads[format], "%s: %lld reads",
                   pl_export_format_name((pl_export_format)format), (long long)a.reads);
        clear("out");
        forget(&a);
        pl_context_destroy(&ctx);
    }
}

// More files than are open at a time.
static void many_bodies(moment *m, int32_t index)
{
    static pl_frame_body bodies[200];
    static char names[200][16];
    (void)index;
    for (int i = 0; i < 200; ++i)
    {
        bodies[i] = m->body[1];
        snprintf(names[i], sizeof names[i], "sheet%d", i);
        bodies[i].name = names[i];
    }
    m->frame.bodies = bodies;
    m->frame.body_count = 200;
}

static void many_files_grow_side_by_side(void)
{
    size_t size;
    export_as(PL_EXPORT_PC2, FRAMES, many_bodies);
    unsigned char *bytes = slurp("out/sheet199.pc2", &size);
    CHECK(size == 32 + FRAMES * 48 && float_at(bytes + 32 + 4 * 48) == (float)moment_at(4)->sheet[0]);
    free(bytes);
    CHECK(clear("out") == 400);
    export_as(PL_EXPORT_NPY, 2, many_bodies);
    CHECK(clear("out") == 600);
}

// Decimals of 32-bit numbers are read back as they were.
static void short_decimals_are_exact(void)
{
    char text[PL__REAL_CHARS];
    double back;
    for (uint32_t bits = 1; bits < 0x7f800000u; bits += 9999991u)
    {
        float value;
        memcpy(&value, &bits, sizeof value);
        size_t length = pl__format_real32(value, text);
        CHECK_THAT(pl__parse_real(text, length, &back) && (float)back == value, "%s", text);
    }
    CHECK(pl__format_real32(0.1f, text) == 3 && strcmp(text, "0.1") == 0);
    CHECK(pl__format_real32(0.8f, text) == 3 && strcmp(text, "0.8") == 0);
    CHECK(pl__format_real32(-16777217.0f, text) == 9 && strcmp(text, "-16777216") == 0);
}

// ---- for other programs ----------------------------------------------------------------------------------------

static void print_numbers(FILE *f, const char *name, const double *values, int count)
{
    fprintf(f, ", \"%s\": [", name);
    for (int i = 0; i < count; ++i)
        fprintf(f, "%s%.17g", i ? ", " : "", values[i]);
    fprintf(f, "]");
}

static void print_indices(FILE *f, const char *name, const int32_t *values, int count)
{
    fprintf(f, ", \"%s\": [", name);
    for (int i = 0; i < count; ++i)
        fprintf(f, "%s%d", i ? ", " : "", values[i]);
    fprintf(f, "]");
}

static void print_body(FILE *f, const pl_frame_body *b)
{
    fprintf(f, "{\"name\": \"%s\"", b->name);
    print_numbers(f, "vertices", b->vertices, 3 * b->vertex_count);
    print_numbers(f, "velocities", b->vertex_velocities, 3 * b->vertex_count);
    print_numbers(f, "normals", b->normals, b->normals ? 3 * b->vertex_count : 0);
    print_indices(f, "triangles", b->triangles, 3 * b->triangle_count);
    print_numbers(f, "uvs", b->uvs, 2 * b->uv_count);
    print_indices(f, "triangle_uvs", b->triangle_uvs, 3 * b->triangle_count);
    print_indices(f, "triangle_groups", b->triangle_groups, b->group_count ? b->triangle_count : 0);
    print_numbers(f, "nodes", b->nodes, 3 * b->node_count);
    print_numbers(f, "node_velocities", b->node_velocities, 3 * b->node_count);
    print_numbers(f, "rest_nodes", b->rest_nodes, 3 * b->node_count);
    print_indices(f, "tets", b->cells, 4 * b->cell_count);
    print_numbers(f, "color", b->color, 3);
    for (int32_t i = 0; i < b->field_count; ++i)
        print_numbers(f, b->fields[i].name, b->fields[i].values,
                      b->fields[i].components * (b->fields[i].per_cell ? b->cell_count : b->node_count));
    fprintf(f, "}");
}

static void print_expected(FILE *f)
{
    fprintf(f, "{\"fps\": %g, \"frames\": [\n", FPS);
    for (int i = 0; i < FRAMES; ++i)
    {
        const moment *m = moment_at(i);
        fprintf(f, "%s{\"number\": %d, \"time\": %.17g, \"bodies\": [\n", i ? "]},\n" : "", m->frame.number,
                m->frame.time);
        print_body(f, &m->body[0]);
        fprintf(f, ",\n");
        print_body(f, &m->body[1]);
    }
    fprintf(f, "]}]}\n");
}

static int write_all(const char *directory)
{
    char file[600];
    pl_context *ctx = test_context(1);
    animation a;
    start_animation(&a, FRAMES);
    mkdir(directory, 0777);
    int failures = 0;
    for (int format = 0; pl_export_format_name((pl_export_format)format); ++format)
    {
        snprintf(file, sizeof file, "%s/%s", directory, pl_export_format_name((pl_export_format)format));
        if (pl_export(ctx, (pl_export_format)format, file, &a.source) != PL_OK)
            failures++, printf("%s\n", pl_context_error(ctx));
    }
    a.spoil = as_hex;
    snprintf(file, sizeof file, "%s/hex", directory);
    if (pl_export(ctx, PL_EXPORT_VTU, file, &a.source) != PL_OK)
        failures++, printf("%s\n", pl_context_error(ctx));
    snprintf(file, sizeof file, "%s/expected.json", directory);
    FILE *f = fopen(file, "w");
    if (f)
        print_expected(f);
    failures += !f || fclose(f) != 0;
    forget(&a);
    pl_context_destroy(&ctx);
    return failures > 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_all(argv[2]);
    static const pl_test tests[] = {
        TEST(names_and_formats_are_inverse),
        TEST(ply_has_the_bytes_of_its_head),
        TEST(ply_has_texture_coordinates_of_all_vertices_or_none),
        TEST(obj_leaves_out_what_no_triangle_uses),
        TEST(obj_groups_survive_odd_names),
        TEST(vtu_blocks_lie_where_the_head_says),
        TEST(vtu_knows_hexahedra_and_triangles),
        TEST(pc2_matches_its_obj),
        TEST(pc2_counts_the_frames_between_samples),
        TEST(npy_has_the_shape_it_says),
        TEST(usd_is_constant_where_nothing_changes),
        TEST(usd_velocities_are_those_of_the_movie),
        TEST(usd_follows_a_surface_that_changes),
        TEST(usd_names_are_unique_identifiers),
        TEST(glb_splits_seams_and_fills_its_chunks),
        TEST(empty_scenes_are_fine_in_every_format),
        TEST(ply_points_have_radii_and_no_faces),
        TEST(vtu_points_are_cells),
        TEST(usd_has_points_with_widths),
        TEST(obj_has_points_as_elements),
        TEST(npy_has_radii_of_points),
        TEST(every_fault_of_a_frame_is_named),
        TEST(one_mesh_for_all_frames_needs_it_unchanged),
        TEST(glb_says_what_it_cannot_hold),
        TEST(npy_files_do_not_overwrite_each_other),
        TEST(grids_are_trees_of_voxels),
        TEST(arguments_are_checked),
        TEST(a_source_that_fails_is_reported),
        TEST(the_sentence_is_that_of_the_source),
        TEST(every_failed_allocation_is_survived),
        TEST(directories_that_cannot_be),
        TEST(a_full_device_is_an_error),
        TEST(a_disk_that_fills_up_tears_nothing),
        TEST(frames_are_read_as_often_as_promised),
        TEST(many_files_grow_side_by_side),
        TEST(short_decimals_are_exact),
    };
    snprintf(place, sizeof place, "%s/pliant_export_XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(place))
        return 1;
    int result = RUN(tests);
    CHECK(rmdir(place) == 0);
    return result || failure_count;
}
