"""tests/run_pond.py -- a stepper that says so is drawn as water and as points (tests/toy/pond_stepper.c)."""
import os
import struct
import zlib

import runs
from runs import check, pliant, small_scene, write_scene

runs.PLIANT = os.path.join(os.path.dirname(runs.PLIANT), "pond_pliant")
VIEW = {"look": {"size": [192, 108]}, "camera": {"from": [0, 5, 0.01], "look_at": [0, 0, 0]}}


def pixels(path):
    """Rows of (red, green, blue) of a PNG of 8-bit colours."""
    data, at, packed, rows = runs.read(path), 8, b"", []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body, at = data[at + 8:at + 8 + length], at + 12 + length
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            check((depth, color) == (8, 2), "not 8-bit colours", depth, color)
        packed += body if kind == b"IDAT" else b""
    raw, before = zlib.decompress(packed), bytes(3 * width)
    for y in range(height):
        line = bytearray(raw[y * (3 * width + 1):(y + 1) * (3 * width + 1)])
        kind, row = line[0], line[1:]
        for i in range(3 * width):
            left, up, corner = row[i - 3] if i > 2 else 0, before[i], before[i - 3] if i > 2 else 0
            nearest = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, nearest)[kind]) % 256
        rows.append([tuple(row[i:i + 3]) for i in range(0, 3 * width, 3)])
        before = row
    return rows


def picture(name, *words):
    pliant("render", "pond.run", "--frame", 0, "-o", name, "--quiet", *words)
    return pixels(name)


def test_water_is_seen_through_and_drops_are_white():
    write_scene("scene.json", small_scene(frames=1, **VIEW))
    pliant("run", "scene.json", "-o", "pond.run", "--quiet", "--no-movie")
    wet, solid = picture("wet.png"), picture("solid.png", "--set", "look.wireframe=true")
    lake, land = wet[54][60], wet[54][6]
    check(lake[2] > lake[0] + 30 and abs(land[2] - land[0]) < 30, "water is blue-green, the floor is not:", lake, land)
    check(sum(lake) > sum(solid[54][60]) + 60, "the floor is seen through the water:", lake, solid[54][60])
    drops = sum(1 for row in wet[30:80] for red, green, blue in row[70:124] if min(red, green, blue) > 170)
    check(drops > 5, "there are drops:", drops)


def test_everything_is_exported():
    write_scene("scene.json", small_scene(frames=1))
    pliant("run", "scene.json", "-o", "pond.run", "--quiet", "--no-movie")
    for kind in "ply", "obj", "usd", "vtu", "glb", "npy", "pc2":
        pliant("export", "pond.run", "--to", kind, "-o", kind, "--quiet")
        files = [os.path.join(place, name) for place, _, names in os.walk(kind) for name in names]
        for what in "water", "drops":
            check(any(what in name for name in files) or any(what.encode() in runs.read(name) for name in files), kind, files)


if __name__ == "__main__":
    runs.main(dict(globals()))
