// include/pliant/mesh.h -- meshes of elements and triangle surfaces: made, read back, cut out of shapes.
//
// A pl_mesh is a mesh in its rest shape, all of its elements of one kind; a pl_surface is a set of triangles. Both are
// immutable once made and keep the point order of their source. Lengths are metres, indices start at zero. Tetrahedra
// have positive volume (node 3 lies on the side of the triangle 0 1 2 that its right-handed normal points to).
// Hexahedra are numbered as in VTK and Gmsh: nodes 0 to 3 around the bottom, counter-clockwise seen from the top, which
// is 4 to 7 above them. Surface triangles face outwards; neighbours in a mesh of triangles face the same way.
#ifndef PLIANT_MESH_H
#define PLIANT_MESH_H

#include <pliant/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_mesh pl_mesh;
typedef struct pl_surface pl_surface;

// ---- meshes ------------------------------------------------------------------------------------------------

/// What a mesh is made of.
typedef enum pl_element_kind
{
    PL_ELEMENT_TET,     ///< linear tetrahedra, 4 nodes
    PL_ELEMENT_HEX,     ///< trilinear hexahedra, 8 nodes
    PL_ELEMENT_TRIANGLE ///< linear triangles, 3 nodes: shells and planar bodies
} pl_element_kind;

/// 4, 8 or 3; 0 for no kind.
PL_API int32_t pl_element_corners(pl_element_kind kind);

/// Make a mesh from arrays, which are copied. `positions` holds 3 numbers per node, `tets` 4 node indices each.
/// Tetrahedra of negative volume have two nodes exchanged, with a note in the log. Fails with PL_ERR_ARGUMENT, naming
/// the element, for indices out of range, repeated nodes, degenerate tetrahedra (volume below 1e-12 of the cube of
/// their longest edge), triangles shared by three or more tetrahedra, positions that are not finite, or no tetrahedra
/// at all. Nodes of no tetrahedron are allowed; tetrahedra that overlap their neighbours get a warning in the log.
PL_API PL_NODISCARD pl_status pl_mesh_create(pl_context *ctx, const double *positions, int32_t node_count,
                                             const int32_t *tets, int32_t tet_count, pl_mesh **mesh);
/// The same for any kind of element; `elements` holds pl_element_corners(kind) node indices each.
/// Hexahedra are turned over when the determinant of their Jacobian is negative at all 2x2x2 Gauss points, and refused
/// when it has both signs (twisted) or is below 1e-12 of the cube of the longest edge. Triangles are refused when their
/// area is below 1e-12 of the square of the longest edge; where neighbours face different ways the fewer of a part are
/// turned, with a note, and a part that has one side only (a Moebius strip) is refused by an edge. Edges of three and
/// more triangles are allowed, with a note.
PL_API PL_NODISCARD pl_status pl_mesh_create_elements(pl_context *ctx, pl_element_kind kind, const double *positions,
                                                      int32_t node_count, const int32_t *elements,
                                                      int32_t element_count, pl_mesh **mesh);
/// Destroy and set to NULL. Scenes and worlds keep copies of their own.
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
/// The boundary: faces that belong to one element only, 3 node indices each, in a fixed order. Those of hexahedra are
/// halved along the diagonal from their lowest node. Of a mesh of triangles, the triangles themselves.
PL_API int32_t pl_mesh_triangle_count(const pl_mesh *mesh);
PL_API const int32_t *pl_mesh_triangles(const pl_mesh *mesh);
/// Regions (material groups of a file): how many, their names ("" when unnamed), and one per element.
PL_API int32_t pl_mesh_region_count(const pl_mesh *mesh);
PL_API const char *pl_mesh_region_name(const pl_mesh *mesh, int32_t region);
PL_API const int32_t *pl_mesh_element_regions(const pl_mesh *mesh);
/// Numbers per node that came with the file: how many sorts, the name of each, numbers per node, and the values.
PL_API int32_t pl_mesh_attribute_count(const pl_mesh *mesh);
PL_API const char *pl_mesh_attribute_name(const pl_mesh *mesh, int32_t attribute);
PL_API int32_t pl_mesh_attribute_components(const pl_mesh *mesh, int32_t attribute);
PL_API const double *pl_mesh_attribute_values(const pl_mesh *mesh, int32_t attribute);
/// Rest volume [m^3]; 0 for triangles.
PL_API double pl_mesh_volume(const pl_mesh *mesh);
/// Area of pl_mesh_triangles [m^2]: of the boundary, or of a mesh of triangles.
PL_API double pl_mesh_area(const pl_mesh *mesh);
/// Smallest and largest angle over all elements [degrees]: between the faces of tetrahedra, between the faces at the
/// corners of hexahedra (90 in boxes), at the corners of triangles.
PL_API void pl_mesh_dihedral_range(const pl_mesh *mesh, double *smallest, double *largest);

