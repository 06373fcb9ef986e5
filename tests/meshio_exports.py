#!/usr/bin/python3
"""tests/meshio_exports.py TEST_EXPORT DIRECTORY -- read what `test_export --write` wrote with programs that are not ours.

.vtu, .ply and .obj through meshio, .npy through numpy, .pvd through an XML parser; .pc2, .glb and .usda by what their
specifications say, written down here a second time. Everything is compared with expected.json, which no exporter touched.
Exit code 77: meshio or numpy is not installed.
"""
import json
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree

try:
    import meshio
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

program, directory = sys.argv[1:3]
subprocess.run([program, "--write", directory], check=True)
expected = json.load(open(os.path.join(directory, "expected.json")))
frames = expected["frames"]
ends = [0, len(frames) - 1]
failures = 0


def check(condition, *sentence):
    global failures
    if not condition:
        failures += 1
        print("failed:", *sentence)


def same(a, b, what, tolerance=0.0):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    check(a.shape == b.shape, what, "has shape", a.shape, "and not", b.shape)
    if a.shape == b.shape and a.size:
        check(np.abs(a - b).max() <= tolerance, what, "differs by", np.abs(a - b).max())


def rows(values, width, kind=float):
    return np.array(values, dtype=kind).reshape(-1, width)


def path(*names):
    return os.path.join(directory, *names)


def used(body):
    """The vertices that triangles use, and the triangles in their numbers."""
    kept = np.unique(body["triangles"])
    return rows(body["vertices"], 3)[kept], np.searchsorted(kept, rows(body["triangles"], 3, int))


def f32(values):
    return np.asarray(values, dtype=np.float32).astype(float)


# ---- one file per body and frame ---------------------------------------------------------------------------------

def check_vtu(body, number):
    mesh = meshio.read(path("vtu", "%s_%06d.vtu" % (body["name"], number)))
    if body["nodes"]:
        nodes = rows(body["nodes"], 3)
        same(mesh.points, nodes, "vtu points")
        same(mesh.cells_dict["tetra"], rows(body["tets"], 4), "vtu tetrahedra")
        same(mesh.point_data["displacement"], nodes - rows(body["rest_nodes"], 3), "vtu displacement")
        same(mesh.point_data["velocity"], rows(body["node_velocities"], 3), "vtu velocity")
        same(mesh.point_data["temperature"], body["temperature"], "vtu temperature")
        same(mesh.point_data["force"], rows(body["force"], 3), "vtu force")
        same(mesh.cell_data["J"][0], body["J"], "vtu J")
        same(np.reshape(mesh.cell_data["stress"][0], (-1, 9)), rows(body["stress"], 9), "vtu stress")
    else:
        same(mesh.points, rows(body["vertices"], 3), "vtu points of a surface")
        same(mesh.cells_dict["triangle"], rows(body["triangles"], 3), "vtu triangles")
        same(mesh.point_data["velocity"], rows(body["velocities"], 3), "vtu velocity of a surface")
        same(mesh.point_data["normal"], rows(body["normals"], 3), "vtu normal")


def check_hex(body, number):
    mesh = meshio.read(path("hex", "%s_%06d.vtu" % (body["name"], number)))
    same(mesh.points, rows(body["nodes"], 3), "vtu points of a hexahedron")
    same(mesh.cells_dict["hexahedron"], [[0, 1, 3, 2, 4, 5, 7, 6]], "vtu hexahedron")
    same(mesh.cell_data["J"][0], body["J"][:1], "vtu J of a hexahedron")


def check_ply(body, number):
    mesh = meshio.read(path("ply", "%s_%06d.ply" % (body["name"], number)))
    same(mesh.points, f32(rows(body["vertices"], 3)), "ply points")
    same(mesh.cells_dict["triangle"], rows(body["triangles"], 3), "ply triangles")
    for k, name in enumerate(["vx", "vy", "vz"]):
        same(mesh.point_data[name], f32(rows(body["velocities"], 3)[:, k]), "ply " + name)
    if body["normals"]:
        same(mesh.point_data["ny"], f32(rows(body["normals"], 3)[:, 1]), "ply ny")
        same(mesh.point_data["t"], f32(rows(body["uvs"], 2)[:, 1]), "ply t")


