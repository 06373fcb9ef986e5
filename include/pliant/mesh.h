// include/pliant/mesh.h -- element meshes and triangle surfaces: creation, access, mesh generation.
//
// A pl_mesh is a mesh in its rest shape, all of its elements of one kind; a pl_surface is a set of triangles. Both are
// immutable once created and keep the point order of their source. Lengths are metres, indices start at zero.
// Tetrahedra have positive volume (node 3 lies on the side of the triangle 0 1 2 that its right-handed normal points
// to). Hexahedra are numbered as in VTK and Gmsh: nodes 0 to 3 around the bottom, counter-clockwise seen from the top,
// which is 4 to 7 above them. Surface triangles face outwards; neighbours in a mesh of triangles face the same way.
#ifndef PLIANT_MESH_H
#define PLIANT_MESH_H

#include <pliant/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_mesh pl_mesh;
typedef struct pl_surface pl_surface;

// ---- meshes ------------------------------------------------------------------------------------------------

/// Element kinds.
typedef enum pl_element_kind
{
    PL_ELEMENT_TET,     ///< linear tetrahedra, 4 nodes
    PL_ELEMENT_HEX,     ///< trilinear hexahedra, 8 nodes
    PL_ELEMENT_TRIANGLE ///< linear triangles, 3 nodes: shells and planar bodies
} pl_element_kind;

/// Nodes per element: 4, 8 or 3; 0 for an invalid kind.
PL_API int32_t pl_element_corners(pl_element_kind kind);

/// Create a mesh from arrays, which are copied. `positions` holds 3 numbers per node, `tets` 4 node indices each.
/// Tetrahedra of negative volume have two nodes exchanged, with a note in the log. Fails with PL_ERR_ARGUMENT, naming
/// the element, for indices out of range, repeated nodes, degenerate tetrahedra (volume below 1e-12 of the cube of
/// their longest edge), triangles shared by three or more tetrahedra, positions that are not finite, or no tetrahedra
/// at all. Unused nodes are allowed; tetrahedra that overlap their neighbours get a warning in the log.
PL_API PL_NODISCARD pl_status pl_mesh_create(pl_context *ctx, const double *positions, int32_t node_count,
                                             const int32_t *tets, int32_t tet_count, pl_mesh **mesh);
/// The same for any kind of element; `elements` holds pl_element_corners(kind) node indices each. Hexahedra are
/// reoriented when the determinant of their Jacobian is negative at all 2x2x2 Gauss points, and refused when it has
/// both signs (twisted) or is below 1e-12 of the cube of the longest edge. Triangles are refused when their area is
/// below 1e-12 of the square of the longest edge; where neighbours are oriented inconsistently, the minority of each
/// connected part is flipped, with a note, and a non-orientable part (a Moebius strip) is refused, naming an edge.
/// Edges of three and more triangles are allowed, with a note.
PL_API PL_NODISCARD pl_status pl_mesh_create_elements(pl_context *ctx, pl_element_kind kind, const double *positions,
                                                      int32_t node_count, const int32_t *elements,
                                                      int32_t element_count, pl_mesh **mesh);
/// Destroy and set to NULL. Scenes and worlds have their own copies.
PL_API void pl_mesh_destroy(pl_mesh **mesh);

PL_API pl_element_kind pl_mesh_kind(const pl_mesh *mesh);
PL_API int32_t pl_mesh_node_count(const pl_mesh *mesh);
PL_API int32_t pl_mesh_element_count(const pl_mesh *mesh);
/// 3 numbers per node; borrowed until the mesh is destroyed, like all arrays here.
PL_API const double *pl_mesh_positions(const pl_mesh *mesh);
/// pl_element_corners(kind) node indices per element.
PL_API const int32_t *pl_mesh_elements(const pl_mesh *mesh);
/// The same for tetrahedra; 0 and NULL for meshes of another kind.
PL_API int32_t pl_mesh_tet_count(const pl_mesh *mesh);
PL_API const int32_t *pl_mesh_tets(const pl_mesh *mesh);
/// The boundary: faces that belong to one element only, 3 node indices each, in a fixed order. Faces of hexahedra are
/// split along the diagonal from their lowest node. For a mesh of triangles, the triangles themselves.
PL_API int32_t pl_mesh_triangle_count(const pl_mesh *mesh);
PL_API const int32_t *pl_mesh_triangles(const pl_mesh *mesh);
/// Regions (material groups of a file): count, names ("" when unnamed), and the region of each element.
PL_API int32_t pl_mesh_region_count(const pl_mesh *mesh);
PL_API const char *pl_mesh_region_name(const pl_mesh *mesh, int32_t region);
PL_API const int32_t *pl_mesh_element_regions(const pl_mesh *mesh);
/// Nodal data from the file: number of attributes, names, components per node, values.
PL_API int32_t pl_mesh_attribute_count(const pl_mesh *mesh);
PL_API const char *pl_mesh_attribute_name(const pl_mesh *mesh, int32_t attribute);
PL_API int32_t pl_mesh_attribute_components(const pl_mesh *mesh, int32_t attribute);
PL_API const double *pl_mesh_attribute_values(const pl_mesh *mesh, int32_t attribute);
/// Rest volume [m^3]; 0 for triangles.
PL_API double pl_mesh_volume(const pl_mesh *mesh);
/// Area of pl_mesh_triangles [m^2]: of the boundary, or of a mesh of triangles.
PL_API double pl_mesh_area(const pl_mesh *mesh);
/// Smallest and largest angle of all elements [degrees]: between the faces of tetrahedra, between the faces at the
/// corners of hexahedra (90 in boxes), at the corners of triangles.
PL_API void pl_mesh_dihedral_range(const pl_mesh *mesh, double *smallest, double *largest);

