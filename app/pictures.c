// app/pictures.c -- the state of a world as meshes, planes and a camera; frames as files.
//
// A first pass over the frames finds what the pictures have in common: the box that the camera frames when the scene
// says nothing, and the range of the colour map. Extremes of a field are spikes of single elements, so the range runs
// from the 1st to the 99th of 100 parts of each frame's values.
#include "pictures.h"
#include "color.h"
#include "drawables.h"
#include "files.h"
#include "app/render/drops.h"
#include "app/render/movie.h"
#include "app/render/render.h"
#include "objects.h"
#include "simulate.h"
#include "slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST_PLANES = 16,
    SHEET_COLUMNS = 5,
    SHEET_ROWS = 100,  // more runs than that stand side by side
    SHEET_WIDTH = 480, // of a picture, at most
    SHEET_SPACE = 72   // for margin and label
};

typedef struct
{
    double lower[3],
        upper[3];     // of bodies and objects with an end, over all frames, without what flies away (render/framing.c)
    bool begun;       // a frame has been looked at
    double low, high; // of the values that are coloured by
    double scale;     // from their unit to the label's
    char label[64];
} survey;

// The arrays of a picture; meshes of bodies first, then objects.
typedef struct
{
    session *s;
    render_mesh *mesh;
    render_plane plane[MOST_PLANES];
    render_points *points;
    int32_t mesh_count, plane_count, mesh_capacity, points_count;
    int32_t body_count, framed_count; // meshes of bodies, and all that the camera frames
    float **owned;                    // [owned_count] to free
    int32_t owned_count, owned_capacity;
} drawing;

// ---- arrays ----------------------------------------------------------------------------------------------------

// Memory for a picture; NULL with a sentence when there is none.
static void *need(session *s, void *old, size_t bytes)
{
    void *memory = realloc(old, bytes > 0 ? bytes : 1);
    if (!memory)
        console_fail(
            s->con,
            "out of memory for the picture: draw it smaller (look.size), or with fewer bodies and coarser objects");
    return memory;
}

static float *take(drawing *g, size_t count)
{
    if (g->owned_count == g->owned_capacity)
    {
        int32_t capacity = 2 * g->owned_capacity + 16;
        float **owned = need(g->s, g->owned, (size_t)capacity * sizeof *owned);
        if (!owned)
            return NULL;
        g->owned = owned;
        g->owned_capacity = capacity;
    }
    float *array = need(g->s, NULL, (count + 1) * sizeof *array);
    if (array)
        g->owned[g->owned_count++] = array;
    return array;
}

static render_mesh *take_mesh(drawing *g)
{
    if (g->mesh_count == g->mesh_capacity)
    {
        int32_t capacity = 2 * g->mesh_capacity + 8;
        render_mesh *mesh = need(g->s, g->mesh, (size_t)capacity * sizeof *mesh);
        if (!mesh)
            return NULL;
        g->mesh = mesh;
        g->mesh_capacity = capacity;
    }
    g->mesh[g->mesh_count] = (render_mesh){.roughness = 0.5f};
    return &g->mesh[g->mesh_count++];
}

static void drawing_free(drawing *g)
{
    for (int32_t i = 0; i < g->owned_count; ++i)
        free(g->owned[i]);
    free(g->owned);
    free(g->mesh);
    free(g->points);
    *g = (drawing){.s = g->s};
}

static void set_color(float to[3], const double srgb[3])
{
    for (int i = 0; i < 3; ++i)
        to[i] = (float)linear_light(srgb[i]);
}

// ---- bodies ----------------------------------------------------------------------------------------------------

// Numbers at the vertices that a surface is coloured by.
static bool read_values(session *s, const drawable *d, float *values)
{
    static const char *const fields[] = {[PL__COLOR_J] = "J",
                                         [PL__COLOR_STRESS] = "stress",
                                         [PL__COLOR_STRETCH] = "stretch",
                                         [PL__COLOR_PRESSURE] = "pressure",
                                         [PL__COLOR_PLASTIC] = "plastic",
                                         [PL__COLOR_TEMPERATURE] = "temperature",
                                         [PL__COLOR_SPEED] = "speed",
                                         [PL__COLOR_STRAIN] = "strain"};
    return drawable_field(s, d, fields[s->source->file.look.color_by], values) || session_fail(s);
}

// The triangles that cracks laid open, or the others.
static int32_t choose(const int32_t *triangles, const int32_t *source, int32_t count, bool inside, int32_t *chosen)
{
    int32_t taken = 0;
    for (int32_t i = 0; i < count; ++i)
        if ((source[i] < 0) == inside)
            memcpy(&chosen[3 * (size_t)taken++], &triangles[3 * (size_t)i], 3 * sizeof *chosen);
    return taken;
}

// What cracks laid open has its own colour, and an edge where it meets the outside.
static bool split_mesh(drawing *g, const int32_t *source, const double color[3])
{
    const render_mesh whole = g->mesh[g->mesh_count - 1];
    int32_t *chosen = (int32_t *)(void *)take(g, 3 * (size_t)whole.triangle_count);
    render_mesh *inner = take_mesh(g);
    if (!chosen || !inner)
        return false;
    render_mesh *outer = inner - 1;
    *inner = whole;
    outer->triangles = chosen;
    outer->triangle_count = choose(whole.triangles, source, whole.triangle_count, false, chosen);
    inner->triangles = &chosen[3 * (size_t)outer->triangle_count];
    inner->triangle_count =
        choose(whole.triangles, source, whole.triangle_count, true, &chosen[3 * (size_t)outer->triangle_count]);
    set_color(inner->color, color);
    return true;
}

