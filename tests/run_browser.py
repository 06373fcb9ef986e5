"""tests/run_browser.py -- the live page in a browser without a window: it draws, and what hands do to it is seen.

Pictures are drawn by the processor here: nothing is said of their speed.
"""
import struct
import time
import zlib

import chromium
import runs
from run_view import Server, ball_scene
from runs import check, pliant, small_scene, write, write_scene

if not chromium.find():
    print("chromium is not installed (apt-get install chromium): the page is not looked at")
    raise SystemExit(77)

READY = "window.pliant && pliant.state.head !== null && pliant.renderer.bodies.length > 0"


def pixels(png):
    """Width, height and rows of bytes of a picture as Chromium writes it: 8 bits, RGB or RGBA."""
    at, data, head = 8, b"", None
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        if kind == b"IHDR":
            head = struct.unpack_from(">IIBB", png, at + 8)
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + size]
        at += 12 + size
    width, height, depth, color = head
    check(depth == 8 and color in (2, 6), "a picture of", depth, "bits, kind", color)
    step = 3 if color == 2 else 4
    raw, rows, before = zlib.decompress(data), [], bytearray(step * width)
    for y in range(height):
        kind, row = raw[y * (step * width + 1)], bytearray(raw[y * (step * width + 1) + 1:(y + 1) * (step * width + 1)])
        for x in range(step * width):
            left, up, corner = (row[x - step] if x >= step else 0), before[x], (before[x - step] if x >= step else 0)
            if kind == 1:
                row[x] = row[x] + left & 255
            elif kind == 2:
                row[x] = row[x] + up & 255
            elif kind == 3:
                row[x] = row[x] + (left + up) // 2 & 255
            elif kind == 4:
                guess = left + up - corner
                near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                row[x] = row[x] + near[2] & 255
        rows.append(row)
        before = row
    return width, height, step, rows


def at(picture, x, y):
    width, height, step, rows = picture
    return tuple(rows[int(y)][step * int(x):step * int(x) + 3])


def changed(a, b):
    """The part of the pixels of two pictures that differ."""
    width, height, step, rows = a
    count = sum(1 for p, q in zip(rows, b[3]) for x in range(0, step * width, step) if abs(p[x] - q[x]) + abs(p[x + 1] - q[x + 1]) + abs(p[x + 2] - q[x + 2]) > 24)
    return count / (width * height)


def open_page(browser, server):
    browser.open("http://localhost:%d/" % server.port)
    browser.wait(READY)
    browser.evaluate("document.body.classList.add('bare'); 0")


def middle_of(browser):
    """Where the first body is on the screen."""
    return browser.evaluate("""(() => {
      const x = pliant.renderer.bodies[0].positions, m = [0, 0, 0], c = document.getElementById('stage'), n = x.length / 3;
      for (let i = 0; i < x.length; ++i) m[i % 3] += x[i] / n;
      const q = pliant.project(pliant.camera.matrices(c.clientWidth / c.clientHeight).both, m);
      return [(q[0] / q[3] * 0.5 + 0.5) * c.clientWidth, (0.5 - 0.5 * q[1] / q[3]) * c.clientHeight];
    })()""")


def red(color):
    return color[0] > 1.3 * color[1] and color[0] > 1.3 * color[2]


def test_the_page_shows_what_the_engine_does():
    scene = ball_scene()
    scene["bodies"]["ball"]["color"] = "#d02020"
    write_scene("scene.json", scene)
    with Server("scene.json") as server, chromium.Browser(480, 320) as browser:
        open_page(browser, server)
        x, y = middle_of(browser)
        time.sleep(1)
        first = pixels(browser.screenshot())
        check(red(at(first, x, y)) and not red(at(first, 3, 160)), at(first, x, y), at(first, 3, 160))
        # a hand on the ball takes it along
        browser.key(" ")
        browser.wait("pliant.state.head.playing")
        browser.drag((x, y), (x + 120, y), release=False)
        browser.wait("pliant.state.head.hands.length === 1")
        browser.wait("pliant.state.head.hands[0][0][0] > 0.1 || pliant.state.head.hands[0][0][2] < -0.1 || Math.hypot(...pliant.state.head.hands[0][0]) > 0.75", 60)
        second = pixels(browser.screenshot())
        check(changed(first, second) > 0.01, "the picture stays:", changed(first, second))
        browser.mouse("mouseReleased", x + 120, y)
        browser.wait("pliant.state.head.hands.length === 0")
        # anywhere else the view turns
        turn = browser.evaluate("pliant.camera.turn")
        browser.drag((120, 60), (220, 60))
        check(browser.evaluate("pliant.camera.turn") != turn)
        browser.key(" ")
        browser.wait("!pliant.state.head.playing")
        check(browser.complaints() == [], browser.complaints())


