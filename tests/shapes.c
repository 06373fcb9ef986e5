// tests/shapes.c -- shapes fill what they claim to fill, with closed skins and decent angles.
#include "host.h"
#include "test.h"
#include "mesh/mesh.h"

static pl_mesh *make(pl_context *ctx, const pl_shape_def *def)
{
    pl_mesh *mesh;
    if (pl_mesh_create_shape(ctx, def, &mesh) != PL_OK)
    {
        printf("%s\n", pl_context_error(ctx));
        abort();
    }
    return mesh;
}

static pl_shape_def shape(pl_shape_kind kind, pl_shape_cut cut, double edge)
{
    pl_shape_def def = pl_shape_def_default();
    def.kind = kind;
    def.cut = cut;
    def.edge = edge;
    return def;
}

static double exact_volume(const pl_shape_def *def)
{
    double r = def->radius;
    switch (def->kind)
    {
    case PL_SHAPE_BOX: return def->extent[0] * def->extent[1] * def->extent[2];
    case PL_SHAPE_SPHERE: return 4 * M_PI / 3 * r * r * r;
    case PL_SHAPE_TORUS: return 2 * M_PI * M_PI * r * def->tube * def->tube;
    case PL_SHAPE_CYLINDER: return M_PI * r * r * def->extent[1];
    }
    return NAN;
}

