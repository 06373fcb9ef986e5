// bench/cracks.c -- a detailed surface that comes apart with its coarse mesh: getting ready, and the surface for more
// and more cracks.
#include "base/random.h"
#include "bench.h"
#include "embed/cut.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>

typedef struct
{
    const bench *b;
    pl_mesh *mesh;
    pl_surface *surface;
    pl__cut *cut;
    uint8_t *separated;
    int32_t face_count;
    pl__cut_result result;
} ring;

static void check(pl_status status)
{
    if (status != PL_OK)
        exit(1);
}

// A ring of 4 n^2 triangles, with bumps.
static pl_surface *make_ring(const bench *b, int32_t n)
{
    int32_t nu = 2 * n, nv = n;
    pl_surface *s = pl__surface_new(b->ctx, nu * nv, 2 * nu * nv);
    if (!s)
        exit(1);
    for (int32_t i = 0; i < nu * nv; ++i)
    {
        double u = 6.283185307179586 * (i / nv) / nu, v = 6.283185307179586 * (i % nv) / nv;
        double tube = 0.28 + 0.02 * sin(9 * u) * cos(5 * v), r = 0.75 + tube * cos(v);
        s->position[3 * i] = r * cos(u), s->position[3 * i + 1] = r * sin(u), s->position[3 * i + 2] = tube * sin(v);
        int32_t p = i, q = (i / nv + 1) % nu * nv + i % nv, k = i % nv, up = k + 1 < nv ? 1 : 1 - nv,
                *t = &s->triangle[6 * (size_t)i];
        t[0] = p, t[1] = q, t[2] = q + up, t[3] = p, t[4] = q + up, t[5] = p + up;
    }
    check(pl__surface_finish(&s, "ring"));
    return s;
}

static void run_create(void *argument)
{
    ring *r = argument;
    pl__cut_destroy(&r->cut);
    check(pl__cut_create(r->b->ctx, &(pl__cut_input){r->mesh, r->surface}, &r->cut));
}

static void run_surface(void *argument)
{
    ring *r = argument;
    check(pl__cut_surface(r->cut, r->separated, &r->result));
}

static void report(const ring *r, const char *variant, double time)
{
    bench_report(&(bench_row){.name = "cracks",
                              .variant = variant,
                              .tets = r->mesh->element_count,
                              .nodes = r->surface->node_count,
                              .threads = 1,
                              .value = 1e3 * time,
                              .unit = "ms"});
}

static void measure(const bench *b, int32_t n)
{
    ring r = {.b = b, .surface = make_ring(b, n)};
    pl_shape_def def = pl_shape_def_default();
    def.extent[0] = def.extent[1] = 2.3, def.edge = 0.5, def.jitter = 0.25;
    check(pl_mesh_create_shape(b->ctx, &def, &r.mesh));
    report(&r, bench_text("getting ready %d triangles", r.surface->triangle_count), bench_time(b, run_create, &r));
    (void)pl__cut_faces(r.cut, &r.face_count);
    if (!(r.separated = calloc((size_t)r.face_count, 1)))
        exit(1);
    static const double shares[] = {0, 0.01, 0.1, 1};
    for (int k = 0; k < 4; ++k)
    {
        for (int32_t f = 0; f < r.face_count; ++f)
            r.separated[f] = pl__random01(3, 0, (uint64_t)f) < shares[k];
        double time = bench_time(b, run_surface, &r);
        report(&r,
               bench_text("%g%% of faces: %d triangles in %d pieces", 100 * shares[k], r.result.triangle_count,
                          r.result.piece_count),
               time);
    }
    free(r.separated);
    pl__cut_result_done(&r.result);
    pl__cut_destroy(&r.cut);
    pl_surface_destroy(&r.surface);
    pl_mesh_destroy(&r.mesh);
}

void bench_cracks(bench *b)
{
    bench_saved saved = bench_use(b, 1, b->ctx->register_bytes);
    measure(b, b->effort == BENCH_SMOKE ? 16 : 74);
    if (b->effort != BENCH_SMOKE)
        measure(b, 224);
    bench_restore(b, saved);
}
