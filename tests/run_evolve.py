#!/usr/bin/python3
"""tests/run_evolve.py PLIANT -- runs that are made longer, drawn anew, moved, branched, damaged; and what is refused.

Also: the same bits for every number of threads and every width of registers.
"""
import re

from runs import *


def simulate(run, *words, **more):
    return pliant("run", "busy.json", "-o", run, "-q", "--no-movie", *words, **more)


def begin(frames=6):
    scene = busy_scene(frames=frames)
    write_scene("busy.json", scene)
    simulate("whole")
    return scene


# ---- length and look ---------------------------------------------------------------------------------------------------

def test_longer_and_shorter():
    begin(6)
    simulate("run", "--frames", 2)
    check(len(states("run")) == 3, "frames", len(states("run")))
    simulate("run", "--frames", 4, "--resume")
    same_run("whole", "run", 4)
    check(len(states("run")) == 5 and len(metrics("run")) == 5, "not 5 frames")
    pliant("run", "busy.json", "-o", "run", "--frames", 2, "--resume", "--no-movie", says=["has frames 0 to 4 already", "--last 2", "is complete, with frames 0 to 4"])
    check(len(states("run")) == 5 and len(metrics("run")) == 5, "a shorter run keeps its frames")
    check(json.loads(read("run/scene.json").decode())["frames"] == 4, "and its length")
    simulate("run", "--resume")
    same_run("whole", "run")
    pliant("run", "run", "--frames", 7, "-q", "--no-movie")
    check(len(states("run")) == 8 and json.loads(read("run/scene.json").decode())["frames"] == 7, "not 8 frames")
    same_run("whole", "run", 6)
    pliant("info", "run", says="frames 0 to 7 of 7")


