// tests/fuzz/snapshot_input.h -- hand damaged snapshots to a world that has every section.
//
// The input is a list of edits of a good snapshot: sections change places, come twice, get lost, shrink, grow, and
// their bytes change. Then lengths and checksum are made right again, so that edits reach the modules. Traps when
//   1. a load fails with another status than PL_ERR_FORMAT, or with a sentence that does not begin with "snapshot: ";
//   2. a load that fails has changed the world;
//   3. what was loaded is not saved as a snapshot that loads to the same bytes;
//   4. the good snapshot does not load afterwards, or memory has leaked.
#ifndef PL_FUZZ_SNAPSHOT_INPUT_H
#define PL_FUZZ_SNAPSHOT_INPUT_H

#include "base/hash.h"
#include "inputs.h"
#include "world/world.h"

// ---- a snapshot in pieces --------------------------------------------------------------------------------------

enum
{
    SNAPSHOT_HEADER = 40, // magic, version, bytes at 8, two fingerprints, checksum at 32
    SECTION_HEADER = 16,  // tag, version at 4, bytes at 8
    PIECES = 40
};

typedef struct
{
    char *bytes; // with its header
    size_t size;
} piece;

typedef struct
{
    char header[SNAPSHOT_HEADER];
    piece piece[PIECES];
    size_t count;
} pieces;

static inline piece piece_copy(const char *bytes, size_t size)
{
    piece p = {malloc(size + 1), size};
    REQUIRE(p.bytes);
    memcpy(p.bytes, bytes, size);
    return p;
}

static inline pieces pieces_of(const char *snapshot, size_t size)
{
    pieces p = {0};
    memcpy(p.header, snapshot, SNAPSHOT_HEADER);
    for (size_t at = SNAPSHOT_HEADER; at < size;)
    {
        uint64_t bytes;
        memcpy(&bytes, snapshot + at + 8, sizeof bytes);
        REQUIRE(p.count < PIECES && bytes <= size - at - SECTION_HEADER);
        p.piece[p.count++] = piece_copy(snapshot + at, SECTION_HEADER + bytes);
        at += SECTION_HEADER + bytes;
    }
    return p;
}

static inline void pieces_free(pieces *p)
{
    for (size_t i = 0; i < p->count; ++i)
        free(p->piece[i].bytes);
    p->count = 0;
}

// The length and the checksum in the header as they should be.
static inline void snapshot_seal(char *snapshot, size_t size)
{
    uint64_t bytes = size, checksum = pl__hash(0, snapshot + SNAPSHOT_HEADER, size - SNAPSHOT_HEADER);
    memcpy(snapshot + 8, &bytes, sizeof bytes);
    memcpy(snapshot + 32, &checksum, sizeof checksum);
}

// One after the other, sealed; to be freed. Without `less` bytes at the end.
static inline char *pieces_join(const pieces *p, size_t less, size_t *size)
{
    size_t total = SNAPSHOT_HEADER, at = SNAPSHOT_HEADER;
    for (size_t i = 0; i < p->count; ++i)
        total += p->piece[i].size;
    char *snapshot = malloc(total);
    REQUIRE(snapshot);
    memcpy(snapshot, p->header, SNAPSHOT_HEADER);
    for (size_t i = 0; i < p->count; ++i)
    {
        memcpy(snapshot + at, p->piece[i].bytes, p->piece[i].size);
        at += p->piece[i].size;
    }
    *size = total - (less < total - SNAPSHOT_HEADER ? less : 0);
    snapshot_seal(snapshot, *size);
    return snapshot;
}

static inline void piece_swap(pieces *p, size_t a, size_t b)
{
    piece kept = p->piece[a];
    p->piece[a] = p->piece[b];
    p->piece[b] = kept;
}

static inline void piece_drop(pieces *p, size_t i)
{
    free(p->piece[i].bytes);
    p->piece[i] = p->piece[--p->count];
}

static inline void piece_repeat(pieces *p, size_t i)
{
    if (p->count < PIECES)
        p->piece[p->count++] = piece_copy(p->piece[i].bytes, p->piece[i].size);
}

static inline void piece_set_version(piece *p, uint32_t version) { memcpy(p->bytes + 4, &version, sizeof version); }

static inline void piece_set_length(piece *p, uint64_t bytes) { memcpy(p->bytes + 8, &bytes, sizeof bytes); }

