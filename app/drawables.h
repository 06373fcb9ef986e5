// app/drawables.h -- everything of a world that has a surface, with what the scene file says about its looks.
//
// Pictures, exports and the live page walk this list, and nothing else, to find what there is besides objects.
#ifndef APP_DRAWABLES_H
#define APP_DRAWABLES_H

#include "session.h"

typedef struct drawable
{
    pl_drawable d;
    int32_t index; // in the list
    int32_t file;  // body of the scene file, or -1
    bool visible;
    bool cells;            // its boundary is that of hexahedra: drawn with the edges of their faces
    bool thin;             // it is a shell or planar
    double color[3];       // sRGB
    double inside[3];      // of what cracks laid open
    const int32_t *source; // [triangle_count] negative for what a crack laid open; NULL: none can be
} drawable;

int32_t drawable_count(const session *s);
// Says what is wrong and returns false.
bool drawable_at(session *s, int32_t i, drawable *out);
// Speeds of its vertices [m/s]; or a field by its name, zero where it has none. False when out of memory.
bool drawable_speeds(session *s, const drawable *d, float *values);
bool drawable_field(session *s, const drawable *d, const char *field, float *values);
// Vertices, velocities and normals as floats, 3 each, any of which may be NULL.
bool drawable_floats(session *s, const drawable *d, float *vertices, float *normals);
// The domain of the liquids; false, and unchanged: there are none.
bool drawable_domain(const session *s, double lower[3], double upper[3]);
// Extend a box by that, which frames them whatever they do in it.
void drawable_extend_by_domain(const session *s, double lower[3], double upper[3]);

#endif
