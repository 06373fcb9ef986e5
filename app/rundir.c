// app/rundir.c -- a run on disk: made, locked, described, and found again after whatever happened to it.
#include "rundir.h"
#include "base/hash.h"
#include "files.h"
#include "io/write.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const contents[] = {"run.json", "scene.json",  "metrics.jsonl", "frames",     "checkpoint",
                                       "inputs",   "log.txt",     "movie.webp",    "movie.mp4",  "pictures",
                                       "export",   "metrics.svg", "inputs.new",    "inputs.old", NULL};
static const char *const beginning = ".beginning";

void rundir_path(const rundir *d, char *path, size_t size, const char *format, ...)
{
    va_list list;
    size_t used = (size_t)snprintf(path, size, "%s/", d->path);
    va_start(list, format);
    if (used < size)
        vsnprintf(path + used, size - used, format, list);
    va_end(list);
}

void mend_inputs(const char *path)
{
    char inputs[4400], fresh[4400];
    snprintf(inputs, sizeof inputs, "%s/inputs", path);
    snprintf(fresh, sizeof fresh, "%s/inputs.new", path);
    if (!file_exists(inputs) && file_exists(fresh))
        (void)rename(fresh, inputs);
}

bool is_run(const char *path)
{
    char name[4096];
    return (size_t)snprintf(name, sizeof name, "%s/run.json", path) < sizeof name && file_exists(name);
}

void rundir_resume_command(const rundir *d, char *words, size_t size)
{
    char quoted[4200];
    quote_path(d->path, quoted, sizeof quoted);
    snprintf(words, size, "pliant run %s --resume", quoted);
}

static bool complain(rundir *d, int status, const char *format, va_list list)
{
    char sentence[4600];
    vsnprintf(sentence, sizeof sentence, format, list);
    console_fail(d->s->con, sentence);
    d->status = status;
    return false;
}

static bool fail(rundir *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(rundir *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)complain(d, EXIT_FAILED, format, list);
    va_end(list);
    return false;
}

static bool refuse(rundir *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(rundir *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)complain(d, EXIT_WRONG, format, list);
    va_end(list);
    return false;
}

static bool ok(rundir *d, pl_status status)
{
    d->status = EXIT_FAILED;
    return status == PL_OK || session_fail(d->s);
}

static void warn(rundir *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(rundir *d, const char *format, ...)
{
    char sentence[4600];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    console_log(d->s->con, PL_LOG_WARNING, sentence);
}

// ---- making and locking ----------------------------------------------------------------------------------------

static bool lock(rundir *d)
{
    d->lock = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->lock < 0)
        return fail(d, "%s: %s", d->path, strerror(errno));
    if (flock(d->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    if (errno == EWOULDBLOCK)
        return refuse(d, "%s: another run is at work in it; wait for it or choose another with -o", d->path);
    // some network file systems have no locks for directories
    warn(d, "%s: cannot be locked (%s); see to it that no other run is at work in it", d->path, strerror(errno));
    return true;
}

// The process that began to write a temporary file, NAME.PROCESS-TRY.tmp (src/io/write.c), or 0.
static long temporary_owner(const char *name)
{
    if (!ends_with(name, ".tmp"))
        return 0;
    const char *at = name + strlen(name) - 4, *end = at;
    while (at > name && isdigit((unsigned char)at[-1]))
        at--;
    if (at == end || at == name || *--at != '-')
        return 0;
    for (end = at; at > name && isdigit((unsigned char)at[-1]);)
        at--;
    return at == end || at == name || at[-1] != '.' ? 0 : strtol(at, NULL, 10);
}

// Left behind by a process that was killed. Another one that draws this run may be writing its own.
static bool is_stale(const char *name)
{
    long owner = temporary_owner(name);
    return owner > 0 && (owner == (long)getpid() || (kill((pid_t)owner, 0) != 0 && errno == ESRCH));
}

static void remove_stale(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)))
    {
        char child[4600];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            (size_t)snprintf(child, sizeof child, "%s/%s", path, entry->d_name) >= sizeof child)
            continue;
        if (is_stale(entry->d_name))
            unlink(child);
        else if (is_directory(child))
            remove_stale(child);
    }
    if (directory)
        closedir(directory);
}

// The first thing in a directory that is not a temporary file of ours, or "".
static void find_stranger(const char *path, char name[256])
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    name[0] = 0;
    while (directory && !name[0] && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && !temporary_owner(entry->d_name))
            snprintf(name, 256, "%s", entry->d_name);
    if (directory)
        closedir(directory);
}