static void set_matter(const session *s, const drawable *d, render_mesh *mesh);

// Lumps of NAME_spray are what NAME is.
static void set_matter_of_lumps(const drawing *g, const drawable *spray, render_mesh *mesh)
{
    set_color(mesh->color, spray->color);
    for (int32_t i = 0; i < drawable_count(g->s); ++i)
    {
        drawable d;
        if (!drawable_at(g->s, i, &d) || d.d.look != PL_LOOK_WATER)
            continue;
        size_t length = strlen(d.d.name);
        if (strncmp(spray->d.name, d.d.name, length) != 0 || strcmp(spray->d.name + length, "_spray") != 0)
            continue;
        set_color(mesh->color, d.color);
        set_matter(g->s, &d, mesh);
        mesh->inner = NULL;
    }
}

static void *take_copy(drawing *g, const void *from, size_t count);

// The arrays of drops, as a mesh and a set of points.
static bool take_drops(drawing *g, const drawable *d, const drops_shape *s)
{
    size_t vertices = 3 * (size_t)s->vertex_count, beads = (size_t)s->bead_count;
    render_mesh *mesh = take_mesh(g);
    if (!mesh)
        return false;
    mesh->vertices = take_copy(g, s->vertices, vertices);
    mesh->normals = take_copy(g, s->normals, vertices);
    mesh->triangles = take_copy(g, s->triangles, 3 * (size_t)s->triangle_count);
    mesh->vertex_count = s->vertex_count;
    mesh->triangle_count = s->triangle_count;
    set_matter_of_lumps(g, d, mesh);
    render_points *points = &g->points[g->points_count++];
    *points = (render_points){.count = s->bead_count,
                              .positions = take_copy(g, s->beads, 3 * beads),
                              .radii = take_copy(g, s->radii, beads),
                              .opacity = 1,
                              .clear = mesh->matter == RENDER_WATER};
    set_color(points->color, d->color);
    return mesh->vertices && mesh->normals && mesh->triangles && points->positions && points->radii;
}

static bool draw_drops(drawing *g, const drawable *d)
{
    size_t count = (size_t)d->d.vertex_count;
    drops_def def = {.count = count, .radius = d->d.radii, .size = g->s->source->file.domain.size};
    drops_shape shape = {0};
    for (int a = 0; a < 3; ++a)
    {
        def.lower[a] = -INFINITY;
        def.upper[a] = INFINITY;
    }
    drawable_domain(g->s, def.lower, def.upper);
    double *x = need(g->s, NULL, (6 * count + 1) * sizeof *x);
    if (!x)
        return false;
    def.x = x;
    def.v = x + 3 * count;
    bool good = (pl_drawable_read(g->s->world, d->index, x, x + 3 * count, NULL) == PL_OK &&
                 drops_make(g->s->ctx, &def, &shape) == PL_OK) ||
                session_fail(g->s);
    good = good && take_drops(g, d, &shape);
    drops_free(g->s->ctx, &shape);
    free(x);
    return good;
}

static bool draw_balls(drawing *g, const drawable *d, float *positions, float *radii)
{
    for (int32_t i = 0; i < d->d.vertex_count; ++i)
        radii[i] = (float)d->d.radii[i];
    return drawable_floats(g->s, d, positions, NULL);
}

// Spray, foam and bubbles.
static bool draw_points(drawing *g, const drawable *d)
{
    size_t count = (size_t)d->d.vertex_count;
    render_points *points = need(g->s, g->points, ((size_t)g->points_count + 1) * sizeof *points);
    if (!points)
        return false;
    g->points = points;
    if (d->d.look == PL_LOOK_SPRAY && g->s->source->file.domain.size > 0)
        return draw_drops(g, d);
    float *positions = take(g, 3 * count), *radii = take(g, count);
    if (!positions || !radii)
        return false;
    if (!draw_balls(g, d, positions, radii))
        return session_fail(g->s);
    points = &g->points[g->points_count++];
    *points = (render_points){
        .count = (int32_t)count, .positions = positions, .radii = radii, .opacity = (float)d->d.opacity};
    points->foam = d->d.look == PL_LOOK_FOAM;
    set_color(points->color, d->color);
    return true;
}

// Water, unless its colours or edges shall be seen.
static void set_matter(const session *s, const drawable *d, render_mesh *mesh)
{
    const pl__file_look *look = &s->source->file.look;
    if (d->d.look != PL_LOOK_WATER || look->wireframe || look->color_by != PL__COLOR_BODY)
        return;
    mesh->matter = RENDER_WATER;
    mesh->inner = d->d.inner;
    for (int i = 0; i < 3; ++i)
        mesh->absorption[i] = (float)d->d.absorption[i];
}

// A copy that lives as long as the picture.
static void *take_copy(drawing *g, const void *from, size_t count)
{
    float *to = take(g, count);
    if (to && count > 0)
        memcpy(to, from, count * sizeof *to);
    return to;
}

