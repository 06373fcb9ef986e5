// tests/topology.c -- lists of neighbours, twins of faces, connected parts, and the order in memory.
#include "host.h"
#include "test.h"
#include "base/random.h"
#include "mesh/order.h"
#include "mesh/topology.h"

static pl_mesh *make_shape(pl_context *ctx, pl_shape_kind kind, pl_shape_cut cut, double edge)
{
    pl_shape_def def = pl_shape_def_default();
    def.kind = kind;
    def.cut = cut;
    def.edge = edge;
    pl_mesh *mesh;
    if (pl_mesh_create_shape(ctx, &def, &mesh) != PL_OK)
        abort();
    return mesh;
}

static bool has(const pl__lists *lists, int32_t row, int32_t item)
{
    for (int32_t k = lists->start[row]; k < lists->start[row + 1]; ++k)
        if (lists->item[k] == item)
            return true;
    return false;
}

static int rows_not_ascending(const pl__lists *lists)
{
    int wrong = 0;
    for (int32_t row = 0; row < lists->row_count; ++row)
        for (int32_t k = lists->start[row] + 1; k < lists->start[row + 1]; ++k)
            wrong += lists->item[k - 1] >= lists->item[k];
    return wrong;
}

// A random permutation of [0, count).
static void shuffle(uint64_t seed, int32_t *out, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t j = (int32_t)(pl__random64(seed, 0, (uint64_t)i) % (uint64_t)(i + 1));
        out[i] = out[j];
        out[j] = i;
    }
}

// The same mesh with its nodes and tetrahedra in random order.
static pl_mesh *shuffled(const pl_mesh *mesh)
{
    int32_t *node = malloc(sizeof *node * (size_t)mesh->node_count),
            *tet = malloc(sizeof *tet * (size_t)mesh->element_count);
    shuffle(1, node, mesh->node_count);
    shuffle(2, tet, mesh->element_count);
    pl_mesh *copy = pl__mesh_new(mesh->ctx, mesh->kind, mesh->node_count, mesh->element_count);
    for (int32_t i = 0; i < mesh->node_count; ++i)
        memcpy(&copy->position[3 * node[i]], &mesh->position[3 * i], 3 * sizeof(double));
    for (int32_t t = 0; t < mesh->element_count; ++t)
        for (int c = 0; c < 4; ++c)
            copy->element[4 * tet[t] + c] = node[mesh->element[4 * t + c]];
    if (pl__mesh_finish(&copy, "shuffled") != PL_OK)
        abort();
    free(node);
    free(tet);
    return copy;
}

// ---- topology ----------------------------------------------------------------------------------------------

