// app/cmd_check.c -- pliant check: what a scene will simulate, and what that costs.
//
// The cost is measured: the world is compiled and a few substeps are taken. Bodies at rest would look cheaper than they
// are, so they are squashed and shaken first, level sheets are folded, and strengths, pressures and activations take
// the largest value of their keys. Where bodies may meet, the trial lasts for a whole interval of collision, and what
// it says is the least: the more of a cloth lies on itself, the more a substep costs (from the first frame to the last
// three times in cloth_ball, four in cloth_incline).
//
// Liquids start at rest, with long steps, and take shorter ones as they fall. How fast they get is known from how much
// higher they stand than at rest: water that falls from H reaches sqrt(2 g H), and its center sinks by H / 2. So the
// time of a scene of liquids alone is that of a step times their number at that speed, or at that of the objects that
// move through it. When it splashes a step costs twice what it does at rest, for the surface is larger and the pressure
// new (2.4 times in dam_break, 2.5 in splash). What is thick does not get faster. Sources bring more: then the trial
// goes on for a tenth of the scene, and what a frame costs is taken to grow like the surface of the liquid, as the
// volume to 2/3, or, of what is thick, like the volume, up to the mean of the scene. What a source without a rate
// brings is known from what it has brought by then.
#include "commands.h"
#include "base/random.h"
#include "pictures.h"
#include "session.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
    TRIAL_SUBSTEPS = 4,
    MANY_SUBSTEPS = 3000,
    LONG_TRIAL = 2 // [s]
};

typedef struct
{
    double substep, per_frame, seconds, memory, disk, substep_seconds, drawing;
    double speed;  // of liquid, or of objects in it [m/s]
    double tried;  // time that has been simulated [s]
    bool at_least; // what bodies that meet will cost is not known before they do
} estimate;

static double largest(const pl__keyed_value *k)
{
    double most = k->value[0];
    for (int32_t j = 0; j < k->count; ++j)
        most = fmax(most, k->values[j]);
    return most;
}

typedef char change_text[160];

// A body at its strongest, as changes of the scene; returns how many.
static int32_t strongest(const pl__file_body *body, change_text out[3])
{
    const char *name = body->record.name;
    double strength = largest(&body->strength);
    int32_t count = 0;
    snprintf(out[count++], sizeof out[0], "bodies.%s.strength=%.17g", name, strength > 0 ? strength : 1);
    if (body->pressure.count)
        snprintf(out[count++], sizeof out[0], "bodies.%s.pressure=%.17g", name, largest(&body->pressure));
    if (body->material.activation.count)
        snprintf(out[count++], sizeof out[0], "bodies.%s.material.activation=%.17g", name,
                 largest(&body->material.activation));
    return count;
}

static bool full_strength(session *s, const char *path, const arguments *a, session *trial)
{
    const pl__source *source = s->source;
    int32_t count = 0, bodies = source->file.bodies.count;
    const char **changes = calloc((size_t)(a->set_count + 3 * bodies) + 1, sizeof *changes);
    change_text *room = calloc(3 * (size_t)bodies + 1, sizeof *room);
    bool good = changes && room;
    for (; good && count < a->set_count; ++count)
        changes[count] = a->set[count];
    for (int32_t i = 0; good && i < bodies; ++i)
        for (int32_t k = 0, some = strongest(pl__source_body(source, i), &room[3 * i]); k < some; ++k)
            changes[count++] = room[3 * i + k];
    static console silent = {.quiet = true};
    if (!good)
        console_fail(s->con, "out of memory");
    good =
        good && session_start(trial, &silent, a) && session_open(trial, path, changes, count) && session_compile(trial);
    free(changes);
    free(room);
    return good;
}

// How far nodes are moved to fold what starts as a level sheet, which cannot be flattened: a third of an edge.
static double crumple(const pl__made_body *made)
{
    bool level = made->kind == PL_BODY_SHELL &&
                 (made->upper[1] - made->lower[1]) * (made->upper[1] - made->lower[1]) < 1e-6 * made->area;
    return level ? 0.3 * sqrt(2 * made->area / made->element_count) : 0;
}

