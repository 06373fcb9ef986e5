// tests/meshio/print_mesh.c -- print_mesh mesh|surface FILE: what the library reads, for tests/meshio_read.py to
// compare. print_mesh FILE.msh FILE: a mesh read and written again, for meshio to read.
#include <pliant/pliant.h>

#include <stdio.h>
#include <string.h>

static void print_reals(const char *what, const double *values, int64_t count)
{
    printf("%s", what);
    for (int64_t i = 0; i < count; ++i)
        printf(" %.17g", values[i]);
    printf("\n");
}

static void print_integers(const char *what, const int32_t *values, int64_t count)
{
    printf("%s", what);
    for (int64_t i = 0; values && i < count; ++i)
        printf(" %d", values[i]);
    printf("\n");
}

static pl_status print_mesh(pl_context *ctx, const char *path)
{
    pl_mesh *mesh;
    pl_status status = pl_mesh_load(ctx, path, &mesh);
    if (status != PL_OK)
        return status;
    int64_t nodes = pl_mesh_node_count(mesh), cells = pl_mesh_element_count(mesh);
    double volume = pl_mesh_volume(mesh);
    print_reals("volume", &volume, 1);
    print_reals("positions", pl_mesh_positions(mesh), 3 * nodes);
    print_integers("cells", pl_mesh_elements(mesh), pl_element_corners(pl_mesh_kind(mesh)) * cells);
    printf("regions");
    for (int64_t i = 0; i < cells; ++i)
        printf(" %s", pl_mesh_region_name(mesh, pl_mesh_element_regions(mesh)[i]));
    printf("\n");
    for (int32_t i = 0; i < pl_mesh_attribute_count(mesh); ++i)
    {
        printf("attribute %s ", pl_mesh_attribute_name(mesh, i));
        print_reals("", pl_mesh_attribute_values(mesh, i), pl_mesh_attribute_components(mesh, i) * nodes);
    }
    pl_mesh_destroy(&mesh);
    return PL_OK;
}

static pl_status print_surface(pl_context *ctx, const char *path)
{
    pl_surface *surface;
    pl_status status = pl_surface_load(ctx, path, &surface);
    if (status != PL_OK)
        return status;
    int64_t nodes = pl_surface_node_count(surface);
    print_reals("positions", pl_surface_positions(surface), 3 * nodes);
    print_integers("cells", pl_surface_triangles(surface), 3 * (int64_t)pl_surface_triangle_count(surface));
    for (int32_t i = 0; i < pl_surface_attribute_count(surface); ++i)
    {
        printf("attribute %s ", pl_surface_attribute_name(surface, i));
        print_reals("", pl_surface_attribute_values(surface, i), pl_surface_attribute_components(surface, i) * nodes);
    }
    pl_surface_destroy(&surface);
    return PL_OK;
}

static pl_status save_mesh(pl_context *ctx, const char *from, const char *to)
{
    pl_mesh *mesh;
    pl_status status = pl_mesh_load(ctx, from, &mesh);
    if (status == PL_OK)
        status = pl_mesh_save(mesh, to, PL_FILE_BY_NAME);
    pl_mesh_destroy(&mesh);
    return status;
}

int main(int argc, char **argv)
{
    pl_context_def def = pl_context_def_default();
    pl_context *ctx;
    if (argc != 3 || pl_context_create(&def, &ctx) != PL_OK)
        return 2;
    pl_status status = strstr(argv[1], ".msh")        ? save_mesh(ctx, argv[2], argv[1])
                       : strcmp(argv[1], "mesh") == 0 ? print_mesh(ctx, argv[2])
                                                      : print_surface(ctx, argv[2]);
    if (status != PL_OK)
        fprintf(stderr, "%s\n", pl_context_error(ctx));
    pl_context_destroy(&ctx);
    return status != PL_OK;
}
