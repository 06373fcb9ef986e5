// app/cmd_mesh.c -- pliant mesh and pliant info: files in the hand.
#include "commands.h"
#include "files.h"
#include "rundir.h"
#include <pliant/io.h>

#include <errno.h>
#include <math.h>
#include <string.h>

static void bounds(const double *x, int32_t count, double lower[3], double upper[3])
{
    for (int i = 0; i < 3; ++i)
    {
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
    }
    for (size_t k = 0; k < 3 * (size_t)count; ++k)
    {
        lower[k % 3] = fmin(lower[k % 3], x[k]);
        upper[k % 3] = fmax(upper[k % 3], x[k]);
    }
}

static void print_box(const double lower[3], const double upper[3])
{
    printf("  from [%.6g, %.6g, %.6g] to [%.6g, %.6g, %.6g]: %.6g x %.6g x %.6g\n", lower[0], lower[1], lower[2],
           upper[0], upper[1], upper[2], upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]);
}

static void print_mesh(const char *path, const pl_mesh *mesh)
{
    double smallest, largest, lower[3], upper[3];
    pl_mesh_dihedral_range(mesh, &smallest, &largest);
    bounds(pl_mesh_positions(mesh), pl_mesh_node_count(mesh), lower, upper);
    printf("%s: a mesh of %d %s, %d nodes, %d boundary triangles\n", path, pl_mesh_element_count(mesh),
           pl_mesh_kind(mesh) == PL_ELEMENT_HEX ? "hexahedra" : "tetrahedra", pl_mesh_node_count(mesh),
           pl_mesh_triangle_count(mesh));
    print_box(lower, upper);
    printf("  volume %.6g, dihedral angles %.1f to %.1f degrees\n", pl_mesh_volume(mesh), smallest, largest);
    for (int32_t i = 0; i < pl_mesh_region_count(mesh); ++i)
        if (pl_mesh_region_name(mesh, i)[0])
            printf("  region \"%s\"\n", pl_mesh_region_name(mesh, i));
    for (int32_t i = 0; i < pl_mesh_attribute_count(mesh); ++i)
        printf("  attribute \"%s\", %d per node\n", pl_mesh_attribute_name(mesh, i),
               pl_mesh_attribute_components(mesh, i));
}

// Whether it can be filled, and what to mend.
static void print_survey(const pl_surface_info *info)
{
    bool closed = info->open_edges == 0 && info->crowded_edges == 0;
    print_box(info->lower, info->upper);
    printf("  %s, %d part%s, area %.6g", closed ? "closed" : "open", info->parts, info->parts == 1 ? "" : "s",
           info->area);
    if (closed)
        printf(", volume %.6g", fabs(info->volume));
    printf("\n");
    if (info->open_edges)
        printf("  %d edges border holes\n", info->open_edges);
    if (info->crowded_edges)
        printf("  %d edges have three triangles or more\n", info->crowded_edges);
    if (info->turned_edges)
        printf("  neighbouring triangles face opposite ways at %d edges: recalculate normals\n", info->turned_edges);
    else if (closed && info->volume < 0)
        printf("  inside out: its triangles face inwards (it is turned when it is filled)\n");
    if (info->unused)
        printf("  %d vertices belong to no triangle and do not count for its size\n", info->unused);
}

static void print_surface(const char *path, const pl_surface *surface)
{
    printf("%s: a surface of %d triangles, %d vertices\n", path, pl_surface_triangle_count(surface),
           pl_surface_node_count(surface));
    pl_surface_info info;
    if (pl_surface_survey(surface, &info) == PL_OK)
        print_survey(&info);
    if (pl_surface_uv_count(surface))
        printf("  %d texture coordinates\n", pl_surface_uv_count(surface));
    for (int32_t i = 0; i < pl_surface_group_count(surface); ++i)
        printf("  group \"%s\"\n", pl_surface_group_name(surface, i));
    for (int32_t i = 0; i < pl_surface_attribute_count(surface); ++i)
        printf("  attribute \"%s\", %d per vertex\n", pl_surface_attribute_name(surface, i),
               pl_surface_attribute_components(surface, i));
}

