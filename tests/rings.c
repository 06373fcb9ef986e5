// tests/rings.c -- volumes of one-rings: gradients, momentum, transposes, and the return to the volumes at rest.
#include "test.h"
#include "host.h"
#include "random_input.h"
#include "mesh/mesh.h"
#include "volume/ring_solve.h"

static const int32_t corners_of[] = {4, 8, 3};

// A random element, inverted as often as not.
static void random_element(int32_t corners, uint64_t seed, double (*x)[3])
{
    for (int32_t a = 0; a < corners; ++a)
        for (int d = 0; d < 3; ++d)
            x[a][d] = random_pm(seed, (uint64_t)(3 * a + d));
}

// g = dV/dx by central differences, which are exact for triangles and tetrahedra but for round-off.
static void slopes_are_gradients_of_volumes(void)
{
    for (int kind = 0; kind < 3; ++kind)
        for (uint64_t seed = 0; seed < 50; ++seed)
        {
            double x[8][3], g[8][3], unused[8][3], h = 1e-3;
            int32_t c = corners_of[kind];
            random_element(c, seed, x);
            (void)pl__ring_volume_slopes(c, 0.3, (const double(*)[3])x, g);
            for (int32_t a = 0; a < c; ++a)
                for (int d = 0; d < 3; ++d)
                {
                    double at = x[a][d];
                    x[a][d] = at + h;
                    double high = pl__ring_volume_slopes(c, 0.3, (const double(*)[3])x, unused);
                    x[a][d] = at - h;
                    double low = pl__ring_volume_slopes(c, 0.3, (const double(*)[3])x, unused);
                    x[a][d] = at;
                    CHECK_NEAR(g[a][d], (high - low) / (2 * h), 1e-12); // V is linear in each coordinate
                }
        }
}

// Pressure pushes no element as a whole, and turns none.
static void forces_have_neither_sum_nor_torque(void)
{
    for (int kind = 0; kind < 3; ++kind)
        for (uint64_t seed = 0; seed < 200; ++seed)
        {
            double x[8][3], g[8][3], sum[3] = {0}, torque[3] = {0};
            int32_t c = corners_of[kind];
            random_element(c, seed, x);
            (void)pl__ring_volume_slopes(c, 0.3, (const double(*)[3])x, g);
            for (int32_t a = 0; a < c; ++a)
                for (int d = 0; d < 3; ++d)
                {
                    int e = (d + 1) % 3, f = (d + 2) % 3;
                    sum[d] += g[a][d];
                    torque[d] += x[a][e] * g[a][f] - x[a][f] * g[a][e];
                }
            for (int d = 0; d < 3; ++d)
            {
                CHECK_NEAR(sum[d], 0, 1e-14);
                CHECK_NEAR(kind < 2 || d == 2 ? torque[d] : 0, 0, 1e-14); // triangles: about z
            }
        }
}

// ---- a body ------------------------------------------------------------------------------------------------------

typedef struct
{
    pl_context *ctx;
    pl_mesh *mesh;
    pl__rings rings;
    int32_t node_count;
    double *x, *v, *change, *inverse_mass;
} body;

static body make_body(pl_context *ctx, pl_element_kind elements, double edge)
{
    body b = {.ctx = ctx};
    pl_shape_def def = pl_shape_def_default();
    def.elements = elements;
    def.edge = edge;
    def.kind = elements == PL_ELEMENT_TRIANGLE ? PL_SHAPE_SHEET
               : elements == PL_ELEMENT_HEX    ? PL_SHAPE_BOX
                                               : PL_SHAPE_SPHERE;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def, &b.mesh));
    b.node_count = b.mesh->node_count;
    size_t n = 3 * (size_t)b.node_count;
    b.x = calloc(n, sizeof(double));
    b.v = calloc(n, sizeof(double));
    b.change = calloc(n, sizeof(double));
    b.inverse_mass = calloc(n, sizeof(double));
    // flat shapes lie in y = 0: turn them into z = 0
    for (size_t k = 0; k < n; ++k)
        b.x[k] = elements == PL_ELEMENT_TRIANGLE ? (k % 3 == 0   ? b.mesh->position[k]
                                                    : k % 3 == 1 ? -b.mesh->position[k + 1]
                                                                 : 0)
                                                 : b.mesh->position[k];
    for (size_t k = 0; k < n; ++k)
        b.inverse_mass[k] = 1 + 0.5 * random_pm(3, k / 3);
    pl__ring_elements list = {
        .corners = pl__mesh_corners(b.mesh), .count = b.mesh->element_count, .node = b.mesh->element, .thickness = 0.3};
    CHECK_OK(ctx, pl__rings_create(ctx, &list, b.node_count, b.x, &b.rings));
    return b;
}