// From here until run.json is there the contents are ours, whatever happens.
static bool mark_beginning(rundir *d)
{
    char path[4400];
    rundir_path(d, path, sizeof path, "%s", beginning);
    return ok(d, write_whole(d->s->ctx, path, "", 0));
}

static void unmark_beginning(rundir *d)
{
    char path[4400];
    rundir_path(d, path, sizeof path, "%s", beginning);
    unlink(path);
}

static void remove_part(rundir *d, const char *name)
{
    char path[4400];
    rundir_path(d, path, sizeof path, "%s", name);
    remove_tree(path);
}

// The names of a run, the one that makes it a run first. Scene and inputs stay, which may be those of the new run,
// until rundir_describe puts the new ones in their place.
static void remove_run(rundir *d)
{
    remove_stale(d->path);
    for (const char *const *name = contents; *name; ++name)
        if (strcmp(*name, "scene.json") != 0 && strncmp(*name, "inputs", 6) != 0)
            remove_part(d, *name);
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
    *d = (rundir){.s = s, .lock = -1, .metrics = -1, .last_frame = -1, .branched_at = -1, .status = EXIT_FAILED};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= sizeof d->path)
        return refuse(d, "%.100s...: the path is too long", path);
    memcpy(d->path, path, length);
    return true;
}

// Whether a new run may take the place of what is in the directory.
static bool may_begin(rundir *d, bool force)
{
    char path[4400], stranger[256];
    rundir_path(d, path, sizeof path, "%s", beginning);
    if (is_run(d->path))
        return force || refuse(d,
                               "%s: holds a run already; --resume goes on with it, --force begins anew, -o chooses "
                               "another directory",
                               d->path);
    if (file_exists(path))
        return true;
    find_stranger(d->path, stranger);
    return !stranger[0] ||
           refuse(d, "%s: holds other things (%s); choose an empty or a new directory with -o", d->path, stranger);
}

static bool stage_inputs(rundir *d);