// A slice of cells with their edges, of liquid or of air.
static bool draw_slice(drawing *g, bool liquid, const double color[3])
{
    const pl__file_look *look = &g->s->source->file.look;
    double lower[3], upper[3];
    bool mapped = look->color_by != PL__COLOR_BODY;
    slice_value what = look->color_by == PL__COLOR_PRESSURE      ? SLICE_PRESSURE
                       : look->color_by == PL__COLOR_STRAIN      ? SLICE_STRAIN
                       : look->color_by == PL__COLOR_TEMPERATURE ? SLICE_TEMPERATURE
                                                                 : SLICE_SPEED;
    slice cells;
    render_mesh *mesh = take_mesh(g);
    if (!mesh || !drawable_domain(g->s, lower, upper) ||
        !slice_make(g->s->world, 0.5 * (lower[2] + upper[2]), liquid, what, &cells))
        return false;
    size_t n = (size_t)cells.count;
    mesh->vertices = take_copy(g, cells.vertices, 12 * n);
    mesh->triangles = take_copy(g, cells.triangles, 6 * n);
    mesh->vertex_values = mapped ? take_copy(g, cells.values, 4 * n) : NULL;
    slice_free(&cells);
    if (!mesh->vertices || !mesh->triangles || (mapped && !mesh->vertex_values))
        return false;
    mesh->vertex_count = 4 * (int32_t)n;
    mesh->triangle_count = 2 * (int32_t)n;
    mesh->wireframe = RENDER_QUADS;
    mesh->roughness = 1;
    set_color(mesh->color, color);
    return true;
}

static bool draw_cells(drawing *g, const drawable *d)
{
    static const double air[3] = {0.93, 0.94, 0.95};
    bool mapped = g->s->source->file.look.color_by != PL__COLOR_BODY;
    return draw_slice(g, true, d->color) && (mapped || draw_slice(g, false, air));
}

static bool draw_drawable(drawing *g, int32_t index)
{
    session *s = g->s;
    drawable d;
    if (!drawable_at(s, index, &d))
        return false;
    if (!d.visible)
        return true;
    if (d.d.radii)
        return draw_points(g, &d);
    if (s->source->file.look.cells && d.d.look == PL_LOOK_WATER)
        return draw_cells(g, &d);
    int32_t count = d.d.vertex_count;
    render_mesh *mesh = take_mesh(g);
    bool water = d.d.look == PL_LOOK_WATER; // it knows its normals better than its triangles do
    float *vertices = take(g, 3 * (size_t)count), *normals = water ? take(g, 3 * (size_t)count) : NULL;
    if (!mesh || !vertices || (water && !normals))
        return false;
    mesh->normals = normals;
    mesh->triangles = d.d.triangles;
    mesh->triangle_count = d.d.triangle_count;
    mesh->vertex_count = count;
    mesh->vertices = vertices;
    mesh->wireframe = !s->source->file.look.wireframe ? RENDER_NO_EDGES : d.cells ? RENDER_QUADS : RENDER_TRIANGLES;
    set_color(mesh->color, d.color);
    set_matter(s, &d, mesh);
    if (!drawable_floats(s, &d, vertices, normals))
        return session_fail(s);
    if (s->source->file.look.color_by != PL__COLOR_BODY)
    {
        float *values = take(g, (size_t)count);
        mesh->vertex_values = values;
        if (!values || !read_values(s, &d, values))
            return false;
    }
    return !d.source || split_mesh(g, d.source, d.inside);
}

// ---- objects ---------------------------------------------------------------------------------------------------

// What looks the same however it is turned about y gets stripes when it turns.
static bool is_striped(const pl__file_object *o, pl_object_kind kind)
{
    static const double zero[3];
    bool turns = o && (o->rotate.count || o->spin.count || memcmp(o->spin.value, zero, sizeof zero) != 0);
    bool round = kind == PL_OBJECT_SPHERE || (kind >= PL_OBJECT_ELLIPSOID && kind <= PL_OBJECT_TORUS);
    return turns && round;
}

// Which of eight sectors about y, light and dark in turn, a triangle is in.
static bool is_dark(const double *x, const int32_t t[3])
{
    double across = 0, along = 0;
    for (int k = 0; k < 3; ++k)
    {
        across += x[3 * t[k]];
        along += x[3 * t[k] + 2];
    }
    return (int)floor((atan2(along, across) + M_PI) * 4 / M_PI) % 2 != 0;
}

// The triangles of an object that are light, dark, or both.
static bool add_triangles(drawing *g, const pl_surface *surface, const float *vertices, bool striped, bool dark,
                          const double color[3])
{
    render_mesh *mesh = take_mesh(g);
    int32_t count = pl_surface_triangle_count(surface), *triangles = (int32_t *)(void *)take(g, 3 * (size_t)count);
    if (!mesh || !triangles)
        return false;
    *mesh = (render_mesh){.vertex_count = pl_surface_node_count(surface),
                          .vertices = vertices,
                          .triangles = triangles,
                          .roughness = 0.6f};
    const int32_t *t = pl_surface_triangles(surface);
    for (int32_t i = 0; i < count; ++i, t += 3)
        if (!striped || is_dark(pl_surface_positions(surface), t) == dark)
            memcpy(&triangles[3 * (size_t)mesh->triangle_count++], t, 3 * sizeof *t);
    double shade[3] = {color[0], color[1], color[2]};
    for (int i = 0; dark && i < 3; ++i)
        shade[i] *= 0.7;
    set_color(mesh->color, shade);
    return true;
}

// A little smaller than it is: nodes of bodies rest on it, and the triangles between them would cut it.
static bool draw_solid(drawing *g, int32_t index, const pl__file_object *o, pl_object_kind kind, const double color[3])
{
    const pl_surface *surface;
    if (!object_surface(g->s, index, &surface))
        return false;
    if (!surface)
        return true;
    size_t count = 3 * (size_t)pl_surface_node_count(surface);
    int32_t first = g->mesh_count;
    float *vertices = take(g, count);
    double *x = need(g->s, NULL, (count + 1) * sizeof *x);
    bool good = vertices && x && object_place(g->s, index, surface, 0.005 * object_size(surface), x),
         striped = is_striped(o, kind);
    for (size_t k = 0; good && k < count; ++k)
        vertices[k] = (float)x[k];
    free(x);
    good = good && add_triangles(g, surface, vertices, striped, false, color) &&
           (!striped || add_triangles(g, surface, vertices, true, true, color));
    for (int32_t i = first; o && o->transparent && i < g->mesh_count; ++i)
        g->mesh[i].matter = RENDER_GLASS;
    return good;
}

