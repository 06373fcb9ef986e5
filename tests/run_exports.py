#!/usr/bin/python3
"""tests/run_exports.py PLIANT -- what `pliant export` makes of a real run, read back by others and compared with its .npy files.

How each format is written is tests/meshio_exports.py; here it is whether a run's bodies, times, point order, texture
coordinates and groups arrive. Exit code 77: meshio or numpy is not installed.
"""
import re
import struct
import xml.etree.ElementTree

from runs import *

try:
    import meshio
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

try:
    import pyopenvdb as vdb  # python3-openvdb; without it .vdb is compared with its layout only (tests/export.c)
except ImportError:
    vdb = None

FORMATS = ["ply", "vtu", "pc2", "usd", "glb", "npy", "obj"]
SOURCE = np.array([[float(x) for x in line.split()[1:]] for line in CUBE_OBJ.splitlines() if line.startswith("v ")])
FACES = [line for line in CUBE_OBJ.splitlines() if line[:2] in ("f ", "g ")]
UVS = [[0, 0], [1, 0], [1, 1], [0, 1]]
LAST = 3


def make_run(*words):
    write_scene("busy.json", busy_scene(frames=LAST))
    pliant("run", "busy.json", "-o", "run", "-q", "--no-movie", *words)


def array(name, directory="run/export"):
    return np.load("%s/npy/%s.npy" % (directory, name))


def near(a, b, what, tolerance=0.0):
    a, b = np.asarray(a, float), np.asarray(b, float)
    check(a.shape == b.shape, what, "has shape", a.shape, "and not", b.shape)
    check(a.size == 0 or np.abs(a - b).max() <= tolerance, what, "differs by", np.abs(a - b).max() if a.size else 0)


def expected_corners():
    """Per triangle of the fans: corners as (vertex, texture coordinate), and its group."""
    corners, groups, group = [], [], None
    for line in FACES:
        words = line.split()
        if words[0] == "g":
            group = words[1]
            continue
        quad = [tuple(int(n) - 1 for n in word.split("/")) for word in words[1:]]
        for k in (1, 2):
            corners.append([quad[0], quad[k], quad[k + 1]])
            groups.append(group)
    return corners, groups


def obj_corners(path):
    corners, groups, group = [], [], None
    for line in read(path).decode().splitlines():
        words = line.split()
        if words and words[0] == "g":
            group = words[1]
        if words and words[0] == "f":
            corners.append([tuple(int(n) - 1 for n in word.split("/")[:2]) for word in words[1:]])
            groups.append(group)
    return corners, groups


def obj_rows(path, kind):
    return [[float(x) for x in line.split()[1:]] for line in read(path).decode().splitlines() if line.startswith(kind + " ")]


def test_positions():
    make_run()
    pliant("export", "run", "--to", ",".join(FORMATS), "-q")
    near(array("jelly_positions")[0], SOURCE + [0.42, 0.16, 0], "the carried surface at the start", 1e-12)
    times = [line["time"] for line in metrics("run")]
    near(times, [k / 24 for k in range(LAST + 1)], "times", 1e-12)
    for body in ("block", "jelly"):
        positions, nodes = array(body + "_positions"), array(body + "_nodes")
        check(len(positions) == LAST + 1 and np.abs(positions[LAST] - positions[0]).max() > 0.01, body, "does not move")
        for frame in (0, LAST):
            ply = meshio.read("run/export/ply/%s_%06d.ply" % (body, frame))
            near(ply.points, positions[frame].astype("f4"), "ply points")
            near(ply.cells_dict["triangle"], array(body + "_triangles"), "ply triangles")
            vtu = meshio.read("run/export/vtu/%s_%06d.vtu" % (body, frame))
            near(vtu.points, nodes[frame], "vtu points")
            near(vtu.cells_dict["tetra"], array(body + "_tets"), "vtu tetrahedra")
            near(vtu.point_data["velocity"], array(body + "_node_velocities")[frame], "vtu velocity")
            near(vtu.cell_data["J"][0], array(body + "_J")[frame], "vtu J")
            near(vtu.cell_data["stress"][0], array(body + "_stress")[frame], "vtu stress")
            near(obj_rows("run/export/obj/%s_%06d.obj" % (body, frame), "v"), positions[frame], "obj points", 1e-15)
        data = read("run/export/pc2/%s.pc2" % body)
        count, samples = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
        near(np.frombuffer(data[32:], "<f4").reshape(samples, count, 3), positions.astype("f4"), "pc2 points")
    pvd = xml.etree.ElementTree.parse("run/export/vtu/animation.pvd").getroot()
    near([float(d.get("timestep")) for d in pvd.iter("DataSet") if d.get("name") == "jelly"], times, "pvd times", 1e-15)
    for d in pvd.iter("DataSet"):
        check(os.path.exists("run/export/vtu/" + d.get("file")), d.get("file"), "is not there")


