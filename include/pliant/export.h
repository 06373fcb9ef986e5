// include/pliant/export.h -- animations for other programs.
//
//     format  files, in a directory of their own            for
//     ply     NAME_000012.ply, float32                      anything; triangles may change from frame to frame
//     vtu     NAME_000012.vtu and animation.pvd, float64    ParaView, VisIt, meshio: elements and all fields
//     pc2     NAME.obj and NAME.pc2, float32                Blender, 3ds Max, Maya: one mesh and a cache of its points
//     usd     animation.usda                                Houdini, Maya, Unreal, Omniverse, Blender: velocities for blur
//     glb     animation.glb, float32                        web pages, viewers, games: up to 300 frames
//     npy     NAME_positions.npy and others, float64        numpy, PyTorch
//     obj     NAME_000012.obj, exact decimals               anything
//     vdb     NAME_000012.vdb, float32                      Houdini, Blender: grids of cubes, as liquids have
//
// docs/formats.md explains how to open each. Coordinates are written as they are: y up, metres. Points keep the order
// of the source; pc2, glb and obj leave out points that no triangle uses, since Blender drops them when it reads an
// .obj and the cache would no longer match. glb duplicates points at seams of texture coordinates.
//
// Frames are requested one at a time, so memory holds one (glb: two) whatever the length of the animation. Files appear
// complete or not at all, as in io.h.
#ifndef PLIANT_EXPORT_H
#define PLIANT_EXPORT_H

#include <pliant/base.h>
#include <pliant/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pl_export_format
{
    PL_EXPORT_PLY,
    PL_EXPORT_VTU,
    PL_EXPORT_PC2,
    PL_EXPORT_USD,
    PL_EXPORT_GLB,
    PL_EXPORT_NPY,
    PL_EXPORT_OBJ,
    PL_EXPORT_VDB
} pl_export_format;

/// The name of a format: "ply", "vtu", "pc2", "usd", "glb", "npy", "obj" or "vdb". NULL past the last, so that a loop
/// can list them.
PL_API const char *pl_export_format_name(pl_export_format format);

/// The format of a name. Also takes "vtk" (vtu), "usda" (usd) and "gltf" (glb). Fails with PL_ERR_ARGUMENT and a
/// message that lists the allowed names; `*format` is unchanged.
PL_API PL_NODISCARD pl_status pl_export_format_find(pl_context *ctx, const char *name, pl_export_format *format);

/// Field values at the nodes or elements of a body; written by vtu and npy.
typedef struct pl_frame_field
{
    const char *name;     ///< like names of bodies; not one used by exporters: displacement, node_velocities, nodes,
                          ///< normal, positions, tets, triangles, velocities, velocity
    int32_t components;   ///< 1, 3 or 9 (a matrix, row by row)
    int32_t per_cell;     ///< 1: one per element, 0: one per node
    const double *values; ///< [count][components], finite
} pl_frame_field;

/// One body at one time. Coordinates and velocities are finite and within +-1e30.
typedef struct pl_frame_body
{
    const char *name; ///< letters, digits, _ and -, at most 63; unique in a frame

    // its surface, in the point order of its source
    int32_t vertex_count;
    const double *vertices;          ///< [vertex_count][3], m
    const double *vertex_velocities; ///< [vertex_count][3], m/s, or NULL
    const double *normals;           ///< [vertex_count][3], or NULL
    int32_t triangle_count;
    const int32_t *triangles; ///< [triangle_count][3] vertex indices
    const double
        *radii; ///< [vertex_count] of points [m], such as drops, which have neither triangles nor nodes; or NULL

    const double *vertex_strains;      ///< [vertex_count] of a liquid, or NULL
    const double *vertex_temperatures; ///< [vertex_count] of a liquid [K], or NULL

    // texture coordinates, the origin at the lower left; uv_count 0 without
    int32_t uv_count;
    const double *uvs;           ///< [uv_count][2]
    const int32_t *triangle_uvs; ///< [triangle_count][3] indices into uvs

    // groups of triangles; group_count 0 without
    int32_t group_count;
    const char *const *group_names; ///< [group_count], UTF-8, not empty, no control characters
    const int32_t *triangle_groups; ///< [triangle_count]; -1: no group

    // its elements; node_count 0 without
    int32_t node_count;
    const double *nodes;           ///< [node_count][3], m
    const double *node_velocities; ///< [node_count][3], m/s, or NULL
    const double *rest_nodes;      ///< [node_count][3], m, or NULL
    pl_element_kind cell_kind;     ///< element kind of the cells
    int32_t cell_count;
    const int32_t *cells; ///< [cell_count][pl_element_corners(cell_kind)] node indices
    int32_t field_count;  ///< 0 without nodes
    const pl_frame_field *fields;

    double color[3]; ///< linear red, green, blue in [0, 1]
} pl_frame_body;

typedef struct pl_frame
{
    int32_t number; ///< >= 0, in the names of files and the time codes of usd; increases from frame to frame
    double time;    ///< [s], increases from frame to frame
    int32_t body_count;
    const pl_frame_body *bodies;
} pl_frame;

/// Frames on demand. An exporter may request any frame, several times, one at a time; a frame stays valid until the
/// next call. A status other than PL_OK ends the export with that status; `read` may leave a message in the same
/// context.
typedef struct pl_frame_source
{
    int32_t frame_count; ///< > 0
    double fps;          ///< frame numbers per second of the movie, > 0
    pl_status (*read)(void *user, int32_t index, const pl_frame **frame);
    void *user;
    double time_scale; ///< simulated seconds per second of the movie; 0: 1. usd has velocities in movie time
} pl_frame_source;

/// Write all frames into `directory`, which is created if missing; its parent must exist.
///
/// ply, vtu, obj and vdb accept frames of any topology; vdb writes the fields of bodies whose cells are boxes of one
/// lattice, and leaves out others. The others need the same bodies, in the same order and with the same
/// optional arrays in all frames; pc2, glb and npy also the same points, triangles, elements and fields, while usd
/// allows a changing surface. pc2 needs equidistant frame numbers, glb at most 300 frames and 4 GB. Each frame is read
/// once for ply, vtu and obj; once per 64 files for npy and pc2, for pc2 once more; twice for glb; for usd once, and
/// again for each body and each of points, velocities, normals.
///
/// Fails with PL_ERR_ARGUMENT, naming frame, body and index, PL_ERR_FILE, PL_ERR_MEMORY, or the status of the source.
/// Files of earlier frames may then exist, each of them complete.
PL_API PL_NODISCARD pl_status pl_export(pl_context *ctx, pl_export_format format, const char *directory,
                                        const pl_frame_source *source);

#ifdef __cplusplus
}
#endif
#endif