// A tenth flatter, with velocities of a metre per second at random: what the solver meets in a collision.
static bool shake(session *trial)
{
    bool good = true;
    for (int32_t i = 0; good && i < pl_world_body_count(trial->world); ++i)
    {
        pl_body_id body = pl_world_body_at(trial->world, i);
        size_t count = (size_t)pl_body_node_count(trial->world, body);
        double *x = malloc(3 * count * sizeof *x), *v = malloc(3 * count * sizeof *v);
        good = x && v && pl_body_read(trial->world, body, x, v) == PL_OK;
        for (size_t k = 0; good && k < 3 * count; ++k)
        {
            v[k] = 2 * pl__random01(1, (uint64_t)i, k) - 1;
            x[k] -= k % 3 == 1 ? 0.1 * (x[k] - x[1]) : 0;
            x[k] += k % 3 == 1 ? crumple(&trial->source->made[i]) * (2 * pl__random01(2, (uint64_t)i, k) - 1) : 0;
        }
        good = good && pl_body_write(trial->world, body, x, v) == PL_OK;
        free(x);
        free(v);
    }
    return good;
}

// Shells fold onto themselves; solids are told by others that they meet.
static bool may_meet(const pl__source *source)
{
    int32_t social = 0, folding = 0, surfaces = 0;
    for (int32_t i = 0; i < source->file.bodies.count; ++i)
    {
        const pl__file_body *body = pl__source_body(source, i);
        social += body->kind != PL_BODY_PLANAR && body->collides;
        folding += body->kind == PL_BODY_SHELL && body->self_collision;
    }
    for (int32_t i = 0; i < source->file.objects.count; ++i)
        surfaces += pl__source_object(source, i)->contact == PL_MEETING_SURFACE;
    return social > 1 || folding > 0 || surfaces > 0;
}

static double processor_clock(void) { return (double)clock() / CLOCKS_PER_SEC; }

// Substeps until a time is simulated, or until they have taken long enough to tell. What else runs on the
// machine does not count. Says what is wrong when one fails.
static bool try_substeps(session *trial, pl_step_def def, double simulated, estimate *e)
{
    double began = wall_clock(), processor = processor_clock(), seconds = 0, advanced = 0;
    int64_t substeps = 0;
    def.max_substeps = TRIAL_SUBSTEPS;
    do
    {
        pl_step_info info;
        def.finish = pl_world_pending(trial->world) > 0;
        if (pl_world_step(trial->world, &def, &info) != PL_OK)
            return session_fail(trial);
        seconds = fmin(wall_clock() - began, processor_clock() - processor);
        substeps += info.substeps;
        advanced += info.advanced;
    } while (advanced < simulated && seconds < LONG_TRIAL);
    e->substep_seconds = seconds / fmax((double)substeps, 1);
    e->tried += advanced;
    return true;
}

// The fastest that comes out of a source, having fallen to the bottom of the domain [m/s].
static double source_speed(const session *trial, const pl_domain_def *d, double gravity)
{
    double most = 0;
    for (int32_t i = 0; i < trial->source->file.liquids.count; ++i)
    {
        const pl__file_liquid *l = pl__source_liquid(trial->source, i);
        double square = 2 * gravity * fmax(l->at[1] - d->lower[1], 0);
        for (int k = 0; k < 3; ++k)
            square += l->velocity[k] * l->velocity[k];
        most = l->kind == PL_LIQUID_SOURCE ? fmax(most, square) : most;
    }
    return sqrt(most);
}

// The speed that the liquid of a scene will reach [m/s].
static double liquid_speed(const session *trial, const pl_domain_def *d, double gravity)
{
    double speed = source_speed(trial, d, gravity);
    for (int32_t i = 0; i < pl_world_drawable_count(trial->world); ++i)
    {
        pl_drawable drawable;
        pl_step_info info;
        if (pl_world_drawable(trial->world, i, &drawable) != PL_OK || drawable.look != PL_LOOK_WATER ||
            pl_drawable_report(trial->world, i, &info) != PL_OK || !(info.mass > 0))
            continue;
        double area = (d->upper[0] - d->lower[0]) * (d->upper[2] - d->lower[2]);
        double sinks = fmax(info.center[1] - d->lower[1] - 0.5 * info.liquid_volume / area, 0);
        speed = fmax(speed, sqrt(2 * gravity * 2 * sinks + 2 * info.kinetic / info.mass));
    }
    return speed;
}

