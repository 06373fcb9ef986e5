#!/usr/bin/python3
"""tests/run_commands.py PLIANT -- the command line: help, mistakes, exit status, what is said where; check, info, mesh, plot."""
import pty
import re
import select

from runs import *

COMMANDS = ["run", "check", "render", "plot", "curves", "export", "mesh", "info", "bench", "validate", "schema"]


# ---- help ------------------------------------------------------------------------------------------------------------------

def test_help():
    overview = pliant("--help").out
    for command in COMMANDS:
        check("pliant " + command in overview, command, "is not in the overview")
        for words in ([command, "--help"], [command, "-h"], ["help", command], ["--help", command]):
            text = pliant(*words)
            check(text.out.startswith("usage: pliant " + command) and not text.err, words, "says", text)
            check(max(len(line) for line in text.out.splitlines()) <= 110, "wide lines in", text)
    check(pliant("help").out == pliant("-h").out == overview, "help")
    check(pliant(status=None).status == 2, "no command at all")
    check(re.fullmatch(r"pliant \d+\.\d+\.\d+\n", pliant("--version").out), "--version")


def test_mistakes():
    write_scene("small.json", small_scene())
    for words, says in [
            (["rnu"], "did you mean \"run\"?"), (["frobnicate"], "see pliant --help"), (["help", "exprot"], "did you mean \"export\"?"),
            (["run"], "SCENE.json|DIR is missing"), (["run", "a", "b"], "\"b\" is one too many"), (["run", "--resum", "x"], "did you mean --resume?"),
            (["run", "--zzz"], "unknown option --zzz; see pliant run --help"), (["mesh", "--branch", "3", "x"], "unknown option --branch"),
            (["run", "small.json", "--frames"], "--frames needs N"), (["run", "small.json", "--frames", "x"], "whole number from 0 to 1000000"),
            (["run", "small.json", "-n", "-1"], "from 0"), (["run", "small.json", "-n", "1.5"], "whole number"), (["run", "small.json", "-j", "0"], "from 1"),
            (["run", "small.json", "--quiet=yes"], "--quiet takes no value"), (["mesh", "x.obj", "--size", "nan"], "must be a number"),
            (["run", "nothere.json"], "nothere.json: No such file"), (["check", "nothere.json"], "nothere.json: No such file"), (["info", "nothere.obj"], "nothere.obj: No such file"),
            (["mesh", "nothere.obj"], "nothere.obj: No such file"), (["plot", "nothere"], "nothere: is not the directory of a run"), (["export", "nothere"], "--to"),
            (["export", "nothere", "--to", "ply"], "nothing of that name"), (["render", "small.json"], "is not the directory of a run"),
            (["run", "small.json", "--set", "frames"], "path=value"), (["run", "small.json", "--set", "frams=3"], "did you mean \"frames\"?"),
            (["run", "small.json", "--set", "bodies.cube.material.young=-3"], "young"), (["run", "small.json", "--set", "bodies.cbue.at=[0,0,0]"], "bodies.cbue"),
            (["check", "small.json", "--set", "bodies.cube.material=rubbr"], "did you mean \"rubber\"?"), (["info", "."], "it has no run.json")]:
        pliant(*words, status=2, says=says)
    write("broken.json", "{\n  \"frames\": 3,\n  \"bodies\" {}\n}")
    pliant("run", "broken.json", status=2, says="broken.json:3:")
    check(sorted(os.listdir(".")) == ["broken.json", "small.json"], "something was made:", os.listdir("."))
    pliant("run", "--", "-x.json", status=2, says="-x.json: No such file")


# ---- what is said ------------------------------------------------------------------------------------------------------------

