// src/embed/embed.h -- a detailed surface carried by a coarse mesh.
#ifndef PL_EMBED_EMBED_H
#define PL_EMBED_EMBED_H

#include "carrier.h"

typedef struct pl__embed
{
    pl_context *ctx;
    int32_t vertex_count;
    int32_t triangle_count;
    int32_t *triangle; // [3 triangle_count]  vertices, as in the surface
    int32_t *tet;      // [vertex_count]  its carrier (carrier.h): for tetrahedra the element
    double *weight; // [3 vertex_count]  barycentric coordinates of corners 1, 2, 3 of the carrier at rest; corner 0 has
                    // the remainder to 1
    int32_t outside_count; // vertices outside all carriers
    double farthest;       // largest distance of those, as a fraction of the longest side of the mesh's box
} pl__embed;

// Attach every vertex of `surface` to `mesh`; both are at rest, in the same coordinates, and are not kept.
// Fails as pl__mesh_carrier_tets.
PL_NODISCARD pl_status pl__embed_create(pl_context *ctx, const pl_mesh *mesh, const pl_surface *surface,
                                        pl__embed **embed);
void pl__embed_destroy(pl__embed **embed);

// Mesh in motion: nodes of each carrier, in the order of pl__mesh_carrier_tets of the mesh that the surface was
// attached to, and the index of each node's values.
typedef struct pl__embed_nodes
{
    const int32_t *tet;   // [4 carriers]
    const int32_t *place; // [node_count] index of each node's values, or NULL: the identity
} pl__embed_nodes;

// Interpolate nodal vectors (3 numbers each) to the vertices: positions, velocities.
void pl__embed_vectors(const pl__embed *embed, const pl__embed_nodes *nodes, const double *at_node, double *at_vertex);
// The same for one number per node; a vertex outside the mesh is clamped to the range of its corners.
void pl__embed_scalars(const pl__embed *embed, const pl__embed_nodes *nodes, const double *at_node, double *at_vertex);

#endif
