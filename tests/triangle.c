// tests/triangle.c -- the triangle kernels against their scalar oracle, energies, conservation, and shapes that lost a
// dimension.
#include "test.h"
#include "random_input.h"
#include "element/triangle.h"

enum
{
    TRIANGLES = 37, // not a multiple of the block
    NODES = 3 * TRIANGLES,
    BLOCKS = 3
};

// what kinds of groups there are
enum
{
    SPACE,
    NORMALS,
    PLANAR,
    WOVEN,
    SETTINGS
};

static pl_context *ctx;
static double X[3 * NODES + 16], x[3 * NODES + 16], v[3 * NODES + 16];
static pl__triangle_rest rest[BLOCKS];
static pl__triangle_frame frame[BLOCKS];
static pl__triangle_forces force[BLOCKS];

static pl_material_def material(int32_t kind)
{
    pl_material_def def = pl_material_def_default();
    def.kind = (pl_material_kind)kind;
    def.young = 1;
    def.poisson = 0.3;
    def.damping = 0.5;
    return def;
}

static const pl__woven_params cloth = {
    .modulus = {1.5, 0.7}, .stiffening = {3, 1}, .shear = 0.2, .poisson = 0.25, .compression = 0.5};

// a rest shape with some area; in a plane counter-clockwise
static void random_corners(uint64_t seed, bool planar, double corner[3][3])
{
    pl_vec3 area;
    uint64_t attempt = 0;
    do
    {
        for (int k = 0; k < 9; ++k)
            corner[k / 3][k % 3] = planar && k % 3 == 2 ? 0 : random_pm(seed, 1000 * attempt + (uint64_t)k);
        pl_vec3 d[2];
        for (int k = 0; k < 6; ++k)
            d[k / 3].v[k % 3] = corner[k / 3 + 1][k % 3] - corner[0][k % 3];
        area = pl_cross3(d[0], d[1]);
        ++attempt;
    } while (planar ? area.v[2] < 0.5 : pl_length3(area) < 0.5);
}

// Separate random triangles; the current positions are wild (scrambled) or moderate.
static pl__element_group make(const pl_material_def *def, int setting, bool wild, uint64_t seed)
{
    pl__material_params params = pl__material_resolve(def);
    bool planar = setting == PLANAR;
    memset(rest, 0, sizeof rest);
    for (int32_t t = 0; t < TRIANGLES; ++t)
    {
        int32_t node[3] = {3 * t, 3 * t + 1, 3 * t + 2};
        double corner[3][3], warp[3];
        random_corners(seed * 1000 + (uint64_t)t, planar, corner);
        pl_mat3 stretch = random_matrix(seed + 31 * (uint64_t)t), R = random_rotation(seed + (uint64_t)t),
                I = pl_identity3();
        pl_mat3 F = pl_axpy33(wild ? 1.5 : 0.12, &stretch, &I), A = planar || setting == NORMALS ? F : pl_mul33(&R, &F);
        for (int k = 0; k < 9; ++k)
        {
            int i = k % 3, entry = 3 * node[k / 3] + i;
            const double *c = corner[k / 3];
            X[entry] = c[i];
            x[entry] = 0.1 * t + (planar && i == 2 ? 0 : A.c[0][i] * c[0] + A.c[1][i] * c[1] + A.c[2][i] * c[2]);
            v[entry] = random_pm(seed + 5, (uint64_t)entry);
        }
        for (int i = 0; i < 3; ++i)
            warp[i] = random_pm(seed + 8, (uint64_t)(3 * t + i));
        pl__triangle_rest_set(&rest[t / 16], t % 16, node, corner, 0.1, planar ? NULL : warp, &params);
        if (setting == WOVEN)
            pl__triangle_rest_set_woven(&rest[t / 16], t % 16, &cloth);
        pl__triangle_rest_set_gain(&rest[t / 16], t % 16, (const double[3]){1, 2, 3});
    }
    for (int32_t t = TRIANGLES; t < 16 * BLOCKS; ++t)
        pl__triangle_rest_clear(&rest[t / 16], t % 16, 0);
    pl__element_group group = {.kind = PL__TRIANGLE,
                               .law = pl__material_law(def),
                               .damping_model = def->damping_model,
                               .planar = planar,
                               .normals = setting == NORMALS,
                               .woven = setting == WOVEN,
                               .damped = true,
                               .count = TRIANGLES,
                               .block_count = BLOCKS,
                               .triangle = rest};
    group.law.flat = true;
    return group;
}

