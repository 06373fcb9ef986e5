// app/view/cmd_view.c -- pliant view: a scene, or a run, in the browser.
#include "commands.h"
#include "files.h"
#include "http.h"
#include "simulate.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int32_t usual_port = 7788;

static bool open_scene(view *v)
{
    snprintf(v->path, sizeof v->path, "%s", v->a->operand[0]);
    return session_open(&v->s, v->path, v->a->set, v->a->set_count) && session_compile(&v->s);
}

// The scene of a run, at its first frame.
static bool open_run(view *v)
{
    scene_path(v->a->operand[0], v->path, sizeof v->path);
    v->replay = true;
    v->frame = -1;
    if (!rundir_open(&v->run, &v->s, v->a->operand[0], true) ||
        !session_open(&v->s, v->path, v->a->set, v->a->set_count) || !session_compile(&v->s) ||
        !rundir_agrees(&v->run, AGREE_LOOK))
        return false;
    char sentence[4200];
    snprintf(sentence, sizeof sentence, "%s: has no frames yet", v->run.path);
    if (v->run.last_frame < 0)
        console_fail(v->con, sentence);
    else if (rundir_read_frame(&v->run, 0))
        v->frame = 0;
    return v->frame == 0;
}

// A page in the browser of whoever sits here; elsewhere the address must do.
static void open_browser(const char *address)
{
    pid_t child = fork();
    if (child > 0)
        waitpid(child, NULL, 0);
    if (child != 0)
        return;
    if (fork() != 0)
        _exit(0);
    (void)!freopen("/dev/null", "w", stdout);
    (void)!freopen("/dev/null", "w", stderr);
    execlp("xdg-open", "xdg-open", address, (char *)NULL);
    _exit(127);
}

static void announce(const view *v, int32_t port)
{
    char address[64], host[200] = "HOST";
    const char *user = getenv("USER");
    bool display = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"), remote = getenv("SSH_CONNECTION") != NULL;
    snprintf(address, sizeof address, "http://localhost:%d/", port);
    printf("%s\n", address);
    fflush(stdout);
    (void)!gethostname(host, sizeof host - 1);
    if (remote || !display)
        console_say(v->con, "from another computer: ssh -N -L %d:127.0.0.1:%d %s@%s, then open that address there",
                    port, port, user ? user : "USER", host);
    console_say(v->con, "Ctrl-C ends it");
    if (display && !remote && !v->a->no_open)
        open_browser(address);
}

static int serve(view *v)
{
    int32_t port = v->a->port ? v->a->port : usual_port;
    int status = EXIT_FAILED;
    char sentence[120];
    v->relay = relay_create(http_send);
    http *h = v->relay ? http_start(v->relay, port, v->a->port != 0) : NULL;
    snprintf(sentence, sizeof sentence, "port %d cannot be listened at; choose another with --port", port);
    if (!h)
        console_fail(v->con, sentence);
    else
    {
        announce(v, http_port(h));
        status = view_run(v);
        relay_close(v->relay);
        http_stop(&h);
    }
    relay_destroy(&v->relay);
    return status;
}

int command_view(const arguments *a)
{
    console con = console_make(a->quiet, false, a->verbose);
    view *v = calloc(1, sizeof *v);
    int status = EXIT_WRONG;
    if (!v)
    {
        console_fail(&con, "out of memory");
        return EXIT_FAILED;
    }
    *v = (view){.a = a,
                .con = &con,
                .rate = a->rate > 0 ? a->rate : 100,
                .speed = 1,
                .grip = 1,
                .color = "body",
                .part_substeps = 1,
                .serial = 1,
                .run = {.lock = -1, .metrics = -1}};
    if (!session_start(&v->s, &con, a))
        status = EXIT_FAILED;
    else
    {
        watch_signals();
        bool good = is_directory(a->operand[0]) ? open_run(v) : open_scene(v);
        good =
            good && view_remember_start(v) && (pl_world_report(v->s.world, &v->info) == PL_OK || session_fail(&v->s));
        if (good)
            status = serve(v);
        if (v->replay)
            rundir_close(&v->run);
        session_end(&v->s);
    }
    free(v->start);
    free(v->mark);
    free(v->written);
    free(v);
    return status;
}
