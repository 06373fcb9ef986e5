// src/io/gmsh.h -- shared by the readers and writers of the two .msh versions.
#ifndef PL_IO_GMSH_H
#define PL_IO_GMSH_H

#include "io/draft.h"
#include "io/write.h"

// Physical group of each entity of a dimension, sorted by tag before elements are read.
typedef struct pl__gmsh_entities
{
    pl__tagged *item;
    size_t count, capacity;
    int64_t extra_groups; // memberships beyond the first group
} pl__gmsh_entities;

// A .msh being read.
typedef struct pl__gmsh
{
    pl__scan scan;
    pl__draft *draft;
    bool binary;
    int size_bytes; // of a size_t in a binary 4.1 file: 4 or 8
    bool has_nodes, has_elements;

    // 4.1: the physical groups of surfaces and of volumes
    pl__gmsh_entities surfaces, volumes;
} pl__gmsh;

// Meaning of an element type number.
typedef struct pl__gmsh_type
{
    pl__cell_kind kind;
    int8_t node_count; // 0: unknown
    bool higher_order;
} pl__gmsh_type;

pl__gmsh_type pl__gmsh_type_of(int64_t number);
// Add an element by its corners; see pl__draft_add_cell.
pl_status pl__gmsh_add_cell(pl__gmsh *g, pl__gmsh_type type, const int64_t corner[PL__CORNERS_MAX], int64_t group);

// Fields: text or binary as the file goes.
pl_status pl__gmsh_int(pl__gmsh *g, const char *what, int64_t *value);
pl_status pl__gmsh_size(pl__gmsh *g, const char *what, int64_t *value);
pl_status pl__gmsh_real(pl__gmsh *g, const char *what, double *value);
// Minimum bytes of a field in this file, for pl__scan_need.
size_t pl__gmsh_int_bytes(const pl__gmsh *g);
size_t pl__gmsh_size_bytes(const pl__gmsh *g);
size_t pl__gmsh_real_bytes(const pl__gmsh *g);

// The bodies of sections, from after "$Nodes\n" to before "$EndNodes".
pl_status pl__gmsh2_nodes(pl__gmsh *g);
pl_status pl__gmsh2_elements(pl__gmsh *g);
pl_status pl__gmsh4_entities(pl__gmsh *g, bool partitioned);
pl_status pl__gmsh4_nodes(pl__gmsh *g);
pl_status pl__gmsh4_elements(pl__gmsh *g);

// Read a .msh of either version into `draft`.
pl_status pl__gmsh_read(pl__draft *draft, const void *data, size_t size);

// Write the whole file, of version 2 (2.2) or 4 (4.1).
void pl__gmsh_write(pl__writer *w, const pl_mesh *mesh, int version, bool binary);

#endif
