#!/usr/bin/python3
# tests/python_package.py SOURCE COMPILER PRINT_STATE COMMAND -- the Python package: that it says what the headers say, shows
# the memory of the library and not a copy, gives the bits of C, lets go of everything, and that what docs/python.md shows works.
#
# The library is that of the environment variable PLIANT_LIBRARY. COMMAND may be missing. Exits with 77 (skipped) where numpy is
# not installed.
import _thread, copy, ctypes, gc, json, logging, os, pathlib, pydoc, re, subprocess, sys
import tempfile, threading, time, traceback, zipfile

try:
    import numpy as np
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

SOURCE, COMPILER, PRINT_STATE, COMMAND = [pathlib.Path(argument).absolute() for argument in sys.argv[1:5]]
sys.path.insert(0, str(SOURCE / "python"))
import pliant
from pliant import _declarations as c
from pliant._lib import lib

HEADERS = sorted((SOURCE / "include/pliant").glob("*.h"))
SCENE = """{ "floor": 0, "frames": 5, "materials": { "jelly": { "young": 3e4, "poisson": 0.3, "density": 900, "damping": 0.02 } },
  "bodies": { "block": { "shape": { "box": [0.4, 0.3, 0.2] }, "size": 0.1, "at": [0, 0.25, 0], "rotate": [10, 20, 30],
                         "velocity": [0.1, 0, 0], "material": "jelly" } } }"""


def small_scene(**options):
    scene = pliant.Scene(**options)
    scene.material("jelly", young=3e4, poisson=0.3, density=900, damping=0.02)
    mesh = pliant.Mesh.box((0.4, 0.3, 0.2), edge=0.1, **options)
    scene.body("block", mesh, "jelly", at=(0, 0.25, 0), rotate=(10, 20, 30), velocity=(0.1, 0, 0))
    scene.floor(0)
    return scene


def refused(kind, pattern, call):
    try:
        call()
    except kind as error:
        assert re.search(pattern, str(error)), f"{error!s} does not say {pattern}"
        return error
    raise AssertionError(f"{kind.__name__} expected")


def in_process(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(SOURCE / "python"), **environment},
                          capture_output=True, text=True)


# ---- what the headers say ------------------------------------------------------------------------------------------

def test_declarations_are_those_of_the_headers():
    made = subprocess.run([SOURCE / "tools/bind_python"], capture_output=True, text=True, check=True).stdout
    assert made == pathlib.Path(c.__file__).read_text(), "run tools/bind_python > python/pliant/_declarations.py"


def test_every_public_function_is_declared():
    found = [name for header in HEADERS for name in re.findall(r"^PL_API[^;]*?\b(pl_\w+)\(", header.read_text(), re.M)]
    assert len(found) > 100 and sorted(found) == sorted(c.FUNCTIONS), set(found) ^ set(c.FUNCTIONS)
    for name, (result, arguments) in c.FUNCTIONS.items():
        function = getattr(lib, name)
        assert function.restype is result and list(function.argtypes) == list(arguments), name


# Functions that a wrapper stands in front of, or that have no use in Python.
UNUSED = {"pl_status_name", "pl_material_kind_name", "pl_export_format_name", "pl_mesh_parse_tetgen", "pl_obj_write",
          "pl_keys_evaluate", "pl_scene_load", "pl_surface_survey", "pl_mesh_create", "pl_stress_from_cauchy",
          "pl_stress_from_second_piola", "pl_world_cast_ray", "pl_world_grab", "pl_world_grab_move", "pl_world_grab_read",
          "pl_world_grab_release", "pl_world_grab_count", "pl_world_grab_at",
          "pl_world_param_count", "pl_world_param_at", "pl_world_param_describe"}


def test_every_function_is_used():
    text = "".join(path.read_text() for path in (SOURCE / "python/pliant").glob("*.py") if path.name != "_declarations.py")
    used = set(re.findall(r"lib\.(pl_\w+)", text))
    for prefix in re.findall(r'"(pl_mesh|pl_surface)"', text):
        used |= {f"{prefix}_attribute_{part}" for part in ("count", "name", "components", "values")}
    assert set(c.FUNCTIONS) - used == UNUSED, (set(c.FUNCTIONS) - used) ^ UNUSED


def structs():
    return {name: kind for name, kind in vars(c).items()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and hasattr(kind, "_fields_")}


# A compiler says where every field is; and no header has a struct or a field that is not here.
def test_structs_have_the_layout_of_c():
    lines = []
    for name, kind in structs().items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));'
                  for field, _ in kind._fields_]
    program = "#include <pliant/pliant.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n"
    pathlib.Path("layout.c").write_text(program)
    subprocess.run([COMPILER, f"-I{SOURCE}/include", "layout.c", "-o", "layout"], check=True)
    said = subprocess.run(["./layout"], capture_output=True, text=True, check=True).stdout.splitlines()
    here = []
    for name, kind in structs().items():
        here.append(f"{name} {ctypes.sizeof(kind)}")
        here += [f"{name}.{field} {getattr(kind, field).offset} {getattr(kind, field).size}" for field, _ in kind._fields_]
    assert said == here, [pair for pair in zip(said, here) if pair[0] != pair[1]]


def test_no_struct_is_missing():
    text = "".join(header.read_text() for header in HEADERS)
    assert set(re.findall(r"typedef struct (\w+)\s*\{", text)) == set(structs())
    assert set(re.findall(r"typedef enum (\w+)\s*\{", text)) == set(c.ENUMS)
    for name, enumerators in c.ENUMS.items():
        program = "#include <pliant/pliant.h>\n" + "".join(
            f'_Static_assert({word} == {i}, "{name}");\n' for i, word in enumerate(enumerators))
        subprocess.run([COMPILER, f"-I{SOURCE}/include", "-fsyntax-only", "-x", "c", "-"], input=program, text=True, check=True)


def test_library_shows_public_names_only():
    said = subprocess.run(["nm", "-D", "--defined-only", os.environ["PLIANT_LIBRARY"]], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in said.stdout.splitlines()}
    assert names == set(c.FUNCTIONS), names ^ set(c.FUNCTIONS)


# ---- arrays --------------------------------------------------------------------------------------------------------

def address(array):
    return array.__array_interface__["data"][0]


def test_positions_are_the_engines_memory():
    world = small_scene().world()
    body = world.bodies["block"]
    x, v = body.positions, body.velocities
    there = ctypes.addressof(lib.pl_body_positions(world._pointer, body._id).contents)
    assert address(x) == there == address(body.positions) and x.shape == (body.node_count, 3) and not x.flags.writeable
    before = x.copy()
    world.step()
    assert (x != before).any() and address(body.positions) == there and (v != 0).any()
    refused(ValueError, "read-only|WRITEABLE", lambda: x.__setitem__(0, 1))
    refused(ValueError, "WRITEABLE", lambda: setattr(x.flags, "writeable", True))


