#!/usr/bin/python3
"""tests/run_sweep.py PLIANT -- several values of a change: a run for each, and a sheet of them."""
import signal
import struct

from runs import *

YOUNG = "bodies.cube.material.young=1e4,4e4"
GRAVITY = "gravity=[0,-9.81,0],[0,-1.6,0]"
NAMES = ["young=1e4 gravity=[0,-1.6,0]", "young=1e4 gravity=[0,-9.81,0]", "young=4e4 gravity=[0,-1.6,0]", "young=4e4 gravity=[0,-9.81,0]"]


def runs_in(directory):
    return sorted(name for name in os.listdir(directory) if os.path.isdir(os.path.join(directory, name)))


def test_two_by_two():
    write_scene("small.json", small_scene())
    said = pliant("run", "small.json", "-o", "sweep", "--set", YOUNG, "--set", GRAVITY).err
    check(runs_in("sweep") == NAMES, runs_in("sweep"))
    check("run 4 of 4" in said, said)
    if "without pictures" not in said:
        check(read("sweep/sheet.png")[:8] == b"\x89PNG\r\n\x1a\n", "the sheet is not a PNG")
    pliant("run", "small.json", "-o", "one", "-q", "--no-movie", "--set", "bodies.cube.material.young=4e4", "--set", "gravity=[0,-1.6,0]")
    same_run("one", "sweep/" + NAMES[2])
    check(len({states("sweep/" + name)["000006.state"] for name in NAMES}) == 4, "runs are alike")


def test_many_fit_on_a_sheet():
    write_scene("small.json", small_scene(frames=0, look={"size": [16, 2000], "samples": 1}))
    said = pliant("run", "small.json", "-o", "sweep", "--set", "bodies.cube.strength=" + ",".join(str(k) for k in range(1, 10)), "--set", "output.movie=none").err
    if "without pictures" in said:
        raise Skipped("built without pictures")
    width, height = struct.unpack(">II", read("sweep/sheet.png")[16:24])
    check(width < 16384 and 12000 < height <= 16384, "the sheet has", width, "x", height)
    pliant("run", "small.json", "-o", "sizes", "--set", "look.size=[40,30],[60,30]", "--set", "output.movie=none")
    check(os.path.exists("sizes/sheet.png"), "no sheet of pictures of several sizes")


def most_memory(*words):
    # with one arena, so that it does not depend on which thread allocates what
    process = subprocess.Popen([PLIANT, *words], env=dict(os.environ, MALLOC_ARENA_MAX="1"))
    _, status, usage = os.wait4(process.pid, 0)
    check(status == 0, words, "fails")
    return usage.ru_maxrss


def test_sheet_opens_one_run_at_a_time():
    if b"__asan_init" in read(PLIANT):
        raise Skipped("this build keeps freed memory")
    scene = small_scene(frames=0)
    scene["bodies"]["cube"]["resolution"] = 24
    write_scene("small.json", scene)
    few, many = [most_memory("run", "small.json", "-o", "sweep%d" % count, "-q", "--set", "output.movie=none", "--set",
                             "bodies.cube.strength=" + ",".join(str(k + 1) for k in range(count))) for count in (2, 12)]
    check(many < 1.5 * few, "12 runs take", many, "KB, 2 take", few)


def test_resume():
    write_scene("small.json", small_scene())
    words = ["run", "small.json", "-o", "sweep", "--no-movie", "--set", YOUNG, "--set", GRAVITY]
    pliant(*words, "-q")
    whole = {name: states("sweep/" + name) for name in NAMES}
    shutil.rmtree("sweep/" + NAMES[2])
    os.unlink("sweep/%s/frames/000005.state" % NAMES[3])
    times = os.stat("sweep/%s/frames/000006.state" % NAMES[0]).st_mtime_ns
    pliant(*words, "-q")
    check({name: states("sweep/" + name) for name in NAMES} == whole, "not the same runs")
    check(os.stat("sweep/%s/frames/000006.state" % NAMES[0]).st_mtime_ns == times, "a finished run was done again")
    pliant(*words, "-q", "--force")
    check({name: states("sweep/" + name) for name in NAMES} == whole, "not the same runs")
    check(os.stat("sweep/%s/frames/000006.state" % NAMES[0]).st_mtime_ns != times, "--force did nothing")


