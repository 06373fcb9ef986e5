// app/render/font.c -- text on pictures, in a stroke font of our own.
//
// A glyph is a string of strokes on a grid whose capitals are ten units high. A stroke starts with its kind,
//
//     -  straight lines through its points         ~  a smooth curve along them, from the first to the last
//     .  a dot                                     o  a smooth closed curve
//
// and goes on with points: two characters each, x and y, digits of base 36. The baseline is y = 4, small letters reach
// y = 11 (b), capitals y = 14 (e), descenders y = 1. Curves are quadratic B-splines of their points, so four corners of
// a box make a round letter. A pixel is inked by its distance to the nearest stroke: antialiased at any size and
// direction.
#include "image.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double cap_units = 10, baseline_unit = 4, gap_units = 2.4, pen_units = 0.62;

// clang-format off
static const char *const glyphs[95] = {
    /*   */ "", /* ! */ "-0e07 .04", /* " */ "-0e0b -2e2b", /* # */ "-142e -445e -0868 -0b6b",
    /* $ */ "~6c6e0e0969640406 -3f33", /* % */ "o0e3e3a0a o48787444 -6e14", /* & */ "~640c0e4e4b08045468", /* ' */ "-0e0b",
    /* ( */ "~2f0c0623", /* ) */ "~0f2c2603", /* * */ "-0d4b -0b4d -2e2a", /* + */ "-0868 -3b35",
    /* , */ "-1502", /* - */ "-0848", /* . */ ".04", /* / */ "-034f",
    /* 0 */ "o0e6e6404", /* 1 */ "-1c3e34", /* 2 */ "~0b0e6e6a04 -0464", /* 3 */ "~0c0e5e5929 ~2969640406",
    /* 4 */ "-545e0767", /* 5 */ "-5e0e09 ~090a6a640406", /* 6 */ "~5e0d07 o0a6a6404", /* 7 */ "-0e6e24",
    /* 8 */ "o1e5e5919 o09696404", /* 9 */ "o0e6e6808 ~6b6514", /* : */ ".0a .04", /* ; */ ".1a -1502",
    /* < */ "-5b0855", /* = */ "-0a5a -0656", /* > */ "-0b5805", /* ? */ "~0c0e5e5a2a27 .24",
    /* @ */ "~82020e9e96666b o3b6b6636", /* A */ "-043e64 -1757", /* B */ "-2e0e0424 -0929 ~2e5e5929 ~29696424",
    /* C */ "~6b6e0e046467", /* D */ "-2e0e0424 ~2e6e6424", /* E */ "-5e0e0454 -0949", /* F */ "-5e0e04 -0949",
    /* G */ "~6b6e0e046469 -6939", /* H */ "-040e -646e -0969", /* I */ "-040e", /* J */ "~4e48440407",
    /* K */ "-040e -6e08 -2a64", /* L */ "-0e0454", /* M */ "-040e478e84", /* N */ "-040e646e",
    /* O */ "o0e7e7404", /* P */ "-040e2e ~2e6e6828 -2808", /* Q */ "o0e7e7404 -4773", /* R */ "-040e2e ~2e6e6828 -2808 -3864",
    /* S */ "~6c6e0e0969640406", /* T */ "-0e6e -343e", /* U */ "~0e090464696e", /* V */ "-0e346e",
    /* W */ "-0e244d648e", /* X */ "-0e64 -6e04", /* Y */ "-0e396e -3934", /* Z */ "-0e6e0464",
    /* [ */ "-2f0f0323", /* \ */ "-0f43", /* ] */ "-0f2f2303", /* ^ */ "-0b2e4b",
    /* _ */ "-0252", /* ` */ "-0e2c", /* a */ "~0a0b5b5854 ~5808045457", /* b */ "-0e04 o0b5b5404",
    /* c */ "~595b0b045456", /* d */ "-5e54 o0b5b5404", /* e */ "-0858 ~585b0b045456", /* f */ "~4e1e1a14 -0b3b",
    /* g */ "o0b5b5404 ~5b54510102", /* h */ "-0e04 ~080b5b5854", /* i */ "-0b04 .0e", /* j */ "~2b242101 .2e",
    /* k */ "-0e04 -4b07 -1854", /* l */ "-0e04", /* m */ "-0b04 ~080b4b4844 ~484b8b8884", /* n */ "-0b04 ~080b5b5854",
    /* o */ "o0b5b5404", /* p */ "-0b01 o0b5b5404", /* q */ "-5b51 o0b5b5404", /* r */ "-0b04 ~080b3b",
    /* s */ "~4a4b0b0847440405", /* t */ "~1d171434 -0b3b", /* u */ "-5b54 ~0b07045457", /* v */ "-0b244b",
    /* w */ "-0b244b648b", /* x */ "-0b54 -5b04", /* y */ "-0b24 -4b11", /* z */ "-0b5b0454",
    /* { */ "~3f1f1909 ~09191333", /* | */ "-0f03", /* } */ "~0f2f2939 ~39292303", /* ~ */ "~072a4669",
};
// clang-format on