static void draw_plane(drawing *g, const double at[3], const double normal[3], const double color[3], bool grid)
{
    if (g->plane_count == MOST_PLANES)
        return; // warn_planes has told
    render_plane *plane = &g->plane[g->plane_count++];
    for (int i = 0; i < 3; ++i)
    {
        plane->at[i] = (float)at[i];
        plane->normal[i] = (float)normal[i];
    }
    plane->grid = grid;
    set_color(plane->color, color);
}

// A valley is two planes, each hidden where it is below the other.
static void draw_valley(drawing *g, const pl_object_def *o, const double color[3])
{
    double half = 0.5 * o->angle * M_PI / 180;
    for (int side = -1; side <= 1; side += 2)
    {
        double normal[3] = {side * cos(half), sin(half), 0};
        pl_points_rotate(o->rotate, normal, 1);
        draw_plane(g, o->at, normal, color, false);
    }
}

// Largest extent of a body, or of the domain of liquids.
static double largest_extent(const session *s)
{
    double most = 0, memory;
    int32_t cells[3];
    const pl_domain_def *domain = pl__scene_domain_of(s->scene, cells, &memory);
    for (int k = 0; k < 3; ++k)
    {
        for (int32_t i = 0; i < s->source->file.bodies.count; ++i)
            most = fmax(most, s->source->made[i].upper[k] - s->source->made[i].lower[k]);
        most = domain ? fmax(most, domain->upper[k] - domain->lower[k]) : most;
    }
    return most;
}

// A ridge goes on for ever; twenty times the size of everything else is for ever enough.
static bool draw_ridge(drawing *g, const pl_object_def *o, const double color[3])
{
    static const int32_t corners[12] = {0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4};
    render_mesh *mesh = take_mesh(g);
    float *vertices = take(g, 3 * 6);
    double far = fmax(1, 20 * largest_extent(g->s)), half = 0.5 * o->angle * M_PI / 180;
    if (!mesh || !vertices)
        return false;
    for (int i = 0; i < 6; ++i)
    {
        double side = i / 2 - 1, z = i % 2 ? far : -far;
        double p[3] = {side * far * sin(half), side != 0 ? -far * cos(half) : 0, z};
        pl_points_rotate(o->rotate, p, 1);
        for (int k = 0; k < 3; ++k)
            vertices[3 * i + k] = (float)(p[k] + o->at[k]);
    }
    *mesh = (render_mesh){
        .vertex_count = 6, .triangle_count = 4, .vertices = vertices, .triangles = corners, .roughness = 0.6f};
    set_color(mesh->color, color);
    return true;
}

// `o` is NULL for the floor. Endless meshes come after those that the camera frames.
static bool draw_object(drawing *g, const char *name, const pl__file_object *o, const double color[3], bool grid,
                        bool endless)
{
    pl_object_def state;
    pl_object_id id = pl_world_find_object(g->s->world, name);
    if (pl_object_read(g->s->world, id, &state) != PL_OK)
        return session_fail(g->s);
    bool ridge = state.kind == PL_OBJECT_WEDGE && state.angle < 180, valley = state.kind == PL_OBJECT_WEDGE && !ridge;
    if (endless)
        return !ridge || draw_ridge(g, &state, color);
    if (state.kind == PL_OBJECT_PLANE)
        draw_plane(g, state.at, state.normal, color, grid);
    else if (valley)
        draw_valley(g, &state, color);
    else if (state.kind != PL_OBJECT_BODY && !object_is_endless(&state)) // others are not shown; warn_planes has told
        return draw_solid(g, id.index - 1, o, state.kind, color);
    return true;
}

// Clear water above nothing is hardly seen: it shows what is behind it. Where a scene has a liquid, and neither ground,
// objects nor a camera that somebody has thought about, a ground with a grid is below its domain.
static void draw_ground(drawing *g)
{
    const pl__scene_file *file = &g->s->source->file;
    static const double up[3] = {0, 1, 0}, color[3] = {0.66, 0.62, 0.54};
    double lower[3], upper[3];
    if (file->floor.record.json || file->camera.record.json || file->objects.count > 0 ||
        !drawable_domain(g->s, lower, upper))
        return;
    draw_plane(g, lower, up, color, true);
}

static bool draw_objects(drawing *g, bool endless)
{
    const pl__scene_file *file = &g->s->source->file;
    if (!endless)
        draw_ground(g);
    if (file->floor.record.json && !endless &&
        !draw_object(g, "floor", NULL, file->floor.color, file->floor.grid, false))
        return false;
    for (int32_t i = 0; i < file->objects.count; ++i)
    {
        const pl__file_object *o = pl__source_object(g->s->source, i);
        if (o->visible && !draw_object(g, o->record.name, o, o->color, false, endless))
            return false;
    }
    return true;
}

// ---- contacts --------------------------------------------------------------------------------------------------

enum
{
    BALL_VERTICES = 12,
    BALL_TRIANGLES = 20
};