def test_json_lines():
    write_scene("busy.json", busy_scene(frames=2))
    said = pliant("run", "busy.json", "--json", "--no-movie")
    check(said.out == read("busy.run/metrics.jsonl").decode() and not said.err, "--json says", said)
    for number, line in enumerate(json.loads(text) for text in said.out.splitlines()):
        check(line["frame"] == number, "frames")
        check([key for key in METRICS if key not in line] == [], "missing:", [key for key in METRICS if key not in line])
        check(list(line["bodies"]) == ["block", "jelly"], "bodies")
        for body in [line, *line["bodies"].values()]:
            for key in ("kinetic", "elastic", "gravity", "volume", "volume_error", "min_J", "inverted", "max_stretch", "contacts"):
                check(isinstance(body[key], (int, float)), key, "is", body[key])
            for key in ("momentum", "angular"):
                check(len(body[key]) == 3, key)
        for key in ("kinetic", "gravity", "volume"):
            total = sum(body[key] for body in line["bodies"].values())
            check(abs(total - line[key]) <= 1e-12 * abs(total), key, "of the bodies is", total, "and not", line[key])
    check(abs(metrics("busy.run")[2]["time"] - 2 / 24) < 1e-15, "time")


def test_tables():
    write("table.csv", "# steps\nn,a,b\n1,2,3\n2,4,\n")
    pliant("plot", "table.csv", says="table.svg")
    check(">steps<" in open("table.svg").read(), "no chart of a table")
    pliant("plot", "table.csv", "table.csv", "-o", "two.svg")
    check(open("two.svg").read().count(">steps<") == 2, "not a chart per table")
    pliant("plot", "table.csv", "other", status=2, says="other: is no table")
    pliant("plot", "nothere.csv", status=2, says="nothere.csv: cannot be read")
    pliant("plot", "table.csv", "--of", "t", status=2, says="--of")
    write("wrong.csv", "n,a\n1,x\n")
    pliant("plot", "wrong.csv", status=2, says="wrong.csv:2: \"x\"")


def test_quiet():
    write_scene("small.json", small_scene())
    for words in (["run", "small.json", "-q"], ["run", "small.run", "--quiet"], ["render", "small.run", "-q", "--frame", "1"], ["plot", "small.run", "-q"], ["export", "small.run", "--to", "ply", "-q"]):
        said = pliant(*words, status=None)
        if "without pictures" in said.err:
            continue
        check(said.status == 0 and not said.out and not said.err, "--quiet says", said)
    plain = pliant("run", "small.json", "-o", "other", "--no-movie")
    check("\x1b" not in plain.err and "\r" not in plain.err and "frame 6/6" in plain.err and not plain.out, plain)


def on_terminal(*words, **environment):
    """What a terminal would get."""
    main_end, terminal = pty.openpty()
    process = subprocess.Popen([PLIANT, *words], stderr=terminal, stdout=terminal, stdin=terminal, env=dict(os.environ, TERM="xterm", **environment))
    os.close(terminal)
    said = b""
    while True:
        if not select.select([main_end], [], [], 60)[0]:
            break
        try:
            piece = os.read(main_end, 65536)
        except OSError:
            break
        if not piece:
            break
        said += piece
    os.close(main_end)
    check(process.wait() == 0, words, "fails:", said)
    return said.decode()


def test_terminal():
    write_scene("busy.json", busy_scene(frames=3, bodies={"cube": {"shape": {"box": [0.3, 0.3, 0.3]}, "resolution": 3, "at": [0, 0.1, 0]}}))
    said = on_terminal("run", "busy.json", "--no-movie", NO_COLOR="1")
    check(re.search(r"\r\x1b\[Kframe 3/3  \d+ substeps  \d+ iterations  \d+ inverted  ETA \d+:\d\d", said), repr(said))
    check("warning:" in said and set(re.findall(r"\x1b\[[0-9;]*[A-Za-z]", said)) == {"\x1b[K"}, "escape codes:", repr(said))
    check(said.endswith("\n"), "the line stays open")
    check("warning: bodies.cube" in read("busy.run/log.txt").decode(), "the log has no warnings")
    check("\x1b[33mwarning:" in on_terminal("run", "busy.json", "--no-movie", "--force", NO_COLOR=""), "no colour")
    check("\x1b" not in on_terminal("run", "busy.json", "--no-movie", "--force", "--quiet"), "--quiet is not")


