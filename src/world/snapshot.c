// src/world/snapshot.c -- save and load the dynamic state, exact to the bit.
//
// A snapshot is a header and tagged sections, each with its version and length; a checksum covers all. It contains only
// the state that steps change, not the compiled scene. Two fingerprints tell whether a snapshot belongs to this world:
// one of the model (names, counts, kinds), one of the script (keys and pin motions). Forces are not saved: they are a
// function of the state and are recomputed.
//
//     header  magic "PLSN", format version, total bytes, fingerprints, checksum of all that follows
//     AWAY    melting.c           which bodies are liquid
//     TOPO    fracture.c          topology of breakable bodies
//     MESH    setting.c           meshes of bodies that have set
//     WRLD    state_section.c     time, gravity, wind, the step in progress
//     MATE    material_section.c  live parameters of materials
//     OBJE    object_section.c    poses, velocities, targets and friction of objects
//     RUBS    friction.c          friction coefficients of individual pairs
//     BODY    body_section.c      per body: state, pins, positions, velocities, plastic deformation, temperatures
//     RING    ring_section.c      per incompressible body: its target volume, pressures
//     MEET    collision.c         intersections, candidate pairs, start of the collision interval
//     ROWS    row_section.c       contact forces of implicit steps
//     TOUC    events.c            contact records
//     GRAB    grab.c              grabs
//     LIQU    liquids.c           the liquid, and objects as it met them last
//     TAPS    flows.c             how far sources and drains are open
//
// Sections belong to their modules, which register them (section.h); empty ones are omitted. They are found by their
// tags, in any order. Keyframes, heat sources and actors register hooks without state, which add to the
// fingerprint and the script or act at the end of a load. A section that is unknown, of a version it cannot read,
// duplicate, missing, too long or too short is refused with a message that names it. All sections are checked before
// the first is applied, so that a bad snapshot changes nothing.
//
// Numbers are in the byte order of the machine; a foreign byte order shows in the version.
#include "world.h"
#include "base/cpu.h"
#include "base/hash.h"

#include <string.h>

enum
{
    FORMAT_VERSION = 8
};

typedef struct
{
    char magic[4];
    uint32_t version;
    uint64_t bytes;
    uint64_t fingerprint, script;
    uint64_t checksum;
} header;

typedef struct
{
    char tag[4];
    uint32_t version;
    uint64_t bytes; // after this header
} section_header;

static uint64_t fingerprint(const pl__sections *s)
{
    uint64_t h = 0;
    for (int32_t i = 0; i < s->count; ++i)
        if (s->type[i]->fingerprint)
            h = s->type[i]->fingerprint(s->user[i], h);
    return h;
}

static uint64_t script(const pl__sections *s)
{
    uint64_t h = 0;
    for (int32_t i = 0; i < s->count; ++i)
        if (s->type[i]->script)
            h = s->type[i]->script(s->user[i], h);
    return h;
}

// ---- writing ---------------------------------------------------------------------------------------------------

static size_t bytes_of(const pl__sections *s, int32_t i)
{
    return s->type[i]->bytes ? s->type[i]->bytes(s->user[i]) : 0;
}

size_t pl_world_save_size(const pl_world *world)
{
    if (!world)
        return 0;
    size_t size = sizeof(header);
    for (int32_t i = 0; i < world->sections.count; ++i)
    {
        size_t bytes = bytes_of(&world->sections, i);
        size += bytes ? sizeof(section_header) + bytes : 0;
    }
    return size;
}

static pl_status write_sections(const pl_world *world, char *to)
{
    const pl__sections *s = &world->sections;
    for (int32_t i = 0; i < s->count; ++i)
    {
        section_header h = {.version = s->type[i]->version, .bytes = bytes_of(s, i)};
        if (h.bytes == 0)
            continue;
        memcpy(h.tag, s->type[i]->tag, sizeof h.tag);
        memcpy(to, &h, sizeof h);
        to += sizeof h;
        pl__section_writer writer = {.at = to, .end = to + h.bytes};
        s->type[i]->write(s->user[i], &writer);
        if (writer.at != writer.end || writer.excess)
            return pl__fail(world->ctx, PL_ERR_STATE,
                            "snapshot: section \"%s\" has not the %llu bytes that it announced", s->type[i]->tag,
                            (unsigned long long)h.bytes);
        to += h.bytes;
    }
    return PL_OK;
}

