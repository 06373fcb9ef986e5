// src/io/pc2.c -- point caches, .pc2.
//
//     char[12] "POINTCACHE2"     int32 version, 1; points; float32 first frame, frames from sample to sample; int32 samples
//     float32 [samples][points][3]
//
// Little-endian, and nothing else.
#include "io/pc2.h"
#include "io/scan.h"

#include <string.h>

static pl_status read_head(pl__scan *s, pl__point_cache *cache)
{
    const char *magic;
    int32_t version = 0;
    PL_TRY(pl__scan_bytes(s, "the mark POINTCACHE2", 12, &magic));
    if (memcmp(magic, "POINTCACHE2", 12) != 0)
        return pl__scan_fail(s, "there is no POINTCACHE2, so this is not a .pc2 file");
    PL_TRY(pl__scan_i32(s, "the version", &version));
    if (version != 1)
        return pl__scan_fail(s, "the version is %d, but must be 1", version);
    PL_TRY(pl__scan_i32(s, "the number of points", &cache->point_count));
    if (cache->point_count < 1)
        return pl__scan_fail(s, "the number of points is %d, but must be at least 1", cache->point_count);
    PL_TRY(pl__scan_finite(s, PL__F32, "the first frame", &cache->start));
    PL_TRY(pl__scan_finite(s, PL__F32, "the sample rate", &cache->rate));
    PL_TRY(pl__scan_i32(s, "the number of samples", &cache->sample_count));
    if (cache->sample_count < 0)
        return pl__scan_fail(s, "the number of samples is %d, but must not be negative", cache->sample_count);
    return PL_OK;
}

static size_t number_count(const pl__point_cache *cache)
{
    return 3 * (size_t)cache->point_count * (size_t)cache->sample_count;
}

static pl_status read_positions(pl__scan *s, pl__point_cache *cache)
{
    size_t count = number_count(cache);
    s->place = s->at;
    if (count / 3 > pl__scan_left(s) / 12 || pl__scan_left(s) != 4 * count)
        return pl__scan_fail(s, "says %d samples of %d points, of 12 bytes each, but %zu bytes follow",
                             cache->sample_count, cache->point_count, pl__scan_left(s));
    cache->position = PL_NEW(s->ctx, count, double);
    if (!cache->position)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i)
        PL_TRY(pl__scan_finite(s, PL__F32, "a coordinate", &cache->position[i]));
    return PL_OK;
}

pl_status pl__pc2_read(pl_context *ctx, const char *name, const void *data, size_t size, pl__point_cache *cache)
{
    *cache = (pl__point_cache){0};
    pl__scan s = pl__scan_start_binary(ctx, name, data, size);
    pl__scan_set_order(&s, false);
    pl_status status = read_head(&s, cache);
    if (status == PL_OK)
        status = read_positions(&s, cache);
    if (status != PL_OK)
        pl__point_cache_free(ctx, cache);
    return status;
}

void pl__point_cache_free(pl_context *ctx, pl__point_cache *cache)
{
    PL_DELETE(ctx, cache->position, number_count(cache));
    *cache = (pl__point_cache){0};
}
