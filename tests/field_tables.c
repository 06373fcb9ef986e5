// tests/field_tables.c -- a number of a definition is the same everywhere: C, scene files, live parameters, schema.
//
// Every row of every *_fields.inl is tried just within and just outside both ends of its range, through the check of
// the definition, the reader of scene files and pl_world_set. Rules about several fields may refuse what a range
// allows; so what counts is whether the sentence of the range was said, with the path of the field.
#include "contact/object_fields.h"
#include "contact/shape.h"
#include "desk.h"
#include "fixture.h"
#include "material/material.h"
#include "material/material_fields.h"
#include "scene/definitions.h"
#include "scene/file.h"

// ---- the definitions -------------------------------------------------------------------------------------------

typedef union
{
    pl_material_def material;
    pl_body_def body;
    pl_pin_def pin;
    pl_object_def object;
    pl_solver_def solver;
    pl_air_def air;
    pl_heat_def heat;
    pl_domain_def domain;
    pl_liquid_def liquid;
    pl_vortices_def vortices;
    double gravity[3]; // pl__scene_fields has the offset in pl_scene
    char scene[sizeof(struct pl_scene)];
} any_def;

typedef struct
{
    const pl__fields *fields;
    const pl__table *table;     // of scene files; NULL: none of its own
    const char *owner;          // how sentences of the library begin
    const char *before, *after; // around "key": value, in a scene file
    const char *scene_owner;    // how sentences about that begin
    const char *live;           // how live parameters begin
    void (*fill)(any_def *def);
    pl_status (*check)(const fixture *f, const any_def *def);
} subject;

static void fill_material(any_def *d) { d->material = pl_material_def_default(); }
static void fill_body(any_def *d) { d->body = pl_body_def_default(); }
static void fill_pin(any_def *d) { d->pin = pl_pin_def_default(); }
static void fill_object(any_def *d) { d->object = pl_object_def_default(); }
static void fill_solver(any_def *d) { d->solver = pl_solver_def_default(); }
static void fill_air(any_def *d) { d->air = pl_air_def_default(); }
static void fill_heat(any_def *d) { d->heat = pl_heat_def_default(); }
static void fill_domain(any_def *d) { d->domain = pl_domain_def_default(); }
static void fill_liquid(any_def *d) { d->liquid = pl_liquid_def_default(); }
static void fill_vortices(any_def *d) { d->vortices = pl_vortices_def_default(); }
static void fill_scene(any_def *d) { ((pl_scene *)(void *)d->scene)->gravity[1] = -9.81; }

static pl_status check_material(const fixture *f, const any_def *d)
{
    return pl__material_check(f->ctx, &d->material, "materials.new");
}

static pl_status check_body(const fixture *f, const any_def *d)
{
    pl_body_def def = d->body;
    def.mesh = f->mesh;
    def.material.index = 1;
    pl__material_list materials = {&f->scene->material->def, 1, sizeof *f->scene->material};
    return pl__body_def_check(f->ctx, "new", &def, &materials);
}

static pl_status check_pin(const fixture *f, const any_def *d)
{
    static const int32_t node = 0;
    pl_pin_def def = d->pin;
    def.nodes = &node;
    def.count = 1;
    size_t before = f->scene->body->pin_count;
    pl_status status = pl_scene_add_pin(f->scene, f->body, &def, NULL);
    if (status == PL_OK)
        pl__pin_def_release(f->ctx, &f->scene->body->pin[--f->scene->body->pin_count]);
    CHECK(f->scene->body->pin_count == before);
    return status;
}

static pl_status check_object(const fixture *f, const any_def *d)
{
    pl_scene *scene;
    CHECK_OK(f->ctx, pl_scene_create(f->ctx, &scene));
    pl_status status = pl_scene_add_object(scene, "new", &d->object, NULL);
    pl_scene_destroy(&scene);
    return status;
}

static pl_status check_solver(const fixture *f, const any_def *d) { return pl_scene_set_solver(f->scene, &d->solver); }
static pl_status check_air(const fixture *f, const any_def *d) { return pl_scene_set_air(f->scene, &d->air); }
static pl_status check_heat(const fixture *f, const any_def *d)
{
    pl_scene *scene;
    CHECK_OK(f->ctx, pl_scene_create(f->ctx, &scene));
    pl_status status = pl_scene_add_heat(scene, "new", &d->heat);
    pl_scene_destroy(&scene);
    return status;
}

