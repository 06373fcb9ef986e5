#!/usr/bin/python3
"""tests/run_disk.py PLIANT -- disks that are full, read-only, or hold other things.

A failure is one sentence and status 1 (2 where something else must be asked for); what was there before is still whole, and
once the cause is gone a run goes on to the same bits.
"""
import resource
import signal

from runs import *

PICTURES = None


def has_pictures():
    """Whether this pliant can draw."""
    global PICTURES
    if PICTURES is None:
        write_scene("picture.json", small_scene(frames=0))
        PICTURES = "without pictures" not in pliant("run", "picture.json").err
    return PICTURES


class Tmpfs:
    """A small disk, where we may make one."""

    def __init__(self, path, kilobytes):
        self.path, self.size = path, kilobytes
        os.makedirs(path)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dk" % kilobytes, "none", path], stderr=subprocess.PIPE)
        if os.geteuid() != 0 or made.returncode != 0:
            raise Skipped("a tmpfs cannot be mounted here")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", "remount," + options, self.path], check=True)

    def leave(self, kilobytes):
        """Fill it until that much is left."""
        space = os.statvfs(self.path)
        fill = space.f_bavail * space.f_bsize - kilobytes * 1024
        write(self.path + "/filler", b"x" * max(fill, 0))


# ---- /dev/full -------------------------------------------------------------------------------------------------------

def test_full_device():
    write_scene("small.json", small_scene())
    write("cube.obj", CUBE_OBJ)
    pliant("run", "small.json", "-q", "--no-movie")
    before = snapshot_of("small.run")
    for name in ("full.png", "full.webp", "full.svg", "full.msh"):
        os.symlink("/dev/full", name)
    full = "No space left on device"
    if has_pictures():
        pliant("render", "small.run", "--frame", 2, "-o", "full.png", status=1, says=full)
        pliant("render", "small.run", "-o", "full.webp", status=1, says=full)
    pliant("plot", "small.run", "-o", "/dev/full", status=1, says=["/dev/full", full])
    pliant("plot", "small.run", "-o", "full.svg", status=1, says=full)
    pliant("mesh", "cube.obj", "-o", "full.msh", status=1, says=full)
    for format in ("ply", "vtu", "pc2", "usd", "glb", "npy", "obj"):
        pliant("export", "small.run", "--to", format, "-o", "/dev/full", status=1, says="/dev/full: Not a directory")
    pliant("render", "small.run", "-o", "/dev/full", status=2, says=".webp")
    pliant("mesh", "cube.obj", "-o", "/dev/full", status=2, says=".msh")
    check(snapshot_of("small.run") == before, "the run has changed")
    for words in (["--help"], ["schema"], ["info", "small.run"], ["--man"]):
        with open("/dev/full", "w") as out:
            failed = subprocess.run([PLIANT, *words], stdout=out, stderr=subprocess.PIPE, universal_newlines=True)
        check(failed.returncode == 1 and full in failed.stderr, words, "says", failed.stderr, "status", failed.returncode)


# ---- a disk that fills up ----------------------------------------------------------------------------------------------

def fails_and_goes_on(disk, run, says, *more):
    """The run in `run` fails for lack of room, keeps what it has, and goes on when there is some."""
    before = states(run) if os.path.isdir(run + "/frames") else {}
    failed = pliant("run", "busy.json", "-o", run, "--resume", *more, status=1, says=["No space left on device", *says])
    check(not temporaries(run), "left behind:", temporaries(run))
    kept = states(run)
    for name, data in before.items():
        check(kept.get(name) == data, name, "has changed")
    reference = states("whole")
    for name, data in kept.items():
        check(data == reference[name], name, "is not whole")
    lines = read(run + "/metrics.jsonl").decode() if os.path.exists(run + "/metrics.jsonl") else ""
    for line in lines.split("\n")[:-1]:
        json.loads(line)
    os.unlink(disk.path + "/filler")
    return failed