// An icosahedron around a point: vertex `first` and those after it.
static void put_ball(const double at[3], double radius, int32_t first, float *vertices, int32_t *triangles)
{
    static const double a = 0.5257311121191336, b = 0.8506508083520399;
    static const int32_t corner[3 * BALL_TRIANGLES] = {
        0, 4,  1, 0, 9, 4,  9, 5,  4, 4,  5, 8, 4, 8, 1, 8, 10, 1,  8, 3, 10, 5, 3,  8, 5, 2, 3, 2, 7, 3,
        7, 10, 3, 7, 6, 10, 7, 11, 6, 11, 0, 6, 0, 1, 6, 6, 1,  10, 9, 0, 11, 9, 11, 2, 9, 2, 5, 7, 2, 11};
    const double x[BALL_VERTICES][3] = {{-a, 0, b}, {a, 0, b},   {-a, 0, -b}, {a, 0, -b}, {0, b, a},  {0, b, -a},
                                        {0, -b, a}, {0, -b, -a}, {b, a, 0},   {-b, a, 0}, {b, -a, 0}, {-b, -a, 0}};
    for (int32_t i = 0; i < 3 * BALL_VERTICES; ++i)
        vertices[3 * (size_t)first + (size_t)i] = (float)(at[i % 3] + radius * x[i / 3][i % 3]);
    for (size_t k = 0; k < 3 * BALL_TRIANGLES; ++k)
        triangles[(size_t)first / BALL_VERTICES * 3 * BALL_TRIANGLES + k] = first + corner[k];
}

static bool put_balls(drawing *g, const pl_contact_point *point, int32_t count)
{
    static const double color[3] = {0.85, 0.12, 0.1};
    render_mesh *mesh = take_mesh(g);
    float *vertices = take(g, 3 * BALL_VERTICES * (size_t)count);
    int32_t *triangles = (int32_t *)(void *)take(g, 3 * BALL_TRIANGLES * (size_t)count);
    if (!mesh || !vertices || !triangles)
        return false;
    double radius = 0.01 * largest_extent(g->s);
    for (int32_t i = 0; i < count; ++i)
        put_ball(point[i].point, radius, BALL_VERTICES * i, vertices, triangles);
    *mesh = (render_mesh){.vertex_count = BALL_VERTICES * count,
                          .triangle_count = BALL_TRIANGLES * count,
                          .vertices = vertices,
                          .triangles = triangles,
                          .roughness = 0.4f};
    set_color(mesh->color, color);
    return true;
}

static bool draw_contacts(drawing *g)
{
    int32_t count = 0;
    if (!g->s->source->file.look.contacts)
        return true;
    if (pl_world_contact_points(g->s->world, NULL, 0, &count) != PL_OK)
        return session_fail(g->s);
    pl_contact_point *point = need(g->s, NULL, (size_t)count * sizeof *point + 1);
    bool good = point && (count == 0 || (pl_world_contact_points(g->s->world, point, count, &count) == PL_OK &&
                                         put_balls(g, point, count)));
    free(point);
    return good;
}

static bool draw_world(drawing *g)
{
    for (int32_t i = 0; i < drawable_count(g->s); ++i)
        if (!draw_drawable(g, i))
            return false;
    g->body_count = g->mesh_count;
    if (!draw_objects(g, false))
        return false;
    g->framed_count = g->mesh_count;
    return draw_contacts(g) && draw_objects(g, true);
}

// ---- survey ----------------------------------------------------------------------------------------------------