// Bytes at its end come, as zeros, or go; its length is made right.
static inline void piece_resize(piece *p, int64_t more)
{
    size_t content = p->size - SECTION_HEADER,
           size = more < 0 && (size_t)-more > content ? SECTION_HEADER : (size_t)((int64_t)p->size + more);
    piece next = {calloc(size + 1, 1), size};
    REQUIRE(next.bytes);
    memcpy(next.bytes, p->bytes, size < p->size ? size : p->size);
    free(p->bytes);
    *p = next;
    piece_set_length(p, size - SECTION_HEADER);
}

// ---- a world that has every section ----------------------------------------------------------------------------

typedef struct
{
    pl_context *ctx;
    pl_world *world;
    char *whole, *torn; // snapshots before and after a cut
    size_t whole_size, torn_size;
} snapshot_room;

static inline char *snapshot_save(const pl_world *world, size_t *size)
{
    *size = pl_world_save_size(world);
    char *bytes = malloc(*size);
    REQUIRE(bytes && pl_world_save(world, bytes, *size) == PL_OK);
    return bytes;
}

static inline void snapshot_add_body(pl_context *ctx, pl_scene *scene, const char *name, double y)
{
    pl_shape_def shape = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_mesh *mesh;
    bool shell = y > 0.5;
    shape.kind = shell ? PL_SHAPE_SHEET : PL_SHAPE_BOX;
    shape.elements = shell ? PL_ELEMENT_TRIANGLE : PL_ELEMENT_TET;
    shape.extent[0] = 0.4;
    shape.extent[1] = shape.extent[2] = shell ? 0.4 : 0.2;
    shape.edge = shell ? 0.4 : 0.2;
    material.yield_strain = 0.02;
    material.isochoric = material.incompressible = !shell;
    material.melting = 50;
    material.fracture_stress = shell ? 0 : 1e12;
    int32_t pin = 0;
    body.kind = shell ? PL_BODY_SHELL : PL_BODY_SOLID;
    body.thickness = shell ? 0.01 : 0;
    body.at[1] = y;
    body.velocity[1] = -1;
    body.pins = &pin;
    body.pin_count = shell;
    REQUIRE(pl_mesh_create_shape(ctx, &shape, &mesh) == PL_OK);
    body.mesh = mesh;
    REQUIRE(pl_scene_add_material(scene, name, &material, &body.material) == PL_OK);
    REQUIRE(pl_scene_add_body(scene, name, &body, NULL) == PL_OK);
    pl_mesh_destroy(&mesh);
}

static inline pl_world *snapshot_world(pl_context *ctx)
{
    pl_scene *scene;
    pl_world *world;
    pl_object_def floor = pl_object_def_default();
    REQUIRE(pl_scene_create(ctx, &scene) == PL_OK);
    REQUIRE(pl_scene_add_object(scene, "floor", &floor, NULL) == PL_OK);
    snapshot_add_body(ctx, scene, "block", 0.1);
    snapshot_add_body(ctx, scene, "cloth", 0.6);
    REQUIRE(pl_scene_set_friction(scene, "block", "floor", 0.7) == PL_OK);
    REQUIRE(pl_world_create(scene, &world) == PL_OK);
    pl_scene_destroy(&scene);
    return world;
}

static inline snapshot_room snapshot_open(void)
{
    pl_context_def def = pl_context_def_default();
    pl_step_def step = pl_step_def_default();
    snapshot_room r = {0};
    pl_hit hit;
    int32_t torn;
    def.log = fuzz_log;
    def.thread_count = 1;
    REQUIRE(pl_context_create(&def, &r.ctx) == PL_OK);
    r.world = snapshot_world(r.ctx);
    r.whole = snapshot_save(r.world, &r.whole_size);
    // touching the floor, warm, held by a hand, cut in two
    step.dt = 0.01;
    REQUIRE(pl_world_step(r.world, &step, NULL) == PL_OK);
    REQUIRE(pl_world_heat(r.world, (double[3]){0, 0.1, 0}, 0.5, 30) == PL_OK);
    REQUIRE(pl_world_cast_ray(r.world, (double[3]){3, 0.11, 0.01}, (double[3]){-1, 0, 0}, &hit));
    REQUIRE(pl_world_grab(r.world, &hit, 100, 0.1, NULL) == PL_OK);
    REQUIRE(pl_world_cut(r.world, (double[3]){0.01, -1, -1}, (double[3]){0.01, 1, -1}, (double[3]){0.01, 1, 1},
                         (double[3]){0.01, -1, 1}, &torn) == PL_OK);
    REQUIRE(torn > 0);
    r.torn = snapshot_save(r.world, &r.torn_size);
    // the scratch of that step and that cut is gone once bodies have been made anew
    REQUIRE(pl_world_load(r.world, r.whole, r.whole_size) == PL_OK);
    REQUIRE(pl_world_load(r.world, r.torn, r.torn_size) == PL_OK);
    return r;
}

