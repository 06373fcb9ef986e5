// src/io/export_ply.c -- Stanford PLY: a file for every body and frame.
//
//     ply
//     format binary_little_endian 1.0
//     element vertex 8
//     property float x                    one property after the other for every vertex: x y z, then
//     ...                                 vx vy vz, nx ny nz, s t and radius as far as they are there
//     element face 12
//     property list uchar int vertex_indices
//     end_header
//
// Points have a radius and no element for faces.
// PLY has no per-corner data: texture coordinates are written only if each belongs to the vertex of the same index.
//
// G. Turk, "The PLY Polygon File Format", 1994.
#include "io/export.h"

#include <string.h>

static bool uvs_are_per_vertex(const pl_frame_body *b)
{
    size_t corners = 3 * (size_t)b->triangle_count;
    return b->uv_count && b->uv_count == b->vertex_count &&
           (!corners || memcmp(b->triangle_uvs, b->triangles, corners * sizeof(int32_t)) == 0);
}

static void write_head(pl__writer *w, const pl_frame_body *b)
{
    pl__write_text(w, "ply\nformat binary_little_endian 1.0\ncomment Pliant: metres, y up\nelement vertex ");
    pl__write_integer(w, b->vertex_count);
    pl__write_text(w, "\nproperty float x\nproperty float y\nproperty float z\n");
    if (b->vertex_velocities)
        pl__write_text(w, "property float vx\nproperty float vy\nproperty float vz\n");
    if (b->normals)
        pl__write_text(w, "property float nx\nproperty float ny\nproperty float nz\n");
    if (uvs_are_per_vertex(b))
        pl__write_text(w, "property float s\nproperty float t\n");
    if (b->vertex_strains)
        pl__write_text(w, "property float strain\n");
    if (b->vertex_temperatures)
        pl__write_text(w, "property float temperature\n");
    if (b->radii)
        pl__write_text(w, "property float radius\n");
    else
    {
        pl__write_text(w, "element face ");
        pl__write_integer(w, b->triangle_count);
        pl__write_text(w, "\nproperty list uchar int vertex_indices\n");
    }
    pl__write_text(w, "end_header\n");
}

static void write_vertices(pl__writer *w, const pl_frame_body *b)
{
    bool uvs = uvs_are_per_vertex(b);
    for (size_t i = 0; i < (size_t)b->vertex_count; ++i)
    {
        pl__write_f32s(w, &b->vertices[3 * i], 3);
        if (b->vertex_velocities)
            pl__write_f32s(w, &b->vertex_velocities[3 * i], 3);
        if (b->normals)
            pl__write_f32s(w, &b->normals[3 * i], 3);
        if (uvs)
            pl__write_f32s(w, &b->uvs[2 * i], 2);
        if (b->vertex_strains)
            pl__write_f32s(w, &b->vertex_strains[i], 1);
        if (b->vertex_temperatures)
            pl__write_f32s(w, &b->vertex_temperatures[i], 1);
        if (b->radii)
            pl__write_f32s(w, &b->radii[i], 1);
    }
}

static void write_faces(pl__writer *w, const pl_frame_body *b)
{
    for (size_t i = 0; i < (size_t)b->triangle_count; ++i)
    {
        pl__write_bytes(w, "\3", 1);
        pl__write_i32s(w, &b->triangles[3 * i], 3);
    }
}

static pl_status write_body(pl__export *e, const pl_frame_body *b, int32_t number)
{
    pl__writer w;
    PL_TRY(pl__export_open(e, &w, "%s_%06d.ply", b->name, number));
    write_head(&w, b);
    write_vertices(&w, b);
    write_faces(&w, b);
    return pl__writer_commit(&w);
}

pl_status pl__export_ply(pl__export *e)
{
    for (int32_t f = 0; f < e->source->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(e, f, &frame));
        for (int32_t i = 0; i < frame->body_count; ++i)
            PL_TRY(write_body(e, &frame->bodies[i], frame->number));
    }
    return PL_OK;
}