static double at(const pl__triangle_forces *f, int32_t t, int corner, int i) { return f[t / 16].f[corner][i][t % 16]; }

static pl__element_sums evaluate(const pl__element_group *group, int width, double strength)
{
    pl__element_sums sums;
    pl__sums_clear(&sums);
    pl__force_job job = {.group = group,
                         .x = x,
                         .strength = strength,
                         .want_energy = true,
                         .frame = (double *)frame,
                         .force = (double *)force};
    pl__element_force(width, &job, 0, BLOCKS, &sums);
    return sums;
}

static void damp(const pl__element_group *group, int width, const double *velocity, double strength)
{
    pl__damping_job job = {group, velocity, strength, (double *)frame, (double *)force};
    pl__element_damping(width, &job, 0, BLOCKS);
}

// Forces, energy and damping agree with the plain code for every law, damping model and kind of group. The tolerances
// are those of tetrahedra.
static void kernels_agree_with_the_oracle(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int model = PL_DAMPING_SWITCH; model <= PL_DAMPING_CONSERVING; ++model)
            for (int option = 0; option < 2 * SETTINGS; ++option)
            {
                pl_material_def def = material(kind);
                def.damping_model = (pl_damping_model)model;
                pl__element_group group = make(&def, option % SETTINGS, option >= SETTINGS, 11 + (uint64_t)option);
                pl__element_sums sums = evaluate(&group, ctx->register_bytes, 0.7);
                double expected[3][3], energy, total = 0;
                for (int32_t t = 0; t < TRIANGLES; ++t)
                {
                    pl__triangle_force_reference(&group, t, x, 0.7, expected, &energy, NULL);
                    total += energy;
                    for (int k = 0; k < 9; ++k)
                        CHECK_NEAR(at(force, t, k / 3, k % 3), expected[k / 3][k % 3], 1e-11);
                }
                CHECK_NEAR(pl__lane_sum(sums.energy), total, 1e-11 * total);
                damp(&group, ctx->register_bytes, v, 0.7);
                for (int32_t t = 0; t < TRIANGLES; ++t)
                {
                    pl__triangle_damping_reference(&group, t, x, v, 0.7, expected);
                    for (int k = 0; k < 9; ++k)
                        CHECK_NEAR(at(force, t, k / 3, k % 3), expected[k / 3][k % 3], 1e-10);
                }
            }
}

// Same bits at every register width: forces, frames, sums, damping.
static void widths_agree(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int setting = 0; setting < SETTINGS; ++setting)
        {
            pl_material_def def = material(kind);
            def.damping_model = (pl_damping_model)(setting % 3);
            pl__element_group group = make(&def, setting, true, 3);
            static pl__triangle_forces force0[BLOCKS], damping0[BLOCKS];
            static pl__triangle_frame frame0[BLOCKS];
            pl__element_sums sums0 = {0};
            for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
            {
                pl__element_sums sums = evaluate(&group, width, 1);
                if (width == 0)
                {
                    sums0 = sums;
                    memcpy(force0, force, sizeof force);
                    memcpy(frame0, frame, sizeof frame);
                }
                CHECK(memcmp(&sums, &sums0, sizeof sums) == 0);
                CHECK(memcmp(force, force0, sizeof force) == 0 && memcmp(frame, frame0, sizeof frame) == 0);
                damp(&group, width, v, 1);
                if (width == 0)
                    memcpy(damping0, force, sizeof force);
                CHECK(memcmp(force, damping0, sizeof force) == 0);
            }
        }
}

// f = -dE/dx by central differences, of moderate shapes and, for triangles that can invert, of inverted ones.
static void force_is_minus_gradient_of_energy(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int setting = 0; setting < SETTINGS; ++setting)
        {
            pl_material_def def = material(kind);
            pl__element_group group = make(&def, setting, false, 21);
            (void)evaluate(&group, 0, 1);
            for (int32_t t = 0; t < TRIANGLES; ++t)
                for (int k = 0; k < 9; ++k)
                {
                    double h = 1e-5, ignored[3][3], plus, minus, *entry = &x[3 * (3 * t + k / 3) + k % 3],
                           keep = *entry;
                    *entry = keep + h;
                    pl__triangle_force_reference(&group, t, x, 1, ignored, &plus, NULL);
                    *entry = keep - h;
                    pl__triangle_force_reference(&group, t, x, 1, ignored, &minus, NULL);
                    *entry = keep;
                    CHECK_NEAR(at(force, t, k / 3, k % 3), -(plus - minus) / (2 * h), 1e-8); // h^2 and 1e-16/h
                }
        }
}