def read_obj(name):
    """meshio wants one vt for every v, so it gets the file without them."""
    plain = name + ".plain.obj"
    text = re.sub(r"(?m)^vt .*\n", "", open(name).read())
    open(plain, "w").write(re.sub(r"/\d+", "", text))
    return meshio.read(plain)


def check_obj(name, body):
    mesh = read_obj(name)
    points, triangles = used(body)
    same(mesh.points, points, "obj points")
    same(np.concatenate([c.data for c in mesh.cells]), triangles, "obj triangles")
    lines = open(name).read().split("\n")
    same([[float(x) for x in l.split()[1:]] for l in lines if l.startswith("vt ")], rows(body["uvs"], 2), "obj texture coordinates")
    corners = [int(c.split("/")[1]) - 1 for l in lines if l.startswith("f ") for c in l.split()[1:]]
    check(corners == body["triangle_uvs"], "obj corners")


# ---- one file for all frames -------------------------------------------------------------------------------------

def check_pvd():
    root = xml.etree.ElementTree.parse(path("vtu", "animation.pvd")).getroot()
    sets = [d.attrib for d in root.iter("DataSet")]
    listed = [(float(d["timestep"]), int(d["part"]), d["group"], d["name"], d["file"]) for d in sets]
    wanted = [(f["time"], i, b["name"], b["name"], "%s_%06d.vtu" % (b["name"], f["number"]))
              for f in frames for i, b in enumerate(f["bodies"])]
    check(listed == wanted, "pvd lists", listed)


def check_pc2(i):
    name = frames[0]["bodies"][i]["name"]
    data = open(path("pc2", name + ".pc2"), "rb").read()
    magic, version, count, start, rate, samples = struct.unpack("<12siiffi", data[:32])
    points = np.frombuffer(data[32:], dtype="<f4").reshape(samples, count, 3)
    check((magic, version, start, rate, samples) == (b"POINTCACHE2\0", 1, frames[0]["number"], 1, len(frames)), "pc2 head")
    for f in ends:
        same(points[f], f32(used(frames[f]["bodies"][i])[0]), "pc2 points")
    check_obj(path("pc2", name + ".obj"), frames[0]["bodies"][i])


def check_npy(i):
    bodies = [f["bodies"][i] for f in frames]
    name = bodies[0]["name"]

    def load(what):
        return np.load(path("npy", "%s_%s.npy" % (name, what)))
    same(load("positions"), np.array([rows(b["vertices"], 3) for b in bodies]), "npy positions")
    same(load("velocities"), np.array([rows(b["velocities"], 3) for b in bodies]), "npy velocities")
    same(load("triangles"), rows(bodies[0]["triangles"], 3), "npy triangles")
    check(load("triangles").dtype == np.int32, "npy triangles are not int32")
    if bodies[0]["nodes"]:
        same(load("nodes"), np.array([rows(b["nodes"], 3) for b in bodies]), "npy nodes")
        same(load("tets"), rows(bodies[0]["tets"], 4), "npy tets")
        same(load("J"), np.array([b["J"] for b in bodies]), "npy J")
        same(load("stress"), np.array([rows(b["stress"], 9) for b in bodies]), "npy stress")
        same(load("force"), np.array([rows(b["force"], 3) for b in bodies]), "npy force")


# ---- usd ---------------------------------------------------------------------------------------------------------

def usd_block(text, start):
    """What stands between the braces after `start`."""
    depth, begin = 0, text.index("{", start)
    for i in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[begin + 1:i]
    raise ValueError("a brace is never closed")


def usd_value(text):
    return json.loads(text.replace("(", "[").replace(")", "]"))


