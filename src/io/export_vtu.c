// src/io/export_vtu.c -- VTK unstructured grids: a file for every body and frame, and one .pvd that lists them with
// their times.
//
//     <VTKFile type="UnstructuredGrid" ... header_type="UInt64">
//       ... <DataArray type="Float64" Name="velocity" NumberOfComponents="3" format="appended" offset="216"/> ...
//       <AppendedData encoding="raw">_ blocks </AppendedData>
//
// A block is [uint64 bytes][data]; offsets count from behind the underscore to the start of a block. Head and blocks
// list the same arrays in the same order, so one function is called twice: for the head, then for the data.
//
// The cells are the elements of a body, or the triangles of its surface if it has none; of points, each one is a cell.
//
// Kitware, "VTK XML Formats", https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html.
#include "io/export.h"

#include <stdio.h>

enum
{
    CELL_VERTEX = 1, // cell types of VTK
    CELL_TRIANGLE = 5,
    CELL_TETRA = 10,
    CELL_HEXAHEDRON = 12
};

typedef struct grid
{
    pl__writer *w;
    bool data;       // writing the blocks, not the head
    uint64_t offset; // of the next array, for the head
    int32_t point_count, cell_count;
    int corners;
} grid;

static void tag(const grid *g, const char *text)
{
    if (!g->data)
        pl__write_text(g->w, text);
}

static void attribute(pl__writer *w, const char *name, int64_t value)
{
    pl__write_text(w, " ");
    pl__write_text(w, name);
    pl__write_text(w, "=\"");
    pl__write_integer(w, value);
    pl__write_text(w, "\"");
}

// Write the head of an array, or the size of its block; then true: the data is to follow.
static bool open_array(grid *g, const char *type, const char *name, int components, uint64_t bytes)
{
    if (g->data)
    {
        pl__write_u64(g->w, bytes);
        return true;
    }
    pl__write_text(g->w, "<DataArray type=\"");
    pl__write_text(g->w, type);
    pl__write_text(g->w, "\" Name=\"");
    pl__write_text(g->w, name);
    pl__write_text(g->w, "\"");
    if (components > 1) // 1 is the default; if given explicitly, meshio makes column vectors
        attribute(g->w, "NumberOfComponents", components);
    pl__write_text(g->w, " format=\"appended\"");
    attribute(g->w, "offset", (int64_t)g->offset);
    pl__write_text(g->w, "/>\n");
    g->offset += sizeof(uint64_t) + bytes;
    return false;
}

static void put_reals(grid *g, const char *name, const double *values, int32_t count, int components)
{
    size_t size = (size_t)count * (size_t)components;
    if (open_array(g, "Float64", name, components, size * sizeof(double)))
        pl__write_f64s(g->w, values, size);
}

static void put_displacement(grid *g, const pl_frame_body *b)
{
    size_t size = 3 * (size_t)b->node_count;
    if (!open_array(g, "Float64", "displacement", 3, size * sizeof(double)))
        return;
    for (size_t i = 0; i < size; ++i)
        pl__write_f64(g->w, b->nodes[i] - b->rest_nodes[i]);
}

// Without an index the cells are the points.
static void put_cells(grid *g, const int32_t *index, int kind)
{
    size_t count = (size_t)g->cell_count, corners = (size_t)g->corners;
    if (open_array(g, "Int32", "connectivity", 1, count * corners * sizeof(int32_t)))
    {
        if (index)
            pl__write_i32s(g->w, index, count * corners);
        for (int32_t i = 0; !index && i < g->cell_count; ++i)
            pl__write_i32s(g->w, &i, 1);
    }
    if (open_array(g, "Int64", "offsets", 1, count * sizeof(int64_t)))
        for (size_t i = 1; i <= count; ++i)
            pl__write_u64(g->w, i * corners);
    if (open_array(g, "UInt8", "types", 1, count))
        for (size_t i = 0; i < count; ++i)
            pl__write_bytes(g->w, &(unsigned char){(unsigned char)kind}, 1);
}

static void put_fields(grid *g, const pl_frame_body *b, int32_t per_cell)
{
    for (int32_t i = 0; i < b->field_count; ++i)
        if (b->fields[i].per_cell == per_cell)
            put_reals(g, b->fields[i].name, b->fields[i].values, per_cell ? b->cell_count : b->node_count,
                      b->fields[i].components);
}