// ---- triangle surfaces -------------------------------------------------------------------------------------

/// Make a surface from arrays, which are copied. It need not be closed, oriented or free of intersections.
/// Fails with PL_ERR_ARGUMENT for indices out of range, positions that are not finite, or no triangles.
PL_API PL_NODISCARD pl_status pl_surface_create(pl_context *ctx, const double *positions, int32_t node_count,
                                                const int32_t *triangles, int32_t triangle_count, pl_surface **surface);
PL_API void pl_surface_destroy(pl_surface **surface);
PL_API int32_t pl_surface_node_count(const pl_surface *surface);
PL_API int32_t pl_surface_triangle_count(const pl_surface *surface);
PL_API const double *pl_surface_positions(const pl_surface *surface);
PL_API const int32_t *pl_surface_triangles(const pl_surface *surface);

// What came with the file; surfaces made from arrays have none of it.

/// Texture coordinates: how many, 2 numbers each, and 3 indices per triangle (-1: none). NULL without.
PL_API int32_t pl_surface_uv_count(const pl_surface *surface);
PL_API const double *pl_surface_uvs(const pl_surface *surface);
PL_API const int32_t *pl_surface_triangle_uvs(const pl_surface *surface);
/// Groups of triangles: how many (0 without), their names, and one per triangle (NULL without).
PL_API int32_t pl_surface_group_count(const pl_surface *surface);
PL_API const char *pl_surface_group_name(const pl_surface *surface, int32_t group);
PL_API const int32_t *pl_surface_triangle_groups(const pl_surface *surface);
/// Numbers per vertex: how many sorts, the name of each, numbers per vertex, and the values.
PL_API int32_t pl_surface_attribute_count(const pl_surface *surface);
PL_API const char *pl_surface_attribute_name(const pl_surface *surface, int32_t attribute);
PL_API int32_t pl_surface_attribute_components(const pl_surface *surface, int32_t attribute);
PL_API const double *pl_surface_attribute_values(const pl_surface *surface, int32_t attribute);

/// What kind of surface it is; vertices at the same place count as one.
typedef struct pl_surface_info
{
    int32_t open_edges;        ///< edges of one triangle only: 0 for a closed surface
    int32_t turned_edges;      ///< edges whose two triangles face opposite ways: 0 for a consistent one
    int32_t crowded_edges;     ///< edges of three triangles and more
    int32_t parts;             ///< that hang together
    int32_t unused;            ///< vertices of no triangle
    double area;               ///< [m^2]
    double volume;             ///< [m^3] that it encloses if it is closed; negative when it is inside out
    double lower[3], upper[3]; ///< of the vertices that triangles use
} pl_surface_info;
/// Fails with PL_ERR_MEMORY only.
PL_API PL_NODISCARD pl_status pl_surface_survey(const pl_surface *surface, pl_surface_info *info);

// ---- shapes ------------------------------------------------------------------------------------------------

typedef enum pl_shape_kind
{
    PL_SHAPE_BOX,      ///< `extent` along x, y, z
    PL_SHAPE_SPHERE,   ///< `radius`
    PL_SHAPE_TORUS,    ///< around the y axis: `radius` to the middle of the tube, `tube` its radius
    PL_SHAPE_CYLINDER, ///< along the y axis: `radius` and `extent[1]`
    // of triangles only
    PL_SHAPE_SHEET,      ///< extent[0] by extent[2] in the plane y = 0, facing +y
    PL_SHAPE_DISK,       ///< `radius`, in the plane y = 0, facing +y
    PL_SHAPE_TUBE,       ///< a cylinder without its ends: `radius` and `extent[1]` along the y axis
    PL_SHAPE_HALF_TORUS, ///< an arch: the half y >= 0 of a torus around the z axis, open where it stands on y = 0
    PL_SHAPE_RECTANGLE   ///< extent[0] by extent[1] in the plane z = 0, facing +z: a planar body
} pl_shape_kind;

/// How a box is cut into tetrahedra (thesis 2.12).
typedef enum pl_shape_cut
{
    PL_CUT_FIVE, ///< 5 per cube, alternating in parity: fewest elements per node
    PL_CUT_SIX,  ///< 6 per cube (Freudenthal, Kuhn), all alike
    PL_CUT_BCC   ///< body-centred cubic lattice: best shaped
} pl_shape_cut;

/// How flat shapes are cut into triangles; a disk is made of rings unless irregular.
typedef enum pl_shape_pattern
{
    PL_PATTERN_ALTERNATING, ///< squares with diagonals that meet in stars (union jack)
    PL_PATTERN_DIAGONAL,    ///< squares with diagonals all alike
    PL_PATTERN_IRREGULAR    ///< well shaped but in no order, by `seed`; the boundary stays
} pl_shape_pattern;

