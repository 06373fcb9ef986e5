// src/world/fracture.c -- fracture and cutting: when to check, and how bodies are replaced.
//
// A check (solid/fracture.h) leaves a table of separated corners. The body is rebuilt from that table and the
// definition that its slot keeps: new mesh, elements and surface (embedded ones: torn_surface.c), in the order they
// would have had from the start. State is transferred by node and by element (solid/state_transfer.h). So a body
// depends on the topology of its mesh only, not on the cause or the time of the fracture, and a snapshot, which
// contains the table, leads to the same bits. All arrays of the world are rebuilt, as when a body is added.
//
// The cost is that of creating the body, a fraction of a second for a hundred thousand tetrahedra; one reason why
// checks are solver.fracture_interval apart. With collisions, checks wait for the end of a collision interval: within
// one, positions have not been corrected yet.
#include "world.h"
#include "base/cpu.h"
#include "solid/state_transfer.h"
#include "solid/pin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- creation --------------------------------------------------------------------------------------------------

pl_status pl__world_fracture_prepare(pl_world *world, size_t index, const pl_body_def *def, const pl_pin_def *pin,
                                     size_t pin_count)
{
    pl_context *ctx = world->ctx;
    pl__slot *slot = &world->bodies.slot[index];
    pl__material_list materials = {world->materials.def, world->materials.count, sizeof *world->materials.def};
    if (!pl__body_def_breaks(def, &materials))
        return PL_OK;
    char owner[PL_NAME_BYTES + 16];
    snprintf(owner, sizeof owner, "bodies.%s", slot->name);
    PL_CHECK_FIELD(ctx, !slot->breathes || def->kind != PL_BODY_SHELL, owner, "pressure",
                   "a shell that breaks or is cut holds none; leave out its keys");
    slot->kept = PL_NEW(ctx, 1, pl__scene_body);
    if (!slot->kept || !pl__scene_body_copy(ctx, def, pin, pin_count, slot->kept))
        return PL_ERR_MEMORY;
    pl__fracture_settings settings = {
        .seed = def->fracture_seed, .smallest = def->smallest_piece, .most = def->most_torn};
    slot->print = pl__body_fingerprint(slot->body);
    return pl__fracture_create(slot->kept->def.mesh, &settings, &slot->fracture);
}

void pl__world_fracture_release(pl_world *world, pl__slot *slot)
{
    pl__fracture_destroy(&slot->fracture);
    pl__torn_surface_destroy(&slot->torn_surface);
    if (slot->kept)
        pl__scene_body_release(world->ctx, slot->kept);
    PL_DELETE(world->ctx, slot->kept, 1);
}

// ---- rebuilding a body -----------------------------------------------------------------------------------------

// Nodal data extended to the copies of nodes; NULL stays NULL.
static bool extend_nodes(const pl__split *split, const double *given, const double **out)
{
    *out = NULL;
    if (!given)
        return true;
    double *all = PL_NEW(split->ctx, 3 * (size_t)split->node_count, double);
    for (int32_t n = 0; all && n < split->node_count; ++n)
        memcpy(&all[3 * (size_t)n], &given[3 * (size_t)pl__split_origin(split, n)], 3 * sizeof *all);
    *out = all;
    return all != NULL;
}

// Copies of pinned nodes join the pin group and follow the same targets.
static bool extend_pin(const pl__split *split, const pl_pin_def *pin, int32_t *member, pl_pin_def *out)
{
    for (int32_t n = 0; n < split->source_count; ++n)
        member[n] = -1;
    for (int32_t i = 0; i < pin->count; ++i)
        member[pin->nodes[i]] = i;
    int32_t count = 0, at = 0;
    for (int32_t n = 0; n < split->node_count; ++n)
        count += member[pl__split_origin(split, n)] >= 0;
    size_t samples = pin->cache ? (size_t)pin->cache_count : 0;
    int32_t *nodes = PL_NEW(split->ctx, count, int32_t);
    double *cache = pin->cache ? PL_NEW(split->ctx, 3 * samples * (size_t)count, double) : NULL;
    *out = *pin;
    out->nodes = nodes;
    out->cache = cache;
    out->count = count;
    if (!nodes || (pin->cache && !cache))
        return false;
    for (int32_t n = 0; n < split->node_count; ++n)
    {
        int32_t i = member[pl__split_origin(split, n)];
        if (i < 0)
            continue;
        for (size_t k = 0; k < samples; ++k)
            memcpy(&cache[3 * (k * (size_t)count + (size_t)at)], &pin->cache[3 * (k * (size_t)pin->count + (size_t)i)],
                   3 * sizeof *cache);
        nodes[at++] = n;
    }
    return true;
}

