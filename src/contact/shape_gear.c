// src/contact/shape_gear.c -- gear wheels: teeth that roll on each other.
//
// The gap of a gear is what a rack with straight flanks cuts out of it while it rolls on the pitch circle of radius R.
// With the rack's tooth at depth t below the pitch line of half width w(t) = w_0 - t tan(alpha), the gear's point at
// radius r that passes under the angle psi is cut away up to the angle
//
//     theta(psi) = psi - (r sin(psi) - w(R - r cos(psi))) / R     from the middle of the gap,
//
// for |psi| <= acos((R - D)/r), beyond which the rack, D deep, does not reach. theta is greatest at psi = alpha -
// acos(R cos(alpha)/r), which gives the involute, or where the corner of the rack's tooth passes, psi = acos((R -
// D)/r), which gives the fillet and the undercut of wheels with few teeth. Two wheels that are both conjugate to one
// rack are conjugate to each other: they never overlap, whatever their numbers of teeth (Litvin & Fuentes, Gear
// Geometry and Applied Theory, chapters 6 and 10).
//
// Teeth are stubs (0.8 modules above the pitch circle, 1 below), so that three teeth are still possible, and 0.04
// modules thinner than gaps. The outline is a polygon with its corners on these curves. A point is turned and mirrored
// into half a tooth and half a gap, where its nearest neighbour on the outline must be too: reflections map the others
// there, and nearer.
#include "shape.h"
#include "base/real_math.h"
#include "mesh/point.h"

enum
{
    TIP = PL__GEAR_TIP,
    FLANK = PL__GEAR_FLANK,
    ROOT = PL__GEAR_ROOT
};

static const double addendum = 0.8, dedendum = 1.0, backlash = 0.04;
static const double pi = 3.141592653589793;

static double pitch_radius(const pl_object_def *d) { return 0.5 * d->module * d->teeth; }

double pl__gear_largest_bore(const pl_object_def *d)
{
    double sine, cosine;
    pl__real_sincos(pi / d->teeth, &sine, &cosine);
    return (pitch_radius(d) - dedendum * d->module) * cosine - 0.05 * d->module;
}

static double arc_cosine(double c) { return c >= 1 ? 0 : pl__real_atan2(sqrt((1 - c) * (1 + c)), c); }

// theta(psi) at radius r, in units of the module.
static double cut_angle(double R, double r, double slope, double psi)
{
    double sine, cosine;
    pl__real_sincos(psi, &sine, &cosine);
    double half_width = pi / 4 + 0.5 * backlash - (R - r * cosine) * slope;
    return psi - (r * sine - half_width) / R;
}

// Half the angle of a tooth at radius r.
static double tooth_angle(const pl_object_def *d, double r)
{
    double R = 0.5 * d->teeth, alpha = d->pressure_angle * (pi / 180), sine, cosine;
    pl__real_sincos(alpha, &sine, &cosine);
    double slope = sine / cosine, reach = arc_cosine((R - dedendum) / r), gap = cut_angle(R, r, slope, reach);
    double base = R * cosine;
    if (r >= base)
    {
        double psi = alpha - arc_cosine(base / r);
        if (fabs(psi) <= reach)
            gap = pl__max(gap, cut_angle(R, r, slope, psi));
    }
    return pi / d->teeth - gap;
}

static void put(pl__outline *o, int32_t i, double scale, double r, double angle)
{
    double sine, cosine;
    pl__real_sincos(angle, &sine, &cosine);
    o->point[2 * i] = scale * r * cosine, o->point[2 * i + 1] = scale * r * sine;
}

// From the middle of a tip down to the middle of a gap; then closed around the hub, with some room beyond the cut.
static void draw_outline(pl__outline *o, const pl_object_def *d)
{
    double R = 0.5 * d->teeth, top = R + addendum, bottom = R - dedendum, middle = pi / d->teeth;
    double tip = tooth_angle(d, top), root = tooth_angle(d, bottom);
    for (int32_t i = 0; i <= TIP; ++i)
        put(o, i, d->module, top, tip * i / TIP);
    for (int32_t i = 1; i < FLANK; ++i)
    {
        double r = top + (bottom - top) * i / FLANK;
        put(o, TIP + i, d->module, r, tooth_angle(d, r));
    }
    for (int32_t i = 0; i <= ROOT; ++i)
        put(o, TIP + FLANK + i, d->module, bottom, root + (middle - root) * i / ROOT);
    put(o, TIP + FLANK + ROOT + 1, d->module, bottom, 1.5 * middle);
    put(o, TIP + FLANK + ROOT + 2, d->module, 0, 0);
}

pl_status pl__gear_create(pl__shape *s)
{
    const pl_object_def *d = &s->def;
    s->outer = pitch_radius(d) + addendum * d->module;
    s->spoke = PL_NEW(s->ctx, 2 * (size_t)d->teeth, double);
    if (!s->spoke || !pl__outline_new(s->ctx, TIP + FLANK + ROOT + 3, TIP + FLANK + ROOT, &s->outline))
        return PL_ERR_MEMORY;
    draw_outline(&s->outline, d);
    for (int32_t i = 0; i < d->teeth; ++i)
        pl__real_sincos(2 * pi * i / d->teeth, &s->spoke[2 * i + 1], &s->spoke[2 * i]);
    return PL_OK;
}

// The middle of the tooth that a point is next to: cosine and sine.
static const double *nearest_spoke(const pl__shape *s, const double p[2])
{
    double turn = pl__real_atan2(p[1], p[0]) * s->def.teeth / (2 * pi);
    int32_t i = (int32_t)floor(turn + 0.5);
    return &s->spoke[2 * ((i + s->def.teeth) % s->def.teeth)];
}

// Within the plane of the wheel, without its bore.
static double wheel_distance(const pl__shape *s, const double p[2], double n[2])
{
    const double *u = nearest_spoke(s, p);
    double x = u[0] * p[0] + u[1] * p[1], y = u[0] * p[1] - u[1] * p[0], side = y < 0 ? -1 : 1;
    double local[2] = {x, fabs(y)}, m[2], distance = pl__outline_distance(&s->outline, local, m);
    m[1] *= side;
    n[0] = u[0] * m[0] - u[1] * m[1];
    n[1] = u[1] * m[0] + u[0] * m[1];
    return distance;
}

double pl__gear_distance(const pl__shape *s, const double p[3], double n[3])
{
    double distance = wheel_distance(s, p, n), r = sqrt(p[0] * p[0] + p[1] * p[1]), inward = s->def.bore - r;
    if (s->def.bore > 0 && inward > distance)
    {
        distance = inward;
        n[0] = r > 0 ? -p[0] / r : -1;
        n[1] = r > 0 ? -p[1] / r : 0;
    }
    return pl__extrude(distance, p[2], 0.5 * s->def.thickness, 2, n);
}