// Of the fastest of the objects that keys move: liquid passes a sphere half as fast again [m/s].
static double object_speed(const session *trial)
{
    double most = 0;
    for (int32_t i = 0; i < trial->source->file.objects.count; ++i)
    {
        const pl__keyed_value *at = &pl__source_object(trial->source, i)->at;
        for (int32_t k = 1; k < at->count; ++k)
        {
            const double *x = &at->values[3 * k];
            double way = sqrt(pow(x[0] - x[-3], 2) + pow(x[1] - x[-2], 2) + pow(x[2] - x[-1], 2));
            most = fmax(most, 1.5 * way / (at->times[k] - at->times[k - 1]));
        }
    }
    return most;
}

// The liquid that there is, and that sources with a rate bring in half of the time [m^3].
static double liquid_volume(const session *trial)
{
    pl_step_info info;
    double volume = 0;
    for (int32_t i = 0; i < pl_world_drawable_count(trial->world); ++i)
    {
        pl_drawable d;
        if (pl_world_drawable(trial->world, i, &d) == PL_OK && d.look == PL_LOOK_WATER &&
            pl_drawable_report(trial->world, i, &info) == PL_OK)
            volume += info.liquid_volume;
    }
    return volume;
}

// Whether a source runs that keeps its shape full.
static bool has_jets(const session *trial)
{
    bool any = false;
    for (int32_t i = 0; i < trial->source->file.liquids.count; ++i)
    {
        const pl__file_liquid *l = pl__source_liquid(trial->source, i);
        any = any || (l->kind == PL_LIQUID_SOURCE && !(l->rate > 0 && isfinite(l->rate)) && l->valve > 0);
    }
    return any;
}

static double half_of_what_comes(const session *trial)
{
    const pl__scene_file *file = &trial->source->file;
    double volume = 0, end = file->frames * session_frame_time(trial);
    for (int32_t i = 0; i < file->liquids.count; ++i)
    {
        const pl__file_liquid *l = pl__source_liquid(trial->source, i);
        double from = l->start, to = l->end > 0 ? fmin(l->end, end) : end, open = fmax(to - from, 0);
        if (l->kind == PL_LIQUID_SOURCE && l->rate > 0 && isfinite(l->rate) && end > 0)
            volume += l->rate * l->valve * open * (1 - 0.5 * (from + to) / end);
    }
    return volume;
}

// Whether viscosity or elasticity stop a liquid within its size: a Reynolds number rho v L / mu below 10.
static bool is_thick(const session *trial, double speed)
{
    double length = cbrt(liquid_volume(trial));
    for (int32_t i = 0; i < trial->source->file.liquids.count; ++i)
    {
        const pl__file_liquid *l = pl__source_liquid(trial->source, i);
        if (largest(&l->elasticity) > 0 || l->density.value[0] * speed * length < 10 * largest(&l->viscosity))
            return true;
    }
    return false;
}

// How many times what it does at first a frame of a scene of liquids alone will take.
static double liquid_haste(const session *trial, double dt, double *speed)
{
    int32_t cells[3];
    double memory;
    const pl__scene_file *file = &trial->source->file;
    const pl_domain_def *d = pl__scene_domain_of(trial->scene, cells, &memory);
    if (!d || file->liquids.count == 0 || file->bodies.count > 0)
        return 1;
    double gravity =
        sqrt(pow(file->gravity.value[0], 2) + pow(file->gravity.value[1], 2) + pow(file->gravity.value[2], 2));
    double at_rest = ceil(dt / (0.5 * sqrt(d->size / (gravity + 1e-300)))); // steps of a frame, by the shortest waves
    *speed = fmax(liquid_speed(trial, d, gravity), object_speed(trial));
    if (is_thick(trial, *speed))
        return 1;
    double shorter = dt * *speed / (d->cfl * d->size) / fmax(at_rest, 1);
    return shorter > 1 && source_speed(trial, d, gravity) == 0 ? 2 * shorter : fmax(1, shorter);
}

