// src/mesh/shape.c -- primitive shapes: definition, checks and dispatch.
//
// Solids of tetrahedra are blocks of cells mapped into shape (shape_tets.c), solids of hexahedra are cut out of a
// regular grid (shape_voxels.c), and triangle surfaces are grids and rings mapped into shape (shape_triangles.c).
#include "base/file.h"
#include "shape.h"
#include "base/cpu.h"
#include "topology.h"

#include <math.h>
#include <stdio.h>

enum
{
    SHAPE_COOKIE = 0x506c5332
};

// ---- definition --------------------------------------------------------------------------------------------

pl_shape_def pl_shape_def_default(void)
{
    return (pl_shape_def){
        .kind = PL_SHAPE_BOX,
        .extent = {1, 1, 1},
        .radius = 0.5,
        .tube = 0.2,
        .edge = 0.1,
        .cut = PL_CUT_BCC,
        .elements = PL_ELEMENT_TET,
        .pattern = PL_PATTERN_ALTERNATING,
        .cookie = SHAPE_COOKIE,
    };
}

static pl_status check_positive(pl_context *ctx, const char *field, double value)
{
    PL_CHECK(ctx, value >= 1e-300 && value <= 1e300, "pl_mesh_create_shape: %s is %g, allowed is 1e-300 to 1e300",
             field, value);
    return PL_OK;
}

// Which of extent[0], [1], [2], radius and tube a kind of shape has, as bits; and whether it is flat, or triangles
// only.
enum
{
    X = 1,
    Y = 2,
    Z = 4,
    RADIUS = 8,
    TUBE = 16,
    FLAT = 32,
    TRIANGLES_ONLY = 64
};
static const struct
{
    const char *name;
    int has;
} kinds[] = {
    [PL_SHAPE_BOX] = {"box", X | Y | Z},
    [PL_SHAPE_SPHERE] = {"sphere", RADIUS},
    [PL_SHAPE_TORUS] = {"torus", RADIUS | TUBE},
    [PL_SHAPE_CYLINDER] = {"cylinder", Y | RADIUS},
    [PL_SHAPE_SHEET] = {"sheet", X | Z | FLAT | TRIANGLES_ONLY},
    [PL_SHAPE_DISK] = {"disk", RADIUS | FLAT | TRIANGLES_ONLY},
    [PL_SHAPE_TUBE] = {"tube", Y | RADIUS | TRIANGLES_ONLY},
    [PL_SHAPE_HALF_TORUS] = {"half torus", RADIUS | TUBE | TRIANGLES_ONLY},
    [PL_SHAPE_RECTANGLE] = {"rectangle", X | Y | FLAT | TRIANGLES_ONLY},
};

static pl_status check_sizes(pl_context *ctx, const pl_shape_def *def)
{
    static const char *const extent_name[3] = {"extent[0]", "extent[1]", "extent[2]"};
    int has = kinds[def->kind].has;
    for (int i = 0; i < 3; ++i)
        if (has >> i & 1)
            PL_TRY(check_positive(ctx, extent_name[i], def->extent[i]));
    if (has & RADIUS)
        PL_TRY(check_positive(ctx, "radius", def->radius));
    if (has & TUBE)
        PL_CHECK(ctx, def->tube > 0 && def->tube < def->radius,
                 "pl_mesh_create_shape: tube is %g, allowed is > 0 and < radius, which is %g", def->tube, def->radius);
    return check_positive(ctx, "edge", def->edge);
}

static pl_status check_elements(pl_context *ctx, const pl_shape_def *def)
{
    int has = kinds[def->kind].has;
    PL_CHECK(ctx, (int)def->elements >= PL_ELEMENT_TET && (int)def->elements <= PL_ELEMENT_TRIANGLE,
             "pl_mesh_create_shape: elements is %d, allowed is %d to %d", (int)def->elements, PL_ELEMENT_TET,
             PL_ELEMENT_TRIANGLE);
    PL_CHECK(ctx, def->elements == PL_ELEMENT_TRIANGLE || !(has & TRIANGLES_ONLY),
             "pl_mesh_create_shape: a %s has no volume to fill; set elements to PL_ELEMENT_TRIANGLE",
             kinds[def->kind].name);
    if (def->kind == PL_SHAPE_BOX && def->elements == PL_ELEMENT_TET)
        PL_CHECK(ctx, (int)def->cut >= PL_CUT_FIVE && (int)def->cut <= PL_CUT_BCC,
                 "pl_mesh_create_shape: cut is %d, allowed is %d to %d", (int)def->cut, PL_CUT_FIVE, PL_CUT_BCC);
    if (has & FLAT)
        PL_CHECK(ctx, (int)def->pattern >= PL_PATTERN_ALTERNATING && (int)def->pattern <= PL_PATTERN_IRREGULAR,
                 "pl_mesh_create_shape: pattern is %d, allowed is %d to %d", (int)def->pattern, PL_PATTERN_ALTERNATING,
                 PL_PATTERN_IRREGULAR);
    PL_CHECK(ctx, def->jitter >= 0 && def->jitter <= 0.3, "pl_mesh_create_shape: jitter is %g, allowed is 0 to 0.3",
             def->jitter);
    PL_CHECK(ctx, def->jitter == 0 || def->elements != PL_ELEMENT_TRIANGLE || has & FLAT,
             "pl_mesh_create_shape: jitter is %g, but all nodes of the triangles of a %s are on its surface, where "
             "they stay; allowed is 0",
             def->jitter, kinds[def->kind].name);
    return PL_OK;
}