static pl_status rebuild_pins(pl_world *world, const pl__scene_body *kept, const pl__split *split, pl__body *body)
{
    pl_context *ctx = world->ctx;
    pl_pin_def *pin = PL_NEW(ctx, kept->pin_count, pl_pin_def);
    int32_t *member = PL_NEW(ctx, split->source_count, int32_t);
    bool ok = pin && member;
    size_t made = 0;
    for (; ok && made < kept->pin_count; ++made)
        ok = extend_pin(split, &kept->pin[made], member, &pin[made]);
    pl_status status = ok ? pl__world_make_pins(world, pin, kept->pin_count, body) : PL_ERR_MEMORY;
    for (size_t i = 0; i < made; ++i)
        pl__pin_def_release(ctx, &pin[i]);
    PL_DELETE(ctx, pin, kept->pin_count);
    PL_DELETE(ctx, member, split->source_count);
    return status;
}

// A group that rotates about the center of its nodes keeps the center it had before nodes were copied.
static void keep_pivots(const pl__body *body, pl__body *to)
{
    for (int32_t g = 0; g < to->pins.group_count; ++g)
    {
        memcpy(to->pins.group[g].pivot, body->pins.group[g].pivot, sizeof to->pins.group[g].pivot);
        pl__pin_group_aim(&to->pins.group[g], &to->pins.group[g].pose, &to->pins.group[g].pose, 0, 0);
    }
}

static pl_status rebuild_body(pl_world *world, const pl__slot *slot, const pl__split *split, const pl_body_def *def,
                              pl__rebuilt_body *out)
{
    PL_TRY(pl__world_make_body(world, def, slot->breathes, &out->body));
    pl_status status = rebuild_pins(world, slot->kept, split, out->body);
    if (status == PL_OK)
    {
        keep_pivots(pl__slot_body(slot), out->body);
        pl__body_carry_pin_groups(pl__slot_body(slot), out->body);
        pl__shape_input input = {slot->name, def, out->body, true, split, slot->torn_surface};
        status = pl__body_shape_create(world->ctx, &input, &out->shape);
    }
    if (status != PL_OK)
        pl__body_destroy(&out->body);
    return status;
}

pl_status pl__world_fracture_remake(pl_world *world, size_t index, const pl__split *split, pl__rebuilt_body *out)
{
    const pl__slot *slot = &world->bodies.slot[index];
    pl_body_def def = slot->kept->def;
    pl_mesh *mesh = NULL;
    size_t numbers = 3 * (size_t)split->node_count;
    *out = (pl__rebuilt_body){.slot = index};
    PL_TRY(pl__split_mesh(split, slot->kept->def.mesh, &mesh));
    bool ok = extend_nodes(split, slot->kept->def.start_positions, &def.start_positions);
    ok = extend_nodes(split, slot->kept->def.goal_positions, &def.goal_positions) && ok;
    def.mesh = mesh;
    def.pins = NULL;
    def.pin_count = 0;
    pl_status status = ok ? rebuild_body(world, slot, split, &def, out) : PL_ERR_MEMORY;
    pl__free(world->ctx, (void *)def.start_positions, def.start_positions ? numbers * sizeof(double) : 0);
    pl__free(world->ctx, (void *)def.goal_positions, def.goal_positions ? numbers * sizeof(double) : 0);
    pl_mesh_destroy(&mesh);
    return status;
}

// Swap the contents of a rebuilt body and its slot.
static void swap_body(pl_world *world, pl__rebuilt_body *r)
{
    pl__slot *slot = &world->bodies.slot[r->slot];
    pl__rebuilt_body old = {r->slot, slot->body, slot->shape, r->fracture ? slot->fracture : NULL};
    slot->body = r->body;
    slot->shape = r->shape;
    slot->fracture = r->fracture ? r->fracture : slot->fracture;
    slot->edge = pl__setting_of(world, r->slot) ? 0 : slot->edge; // of another mesh
    *r = old;
}

