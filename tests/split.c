// tests/split.c -- meshes that are torn node by node and cut by planes: what holds together, and what is kept.
#include "test.h"
#include "host.h"
#include "mesh/geometry.h"
#include "mesh/split.h"
#include "random_input.h"

static pl_context *ctx;

static pl_mesh *box(pl_element_kind kind, double edge)
{
    pl_shape_def def = pl_shape_def_default();
    pl_mesh *mesh;
    def.elements = kind;
    def.edge = edge;
    def.jitter = 0.2;
    if (kind == PL_ELEMENT_TRIANGLE)
        def.kind = PL_SHAPE_SHEET;
    if (pl_mesh_create_shape(ctx, &def, &mesh) != PL_OK)
        abort();
    return mesh;
}

static pl__split *split_of(const pl_mesh *mesh)
{
    pl__split *s;
    if (pl__split_create(mesh, &s) != PL_OK)
        abort();
    return s;
}

static void commit(pl__split *s)
{
    int32_t *from;
    CHECK(pl__split_number(s, &from) == PL_OK);
    for (int32_t n = 0; n < s->node_count; ++n)
        CHECK(from[n] < s->settled_count && pl__split_origin(s, from[n]) == pl__split_origin(s, n));
    PL_DELETE(ctx, from, s->node_count);
    pl__split_commit(s);
}

// Rest positions of the nodes as of the last commit.
static double *positions(const pl__split *s, const pl_mesh *mesh)
{
    double *x = calloc((size_t)s->node_count, 3 * sizeof *x);
    for (int32_t n = 0; n < s->node_count; ++n)
        memcpy(&x[3 * (size_t)n], &mesh->position[3 * (size_t)pl__split_origin(s, n)], 3 * sizeof *x);
    return x;
}

static void random_direction(uint64_t seed, double n[3])
{
    for (uint64_t i = 0; i < 3; ++i)
        n[i] = random_pm(seed, i);
}

static int32_t pieces(const pl__split *s)
{
    int32_t count = 0;
    CHECK(pl__split_count_pieces(s, &count) == PL_OK);
    return count;
}

// ---- properties ------------------------------------------------------------------------------------------------

// A thousand random splits: every face has at most two elements (pl__mesh_finish refuses others), each node's elements
// hang together by faces, and volume is the sum of the same elements.
static void random_splits_keep_a_valid_mesh(void)
{
    for (int kind = PL_ELEMENT_TET; kind <= PL_ELEMENT_TRIANGLE; ++kind)
    {
        pl_mesh *mesh = box((pl_element_kind)kind, kind == PL_ELEMENT_TRIANGLE ? 0.04 : 0.12), *torn;
        pl__split *s = split_of(mesh);
        int32_t count = 0;
        for (uint64_t trial = 0; trial < 1000; ++trial)
        {
            double n[3], *x = positions(s, mesh);
            bool did;
            random_direction(trial, n);
            CHECK(pl__split_node(s, (int32_t)(pl__random64(trial, 5, 77) % (uint64_t)s->node_count), n, x, &did) ==
                  PL_OK);
            count += did;
            commit(s);
            free(x);
            if (trial % 100 == 99)
                CHECK(pl__split_is_valid(s));
        }
        CHECK(count > 300 && s->node_count > s->source_count + count / 2);
        CHECK(pl__split_mesh(s, mesh, &torn) == PL_OK);
        CHECK(pl__mesh_is_valid(torn));
        CHECK(pl_mesh_volume(torn) == pl_mesh_volume(mesh));
        CHECK(pl_mesh_element_count(torn) == pl_mesh_element_count(mesh));
        pl_mesh_destroy(&torn);
        pl__split_destroy(&s);
        pl_mesh_destroy(&mesh);
    }
}

static int by_origins(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }

// Triangles of a torn boundary by the nodes of the whole mesh, ascending.
static int32_t (*origins_of(const pl_mesh *torn))[3]
{
    int32_t(*list)[3] = malloc((size_t)torn->triangle_count * sizeof *list);
    for (int32_t t = 0; t < torn->triangle_count; ++t)
    {
        int32_t *n = list[t];
        for (int c = 0; c < 3; ++c)
            n[c] = torn->origin[torn->triangle[3 * t + c]];
        for (int pass = 0; pass < 2; ++pass)
            for (int c = 0; c < 2; ++c)
                if (n[c] > n[c + 1])
                {
                    int32_t swap = n[c];
                    n[c] = n[c + 1];
                    n[c + 1] = swap;
                }
    }
    qsort(list, (size_t)torn->triangle_count, sizeof *list, by_origins);
    return list;
}