static pl_status check_def(pl_context *ctx, const pl_shape_def *def)
{
    PL_CHECK(ctx, def->cookie == SHAPE_COOKIE, "pl_mesh_create_shape: cookie is %#x, start from pl_shape_def_default()",
             def->cookie);
    PL_CHECK(ctx, (int)def->kind >= PL_SHAPE_BOX && (int)def->kind <= PL_SHAPE_RECTANGLE,
             "pl_mesh_create_shape: kind is %d, allowed is %d to %d", (int)def->kind, PL_SHAPE_BOX, PL_SHAPE_RECTANGLE);
    PL_TRY(check_sizes(ctx, def));
    return check_elements(ctx, def);
}

// ---- shared ------------------------------------------------------------------------------------------------------

double pl__cells_along(double length, double edge, double least) { return fmax(least, floor(length / edge + 0.5)); }

static const double many_elements = 5e5; // from here on a log message is worth it

// Suggest an edge length that gives few enough elements: slightly larger than necessary, since cell counts are
// integers and two digits are printed.
static void tell_fitting_edge(const pl_shape_def *def, double excess, char words[64])
{
    double edge = 1.06 * def->edge * (def->elements == PL_ELEMENT_TRIANGLE ? sqrt(excess) : cbrt(excess));
    words[0] = 0;
    if (isfinite(edge))
        snprintf(words, 64, ", so it must be about %.2g or more", edge);
}

// Memory per simulated element, with its share of nodes and of the surface: measured for boxes of 49 and 393 thousand
// tetrahedra, 8 and 64 thousand hexahedra and a sheet of 80 thousand triangles (pliant check).
static const double bytes_each[] = {[PL_ELEMENT_TET] = 540, [PL_ELEMENT_HEX] = 2800, [PL_ELEMENT_TRIANGLE] = 2100};

// Before anything is allocated: whether the machine can hold it.
static pl_status check_memory(pl_context *ctx, const pl_shape_def *def, double elements)
{
    double memory = (double)pl__memory_bytes(), needed = bytes_each[def->elements] * elements;
    char fitting[64];
    tell_fitting_edge(def, needed / memory, fitting);
    if (!(needed <= memory))
        return pl__fail_about(
            ctx,
            pl__fail(ctx, PL_ERR_ARGUMENT,
                     "pl_mesh_create_shape: edge is %g, which is too small: %.3g %s would take about %.3g GB, and this "
                     "machine has %.3g GB%s",
                     def->edge, elements, pl__element_forms[def->elements].many, 1e-9 * needed, 1e-9 * memory, fitting),
            "edge");
    if (elements > many_elements)
        pl__log(ctx, PL_LOG_NOTE, "about %.2g %s are made, which takes a while", elements,
                pl__element_forms[def->elements].many);
    return PL_OK;
}

pl_status pl__shape_check_count(pl_context *ctx, const pl_shape_def *def, double nodes, double elements)
{
    int32_t most = pl__max_elements(def->elements);
    char fitting[64];
    tell_fitting_edge(def, fmax(nodes / PL__MAX_NODES, elements / most), fitting);
    if (!(nodes <= PL__MAX_NODES && elements <= most))
        return pl__fail_about(
            ctx,
            pl__fail(
                ctx, PL_ERR_ARGUMENT,
                "pl_mesh_create_shape: edge is %g, which is too small: %.3g nodes and %.3g %s, allowed are %d and %d%s",
                def->edge, nodes, elements, pl__element_forms[def->elements].many, PL__MAX_NODES, most, fitting),
            "edge");
    return check_memory(ctx, def, elements);
}

void pl__sine_cosine(int64_t numerator, int64_t denominator, double *sine, double *cosine)
{
    const double pi = 3.14159265358979323846;
    int64_t quarter = 4 * numerator / denominator;
    double angle = pi / 2 * (double)(4 * numerator - quarter * denominator) / (double)denominator;
    double square = angle * angle, s = 1, c = 1;
    for (int k = 11; k >= 1; --k)
    {
        s = 1 - s * square / (2 * k * (2 * k + 1));
        c = 1 - c * square / (2 * k * (2 * k - 1));
    }
    s *= angle;
    const double turned[5] = {s, c, -s, -c, s};
    *sine = turned[quarter % 4];
    *cosine = turned[quarter % 4 + 1];
}

// ---- making --------------------------------------------------------------------------------------------------

static pl_status create_shape(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh)
{
    *mesh = NULL;
    PL_CHECK(ctx, def, "pl_mesh_create_shape: the definition is NULL");
    PL_TRY(check_def(ctx, def));
    if (def->elements == PL_ELEMENT_HEX)
        return pl__shape_voxels(ctx, def, mesh);
    return def->elements == PL_ELEMENT_TET ? pl__shape_tets(ctx, def, mesh) : pl__shape_triangles(ctx, def, mesh);
}

// In our own floating-point environment, so that the host's cannot change a bit of a shape.
pl_status pl_mesh_create_shape(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh)
{
    if (!ctx || !mesh)
        return PL_ERR_ARGUMENT;
    uint64_t host = pl__fp_enter();
    pl_status status = create_shape(ctx, def, mesh);
    pl__fp_leave(host);
    return status;
}
