#!/usr/bin/python3
"""tests/null_handles.py LIBRARY -- every function of the library is called with NULL, each in a process of its own.

Once with NULL for every pointer: what has a status refuses it, PL_ERR_ARGUMENT, and the others return nothing. Once with good handles and NULL
for everything else, results included: whatever the answer is, nothing crashes (pliant/base.h says what is promised).
"""
import ctypes
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "python"))
from pliant import _declarations as c  # noqa: E402

HANDLES = (c.pl_context, c.pl_mesh, c.pl_surface, c.pl_scene, c.pl_world)


def with_status():
    """The functions that return a status, by the headers."""
    names = set()
    for header in os.listdir(os.path.join(ROOT, "include", "pliant")):
        with open(os.path.join(ROOT, "include", "pliant", header), encoding="utf-8") as file:
            names |= set(re.findall(r"\bpl_status (pl_\w+)\(", file.read()))
    return names


def bind(library):
    functions = {}
    for name, (result, arguments) in c.FUNCTIONS.items():
        functions[name] = getattr(library, name)
        functions[name].restype, functions[name].argtypes = result, list(arguments)
    return functions


def is_pointer(kind):
    return issubclass(kind, (ctypes._Pointer, ctypes.c_char_p, ctypes.c_void_p))


def is_handle(kind):
    return issubclass(kind, ctypes._Pointer) and kind._type_ in HANDLES


def make_handles(f):
    """A context, a block of a mesh, its boundary, a scene and a world of it."""
    made = {kind: ctypes.POINTER(kind)() for kind in HANDLES}
    context, mesh, surface, scene, world = (made[kind] for kind in HANDLES)
    shape, material, body, ball = f["pl_shape_def_default"](), f["pl_material_def_default"](), f["pl_body_def_default"](), f["pl_object_def_default"]()
    shape.edge = 0.5
    statuses = [f["pl_context_create"](f["pl_context_def_default"](), context), f["pl_mesh_create_shape"](context, shape, mesh),
                f["pl_surface_create"](context, f["pl_mesh_positions"](mesh), f["pl_mesh_node_count"](mesh), f["pl_mesh_triangles"](mesh),
                                       f["pl_mesh_triangle_count"](mesh), surface), f["pl_scene_create"](context, scene)]
    body.mesh = mesh
    statuses += [f["pl_scene_add_material"](scene, b"stuff", material, body.material), f["pl_scene_add_object"](scene, b"floor", ball, None),
                 f["pl_scene_add_body"](scene, b"block", body, None), f["pl_world_create"](scene, world)]
    assert not any(statuses), statuses
    return made


def value_of(kind, handles):
    if handles and is_handle(kind):
        return handles[kind._type_]
    return None if is_pointer(kind) else kind()


def trial(function, values, wanted):
    """How a call ends: "" or what is wrong with it. `wanted` is the answer that is due, or None."""
    child = os.fork()
    if child == 0:
        value = function(*values)
        os._exit(0 if wanted is None or value == wanted else 1)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"killed by signal {os.WTERMSIG(status)}"
    return "was not refused" if os.WEXITSTATUS(status) else ""


def main():
    functions, statuses, failures, count = bind(ctypes.CDLL(sys.argv[1])), with_status(), [], 0
    handles = make_handles(functions)
    refused = c.ENUMS["pl_status"].index("PL_ERR_ARGUMENT")
    for name, function in functions.items():
        kinds = function.argtypes
        if not any(is_handle(kind) or (is_pointer(kind) and hasattr(kind, "_type_") and is_handle(getattr(kind, "_type_", int))) for kind in kinds if isinstance(getattr(kind, "_type_", None), type)):
            continue  # without a handle there are only numbers, and results that must be there
        for given in (None, handles):
            wanted = refused if given is None and name in statuses else None
            problem = trial(function, [value_of(kind, given) for kind in kinds], wanted)
            count += 1
            if problem:
                failures.append(f"{name}, {'with good handles' if given else 'everything NULL'}: {problem}")
    print("\n".join(failures))
    print(f"{count - len(failures)} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
