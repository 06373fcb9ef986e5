// app/finish.c -- movie and exports at the end of a run.
#include "finish.h"
#include "files.h"
#include "frames.h"
#include "pictures.h"
#include "simulate.h"

static int failed_or_interrupted(const rundir *d)
{
    if (!was_interrupted())
        return EXIT_FAILED;
    char again[4400];
    rundir_resume_command(d, again, sizeof again);
    console_end_line(d->s->con);
    fprintf(stderr, "interrupted while drawing; the frames are all there; go on with: %s\n", again);
    return EXIT_INTERRUPTED;
}

static bool export_all(rundir *d, int32_t last)
{
    char path[4400];
    uint32_t formats = d->s->source->file.output.formats;
    for (int32_t i = 0; pl_export_format_name(i); ++i)
    {
        if (!(formats >> i & 1))
            continue;
        rundir_path(d, path, sizeof path, "export/%s", pl_export_format_name(i));
        if (!frames_export(d, (pl_export_format)i, path, 0, last))
            return false;
        console_say(d->s->con, "%s", path);
    }
    return true;
}

// A movie that was made after the last frame and the last change of the scene; a run that is resumed keeps it.
static bool is_up_to_date(const rundir *d, const char *movie, int32_t last)
{
    char scene[4400], state[4400];
    rundir_path(d, scene, sizeof scene, "scene.json");
    rundir_path(d, state, sizeof state, "frames/%06d.state", last);
    return is_newer(movie, scene) && is_newer(movie, state);
}

int finish_run(rundir *d)
{
    const pl__scene_file *file = &d->s->source->file;
    int32_t last = file->frames < d->last_frame ? file->frames : d->last_frame;
    char path[4400];
    if (file->output.movie != PL__MOVIE_NONE && !pictures_available())
        console_say(
            d->s->con,
            "no movie: this pliant was built without pictures (libembree-dev libpng-dev libwebp-dev pkg-config)");
    else if (file->output.movie != PL__MOVIE_NONE)
    {
        rundir_path(d, path, sizeof path, file->output.movie == PL__MOVIE_MP4 ? "movie.mp4" : "movie.webp");
        bool there = is_up_to_date(d, path, last);
        if (!there && !pictures_make(d, path, 0, last))
            return failed_or_interrupted(d);
        console_say(d->s->con, there ? "%s is up to date" : "%s", path);
    }
    return export_all(d, last) ? EXIT_DONE : failed_or_interrupted(d);
}