def test_water_is_seen_through():
    """A red ball in a pool: seen above the water, and below it with another colour; the mesh changes, and nobody complains."""
    ball = {"shape": {"sphere": 0.3}, "at": [1, 0.5, 0.5], "color": "#d02020"}
    write_scene("pool.json", {"frames": 5, "look": runs.LOOK, "camera": {"from": [1, 0.8, 4], "look_at": [1, 0.5, 0.5]}, "objects": {"ball": ball},
                              "domain": {"box": [[0, 0, 0], [2, 1, 1]], "size": 0.125},
                              "liquids": {"water": {"level": 0.5}, "tap": {"kind": "source", "shape": {"sphere": 0.25}, "at": [0.4, 0.3, 0.5], "rate": 0.1, "valve": 0}}})
    with Server("pool.json") as server, chromium.Browser(480, 320) as browser:
        browser.open("http://localhost:%d/" % server.port)
        browser.wait("window.pliant && pliant.state.head !== null && pliant.renderer.flows.length === 2 && pliant.renderer.flows[0].count > 0")
        browser.evaluate("document.body.classList.add('bare'); 0")
        time.sleep(1)
        place = "(() => { const c = document.getElementById('stage'), q = pliant.project(pliant.camera.matrices(c.clientWidth / c.clientHeight).both, [1, %g, 0.75]);" \
                "return [(q[0] / q[3] * 0.5 + 0.5) * c.clientWidth, (0.5 - 0.5 * q[1] / q[3]) * c.clientHeight]; })()"
        picture = pixels(browser.screenshot())
        above, below = (at(picture, *browser.evaluate(place % y)) for y in (0.65, 0.35))
        check(red(above) and below[2] > above[2] + 10 and 0.3 * above[0] < below[0] < 0.8 * above[0], "above", above, "below", below)
        browser.key(" ")
        browser.wait("pliant.state.head.time > 0.02", 60)
        # shut, the tap brings nothing; a slider opens it
        volume = browser.evaluate("pliant.state.head.figures.liquid")
        check(abs(volume - 1 + 0.5 * 4 / 3 * 3.14159 * 0.027) < 0.01, "volume", volume)
        browser.evaluate("""(() => { const range = document.querySelector('[data-path="liquids.tap.valve"] input[type=range]'); range.value = 1; range.dispatchEvent(new Event('input')); })()""")
        browser.wait("pliant.state.head.figures.liquid > %g" % (volume + 0.001), 60)
        browser.key("o")
        check(browser.evaluate("pliant.state.tool") == "move")
        check(browser.complaints() == [], browser.complaints())


def test_buttons_and_keys():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server, chromium.Browser(480, 360) as browser:
        open_page(browser, server)
        for tool in ("push", "pin", "grab"):
            browser.evaluate("document.querySelector('#tools [data-name=%s]').click()" % tool)
            check(browser.evaluate("pliant.state.tool") == tool)
        browser.key("p")
        check(browser.evaluate("pliant.state.tool") == "push")
        browser.evaluate("document.querySelector('#fields [data-name=speed]').click()")
        browser.wait("pliant.state.head.color === 'speed' && !document.getElementById('legend').hidden")
        browser.evaluate("document.getElementById('wire').click()")
        check(browser.evaluate("pliant.renderer.wire"))
        browser.evaluate("document.getElementById('step').click()")
        browser.wait("Math.abs(pliant.state.head.time - 0.01) < 1e-9")
        # a slider acts, and what it says is what the engine has
        browser.evaluate("""(() => { const range = document.querySelector('[data-path="gravity.y"] input[type=range]'); range.value = 0; range.dispatchEvent(new Event('input')); })()""")
        browser.wait("""document.querySelector('[data-path="gravity.y"] input[type=text]').value.startsWith('-20')""")
        browser.key("?")
        check(browser.evaluate("!document.getElementById('keys').hidden"))
        browser.key("x")
        check(browser.evaluate("document.getElementById('keys').hidden"))
        browser.key("r")
        browser.wait("pliant.state.head.time === 0")
        check(browser.complaints() == [], browser.complaints())


def test_a_mistake_in_the_file_is_shown():
    write_scene("scene.json", small_scene())
    with Server("scene.json") as server, chromium.Browser(480, 360) as browser:
        open_page(browser, server)
        check(browser.evaluate("document.getElementById('trouble').hidden"))
        write("scene.json", '{\n  "bodies": { "cube": { "shpae": 1 } }\n}\n')
        browser.wait("document.querySelector('#trouble pre').textContent.startsWith('scene.json:2:')")
        write_scene("scene.json", small_scene(frames=7))
        browser.wait("document.getElementById('trouble').hidden")


def test_a_run_is_scrubbed():
    write_scene("scene.json", small_scene())
    pliant("run", "scene.json", "--no-movie", "--quiet")
    with Server("scene.run") as server, chromium.Browser(480, 360) as browser:
        open_page(browser, server)
        check(browser.evaluate("document.getElementById('mode').textContent") == "replay" and not browser.evaluate("document.getElementById('timeline').hidden"))
        time.sleep(1)
        first = pixels(browser.screenshot())
        browser.evaluate("(() => { const s = document.getElementById('scrub'); s.value = 6; s.dispatchEvent(new Event('input')); })()")
        browser.wait("pliant.state.head.frame === 6")
        time.sleep(1)
        check(changed(first, pixels(browser.screenshot())) > 0.003)
        browser.evaluate("document.getElementById('live').click()")
        browser.wait("document.getElementById('mode').textContent === 'live'")
        check(browser.complaints() == [], browser.complaints())


def test_fingers():
    write_scene("scene.json", ball_scene())
    with Server("scene.json") as server, chromium.Browser(360, 640, phone=True) as browser:
        open_page(browser, server)
        x, y = middle_of(browser)
        distance = browser.evaluate("pliant.camera.distance")
        browser.touch("touchStart", [(100, 560), (140, 560)])
        for k in range(1, 6):
            browser.touch("touchMove", [(100 - 8 * k, 560), (140 + 8 * k, 560)])
        browser.touch("touchEnd", [])
        check(browser.evaluate("pliant.camera.distance") < 0.9 * distance, "two fingers do not zoom")
        browser.key(" ")
        x, y = middle_of(browser)
        browser.touch("touchStart", [(x, y)])
        browser.touch("touchMove", [(x + 40, y)])
        browser.wait("pliant.state.head.hands.length === 1")
        browser.touch("touchEnd", [])
        browser.wait("pliant.state.head.hands.length === 0")
        check(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen")
        check(browser.evaluate("document.getElementById('toggle').getBoundingClientRect().right <= innerWidth"), "buttons are off the screen")


if __name__ == "__main__":
    runs.main(dict(globals()))