static void put_volume(grid *g, const pl_frame_body *b)
{
    tag(g, "<PointData>\n");
    if (b->rest_nodes)
        put_displacement(g, b);
    if (b->node_velocities)
        put_reals(g, "velocity", b->node_velocities, b->node_count, 3);
    put_fields(g, b, 0);
    tag(g, "</PointData>\n<CellData>\n");
    put_fields(g, b, 1);
    tag(g, "</CellData>\n<Points>\n");
    put_reals(g, "points", b->nodes, b->node_count, 3);
    tag(g, "</Points>\n<Cells>\n");
    static const int kind[] = {
        [PL_ELEMENT_TET] = CELL_TETRA, [PL_ELEMENT_HEX] = CELL_HEXAHEDRON, [PL_ELEMENT_TRIANGLE] = CELL_TRIANGLE};
    put_cells(g, b->cells, kind[b->cell_kind]);
    tag(g, "</Cells>\n");
}

static void put_surface(grid *g, const pl_frame_body *b)
{
    tag(g, "<PointData>\n");
    if (b->vertex_velocities)
        put_reals(g, "velocity", b->vertex_velocities, b->vertex_count, 3);
    if (b->normals)
        put_reals(g, "normal", b->normals, b->vertex_count, 3);
    if (b->vertex_strains)
        put_reals(g, "strain", b->vertex_strains, b->vertex_count, 1);
    if (b->vertex_temperatures)
        put_reals(g, "temperature", b->vertex_temperatures, b->vertex_count, 1);
    if (b->radii)
        put_reals(g, "radius", b->radii, b->vertex_count, 1);
    tag(g, "</PointData>\n<CellData>\n</CellData>\n<Points>\n");
    put_reals(g, "points", b->vertices, b->vertex_count, 3);
    tag(g, "</Points>\n<Cells>\n");
    put_cells(g, b->radii ? NULL : b->triangles, b->radii ? CELL_VERTEX : CELL_TRIANGLE);
    tag(g, "</Cells>\n");
}

static void write_grid(pl__writer *w, const pl_frame_body *b)
{
    bool volume = b->node_count > 0;
    grid g = {.w = w, .corners = volume ? (int)pl__export_corners(b) : b->radii ? 1 : 3};
    g.point_count = volume ? b->node_count : b->vertex_count;
    g.cell_count = volume ? b->cell_count : b->radii ? b->vertex_count : b->triangle_count;
    pl__write_text(
        w, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
           "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece");
    attribute(w, "NumberOfPoints", g.point_count);
    attribute(w, "NumberOfCells", g.cell_count);
    pl__write_text(w, ">\n");
    volume ? put_volume(&g, b) : put_surface(&g, b);
    pl__write_text(w, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    g.data = true;
    volume ? put_volume(&g, b) : put_surface(&g, b);
    pl__write_text(w, "\n</AppendedData>\n</VTKFile>\n");
}

static pl_status write_body(pl__export *e, const pl_frame_body *b, int32_t number)
{
    pl__writer w;
    PL_TRY(pl__export_open(e, &w, "%s_%06d.vtu", b->name, number));
    write_grid(&w, b);
    return pl__writer_commit(&w);
}

// ---- the list ------------------------------------------------------------------------------------------------

static void list_body(pl__writer *list, const pl_frame *frame, int32_t body)
{
    const char *name = frame->bodies[body].name;
    char number[32];
    snprintf(number, sizeof number, "_%06d.vtu\"/>\n", frame->number);
    pl__write_text(list, "<DataSet timestep=\"");
    pl__write_real(list, frame->time);
    pl__write_text(list, "\" group=\"");
    pl__write_text(list, name);
    pl__write_text(list, "\"");
    attribute(list, "part", body);
    pl__write_text(list, " name=\"");
    pl__write_text(list, name);
    pl__write_text(list, "\" file=\"");
    pl__write_text(list, name);
    pl__write_text(list, number);
}

static pl_status write_frames(pl__export *e, pl__writer *list)
{
    for (int32_t f = 0; f < e->source->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(e, f, &frame));
        for (int32_t i = 0; i < frame->body_count; ++i)
        {
            PL_TRY(write_body(e, &frame->bodies[i], frame->number));
            list_body(list, frame, i);
        }
    }
    return PL_OK;
}

// The list is written along with the files and committed after the last of them.
pl_status pl__export_vtu(pl__export *e)
{
    pl__writer list;
    PL_TRY(pl__export_open(e, &list, "animation.pvd"));
    pl__write_text(&list, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                          "byte_order=\"LittleEndian\">\n<Collection>\n");
    pl_status status = write_frames(e, &list);
    if (status == PL_OK)
    {
        pl__write_text(&list, "</Collection>\n</VTKFile>\n");
        return pl__writer_commit(&list);
    }
    pl__writer_discard(&list);
    return status;
}