def test_orders_of_nodes():
    world = small_scene().world()
    world.step()
    body = world.bodies["block"]
    assert (body.nodes() == body.positions[body.order]).all() and (body.node_velocities() == body.velocities[body.order]).all()
    assert sorted(body.order) == list(range(body.node_count))


def test_arrays_keep_their_world():
    x = small_scene().world().bodies["block"].positions
    part = x[1:, 0]
    values = part.copy()
    del x
    gc.collect()
    trash = [np.full(part.size * 3, 7.0) for _ in range(50)]
    assert (part == values).all() and len(trash) == 50
    assert pliant.Mesh.box(edge=0.5).tets.max() > 0  # the mesh itself has no name
    for thing in (pliant.Mesh.box(), pliant.Scene(), pliant.default_context()):
        refused(TypeError, "cannot be copied", lambda: copy.copy(thing))


def test_bodies_come_and_go():
    scene = small_scene()
    world, ball = scene.world(), pliant.Mesh.sphere(0.1, edge=0.1)
    x = world.bodies["block"].positions
    row = x[0]
    del x
    refused(pliant.StateError, "add a body while 1 array", lambda: world.add_body("ball", ball, "jelly"))
    assert list(world.bodies) == ["block"]
    del row
    body = world.add_body("ball", ball, "jelly", at=(0, 1, 0), pins=[0])
    assert list(world.bodies) == ["block", "ball"] and body.name == "ball" and len(world.bodies) == 2
    held = body.nodes()[0].copy()
    world.step()
    assert (body.nodes()[0] == held).all() and (body.nodes()[1] != ball.positions[1] + (0, 1, 0)).any()
    x = body.positions
    refused(pliant.StateError, "remove a body while", body.remove)
    del x
    body.remove()
    for call in (lambda: body.positions, lambda: body.name, body.nodes, lambda: body.field("stress"), body.report, body.remove):
        refused(pliant.StateError, "removed", call)
    refused(KeyError, "ball: there are block", lambda: world.bodies["ball"])


def test_body_reads_and_writes():
    world = small_scene().world()
    body = world.bodies["block"]
    rest = body.rest
    assert np.allclose(body.nodes(), rest, atol=1e-14)
    assert body.elements.shape == (body.element_count, 4) and body.element_kind == "tet" and body.elements.max() < body.node_count
    body.write(positions=1.1 * rest)
    assert (body.nodes() == 1.1 * rest).all() and np.allclose(body.field("J"), 1.331) and np.allclose(body.field("stretch"), 1.1)
    body.write(velocities=np.ones_like(rest))
    assert (body.velocities == 1).all()
    cauchy = body.field("cauchy")
    assert cauchy.shape == (body.element_count, 3, 3) and np.allclose(body.field("pressure"), -np.trace(cauchy, axis1=1, axis2=2) / 3)
    refused(pliant.ArgumentError, r"positions: has the shape 3 x 3; must be \d+ x 3", lambda: body.write(np.eye(3)))
    refused(pliant.ArgumentError, "field = 'strain': must be one of J, stress", lambda: body.field("strain"))
    refused(pliant.ArgumentError, "finite", lambda: body.write(np.nan * rest))


def test_surfaces():
    world = small_scene().world()
    world.step()
    body = world.bodies["block"]
    vertices, normals, triangles = body.surface()
    assert np.allclose((normals**2).sum(1), 1) and triangles.max() == len(vertices) - 1
    assert (vertices == body.nodes()[body.surface_nodes]).all() and body.surface_velocities().shape == vertices.shape
    shown = body.world.drawables()[0]
    assert shown.stepper == "bodies" and (shown.vertices == vertices).all() and shown.info.mass == body.report().mass
    a, b, d = (vertices[triangles[:, i]] for i in range(3))
    assert np.isclose(np.einsum("ij,ij->", a, np.cross(b, d)) / 6, world.report().volume)
    drawn = body.surface(np.float32)
    assert drawn.vertices.dtype == np.float32 and np.allclose(drawn.vertices, vertices, atol=1e-6)
    assert body.surface_field("stress").shape == (len(vertices),)


# ---- meshes and materials ------------------------------------------------------------------------------------------

def test_meshes():
    for mesh, volume in ((pliant.Mesh.box((1, 2, 3), 0.5), 6), (pliant.Mesh.sphere(1, 0.2), 4 / 3 * np.pi),
                         (pliant.Mesh.torus(1, 0.3, 0.1), 2 * np.pi**2 * 0.09), (pliant.Mesh.cylinder(0.5, 2, 0.1), np.pi / 2)):
        assert abs(mesh.volume / volume - 1) < 0.1, mesh  # round shapes are inscribed
        a, b, d, e = (mesh.positions[mesh.tets[:, i]] for i in range(4))
        assert np.isclose(np.einsum("ij,ij->", np.cross(b - a, d - a), e - a) / 6, mesh.volume)
    assert 0 < mesh.dihedral_range[0] < mesh.dihedral_range[1] < 180
    copy = pliant.Mesh(mesh.positions, mesh.tets)
    assert (copy.positions == mesh.positions).all() and address(copy.positions) != address(mesh.positions)
    for name in ("a.msh", "a.node"):
        copy.save(name)
        again = pliant.Mesh.load(name)
        assert (again.positions == mesh.positions).all() and (again.tets == mesh.tets).all(), name
    copy.save("b.msh", "msh22_binary")
    again = pliant.Mesh.parse(pathlib.Path("b.msh").read_bytes(), "b.msh")
    assert (again.positions == mesh.positions).all() and len(again.regions) == 1 and (again.element_regions == 0).all()
    cube = np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], float)
    hexes = pliant.Mesh(2 * cube, [list(range(8))], kind="hex")
    assert hexes.kind == "hex" and hexes.elements.shape == (1, 8) and len(hexes.tets) == 0 and np.isclose(hexes.volume, 8)
    assert np.isclose(hexes.area, 24) and hexes.triangles.shape == (12, 3) and "1 hexahedra" in repr(hexes)
    for mesh_, kind, area in ((pliant.Mesh.box(elements="hex"), "hex", 6), (pliant.Mesh.sphere(1, 0.1, elements="triangle"), "triangle", 4 * np.pi),
                              (pliant.Mesh.torus(1, 0.3, 0.1, elements="triangle"), "triangle", 1.2 * np.pi**2),
                              (pliant.Mesh.cylinder(0.5, 2, 0.1, elements="triangle"), "triangle", 2.5 * np.pi),
                              (pliant.Mesh.sheet((2, 3), 0.2), "triangle", 6), (pliant.Mesh.rectangle((2, 1), 0.2, pattern="irregular"), "triangle", 2),
                              (pliant.Mesh.disk(1, 0.1), "triangle", np.pi), (pliant.Mesh.tube(1, 2, 0.1), "triangle", 4 * np.pi),
                              (pliant.Mesh.half_torus(1, 0.3, 0.05), "triangle", 0.6 * np.pi**2)):
        assert mesh_.kind == kind and abs(mesh_.area / area - 1) < 0.01, (mesh_, mesh_.area, area)
    refused(pliant.ArgumentError, "must be one of tet, hex, triangle", lambda: pliant.Mesh(cube, [[0, 1, 2, 3]], kind="cube"))
    refused(pliant.FileError, "nowhere.msh", lambda: pliant.Mesh.load("nowhere.msh"))
    refused(pliant.FormatError, r"^x.msh:", lambda: pliant.Mesh.parse(b"rubbish", "x.msh"))
    refused(pliant.ArgumentError, "must be n x 4", lambda: pliant.Mesh(mesh.positions, [[0, 1, 2]]))
    refused(pliant.ArgumentError, "whole numbers", lambda: pliant.Mesh(mesh.positions, mesh.tets + 0.5))
    refused(pliant.ArgumentError, r"2\^31", lambda: pliant.Mesh(mesh.positions, mesh.tets.astype(np.int64) + 2**40))


