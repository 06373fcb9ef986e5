// src/io/export_obj.c -- Wavefront OBJ: a file for every body and frame, as pl_obj_write makes them, with vt and
// groups.
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

pl_status pl__export_obj(pl__export *e)
{
    for (int32_t f = 0; f < e->source->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(e, f, &frame));
        for (int32_t i = 0; i < frame->body_count; ++i)
        {
            PL_TRY(pl__export_path(e, "%s_%06d.obj", frame->bodies[i].name, frame->number));
            PL_TRY(pl__export_obj_file(e, &frame->bodies[i]));
        }
    }
    return PL_OK;
}
