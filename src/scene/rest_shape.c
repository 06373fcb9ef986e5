// src/scene/rest_shape.c -- the rest shape of a body: generated, read, or meshed around a surface.
#include "metaballs.h"
#include "io/tetgen.h"
#include "mesh/point.h"
#include <pliant/io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// Element kind of the mesh.
static pl_element_kind kind_of_elements(const pl__body_build *b)
{
    return b->file->kind != PL_BODY_SOLID ? PL_ELEMENT_TRIANGLE
           : b->file->elements == 1       ? PL_ELEMENT_HEX
                                          : PL_ELEMENT_TET;
}

static pl_status fail_field(const pl__body_build *b, pl_status status, const char *field)
{
    char path[128];
    snprintf(path, sizeof path, "bodies.%.40s.%s", b->file->record.name, field);
    return pl__fail_at(b->source, status, pl__where(&b->file->record, field), path);
}

// Whether an error is about the element size: too small, or too large to leave any element.
static bool is_size_error(const pl__body_build *b, pl_status status)
{
    const char *path = pl_context_error_path(b->source->ctx);
    return status == PL_ERR_ARGUMENT && (strcmp(path, "size") == 0 || strcmp(path, "edge") == 0);
}

// Report a failed mesh generation from `source`: usually a wrong element size, given by `size` or `resolution`.
static pl_status fail_meshing(const pl__body_build *b, pl_status status, const char *source)
{
    const pl__record *record = &b->file->record;
    bool of_size = is_size_error(b, status);
    return fail_field(b, status,
                      !of_size                          ? source
                      : pl__given(record, "resolution") ? "resolution"
                      : pl__given(record, "size")       ? "size"
                                                        : source);
}

static bool is_flat_shape(int32_t which) { return which >= PL__BODY_SHEET; }

// Refuse shapes that this kind of body cannot have.
static pl_status check_shape(const pl__body_build *b)
{
    static const char *const kinds[] = {"solid", "shell", "planar"};
    const pl__file_shape *shape = &b->file->shape;
    const char *name = b->file->record.name, *which = pl__body_shape_name(shape->record.which),
               *kind = kinds[b->file->kind];
    const pl__json *where = pl__where(&b->file->record, "shape");
    bool planar = b->file->kind == PL_BODY_PLANAR, rectangle = shape->record.which == PL__BODY_RECTANGLE,
         disk = shape->record.which == PL__BODY_DISK;
    if (planar ? !rectangle && !disk : rectangle)
        return pl__json_fail(
            b->source->ctx, where, "bodies.%s.shape.%s: a %s body cannot have it; %s", name, which, kind,
            planar ? "a planar body needs a `rectangle`, a `disk`, or a `mesh` of triangles in a plane z = const"
                   : "a `rectangle` is for \"kind\": \"planar\"; take a `sheet`");
    if (b->file->kind == PL_BODY_SOLID && is_flat_shape(shape->record.which))
        return pl__json_fail(b->source->ctx, where, "bodies.%s.shape.%s: has no volume; set \"kind\": \"shell\"", name,
                             which);
    if (kind_of_elements(b) != PL_ELEMENT_TET && shape->record.which == PL__BODY_BOX &&
        pl__given(&shape->box.record, "cut"))
        return pl__json_fail(
            b->source->ctx, where,
            "bodies.%s.shape.box.cut: is how cubes are cut into tetrahedra, which this body has none of; leave it out",
            name);
    if (b->file->kind == PL_BODY_SHELL && shape->record.which == PL__BODY_BLOBS)
        return pl__json_fail(b->source->ctx, where,
                             "bodies.%s.shape.blobs: is a solid; shells take sheet, disk, tube, half_torus, and the "
                             "surfaces of box, sphere, torus and cylinder",
                             name);
    return PL_OK;
}

// Rotate a horizontal disk to face z, for a planar body.
static void rotate_to_z(const pl_mesh *mesh)
{
    for (int32_t n = 0; n < mesh->node_count; ++n)
    {
        double *x = &mesh->position[3 * (size_t)n], y = x[1];
        x[1] = -x[2];
        x[2] = y;
    }
}

// ---- shapes ----------------------------------------------------------------------------------------------------