// Every corner is in the list of its node, once, ascending; a node of no tetrahedron has an empty list.
static void corners_are_listed_once(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh = make_shape(ctx, PL_SHAPE_SPHERE, PL_CUT_BCC, 0.1);
    pl__lists corners;
    CHECK_OK(ctx, pl__node_corners(ctx, 4, mesh->element, mesh->element_count, mesh->node_count + 3, &corners));
    CHECK(corners.row_count == mesh->node_count + 3 && corners.start[corners.row_count] == 4 * mesh->element_count);
    CHECK(corners.start[mesh->node_count] == 4 * mesh->element_count);
    CHECK(rows_not_ascending(&corners) == 0);
    int wrong = 0;
    for (int32_t node = 0; node < corners.row_count; ++node)
        for (int32_t k = corners.start[node]; k < corners.start[node + 1]; ++k)
            wrong += mesh->element[corners.item[k]] != node;
    CHECK(wrong == 0);
    pl__lists_done(ctx, &corners);
    pl__lists_done(ctx, &corners);
    pl_mesh_destroy(&mesh);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// Neighbours are mutual, never oneself, exactly those of the tetrahedra. In a solid ball, nodes - edges + triangles -
// tets = 1.
static void neighbours_are_mutual(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh = make_shape(ctx, PL_SHAPE_BOX, PL_CUT_FIVE, 0.15);
    pl__lists near;
    CHECK_OK(ctx, pl__node_neighbours(ctx, 4, mesh->element, mesh->element_count, mesh->node_count, &near));
    CHECK(rows_not_ascending(&near) == 0);
    int wrong = 0;
    for (int32_t node = 0; node < near.row_count; ++node)
        for (int32_t k = near.start[node]; k < near.start[node + 1]; ++k)
            wrong += near.item[k] == node || !has(&near, near.item[k], node);
    for (int32_t i = 0; i < 16 * mesh->element_count; ++i)
    {
        int32_t a = mesh->element[i / 16 * 4 + (i & 3)], b = mesh->element[i / 16 * 4 + (i / 4 & 3)];
        wrong += a != b && !has(&near, a, b);
    }
    CHECK(wrong == 0);
    int32_t edges = near.start[near.row_count] / 2, triangles = (4 * mesh->element_count + mesh->triangle_count) / 2;
    CHECK(mesh->node_count - edges + triangles - mesh->element_count == 1);
    pl__lists_done(ctx, &near);
    pl_mesh_destroy(&mesh);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// The twin of a twin is the face itself, has the same nodes and another tetrahedron; the rest is the boundary.
static void twins_are_mutual(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh = make_shape(ctx, PL_SHAPE_TORUS, PL_CUT_BCC, 0.1);
    int32_t *twin = malloc(16 * (size_t)mesh->element_count), boundary = 0, wrong = 0;
    pl__crowd crowd;
    CHECK_OK(ctx,
             pl__face_twins(ctx, PL_ELEMENT_TET, mesh->element, mesh->element_count, mesh->node_count, twin, &crowd));
    CHECK(crowd.count == 0 && crowd.element[0] == -1);
    for (int32_t face = 0; face < 4 * mesh->element_count; ++face)
    {
        boundary += twin[face] < 0;
        if (twin[face] < 0)
            continue;
        // the sum of all four nodes less the opposite one is the sum of the face
        int64_t sums[2] = {0, 0};
        for (int side = 0; side < 2; ++side)
            for (int c = 0; c < 4; ++c)
            {
                int32_t f = side ? twin[face] : face;
                sums[side] += c == (f & 3) ? 0 : (int64_t)mesh->element[(f & ~3) + c] * mesh->element[(f & ~3) + c];
            }
        wrong += twin[twin[face]] != face || twin[face] / 4 == face / 4 || sums[0] != sums[1];
    }
    CHECK(wrong == 0 && boundary == mesh->triangle_count);
    free(twin);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// Five tetrahedra around one triangle: none has a twin there and the three lowest are named.
static void crowds_are_named(void)
{
    pl_context *ctx = test_context(1);
    static const int32_t tet[24] = {9, 8, 7, 6, 5, 2, 1, 0, 2, 0, 6, 1, 0, 1, 2, 7, 4, 0, 1, 2, 0, 1, 3, 2};
    int32_t twin[24], seen = 0;
    pl__crowd crowd;
    CHECK_OK(ctx, pl__face_twins(ctx, PL_ELEMENT_TET, tet, 6, 10, twin, &crowd));
    CHECK(crowd.count == 1 && crowd.element[0] == 1 && crowd.element[1] == 2 && crowd.element[2] == 3);
    for (int face = 0; face < 24; ++face)
        seen += twin[face] == PL__FACE_CROWDED;
    for (int face = 0; face < 24; ++face)
        CHECK(twin[face] == PL__FACE_ALONE || twin[face] == PL__FACE_CROWDED);
    CHECK(seen == 5);
    pl_context_destroy(&ctx);
}

// Parts are numbered by their lowest nodes; touching in a single node connects; loose nodes belong to none.
static void parts_are_counted(void)
{
    pl_context *ctx = test_context(1);
    static const int32_t tet[16] = {9, 8, 7, 2, 1, 3, 4, 5, 10, 11, 12, 9, 13, 14, 15, 16};
    static const int32_t expected[18] = {-1, 0, 1, 0, 0, 0, -1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, -1};
    int32_t part[18], count;
    CHECK_OK(ctx, pl__connected_parts(ctx, 4, tet, 4, 18, part, &count));
    CHECK(count == 3 && memcmp(part, expected, sizeof part) == 0);
    pl_context_destroy(&ctx);
}

static void big_mesh_is_one_part(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *ordered = make_shape(ctx, PL_SHAPE_TORUS, PL_CUT_BCC, 0.05), *mesh = shuffled(ordered);
    int32_t *part = malloc(4 * (size_t)mesh->node_count), count;
    CHECK_OK(ctx, pl__connected_parts(ctx, 4, mesh->element, mesh->element_count, mesh->node_count, part, &count));
    CHECK(count == 1);
    free(part);
    pl_mesh_destroy(&ordered);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// ---- order -------------------------------------------------------------------------------------------------

// Along the curve every cell of the cube comes once, and each shares a face with the one before.
static void curve_walks_through_faces(void)
{
    enum
    {
        BITS = 4,
        SIDE = 1 << BITS,
        COUNT = SIDE * SIDE * SIDE
    };
    static int place[COUNT];
    memset(place, -1, sizeof place);
    int wrong = 0;
    for (int i = 0; i < COUNT; ++i)
    {
        uint64_t key =
            pl__hilbert_key(BITS, (uint32_t)(i % SIDE), (uint32_t)(i / SIDE % SIDE), (uint32_t)(i / SIDE / SIDE));
        wrong += key >= COUNT || place[key] != -1;
        place[key % COUNT] = i;
    }
    for (int k = 1; k < COUNT; ++k)
    {
        int a = place[k - 1], b = place[k];
        int steps =
            abs(a % SIDE - b % SIDE) + abs(a / SIDE % SIDE - b / SIDE % SIDE) + abs(a / SIDE / SIDE - b / SIDE / SIDE);
        wrong += steps != 1;
    }
    CHECK_THAT(wrong == 0, "%d wrong steps", wrong);
}

static bool is_permutation(const int32_t *p, int32_t count)
{
    char *seen = calloc((size_t)count, 1);
    int32_t distinct = 0;
    for (int32_t i = 0; i < count; ++i)
        if (p[i] >= 0 && p[i] < count && !seen[p[i]])
            distinct += seen[p[i]] = 1;
    free(seen);
    return distinct == count;
}

typedef struct
{
    double spread; // mean distance of the first and last node of a tetrahedron
    double nodes;  // distinct nodes per 16 consecutive tetrahedra
} locality;

static locality measure(const pl_mesh *mesh, const int32_t *new_to_old_node, const int32_t *new_to_old_tet)
{
    int32_t *rank = malloc(sizeof *rank * (size_t)mesh->node_count),
            *seen = malloc(sizeof *seen * (size_t)mesh->node_count);
    for (int32_t i = 0; i < mesh->node_count; ++i)
        rank[new_to_old_node[i]] = i, seen[i] = -1;
    locality sum = {0, 0};
    for (int32_t t = 0; t < mesh->element_count; ++t)
    {
        int32_t low = INT32_MAX, high = 0;
        for (int c = 0; c < 4; ++c)
        {
            int32_t node = rank[mesh->element[4 * new_to_old_tet[t] + c]];
            low = node < low ? node : low;
            high = node > high ? node : high;
            sum.nodes += seen[node] != t / 16;
            seen[node] = t / 16;
        }
        sum.spread += high - low;
    }
    free(rank);
    free(seen);
    return (locality){sum.spread / mesh->element_count, sum.nodes / ((mesh->element_count + 15) / 16)};
}

// From any order, good or random, the result is two permutations; sixteen tetrahedra share at least two corners of
// three (64 corners, at most 20 nodes; a random order has nearly 64), and the nodes of one lie eight times closer.
static void order_is_compact(void)
{
    pl_context *ctx = test_context(1);
    for (int kind = 0; kind < 4; ++kind)
    {
        pl_mesh *ordered = make_shape(ctx, (pl_shape_kind)kind, PL_CUT_SIX, 0.05), *mesh = shuffled(ordered);
        int32_t *node = malloc(4 * (size_t)mesh->node_count), *tet = malloc(4 * (size_t)mesh->element_count);
        for (int32_t i = 0; i < mesh->node_count; ++i)
            node[i] = i;
        for (int32_t t = 0; t < mesh->element_count; ++t)
            tet[t] = t;
        locality before = measure(mesh, node, tet);
        CHECK_OK(ctx, pl__mesh_locality_order(mesh, node, tet));
        CHECK(is_permutation(node, mesh->node_count) && is_permutation(tet, mesh->element_count));
        locality after = measure(mesh, node, tet);
        CHECK_THAT(after.spread < 0.12 * before.spread, "kind %d: %g to %g", kind, before.spread, after.spread);
        CHECK_THAT(after.nodes < 20 && before.nodes > 50, "kind %d: %g to %g", kind, before.nodes, after.nodes);
        free(node);
        free(tet);
        pl_mesh_destroy(&ordered);
        pl_mesh_destroy(&mesh);
    }
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// Points in a plane, on a line, all in one point: still permutations, and ties keep their order. The order does not
// depend on the size, even where the difference of two coordinates is too large a number.
static void order_survives_flat_meshes(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh = make_shape(ctx, PL_SHAPE_BOX, PL_CUT_FIVE, 0.25);
    static const double scale[5] = {1, 0, 0x1p1000, 0x1p-1000, 0x1p1023};
    int32_t node[125], tet[320], first[125], expected = 0;
    CHECK(mesh->node_count == 125 && mesh->element_count == 320);
    double home[375];
    memcpy(home, mesh->position, sizeof home);
    for (int flat = 0; flat < 8; ++flat)
        for (int s = 0; s < 5; ++s)
        {
            for (int i = 0; i < 375; ++i)
                mesh->position[i] = flat >> i % 3 & 1 ? 3 : home[i] * 2 * scale[s];
            CHECK_OK(ctx, pl__mesh_locality_order(mesh, node, tet));
            CHECK(is_permutation(node, 125) && is_permutation(tet, 320));
            for (expected = 0; (flat == 7 || scale[s] == 0) && expected < 125; ++expected)
                CHECK(node[expected] == expected);
            if (flat == 0 && s == 0)
                memcpy(first, node, sizeof first);
            CHECK(flat != 0 || scale[s] == 0 || memcmp(node, first, sizeof first) == 0);
        }
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// Corners, twins, parts and order of hexahedra and triangles: the same properties, with their own numbers of corners
// and faces.
static void other_kinds_have_topology_too(void)
{
    pl_context *ctx = test_context(1);
    for (int kind = PL_ELEMENT_HEX; kind <= PL_ELEMENT_TRIANGLE; ++kind)
    {
        pl_shape_def def = pl_shape_def_default();
        def.kind = PL_SHAPE_TORUS, def.elements = (pl_element_kind)kind, def.edge = 0.05;
        pl_mesh *mesh;
        CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def, &mesh));
        const pl__element_form *form = &pl__element_forms[kind];
        int32_t corner_count = form->corners * mesh->element_count, face_count = form->faces * mesh->element_count,
                wrong = 0, alone = 0;
        pl__lists corners;
        CHECK_OK(ctx,
                 pl__node_corners(ctx, form->corners, mesh->element, mesh->element_count, mesh->node_count, &corners));
        CHECK(corners.start[mesh->node_count] == corner_count && rows_not_ascending(&corners) == 0);
        for (int32_t node = 0; node < mesh->node_count; ++node)
            for (int32_t k = corners.start[node]; k < corners.start[node + 1]; ++k)
                wrong += mesh->element[corners.item[k]] != node;
        pl__crowd crowd;
        int32_t *twin = malloc(4 * (size_t)face_count), *node = malloc(4 * (size_t)mesh->node_count),
                *element = malloc(4 * (size_t)mesh->element_count);
        CHECK_OK(ctx,
                 pl__face_twins(ctx, mesh->kind, mesh->element, mesh->element_count, mesh->node_count, twin, &crowd));
        for (int32_t face = 0; face < face_count; ++face)
        {
            alone += twin[face] < 0;
            wrong += twin[face] >= 0 && (twin[twin[face]] != face || twin[face] / form->faces == face / form->faces);
        }
        CHECK(wrong == 0 && crowd.count == 0 && alone == (kind == PL_ELEMENT_HEX ? mesh->triangle_count / 2 : 0));
        // a torus: nodes - edges + faces (- cells) = 0
        int32_t parts, faces = (face_count + alone) / 2;
        CHECK(kind == PL_ELEMENT_HEX || mesh->node_count - faces + mesh->element_count == 0);
        CHECK_OK(ctx, pl__connected_parts(ctx, form->corners, mesh->element, mesh->element_count, mesh->node_count,
                                          node, &parts));
        CHECK(parts == 1);
        CHECK_OK(ctx, pl__mesh_locality_order(mesh, node, element));
        CHECK(is_permutation(node, mesh->node_count) && is_permutation(element, mesh->element_count));
        free(twin), free(node), free(element);
        pl__lists_done(ctx, &corners);
        pl_mesh_destroy(&mesh);
    }
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// ---- memory ------------------------------------------------------------------------------------------------

static pl_status use_everything(pl_context *ctx)
{
    static const int32_t tet[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    static double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static int32_t tets[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    pl_mesh mesh = {.ctx = ctx, .node_count = 5, .element_count = 2, .position = x, .element = tets};
    pl__lists corners = {0}, near = {0};
    pl__crowd crowd;
    int32_t twin[8], part[5], count, node[5], order[2];
    pl_status status = pl__node_corners(ctx, 4, tet, 2, 5, &corners);
    if (status == PL_OK)
        status = pl__node_neighbours(ctx, 4, tet, 2, 5, &near);
    if (status == PL_OK)
        status = pl__face_twins(ctx, PL_ELEMENT_TET, tet, 2, 5, twin, &crowd);
    if (status == PL_OK)
        status = pl__connected_parts(ctx, 4, tet, 2, 5, part, &count);
    if (status == PL_OK)
        status = pl__mesh_locality_order(&mesh, node, order);
    pl__lists_done(ctx, &corners);
    pl__lists_done(ctx, &near);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(use_everything) > 12); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(corners_are_listed_once),
        TEST(neighbours_are_mutual),
        TEST(twins_are_mutual),
        TEST(crowds_are_named),
        TEST(parts_are_counted),
        TEST(big_mesh_is_one_part),
        TEST(curve_walks_through_faces),
        TEST(order_is_compact),
        TEST(order_survives_flat_meshes),
        TEST(other_kinds_have_topology_too),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}