def test_interrupted():
    write_scene("busy.json", busy_scene(5))
    words = ["run", "busy.json", "-o", "sweep", "--no-movie", "--set", "bodies.jelly.strength=0.5,1"]
    process = subprocess.Popen([PLIANT, *words], stderr=subprocess.PIPE, universal_newlines=True)
    while not os.path.exists("sweep/strength=0.5/frames/000001.state"):
        time.sleep(0.005)
        check(process.poll() is None, "it ended by itself")
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    check(process.returncode == 130 and "the same command again" in said, process.returncode, said)
    check(not os.path.exists("sweep/strength=1"), "it went on")
    pliant(*words, "-q")
    check(len(states("sweep/strength=0.5")) == len(states("sweep/strength=1")) == 7, "frames are missing")


def test_wrong_values():
    write_scene("small.json", small_scene())
    pliant("run", "small.json", "-o", "sweep", "--set", "bodies.cube.material.young=1e4,-1", status=2, says=["young", "-1"])
    pliant("run", "small.json", "-o", "sweep", "--set", "bodies.cube.material.yuong=1e4,2e4", status=2, says="young")
    pliant("run", "small.json", "-o", "sweep", "--set", "bodies.cube.material.young=1e4,", status=2, says="young")
    pliant("run", "small.json", "-o", "sweep", "--set", "bodies.cube.material=[1,2", status=2)
    check(not os.path.exists("sweep"), "runs began before all values were read")
    many = ",".join(str(k) for k in range(1, 40))
    pliant("run", "small.json", "-o", "sweep", "--set", "bodies.cube.strength=" + many, "--set", "floor.friction=" + many, status=2, says="1000 runs")
    pliant("run", "small.json", "-o", "sweep", "--set", "camera.look_at=%s,cube" % ("x" * 300), status=2, says="too long")
    pliant("run", "small.json", "-q", "--no-movie")
    pliant("run", "small.json", "--set", YOUNG, status=2, says=["small.run: holds a run", "-o"])
    pliant("run", "small.run", "--set", YOUNG, status=2, says="-o")
    pliant("run", "small.run", "--set", YOUNG, "-o", "sweep", "-q", "--no-movie")
    check(runs_in("sweep") == ["young=1e4", "young=4e4"], runs_in("sweep"))


def test_equal_labels():
    write("a/b.obj", CUBE_OBJ)
    write("a_b.obj", CUBE_OBJ)
    write_scene("small.json", small_scene(bodies={"cube": {"surface": "a_b.obj", "resolution": 2}}))
    for change in ("bodies.cube.surface=a/b.obj,a_b.obj", "bodies.cube.strength=1,2,1"):
        pliant("run", "small.json", "-o", "sweep", "--no-movie", "--set", change, status=2, says=["two of the runs", change.split(".")[2][:7]])
    check(not os.path.exists("sweep"), "a run began")


def test_long_values():
    """Keys of any length beside a list."""
    keys = json.dumps({"keys": [[0.001 * k, 1 + 0.001 * k] for k in range(200)]})
    check(len(keys) > 2000, "not long")
    write_scene("small.json", small_scene(frames=1))
    pliant("run", "small.json", "-o", "sweep", "-q", "--no-movie", "--set", "bodies.cube.strength=" + keys, "--set", YOUNG)
    check(len(json.loads(read("sweep/young=1e4/scene.json").decode())["bodies"]["cube"]["strength"]["keys"]) == 200, "keys are missing")


def test_brackets_are_one_value():
    write_scene("small.json", small_scene())
    pliant("run", "small.json", "-o", "run", "-q", "--no-movie", "--set", "gravity=[0,-1,0]", "--set", 'look={"size":[32,32],"samples":1}',
           "--set", 'bodies.cube.strength={"keys":[[0,1],[1,2]]}')
    check(os.path.exists("run/run.json") and not os.path.exists("run/sheet.png"), os.listdir("run"))
    check(json.loads(read("run/scene.json").decode())["gravity"] == [0, -1, 0], "gravity")


main(globals())