def test_bodies_of_hexahedra_and_triangles():
    scene = pliant.Scene()
    scene.material("clay", kind="rotated_linear", young=2e5, yield_strain=0.02)
    box, sheet = pliant.Mesh.box(edge=0.5, elements="hex"), pliant.Mesh.sheet(edge=0.5)
    scene.body("block", box, "clay", young_factors=np.full(len(box.elements), 2.0), goal_positions=box.positions * [1, 0.5, 1])
    scene.body("cloth", sheet, "clay", kind="shell", thickness=0.01, drag=1, normals=np.tile([0, 1, 0], (len(sheet.elements), 1)))
    scene.air(wind=(0, 5, 0), density=1.2)
    scene.keys("wind", [0, 1], [(0, 5, 0), (0, 0, 0)])
    world = scene.world()
    world.step(0.01)
    for name, mesh, kind, corners in (("block", box, "hex", 8), ("cloth", sheet, "triangle", 3)):
        body = world.bodies[name]
        assert body.element_kind == kind and body.elements.shape == (len(mesh.elements), corners) and (body.elements == mesh.elements).all()
        assert body.tet_count == 0 and body.tets.shape == (0, 4) and body.field("plastic").shape == (len(mesh.elements),), body
    assert "hexahedra" in repr(world.bodies["block"])
    # the wind blows from below: of two bodies that fall, the light one falls less
    assert world.bodies["cloth"].velocities[:, 1].mean() > world.bodies["block"].velocities[:, 1].mean() + 1e-4
    pliant.export("kinds", [pliant.capture(world, 0, ["plastic"])], "vtu")
    refused(pliant.ArgumentError, "young_factors", lambda: scene.body("other", box, "clay", young_factors=[1, 2]))


def test_surfaces_are_filled():
    box = pliant.Mesh.box(edge=0.5)
    surface = pliant.Surface(box.positions, box.triangles)
    surface.save("box.obj")
    pathlib.Path("colored.obj").write_text(
        "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\ng side\nf 1/1 2/2 3/3\n")
    for filled in (pliant.Mesh.from_surface(surface, 0.25), pliant.Mesh.from_surface("box.obj", 0.25)):
        assert abs(filled.volume - 1) < 0.05, filled
    assert pliant.Mesh.from_surface(surface, 0.25, mode="covering").volume > 1
    cells = pliant.Mesh.from_surface(surface, 0.25, elements="hex")
    assert cells.kind == "hex" and np.isclose(cells.volume, 1)
    shell = pliant.Mesh.from_triangles(surface)
    assert shell.kind == "triangle" and np.isclose(shell.area, 6) and (shell.elements == surface.triangles).all()
    colored = pliant.Surface.load("colored.obj")
    assert (colored.attributes["color"] == np.eye(3)).all() and colored.groups == ("side",) and colored.triangle_groups[0] == 0
    assert (colored.uvs[colored.triangle_uvs[0]] == [[0, 0], [1, 0], [0, 1]]).all()
    assert surface.triangle_uvs is None and surface.groups == () and surface.uvs.shape == (0, 2)
    assert (pliant.Surface.parse(pathlib.Path("box.obj").read_bytes(), "box.obj").positions == surface.positions).all()


def test_numbers_that_come_with_a_file():
    mesh = pliant.Mesh.parse(b"""# vtk DataFile Version 3.0
one
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0 1 0 0 0 1 0 0 0 1
CELLS 1 5
4 0 1 2 3
CELL_TYPES 1
10
POINT_DATA 4
SCALARS heat double 1
LOOKUP_TABLE default
1 2 3 4
""", "one.vtk")
    assert mesh.attributes["heat"].tolist() == [[1], [2], [3], [4]] and np.isclose(mesh.volume, 1 / 6)


def test_functions_are_filled():
    ball = pliant.Mesh.from_function(lambda p: p @ p - 1, (-1.3,) * 3, (1.3,) * 3, 0.25)
    assert abs(ball.volume / (4 / 3 * np.pi) - 1) < 0.05
    refused(ZeroDivisionError, "", lambda: pliant.Mesh.from_function(lambda p: 1 / 0, (-1,) * 3, (1,) * 3, 0.5))
    refused(pliant.StateError, "busy",
            lambda: pliant.Mesh.from_function(lambda p: pliant.Mesh.box().volume, (-1,) * 3, (1,) * 3, 0.5))


def test_carried_surfaces():
    surface = pliant.Surface(*(lambda m: (m.positions, m.triangles))(pliant.Mesh.sphere(0.2, 0.05)))
    scene = pliant.Scene()
    scene.material("rubber")
    scene.body("ball", pliant.Mesh.from_surface(surface, 0.1, mode="covering"), "rubber", surface=surface)
    body = scene.world().bodies["ball"]
    assert np.allclose(body.surface().vertices, surface.positions) and body.surface_nodes is None
    assert body.surface_sources is None and body.surface_uvs() is None


