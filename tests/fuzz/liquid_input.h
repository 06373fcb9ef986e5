// tests/fuzz/liquid_input.h -- hand damaged states of a liquid to a world, and let it go on with what it takes.
//
// The input is a list of edits of the section LIQU of a good snapshot. Traps when
//   1. a load fails with another status than PL_ERR_FORMAT, or with a sentence that does not begin with "snapshot: ";
//   2. a step with what was loaded fails with another status than PL_ERR_NUMERIC, or leaves figures that are not
//   finite;
//   3. the good snapshot does not load afterwards to the same bytes.
#ifndef PL_FUZZ_LIQUID_INPUT_H
#define PL_FUZZ_LIQUID_INPUT_H

#include "snapshot_input.h"

typedef struct
{
    pl_context *ctx;
    pl_world *world;
    char *good;
    size_t size;
} liquid_room;

// Water with tall cells in a box that may grow, a source, a ball and a sheet that move.
static const char liquid_scene[] =
    "{\"domain\": {\"box\": [[0, 0, 0], [0.8, 1, 0.5]], \"size\": 0.1, \"depth\": 0.2, \"grow\": [\"+y\"], "
    "\"most_cells\": 5000}, \"liquids\": {\"w\": {\"level\": 0.6}, \"s\": {\"kind\": \"source\", \"shape\": "
    "{\"sphere\": "
    "0.15}, \"at\": [0.3, 0.8, 0.2], \"velocity\": [0.5, -1, 0], \"rate\": 0.01}}, \"objects\": {\"ball\": {\"shape\": "
    "{\"sphere\": 0.12}, \"at\": [0.5, 0.5, 0.2], \"velocity\": [0, -0.5, 0], \"spin\": [0, 90, 0]}}}";

// Four liquids: one that remembers, one that comes out of a tap.
static const char liquids_scene[] =
    "{\"domain\": {\"box\": [[0, 0, 0], [0.6, 0.6, 0.4]], \"size\": 0.1}, \"liquids\": {\"oil\": {\"level\": 0.4, "
    "\"density\": 800}, \"w\": {\"level\": 0.2}, \"j\": {\"shape\": {\"sphere\": 0.12}, \"at\": [0.4, 0.45, 0.2], "
    "\"viscosity\": 5, \"elasticity\": 1000}, \"s\": {\"kind\": \"source\", \"density\": 2000, \"shape\": "
    "{\"sphere\": 0.12}, \"at\": [0.2, 0.5, 0.2], \"velocity\": [0, -1, 0], \"rate\": 0.01}}}";

static inline liquid_room liquid_open(const char *text)
{
    pl_context_def def = pl_context_def_default();
    pl_step_def step = pl_step_def_default();
    pl_scene *scene;
    liquid_room r = {0};
    def.log = fuzz_log;
    def.thread_count = 1;
    REQUIRE(pl_context_create(&def, &r.ctx) == PL_OK);
    REQUIRE(pl_scene_parse(r.ctx, "scene", text, strlen(text), &scene) == PL_OK);
    REQUIRE(pl_world_create(scene, &r.world) == PL_OK);
    pl_scene_destroy(&scene);
    REQUIRE(pl_world_step(r.world, &step, NULL) == PL_OK);
    r.good = snapshot_save(r.world, &r.size);
    return r;
}

static inline bool is_liquid(const piece *p) { return memcmp(p->bytes, "LIQU", 4) == 0; }

// An edit by six bytes: how, three that say where, and a value.
static inline void edit_liquid(piece *s, const uint8_t e[6])
{
    static const double hard[] = {0, -0.0, 1, -1, 1e-300, 1e300, -1e300, INFINITY, NAN, 1e9, -1e9, 0.5, 1e-9, 4.9e-324};
    size_t content = s->size - SECTION_HEADER, at = e[1] + 256u * e[2] + 65536u * e[3];
    char *bytes = s->bytes + SECTION_HEADER;
    int32_t whole = (int32_t)e[4] - 128 + 1000 * ((int32_t)e[5] - 128);
    if (content < 8)
        return;
    switch (e[0] % 4)
    {
    case 0: bytes[at % content] = (char)e[4]; break;
    case 1: memcpy(bytes + at % (content / 4) * 4, &whole, sizeof whole); break;
    case 2: memcpy(bytes + at % (content / 8) * 8, &hard[e[4] % (sizeof hard / sizeof hard[0])], 8); break;
    default: piece_resize(s, (int64_t)(at % 4096) - 2048);
    }
}

static inline void step_with(const liquid_room *r)
{
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    step.dt = 1e-3;
    pl_status status = pl_world_step(r->world, &step, &info);
    REQUIRE(status == PL_OK || status == PL_ERR_NUMERIC);
    if (status == PL_OK)
        REQUIRE(info.liquid_volume - info.liquid_volume == 0 && info.liquid_speed - info.liquid_speed == 0 &&
                info.mass - info.mass == 0);
}

static inline void try_liquid(const void *data, size_t size)
{
    static liquid_room rooms[2];
    const uint8_t *bytes = data;
    for (int n = 0; !rooms[1].world && n < 2; ++n)
        rooms[n] = liquid_open(n ? liquids_scene : liquid_scene);
    liquid_room room = rooms[size > 0 && bytes[0] & 4 ? 1 : 0];
    pieces p = pieces_of(room.good, room.size);
    for (size_t n = 0; n < p.count; ++n)
        for (size_t at = 0; is_liquid(&p.piece[n]) && at + 6 <= size && at < 6 * 32; at += 6)
            edit_liquid(&p.piece[n], bytes + at);
    size_t edited_size;
    char *edited = pieces_join(&p, 0, &edited_size);
    pl_status status = pl_world_load(room.world, edited, edited_size);
    if (status == PL_OK)
        step_with(&room);
    else
        REQUIRE(status == PL_ERR_FORMAT && strncmp(pl_context_error(room.ctx), "snapshot: ", 10) == 0);
    REQUIRE(pl_world_load(room.world, room.good, room.size) == PL_OK);
    size_t now_size;
    char *now = snapshot_save(room.world, &now_size);
    REQUIRE(now_size == room.size && memcmp(now, room.good, now_size) == 0);
    free(now);
    free(edited);
    pieces_free(&p);
}

#endif