typedef struct point
{
    double x, y;
} point;

enum
{
    POINTS_MAX = 16, // of a stroke
    PIECES = 6,      // of a curve between two joints
    SEGMENTS_MAX = 128
};

// The strokes of a glyph as short straight lines, in units.
typedef struct outline
{
    int count;
    point from[SEGMENTS_MAX], to[SEGMENTS_MAX];
    double pen[SEGMENTS_MAX];
} outline;

// ---- from strings to lines ---------------------------------------------------------------------------------------

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static const char *glyph_of(unsigned char c) { return glyphs[c >= 32 && c <= 126 ? c - 32 : '?' - 32]; }

static point middle(point a, point b) { return (point){0.5 * (a.x + b.x), 0.5 * (a.y + b.y)}; }

static void add_line(outline *o, point a, point b, double pen)
{
    if (o->count == SEGMENTS_MAX)
        return;
    o->from[o->count] = a;
    o->to[o->count] = b;
    o->pen[o->count++] = pen;
}

static void add_parabola(outline *o, point a, point control, point b)
{
    point last = a;
    for (int i = 1; i <= PIECES; ++i)
    {
        double t = (double)i / PIECES, u = 1 - t;
        point next = {u * u * a.x + 2 * u * t * control.x + t * t * b.x,
                      u * u * a.y + 2 * u * t * control.y + t * t * b.y};
        add_line(o, last, next, pen_units);
        last = next;
    }
}

// A quadratic B-spline is a parabola per inner control point, joined half way between them.
static void add_curve(outline *o, const point *p, int count, bool closed)
{
    for (int i = closed ? 0 : 1; i < (closed ? count : count - 1); ++i)
    {
        point before = p[(i + count - 1) % count], after = p[(i + 1) % count];
        point start = !closed && i == 1 ? before : middle(before, p[i]);
        point end = !closed && i == count - 2 ? after : middle(p[i], after);
        add_parabola(o, start, p[i], end);
    }
}

static void add_stroke(outline *o, char kind, const point *p, int count)
{
    if (kind == '.')
        add_line(o, p[0], p[0], 1.35 * pen_units);
    else if (kind == '-')
        for (int i = 1; i < count; ++i)
            add_line(o, p[i - 1], p[i], pen_units);
    else
        add_curve(o, p, count, kind == 'o');
}

static void trace_glyph(const char *glyph, outline *o)
{
    o->count = 0;
    while (*glyph)
    {
        char kind = *glyph++;
        point p[POINTS_MAX];
        int count = 0;
        for (; *glyph && *glyph != ' '; glyph += 2)
            if (count < POINTS_MAX)
                p[count++] = (point){digit(glyph[0]), digit(glyph[1]) - baseline_unit};
        add_stroke(o, kind, p, count);
        glyph += *glyph == ' ';
    }
}

// ---- lines of text -----------------------------------------------------------------------------------------------

// Figures are all equally wide, so that numbers stand still when they change.
static double glyph_width(unsigned char c)
{
    if (c == ' ')
        return 2.2;
    if (c >= '0' && c <= '9')
        return 6;
    int widest = 0;
    for (const char *g = glyph_of(c); *g; g += *g == ' ')
        for (++g; *g && *g != ' '; g += 2)
            widest = digit(g[0]) > widest ? digit(g[0]) : widest;
    return widest;
}

