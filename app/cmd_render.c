// app/cmd_render.c -- pliant render and pliant export: a finished (or growing) run for the eye and for other programs.
#include "commands.h"
#include "files.h"
#include "frames.h"
#include "pictures.h"
#include "simulate.h"

#include <string.h>

typedef struct
{
    console con;
    session s;
    rundir d;
    int32_t first, last;
} opened_run;

static bool choose_frames(opened_run *r, const arguments *a)
{
    r->first = a->frame >= 0 ? a->frame : a->first >= 0 ? a->first : 0;
    r->last = a->frame >= 0 ? a->frame : a->last >= 0 ? a->last : r->d.last_frame;
    if (a->frame < 0 && a->last < 0 && r->s.source->file.frames < r->last)
        r->last = r->s.source->file.frames;
    if (r->first <= r->last && r->last <= r->d.last_frame)
        return true;
    char sentence[4200];
    if (r->d.last_frame < 0)
        snprintf(sentence, sizeof sentence, "%s: has no frames yet", r->d.path);
    else
        snprintf(sentence, sizeof sentence, "%s: has frames 0 to %d; frames %d to %d were asked for", r->d.path,
                 r->d.last_frame, r->first, r->last);
    console_fail(&r->con, sentence);
    return false;
}

// The scene of a run, compiled; only what pictures show may be changed.
static bool open_run(opened_run *r, const arguments *a)
{
    char path[4300];
    r->con = console_make(a->quiet, false, a->verbose);
    r->con.told = true;
    r->s = (session){0};
    r->d = (rundir){.lock = -1, .metrics = -1};
    watch_signals();
    if (!session_start(&r->s, &r->con, a) || !rundir_open(&r->d, &r->s, a->operand[0], true))
        return false;
    rundir_path(&r->d, path, sizeof path, "scene.json");
    return session_open(&r->s, path, a->set, a->set_count) && session_compile(&r->s) &&
           rundir_agrees(&r->d, AGREE_LOOK) && choose_frames(r, a);
}

static void close_run(opened_run *r)
{
    rundir_close(&r->d);
    if (r->s.ctx)
        session_end(&r->s);
}

static int outcome(bool good)
{
    if (!good && was_interrupted())
        fprintf(stderr, "interrupted\n");
    return good ? EXIT_DONE : was_interrupted() ? EXIT_INTERRUPTED : EXIT_FAILED;
}

// What is wrong with the name of a movie or of pictures, or NULL.
static const char *wrong_name(const char *path, bool many, bool is_sheet)
{
    const char *mark = strchr(path, '%');
    if (is_sheet)
        return ends_with(path, ".png") ? NULL : "a sheet is a .png";
    if (ends_with(path, ".webp") || ends_with(path, ".mp4"))
        return NULL;
    if (!ends_with(path, ".png"))
        return "pictures end in .png, movies in .webp or .mp4";
    if (many && !mark)
        return "a .png is one picture: choose it with --frame N, or put %06d into its name for one per frame";
    size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;
    if (mark && (mark[1 + digits] != 'd' || digits > 2 || strchr(mark + 1, '%')))
        return "write %06d where the number of the frame belongs, once";
    return NULL;
}

static bool draw_sheet(opened_run *r, int32_t moments, const char *path)
{
    sheet *h = sheet_create(&r->s, 1, &(sheet_moments){moments, r->first, r->last});
    bool good = h && sheet_add(h, &r->d, "") && sheet_write(h, path);
    sheet_destroy(&h);
    return good;
}

int command_render(const arguments *a)
{
    opened_run r;
    char path[4400];
    int status = EXIT_WRONG;
    if (open_run(&r, a))
    {
        const pl__file_output *output = &r.s.source->file.output;
        if (a->output)
            snprintf(path, sizeof path, "%s", a->output);
        else if (a->sheet)
            snprintf(path, sizeof path, "sheet.png");
        else if (a->frame >= 0)
            snprintf(path, sizeof path, "frame_%06d.png", a->frame);
        else
            rundir_path(&r.d, path, sizeof path, output->movie == PL__MOVIE_MP4 ? "movie.mp4" : "movie.webp");
        const char *wrong = wrong_name(path, r.first != r.last, a->sheet > 0);
        if (wrong)
        {
            char sentence[4600];
            snprintf(sentence, sizeof sentence, "%s: %s", path, wrong);
            console_fail(&r.con, sentence);
        }
        else
        {
            status = outcome(a->sheet ? draw_sheet(&r, a->sheet, path) : pictures_make(&r.d, path, r.first, r.last));
            if (status == EXIT_DONE)
                console_say(&r.con, "%s", path);
        }
    }
    close_run(&r);
    return status;
}

// The formats that "vtu,usd" asks for, as bits.
static bool read_formats(session *s, const char *list, uint32_t *formats)
{
    *formats = 0;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    {
        char name[32];
        pl_export_format format;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (pl_export_format_find(s->ctx, name, &format) != PL_OK)
            return session_fail(s);
        *formats |= 1u << format;
    }
    return true;
}

static bool export_one(opened_run *r, pl_export_format format, const char *directory)
{
    char path[4400];
    if (directory)
        snprintf(path, sizeof path, "%s", directory);
    else
        rundir_path(&r->d, path, sizeof path, "export/%s", pl_export_format_name((int32_t)format));
    if (!frames_export(&r->d, format, path, r->first, r->last))
        return false;
    console_say(&r->con, "%s", path);
    return true;
}

int command_export(const arguments *a)
{
    opened_run r;
    int status = EXIT_WRONG;
    if (!a->to)
    {
        fprintf(stderr, "pliant export: choose a format with --to: ply, vtu, pc2, usd, glb, npy or obj\n");
        return EXIT_WRONG;
    }
    uint32_t formats;
    if (open_run(&r, a) && read_formats(&r.s, a->to, &formats))
    {
        bool good = true;
        for (int32_t i = 0; good && pl_export_format_name(i); ++i)
            good = !(formats >> i & 1) || export_one(&r, (pl_export_format)i, a->output);
        status = outcome(good);
    }
    close_run(&r);
    return status;
}
