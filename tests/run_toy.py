"""tests/run_toy.py -- a stepper that nothing outside tests/toy knows takes part in everything the command does."""
import os

import runs
from runs import check, metrics, pliant, same_run, small_scene, write_scene
from run_view import Server

runs.PLIANT = os.path.join(os.path.dirname(runs.PLIANT), "toy_pliant")
COUNT, MASS, G = 8, 1e-3, 9.81


def make(run="toy.run", *words):
    write_scene("scene.json", small_scene(frames=8))
    pliant("run", "scene.json", "-o", run, "--quiet", *words)
    return run


def test_it_falls_by_the_closed_form():
    lines = metrics(make())
    plain = small_scene(frames=8)
    check(list(lines[0]["cloud"]) == ["cloud"] and "cube" in lines[0]["bodies"] and len(plain["bodies"]) == 1, lines[0])
    for line in lines:
        cloud, t = line["cloud"]["cloud"], line["time"]
        check(abs(cloud["center"][1] - (2 - 0.5 * G * t * t)) < 1e-12 and abs(cloud["mass"] - COUNT * MASS) < 1e-15, line["frame"], cloud)
        check(abs(cloud["momentum"][1] + COUNT * MASS * G * t) < 1e-12, cloud)
        total = cloud["kinetic"] + line["bodies"]["cube"]["kinetic"]
        check(abs(line["kinetic"] - total) <= 1e-12 * total, "the world's kinetic energy is not the sum", line["kinetic"], total)


def test_a_killed_run_goes_on_to_the_bit():
    make("whole.run", "--no-movie")
    write_scene("scene.json", small_scene(frames=8))
    pliant("run", "scene.json", "-o", "short.run", "--frames", "3", "--no-movie", "--quiet")
    pliant("run", "scene.json", "-o", "short.run", "--resume", "--frames", "8", "--no-movie", "--quiet")
    same_run("whole.run", "short.run")
    check(metrics("whole.run")[-1]["cloud"] == metrics("short.run")[-1]["cloud"])


def test_it_is_drawn():
    make()
    for frame in 0, 8:
        pliant("render", "toy.run", "--frame", frame, "-o", "toy_%d.png" % frame, "--quiet")
    runs.PLIANT, toy = runs.PLIANT.replace("toy_pliant", "pliant"), runs.PLIANT
    try:
        write_scene("plain.json", small_scene(frames=8))
        pliant("run", "plain.json", "-o", "plain.run", "--quiet")
        pliant("render", "plain.run", "--frame", 0, "-o", "plain.png", "--quiet")
        pliant("run", "toy.run", "--resume", "--frames", 9, "--quiet", status=1, says="TOYS")
    finally:
        runs.PLIANT = toy
    check(runs.read("toy_0.png") != runs.read("plain.png"), "the cloud is not in the picture")


def test_it_is_exported():
    make("toy.run", "--no-movie")
    for kind in "ply", "obj", "usd", "vtu", "glb", "npy", "pc2":
        pliant("export", "toy.run", "--to", kind, "-o", kind, "--quiet")
        files = [os.path.join(place, name) for place, _, names in os.walk(kind) for name in names]
        check(any("cloud" in name for name in files) or any(b"cloud" in runs.read(name) for name in files), kind, files)


def test_the_page_shows_it():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        names = [body["name"] for body in page.topology["bodies"]]
        check(names == ["cube", "cloud"] and page.topology["bodies"][1]["vertices"] == 3 * COUNT, page.topology)
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.1)
        t, height = page.frame["time"], page.bodies[1]["positions"][1]
        check(abs(height - (2 - 0.5 * G * t * t)) < 1e-5, t, height)


def test_check_counts_it():
    write_scene("scene.json", small_scene())
    pliant("check", "scene.json", says="cloud")


if __name__ == "__main__":
    runs.main(dict(globals()))