static void unmake_body(body *b)
{
    pl__rings_destroy(b->ctx, &b->rings);
    pl_mesh_destroy(&b->mesh);
    free(b->x);
    free(b->v);
    free(b->change);
    free(b->inverse_mass);
    pl_context_destroy(&b->ctx);
}

static pl_context *context(void)
{
    pl_context *ctx = NULL;
    pl_context_def def = pl_context_def_default();
    def.thread_count = 1;
    CHECK_OK(NULL, pl_context_create(&def, &ctx));
    return ctx;
}

static const pl_element_kind kinds[] = {PL_ELEMENT_TET, PL_ELEMENT_HEX, PL_ELEMENT_TRIANGLE};

static pl__ring_system system_of(body *b)
{
    return (pl__ring_system){.rings = &b->rings, .inverse_mass = b->inverse_mass, .change = b->change, .dt = 1};
}

static double worst_ring(const body *b)
{
    double worst = 0;
    for (int32_t k = 0; k < b->node_count; ++k)
        worst = fmax(worst, fabs(b->rings.volume[k] / b->rings.target[k] - 1));
    return worst;
}

// The rings share out the volume of the body, whatever its shape.
static void rings_add_up_to_the_body(void)
{
    for (int kind = 0; kind < 3; ++kind)
    {
        body b = make_body(context(), kinds[kind], 0.25);
        double rings = 0, elements = 0;
        for (size_t k = 0; k < 3 * (size_t)b.node_count; ++k)
            b.x[k] += 0.2 * random_pm(9, k) * (kind < 2 || k % 3 < 2);
        pl__rings_measure(b.ctx, &b.rings, b.x);
        for (int32_t k = 0; k < b.node_count; ++k)
            rings += b.rings.volume[k];
        for (int32_t e = 0; e < b.rings.element_count; ++e)
            elements += b.rings.share[e] * b.rings.corners;
        CHECK_NEAR(rings, elements, 1e-14);
        unmake_body(&b);
    }
}

// p . D v = v . D^T p, D v is the rate of the rings, and D^T p the force of pressure.
static void products_are_transposes(void)
{
    for (int kind = 0; kind < 3; ++kind)
    {
        body b = make_body(context(), kinds[kind], 0.25);
        size_t n = (size_t)b.node_count;
        double *force = calloc(3 * n, sizeof(double)), *push = calloc(3 * n, sizeof(double)),
               *rate = calloc(n, sizeof(double)), *before = calloc(n, sizeof(double)), left = 0, right = 0, h = 1e-6;
        for (size_t k = 0; k < 3 * n; ++k)
        {
            b.x[k] += 0.05 * random_pm(8, k) * (kind < 2 || k % 3 < 2);
            b.v[k] = random_pm(7, k) * (kind < 2 || k % 3 < 2);
        }
        for (size_t k = 0; k < n; ++k)
            b.rings.pressure[k] = random_pm(6, k);
        pl__rings_measure(b.ctx, &b.rings, b.x);
        memcpy(before, b.rings.volume, n * sizeof *before);
        pl__rings_assemble(b.ctx, &b.rings);
        pl__rings_divergence(b.ctx, &b.rings, b.v, rate);
        pl__rings_push(b.ctx, &b.rings, b.rings.pressure, push);
        pl__rings_add_force(b.ctx, &b.rings, b.x, b.rings.pressure, force);
        for (size_t k = 0; k < n; ++k)
            left += b.rings.pressure[k] * rate[k];
        for (size_t k = 0; k < 3 * n; ++k)
        {
            right += b.v[k] * push[k];
            CHECK_NEAR(push[k], force[k], 1e-15);
            b.x[k] += h * b.v[k];
        }
        CHECK_NEAR(left, right, 1e-14);
        pl__rings_measure(b.ctx, &b.rings, b.x);
        for (size_t k = 0; k < n; ++k)
            CHECK_NEAR((b.rings.volume[k] - before[k]) / h, rate[k], 1e-6); // that of the differences, h
        free(force);
        free(push);
        free(rate);
        free(before);
        unmake_body(&b);
    }
}

