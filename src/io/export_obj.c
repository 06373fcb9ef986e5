// src/io/export_obj.c -- Wavefront OBJ: a file for every body and frame, as pl_obj_write makes them, with vt and
// groups.
//
// Points are written with their elements, and without radii, which the format has no place for:
//
//     v 0 1 0
//     p 1
#include "io/export.h"
#include "io/obj.h"

pl_status pl__export_obj_file(pl__export *e, const pl_frame_body *b)
{
    pl__obj_faces faces = {
        .position = b->vertices,
        .triangle = b->triangles,
        .node_count = b->vertex_count,
        .triangle_count = b->triangle_count,
        .uv_count = b->uv_count,
        .uv = b->uvs,
        .triangle_uv = b->triangle_uvs,
        .group_count = b->group_count,
        .group_name = b->group_names,
        .triangle_group = b->triangle_groups,
    };
    return pl__obj_write(e->ctx, e->path, &faces, true);
}

static pl_status write_points(pl__export *e, const pl_frame_body *b)
{
    pl__writer w;
    PL_TRY(pl__writer_open(&w, e->ctx, e->path));
    for (size_t i = 0; i < (size_t)b->vertex_count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            pl__write_text(&w, k ? " " : "v ");
            pl__write_real(&w, b->vertices[3 * i + (size_t)k]);
        }
        pl__write_text(&w, "\np ");
        pl__write_integer(&w, (int64_t)i + 1);
        pl__write_text(&w, "\n");
    }
    return pl__writer_commit(&w);
}

pl_status pl__export_obj(pl__export *e)
{
    for (int32_t f = 0; f < e->source->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(e, f, &frame));
        for (int32_t i = 0; i < frame->body_count; ++i)
        {
            const pl_frame_body *b = &frame->bodies[i];
            PL_TRY(pl__export_path(e, "%s_%06d.obj", b->name, frame->number));
            PL_TRY(b->radii ? write_points(e, b) : pl__export_obj_file(e, b));
        }
    }
    return PL_OK;
}
