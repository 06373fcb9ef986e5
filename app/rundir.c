// app/rundir.c -- a run on disk: made, locked, described, and found again after whatever happened to it.
#include "rundir.h"
#include "base/hash.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const contents[] = {"run.json", "scene.json", "metrics.jsonl", "frames", "checkpoint", "inputs", "log.txt",
                                       "movie.webp", "movie.mp4", "pictures", "export", "metrics.svg", NULL};

void rundir_path(const rundir *d, char *path, size_t size, const char *format, ...)
{
    va_list list;
    size_t used = (size_t)snprintf(path, size, "%s/", d->path);
    va_start(list, format);
    if (used < size)
        vsnprintf(path + used, size - used, format, list);
    va_end(list);
}

bool is_run(const char *path)
{
    char name[4096];
    return (size_t)snprintf(name, sizeof name, "%s/run.json", path) < sizeof name && file_exists(name);
}

static bool fail(rundir *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(rundir *d, const char *format, ...)
{
    char sentence[4600];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    console_fail(d->s->con, sentence);
    return false;
}

static bool ok(rundir *d, pl_status status) { return status == PL_OK || session_fail(d->s); }

// ---- making and locking ----------------------------------------------------------------------------------------

static bool lock(rundir *d)
{
    d->lock = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->lock < 0)
        return fail(d, "%s: %s", d->path, strerror(errno));
    if (flock(d->lock, LOCK_EX | LOCK_NB) != 0)
        return fail(d, "%s: another run is at work in it; wait for it or choose another with -o", d->path);
    return true;
}

static bool foreign(const char *name)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strstr(name, ".tmp"))
        return false;
    for (const char *const *known = contents; *known; ++known)
        if (strcmp(name, *known) == 0)
            return false;
    return true;
}

// The first thing in a directory that no run has put there, or "".
static void find_foreign(const char *path, char name[256])
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    name[0] = 0;
    while (directory && !name[0] && (entry = readdir(directory)))
        if (foreign(entry->d_name))
            snprintf(name, 256, "%s", entry->d_name);
    if (directory)
        closedir(directory);
}

// The names of a run, the one that makes it a run first.
static void remove_run(rundir *d)
{
    char path[4400];
    for (const char *const *name = contents; *name; ++name)
    {
        rundir_path(d, path, sizeof path, "%s", *name);
        remove_tree(path);
    }
}

static bool make_parts(rundir *d)
{
    static const char *const parts[] = {"frames", "checkpoint", NULL};
    for (const char *const *part = parts; *part; ++part)
    {
        char path[4400];
        rundir_path(d, path, sizeof path, "%s", *part);
        int error = make_directories(path);
        if (error)
            return fail(d, "%s: %s", path, strerror(error));
    }
    return true;
}

static bool start(rundir *d, session *s, const char *path)
{
    *d = (rundir){.s = s, .lock = -1, .metrics = -1, .last_frame = -1};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= sizeof d->path)
        return fail(d, "%.100s...: the path is too long", path);
    memcpy(d->path, path, length);
    return true;
}

bool rundir_create(rundir *d, session *s, const char *path, bool force)
{
    char stranger[256];
    if (!start(d, s, path))
        return false;
    int error = make_directories(d->path);
    if (error)
        return fail(d, "%s: %s", d->path, strerror(error));
    if (!lock(d))
        return false;
    if (is_run(d->path) && !force)
        return fail(d, "%s: holds a run already; --resume goes on with it, --force begins anew, -o chooses another directory", d->path);
    find_foreign(d->path, stranger);
    if (stranger[0] && !is_run(d->path))
        return fail(d, "%s: holds other things (%s); choose an empty or a new directory with -o", d->path, stranger);
    remove_run(d);
    return make_parts(d);
}

// The last frame of an unbroken row.
static int32_t last_in_row(const rundir *d)
{
    int32_t frame = -1;
    char path[4400];
    do
        rundir_path(d, path, sizeof path, "frames/%06d.state", ++frame);
    while (file_exists(path));
    return frame - 1;
}