static pl_status check_domain(const fixture *f, const any_def *d)
{
    pl_domain_def def = d->domain;
    for (int i = 0; i < 3; ++i)
        def.upper[i] = 1;
    return pl_scene_set_domain(f->scene, &def);
}

static pl_status check_liquid(const fixture *f, const any_def *d)
{
    pl_scene *scene;
    CHECK_OK(f->ctx, pl_scene_create(f->ctx, &scene));
    pl_status status = pl_scene_add_liquid(scene, "new", &d->liquid, NULL);
    pl_scene_destroy(&scene);
    return status;
}

static pl_status check_vortices(const fixture *f, const any_def *d)
{
    pl_scene *scene;
    CHECK_OK(f->ctx, pl_scene_create(f->ctx, &scene));
    pl_status status = pl_scene_add_vortices(scene, "new", NULL, &d->vortices);
    pl_scene_destroy(&scene);
    return status;
}

static pl_status check_scene(const fixture *f, const any_def *d)
{
    return pl_scene_set_gravity(f->scene, ((const pl_scene *)(const void *)d->scene)->gravity);
}

#define BODY "\"bodies\": { \"new\": { \"shape\": { \"box\": [1, 1, 1] }"
static const subject subjects[] = {
    {&pl__material_fields, &pl__material_table, "materials.new", "\"materials\": { \"new\": { ", " } }",
     "materials.new", "materials.stuff", fill_material, check_material},
    {&pl__body_fields, &pl__body_table, "bodies.new", BODY ", ", " } }", "bodies.new", "bodies.body", fill_body,
     check_body},
    {&pl__pin_fields, &pl__pin_table, "bodies.body.pins", BODY ", \"pins\": [{ ", " }] } }", "bodies.new.pins.0",
     "bodies.body.pins.0", fill_pin, check_pin},
    {&pl__object_fields, &pl__object_table, "objects.new", "\"objects\": { \"new\": { ", " } }", "objects.new",
     "objects.object", fill_object, check_object},
    {&pl__solver_fields, &pl__solver_table, "solver", "\"solver\": { ", " }", "solver", "solver", fill_solver,
     check_solver},
    {&pl__air_fields, &pl__air_table, "air", "\"air\": { ", " }", "air", "", fill_air, check_air},
    {&pl__heat_fields, &pl__heat_table, "heat.new", "\"heat\": { \"new\": { ", " } }", "heat.new", "heat.new",
     fill_heat, check_heat},
    {&pl__domain_fields, &pl__domain_table, "domain", "\"domain\": { ", " }", "domain", "domain", fill_domain,
     check_domain},
    {&pl__liquid_fields, &pl__liquid_table, "liquids.new", "\"liquids\": { \"new\": { ", " } }", "liquids.new",
     "liquids.liquid", fill_liquid, check_liquid},
    {&pl__vortices_fields, &pl__vortices_table, "vortices.new", "\"vortices\": { \"new\": { ", " } }", "vortices.new",
     "vortices.new", fill_vortices, check_vortices},
    {&pl__scene_fields, &pl__scene_table, "", "", "", "", "", fill_scene, check_scene},
};
enum
{
    SUBJECTS = sizeof subjects / sizeof subjects[0]
};

// A liquid with all that may be changed live, and a tap.
static void add_liquid(const fixture *fix)
{
    fixture f = *fix;
    pl_domain_def domain = pl_domain_def_default();
    pl_liquid_def liquid = pl_liquid_def_default();
    for (int i = 0; i < 3; ++i)
        domain.lower[i] = 20, domain.upper[i] = 22;
    domain.size = 1;
    liquid.level = 21;
    liquid.viscosity = liquid.elasticity = 1;
    MUST(pl_scene_set_domain(f.scene, &domain));
    MUST(pl_scene_add_liquid(f.scene, "liquid", &liquid, NULL));
    pl_object_def shape = pl_object_def_default();
    shape.kind = PL_OBJECT_SPHERE;
    shape.radius = 1;
    liquid.shape = &shape;
    liquid.level = 0;
    liquid.kind = PL_LIQUID_SOURCE;
    liquid.rate = 1;
    for (int i = 0; i < 3; ++i)
        liquid.at[i] = 21;
    MUST(pl_scene_add_liquid(f.scene, "tap", &liquid, NULL));
}