// Go on for a tenth of a scene with sources, and say what a frame will cost with the volume that there is on average.
static bool try_growth(session *trial, pl_step_def def, double due, estimate *e)
{
    double frames = ceil(0.1 * trial->source->file.frames), before = e->substep_seconds, volume = liquid_volume(trial),
           end = trial->source->file.frames * def.dt, tried = e->tried;
    if (!try_substeps(trial, def, frames * def.dt, e))
        return false;
    double now = liquid_volume(trial), rate = (now - volume) / fmax(e->tried - tried, 1e-300);
    if (!try_substeps(trial, def, 0, e))
        return false;
    if (has_jets(trial))
        due = fmax(due, 0.5 * rate * end);
    double larger = now > 0 ? fmax(1, (volume + due) / now) : 1;
    bool thick = is_thick(trial, e->speed);
    e->substep_seconds = fmax(before, e->substep_seconds * (thick ? larger : cbrt(larger * larger)));
    return true;
}

// Says what is wrong when a step fails.
static bool measure(session *trial, estimate *e)
{
    e->drawing = trial->source->file.output.movie == PL__MOVIE_NONE
                     ? 0
                     : pictures_seconds(trial) * (trial->source->file.frames + 1);
    if (!shake(trial))
        return session_fail(trial);
    pl_step_def def = pl_step_def_default();
    pl_step_info info;
    def.dt = session_frame_time(trial);
    e->substep = fmin(pl_world_stable_step(trial->world), def.dt);
    e->per_frame = ceil(def.dt / e->substep - 1e-9);
    double haste = liquid_haste(trial, def.dt, &e->speed), due = half_of_what_comes(trial);
    def.max_substeps = 1;
    double processor = processor_clock(), began = wall_clock();
    if (pl_world_step(trial->world, &def, &info) != PL_OK)
        return session_fail(trial);
    e->substep_seconds = fmin(wall_clock() - began, processor_clock() - processor);
    e->at_least = may_meet(trial->source);
    // a step that takes so long will be like others
    if (e->substep_seconds < LONG_TRIAL &&
        !try_substeps(trial, def, e->at_least ? trial->source->file.solver.collision_interval : 0, e))
        return false;
    bool grows = due > 0 || has_jets(trial);
    if (grows && e->substep_seconds < LONG_TRIAL && !try_growth(trial, def, due, e))
        return false;
    haste = grows ? 1 : haste; // what flows by now takes its short steps already
    e->memory = (double)pl_context_memory(trial->ctx);
    e->seconds = haste * e->substep_seconds * e->per_frame * trial->source->file.frames;
    e->disk = ((double)pl_world_save_size(trial->world) + 2000) * (trial->source->file.frames + 1);
    return true;
}

static void print_elements(const pl__made_body *b)
{
    const char *of = b->elements == PL_ELEMENT_HEX ? "hexahedra" : "tetrahedra";
    if (b->kind == PL_BODY_SOLID)
        printf("%d %s, %d nodes, %d triangles shown, %.3g m^3", b->element_count, of, b->node_count, b->surface_count,
               b->volume);
    else
        printf("%s %d triangles, %d nodes, %.3g m^2, %.3g m thick", b->kind == PL_BODY_SHELL ? "a shell of" : "planar,",
               b->element_count, b->node_count, b->area, b->thickness);
}

// "gear, 12 teeth, at [0, 1, 0] m"
static void print_object(const session *s, int32_t i)
{
    pl_object_def o;
    if (pl_object_read(s->world, (pl_object_id){i + 1}, &o) != PL_OK)
        return;
    printf("  object %s: %s, ", pl_world_object_name(s->world, i), pl__object_kind_name(o.kind));
    if (o.kind == PL_OBJECT_GEAR)
        printf("%d teeth, ", o.teeth);
    if (o.kind == PL_OBJECT_HEIGHT_FIELD)
        printf("%d x %d heights, ", o.rows, o.columns);
    if (o.kind == PL_OBJECT_SURFACE || o.kind == PL_OBJECT_ACTOR)
        printf("%d triangles, ", pl_surface_triangle_count(o.surface));
    if (o.kind == PL_OBJECT_ACTOR && o.cache)
        printf("%d samples from %.3g to %.3g s, ", o.cache_count, o.cache_start,
               o.cache_start + (o.cache_count - 1) / o.cache_rate);
    if (o.contact == PL_MEETING_SURFACE)
        printf("met by its surface, ");
    if (o.kind == PL_OBJECT_BODY)
    {
        printf("%s\n", o.body);
        return;
    }
    if (o.part_count)
        printf("%d parts, ", o.part_count);
    printf("at [%.3g, %.3g, %.3g] m\n", o.at[0], o.at[1], o.at[2]);
}