// ---- triangle surfaces -------------------------------------------------------------------------------------

/// Create a surface from arrays, which are copied. It need not be closed, oriented or free of intersections. Fails with
/// PL_ERR_ARGUMENT for indices out of range, positions that are not finite, or no triangles.
PL_API PL_NODISCARD pl_status pl_surface_create(pl_context *ctx, const double *positions, int32_t node_count,
                                                const int32_t *triangles, int32_t triangle_count, pl_surface **surface);
PL_API void pl_surface_destroy(pl_surface **surface);
PL_API int32_t pl_surface_node_count(const pl_surface *surface);
PL_API int32_t pl_surface_triangle_count(const pl_surface *surface);
PL_API const double *pl_surface_positions(const pl_surface *surface);
PL_API const int32_t *pl_surface_triangles(const pl_surface *surface);

// Data from the file; surfaces created from arrays have none.

/// Texture coordinates: count, 2 numbers each, and 3 indices per triangle (-1: none). NULL without.
PL_API int32_t pl_surface_uv_count(const pl_surface *surface);
PL_API const double *pl_surface_uvs(const pl_surface *surface);
PL_API const int32_t *pl_surface_triangle_uvs(const pl_surface *surface);
/// Groups of triangles: count (0 without), names, and the group of each triangle (NULL without).
PL_API int32_t pl_surface_group_count(const pl_surface *surface);
PL_API const char *pl_surface_group_name(const pl_surface *surface, int32_t group);
PL_API const int32_t *pl_surface_triangle_groups(const pl_surface *surface);
/// Vertex data: number of attributes, names, components per vertex, values.
PL_API int32_t pl_surface_attribute_count(const pl_surface *surface);
PL_API const char *pl_surface_attribute_name(const pl_surface *surface, int32_t attribute);
PL_API int32_t pl_surface_attribute_components(const pl_surface *surface, int32_t attribute);
PL_API const double *pl_surface_attribute_values(const pl_surface *surface, int32_t attribute);

/// Topology and size of a surface; coincident vertices count as one.
typedef struct pl_surface_info
{
    int32_t open_edges;        ///< edges with one triangle: 0 for a closed surface
    int32_t turned_edges;      ///< edges whose two triangles are oriented inconsistently: 0 for an oriented surface
    int32_t crowded_edges;     ///< edges with three triangles or more
    int32_t parts;             ///< connected components
    int32_t unused;            ///< vertices without triangles
    double area;               ///< [m^2]
    double volume;             ///< enclosed volume of a closed surface [m^3]; negative when inside out
    double lower[3], upper[3]; ///< bounds of the vertices used by triangles
} pl_surface_info;
/// Compute the info. Fails with PL_ERR_MEMORY only.
PL_API PL_NODISCARD pl_status pl_surface_survey(const pl_surface *surface, pl_surface_info *info);

// ---- shapes ------------------------------------------------------------------------------------------------

typedef enum pl_shape_kind
{
    PL_SHAPE_BOX,      ///< `extent` along x, y, z
    PL_SHAPE_SPHERE,   ///< `radius`
    PL_SHAPE_TORUS,    ///< around the y axis: `radius` to the middle of the tube, `tube` its radius
    PL_SHAPE_CYLINDER, ///< along the y axis: `radius` and `extent[1]`
    // triangles only
    PL_SHAPE_SHEET,      ///< extent[0] by extent[2] in the plane y = 0, facing +y
    PL_SHAPE_DISK,       ///< `radius`, in the plane y = 0, facing +y
    PL_SHAPE_TUBE,       ///< a cylinder without its ends: `radius` and `extent[1]` along the y axis
    PL_SHAPE_HALF_TORUS, ///< an arch: the half y >= 0 of a torus around the z axis, open at y = 0
    PL_SHAPE_RECTANGLE   ///< extent[0] by extent[1] in the plane z = 0, facing +z: for planar bodies
} pl_shape_kind;

/// Subdivision of a box into tetrahedra (thesis 2.12).
typedef enum pl_shape_cut
{
    PL_CUT_FIVE, ///< 5 per cube, alternating in parity: fewest elements per node
    PL_CUT_SIX,  ///< 6 per cube (Freudenthal, Kuhn), all alike
    PL_CUT_BCC   ///< body-centred cubic lattice: best shaped
} pl_shape_cut;