// Objects are where the scene puts them, and so is everything when it begins; later what bodies lose is not followed.
static void extend(survey *v, const drawing *g)
{
    int32_t whole_from = v->begun ? g->body_count : 0;
    drawable_extend_by_domain(g->s, v->lower, v->upper);
    render_extend_box_by_bulk(g->mesh, whole_from, v->lower, v->upper);
    for (int32_t i = whole_from; i < g->framed_count; ++i)
        render_extend_box(&g->mesh[i], v->lower, v->upper);
    v->begun = true;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void extend_range(survey *v, const render_mesh *mesh)
{
    size_t count = (size_t)mesh->vertex_count;
    float *sorted = mesh->vertex_values && count ? malloc(count * sizeof *sorted) : NULL;
    if (!sorted)
        return;
    memcpy(sorted, mesh->vertex_values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_floats);
    v->low = fmin(v->low, sorted[count / 100]);
    v->high = fmax(v->high, sorted[count - 1 - count / 100]);
    free(sorted);
}

// Names and units of what is coloured by; pressures in the unit that keeps numbers short.
static void set_label(survey *v, const pl__file_look *look)
{
    static const char *const names[] = {"",      "volume ratio J", "von Mises stress", "largest stretch", "pressure",
                                        "speed", "plastic strain", "temperature",      "elastic strain"};
    if (look->record.json && pl__given(&look->record, "range"))
    {
        v->low = look->range[0];
        v->high = look->range[1];
    }
    else if (look->color_by == PL__COLOR_STRESS || look->color_by == PL__COLOR_SPEED ||
             look->color_by == PL__COLOR_PLASTIC || look->color_by == PL__COLOR_TEMPERATURE ||
             look->color_by == PL__COLOR_STRAIN)
        v->low = 0;
    if (!(v->high > v->low))
        v->high = v->low + (fabs(v->low) > 0 ? 1e-3 * fabs(v->low) : 1);
    double size = fmax(fabs(v->low), fabs(v->high));
    v->scale = 1;
    const char *unit = "";
    if (look->color_by == PL__COLOR_STRESS || look->color_by == PL__COLOR_PRESSURE)
    {
        unit = size > 2e6 ? " [MPa]" : size > 2e3 ? " [kPa]" : " [Pa]";
        v->scale = size > 2e6 ? 1e-6 : size > 2e3 ? 1e-3 : 1;
    }
    else if (look->color_by == PL__COLOR_SPEED)
        unit = " [m/s]";
    else if (look->color_by == PL__COLOR_TEMPERATURE)
        unit = " [K]";
    snprintf(v->label, sizeof v->label, "%s%s", names[look->color_by], unit);
}

static const survey empty_survey = {.lower = {INFINITY, INFINITY, INFINITY},
                                    .upper = {-INFINITY, -INFINITY, -INFINITY},
                                    .low = INFINITY,
                                    .high = -INFINITY};

static bool survey_state(session *s, survey *v)
{
    drawing g = {.s = s};
    bool good = draw_world(&g);
    if (good)
        extend(v, &g);
    for (int32_t i = 0; good && i < g.framed_count; ++i)
        extend_range(v, &g.mesh[i]);
    drawing_free(&g);
    return good;
}

static void warn_planes(const session *s)
{
    const pl__scene_file *file = &s->source->file;
    int32_t count = file->floor.record.json != NULL;
    char sentence[160];
    for (int32_t i = 0; i < file->objects.count; ++i)
    {
        const pl__file_object *o = pl__source_object(s->source, i);
        pl_object_def def;
        if (pl_object_read(s->world, (pl_object_id){i + 1 + (file->floor.record.json != NULL)}, &def) != PL_OK)
            continue;
        bool wedge = def.kind == PL_OBJECT_WEDGE;
        if (o->visible)
            count += def.kind == PL_OBJECT_PLANE ? 1 : wedge && def.angle >= 180 ? 2 : 0;
        snprintf(sentence, sizeof sentence, "objects.%.40s: has parts without end, which pictures cannot show",
                 o->record.name);
        if (o->visible && def.kind != PL_OBJECT_PLANE && !wedge && object_is_endless(&def))
            console_log(s->con, PL_LOG_WARNING, sentence);
    }
    snprintf(sentence, sizeof sentence, "pictures show the first %d of %d planes; hide some with `visible`",
             MOST_PLANES, count);
    if (count > MOST_PLANES)
        console_log(s->con, PL_LOG_WARNING, sentence);
}

static bool survey_frames(rundir *d, int32_t first, int32_t last, survey *v)
{
    warn_planes(d->s);
    *v = empty_survey;
    const pl__scene_file *file = &d->s->source->file;
    bool needed = !pl__given(&file->camera.record, "from") || !pl__given(&file->camera.record, "look_at") ||
                  file->look.color_by != PL__COLOR_BODY;
    for (int32_t frame = first; needed && frame <= last; ++frame)
    {
        if (was_interrupted() || !rundir_read_frame(d, frame) || !survey_state(d->s, v))
            return false;
        console_progress(d->s->con, false, "looking at frame %d/%d", frame, last);
    }
    for (int i = 0; i < 3; ++i)
        if (!(v->lower[i] <= v->upper[i]))
        {
            v->lower[i] = -0.5;
            v->upper[i] = 0.5;
        }
    set_label(v, &file->look);
    return true;
}

// ---- camera ----------------------------------------------------------------------------------------------------

static void evaluate(const pl__keyed_value *k, double time, double *value)
{
    if (k->count == 0)
    {
        memcpy(value, k->value, (size_t)k->components * sizeof *value);
        return;
    }
    pl_keys_def keys = pl_keys_def_default();
    keys.times = k->times;
    keys.values = k->values;
    keys.count = k->count;
    keys.components = k->components;
    keys.ease = (pl_ease)k->ease;
    pl_keys_evaluate(&keys, time, value);
}

// The middle of the body that the camera follows.
static bool follow(const drawing *g, const char *name, double middle[3])
{
    pl_body_id body = pl_world_find_body(g->s->world, name);
    int32_t count = pl_body_node_count(g->s->world, body);
    const double *x = pl_body_positions(g->s->world, body);
    memset(middle, 0, 3 * sizeof *middle);
    for (size_t k = 0; x && k < 3 * (size_t)count; ++k)
        middle[k % 3] += x[k] / count;
    return x != NULL;
}

// A camera that is close to the body it follows: a box one and a half times as large as the body was at the start.
static render_camera frame_body(const drawing *g, const char *name, double fov, double aspect)
{
    double side = 0, lower[3], upper[3];
    for (int32_t k = 0; k < g->s->source->file.bodies.count; ++k)
    {
        const pl__made_body *made = &g->s->source->made[k];
        for (int i = 0; strcmp(made->name, name) == 0 && i < 3; ++i)
            side = fmax(side, made->upper[i] - made->lower[i]);
    }
    for (int i = 0; i < 3; ++i)
    {
        lower[i] = -0.75 * side;
        upper[i] = 0.75 * side;
    }
    return render_frame_camera(lower, upper, fov, aspect);
}

static render_camera place_camera(const drawing *g, const survey *v)
{
    const pl__file_camera *file = &g->s->source->file.camera;
    const pl__file_look *look = &g->s->source->file.look;
    double time = pl_world_time(g->s->world), fov;
    evaluate(&file->fov, time, &fov);
    render_camera camera = render_frame_camera(v->lower, v->upper, fov, look->size[0] / look->size[1]);
    if (file->look_at.name)
        camera = frame_body(g, file->look_at.name, fov, look->size[0] / look->size[1]);
    double away[3];
    for (int i = 0; i < 3; ++i)
        away[i] = camera.from[i] - camera.look_at[i];
    if (file->look_at.name)
        (void)follow(g, file->look_at.name, camera.look_at);
    else if (pl__given(&file->record, "look_at"))
        evaluate(&file->look_at.point, time, camera.look_at);
    for (int i = 0; i < 3; ++i)
        camera.from[i] = camera.look_at[i] + away[i];
    if (pl__given(&file->record, "from"))
        evaluate(&file->from, time, camera.from);
    return camera;
}

// ---- pictures --------------------------------------------------------------------------------------------------

static render_look make_look(const session *s, const survey *v, int32_t frame, char caption[64])
{
    static const char *const maps[] = {"viridis", "turbo", "coolwarm", "inferno"};
    const pl__file_look *file = &s->source->file.look;
    render_look look = render_look_default();
    look.width = (int32_t)file->size[0];
    look.height = (int32_t)file->size[1];
    look.samples = file->samples;
    if (file->record.json && pl__given(&file->record, "background"))
        set_color(look.background, file->background);
    if (file->record.json && pl__given(&file->record, "light"))
        memcpy(look.light, file->light, sizeof look.light);
    look.light_strength *= file->light_strength;
    look.sky_strength *= file->sky_strength;
    if (file->color_by != PL__COLOR_BODY)
    {
        look.color_map = maps[file->color_map];
        look.map_low = v->low * v->scale;
        look.map_high = v->high * v->scale;
        look.map_label = v->label;
    }
    snprintf(caption, 64, "frame %d   %.3f s", frame, pl_world_time(s->world));
    if (file->caption)
        look.caption = caption;
    return look;
}

static void scale_values(drawing *g, double scale)
{
    const float *last = NULL; // outside and inside of a body have the same
    for (int32_t i = 0; i < g->mesh_count; last = g->mesh[i++].vertex_values)
        for (int32_t k = 0; g->mesh[i].vertex_values && g->mesh[i].vertex_values != last && k < g->mesh[i].vertex_count;
             ++k)
            ((float *)g->mesh[i].vertex_values)[k] *= (float)scale;
}

// The world as it is.
static bool draw_state(session *s, int32_t frame, const survey *v, image *out)
{
    char caption[64];
    drawing g = {.s = s};
    bool good = draw_world(&g);
    if (good)
    {
        scale_values(&g, v->scale);
        render_look look = make_look(s, v, frame, caption);
        render_camera camera = place_camera(&g, v);
        render_scene scene = {.meshes = g.mesh,
                              .mesh_count = g.mesh_count,
                              .planes = g.plane,
                              .plane_count = g.plane_count,
                              .points = g.points,
                              .points_count = g.points_count};
        good = render_draw(s->ctx, &scene, &camera, &look, out) == PL_OK || session_fail(s);
    }
    drawing_free(&g);
    return good;
}

static bool draw_frame(rundir *d, int32_t frame, const survey *v, image *out)
{
    return rundir_read_frame(d, frame) && draw_state(d->s, frame, v, out);
}

// The name of the picture of a frame: `pattern` has one %d, %4d or %06d, or is the name of a single one.
static void picture_path(const char *pattern, int32_t frame, char *path, size_t size)
{
    const char *mark = strchr(pattern, '%');
    int before = mark ? (int)(mark - pattern) : 0, width = mark ? atoi(mark + 1) : 0;
    if (!mark)
        snprintf(path, size, "%s", pattern);
    else
        snprintf(path, size, mark[1] == '0' ? "%.*s%0*d%s" : "%.*s%*d%s", before, pattern, width, frame,
                 strchr(mark, 'd') + 1);
}

static bool make_pictures(rundir *d, const char *pattern, int32_t first, int32_t last, const survey *v)
{
    for (int32_t frame = first; frame <= last; ++frame)
    {
        char path[4400];
        image picture;
        picture_path(pattern, frame, path, sizeof path);
        if (was_interrupted() || !draw_frame(d, frame, v, &picture))
            return false;
        bool good = image_write_png(d->s->ctx, path, &picture) == PL_OK || session_fail(d->s);
        image_destroy(d->s->ctx, &picture);
        if (!good)
            return false;
        console_progress(d->s->con, frame == last, "drawing frame %d/%d", frame, last);
    }
    return true;
}

static bool add_frame(rundir *d, movie *m, int32_t frame, const survey *v)
{
    image picture;
    if (was_interrupted() || !draw_frame(d, frame, v, &picture))
        return false;
    bool good = movie_add(m, &picture) == PL_OK || session_fail(d->s);
    if (good && d->s->source->file.output.pictures)
    {
        char path[4400];
        rundir_path(d, path, sizeof path, "pictures");
        (void)make_directories(path);
        rundir_path(d, path, sizeof path, "pictures/%06d.png", frame);
        good = image_write_png(d->s->ctx, path, &picture) == PL_OK || session_fail(d->s);
    }
    image_destroy(d->s->ctx, &picture);
    return good;
}

static bool make_movie(rundir *d, const char *path, int32_t first, int32_t last, const survey *v)
{
    const pl__scene_file *file = &d->s->source->file;
    movie *m;
    double began = wall_clock();
    if (movie_open(d->s->ctx, path, (int32_t)file->look.size[0], (int32_t)file->look.size[1], file->fps, &m) != PL_OK)
        return session_fail(d->s);
    for (int32_t frame = first; frame <= last; ++frame)
    {
        if (!add_frame(d, m, frame, v))
        {
            movie_discard(&m);
            return false;
        }
        char eta[32];
        clock_text((wall_clock() - began) / (frame - first + 1) * (last - frame), eta);
        console_progress(d->s->con, frame == last, "drawing frame %d/%d  ETA %s", frame, last, eta);
    }
    return movie_close(&m) == PL_OK || session_fail(d->s);
}

bool pictures_available(void) { return true; }

double pictures_seconds(session *s)
{
    survey v = empty_survey;
    image picture;
    double *size = s->source->file.look.size, whole[2] = {size[0], size[1]}, spent = 0;
    if (!survey_state(s, &v))
        return 0;
    set_label(&v, &s->source->file.look);
    size[0] = fmax(16, floor(whole[0] / 4));
    size[1] = fmax(16, floor(whole[1] / 4));
    double began = wall_clock();
    if (draw_state(s, 0, &v, &picture))
    {
        spent = (wall_clock() - began) * (whole[0] * whole[1]) / (size[0] * size[1]);
        image_destroy(s->ctx, &picture);
    }
    size[0] = whole[0];
    size[1] = whole[1];
    return spent;
}

bool pictures_make(rundir *d, const char *path, int32_t first, int32_t last)
{
    survey v;
    bool png = ends_with(path, ".png");
    // a single picture is framed like the movie it belongs to
    bool good = survey_frames(d, png && first == last ? 0 : first, png && first == last ? d->last_frame : last, &v);
    good = good && (png ? make_pictures(d, path, first, last, &v) : make_movie(d, path, first, last, &v));
    console_end_line(d->s->con);
    return good;
}

// ---- sheets ----------------------------------------------------------------------------------------------------

struct sheet
{
    session *s;
    sheet_moments moments;
    int32_t run_count, drawn, capacity; // pictures drawn, and room for them
    double width, height;               // of a picture; known from the first run on
    bool looked;                        // `common` holds what the runs have in common
    survey common;
    image *picture;
    char (*label)[80];
    const char **names;
    image_sheet_look look;
};

sheet *sheet_create(session *s, int32_t run_count, const sheet_moments *m)
{
    sheet *h = calloc(1, sizeof *h);
    if (h)
    {
        *h = (sheet){.s = s,
                     .moments = *m,
                     .run_count = run_count,
                     .capacity = run_count * m->count,
                     .look = image_sheet_look_default()};
        h->picture = calloc((size_t)h->capacity, sizeof *h->picture);
        h->label = calloc((size_t)h->capacity, sizeof *h->label);
        h->names = calloc((size_t)h->capacity, sizeof *h->names);
    }
    if (h && h->picture && h->label && h->names)
        return h;
    sheet_destroy(&h);
    console_fail(s->con, "out of memory");
    return NULL;
}

void sheet_destroy(sheet **out)
{
    sheet *h = *out;
    if (!h)
        return;
    for (int32_t i = 0; i < h->drawn; ++i)
        image_destroy(h->s->ctx, &h->picture[i]);
    free(h->picture);
    free(h->label);
    free(h->names);
    free(h);
    *out = NULL;
}

// Pictures of one size, such that all of them fit. A single run fills rows of SHEET_COLUMNS, several have a row each.
static void arrange(sheet *h, const double size[2])
{
    int32_t side = (h->run_count - 1) / SHEET_ROWS + 1, rows = (h->run_count - 1) / side + 1,
            columns = h->moments.count * side;
    if (h->run_count == 1 && h->moments.count > SHEET_COLUMNS)
    {
        rows = (h->moments.count - 1) / SHEET_COLUMNS + 1;
        columns = SHEET_COLUMNS;
    }
    double across = (double)IMAGE_SIZE_MAX / columns - SHEET_SPACE, down = (double)IMAGE_SIZE_MAX / rows - SHEET_SPACE;
    double scale = fmin(fmin(1, fmin(across, SHEET_WIDTH) / size[0]), down / size[1]);
    h->width = fmax(16, floor(scale * size[0]));
    h->height = fmax(16, floor(scale * size[1]));
    h->look.columns = columns;
}

bool sheet_look(sheet *h, rundir *d)
{
    survey v;
    if (d->last_frame < 0 ||
        !survey_frames(d, h->moments.first, h->moments.last >= 0 ? h->moments.last : d->last_frame, &v))
        return false;
    survey *all = &h->common;
    if (!h->looked)
        *all = v;
    h->looked = true;
    for (int i = 0; i < 3; ++i)
    {
        all->lower[i] = fmin(all->lower[i], v.lower[i]);
        all->upper[i] = fmax(all->upper[i], v.upper[i]);
    }
    all->low = fmin(all->low, v.low);
    all->high = fmax(all->high, v.high);
    return true;
}

bool sheet_add(sheet *h, rundir *d, const char *name)
{
    const sheet_moments *m = &h->moments;
    double *size = d->s->source->file.look.size;
    if (h->drawn == 0)
        arrange(h, size);
    size[0] = h->width;
    size[1] = h->height;
    int32_t last = m->last >= 0 ? m->last : d->last_frame;
    bool good = h->looked || sheet_look(h, d);
    survey v = h->common;
    set_label(&v, &d->s->source->file.look);
    for (int32_t k = 0; good && k < m->count; ++k)
    {
        int32_t frame = m->first + (int32_t)((int64_t)(last - m->first) * k / (m->count - 1));
        char *label = h->label[h->drawn];
        good = !was_interrupted() && draw_frame(d, frame, &v, &h->picture[h->drawn]);
        snprintf(label, sizeof h->label[0], "%.50s%s%.2f s", name, name[0] ? "  " : "", pl_world_time(d->s->world));
        h->names[h->drawn] = label;
        h->drawn += good;
        console_progress(d->s->con, false, "drawing frame %d/%d", frame, last);
    }
    console_end_line(d->s->con);
    return good;
}

bool sheet_write(sheet *h, const char *path)
{
    image all;
    pl_context *ctx = h->s->ctx;
    if (image_sheet(ctx, h->picture, h->names, h->drawn, &h->look, &all) != PL_OK)
        return session_fail(h->s);
    bool good = image_write_png(ctx, path, &all) == PL_OK || session_fail(h->s);
    image_destroy(ctx, &all);
    return good;
}