// ---- the same as JSON ------------------------------------------------------------------------------------------

static void begin_json(text *t, const char *kind, const char *path)
{
    text_add(t, "{\"kind\": \"%s\", \"path\": ", kind);
    text_quoted(t, path);
}

static void end_json(text *t)
{
    text_put(t, "}");
    puts(t->failed ? "{}" : t->at);
    text_free(t);
}

static void json_bounds(text *t, const double *x, int32_t count)
{
    double ends[2][3];
    bounds(x, count, ends[0], ends[1]);
    for (int end = 0; end < 2; ++end)
    {
        text_put(t, end ? ", \"upper\": [" : ", \"lower\": [");
        for (int i = 0; i < 3; ++i)
        {
            text_put(t, i ? ", " : "");
            text_number(t, ends[end][i]);
        }
        text_put(t, "]");
    }
}

static void json_mesh(const char *path, const pl_mesh *mesh)
{
    text t = {0};
    double smallest, largest;
    pl_mesh_dihedral_range(mesh, &smallest, &largest);
    begin_json(&t, "mesh", path);
    text_add(&t, ", \"%s\": %d, \"nodes\": %d, \"triangles\": %d, \"volume\": ",
             pl_mesh_kind(mesh) == PL_ELEMENT_HEX ? "hexes" : "tets", pl_mesh_element_count(mesh),
             pl_mesh_node_count(mesh), pl_mesh_triangle_count(mesh));
    text_number(&t, pl_mesh_volume(mesh));
    text_add(&t, ", \"dihedral_degrees\": [%.6g, %.6g]", smallest, largest);
    json_bounds(&t, pl_mesh_positions(mesh), pl_mesh_node_count(mesh));
    end_json(&t);
}

static void json_surface(const char *path, const pl_surface *surface)
{
    text t = {0};
    begin_json(&t, "surface", path);
    text_add(&t, ", \"triangles\": %d, \"vertices\": %d, \"uvs\": %d, \"groups\": [",
             pl_surface_triangle_count(surface), pl_surface_node_count(surface), pl_surface_uv_count(surface));
    for (int32_t i = 0; i < pl_surface_group_count(surface); ++i)
    {
        text_put(&t, i ? ", " : "");
        text_quoted(&t, pl_surface_group_name(surface, i));
    }
    text_put(&t, "]");
    json_bounds(&t, pl_surface_positions(surface), pl_surface_node_count(surface));
    end_json(&t);
}

// `last` is the last frame that is there, of a run.
static void json_scene(const session *s, const char *kind, const char *path, const int32_t *last)
{
    text t = {0};
    const pl__scene_file *file = &s->source->file;
    begin_json(&t, kind, path);
    text_add(&t, ", \"frames\": %d, \"fps\": ", file->frames);
    text_number(&t, file->fps);
    if (last)
        text_add(&t, ", \"last_frame\": %d", *last);
    text_put(&t, ", \"bodies\": [");
    for (int32_t i = 0; i < file->bodies.count; ++i)
    {
        text_put(&t, i ? ", " : "");
        text_quoted(&t, pl__source_body(s->source, i)->record.name);
    }
    text_put(&t, "], \"liquids\": [");
    for (int32_t i = 0; i < file->liquids.count; ++i)
    {
        text_put(&t, i ? ", " : "");
        text_quoted(&t, pl__source_liquid(s->source, i)->record.name);
    }
    text_put(&t, "]");
    end_json(&t);
}

static void print_liquid_names(const session *s)
{
    for (int32_t i = 0; i < s->source->file.liquids.count; ++i)
        printf("  liquid %s\n", pl__source_liquid(s->source, i)->record.name);
}

// ---- info ------------------------------------------------------------------------------------------------------

