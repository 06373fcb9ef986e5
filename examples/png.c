// examples/png.c -- PNG files and animated ones, with a deflate of our own.
//
// Deflate (RFC 1951) with its fixed code: repeats are found through a table of the last place where the same three bytes
// stood. Each row is predicted from its neighbours (the Paeth filter), which turns smooth shading into small numbers and
// flat areas into zeros, so that repeats are long. A real zlib would do a third better.
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
    uint8_t *data;
    size_t size, capacity;
    uint64_t bits; // not yet written, the first in the lowest place
    int32_t bit_count;
    bool failed;
} buffer;

static void put(buffer *b, const void *data, size_t size)
{
    if (b->size + size > b->capacity)
    {
        size_t capacity = 2 * b->capacity + size + 4096;
        uint8_t *grown = realloc(b->data, capacity);
        b->failed |= !grown;
        if (!grown)
            return;
        b->data = grown;
        b->capacity = capacity;
    }
    memcpy(&b->data[b->size], data, size);
    b->size += size;
}

static void put_byte(buffer *b, uint32_t byte) { put(b, &(uint8_t){(uint8_t)byte}, 1); }

static void put_big(buffer *b, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        put_byte(b, value >> shift & 255);
}

// ---- deflate -------------------------------------------------------------------------------------------------------

static void put_bits(buffer *b, uint32_t value, int32_t count)
{
    b->bits |= (uint64_t)value << b->bit_count;
    b->bit_count += count;
    for (; b->bit_count >= 8; b->bit_count -= 8, b->bits >>= 8)
        put_byte(b, b->bits & 255);
}

// Huffman codes go out from their highest bit on.
static void put_code(buffer *b, uint32_t code, int32_t length)
{
    uint32_t turned = 0;
    for (int32_t i = 0; i < length; ++i)
        turned |= (code >> i & 1) << (length - 1 - i);
    put_bits(b, turned, length);
}

static void put_symbol(buffer *b, uint32_t s)
{
    if (s < 144)
        put_code(b, 0x30 + s, 8);
    else if (s < 256)
        put_code(b, 0x190 + s - 144, 9);
    else if (s < 280)
        put_code(b, s - 256, 7);
    else
        put_code(b, 0xc0 + s - 280, 8);
}

// The ranges of lengths and distances: `groups` of equal range per extra bit after the first `plain` values.
static void put_repeat(buffer *b, uint32_t length, uint32_t distance)
{
    if (length == 258)
        put_symbol(b, 285);
    else
    {
        uint32_t base = 3, symbol = 257, extra = 0;
        while (length >= base + (1u << extra))
        {
            base += 1u << extra;
            ++symbol;
            extra = symbol < 265 ? 0 : (symbol - 261) / 4;
        }
        put_symbol(b, symbol);
        put_bits(b, length - base, (int32_t)extra);
    }
    uint32_t base = 1, symbol = 0, extra = 0;
    while (distance >= base + (1u << extra))
    {
        base += 1u << extra;
        ++symbol;
        extra = symbol < 4 ? 0 : (symbol - 2) / 2;
    }
    put_code(b, symbol, 5);
    put_bits(b, distance - base, (int32_t)extra);
}

static uint32_t hash3(const uint8_t *p) { return ((uint32_t)p[0] << 16 ^ (uint32_t)p[1] << 8 ^ p[2]) * 2654435761u >> 17; }

static void deflate_all(buffer *b, const uint8_t *data, size_t size)
{
    static const size_t window = 32768, longest = 258;
    size_t last[1 << 15];
    memset(last, 0xff, sizeof last);
    put_bits(b, 1, 1); // the last block
    put_bits(b, 1, 2); // with the fixed code
    for (size_t i = 0; i < size;)
    {
        size_t length = 0, from = 0;
        if (i + 3 <= size)
        {
            uint32_t h = hash3(&data[i]);
            from = last[h];
            last[h] = i;
            if (from < i && i - from <= window)
                while (length < longest && i + length < size && data[from + length] == data[i + length])
                    ++length;
        }
        if (length >= 4)
            put_repeat(b, (uint32_t)length, (uint32_t)(i - from));
        else
            put_symbol(b, data[i]);
        i += length >= 4 ? length : 1;
    }
    put_symbol(b, 256);
    if (b->bit_count)
        put_bits(b, 0, 8 - b->bit_count);
}