def test_what_the_surface_brought():
    make_run()
    pliant("export", "run", "--to", "obj,pc2,usd,glb,npy", "-q")
    corners, groups = expected_corners()
    for path in ("run/export/obj/jelly_%06d.obj" % LAST, "run/export/pc2/jelly.obj"):
        check(obj_corners(path) == (corners, groups), path, "has other corners or groups:", obj_corners(path))
        near(obj_rows(path, "vt"), UVS, path)
    near(array("jelly_triangles"), [[c[0] for c in corner] for corner in corners], "npy triangles")
    usd = read("run/export/usd/animation.usda").decode()
    jelly = usd[usd.index('def Mesh "jelly"'):]
    number = lambda name: json.loads(re.search(re.escape(name) + r" = (\[.*?\])\s*(?:\(|\n)", jelly).group(1).replace("(", "[").replace(")", "]"))
    check(number("faceVertexIndices") == [c[0] for corner in corners for c in corner], "usd indices")
    check("primvars:st" in jelly, "usd has no texture coordinates")
    for name in ("lower", "upper"):
        subset = jelly[jelly.index('def GeomSubset "%s"' % name):]
        check(json.loads(re.search(r"indices = (\[.*?\])", subset).group(1)) == [k for k, g in enumerate(groups) if g == name], "usd group", name)
    glb = read("run/export/glb/animation.glb")
    size = struct.unpack("<I", glb[12:16])[0]
    tree = json.loads(glb[20:20 + size].decode())
    mesh = [m for m in tree["meshes"] if m["name"] == "jelly"][0]
    check(all("TEXCOORD_0" in p["attributes"] and "POSITION" in p["attributes"] for p in mesh["primitives"]), "glb has no texture coordinates")
    check(sum(tree["accessors"][p["indices"]]["count"] for p in mesh["primitives"]) == 36, "glb triangles")


def test_objects_where_they_are():
    """With output.objects: turned by their spin, moved by their keys, under another name where a body has theirs; not the floor."""
    scene = busy_scene(frames=LAST)
    scene["objects"]["jelly"] = {"shape": {"gear": {"teeth": 8, "module": 0.05}}, "at": [0, -3, 0], "spin": [0, 0, 90]}
    scene["objects"]["ground"] = {"shape": {"plane": [0, 1, 0]}, "at": [0, -9, 0]}
    write_scene("busy.json", scene)
    pliant("run", "busy.json", "-o", "run", "-q", "--no-movie")
    pliant("export", "run", "--to", "npy", "-o", "without/npy", "-q")
    pliant("export", "run", "--to", "npy,ply,usd,glb,pc2,vtu,obj", "--set", "output.objects=true", "-q")
    extra = set(os.listdir("run/export/npy")) - set(os.listdir("without/npy"))
    check(extra == {name % what for name in ("ball_%s.npy", "object_jelly_%s.npy") for what in ("positions", "triangles")}, extra)
    wheel, ball, times = array("object_jelly_positions"), array("ball_positions"), np.arange(LAST + 1) / 24
    turn = np.array([[np.cos(np.pi / 2 * times[-1]), -np.sin(np.pi / 2 * times[-1])], [np.sin(np.pi / 2 * times[-1]), np.cos(np.pi / 2 * times[-1])]])
    near(wheel[-1][:, :2] + (0, 3), (wheel[0][:, :2] + (0, 3)) @ turn.T, "the wheel", 1e-9)
    for frame, t in enumerate(times):
        u = t / 0.25
        middle = (-0.4 + 0.15 * (3 * u * u - 2 * u * u * u), 0.15, 0)
        near(np.linalg.norm(ball[frame] - middle, axis=1), np.full(len(ball[frame]), 0.15), "the ball", 1e-9)