pl_status pl_world_save(const pl_world *world, void *buffer, size_t size)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    size_t needed = pl_world_save_size(world);
    PL_CHECK(world->ctx, size >= needed, "pl_world_save: the buffer holds %zu bytes but %zu are needed", size, needed);
    header h = {.magic = "PLSN",
                .version = FORMAT_VERSION,
                .bytes = needed,
                .fingerprint = fingerprint(&world->sections),
                .script = script(&world->sections)};
    char *sections = (char *)buffer + sizeof h;
    PL_TRY(write_sections(world, sections));
    h.checksum = pl__hash(0, sections, needed - sizeof h);
    memcpy(buffer, &h, sizeof h);
    return PL_OK;
}

// ---- reading ---------------------------------------------------------------------------------------------------

static pl_status check_header(const pl_world *world, const void *buffer, size_t size, bool same_script)
{
    header h;
    if (size < sizeof h)
        return pl__fail(world->ctx, PL_ERR_FORMAT, "snapshot: %zu bytes are too few", size);
    memcpy(&h, buffer, sizeof h);
    if (memcmp(h.magic, "PLSN", 4) != 0 || h.version != FORMAT_VERSION)
        return pl__fail(world->ctx, PL_ERR_FORMAT,
                        "snapshot: not one of this library's, or of version %u where %d is known", h.version,
                        FORMAT_VERSION);
    if (h.bytes > size || h.bytes < sizeof h)
        return pl__fail(world->ctx, PL_ERR_FORMAT, "snapshot: %zu bytes given, %llu written", size,
                        (unsigned long long)h.bytes);
    if (h.checksum != pl__hash(0, (const char *)buffer + sizeof h, h.bytes - sizeof h))
        return pl__fail(world->ctx, PL_ERR_FORMAT, "snapshot: damaged, its checksum does not fit");
    if (h.fingerprint != fingerprint(&world->sections) || (same_script && h.script != script(&world->sections)))
        return pl__fail(world->ctx, PL_ERR_STATE, "snapshot: of another scene, or of other bodies than are there now");
    return PL_OK;
}

// Bytes of every registered section; `at` is NULL where the snapshot has none.
typedef struct
{
    pl__section_reader section[PL__SECTIONS];
} contents;

// Make a tag from a file printable.
static void print_tag(const char tag[4], char shown[5])
{
    for (int k = 0; k < 4; ++k)
        shown[k] = (char)(tag[k] > ' ' && tag[k] <= '~' ? tag[k] : '?');
    shown[4] = 0;
}

// Find the type of the section at `at`, and check that it can be read.
static pl_status locate_section(const pl_world *world, const section_header *h, const char *at, const char *end,
                                contents *c)
{
    pl_context *ctx = world->ctx;
    int32_t i = pl__sections_find(&world->sections, h->tag);
    const pl__section_type *type = i < 0 ? NULL : world->sections.type[i];
    char tag[5];
    print_tag(h->tag, tag);
    if (!type)
        return pl__fail(ctx, PL_ERR_FORMAT,
                        "snapshot: section \"%s\" version %u is unknown, of a newer version of this library", tag,
                        h->version);
    if (h->version > type->version)
        return pl__fail(
            ctx, PL_ERR_FORMAT,
            "snapshot: section \"%s\" version %u is of a newer version of this library; up to %u can be read", tag,
            h->version, type->version);
    if (h->version < type->oldest)
        return pl__fail(
            ctx, PL_ERR_FORMAT,
            "snapshot: section \"%s\" version %u is of an older version of this library; from %u can be read", tag,
            h->version, type->oldest);
    if (c->section[i].at)
        return pl__fail(ctx, PL_ERR_FORMAT, "snapshot: section \"%s\" is there twice", tag);
    if (h->bytes > (size_t)(end - at))
        return pl__fail(ctx, PL_ERR_FORMAT, "snapshot: section \"%s\" has %zu of its %llu bytes", tag,
                        (size_t)(end - at), (unsigned long long)h->bytes);
    c->section[i] = (pl__section_reader){ctx, type->tag, h->version, at, at + h->bytes};
    return PL_OK;
}

