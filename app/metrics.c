// app/metrics.c -- figures of a frame as JSON; docs/metrics.md says what they mean. Keys are stable.
#include "metrics.h"

#include <string.h>

static void add_key(text *t, const char *key)
{
    bool first = t->length > 0 && t->at[t->length - 1] == '{';
    text_add(t, "%s\"%s\": ", first ? "" : ", ", key);
}

static void add_number(text *t, const char *key, double value)
{
    add_key(t, key);
    text_number(t, value);
}

static void add_vector(text *t, const char *key, const double value[3])
{
    add_key(t, key);
    text_put(t, "[");
    for (int i = 0; i < 3; ++i)
    {
        text_put(t, i ? ", " : "");
        text_number(t, value[i]);
    }
    text_put(t, "]");
}

// What total and bodies have in common.
static void add_figures(text *t, const pl_step_info *info)
{
    add_number(t, "kinetic", info->kinetic);
    add_number(t, "elastic", info->elastic);
    add_number(t, "gravity", info->gravity);
    add_number(t, "mass", info->mass);
    add_vector(t, "center", info->center);
    add_vector(t, "momentum", info->momentum);
    add_vector(t, "angular", info->angular);
    add_number(t, "volume", info->volume);
    add_number(t, "volume_error", info->volume_error);
    add_number(t, "ring_error", info->ring_error);
    add_number(t, "min_J", info->min_J);
    add_number(t, "inverted", info->inverted);
    add_number(t, "max_stretch", info->max_stretch);
    add_number(t, "strain", info->strain);
    add_number(t, "dilation", info->dilation);
    add_number(t, "contacts", info->contacts);
    add_number(t, "penetration", info->penetration);
    add_number(t, "recovering", info->recovering);
    add_number(t, "stuck", info->stuck);
    add_number(t, "sleeping", info->sleeping);
    add_number(t, "liquid_volume", info->liquid_volume);
    add_number(t, "liquid_spray", info->liquid_spray);
    add_number(t, "liquid_added", info->liquid_added);
    add_number(t, "liquid_drift", info->liquid_drift);
    add_vector(t, "liquid_axes", info->liquid_axes);
    add_number(t, "liquid_angle", info->liquid_angle);
    add_number(t, "liquid_strain", info->liquid_strain);
    add_number(t, "liquid_yielded", info->liquid_yielded);
    add_number(t, "liquid_speed", info->liquid_speed);
    add_number(t, "liquid_iterations", info->liquid_iterations);
    add_number(t, "liquid_squeezed", info->liquid_squeezed);
    add_number(t, "vortex_power", info->vortex_power);
}

// Bodies in one object, and what else advances in one for each kind.
static bool add_drawables(session *s, text *line)
{
    const char *kind = "bodies";
    text_put(line, ", \"bodies\": {");
    for (int32_t i = 0; i < pl_world_drawable_count(s->world); ++i)
    {
        pl_drawable d;
        pl_step_info info;
        if (pl_world_drawable(s->world, i, &d) != PL_OK || pl_drawable_report(s->world, i, &info) != PL_OK)
            return session_fail(s);
        if (strcmp(d.stepper, kind) != 0)
            text_add(line, "}, \"%s\": {", kind = d.stepper);
        text_put(line, line->at[line->length - 1] == '{' ? "" : ", ");
        text_quoted(line, d.name);
        text_put(line, ": {");
        add_figures(line, &info);
        text_put(line, "}");
    }
    text_put(line, "}");
    return true;
}

// What the liquid does to objects, and to the walls of its domain.
static bool add_liquid_forces(session *s, text *line)
{
    int32_t count = pl_world_object_count(s->world);
    if (pl_world_liquid_cell_count(s->world) == 0)
        return true;
    text_put(line, ", \"forces\": {");
    for (int32_t i = 0; i <= count; ++i)
    {
        pl_liquid_force f;
        if (pl_world_liquid_force(s->world, (pl_object_id){i < count ? i + 1 : 0}, &f) != PL_OK)
            return session_fail(s);
        text_put(line, i ? ", " : "");
        text_quoted(line, i < count ? pl_world_object_name(s->world, i) : "walls of the domain");
        text_put(line, ": {");
        add_vector(line, "force", f.force);
        add_vector(line, "torque", f.torque);
        add_number(line, "area", f.area);
        text_put(line, "}");
    }
    text_put(line, "}");
    return true;
}

bool metrics_line(session *s, int32_t frame, const frame_cost *cost, text *line, pl_step_info *total)
{
    if (pl_world_report(s->world, total) != PL_OK)
        return session_fail(s);
    line->length = 0;
    text_add(line, "{\"frame\": %d", frame);
    add_number(line, "time", pl_world_time(s->world));
    add_number(line, "wall_s", cost->wall);
    add_number(line, "substeps", (double)cost->substeps);
    add_number(line, "smallest_dt", cost->smallest_dt);
    add_number(line, "cg_iterations", (double)cost->cg_iterations);
    add_number(line, "volume_iterations", (double)cost->volume_iterations);
    add_number(line, "unconverged", (double)cost->unconverged);
    add_figures(line, total);
    add_number(line, "near_pairs", total->near_pairs);
    add_number(line, "collisions", (double)cost->collisions);
    add_number(line, "zone_nodes", (double)cost->zone_nodes);
    add_number(line, "unresolved", (double)cost->unresolved);
    add_number(line, "crossings", (double)total->crossings);
    add_number(line, "limit_excess", total->limit_excess);
    add_number(line, "limit_excess_max", total->limit_excess_max);
    add_number(line, "bend_excess", total->bend_excess);
    add_number(line, "bend_excess_max", total->bend_excess_max);
    add_number(line, "limit_sweeps", (double)total->limit_sweeps);
    add_number(line, "limit_cycles", total->limit_cycles);
    add_number(line, "friction_work", cost->friction_work);
    add_number(line, "torn", total->torn);
    bool good = add_drawables(s, line) && add_liquid_forces(s, line);
    text_put(line, "}\n");
    if (!good)
        return false;
    if (line->failed)
        console_fail(s->con, "out of memory");
    return !line->failed;
}