static inline void snapshot_close(snapshot_room *r)
{
    pl_world_destroy(&r->world);
    REQUIRE(pl_context_memory(r->ctx) == 0);
    pl_context_destroy(&r->ctx);
    free(r->whole);
    free(r->torn);
}

// ---- attempts --------------------------------------------------------------------------------------------------

// Room for contact records stays when a snapshot has asked for more.
static inline size_t snapshot_memory(const snapshot_room *r)
{
    return pl_context_memory(r->ctx) - r->world->contacts.capacity * sizeof *r->world->contacts.record;
}

static inline void require_same(const snapshot_room *r, const char *bytes, size_t size)
{
    size_t now_size;
    char *now = snapshot_save(r->world, &now_size);
    REQUIRE(now_size == size && memcmp(now, bytes, size) == 0);
    free(now);
}

// Load; true if it was good. The world is then as it was before.
static inline bool try_load(const snapshot_room *r, const char *snapshot, size_t size)
{
    size_t before_size, after_size, memory = snapshot_memory(r);
    char *before = snapshot_save(r->world, &before_size);
    pl_status status = pl_world_load(r->world, snapshot, size);
    if (status == PL_OK)
    {
        char *after = snapshot_save(r->world, &after_size);
        REQUIRE(pl_world_load(r->world, after, after_size) == PL_OK);
        require_same(r, after, after_size);
        free(after);
        REQUIRE(pl_world_load(r->world, before, before_size) == PL_OK);
    }
    else
        REQUIRE(status == PL_ERR_FORMAT && strncmp(pl_context_error(r->ctx), "snapshot: ", 10) == 0);
    require_same(r, before, before_size);
    REQUIRE(snapshot_memory(r) == memory);
    free(before);
    return status == PL_OK;
}

// An edit by five bytes: what, of which section, and three that say how.
static inline void edit(pieces *p, const uint8_t e[5], size_t *less)
{
    static const uint64_t hard[] = {0,
                                    1,
                                    UINT64_MAX,
                                    INT64_MAX,
                                    INT32_MAX,
                                    0x7ff0000000000000,
                                    0x7ff8000000000000,
                                    0x8000000000000000,
                                    0x7fe0000000000000,
                                    0x3ff0000000000000};
    if (p->count == 0)
        return;
    piece *s = &p->piece[e[1] % p->count];
    size_t content = s->size - SECTION_HEADER, at = e[2] + 256u * e[3];
    char *where = s->bytes + SECTION_HEADER + (content ? at % content : 0);
    switch (e[0] % 10)
    {
    case 0: piece_swap(p, e[1] % p->count, e[2] % p->count); break;
    case 1: piece_drop(p, e[1] % p->count); break;
    case 2: piece_repeat(p, e[1] % p->count); break;
    case 3: piece_set_version(s, e[2]); break;
    case 4: s->bytes[e[2] % SECTION_HEADER] = (char)e[4]; break;
    case 5: piece_resize(s, -(int64_t)at); break;
    case 6: piece_resize(s, e[2]); break;
    case 7: *less += e[2]; break;
    case 8:
        if (content)
            *where = (char)e[4];
        break;
    default:
        if (content >= 8)
            memcpy(s->bytes + SECTION_HEADER + at % (content / 8) * 8, &hard[e[4] % (sizeof hard / sizeof hard[0])], 8);
    }
}

// The first byte says which snapshot; every five that follow are an edit.
static inline void try_snapshot(const void *data, size_t size)
{
    static snapshot_room room;
    const uint8_t *bytes = data;
    if (!room.world)
        room = snapshot_open();
    bool whole = size > 0 && bytes[0] % 2;
    pieces p = whole ? pieces_of(room.whole, room.whole_size) : pieces_of(room.torn, room.torn_size);
    size_t less = 0, edited_size;
    for (size_t at = 1; at + 5 <= size && at < 5 * 64; at += 5)
        edit(&p, bytes + at, &less);
    char *edited = pieces_join(&p, less, &edited_size);
    (void)try_load(&room, edited, edited_size);
    free(edited);
    pieces_free(&p);
}

#endif
