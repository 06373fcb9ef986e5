// src/io/export.h -- shared by the exporters of animations: checked frames, paths, and many files at a time.
#ifndef PL_IO_EXPORT_H
#define PL_IO_EXPORT_H

#include "io/write.h"
#include <pliant/export.h>

enum
{
    PL__EXPORT_NAME = 64,  // length of the name of a body or field, with its terminating zero
    PL__EXPORT_PATH = 4096 // length of a path, with its terminating zero
};

// Topology of a body that must be constant if one mesh serves all frames.
typedef struct pl__export_shape
{
    char name[PL__EXPORT_NAME];
    int32_t vertex_count, triangle_count, node_count, cell_count;
    bool velocities, normals, node_velocities, rest, radii, strains, temperatures;
    uint64_t surface, volume; // hashes of indices, and of the names of groups and fields
} pl__export_shape;

typedef struct pl__export
{
    pl_context *ctx;
    const char *directory;
    const pl_frame_source *source;
    pl__export_shape *shape; // of the bodies of the first frame, after pl__export_hold
    int32_t shape_count;
    bool surface_may_change;
    int32_t last_index, last_number; // of the last frame read; -1: none
    double last_time;
    char path[PL__EXPORT_PATH];
} pl__export;

// Read and check a frame; it is valid until the next call. After pl__export_hold its bodies must match the first frame.
pl_status pl__export_read(pl__export *e, int32_t index, const pl_frame **frame);
// Read the first frame and require all later ones to match it.
pl_status pl__export_hold(pl__export *e, bool surface_may_change, const pl_frame **first);
// Whether the surface is still that of the first frame.
bool pl__export_same_surface(const pl__export *e, const pl_frame_body *body, int32_t index);

// Open directory/FILE for writing, little-endian on every machine; FILE is formatted as by printf.
pl_status pl__export_open(pl__export *e, pl__writer *w, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The same without opening: writes e->path.
pl_status pl__export_path(pl__export *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Check everything that exporters rely on: ranges, counts, names. `index` is for error messages.
pl_status pl__export_check(pl_context *ctx, const pl_frame *frame, int32_t index);

// A set of files, each with data of every frame. They are written in parallel, a fixed number at a time.
typedef struct pl__export_tracks
{
    int32_t count;
    void *user;
    void (*file_name)(void *user, int32_t track, char *name, size_t size);
    // Write the data of a frame; for frame 0 a header before it.
    void (*write)(void *user, int32_t track, pl__writer *w, const pl_frame *frame, int32_t index);
} pl__export_tracks;

pl_status pl__export_write_tracks(pl__export *e, const pl__export_tracks *tracks);

// Write the surface as OBJ with texture coordinates and groups, without unused vertices, to e->path.
pl_status pl__export_obj_file(pl__export *e, const pl_frame_body *body);

// One per format.
pl_status pl__export_ply(pl__export *e);
pl_status pl__export_vtu(pl__export *e);
pl_status pl__export_pc2(pl__export *e);
pl_status pl__export_usd(pl__export *e);
pl_status pl__export_glb(pl__export *e);
pl_status pl__export_npy(pl__export *e);
pl_status pl__export_obj(pl__export *e);
pl_status pl__export_vdb(pl__export *e);

// Corners per cell.
static inline size_t pl__export_corners(const pl_frame_body *b) { return (size_t)pl_element_corners(b->cell_kind); }

#endif