def usd_samples(block, name):
    samples = usd_block(block, block.index(name + ".timeSamples"))
    return {float(code): usd_value(value) for code, value in re.findall(r"([-\d.]+): (\[.*\]),", samples)}


def usd_constant(block, name):
    return usd_value(re.search(re.escape(name) + r" = (\[.*\])", block).group(1))


def check_usd_body(text, i):
    first = frames[0]["bodies"][i]
    mesh = usd_block(text, text.index('def Mesh "%s"' % first["name"].replace("-", "_")))
    points, motion, extent = (usd_samples(mesh, name) for name in ["points", "velocities", "extent"])
    check(list(points) == list(motion) == list(extent) == [f["number"] for f in frames], "usd time codes")
    for f in frames:
        body, code = f["bodies"][i], f["number"]
        vertices = f32(rows(body["vertices"], 3))
        same(f32(points[code]), vertices, "usd points")
        same(f32(motion[code]), f32(rows(body["velocities"], 3)), "usd velocities")
        same(f32(extent[code]), [vertices.min(axis=0), vertices.max(axis=0)], "usd extent")
        if body["normals"]:
            same(f32(usd_samples(mesh, "normals")[code]), f32(rows(body["normals"], 3)), "usd normals")
    check(usd_constant(mesh, "faceVertexCounts") == [3] * (len(first["triangles"]) // 3), "usd face counts")
    check(usd_constant(mesh, "faceVertexIndices") == first["triangles"], "usd face indices")
    check(usd_constant(mesh, "primvars:st:indices") == first["triangle_uvs"], "usd texture indices")
    same(f32(usd_constant(mesh, "primvars:st")), f32(rows(first["uvs"], 2)), "usd texture coordinates")
    same(f32(usd_constant(mesh, "primvars:displayColor")), f32([first["color"]]), "usd colour")
    check(re.search(r'primvars:st = \[.*\] \(\s*interpolation = "faceVarying"\s*\)', mesh), "usd interpolation")
    for g, name in enumerate(["left_side", "rest"] if first["triangle_groups"] else []):
        subset = usd_block(mesh, mesh.index('def GeomSubset "%s"' % name))
        check(usd_constant(subset, "indices") == [t for t, h in enumerate(first["triangle_groups"]) if h == g], "usd group")


def check_usd():
    text = open(path("usd", "animation.usda")).read()
    check(text.startswith("#usda 1.0\n"), "usd signature")
    for name, value in [("upAxis", '"Y"'), ("metersPerUnit", "1"), ("timeCodesPerSecond", "%g" % expected["fps"]),
                        ("startTimeCode", str(frames[0]["number"])), ("endTimeCode", str(frames[-1]["number"]))]:
        check(re.search(r"\b%s = %s\n" % (name, value), text), "usd", name)
    for i in range(len(frames[0]["bodies"])):
        check_usd_body(text, i)


# ---- glb ---------------------------------------------------------------------------------------------------------

COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}
TYPES = {5125: "<u4", 5126: "<f4"}


class Glb:
    def __init__(self, name):
        data = open(name, "rb").read()
        magic, version, length = struct.unpack("<4sII", data[:12])
        check((magic, version, length) == (b"glTF", 2, len(data)), "glb head")
        size, kind = struct.unpack("<I4s", data[12:20])
        check(kind == b"JSON" and size % 4 == 0, "glb json chunk")
        self.json = json.loads(data[20:20 + size].decode())
        rest = data[20 + size:]
        size, kind = struct.unpack("<I4s", rest[:8])
        self.buffer = rest[8:]
        check(kind == b"BIN\0" and size == len(self.buffer) and size % 4 == 0, "glb buffer chunk")
        check(self.json["buffers"] == [{"byteLength": size}], "glb buffer")

    def array(self, index):
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        offset, width = view["byteOffset"], COMPONENTS[a["type"]]
        check(offset % 4 == 0 and offset + view["byteLength"] <= len(self.buffer), "glb view", index)
        check(view["byteLength"] == 4 * width * a["count"], "glb view and count", index)
        values = np.frombuffer(self.buffer, TYPES[a["componentType"]], width * a["count"], offset).reshape(-1, width)
        if "min" in a:
            same(a["min"], values.min(axis=0), "glb min")
            same(a["max"], values.max(axis=0), "glb max")
        return values


def check_glb_body(g, i, weights):
    first = frames[0]["bodies"][i]
    node = g.json["nodes"][i]
    mesh = g.json["meshes"][node["mesh"]]
    primitive, = mesh["primitives"]
    check(node["name"] == mesh["name"] == first["name"] and mesh["weights"] == [0] * (len(frames) - 1), "glb mesh")
    for name in ["min", "max"]:
        check(name in g.json["accessors"][primitive["attributes"]["POSITION"]], "glb POSITION has no", name)
        check(all(name in g.json["accessors"][t["POSITION"]] for t in primitive["targets"]), "glb targets have no", name)
    indices = g.array(primitive["indices"]).ravel()
    points = g.array(primitive["attributes"]["POSITION"])
    targets = np.array([g.array(t["POSITION"]) for t in primitive["targets"]])
    check(indices.max() < len(points) and len(np.unique(indices)) == len(points), "glb indices")
    for f in range(len(frames)):
        now = points + np.tensordot(weights[f], targets, 1)
        same(now[indices], rows(frames[f]["bodies"][i]["vertices"], 3)[first["triangles"]], "glb corners", 1e-6)
    uvs = g.array(primitive["attributes"]["TEXCOORD_0"])[indices]
    same(uvs * [1, -1] + [0, 1], rows(first["uvs"], 2)[first["triangle_uvs"]], "glb texture coordinates", 1e-6)
    if first["normals"]:
        normals = g.array(primitive["attributes"]["NORMAL"]) + g.array(primitive["targets"][-1]["NORMAL"])
        wanted = rows(frames[-1]["bodies"][i]["normals"], 3)
        same(normals[indices], (wanted / np.linalg.norm(wanted, axis=1)[:, None])[first["triangles"]], "glb normals", 1e-6)
    color = g.json["materials"][primitive["material"]]["pbrMetallicRoughness"]["baseColorFactor"]
    same(color, f32(first["color"] + [1]), "glb colour")


def check_glb():
    g = Glb(path("glb", "animation.glb"))
    animation, = g.json["animations"]
    sampler, = animation["samplers"]
    times, table = g.array(sampler["input"]).ravel(), g.array(sampler["output"]).reshape(len(frames), -1)
    check("min" in g.json["accessors"][sampler["input"]] and times[0] == 0 and (np.diff(times) > 0).all(), "glb times")
    same(times, [f["time"] - frames[0]["time"] for f in frames], "glb times", 1e-6)
    same(table, np.eye(len(frames))[:, 1:], "glb weights")
    check([c["target"] for c in animation["channels"]] == [{"path": "weights", "node": 0}, {"path": "weights", "node": 1}], "glb channels")
    check(g.json["scenes"] == [{"nodes": [0, 1]}], "glb scene")
    for i in range(len(frames[0]["bodies"])):
        check_glb_body(g, i, table)
    for index in range(len(g.json["accessors"])):
        g.array(index)


for f in ends:
    for body in frames[f]["bodies"]:
        check_vtu(body, frames[f]["number"])
        if body["nodes"]:
            check_hex(body, frames[f]["number"])
        check_ply(body, frames[f]["number"])
        check_obj(path("obj", "%s_%06d.obj" % (body["name"], frames[f]["number"])), body)
check_pvd()
check_usd()
check_glb()
for i in range(len(frames[0]["bodies"])):
    check_pc2(i)
    check_npy(i)
print("%d failures" % failures)
sys.exit(failures > 0)