// Mesh of a body's shape for an element size; 0: from its resolution.
static pl_status make_shape(const pl__body_build *b, pl_element_kind elements, double size, pl_mesh **mesh)
{
    const pl__file_shape *file = &b->file->shape;
    pl_shape_def def = pl_shape_def_default();
    double side = 0;
    def.elements = elements;
    def.pattern = (pl_shape_pattern)file->sheet.pattern;
    memcpy(def.extent, file->box.extent, sizeof def.extent);
    def.radius = file->round.radius;
    switch (file->record.which)
    {
    case PL__BODY_BOX:
        def.kind = PL_SHAPE_BOX;
        def.cut = (pl_shape_cut)file->box.cut;
        side = fmax(fmax(def.extent[0], def.extent[1]), def.extent[2]);
        break;
    case PL__BODY_SPHERE:
        def.kind = PL_SHAPE_SPHERE;
        side = 2 * def.radius;
        break;
    case PL__BODY_TORUS:
        def.kind = PL_SHAPE_TORUS;
        def.tube = file->round.tube;
        side = 2 * (def.radius + def.tube);
        break;
    case PL__BODY_CYLINDER:
        def.kind = PL_SHAPE_CYLINDER;
        def.extent[1] = file->round.height;
        side = fmax(2 * def.radius, def.extent[1]);
        break;
    case PL__BODY_SHEET:
        def.kind = PL_SHAPE_SHEET;
        def.extent[0] = file->sheet.extent[0];
        def.extent[2] = file->sheet.extent[1];
        side = fmax(def.extent[0], def.extent[2]);
        break;
    case PL__BODY_RECTANGLE:
        def.kind = PL_SHAPE_RECTANGLE;
        def.extent[0] = file->sheet.extent[0];
        def.extent[1] = file->sheet.extent[1];
        side = fmax(def.extent[0], def.extent[1]);
        break;
    case PL__BODY_DISK:
        def.kind = PL_SHAPE_DISK;
        side = 2 * def.radius;
        break;
    case PL__BODY_TUBE:
        def.kind = PL_SHAPE_TUBE;
        def.extent[1] = file->round.height;
        side = fmax(2 * def.radius, def.extent[1]);
        break;
    case PL__BODY_HALF_TORUS:
        def.kind = PL_SHAPE_HALF_TORUS;
        def.tube = file->round.tube;
        side = 2 * (def.radius + def.tube);
        break;
    default: return pl__metaballs_make(b, elements, size, mesh);
    }
    def.edge = size > 0 ? size : side / b->file->resolution;
    def.jitter = b->file->jitter;
    def.seed = (uint64_t)b->file->seed;
    PL_TRY(pl_mesh_create_shape(b->source->ctx, &def, mesh));
    if (b->file->kind == PL_BODY_PLANAR && def.kind == PL_SHAPE_DISK)
        rotate_to_z(*mesh);
    return PL_OK;
}

// ---- files -----------------------------------------------------------------------------------------------------

// Points of a file, and the ones that define its size: those used by triangles, or all.
typedef struct
{
    double *x;
    int32_t count;
    const int32_t *corner; // [corner_count] or NULL
    int32_t corner_count;
} points;

static points points_of_mesh(const pl_mesh *mesh) { return (points){.x = mesh->position, .count = mesh->node_count}; }
static points points_of_surface(const pl_surface *s)
{
    return (points){s->position, s->node_count, s->triangle, 3 * s->triangle_count};
}

static void bounds_of(const points *p, double lower[3], double upper[3])
{
    for (int i = 0; i < 3; ++i)
    {
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
    }
    for (int32_t k = 0; k < (p->corner ? p->corner_count : p->count); ++k)
        for (int i = 0; i < 3; ++i)
        {
            double x = p->x[3 * (size_t)(p->corner ? p->corner[k] : k) + (size_t)i];
            lower[i] = fmin(lower[i], x);
            upper[i] = fmax(upper[i], x);
        }
}

static void rotate_z_up(const points *p)
{
    for (int32_t n = 0; n < p->count; ++n)
    {
        double *x = &p->x[3 * (size_t)n], y = x[1];
        x[1] = x[2];
        x[2] = -y;
    }
}