static int info_run(session *s, const char *path, bool json)
{
    rundir d;
    char scene[4300];
    if (!rundir_open(&d, s, path, true))
        return EXIT_WRONG;
    rundir_path(&d, scene, sizeof scene, "scene.json");
    if (!session_open(s, scene, NULL, 0))
        return EXIT_WRONG;
    const pl__scene_file *file = &s->source->file;
    if (json)
    {
        json_scene(s, "run", path, &d.last_frame);
        return EXIT_DONE;
    }
    if (d.last_frame < 0)
        printf("%s: a run without frames yet, of %d, %g per second\n", path, file->frames + 1, file->fps);
    else
        printf("%s: a run with frames 0 to %d of %d, %g per second\n", path, d.last_frame, file->frames, file->fps);
    for (int32_t i = 0; i < file->bodies.count; ++i)
        printf("  body %s\n", pl__source_body(s->source, i)->record.name);
    print_liquid_names(s);
    char again[4400];
    rundir_resume_command(&d, again, sizeof again);
    if (d.last_frame < file->frames)
        printf("  not finished; go on with: %s\n", again);
    return EXIT_DONE;
}

static int info_scene(session *s, const char *path, bool json)
{
    if (!session_open(s, path, NULL, 0))
        return EXIT_WRONG;
    const pl__scene_file *file = &s->source->file;
    if (json)
    {
        json_scene(s, "scene", path, NULL);
        return EXIT_DONE;
    }
    printf("%s: a scene of %d frames at %g per second, %d bodies, %d liquids, %d objects, %d materials\n", path,
           file->frames, file->fps, file->bodies.count, file->liquids.count,
           file->objects.count + (file->floor.record.json != NULL), file->materials.count);
    for (int32_t i = 0; i < file->bodies.count; ++i)
    {
        const pl__file_body *b = pl__source_body(s->source, i);
        const char *from = b->mesh                                               ? b->mesh
                           : b->surface                                          ? b->surface
                           : b->shape.record.json && b->shape.record.json->first ? b->shape.record.json->first->key
                                                                                 : "nothing";
        printf("  body %s: %s, from %s\n", b->record.name,
               b->kind == PL_BODY_SHELL    ? "shell"
               : b->kind == PL_BODY_PLANAR ? "planar"
               : b->elements == 1          ? "solid of hexahedra"
                                           : "solid",
               from);
    }
    for (int32_t i = 0; i < file->objects.count; ++i)
    {
        const pl__file_object *o = pl__source_object(s->source, i);
        printf("  object %s: %s\n", o->record.name,
               o->shape.record.which >= 0 ? pl__object_kind_name((pl_object_kind)o->shape.record.which)
               : o->body                  ? "a body"
                                          : "nothing");
    }
    print_liquid_names(s);
    printf("  `pliant check %s` says what it will cost\n", path);
    return EXIT_DONE;
}

static int info_file(session *s, const char *path, bool json)
{
    pl_mesh *mesh;
    pl_surface *surface;
    // of triangles there is more to say as of a surface
    bool solid = pl_mesh_load(s->ctx, path, &mesh) == PL_OK && pl_mesh_kind(mesh) != PL_ELEMENT_TRIANGLE;
    if (solid)
        json ? json_mesh(path, mesh) : print_mesh(path, mesh);
    pl_mesh_destroy(&mesh);
    if (solid)
        return EXIT_DONE;
    if (pl_surface_load(s->ctx, path, &surface) != PL_OK)
    {
        (void)session_fail(s);
        return EXIT_WRONG;
    }
    json ? json_surface(path, surface) : print_surface(path, surface);
    pl_surface_destroy(&surface);
    return EXIT_DONE;
}

static bool is_state(const char *path) { return ends_with(path, ".state") || strcmp(base_name(path), "state") == 0; }