/// Triangulation of flat shapes; a disk consists of rings unless irregular.
typedef enum pl_shape_pattern
{
    PL_PATTERN_ALTERNATING, ///< squares with diagonals that meet in stars (union jack)
    PL_PATTERN_DIAGONAL,    ///< squares with diagonals all alike
    PL_PATTERN_IRREGULAR    ///< well shaped but unstructured, by `seed`; the boundary stays
} pl_shape_pattern;

/// A solid or a surface centred on the origin.
typedef struct pl_shape_def
{
    pl_shape_kind kind;
    double extent[3]; ///< [m] box: edge lengths; cylinder and tube: extent[1] is the height; in [1e-300, 1e300]
    double radius;    ///< [m] in [1e-300, 1e300]
    double tube;      ///< [m] torus, in (0, radius)
    double edge;      ///< [m] target edge length, in [1e-300, 1e300]; at least one cell across in every direction
    pl_shape_cut cut; ///< box of tetrahedra only
    double jitter;    ///< moves interior nodes at random by up to this fraction of the edge, in [0, 0.3]; keeps the
                      ///< surface, and flat shapes flat; other triangle meshes have no interior nodes and allow 0 only
    uint64_t seed;    ///< for jitter and PL_PATTERN_IRREGULAR
    pl_element_kind elements; ///< tetrahedra, hexahedra, or triangles: the closed surface, facing outwards
    pl_shape_pattern pattern; ///< for flat shapes
    uint32_t cookie;          ///< set by pl_shape_def_default(); do not touch
} pl_shape_def;

/// A unit box with edge 0.1, tetrahedra by the BCC cut; radius 0.5, tube 0.2.
PL_API pl_shape_def pl_shape_def_default(void);
/// Create the mesh of a shape. Hexahedra are cells of a grid that fits the extents, as nearly cubic as possible: boxes
/// are exact; for other shapes, the cells with their centre inside, without those that are connected by an edge or a
/// point only. Fails with PL_ERR_ARGUMENT naming the field, also for an edge so small that the mesh would exceed 2^31
/// indices, or so large that no cell has its centre inside.
PL_API PL_NODISCARD pl_status pl_mesh_create_shape(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh);

// ---- mesh generation from surfaces and functions -----------------------------------------------------------

typedef enum pl_stuffing_mode
{
    PL_STUFFING_FITTED,   ///< boundary nodes lie on the surface; dihedral angles within [10.7, 164.8] degrees
    PL_STUFFING_COVERING, ///< the mesh contains the whole surface, to embed it; its boundary is a manifold
    PL_STUFFING_SNUG ///< like covering, with the boundary shrunk towards the surface; tetrahedra around surfaces only
} pl_stuffing_mode;

typedef struct pl_stuffing_def
{
    pl_stuffing_mode mode;
    double size; ///< [m] edge length of the cubic lattice, > 0
    /// Tetrahedra, or hexahedra: the cells of the lattice. Fitted: those with their centre inside, without those
    /// connected by an edge or a point only; covering: all that the solid touches.
    pl_element_kind elements;
    uint32_t cookie; ///< set by pl_stuffing_def_default(); do not touch
} pl_stuffing_def;

/// Fitted tetrahedra, with size 0 (to be set).
PL_API pl_stuffing_def pl_stuffing_def_default(void);

/// An implicit solid: negative inside, positive outside, continuous; not necessarily a distance.
typedef double pl_implicit_function(void *user, const double point[3]);

/// Fill the part of the box [lower, upper] where `inside` is negative. The solid must lie within the box.
/// The function is called on the calling thread, also a few cells outside the box, where it must not be negative.
/// Fails with PL_ERR_ARGUMENT when a field is out of range, nothing is inside, or the solid touches the box.
PL_API PL_NODISCARD pl_status pl_mesh_create_from_implicit(pl_context *ctx, const pl_stuffing_def *def,
                                                           const double lower[3], const double upper[3],
                                                           pl_implicit_function *inside, void *user, pl_mesh **mesh);
/// Fill a closed surface. A point is inside if its generalised winding number exceeds one half, so duplicate vertices,
/// small holes, self-intersections and overlapping parts are harmless; a surface that is inside out as a whole is
/// flipped, with a note in the log. Fails with PL_ERR_ARGUMENT when nothing is inside: the surface is open (its holes
/// span more than a tenth of its area), inside out in parts, or thinner than the lattice; the message says which.
PL_API PL_NODISCARD pl_status pl_mesh_create_from_surface(pl_context *ctx, const pl_stuffing_def *def,
                                                          const pl_surface *surface, pl_mesh **mesh);
/// Use the triangles of a surface as the elements of a shell. Nodes keep their order, groups become regions, attributes
/// are kept, texture coordinates are not. Checked and oriented as by pl_mesh_create_elements: degenerate triangles are
/// refused.
PL_API PL_NODISCARD pl_status pl_mesh_create_from_triangles(pl_context *ctx, const pl_surface *surface, pl_mesh **mesh);

#ifdef __cplusplus
}
#endif
#endif
