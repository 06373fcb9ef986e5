"""tests/run_view.py -- the live page without a browser: frames, hands, the clock, parameters, hostile guests, replay."""
import json
import os
import random
import signal
import socket
import struct
import subprocess
import time
import urllib.error
import urllib.request

import runs
from runs import check, pliant, small_scene, write, write_scene
from websocket import BINARY, PING, TEXT, Page, Refused, WebSocket


class Server:
    """pliant view as a process; ends with the block."""

    def __init__(self, *words):
        self.words = words

    def __enter__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.errors = open("errors.txt", "w+")
        self.process = subprocess.Popen([runs.PLIANT, "view", *self.words, "--no-open", "--port", str(self.port)], stdout=subprocess.PIPE,
                                        stderr=self.errors, universal_newlines=True)
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            raise runs.Skipped("the live page was not built") if "libcivetweb-dev" in self.said() else runs.Failed(self.said())
        check(line == "http://localhost:%d/\n" % self.port, "the address is", line)
        return self

    def page(self, **more):
        return Page(self.port, **more)

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def is_running(self):
        return self.process.poll() is None

    def __exit__(self, *error):
        if self.is_running():
            self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise runs.Failed("it does not end: " + self.said())
        finally:
            self.process.stdout.close()
        if error[0] is None:
            check(status == 0, "status", status, self.said())
            check("Sanitizer" not in self.said() and "runtime error:" not in self.said(), self.said())
        self.errors.close()


def ball_scene(**more):
    """A soft ball that nothing pulls at: what moves it is a hand."""
    scene = {"frames": 5, "gravity": [0, 0, 0], "look": runs.LOOK,
             "bodies": {"ball": {"shape": {"sphere": 0.3}, "size": 0.12, "at": [0, 0.5, 0], "material": {"like": "gelatin", "damping": 0.02}}}}
    scene.update(more)
    return scene


TOWARDS = {"from": [0, 0.5, 3], "along": [0, 0, -1]}


def touch(page, tool="grab", hand=0):
    page.say(kind="touch", name=tool, hand=hand, facing=[0, 0, -1], **TOWARDS)


def is_silent(page):
    page.socket.settimeout(0.3)
    try:
        page.receive()
        return False
    except socket.timeout:
        return True
    finally:
        page.socket.settimeout(20)


def test_without_bodies():
    """A liquid is enough: time passes, and the camera begins at the domain."""
    write_scene("pool.json", {"frames": 5, "look": runs.LOOK, "domain": {"box": [[0, -1, 0], [2, 1, 1]], "size": 0.1}, "liquids": {"water": {"level": 0.5}}})
    with Server("pool.json") as server:
        page = server.page()
        page.next()
        check([flow["name"] for flow in page.topology["flows"]] == ["water", "water_spray"] and page.topology["bodies"] == [], page.topology)
        check(page.scene["camera"]["lower"] == [0, -1, 0] and page.scene["camera"]["upper"] == [2, 1, 1], page.scene)
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.1)