// One Newton step of the positions towards the volumes at rest.
static pl__minres_info newton(body *b)
{
    pl__ring_system s = system_of(b);
    pl__rings_measure(b->ctx, &b->rings, b->x);
    pl__rings_assemble(b->ctx, &b->rings);
    for (int32_t k = 0; k < b->node_count; ++k)
        b->rings.work.r[k] = b->rings.target[k] - b->rings.volume[k];
    memset(b->v, 0, 3 * (size_t)b->node_count * sizeof *b->v);
    pl__minres_info info =
        pl__ring_solve(b->ctx, &s, &(pl__minres_limits){.tolerance = 1e-8, .most = 1, .iterations = 2000}, b->v);
    for (size_t k = 0; k < 3 * (size_t)b->node_count; ++k)
        b->x[k] += b->v[k];
    pl__rings_measure(b->ctx, &b->rings, b->x);
    return info;
}

// A body squashed by 15 % with rough nodes has its volumes back to 1e-2 after one step of Newton's method and to 1e-4
// after two; linear momentum stays, whatever the masses.
static void rings_return_in_two_steps(void)
{
    for (int kind = 0; kind < 3; ++kind)
    {
        body b = make_body(context(), kinds[kind], 0.15);
        for (size_t k = 0; k < 3 * (size_t)b.node_count; ++k)
            b.x[k] = b.x[k] * (k % 3 == 1 ? 0.85 : 1) + 0.01 * random_pm(5, k) * (kind < 2 || k % 3 < 2);
        CHECK(newton(&b).converged);
        double first = worst_ring(&b);
        double momentum[3] = {0};
        for (size_t k = 0; k < 3 * (size_t)b.node_count; ++k)
            momentum[k % 3] += b.v[k] / b.inverse_mass[k];
        for (int d = 0; d < 3; ++d)
            CHECK_NEAR(momentum[d], 0, 1e-12);
        CHECK(newton(&b).converged);
        double second = worst_ring(&b);
        CHECK_THAT(first < 0.03 && second < 1e-3, "%g, then %g", first, second);
        CHECK(newton(&b).converged);
        CHECK_THAT(worst_ring(&b) < 1e-6, "%g", worst_ring(&b));
        unmake_body(&b);
    }
}