static void scale_points(const points *p, double factor, const double shift[3])
{
    for (size_t k = 0; k < 3 * (size_t)p->count; ++k)
        p->x[k] = factor * p->x[k] + shift[k % 3];
}

// Rotate, scale and shift the points of a file; false if they are flat and cannot be scaled to a height.
static bool fit_points(const points *p, const pl__fit *fit, double *factor, double shift[3])
{
    double lower[3], upper[3];
    if (fit->up == 1)
        rotate_z_up(p);
    bounds_of(p, lower, upper);
    if (fit->height > 0 && !(upper[1] > lower[1]))
        return false;
    *factor = fit->height > 0 ? fit->height / (upper[1] - lower[1]) : fit->scale;
    for (int i = 0; i < 3; ++i)
        shift[i] = fit->anchor != 0 ? -0.5 * *factor * (lower[i] + upper[i]) : 0;
    if (fit->anchor == 2)
        shift[1] = -*factor * lower[1];
    scale_points(p, *factor, shift);
    return true;
}

pl_status pl__fit_fail(pl__source *s, const pl__record *record, const char *path, const pl__fit *fit)
{
    return pl__json_fail(s->ctx, pl__where(record, "height"),
                         "%s.height: the file is flat along its %s axis and cannot be scaled to a height", path,
                         fit->up == 1 ? "z" : "y");
}

bool pl__surface_fit(pl_surface *surface, const pl__fit *fit)
{
    points p = points_of_surface(surface);
    double factor, shift[3];
    return fit_points(&p, fit, &factor, shift);
}

static pl_status fit_body(pl__body_build *b, const points *p)
{
    const pl__file_body *file = b->file;
    pl__fit fit = {file->up, file->anchor, file->height, file->scale};
    char path[64];
    snprintf(path, sizeof path, "bodies.%.40s", file->record.name);
    return fit_points(p, &fit, &b->factor, b->shift) ? PL_OK : pl__fit_fail(b->source, &file->record, path, &fit);
}

