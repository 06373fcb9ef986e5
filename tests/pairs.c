// tests/pairs.c -- what is near, against all pairs; closest points, against their definition; and the same bits
// whatever happens.
#include "host.h"
#include "test.h"
#include "base/random.h"
#include "contact/pairs.h"

static double uniform(uint64_t seed, uint64_t i) { return 2 * pl__random01(seed, 1, i) - 1; }

// ---- scenes --------------------------------------------------------------------------------------------------------

enum
{
    MOST_TRIANGLES = 2400,
    MOST_NODES = 3 * MOST_TRIANGLES
};

typedef struct
{
    int32_t node_count, triangle_count;
    int32_t triangle[3 * MOST_TRIANGLES];
    double rest[3 * MOST_NODES + 1], x[3 * MOST_NODES + 1], end[3 * MOST_NODES + 1];
    double thickness;
    pl__surfaces *surfaces;
    pl__tree *tree;
    pl__pairs *pairs;
} scene;

static pl_status build(pl_context *ctx, scene *s)
{
    s->surfaces = NULL, s->tree = NULL, s->pairs = NULL;
    pl__surface_part part = {7, s->triangle_count, s->triangle, s->thickness, true};
    PL_TRY(pl__surfaces_create(ctx, &part, 1, &s->surfaces));
    PL_TRY(pl__tree_create(s->surfaces, s->rest, &s->tree));
    return pl__pairs_create(s->tree, &s->pairs);
}

static void discard(scene *s)
{
    pl__pairs_destroy(&s->pairs);
    pl__tree_destroy(&s->tree);
    pl__surfaces_destroy(&s->surfaces);
}

static void copy_positions(scene *s)
{
    memcpy(s->rest, s->x, sizeof s->rest);
    for (int32_t i = 0; i < 3 * s->node_count; ++i)
        s->end[i] = s->x[i] + 0.3 * s->thickness * uniform(77, (uint64_t)i);
}

// Separate triangles in a cube.
static void fill_soup(scene *s, int32_t count, double size)
{
    s->node_count = 3 * count, s->triangle_count = count, s->thickness = 0.1;
    for (int32_t i = 0; i < 3 * count; ++i)
    {
        s->triangle[i] = i;
        for (int k = 0; k < 3; ++k)
            s->x[3 * i + k] = uniform(1, (uint64_t)(i / 3 * 3 + k)) + size * uniform(2, (uint64_t)(3 * i + k));
    }
    copy_positions(s);
}

// A sheet of side x side cells of edge 1, bent to and fro at every `run` cells; layers are `gap` apart, all turned
// about an axis.
static void fill_fold(scene *s, int32_t side, int32_t run, double gap, double turn)
{
    int32_t row = side + 1;
    s->node_count = row * row, s->triangle_count = 2 * side * side, s->thickness = 0.3;
    for (int32_t i = 0, *t = s->triangle; i < side * side; ++i, t += 6)
    {
        int32_t a = i / side * row + i % side;
        memcpy(t, (int32_t[]){a, a + 1, a + row, a + 1, a + row + 1, a + row}, 6 * sizeof *t);
    }
    for (int32_t i = 0; i < s->node_count; ++i)
    {
        int32_t u = i % row, layer = u / run, along = layer % 2 ? run - u % run : u % run;
        double y = i / row + 0.1 * uniform(3, (uint64_t)i);
        double z = gap * (layer + (double)(u % run) / run) + 0.05 * uniform(4, (uint64_t)i);
        double *x = &s->x[3 * i], *rest = &s->rest[3 * i];
        x[0] = cos(turn) * along - sin(turn) * z, x[1] = y, x[2] = sin(turn) * along + cos(turn) * z;
        rest[0] = u, rest[1] = i / row, rest[2] = 0;
    }
    for (int32_t i = 0; i < 3 * s->node_count; ++i)
        s->end[i] = s->x[i] + 0.5 * uniform(78, (uint64_t)i);
}

// ---- all pairs -----------------------------------------------------------------------------------------------------

static bool shares(const int32_t n[4], int own)
{
    for (int i = 0; i < own; ++i)
        for (int k = own; k < 4; ++k)
            if (n[i] == n[k])
                return true;
    return false;
}

typedef struct
{
    pl__pair *pair;
    size_t count, capacity;
} list;

static void append(list *l, const pl__pair *pair)
{
    if (l->count == l->capacity)
    {
        l->capacity = l->capacity ? 2 * l->capacity : 1024;
        l->pair = realloc(l->pair, l->capacity * sizeof *l->pair);
        if (!l->pair)
            abort();
    }
    l->pair[l->count++] = *pair;
}