static pl_status find_sections(const pl_world *world, const char *at, const char *end, contents *c)
{
    while (at < end)
    {
        section_header h;
        size_t left = (size_t)(end - at);
        if (left < sizeof h)
            return pl__fail(world->ctx, PL_ERR_FORMAT, "snapshot: %zu bytes behind the last section", left);
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        PL_TRY(locate_section(world, &h, at, end, c));
        at += h.bytes;
    }
    return PL_OK;
}

static const char nothing[1];

// Missing sections are read as empty, unless the world has state for them.
static pl_status add_missing(const pl_world *world, contents *c)
{
    const pl__sections *s = &world->sections;
    for (int32_t i = 0; i < s->count; ++i)
    {
        const pl__section_type *type = s->type[i];
        if (!type->read || c->section[i].at)
            continue;
        if (!type->optional && type->bytes(s->user[i]) > 0 && !world->melting.loading) // or the section is of bodies
            return pl__fail(world->ctx, PL_ERR_FORMAT, "snapshot: section \"%s\" is missing", type->tag);
        c->section[i] = (pl__section_reader){world->ctx, type->tag, type->version, nothing, nothing};
    }
    return PL_OK;
}

static pl_status read_sections(pl_world *world, const contents *c, bool apply)
{
    const pl__sections *s = &world->sections;
    for (int32_t i = 0; i < s->count; ++i)
    {
        if (!s->type[i]->read)
            continue;
        pl__section_reader reader = c->section[i];
        PL_TRY(s->type[i]->read(s->user[i], &reader, apply));
        if (pl__section_left(&reader) > 0)
            return pl__section_fail(&reader, "%zu bytes are too many", pl__section_left(&reader));
    }
    return PL_OK;
}

// Two passes over the same bytes: check everything, then apply.
static pl_status read_all(pl_world *world, const contents *c)
{
    const pl__sections *s = &world->sections;
    uint64_t host = pl__fp_enter();
    pl_status status = read_sections(world, c, false);
    if (status == PL_OK)
        status = read_sections(world, c, true);
    for (int32_t i = 0; i < s->count; ++i)
        if (s->type[i]->end)
            s->type[i]->end(s->user[i], status == PL_OK);
    pl__fp_leave(host);
    return status;
}

// Which bodies there are, before anything is read about them.
static pl_status find_bodies(pl_world *world, const contents *c)
{
    pl__section_reader reader = c->section[pl__sections_find(&world->sections, pl__melting_section.tag)];
    if (!reader.at && world->melting.count > 0)
        return pl__fail(world->ctx, PL_ERR_FORMAT, "snapshot: section \"%s\" is missing", pl__melting_section.tag);
    if (reader.at && pl__section_left(&reader) != world->melting.count)
        return pl__section_fail(&reader, "%zu bytes instead of %zu", pl__section_left(&reader), world->melting.count);
    return pl__melting_foresee(world, &reader);
}

static pl_status load(pl_world *world, const void *buffer, size_t size, bool same_script)
{
    header h;
    contents c = {0};
    PL_TRY(check_header(world, buffer, size, same_script));
    memcpy(&h, buffer, sizeof h);
    PL_TRY(find_sections(world, (const char *)buffer + sizeof h, (const char *)buffer + h.bytes, &c));
    pl_status status = find_bodies(world, &c);
    if (status == PL_OK)
        status = add_missing(world, &c);
    if (status == PL_OK)
        return read_all(world, &c);
    pl__melting_section.end(world, false);
    return status;
}

pl_status pl_world_load(pl_world *world, const void *buffer, size_t size)
{
    return world ? load(world, buffer, size, true) : PL_ERR_ARGUMENT;
}

pl_status pl_world_load_branch(pl_world *world, const void *buffer, size_t size)
{
    return world ? load(world, buffer, size, false) : PL_ERR_ARGUMENT;
}