static bool has_extension(const char *path, const char *extension)
{
    size_t length = strlen(path), size = strlen(extension);
    bool same = length > size;
    for (size_t i = 0; same && i < size; ++i)
    {
        char c = path[length - size + i];
        same = (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == extension[i];
    }
    return same;
}

// TetGen meshes are two files; the scene names one.
static pl_status load_pair(pl__body_build *b, const char *path)
{
    size_t length = strlen(path);
    bool nodes = has_extension(path, ".node");
    size_t stem = length - (nodes ? 5 : 4);
    char *partner = pl__json_take(&b->source->doc, stem + 6, 1);
    if (!partner)
        return PL_ERR_MEMORY;
    memcpy(partner, path, stem);
    strcpy(partner + stem, nodes ? ".ele" : ".node");
    PL_TRY(pl_mesh_load(b->source->ctx, path, &b->mesh));
    return pl__input_note_partner(b->source, partner);
}

// Read the elements of a solid, or the triangles of a shell or planar body.
static pl_status read_mesh(pl__body_build *b, const pl__opened *file, pl_mesh **mesh)
{
    pl_context *ctx = b->source->ctx;
    if (b->file->kind == PL_BODY_SOLID)
        return pl_mesh_parse(ctx, PL_FILE_BY_NAME, file->path, file->data, file->size, mesh);
    pl_surface *surface = NULL;
    PL_TRY(pl_surface_parse(ctx, PL_FILE_BY_NAME, file->path, file->data, file->size, &surface));
    pl_status status = pl_mesh_create_from_triangles(ctx, surface, mesh);
    pl_surface_destroy(&surface);
    return status;
}

pl_status pl__rest_shape_read(pl__body_build *b, const pl__opened *file, pl_mesh **mesh)
{
    PL_TRY(read_mesh(b, file, mesh));
    points p = points_of_mesh(*mesh);
    if (b->file->up == 1)
        rotate_z_up(&p);
    if (b->factor > 0)
        scale_points(&p, b->factor, b->shift);
    return PL_OK;
}

static pl_status load_mesh(pl__body_build *b)
{
    char path[128];
    pl__opened file;
    snprintf(path, sizeof path, "bodies.%.40s.mesh", b->file->record.name);
    PL_TRY(pl__input_open(b->source, &b->file->record, "mesh", path, &file));
    bool pair =
        b->file->kind == PL_BODY_SOLID && (has_extension(file.path, ".ele") || has_extension(file.path, ".node"));
    pl_status status = pair ? load_pair(b, file.path) : read_mesh(b, &file, &b->mesh);
    pl__input_close(b->source, &file);
    bool shell = status == PL_OK && b->file->kind == PL_BODY_SOLID && pl_mesh_kind(b->mesh) == PL_ELEMENT_TRIANGLE;
    if (shell || (status == PL_ERR_FORMAT && strcmp(pl_context_error_path(b->source->ctx), "tetrahedra") == 0))
        return pl__json_fail(b->source->ctx, pl__where(&b->file->record, "mesh"),
                             "%s: %.60s holds no tetrahedra; name it in `surface`, and some are made around it, or set "
                             "\"kind\": \"shell\"",
                             path, b->file->mesh);
    PL_TRY(pl__fail_at(b->source, status, pl__where(&b->file->record, "mesh"), path));
    points p = points_of_mesh(b->mesh);
    return fit_body(b, &p);
}

// Mesh around the surface, which becomes embedded.
static pl_status cover_surface(pl__body_build *b)
{
    points p = points_of_surface(b->surface);
    bounds_of(&p, b->lower, b->upper);
    pl_stuffing_def def = pl_stuffing_def_default();
    def.mode = b->file->snug ? PL_STUFFING_SNUG : PL_STUFFING_COVERING;
    def.elements = kind_of_elements(b);
    def.size = b->file->size > 0 ? b->file->size : pl__longest_side(b->lower, b->upper) / b->file->resolution;
    return pl_mesh_create_from_surface(b->source->ctx, &def, b->surface, &b->mesh);
}

static pl_status load_surface(pl__body_build *b)
{
    char path[128];
    pl__opened file;
    snprintf(path, sizeof path, "bodies.%.40s.surface", b->file->record.name);
    PL_TRY(pl__input_open(b->source, &b->file->record, "surface", path, &file));
    pl_status status = pl_surface_parse(b->source->ctx, PL_FILE_BY_NAME, file.path, file.data, file.size, &b->surface);
    pl__input_close(b->source, &file);
    PL_TRY(pl__fail_at(b->source, status, pl__where(&b->file->record, "surface"), path));
    points p = points_of_surface(b->surface);
    PL_TRY(fit_body(b, &p));
    return fail_meshing(b, cover_surface(b), "surface");
}

// ---- a shape with a detailed surface ----------------------------------------------------------------------------

// Number the boundary nodes in order of first use; -1 for the others. Returns the count.
static int32_t number_boundary(const pl_mesh *mesh, int32_t *number)
{
    int32_t count = 0;
    for (int32_t n = 0; n < mesh->node_count; ++n)
        number[n] = -1;
    for (int32_t k = 0; k < 3 * mesh->triangle_count; ++k)
        if (number[mesh->triangle[k]] < 0)
            number[mesh->triangle[k]] = count++;
    return count;
}

static pl_status surface_of_mesh(const pl_mesh *mesh, int32_t *number, pl_surface **surface)
{
    *surface = pl__surface_new(mesh->ctx, number_boundary(mesh, number), mesh->triangle_count);
    if (!*surface)
        return PL_ERR_MEMORY;
    for (int32_t k = 0; k < 3 * mesh->triangle_count; ++k)
        (*surface)->triangle[k] = number[mesh->triangle[k]];
    for (int32_t n = 0; n < mesh->node_count; ++n)
        if (number[n] >= 0)
            memcpy(&(*surface)->position[3 * (size_t)number[n]], &mesh->position[3 * (size_t)n], 3 * sizeof(double));
    return pl__surface_finish(surface, "pl__rest_shape_make");
}

// Parts thinner than the triangles leave edges with four triangles.
static pl_status warn_surface(const pl__body_build *b)
{
    pl_surface_info info;
    PL_TRY(pl_surface_survey(b->surface, &info));
    if (info.crowded_edges > 0)
        pl__log(
            b->source->ctx, PL_LOG_WARNING,
            "bodies.%s: its surface touches itself at %d edges, where the shape is about as thin as surface_size, %g m",
            b->file->record.name, info.crowded_edges, b->file->surface_size);
    return PL_OK;
}

// Generate the shape at the resolution of its surface, keep only the boundary, and mesh around that with elements of
// `size`.
static pl_status make_detailed(pl__body_build *b)
{
    pl_mesh *fine;
    pl_element_kind elements = b->file->shape.record.which == PL__BODY_BLOBS ? PL_ELEMENT_TET : PL_ELEMENT_TRIANGLE;
    pl_status status = make_shape(b, elements, b->file->surface_size, &fine);
    PL_TRY(fail_field(b, status, is_size_error(b, status) ? "surface_size" : "shape"));
    int32_t *number = PL_NEW(b->source->ctx, fine->node_count, int32_t);
    status = number ? surface_of_mesh(fine, number, &b->surface) : PL_ERR_MEMORY;
    PL_DELETE(b->source->ctx, number, fine->node_count);
    pl_mesh_destroy(&fine);
    PL_TRY(status);
    PL_TRY(warn_surface(b));
    return fail_meshing(b, cover_surface(b), "shape");
}

// ---- sources ---------------------------------------------------------------------------------------------------

// Refuse keys that apply to another kind of source.
static pl_status refuse_unused(const pl__body_build *b, const char *source, const char *const *unused)
{
    for (; *unused; ++unused)
        if (pl__given(&b->file->record, *unused))
            return pl__json_fail_key(b->source->ctx, pl__where(&b->file->record, *unused),
                                     "bodies.%s.%s: has no meaning for a body made from `%s`; remove it",
                                     b->file->record.name, *unused, source);
    return PL_OK;
}

// Refuse two keys with the same meaning; the error is at the second, or at the one from the command line.
static pl_status refuse_both(const pl__body_build *b, const char *first, const char *second)
{
    const pl__record *record = &b->file->record;
    if (!pl__given(record, first) || !pl__given(record, second))
        return PL_OK;
    bool swap = pl__where(record, first)->line == 0;
    const char *fault = swap ? first : second, *other = swap ? second : first;
    return pl__json_fail_key(b->source->ctx, pl__where(record, fault),
                             "bodies.%s.%s: `%s` says the same already; give one of them", record->name, fault, other);
}

// Check the settings of an embedded surface: its source and the mesh around it.
static pl_status check_carried(const pl__body_build *b)
{
    const pl__file_body *file = b->file;
    pl_context *ctx = b->source->ctx;
    const pl__json *size = pl__where(&file->record, "surface_size"), *snug = pl__where(&file->record, "snug"),
                   *jitter = pl__where(&file->record, "jitter");
    if (file->surface_size > 0 && file->kind != PL_BODY_SOLID)
        return pl__json_fail_key(
            ctx, size,
            "bodies.%s.surface_size: is of a surface that a solid carries; shells and planar bodies have `size`",
            file->record.name);
    if (file->surface_size > 0 && pl__given(&file->record, "jitter"))
        return pl__json_fail_key(ctx, jitter,
                                 "bodies.%s.jitter: has no meaning for a body with `surface_size`; remove one of them",
                                 file->record.name);
    if (file->snug && !file->surface && !(file->surface_size > 0))
        return pl__json_fail_key(
            ctx, snug,
            "bodies.%s.snug: is of elements around a `surface`, or around that of a `surface_size`; this body has none",
            file->record.name);
    if (file->snug && file->elements == 1)
        return pl__json_fail_key(ctx, snug,
                                 "bodies.%s.snug: moves nodes, and hexahedra here are cells of a lattice as they are; "
                                 "leave it out or take tetrahedra",
                                 file->record.name);
    return PL_OK;
}

// What a liquid becomes is where that is, and moves as it does.
static pl_status check_liquid(const pl__body_build *b)
{
    static const char *const unused[] = {"height", "scale",  "up",   "anchor",   "surface_size", "resolution", "snug",
                                         "jitter", "seed",   "at",   "rotate",   "velocity",     "spin",       "start",
                                         "pins",   "select", "vary", "elements", "fibers",       "goal",       "paint",
                                         "mass",   NULL};
    if (b->file->kind != PL_BODY_SOLID)
        return pl__json_fail_key(b->source->ctx, pl__where(&b->file->record, "kind"),
                                 "bodies.%s.kind: a liquid becomes a solid only; leave it out", b->file->record.name);
    for (int32_t i = 0; i < b->source->file.liquids.count; ++i)
        if (strcmp(pl__source_liquid(b->source, i)->record.name, b->file->liquid) == 0)
            return refuse_unused(b, "liquid", unused);
    return pl__json_fail(b->source->ctx, pl__where(&b->file->record, "liquid"),
                         "bodies.%s.liquid: there is no liquid \"%.60s\"", b->file->record.name, b->file->liquid);
}

// It has a mesh when the time has come; until then a cube stands for that.
static pl_status make_stand_in(pl__body_build *b)
{
    pl_shape_def def = pl_shape_def_default();
    for (int i = 0; i < 3; ++i)
        def.extent[i] = 0.1;
    def.edge = 0.1;
    return pl_mesh_create_shape(b->source->ctx, &def, &b->mesh);
}

static pl_status check_source(const pl__body_build *b)
{
    static const char *const with_shape[] = {"height", "scale", "up", "anchor", NULL};
    static const char *const with_mesh[] = {"size",   "surface_size", "resolution", "snug",
                                            "jitter", "seed",         "elements",   NULL};
    static const char *const with_surface[] = {"surface_size", "jitter", "seed", NULL};
    const pl__file_body *file = b->file;
    bool shape = pl__given(&file->record, "shape");
    int sources = shape + (file->mesh != NULL) + (file->surface != NULL) + (file->liquid != NULL);
    if (sources == 0 && file->record.json->line == 0)
        return pl__json_fail(
            b->source->ctx, file->record.json,
            "bodies.%s: the file has no body of that name; a new one needs a `shape`, `mesh` or `surface`",
            file->record.name);
    if (sources != 1)
        return pl__json_fail(b->source->ctx, file->record.json,
                             "bodies.%s: needs exactly one of `shape`, `mesh`, `surface` and `liquid`, found %d",
                             file->record.name, sources);
    PL_TRY(refuse_both(b, "size", "resolution"));
    if (!file->liquid && pl__given(&file->record, "sets"))
        return pl__json_fail_key(b->source->ctx, pl__where(&file->record, "sets"),
                                 "bodies.%s.sets: is when a `liquid` becomes it, and it has none; leave it out",
                                 file->record.name);
    if (file->liquid)
        return check_liquid(b);
    if (file->surface && file->kind != PL_BODY_SOLID)
        return pl__json_fail_key(
            b->source->ctx, pl__where(&file->record, "surface"),
            "bodies.%s.surface: is carried by a solid; name the triangles of a shell or planar body in `mesh`",
            file->record.name);
    if (shape)
        PL_TRY(check_shape(b));
    PL_TRY(check_carried(b));
    PL_TRY(refuse_both(b, "height", "scale"));
    return shape        ? refuse_unused(b, "shape", with_shape)
           : file->mesh ? refuse_unused(b, "mesh", with_mesh)
                        : refuse_unused(b, "surface", with_surface);
}

pl_status pl__rest_shape_make(pl__body_build *b)
{
    PL_TRY(check_source(b));
    if (b->file->mesh)
        PL_TRY(load_mesh(b));
    else if (b->file->liquid)
        PL_TRY(make_stand_in(b));
    else if (b->file->surface)
        PL_TRY(load_surface(b));
    else if (b->file->surface_size > 0)
        PL_TRY(make_detailed(b));
    else
        PL_TRY(fail_meshing(b, make_shape(b, kind_of_elements(b), b->file->size, &b->mesh), "shape"));
    points p = points_of_mesh(b->mesh);
    if (!b->surface)
        bounds_of(&p, b->lower, b->upper);
    return PL_OK;
}

void pl__body_build_free(pl__body_build *b)
{
    pl__embed_destroy(&b->embed);
    pl_mesh_destroy(&b->mesh);
    pl_surface_destroy(&b->surface);
}
