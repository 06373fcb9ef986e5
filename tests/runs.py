"""tests/runs.py -- what the tests of the command share: a temporary directory, scenes, ways to run it, and checks.

Tests are the functions of a script whose names begin with "test_"; each gets an empty directory as its working directory.
    run_NAME.py PLIANT [--slow] [NAME...]
Exit status: 0 all passed, 1 some failed, 77 all were skipped.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

PLIANT = os.path.abspath(sys.argv[1])
SLOW = "--slow" in sys.argv
METRICS = ["frame", "time", "wall_s", "substeps", "kinetic", "elastic", "gravity", "mass", "center", "momentum", "angular", "volume",
           "volume_error", "min_J", "inverted", "max_stretch", "contacts", "cg_iterations"]


class Skipped(Exception):
    pass


class Failed(Exception):
    pass


def check(condition, *words):
    if not condition:
        raise Failed(" ".join(str(word) for word in words))


class Result:
    def __init__(self, process):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr
        self.words = process.args

    def __str__(self):
        return "%s: status %d\n%s%s" % (" ".join(self.words), self.status, self.out, self.err)


def pliant(*words, status=0, says=None, environment=None, **more):
    """Run the command; `status` None takes any. `says` must be in what it says, one text or several."""
    env = dict(os.environ, **(environment or {}))
    result = Result(subprocess.run([PLIANT, *[str(w) for w in words]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   universal_newlines=True, errors="backslashreplace", env=env, timeout=300, **more))
    check(status is None or result.status == status, "expected status", status, "of", result)
    check("Sanitizer" not in result.err and "runtime error:" not in result.err, "a sanitizer says", result)
    for text in [says] if isinstance(says, str) else says or []:
        check(text in result.err + result.out, "expected \"%s\" from" % text, result)
    # an error is one sentence, and says more than a code
    if result.status in (1, 2) and words:
        check(result.err.strip(), "no sentence from", result)
    return result


def write(path, content):
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w" if isinstance(content, str) else "wb") as file:
        file.write(content)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write_scene(path, scene):
    write(path, json.dumps(scene, indent=2))


def states(run):
    """Bytes of every frame by its name."""
    frames = os.path.join(run, "frames")
    return {name: read(os.path.join(frames, name)) for name in sorted(os.listdir(frames)) if name.endswith(".state")}


def metrics(run):
    return [json.loads(line) for line in read(os.path.join(run, "metrics.jsonl")).decode().splitlines()]


def timeless(run):
    """Metrics without what the clock says."""
    return [{key: value for key, value in line.items() if key != "wall_s"} for line in metrics(run)]


def same_run(a, b, frames=None):
    """The same bits, in frames 0 to `frames` (or all)."""
    first, second = states(a), states(b)
    if frames is not None:
        first, second = [{k: v for k, v in s.items() if int(k[:6]) <= frames} for s in (first, second)]
    check(list(first) == list(second), a, "has frames", list(first), "and", b, list(second))
    for name in first:
        check(first[name] == second[name], a, "and", b, "differ in", name)
    count = len(first)
    check(timeless(a)[:count] == timeless(b)[:count], a, "and", b, "differ in their metrics")


def temporaries(run):
    return [os.path.join(top, name) for top, _, names in os.walk(run) for name in names if name.endswith(".tmp")]


def snapshot_of(directory):
    """All files with their bytes."""
    return {os.path.join(top, name): read(os.path.join(top, name)) for top, _, names in os.walk(directory) for name in names}


CUBE_OBJ = """o cube
v -0.1 -0.1 -0.1
v 0.1 -0.1 -0.1
v 0.1 0.1 -0.1
v -0.1 0.1 -0.1
v -0.1 -0.1 0.1
v 0.1 -0.1 0.1
v 0.1 0.1 0.1
v -0.1 0.1 0.1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
g lower
f 1/1 4/2 3/3 2/4
f 5/1 6/2 7/3 8/4
f 1/1 2/2 6/3 5/4
g upper
f 3/1 4/2 8/3 7/4
f 1/1 5/2 8/3 4/4
f 2/1 3/2 7/3 6/4
"""
LOOK = {"size": [48, 32], "samples": 1}


def small_scene(**more):
    """A jelly cube on a floor: a few hundredths of a second."""
    scene = {"frames": 6, "floor": {"height": 0, "friction": 0.5}, "look": LOOK,
             "bodies": {"cube": {"shape": {"box": [0.4, 0.4, 0.4]}, "resolution": 3, "at": [0, 0.25, 0], "material": "gelatin"}}}
    scene.update(more)
    return scene


def busy_scene(cells=3, **more):
    """Contact, keys, moving pins and objects, a carried surface; a quarter of a second, or one and a half with 6 cells."""
    write("meshes/cube.obj", CUBE_OBJ)
    scene = {
        "frames": 6, "floor": {"height": 0, "friction": 0.5}, "look": LOOK, "output": {"checkpoint_every": 0.01},
        "bodies": {
            "block": {
                "shape": {"box": [0.4, 0.4, 0.4]}, "resolution": cells, "at": [0, 0.22, 0],
                "material": {"like": "gelatin", "young": {"keys": [[0, 2e4], [0.2, 6e4]]}},
                "strength": {"keys": [[0, 0.2], [0.2, 1]], "ease": "smooth"},
                "select": {"top": {"box": [[0, 0.9, 0], [1, 1, 1]]}},
                "pins": [{"select": "top", "move": {"keys": [[0, [0, 0, 0]], [0.2, [0.05, -0.1, 0]]]},
                          "rotate": {"keys": [[0, [0, 0, 0]], [0.2, [0, 30, 0]]]}, "strength": {"keys": [[0, 1], [0.1, 1], [0.15, 0.5]]}}]},
            "jelly": {"surface": "meshes/cube.obj", "resolution": cells - 1, "at": [0.42, 0.16, 0], "velocity": [-1, 0, 0], "material": "rubber",
                      "friction_with": {"floor": 0.4}}},
        "objects": {"ball": {"shape": {"sphere": 0.15}, "spin": [0, 180, 0], "friction": 0.8,
                             "at": {"keys": [[0, [-0.4, 0.15, 0]], [0.25, [-0.25, 0.15, 0]]], "ease": "smooth"}}}}
    scene.update(more)
    return scene


def meeting_scene(cells=6, **more):
    """Cloth that falls on a block, a plate and itself, with friction of pairs; a second, or a third of one with 4 cells."""
    scene = {
        "frames": 6, "floor": {"height": 0, "friction": 0.5}, "look": LOOK, "output": {"checkpoint_every": 0.01},
        "bodies": {
            "cloth": {"kind": "shell", "shape": {"sheet": [0.5, 0.5]}, "size": 0.4 / cells, "at": [0, 0.235, 0], "velocity": [0, -3, 0],
                      "material": "cotton", "thickness": 0.002, "collides": True, "self_collision": True, "friction_with": {"cloth": 0.1, "block": 0.6}},
            "block": {"shape": {"box": [0.2, 0.2, 0.2]}, "size": 0.5 / cells, "at": [0, 0.105, 0], "velocity": [0.5, 0, 0], "material": "gelatin",
                      "collides": True, "friction_with": {"floor": 0.2}}},
        "objects": {"plate": {"shape": {"box": [0.2, 0.02, 0.2]}, "contact": "surface", "at": [0.2, 0.21, 0], "rotate": [0, 0, -20], "spin": [0, 90, 0]},
                    "ball": {"shape": {"sphere": 0.08}, "at": [-0.24, 0.1, 0], "velocity": [0.5, 0, 0], "friction": 0.8}}}
    scene.update(more)
    return scene


def main(tests):
    wanted = [name for name in sys.argv[2:] if not name.startswith("--")]
    failed = skipped = 0
    chosen = [(name, test) for name, test in tests.items() if name.startswith("test_") and (not wanted or name[5:] in wanted)]
    for name, test in chosen:
        directory, began, verdict = tempfile.mkdtemp(prefix="pliant_"), time.time(), "ok"
        os.chdir(directory)
        try:
            test()
        except Skipped as why:
            skipped, verdict = skipped + 1, "skipped: %s" % why
        except Failed as why:
            failed, verdict = failed + 1, "FAILED: %s" % why
        except Exception:
            failed, verdict = failed + 1, "FAILED:\n" + traceback.format_exc()
        finally:
            os.chdir("/")
            shutil.rmtree(directory, ignore_errors=True)
        print("%-32s %5.1f s  %s" % (name[5:], time.time() - began, verdict), flush=True)
    print("%d passed, %d failed, %d skipped" % (len(chosen) - failed - skipped, failed, skipped))
    sys.exit(1 if failed else 77 if skipped == len(chosen) else 0)