def test_actors_after_pictures():
    """An actor that bends keeps its triangles, also where the movie has asked for them before."""
    corners = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], "<f4")
    faces = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
    write("actor.obj", "".join("v %g %g %g\n" % tuple(p) for p in corners) + "".join("f %d %d %d\n" % tuple(i + 1 for i in t) for t in faces))
    with open("actor.pc2", "wb") as file:
        file.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(corners), 0, 1, LAST + 1))
        file.write(b"".join((corners * (1 + k)).tobytes() for k in range(LAST + 1)))
    scene = small_scene(frames=LAST, objects={"actor": {"shape": {"actor": {"file": "actor.obj", "cache": "actor.pc2"}}, "at": [0, -9, 0]}})
    scene["output"], scene["look"] = {"objects": True, "export": ["npy"]}, LOOK
    write_scene("busy.json", scene)
    pliant("run", "busy.json", "-o", "run", "-q")
    check((array("actor_triangles") == faces).all(), array("actor_triangles"))
    for k, x in enumerate(array("actor_positions")):
        near(x - (0, -9, 0), corners * (1 + k), "the actor", 1e-6)


def test_bodies_that_break():
    """ply, obj, vtu and usd follow a body that comes apart, in which points are added; formats of one mesh for all frames say why not."""
    pull = lambda way: {"keys": [[0, [0, 0, 0]], [0.1, [way, 0, 0]]]}
    write_scene("torn.json", {"frames": 4, "gravity": [0, 0, 0], "bodies": {"bar": {
        "shape": {"box": [0.8, 0.2, 0.2]}, "size": 0.1, "material": {"like": "rubber", "young": 1e4, "fracture_stress": 500}, "smallest_piece": 4,
        "select": {"left": {"box": [[0, 0, 0], [0.01, 1, 1]]}, "right": {"box": [[0.99, 0, 0], [1, 1, 1]]}},
        "pins": [{"select": "left", "move": pull(-0.3)}, {"select": "right", "move": pull(0.3)}]}}})
    pliant("run", "torn.json", "-o", "torn", "-q", "--no-movie")
    torn = [line["torn"] for line in metrics("torn")]
    check(sum(torn) > 0 and torn[0] == 0, torn)
    pliant("export", "torn", "--to", "ply,obj,vtu,usd", "-q")
    meshes = [[meshio.read("torn/export/%s/bar_%06d.%s" % (kind, frame, kind)) for frame in (0, 4)] for kind in ("vtu", "ply")]
    (whole, broken), (skin, broken_skin) = meshes
    added = len(broken.points) - len(whole.points)
    check(added > 0 and len(broken.cells_dict["tetra"]) == len(whole.cells_dict["tetra"]), added)
    check(broken.cells_dict["tetra"].max() == len(broken.points) - 1, "the last node is in use")
    check(len(broken_skin.cells_dict["triangle"]) > len(skin.cells_dict["triangle"]), "cracks have surfaces")
    check("faceVertexIndices.timeSamples" in read("torn/export/usd/animation.usda").decode(), "usd keeps one mesh")
    for kind in ("pc2", "glb", "npy"):
        pliant("export", "torn", "--to", kind, status=1, says="needs the same in all frames")