// Sums of forces and torques vanish to round-off, however the triangle is crushed.
static void elements_do_not_push_or_turn_themselves(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int setting = 0; setting < SETTINGS; ++setting)
        {
            pl_material_def def = material(kind);
            pl__element_group group = make(&def, setting, true, 8);
            (void)evaluate(&group, 0, 1);
            for (int32_t t = 0; t < TRIANGLES; ++t)
            {
                double sum[3] = {0}, torque[3] = {0}, size = 0;
                for (int k = 0; k < 3; ++k)
                    for (int i = 0; i < 3; ++i)
                    {
                        const double *p = &x[3 * (3 * t + k)];
                        sum[i] += at(force, t, k, i);
                        torque[i] += p[(i + 1) % 3] * at(force, t, k, (i + 2) % 3) -
                                     p[(i + 2) % 3] * at(force, t, k, (i + 1) % 3);
                        size += fabs(at(force, t, k, i));
                    }
                for (int i = 0; i < 3; ++i)
                {
                    CHECK_NEAR(sum[i], 0, 1e-15 * size);
                    CHECK_NEAR(torque[i], 0, 1e-13 * (1 + size)); // lever arms up to 6
                }
            }
        }
}

// Damping: u . D v = v . D u, v . D v >= 0; for the conserving model, and for the switch with moderate shapes, no
// torque.
static void damping_is_symmetric_dissipative_and_conserving(void)
{
    static double u[3 * NODES + 16];
    static pl__triangle_forces Dv[BLOCKS];
    for (int model = PL_DAMPING_SWITCH; model <= PL_DAMPING_CONSERVING; ++model)
        for (int option = 0; option < 2 * SETTINGS; ++option)
        {
            bool wild = option >= SETTINGS;
            pl_material_def def = material(PL_MATERIAL_NEO_HOOKEAN);
            def.damping_model = (pl_damping_model)model;
            pl__element_group group = make(&def, option % SETTINGS, wild, 40);
            (void)evaluate(&group, ctx->register_bytes, 1);
            for (int k = 0; k < 3 * NODES; ++k)
                u[k] = random_pm(91, (uint64_t)k);
            damp(&group, ctx->register_bytes, v, 1);
            memcpy(Dv, force, sizeof Dv);
            damp(&group, ctx->register_bytes, u, 1);
            for (int32_t t = 0; t < TRIANGLES; ++t)
            {
                double uDv = 0, vDu = 0, vDv = 0, torque[3] = {0};
                for (int k = 0; k < 3; ++k)
                    for (int i = 0; i < 3; ++i)
                    {
                        int entry = 3 * (3 * t + k) + i;
                        const double *p = &x[3 * (3 * t + k)];
                        uDv += u[entry] * at(Dv, t, k, i);
                        vDu += v[entry] * at(force, t, k, i);
                        vDv += v[entry] * at(Dv, t, k, i);
                        torque[i] +=
                            p[(i + 1) % 3] * at(Dv, t, k, (i + 2) % 3) - p[(i + 2) % 3] * at(Dv, t, k, (i + 1) % 3);
                    }
                CHECK_NEAR(uDv, vDu, 1e-12);
                CHECK(vDv >= 0);
                bool keeps = model == PL_DAMPING_CONSERVING || (model == PL_DAMPING_SWITCH && !wild);
                for (int i = 0; keeps && i < 3; ++i)
                    CHECK_NEAR(torque[i], 0, 1e-12);
            }
        }
}