bool rundir_open(rundir *d, session *s, const char *path, bool read_only)
{
    if (!start(d, s, path))
        return false;
    if (!is_directory(d->path))
        return fail(d, "%s: is not the directory of a run%s", d->path, file_exists(d->path) ? "" : "; there is nothing of that name");
    if (!is_run(d->path))
        return fail(d, "%s: is not the directory of a run (it has no run.json)", d->path);
    if (!read_only && (!lock(d) || !make_parts(d)))
        return false;
    d->last_frame = last_in_row(d);
    return true;
}

void rundir_close(rundir *d)
{
    if (d->metrics >= 0)
        close(d->metrics);
    if (d->lock >= 0)
        close(d->lock);
    d->metrics = d->lock = -1;
    if (d->s && d->s->con->log)
    {
        fclose(d->s->con->log);
        d->s->con->log = NULL;
    }
}

// ---- description -----------------------------------------------------------------------------------------------

static bool copy_file(rundir *d, const char *from, const char *to)
{
    size_t size;
    char *data = read_whole(from, &size);
    if (!data)
        return fail(d, "%s: %s", from, strerror(errno));
    pl_status status = write_whole(d->s->ctx, to, data, size);
    free(data);
    return ok(d, status);
}

// Where an input is copied to, relative to the run: inputs/NAME, or inputs/K/NAME when that is taken.
static void copy_name(const pl__source *source, size_t k, char *name, size_t size)
{
    const char *base = base_name(source->input[k].path);
    size_t owner = k;
    while (owner > 0 && !source->input[owner].json)
        owner--; // the second file of a pair goes with the first
    bool taken = false;
    for (size_t i = 0; i < owner; ++i)
        taken |= strcmp(base_name(source->input[i].path), base_name(source->input[owner].path)) == 0;
    if (taken)
        snprintf(name, size, "inputs/%zu/%s", owner, base);
    else
        snprintf(name, size, "inputs/%s", base);
}

static bool copy_inputs(rundir *d)
{
    const pl__source *source = d->s->source;
    for (size_t k = 0; k < source->input_count; ++k)
    {
        char name[600], path[4700];
        copy_name(source, k, name, sizeof name);
        rundir_path(d, path, sizeof path, "%s", name);
        *strrchr(path, '/') = 0;
        int error = make_directories(path);
        if (error)
            return fail(d, "%s: %s", path, strerror(error));
        rundir_path(d, path, sizeof path, "%s", name);
        if (!copy_file(d, source->input[k].path, path))
            return false;
    }
    return true;
}

static bool write_json(rundir *d, const char *name, const pl__json *root)
{
    char path[4400];
    pl__writer w;
    rundir_path(d, path, sizeof path, "%s", name);
    if (!ok(d, pl__writer_open(&w, d->s->ctx, path)))
        return false;
    pl__json_write(&w, root, 0);
    pl__write_text(&w, "\n");
    return ok(d, pl__writer_commit(&w));
}

// scene.json names the copies; the tree in memory keeps the names as written.
static bool write_scene(rundir *d)
{
    pl__source *source = d->s->source;
    for (size_t k = 0; k < source->input_count; ++k)
    {
        char name[600];
        copy_name(source, k, name, sizeof name);
        if (source->input[k].json && !(source->input[k].json->text = pl__json_keep(&source->doc, name)))
            return fail(d, "out of memory");
    }
    return write_json(d, "scene.json", source->doc.root);
}