def test_carried_surfaces_that_break():
    """A torn surface is closed in every file; corners keep their texture coordinates and groups, and caps are a group of their own."""
    write("meshes/cube.obj", CUBE_OBJ)
    pull = lambda way: {"keys": [[0, [0, 0, 0]], [0.1, [way, 0, 0]]]}
    write_scene("torn.json", {"frames": 4, "gravity": [0, 0, 0], "bodies": {"jelly": {
        "surface": "meshes/cube.obj", "resolution": 5, "material": {"like": "rubber", "young": 1e4, "fracture_stress": 500}, "smallest_piece": 4,
        "inside_color": [1, 0, 0],
        "select": {"left": {"box": [[0, 0, 0], [0.1, 1, 1]]}, "right": {"box": [[0.9, 0, 0], [1, 1, 1]]}},
        "pins": [{"select": "left", "move": pull(-0.3)}, {"select": "right", "move": pull(0.3)}]}}})
    pliant("run", "torn.json", "-o", "torn", "-q", "--no-movie")
    check(sum(line["torn"] for line in metrics("torn")) > 0, "it is whole")
    pliant("export", "torn", "--to", "ply,obj,vtu,usd", "-q")
    corners, groups = obj_corners("torn/export/obj/jelly_%06d.obj" % 0)
    check((corners, groups) == expected_corners(), "whole, it is as it was given")
    path = "torn/export/obj/jelly_%06d.obj" % 4
    corners, groups = obj_corners(path)
    edges = [(t[k][0], t[(k + 1) % 3][0]) for t in corners for k in range(3)]
    check(len(set(edges)) == len(edges) and set(edges) == {(b, a) for a, b in edges}, "the torn surface is not closed")
    check(set(groups) == {"lower", "upper", "inside"}, set(groups))
    uvs = np.array(obj_rows(path, "vt"))
    check(uvs.min() >= -1e-9 and uvs.max() <= 1 + 1e-9 and len(uvs) > len(UVS), "texture coordinates are within those of the cube")
    caps = [t for t, group in zip(corners, groups) if group == "inside"]
    check(len({c[1] for t in caps for c in t}) == 1, "caps share one texture coordinate")
    ply = meshio.read("torn/export/ply/jelly_%06d.ply" % 4)
    check(sorted(map(tuple, ply.cells_dict["triangle"])) == sorted(tuple(c[0] for c in t) for t in corners), "ply and obj differ")
    usd = read("torn/export/usd/animation.usda").decode()
    check('def GeomSubset "inside"' in usd and "primvars:st.timeSamples" in usd, "usd has no groups or texture coordinates in time")
    for kind in ("pc2", "glb", "npy"):
        pliant("export", "torn", "--to", kind, status=1, says="needs the same in all frames")
        pliant("export", "torn", "--to", kind, "--last", 0, "-q")
    # pictures, of either kind of colour
    pliant("render", "torn", "-o", "plain_%02d.png", "--first", 4, "--set", "look.samples=1", "-q")
    pliant("render", "torn", "-o", "stress_%02d.png", "--first", 4, "--set", "look.color_by=stress", "--set", "look.samples=1", "-q")


def test_liquids():
    """The grid fills the water with cubes and tall cells, whose pressure is that of the depth; drops come with radii, and other formats have no grid."""
    write_scene("pool.json", {"frames": 2, "look": LOOK, "domain": {"box": [[0, 0, 0], [1, 1, 0.5]], "size": 0.05, "depth": 0.15}, "liquids": {"water": {"level": 0.6}}})
    pliant("run", "pool.json", "-o", "run", "-q", "--no-movie")
    pliant("export", "run", "--to", "vtu,ply", "-q")
    check("velocity" in meshio.read("run/export/vtu/water_000002.vtu").point_data and {"vx", "vy", "vz"} <= set(meshio.read("run/export/ply/water_000002.ply").point_data), "surfaces have no velocity")
    grid = meshio.read("run/export/vtu/water_grid_000002.vtu")
    x, cells = grid.points, grid.cells[0].data
    check(grid.cells[0].type == "hexahedron" and len(np.unique(x, axis=0)) == len(x), "nodes are shared")
    low, high, phi = x[cells].min(axis=1), x[cells].max(axis=1), grid.cell_data["phi"][0]
    volume = np.einsum("ij,ij->i", np.cross(x[cells[:, 1]] - x[cells[:, 0]], x[cells[:, 3]] - x[cells[:, 0]]), x[cells[:, 4]] - x[cells[:, 0]])
    near(volume, (high - low).prod(axis=1), "volumes of cells, which face outwards,", 1e-12)
    near(volume[phi < 0].sum(), 0.3, "the volume of the water", 1e-9)
    check((high - low)[:, 1].max() > 0.15 and (phi > 0).any(), "tall cells, and some of the air")
    near(grid.cell_data["pressure"][0], np.where(phi < 0, 9810 * (0.6 - 0.5 * (low + high)[:, 1]), 0), "pressure", 2)
    check(b'NumberOfPoints="0" NumberOfCells="0"' in read("run/export/vtu/water_spray_000002.vtu") and b'Name="radius"' in read("run/export/vtu/water_spray_000002.vtu"), "no drops")
    for name, words in {"plain": [], "cells": ["--set", "look.cells=true"], "pressure": ["--set", "look.cells=true", "--set", "look.color_by=pressure"]}.items():
        pliant("render", "run", "--frame", 2, "-o", name + ".png", "-q", *words)
    check(len({read(name + ".png") for name in ("plain", "cells", "pressure")}) == 3, "cells are seen, and their pressure")
    check(sorted(os.listdir("run/export/ply")) == sorted("%s_%06d.ply" % (name, i) for name in ("water", "water_spray") for i in range(3)), os.listdir("run/export/ply"))
    pliant("export", "run", "--to", "vdb", "-q")
    check(sorted(os.listdir("run/export/vdb")) == ["water_grid_%06d.vdb" % i for i in range(3)], os.listdir("run/export/vdb"))
    if vdb:
        compare_with_openvdb("run/export/vdb/water_grid_000002.vdb", low, high, grid)
    # calm water does not flicker, and its volumes are drawn
    pliant("render", "run", "-o", "calm_%d.png", "-q", "--first", 1)
    check(read("calm_1.png") == read("calm_2.png"), "two pictures of calm water differ")
    pliant("plot", "run", "-o", "run.svg", "-q")
    check(all(words in read("run.svg") for words in (b"Volume of the liquid", b"Spray", b"Drift")) and b"Inverted" not in read("run.svg"), "charts of liquids, and none of elements")