// "domain: 100 x 50 x 50 cells of 0.02 m, from [0, 0, 0] to [2, 1, 1] m, up to 63 MB"
static void print_liquids(const session *s)
{
    int32_t cells[3];
    double memory;
    const pl_domain_def *d = pl__scene_domain_of(s->scene, cells, &memory);
    if (d)
        printf("  domain: %d x %d x %d cells of %.3g m, from [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g] m, up to %.0f MB "
               "of memory\n",
               cells[0], cells[1], cells[2], d->size, d->lower[0], d->lower[1], d->lower[2], d->upper[0], d->upper[1],
               d->upper[2], ceil(1e-6 * memory));
    for (int32_t i = 0; i < s->source->file.liquids.count; ++i)
    {
        const pl__file_liquid *l = pl__source_liquid(s->source, i);
        printf("  liquid %s: ", l->record.name);
        if (l->body)
            printf("made of the body %s, ", l->body);
        else if (l->shape.record.which < 0)
            printf("up to %.4g m, ", l->level);
        else
            printf("%s at [%.3g, %.3g, %.3g] m, ", pl__object_kind_name((pl_object_kind)l->shape.record.which),
                   l->at[0], l->at[1], l->at[2]);
        printf("%.4g kg/m^3\n", l->density.value[0]);
    }
}

static void print_bodies(const session *s)
{
    for (int32_t i = 0; i < s->source->file.bodies.count; ++i)
    {
        const pl__made_body *b = &s->source->made[i];
        const pl__file_body *file = pl__source_body(s->source, i);
        printf("  body %s: ", b->name);
        if (file->liquid)
        {
            printf("what the liquid %s becomes\n", file->liquid);
            continue;
        }
        print_elements(b);
        printf(", %.3g kg, from [%.3g, %.3g, %.3g] to [%.3g, %.3g, %.3g] m\n", b->mass, b->lower[0], b->lower[1],
               b->lower[2], b->upper[0], b->upper[1], b->upper[2]);
    }
    for (int32_t i = 0; i < pl_world_object_count(s->world); ++i)
        print_object(s, i);
    for (int32_t i = 0; i < pl_world_drawable_count(s->world); ++i)
    {
        pl_drawable d;
        pl_step_info info;
        if (pl_world_drawable(s->world, i, &d) == PL_OK && d.body.index == 0 && !d.radii &&
            strcmp(d.stepper, "bodies") != 0 && pl_drawable_report(s->world, i, &info) == PL_OK)
            printf("  %s %s: %d triangles, %.3g kg\n", d.stepper, d.name, d.triangle_count, info.mass);
    }
}

static void add_liquids(const session *s, text *t)
{
    int32_t cells[3];
    double memory;
    const pl_domain_def *d = pl__scene_domain_of(s->scene, cells, &memory);
    if (d)
        text_add(t, ", \"domain\": {\"cells\": [%d, %d, %d], \"size\": %.6g, \"memory_bytes\": %.0f}", cells[0],
                 cells[1], cells[2], d->size, memory);
    text_put(t, ", \"liquids\": {");
    for (int32_t i = 0; i < s->source->file.liquids.count; ++i)
    {
        const pl__file_liquid *l = pl__source_liquid(s->source, i);
        text_put(t, i ? ", " : "");
        text_quoted(t, l->record.name);
        text_add(t, ": {\"density\": %.6g, \"viscosity\": %.6g, \"elasticity\": %.6g}", l->density.value[0],
                 l->viscosity.value[0], l->elasticity.value[0]);
    }
    text_put(t, "}");
}