static list all_pairs(const scene *s, bool (*wanted)(const scene *s, const pl__pair *pair))
{
    const pl__surfaces *f = s->surfaces;
    list l = {0};
    for (int32_t v = 0; v < f->vertex_count; ++v)
        for (int32_t t = 0; t < f->triangle_count; ++t)
        {
            const int32_t *n = &f->triangle[3 * t];
            pl__pair pair = {{f->vertex[v], n[0], n[1], n[2]}, PL__VERTEX_FACE};
            if (!shares(pair.node, 1) && wanted(s, &pair))
                append(&l, &pair);
        }
    for (int32_t d = 0; d < f->edge_count; ++d)
        for (int32_t e = d + 1; e < f->edge_count; ++e)
        {
            const int32_t *m = f->edge[d].node, *n = f->edge[e].node;
            pl__pair pair = {{m[0], m[1], n[0], n[1]}, PL__EDGE_EDGE};
            if (!shares(pair.node, 2) && wanted(s, &pair))
                append(&l, &pair);
        }
    return l;
}

// One way to write a pair: nodes of each thing ascending, the lower edge first.
static void swap_if(bool condition, int32_t *a, int32_t *b)
{
    int32_t c = *a;
    if (condition)
        *a = *b, *b = c;
}

static pl__pair canonical(const int32_t node[4], int32_t kind)
{
    pl__pair p = {{node[0], node[1], node[2], node[3]}, kind};
    int32_t *n = p.node;
    swap_if(n[2] > n[3], &n[2], &n[3]);
    if (kind == PL__VERTEX_FACE)
    {
        swap_if(n[1] > n[2], &n[1], &n[2]);
        swap_if(n[2] > n[3], &n[2], &n[3]);
        return p;
    }
    swap_if(n[0] > n[1], &n[0], &n[1]);
    bool later = n[0] > n[2] || (n[0] == n[2] && n[1] > n[3]);
    swap_if(later, &n[0], &n[2]);
    swap_if(later, &n[1], &n[3]);
    return p;
}

static int compare(const void *a, const void *b)
{
    const pl__pair *p = a, *q = b;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    for (int k = 0; k < 4; ++k)
        if (p->node[k] != q->node[k])
            return p->node[k] < q->node[k] ? -1 : 1;
    return 0;
}

static void sort(list *l)
{
    for (size_t i = 0; i < l->count; ++i)
        l->pair[i] = canonical(l->pair[i].node, l->pair[i].kind);
    qsort(l->pair, l->count, sizeof *l->pair, compare);
}

static int repeated(const list *l)
{
    int count = 0;
    for (size_t i = 1; i < l->count; ++i)
        count += compare(&l->pair[i - 1], &l->pair[i]) == 0;
    return count;
}

// How many of `some` are not in `all`, both sorted.
static int missing(const list *some, const list *all)
{
    int count = 0;
    for (size_t i = 0; i < some->count; ++i)
        count += !bsearch(&some->pair[i], all->pair, all->count, sizeof *all->pair, compare);
    return count;
}

static list found_pairs(const scene *s)
{
    list l = {0};
    for (int32_t i = 0; i < s->pairs->pair_count; ++i)
        append(&l, &s->pairs->pair[i]);
    sort(&l);
    return l;
}

static list found_contacts(const scene *s)
{
    list l = {0};
    for (int32_t i = 0; i < s->pairs->contact_count; ++i)
    {
        pl__pair p = {.kind = i < s->pairs->contact_vertex_face_count ? PL__VERTEX_FACE : PL__EDGE_EDGE};
        memcpy(p.node, s->pairs->contact[i].node, sizeof p.node);
        append(&l, &p);
    }
    sort(&l);
    return l;
}

// ---- distances -----------------------------------------------------------------------------------------------------

static double distance_at(const scene *s, const pl__pair *pair, double t)
{
    double x[4][3];
    pl__contact c;
    for (int k = 0; k < 4; ++k)
        for (int d = 0; d < 3; ++d)
        {
            int32_t i = 3 * pair->node[k] + d;
            x[k][d] = s->x[i] + t * (s->end[i] - s->x[i]);
        }
    if (pair->kind == PL__EDGE_EDGE)
        pl__closest_edge_edge((const double(*)[3])x, &c);
    else
        pl__closest_vertex_face((const double(*)[3])x, &c);
    return c.distance;
}

static double gap_of_boxes(const scene *s, const pl__pair *pair)
{
    double gap = 0;
    int own = pair->kind == PL__EDGE_EDGE ? 2 : 1;
    for (int d = 0; d < 3; ++d)
    {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 4; ++k)
        {
            int32_t i = 3 * pair->node[k] + d;
            low[k >= own] = fmin(low[k >= own], fmin(s->x[i], s->end[i]));
            high[k >= own] = fmax(high[k >= own], fmax(s->x[i], s->end[i]));
        }
        gap = fmax(gap, fmax(low[0] - high[1], low[1] - high[0]));
    }
    return gap;
}

