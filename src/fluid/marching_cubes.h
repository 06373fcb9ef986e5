// src/fluid/marching_cubes.h -- how a surface crosses one cube of samples.
//
// Corner dx + 2 dy + 4 dz of a cube is liquid or not; the surface has a vertex on every edge between the two kinds, and
// crosses every face of the cube in segments that join two of its edges. A face with liquid at two opposite corners
// can be crossed in two ways: the liquid is joined across the middle of the face, or it is apart. The asymptotic
// decider takes the sign of the bilinear interpolant at its saddle (Nielson & Hamann 1991). Two cubes that share a face
// see the same four numbers, so they agree.
//
// The segments form loops, and each loop is filled with a disc of triangles: inside a cube, liquid is never joined
// through a tunnel (Chernyaev's interior test is left out). A diagonal of a disc must not lie in a face of the cube,
// for the neighbour could have the same one, and an edge would have four triangles. Few loops need a vertex in their
// middle for that.
#ifndef PL_FLUID_MARCHING_CUBES_H
#define PL_FLUID_MARCHING_CUBES_H

#include <stdbool.h>
#include <stdint.h>

enum
{
    PL__CUBE_EDGES = 12,
    PL__CUBE_FACES = 6,
    PL__CUBE_LOOPS = 4
};

// Edge 4 axis + p + 2 q starts from the corner with offsets p, q along the two axes after `axis`, in cyclic order.
typedef struct pl__cube_loops
{
    int32_t count;
    int32_t start[PL__CUBE_LOOPS + 1]; // loop l has the edges [start[l], start[l + 1])
    uint8_t edge[PL__CUBE_EDGES];      // counterclockwise as seen from outside of the liquid
    bool centered[PL__CUBE_LOOPS];     // a fan around a vertex in the middle; else from the first vertex of the loop
} pl__cube_loops;

// Corners of face 2 axis + side, counterclockwise as seen from outside of the cube.
extern const uint8_t pl__cube_face[PL__CUBE_FACES][4];

// The two ends of an edge.
static inline uint32_t pl__cube_edge_begin(uint32_t edge)
{
    uint32_t axis = edge >> 2;
    return (edge & 1) << (axis + 1) % 3 | (edge >> 1 & 1) << (axis + 2) % 3;
}

// Bit f: face f has liquid at two opposite corners only.
uint32_t pl__cube_ambiguous(uint32_t liquid);

// Whether liquid is joined across each ambiguous face: a bit per face.
uint32_t pl__cube_joined(uint32_t liquid, const double phi[8]);

// The loops of a cube with those liquid corners and joined faces (of faces that are not ambiguous: any bit).
void pl__cube_find_loops(uint32_t liquid, uint32_t joined, pl__cube_loops *loops);

static inline int32_t pl__cube_loop_length(const pl__cube_loops *loops, int32_t l)
{
    return loops->start[l + 1] - loops->start[l];
}
static inline int32_t pl__cube_loop_triangles(const pl__cube_loops *loops, int32_t l)
{
    return pl__cube_loop_length(loops, l) - (loops->centered[l] ? 0 : 2);
}

#endif
