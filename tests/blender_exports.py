"""blender --background --factory-startup --python-exit-code 1 --python tests/blender_exports.py -- TEST_EXPORT DIRECTORY

Opens what `test_export --write` wrote in Blender, as docs/formats.md tells users to: .obj with a Mesh Cache on its .pc2, .glb,
.ply and, where this Blender has it, .usda. Compares the first and the last frame, in Blender's world (z up), with expected.json.
"""
import json
import os
import subprocess
import sys

import bpy
import numpy as np

np.bool = bool  # the glTF importer of Blender 3.4 wants what newer numpy has dropped

program, directory = sys.argv[sys.argv.index("--") + 1:]
subprocess.run([program, "--write", directory], check=True)
expected = json.load(open(os.path.join(directory, "expected.json")))
frames = expected["frames"]
scene = bpy.context.scene
scene.render.fps = int(expected["fps"])
failures = 0


def path(*names):
    return os.path.join(directory, *names)


def report(what, now, wanted, tolerance=1e-6):
    global failures
    now, wanted = np.asarray(now), np.asarray(wanted)
    fine = now.shape == wanted.shape and np.abs(now - wanted).max() <= tolerance
    failures += not fine
    error = np.abs(now - wanted).max() if now.shape == wanted.shape else float("nan")
    print("%-6s %-34s %s, first %s, off by %.2g" % ("ok" if fine else "FAILED", what, now.shape, np.round(now[0], 6), error))


def z_up(points):
    return np.asarray(points)[:, [0, 2, 1]] * [1, -1, 1]


def world_points(thing):
    """Of an object after its modifiers and shape keys, at the frame that is set."""
    seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = seen.to_mesh()
    points = [seen.matrix_world @ v.co for v in mesh.vertices]
    corners = [v for p in mesh.polygons for v in p.vertices]
    seen.to_mesh_clear()
    return np.array(points), corners


def vertices(frame, body):
    return np.array(frame["bodies"][body]["vertices"]).reshape(-1, 3)


def start_empty():
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()


def imported():
    return bpy.context.selected_objects


def import_obj(name):
    if "obj_import" in dir(bpy.ops.wm):
        bpy.ops.wm.obj_import(filepath=name)
    else:
        bpy.ops.import_scene.obj(filepath=name, split_mode="OFF")


def check_pc2(body):
    start_empty()
    name = frames[0]["bodies"][body]["name"]
    import_obj(path("pc2", name + ".obj"))
    thing, = imported()
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = path("pc2", name + ".pc2")
    cache.frame_start = frames[0]["number"]
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"  # as they are: the object is turned already
    kept = np.unique(frames[0]["bodies"][body]["triangles"])
    for frame in [frames[0], frames[-1]]:
        scene.frame_set(frame["number"])
        report("pc2 %s, frame %d" % (name, frame["number"]), world_points(thing)[0], z_up(vertices(frame, body)[kept]))
    uvs = np.array([list(u.uv) for u in thing.data.uv_layers[0].data])
    source = frames[0]["bodies"][body]
    report("pc2 %s, texture coordinates" % name, uvs, np.array(source["uvs"]).reshape(-1, 2)[source["triangle_uvs"]])


def check_glb():
    start_empty()
    bpy.ops.import_scene.gltf(filepath=path("glb", "animation.glb"))
    for body, thing in enumerate(sorted(imported(), key=lambda o: o.name)):
        for i in [0, len(frames) - 1]:
            scene.frame_set(frames[i]["number"] - frames[0]["number"])
            points, corners = world_points(thing)
            report("glb %s, frame %d" % (thing.name, scene.frame_current), points[corners],
                   z_up(vertices(frames[i], body)[frames[i]["bodies"][body]["triangles"]]), 2e-6)
        source = frames[0]["bodies"][body]
        uvs = np.array([list(u.uv) for u in thing.data.uv_layers[0].data])
        report("glb %s, texture coordinates" % thing.name, uvs, np.array(source["uvs"]).reshape(-1, 2)[source["triangle_uvs"]])


def check_ply(body):
    for frame in [frames[0], frames[-1]]:
        start_empty()
        name = path("ply", "%s_%06d.ply" % (frame["bodies"][body]["name"], frame["number"]))
        if "ply_import" in dir(bpy.ops.wm):
            bpy.ops.wm.ply_import(filepath=name)
        else:
            bpy.ops.import_mesh.ply(filepath=name)
        thing, = imported()
        points = np.array([list(v.co) for v in thing.data.vertices])  # its importer does not turn y up into z up
        report("ply %s, frame %d" % (thing.name, frame["number"]), points, vertices(frame, body))


def check_usd():
    start_empty()
    bpy.ops.wm.usd_import(filepath=path("usd", "animation.usda"))
    meshes = sorted((o for o in imported() if o.type == "MESH"), key=lambda o: o.name)
    for body, thing in enumerate(meshes):
        for frame in [frames[0], frames[-1]]:
            scene.frame_set(frame["number"])
            report("usd %s, frame %d" % (thing.name, frame["number"]), world_points(thing)[0], z_up(vertices(frame, body)))


print("Blender", bpy.app.version_string)
for body in range(len(frames[0]["bodies"])):
    check_pc2(body)
    check_ply(body)
check_glb()
if getattr(bpy.app.build_options, "usd", False):
    check_usd()
else:
    print("this Blender has no USD")
print("%d failures" % failures)
sys.exit(failures > 0)