// While a snapshot is loaded, bodies come from where they were liquid, and go there.
pl_status pl__world_fracture_adopt(pl_world *world, pl__rebuilt_body *remade, size_t count)
{
    PL_TRY(pl__melting_prepare(world));
    pl__melting_exchange(world);
    for (size_t i = 0; i < count; ++i)
        swap_body(world, &remade[i]);
    pl_status status = pl__world_rebuild(world);
    for (size_t i = 0; i < count; ++i)
    {
        if (status != PL_OK)
            swap_body(world, &remade[i]);
        else
            world->bodies.slot[remade[i].slot].version++;
    }
    if (status != PL_OK)
        pl__melting_exchange(world);
    return status;
}

void pl__world_fracture_forget(pl_world *world, pl__rebuilt_body *remade, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        if (remade[i].body)
            pl__body_shape_done(world->ctx, remade[i].body, &remade[i].shape);
        pl__body_destroy(&remade[i].body);
        pl__fracture_destroy(&remade[i].fracture);
    }
}

// ---- fracture --------------------------------------------------------------------------------------------------

// Rebuild the body of a slot whose split has changed, with the state of the old one, and transfer its grabs.
static pl_status rebuild_torn_body(pl_world *world, size_t index, pl__grab *grab, pl__rebuilt_body *out)
{
    pl__slot *slot = &world->bodies.slot[index];
    pl__split *split = slot->fracture->split;
    int32_t *from;
    PL_TRY(pl__split_number(split, &from));
    pl_status status = pl__world_fracture_remake(world, index, split, out);
    if (status == PL_OK)
        status = pl__body_carry(slot->body, world->solids.state.x, world->solids.state.v, from, world->materials.def,
                                out->body);
    if (status == PL_OK)
        pl__grabs_move(grab, slot->body, from, out->body);
    PL_DELETE(world->ctx, from, split->node_count);
    return status;
}

// Rebuild all bodies whose splits have changed, together. On failure the changes are undone.
static pl_status rebuild_torn_bodies(pl_world *world)
{
    size_t count = 0, slots = world->bodies.slot_count;
    pl__grab grab[PL__GRABS];
    pl__rebuilt_body *remade = PL_NEW(world->ctx, slots, pl__rebuilt_body);
    memcpy(grab, world->grabs.grab, sizeof grab);
    pl_status status = remade ? PL_OK : PL_ERR_MEMORY;
    for (size_t i = 0; status == PL_OK && i < slots; ++i)
        if (world->bodies.slot[i].fracture && pl__split_mark(world->bodies.slot[i].fracture->split) > 0)
            status = rebuild_torn_body(world, i, grab, &remade[count++]);
    if (status == PL_OK)
        status = pl__world_fracture_adopt(world, remade, count);
    if (status == PL_OK)
        memcpy(world->grabs.grab, grab, sizeof grab);
    for (size_t i = 0; i < slots; ++i)
    {
        pl__split *split = world->bodies.slot[i].fracture ? world->bodies.slot[i].fracture->split : NULL;
        if (split && status == PL_OK)
            pl__split_commit(split);
        else if (split)
            pl__split_undo(split, 0);
    }
    pl__world_fracture_forget(world, remade, remade ? count : 0);
    PL_DELETE(world->ctx, remade, slots);
    return status;
}

static void undo_all(pl_world *world)
{
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].fracture)
            pl__split_undo(world->bodies.slot[i].fracture->split, 0);
}

static bool may_break(const pl__slot *slot) { return slot->body && slot->fracture && !slot->body->state.asleep; }

static pl_status check_fracture(pl_world *world, int32_t *torn)
{
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
    {
        int32_t here = 0;
        pl__slot *slot = &world->bodies.slot[i];
        if (may_break(slot))
            PL_TRY(pl__fracture_look(slot->fracture, slot->body, world->solids.state.x, world->materials.def, &here));
        *torn += here;
    }
    return PL_OK;
}

pl_status pl__world_fracture_advance(pl_world *world, double dt)
{
    int32_t torn = 0;
    world->state.since_fracture_check += dt;
    if (world->state.since_fracture_check < world->solver.fracture_interval * (1 - 1e-9) ||
        world->state.pending.interval > 0)
        return PL_OK;
    world->state.since_fracture_check = 0;
    pl_status status = check_fracture(world, &torn);
    if (status != PL_OK)
        undo_all(world);
    if (status != PL_OK || torn == 0)
        return status;
    PL_TRY(rebuild_torn_bodies(world));
    world->state.pending.torn += torn;
    return PL_OK;
}