def compare_with_openvdb(path, low, high, grid):
    """Every cell, the highest and the lowest voxel of tall ones, read by OpenVDB itself."""
    grids = {one.name: one for one in vdb.readAll(path)[0]}
    check(sorted(grids) == ["cell_velocity", "phi", "pressure"] and grids["phi"].gridClass == "level set", sorted(grids))
    size = (high - low).min()
    origin = np.array(grids["phi"].transform.indexToWorld((0, 0, 0)))
    near(origin, low.min(axis=0) + size / 2, "the first voxel", 1e-12)
    check(grids["phi"].activeVoxelCount() == round(((high - low) / size).prod(axis=1).sum()), "voxels", grids["phi"].activeVoxelCount())
    for name, one in grids.items():
        values, look = grid.cell_data[name][0], one.getConstAccessor()
        for at in (low + size / 2, high - size / 2):
            found = [look.getValue(tuple(int(i) for i in place)) for place in np.rint((at - origin) / size)]
            near(np.array(found), values.astype("f4"), "vdb " + name, 1e-6)


def test_a_liquid_without_a_floor_has_a_ground():
    """In pictures only: the one that this floor would be. Not with a camera, which somebody has thought about."""
    scene = {"frames": 1, "look": {"size": [48, 32], "samples": 1}, "domain": {"box": [[0, 0, 0], [1, 0.6, 0.4]], "size": 0.1}, "liquids": {"water": {"shape": {"box": [0.8, 0.8, 0.8]}}}}
    seen = []
    for more in ({}, {"floor": {"color": [0.66, 0.62, 0.54], "grid": True}}, {"camera": {"fov": 30}}, {"camera": {"fov": 30}, "floor": {}}):
        write_scene("scene.json", dict(scene, **more))
        pliant("run", "scene.json", "-o", "run", "-q", "--force", "--no-movie")
        pliant("render", "run", "-o", "ground_%d.png", "-q", "--last", 0)
        seen.append(read("ground_0.png"))
    check(seen[0] == seen[1], "the ground is not that of a floor")
    check(seen[2] != seen[3], "there is a ground in spite of a camera")


def test_grids_need_liquids():
    make_run()
    pliant("export", "run", "--to", "vdb", "-q", status=None, says="vdb is for the grids of liquids")


def test_ranges_and_mistakes():
    make_run()
    pliant("export", "run", "--to", "npy", "-o", "part/npy", "--first", 1, "--last", 2, "-q")
    pliant("export", "run", "--to", "npy", "-q")
    near(array("jelly_positions", "part"), array("jelly_positions")[1:3], "frames 1 to 2")
    pliant("export", "run", "--to", "vtu,foo", status=2, says=["'foo'", "usd"])
    pliant("export", "run", "--to", "", status=2)
    check(not os.path.exists("run/export/vtu"), "a wrong list was begun with")
    pliant("export", "run", "--to", "ply", "--last", 9, status=2, says="frames 0 to 3")
    pliant("export", "run", "--to", "ply", "--set", "output.attributes=[\"stretch\"]", "-q")
    # as part of the scene: the same files at the end of the run
    make_run("--force")
    write_scene("busy.json", busy_scene(frames=LAST, output={"export": ["npy", "usd"], "movie": "none"}))
    pliant("run", "busy.json", "-o", "run", "--resume", "-q")
    check(sorted(os.listdir("run/export")) == ["npy", "usd"], os.listdir("run/export"))


main(globals())
