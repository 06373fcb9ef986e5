// include/pliant/io.h -- reading and writing of meshes and surfaces.
//
//     format                            mesh in  mesh out  surface in  surface out
//     Gmsh .msh 2.x, 4.1 *                yes      yes        yes          -
//     TetGen .node + .ele                 yes      yes         -           -
//     Medit .mesh (text)                  yes       -         yes          -
//     Vega FEM .veg                       yes       -         yes          -
//     VTK .vtk, versions 2.0 to 5.1 *     yes       -         yes          -
//     VTK .vtu, plain or zlib *           yes       -         yes          -
//     Wavefront .obj                       -     boundary     yes         yes
//     Stanford .ply *                      -        -         yes          -
//     STL .stl (text, binary)              -        -         yes          -
//
//     * text, and binary in either byte order (.vtk: big-endian, as specified)
//
// Meshes consist of tetrahedra, hexahedra or triangles; TetGen files of tetrahedra only.
//
// Reading uses the file reader of the context, writing the file system. Numbers do not depend on the locale of the host
// and are written with as many digits as needed to read the same bits back.
//
// Input is not trusted. An invalid file gives PL_ERR_FORMAT and a message that starts with `file:line:` (binary files:
// `file: byte N:`; errors about the whole file, `file:`), and nothing is created. Reading never allocates more than a
// fixed multiple of the file size (a .vtu with packed arrays: of their largest possible unpacked size). Omissions and
// repairs are noted in the log, one note each.
//
// A written file appears complete or not at all: it is written under a temporary name beside its target, flushed to
// disk, and then renamed. On failure the temporary file is removed, the target is unchanged, and the message of
// PL_ERR_FILE names the path and the reason.
#ifndef PLIANT_IO_H
#define PLIANT_IO_H

#include <pliant/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// File formats. Readers detect the version and encoding of a .msh; all four are equivalent for them.
typedef enum pl_file_format
{
    PL_FILE_BY_NAME = 0,  ///< from the extension of the path or name; .msh is written as 4.1 text
    PL_FILE_MSH22_TEXT,   ///< Gmsh 2.2, the most widely understood
    PL_FILE_MSH22_BINARY, ///< Gmsh 2.2, in the byte order of this machine
    PL_FILE_MSH41_TEXT,   ///< Gmsh 4.1, what Gmsh writes today
    PL_FILE_MSH41_BINARY, ///< Gmsh 4.1, in the byte order of this machine
    PL_FILE_TETGEN,       ///< a pair of .node and .ele
    PL_FILE_OBJ,          ///< Wavefront OBJ: a triangle surface
    PL_FILE_PLY,          ///< Stanford PLY: a triangle surface
    PL_FILE_STL,          ///< STL: a triangle surface
    PL_FILE_MEDIT,        ///< Medit .mesh, as text
    PL_FILE_VEGA,         ///< Vega FEM .veg
    PL_FILE_VTK,          ///< VTK's old format: UNSTRUCTURED_GRID or POLYDATA
    PL_FILE_VTU           ///< VTK's XML format for unstructured grids
} pl_file_format;

// ---- meshes ------------------------------------------------------------------------------------

/// Read a mesh, by extension: any of the table above with "mesh in". For .node or .ele, the companion file is read from
/// the same directory.
///
/// The elements are the tetrahedra or the hexahedra of the file (including voxels and Vega's cubes), or in a file
/// without either, its triangles, with quadrangles and polygons triangulated. A file with both tetrahedra and hexahedra
/// is refused: a mesh is of one kind. Nodes keep the order of the file; those that no element uses are left out.
/// Elements of higher order are reduced to their corners; cells of other kinds are left out. Regions, in the order of
/// their numbers, are: physical groups of volumes, or of surfaces for triangles (.msh), the first element attribute
/// (.ele), references (.mesh), materials of *REGION (.veg), and an array of integers per cell with one of the names
/// material, region, gmsh:physical, CellEntityIds, medit:ref (.vtk, .vtu). A region without a name is named by its
/// number; elements without a region are in one named "". Elements of a .msh in several groups go to one of them.
///
/// Arrays of points (.vtk, .vtu) become attributes. The pieces of a .vtu are joined. *INCLUDE in a .veg is refused.
///
/// Fails with PL_ERR_FILE (cannot be read), PL_ERR_FORMAT (wrong, holds no elements, or has a surface format: use
/// pl_surface_load for .obj, .ply and .stl), PL_ERR_MEMORY, or PL_ERR_ARGUMENT (an extension other than these); then
/// `*mesh` is NULL.
PL_API PL_NODISCARD pl_status pl_mesh_load(pl_context *ctx, const char *path, pl_mesh **mesh);