// Both sides of a crack are cut into the same triangles: those of the whole boundary are there once, all others twice.
static void both_sides_of_a_crack_agree(void)
{
    for (int kind = PL_ELEMENT_TET; kind <= PL_ELEMENT_HEX; ++kind)
    {
        pl_mesh *mesh = box((pl_element_kind)kind, 0.12), *torn;
        pl__split *s = split_of(mesh);
        for (uint64_t trial = 0; trial < 300; ++trial)
        {
            double n[3], *x = positions(s, mesh);
            bool did;
            random_direction(trial, n);
            CHECK(pl__split_node(s, (int32_t)(pl__random64(trial, 5, 77) % (uint64_t)s->node_count), n, x, &did) ==
                  PL_OK);
            commit(s);
            free(x);
        }
        CHECK(pl__split_mesh(s, mesh, &torn) == PL_OK);
        int32_t(*list)[3] = origins_of(torn), once = 0, twice = 0, other = 0;
        for (int32_t t = 0, end; t < torn->triangle_count; t = end)
        {
            for (end = t + 1; end < torn->triangle_count && by_origins(list[t], list[end]) == 0;)
                ++end;
            once += end - t == 1;
            twice += end - t == 2;
            other += end - t > 2;
        }
        CHECK_THAT(once == mesh->triangle_count && twice > 100 && other == 0,
                   "kind %d: %d once, of %d on the whole boundary, %d twice, %d more often", kind, once,
                   mesh->triangle_count, twice, other);
        free(list);
        pl_mesh_destroy(&torn);
        pl__split_destroy(&s);
        pl_mesh_destroy(&mesh);
    }
}

// A plane through everything makes two pieces, and leaves both whole; twice the same cut finds nothing more.
static void cut_through_makes_two_pieces(void)
{
    for (int kind = PL_ELEMENT_TET; kind <= PL_ELEMENT_TRIANGLE; ++kind)
    {
        pl_mesh *mesh = box((pl_element_kind)kind, 0.1);
        pl__split *s = split_of(mesh);
        double *x = positions(s, mesh);
        const double quad[4][3] = {{0.03, -2, -2}, {0.03, 2, -2}, {0.03, 2, 2}, {0.03, -2, 2}};
        bool torn;
        CHECK(pl__split_cut(s, quad, x, &torn) == PL_OK && torn);
        CHECK(pl__split_is_valid(s) && pieces(s) == 2);
        commit(s);
        free(x);
        x = positions(s, mesh);
        CHECK(pl__split_cut(s, quad, x, &torn) == PL_OK && !torn);
        free(x);
        pl__split_destroy(&s);
        pl_mesh_destroy(&mesh);
    }
}

// A cut that ends inside leaves one piece, and a crack that ends at tips; nothing else has tips.
static void cut_that_ends_inside_has_tips(void)
{
    pl_mesh *mesh = box(PL_ELEMENT_TET, 0.1);
    pl__split *s = split_of(mesh);
    double *x = positions(s, mesh);
    const double quad[4][3] = {{0.03, -2, -2}, {0.03, 0, -2}, {0.03, 0, 2}, {0.03, -2, 2}};
    bool torn;
    int32_t tips = 0;
    for (int32_t n = 0; n < s->node_count; ++n)
        CHECK(!pl__split_is_tip(s, n));
    CHECK(pl__split_cut(s, quad, x, &torn) == PL_OK && torn);
    CHECK(pl__split_is_valid(s) && pieces(s) == 1);
    for (int32_t n = 0; n < s->node_count; ++n)
        if (pl__split_is_tip(s, n))
        {
            const double *X = &mesh->position[3 * (size_t)pl__split_origin(s, n)];
            CHECK_THAT(fabs(X[0] - 0.03) < 0.16 && fabs(X[1]) < 0.16, "a tip at %g %g", X[0], X[1]);
            ++tips;
        }
    CHECK(tips > 5);
    free(x);
    pl__split_destroy(&s);
    pl_mesh_destroy(&mesh);
}