bool rundir_create(rundir *d, session *s, const char *path, bool force)
{
    if (!start(d, s, path))
        return false;
    if (file_exists(d->path) && !is_directory(d->path))
        return refuse(d, "%s: is a file; choose a new directory with -o", d->path);
    int error = make_directories(d->path);
    if (error)
        return fail(d, "%s: %s; choose another directory with -o", d->path, strerror(error));
    if (!lock(d) || !may_begin(d, force) || !mark_beginning(d))
        return false;
    if (!stage_inputs(d))
    {
        remove_part(d, "inputs.new");
        if (is_run(d->path))
            unmark_beginning(d);
        return false;
    }
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

static bool count_lines(rundir *d, int32_t *count);

// A line is written before the state of its frame, so lines are missing only where somebody or a disk has removed them.
static bool limit_to_metrics(rundir *d)
{
    int32_t lines;
    if (!count_lines(d, &lines))
        return false;
    if (lines <= d->last_frame)
    {
        warn(d, "%s/metrics.jsonl has no line for frame %d; it and those after it are computed again", d->path, lines);
        d->last_frame = lines - 1;
    }
    return true;
}

bool rundir_open(rundir *d, session *s, const char *path, bool read_only)
{
    if (!start(d, s, path))
        return false;
    if (!is_directory(d->path))
        return refuse(d, "%s: is not the directory of a run%s", d->path,
                      file_exists(d->path) ? "" : "; there is nothing of that name");
    if (!is_run(d->path))
        return refuse(d, "%s: is not the directory of a run (it has no run.json)", d->path);
    if (!read_only && (!lock(d) || !make_parts(d)))
        return false;
    if (!read_only)
    {
        remove_stale(d->path);
        unmark_beginning(d);
    }
    d->last_frame = last_in_row(d);
    return read_only || limit_to_metrics(d);
}

void rundir_close(rundir *d)
{
    if (d->metrics >= 0)
        close(d->metrics);
    if (d->lock >= 0)
        close(d->lock);
    d->metrics = d->lock = -1;
    if (d->s)
        console_close_log(d->s->con);
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

// Copy the inputs beside those of a run that is there, which they may come from.
static bool stage_inputs(rundir *d)
{
    const pl__source *source = d->s->source;
    remove_part(d, "inputs.new");
    for (size_t k = 0; k < source->input_count; ++k)
    {
        char name[600], path[4700];
        copy_name(source, k, name, sizeof name);
        rundir_path(d, path, sizeof path, "inputs.new%s", name + strlen("inputs"));
        *strrchr(path, '/') = 0;
        int error = make_directories(path);
        if (error)
            return fail(d, "%s: %s", path, strerror(error));
        rundir_path(d, path, sizeof path, "inputs.new%s", name + strlen("inputs"));
        if (!copy_file(d, source->input[k].path, path))
            return false;
    }
    return true;
}

static bool rename_part(rundir *d, const char *from, const char *to)
{
    char old[4400], new[4400];
    rundir_path(d, old, sizeof old, "%s", from);
    rundir_path(d, new, sizeof new, "%s", to);
    return rename(old, new) == 0 || errno == ENOENT || fail(d, "%s: %s", new, strerror(errno));
}

// The inputs of a run that was here are removed when the new ones are in their place.
static bool swap_inputs(rundir *d)
{
    remove_part(d, "inputs.old");
    if (!rename_part(d, "inputs", "inputs.old") || !rename_part(d, "inputs.new", "inputs"))
        return false;
    remove_part(d, "inputs.old");
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

// Where the k-th input is, relative to the run: where its record in run.json says, or without one, where it is copied
// to.
static const char *copy_of(const pl__json *record, const pl__source *source, size_t k, char *name, size_t size)
{
    const pl__json *copy = record ? pl__json_find(record, "copy") : NULL;
    if (copy && copy->text)
        return copy->text;
    copy_name(source, k, name, size);
    return name;
}

// scene.json names the copies; the tree in memory keeps the names as written. `record` (or NULL) has one of run.json,
// or NULL, for every input.
static bool write_scene(rundir *d, const pl__json *const *record)
{
    pl__source *source = d->s->source;
    const char **written = calloc(source->input_count + 1, sizeof *written);
    bool good = written != NULL;
    for (size_t k = 0; good && k < source->input_count; ++k)
    {
        char name[600];
        pl__json *json = source->input[k].json;
        const char *kept =
            json ? pl__json_keep(&source->doc, copy_of(record ? record[k] : NULL, source, k, name, sizeof name)) : NULL;
        written[k] = kept ? json->text : NULL;
        if (kept)
            json->text = kept;
        good = !json || kept;
    }
    good = good ? write_json(d, "scene.json", source->doc.root) : fail(d, "out of memory");
    for (size_t k = source->input_count; written && k-- > 0;)
        if (written[k])
            source->input[k].json->text = written[k];
    free(written);
    return good;
}

static void describe(rundir *d, text *t, const char *parent, int32_t parent_frame)
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
        text_quoted(t, source->input[k].json ? source->input[k].json->text : base_name(source->input[k].path));
        text_put(t, ", \"copy\": ");
        text_quoted(t, name);
        text_add(t, ", \"bytes\": %llu, \"hash\": \"%016llx\"}", (unsigned long long)source->input[k].bytes,
                 (unsigned long long)source->input[k].hash);
    }
    text_put(t, source->input_count ? "\n  ]\n}\n" : "]\n}\n");
}

bool rundir_describe(rundir *d, const char *parent, int32_t parent_frame)
{
    char path[4400];
    text t = {0};
    if (!write_scene(d, NULL) || !swap_inputs(d))
        return false;
    describe(d, &t, parent, parent_frame);
    rundir_path(d, path, sizeof path, "run.json");
    bool good = t.failed ? fail(d, "out of memory") : ok(d, write_whole(d->s->ctx, path, t.at, t.length));
    if (good)
        unmark_beginning(d);
    text_free(&t);
    return good;
}

// ---- agreement -------------------------------------------------------------------------------------------------

typedef struct
{
    rundir *d;
    const pl__json *inputs;  // of run.json
    const pl__json **record; // [input_count] that of each input, or NULL
    bool at_branch, changed;
    int32_t refused, branchable; // of those, could be changed at a branch
    text sentence;
} agreement;

static bool is_named(const pl__json *input, const char *key, const char *name)
{
    const pl__json *value = input ? pl__json_find(input, key) : NULL;
    return value && value->text && strcmp(value->text, name) == 0;
}

// The record of a copy, by the name that scene.json has for it.
static const pl__json *find_copy(const pl__json *inputs, const char *name)
{
    const pl__json *input = inputs ? inputs->first : NULL;
    while (input && !is_named(input, "copy", name))
        input = input->next;
    return input;
}

static bool has_hash(const pl__json *input, uint64_t hash)
{
    const pl__json *recorded = input ? pl__json_find(input, "hash") : NULL;
    char now[20];
    snprintf(now, sizeof now, "%016llx", (unsigned long long)hash);
    return recorded && recorded->text && strcmp(recorded->text, now) == 0;
}

// A file of another name with the same bytes is the same file.
static bool same_file(const agreement *a, const pl__difference *x)
{
    const pl__source *source = a->d->s->source;
    if (!x->before || !x->after || x->before->kind != PL__JSON_STRING || x->after->kind != PL__JSON_STRING)
        return false;
    const pl__json *input = find_copy(a->inputs, x->before->text);
    for (size_t k = 0; input && k < source->input_count; ++k)
        if (source->input[k].json == x->after &&
            (has_hash(input, source->input[k].hash) || is_named(input, "written", x->after->text)))
        {
            a->record[k] = input;
            return true;
        }
    return false;
}

// Objects keep their place in the state, so only keys can move them elsewhere later.
static bool stays_in_state(const pl__difference *x)
{
    if (strncmp(x->path, "objects.", 8) != 0)
        return false;
    const char *field = strrchr(x->path, '.');
    bool place = strcmp(field, ".at") == 0 || strcmp(field, ".rotate") == 0 || strcmp(field, ".spin") == 0 ||
                 strcmp(field, ".velocity") == 0;
    return place && !(x->after && x->after->kind == PL__JSON_OBJECT);
}

// Whether a material is the one of that name, or like it.
static bool is_like(const pl__source *s, const pl__file_material *m, const char *name)
{
    const pl__json *all = pl__json_find(s->doc.root, "materials"), *next;
    for (int32_t depth = 0; depth <= s->file.materials.count && strcmp(m->like, name) != 0; ++depth)
    {
        if (!(next = pl__json_find(all, m->like)))
            return false;
        m = pl__source_material(s, next->index);
    }
    return strcmp(m->like, name) == 0;
}

// Paint is kept as factors on the material's own numbers, which the states are for. Whether the number at `path`, that
// of a body (bodies.NAME.material.young, bodies.NAME.vary.SELECTION.young) or of the list (materials.NAME.young), has
// paint on it.
static bool is_painted(const pl__source *s, const char *path)
{
    const char *field = strrchr(path, '.'), *name = strchr(path, '.');
    bool young = field && strcmp(field, ".young") == 0, of_list = strncmp(path, "materials.", 10) == 0;
    if (!name || (!young && strcmp(field, ".damping") != 0) || (!of_list && strncmp(path, "bodies.", 7) != 0))
        return false;
    char owner[64];
    snprintf(owner, sizeof owner, "%.*s", (int)strcspn(name + 1, "."), name + 1);
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
    {
        const pl__file_body *body = pl__source_body(s, i);
        bool painted = (young ? &body->paint.young : &body->paint.damping)->record.json != NULL;
        bool its_own = of_list ? is_like(s, &body->material, owner) : strcmp(body->record.name, owner) == 0;
        for (int32_t k = 0; of_list && !its_own && k < body->vary.count; ++k)
            its_own = is_like(s, &((const pl__file_material *)body->vary.item)[k], owner);
        if (painted && its_own)
            return true;
    }
    return false;
}

static void judge(void *user, const pl__difference *x)
{
    agreement *a = user;
    if (same_file(a, x)) // the scene names it, the run its copy
        return;
    a->changed = true;
    bool painted = is_painted(a->d->s->source, x->path);
    bool branchable = x->when != PL__WHEN_RERUN && !stays_in_state(x) && !painted;
    if (x->when == PL__WHEN_ANY || (a->at_branch && branchable))
        return;
    a->branchable += !a->at_branch && branchable;
    if (a->refused++ < 5)
        text_add(&a->sentence, "%s%s%s", a->refused > 1 ? ", " : "", x->path, painted ? " (there is paint on it)" : "");
}

// The record of a file that goes with the first, whose copy stands beside that of the first: of a pair it has the same
// name with another extension, of a series its own.
static const pl__json *find_partner(const agreement *a, const pl__json *first, const char *path)
{
    const pl__json *copy = first ? pl__json_find(first, "copy") : NULL;
    const char *point = copy && copy->text ? strrchr(copy->text, '.') : NULL, *extension = strrchr(path, '.');
    char name[640];
    if (!point || !extension)
        return NULL;
    if (strcmp(point, extension) == 0)
        snprintf(name, sizeof name, "%.*s%s", (int)(base_name(copy->text) - copy->text), copy->text, base_name(path));
    else
        snprintf(name, sizeof name, "%.*s%s", (int)(point - copy->text), copy->text, extension);
    return find_copy(a->inputs, name);
}

static bool inputs_agree(agreement *a)
{
    const pl__source *source = a->d->s->source;
    for (size_t k = 0; k < source->input_count; ++k)
    {
        const pl__input *input = &source->input[k];
        if (!input->json)
            a->record[k] = k > 0 ? find_partner(a, a->record[k - 1], input->path) : NULL;
        else if (!a->record[k])
            a->record[k] = find_copy(a->inputs, input->json->text);
        if (a->record[k] && !has_hash(a->record[k], input->hash))
            return refuse(a->d,
                          "%s: %s has changed since the run began; begin anew with --force or in another directory",
                          a->d->path, source->input[k].path);
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
        return refuse(d, "%s: %s", path, strerror(errno));
    pl_status status = pl__json_parse(d->s->ctx, path, data, size, doc);
    free(data);
    bool good = ok(d, status);
    d->status = EXIT_WRONG;
    return good;
}

static bool compare(agreement *a, const pl__json_doc *before, const pl__json_doc *manifest)
{
    rundir *d = a->d;
    const pl__json *version = pl__json_find(manifest->root, "pliant");
    char ours[32];
    snprintf(ours, sizeof ours, "%d.%d.%d", PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
    if (version && version->text && strcmp(version->text, ours) != 0)
        warn(d, "%s was begun by pliant %s; this is %s and may not give the same bits", d->path, version->text, ours);
    const pl__json *branched = pl__json_find(manifest->root, "branched_at");
    d->branched_at = branched && branched->kind == PL__JSON_NUMBER ? (int32_t)branched->number : -1;
    a->inputs = pl__json_find(manifest->root, "inputs");
    pl__scene_compare(before->root, d->s->source->doc.root, judge, a);
    if (a->refused)
        return refuse(d, "%s: %s%s cannot change %s; begin anew with --force or in another directory%s%s", d->path,
                      a->sentence.at ? a->sentence.at : "", a->refused > 5 ? " and others" : "",
                      a->at_branch ? "at a branch" : "in a run that has begun",
                      a->refused == a->branchable ? ", or start from one of its frames with --branch" : "",
                      a->at_branch
                          ? ""
                          : "; to go on with the scene as it was run, name the run itself: pliant run DIR --resume");
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
        a.record = calloc(d->s->source->input_count + 1, sizeof *a.record);
        good = a.record ? compare(&a, &before, &manifest) : fail(d, "out of memory");
        if (good && a.changed && kind == AGREE_RESUME)
            good = write_scene(d, a.record);
        pl__json_free(&manifest);
    }
    pl__json_free(&before);
    text_free(&a.sentence);
    free(a.record);
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
    pl_status status = pl_world_load_branch(d->s->world, data + sizeof *head, (size_t)head->bytes);
    bool good = ok(d, status);
    d->status = status == PL_ERR_STATE ? EXIT_WRONG : EXIT_FAILED;
    return good;
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
        return fail(d, "%s: %s", path,
                    errno ? strerror(errno) : "is damaged; remove it and resume the run, which computes it again");
    bool good = load_state(d, data, &head);
    free(data);
    return good;
}

bool is_whole_state(const char *path, int32_t *frame, frame_cost *cost)
{
    state_head head;
    char *data = read_state(path, &head);
    if (!data)
        return false;
    free(data);
    *frame = head.frame;
    *cost = head.cost;
    return true;
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
        warn(d, "%s is damaged; that frame is computed again", path);
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

// The number of the frame that a line is about, or -1.
static int32_t line_frame(const char *line)
{
    static const char start[] = "{\"frame\": ";
    return strncmp(line, start, sizeof start - 1) == 0 ? (int32_t)strtol(line + sizeof start - 1, NULL, 10) : -1;
}

// The bytes of the whole lines of frames up to `frame`, and how many they are.
static size_t wanted_lines(const char *data, size_t size, int32_t frame, int32_t *count)
{
    size_t kept = 0;
    *count = 0;
    while (kept < size)
    {
        const char *end = memchr(data + kept, '\n', size - kept);
        if (!end || *count > frame || line_frame(data + kept) != *count)
            break;
        ++*count;
        kept = (size_t)(end - data) + 1;
    }
    return kept;
}

// A file that is not there has no lines; one that cannot be read is no empty one.
static bool read_lines(rundir *d, const char *path, char **data, size_t *size)
{
    *data = read_whole(path, size);
    return *data || errno == ENOENT || fail(d, "%s: %s", path, strerror(errno));
}

static bool count_lines(rundir *d, int32_t *count)
{
    char path[4400], *data;
    size_t size;
    *count = 0;
    rundir_path(d, path, sizeof path, "metrics.jsonl");
    if (!read_lines(d, path, &data, &size))
        return false;
    if (data)
        (void)wanted_lines(data, size, INT32_MAX, count);
    free(data);
    return true;
}

static bool keep_lines(rundir *d, const char *from, const char *to, int32_t frame)
{
    size_t size;
    char *data;
    int32_t count;
    if (!read_lines(d, from, &data, &size))
        return false;
    size_t kept = data ? wanted_lines(data, size, frame, &count) : 0;
    bool same = strcmp(from, to) == 0 && data && kept == size;
    bool good = same || ok(d, write_whole(d->s->ctx, to, data ? data : "", kept));
    free(data);
    return good;
}

// The states after `frame`: a run that goes on from there must not find them once it has closed the gap.
static void remove_later_frames(rundir *d, int32_t frame)
{
    char frames[4400];
    rundir_path(d, frames, sizeof frames, "frames");
    DIR *directory = opendir(frames);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)))
    {
        char *end;
        long number = strtol(entry->d_name, &end, 10);
        char path[4700];
        rundir_path(d, path, sizeof path, "frames/%s", entry->d_name);
        if (end > entry->d_name && strcmp(end, ".state") == 0 && number > frame)
            unlink(path);
    }
    if (directory)
        closedir(directory);
}