// Those that rounding decides are left to it.
static bool surely_near(const scene *s, const pl__pair *pair)
{
    return gap_of_boxes(s, pair) < s->thickness && distance_at(s, pair, 0) < s->thickness * (1 - 1e-12);
}

static bool comes_near(const scene *s, const pl__pair *pair)
{
    if (gap_of_boxes(s, pair) > s->thickness)
        return false;
    for (int i = 0; i <= 8; ++i)
        if (distance_at(s, pair, i / 8.0) < s->thickness)
            return true;
    return false;
}

static void check_contact(const scene *s, const pl__contact *c)
{
    double sum[3] = {0}, scale = 0;
    for (int d = 0; d < 3; ++d)
        for (int k = 0; k < 4; ++k)
        {
            sum[d] += c->weight[k] * s->x[3 * c->node[k] + d];
            scale = fmax(scale, fabs(s->x[3 * c->node[k] + d]));
        }
    for (int d = 0; d < 3; ++d)
        CHECK_NEAR(sum[d], c->distance * c->normal[d], 1e-14 * (1 + scale));
    CHECK_NEAR(c->normal[0] * c->normal[0] + c->normal[1] * c->normal[1] + c->normal[2] * c->normal[2], 1, 1e-14);
    CHECK_NEAR(c->weight[0] + c->weight[1] + c->weight[2] + c->weight[3], 0, 1e-15);
}

static void check_near(pl_context *ctx, scene *s, size_t at_least)
{
    memcpy(s->end, s->x, sizeof s->end);
    CHECK_OK(ctx, pl__pairs_near(s->pairs, s->x));
    list expected = all_pairs(s, surely_near), found = found_contacts(s);
    sort(&expected);
    CHECK_THAT(expected.count >= at_least, "only %zu pairs are near", expected.count);
    CHECK(repeated(&found) == 0);
    CHECK_THAT(missing(&expected, &found) == 0, "%d of %zu missing", missing(&expected, &found), expected.count);
    for (int32_t i = 0; i < s->pairs->contact_count; ++i)
    {
        check_contact(s, &s->pairs->contact[i]);
        CHECK(s->pairs->contact[i].distance < s->thickness);
    }
    CHECK(missing(&found, &expected) == 0 || found.count <= expected.count + 2); // two within 1e-12 would be a miracle
    free(expected.pair), free(found.pair);
}

static void check_motion(pl_context *ctx, scene *s)
{
    CHECK_OK(ctx, pl__pairs_find(s->pairs, &(pl__sweep){.x_start = s->x, .x_end = s->end, .margin = s->thickness}));
    list expected = all_pairs(s, comes_near), found = found_pairs(s);
    sort(&expected);
    CHECK(expected.count > 500 && repeated(&found) == 0);
    CHECK_THAT(missing(&expected, &found) == 0, "%d of %zu missing", missing(&expected, &found), expected.count);
    int far = 0, sharing = 0;
    for (size_t i = 0; i < found.count; ++i)
    {
        far += gap_of_boxes(s, &found.pair[i]) > s->thickness * (1 + 1e-12) + 1e-13;
        sharing += shares(found.pair[i].node, found.pair[i].kind == PL__EDGE_EDGE ? 2 : 1);
    }
    CHECK_THAT(far == 0 && sharing == 0, "%d far, %d sharing a node", far, sharing);
    free(expected.pair), free(found.pair);
}

static void what_is_near_is_found_in_soups(void)
{
    static scene s;
    host h;
    pl_context *ctx = host_context(&h);
    for (int round = 0; round < 3; ++round)
    {
        fill_soup(&s, 200 + 100 * round, 0.2 + 0.1 * round);
        CHECK_OK(ctx, build(ctx, &s));
        check_motion(ctx, &s);
        check_near(ctx, &s, 100);
        discard(&s);
    }
    pl_context_destroy(&ctx);
}

static void what_is_near_is_found_in_folds(void)
{
    static scene s;
    host h;
    pl_context *ctx = host_context(&h);
    for (int round = 0; round < 4; ++round)
    {
        fill_fold(&s, 20, 4 + round, 0.25 - 0.05 * round, 0.5 * round);
        CHECK_OK(ctx, build(ctx, &s));
        check_motion(ctx, &s);
        check_near(ctx, &s, 1000);
        discard(&s);
    }
    pl_context_destroy(&ctx);
}

// Layers that coincide, positions that differ in the last bit or not at all, all far from the origin.
static void what_coincides_is_found(void)
{
    static scene s;
    host h;
    pl_context *ctx = host_context(&h);
    fill_fold(&s, 16, 4, 0, 0);
    for (int32_t i = 0; i < 3 * s.node_count; ++i)
    {
        s.x[i] = nearbyint(s.x[i]) + (i % 3 == 0 ? 0x1p20 : 0);
        if (i % 7 == 0)
            s.x[i] = nextafter(s.x[i], INFINITY);
    }
    CHECK_OK(ctx, build(ctx, &s));
    check_near(ctx, &s, 1000);
    discard(&s);
    pl_context_destroy(&ctx);
}