// ---- cutting ---------------------------------------------------------------------------------------------------

static pl_status cut_all(pl_world *world, const double quad[4][3], int32_t *torn)
{
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
    {
        int32_t here = 0;
        pl__slot *slot = &world->bodies.slot[i];
        if (slot->body && slot->fracture)
            PL_TRY(pl__fracture_cut(slot->fracture, slot->body, world->solids.state.x, quad, &here));
        *torn += here;
    }
    return PL_OK;
}

pl_status pl_world_cut(pl_world *world, const double a[3], const double b[3], const double c[3], const double d[3],
                       int32_t *torn)
{
    if (!world || !a || !b || !c || !d)
        return PL_ERR_ARGUMENT;
    const double *corner[4] = {a, b, c, d};
    double quad[4][3];
    int32_t count = 0;
    for (int k = 0; k < 4; ++k)
    {
        PL_CHECK(world->ctx, pl__finite3(corner[k]), "pl_world_cut: corner %d, (%g, %g, %g), must be finite", k,
                 corner[k][0], corner[k][1], corner[k][2]);
        memcpy(quad[k], corner[k], sizeof quad[k]);
    }
    uint64_t host = pl__fp_enter();
    pl_status status = cut_all(world, (const double(*)[3])quad, &count);
    if (status != PL_OK)
        undo_all(world);
    else if (count)
        status = rebuild_torn_bodies(world);
    pl__fp_leave(host);
    if (torn)
        *torn = status == PL_OK ? count : 0;
    return status;
}

// ---- section TOPO: topology of breakable bodies ----------------------------------------------------------------
//
// Per breakable body: its node count, and the element corners that are copies of their nodes (mesh/split.h). The check
// pass rebuilds bodies whose topology differs from the existing ones, so that later sections are checked against the
// right bodies; the apply pass installs them.

typedef struct
{
    int64_t node_count, corner_count;
} record;

static bool has_topology(const pl__slot *slot) { return slot->body && slot->fracture; }

static size_t topology_bytes(const void *user)
{
    const pl_world *world = user;
    size_t size = 0;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (has_topology(&world->bodies.slot[i]))
            size += sizeof(record) +
                    (size_t)pl__split_list(world->bodies.slot[i].fracture->split, NULL) * sizeof(int32_t[2]);
    return size;
}

static void write_split(const pl__split *split, pl__section_writer *to)
{
    record r = {split->node_count, pl__split_list(split, NULL)};
    pl__section_put(to, &r, sizeof r);
    for (int32_t c = 0; c < pl__element_forms[split->kind].corners * split->element_count; ++c)
        if (split->corner[c] != split->source[c])
            pl__section_put(to, (int32_t[2]){c, split->corner[c]}, sizeof(int32_t[2]));
}

static void write_topology(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (has_topology(&world->bodies.slot[i]))
            write_split(world->bodies.slot[i].fracture->split, to);
}

static bool has_topology_of(const pl__split *split, const record *r, const char *list)
{
    int64_t at = 0;
    if (r->node_count != split->node_count)
        return false;
    for (int64_t c = 0; c < (int64_t)pl__element_forms[split->kind].corners * split->element_count; ++c)
    {
        int32_t entry[2];
        if (split->corner[c] == split->source[c])
            continue;
        if (at == r->corner_count)
            return false;
        memcpy(entry, list + (size_t)at++ * sizeof entry, sizeof entry);
        if (entry[0] != c || entry[1] != split->corner[c])
            return false;
    }
    return at == r->corner_count;
}

// Rebuild the body of a slot from a list of separated corners, with its fracture state.
static pl_status rebuild_slot(pl_world *world, size_t slot, const int32_t (*list)[2], const record *r,
                              pl__rebuilt_body *out)
{
    pl__fracture *fracture = NULL;
    PL_TRY(pl__fracture_create(world->bodies.slot[slot].kept->def.mesh, &world->bodies.slot[slot].fracture->settings,
                               &fracture));
    pl_status status = pl__split_restore(fracture->split, list, (int32_t)r->corner_count, (int32_t)r->node_count);
    if (status == PL_OK)
        status = pl__world_fracture_remake(world, slot, fracture->split, out);
    if (status == PL_OK)
        out->fracture = fracture;
    else
        pl__fracture_destroy(&fracture);
    return status;
}

