#!/usr/bin/python3
"""tests/run_kills.py PLIANT [--slow] -- runs that are killed, interrupted and resumed end with the bits of runs that are not.

Whatever the moment of a kill, every file that is visible and not a temporary one is whole.
"""
import random
import re
import shlex
import signal

from runs import *

KILLS = 1000 if SLOW else 30
CELLS = 6 if SLOW else 4
TEMPORARY = re.compile(r"\.\d+-\d+\.tmp$")


def start(*words):
    return subprocess.Popen([PLIANT, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)


def lines_are_whole(path):
    """All but what follows the last line break."""
    lines = read(path).decode().split("\n")[:-1]
    check([json.loads(line)["frame"] for line in lines] == list(range(len(lines))), path, "has odd lines")


def inspect(run, reference, inputs):
    """What a killed process leaves. Returns whether a checkpoint within a frame was there."""
    within = False
    for top, _, names in os.walk(run):
        for name in names:
            path = os.path.join(top, name)
            if TEMPORARY.search(name) or name in (".beginning", "log.txt"):
                continue
            if name.endswith(".state"):
                check(read(path) == reference[name], path, "is not what the uninterrupted run has")
            elif name == "state":
                within = json.loads(pliant("info", "--json", path).out)["substeps"] > 0
            elif name == "metrics.jsonl":
                lines_are_whole(path)
            elif name.endswith(".json"):
                json.loads(read(path).decode())
            elif name in inputs:
                check(read(path) == inputs[name], path, "is not whole")
            elif name == "movie.webp":
                check(read(path)[:4] == b"RIFF", path, "is not whole")
            else:
                check(False, "a stranger:", path)
    return within


def kill_until_done(run, scene, reference, inputs, moments, longest, left):
    """Start, wait, kill, look, again. Returns how many kills it took and how many checkpoints they found."""
    kills = found = 0
    while True:
        process = start("run", scene, "-o", run, "--resume", "-q", "-j", str(moments.choice([1, 2])))
        # the last run is left alone
        wait = moments.uniform(0, longest) if kills < left else 300
        try:
            status = process.wait(timeout=wait)
            check(status == 0, "a resumed run says", process.stderr.read())
            return kills, found
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        finally:
            process.stderr.close()
        if os.path.isdir(run):
            found += inspect(run, reference, inputs)


def kill(scene, inputs, most):
    """Runs of a scene, until `most` kills are done."""
    write_scene("scene.json", scene)
    began = time.time()
    pliant("run", "scene.json", "-o", "whole", "-q")
    longest = max(0.3, 0.3 * (time.time() - began))
    reference = states("whole")
    seed = random.randrange(1 << 30)
    moments = random.Random(seed)
    kills = found = runs = 0
    began = time.time()
    while kills < most:
        run = "run%d" % runs
        more, checkpoints = kill_until_done(run, "scene.json", reference, inputs, moments, longest, most - kills)
        same_run("whole", run)
        check(read(run + "/movie.webp") == read("whole/movie.webp") if os.path.exists("whole/movie.webp") else True, "the movies differ")
        check(not temporaries(run), "left behind:", temporaries(run))
        check(not os.path.exists(run + "/.beginning"), "the mark of the beginning is still there")
        kills, found, runs = kills + more, found + checkpoints, runs + 1
        shutil.rmtree(run)
    print("%d kills, %d of them with a checkpoint within a frame, %d runs, %.0f s, seed %d" % (kills, found, runs, time.time() - began, seed))
    check(found > 0, "no kill found a checkpoint within a frame")


def test_kills():
    kill(busy_scene(CELLS), {"cube.obj": CUBE_OBJ.encode()}, KILLS)


def test_kills_of_bodies_that_meet():
    kill(meeting_scene(), {}, KILLS // 2)
    last = metrics("whole")[-1]
    check(last["contacts"] > 0 and any(line["near_pairs"] + line["collisions"] > 0 for line in metrics("whole")), "nothing meets")


def test_kills_of_a_carried_surface_that_breaks():
    """States say how it is torn; its surface, and so the movie, is found again."""
    write("meshes/cube.obj", CUBE_OBJ)
    pull = lambda way: {"keys": [[0, [0, 0, 0]], [0.2, [way, 0, 0]]]}
    kill({"frames": 6, "gravity": [0, 0, 0], "look": LOOK, "output": {"checkpoint_every": 0.01}, "bodies": {"jelly": {
        "surface": "meshes/cube.obj", "resolution": 4, "self_collision": False, "material": {"like": "rubber", "young": 1e4, "fracture_stress": 500}, "smallest_piece": 4,
        "select": {"left": {"box": [[0, 0, 0], [0.1, 1, 1]]}, "right": {"box": [[0.9, 0, 0], [1, 1, 1]]}},
        "pins": [{"select": "left", "move": pull(-0.3)}, {"select": "right", "move": pull(0.3)}]}}}, {"cube.obj": CUBE_OBJ.encode()}, KILLS // 3)
    check(sum(line["torn"] for line in metrics("whole")) > 0, "nothing breaks")


def test_kills_of_a_liquid():
    """Beside a body, so that it lags behind in the middle of a frame; in a box that grows, with a source and objects that move."""
    kill({"frames": 5, "look": LOOK, "output": {"checkpoint_every": 0.01}, "domain": {"box": [[-0.3, -0.1, -0.3], [0.3, 0.5, 0.3]], "size": 0.06, "grow": ["+x", "+y"]},
          "liquids": {"water": {"shape": {"box": [0.4, 0.2, 0.6]}, "at": [-0.1, 0.1, 0]},
                      "tap": {"kind": "source", "shape": {"sphere": 0.12}, "at": [-0.1, 0.35, 0], "velocity": [1, -1, 0], "rate": 0.02}},
          "objects": {"floor": {"shape": {"plane": [0.1, 1, 0]}}, "ball": {"shape": {"sphere": 0.12}, "at": [0.1, 0.1, 0], "velocity": [1, 0, 0]}, "push": {"body": "jelly"}},
          "bodies": {"jelly": {"shape": {"box": [0.2, 0.2, 0.2]}, "size": 0.1, "at": [0, 0.5, 0], "velocity": [0, -3, 0], "material": {"like": "rubber", "young": 2e6}}}}, {}, KILLS // 3)
    last = metrics("whole")[-1]
    check(last["liquid_added"] > 0.001 and last["forces"]["push"]["area"] > 0, "the liquid meets nothing", last["forces"])


def killed_after(seconds, run, *words):
    """That long after the directory has become a run."""
    process = start("run", *words, "-o", run, "-q")
    while not os.path.exists(run + "/run.json") and process.poll() is None:
        time.sleep(0.001)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stderr.close()


def test_kill_of_a_branch():
    """Also before its first own frame, which is when only run.json tells what was changed."""
    write_scene("busy.json", busy_scene(CELLS))
    pliant("run", "busy.json", "-o", "parent", "-q", "--no-movie")
    change = ["--branch", "3", "--set", "gravity=[0,-3,0]", "--set", "bodies.jelly.strength=0.5", "--no-movie"]
    pliant("run", "parent", "-o", "whole", "-q", *change)
    check(states("whole")["000004.state"] != states("parent")["000004.state"], "the changes do nothing")
    early = 0
    for k in range(60 if SLOW else 4):
        run = "branch%d" % k
        killed_after(0.01 * (k % 40), run, "parent", *change)
        early += "000004.state" not in os.listdir(run + "/frames")
        pliant("run", run, "--resume", "-q", "--no-movie")
        same_run("whole", run)
        shutil.rmtree(run)
    check(early > 0, "no kill came early")


def test_kill_while_it_begins_anew():
    """A run that begins anew from its own scene and inputs: whenever it is killed, it can do so again."""
    write_scene("busy.json", busy_scene(3))
    pliant("run", "busy.json", "-o", "whole", "-q", "--no-movie")
    shutil.copytree("whole", "run")
    moments = random.Random(7)
    early = 0
    for _ in range(300 if SLOW else 30):
        process = start("run", "run", "--force", "-q", "--no-movie")
        time.sleep(moments.uniform(0, 0.05))
        process.kill()
        process.communicate()
        early += not os.path.exists("run/run.json")
        pliant("run", "run", "-q", "--no-movie")
        same_run("whole", "run")
    print("%d kills came before it was a run" % early)


def interrupt(number, spaced):
    run = "a run" if spaced else "run"
    process = subprocess.Popen([PLIANT, "run", "busy.json", "-o", run, "--no-movie"], stderr=subprocess.PIPE, universal_newlines=True)
    while not os.path.exists(run + "/frames/000001.state"):
        time.sleep(0.01)
        check(process.poll() is None, "it ended by itself")
    time.sleep(0.03)
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    check(process.returncode == 130, "status", process.returncode, said)
    told = re.search(r"interrupted at frame \d+ of 6; go on with: (pliant run .*)$", said, re.M)
    check(told, "expected the command to go on with:", said)
    words = shlex.split(told.group(1))
    pliant(*words[1:], "--no-movie", "-q")
    same_run("whole", run)
    shutil.rmtree(run)


def test_signals():
    write_scene("busy.json", busy_scene(CELLS))
    pliant("run", "busy.json", "-o", "whole", "-q", "--no-movie")
    interrupt(signal.SIGINT, False)
    interrupt(signal.SIGTERM, True)


def test_interrupted_movie():
    write_scene("small.json", small_scene(look={"size": [640, 360], "samples": 64}))
    process = subprocess.Popen([PLIANT, "run", "small.json"], stderr=subprocess.PIPE, universal_newlines=True)
    while not os.path.exists("small.run/frames/000006.state"):
        time.sleep(0.005)
        check(process.poll() is None, "it ended by itself:", process.returncode)
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    if "without pictures" in said:
        raise Skipped("built without pictures")
    check(process.returncode == 130 and "pliant run small.run --resume" in said, process.returncode, said)
    check(not temporaries("small.run"), temporaries("small.run"))


main(globals())