bool rundir_has_metrics(rundir *d, int32_t frame)
{
    int32_t lines;
    char again[4400];
    if (!count_lines(d, &lines))
        return false;
    rundir_resume_command(d, again, sizeof again);
    return lines > frame ||
           refuse(d, "%.1000s/metrics.jsonl: has no line for frame %d; mend it with: %.3000s", d->path, lines, again);
}

bool rundir_open_metrics(rundir *d, int32_t frame)
{
    char path[4400];
    rundir_path(d, path, sizeof path, "metrics.jsonl");
    if (!keep_lines(d, path, path, frame))
        return false;
    remove_later_frames(d, frame);
    d->metrics = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return d->metrics >= 0 || fail(d, "%s: %s", path, strerror(errno));
}

// All of it, however often a signal interrupts. Returns 0 or an errno value.
static int write_line(int file, const text *line)
{
    for (size_t done = 0; done < line->length;)
    {
        ssize_t wrote = write(file, line->at + done, line->length - done);
        if (wrote < 0 && errno != EINTR)
            return errno;
        if (wrote == 0)
            return ENOSPC;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    // on the disk before the state that makes its frame count; where that cannot be asked for it is no failure
    while (fdatasync(file) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    return 0;
}

bool rundir_add_metrics(rundir *d, const text *line)
{
    off_t before = lseek(d->metrics, 0, SEEK_END);
    int error = line->failed ? ENOMEM : write_line(d->metrics, line);
    if (error == 0)
        return true;
    if (ftruncate(d->metrics, before) != 0)
        error = errno; // the torn line goes when the run is resumed
    return fail(d, "%s/metrics.jsonl: %s", d->path, strerror(error));
}

void rundir_open_log(rundir *d)
{
    char path[4400];
    rundir_path(d, path, sizeof path, "log.txt");
    console_open_log(d->s->con, path);
}

// ---- branches --------------------------------------------------------------------------------------------------

bool rundir_copy_frames(rundir *d, const rundir *from, int32_t frame)
{
    char source[4400], target[4400];
    for (int32_t k = 0; k < frame; ++k)
    {
        rundir_path(from, source, sizeof source, "frames/%06d.state", k);
        rundir_path(d, target, sizeof target, "frames/%06d.state", k);
        // states never change once written, so two runs may share them
        if (link(source, target) != 0 && !copy_file(d, source, target))
            return false;
    }
    rundir_path(from, source, sizeof source, "metrics.jsonl");
    rundir_path(d, target, sizeof target, "metrics.jsonl");
    d->last_frame = frame - 1;
    return keep_lines(d, source, target, frame);
}