// A triangle in a plane makes no force across it, and one turned over in space is the same triangle; where the surface
// is known it is inverted.
static void turned_over_counts_only_where_the_side_is_known(void)
{
    for (int setting = 0; setting < SETTINGS; ++setting)
    {
        pl_material_def def = material(PL_MATERIAL_NEO_HOOKEAN);
        pl__element_group group = make(&def, setting, false, 77);
        for (int32_t n = 0; n < NODES; ++n)
            for (int i = 0; i < 3; ++i)
                x[3 * n + i] = (i ? 1 : -1) * X[3 * n + i];
        double expected = setting == SPACE || setting == WOVEN ? 0 : TRIANGLES;
        pl__element_sums sums = evaluate(&group, ctx->register_bytes, 1);
        double inverted = pl__lane_sum(sums.inverted);
        if (setting == NORMALS) // a mirror does not turn triangles across the x axis around
            CHECK(inverted > 0 && inverted < TRIANGLES);
        else
            CHECK_NEAR(inverted, expected, 0);
        for (int32_t t = 0; t < TRIANGLES; ++t)
            for (int k = 0; k < 3; ++k)
                if (setting == PLANAR)
                    CHECK(at(force, t, k, 2) == 0);
                else if (setting != NORMALS)
                    for (int i = 0; i < 3; ++i)
                        CHECK_NEAR(at(force, t, k, i), 0, 1e-13);
    }
}

// Where inverted by their normals, F = U diag(s) V^T still holds: the oracle's energy has the forces as its gradient.
static void inverted_by_normal_has_an_energy(void)
{
    pl_material_def def = material(PL_MATERIAL_ROTATED_LINEAR);
    pl__element_group group = make(&def, NORMALS, false, 5);
    for (int32_t t = 0; t < TRIANGLES; ++t)
    {
        const double against[3] = {-rest[t / 16].normal[0][t % 16], -rest[t / 16].normal[1][t % 16],
                                   -rest[t / 16].normal[2][t % 16]};
        pl__triangle_rest_set_normal(&rest[t / 16], t % 16, against);
        for (int i = 0; i < 3; ++i) // away from the tie of |s1| and s0
            x[9 * t + i] += 0.4 * (x[9 * t + i] - x[9 * t + 3 + i]);
    }
    CHECK_NEAR(pl__lane_sum(evaluate(&group, ctx->register_bytes, 1).inverted), TRIANGLES, 0);
    for (int32_t t = 0; t < TRIANGLES; ++t)
        for (int k = 0; k < 9; ++k)
        {
            double h = 1e-6, ignored[3][3], plus, minus, *entry = &x[3 * (3 * t + k / 3) + k % 3], keep = *entry;
            *entry = keep + h;
            pl__triangle_force_reference(&group, t, x, 1, ignored, &plus, NULL);
            *entry = keep - h;
            pl__triangle_force_reference(&group, t, x, 1, ignored, &minus, NULL);
            *entry = keep;
            CHECK_NEAR(at(force, t, k / 3, k % 3), -(plus - minus) / (2 * h), 1e-8);
        }
}

// Lines, points, and coordinates of zero: forces are finite, and push the shape open again (they would do work on the
// way to rest).
static void collapsed_triangles_are_finite_and_recover(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int setting = 0; setting < SETTINGS; ++setting)
            for (int shape = 0; shape < 3; ++shape)
            {
                pl_material_def def = material(kind);
                pl__element_group group = make(&def, setting, false, 33);
                for (int32_t n = 0; n < NODES; ++n)
                    for (int i = 0; i < 3; ++i)
                        x[3 * n + i] = shape == 0 ? 0 : shape == 1 ? 5 : i ? 1 : X[3 * n];
                for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
                {
                    pl__element_sums sums = evaluate(&group, width, 1);
                    CHECK(pl__lane_sum(sums.broken) == 0 && isfinite(pl__lane_sum(sums.energy)));
                    for (int32_t t = 0; t < TRIANGLES; ++t)
                    {
                        double size = 0;
                        for (int k = 0; k < 9; ++k)
                            size += fabs(at(force, t, k / 3, k % 3));
                        // stable neo-Hookean has no force at a point: recovery gets it out of there
                        CHECK((size > 1e-3 || kind == PL_MATERIAL_STABLE_NEO_HOOKEAN) && size < 1000);
                    }
                    damp(&group, width, v, 1);
                    for (int32_t t = 0; t < TRIANGLES; ++t)
                        for (int k = 0; k < 9; ++k)
                            CHECK(isfinite(at(force, t, k / 3, k % 3)));
                }
            }
}