// ---- closest points ------------------------------------------------------------------------------------------------

// How much nearer than the distance found two points of a grid over both things are; > 0 is wrong.
static double nearer(const double x[4][3], int kind, double found)
{
    double best = INFINITY;
    for (int i = 0; i <= 24; ++i)
        for (int k = 0; k <= (kind == PL__EDGE_EDGE ? 24 : 24 - i); ++k)
        {
            double u = i / 24.0, v = k / 24.0, square = 0;
            for (int d = 0; d < 3; ++d)
            {
                double gap = kind == PL__EDGE_EDGE
                                 ? x[0][d] - x[2][d] + u * (x[1][d] - x[0][d]) - v * (x[3][d] - x[2][d])
                                 : x[0][d] - x[1][d] - u * (x[2][d] - x[1][d]) - v * (x[3][d] - x[1][d]);
                square += gap * gap;
            }
            best = fmin(best, sqrt(square));
        }
    return found - best;
}

// Random, thin, parallel, nearly parallel, crossing, and without size.
static void place_pair(uint64_t n, double x[4][3])
{
    for (int i = 0; i < 12; ++i)
        x[i / 3][i % 3] = n % 3 ? uniform(n, (uint64_t)i) : floor(3 * uniform(n, (uint64_t)i));
    double tilt = n % 8 == 1 ? 1e-9 : n % 8 == 2 ? 1e-7 : n % 8 == 3 ? 1e-15 : 0;
    for (int d = 0; n % 8 < 4 && d < 3; ++d)
    {
        x[3][d] = x[2][d] + 0.7 * (x[1][d] - x[0][d]) + tilt * uniform(n, 20 + (uint64_t)d);
        if (n % 16 < 8)
            x[2][d] = x[0][d] + 1e-6 * uniform(n, 30 + (uint64_t)d);
    }
    if (n % 8 == 4)
        memcpy(x[3], x[2], sizeof x[3]);
    if (n % 8 == 5)
        memcpy(x[3], x[1], sizeof x[3]), memcpy(x[2], x[1], sizeof x[2]);
    if (n % 32 == 6)
        memcpy(x[1], x[0], sizeof x[1]), memcpy(x[3], x[2], sizeof x[3]);
}

static void check_weights(const double w[4], int kind)
{
    CHECK(w[0] >= 0 && w[2] <= 0 && w[3] <= 0 && (kind == PL__EDGE_EDGE ? w[1] >= 0 : w[1] <= 0));
    CHECK_NEAR(w[0] + (kind == PL__EDGE_EDGE ? w[1] : 0), 1, 1e-15);
    CHECK_NEAR(w[0] + w[1] + w[2] + w[3], 0, 1e-15);
}

static void nothing_is_nearer_than_the_closest_points(void)
{
    for (uint64_t n = 0; n < 20000; ++n)
        for (int kind = 0; kind < 2; ++kind)
        {
            double x[4][3];
            const double(*X)[3] = (const double(*)[3])x;
            pl__contact c;
            place_pair(n, x);
            if (kind == PL__EDGE_EDGE)
                pl__closest_edge_edge(X, &c);
            else
                pl__closest_vertex_face(X, &c);
            double by = nearer(X, kind, c.distance);
            CHECK_THAT(by < 4e-15, "pair %d of kind %d: nearer by %g", (int)n, kind, by);
            check_weights(c.weight, kind);
            // the weights lead where the distance says
            double square = 0;
            for (int d = 0; d < 3; ++d)
            {
                double sum =
                    c.weight[0] * x[0][d] + c.weight[1] * x[1][d] + c.weight[2] * x[2][d] + c.weight[3] * x[3][d];
                CHECK_NEAR(sum, c.distance * c.normal[d], 1e-14);
                square += c.normal[d] * c.normal[d];
            }
            CHECK_NEAR(square, 1, 1e-14);
        }
}

// Edges that nearly are parallel cross at a distance that is known.
static void crossing_at_a_small_angle(void)
{
    for (int i = 0; i < 40; ++i)
    {
        double angle = ldexp(1, -i), height = 0.01;
        double x[4][3] = {{-1, 0, height}, {1, 0, height}, {-1, -angle, 0}, {1, angle, 0}};
        pl__contact c;
        pl__closest_edge_edge((const double(*)[3])x, &c);
        CHECK_NEAR(c.distance, height, 1e-17);
        CHECK_NEAR(c.normal[2], 1, 1e-9);
    }
}

