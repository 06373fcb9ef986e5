// src/io/export_tracks.c -- writes many files in parallel, one frame at a time.
//
// A file with all frames of a body, or of a field of it, needs the frames in order; a scene has many such files. One
// pass over the frames per file would read each frame as often as there are files; one pass with all files open runs
// out of descriptors. So: one pass for every 64 files. Nothing is renamed before all files of a pass are complete.
#include "io/export.h"

enum
{
    BATCH = 64
};

typedef struct batch
{
    const pl__export_tracks *tracks;
    pl__writer *writer; // [BATCH]
    int32_t first, count;
} batch;

static void discard(batch *b)
{
    for (int32_t i = 0; i < b->count; ++i)
        pl__writer_discard(&b->writer[i]);
    b->count = 0;
}

static pl_status open_files(pl__export *e, batch *b, int32_t wanted)
{
    for (b->count = 0; b->count < wanted; b->count++)
    {
        char name[PL__EXPORT_PATH];
        b->tracks->file_name(b->tracks->user, b->first + b->count, name, sizeof name);
        PL_TRY(pl__export_open(e, &b->writer[b->count], "%s", name));
    }
    return PL_OK;
}

static pl_status write_frames(pl__export *e, batch *b)
{
    for (int32_t f = 0; f < e->source->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(e, f, &frame));
        for (int32_t i = 0; i < b->count; ++i)
            b->tracks->write(b->tracks->user, b->first + i, &b->writer[i], frame, f);
    }
    for (int32_t i = 0; i < b->count; ++i)
        PL_TRY(pl__writer_finish(&b->writer[i]));
    return PL_OK;
}

static pl_status commit(batch *b)
{
    while (b->count > 0)
        PL_TRY(pl__writer_commit(&b->writer[--b->count]));
    return PL_OK;
}

static pl_status write_batch(pl__export *e, batch *b)
{
    int32_t left = b->tracks->count - b->first;
    pl_status status = open_files(e, b, left < BATCH ? left : BATCH);
    if (status == PL_OK)
        status = write_frames(e, b);
    if (status == PL_OK)
        status = commit(b);
    discard(b);
    return status;
}

pl_status pl__export_write_tracks(pl__export *e, const pl__export_tracks *tracks)
{
    batch b = {.tracks = tracks, .writer = PL_NEW(e->ctx, BATCH, pl__writer)};
    pl_status status = b.writer ? PL_OK : PL_ERR_MEMORY;
    for (; status == PL_OK && b.first < tracks->count; b.first += BATCH)
        status = write_batch(e, &b);
    PL_DELETE(e->ctx, b.writer, BATCH);
    return status;
}