// Unused lanes of the last block count for nothing, whatever the inversion rule makes of them.
static void unused_lanes_do_not_count(void)
{
    for (int setting = 0; setting < SETTINGS; ++setting)
        for (int inversion = PL_INVERSION_ENERGY; inversion <= PL_INVERSION_NONE; ++inversion)
        {
            pl_material_def def = material(PL_MATERIAL_NEO_HOOKEAN);
            def.inversion = (pl_inversion)inversion;
            pl__element_group group = make(&def, setting, false, 17);
            for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
            {
                pl__element_sums sums = evaluate(&group, width, 1);
                CHECK(pl__lane_sum(sums.broken) == 0 && isfinite(pl__lane_sum(sums.energy)) &&
                      pl__lane_sum(sums.inverted) == 0);
                CHECK(isfinite(sums.frequency2[15]));
            }
        }
}

// One thread pulled along its direction: the stress is that of g, and along 45 degrees the shear counts. Closed forms.
static void woven_cloth_pulled_along_and_across_its_threads(void)
{
    pl_material_def def = material(PL_MATERIAL_ROTATED_LINEAR);
    pl__material_params params = pl__material_resolve(&def);
    double corner[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, s = 1.2, e = 0.2, energy, f[3][3];
    const int32_t node[3] = {0, 1, 2};
    for (int turned = 0; turned < 2; ++turned)
    {
        pl__element_group group = make(&def, WOVEN, false, 1);
        pl__triangle_rest_set(&rest[0], 0, node, corner, 0.1, turned ? (const double[3]){1, 1, 0} : NULL, &params);
        pl__triangle_rest_set_woven(&rest[0], 0, &cloth);
        for (int n = 0; n < 3; ++n)
            for (int i = 0; i < 3; ++i)
                x[3 * n + i] = corner[n][i] * (i == 0 ? s : 1);
        pl__triangle_force_reference(&group, 0, x, 1, f, &energy, NULL);
        double k0 = cloth.modulus[0], k1 = cloth.modulus[1], half = e / 2;
        double straight = k0 * (e * e / 2 + cloth.stiffening[0] * e * e * e / 3);
        double slanted = k0 * (half * half / 2 + cloth.stiffening[0] * half * half * half / 3) +
                         k1 * (half * half / 2 + cloth.stiffening[1] * half * half * half / 3) +
                         cloth.poisson * sqrt(k0 * k1) * half * half + 2 * cloth.shear * half * half;
        CHECK_NEAR(energy, 0.05 * (turned ? slanted : straight), 1e-15);
        // the corner on the x axis carries the traction of half an edge: -P_00 thickness/2
        if (!turned)
            CHECK_NEAR(f[1][0], -0.05 * k0 * (e + cloth.stiffening[0] * e * e), 1e-15);
    }
}

static void woven_parameters_outside_their_ranges_are_refused(void)
{
    CHECK_OK(ctx, pl__woven_check(ctx, &cloth, "cloth"));
    pl__woven_params bad[5] = {cloth, cloth, cloth, cloth, cloth};
    bad[0].modulus[1] = 0;
    bad[1].stiffening[0] = -1;
    bad[2].shear = NAN;
    bad[3].compression = 1.5;
    bad[4].poisson = -0.5;
    for (int i = 0; i < 5; ++i)
        CHECK(pl__woven_check(ctx, &bad[i], "cloth") == PL_ERR_ARGUMENT);
    CHECK(strstr(pl_context_error(ctx), "cloth.poisson: -0.5"));
}

// The largest squared frequency of a triangle with masses 1, 2, 3 at its corners, by differences of its forces and ten
// steps of the power method; never above the true one.
static double largest_frequency2(const pl__element_group *group, int32_t t)
{
    double d[9], quotient = 0;
    memcpy(d, &v[9 * t], sizeof d);
    for (int step = 0; step < 10; ++step)
    {
        double h = 1e-6, f[2][3][3], work = 0, mass = 0, size = 0;
        for (int side = 0; side < 2; ++side)
        {
            for (int k = 0; k < 9; ++k)
                x[9 * t + k] += (side ? -2 : 1) * h * d[k];
            pl__triangle_force_reference(group, t, x, 1, f[side], NULL, NULL);
        }
        for (int k = 0; k < 9; ++k)
        {
            double change = (f[1][k / 3][k % 3] - f[0][k / 3][k % 3]) / (2 * h), m = k / 3 + 1;
            x[9 * t + k] += h * d[k];
            work += d[k] * change;
            mass += m * d[k] * d[k];
            d[k] = change / m;
            size += d[k] * d[k];
        }
        for (int k = 0; k < 9; ++k)
            d[k] /= sqrt(size);
        quotient = work / mass;
    }
    return quotient;
}

// The frequency that the step is chosen from is a bound, and not a loose one.
static void frequency_bounds_the_stiffness(void)
{
    double worst = 0;
    for (int setting = 0; setting < SETTINGS; ++setting)
        for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        {
            pl_material_def def = material(kind);
            pl__element_group group = make(&def, setting, false, 50 + (uint64_t)kind);
            double closest = 0;
            for (int32_t t = 0; t < TRIANGLES; ++t)
            {
                pl__element_sums sums;
                pl__sums_clear(&sums);
                pl__force_job job = {.group = &group, .x = x, .strength = 1, .force = (double *)force};
                pl__element_force(0, &job, t / 16, t / 16 + 1, &sums);
                closest = fmax(closest, largest_frequency2(&group, t) / sums.frequency2[t % 16]);
            }
            CHECK_THAT(closest > 0.55, "%g of the bound at most", closest);
            worst = fmax(worst, closest);
        }
    CHECK_THAT(worst < 1.001, "%g of the bound", worst);
}

// Cauchy stress from the state: traction over the present edges is the nodal force, p dA; its axes are orthonormal, and
// in the plane of the triangle.
static void state_is_the_stress_that_the_forces_come_from(void)
{
    for (int setting = 0; setting < SETTINGS; ++setting)
    {
        pl_material_def def = material(PL_MATERIAL_NEO_HOOKEAN);
        pl__element_group group = make(&def, setting, false, 71);
        (void)evaluate(&group, ctx->register_bytes, 1);
        pl__element_state state[BLOCKS][16];
        for (int b = 0; b < BLOCKS; ++b)
            pl__triangle_block_state(&group, b, x, 1, ctx->register_bytes, state[b]);
        for (int32_t t = 0; t < TRIANGLES; ++t)
        {
            const pl__element_state *s = &state[t / 16][t % 16];
            double cauchy[9];
            pl__element_state_cauchy(s, cauchy);
            const double *p[3] = {&x[9 * t], &x[9 * t + 3], &x[9 * t + 6]};
            pl_vec3 n = pl_make3(s->axes.c[2][0], s->axes.c[2][1], s->axes.c[2][2]);
            double area =
                0.5 * fabs((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]));
            if (setting == PLANAR) // its J is that of the plane
                CHECK_NEAR(area * 0.1, s->J * rest[t / 16].volume[t % 16], 1e-14);
            pl_vec3 opposite = pl_make3(p[2][0] - p[1][0], p[2][1] - p[1][1], p[2][2] - p[1][2]);
            pl_vec3 d = pl_make3(p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]);
            if (pl_dot3(pl_cross3(d, opposite), n) < 0)
                n = pl_neg3(n);
            // corner 0 takes half the traction of the edges beside it, which is minus that of the opposite edge
            pl_vec3 outward = pl_cross3(opposite, n);
            for (int i = 0; i < 3; ++i)
            {
                double traction = 0;
                for (int j = 0; j < 3; ++j)
                    traction += cauchy[3 * j + i] * outward.v[j];
                CHECK_NEAR(at(force, t, 0, i), 0.5 * 0.1 * traction, 1e-14);
            }
        }
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(kernels_agree_with_the_oracle),
        TEST(widths_agree),
        TEST(force_is_minus_gradient_of_energy),
        TEST(elements_do_not_push_or_turn_themselves),
        TEST(damping_is_symmetric_dissipative_and_conserving),
        TEST(turned_over_counts_only_where_the_side_is_known),
        TEST(inverted_by_normal_has_an_energy),
        TEST(collapsed_triangles_are_finite_and_recover),
        TEST(unused_lanes_do_not_count),
        TEST(woven_cloth_pulled_along_and_across_its_threads),
        TEST(woven_parameters_outside_their_ranges_are_refused),
        TEST(frequency_bounds_the_stiffness),
        TEST(state_is_the_stress_that_the_forces_come_from),
    };
    ctx = test_context(1);
    int status = RUN(tests);
    pl_context_destroy(&ctx);
    return status;
}