static double boundary_volume(const pl_mesh *mesh)
{
    double sum = 0;
    for (int32_t i = 0; i < mesh->triangle_count; ++i)
    {
        const int32_t *t = &mesh->triangle[3 * i];
        const double *a = &mesh->position[3 * t[0]], *b = &mesh->position[3 * t[1]], *c = &mesh->position[3 * t[2]];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

static int compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Each directed edge occurs once, and so does its reverse. Returns how many do not.
static int open_edges(const pl_mesh *mesh)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    uint64_t *edge = malloc(sizeof *edge * count);
    for (size_t i = 0; i < count; ++i)
    {
        int32_t from = mesh->triangle[i], to = mesh->triangle[i - i % 3 + (i + 1) % 3];
        edge[i] = (uint64_t)from << 32 | (uint64_t)to;
    }
    qsort(edge, count, sizeof *edge, compare_edges);
    int wrong = 0;
    for (size_t i = 0; i < count; ++i)
    {
        uint64_t reverse = edge[i] << 32 | edge[i] >> 32;
        wrong += i > 0 && edge[i] == edge[i - 1];
        wrong += !bsearch(&reverse, edge, count, sizeof *edge, compare_edges);
    }
    free(edge);
    return wrong;
}

static bool *find_surface_nodes(const pl_mesh *mesh)
{
    bool *surface = calloc((size_t)mesh->node_count, sizeof *surface);
    for (int32_t i = 0; i < 3 * mesh->triangle_count; ++i)
        surface[mesh->triangle[i]] = true;
    return surface;
}

// Nodes - edges + triangles of the boundary; a closed one has three edges for every two triangles.
static int32_t euler_characteristic(const pl_mesh *mesh)
{
    bool *surface = find_surface_nodes(mesh);
    int32_t count = 0;
    for (int32_t i = 0; i < mesh->node_count; ++i)
        count += surface[i];
    free(surface);
    return count - mesh->triangle_count / 2;
}

// ---- properties --------------------------------------------------------------------------------------------

// Boxes of every cut and of odd proportions are filled exactly (1e-14: rounding of a sum of 6000 parts of 1), in order, and
// none of their elements needed turning.
static void boxes_are_filled_exactly(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    static const double extents[4][3] = {{1, 1, 1}, {1, 2, 0.35}, {0.01, 1, 1}, {3, 0.3, 0.3}};
    for (int cut = 0; cut < 3; ++cut)
        for (int e = 0; e < 4; ++e)
        {
            pl_shape_def def = shape(PL_SHAPE_BOX, (pl_shape_cut)cut, 0.1);
            memcpy(def.extent, extents[e], sizeof def.extent);
            pl_mesh *mesh = make(ctx, &def);
            double exact = exact_volume(&def);
            CHECK_NEAR(pl_mesh_volume(mesh), exact, 1e-14 * exact);
            CHECK(pl__mesh_is_valid(mesh));
            // the skin lies in the faces of the box, to the bit
            bool *surface = find_surface_nodes(mesh);
            int wrong = 0;
            for (int32_t i = 0; i < mesh->node_count; ++i)
            {
                const double *x = &mesh->position[3 * i];
                bool on_face = false;
                for (int c = 0; c < 3; ++c)
                    on_face |= fabs(x[c]) == 0.5 * def.extent[c];
                wrong += on_face != surface[i];
            }
            CHECK(wrong == 0);
            free(surface);
            pl_mesh_destroy(&mesh);
        }
    CHECK_THAT(h.note_count == 0, "%s", h.note);
    pl_context_destroy(&ctx);
}

// The skin of every shape is closed and oriented, encloses the volume of the elements, and has as many holes as it should:
// from a single cell to thousands.
static void skins_are_closed(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    for (int kind = 0; kind < 4; ++kind)
        for (int cut = kind == 0 ? 0 : 2; cut < 3; ++cut)
            for (double edge = 2; edge > 0.05; edge *= 0.6)
            {
                pl_shape_def def = shape((pl_shape_kind)kind, (pl_shape_cut)cut, edge);
                pl_mesh *mesh = make(ctx, &def);
                CHECK(open_edges(mesh) == 0);
                CHECK(euler_characteristic(mesh) == (kind == PL_SHAPE_TORUS ? 0 : 2));
                CHECK_NEAR(boundary_volume(mesh), pl_mesh_volume(mesh), 1e-13);
                pl_mesh_destroy(&mesh);
            }
    CHECK_THAT(h.note_count == 0, "%s", h.note);
    pl_context_destroy(&ctx);
}

// Elements per node: 5, 6, 6 in the bulk (thesis, 2.12). A box of n cubes per axis misses that by c / n, so measure at 10 and
// 20 and extrapolate; what remains is of order 1 / n^2.
static void elements_per_node_match_the_thesis(void)
{
    pl_context *ctx = test_context(1);
    static const double expected[3] = {5, 6, 6};
    for (int cut = 0; cut < 3; ++cut)
    {
        double ratio[2];
        for (int fine = 0; fine < 2; ++fine)
        {
            int32_t n = fine ? 20 : 10;
            pl_shape_def def = shape(PL_SHAPE_BOX, (pl_shape_cut)cut, (cut == PL_CUT_BCC ? 0.7937 : 1.0) / n);
            pl_mesh *mesh = make(ctx, &def);
            CHECK(mesh->node_count == (n + 1) * (n + 1) * (n + 1) + (cut == PL_CUT_BCC ? n * n * n : 0));
            ratio[fine] = (double)mesh->element_count / mesh->node_count;
            pl_mesh_destroy(&mesh);
        }
        CHECK_NEAR(2 * ratio[1] - ratio[0], expected[cut], 0.03 * expected[cut]);
    }
    pl_context_destroy(&ctx);
}

// The three cuts agree in nodes per volume, so that they can be compared.
static void cuts_have_alike_resolution(void)
{
    pl_context *ctx = test_context(1);
    int32_t nodes[3];
    for (int cut = 0; cut < 3; ++cut)
    {
        pl_shape_def def = shape(PL_SHAPE_BOX, (pl_shape_cut)cut, 0.05);
        pl_mesh *mesh = make(ctx, &def);
        nodes[cut] = mesh->node_count;
        pl_mesh_destroy(&mesh);
    }
    CHECK(nodes[0] == nodes[1] && abs(nodes[2] - nodes[0]) < nodes[0] / 10);
    pl_context_destroy(&ctx);
}

// The volume converges with the square of the cell size: with twice the cells the error falls to a quarter.
static void round_shapes_converge(void)
{
    pl_context *ctx = test_context(1);
    for (int kind = 1; kind < 4; ++kind)
    {
        double error[3];
        for (int level = 0; level < 3; ++level)
        {
            // so that all axes have exactly twice the cells of the level before: 4, 8, 16 across
            pl_shape_def def = shape((pl_shape_kind)kind, PL_CUT_BCC, 0);
            double side = (kind == PL_SHAPE_SPHERE ? 1.61199195 * 0.5 : 1.77245385 * (kind == PL_SHAPE_TORUS ? 0.2 : 0.5)) / 4;
            def.radius = kind == PL_SHAPE_TORUS ? 36 * side / (2 * M_PI) : 0.5;
            def.extent[1] = 4 * side;
            def.edge = side / 1.25992105 / (1 << level);
            pl_mesh *mesh = make(ctx, &def);
            error[level] = 1 - pl_mesh_volume(mesh) / exact_volume(&def);
            CHECK(pl__mesh_is_valid(mesh));
            pl_mesh_destroy(&mesh);
        }
        CHECK_THAT(error[0] > 0 && error[0] < 0.15, "kind %d: %g", kind, error[0]);
        for (int level = 0; level < 2; ++level)
            CHECK_NEAR(log2(error[level] / error[level + 1]), 2, 0.15);
    }
    pl_context_destroy(&ctx);
}

static double off_surface(const pl_shape_def *def, const double *x)
{
    double around = hypot(x[0], x[2]);
    switch (def->kind)
    {
    case PL_SHAPE_SPHERE: return fabs(hypot(around, x[1]) - def->radius);
    case PL_SHAPE_TORUS: return fabs(hypot(around - def->radius, x[1]) - def->tube);
    case PL_SHAPE_CYLINDER: return fmin(fabs(around - def->radius), fabs(fabs(x[1]) - 0.5 * def->extent[1]));
    default: return NAN;
    }
}

// Surface nodes lie on the surface, inner nodes inside; the rims of a cylinder have nodes on both.
static void round_skins_lie_on_the_surface(void)
{
    pl_context *ctx = test_context(1);
    for (int kind = 1; kind < 4; ++kind)
    {
        pl_shape_def def = shape((pl_shape_kind)kind, PL_CUT_BCC, 0.07);
        pl_mesh *mesh = make(ctx, &def);
        bool *surface = find_surface_nodes(mesh);
        int wrong = 0, rim = 0;
        for (int32_t i = 0; i < mesh->node_count; ++i)
        {
            const double *x = &mesh->position[3 * i];
            wrong += surface[i] != (off_surface(&def, x) < 1e-15);
            rim += fabs(x[1]) == 0.5 && fabs(hypot(x[0], x[2]) - 0.5) < 1e-15;
        }
        CHECK_THAT(wrong == 0, "kind %d: %d", kind, wrong);
        // two rims of four sides of ten cells
        CHECK(kind != PL_SHAPE_CYLINDER || rim == 2 * 4 * 10);
        free(surface);
        pl_mesh_destroy(&mesh);
    }
    pl_context_destroy(&ctx);
}

// No shape of ordinary proportions has an angle below 8 degrees, at any resolution from a single cell on.
static void angles_are_decent(void)
{
    pl_context *ctx = test_context(1);
    static const double tube[] = {0.01, 0.05, 0.1, 0.2, 0.3, 0.4};
    for (int kind = 0; kind < 4; ++kind)
        for (int t = 0; t < (kind == PL_SHAPE_TORUS ? 6 : 1); ++t)
            for (double edge = 2; edge > 0.06; edge *= 0.83)
            {
                double low, high;
                pl_shape_def def = shape((pl_shape_kind)kind, PL_CUT_BCC, edge);
                def.tube = tube[t];
                pl_mesh *mesh = make(ctx, &def);
                pl_mesh_dihedral_range(mesh, &low, &high);
                double least = kind == PL_SHAPE_TORUS ? 8 : 25;
                CHECK_THAT(low > least && high < 180 - least, "kind %d tube %g edge %g: %g to %g", kind, tube[t], edge, low, high);
                pl_mesh_destroy(&mesh);
            }
    pl_context_destroy(&ctx);
}

static double tet_volume(const pl_mesh *mesh, int32_t tet)
{
    const pl_mesh single = {.element_count = 1, .element = &mesh->element[4 * tet], .position = mesh->position};
    return pl_mesh_volume(&single);
}

// Elements of `moved` that have less than a fifth of their volume in `still`.
static int count_flattened(const pl_mesh *still, const pl_mesh *moved)
{
    int count = 0;
    for (int32_t t = 0; t < moved->element_count; ++t)
        count += !(tet_volume(moved, t) >= 0.2 * tet_volume(still, t) * (1 - 1e-9));
    return count;
}

// Skin nodes to the bit where they were, inner ones within `reach`, most of them elsewhere than before.
static void check_moves(const pl_mesh *still, const pl_mesh *moved, double reach)
{
    bool *surface = find_surface_nodes(moved);
    int inner = 0, stirred = 0, wrong = 0;
    for (int32_t i = 0; i < moved->node_count; ++i)
    {
        const double *a = &moved->position[3 * i], *b = &still->position[3 * i];
        double way = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        wrong += surface[i] ? memcmp(a, b, 24) != 0 : way > reach * (1 + 1e-12);
        inner += !surface[i];
        stirred += way > 0.05 * reach;
    }
    CHECK_THAT(wrong == 0 && stirred > 0.9 * inner, "%d wrong, %d of %d moved", wrong, stirred, inner);
    free(surface);
}

// Jitter moves what is inside and nothing else, by no more than it may, and no element loses more than four fifths.
static void jitter_keeps_skin_and_volumes(void)
{
    pl_context *ctx = test_context(1);
    for (int kind = 0; kind < 4; ++kind)
        for (int cut = kind == 0 ? 0 : 2; cut < 3; ++cut)
            for (uint64_t seed = 0; seed < 3; ++seed)
            {
                pl_shape_def def = shape((pl_shape_kind)kind, (pl_shape_cut)cut, 0.11);
                pl_mesh *still = make(ctx, &def);
                def.jitter = 0.3;
                def.seed = seed;
                pl_mesh *moved = make(ctx, &def), *again = make(ctx, &def);
                CHECK(memcmp(moved->position, again->position, 24 * (size_t)moved->node_count) == 0);
                CHECK(memcmp(moved->element, still->element, 16 * (size_t)moved->element_count) == 0);
                CHECK(pl__mesh_is_valid(moved) && count_flattened(still, moved) == 0);
                CHECK_NEAR(pl_mesh_volume(moved), pl_mesh_volume(still), 1e-13);
                check_moves(still, moved, 0.3 * 0.11);
                pl_mesh_destroy(&still);
                pl_mesh_destroy(&moved);
                pl_mesh_destroy(&again);
            }
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// Another seed, another mesh.
static void jitter_depends_on_the_seed(void)
{
    pl_context *ctx = test_context(1);
    pl_shape_def def = shape(PL_SHAPE_SPHERE, PL_CUT_BCC, 0.2);
    def.jitter = 0.1;
    pl_mesh *a = make(ctx, &def);
    def.seed = 1;
    pl_mesh *b = make(ctx, &def);
    CHECK(memcmp(a->position, b->position, 24 * (size_t)a->node_count) != 0);
    pl_mesh_destroy(&a);
    pl_mesh_destroy(&b);
    pl_context_destroy(&ctx);
}

// A shape of any size is the same shape: sizes that are powers of two away from each other give the same digits.
static void shapes_have_no_scale(void)
{
    pl_context *ctx = test_context(1);
    for (int kind = 0; kind < 4; ++kind)
    {
        pl_mesh *mesh[3];
        static const double scale[3] = {1, 0x1p-900, 0x1p900};
        for (int s = 0; s < 3; ++s)
        {
            pl_shape_def def = shape((pl_shape_kind)kind, PL_CUT_BCC, 0.2 * scale[s]);
            for (int i = 0; i < 3; ++i)
                def.extent[i] *= scale[s];
            def.radius *= scale[s];
            def.tube *= scale[s];
            def.jitter = 0.3;
            mesh[s] = make(ctx, &def);
        }
        int wrong = 0;
        for (int s = 1; s < 3; ++s)
            for (int32_t i = 0; i < 3 * mesh[0]->node_count; ++i)
                wrong += mesh[s]->position[i] != mesh[0]->position[i] * scale[s];
        for (int s = 0; s < 3; ++s)
        {
            CHECK(mesh[s]->element_count == mesh[0]->element_count && pl__mesh_is_valid(mesh[s]));
            CHECK(memcmp(mesh[s]->element, mesh[0]->element, 16 * (size_t)mesh[0]->element_count) == 0);
        }
        CHECK_THAT(wrong == 0, "kind %d: %d", kind, wrong);
        for (int s = 0; s < 3; ++s)
            pl_mesh_destroy(&mesh[s]);
    }
    pl_context_destroy(&ctx);
}

// ---- refusals ----------------------------------------------------------------------------------------------

static void check_refused(const pl_shape_def *def, const char *words)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh = (pl_mesh *)1;
    CHECK(pl_mesh_create_shape(ctx, def, &mesh) == PL_ERR_ARGUMENT && mesh == NULL);
    CHECK_THAT(strstr(pl_context_error(ctx), words), "\"%s\" lacks \"%s\"", pl_context_error(ctx), words);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

#define CHECK_FIELD(shape_kind, field, value, words)                                                     \
    do                                                                                                   \
    {                                                                                                    \
        pl_shape_def field_def = shape(shape_kind, PL_CUT_BCC, 0.1);                                     \
        field_def.field = value;                                                                         \
        check_refused(&field_def, words);                                                                \
    } while (0)

static void bad_fields_are_named(void)
{
    CHECK_FIELD(PL_SHAPE_BOX, cookie, 0, "cookie is 0, start from pl_shape_def_default()");
    CHECK_FIELD(PL_SHAPE_BOX, kind, (pl_shape_kind)4, "kind is 4, allowed is 0 to 3");
    CHECK_FIELD(PL_SHAPE_BOX, cut, (pl_shape_cut)-1, "cut is -1, allowed is 0 to 2");
    CHECK_FIELD(PL_SHAPE_BOX, extent[2], 0, "extent[2] is 0, allowed is > 0");
    CHECK_FIELD(PL_SHAPE_BOX, extent[0], NAN, "extent[0] is");
    CHECK_FIELD(PL_SHAPE_CYLINDER, extent[1], -1, "extent[1] is -1, allowed is > 0");
    CHECK_FIELD(PL_SHAPE_CYLINDER, radius, INFINITY, "radius is inf");
    CHECK_FIELD(PL_SHAPE_SPHERE, radius, -2, "radius is -2, allowed is > 0");
    CHECK_FIELD(PL_SHAPE_TORUS, tube, 0.5, "tube is 0.5, allowed is > 0 and < radius, which is 0.5");
    CHECK_FIELD(PL_SHAPE_TORUS, tube, 0, "tube is 0");
    CHECK_FIELD(PL_SHAPE_SPHERE, edge, 0, "edge is 0, allowed is > 0");
    CHECK_FIELD(PL_SHAPE_SPHERE, edge, NAN, "edge is");
    CHECK_FIELD(PL_SHAPE_SPHERE, jitter, 0.31, "jitter is 0.31, allowed is 0 to 0.3");
    CHECK_FIELD(PL_SHAPE_SPHERE, jitter, NAN, "jitter is");
    for (int kind = 0; kind < 4; ++kind)
    {
        CHECK_FIELD((pl_shape_kind)kind, edge, 1e-4, "edge is 0.0001, which is too small");
        CHECK_FIELD((pl_shape_kind)kind, edge, 1e-300, "edge is 1e-300, which is too small");
    }
}

// Fields that a shape does not use may hold anything.
static void other_fields_are_ignored(void)
{
    pl_context *ctx = test_context(1);
    pl_shape_def def = shape(PL_SHAPE_SPHERE, (pl_shape_cut)77, 0.3);
    def.extent[1] = NAN;
    def.tube = -1;
    pl_mesh *mesh = make(ctx, &def);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

static pl_status make_all(pl_context *ctx)
{
    for (int kind = 0; kind < 4; ++kind)
    {
        pl_shape_def def = shape((pl_shape_kind)kind, PL_CUT_BCC, 0.5);
        def.jitter = 0.2;
        pl_mesh *mesh;
        pl_status status = pl_mesh_create_shape(ctx, &def, &mesh);
        CHECK((status == PL_OK) == (mesh != NULL));
        pl_mesh_destroy(&mesh);
        if (status != PL_OK)
            return status;
    }
    return PL_OK;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(make_all) > 40); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(boxes_are_filled_exactly), TEST(skins_are_closed),
        TEST(elements_per_node_match_the_thesis), TEST(cuts_have_alike_resolution),
        TEST(round_shapes_converge), TEST(round_skins_lie_on_the_surface),
        TEST(angles_are_decent), TEST(jitter_keeps_skin_and_volumes),
        TEST(jitter_depends_on_the_seed), TEST(shapes_have_no_scale),
        TEST(bad_fields_are_named), TEST(other_fields_are_ignored),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}