static int info_state(session *s, const char *path, bool json)
{
    int32_t frame;
    frame_cost cost;
    errno = 0;
    if (!is_whole_state(path, &frame, &cost))
    {
        char sentence[4300];
        snprintf(sentence, sizeof sentence, "%.4000s: %s", path,
                 errno ? strerror(errno) : "is damaged, or not the state of a run");
        console_fail(s->con, sentence);
        return EXIT_WRONG;
    }
    if (json)
        printf("{\"kind\": \"state\", \"frame\": %d, \"substeps\": %lld}\n", frame, (long long)cost.substeps);
    else if (cost.substeps)
        printf("%s: a state of a run, %lld substeps into frame %d\n", path, (long long)cost.substeps, frame + 1);
    else
        printf("%s: the state of a run at the end of frame %d\n", path, frame);
    return EXIT_DONE;
}

static int info_any(session *s, const char *path, bool json)
{
    if (is_directory(path))
        return info_run(s, path, json);
    if (is_state(path))
        return info_state(s, path, json);
    return ends_with(path, ".json") ? info_scene(s, path, json) : info_file(s, path, json);
}

int command_info(const arguments *a)
{
    const char *path = a->operand[0];
    console con = console_make(false, false, a->verbose);
    session s;
    if (!session_start(&s, &con, a))
        return EXIT_FAILED;
    int status = info_any(&s, path, a->json);
    session_end(&s);
    return status;
}

// ---- mesh ------------------------------------------------------------------------------------------------------

static bool choose_elements(session *s, const arguments *a, pl_element_kind *elements)
{
    char sentence[128];
    bool hex = a->elements && strcmp(a->elements, "hex") == 0;
    *elements = hex ? PL_ELEMENT_HEX : PL_ELEMENT_TET;
    if (!a->elements || hex || strcmp(a->elements, "tet") == 0)
        return true;
    snprintf(sentence, sizeof sentence, "pliant mesh: --elements %.40s: must be tet or hex", a->elements);
    console_fail(s->con, sentence);
    return false;
}

static int make_mesh(session *s, const arguments *a, const pl_surface *surface)
{
    char path[4200];
    double lower[3], upper[3];
    pl_stuffing_def def = pl_stuffing_def_default();
    if (!choose_elements(s, a, &def.elements))
        return EXIT_WRONG;
    def.mode = a->fitted ? PL_STUFFING_FITTED : PL_STUFFING_COVERING;
    bounds(pl_surface_positions(surface), pl_surface_node_count(surface), lower, upper);
    def.size = a->size > 0 ? a->size : fmax(fmax(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]) / 24;
    if (a->output)
        snprintf(path, sizeof path, "%s", a->output);
    else
    {
        const char *base = base_name(a->operand[0]), *dot = strrchr(base, '.');
        snprintf(path, sizeof path, "%.*s.msh", (int)(dot ? dot - base : (long)strlen(base)), base);
    }
    if (same_path(path, a->operand[0]))
    {
        console_fail(s->con, "the result would replace the surface: name another file with -o");
        return EXIT_WRONG;
    }
    pl_mesh *mesh;
    if (pl_mesh_create_from_surface(s->ctx, &def, surface, &mesh) != PL_OK)
    {
        (void)session_fail(s);
        return EXIT_WRONG;
    }
    pl_status status = pl_mesh_save(mesh, path, PL_FILE_BY_NAME);
    if (status != PL_OK)
        (void)session_fail(s);
    else if (!s->con->quiet)
        print_mesh(path, mesh);
    pl_mesh_destroy(&mesh);
    return status == PL_OK ? EXIT_DONE : status == PL_ERR_ARGUMENT ? EXIT_WRONG : EXIT_FAILED;
}

int command_mesh(const arguments *a)
{
    console con = console_make(a->quiet, false, a->verbose);
    session s;
    pl_surface *surface;
    int status = EXIT_WRONG;
    if (!session_start(&s, &con, a))
        return EXIT_FAILED;
    if (pl_surface_load(s.ctx, a->operand[0], &surface) != PL_OK)
        (void)session_fail(&s);
    else
    {
        status = make_mesh(&s, a, surface);
        pl_surface_destroy(&surface);
    }
    session_end(&s);
    return status;
}