static void print_json(const session *s, const estimate *e)
{
    text t = {0};
    text_put(&t, "{\"scene\": ");
    text_quoted(&t, s->source->path);
    text_add(&t,
             ", \"frames\": %d, \"substep_s\": %.6g, \"substeps_per_frame\": %.0f, \"liquid_speed\": %.4g, "
             "\"seconds\": %.4g, \"at_least\": "
             "%s, \"drawing_seconds\": %.4g, \"memory_bytes\": %.0f, \"disk_bytes\": %.0f, \"bodies\": {",
             s->source->file.frames, e->substep, e->per_frame, e->speed, e->seconds, e->at_least ? "true" : "false",
             e->drawing, e->memory, e->disk);
    for (int32_t i = 0; i < s->source->file.bodies.count; ++i)
    {
        const pl__made_body *b = &s->source->made[i];
        text_put(&t, i ? ", " : "");
        text_quoted(&t, b->name);
        text_add(&t, ": {\"kind\": \"%s\", ",
                 b->kind == PL_BODY_SOLID   ? "solid"
                 : b->kind == PL_BODY_SHELL ? "shell"
                                            : "planar");
        if (b->kind == PL_BODY_SOLID)
            text_add(&t, "\"%s\": %d, \"volume\": %.6g, ", b->elements == PL_ELEMENT_HEX ? "hexes" : "tets",
                     b->element_count, b->volume);
        else
            text_add(&t, "\"area\": %.6g, \"thickness\": %.6g, ", b->area, b->thickness);
        text_add(&t, "\"mass\": %.6g, \"nodes\": %d, \"triangles\": %d}", b->mass, b->node_count, b->surface_count);
    }
    text_put(&t, "}");
    add_liquids(s, &t);
    text_put(&t, "}");
    puts(t.failed ? "{}" : t.at);
    text_free(&t);
}

static void print_estimate(const session *s, const estimate *e)
{
    char duration[32], drawing[32];
    const pl__scene_file *file = &s->source->file;
    clock_text(e->seconds, duration);
    clock_text(e->drawing, drawing);
    printf("  %d frames at %g per second: %.3g s simulated\n", file->frames, file->fps,
           file->frames * session_frame_time(s));
    printf("  substeps of about %.3g s: %.0f per frame, %.0f in all\n", e->substep, e->per_frame,
           e->per_frame * file->frames);
    printf("  %s %s of simulation with %d threads (%.3g ms per substep, measured%s), %.0f MB of memory, %.0f MB of "
           "frames\n",
           e->at_least ? "at least" : "about", duration, pl_context_thread_count(s->ctx), 1e3 * e->substep_seconds,
           e->at_least ? "; more as bodies meet" : "", ceil(1e-6 * e->memory), ceil(1e-6 * e->disk));
    if (e->drawing > 0)
        printf("  about %s to draw the movie, at %g x %g with %d samples\n", drawing, file->look.size[0],
               file->look.size[1], file->look.samples);
}

// The stiffest thing of the scene, in the words of the file.
static void warn_slow(session *s, const estimate *e)
{
    if (e->per_frame < MANY_SUBSTEPS && e->seconds < 3600)
        return;
    char sentence[400], duration[32];
    clock_text(e->seconds, duration);
    snprintf(sentence, sizeof sentence,
             s->source->file.bodies.count == 0 && s->source->file.liquids.count > 0
                 ? "%s: %.0f substeps per frame, about %s in all: larger cells (domain.size), tall ones below "
                   "(domain.depth) or fewer frames make it faster"
                 : "%s: %.0f substeps per frame, about %s in all: its material is stiff or light for elements of this "
                   "size; larger elements (size, resolution), a softer material (young) or fewer frames make it faster",
             s->source->path, e->per_frame, duration);
    console_log(s->con, PL_LOG_WARNING, sentence);
}

int command_check(const arguments *a)
{
    console con = console_make(false, false, true); // notes and warnings go to standard error in any case
    session s = {0}, trial = {0};
    estimate e = {0};
    int status = EXIT_WRONG;
    char path[4200];
    scene_path(a->operand[0], path, sizeof path);
    if (session_start(&s, &con, a) && session_open(&s, path, a->set, a->set_count) && session_compile(&s))
    {
        status = EXIT_FAILED;
        if (full_strength(&s, path, a, &trial) && measure(&trial, &e))
        {
            status = EXIT_DONE;
            warn_slow(&s, &e);
            if (a->json)
                print_json(&s, &e);
            else
            {
                printf("%s: fine\n", a->operand[0]);
                print_bodies(&s);
                print_liquids(&s);
                print_estimate(&s, &e);
            }
        }
    }
    if (trial.ctx)
        session_end(&trial);
    if (s.ctx)
        session_end(&s);
    return status;
}
