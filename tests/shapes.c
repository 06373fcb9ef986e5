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
    default: break;
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
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
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

// Boxes of every cut and of odd proportions are filled exactly (1e-14: rounding of a sum of 6000 parts of 1), in order,
// and none of their elements needed turning.
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

// The skin of every shape is closed and oriented, encloses the volume of the elements, and has as many holes as it
// should: from a single cell to thousands.
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

// Elements per node: 5, 6, 6 in the bulk (thesis, 2.12). A box of n cubes per axis misses that by c / n, so measure at
// 10 and 20 and extrapolate; what remains is of order 1 / n^2.
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
            double side =
                (kind == PL_SHAPE_SPHERE ? 1.61199195 * 0.5 : 1.77245385 * (kind == PL_SHAPE_TORUS ? 0.2 : 0.5)) / 4;
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
    case PL_SHAPE_DISK: return around <= def->radius * (1 + 1e-15) ? fabs(x[1]) : INFINITY;
    case PL_SHAPE_TUBE: return fabs(around - def->radius);
    case PL_SHAPE_HALF_TORUS:
        return x[1] >= 0 ? fabs(hypot(hypot(x[0], x[1]) - def->radius, x[2]) - def->tube) : INFINITY;
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
                CHECK_THAT(low > least && high < 180 - least, "kind %d tube %g edge %g: %g to %g", kind, tube[t], edge,
                           low, high);
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

#define CHECK_FIELD(shape_kind, field, value, words)                                                                   \
    do                                                                                                                 \
    {                                                                                                                  \
        pl_shape_def field_def = shape(shape_kind, PL_CUT_BCC, 0.1);                                                   \
        field_def.field = value;                                                                                       \
        check_refused(&field_def, words);                                                                              \
    } while (0)