// A world with a body that has a closed surface, breaks, an object and a liquid.
static fixture make_fixture(void)
{
    fixture_def def = fixture_default();
    pl_object_def object = pl_object_def_default();
    object.at[1] = -10;
    def.material.kind = PL_MATERIAL_ROTATED_LINEAR; // which takes every Poisson's ratio
    def.body.pressure = 1;
    def.object = &object;
    def.prepare = add_liquid;
    return fixture_make(&def);
}

// ---- values at the ends ----------------------------------------------------------------------------------------

typedef struct
{
    const subject *s;
    const pl__field *f;
    fixture *world;
    desk *d;
} row;

static void path_of(const char *owner, const char *field, char path[256])
{
    snprintf(path, 256, "%s%s%s", owner, owner[0] ? "." : "", field);
}

// Who has a live field: of liquids the tap has the valve.
static const char *live_owner(const subject *s, const pl__field *f)
{
    return strcmp(f->name, "valve") == 0 ? "liquids.tap" : s->live;
}

// Whether the last failure was the refusal of the range, at the path.
static bool was_range(pl_context *ctx, const row *r, pl_status status, const char *owner)
{
    char range[160], path[256];
    pl__range_text(r->f, range, sizeof range);
    path_of(owner, r->f->name, path);
    return status != PL_OK && strstr(pl_context_error(ctx), range) && strstr(pl_context_error(ctx), path) &&
           strncmp(pl_context_error_path(ctx), path, strlen(path)) == 0;
}

static void put(const pl__field *f, any_def *def, double value)
{
    char *to = (char *)def + f->offset;
    int32_t whole = f->kind == PL__FIELD_INTEGER ? (int32_t)value : 0;
    if (f->kind == PL__FIELD_INTEGER)
        memcpy(to, &whole, sizeof whole);
    else
        memcpy(to, &value, sizeof value); // of a vector the first component
}

static void try_definition(const row *r, double value, bool allowed)
{
    any_def def;
    memset(&def, 0, sizeof def);
    r->s->fill(&def);
    put(r->f, &def, value);
    pl_status status = r->s->check(r->world, &def);
    CHECK_THAT(was_range(r->world->ctx, r, status, r->s->owner) == !allowed, "%s.%s = %.17g in C: %s", r->s->owner,
               r->f->name, value, status == PL_OK ? "was accepted" : pl_context_error(r->world->ctx));
}

static void try_scene(const row *r, double value, bool allowed)
{
    char text[1024], one[64];
    pl__source *source = NULL;
    const pl__field *key = pl__table_find(r->s->table, r->f->name);
    snprintf(one, sizeof one, r->f->components == 3 ? "[%.17g, 0.5, 0.5]" : "%.17g", value);
    snprintf(text, sizeof text, "{ %s\"%s\": %s%s }", r->s->before, r->f->name, one, r->s->after);
    pl_status status = pl__source_parse(r->d->ctx, "scene", text, strlen(text), NULL, 0, &source);
    bool told = was_range(r->d->ctx, r, status, r->s->scene_owner);
    CHECK_THAT(key && (allowed ? status == PL_OK : told), "%s: %s", text,
               status == PL_OK ? "was accepted" : pl_context_error(r->d->ctx));
    pl__source_close(&source);
}

static void try_live(const row *r, double value, bool allowed)
{
    char path[256];
    path_of(live_owner(r->s, r->f), r->f->name, path);
    strcat(path, r->f->kind == PL__FIELD_VECTOR ? ".x" : "");
    pl_param_id param = pl_world_find_param(r->world->world, path);
    CHECK_THAT(param.index > 0, "%s is live, but: %s", path, pl_context_error(r->world->ctx));
    pl_status status = param.index ? pl_world_set(r->world->world, param, value) : PL_OK;
    CHECK_THAT(was_range(r->world->ctx, r, status, live_owner(r->s, r->f)) == !allowed, "%s = %.17g live: %s", path,
               value, status == PL_OK ? "was accepted" : pl_context_error(r->world->ctx));
}