def test_completion():
    write("complete.sh", """source <("$1" --completion)
COMP_WORDS=(pliant r) COMP_CWORD=1; _pliant; echo "${COMPREPLY[@]}"
COMP_WORDS=(pliant run --re) COMP_CWORD=2; _pliant; echo "${COMPREPLY[@]}"
COMP_WORDS=(pliant export --t) COMP_CWORD=2; _pliant; echo "${COMPREPLY[@]}"
COMP_WORDS=(pliant run comp) COMP_CWORD=2; _pliant; echo "${COMPREPLY[@]}"
""")
    said = subprocess.run(["bash", "complete.sh", PLIANT], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout.splitlines()
    check(said == ["run render", "--resume", "--to --threads", "complete.sh"] or said == ["run render", "--resume", "--threads --to", "complete.sh"], said)


def test_man_page():
    if not shutil.which("groff"):
        raise Skipped("groff is not installed")
    page = pliant("--man").out
    said = subprocess.run(["groff", "-man", "-ww", "-Tascii"], input=page, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    check(said.returncode == 0 and not said.stderr, said.stderr)
    plain = re.sub(".\x08|\x1b\\[[0-9;]*m", "", said.stdout)
    for word in ["pliant " + command for command in COMMANDS] + ["--resume", "EXIT STATUS", "NO_COLOR"]:
        check(word in plain, word, "is not in the page")


# ---- check, info, mesh, plot ---------------------------------------------------------------------------------------------------

def test_check():
    write_scene("busy.json", busy_scene())
    text = pliant("check", "busy.json", says=["busy.json: fine", "body block:", "body jelly:", "object ball", "object floor", "substeps of about", "MB of memory", "MB of frames"])
    check("tetrahedra" in text.out, text)
    plan = json.loads(pliant("check", "busy.json", "--json").out)
    check(plan["frames"] == 6 and plan["substeps_per_frame"] >= 1 and plan["seconds"] > 0 and plan["memory_bytes"] > 0 and plan["disk_bytes"] > 0, plan)
    check(plan["bodies"]["block"]["tets"] > 0 and plan["bodies"]["jelly"]["triangles"] == 12, plan)
    # what it foretells: within a factor of two of the first frame's substeps, frames to a tenth
    pliant("run", "busy.json", "-q", "--no-movie")
    pliant("check", "busy.run", says="busy.run: fine")
    size = sum(len(data) for data in states("busy.run").values())
    check(0.9 * size <= plan["disk_bytes"] <= 1.1 * size + 2000 * 7, plan["disk_bytes"], "of", size)
    most = max(line["substeps"] for line in metrics("busy.run"))
    check(most / 3 <= plan["substeps_per_frame"] <= 3 * most, plan["substeps_per_frame"], "substeps, not", most)
    rod = small_scene(bodies={"rod": {"shape": {"box": [0.1, 0.01, 0.01]}, "size": 0.005, "at": [0, 0.5, 0], "material": "steel"}})
    write_scene("steel.json", rod)
    pliant("check", "steel.json", says=["warning:", "substeps per frame", "larger elements", "young"])
    check("warning" not in pliant("check", "steel.json", "--set", "bodies.rod.material=gelatin", "--set", "bodies.rod.size=0.05").err, "a soft one needs no warning")
    rod["bodies"]["rod"]["select"] = {"none": {"box": [[0.5, 2, 0], [1, 3, 1]]}}
    write_scene("steel.json", rod)
    pliant("check", "steel.json", status=2, says=["steel.json:", "none"])


def test_check_of_liquids():
    """The speed that decides on the steps, cells and bytes: of falling water, of what an object pushes, of a source."""
    still = {"frames": 12, "domain": {"box": [[0, 0, 0], [1, 0.6, 0.3]], "size": 0.05}, "liquids": {"water": {"level": 0.3}}}
    dam = dict(still, liquids={"water": {"shape": {"box": [0.3, 0.5, 0.3]}, "at": [0.15, 0.25, 0.15]}})
    push = dict(still, objects={"ball": {"shape": {"sphere": 0.1}, "at": {"keys": [[0, [0.2, 0.2, 0.15]], [0.5, [0.8, 0.2, 0.15]]]}}})
    tap = dict(still, liquids={"water": {"level": 0.1}, "tap": {"kind": "source", "shape": {"sphere": 0.1}, "at": [0.5, 0.45, 0.15], "velocity": [0, -1, 0], "rate": 0.02}})
    for name, scene in (("still", still), ("dam", dam), ("push", push), ("tap", tap)):
        write_scene(name + ".json", scene)
        plan = json.loads(pliant("check", name + ".json", "--json").out)
        pliant("run", name + ".json", "-q", "--no-movie")
        speeds = [line["liquid_speed"] for line in metrics(name + ".run")[1:]]
        real, told = sum(speeds) / len(speeds), plan["liquid_speed"]
        check(real / 2 <= told <= 2 * real or real < 1e-6 and told < 1e-6, name, "foretold a speed of", told, "but there was", real)
        check(plan["domain"]["cells"] == [20, 12, 6] and plan["seconds"] > 0, name, plan)
        size = sum(len(data) for data in states(name + ".run").values())
        check(size / 2 <= plan["disk_bytes"] <= 2 * size, name, plan["disk_bytes"], "bytes, not", size)


def test_check_of_what_meets():
    """How much will touch is not known before it does: what is foretold is the least."""
    write_scene("meeting.json", meeting_scene(4))
    pliant("check", "meeting.json", says=["at least ", "more as bodies meet"])
    check(json.loads(pliant("check", "meeting.json", "--json").out)["at_least"] is True, "not the least")
    write_scene("small.json", small_scene())
    check("at least" not in pliant("check", "small.json").out and json.loads(pliant("check", "small.json", "--json").out)["at_least"] is False, "one body meets nobody")


def test_check_of_kinds():
    material = {"like": "rubber", "density": 500}
    write_scene("kinds.json", {"frames": 2, "bodies": {
        "block": {"shape": {"box": [0.2, 0.2, 0.2]}, "elements": "hex", "size": 0.1, "material": material},
        "cloth": {"kind": "shell", "shape": {"sheet": [0.5, 0.4]}, "size": 0.1, "material": material},
        "wheel": {"kind": "planar", "shape": {"rectangle": [1, 0.5]}, "size": 0.1, "thickness": 0.02, "material": material}}})
    pliant("check", "kinds.json", says=["body block: 8 hexahedra, 27 nodes", "0.008 m^3, 4 kg", "body cloth: a shell of 40 triangles, 30 nodes, 0.2 m^2, 0.001 m thick, 0.1 kg",
                                        "body wheel: planar, 100 triangles, 66 nodes, 0.5 m^2, 0.02 m thick, 5 kg"])
    plan = json.loads(pliant("check", "kinds.json", "--json").out)
    check(plan["seconds"] > 0 and plan["bodies"]["block"]["hexes"] == 8 and plan["bodies"]["block"]["mass"] == 4, plan)
    check(plan["bodies"]["cloth"] == {"kind": "shell", "area": 0.2, "thickness": 0.001, "mass": 0.1, "nodes": 30, "triangles": 40}, plan)
    pliant("info", "kinds.json", says=["body block: solid of hexahedra, from box", "body cloth: shell, from sheet", "body wheel: planar, from rectangle"])


def test_without_bodies():
    """A liquid is enough for a scene; its domain is what the camera frames."""
    write_scene("pool.json", {"frames": 2, "floor": 0, "look": {"size": [64, 36], "samples": 1}, "domain": {"box": [[0, 0, 0], [2.01, 1, 1]], "size": 0.1},
                              "liquids": {"water": {"level": 0.5}, "drop": {"shape": {"sphere": 0.2}, "at": [1, 0.25, 0.5]}}})
    pliant("check", "pool.json", says=["pool.json: fine", "domain: 20 x 10 x 10 cells of 0.1 m, from [0, 0, 0] to [2, 1, 1] m", "liquid water: up to 0.5 m", "liquid drop: sphere at",
                                       "note: pool.json:", "is rounded to whole cells"])
    plan = json.loads(pliant("check", "pool.json", "--json").out)
    check(plan["bodies"] == {} and plan["domain"]["cells"] == [20, 10, 10] and list(plan["liquids"]) == ["water", "drop"], plan)
    pliant("info", "pool.json", says=["0 bodies, 2 liquids", "liquid water"])
    pliant("run", "pool.json", "-q", "--no-movie")
    check([line["time"] for line in metrics("pool.run")][2] == 2 / 24 and metrics("pool.run")[2]["bodies"] == {}, "metrics")
    pliant("render", "pool.run", "-q", "-o", "pool.png", status=None)
    for kind in ["ply", "vtu", "pc2", "usd", "glb", "npy", "obj"]:
        pliant("export", "pool.run", "--to", kind, "-q", "-o", "pool_" + kind)
    pliant("run", "pool.run", "--branch", "1", "-o", "branch.run", "-q", "--no-movie", "--set", "domain.cfl=1")
    pliant("run", "pool.run", "--branch", "1", "-o", "other.run", "-q", "--no-movie", "--set", "domain.size=0.2", status=2, says="domain.size cannot change at a branch")


def test_check_says_it_once():
    """Notes always, a failure once; nothing to be verbose about."""
    write_scene("busy.json", busy_scene())
    pliant("check", "busy.json", says="note:")
    pliant("check", "busy.json", "--verbose", status=2, says="unknown option --verbose")
    # the trial reads the scene again, which a pipe has only once
    said = pliant("check", "/dev/stdin", input=json.dumps(small_scene()), status=1).err
    check(len(said.splitlines()) == 1, "more than one sentence:", said)


def test_tangled_starts():
    """What starts inside something else is said by check, and by run once; the first line of metrics has the number."""
    box = lambda **more: dict({"shape": {"box": [0.2, 0.2, 0.2]}, "resolution": 3, "at": [0, 0.3, 0], "material": "gelatin"}, **more)
    scene = small_scene(frames=1, bodies={"left": box(), "right": box(at=[0.1, 0.35, 0.03])})
    write_scene("cross.json", scene)
    sentence = re.search(r"warning: bodies.left and bodies.right cross at \d+ pairs of triangles at the start, .*move one of them.*`collides`", pliant("check", "cross.json").err)
    check(sentence, "nothing is said of what crosses")
    said = pliant("run", "cross.json", "--no-movie").err
    check(said.count(" cross at ") == 1 and sentence.group() in said, said)
    check(metrics("cross.run")[0]["crossings"] > 0, "frame 0 says that nothing crosses")
    check("warning" not in pliant("check", "cross.json", "--set", "bodies.left.collides=false", "--set", "bodies.right.collides=false").err, "what does not collide is warned of")
    scene["objects"] = {"pole": {"shape": {"box": [0.01, 1, 0.01]}, "contact": "surface", "at": [0.03, 0.4, 0.02]}}
    del scene["bodies"]["right"]
    write_scene("pole.json", scene)
    pliant("check", "pole.json", says=["bodies.left and objects.pole cross", "contact `distance`"])
    scene["bodies"] = {"block": box(), "pea": box(shape={"sphere": 0.03}, at=[0.01, 0.3, 0])}
    del scene["objects"]
    write_scene("pea.json", scene)
    pliant("check", "pea.json", says="bodies.pea starts inside bodies.block and cannot come out: move one of them")


def test_many_planes():
    planes = {"p%d" % k: {"shape": {"plane": [0, 1, 0]}, "at": [0, -1 - k, 0]} for k in range(20)}
    planes["p3"]["visible"] = False
    write_scene("small.json", small_scene(frames=1, objects=planes))
    said = pliant("run", "small.json").err
    if "without pictures" in said:
        raise Skipped("built without pictures")
    check(said.count("pictures show the first 16 of 20 planes") == 1, said)
    check("planes" not in pliant("run", "small.json", "-o", "few", "--set", "objects.p4.visible=false", "--set", "objects.p5.visible=false",
                                 "--set", "objects.p6.visible=false", "--set", "objects.p7.visible=false").err, "16 are not too many")


def test_exported_color():
    """The colours of files are linear light; those of scenes are sRGB."""
    scene = small_scene(frames=0)
    scene["bodies"]["cube"]["color"] = "#3380ff"
    write_scene("small.json", scene)
    pliant("run", "small.json", "-q", "--no-movie")
    pliant("export", "small.run", "--to", "usd", "-o", "out", "-q")
    text = "".join(read("out/" + name).decode() for name in os.listdir("out"))
    told = [float(x) for x in re.search(r"displayColor = \[\(([^)]*)\)", text).group(1).split(",")]
    right = [((c / 255 + 0.055) / 1.055) ** 2.4 for c in (0x33, 0x80, 0xff)]
    check(max(abs(a - b) for a, b in zip(told, right)) < 1e-6, told, "and not", right)


def test_mesh_and_info():
    write("cube.obj", CUBE_OBJ)
    surface = json.loads(pliant("info", "cube.obj", "--json").out)
    check((surface["kind"], surface["triangles"], surface["vertices"], surface["uvs"], surface["groups"]) == ("surface", 12, 8, 4, ["lower", "upper"]), surface)
    pliant("info", "cube.obj", says=["12 triangles", "4 texture coordinates", "group \"upper\""])
    pliant("info", "cube.obj", says=["closed, 1 part"])
    faces = [line for line in CUBE_OBJ.splitlines() if line.startswith("f ")]
    write("open.obj", CUBE_OBJ.replace(faces[0] + "\n", "") + "v 50 50 50\n")
    pliant("info", "open.obj", says=["open, 1 part", "edges border holes", "1 vertices belong to no triangle", "0.2 x 0.2 x 0.2"])
    pliant("check", "cube.obj", status=2, says="is a model, not a scene")
    for name in ("cube.msh", "mesh.node", "again.obj"):
        for words in ([], ["--fitted"]):
            made = pliant("mesh", "cube.obj", "-o", name, "--size", "0.05", *words).out
            told = json.loads(pliant("info", name, "--json").out)
            check(told["kind"] == ("surface" if name == "again.obj" else "mesh") and told["triangles"] > 12, told)
            if told["kind"] == "mesh":
                check("%d tetrahedra" % told["tets"] in made and told["tets"] > 100, made, told)
                fits = abs(told["volume"] - 0.008) < 1e-3 if words else told["volume"] > 0.008
                check(fits, "volume", told["volume"], words)
    pliant("mesh", "cube.obj", "-o", "cells.msh", "--size", "0.05", "--elements", "hex", says="hexahedra")
    told = json.loads(pliant("info", "cells.msh", "--json").out)
    check(told["hexes"] >= 64 and told["dihedral_degrees"] == [90, 90], told)
    pliant("mesh", "cube.obj", "--elements", "quad", status=2, says="--elements quad: must be tet or hex")
    pliant("mesh", "cube.obj", "--size", "0.1", "-q")
    os.rename("cube.msh", "given.msh")
    pliant("mesh", "given.msh", "--size", "0.1", status=2, says="name another file with -o")
    write("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    pliant("mesh", "quad.obj", status=2, says="open")
    pliant("mesh", "cube.obj", "-o", "cube.xyz", status=2, says=".msh")
    write("cut.msh", read("given.msh")[:400])
    pliant("info", "cut.msh", status=2, says="cut.msh:")
    write_scene("small.json", small_scene())
    pliant("info", "small.json", says=["6 frames", "body cube"])
    pliant("run", "small.json", "-q", "--no-movie", "--frames", 2)
    pliant("info", "small.run", says="frames 0 to 2 of 2")
    check(json.loads(pliant("info", "small.run", "--json").out) == {"kind": "run", "path": "small.run", "frames": 2, "fps": 24, "last_frame": 2, "bodies": ["cube"], "liquids": []}, "run")
    pliant("info", "small.run/frames/000001.state", says="end of frame 1")
    pliant("info", "small.run/metrics.jsonl", status=2, says="metrics.jsonl")
    os.rename("small.run", "a run")
    os.unlink("a run/frames/000002.state")
    pliant("info", "a run", says="pliant run 'a run' --resume")


def test_curves():
    write_scene("small.json", small_scene())
    pliant("curves", says="curves.svg")
    page = open("curves.svg").read()
    for model in ("rotated_linear", "stvk", "neo_hookean", "mooney_rivlin", "fung", "spline", "stable_neo_hookean", "fixed_corotated"):
        check(model in page, model, "has no curve")
    pliant("curves", "muscle", "-o", "muscle.svg", says="muscle.svg")
    page = open("muscle.svg").read()
    check("activation 0.5" in page and "inversion rules" in page, "fibres and rules of muscle")
    pliant("curves", "small.json", "--set", "bodies.cube.material.model=fung", "-o", "scene.svg", says="scene.svg")
    check("cube" in open("scene.svg").read(), "the material of the scene")
    pliant("curves", "nothere.json", status=2, says="nothere.json: No such file")


def test_plot():
    import xml.etree.ElementTree as xml
    write_scene("small.json", small_scene())
    pliant("run", "small.json", "-q", "--no-movie")
    pliant("run", "small.json", "-o", "other", "-q", "--no-movie", "--set", "gravity=[0,-1,0]")
    pliant("plot", "small.run/", "other/", "-o", "both.svg", says="both.svg")
    text = "".join(xml.fromstring(read("both.svg")).itertext())
    check("small.run" in text and "other" in text, "runs are not named:", text[:300])
    pliant("plot", "small.run")
    check("elastic" in "".join(xml.fromstring(read("small.run/metrics.svg")).itertext()), "metrics.svg")
    # formulas: a chart for each --of with a curve per run, --with beside it
    pliant("plot", "small.run", "other", "--of", "height = bodies.cube.center.y", "--with", "free fall = start(bodies.cube.center.y) - 9.81*t^2/2", "--of", "kinetic", "-o", "of.svg")
    page = read("of.svg").decode()
    text = "".join(xml.fromstring(page).itertext())
    check("height" in text and "free fall" in text and "kinetic" in text and "other" in text and "Inverted" not in text, "charts of formulas:", text[:300])
    check(page.count("stroke-dasharray") == 2, "the closed form is not the only dashed line")
    metrics = [json.loads(line) for line in read("small.run/metrics.jsonl").splitlines()]
    check(abs(metrics[0]["gravity"] - 9.81 * metrics[0]["mass"] * metrics[0]["center"][1]) < 1e-9, "gravity is m g y")
    pliant("plot", "small.run", "--of", "bodies.cub.mass", status=2, says="nothing that is called cub; did you mean cube?")
    pliant("plot", "small.run", "--with", "1", status=2, says="needs an --of before it")
    pliant("plot", "small.run", *["--of", "t"] * 13, status=2, says="one too many")
    # a run that has just begun, and a line that is being written
    write("other/metrics.jsonl", read("other/metrics.jsonl")[:-30])
    pliant("plot", "other")
    write("other/metrics.jsonl", "")
    pliant("plot", "other", status=None)


def test_schema():
    schema = json.loads(pliant("schema").out)
    check("bodies" in schema["definitions"]["scene"]["properties"], "schema")
    check(pliant("schema", "--reference").out.startswith("#"), "reference")


main(globals())