static void bad_fields_are_named(void)
{
    CHECK_FIELD(PL_SHAPE_BOX, cookie, 0, "cookie is 0, start from pl_shape_def_default()");
    CHECK_FIELD(PL_SHAPE_BOX, kind, (pl_shape_kind)9, "kind is 9, allowed is 0 to 8");
    CHECK_FIELD(PL_SHAPE_BOX, cut, (pl_shape_cut)-1, "cut is -1, allowed is 0 to 2");
    CHECK_FIELD(PL_SHAPE_BOX, extent[2], 0, "extent[2] is 0, allowed is 1e-300 to 1e300");
    CHECK_FIELD(PL_SHAPE_BOX, extent[0], NAN, "extent[0] is");
    CHECK_FIELD(PL_SHAPE_CYLINDER, extent[1], -1, "extent[1] is -1, allowed is 1e-300 to 1e300");
    CHECK_FIELD(PL_SHAPE_CYLINDER, radius, INFINITY, "radius is inf");
    CHECK_FIELD(PL_SHAPE_SPHERE, radius, -2, "radius is -2, allowed is 1e-300 to 1e300");
    CHECK_FIELD(PL_SHAPE_TORUS, tube, 0.5, "tube is 0.5, allowed is > 0 and < radius, which is 0.5");
    CHECK_FIELD(PL_SHAPE_TORUS, tube, 0, "tube is 0");
    CHECK_FIELD(PL_SHAPE_SPHERE, edge, 0, "edge is 0, allowed is 1e-300 to 1e300");
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

// ---- hexahedra ---------------------------------------------------------------------------------------------

static pl_shape_def shape_of(pl_shape_kind kind, pl_element_kind elements, double edge)
{
    pl_shape_def def = shape(kind, PL_CUT_BCC, edge);
    def.elements = elements;
    return def;
}

// A grid of n cells a side: (n+1)^3 nodes, n^3 hexahedra, 12 n^2 triangles, x running fastest; exact to the bit at its
// ends.
static void hex_boxes_are_grids(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    pl_shape_def def = shape_of(PL_SHAPE_BOX, PL_ELEMENT_HEX, 0.1);
    const double extent[3] = {0.7, 0.31, 1.234};
    memcpy(def.extent, extent, sizeof extent);
    pl_mesh *mesh = make(ctx, &def);
    CHECK(mesh->kind == PL_ELEMENT_HEX && mesh->node_count == 8 * 4 * 13 && mesh->element_count == 7 * 3 * 12);
    CHECK(mesh->triangle_count == 4 * (7 * 3 + 3 * 12 + 12 * 7) && h.note_count == 0 && pl__mesh_is_valid(mesh));
    const int32_t first[8] = {0, 1, 9, 8, 32, 33, 41, 40};
    CHECK(memcmp(mesh->element, first, sizeof first) == 0);
    CHECK_NEAR(pl_mesh_volume(mesh), exact_volume(&def), 1e-14);
    CHECK_NEAR(pl_mesh_area(mesh), 2 * (0.7 * 0.31 + 0.31 * 1.234 + 1.234 * 0.7), 1e-13);
    CHECK(open_edges(mesh) == 0 && euler_characteristic(mesh) == 2);
    for (int i = 0; i < 3; ++i)
        CHECK(mesh->position[i] == -0.5 * extent[i] && mesh->position[3 * mesh->node_count - 3 + i] == 0.5 * extent[i]);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// Round shapes of cells: closed skins that are manifolds of the right kind, at any edge, and volumes that converge.
static void hex_shapes_are_sound(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    for (int kind = 0; kind < 4; ++kind)
        for (double edge = kind == PL_SHAPE_TORUS ? 0.2 : 1.2; edge > 0.025; edge *= 0.83)
        {
            pl_shape_def def = shape_of((pl_shape_kind)kind, PL_ELEMENT_HEX, edge);
            pl_mesh *mesh = make(ctx, &def);
            CHECK(open_edges(mesh) == 0 && pl__mesh_is_valid(mesh));
            CHECK_THAT(euler_characteristic(mesh) == (kind == PL_SHAPE_TORUS ? 0 : 2), "kind %d, edge %g", kind, edge);
            CHECK_NEAR(boundary_volume(mesh), pl_mesh_volume(mesh), 1e-12);
            if (edge < 0.05)
                CHECK_NEAR(pl_mesh_volume(mesh), exact_volume(&def), 0.04 * exact_volume(&def));
            pl_mesh_destroy(&mesh);
        }
    CHECK_THAT(h.note_count == 0, "%s", h.note);
    pl_context_destroy(&ctx);
}

// Where cells hang on by an edge or a point they are taken away: coarse and thin rings have many such.
static void thin_rings_of_cells_are_manifolds(void)
{
    pl_context *ctx = test_context(1);
    int made = 0;
    for (double tube = 0.06; tube < 0.3; tube *= 1.17)
        for (double edge = 0.3; edge > 0.05; edge *= 0.87)
        {
            pl_shape_def def = shape_of(PL_SHAPE_TORUS, PL_ELEMENT_HEX, edge);
            def.tube = tube;
            pl_mesh *mesh;
            if (pl_mesh_create_shape(ctx, &def, &mesh) != PL_OK)
                continue;
            CHECK_THAT(open_edges(mesh) == 0 && euler_characteristic(mesh) % 2 == 0, "tube %g, edge %g", tube, edge);
            made++;
            pl_mesh_destroy(&mesh);
        }
    CHECK_THAT(made > 60, "%d", made);
    pl_context_destroy(&ctx);
}

// Inner nodes move, the skin does not, and hexahedra keep a fifth of their least determinant.
static void hex_jitter_keeps_the_skin(void)
{
    pl_context *ctx = test_context(1);
    pl_shape_def def = shape_of(PL_SHAPE_SPHERE, PL_ELEMENT_HEX, 0.12);
    pl_mesh *still = make(ctx, &def);
    def.jitter = 0.3, def.seed = 5;
    pl_mesh *moved = make(ctx, &def), *again = make(ctx, &def);
    bool *surface = find_surface_nodes(still);
    int32_t wrong = 0, count = 0;
    for (int32_t n = 0; n < still->node_count; ++n)
    {
        bool differs = memcmp(&still->position[3 * n], &moved->position[3 * n], 24) != 0;
        wrong += differs == surface[n];
        count += differs;
    }
    CHECK(wrong == 0 && count > 20 && pl__mesh_is_valid(moved));
    CHECK(memcmp(again->position, moved->position, 24 * (size_t)moved->node_count) == 0);
    CHECK_NEAR(pl_mesh_volume(moved), pl_mesh_volume(still), 1e-13);
    free(surface);
    pl_mesh_destroy(&still);
    pl_mesh_destroy(&moved);
    pl_mesh_destroy(&again);
    pl_context_destroy(&ctx);
}

// ---- triangles ---------------------------------------------------------------------------------------------

static double exact_area(const pl_shape_def *def)
{
    double r = def->radius, t = def->tube;
    const double *e = def->extent;
    switch (def->kind)
    {
    case PL_SHAPE_BOX: return 2 * (e[0] * e[1] + e[1] * e[2] + e[2] * e[0]);
    case PL_SHAPE_SPHERE: return 4 * M_PI * r * r;
    case PL_SHAPE_TORUS: return 4 * M_PI * M_PI * r * t;
    case PL_SHAPE_CYLINDER: return 2 * M_PI * r * (r + e[1]);
    case PL_SHAPE_SHEET: return e[0] * e[2];
    case PL_SHAPE_DISK: return M_PI * r * r;
    case PL_SHAPE_TUBE: return 2 * M_PI * r * e[1];
    case PL_SHAPE_HALF_TORUS: return 2 * M_PI * M_PI * r * t;
    case PL_SHAPE_RECTANGLE: return e[0] * e[1];
    }
    return NAN;
}

// Edges of one triangle only, and nodes - edges + triangles.
static int32_t count_rim(const pl_mesh *mesh, int32_t *characteristic)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    uint64_t *edge = malloc(sizeof *edge * count);
    for (size_t i = 0; i < count; ++i)
    {
        uint64_t a = (uint64_t)mesh->triangle[i], b = (uint64_t)mesh->triangle[i - i % 3 + (i + 1) % 3];
        edge[i] = a < b ? a << 32 | b : b << 32 | a;
    }
    qsort(edge, count, sizeof *edge, compare_edges);
    int32_t rim = 0, edges = 0;
    for (size_t i = 0, end; i < count; i = end)
    {
        for (end = i + 1; end < count && edge[end] == edge[i];)
            ++end;
        CHECK(end - i <= 2);
        rim += end - i == 1;
        edges++;
    }
    free(edge);
    *characteristic = mesh->node_count - edges + mesh->triangle_count;
    return rim;
}

static double shoelace(const pl_mesh *mesh, int u, int v)
{
    double sum = 0;
    for (int32_t i = 0; i < 3 * mesh->triangle_count; ++i)
    {
        const double *a = &mesh->position[3 * mesh->triangle[i]],
                     *b = &mesh->position[3 * mesh->triangle[i - i % 3 + (i + 1) % 3]];
        sum += 0.5 * (a[u] * b[v] - a[v] * b[u]);
    }
    return sum;
}

// What every kind promises, from the coarsest on: no notes, the right topology, all nodes used, the area from below and
// converging, outward or upward.
static void triangle_shapes_are_sound(void)
{
    static const struct
    {
        int32_t characteristic;
        bool closed, exact;
    } wanted[9] = {{2, true, true},   {2, true, false},  {0, true, false},  {2, true, false}, {1, false, true},
                   {1, false, false}, {0, false, false}, {0, false, false}, {1, false, true}};
    host h;
    pl_context *ctx = host_context(&h);
    for (int kind = 0; kind < 9; ++kind)
        for (double edge = 2; edge > 0.03; edge *= 0.6)
        {
            pl_shape_def def = shape_of((pl_shape_kind)kind, PL_ELEMENT_TRIANGLE, edge);
            def.extent[1] = 0.7, def.extent[2] = 1.3;
            pl_mesh *mesh = make(ctx, &def);
            int32_t characteristic, rim = count_rim(mesh, &characteristic);
            CHECK_THAT((rim == 0) == wanted[kind].closed && characteristic == wanted[kind].characteristic,
                       "kind %d, edge %g: rim %d, %d", kind, edge, rim, characteristic);
            CHECK(pl__mesh_is_valid(mesh) && pl_mesh_volume(mesh) == 0);
            bool *used = find_surface_nodes(mesh);
            double middle[3] = {0};
            for (int32_t n = 0; n < mesh->node_count; ++n)
            {
                CHECK(used[n]);
                for (int d = 0; d < 3; ++d)
                    middle[d] += mesh->position[3 * n + d] / mesh->node_count;
                if (!wanted[kind].exact)
                    CHECK_THAT(off_surface(&def, &mesh->position[3 * n]) < 1e-15, "kind %d node %d: %g", kind, n,
                               off_surface(&def, &mesh->position[3 * n]));
            }
            free(used);
            // what goes around goes around evenly
            CHECK_NEAR(middle[0], 0, 1e-13);
            CHECK_NEAR(middle[1], kind == PL_SHAPE_HALF_TORUS ? middle[1] : 0, 1e-13);
            CHECK_NEAR(middle[2], 0, 1e-13);
            double area = pl_mesh_area(mesh), exact = exact_area(&def);
            CHECK_THAT(area <= exact * (1 + 1e-13), "kind %d: %g of %g", kind, area, exact);
            if (wanted[kind].exact || edge < 0.06)
                CHECK_NEAR(area, exact, (wanted[kind].exact ? 1e-13 : 0.01) * exact);
            if (kind < 4)
                CHECK_THAT(boundary_volume(mesh) > 0.1 * exact_volume(&def) &&
                               boundary_volume(mesh) <= exact_volume(&def) * (1 + 1e-12),
                           "kind %d, edge %g: %g of %g", kind, edge, boundary_volume(mesh), exact_volume(&def));
            if (kind == PL_SHAPE_SHEET || kind == PL_SHAPE_DISK)
                CHECK_NEAR(shoelace(mesh, 2, 0), area, 1e-13);
            if (kind == PL_SHAPE_RECTANGLE)
                CHECK_NEAR(shoelace(mesh, 0, 1), area, 1e-13);
            pl_mesh_destroy(&mesh);
        }
    CHECK_THAT(h.note_count == 0, "%s", h.note);
    pl_context_destroy(&ctx);
}

// Counts that follow from how they are made.
static void triangle_shapes_have_their_counts(void)
{
    static const struct
    {
        pl_shape_kind kind;
        double edge;
        int32_t nodes, triangles;
    } cases[] = {
        {PL_SHAPE_BOX, 0.25, 98, 192},    // n = 4: 6 n^2 + 2 and 12 n^2
        {PL_SHAPE_SPHERE, 0.1, 362, 720}, // f = 6: 10 f^2 + 2 and 20 f^2
        {PL_SHAPE_SPHERE, 9, 12, 20},     // an icosahedron
        {PL_SHAPE_TORUS, 0.1, 31 * 13, 2 * 31 * 13},
        {PL_SHAPE_CYLINDER, 0.25, 2 * 19 + 12 * 3, 2 * 24 + 2 * 12 * 4},
        {PL_SHAPE_SHEET, 0.25, 25, 32},
        {PL_SHAPE_DISK, 0.25, 19, 24},
        {PL_SHAPE_TUBE, 0.25, 13 * 5, 2 * 13 * 4},
        {PL_SHAPE_HALF_TORUS, 0.1, 17 * 13, 2 * 16 * 13},
        {PL_SHAPE_RECTANGLE, 0.5, 9, 8},
    };
    pl_context *ctx = test_context(1);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    {
        pl_shape_def def = shape_of(cases[k].kind, PL_ELEMENT_TRIANGLE, cases[k].edge);
        pl_mesh *mesh = make(ctx, &def);
        CHECK_THAT(mesh->node_count == cases[k].nodes && mesh->element_count == cases[k].triangles, "case %zu: %d, %d",
                   k, mesh->node_count, mesh->element_count);
        pl_mesh_destroy(&mesh);
    }
    pl_context_destroy(&ctx);
}

// The triangles around a node: 4 and 8 in turn where diagonals alternate, 6 where they are alike.
static void patterns_differ(void)
{
    pl_context *ctx = test_context(1);
    for (int pattern = 0; pattern < 3; ++pattern)
    {
        pl_shape_def def = shape_of(PL_SHAPE_RECTANGLE, PL_ELEMENT_TRIANGLE, 0.05);
        def.pattern = (pl_shape_pattern)pattern;
        pl_mesh *mesh = make(ctx, &def);
        int32_t around[441] = {0}, by_valence[16] = {0};
        CHECK(mesh->node_count == 441 && mesh->element_count == 800);
        for (int32_t i = 0; i < 2400; ++i)
            around[mesh->element[i]]++;
        for (int32_t j = 1; j < 20; ++j)
            for (int32_t i = 1; i < 20; ++i)
                by_valence[around[21 * j + i]]++;
        if (pattern == PL_PATTERN_ALTERNATING)
            CHECK(by_valence[4] == 180 && by_valence[8] == 181);
        else if (pattern == PL_PATTERN_DIAGONAL)
            CHECK(by_valence[6] == 361);
        else
            CHECK_THAT(by_valence[5] > 40 && by_valence[6] > 100 && by_valence[7] > 40, "%d %d %d", by_valence[5],
                       by_valence[6], by_valence[7]);
        pl_mesh_destroy(&mesh);
    }
    pl_context_destroy(&ctx);
}

// In no order, by the seed, but well shaped, with the boundary of the regular one to the bit, and flat.
static void irregular_shapes_are_well_shaped(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    static const pl_shape_kind kinds[3] = {PL_SHAPE_SHEET, PL_SHAPE_RECTANGLE, PL_SHAPE_DISK};
    for (int k = 0; k < 3; ++k)
        for (uint64_t seed = 0; seed < 6; ++seed)
        {
            pl_shape_def def = shape_of(kinds[k], PL_ELEMENT_TRIANGLE, 0.07);
            def.extent[1] = 0.83, def.extent[2] = 1.4;
            pl_mesh *regular = make(ctx, &def);
            def.pattern = PL_PATTERN_IRREGULAR, def.seed = seed;
            pl_mesh *mesh = make(ctx, &def), *again = make(ctx, &def);
            double low, high;
            pl_mesh_dihedral_range(mesh, &low, &high);
            CHECK_THAT(low > 25 && high < 120, "kind %d, seed %d: %g to %g", kinds[k], (int)seed, low, high);
            CHECK(memcmp(again->position, mesh->position, 24 * (size_t)mesh->node_count) == 0);
            CHECK(memcmp(again->element, mesh->element, 12 * (size_t)mesh->element_count) == 0);
            CHECK(mesh->node_count == regular->node_count && mesh->element_count == regular->element_count);
            CHECK_NEAR(pl_mesh_area(mesh), pl_mesh_area(regular), 1e-13);
            int32_t same = 0, characteristic, rim = count_rim(mesh, &characteristic);
            for (int32_t n = 0; n < mesh->node_count; ++n)
            {
                same += memcmp(&mesh->position[3 * n], &regular->position[3 * n], 24) == 0;
                CHECK(mesh->position[3 * n + (kinds[k] == PL_SHAPE_RECTANGLE ? 2 : 1)] == 0);
            }
            CHECK_THAT(same == rim && characteristic == 1, "%d nodes stayed, %d are on the boundary", same, rim);
            pl_mesh_destroy(&regular);
            pl_mesh_destroy(&mesh);
            pl_mesh_destroy(&again);
        }
    CHECK_THAT(h.note_count == 0, "%s", h.note);
    pl_context_destroy(&ctx);
}

// Jitter moves the inside of flat shapes within their plane, and nothing else.
static void flat_jitter_keeps_the_rim(void)
{
    pl_context *ctx = test_context(1);
    pl_shape_def def = shape_of(PL_SHAPE_SHEET, PL_ELEMENT_TRIANGLE, 0.1);
    pl_mesh *still = make(ctx, &def);
    def.jitter = 0.25, def.seed = 3;
    pl_mesh *moved = make(ctx, &def);
    int32_t same = 0;
    for (int32_t n = 0; n < still->node_count; ++n)
    {
        same += memcmp(&still->position[3 * n], &moved->position[3 * n], 24) == 0;
        CHECK(moved->position[3 * n + 1] == 0);
    }
    CHECK(same == 40 && pl__mesh_is_valid(moved));
    CHECK_NEAR(pl_mesh_area(moved), 1, 1e-13);
    pl_mesh_destroy(&still);
    pl_mesh_destroy(&moved);
    pl_context_destroy(&ctx);
}

// Multiplying all lengths by a power of two changes nothing else.
static void other_elements_have_no_scale(void)
{
    pl_context *ctx = test_context(1);
    for (int elements = 1; elements < 3; ++elements)
        for (int kind = 0; kind < (elements == PL_ELEMENT_HEX ? 4 : 9); ++kind)
            for (int power = -300; power <= 300; power += 600)
            {
                pl_shape_def def = shape_of((pl_shape_kind)kind, (pl_element_kind)elements, 0.125);
                def.pattern = PL_PATTERN_IRREGULAR;
                pl_mesh *one = make(ctx, &def);
                double scale = ldexp(1, power);
                for (int d = 0; d < 3; ++d)
                    def.extent[d] *= scale;
                def.radius *= scale, def.tube *= scale, def.edge *= scale;
                pl_mesh *other = make(ctx, &def);
                bool ok = one->node_count == other->node_count && one->element_count == other->element_count &&
                          memcmp(one->element, other->element, 4 * pl__mesh_index_count(one)) == 0;
                for (int32_t i = 0; ok && i < 3 * one->node_count; ++i)
                    ok = one->position[i] * scale == other->position[i];
                CHECK_THAT(ok, "elements %d, kind %d, 2^%d", elements, kind, power);
                pl_mesh_destroy(&one);
                pl_mesh_destroy(&other);
            }
    pl_context_destroy(&ctx);
}

static void bad_elements_are_named(void)
{
    CHECK_FIELD(PL_SHAPE_BOX, elements, (pl_element_kind)3, "elements is 3, allowed is 0 to 2");
    CHECK_FIELD(PL_SHAPE_SHEET, elements, PL_ELEMENT_TET,
                "a sheet has no volume to fill; set elements to PL_ELEMENT_TRIANGLE");
    CHECK_FIELD(PL_SHAPE_HALF_TORUS, elements, PL_ELEMENT_HEX, "a half torus has no volume to fill");
    pl_shape_def def = shape_of(PL_SHAPE_SHEET, PL_ELEMENT_TRIANGLE, 0.1);
    def.pattern = (pl_shape_pattern)3;
    check_refused(&def, "pattern is 3, allowed is 0 to 2");
    def = shape_of(PL_SHAPE_SPHERE, PL_ELEMENT_TRIANGLE, 0.1);
    def.jitter = 0.1;
    check_refused(&def, "jitter is 0.1, but all nodes of the triangles of a sphere are on its surface");
    def = shape_of(PL_SHAPE_TORUS, PL_ELEMENT_HEX, 1);
    def.tube = 0.01;
    check_refused(&def, "edge is 1, which is too large: no cell has its middle inside the shape");
    for (int kind = 0; kind < 9; ++kind)
        for (int elements = kind < 4 ? 1 : 2; elements < 3; ++elements)
        {
            def = shape_of((pl_shape_kind)kind, (pl_element_kind)elements, 1e-5);
            check_refused(&def, "edge is 1e-05, which is too small");
            def.edge = 1e-300;
            check_refused(&def, "edge is 1e-300, which is too small");
        }
}

// ---- memory --------------------------------------------------------------------------------------------------

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
    static const pl_shape_kind kinds[4] = {PL_SHAPE_TUBE, PL_SHAPE_SPHERE, PL_SHAPE_SHEET, PL_SHAPE_SHEET};
    for (int k = 0; k < 4; ++k)
    {
        pl_shape_def def = shape_of(kinds[k], k == 1 ? PL_ELEMENT_HEX : PL_ELEMENT_TRIANGLE, 0.3);
        def.jitter = k == 1 || k == 2 ? 0.2 : 0;
        def.pattern = k == 3 ? PL_PATTERN_IRREGULAR : PL_PATTERN_ALTERNATING;
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
        TEST(boxes_are_filled_exactly),
        TEST(skins_are_closed),
        TEST(elements_per_node_match_the_thesis),
        TEST(cuts_have_alike_resolution),
        TEST(round_shapes_converge),
        TEST(round_skins_lie_on_the_surface),
        TEST(angles_are_decent),
        TEST(jitter_keeps_skin_and_volumes),
        TEST(jitter_depends_on_the_seed),
        TEST(shapes_have_no_scale),
        TEST(bad_fields_are_named),
        TEST(other_fields_are_ignored),
        TEST(hex_boxes_are_grids),
        TEST(hex_shapes_are_sound),
        TEST(thin_rings_of_cells_are_manifolds),
        TEST(hex_jitter_keeps_the_skin),
        TEST(triangle_shapes_are_sound),
        TEST(triangle_shapes_have_their_counts),
        TEST(patterns_differ),
        TEST(irregular_shapes_are_well_shaped),
        TEST(flat_jitter_keeps_the_rim),
        TEST(other_elements_have_no_scale),
        TEST(bad_elements_are_named),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}