static void describe(rundir *d, text *t, const char *parent, int32_t parent_frame, const char *const *written)
{
    const pl__source *source = d->s->source;
    text_add(t, "{\n  \"pliant\": \"%d.%d.%d\",\n  \"scene\": ", PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
    text_quoted(t, source->path);
    if (parent)
    {
        text_put(t, ",\n  \"branched_from\": ");
        text_quoted(t, parent);
        text_add(t, ",\n  \"branched_at\": %d", parent_frame);
    }
    text_put(t, ",\n  \"inputs\": [");
    for (size_t k = 0; k < source->input_count; ++k)
    {
        char name[600];
        copy_name(source, k, name, sizeof name);
        text_put(t, k ? ",\n    {\"written\": " : "\n    {\"written\": ");
        text_quoted(t, written[k]);
        text_put(t, ", \"copy\": ");
        text_quoted(t, name);
        text_add(t, ", \"bytes\": %llu, \"hash\": \"%016llx\"}", (unsigned long long)source->input[k].bytes, (unsigned long long)source->input[k].hash);
    }
    text_put(t, source->input_count ? "\n  ]\n}\n" : "]\n}\n");
}

bool rundir_describe(rundir *d, const char *parent, int32_t parent_frame)
{
    pl__source *source = d->s->source;
    char path[4400];
    text t = {0};
    const char **written = calloc(source->input_count + 1, sizeof *written);
    for (size_t k = 0; written && k < source->input_count; ++k)
        written[k] = source->input[k].json ? source->input[k].json->text : base_name(source->input[k].path);
    bool good = written && copy_inputs(d) && write_scene(d);
    if (good)
    {
        describe(d, &t, parent, parent_frame, written);
        rundir_path(d, path, sizeof path, "run.json");
        good = ok(d, write_whole(d->s->ctx, path, t.at, t.length));
    }
    text_free(&t);
    free(written);
    return good;
}

// ---- agreement -------------------------------------------------------------------------------------------------

typedef struct
{
    rundir *d;
    const pl__json *inputs; // of run.json
    bool at_branch, changed;
    int32_t refused;
    text sentence;
} agreement;

static const pl__json *find_input(const pl__json *inputs, const char *name)
{
    for (const pl__json *input = inputs ? inputs->first : NULL; input; input = input->next)
    {
        const pl__json *written = pl__json_find(input, "written"), *copy = pl__json_find(input, "copy");
        if ((written && written->text && strcmp(written->text, name) == 0) || (copy && copy->text && strcmp(copy->text, name) == 0))
            return input;
    }
    return NULL;
}

static bool same_file(const agreement *a, const pl__difference *x)
{
    if (!x->before || !x->after || x->before->kind != PL__JSON_STRING || x->after->kind != PL__JSON_STRING)
        return false;
    const pl__json *input = find_input(a->inputs, x->before->text);
    return input && input == find_input(a->inputs, x->after->text);
}

// Objects keep their place in the state, so only keys can move them elsewhere later.
static bool stays_in_state(const pl__difference *x)
{
    if (strncmp(x->path, "objects.", 8) != 0)
        return false;
    const char *field = strrchr(x->path, '.');
    bool place = strcmp(field, ".at") == 0 || strcmp(field, ".rotate") == 0 || strcmp(field, ".spin") == 0 || strcmp(field, ".velocity") == 0;
    return place && !(x->after && x->after->kind == PL__JSON_OBJECT);
}

static void judge(void *user, const pl__difference *x)
{
    agreement *a = user;
    a->changed = true;
    bool fine = x->when == PL__WHEN_ANY || same_file(a, x) || (a->at_branch && x->when != PL__WHEN_RERUN && !stays_in_state(x));
    if (fine)
        return;
    if (a->refused++ < 5)
        text_add(&a->sentence, "%s%s", a->refused > 1 ? ", " : "", x->path);
}

static bool inputs_agree(agreement *a)
{
    const pl__source *source = a->d->s->source;
    for (size_t k = 0; k < source->input_count; ++k)
    {
        const char *name = source->input[k].json ? source->input[k].json->text : base_name(source->input[k].path);
        const pl__json *input = find_input(a->inputs, name), *hash = input ? pl__json_find(input, "hash") : NULL;
        char now[20];
        snprintf(now, sizeof now, "%016llx", (unsigned long long)source->input[k].hash);
        if (input && hash && hash->text && strcmp(hash->text, now) != 0)
            return fail(a->d, "%s: %s has changed since the run began; begin anew with --force or in another directory", a->d->path, source->input[k].path);
    }
    return true;
}

static bool parse_part(rundir *d, const char *name, pl__json_doc *doc)
{
    char path[4400];
    size_t size;
    rundir_path(d, path, sizeof path, "%s", name);
    char *data = read_whole(path, &size);
    if (!data)
        return fail(d, "%s: %s", path, strerror(errno));
    pl_status status = pl__json_parse(d->s->ctx, path, data, size, doc);
    free(data);
    return ok(d, status);
}

static bool compare(agreement *a, const pl__json_doc *before, const pl__json_doc *manifest)
{
    rundir *d = a->d;
    const pl__json *version = pl__json_find(manifest->root, "pliant");
    char ours[32];
    snprintf(ours, sizeof ours, "%d.%d.%d", PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
    if (version && version->text && strcmp(version->text, ours) != 0)
        console_say(d->s->con, "warning: %s was begun by pliant %s; this is %s and may not give the same bits", d->path, version->text, ours);
    a->inputs = pl__json_find(manifest->root, "inputs");
    pl__scene_compare(before->root, d->s->source->doc.root, judge, a);
    if (a->refused)
        return fail(d, "%s: %s%s cannot change %s; begin anew with --force or in another directory%s", d->path, a->sentence.at, a->refused > 5 ? " and others" : "",
                    a->at_branch ? "at a branch" : "in a run that has begun", a->at_branch ? "" : ", or start from one of its frames with --branch");
    return inputs_agree(a);
}

bool rundir_agrees(rundir *d, agreement_kind kind)
{
    agreement a = {.d = d, .at_branch = kind == AGREE_BRANCH};
    pl__json_doc before, manifest;
    if (!parse_part(d, "scene.json", &before))
        return false;
    bool good = parse_part(d, "run.json", &manifest);
    if (good)
    {
        good = compare(&a, &before, &manifest);
        if (good && a.changed && kind == AGREE_RESUME)
            good = write_scene(d);
        pl__json_free(&manifest);
    }
    pl__json_free(&before);
    text_free(&a.sentence);
    return good;
}

// ---- states ----------------------------------------------------------------------------------------------------

typedef struct
{
    char magic[8];
    uint32_t version;
    int32_t frame;
    frame_cost cost; // of the next frame, so far
    uint64_t bytes;  // of the snapshot that follows
    uint64_t hash;   // of all but itself
} state_head;

static uint64_t state_hash(const state_head *head, const void *snapshot)
{
    state_head plain = *head;
    plain.hash = 0;
    return pl__hash(pl__hash(0, &plain, sizeof plain), snapshot, (size_t)head->bytes);
}

static bool write_state(rundir *d, const char *path, int32_t frame, const frame_cost *cost)
{
    session *s = d->s;
    state_head head = {.version = 1, .frame = frame, .bytes = pl_world_save_size(s->world)};
    memcpy(head.magic, "PLSTATE", 8);
    if (cost)
        head.cost = *cost;
    void *snapshot = malloc((size_t)head.bytes);
    if (!snapshot)
        return fail(d, "out of memory");
    pl_status status = pl_world_save(s->world, snapshot, (size_t)head.bytes);
    head.hash = state_hash(&head, snapshot);
    pl__writer w;
    if (status == PL_OK && (status = pl__writer_open(&w, s->ctx, path)) == PL_OK)
    {
        pl__write_bytes(&w, &head, sizeof head);
        pl__write_bytes(&w, snapshot, (size_t)head.bytes);
        status = pl__writer_commit(&w);
    }
    free(snapshot);
    return ok(d, status);
}

// The bytes of a state file if it is whole, else NULL. Free them.
static char *read_state(const char *path, state_head *head)
{
    size_t size;
    char *data = read_whole(path, &size);
    if (!data)
        return NULL;
    bool good = size >= sizeof *head;
    if (good)
        memcpy(head, data, sizeof *head);
    good = good && memcmp(head->magic, "PLSTATE", 8) == 0 && head->version == 1 && head->bytes == size - sizeof *head;
    if (good && state_hash(head, data + sizeof *head) == head->hash)
        return data;
    free(data);
    errno = 0;
    return NULL;
}

static bool load_state(rundir *d, const char *data, const state_head *head)
{
    return ok(d, pl_world_load(d->s->world, data + sizeof *head, (size_t)head->bytes));
}

bool rundir_write_frame(rundir *d, int32_t frame)
{
    char path[4400];
    rundir_path(d, path, sizeof path, "frames/%06d.state", frame);
    if (!write_state(d, path, frame, NULL))
        return false;
    d->last_frame = frame;
    return true;
}

bool rundir_write_checkpoint(rundir *d, int32_t frame, const frame_cost *cost)
{
    char path[4400];
    rundir_path(d, path, sizeof path, "checkpoint/state");
    return write_state(d, path, frame, cost);
}

bool rundir_read_frame(rundir *d, int32_t frame)
{
    char path[4400];
    state_head head;
    rundir_path(d, path, sizeof path, "frames/%06d.state", frame);
    char *data = read_state(path, &head);
    if (!data)
        return fail(d, "%s: %s", path, errno ? strerror(errno) : "is damaged");
    bool good = load_state(d, data, &head);
    free(data);
    return good;
}

bool rundir_read_last(rundir *d, int32_t *frame, frame_cost *cost)
{
    char path[4400];
    state_head head;
    char *data = NULL;
    *cost = (frame_cost){0};
    // a frame that a dying disk has damaged is computed again
    for (; d->last_frame >= 0; d->last_frame--)
    {
        rundir_path(d, path, sizeof path, "frames/%06d.state", d->last_frame);
        if ((data = read_state(path, &head)))
            break;
        console_say(d->s->con, "warning: %s is damaged; that frame is computed again", path);
    }
    *frame = d->last_frame;
    state_head within;
    rundir_path(d, path, sizeof path, "checkpoint/state");
    char *checkpoint = read_state(path, &within);
    if (checkpoint && within.frame == *frame && *frame >= 0)
    {
        free(data);
        data = checkpoint;
        head = within;
        *cost = head.cost;
        checkpoint = NULL;
    }
    bool good = !data || load_state(d, data, &head);
    free(checkpoint);
    free(data);
    return good;
}

// ---- metrics and log -------------------------------------------------------------------------------------------

// The bytes of the whole lines of frames up to `frame`.
static size_t wanted_lines(const char *data, size_t size, int32_t frame)
{
    size_t kept = 0;
    int32_t expected = 0;
    while (kept < size)
    {
        const char *end = memchr(data + kept, '\n', size - kept);
        int32_t number;
        if (!end || sscanf(data + kept, "{\"frame\": %d,", &number) != 1 || number != expected || number > frame)
            break;
        expected++;
        kept = (size_t)(end - data) + 1;
    }
    return kept;
}

static bool keep_lines(rundir *d, const char *from, const char *to, int32_t frame)
{
    size_t size;
    char *data = read_whole(from, &size);
    size_t kept = data ? wanted_lines(data, size, frame) : 0;
    bool same = strcmp(from, to) == 0 && data && kept == size;
    bool good = same || ok(d, write_whole(d->s->ctx, to, data ? data : "", kept));
    free(data);
    return good;
}

bool rundir_open_metrics(rundir *d, int32_t frame)
{
    char path[4400];
    rundir_path(d, path, sizeof path, "metrics.jsonl");
    if (!keep_lines(d, path, path, frame))
        return false;
    d->metrics = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return d->metrics >= 0 || fail(d, "%s: %s", path, strerror(errno));
}

bool rundir_add_metrics(rundir *d, const text *line)
{
    off_t before = lseek(d->metrics, 0, SEEK_END);
    ssize_t wrote = line->failed ? -1 : write(d->metrics, line->at, line->length);
    if (wrote == (ssize_t)line->length)
        return true;
    int error = wrote < 0 ? errno : ENOSPC;
    if (ftruncate(d->metrics, before) != 0)
        error = errno; // the torn line goes when the run is resumed
    return fail(d, "%s/metrics.jsonl: %s", d->path, strerror(error));
}

void rundir_open_log(rundir *d)
{
    char path[4400];
    rundir_path(d, path, sizeof path, "log.txt");
    d->s->con->log = fopen(path, "a");
}

// ---- branches --------------------------------------------------------------------------------------------------

bool rundir_copy_frames(rundir *d, const rundir *from, int32_t frame)
{
    char source[4400], target[4400];
    for (int32_t k = 0; k <= frame; ++k)
    {
        rundir_path(from, source, sizeof source, "frames/%06d.state", k);
        rundir_path(d, target, sizeof target, "frames/%06d.state", k);
        // states never change once written, so two runs may share them
        if (link(source, target) != 0 && !copy_file(d, source, target))
            return false;
    }
    rundir_path(from, source, sizeof source, "metrics.jsonl");
    rundir_path(d, target, sizeof target, "metrics.jsonl");
    d->last_frame = frame;
    return keep_lines(d, source, target, frame);
}