static void try_end(const row *r, double end, bool open, double outwards)
{
    bool whole = r->f->kind == PL__FIELD_INTEGER;
    double tiny = 1e-12; // beside 0; the numbers next to it may count as 0
    double beyond = whole      ? end + outwards
                    : end == 0 ? outwards * tiny
                               : nextafter(end, outwards * INFINITY),
           before = whole      ? end - outwards
                    : end == 0 ? -outwards * tiny
                               : nextafter(end, -outwards * INFINITY);
    double outside = open ? end : beyond, inside = open ? before : end;
    try_definition(r, outside, false);
    try_definition(r, inside, true);
    try_scene(r, outside, false);
    try_scene(r, inside, true);
    if (r->f->when == PL__WHEN_LIVE)
    {
        try_live(r, outside, false);
        try_live(r, inside, true);
    }
}

// C, scene files and live parameters allow and refuse the same values.
static void ranges_are_the_same_everywhere(void)
{
    fixture world = make_fixture();
    desk d;
    desk_make(&d);
    for (int i = 0; i < SUBJECTS; ++i)
        for (int32_t k = 0; k < subjects[i].fields->count; ++k)
        {
            row r = {&subjects[i], &subjects[i].fields->row[k], &world, &d};
            if (r.f->kind == PL__FIELD_BOOL || r.f->kind == PL__FIELD_CHOICE)
                continue;
            try_end(&r, r.f->low, r.f->low_open, -1);
            try_end(&r, r.f->high, r.f->high_open, 1);
        }
    desk_clear(&d);
    fixture_done(&world);
}

// Choices and switches: the last name is allowed, one more is not.
static void choices_are_the_same_everywhere(void)
{
    fixture world = make_fixture();
    for (int i = 0; i < SUBJECTS; ++i)
        for (int32_t k = 0; k < subjects[i].fields->count; ++k)
        {
            const pl__field *f = &subjects[i].fields->row[k], *key = pl__table_find(subjects[i].table, f->name);
            int32_t count = 2;
            if (f->kind != PL__FIELD_BOOL && f->kind != PL__FIELD_CHOICE)
                continue;
            if (f->kind == PL__FIELD_CHOICE)
                for (count = 0; f->choices[count]; ++count)
                    CHECK_THAT(key && strcmp(f->choices[count], key->choices[count]) == 0, "%s", f->name);
            for (int32_t value = -1; value <= count; ++value)
            {
                any_def def;
                char path[256];
                memset(&def, 0, sizeof def);
                subjects[i].fill(&def);
                memcpy((char *)&def + f->offset, &value, sizeof value);
                path_of(subjects[i].owner, f->name, path);
                pl_status status = subjects[i].check(&world, &def);
                const char *said = pl_context_error(world.ctx);
                bool told = status != PL_OK && strcmp(pl_context_error_path(world.ctx), path) == 0 &&
                            (strstr(said, " is not a pl_") || strstr(said, "must be 0 or 1"));
                CHECK_THAT(told == (value < 0 || value == count), "%s = %d: %s", path, value,
                           status == PL_OK ? "was accepted" : said);
            }
        }
    fixture_done(&world);
}

// ---- the rows themselves ---------------------------------------------------------------------------------------

static double default_in_scene(const pl__field *key, int32_t component)
{
    return key->fallback[component]; // what set_default of the reader writes
}

// Defaults of definitions are those of scene files, and every row has a unit and help.
static void defaults_are_the_same_everywhere(void)
{
    for (int i = 0; i < SUBJECTS; ++i)
        for (int32_t k = 0; k < subjects[i].fields->count; ++k)
        {
            const pl__field *f = &subjects[i].fields->row[k], *key = pl__table_find(subjects[i].table, f->name);
            any_def def;
            memset(&def, 0, sizeof def);
            subjects[i].fill(&def);
            CHECK_THAT(key && key->kind == f->kind && key->when == f->when && key->keyed == f->keyed, "%s", f->name);
            CHECK_THAT(f->unit && f->help && f->help[0], "%s", f->name);
            for (int32_t c = 0; key && c < (f->kind == PL__FIELD_VECTOR ? f->components : 1); ++c)
                CHECK_THAT(pl__field_get(f, &def, c) == default_in_scene(key, c), "%s.%s", subjects[i].owner, f->name);
        }
}