/// The same from `size` bytes in memory, for hosts with their own archives. `name` is the file name in error messages
/// and gives the format if that is PL_FILE_BY_NAME; NULL: "(memory)". Any of the .msh formats works for a .msh.
PL_API PL_NODISCARD pl_status pl_mesh_parse(pl_context *ctx, pl_file_format format, const char *name, const void *data,
                                            size_t size, pl_mesh **mesh);

/// The same from the two TetGen files in memory. `node_name` and `ele_name` are their names in error messages.
PL_API PL_NODISCARD pl_status pl_mesh_parse_tetgen(pl_context *ctx, const char *node_name, const void *node_data,
                                                   size_t node_size, const char *ele_name, const void *ele_data,
                                                   size_t ele_size, pl_mesh **mesh);

/// Write a mesh. Reading it back gives the same bits: positions, elements, regions and (.msh) their names.
/// TetGen: `path` names either file and both are written, numbered from 1. OBJ: the boundary, without the nodes inside.
/// Fails with PL_ERR_FILE, PL_ERR_MEMORY, or PL_ERR_ARGUMENT (an unknown extension; a region whose name has a line
/// break; TetGen's files for anything but tetrahedra).
PL_API PL_NODISCARD pl_status pl_mesh_save(const pl_mesh *mesh, const char *path, pl_file_format format);

// ---- triangle surfaces -------------------------------------------------------------------------------------

/// Read a surface, by extension: any of the table above with "surface in". Files with tetrahedra give their boundary;
/// without, their triangles, quadrangles and polygons.
///
/// The vertices of an .obj or .ply are all kept, in order. Coincident corners of an .stl are merged into one vertex.
/// Polygons are cut into triangles: convex ones into a fan, others by clipping ears. Triangles with a repeated vertex
/// are left out.
///
/// Kept: texture coordinates (.obj; .ply with s t, u v or texture_u texture_v), groups (.obj: those of `g`, else of
/// `o`, else of `usemtl`), colours of vertices as the attribute "color" in [0, 1] (.obj, .ply), other vertex data under
/// their names (.ply, .vtk, .vtu). Normals of .obj, .ply and .stl, lines and points are ignored.
///
/// Fails with PL_ERR_FILE, PL_ERR_FORMAT, PL_ERR_MEMORY, or PL_ERR_ARGUMENT (an extension other than these); then
/// `*surface` is NULL.
PL_API PL_NODISCARD pl_status pl_surface_load(pl_context *ctx, const char *path, pl_surface **surface);

/// The same from `size` bytes in memory; see pl_mesh_parse.
PL_API PL_NODISCARD pl_status pl_surface_parse(pl_context *ctx, pl_file_format format, const char *name,
                                               const void *data, size_t size, pl_surface **surface);

/// Write a surface as OBJ, all its vertices in order, with its texture coordinates, its groups and an attribute "color"
/// of 3 numbers. Reading it back gives the same bits. Fails with PL_ERR_FILE or PL_ERR_MEMORY.
PL_API PL_NODISCARD pl_status pl_surface_save(const pl_surface *surface, const char *path);

/// Write triangles as OBJ: one frame of an animation. `positions` holds 3 numbers per node, `triangles` 3 node indices
/// each. Only nodes that a triangle uses are written, in order, so the frames of a body match each other vertex by
/// vertex as long as its triangles stay the same. Zero triangles give an empty file. Fails with PL_ERR_FILE,
/// PL_ERR_MEMORY, or PL_ERR_ARGUMENT, naming the triangle or node, for an index out of range or a position that is not
/// finite.
PL_API PL_NODISCARD pl_status pl_obj_write(pl_context *ctx, const char *path, const double *positions,
                                           int32_t node_count, const int32_t *triangles, int32_t triangle_count);

#ifdef __cplusplus
}
#endif
#endif