def test_picture_only_changes():
    scene = begin()
    if "without pictures" in pliant("run", "busy.json", "-o", "whole", "--resume").err:
        raise Skipped("built without pictures")
    before, movie = states("whole"), read("whole/movie.webp")
    times = {name: os.stat("whole/frames/" + name).st_mtime_ns for name in before}
    pliant("render", "whole", "--set", "look.color_by=stress", "--set", "camera.from=[2,1,2]", "--set", "bodies.block.color=\"#ff0000\"", "-o", "stress.webp")
    check(read("whole/movie.webp") == movie and read("stress.webp") != movie, "render -o")
    for pattern in ("p%d.png", "p%4d.png", "p%06d.png", "p%03d.png"):
        pliant("render", "whole", "-o", pattern, "--first", 2, "--last", 3)
        check([os.path.exists(pattern % k) for k in (1, 2, 3, 4)] == [False, True, True, False], pattern, "gives", os.listdir("."))
    pliant("render", "whole", "-o", "p%999d.png", status=2, says="%06d")
    pliant("render", "whole", "-o", "one.png", "--frame", 1)
    check(read("one.png")[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG")
    pliant("render", "whole", "--set", "gravity=[0,0,0]", status=2, says="gravity cannot change")
    pliant("render", "whole", "-o", "p%x.png", status=2, says="%06d")
    pliant("render", "whole", "-o", "p.png", status=2, says="--frame N")
    pliant("render", "whole", "-o", "p.gif", status=2, says=".webp")
    pliant("render", "whole", "--frame", 9, status=2, says="frames 0 to 6")
    pliant("render", "nothing", status=2, says="nothing: is not the directory of a run")
    scene["look"] = dict(LOOK, wireframe=True)
    scene["camera"] = {"fov": 50}
    scene["bodies"]["jelly"]["visible"] = False
    write_scene("busy.json", scene)
    pliant("run", "busy.json", "-o", "whole", "--resume", "-q")
    check(read("whole/movie.webp") != movie, "the movie has the old look")
    check(states("whole") == before, "frames have changed")
    check(times == {name: os.stat("whole/frames/" + name).st_mtime_ns for name in before}, "frames were written again")
    check(json.loads(read("whole/scene.json").decode())["camera"]["fov"] == 50, "scene.json is not up to date")
    movie = read("whole/movie.webp")
    pliant("run", "whole", says="movie.webp is up to date")
    pliant("run", "busy.json", "-o", "whole", "--resume", "--frames", 2, says=["has frames 0 to 6 already", "movie.webp is up to date"])
    check(read("whole/movie.webp") == movie, "fewer frames make another movie")
    pliant("render", "whole", "-q")
    check(read("whole/movie.webp") == movie, "drawn again it is another movie")


# ---- what is refused -----------------------------------------------------------------------------------------------------

REFUSED = [("fps", "30"), ("time_scale", "0.5"), ("bodies.block.at", "[0,1,0]"), ("bodies.block.resolution", "4"), ("bodies.block.material.density", "900"),
           ("bodies.block.material.model", "stvk"), ("bodies.jelly.material", "steel"), ("floor.height", "-1"), ("objects.ball.shape.sphere", "0.3"),
           ("bodies.block.select.top.box", "[[0,0.5,0],[1,1,1]]"), ("bodies.block.pins.0.soft", "0.1")]
BRANCHABLE = [("gravity", "[0,-1,0]"), ("solver.tolerance", "1e-6"), ("floor.friction", "0.1"), ("bodies.jelly.strength", "0.5"), ("objects.ball.friction", "0.1"),
              ("bodies.block.material.damping", "0.02"), ("bodies.jelly.material.young", "3e5"), ("bodies.block.pins.0.strength", "0.25"),
              ("bodies.jelly.friction_with.floor", "0.1")]


def test_refused_changes():
    begin(2)
    before = snapshot_of("whole")
    for path, value in REFUSED + BRANCHABLE:
        branch = (path, value) in BRANCHABLE
        # "sphere" and "like" may stand for themselves
        refused = simulate("whole", "--resume", "--set", "%s=%s" % (path, value), status=2, says=["cannot change", "--force"])
        named = re.match(r"whole: (\S+) cannot change", refused.err)
        check(named and named.group(1).replace(".item", ".0").startswith(path), "expected", path, "to be named:", refused.err)
        check(("--branch" in refused.err) == branch, "the way out of", path, "is wrong:", refused.err)
    both = ["--set", "fps=30", "--set", "gravity=[0,0,0]", "--set", "bodies.block.at=[0,1,0]"]
    told = simulate("whole", "--resume", *both, status=2, says=["fps", "gravity", "bodies.block.at"]).err
    check("--branch" not in told, "a branch would not help:", told)
    many = [word for path, value in REFUSED[:7] for word in ("--set", "%s=%s" % (path, value))]
    simulate("whole", "--resume", *many, status=2, says="and others")
    check(snapshot_of("whole") == before, "the run has changed")


def test_what_is_no_change():
    """Defaults that are written out, bare forms, names of the same file."""
    scene = begin(1)
    scene.update(gravity=[0, -9.81, 0], fps=24, time_scale=1, solver={"safety": 0.9})
    scene["bodies"]["jelly"]["material"] = {"like": "rubber"}
    scene["bodies"]["jelly"]["strength"] = 1
    scene["objects"]["ball"]["shape"] = {"sphere": {"radius": 0.15}}
    write("elsewhere/copies/box.obj", CUBE_OBJ)
    scene["bodies"]["jelly"]["surface"] = "copies/box.obj"
    write_scene("elsewhere/other_name.json", scene)
    pliant("run", "elsewhere/other_name.json", "-o", "whole", "--resume", "--frames", 2, "-q", "--no-movie")
    simulate("longer", "--frames", 2)
    same_run("whole", "longer")
    check(json.loads(read("whole/scene.json").decode())["bodies"]["jelly"]["surface"] == "inputs/cube.obj", "scene.json names no copy")
    pliant("run", "whole", "-q", "--no-movie")
    # states are in the order of bodies
    scene["bodies"] = dict(reversed(list(scene["bodies"].items())))
    write_scene("elsewhere/other_name.json", scene)
    pliant("run", "elsewhere/other_name.json", "-o", "whole", "--resume", status=2, says="bodies.(their order) cannot change")
    # numbers that `like` gives are not those of the table
    write_scene("like.json", small_scene(frames=1))
    pliant("run", "like.json", "-q", "--no-movie")
    pliant("run", "like.json", "--resume", "--set", "bodies.cube.material.young=1e5", status=2, says="bodies.cube.material.young cannot change")


def test_changed_input():
    begin(1)
    write("meshes/cube.obj", CUBE_OBJ.replace("v 0.1 0.1 0.1", "v 0.1 0.12 0.1"))
    simulate("whole", "--resume", "--frames", 2, status=2, says="meshes/cube.obj has changed since the run began")
    # the run has its own copy
    pliant("run", "whole", "--frames", 2, "-q", "--no-movie")
    write("whole/inputs/cube.obj", CUBE_OBJ.replace("v 0.1 0.1 0.1", "v 0.1 0.12 0.1"))
    pliant("run", "whole", "--frames", 3, status=2, says="has changed since the run began")
    os.unlink("whole/inputs/cube.obj")
    pliant("run", "whole", "--frames", 3, status=2, says="No such file")


def test_moved():
    begin(4)
    simulate("run", "--frames", 2)
    os.makedirs("far/away")
    os.rename("run", "far/away/moved run")
    shutil.rmtree("meshes")
    os.unlink("busy.json")
    pliant("run", "far/away/moved run", "--frames", 4, "-q", "--no-movie")
    same_run("whole", "far/away/moved run")
    pliant("run", "far/away/moved run/", "-o", "far/away/moved run", "-q", "--no-movie")
    pliant("run", "far/away/moved run", "-o", "again", "-q", "--no-movie")
    same_run("whole", "again")


def test_again_from_itself():
    """A run whose scene and inputs are its own begins anew."""
    begin(2)
    shutil.copytree("whole", "run")
    shutil.rmtree("meshes")
    os.unlink("busy.json")
    for words in (["run"], ["run/scene.json", "-o", "run"], ["run", "-o", "run/"]):
        times = os.stat("run/frames/000002.state").st_mtime_ns
        pliant("run", *words, "--force", "-q", "--no-movie")
        same_run("whole", "run")
        check(os.stat("run/frames/000002.state").st_mtime_ns != times, "it did not begin anew")
        check(read("run/inputs/cube.obj") == CUBE_OBJ.encode(), "the input is gone")
        check(sorted(os.listdir("run")) == sorted(os.listdir("whole")), os.listdir("run"))
    # what another scene leaves behind goes
    write_scene("small.json", small_scene(frames=1))
    pliant("run", "small.json", "-o", "run", "--force", "-q", "--no-movie")
    check(not os.path.exists("run/inputs") and len(states("run")) == 2, os.listdir("run"))


def test_pair_of_files():
    """TetGen's two files, of which the scene names one."""
    write("cube.obj", CUBE_OBJ)
    part = {"material": "gelatin"}
    for name, ending in (("one", "node"), ("two", "ele")):
        os.makedirs(name)
        pliant("mesh", "cube.obj", "-o", name + "/bar.node", "--size", "0.1" if name == "one" else "0.08", "-q")
    write_scene("pair.json", small_scene(frames=1, bodies={"a": dict(part, mesh="one/bar.node", at=[0, 0.3, 0]), "b": dict(part, mesh="two/bar.ele", at=[1, 0.3, 0])}))
    pliant("run", "pair.json", "-o", "whole", "-q", "--no-movie", "--frames", 2)
    pliant("run", "pair.json", "-o", "run", "-q", "--no-movie")
    copies = sorted(os.path.relpath(path, "run/inputs") for path in snapshot_of("run/inputs"))
    check(copies == ["2/bar.ele", "2/bar.node", "bar.ele", "bar.node"], copies)
    for name in ("one/bar.ele", "two/bar.node"):
        before = read(name)
        write(name, before + b"# changed\n")
        pliant("run", "pair.json", "-o", "run", "--resume", "--frames", 2, status=2, says=name + " has changed since the run began")
        write(name, before)
    shutil.copytree("two", "three")
    pliant("run", "pair.json", "-o", "run", "--resume", "-q", "--no-movie", "--set", "bodies.b.mesh=three/bar.ele")
    write("three/bar.node", before + b"# changed\n")
    pliant("run", "pair.json", "-o", "run", "--resume", "--set", "bodies.b.mesh=three/bar.ele", status=2, says="three/bar.node has changed since the run began")
    for name in ("one", "two", "three"):
        shutil.rmtree(name)
    pliant("run", "run", "--frames", 2, "-q", "--no-movie")
    same_run("whole", "run")
    write("run/inputs/2/bar.node", before + b"# changed\n")
    pliant("run", "run", status=2, says="run/inputs/2/bar.node has changed since the run began")


def test_same_names():
    """Two inputs of one name, in another order."""
    scene = busy_scene(frames=1)
    write("one/cube.obj", CUBE_OBJ)
    write("two/cube.obj", CUBE_OBJ.replace("v 0.1 0.1 0.1", "v 0.1 0.14 0.1"))
    part = {"resolution": 2, "material": "gelatin"}
    scene["bodies"] = {"a": dict(part, surface="one/cube.obj", at=[0, 0.3, 0]), "b": dict(part, surface="two/cube.obj", at=[1, 0.3, 0])}
    write_scene("busy.json", scene)
    simulate("whole", "--frames", 2)
    simulate("run")
    pliant("run", "run", "--frames", 2, "-q", "--no-movie")
    same_run("whole", "run")
    copies = {read(os.path.join(top, name)) for top, _, names in os.walk("run/inputs") for name in names}
    check(copies == {read("one/cube.obj"), read("two/cube.obj")}, "the copies are not those of the inputs")
    simulate("run", "--resume", "--frames", 2, "--set", "camera.fov=20")
    pliant("run", "run", "--frames", 2, "-q", "--no-movie")
    same_run("whole", "run")


# ---- branches ------------------------------------------------------------------------------------------------------------

def branch(new, frame, *words, **more):
    return pliant("run", "whole", "--branch", frame, "-o", new, "-q", "--no-movie", *words, **more)


def test_branch_without_changes():
    begin(4)
    before = snapshot_of("whole")
    for frame in (0, 2, 4):
        branch("b%d" % frame, frame)
        same_run("whole", "b%d" % frame)
    check(json.loads(read("b2/run.json").decode())["branched_at"] == 2, "run.json")
    branch("longer", 2, "--frames", 5)
    simulate("whole5", "--frames", 5)
    same_run("whole5", "longer")
    check(snapshot_of("whole") == before, "the parent has changed")


def test_branch_changes():
    begin(4)
    changes = BRANCHABLE + [("bodies.block.strength", '{"keys":[[0,1],[1,2]]}'), ("bodies.block.strength", "0.3"), ("gravity", '{"keys":[[0,[0,0,0]],[1,[9,0,0]]]}'),
                            ("bodies.block.material.young", "9e4"), ("bodies.block.pins.0.move", "[0,0.2,0]"), ("objects.ball.at", '{"keys":[[0,[-0.4,0.15,0]],[0.2,[0,0.5,0]]]}'),
                            ("bodies.block.material.young", '{"keys":[[0,2e4],[0.2,9e4]]}'), ("bodies.block.material.poisson", "0.3")]
    for k, (path, value) in enumerate(changes):
        new = "b%d" % k
        branch(new, 2, "--set", "%s=%s" % (path, value))
        same_run("whole", new, 1)
        check(timeless(new)[:3] == timeless("whole")[:3], "metrics up to the branch differ")
        check(states(new)["000003.state"] != states("whole")["000003.state"], path, "changes nothing")
        # interrupted there, and at its own frames
        shutil.copytree(new, "copy")
        for name in ("000003.state", "000004.state"):
            os.unlink("copy/frames/" + name)
        pliant("run", "copy", "-q", "--no-movie")
        same_run(new, "copy")
        shutil.rmtree("copy")
    # the same command again goes on
    os.unlink("b0/frames/000004.state")
    branch("b0", 2, "--set", "%s=%s" % changes[0], "--resume")
    check(len(states("b0")) == 5, "a branch was not resumed")
    # a branch of a branch
    pliant("run", "b0", "--branch", 3, "-o", "c", "-q", "--no-movie")
    same_run("b0", "c")


def test_branch_of_air_and_muscle():
    """Every live number of muscles, balloons and air acts from the branch on; pressure may also come to a body that had none."""
    write_scene("busy.json", {
        "frames": 3, "gravity": [0, 0, 0], "air": [1, 0, 0],
        "bodies": {
            "muscle": {"shape": {"box": [0.4, 0.1, 0.1]}, "size": 0.1, "material": {"like": "muscle", "activation": 0.2}},
            "balloon": {"kind": "shell", "shape": {"sphere": 0.2}, "size": 0.15, "at": [0, 1, 0], "material": "latex", "pressure": 50},
            "ball": {"kind": "shell", "shape": {"sphere": 0.2}, "size": 0.15, "at": [0, 2, 0], "material": "latex"},
            "sheet": {"kind": "shell", "shape": {"sheet": [0.4, 0.4]}, "size": 0.2, "at": [1, 0, 0], "material": "cotton", "drag": 1}}})
    simulate("whole")
    for k, (path, value) in enumerate([("bodies.muscle.material.activation", "1"), ("bodies.balloon.pressure", "90"), ("air.wind", "[0,3,0]"), ("bodies.ball.pressure", "20")]):
        branch("b%d" % k, 1, "--set", "%s=%s" % (path, value))
        check(states("b%d" % k)["000002.state"] != states("whole")["000002.state"], path, "changes nothing")


def test_branch_that_lost_frames():
    """Going on from a state before the branch would give the parent."""
    begin(4)
    branch("b", 2, "--set", "gravity=[0,-1,0]")
    for name, lose in (("000000.state", os.unlink), ("000002.state", os.unlink), ("000002.state", lambda path: write(path, read(path)[:1000]))):
        shutil.copytree("b", "copy")
        # what is damaged is found when nothing after it is left
        for later in ("000003.state", "000004.state"):
            os.unlink("copy/frames/" + later)
        lose("copy/frames/" + name)
        before = snapshot_of("copy")
        pliant("run", "copy", "--no-movie", status=2, says=["copy: frames before the branch are missing", "branch again"])
        check(snapshot_of("copy") == before, "it was touched")
        shutil.rmtree("copy")


def test_branch_from_a_damaged_run():
    begin(2)
    lines = read("whole/metrics.jsonl").splitlines(True)
    write("whole/metrics.jsonl", lines[0])
    branch("no", 1, status=2, says=["whole/metrics.jsonl", "frame 1", "pliant run whole --resume"])
    write("whole/metrics.jsonl", b"".join(lines))
    flip("whole/frames/000001.state", 2000)
    told = branch("no", 1, status=1, says="whole/frames/000001.state: is damaged")
    told = pliant("run", "whole", "--branch", 1, "-o", "no", status=1).err
    check("sharing" not in told and not os.path.exists("no"), told)


PAINTED = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nproperty float stiff\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n" + \
    "".join("%g %g %g %g\n" % (x, y, z, y > 0) for z in (-0.1, 0.1) for y in (-0.1, 0.1) for x in (-0.1, 0.1)) + \
    "".join("3 %s\n" % f for f in ("0 2 1", "1 2 3", "4 5 6", "5 7 6", "0 1 4", "1 5 4", "2 6 3", "3 6 7", "0 4 2", "2 4 6", "1 3 5", "3 7 5"))


def test_branch_of_painted():
    """Paint is kept as factors on the material's numbers, so these stay."""
    write("cube.ply", PAINTED)
    body = {"surface": "cube.ply", "resolution": 3, "at": [0, 0.3, 0], "paint": {"young": {"attribute": "stiff", "map": [[0, 1e4], [1, 5e4]]}}}
    write_scene("busy.json", small_scene(frames=2, materials={"base": {"like": "gelatin"}, "stuff": {"like": "base"}}, bodies={
        "own": dict(body, material={"like": "gelatin", "young": 2e4}), "shared": dict(body, at=[1, 0.3, 0], material="stuff")}))
    simulate("whole")
    for path in ("bodies.own.material.young", "materials.stuff.young", "materials.base.young"):
        branch("no", 1, "--set", path + "=3e4", status=2, says=[path + " (there is paint on it) cannot change at a branch"])
        told = simulate("whole", "--resume", "--set", path + "=3e4", status=2, says="there is paint on it").err
        check("--branch" not in told, "a branch would not help:", told)
    check(not os.path.exists("no"), "something was made")
    for k, path in enumerate(("bodies.own.material.damping", "materials.base.damping", "bodies.own.material.poisson")):
        branch("b%d" % k, 1, "--set", path + "=0.03")
        check(states("b%d" % k)["000002.state"] != states("whole")["000002.state"], path, "changes nothing")


def test_branch_refused():
    begin(2)
    before = snapshot_of("whole")
    for path, value in REFUSED:
        refused = branch("no", 1, "--set", "%s=%s" % (path, value), status=2, says="cannot change at a branch").err
        check("--branch" not in refused, refused)
    branch("no", 1, "--set", "objects.ball.at=[0,3,0]", status=2, says="objects.ball.at cannot change")
    branch("no", 3, status=2, says="frames 0 to 2")
    branch("whole", 1, status=2, says="-o must name another directory")
    branch("whole/", 1, "--force", status=2, says="-o must name another directory")
    pliant("run", "whole", "--branch", 1, status=2, says="-o")
    pliant("run", "busy.json", "--branch", 1, "-o", "no", status=2, says="give the directory of one")
    branch("no", 1, "--set", "gravity=[0,1,0],[0,2,0]", status=2, says="one value")
    check(not os.path.exists("no") and snapshot_of("whole") == before, "something was made")
    # a material of the scene that two bodies share stays one
    scene = busy_scene(frames=2)
    scene["materials"] = {"stuff": {"like": "gelatin"}}
    scene["bodies"]["jelly"]["material"] = scene["bodies"]["block"]["material"] = "stuff"
    write_scene("shared.json", scene)
    pliant("run", "shared.json", "-o", "shared", "-q", "--no-movie")
    pliant("run", "shared", "--branch", 1, "-o", "no", "--set", "bodies.jelly.material.young=1e5", "--no-movie", status=2, says="bodies.jelly.material")
    pliant("run", "shared", "--branch", 1, "-o", "no", "-q", "--no-movie")


# ---- damage ----------------------------------------------------------------------------------------------------------------

def flip(path, at):
    data = bytearray(read(path))
    data[at] ^= 16
    write(path, bytes(data))


def test_damage():
    begin(4)
    for name, at in (("000004.state", 1000), ("000004.state", 10), ("000004.state", -1)):
        shutil.copytree("whole", "run")
        flip("run/frames/" + name, at)
        pliant("info", "run/frames/" + name, status=2, says="damaged")
        pliant("run", "run", "--no-movie", says="warning: run/frames/%s is damaged; that frame is computed again" % name)
        same_run("whole", "run")
        shutil.rmtree("run")
    shutil.copytree("whole", "run")
    for name in ("000003.state", "000004.state"):
        write("run/frames/" + name, read("run/frames/" + name)[:1000])
    pliant("run", "run", "-q", "--no-movie")
    same_run("whole", "run")
    # one in the middle is named when it is needed
    flip("run/frames/000002.state", 500)
    pliant("export", "run", "--to", "ply", status=1, says=["run/frames/000002.state: is damaged", "remove it"])
    check(len(pliant("export", "run", "--to", "ply", "-q", status=1).err.strip().splitlines()) == 1, "more than one sentence")
    os.unlink("run/frames/000002.state")
    pliant("run", "run", "-q", "--no-movie", "--frames", 2)
    # neither lines nor states are left beyond it, so that the next one finds a run without holes
    check(len(metrics("run")) == 3 and len(states("run")) == 3, metrics("run"), list(states("run")))
    pliant("run", "run", "-q", "--no-movie", "--frames", 4)
    same_run("whole", "run")
    # and lines in the middle
    lines = read("run/metrics.jsonl").splitlines(True)
    write("run/metrics.jsonl", b"".join(lines[:2] + lines[3:]))
    pliant("run", "run", "--no-movie", says="run/metrics.jsonl has no line for frame 2")
    same_run("whole", "run")
    os.unlink("run/metrics.jsonl")
    write("run/run.json", "{ damaged")
    pliant("run", "run", status=2, says="run/run.json:1")


def test_damaged_checkpoint():
    write_scene("busy.json", busy_scene(6, frames=1))
    simulate("whole")
    for damage in (None, lambda path: flip(path, 5000), lambda path: flip(path, 17), lambda path: write(path, b""), lambda path: write(path, read(path)[:-8])):
        shutil.copytree("whole", "run")
        if not os.path.exists("run/checkpoint/state"):
            raise Skipped("the frame was too short for a checkpoint")
        os.unlink("run/frames/000001.state")
        check(json.loads(pliant("info", "--json", "run/checkpoint/state").out)["frame"] == 0, "the checkpoint is not of this frame")
        if damage:
            damage("run/checkpoint/state")
        pliant("run", "run", "-q", "--no-movie")
        same_run("whole", "run")
        shutil.rmtree("run")


def test_other_version():
    begin(2)
    manifest = json.loads(read("whole/run.json").decode())
    version = manifest["pliant"]
    manifest["pliant"] = "0.0.1"
    write_scene("whole/run.json", manifest)
    pliant("run", "whole", "--frames", 3, "--no-movie", says=["warning:", "pliant 0.0.1", version])


# ---- threads and registers ---------------------------------------------------------------------------------------------------

def test_threads_and_registers():
    begin(3)
    for words, environment in ((["-j1"], {}), (["-j", "2"], {}), (["--threads=5"], {}), (["-j1"], {"PLIANT_SIMD": "0"}), (["-j2"], {"PLIANT_SIMD": "32"}), ([], {"PLIANT_SIMD": "16"})):
        simulate("run", *words, environment=environment)
        same_run("whole", "run")
        shutil.rmtree("run")
    simulate("run", "--frames", 1, "-j1", environment={"PLIANT_SIMD": "0"})
    simulate("run", "--resume", "-j2")
    same_run("whole", "run")


main(globals())