def test_carried_surfaces_that_are_cut():
    surface = pliant.Surface(*(lambda m: (m.positions, m.triangles))(pliant.Mesh.sphere(0.2, 0.05)))
    scene = pliant.Scene()
    scene.material("rubber")
    scene.body("ball", pliant.Mesh.from_surface(surface, 0.1, mode="covering"), "rubber", surface=surface, cuttable=True)
    world = scene.world()
    body = world.bodies["ball"]
    assert (body.surface_sources == np.arange(len(surface.triangles))).all() and body.surface_uvs() is None
    assert world.cut((0.01, -1, -1), (0.01, 1, -1), (0.01, 1, 1), (0.01, -1, 1)) > 4
    triangles, sources = body.surface().triangles, body.surface_sources
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert {tuple(e) for e in edges} == {tuple(e[::-1]) for e in edges} and (sources < 0).any() and sources.max() < len(surface.triangles)


# The stress is the gradient of the energy, whose error by central differences is of the order of step^2.
def test_materials():
    rng = np.random.default_rng(1)
    F = np.eye(3) + 0.2 * rng.standard_normal((3, 3))
    def law(s):  # rotated linear, of mu = 1 and lambda = 2
        p = 2 * (s - 1) + 2 * (s.sum() - 3)
        return ((s - 1) ** 2).sum() + (s.sum() - 3) ** 2, p, (4, 4, 4, 2, 2, 2)

    for kind in ("neo_hookean", "stvk", "mooney_rivlin", "fung", "custom", "rotated_linear"):
        material = pliant.Material(kind=kind, young=3, poisson=0.3, law=law if kind == "custom" else None)
        _, stress = material.evaluate(F)
        for i in range(3):
            for j in range(3):
                step = np.zeros((3, 3))
                step[i, j] = 1e-5
                slope = (material.evaluate(F + step)[0] - material.evaluate(F - step)[0]) / 2e-5
                assert abs(slope - stress[i, j]) < 1e-7, (kind, i, j)
    energies, stresses = material.evaluate(np.stack([F, np.eye(3)]))
    assert energies.shape == (2,) and (stresses[0] == stress).all() and abs(energies[1]) < 1e-20
    mu, lam = material.lame
    assert np.isclose(mu, 3 / 2.6) and np.isclose(lam, 0.9 / (1.3 * 0.4)) and material.kind == "rotated_linear"
    refused(TypeError, "no 'yung' here; there are kind, young", lambda: pliant.Material(yung=1))
    refused(pliant.ArgumentError, "kind = 'jelly': must be one of rotated_linear, stvk", lambda: pliant.Material(kind="jelly"))
    refused(pliant.ArgumentError, "young", lambda: pliant.Material(young=-1).evaluate(np.eye(3)))
    refused(pliant.ArgumentError, "material.law: is NULL", lambda: pliant.Material(kind="custom").evaluate(np.eye(3)))
    muscle = pliant.Material(kind="mooney_rivlin", fiber_strength=3e5, activation=0.5)
    assert np.isclose(muscle.fiber(1)[1], 1.5e5) and "activation=0.5" in repr(muscle) and "law" not in repr(muscle)
    refused(pliant.ArgumentError, "F: has the shape 2 x 2", lambda: material.evaluate(np.eye(2)))


# ---- worlds --------------------------------------------------------------------------------------------------------

def test_same_bits_as_c():
    path = SOURCE / "scenes/torus_puddle.json"
    said = subprocess.run([PRINT_STATE, path, "12"], capture_output=True, text=True, check=True).stdout.split()
    world = pliant.load(path).world()
    for _ in range(12):
        world.step()
    assert (np.array([float.fromhex(word) for word in said]) == world.bodies["torus"].positions.ravel()).all()


def test_same_bits_on_any_threads():
    states = []
    for threads in (1, 2, 5):
        context = pliant.Context(threads=threads)
        assert context.threads == threads
        world = small_scene(context=context).world()
        for _ in range(5):
            world.step()
        states.append(world.save())
    assert states[0] == states[1] == states[2]
    refused(pliant.ArgumentError, "threads = 1000", lambda: pliant.Context(threads=1000))


def test_built_is_loaded():
    loaded, built = pliant.parse(SCENE), small_scene()
    assert (loaded.frames, loaded.fps, built.frames, built.fps) == (5, 24, 120, 24)
    worlds = [loaded.world(), built.world()]
    for _ in range(loaded.frames):
        infos = [world.step() for world in worlds]
        assert infos[0] == infos[1]
    assert (worlds[0].bodies["block"].positions == worlds[1].bodies["block"].positions).all()
    assert infos[0].contacts > 0 and infos[0].total == infos[0].kinetic + infos[0].elastic + infos[0].gravity


def test_changes():
    pathlib.Path("scene.json").write_text(SCENE)
    counts = [len(pliant.load("scene.json", *changes, **keywords).world().bodies["block"].positions) for changes, keywords in
              ((({"bodies.block.size": 0.05},), {}), ((), {"bodies__block__size": 0.05}), ((), {}))]
    assert counts[0] == counts[1] > counts[2]
    scene = pliant.load("scene.json", {"bodies.block.at": np.array([1, 2, 3]), "materials.jelly.young": np.float64(5e4)},
                        frames=np.int64(7))
    assert scene.frames == 7 and scene.world()["materials.jelly.young"] == 5e4
    assert np.allclose(scene.world().bodies["block"].rest.mean(0), (1, 2, 3), atol=0.02)
    refused(pliant.FormatError, "bodies.block.sise", lambda: pliant.load("scene.json", {"bodies.block.sise": 1}))
    refused(pliant.FormatError, "^scene.json:1:", lambda: pliant.parse("{ nonsense"))


def test_parameters():
    world = small_scene().world()
    world["materials.jelly.young"] = 2e5
    world["gravity.y"] = 0
    assert world["materials.jelly.young"] == 2e5 and world["gravity.y"] == 0 and "gravity.y" in world and "gravity.w" not in world
    error = refused(pliant.Error, "gravity.w: there is no such live parameter; there are", lambda: world["gravity.w"])
    assert isinstance(error, KeyError) and error.status == "PL_ERR_ARGUMENT"
    refused(pliant.ArgumentError, r"^materials.jelly.young: -1 must be in \[1e-9, 1e15\] Pa$",
            lambda: world.__setitem__("materials.jelly.young", -1))