def test_a_hand_moves_an_object_through_water():
    """The surface is another mesh in each frame, with no new topology; objects follow the hand, also below water, and what keys move does not."""
    still = {"shape": {"sphere": 0.15}, "at": [0.5, 0.3, 0.5]}
    keyed = {"shape": {"box": [0.1, 0.1, 0.1]}, "at": {"keys": [[0, [1.7, 0.9, 0.5]], [9, [1.7, 0.8, 0.5]]]}}
    write_scene("pool.json", {"frames": 5, "look": runs.LOOK, "domain": {"box": [[0, 0, 0], [2, 1, 1]], "size": 0.1}, "liquids": {"water": {"level": 0.5}},
                              "objects": {"ball": still, "box": keyed}})
    with Server("pool.json") as server:
        page = server.page()
        page.next()
        version, surface = page.topology["version"], page.flows[0]["positions"]
        page.say(kind="play")
        page.say(kind="touch", name="move", hand=0, facing=[0, -1, 0], **{"from": [0.5, 3, 0.5], "along": [0, -1, 0]})
        page.say(kind="drag", hand=0, **{"from": [0.9, 3, 0.5], "along": [0, -1, 0]})
        page.watch(lambda frame: frame["places"][0][3] > 0.88, 60)
        check(abs(page.frame["places"][0][7] - 0.3) < 1e-6, "it moves in a plane:", page.frame["places"][0])
        check(page.flows[0]["positions"] != surface and page.topology["version"] == version, page.topology["version"], version)
        check(max(page.flows[0]["triangles"]) == len(page.flows[0]["positions"]) // 3 - 1)
        page.say(kind="lift", hand=0)
        page.say(kind="touch", name="move", hand=0, facing=[0, -1, 0], **{"from": [1.7, 3, 0.5], "along": [0, -1, 0]})
        check("follows its keys" in page.wait_for("note")["text"])


def test_frames_come_when_asked_for():
    write_scene("scene.json", small_scene(objects={"ball": {"shape": {"sphere": 0.1}, "at": [1, 0.2, 0], "rotate": [0, 90, 0]}}))
    with Server("scene.json") as server:
        page = server.page()
        first = page.next()
        check(not first["playing"] and first["time"] == 0, first)
        check([b["name"] for b in page.topology["bodies"]] == ["cube"] and len(page.topology["planes"]) == 1, page.topology["planes"])
        check([o["name"] for o in page.topology["objects"]] == ["ball"] and first["grounds"] == [[[0, 0, 0], [0, 1, 0]]], first["grounds"])
        check([round(x, 5) for x in first["places"][0]] == [0, 0, 1, 1, 0, 1, 0, 0.2, -1, 0, 0, 0], first["places"])
        triangles = page.topology["bodies"][0]["triangles"]
        indices = struct.unpack_from("<%di" % (3 * triangles), page.topology["bytes"])
        check(max(indices) == page.topology["bodies"][0]["vertices"] - 1 and min(indices) == 0)
        page.say(kind="play")
        start = page.middle()
        later = page.watch(lambda frame: frame["time"] > 0.1)
        check(page.middle()[1] < start[1] - 0.001, "it falls from", start, "to", page.middle())
        check(later["serial"] > first["serial"] and page.topology["version"] == later["topology"])
        # nobody is sent what was not asked for, nor the same twice
        check(is_silent(page), "a frame that was not asked for")
        page.say(kind="pause")
        page.watch(lambda frame: not frame["playing"])
        page.say(kind="frame")
        check(is_silent(page), "the same frame twice")
        page.say(kind="grip", value=2)
        check(page.understand(*page.receive()) == "frame")


def test_pause_step_and_reset():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        start = list(page.bodies[0]["positions"])
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.15)
        page.say(kind="pause")
        stopped = page.watch(lambda frame: not frame["playing"])
        page.say(kind="color", name="speed")
        still = page.next()
        check(still["time"] == stopped["time"] and page.bodies[0]["values"], "time goes on:", stopped["time"], still["time"])
        page.say(kind="step")
        stepped = page.watch(lambda frame: not frame["playing"] and frame["time"] > stopped["time"])
        check(abs(stepped["time"] - stopped["time"] - 0.01) < 1e-9, "a step took", stepped["time"] - stopped["time"])
        page.say(kind="reset")
        again = page.watch(lambda frame: frame["time"] == 0)
        check(list(page.bodies[0]["positions"]) == start and not again["playing"], "reset does not restore")


def test_slow_motion():
    write_scene("scene.json", small_scene())
    with Server("scene.json", "--rate", "50") as server:
        page = server.page()
        page.next()
        page.say(kind="speed", value=0.1)
        page.say(kind="step")
        stepped = page.watch(lambda frame: frame["time"] > 0)
        check(abs(stepped["time"] - 0.1 / 50) < 1e-9, stepped["time"])
        page.say(kind="speed", value=-1)
        page.say(kind="speed", value=1e9)
        check(page.next()["speed"] == 0.1)


