// src/fluid/marching_cubes.c -- loops of a cube from the segments on its faces.
//
// Walk around a face counterclockwise, as seen from outside of the cube. Some edges leave the liquid, as many enter it,
// and a segment runs from one that enters to one that leaves: the next one, around the liquid between them, where
// liquid is apart, and the one before, around the corner without liquid, where it is joined. Every edge of the cube
// belongs to two faces that walk it in opposite directions, so that one of them starts a segment there and the other
// one ends one.
#include "marching_cubes.h"

const uint8_t pl__cube_face[PL__CUBE_FACES][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

// Edge k of a face joins its corners k and k + 1.
static const uint8_t face_edge[PL__CUBE_FACES][4] = {{8, 5, 10, 4},  {6, 11, 7, 9}, {0, 9, 2, 8},
                                                     {10, 3, 11, 1}, {4, 1, 6, 0},  {2, 7, 3, 5}};

// The two faces of an edge, as bits.
static const uint8_t edge_faces[PL__CUBE_EDGES] = {0x14, 0x18, 0x24, 0x28, 0x11, 0x21,
                                                   0x12, 0x22, 0x05, 0x06, 0x09, 0x0a};

// Bit k: corner k of the face is liquid.
static uint32_t face_pattern(uint32_t liquid, int face)
{
    const uint8_t *corner = pl__cube_face[face];
    return (liquid >> corner[0] & 1) | (liquid >> corner[1] & 1) << 1 | (liquid >> corner[2] & 1) << 2 |
           (liquid >> corner[3] & 1) << 3;
}

uint32_t pl__cube_ambiguous(uint32_t liquid)
{
    uint32_t faces = 0;
    for (int face = 0; face < PL__CUBE_FACES; ++face)
    {
        uint32_t pattern = face_pattern(liquid, face);
        faces |= (uint32_t)(pattern == 5 || pattern == 10) << face;
    }
    return faces;
}

// phi at the saddle of a face is (p0 p2 - p1 p3) / (p0 + p2 - p1 - p3), negative where the product over the liquid
// corners is the larger one.
uint32_t pl__cube_joined(uint32_t liquid, const double phi[8])
{
    uint32_t joined = 0;
    for (int face = 0; face < PL__CUBE_FACES; ++face)
    {
        const uint8_t *corner = pl__cube_face[face];
        double even = phi[corner[0]] * phi[corner[2]], odd = phi[corner[1]] * phi[corner[3]];
        uint32_t pattern = face_pattern(liquid, face);
        joined |= (uint32_t)((pattern == 5 && even > odd) || (pattern == 10 && odd > even)) << face;
    }
    return joined;
}

// Segments of a face: next[edge] for the edges that start one.
static void link_face(int face, uint32_t pattern, bool joined, uint8_t next[PL__CUBE_EDGES])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        if (pattern >> k & 1 || !(pattern >> (k + 1) % 4 & 1))
            continue; // does not enter the liquid
        uint32_t step = joined ? 3 : 1, to = (k + step) % 4;
        while (!(pattern >> to & 1) || pattern >> (to + 1) % 4 & 1)
            to = (to + step) % 4;
        next[face_edge[face][k]] = face_edge[face][to];
    }
}

// Whether a fan from vertex `from` has a diagonal in a face of the cube.
static bool fan_touches_face(const uint8_t *edge, int32_t count, int32_t from)
{
    for (int32_t k = 2; k < count - 1; ++k)
        if (edge_faces[edge[from]] & edge_faces[edge[(from + k) % count]])
            return true;
    return false;
}

// Turn the loop so that a fan from its first vertex is allowed. False: no vertex will do.
static bool turn_loop(uint8_t *edge, int32_t count)
{
    int32_t from = 0;
    while (from < count && fan_touches_face(edge, count, from))
        ++from;
    if (from == 0 || from == count)
        return from == 0;
    uint8_t turned[PL__CUBE_EDGES];
    for (int32_t k = 0; k < count; ++k)
        turned[k] = edge[(from + k) % count];
    for (int32_t k = 0; k < count; ++k)
        edge[k] = turned[k];
    return true;
}

void pl__cube_find_loops(uint32_t liquid, uint32_t joined, pl__cube_loops *loops)
{
    uint8_t next[PL__CUBE_EDGES] = {0};
    uint32_t left = 0; // edges with a vertex that is in no loop yet
    for (int face = 0; face < PL__CUBE_FACES; ++face)
    {
        uint32_t pattern = face_pattern(liquid, face);
        if (pattern != 0 && pattern != 15)
            link_face(face, pattern, joined >> face & 1 && (pattern == 5 || pattern == 10), next);
    }
    for (uint32_t e = 0; e < PL__CUBE_EDGES; ++e)
    {
        uint32_t begin = pl__cube_edge_begin(e), end = begin | 1u << (e >> 2);
        left |= ((liquid >> begin ^ liquid >> end) & 1) << e;
    }
    int32_t count = 0, filled = 0;
    loops->start[0] = 0;
    for (uint32_t e = 0; e < PL__CUBE_EDGES; ++e)
    {
        if (!(left >> e & 1))
            continue;
        for (uint32_t at = e; left >> at & 1; at = next[at])
        {
            left &= ~(1u << at);
            loops->edge[filled++] = (uint8_t)at;
        }
        int32_t start = loops->start[count];
        loops->centered[count] = !turn_loop(loops->edge + start, filled - start);
        loops->start[++count] = filled;
    }
    loops->count = count;
}