def test_states():
    scene = small_scene()
    world = scene.world()
    x = world.bodies["block"].positions
    world.step()
    state, there = world.save(), x.copy()
    world["gravity.y"] = 3
    world.step(0.1)
    world.load(state)
    assert (x == there).all() and world["gravity.y"] == -9.81 and world.save() == state
    other = scene.world()
    other.load(state)
    assert other.step() == world.step() and other.save() == world.save()
    refused(pliant.FormatError, "", lambda: world.load(b"rubbish"))
    refused(pliant.StateError, "", lambda: pliant.parse(SCENE.replace("0.2]", "0.3]")).world().load(state))
    driven = small_scene()
    driven.keys("gravity", [0, 1], [(0, 0, 0), (0, 1, 0)])
    branch = driven.world()
    refused(pliant.StateError, "", lambda: branch.load(state))
    branch.load(state, branch=True)
    assert (branch.bodies["block"].positions == there).all()


def test_contacts():
    world = small_scene().world()
    told, frames = [], 0
    while len(told) == 0 and frames < 200:
        assert world.contacts() == () and world.contact_points() == ()
        world.step()
        told, frames = world.events(), frames + 1
    (event,) = told
    assert event.kind == "begin" and (event.contact.body, event.contact.object, event.contact.other) == ("block", "floor", None)
    assert event.contact.impulse > 0 and np.allclose(event.contact.normal, (0, 1, 0)) and world.contacts() == (event.contact,)
    assert world.report().penetration < 1e-9
    points = world.contact_points()
    assert all(point.body == "block" and point.object == "floor" and abs(point.distance) < 1e-3 for point in points)
    state = world.save()
    world.step()
    world.load(state)
    assert world.events() == told


def test_friction_of_pairs():
    scene = small_scene()
    scene.floor(-50, name="pit")
    scene.friction("block", "floor", 0.7)
    refused(pliant.ArgumentError, "no object or body", lambda: scene.friction("block", "flor", 0.7))
    world = scene.world()
    assert world["bodies.block.friction_with.floor"] == 0.7
    world["bodies.block.friction_with.floor"] = 0.1
    assert world["bodies.block.friction_with.floor"] == 0.1 and world["objects.floor.friction"] != 0.1


def test_steps_in_parts():
    whole, parts = small_scene().world(), small_scene().world()
    whole.step(0.2)
    info = parts.step(0.2, max_substeps=1)
    assert info.substeps == 1 and parts.pending > 0 and 0 < parts.stable_step < 1
    while parts.pending:
        parts.step(max_substeps=2, finish=True)
    assert parts.save() == whole.save()
    refused(pliant.StateError, "", lambda: parts.step(finish=True))
    refused(pliant.ArgumentError, "dt", lambda: parts.step(-1))


# Divided by the clock or by Ctrl-C, a step has the bits and figures of one call.
def test_steps_are_interrupted():
    worlds = [small_scene().world() for _ in range(3)]
    worlds[0]._part, worlds[1]._part = 10**6, 1
    infos = [world.step(3) for world in worlds[:2]]
    work = [info.friction_work for info in infos]  # sums of parts are rounded
    assert np.isclose(*work) and infos[0] == infos[1]._replace(friction_work=work[0])
    assert worlds[0].save() == worlds[1].save() and infos[0].advanced == 3
    step_part, worlds[2]._part = worlds[2]._step_part, 1
    worlds[2]._step_part = lambda definition: (step_part(definition), _thread.interrupt_main())[0]  # as if it came meanwhile
    refused(KeyboardInterrupt, "", lambda: worlds[2].step(3))
    worlds[2]._step_part = step_part
    assert 0 < worlds[2].pending < 3
    worlds[2].step(finish=True)
    assert worlds[2].save() == worlds[0].save()


def test_shells_hexes_and_air():
    scene = pliant.Scene()
    scene.gravity(0, 0, 0)
    scene.air(wind=(0, 3, 0))
    scene.material("cotton", young=1e5, poisson=0.3, density=300)
    sheet = pliant.Mesh.sheet((1, 1), 0.25)
    scene.body("sheet", sheet, "cotton", kind="shell", thickness=1e-3, drag=1)
    scene.body("cube", pliant.Mesh.box(edge=0.5, elements="hex"), "cotton", at=(3, 0, 0))
    world = pliant.World(scene)
    world.step(0.01)
    assert world.bodies["sheet"].element_kind == "triangle" and world.bodies["cube"].elements.shape == (8, 8)
    assert world.bodies["sheet"].velocities[:, 1].mean() > 0 and abs(world.bodies["cube"].velocities).max() < 1e-12
    refused(pliant.ArgumentError, "needs triangles", lambda: scene.body("x", pliant.Mesh.box(edge=0.5), "cotton", kind="shell"))


def test_breaking_and_melting():
    scene = pliant.Scene()
    scene.gravity(0, 0, 0)
    scene.material("wax", young=1e5, poisson=0.3, melting=50, fracture_stress=1e6)
    scene.body("bar", pliant.Mesh.box((1, 0.25, 0.25), 0.125), "wax", smallest_piece=4)
    scene.heat("flame", at=(0.5, 0, 0), radius=0.3, power=100)
    scene.keys("heat.flame.power", [0, 0.1], [100, 0], "step")
    scene.keys("bodies.bar.toughness", [0, 1], [1, 2])
    world = pliant.World(scene)
    bar = world.bodies["bar"]
    before, version, x = bar.node_count, bar.version, bar.positions
    assert bar.breaks and not bar.field("temperature").any()
    refused(pliant.StateError, "cannot step a world with bodies that break or melt while 1 array", lambda: world.step(0.05))
    del x
    info = world.step(0.05)
    assert info.torn == 0 and 1 < bar.field("temperature").max() < 5
    world.heat((-0.5, 0, 0), 0.3, 30)
    assert bar.field("temperature").max() > 15 and world["bodies.bar.toughness"] > 1
    state = world.save()
    torn = world.cut((0.01, -1, -1), (0.01, 1, -1), (0.01, 1, 1), (0.01, -1, 1))
    assert torn > 4 and bar.node_count == before + torn and bar.version > version
    assert bar.surface().triangles.max() == len(bar.surface().vertices) - 1
    broken = world.save()
    world.load(state)
    assert bar.node_count == before
    world.load(broken)
    assert world.save() == broken and bar.node_count == before + torn
    refused(pliant.ArgumentError, "must be in", lambda: scene.heat("x", radius=0))