def test_a_drag_moves_the_body():
    write_scene("scene.json", ball_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        before = page.middle()
        page.say(kind="play")
        touch(page)
        page.say(kind="drag", hand=0, **{"from": [1, 0.5, 3], "along": [0, 0, -1]})
        frame = page.watch(lambda frame: page.middle()[0] > before[0] + 0.3)
        check(len(frame["hands"]) == 1 and abs(frame["hands"][0][1][0] - 1) < 1e-6, frame["hands"])
        page.say(kind="lift", hand=0)
        check(not page.watch(lambda frame: not frame["hands"])["hands"])
        # a ray that misses holds nothing
        page.say(kind="touch", name="grab", hand=1, facing=[0, 0, -1], **{"from": [50, 50, 3], "along": [0, 0, -1]})
        check(not page.next()["hands"])
        # whoever leaves lets go: there is room for sixteen hands in the world, and always for one more
        page.say(kind="pause")
        for _ in range(20):
            other = server.page()
            other.next()
            x = page.middle()
            other.say(kind="touch", name="grab", hand=3, facing=[0, 0, -1], **{"from": [x[0], x[1], 3], "along": [0, 0, -1]})
            page.watch(lambda frame: len(frame["hands"]) == 1)
            other.close()
            page.watch(lambda frame: not frame["hands"])


def test_push_and_pin():
    write_scene("scene.json", ball_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        before = page.middle()
        touch(page, "pin")
        pinned = page.watch(lambda frame: frame["pins"])
        check(len(pinned["pins"]) >= 1 and pinned["pins"][0][2] > 0.15, pinned["pins"])
        touch(page, "pin")
        page.watch(lambda frame: not frame["pins"])
        touch(page, "push")
        page.say(kind="play")
        page.watch(lambda frame: page.middle()[2] < before[2] - 0.2)


def test_the_heat_brush_melts():
    scene = ball_scene()
    scene["bodies"]["ball"]["material"] = {"like": "rubber", "young": 1e5, "melting": 30, "cooling": 100}
    write_scene("scene.json", scene)
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        page.say(kind="color", name="temperature")
        touch(page, "heat")
        page.say(kind="play")
        page.watch(lambda frame: frame["color"] == "temperature" and max(page.bodies[0]["values"]) > 20)


def test_a_body_is_melted_by_hand():
    """It has no surface any more, and there is a liquid; what no liquid is made of stays, with a sentence."""
    scene = ball_scene()
    scene["domain"] = {"box": [[-1, 0, -1], [1, 2, 1]], "size": 0.1}
    scene["liquids"] = {"wax": {"body": "ball", "start": 1e9, "viscosity": 5}}
    write_scene("scene.json", scene)
    with Server("scene.json") as server:
        page = server.page()
        before = page.next()
        touch(page, "melt")
        page.watch(lambda frame: frame["topology"] != before["topology"])
        wax = [flow["name"] for flow in page.topology["flows"]].index("wax")
        check(page.topology["bodies"][0]["vertices"] == 0 and len(page.flows[wax]["positions"]) > 0, page.topology)
    del scene["liquids"]["wax"]["body"], scene["liquids"]["wax"]["start"]
    scene["liquids"]["wax"]["level"] = 0.1
    write_scene("scene.json", scene)
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        touch(page, "melt")
        check("no liquid of the scene is made of it" in page.wait_for("note")["text"])


def test_the_hand_pours():
    """A jet from above the hand, as much as the slider says, into the liquid that is touched; it is part of the state: what was recorded plays again."""
    write_scene("pool.json", {"frames": 5, "look": runs.LOOK, "domain": {"box": [[0, 0, 0], [1, 1, 1]], "size": 0.05}, "liquids": {"water": {"level": 0.3}}})
    with Server("pool.json") as server:
        page = server.page()
        page.next()
        volume = [page.frame["figures"]["liquid"] + page.frame["figures"]["spray"]]
        for grip in (0.5, 1):
            page.say(kind="grip", value=grip)
            page.say(kind="touch", name="pour", hand=0, facing=[0, 0, -1], **{"from": [0.5, 0.5, 3], "along": [0, 0, -1]})
            page.say(kind="play")
            begin = page.next()["time"]
            page.watch(lambda frame: frame["time"] > begin + 0.2, 60)
            page.say(kind="lift", hand=0)
            page.say(kind="pause")
            page.watch(lambda frame: not frame["playing"])
            volume.append(page.frame["figures"]["liquid"] + page.frame["figures"]["spray"])
        check(volume[0] + 0.002 < volume[1] and volume[2] - volume[1] > 1.3 * (volume[1] - volume[0]), volume)


def test_tools_that_cannot_act_say_so():
    write_scene("pool.json", {"frames": 5, "look": runs.LOOK, "domain": {"box": [[0, 0, 0], [1, 1, 1]], "size": 0.1}, "liquids": {"water": {"level": 0.3}}})
    with Server("pool.json") as server:
        page = server.page()
        page.next()
        idle = {tool["name"]: tool.get("idle") for tool in page.scene["tools"]}
        check(idle["pour"] is None and "no body" in idle["grab"] and "no object" in idle["move"], idle)
        touch(page, "grab")
        check("no body" in page.wait_for("note")["text"])
        page.say(kind="touch", name="pour", hand=0, facing=[0, 0, -1], **{"from": [9, 0.5, 3], "along": [0, 0, -1]})
        page.say(kind="play")
        check("outside the domain" in page.wait_for("note")["text"])
    write_scene("scene.json", ball_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        for tool, why in (("heat", "melting"), ("cut", "cuttable"), ("pour", "no liquid"), ("melt", "no liquid")):
            touch(page, tool)
            check(why in page.wait_for("note")["text"], tool)


def test_the_blade_cuts():
    scene = ball_scene()
    scene["bodies"]["ball"]["cuttable"] = True
    write_scene("scene.json", scene)
    with Server("scene.json") as server:
        page = server.page()
        before = page.next()["topology"]
        touch(page, "cut")
        for k in range(9):
            page.say(kind="drag", hand=0, **{"from": [-0.05 * k, 0.5, 3], "along": [0, 0, -1]})
        page.say(kind="play")
        page.watch(lambda frame: frame["topology"] != before)


def test_the_blade_cuts_a_carried_surface():
    """What it lays open comes after the other triangles and has its own colour; all of them together are closed."""
    runs.write("meshes/cube.obj", runs.CUBE_OBJ)
    scene = ball_scene()
    body = scene["bodies"]["ball"]
    del body["shape"]
    body.update({"surface": "meshes/cube.obj", "height": 1, "cuttable": True, "inside_color": [1, 0, 0]})
    write_scene("scene.json", scene)
    with Server("scene.json") as server:
        page = server.page()
        before = page.next()["topology"]
        look = page.topology["bodies"][0]
        check(look["outer"] == look["triangles"] == 12 and look["inside"] == [1, 0, 0], look)
        touch(page, "cut")
        for k in range(30):
            page.say(kind="drag", hand=0, **{"from": [-0.05 * k, 0.5, 3], "along": [0, -0.16, -1]})
        page.say(kind="play")
        page.watch(lambda frame: frame["topology"] != before)
        look = page.topology["bodies"][0]
        t = struct.unpack_from("<%di" % (3 * look["triangles"]), page.topology["bytes"])
        edges = [(t[i], t[i // 3 * 3 + (i + 1) % 3]) for i in range(len(t))]
        check(12 < look["outer"] < look["triangles"] and set(edges) == {(b, a) for a, b in edges} and len(set(edges)) == len(edges), look)


def test_a_pinned_ball_hangs():
    write_scene("scene.json", ball_scene(gravity=[0, -9.81, 0]))
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        page.say(kind="touch", name="pin", hand=0, facing=[0, -1, 0], **{"from": [0, 3, 0], "along": [0, -1, 0]})
        held = page.watch(lambda frame: frame["pins"])["pins"][0]
        page.say(kind="play")
        frame = page.watch(lambda frame: frame["time"] > 0.5)
        check(max(abs(a - b) for a, b in zip(frame["pins"][0], held)) < 1e-9, "the pin moved from", held, "to", frame["pins"][0])
        check(page.middle()[1] > -0.3, "it fell to", page.middle())


def test_a_parameter_acts_at_once():
    write_scene("scene.json", ball_scene())
    with Server("scene.json") as server:
        page, other = server.page(), server.page()
        page.next()
        other.next()
        paths = {p["path"]: p for p in page.scene["params"]}
        material = [path for path in paths if path.endswith(".young")][0]
        check(paths["gravity.y"]["value"] == 0 and paths[material]["value"] > 0 and paths[material]["unit"] == "Pa", paths)
        check(not any("wind" in path or "activation" in path for path in paths), list(paths))
        before = page.middle()
        page.say(kind="set", path="gravity.y", value=-20)
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.2)
        check(page.middle()[1] < before[1] - 0.2, "gravity does not act:", page.middle())
        check(other.wait_for("value") == {"kind": "value", "path": "gravity.y", "value": -20}, other.texts)
        # what is not allowed is told, and changes nothing
        page.say(kind="set", path=material, value=-1)
        note = page.wait_for("note")
        check("young" in note["text"] and "-1" in note["text"], note)
        page.say(kind="set", path="bodies.ball.nonsense", value=1)
        check("cannot change while running" in page.wait_for("note")["text"])
        page.say(kind="set", path="solver.iterations", value=3)
        page.watch(lambda frame: page.texts[-1] == {"kind": "value", "path": "solver.iterations", "value": 3})
        # sliders stay where they are when the world begins anew
        page.say(kind="reset")
        page.watch(lambda frame: frame["time"] < 0.1)
        fresh = server.page()
        fresh.next()
        slider = [p for p in fresh.scene["params"] if p["path"] == "gravity.y"][0]
        check(slider["value"] == -20 and slider["written"] == 0, slider)


def test_colours():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        check(set(page.scene["fields"]) >= {"body", "speed", "J", "stress", "plastic"} and "cauchy" not in page.scene["fields"], page.scene["fields"])
        page.say(kind="play")
        for name in page.scene["fields"]:
            page.say(kind="color", name=name)
            frame = page.watch(lambda frame: frame["color"] == name)
            check(frame["values"] == (name != "body"))
        page.say(kind="color", name="nonsense")
        check(page.next()["color"] == page.scene["fields"][-1])


def test_mark_and_return():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.1)
        page.say(kind="pause")
        here = page.watch(lambda frame: not frame["playing"])["time"]
        page.say(kind="mark")
        page.wait_for("note")
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > here + 0.1)
        page.say(kind="pause")
        page.say(kind="return")
        check(page.watch(lambda frame: frame["time"] <= here)["time"] == here)


def test_a_state_comes_back_without_its_hands():
    write_scene("scene.json", ball_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        touch(page)
        page.watch(lambda frame: len(frame["hands"]) == 1)
        page.say(kind="mark")
        page.wait_for("note")
        page.say(kind="return")
        page.watch(lambda frame: not frame["hands"])
        page.say(kind="set", path="gravity.y", value=-20)
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.5)
        check(page.middle()[1] < -1.5, "something holds it at", page.middle())
        # pins are part of a state, and known
        page.say(kind="pause")
        page.say(kind="reset")
        page.watch(lambda frame: frame["time"] == 0)
        touch(page, "pin")
        pinned = page.watch(lambda frame: frame["pins"])["pins"]
        page.say(kind="mark")
        page.wait_for("note")
        touch(page, "pin")
        page.watch(lambda frame: not frame["pins"])
        page.say(kind="return")
        check(page.watch(lambda frame: frame["pins"])["pins"] == pinned)
        page.say(kind="record")
        page.watch(lambda frame: frame["recording"])
        page.say(kind="cut", value=35, **{"from": [1, 1, 2], "along": [-1, -0.8, -2]})
        page.watch(lambda frame: not frame["recording"])
    # whoever goes on from a run has both hands free
    with Server("scene-live-1.run") as server:
        page = server.page()
        page.next()
        page.say(kind="live")
        page.wait_for("scene")
        page.say(kind="set", path="gravity.y", value=-20)
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.5)
        check(page.middle()[1] < -1.5, "something holds it at", page.middle())


def test_three_pages_at_once():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        pages = [server.page() for _ in range(3)]
        pages[0].say(kind="play")
        for _ in range(20):
            for page in pages:
                page.next()
        # one that never reads keeps nobody waiting
        lazy = server.page()
        lazy.say(kind="frame")
        for _ in range(100):
            lazy.say(kind="color", name="speed")
            lazy.say(kind="frame")
        serial = pages[0].next()["serial"]
        check(all(page.next()["serial"] >= serial for page in pages))
        check(pages[1].texts[0]["kind"] == "scene" and pages[2].topology["version"] == pages[0].topology["version"])


def hostile(random_number):
    """A message that makes no sense, or nearly some."""
    vector = random_number.choice(["[0,0,0]", "[1e999,0,0]", "[1,2]", "[null,1,2]", "[1e300,0,0]", '"x"', "[[1],[2],[3]]", "[NaN,0,0]"])
    number = random_number.choice(["1e999", "-1", "1e18", "0.5", "NaN", "null", '"0"', "[]", "99999999999999999999"])
    kind = random_number.choice(["touch", "drag", "lift", "set", "speed", "seek", "grip", "color", "cut", "live", "__proto__", "", "frame\\u0000"])
    words = random_number.choice(["grab", "pin", "push", "../../etc/passwd", "%s%s%n", "x" * 300, "\\ud800", "materials..young"])
    return random_number.choice([
        '{"kind":"%s","hand":%s,"name":"%s","from":%s,"along":%s,"facing":%s}' % (kind, number, words, vector, vector, vector),
        '{"kind":"%s","path":"%s","value":%s}' % (kind, words, number),
        '{"kind":%s}' % number, "[" * 200, "{" * 50, '{"kind":"set"', "", "\x00", "null", '{"a":' * 300, '"kind"', "{}", "[]", "7" * 4000,
        '{"kind":"touch","kind":"drag"}', "//" * 100, "\ufeff{}"])


def test_ten_thousand_hostile_messages_leave_it_running():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        good, bad = server.page(), server.page()
        good.next()
        good.say(kind="play")
        numbers = random.Random(1)
        for i in range(10000):
            choice = i % 10
            if choice == 0:
                bad.send_frame(BINARY, os.urandom(numbers.randrange(300)))
            elif choice == 1:
                bad.send_frame(TEXT, os.urandom(numbers.randrange(300)))
            elif choice == 2:
                bad.send_frame(TEXT, b"x" * numbers.choice([4096, 4097, 70000]))
            elif choice == 3:
                bad.send_frame(TEXT, b'{"kind":', whole=False)
                bad.send_frame(0, b'"play"}')
            elif choice == 4:
                bad.send_frame(PING, b"?")
            else:
                bad.send_frame(TEXT, hostile(numbers).encode("utf-8", "surrogatepass"))
            if i % 2500 == 0:
                good.next()
        before = good.next()["time"]
        good.watch(lambda frame: frame["time"] > before)
        check(server.is_running())
        check("is ignored" in server.said() and len(server.said().splitlines()) < 100, len(server.said().splitlines()), "lines of log")


def test_broken_sockets_leave_it_running():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        good = server.page()
        for payload in [b"\x81\xff" + b"\xff" * 8, b"\x81\xfe\xff\xff", os.urandom(500), b"\x88\x80\x00\x00\x00\x00", b"\xf1\x85"]:
            bad = WebSocket(server.port)
            bad.socket.sendall(payload)
            bad.close()
        for payload in [b"GET / HTTP/1.1\r\n\r\n", b"\r\n" * 100, os.urandom(2000), b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"]:
            with socket.create_connection(("127.0.0.1", server.port)) as raw:
                raw.sendall(payload)
        # more pages than there is room for
        crowd = []
        for _ in range(20):
            try:
                crowd.append(server.page())
            except (Refused, OSError):
                pass
        for page in crowd:
            page.close()
        good.next()
        check(server.is_running())


def get(server, path, host=None, method="GET"):
    request = urllib.request.Request("http://127.0.0.1:%d%s" % (server.port, path), headers={"Host": host} if host else {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read(), answer.headers


def test_strangers_are_refused():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        for origin in ["http://evil.example", "https://localhost:%d" % server.port, "http://localhost:1", "null", "", "http://localhost.evil.example:%d" % server.port]:
            try:
                server.page(origin=origin)
                check(False, "let in:", origin)
            except Refused as answer:
                check("101" not in str(answer).split("\r\n")[0])
        try:
            server.page(host="evil.example:%d" % server.port)
            check(False, "let in by another name")
        except Refused:
            pass
        check(get(server, "/", "evil.example")[0] == 403 and get(server, "/", "localhost.evil.example")[0] == 403)
        check(get(server, "/", method="POST")[0] == 405)
        for path in ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/scene.json", "/movie"]:
            check(get(server, path)[0] == 404, path)
        # a tunnel may begin at another port
        server.page(host="127.0.0.1:9").next()
        # and nobody listens but to this computer
        others = [a[4][0] for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET) if not a[4][0].startswith("127.")]
        for address in others:
            with socket.socket() as probe:
                probe.settimeout(2)
                check(probe.connect_ex((address, server.port)) != 0, "listens at", address)


def test_pages_are_served():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        status, page, headers = get(server, "/")
        check(status == 200 and b"<!doctype html>" in page.lower() and headers["Content-Type"].startswith("text/html"))
        check("default-src 'self'" in headers["Content-Security-Policy"])
        names = [part.split(b'"')[0].decode() for part in page.replace(b'href="', b'src="').split(b'src="')[1:]]
        for name in [n for n in names if not n.startswith(("#", "data:", "/movie"))]:
            check(get(server, "/" + name.lstrip("./"))[0] == 200, name)


def test_a_saved_scene_is_taken():
    scene = small_scene(materials={"stuff": {"like": "gelatin", "young": 2e4}})
    scene["bodies"]["cube"]["material"] = "stuff"
    write_scene("scene.json", scene)
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.1)
        page.say(kind="set", path="gravity.x", value=1)
        # a live value: the state goes on, and so do the sliders that the file does not speak of
        scene["materials"]["stuff"]["young"] = 5e4
        write_scene("scene.json", scene)
        page.wait_for("scene")
        values = {p["path"]: p["value"] for p in page.scene["params"]}
        check(values["materials.stuff.young"] == 5e4 and values["gravity.x"] == 1, values)
        check(page.next()["time"] > 0.1)
        # something wrong: a sentence with its place, and the world goes on
        write("scene.json", json.dumps(scene, indent=2).replace('"gelatin"', '"gelatine"'))
        trouble = page.wait_for("trouble")["text"]
        check(trouble.startswith("scene.json:") and "gelatine" in trouble and trouble.split(":")[1].isdigit(), trouble)
        before = page.next()["time"]
        page.watch(lambda frame: frame["time"] > before)
        check(server.page().wait_for("scene")["trouble"] == trouble)
        # another beginning: it begins there
        scene["bodies"]["cube"]["at"] = [0, 1.25, 0]
        write_scene("scene.json", scene)
        page.wait_for("scene")
        page.watch(lambda frame: frame["time"] < before)
        check(page.middle()[1] > 0.8, page.middle())
        before = page.next()["time"]
        # another shape: begins anew
        scene["bodies"]["cube"]["resolution"] = 5
        count = page.topology["bodies"][0]["vertices"]
        write_scene("scene.json", scene)
        page.wait_for("scene")
        check(page.scene["trouble"] == "")
        page.watch(lambda frame: page.topology["bodies"][0]["vertices"] > count)
        check(page.frame["time"] < before + 0.5, page.frame["time"])


def test_real_time_is_kept_or_told():
    write_scene("scene.json", ball_scene())
    with Server("scene.json", "--threads", "1") as server:
        page = server.page()
        page.next()
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 1.2, 60)
        # a machine that is busy with other things may be slow, but then it says so
        check(page.frame["behind"] or abs(page.frame["factor"] - 1) < 0.15, page.frame["factor"])
        # what is late is never made up for
        before = page.next()["time"]
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        server.process.send_signal(signal.SIGCONT)
        woke = time.time()
        page.watch(lambda frame: time.time() - woke > 0.3)
        check(page.frame["time"] - before < time.time() - woke + 0.4, "made up for", page.frame["time"] - before, "s in", time.time() - woke)
    heavy = small_scene()
    heavy["bodies"]["cube"].update(resolution=14, material={"like": "gelatin", "young": 1e9})
    write_scene("heavy.json", heavy)
    with Server("heavy.json", "--threads", "1") as server:
        page = server.page()
        page.next()
        page.say(kind="play")
        began = time.time()
        page.watch(lambda frame: frame["behind"], 60)
        check(page.frame["factor"] < 0.95, page.frame["factor"])
        # and it is still there for its pages
        page.say(kind="pause")
        asked = time.time()
        page.watch(lambda frame: not frame["playing"])
        check(time.time() - asked < 5, "an answer took", time.time() - asked)
        check(page.frame["time"] < time.time() - began, "time ran ahead")


def test_replay_of_a_run():
    write_scene("scene.json", small_scene())
    pliant("run", "scene.json", "--no-movie", "--quiet")
    with Server("scene.run") as server:
        page = server.page()
        first = page.next()
        check(page.scene["mode"] == "replay" and page.scene["frames"] == 6 and first["frame"] == 0, page.scene)
        start = page.middle()
        page.say(kind="seek", value=6)
        last = page.watch(lambda frame: frame["frame"] == 6)
        check(abs(last["time"] - 6 / 24) < 1e-9 and page.middle()[1] < start[1])
        page.say(kind="seek", value=1e18)
        page.say(kind="seek", value=-5)
        check(page.watch(lambda frame: frame["frame"] == 0)["time"] == 0 and page.middle() == start)
        page.say(kind="speed", value=4)
        page.say(kind="play")
        page.watch(lambda frame: frame["frame"] == 6 and not frame["playing"])
        # hands have no power over the past
        page.say(kind="touch", name="grab", hand=0, facing=[0, 0, -1], **{"from": [0, 0.2, 3], "along": [0, 0, -1]})
        check(not page.next()["hands"])
        # but it can be gone on with
        page.say(kind="live")
        check(page.wait_for("scene")["mode"] == "live")
        page.say(kind="speed", value=1)
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.35)
    check(runs.states("scene.run").keys() == {"%06d.state" % i for i in range(7)})


def test_a_recording_is_a_run():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        page.say(kind="play")
        page.say(kind="record")
        page.watch(lambda frame: frame["recording"])
        page.watch(lambda frame: frame["time"] > 0.4, 60)
        page.say(kind="cut", value=35, **{"from": [1, 1, 2], "along": [-1, -0.8, -2]})
        page.watch(lambda frame: not frame["recording"])
        if page.scene["movies"]:
            movie = page.wait_for("movie", 120)["text"]
            check(runs.read(movie)[:4] == b"RIFF" and get(server, "/movie")[1] == runs.read(movie), movie)
    frames = len(runs.states("scene-live-1.run"))
    check(9 <= frames <= 13 and len(runs.metrics("scene-live-1.run")) == frames, frames, "frames")
    with Server("scene-live-1.run") as server:
        page = server.page()
        page.next()
        page.say(kind="seek", value=frames - 1)
        page.watch(lambda frame: frame["frame"] == frames - 1)


def test_a_recording_with_a_hand_in_it_can_be_replayed():
    write_scene("scene.json", ball_scene())
    with Server("scene.json") as server:
        page = server.page()
        page.next()
        touch(page)
        page.say(kind="record")
        page.say(kind="play")
        page.watch(lambda frame: frame["time"] > 0.1)
        page.say(kind="cut", value=35, **{"from": [1, 1, 2], "along": [-1, -0.8, -2]})
        page.watch(lambda frame: not frame["recording"])
    with Server("scene-live-1.run") as server:
        page = server.page()
        page.next()
        page.say(kind="seek", value=2)
        page.watch(lambda frame: frame["frame"] == 2)


def test_the_playground_is_fun():
    scene = os.path.join(os.path.dirname(os.path.abspath(runs.__file__)), "../scenes/playground.json")
    with Server(scene, "--threads", "1") as server:
        page = server.page()
        page.next()
        page.say(kind="play")
        x = page.middle()
        page.say(kind="touch", name="grab", hand=0, facing=[0, 0, -1], **{"from": [x[0], x[1], 3], "along": [0, 0, -1]})
        page.say(kind="drag", hand=0, **{"from": [x[0], x[1] + 0.5, 3], "along": [0, 0, -1]})
        page.watch(lambda frame: page.middle()[1] > x[1] + 0.25, 60)
        check(page.frame["hands"] and page.frame["figures"]["inverted"] < 20, page.frame["figures"])


def test_mistakes_of_the_command_line():
    write_scene("scene.json", small_scene())
    write("bad.json", '{ "bodies": { "a": { "shpae": 1 } } }')
    if "libcivetweb-dev" in pliant("view", "nothing.json", status=None).err:
        raise runs.Skipped("the live page was not built")
    pliant("view", "nothing.json", "--no-open", status=2, says="nothing.json")
    pliant("view", "bad.json", "--no-open", status=2, says="bad.json:1:22")
    pliant("view", "scene.json", "--rate", "0", status=2, says="--rate 0: must be a number from 1 to 10000")
    os.mkdir("empty")
    pliant("view", "empty", "--no-open", status=2, says="is not the directory of a run")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        pliant("view", "scene.json", "--no-open", "--port", port, status=1, says="port %d cannot be listened at" % port)


if __name__ == "__main__":
    runs.main(dict(globals()))
