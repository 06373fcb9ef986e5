// src/mesh/winding.c -- the generalised winding number, summed hierarchically.
//
// The winding number of a triangle soup at q is the sum of the signed solid angles of its triangles over 4 pi
// (Jacobson, Kavan, Sorkine-Hornung 2013). It is 1 inside and 0 outside a closed surface, adds up over overlapping
// parts, and passes smoothly through 1/2 in a hole. As an integral over the surface it is the far field of dipoles,
//
//     w(q) = 1/(4 pi) int g(y - q) . n dA,   g(x) = x / |x|^3,
//
// so a distant bunch of triangles with centre c is nearly (Barill, Dickson, Schmidt, Levin, Jacobson 2018)
//
//     4 pi w = N . g(c - q) + M : Dg(c - q),   N = sum A n,  M = sum A n (x) (m - c),   Dg = I/r^3 - 3 x x^T / r^5,
//
// m being the triangles' centroids. A node is approximated as a whole if q is farther than `ratio` radii from its
// centre; the error falls with ratio^-3 (on a finely meshed torus 0.05 at 2, 0.0025 at 5). Only the comparison with
// 1/2 matters, so a result near 1/2 is recomputed with a larger ratio, and one nearer still once more.
//
// What it does badly: single inverted triangles act as holes of twice their size.
#include "winding.h"
#include "point.h"

enum
{
    STACK_SIZE = 64
};

static const double pi = 3.14159265358979323846;

// Signed solid angle of a triangle seen from the origin (Van Oosterom & Strackee 1983). Zero seen from its own plane.
double pl__solid_angle(const double a[3], const double b[3], const double c[3])
{
    double bc[3];
    pl__cross3(b, c, bc);
    double la = pl__length3(a), lb = pl__length3(b), lc = pl__length3(c);
    double volume = pl__dot3(a, bc);
    double scale = la * lb * lc + pl__dot3(a, b) * lc + pl__dot3(b, c) * la + pl__dot3(c, a) * lb;
    return volume == 0 ? 0 : 2 * atan2(volume, scale);
}

static double leaf_angle(const pl__bvh *bvh, const pl__bvh_node *node, const double q[3])
{
    double sum = 0;
    for (int32_t i = node->begin; i < node->end; ++i)
    {
        const double *c = &bvh->corner[9 * (size_t)i];
        double x[3][3];
        for (int k = 0; k < 3; ++k)
            pl__sub3(c + 3 * k, q, x[k]);
        sum += pl__solid_angle(x[0], x[1], x[2]);
    }
    return sum;
}

static double far_angle(const pl__winding_node *node, const double x[3], double r2)
{
    double r3 = r2 * sqrt(r2), trace = 0, bend = 0;
    for (int i = 0; i < 3; ++i)
    {
        trace += node->quadrupole[4 * i];
        for (int j = 0; j < 3; ++j)
            bend += x[i] * node->quadrupole[3 * i + j] * x[j];
    }
    return (pl__dot3(node->dipole, x) + trace - 3 * bend / r2) / r3;
}

static double winding_number(const pl__winding *winding, const double q[3], double ratio)
{
    const pl__bvh *bvh = winding->bvh;
    double sum = 0;
    int32_t top = 0, stack[STACK_SIZE];
    stack[top++] = 0;
    while (top > 0)
    {
        int32_t n = stack[--top];
        const pl__winding_node *far = &winding->node[n];
        double x[3];
        pl__sub3(far->center, q, x);
        double r2 = pl__dot3(x, x), reach = ratio * far->radius;
        if (r2 > reach * reach && r2 > 0)
            sum += far_angle(far, x, r2);
        else if (!bvh->node[n].second_child)
            sum += leaf_angle(bvh, &bvh->node[n], q);
        else
        {
            stack[top++] = bvh->node[n].second_child;
            stack[top++] = n + 1;
        }
    }
    return sum / (4 * pi);
}

double pl__winding_number(const pl__winding *winding, const double query[3], double side)
{
    double q[3];
    pl__sub3(query, winding->bvh->center, q);
    double w = side * winding_number(winding, q, 2);
    if (fabs(w - 0.5) < 0.2)
        w = side * winding_number(winding, q, 5);
    if (fabs(w - 0.5) < 0.02)
        w = side * winding_number(winding, q, 20);
    return w;
}

double pl__winding_number_exact(const pl__winding *winding, const double query[3])
{
    double q[3];
    pl__sub3(query, winding->bvh->center, q);
    return leaf_angle(winding->bvh, &winding->bvh->node[0], q) / (4 * pi);
}

// ---- moments -----------------------------------------------------------------------------------------------

static void area_vector(const double *c, double out[3])
{
    double e0[3], e1[3];
    pl__sub3(c + 3, c, e0);
    pl__sub3(c + 6, c, e1);
    pl__cross3(e0, e1, out);
    for (int d = 0; d < 3; ++d)
        out[d] *= 0.5;
}

// Moments directly from the triangles: n log n in all, without shifting centres.
static void fill_node(const pl__bvh *bvh, const pl__bvh_node *box, pl__winding_node *node)
{
    double total = 0;
    *node = (pl__winding_node){.radius = 0};
    for (int32_t i = box->begin; i < box->end; ++i)
    {
        const double *c = &bvh->corner[9 * (size_t)i];
        double n[3];
        area_vector(c, n);
        double area = pl__length3(n);
        total += area;
        for (int d = 0; d < 3; ++d)
            node->center[d] += area * (c[d] + c[3 + d] + c[6 + d]) / 3;
    }
    for (int d = 0; d < 3; ++d)
        node->center[d] = total > 0 ? node->center[d] / total : 0.5 * (box->lower[d] + box->upper[d]);
    for (int32_t i = box->begin; i < box->end; ++i)
    {
        const double *c = &bvh->corner[9 * (size_t)i];
        double n[3];
        area_vector(c, n);
        for (int d = 0; d < 3; ++d)
        {
            node->dipole[d] += n[d];
            for (int e = 0; e < 3; ++e)
                node->quadrupole[3 * d + e] += n[d] * ((c[e] + c[3 + e] + c[6 + e]) / 3 - node->center[e]);
        }
        for (int k = 0; k < 3; ++k)
            node->radius = pl__max(node->radius, pl__distance_squared3(c + 3 * k, node->center));
    }
    node->radius = sqrt(node->radius);
}

pl_status pl__winding_create(const pl__bvh *bvh, pl__winding **result)
{
    *result = NULL;
    pl__winding *winding = PL_NEW(bvh->ctx, 1, pl__winding);
    if (!winding)
        return PL_ERR_MEMORY;
    winding->bvh = bvh;
    winding->node = PL_NEW(bvh->ctx, bvh->node_count, pl__winding_node);
    if (!winding->node)
    {
        pl__winding_destroy(&winding);
        return PL_ERR_MEMORY;
    }
    for (int32_t n = 0; n < bvh->node_count; ++n)
        fill_node(bvh, &bvh->node[n], &winding->node[n]);
    *result = winding;
    return PL_OK;
}

void pl__winding_destroy(pl__winding **winding)
{
    pl__winding *w = *winding;
    if (!w)
        return;
    pl_context *ctx = w->bvh->ctx;
    PL_DELETE(ctx, w->node, w->bvh->node_count);
    PL_DELETE(ctx, w, 1);
    *winding = NULL;
}