def test_several_liquids():
    scene = pliant.Scene()
    scene.domain((0, 0, 0), (1, 1, 1), 0.1)
    scene.liquid("oil", level=0.6, density=800, viscosity=0.1)
    scene.liquid("water", level=0.3)
    scene.liquid("more", {"kind": "sphere", "radius": 0.2}, at=(0.5, 0.8, 0.5), of="water", velocity=(0, -1, 0))
    world = scene.world()
    start = {d.name: d.info.liquid_volume for d in world.drawables() if d.name in ("oil", "water")}
    assert np.isclose(start["water"], 0.3 + 4 / 3 * np.pi * 0.2**3, rtol=0.05) and np.isclose(start["oil"], 0.3, rtol=0.02)
    world["liquids.oil.density"] = 700
    for _ in range(3):
        world.step(0.05)
    now = {d.name: d.info for d in world.drawables() if d.name in start}
    for name, info in now.items():
        assert abs(info.liquid_drift) < 0.01 and abs((info.liquid_volume + info.liquid_spray) / start[name] - 1) < 0.01
    refused(pliant.ArgumentError, "as the density of liquids.water", lambda: world.__setitem__("liquids.oil.density", 1e-8))


def test_liquids():
    scene = pliant.Scene()
    scene.liquid("sea", level=0.3, velocity=(1, 0, 0))
    refused(pliant.ArgumentError, "needs a domain", scene.world)
    scene.domain((0, 0, 0), (2, 1.01, 1), 0.1, open=["-x", "+x"], level=0.3, velocity=(1, 0, 0), depth=0.2, cfl=2)
    info = scene.world().step(0.05)
    assert np.isclose(info.liquid_speed, 1, rtol=1e-6) and abs(info.liquid_added) < 1e-3
    scene.domain((0, 0, 0), (2, 1.01, 1), 0.1, depth=0.2, cfl=2)
    assert scene.liquid("drop", {"kind": "union", "parts": [{"kind": "sphere", "radius": 0.1}]}, at=(1, 0.8, 0.5)) == "drop"
    refused(pliant.ArgumentError, "the same for all", lambda: scene.liquid("oil", level=0.3, volume="hold"))
    refused(pliant.ArgumentError, "no liquid \"rum\"", lambda: scene.liquid("oil", level=0.3, of="rum"))
    refused(pliant.ArgumentError, "give one of them", lambda: scene.liquid("x"))
    refused(pliant.ArgumentError, "give one of them", lambda: scene.liquid("x", {"kind": "sphere"}, level=1))
    refused(pliant.ArgumentError, "must be one of -x, ", lambda: scene.domain((0, 0, 0), (1, 1, 1), 0.1, open=["x"]))
    refused(pliant.ArgumentError, "take at least 0.002 m", lambda: scene.domain((0, 0, 0), (1, 1, 1), 1e-4))
    world = scene.world()
    info = world.step(0.1)
    assert np.isclose(info.mass, 600, rtol=0.02) and abs(info.liquid_drift) < 0.01 and len(world.bodies) == 0 and np.isclose(world.time, 0.1)
    surface, spray = world.drawables()
    assert surface.radii is None and spray.name == "sea_spray" and len(spray.triangles) == 0
    assert spray.radii.shape == (len(spray.vertices),) and np.isclose(4 / 3 * np.pi * (spray.radii ** 3).sum(), info.liquid_spray)
    pliant.export("water", [pliant.capture(world, 0)], "ply")
    assert b"property float radius" in pathlib.Path("water/sea_spray_000000.ply").read_bytes() and os.path.getsize("water/sea_000000.ply") > 1000
    cells = world.liquid_cells()
    size = cells.boxes[:, 3:] - cells.boxes[:, :3]
    assert np.allclose(size[:, (0, 2)], 0.1) and size[:, 1].min() > 0.099 and cells.velocities.shape == (len(cells.phi), 3)
    assert 3 * 300 < cells.pressures.max() < 3 * 3000 and np.isclose(size[cells.phi < 0].prod(axis=1).sum(), 0.6, rtol=0.1)
    scene.object("ball", kind="sphere", radius=0.15, at=(1, 0.2, 0.5))
    ball = scene.world()
    ball.step(0.02)
    force, torque, area = ball.liquid_force("ball")
    assert np.isclose(force[1], 9810 * 4 / 3 * np.pi * 0.15 ** 3, rtol=0.2) and area > 0.2 and ball.liquid_force().force[1] < -4000
    refused(pliant.ArgumentError, "must be one of -x, ", lambda: scene.domain((0, 0, 0), (1, 1, 1), 0.1, grow=["x"]))
    world.load(world.save())
    scene.liquid("far", {"kind": "box", "extent": (1, 1, 1)}, at=(9, 0, 0))
    refused(pliant.ArgumentError, "is outside the domain", scene.world)


def add_objects(scene):
    """Far below everything: a gear, hills, a closed surface, a box without a ball."""
    cube = pliant.Mesh.box((1, 1, 1), 0.5)
    scene.object("gear", "gear", teeth=9, module=0.2, at=(0, -20, 0))
    scene.object("hills", "height_field", extent=(3, 1, 2), heights=[[0, 1, 0], [0, 0.5, 0]], at=(0, -30, 0))
    scene.object("cube", "surface", surface=pliant.Surface(cube.positions, cube.triangles), lookup="exact", at=(0, -40, 0))
    parts = [{"kind": "box", "extent": (1, 1, 1)}, {"kind": "sphere", "radius": 0.4, "at": (0, 0.5, 0)}]
    scene.object("cup", "difference", parts=parts, at=(0, -50, 0))
    cube_surface = pliant.Surface(cube.positions, cube.triangles)
    motion = np.stack([cube.positions, 3 * cube.positions])
    scene.object("heart", "actor", surface=cube_surface, cache=motion, cache_rate=2, at=(0, -60, 0))
    refused(pliant.ArgumentError, "cache", lambda: scene.object("x", "actor", surface=cube_surface, cache=motion[:, 1:]))
    refused(pliant.ArgumentError, "needs the name of a body", lambda: scene.object("x", "body"))
    scene.object("soft", "body", body="pulled", friction=0.5)
    refused(pliant.ArgumentError, "objects.x.teeth: 2 must be in", lambda: scene.object("x", "gear", teeth=2))
    refused(pliant.ArgumentError, r"objects\.x\.part\[0\]\.radius: -1 m", lambda: scene.object("x", "union", parts=[{"kind": "sphere", "radius": -1}]))
    refused(TypeError, "there is no 'size' here", lambda: scene.object("x", "box", size=1))