static uint32_t adler(const uint8_t *data, size_t size)
{
    uint32_t a = 1, s = 0;
    for (size_t i = 0; i < size; ++i)
    {
        a = (a + data[i]) % 65521;
        s = (s + a) % 65521;
    }
    return s << 16 | a;
}

// ---- PNG -----------------------------------------------------------------------------------------------------------

static uint32_t crc(const uint8_t *data, size_t size)
{
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < size; ++i)
    {
        c ^= data[i];
        for (int k = 0; k < 8; ++k)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
    }
    return ~c;
}

static void put_chunk(buffer *b, const char *name, const buffer *content)
{
    put_big(b, (uint32_t)content->size);
    size_t start = b->size;
    put(b, name, 4);
    if (content->size)
        put(b, content->data, content->size);
    if (!b->failed)
        put_big(b, crc(&b->data[start], b->size - start));
}

static int32_t paeth(int32_t left, int32_t above, int32_t corner)
{
    int32_t p = left + above - corner, a = abs(p - left), b = abs(p - above), c = abs(p - corner);
    return a <= b && a <= c ? left : b <= c ? above : corner;
}

// The picture as a zlib stream of filtered rows.
static void put_pixels(buffer *b, const picture *p)
{
    size_t row = 3 * (size_t)p->width, size = (row + 1) * (size_t)p->height;
    uint8_t *filtered = malloc(size);
    b->failed |= !filtered;
    if (!filtered)
        return;
    for (size_t y = 0; y < (size_t)p->height; ++y)
    {
        const uint8_t *here = &p->rgb[y * row], *above = y ? here - row : NULL;
        uint8_t *out = &filtered[y * (row + 1)];
        *out++ = 4; // Paeth
        for (size_t i = 0; i < row; ++i)
            out[i] = (uint8_t)(here[i] - paeth(i >= 3 ? here[i - 3] : 0, above ? above[i] : 0, above && i >= 3 ? above[i - 3] : 0));
    }
    put_byte(b, 0x78);
    put_byte(b, 0x01);
    deflate_all(b, filtered, size);
    put_big(b, adler(filtered, size));
    free(filtered);
}

static void put_header(buffer *out, const picture *p, int32_t count)
{
    put(out, "\x89PNG\r\n\x1a\n", 8);
    buffer content = {0};
    put_big(&content, (uint32_t)p->width);
    put_big(&content, (uint32_t)p->height);
    put(&content, "\x08\x02\0\0\0", 5); // 8 bits of red, green, blue
    put_chunk(out, "IHDR", &content);
    content.size = 0;
    put_big(&content, (uint32_t)count);
    put_big(&content, 0); // for ever
    if (count > 1)
        put_chunk(out, "acTL", &content);
    out->failed |= content.failed;
    free(content.data);
}

static void put_frame_control(buffer *out, const picture *p, uint32_t sequence, int32_t rate)
{
    buffer content = {0};
    uint32_t words[] = {sequence, (uint32_t)p->width, (uint32_t)p->height, 0, 0, 1u << 16 | (uint32_t)rate};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        put_big(&content, words[i]);
    put(&content, "\0\0", 2); // replaces the frame before
    put_chunk(out, "fcTL", &content);
    out->failed |= content.failed;
    free(content.data);
}

static void put_frames(buffer *out, const picture *p, int32_t count, int32_t rate)
{
    uint32_t sequence = 0;
    for (int32_t i = 0; i < count; ++i)
    {
        buffer pixels = {0};
        if (count > 1)
            put_frame_control(out, &p[i], sequence++, rate);
        if (i > 0)
            put_big(&pixels, sequence++);
        put_pixels(&pixels, &p[i]);
        put_chunk(out, i ? "fdAT" : "IDAT", &pixels);
        out->failed |= pixels.failed;
        free(pixels.data);
    }
    put_chunk(out, "IEND", &(buffer){0});
}

bool picture_write(const char *path, const picture *pictures, int32_t count, int32_t frames_per_second)
{
    buffer out = {0};
    put_header(&out, &pictures[0], count);
    put_frames(&out, pictures, count, frames_per_second);
    FILE *file = out.failed ? NULL : fopen(path, "wb");
    bool fine = file && fwrite(out.data, 1, out.size, file) == out.size;
    fine = file && fclose(file) == 0 && fine;
    free(out.data);
    return fine;
}
