// app/drawables.c
#include "drawables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int32_t drawable_count(const session *s) { return pl_world_drawable_count(s->world); }

// Bodies of a world are in the order of the file.
static int32_t find_in_file(const session *s, int32_t i, const char *name)
{
    int32_t count = s->source->file.bodies.count;
    for (int32_t k = 0; k < count; ++k)
    {
        int32_t at = (i + k) % count;
        if (strcmp(pl__source_body(s->source, at)->record.name, name) == 0)
            return at;
    }
    return -1;
}

// The liquid of the file that a drawable is, or of which it is the drops.
static const pl__file_liquid *find_liquid(const session *s, const char *name)
{
    for (int32_t i = 0; i < s->source->file.liquids.count; ++i)
    {
        const pl__file_liquid *liquid = pl__source_liquid(s->source, i);
        size_t length = strlen(liquid->record.name);
        if (strncmp(liquid->record.name, name, length) == 0 &&
            (name[length] == 0 || strcmp(name + length, "_spray") == 0))
            return liquid;
    }
    return s->source->file.liquids.count > 0 ? pl__source_liquid(s->source, 0) : NULL;
}

// Of liquids that are one, the first gives the looks; drops are white, bubbles and foam are those of the first.
static void take_liquid_look(const session *s, drawable *out)
{
    const pl__file_liquid *liquid = strcmp(out->d.stepper, "liquids") == 0 ? find_liquid(s, out->d.name) : NULL;
    if (!liquid)
        return;
    out->visible = liquid->visible;
    if (out->d.radii)
        return;
    memcpy(out->color, liquid->color, sizeof out->color);
    memcpy(out->inside, liquid->color, sizeof out->inside);
    for (int i = 0; i < 3; ++i)
        out->d.absorption[i] += liquid->turbidity;
}

bool drawable_at(session *s, int32_t i, drawable *out)
{
    *out = (drawable){.index = i, .file = -1, .visible = true};
    if (pl_world_drawable(s->world, i, &out->d) != PL_OK)
        return session_fail(s);
    memcpy(out->color, out->d.color, sizeof out->color);
    memcpy(out->inside, out->d.color, sizeof out->inside);
    if (out->d.body.index == 0)
    {
        take_liquid_look(s, out);
        return true;
    }
    out->source = pl_body_surface_sources(s->world, out->d.body);
    out->file = find_in_file(s, i, out->d.name);
    if (out->file < 0)
        return true;
    const pl__made_body *made = &s->source->made[out->file];
    memcpy(out->color, made->color, sizeof out->color);
    memcpy(out->inside, made->inside, sizeof out->inside);
    out->visible = pl__source_body(s->source, out->file)->visible;
    out->cells = made->elements == PL_ELEMENT_HEX && pl_body_surface_nodes(s->world, out->d.body);
    out->thin = made->elements == PL_ELEMENT_TRIANGLE;
    return true;
}

bool drawable_speeds(session *s, const drawable *d, float *values)
{
    size_t count = (size_t)d->d.vertex_count;
    double *v = malloc((3 * count + 1) * sizeof *v);
    bool good = v && pl_drawable_read(s->world, d->index, NULL, v, NULL) == PL_OK;
    for (size_t i = 0; good && i < count; ++i)
        values[i] = (float)sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
    free(v);
    return good;
}

bool drawable_field(session *s, const drawable *d, const char *field, float *values)
{
    if (strcmp(field, "speed") == 0)
        return drawable_speeds(s, d, values);
    return pl_drawable_read_field(s->world, d->index, field, values) == PL_OK;
}

bool drawable_floats(session *s, const drawable *d, float *vertices, float *normals)
{
    size_t count = 3 * (size_t)d->d.vertex_count;
    if (d->d.body.index) // without the detour over numbers of double precision
        return pl_body_read_surface(s->world, d->d.body, vertices, normals, 3 * sizeof(float)) > 0;
    double *x = malloc((2 * count + 1) * sizeof *x);
    bool good = x && pl_drawable_read(s->world, d->index, x, NULL, normals ? x + count : NULL) == PL_OK;
    for (size_t k = 0; good && k < count; ++k)
    {
        if (vertices)
            vertices[k] = (float)x[k];
        if (normals)
            normals[k] = (float)x[count + k];
    }
    free(x);
    return good;
}

bool drawable_domain(const session *s, double lower[3], double upper[3])
{
    double memory;
    int32_t cells[3];
    const pl_domain_def *domain = pl__scene_domain_of(s->scene, cells, &memory);
    if (!domain || s->source->file.liquids.count == 0)
        return false;
    memcpy(lower, domain->lower, sizeof domain->lower);
    memcpy(upper, domain->upper, sizeof domain->upper);
    return true;
}

void drawable_extend_by_domain(const session *s, double lower[3], double upper[3])
{
    double low[3], high[3];
    bool given = drawable_domain(s, low, high);
    for (int i = 0; given && i < 3; ++i)
    {
        lower[i] = fmin(lower[i], low[i]);
        upper[i] = fmax(upper[i], high[i]);
    }
}