def check_objects(world):
    assert list(world.objects)[2:] == ["gear", "hills", "cube", "cup", "heart", "soft"]
    state = world.objects["gear"].state()
    assert state["kind"] == "gear" and state["teeth"] == 9 and state["at"] == (0, -20, 0) and "part" not in state
    assert world.objects["cup"].state()["part_count"] == 2 and world.objects["hills"].state()["rows"] == 2
    assert np.allclose(world.objects["gear"].place([(1, 0, 0), (0, 0, 0)])[1], state["at"])
    refused(pliant.ArgumentError, "points: has the shape 3; must be n x 3", lambda: world.objects["gear"].place((1, 0, 0)))
    cup = world.objects["cup"].surface(0.05)
    assert np.allclose([cup.positions.min(), cup.positions.max()], [-0.5, 0.5], atol=0.01)
    assert len(world.objects["cube"].surface().triangles) == 48
    refused(pliant.ArgumentError, "a plane or wedge is endless", lambda: world.objects["wall"].surface())
    heart = world.objects["heart"].surface().positions
    assert np.allclose(heart, heart / np.abs(heart).max() * (0.5 + min(2 * world.time, 1)))
    assert world.objects["soft"].state()["body"] == "pulled" and world.objects["gear"].state()["contact"] == "distance"
    assert len(world.objects["soft"].surface().triangles) > 0


def test_scene_calls():
    scene = pliant.Scene()
    scene.gravity(0, 0, 0)
    scene.solver(velocity_update="trapezoid", safety=0.5)
    for name in ("soft", "hard"):
        scene.material(name, pliant.Material(young=1e4 if name == "soft" else 1e6))
    mesh = pliant.Mesh.box(edge=0.5)
    left = mesh.positions[:, 0] < -0.49
    names = np.where(mesh.positions[mesh.tets].mean(1)[:, 0] < 0, "soft", "hard")
    scene.body("bar", mesh, element_materials=list(names), young_factors=np.ones(len(mesh.tets)), pins=left)
    scene.body("pulled", mesh, "soft", at=(3, 0, 0))
    pins = scene.pin("pulled", left, strength=1)
    scene.keys(pins + ".move", [0, 1], [(0, 0, 0), (0, 1, 0)])
    scene.keys("bodies.bar.strength", [0, 1], [1, 0.5], ease="smooth")
    scene.plane("wall", at=(0, -5, 0), normal=(1, 1, 0))
    scene.sphere("ball", at=(0, -9, 0), radius=2)
    add_objects(scene)
    world = scene.world()
    start = world.bodies["pulled"].nodes()[left]
    world.step(0.5)
    assert np.allclose(world.bodies["pulled"].nodes()[left], start + (0, 0.5, 0), atol=1e-12)
    assert np.allclose(world.bodies["bar"].nodes()[left], mesh.positions[left]) and world["bodies.bar.strength"] == 0.75
    assert list(world.objects)[:2] == ["wall", "ball"] and world.objects["ball"].state()["radius"] == 2
    check_objects(world)
    world.objects["ball"].move_to((0, -8, 0))
    world.bodies["bar"].pin(int(np.flatnonzero(~left)[0]))
    world.bodies["bar"].move_pin(int(np.flatnonzero(~left)[0]), (1, 1, 1))
    world.step(0.1)
    assert np.allclose(world.objects["ball"].state()["at"], (0, -8, 0))
    assert np.allclose(world.bodies["bar"].nodes()[np.flatnonzero(~left)[0]], 1)
    refused(pliant.ArgumentError, "material = 'wood': there are soft, hard", lambda: scene.body("x", mesh, "wood"))
    refused(pliant.ArgumentError, "element_materials: has 1 names", lambda: scene.body("x", mesh, element_materials=["soft"]))
    refused(pliant.ArgumentError, "young_factors: has the shape 2", lambda: scene.body("x", mesh, "soft", young_factors=[1, 2]))
    refused(pliant.ArgumentError, "bar", lambda: scene.body("bar", mesh, "soft"))
    refused(TypeError, "no 'att' here", lambda: scene.body("x", mesh, "soft", att=1))
    refused(pliant.ArgumentError, "body = 'y'", lambda: scene.pin("y", [0]))


# ---- host ----------------------------------------------------------------------------------------------------------

def test_nothing_stays():
    context = pliant.Context(threads=2)
    before = context.memory
    for _ in range(2):
        scene = small_scene(context=context)
        world = scene.world()
        view = world.bodies["block"].positions
        world.step()
        frame = pliant.capture(world, 0, ["stress"])
        pliant.export("gone", [frame], "ply", context=context)
        assert context.memory > before
        del scene, world
        assert context.memory > before  # the array needs its world
        del view
        assert context.memory == before
    try:
        pliant.Mesh.box(edge=-1, context=context)
    except pliant.Error:
        pass
    assert context.memory == before


def test_contexts_go_last():
    import weakref
    context = pliant.Context(threads=1)
    gone = weakref.ref(context)
    mesh = pliant.Mesh.box(context=context)
    x = mesh.positions
    del context, mesh
    assert gone() is not None and x.sum() < 1e300
    del x
    assert gone() is None


def test_the_end_of_python_is_quiet():
    done = in_process("import pliant; s = pliant.Scene(); s.material('m'); s.body('b', pliant.Mesh.box(), 'm'); "
                      "w = s.world(); w.step(); x = w.bodies['b'].positions; "
                      "c = pliant.Context(threads=3); m = pliant.Mesh.box(context=c); m.me = m")
    assert (done.returncode, done.stderr) == (0, ""), done


def test_threads_of_python():
    world, times = small_scene().world(), []
    threads = [threading.Thread(target=lambda: [times.append(world.step(0.01).time) for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(times) == 40 and np.isclose(world.time, 0.4)
    alone = small_scene().world()
    for _ in range(40):
        alone.step(0.01)
    assert alone.save() == world.save()


def test_notes_are_logged():
    class Keep(logging.Handler):
        records = []

        def emit(self, record):
            self.records.append((record.levelname, record.getMessage()))
    logger = logging.getLogger("pliant")
    logger.addHandler(Keep())
    logger.setLevel(logging.INFO)
    pliant.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -1]], [[0, 1, 2, 3]])
    assert len(Keep.records) == 1 and Keep.records[0][0] == "INFO", Keep.records


def test_library_is_found():
    done = in_process("import pliant", PLIANT_LIBRARY="/nowhere/libpliant.so")
    assert done.returncode == 1 and "PLIANT_LIBRARY" in done.stderr and "/nowhere" in done.stderr, done.stderr
    here = dict(os.environ, PYTHONPATH="wheel")
    here.pop("PLIANT_LIBRARY")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import backend; print(backend.build_wheel('.'))"
    made = subprocess.run([sys.executable, "-c", code, SOURCE / "python"], capture_output=True, text=True, check=True)
    zipfile.ZipFile(made.stdout.strip()).extractall("wheel")
    code = "import pliant; print(pliant._lib.lib._name, pliant.__file__)"
    said = subprocess.run([sys.executable, "-c", code], env=here, capture_output=True, text=True, check=True).stdout.split()
    assert said[0] == os.path.abspath("wheel/pliant/libpliant.so.0") and "wheel/pliant" in said[1], said