static void normals_of_things_that_touch(void)
{
    pl__contact c;
    const double in_face[4][3] = {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    pl__closest_vertex_face(in_face, &c);
    CHECK(c.distance == 0 && c.normal[0] == 0 && c.normal[1] == 0 && c.normal[2] == 1);
    const double below[4][3] = {{0.25, 0.25, -1e-14}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    pl__closest_vertex_face(below, &c);
    CHECK(c.normal[2] == -1);
    const double crossing[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
    pl__closest_edge_edge(crossing, &c);
    CHECK(c.distance == 0 && c.normal[2] == 1);
    const double in_line[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {2, 0, 0}};
    pl__closest_edge_edge(in_line, &c);
    CHECK(c.distance == 0 && c.normal[0] == 0);
    const double one_point[4][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    pl__closest_vertex_face(one_point, &c);
    CHECK(c.distance == 0 && c.normal[1] == 1);
}

// The wide form says what the plain one says, and the same for every width.
static void all_widths_are_alike(void)
{
    enum
    {
        PAIRS = 999
    };
    static double x[12 * PAIRS + 1];
    static pl__pair pair[PAIRS];
    static pl__contact contact[4][PAIRS];
    memset(contact, 0, sizeof contact);
    for (int kind = 0; kind < 2; ++kind)
    {
        for (int32_t n = 0; n < PAIRS; ++n)
        {
            double at[4][3];
            place_pair((uint64_t)n, at);
            memcpy(&x[12 * n], at, sizeof at);
            pair[n] = (pl__pair){{4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3}, kind};
        }
        int32_t count[4];
        int32_t widest = pl__cpu_register_bytes(NULL);
        for (int w = 0; w < 4; ++w)
        {
            int32_t bytes = w == 0 ? 0 : 8 << w;
            count[w] = PL_PICK(bytes <= widest ? bytes : 0, pl__closest_near)(x, pair, PAIRS, 0.5, contact[w]);
            CHECK(count[w] == count[0] && memcmp(contact[w], contact[0], sizeof contact[0]) == 0);
        }
        for (int32_t i = 0; i < count[0]; ++i)
        {
            pl__contact c;
            double at[4][3];
            memcpy(at, &x[3 * contact[0][i].node[0]], sizeof at);
            if (kind == PL__EDGE_EDGE)
                pl__closest_edge_edge((const double(*)[3])at, &c);
            else
                pl__closest_vertex_face((const double(*)[3])at, &c);
            CHECK_NEAR(contact[0][i].distance, c.distance, 1e-15);
        }
        CHECK(count[0] > PAIRS / 8 && count[0] < PAIRS);
    }
}

// ---- surfaces ------------------------------------------------------------------------------------------------------

static void surfaces_have_every_edge_once(void)
{
    static scene s;
    host h;
    pl_context *ctx = host_context(&h);
    fill_fold(&s, 9, 3, 0.2, 0);
    CHECK_OK(ctx, build(ctx, &s));
    const pl__surfaces *f = s.surfaces;
    CHECK(f->vertex_count - f->edge_count + f->triangle_count == 1); // Euler, of a disc
    int border = 0;
    for (int32_t e = 0; e < f->edge_count; ++e)
        border += f->edge[e].triangle[1] < 0;
    CHECK(border == 4 * 9);
    for (int32_t t = 0; t < f->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
        {
            const pl__surface_edge *e = &f->edge[f->triangle_edge[3 * t + k]];
            int32_t a = f->triangle[3 * t + k], b = f->triangle[3 * t + (k + 1) % 3];
            CHECK(e->node[0] == (a < b ? a : b) && e->node[1] == (a < b ? b : a));
            CHECK(e->triangle[0] == t || e->triangle[1] == t);
        }
    discard(&s);
    pl_context_destroy(&ctx);
}

static void check_refused(pl_context *ctx, const pl__surface_part *part, int32_t count, const char *word)
{
    pl__surfaces *surfaces;
    CHECK(pl__surfaces_create(ctx, part, count, &surfaces) == PL_ERR_ARGUMENT && !surfaces);
    CHECK_THAT(strstr(pl_context_error(ctx), word), "%s", pl_context_error(ctx));
}

static void bad_surfaces_are_refused(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    const int32_t good[3] = {0, 1, 2}, twice[3] = {3, 4, 3}, negative[3] = {5, -1, 6}, touching[3] = {2, 3, 4};
    pl__surface_part a = {1, 1, good, 0, true}, b = {2, 1, twice, 0, true};
    check_refused(ctx, (pl__surface_part[]){a, b}, 2, "twice");
    b.triangle = negative;
    check_refused(ctx, (pl__surface_part[]){a, b}, 2, "-1");
    b.triangle = touching;
    check_refused(ctx, (pl__surface_part[]){a, b}, 2, "node 2 is part of bodies 1 and 2");
    b.body = 1;
    check_refused(ctx, (pl__surface_part[]){a, b}, 2, "two surfaces");
    a.thickness = NAN;
    check_refused(ctx, &a, 1, "thickness");
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static int64_t contacts_between(const pl__pairs *p, int32_t first_node)
{
    int64_t count = 0;
    for (int32_t i = 0; i < p->contact_count; ++i)
        count += (p->contact[i].node[0] < first_node) != (p->contact[i].node[3] < first_node);
    return count;
}

// Edges of two bodies that are nearer than the mean thickness of both.
static int32_t near_edges(const pl__surfaces *f, const double *x)
{
    int32_t count = 0;
    for (int32_t d = 0; d < f->edge_count; ++d)
        for (int32_t e = d + 1; e < f->edge_count; ++e)
        {
            const int32_t *m = f->edge[d].node, *n = f->edge[e].node, node[4] = {m[0], m[1], n[0], n[1]};
            int32_t p = f->vertex_part[f->node_vertex[m[0]]], q = f->vertex_part[f->node_vertex[n[0]]];
            double at[4][3];
            pl__contact c;
            for (int k = 0; k < 4; ++k)
                memcpy(at[k], &x[3 * node[k]], sizeof at[k]);
            pl__closest_edge_edge((const double(*)[3])at, &c);
            count += !shares(node, 2) && c.distance < 0.5 * (f->thickness[p] + f->thickness[q]);
        }
    return count;
}

// Four sheets on each other, with thicknesses of their own.
static void bodies_collide_when_they_should(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    enum
    {
        SIDE = 6,
        NODES = 49,
        CELLS = 36
    };
    static const double height[4] = {0, 0.2, 0.46, 0.66}, thickness[4] = {0.25, 0.25, 0.3, 0.05};
    static int32_t triangle[4][6 * CELLS];
    static double x[12 * NODES + 1];
    pl__surface_part part[4];
    for (int32_t b = 0; b < 4; ++b)
    {
        for (int32_t i = 0, *t = triangle[b]; i < CELLS; ++i, t += 6)
        {
            int32_t a = b * NODES + i / SIDE * 7 + i % SIDE;
            memcpy(t, (int32_t[]){a, a + 1, a + 7, a + 1, a + 8, a + 7}, 6 * sizeof *t);
        }
        for (int32_t i = 0; i < NODES; ++i)
            memcpy(&x[3 * (b * NODES + i)], (double[]){i % 7, i / 7, height[b]}, 3 * sizeof *x);
        part[b] = (pl__surface_part){10 * b, 2 * CELLS, triangle[b], thickness[b], true};
    }
    pl__surfaces *s;
    pl__tree *tree;
    pl__pairs *pairs;
    CHECK_OK(ctx, pl__surfaces_create(ctx, part, 4, &s));
    CHECK_OK(ctx, pl__tree_create(s, x, &tree));
    CHECK_OK(ctx, pl__pairs_create(tree, &pairs));
    CHECK_OK(ctx, pl__pairs_near(pairs, x));
    // 0.2 is within (0.25 + 0.25) / 2, 0.26 within (0.25 + 0.3) / 2, 0.2 not within (0.3 + 0.05) / 2
    CHECK(contacts_between(pairs, NODES) > NODES && contacts_between(pairs, 2 * NODES) > NODES);
    CHECK(contacts_between(pairs, 3 * NODES) == 0);
    CHECK(pairs->contact_count - pairs->contact_vertex_face_count == near_edges(s, x));
    CHECK_OK(ctx, pl__surfaces_set_collide(s, 10, 0, false));
    CHECK_OK(ctx, pl__pairs_near(pairs, x));
    CHECK(contacts_between(pairs, NODES) == 0 && contacts_between(pairs, 2 * NODES) == pairs->contact_count);
    CHECK_OK(ctx, pl__pairs_find(pairs, &(pl__sweep){.x_start = x, .x_end = x, .margin = 0.3}));
    int between = 0;
    for (int32_t i = 0; i < pairs->pair_count; ++i)
        between += pairs->pair[i].node[0] / NODES + pairs->pair[i].node[3] / NODES == 1;
    CHECK(between == 0 && pairs->pair_count > 0);
    CHECK(pl__surfaces_set_collide(s, 10, 3, true) == PL_ERR_ARGUMENT);
    pl__pairs_destroy(&pairs);
    pl__tree_destroy(&tree);
    pl__surfaces_destroy(&s);
    pl_context_destroy(&ctx);
}

static void nothing_is_found_in_nothing(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    pl__surfaces *s;
    pl__tree *tree;
    pl__pairs *pairs;
    const double x[1] = {0};
    CHECK_OK(ctx, pl__surfaces_create(ctx, NULL, 0, &s));
    CHECK_OK(ctx, pl__tree_create(s, x, &tree));
    CHECK_OK(ctx, pl__pairs_create(tree, &pairs));
    CHECK_OK(ctx, pl__pairs_near(pairs, x));
    CHECK(pairs->contact_count == 0);
    pl__pairs_destroy(&pairs);
    pl__tree_destroy(&tree);
    pl__surfaces_destroy(&s);
    pl_context_destroy(&ctx);
}

// ---- the same whatever happens -------------------------------------------------------------------------------------

// Everything overlaps everything: more near leaves than are listed at a time.
static void count_pairs(void *argument, int32_t chunk, const pl__pair *pair, int32_t count, double within)
{
    int64_t *counts = argument;
    CHECK(within == 10);
    counts[2 * chunk + pair->kind] += count;
}

static void crowds_are_counted_in_full(void)
{
    static scene s;
    static int64_t counts[2 * MOST_TRIANGLES];
    host h;
    pl_context *ctx = host_context(&h);
    int64_t n = MOST_TRIANGLES - 100, total[2] = {0};
    CHECK(n / PL__LEAF_TRIANGLES > PL__NEAR_MOST);
    fill_soup(&s, (int32_t)n, 0.1);
    CHECK_OK(ctx, build(ctx, &s));
    pl__tree_refit(s.tree, &(pl__sweep){.x_start = s.x, .x_end = s.x, .margin = 10});
    pl__pairs_visit(s.tree, &(pl__pair_sink){count_pairs, counts});
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        total[i % 2] += counts[i];
    CHECK(total[PL__VERTEX_FACE] == 3 * n * (n - 1));
    CHECK(total[PL__EDGE_EDGE] == 9 * n * (n - 1) / 2);
    discard(&s);
    pl_context_destroy(&ctx);
}

typedef struct
{
    pl__pair *pair;
    pl__contact *contact;
    int32_t pair_count, contact_count;
} result;

static result run(pl_context *ctx, scene *s)
{
    CHECK_OK(ctx,
             pl__pairs_find(s->pairs, &(pl__sweep){.x_start = s->x, .x_end = s->end, .margin = 0.05, .thick = true}));
    CHECK_OK(ctx, pl__pairs_near(s->pairs, s->x));
    const pl__pairs *p = s->pairs;
    size_t pair_bytes = (size_t)p->pair_count * sizeof(pl__pair),
           contact_bytes = (size_t)p->contact_count * sizeof(pl__contact);
    result r = {malloc(pair_bytes + 1), malloc(contact_bytes + 1), p->pair_count, p->contact_count};
    memcpy(r.pair, p->pair, pair_bytes);
    memcpy(r.contact, p->contact, contact_bytes);
    return r;
}

static bool alike(const result *a, const result *b)
{
    return a->pair_count == b->pair_count && a->contact_count == b->contact_count &&
           memcmp(a->pair, b->pair, (size_t)a->pair_count * sizeof *a->pair) == 0 &&
           memcmp(a->contact, b->contact, (size_t)a->contact_count * sizeof *a->contact) == 0;
}

static void forget(result *r) { free(r->pair), free(r->contact); }

static void threads_and_widths_change_no_bit(void)
{
    static scene s;
    result first = {0};
    for (int round = 0; round < 5; ++round)
    {
        pl_context_def def = pl_context_def_default();
        def.thread_count = round < 3 ? round + 1 : 2;
        pl_context *ctx;
        if (pl_context_create(&def, &ctx) != PL_OK)
            abort();
        if (round >= 3)
            ctx->register_bytes = round == 3 ? 0 : ctx->register_bytes < 16 ? ctx->register_bytes : 16;
        fill_fold(&s, 34, 5, 0.2, 0.4);
        CHECK_OK(ctx, build(ctx, &s));
        result r = run(ctx, &s);
        if (round == 0)
            first = r;
        CHECK(alike(&first, &r) && r.contact_count > 1000);
        if (round > 0)
            forget(&r);
        discard(&s);
        pl_context_destroy(&ctx);
    }
    forget(&first);
}

// Bunches of eight triangles in a row, each a leaf; `stride` says which bunch is where.
static void place_bunches(scene *s, int32_t count, int32_t stride)
{
    for (int32_t i = 0; i < 24 * count; ++i)
        for (int k = 0; k < 3; ++k)
        {
            int32_t at = (int32_t)((int64_t)(i / 24) * stride % count);
            s->x[3 * i + k] = (k == 0 ? 0.15 * at : 0) + 0.05 * uniform(6, (uint64_t)(3 * i + k));
        }
}

// A tree that has seen other shapes, and was made anew for them, finds what a new one finds, in the same order.
static void the_past_changes_no_bit(void)
{
    enum
    {
        BUNCHES = 250
    };
    static scene s;
    host h;
    pl_context *ctx = host_context(&h);
    fill_soup(&s, 8 * BUNCHES, 0.1);
    place_bunches(&s, BUNCHES, 1);
    copy_positions(&s);
    CHECK_OK(ctx, build(ctx, &s));
    result before = run(ctx, &s);
    CHECK(s.tree->build_count == 1 && before.contact_count > 1000);
    place_bunches(&s, BUNCHES, 37);
    CHECK_OK(ctx, pl__pairs_near(s.pairs, s.x));
    CHECK(s.tree->build_count == 2);
    place_bunches(&s, BUNCHES, 1);
    result after = run(ctx, &s);
    CHECK(s.tree->build_count == 3 && alike(&before, &after));
    forget(&before), forget(&after);
    discard(&s);
    pl_context_destroy(&ctx);
}

// Nor does a hierarchy that was made for the flat sheet and has been kept since.
static void an_old_hierarchy_changes_no_bit(void)
{
    static scene s;
    host h;
    pl_context *ctx = host_context(&h);
    fill_fold(&s, 34, 5, 0.2, 0.4);
    CHECK_OK(ctx, build(ctx, &s));
    result fresh = run(ctx, &s);
    discard(&s);
    CHECK_OK(ctx, build(ctx, &s));
    CHECK_OK(ctx, pl__pairs_near(s.pairs, s.rest));
    CHECK(s.pairs->contact_count == 0);
    result old = run(ctx, &s);
    CHECK(s.tree->build_count == 1 && alike(&fresh, &old));
    forget(&fresh), forget(&old);
    discard(&s);
    pl_context_destroy(&ctx);
}

static void a_second_call_allocates_nothing(void)
{
    static scene s;
    host h;
    pl_context *ctx = host_context(&h);
    fill_fold(&s, 30, 5, 0.2, 0.4);
    CHECK_OK(ctx, build(ctx, &s));
    result first = run(ctx, &s);
    int64_t allocations = ctx->allocation_count;
    result second = run(ctx, &s);
    CHECK(ctx->allocation_count == allocations);
    forget(&first), forget(&second);
    discard(&s);
    pl_context_destroy(&ctx);
}

static pl_status attempt(pl_context *ctx)
{
    static scene s;
    fill_fold(&s, 10, 4, 0.2, 0.4);
    pl_status status = build(ctx, &s);
    if (status == PL_OK)
        status = pl__pairs_find(s.pairs, &(pl__sweep){.x_start = s.x, .x_end = s.end, .margin = 0.05});
    if (status == PL_OK)
        status = pl__pairs_near(s.pairs, s.x);
    if (s.pairs && status != PL_OK)
        CHECK(s.pairs->contact_count == 0);
    discard(&s);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) > 40); }

// A vertex beside a corner, aslant: from 2^-40 of the longest edge on its normal is the way to it, below that the
// triangle's. Pairs that kernels find have the same.
static void short_offsets_have_no_direction(void)
{
    pl_context *ctx = test_context(1);
    for (int near = 0; near < 2; ++near)
    {
        double d = (near ? 0.99 : 1.01) * 0x1p-40 * sqrt(0.5);
        const double x[13] = {-d, d, 0, 0, 0, -0.5, 0, 0, 0.5, 0.5, 0, 0};
        double corner[4][3];
        pl__contact c, found = {0};
        const pl__pair pair = {.node = {0, 1, 2, 3}, .kind = PL__VERTEX_FACE};
        memcpy(corner, x, sizeof corner);
        pl__closest_vertex_face((const double(*)[3])corner, &c);
        CHECK_NEAR(c.normal[0], near ? 0 : -sqrt(0.5), 1e-12);
        CHECK_NEAR(c.normal[1], near ? 1 : sqrt(0.5), 1e-12);
        CHECK(PL_PICK(ctx->register_bytes, pl__closest_near)(x, &pair, 1, 1, &found) == 1);
        CHECK(memcmp(found.normal, c.normal, sizeof c.normal) == 0);
    }
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(surfaces_have_every_edge_once),
        TEST(bad_surfaces_are_refused),
        TEST(nothing_is_found_in_nothing),
        TEST(nothing_is_nearer_than_the_closest_points),
        TEST(crossing_at_a_small_angle),
        TEST(normals_of_things_that_touch),
        TEST(all_widths_are_alike),
        TEST(what_is_near_is_found_in_soups),
        TEST(what_is_near_is_found_in_folds),
        TEST(what_coincides_is_found),
        TEST(bodies_collide_when_they_should),
        TEST(crowds_are_counted_in_full),
        TEST(threads_and_widths_change_no_bit),
        TEST(the_past_changes_no_bit),
        TEST(an_old_hierarchy_changes_no_bit),
        TEST(a_second_call_allocates_nothing),
        TEST(every_failed_allocation_is_survived),
        TEST(short_offsets_have_no_direction),
    };
    return RUN(tests);
}