// The next character of UTF-8 text; all that ASCII lacks is one "?".
static unsigned char next_character(const char **text)
{
    unsigned char c = (unsigned char)*(*text)++;
    if (c < 128)
        return c;
    while (((unsigned char)**text & 0xc0) == 0x80)
        ++*text;
    return '?';
}

double image_text_width(const image_font *font, const char *text)
{
    double units = 0;
    while (*text)
        units += glyph_width(next_character(&text)) + gap_units;
    return units > 0 ? (units - gap_units) * font->size / cap_units : 0;
}

// ---- ink ---------------------------------------------------------------------------------------------------------

// How far outside of the stroke, in units; negative inside.
static double distance_to_line(const outline *o, int i, point q)
{
    point a = o->from[i], d = {o->to[i].x - a.x, o->to[i].y - a.y};
    double along = (q.x - a.x) * d.x + (q.y - a.y) * d.y, length2 = d.x * d.x + d.y * d.y;
    double t = length2 > 0 ? fmin(fmax(along / length2, 0), 1) : 0;
    return hypot(q.x - a.x - t * d.x, q.y - a.y - t * d.y) - o->pen[i];
}

static double distance_to_outline(const outline *o, point q)
{
    double nearest = HUGE_VAL;
    for (int i = 0; i < o->count; ++i)
        nearest = fmin(nearest, distance_to_line(o, i, q));
    return nearest;
}

static void blend(image *im, int32_t x, int32_t y, const uint8_t color[3], double amount)
{
    uint8_t *pixel = im->rgb + 3 * ((size_t)y * (size_t)im->width + (size_t)x);
    for (int k = 0; k < 3; ++k)
        pixel[k] = (uint8_t)lrint(pixel[k] + amount * (color[k] - pixel[k]));
}

// Pixels from first to last that the interval [low, high] touches, inside [0, count).
static void clip(double low, double high, int32_t count, int32_t *first, int32_t *last)
{
    *first = (int32_t)fmin(fmax(floor(low), 0), count);
    *last = (int32_t)fmin(fmax(ceil(high), -1), count - 1);
}

// A glyph with the left end of its baseline at (x, y); `scale` pixels are a unit.
static void draw_glyph(image *im, const image_font *font, const outline *o, double width, point at, double scale)
{
    point across = font->upward ? (point){0, -1} : (point){1, 0},
          above = font->upward ? (point){-1, 0} : (point){0, -1};
    double box[2][2] = {{-1.5, width + 1.5}, {-5, 12.5}}; // in units, with room for the pen
    double x[2], y[2];
    for (int i = 0; i < 2; ++i)
    {
        x[i] = at.x + scale * (across.x * box[0][i] + above.x * box[1][i]);
        y[i] = at.y + scale * (across.y * box[0][i] + above.y * box[1][i]);
    }
    int32_t left, right, top, bottom;
    clip(fmin(x[0], x[1]), fmax(x[0], x[1]), im->width, &left, &right);
    clip(fmin(y[0], y[1]), fmax(y[0], y[1]), im->height, &top, &bottom);
    for (int32_t py = top; py <= bottom; ++py)
        for (int32_t px = left; px <= right; ++px)
        {
            point d = {(px + 0.5 - at.x) / scale, (py + 0.5 - at.y) / scale};
            point q = {d.x * across.x + d.y * across.y, d.x * above.x + d.y * above.y};
            double ink = 0.5 - scale * distance_to_outline(o, q);
            if (ink > 0)
                blend(im, px, py, font->color, fmin(ink, 1));
        }
}

void image_text(image *im, const image_font *font, double x, double y, const char *text)
{
    if (!(font->size > 0.5 && font->size < IMAGE_SIZE_MAX) || !isfinite(x) || !isfinite(y))
        return;
    double scale = font->size / cap_units, width = image_text_width(font, text);
    double pen = font->align == IMAGE_ALIGN_LEFT ? 0 : font->align == IMAGE_ALIGN_CENTER ? -0.5 * width : -width;
    while (*text)
    {
        unsigned char c = next_character(&text);
        outline o;
        trace_glyph(glyph_of(c), &o);
        point at = font->upward ? (point){x, y - pen} : (point){x + pen, y};
        draw_glyph(im, font, &o, glyph_width(c), at, scale);
        pen += scale * (glyph_width(c) + gap_units);
    }
}