// What a scene file leaves out is what the definition has by default.
static void empty_scenes_give_default_definitions(void)
{
    desk d;
    desk_make(&d);
    static const char text[] =
        "{ \"air\": {}, \"solver\": {}, \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 1, 1] "
        "}, \"size\": 0.5 } }, \"objects\": { \"o\": { \"shape\": { \"sphere\": {} } } }, "
        "\"domain\": { \"box\": [[0, -1, 0], [1, 1, 1]], \"size\": 0.5 }, \"liquids\": { \"l\": { "
        "\"level\": 0 } }, \"vortices\": { \"v\": {} } }";
    pl_scene *scene = NULL;
    CHECK_OK(d.ctx, pl_scene_parse(d.ctx, "scene", text, sizeof text - 1, &scene));
    any_def def;
    for (int i = 0; scene && i < SUBJECTS; ++i)
    {
        const pl__fields *fields = subjects[i].fields;
        const void *made = fields == &pl__solver_fields     ? (const void *)&scene->solver
                           : fields == &pl__air_fields      ? (const void *)&scene->air
                           : fields == &pl__body_fields     ? (const void *)&scene->body->def
                           : fields == &pl__object_fields   ? (const void *)&scene->object->def
                           : fields == &pl__liquid_fields   ? (const void *)&scene->liquid->def
                           : fields == &pl__vortices_fields ? (const void *)&scene->vortices->def
                           : fields == &pl__scene_fields    ? (const void *)scene
                                                            : NULL;
        memset(&def, 0, sizeof def);
        subjects[i].fill(&def);
        for (int32_t k = 0; made && k < fields->count; ++k)
            CHECK_THAT(pl__field_get(&fields->row[k], made, 0) == pl__field_get(&fields->row[k], &def, 0), "%s.%s",
                       subjects[i].owner, fields->row[k].name);
    }
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

// Live parameters tell the range and unit of their rows.
static void live_parameters_tell_their_rows(void)
{
    fixture world = make_fixture();
    for (int i = 0; i < SUBJECTS; ++i)
        for (int32_t k = 0; k < subjects[i].fields->count; ++k)
        {
            const pl__field *f = &subjects[i].fields->row[k];
            char path[256], told[256];
            pl_param_info info;
            if (f->when != PL__WHEN_LIVE)
                continue;
            path_of(live_owner(&subjects[i], f), f->name, path);
            strcat(path, f->kind == PL__FIELD_VECTOR ? ".x" : "");
            pl_param_id param = pl_world_find_param(world.world, path);
            CHECK_OK(world.ctx, pl_world_param_describe(world.world, param, &info, told, sizeof told));
            CHECK_THAT(strcmp(path, told) == 0 && info.low == (f->automatic ? 0 : f->low) && info.high == f->high &&
                           strcmp(info.unit, f->unit) == 0,
                       "%s: [%g, %g] %s", told, info.low, info.high, info.unit);
        }
    fixture_done(&world);
}

// Shapes of objects have tables of their own in scene files: with the ranges and units of the definition's rows, and,
// but for a slim capsule, its defaults.
static void shapes_of_objects_have_the_ranges_of_their_definition(void)
{
    const pl__table *shapes = pl__table_find(&pl__object_table, "shape")->table;
    int32_t seen = 0;
    for (int32_t i = 0; i < shapes->field_count; ++i)
        for (int32_t k = 0; k < shapes->field[i].table->field_count; ++k)
        {
            const pl__field *key = &shapes->field[i].table->field[k],
                            *f = pl__fields_find(&pl__shape_fields, key->name);
            bool of_file = strcmp(shapes->field[i].name, "surface") == 0 && strcmp(key->name, "height") == 0;
            if (!f || of_file) // which scales a file
                continue;
            ++seen;
            CHECK_THAT(key->kind == f->kind && key->low == f->low && key->high == f->high &&
                           strcmp(key->unit ? key->unit : "", f->unit) == 0,
                       "%s.%s: [%g, %g], in C [%g, %g]", shapes->field[i].name, key->name, key->low, key->high, f->low,
                       f->high);
            bool slim = strcmp(shapes->field[i].name, "capsule") == 0 && strcmp(key->name, "radius") == 0;
            CHECK_THAT(slim || key->fallback[0] == f->fallback[0], "%s.%s", shapes->field[i].name, key->name);
        }
    CHECK(seen > 15);
}

// ---- errors ----------------------------------------------------------------------------------------------------

// Of what the fingerprint of snapshots is made: a live number does not change it, any other does.
static void fingerprints_see_what_is_not_live(void)
{
    for (int32_t k = 0; k < pl__material_fields.count; ++k)
    {
        const pl__field *f = &pl__material_fields.row[k];
        any_def a, b;
        fill_material(&a);
        fill_material(&b);
        int32_t one = f->fallback[0] == 0;
        double other = f->fallback[0] == 0.5 * (f->low + f->high) ? f->high : 0.5 * (f->low + f->high);
        if (f->kind == PL__FIELD_NUMBER)
            memcpy((char *)&b + f->offset, &other, sizeof other);
        else
            memcpy((char *)&b + f->offset, &one, sizeof one);
        bool same = pl__fields_hash(0, &pl__material_fields, &a) == pl__fields_hash(0, &pl__material_fields, &b);
        CHECK_THAT(same == (f->when == PL__WHEN_LIVE), "%s", f->name);
    }
}

// A failure has the path of what it is about, in C and in scene files, and another failure another one.
static void errors_carry_their_path(void)
{
    fixture f = make_fixture();
    desk d;
    desk_make(&d);
    static const struct
    {
        const char *text, *path;
    } scenes[] = {
        {"{ \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 1, 1] }, \"material\": { \"like\": \"rubber\", \"model\": "
         "\"neo_hookean\", \"poisson\": -0.5 } } } }",
         "bodies.a.material.poisson"},
        {"{ \"solver\": { \"substep\": 1e-12 }, \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 1, 1] } } } }",
         "solver.substep"},
        {"{ \"objects\": { \"o\": { \"shape\": { \"torus\": { \"tube\": 3 } } } }, \"bodies\": { \"a\": { \"shape\": { "
         "\"box\": [1, 1, 1] } } } }",
         "objects.o.shape.torus.tube"},
        {"{ \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 1, 1] }, \"wrong\": 1 } } }", "bodies.a.wrong"},
        {"{ \"gravity\": [0, 1, \"x\"] }", "gravity"},
        {"{ \"gravity\": [0, 1 }", ""},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
    {
        pl_scene *scene = NULL;
        CHECK(pl_scene_parse(d.ctx, "scene", scenes[i].text, strlen(scenes[i].text), &scene) == PL_ERR_FORMAT);
        CHECK_THAT(strcmp(pl_context_error_path(d.ctx), scenes[i].path) == 0, "%s: %s: %s", scenes[i].path,
                   pl_context_error_path(d.ctx), pl_context_error(d.ctx));
    }
    double key = 2;
    pl_keys_def keys = pl_keys_def_default();
    keys.times = keys.values = &key;
    keys.count = 1;
    CHECK(pl_scene_set_keys(f.scene, "materials.stuff.activation", &keys) == PL_ERR_ARGUMENT);
    CHECK(strcmp(pl_context_error_path(f.ctx), "materials.stuff.activation") == 0);
    CHECK(strcmp(pl_context_error(f.ctx), "key 0 of materials.stuff.activation: 2 must be in [0, 1]") == 0);
    CHECK(pl_world_set(f.world, (pl_param_id){9999}, 1) == PL_ERR_STATE && !pl_context_error_path(f.ctx)[0]);
    desk_clear(&d);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(ranges_are_the_same_everywhere),    TEST(choices_are_the_same_everywhere),
        TEST(defaults_are_the_same_everywhere),  TEST(empty_scenes_give_default_definitions),
        TEST(live_parameters_tell_their_rows),   TEST(shapes_of_objects_have_the_ranges_of_their_definition),
        TEST(fingerprints_see_what_is_not_live), TEST(errors_carry_their_path),
    };
    return RUN(tests);
}