def test_full_during_frames():
    write_scene("busy.json", busy_scene())
    pliant("run", "busy.json", "-o", "whole", "-q", "--no-movie")
    with Tmpfs("disk", 1024) as disk:
        disk.leave(5 * len(states("whole")["000000.state"]) // 1024)
        failed = fails_and_goes_on(disk, "disk/run", ["are kept", "go on with: pliant run disk/run --resume"], "--no-movie")
        check("frames 0 to" in failed.err, failed)
        pliant("run", "disk/run", "--resume", "-q", "--no-movie")
        same_run("whole", "disk/run")
        check(not temporaries("disk/run"), temporaries("disk/run"))


def test_full_from_the_beginning():
    write_scene("busy.json", busy_scene())
    pliant("run", "busy.json", "-o", "whole", "-q", "--no-movie")
    for room in (0, 4, 8, 16, 20, 24, 32, 64, 80, 96):
        with Tmpfs("disk%d" % room, 1024) as disk:
            run = disk.path + "/run"
            disk.leave(room)
            pliant("run", "busy.json", "-o", run, "--no-movie", status=1, says="No space left on device")
            check(not temporaries(disk.path), "left behind:", temporaries(disk.path))
            os.unlink(disk.path + "/filler")
            pliant("run", "busy.json", "-o", run, "--frames", 1, "--resume", "-q", "--no-movie")
            same_run("whole", run, 1)


def limit_files(size):
    """Files may not grow beyond that, which is told by an error rather than a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_full_during_metrics():
    """The states find room, the lines do not."""
    write_scene("small.json", small_scene())
    pliant("run", "small.json", "-o", "whole", "-q", "--no-movie")
    lines = read("whole/metrics.jsonl").splitlines(True)
    limit = len(b"".join(lines[:4])) + 100
    check(len(states("whole")["000000.state"]) < limit, "states are larger than a few lines")
    failed = pliant("run", "small.json", "-o", "run", "--no-movie", status=1, says=["run/metrics.jsonl", "frames 0 to 3 are kept"],
                    preexec_fn=lambda: limit_files(limit))
    check(len(metrics("run")) == 4 and len(states("run")) == 4, failed)
    pliant("run", "run", "--resume", "-q", "--no-movie")
    same_run("whole", "run")
    # a line that a crash has torn
    write("run/metrics.jsonl", b"".join(lines[:5]) + lines[5][:40])
    os.unlink("run/frames/000006.state")
    os.unlink("run/frames/000005.state")
    pliant("run", "run", "--resume", "-q", "--no-movie")
    same_run("whole", "run")


def test_unreadable_metrics():
    """What cannot be read is not taken for empty."""
    write_scene("small.json", small_scene())
    pliant("run", "small.json", "-o", "run", "-q", "--no-movie", "--frames", 2)
    os.rename("run/metrics.jsonl", "lines")
    os.symlink("metrics.jsonl", "run/metrics.jsonl")
    pliant("run", "run", "--frames", 3, status=1, says=["run/metrics.jsonl: ", "symbolic links"])
    check(os.path.islink("run/metrics.jsonl") and len(states("run")) == 3, "it was written anew")
    os.rename("lines", "run/metrics.jsonl")
    pliant("run", "run", "--frames", 3, "-q", "--no-movie")


def test_full_while_it_begins_anew():
    """A run that cannot begin anew from its own inputs keeps them and its frames."""
    write_scene("busy.json", busy_scene(frames=1))
    pliant("run", "busy.json", "-o", "run", "-q", "--no-movie")
    before = snapshot_of("run")
    pliant("run", "run", "--force", "--no-movie", status=1, says=["run/inputs.new/cube.obj", "File too large"], preexec_fn=lambda: limit_files(100))
    check(snapshot_of("run") == before, "something is lost")
    # room for the inputs, but for no scene
    pliant("run", "run", "--force", "--no-movie", status=1, says=["run/scene.json", "File too large"], preexec_fn=lambda: limit_files(len(CUBE_OBJ) + 1))
    pliant("run", "run", "-q", "--no-movie")
    check(states("run") == {os.path.basename(name): data for name, data in before.items() if name.endswith(".state")}, "not the same frames")
    check(not os.path.exists("run/inputs.new") and not os.path.exists("run/.beginning"), os.listdir("run"))
    # killed between the two renames that exchange the inputs
    os.rename("run/inputs", "run/inputs.new")
    pliant("run", "run", "-q", "--no-movie")
    check(os.path.isdir("run/inputs") and not os.path.exists("run/inputs.new"), os.listdir("run"))


def test_full_during_movie():
    if not has_pictures():
        raise Skipped("built without pictures")
    write_scene("busy.json", busy_scene(look={"size": [160, 120], "samples": 1}))
    pliant("run", "busy.json", "-o", "whole", "-q")
    with Tmpfs("disk", 1024) as disk:
        pliant("run", "busy.json", "-o", "disk/run", "-q", "--no-movie")
        disk.leave(4)
        fails_and_goes_on(disk, "disk/run", ["movie.webp"])
        pliant("run", "busy.json", "-o", "disk/run", "--resume", "-q")
        same_run("whole", "disk/run")
        check(read("disk/run/movie.webp") == read("whole/movie.webp"), "the movies differ")
        old = read("disk/run/movie.webp")
        disk.leave(4)
        pliant("render", "disk/run", "--set", "look.background=\"#ff0000\"", status=1, says="No space left on device")
        check(read("disk/run/movie.webp") == old, "the old movie is gone")
        pliant("export", "disk/run", "--to", "ply", status=1, says="No space left on device")
        check(not temporaries("disk/run"), temporaries("disk/run"))


# ---- places that do not take a run -------------------------------------------------------------------------------------

def test_read_only():
    write_scene("small.json", small_scene())
    pliant("run", "small.json", "-o", "/proc/run", status=1, says="/proc/run")
    with Tmpfs("disk", 1024) as disk:
        pliant("run", "small.json", "-o", "disk/run", "--frames", 2, "-q", "--no-movie")
        before = snapshot_of("disk")
        disk.remount("ro")
        pliant("run", "small.json", "-o", "disk/other", status=1, says="Read-only file system")
        pliant("run", "disk/run", "--frames", 4, status=1, says="Read-only file system")
        pliant("export", "disk/run", "--to", "ply", status=1, says="Read-only file system")
        pliant("plot", "disk/run", status=1, says="Read-only file system")
        pliant("plot", "disk/run", "-o", "plot.svg")
        pliant("info", "disk/run", says="frames 0 to 2")
        if has_pictures():
            pliant("render", "disk/run", status=1, says="Read-only file system")
            pliant("render", "disk/run", "-o", "movie.webp")
        check(snapshot_of("disk") == before, "the run has changed")
        disk.remount("rw")


def test_other_things_are_not_touched():
    write_scene("small.json", small_scene())
    write("file", "mine")
    pliant("run", "small.json", "-o", "file", status=2, says=["file", "-o"])
    pliant("run", "small.json", "-o", "file/run", status=1, says="file/run")
    check(read("file") == b"mine", "the file has changed")
    # names that a run has too
    for name in ("notes.txt", "frames/holiday.png", "scene.json", "inputs/bunny.obj", "metrics.jsonl", ".hidden"):
        write("mine/" + name, "mine")
        for words in ([], ["--force"], ["--resume"]):
            pliant("run", "small.json", "-o", "mine", *words, status=2, says=["mine: holds other things", "-o"])
        check(snapshot_of("mine") == {"mine/" + name: b"mine"}, name, "was touched")
        shutil.rmtree("mine")
    os.makedirs("empty")
    pliant("run", "small.json", "-o", "empty", "-q", "--no-movie")
    pliant("run", "small.json", "-o", "empty", status=2, says=["--resume", "--force"])
    # what somebody put beside a run stays
    write("empty/notes.txt", "mine")
    pliant("run", "small.json", "-o", "empty", "--force", "-q", "--no-movie")
    check(read("empty/notes.txt") == b"mine", "the notes are gone")


def test_beginning_that_was_killed():
    """Whatever a beginning leaves, the next one takes."""
    write_scene("small.json", small_scene())
    os.makedirs("run/frames")
    write("run/.beginning", "")
    write("run/scene.json", "{")
    write("run/run.json.999999-0.tmp", "{")
    pliant("run", "small.json", "-o", "run", "-q", "--no-movie")
    check(sorted(os.listdir("run")) == ["checkpoint", "frames", "log.txt", "metrics.jsonl", "run.json", "scene.json"], os.listdir("run"))


def test_stale_temporaries_go():
    write_scene("small.json", small_scene())
    pliant("run", "small.json", "-o", "run", "--frames", 3, "-q", "--no-movie")
    stale = ["run/scene.json.999999-0.tmp", "run/frames/000004.state.999999-3.tmp", "run/checkpoint/state.999999-0.tmp", "run/movie.webp.999999-0.tmp", "run/.beginning.999999-0.tmp",
             "run/export/ply/cube_000001.ply.999999-1.tmp"]
    alive = "run/movie.webp.%d-0.tmp" % os.getpid()
    mine = ["run/notes.tmp", "run/frames/a.1.tmp", "run/x-1.tmp"]
    for path in stale + [alive] + mine:
        write(path, "x")
    pliant("run", "run", "--frames", 4, "-q", "--no-movie")
    check(sorted(temporaries("run")) == sorted([alive] + mine), temporaries("run"))


def test_two_at_once():
    """The first is stopped meanwhile, so that it cannot end too early."""
    write_scene("busy.json", busy_scene(4))
    first = subprocess.Popen([PLIANT, "run", "busy.json", "-o", "run", "-q", "--no-movie"])
    try:
        while not os.path.exists("run/frames/000000.state"):
            time.sleep(0.005)
        first.send_signal(signal.SIGSTOP)
        for words in (["--resume"], ["--force"], []):
            pliant("run", "busy.json", "-o", "run", "--no-movie", *words, status=2, says=["run: another run is at work in it", "-o"])
        pliant("info", "run", says="not finished")
        pliant("plot", "run", "-o", "plot.svg")
    finally:
        first.send_signal(signal.SIGCONT)
        check(first.wait() == 0, "the first run fails")
    pliant("run", "busy.json", "-o", "alone", "-q", "--no-movie")
    same_run("run", "alone")


main(globals())
