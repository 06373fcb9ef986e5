// src/world/row_section.c -- section ROWS: contact forces at the end of the last step (solid/contact_rows.h).
#include "world.h"

static size_t row_bytes(const void *user)
{
    const pl__row_memory *m = &((const pl_world *)user)->solids.memory;
    return m->count * sizeof *m->row;
}

static void write_rows(const void *user, pl__section_writer *to)
{
    const pl__row_memory *m = &((const pl_world *)user)->solids.memory;
    pl__section_put(to, m->row, m->count * sizeof *m->row);
}

// What rows join must be there; what the nodes of pairs are decides nothing but whether they are found again.
static bool is_sound(const pl_world *world, const pl__row_force *row, const pl__row_force *before)
{
    const int32_t *node = row->key.node;
    if (!pl__all_finite(row->force, 3) || (before && pl__row_key_compare(&before->key, &row->key) >= 0))
        return false;
    return row->key.kind == PL__NODE_OBJECT
               ? node[0] >= 0 && node[0] < pl__world_loaded_node_count(world) && node[2] >= 0
               : row->key.kind == PL__VERTEX_FACE || row->key.kind == PL__EDGE_EDGE;
}

static pl_status read_rows(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    pl__row_memory *m = &world->solids.memory;
    size_t count = pl__section_left(from) / sizeof *m->row;
    pl__row_force row, before;
    if (apply)
        m->count = pl__row_memory_reserve(world->ctx, m, count) ? count : 0; // no memory: forces are found anew
    for (size_t i = 0; i < count; ++i, before = row)
    {
        PL_TRY(pl__section_get(from, &row, sizeof row));
        if (!is_sound(world, &row, i > 0 ? &before : NULL))
            return pl__section_fail(from, "contact force %zu joins what is not there, is not finite or out of order",
                                    i);
        if (apply && m->count > 0)
            m->row[i] = row;
    }
    if (!apply && !pl__row_memory_reserve(world->ctx, m, count))
        return PL_ERR_MEMORY;
    return PL_OK;
}

const pl__section_type pl__rows_section = {.tag = "ROWS",
                                           .version = 1,
                                           .oldest = 1,
                                           .optional = true,
                                           .bytes = row_bytes,
                                           .write = write_rows,
                                           .read = read_rows};