// Undo leads back to the same table, whatever was torn.
static void undo_leads_back(void)
{
    pl_mesh *mesh = box(PL_ELEMENT_TET, 0.2);
    pl__split *s = split_of(mesh);
    double *x = positions(s, mesh);
    size_t bytes = 4 * (size_t)s->element_count * sizeof(int32_t), mark = 0;
    int32_t *then = malloc(bytes), nodes = 0;
    for (uint64_t trial = 0; trial < 40; ++trial)
    {
        double n[3];
        bool torn;
        if (trial == 20)
        {
            memcpy(then, s->corner, bytes);
            mark = pl__split_mark(s);
            nodes = s->node_count;
        }
        random_direction(trial, n);
        CHECK(pl__split_node(s, (int32_t)(trial * 7 % (uint64_t)s->source_count), n, x, &torn) == PL_OK);
    }
    CHECK(pl__split_mark(s) > mark);
    pl__split_undo(s, mark);
    CHECK(memcmp(then, s->corner, bytes) == 0 && s->node_count == nodes);
    pl__split_undo(s, 0);
    CHECK(memcmp(s->source, s->corner, bytes) == 0 && s->node_count == s->source_count);
    free(then);
    free(x);
    pl__split_destroy(&s);
    pl_mesh_destroy(&mesh);
}

// The numbers of copies do not depend on the order in which nodes were torn.
static void numbers_do_not_depend_on_the_order(void)
{
    pl_mesh *mesh = box(PL_ELEMENT_TET, 0.1);
    pl__split *a = split_of(mesh), *b = split_of(mesh);
    double *x = positions(a, mesh);
    const double normal[3] = {1, 0.2, 0.1};
    bool torn;
    // far enough apart to be torn alone
    int32_t chosen[3] = {-1, -1, -1};
    for (int32_t n = 0; n < mesh->node_count; ++n)
        for (int k = 0; k < 3; ++k)
            if (chosen[k] < 0 && fabs(x[3 * n] - 0.35 * (k - 1)) < 0.06 && fabs(x[3 * n + 1]) < 0.2 &&
                fabs(x[3 * n + 2]) < 0.2)
                chosen[k] = n;
    for (int k = 0; k < 3; ++k)
    {
        CHECK(pl__split_node(a, chosen[k], normal, x, &torn) == PL_OK && torn);
        CHECK(pl__split_node(b, chosen[2 - k], normal, x, &torn) == PL_OK && torn);
    }
    commit(a);
    commit(b);
    CHECK(a->node_count == b->node_count &&
          memcmp(a->corner, b->corner, 4 * (size_t)a->element_count * sizeof(int32_t)) == 0);
    free(x);
    pl__split_destroy(&a);
    pl__split_destroy(&b);
    pl_mesh_destroy(&mesh);
}

// The list of corners says everything; one that is not of this mesh is refused and changes nothing.
static void list_leads_to_the_same_mesh(void)
{
    pl_mesh *mesh = box(PL_ELEMENT_TET, 0.2);
    pl__split *s = split_of(mesh), *t = split_of(mesh);
    double *x = positions(s, mesh);
    const double quad[4][3] = {{0.03, -2, -2}, {0.03, 2, -2}, {0.03, 2, 2}, {0.03, -2, 2}};
    bool torn;
    CHECK(pl__split_cut(s, quad, x, &torn) == PL_OK);
    commit(s);
    int32_t count = pl__split_list(s, NULL), (*list)[2] = calloc((size_t)count, sizeof *list);
    CHECK(pl__split_list(s, list) == count && count > 0);
    CHECK(pl__split_restore(t, (const int32_t(*)[2])list, count, s->node_count) == PL_OK);
    CHECK(memcmp(s->corner, t->corner, 4 * (size_t)s->element_count * sizeof(int32_t)) == 0 &&
          t->node_count == s->node_count);
    for (int32_t n = 0; n < s->node_count; ++n)
        CHECK(pl__split_origin(s, n) == pl__split_origin(t, n));
    list[0][1] = 0;
    CHECK(pl__split_restore(t, (const int32_t(*)[2])list, count, s->node_count) == PL_ERR_FORMAT);
    CHECK(pl__split_restore(t, (const int32_t(*)[2])list, count, s->node_count + count) == PL_ERR_FORMAT);
    CHECK(memcmp(s->corner, t->corner, 4 * (size_t)s->element_count * sizeof(int32_t)) == 0);
    free(list);
    free(x);
    pl__split_destroy(&s);
    pl__split_destroy(&t);
    pl_mesh_destroy(&mesh);
}