static pl_status read_slot(pl_world *world, size_t slot, pl__section_reader *from, bool apply)
{
    record r;
    const char *corners;
    PL_TRY(pl__section_get(from, &r, sizeof r));
    if (r.node_count <= 0 || r.node_count >= INT32_MAX || r.corner_count < 0 || r.corner_count >= INT32_MAX)
        return pl__section_fail(from, "%lld nodes and %lld torn corners", (long long)r.node_count,
                                (long long)r.corner_count);
    size_t bytes = (size_t)r.corner_count * sizeof(int32_t[2]);
    PL_TRY(pl__section_view(from, bytes, &corners));
    if (apply || has_topology_of(world->bodies.slot[slot].fracture->split, &r, corners))
        return PL_OK;
    int32_t(*list)[2] = pl__alloc(world->ctx, bytes);
    if (!list)
        return PL_ERR_MEMORY;
    memcpy(list, corners, bytes);
    pl_status status =
        rebuild_slot(world, slot, (const int32_t(*)[2])list, &r, &world->bodies.loaded[world->bodies.loaded_count]);
    world->bodies.loaded_count += status == PL_OK;
    pl__free(world->ctx, list, bytes);
    return status == PL_ERR_FORMAT ? pl__section_fail(from, "%s", pl_context_error(world->ctx)) : status;
}

// Release the rebuilt bodies that were not installed, or the ones they replaced.
static void end_load(void *user, bool loaded)
{
    pl_world *world = user;
    (void)loaded;
    pl__world_fracture_forget(world, world->bodies.loaded, world->bodies.loaded_count);
    PL_DELETE(world->ctx, world->bodies.loaded, world->bodies.slot_count);
    world->bodies.loaded_count = 0;
}

static pl_status adopt_loaded(pl_world *world)
{
    if (world->melting.loading)
        pl__grabs_forget(world, NULL);
    if (world->bodies.loaded_count || world->melting.loading)
        PL_TRY(pl__world_fracture_adopt(world, world->bodies.loaded, world->bodies.loaded_count));
    for (size_t i = 0; i < world->bodies.loaded_count; ++i)
        pl__grabs_forget(world, world->bodies.loaded[i].body);
    end_load(world, true);
    return PL_OK;
}

static pl_status read_topology(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    if (!apply && !(world->bodies.loaded = PL_NEW(world->ctx, world->bodies.slot_count, pl__rebuilt_body)))
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].fracture && pl__melting_comes(world, i))
            PL_TRY(read_slot(world, i, from, apply));
    return apply ? adopt_loaded(world) : PL_OK;
}

// The body that a slot will have, or NULL.
static pl__body *loaded_in(const pl_world *world, size_t slot)
{
    for (size_t k = 0; k < world->bodies.loaded_count; ++k)
        if (world->bodies.loaded[k].slot == slot)
            return world->bodies.loaded[k].body;
    return pl__melting_comes(world, slot) ? pl__slot_body(&world->bodies.slot[slot]) : NULL;
}

pl__body *pl__world_loaded_body(const pl_world *world, int32_t i)
{
    if (!world->melting.loading && world->bodies.loaded_count == 0)
        return world->bodies.body[i];
    for (size_t slot = 0; slot < world->bodies.slot_count; ++slot)
        if (loaded_in(world, slot) && i-- == 0)
            return loaded_in(world, slot);
    return NULL;
}

int32_t pl__world_loaded_count(const pl_world *world)
{
    int32_t count = 0;
    for (size_t slot = 0; slot < world->bodies.slot_count; ++slot)
        count += pl__melting_comes(world, slot);
    return count;
}

int32_t pl__world_loaded_node_count(const pl_world *world)
{
    int32_t count = 0;
    for (size_t slot = 0; slot < world->bodies.slot_count; ++slot)
        count += loaded_in(world, slot) ? loaded_in(world, slot)->node_count : 0;
    return count;
}

const pl__section_type pl__topology_section = {.tag = "TOPO",
                                               .version = 2,
                                               .oldest = 2,
                                               .bytes = topology_bytes,
                                               .write = write_topology,
                                               .read = read_topology,
                                               .end = end_load};