/// A solid or a surface centred on the origin.
typedef struct pl_shape_def
{
    pl_shape_kind kind;
    double extent[3]; ///< [m] box: edge lengths; cylinder and tube: extent[1] is the height; in [1e-300, 1e300]
    double radius;    ///< [m] in [1e-300, 1e300]
    double tube;      ///< [m] torus, in (0, radius)
    double edge;      ///< [m] target edge length, in [1e-300, 1e300]; a shape never gets fewer than one cell across
    pl_shape_cut cut; ///< box of tetrahedra only
    double jitter;    ///< moves interior nodes at random by up to this fraction of the edge, in [0, 0.3]; keeps the
                      ///< surface, and flat shapes flat; other triangles have no such nodes and allow 0 only
    uint64_t seed;    ///< of the jitter and of PL_PATTERN_IRREGULAR
    pl_element_kind
        elements; ///< tetrahedra; hexahedra; or triangles: the surface of a solid, closed and facing outwards
    pl_shape_pattern pattern; ///< of flat shapes
    uint32_t cookie;          ///< set by pl_shape_def_default(); do not touch
} pl_shape_def;

/// A unit box with edge 0.1, tetrahedra by the BCC cut; radius 0.5, tube 0.2.
PL_API pl_shape_def pl_shape_def_default(void);
/// Make the mesh of a shape. Hexahedra are cut out of a grid that fits the extents, cells as nearly cubic as that
/// allows: boxes are exact, of the others those cells are taken whose middles are inside, less those that hang on by an
/// edge or a point only. Fails with PL_ERR_ARGUMENT naming the field, also for an edge so small that the mesh would
/// exceed 2^31 indices, or so large that no cell has its middle inside.
PL_API PL_NODISCARD pl_status pl_mesh_create_shape(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh);

// ---- elements in a surface ---------------------------------------------------------------------------------

typedef enum pl_stuffing_mode
{
    PL_STUFFING_FITTED,   ///< boundary nodes lie on the surface; dihedral angles within [10.7, 164.8] degrees
    PL_STUFFING_COVERING, ///< the mesh wholly contains the surface, for carrying it; its boundary is a manifold
    PL_STUFFING_SNUG      ///< the same, with its boundary drawn in towards the surface; tetrahedra around surfaces only
} pl_stuffing_mode;

typedef struct pl_stuffing_def
{
    pl_stuffing_mode mode;
    double size; ///< [m] edge length of the cubic lattice, > 0
    pl_element_kind
        elements; ///< tetrahedra, or hexahedra: the cells of the lattice themselves. Fitted, those whose middles are
                  ///< inside, less those that hang on by an edge or a point only; covering, all that the solid touches
    uint32_t cookie; ///< set by pl_stuffing_def_default(); do not touch
} pl_stuffing_def;

/// Fitted tetrahedra, with size 0 (to be set).
PL_API pl_stuffing_def pl_stuffing_def_default(void);

/// A solid as a function: negative inside, positive outside, continuous; need not be a distance.
typedef double pl_implicit_function(void *user, const double point[3]);

/// Fill the part of the box [lower, upper] where `inside` is negative. The solid must lie within the box.
/// The function is called on the calling thread, also a few cells outside the box, where it must not be negative.
/// Fails with PL_ERR_ARGUMENT when a field is out of range, nothing is inside, or the solid touches the box.
PL_API PL_NODISCARD pl_status pl_mesh_create_from_implicit(pl_context *ctx, const pl_stuffing_def *def,
                                                           const double lower[3], const double upper[3],
                                                           pl_implicit_function *inside, void *user, pl_mesh **mesh);
/// Fill a closed surface. Inside is where its generalised winding number exceeds one half, so duplicate vertices, small
/// holes, self-intersections and overlapping parts do no harm; a surface that is inside out as a whole is turned, with
/// a note in the log. Fails with PL_ERR_ARGUMENT when nothing is inside: the surface is open (its holes span more than
/// a tenth of its area), inside out in parts, or thinner than the lattice; the sentence says which.
PL_API PL_NODISCARD pl_status pl_mesh_create_from_surface(pl_context *ctx, const pl_stuffing_def *def,
                                                          const pl_surface *surface, pl_mesh **mesh);
/// The triangles of a surface themselves, as the elements of a shell. Nodes keep their order, groups become regions,
/// attributes are kept, texture coordinates are not. Checked and oriented as by pl_mesh_create_elements: degenerate
/// triangles are refused.
PL_API PL_NODISCARD pl_status pl_mesh_create_from_triangles(pl_context *ctx, const pl_surface *surface, pl_mesh **mesh);

#ifdef __cplusplus
}
#endif
#endif