// Elements that are firm are not torn from each other, only from others.
static void firm_elements_stay_together(void)
{
    pl_mesh *mesh = box(PL_ELEMENT_TET, 0.2);
    pl__split *s = split_of(mesh);
    double *x = positions(s, mesh);
    memset(s->firm, 1, (size_t)s->element_count);
    for (int32_t n = 0; n < s->source_count; ++n)
    {
        bool torn;
        CHECK(pl__split_node(s, n, (const double[3]){1, 0, 0}, x, &torn) == PL_OK && !torn);
    }
    free(x);
    pl__split_destroy(&s);
    pl_mesh_destroy(&mesh);
}

// The corner of a box is a single tetrahedron or few: with a least size of pieces it is told.
static void small_pieces_are_told(void)
{
    pl_mesh *mesh = box(PL_ELEMENT_HEX, 0.25);
    pl__split *s = split_of(mesh);
    double *x = positions(s, mesh);
    const double quad[4][3] = {{-0.25, -2, -2}, {-0.25, 2, -2}, {-0.25, 2, 2}, {-0.25, -2, 2}};
    bool torn, large;
    CHECK(pl__split_cut(s, quad, x, &torn) == PL_OK && torn && pieces(s) == 2);
    // a slab of 4 x 4 of the 64 hexahedra
    CHECK(pl__split_pieces_are_large(s, 0, 16, &large) == PL_OK && large);
    CHECK(pl__split_pieces_are_large(s, 0, 17, &large) == PL_OK && !large);
    CHECK(pl__split_pieces_are_large(s, 0, 1, &large) == PL_OK && large);
    free(x);
    pl__split_destroy(&s);
    pl_mesh_destroy(&mesh);
}

// ---- memory ----------------------------------------------------------------------------------------------------

static pl_status tear_and_remake(pl_context *own)
{
    pl_shape_def def = pl_shape_def_default();
    pl_mesh *mesh = NULL, *broken = NULL;
    pl__split *s = NULL;
    int32_t *from = NULL;
    double x[3 * 200];
    bool torn;
    const double quad[4][3] = {{0.03, -2, -2}, {0.03, 2, -2}, {0.03, 2, 2}, {0.03, -2, 2}};
    def.edge = 0.5;
    pl_status status = pl_mesh_create_shape(own, &def, &mesh);
    if (status == PL_OK)
        status = pl__split_create(mesh, &s);
    if (status == PL_OK)
    {
        memcpy(x, mesh->position, 3 * (size_t)mesh->node_count * sizeof *x);
        status = pl__split_cut(s, quad, x, &torn);
        CHECK(status == PL_OK || (s->node_count == s->source_count && pl__split_mark(s) == 0));
    }
    if (status == PL_OK)
        status = pl__split_number(s, &from);
    if (status == PL_OK)
        status = pl__split_mesh(s, mesh, &broken);
    if (from)
        PL_DELETE(own, from, s->node_count);
    pl_mesh_destroy(&broken);
    pl__split_destroy(&s);
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(tear_and_remake) > 20); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(random_splits_keep_a_valid_mesh),
        TEST(both_sides_of_a_crack_agree),
        TEST(cut_through_makes_two_pieces),
        TEST(cut_that_ends_inside_has_tips),
        TEST(undo_leads_back),
        TEST(numbers_do_not_depend_on_the_order),
        TEST(list_leads_to_the_same_mesh),
        TEST(firm_elements_stay_together),
        TEST(small_pieces_are_told),
        TEST(every_failed_allocation_is_survived),
    };
    ctx = test_context(1);
    int result = RUN(tests);
    pl_context_destroy(&ctx);
    return result;
}