def test_versions_agree():
    text = (SOURCE / "include/pliant/base.h").read_text()
    version = ".".join(re.search(rf"PL_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    backend, project = (SOURCE / "python/backend.py").read_text(), (SOURCE / "python/pyproject.toml").read_text()
    assert pliant.__version__ == version and f'"pliant", "{version}"' in backend and f'version = "{version}"' in project


def test_everything_is_described():
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        assert thing.__doc__ and not thing.__doc__.startswith(f"{name}("), name
        for part, value in vars(thing).items() if isinstance(thing, type) else ():
            if not part.startswith("_") and (callable(value) or isinstance(value, (property, classmethod))):
                assert getattr(value, "__doc__", None) or issubclass(thing, tuple), f"{name}.{part}"
    assert "cannot be broken" in pydoc.render_doc(pliant)


# ---- runs ----------------------------------------------------------------------------------------------------------

def test_metrics_of_a_run():
    if not COMMAND.is_file():
        return
    pathlib.Path("scene.json").write_text(SCENE)
    subprocess.run([COMMAND, "run", "scene.json", "-o", "a.run", "-q", "--no-movie"], check=True)
    metrics = pliant.read_metrics("a.run")
    world = pliant.load("scene.json").world()
    infos = [world.report()] + [world.step() for _ in range(5)]
    mine = pliant.metrics_of(infos)
    for name in ("time", "kinetic", "elastic", "gravity", "momentum", "contacts", "volume", "min_J"):
        assert (metrics[name] == mine[name]).all(), name
    assert metrics["momentum"].shape == (6, 3) and metrics["frame"].tolist() == list(range(6))
    assert (metrics["bodies"]["block"]["kinetic"] == metrics["kinetic"]).all()
    assert pathlib.Path(pliant.plot("a.run", "a.svg")).stat().st_size > 1000


def test_metrics_that_lack_something():
    rows = [{"frame": 0, "time": 0.0, "kinetic": None, "momentum": [0, 0, 1], "bodies": {"a": {"kinetic": 1}}},
            {"frame": 1, "time": 0.5, "kinetic": 2, "momentum": None, "bodies": {"b": {"kinetic": 3}}}]
    pathlib.Path("metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"frame": 2, "ti')
    metrics = pliant.read_metrics(".")
    assert metrics["frame"].tolist() == [0, 1] and metrics["frame"].dtype == np.int64
    assert np.isnan(metrics["kinetic"][0]) and metrics["kinetic"][1] == 2 and np.isnan(metrics["momentum"][1]).all()
    assert metrics["bodies"]["a"]["kinetic"][0] == 1 and np.isnan(metrics["bodies"]["a"]["kinetic"][1])
    pathlib.Path("metrics.jsonl").write_text("{}\nnonsense\n")
    refused(pliant.ArgumentError, "metrics.jsonl:2: is not JSON", lambda: pliant.read_metrics("."))


def test_plots():
    from xml.etree import ElementTree
    world = small_scene().world()
    infos = [world.step() for _ in range(5)]
    pliant.plot(infos, "own.svg", matplotlib=False)
    picture = ElementTree.parse("own.svg").getroot()
    lines = picture.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 9 and all(len(line.get("points").split()) == 5 for line in lines)
    gap = pliant.metrics_of(infos)
    gap["elastic"][2] = np.nan
    pliant.plot(gap, "gap.svg", matplotlib=False)
    assert len(ElementTree.parse("gap.svg").findall(".//{http://www.w3.org/2000/svg}polyline")) == 11  # two lines in two parts
    pliant.plot(infos, "auto.svg")
    ElementTree.parse("auto.svg")
    sys.modules["matplotlib.figure"], kept = None, sys.modules.get("matplotlib.figure")  # as if it were not installed
    pliant.plot(infos, "without.svg")
    sys.modules.update({"matplotlib.figure": kept} if kept else {})
    assert pathlib.Path("without.svg").read_text() == pathlib.Path("own.svg").read_text()
    refused(pliant.ArgumentError, "only .svg", lambda: pliant.plot(infos, "own.png", matplotlib=False))
    refused(pliant.ArgumentError, "nothing to plot", lambda: pliant.plot([], "none.svg"))


def test_exports():
    world, frames = small_scene().world(), []
    for number in range(3):
        frames.append(pliant.capture(world, number, ["stress", "cauchy"]))
        world.step()
    for format in ("ply", "vtu", "pc2", "usd", "glb", "npy", "obj"):
        pliant.export("out_" + format, frames, format)
        assert os.listdir("out_" + format), format
    x = np.load("out_npy/block_nodes.npy")
    assert (x == [frame.bodies["block"].nodes for frame in frames]).all() and np.load("out_npy/block_cauchy.npy").shape[0] == 3
    refused(pliant.ArgumentError, "blend", lambda: pliant.export("out", frames, "blend"))

    class Broken:
        def __len__(self):
            return 1

        def __getitem__(self, i):
            raise ZeroDivisionError
    refused(ZeroDivisionError, "", lambda: pliant.export("out", Broken(), "ply"))


# ---- pages and examples --------------------------------------------------------------------------------------------

def test_the_page_is_true():
    blocks = re.findall(r"^```python\n(.*?)^```$", (SOURCE / "docs/python.md").read_text(), re.M | re.S)
    assert len(blocks) > 5
    os.path.lexists("scenes") or os.symlink(SOURCE / "scenes", "scenes")
    names = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"docs/python.md, block {number}", "exec"), names)


def test_the_example_runs():
    began = time.monotonic()
    done = subprocess.run([sys.executable, SOURCE / "python/examples/bouncing_torus.py"], capture_output=True, text=True,
                          env={**os.environ, "PLIANT_COMMAND": str(COMMAND)})
    assert done.returncode == 0, done.stderr
    assert pathlib.Path("bouncing_torus.svg").exists() and done.stdout
    print(f"  the example took {time.monotonic() - began:.1f} s")


def main():
    failures = 0
    for name, test in [(name, test) for name, test in globals().items() if name.startswith("test_")]:
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            try:
                test()
                print("ok    ", name[5:].replace("_", " "))
            except Exception:
                failures += 1
                print("FAILED", name[5:].replace("_", " "))
                traceback.print_exc(file=sys.stdout)
            os.chdir("/")
    sys.exit(failures > 0)


main()