// Nodes that something holds keep their velocity along what holds them, and the rings are met by the others.
static void held_nodes_stay(void)
{
    body b = make_body(context(), PL_ELEMENT_TET, 0.15);
    pl__node_constraint *held = calloc((size_t)b.node_count, sizeof *held);
    pl__constraints constraints = {.single = held, .sweeps = 1, .inverse_mass = b.inverse_mass};
    for (int32_t k = 0; k < b.node_count; ++k)
        if (b.x[3 * k + 1] < -0.3)
            held[constraints.single_count++] = (pl__node_constraint){.node = k, .count = 1, .direction = {{0, 1, 0}}};
        else if (b.x[3 * k + 1] > 0.4)
            held[constraints.single_count++] =
                (pl__node_constraint){.node = k, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (size_t k = 0; k < 3 * (size_t)b.node_count; ++k)
        b.x[k] *= k % 3 == 1 ? 0.9 : 1;
    pl__ring_system s = system_of(&b);
    s.constraints = &constraints;
    pl__rings_measure(b.ctx, &b.rings, b.x);
    pl__rings_assemble(b.ctx, &b.rings);
    for (int32_t k = 0; k < b.node_count; ++k)
        b.rings.work.r[k] = b.rings.target[k] - b.rings.volume[k];
    CHECK(pl__ring_solve(b.ctx, &s, &(pl__minres_limits){.tolerance = 1e-6, .most = 1, .iterations = 5000}, b.v)
              .converged);
    double most = 0;
    for (int32_t k = 0; k < b.node_count; ++k)
        most = fmax(most, fabs(b.v[3 * k]));
    CHECK(most > 1e-3);
    for (int32_t c = 0; c < constraints.single_count; ++c)
    {
        const double *v = &b.v[3 * held[c].node];
        CHECK_NEAR(v[1], 0, 0);
        CHECK(held[c].count == 1 || (v[0] == 0 && v[2] == 0));
    }
    free(held);
    unmake_body(&b);
}

// Rings none of whose nodes can move have no unknown and no say.
static void rings_without_free_nodes_are_left_out(void)
{
    body b = make_body(context(), PL_ELEMENT_TET, 0.2);
    pl__node_constraint *held = calloc((size_t)b.node_count, sizeof *held);
    pl__constraints constraints = {.single = held, .sweeps = 1, .inverse_mass = b.inverse_mass};
    double root = sqrt(0.5); // turned axes: what the projection leaves is round-off, not 0
    for (int32_t k = 0; k < b.node_count; ++k)
        if (b.x[3 * k + 1] < 0.1)
            held[constraints.single_count++] = (pl__node_constraint){
                .node = k, .count = 3, .direction = {{root, root, 0}, {root, -root, 0}, {0, 0, 1}}};
    pl__ring_system s = system_of(&b);
    s.constraints = &constraints;
    pl__rings_measure(b.ctx, &b.rings, b.x);
    pl__rings_assemble(b.ctx, &b.rings);
    for (int32_t k = 0; k < b.node_count; ++k)
        b.rings.work.r[k] = 0.1 * b.rings.target[k];
    pl__minres_info info =
        pl__ring_solve(b.ctx, &s, &(pl__minres_limits){.tolerance = 1e-6, .most = 1, .iterations = 5000}, b.v);
    CHECK(info.converged);
    int32_t out = 0;
    for (int32_t k = 0; k < b.node_count; ++k)
        if (b.rings.inverse_diagonal[k] == 0)
        {
            CHECK(b.rings.impulse[k] == 0);
            CHECK(b.x[3 * k + 1] < 0.1);
            ++out;
        }
    CHECK(out > 10);
    free(held);
    unmake_body(&b);
}

// Where everything is held but the volumes are wrong, the solve says so and ends.
static void contradictions_end(void)
{
    body b = make_body(context(), PL_ELEMENT_TET, 0.2);
    pl__node_constraint *held = calloc((size_t)b.node_count, sizeof *held);
    pl__constraints constraints = {.single = held, .sweeps = 1, .inverse_mass = b.inverse_mass};
    for (int32_t k = 0; k < b.node_count; ++k)
        if (hypot(hypot(b.x[3 * k], b.x[3 * k + 1]), b.x[3 * k + 2]) > 0.3)
            held[constraints.single_count++] =
                (pl__node_constraint){.node = k, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    pl__ring_system s = system_of(&b);
    s.constraints = &constraints;
    pl__rings_measure(b.ctx, &b.rings, b.x);
    pl__rings_assemble(b.ctx, &b.rings);
    for (int32_t k = 0; k < b.node_count; ++k)
        b.rings.work.r[k] = 0.1 * b.rings.target[k];
    pl__minres_info info =
        pl__ring_solve(b.ctx, &s, &(pl__minres_limits){.tolerance = 1e-6, .most = 1, .iterations = 100000}, b.v);
    CHECK_THAT(!info.converged && info.iterations < 1000, "%d iterations", info.iterations);
    for (size_t k = 0; k < 3 * (size_t)b.node_count; ++k)
        CHECK(fabs(b.v[k]) < 10);
    free(held);
    unmake_body(&b);
}

static pl_status attempt(pl_context *ctx)
{
    static const int32_t node[] = {0, 1, 2, 3, 1, 2, 3, 4};
    static const double X[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    pl__rings rings = {0};
    pl_status status =
        pl__rings_create(ctx, &(pl__ring_elements){.corners = 4, .count = 2, .node = node}, 5, X, &rings);
    if (status == PL_OK)
        pl__rings_destroy(ctx, &rings);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) > 20); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(slopes_are_gradients_of_volumes),
                                    TEST(forces_have_neither_sum_nor_torque),
                                    TEST(rings_add_up_to_the_body),
                                    TEST(products_are_transposes),
                                    TEST(rings_return_in_two_steps),
                                    TEST(held_nodes_stay),
                                    TEST(rings_without_free_nodes_are_left_out),
                                    TEST(contradictions_end),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}
