"""A scene set in motion: state, steps, bodies, live parameters."""
import ctypes
import time
import weakref
from collections import namedtuple
from collections.abc import Mapping as MappingBase
from typing import TYPE_CHECKING, Any, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _declarations as c
from ._body import body_definition
from ._core import ArgumentError, Error, Owner, StateError, borrow, fields_of, fill, name_bytes, numbers, pointer_to
from ._lib import lib, words
from ._mesh import Mesh, Surface

if TYPE_CHECKING:
    from ._scene import Scene

PART_SECONDS = 0.2


class Info(namedtuple("Info", [name for name, _ in c.pl_step_info._fields_])):
    """What a step did and how things are at its end, over all bodies or for one.

    time, advanced          of the world [s]; simulated by this call [s]
    substeps, smallest_dt   how many, and the shortest [s]
    cg_iterations, unconverged   of the damping solves; how many of those used up their iterations
    kinetic, elastic, gravity    energies [J]; elastic is NaN where the inversion rule has none; `total` is their sum
    mass, center            [kg]; of mass [m]
    momentum, angular       [kg m/s], [kg m^2/s] about the origin
    volume, volume_error    [m^3]; volume / rest volume - 1
    ring_error, volume_iterations   of incompressible bodies: the largest error of the volume around a node, and of its solves
    min_J, max_stretch      smallest determinant and largest singular value of a deformation gradient
    strain, dilation        root mean square of principal strains and of J - 1
    inverted, contacts      elements with J <= 0; nodes touching objects
    penetration             how deep the deepest node is inside an object [m]
    near_pairs, collisions, zone_nodes, unresolved, crossings, friction_work   of bodies that meet (docs/metrics.md)
    recovering, stuck       bodies that use the relaxed law of their material; that rest in a shape that is not theirs
    sleeping                bodies that have come to rest and are left alone (solver sleep=True)
    liquid_volume, liquid_spray  of the liquid, and of drops in the air [m^3]
    liquid_added                 by sources and through open sides, since the start [m^3]
    liquid_drift                 liquid and spray / (volume at the start + added) - 1
    liquid_axes, liquid_angle    edges of the box of its second moments [m]; of the longest about z [degrees]
    liquid_strain, liquid_yielded  largest elastic strain; part of the volume where it is beyond its yield
    liquid_squeezed              what objects press into enclosed liquid without air [m^3/s]
    liquid_speed, liquid_iterations  largest component of its velocity [m/s]; of the last pressure solve
    vortex_power    what vortices and confinement gave to the liquid in its last substep [W]
    """
    __slots__ = ()

    @property
    def total(self) -> float:
        """Kinetic, elastic and gravitational energy [J]."""
        return self.kinetic + self.elastic + self.gravity

    @classmethod
    def _of(cls, info: c.pl_step_info) -> "Info":
        return cls(**{name: tuple(value) if isinstance(value, ctypes.Array) else value
                      for name, value in ((name, getattr(info, name)) for name in cls._fields)})


class Contact(NamedTuple):
    """A body and what it touches: an object or another body, maybe itself; the other one is None."""
    body: str
    object: Optional[str]
    other: Optional[str]
    point: Tuple[float, float, float]  # where the strongest impulse of the step acted [m]
    normal: Tuple[float, float, float]  # there, towards `body`
    impulse: float  # along normals, summed over the step [N s]


class Event(NamedTuple):
    """Two have begun, or ceased, to touch: kind is "begin" or "end"."""
    kind: str
    contact: Contact


class ContactPoint(NamedTuple):
    """Where a node is at an object, or two parts of surfaces are nearer than their thickness."""
    body: str
    object: Optional[str]
    other: Optional[str]
    point: Tuple[float, float, float]  # on `body` [m]
    normal: Tuple[float, float, float]  # towards `body`
    distance: float  # [m], negative inside an object


class BodySurface(NamedTuple):
    """The surface of a body: vertices and normals (n x 3), triangles (m x 3)."""
    vertices: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray


class Drawable(NamedTuple):
    """Something of a world that has a surface: a body, or what else advances in it. `stepper` says what: "bodies" or another kind of matter.
    Arrays are copies: vertices, velocities and normals n x 3, triangles m x 3. Points, such as the drops of a liquid, have n radii."""
    name: str
    stepper: str
    vertices: np.ndarray
    velocities: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    color: Tuple[float, float, float]
    info: "Info"
    radii: Optional[np.ndarray] = None


class LiquidCells(NamedTuple):
    """Cells of a liquid: boxes n x 6, lower and upper corner, distances phi to the surface (negative in liquid), velocities n x 3, pressures, strains: norms of
    the deviator of elastic strain, which of several liquids is there, by the order of drawables, and temperatures. Tall cells are higher than the others."""
    boxes: np.ndarray
    phi: np.ndarray
    velocities: np.ndarray
    pressures: np.ndarray
    strains: np.ndarray
    liquids: np.ndarray
    temperatures: np.ndarray


class LiquidForce(NamedTuple):
    """What the pressure of a liquid does to an object: force [N], torque about its `at` [N m], and the wetted area [m^2]."""
    force: Tuple[float, float, float]
    torque: Tuple[float, float, float]
    area: float


def field_names() -> Tuple[str, ...]:
    """What Body.field can tell: J, stress, stretch, energy, pressure, cauchy, plastic, temperature."""
    names, i = [], 0
    while lib.pl_body_field_name(i):
        names.append(lib.pl_body_field_name(i).decode())
        i += 1
    return tuple(names)


def _field(name: str) -> int:
    names = field_names()
    if name not in names:
        raise ArgumentError(f"field = {name!r}: must be one of {', '.join(names)}")
    return names.index(name)


class Body:
    """A body of a world. Arrays with "without copying" show the state as it is, also after further steps."""

    def __init__(self, world: "World", identity: c.pl_body_id):
        self.world = world
        self._id = identity

    def _ask(self, function: Any, *arguments: Any) -> Any:
        return self.world.context._ask(function, self.world._pointer, self._id, *arguments)

    def _do(self, function: Any, *arguments: Any) -> None:
        self.world.context._do(function, self.world._pointer, self._id, *arguments)

    def _view(self, function: Any, *shape: int) -> np.ndarray:
        pointer = self._ask(function)
        if not pointer:
            raise StateError("the body was removed from its world")
        return self.world._borrow(pointer, shape)

    @property
    def name(self) -> str:
        """Its name in the scene."""
        name = self._ask(lib.pl_body_name)
        if name is None:
            raise StateError("the body was removed from its world")
        return name.decode()

    @property
    def node_count(self) -> int:
        """How many nodes it has."""
        return self._ask(lib.pl_body_node_count)

    @property
    def breaks(self) -> bool:
        """Whether it can come apart: it breaks, or can be cut."""
        return bool(self._ask(lib.pl_body_breaks))

    @property
    def melts(self) -> bool:
        """Whether a liquid of the scene names it, so that it may become that."""
        return bool(self._ask(lib.pl_body_melts))

    @property
    def version(self) -> int:
        """Counts up whenever it breaks or is cut: nodes are added, and elements and surface are connected otherwise."""
        return self._ask(lib.pl_body_version)

    @property
    def element_kind(self) -> str:
        """What it is made of: tet, hex or triangle."""
        return words("pl_element_kind")[self._ask(lib.pl_body_element_kind)]

    @property
    def element_count(self) -> int:
        """How many elements it has."""
        return self._ask(lib.pl_body_element_count)

    @property
    def tet_count(self) -> int:
        """How many tetrahedra it has: 0 for bodies of something else."""
        return self.element_count if self.element_kind == "tet" else 0

    @property
    def positions(self) -> np.ndarray:
        """n x 3 [m], without copying, in the engine's own order: node i of the mesh is at index order[i]."""
        return self._view(lib.pl_body_positions, self.node_count, 3)

    @property
    def velocities(self) -> np.ndarray:
        """n x 3 [m/s], without copying, in the engine's own order."""
        return self._view(lib.pl_body_velocities, self.node_count, 3)

    @property
    def order(self) -> np.ndarray:
        """Where the nodes of the mesh are in positions and velocities."""
        return self._view(lib.pl_body_node_order, self.node_count)

    def nodes(self) -> np.ndarray:
        """A copy of the positions, n x 3 [m], in the order of the mesh."""
        return self._read(positions=True)

    def node_velocities(self) -> np.ndarray:
        """A copy of the velocities, n x 3 [m/s], in the order of the mesh."""
        return self._read(positions=False)

    def _read(self, positions: bool) -> np.ndarray:
        values = np.empty((self.node_count, 3))
        pointer = pointer_to(values)
        self._do(lib.pl_body_read, *((pointer, None) if positions else (None, pointer)))
        return values

    def write(self, positions: Any = None, velocities: Any = None) -> None:
        """Set positions, velocities or both, n x 3, in the order of the mesh."""
        shape = (self.node_count, 3)
        arrays = [None if values is None else numbers(what, values, ctypes.c_double, shape)
                  for what, values in (("positions", positions), ("velocities", velocities))]
        self._do(lib.pl_body_write, *map(pointer_to, arrays))

    @property
    def elements(self) -> np.ndarray:
        """m x 4 (tetrahedra), 8 (hexahedra) or 3 (triangles) nodes of the mesh, without copying."""
        return self._view(lib.pl_body_elements, self.element_count, lib.pl_element_corners(self._ask(lib.pl_body_element_kind)))

    @property
    def tets(self) -> np.ndarray:
        """m x 4 nodes of the mesh, without copying; empty for bodies of something else."""
        return self.elements if self.element_kind == "tet" else np.empty((0, 4), np.int32)

    @property
    def rest(self) -> np.ndarray:
        """A copy of where the nodes were put at rest, n x 3 [m], in the order of the mesh."""
        values = np.empty((self.node_count, 3))
        self._do(lib.pl_body_read_rest, pointer_to(values))
        return values

    def surface(self, dtype: Any = np.float64) -> BodySurface:
        """Copies of vertices and normals, and the triangles without copying. dtype: float64, or float32 for drawing."""
        count = self._ask(lib.pl_body_surface_vertex_count)
        triangle_count = ctypes.c_int32()
        triangles = self._ask(lib.pl_body_surface_triangles, triangle_count)
        vertices, normals = np.empty((count, 3), dtype), np.empty((count, 3), dtype)
        if vertices.dtype == np.float32:
            self._ask(lib.pl_body_read_surface, pointer_to(vertices), pointer_to(normals), 12)
        else:
            self._do(lib.pl_body_read_surface_exact, pointer_to(vertices), None, pointer_to(normals))
        return BodySurface(vertices, normals, self.world._borrow(triangles, (triangle_count.value, 3)))

    def surface_velocities(self) -> np.ndarray:
        """A copy of the velocities of the surface vertices, n x 3 [m/s]."""
        values = np.empty((self._ask(lib.pl_body_surface_vertex_count), 3))
        self._do(lib.pl_body_read_surface_exact, None, pointer_to(values), None)
        return values

    @property
    def surface_nodes(self) -> Optional[np.ndarray]:
        """The mesh node of each surface vertex, without copying; None for a body that carries a surface."""
        nodes = self._ask(lib.pl_body_surface_nodes)
        return self.world._borrow(nodes, (self._ask(lib.pl_body_surface_vertex_count),)) if nodes else None

    @property
    def surface_sources(self) -> Optional[np.ndarray]:
        """The triangle of the whole surface that each triangle is or is a part of, -1 where a crack laid it open, without copying; None
        for a body that cannot come apart."""
        sources, triangle_count = self._ask(lib.pl_body_surface_sources), ctypes.c_int32()
        self._ask(lib.pl_body_surface_triangles, triangle_count)
        return self.world._borrow(sources, (triangle_count.value,)) if sources else None

    def surface_uvs(self) -> Optional[np.ndarray]:
        """Texture coordinates of the corners of all triangles, m x 3 x 2, of a body that can come apart and carries a surface with some; 0
        where a crack laid it open. None otherwise."""
        triangle_count = ctypes.c_int32()
        self._ask(lib.pl_body_surface_triangles, triangle_count)
        values = np.empty((triangle_count.value, 3, 2))
        return values if self._ask(lib.pl_body_read_surface_uvs, pointer_to(values)) else None

    def field(self, name: str) -> np.ndarray:
        """What is felt in each element now: J, stress (von Mises) [Pa], stretch, energy [J/m^3], pressure [Pa], plastic (strain); or
        cauchy, m x 3 x 3 [Pa]."""
        field = _field(name)
        components = lib.pl_body_field_components(field)
        values = np.empty((self.element_count, components))
        self._do(lib.pl_body_read_field, field, pointer_to(values))
        return values.reshape((-1, 3, 3) if components == 9 else -1)

    def surface_field(self, name: str) -> np.ndarray:
        """The same at the surface vertices, as float32 for colouring; not for cauchy."""
        values = np.empty(self._ask(lib.pl_body_surface_vertex_count), np.float32)
        self._do(lib.pl_body_read_surface_field, _field(name), pointer_to(values))
        return values

    def report(self) -> Info:
        """The figures of this body, as of the end of the last step."""
        info = c.pl_step_info()
        self._do(lib.pl_body_report, info)
        return Info._of(info)

    def pin(self, node: int, held: bool = True) -> None:
        """Hold a mesh node where it is, or let go of it."""
        self._do(lib.pl_body_set_pin, node, int(held))

    def move_pin(self, node: int, target: Sequence[float]) -> None:
        """Where a held node shall be at the end of the next step [m]."""
        self._do(lib.pl_body_move_pin, node, pointer_to(numbers("target", target, ctypes.c_double, (3,))))

    def remove(self) -> None:
        """Take the body out of its world. Arrays of the world must be gone; copies may stay."""
        self.world._check_unborrowed("remove a body")
        self._do(lib.pl_world_remove_body)

    def melt(self) -> None:
        """Make it liquid now, the one that names it. Then it is no body any more; arrays of the world must be gone."""
        self.world._check_unborrowed("melt a body")
        self._do(lib.pl_world_melt)

    def __repr__(self) -> str:
        many = {"tet": "tetrahedra", "hex": "hexahedra", "triangle": "triangles"}[self.element_kind]
        return f"<pliant.Body {self.name!r}: {self.node_count} nodes, {self.element_count} {many}>"


class Object:
    """Something that bodies bump into and that does not notice."""

    def __init__(self, world: "World", identity: c.pl_object_id):
        self.world = world
        self._id = identity

    def state(self) -> Dict[str, Any]:
        """As it is now: kind and sizes, at, normal, velocity, rotate, spin, friction."""
        definition = c.pl_object_def()
        self.world.context._do(lib.pl_object_read, self.world._pointer, self._id, definition)
        state = fields_of(definition, ("cookie", "heights", "surface", "part", "cache"))
        return {**state, "body": state["body"].decode() if state["body"] else None}

    def surface(self, edge: float = 0) -> Surface:
        """Its triangles in its own frame, before `rotate` and `at`, those of actors and bodies as they are now.

        edge [m]: where it is curved; 0: chosen from its size.
        """
        context = self.world.context
        pointer = context._make(c.pl_surface, lib.pl_object_surface, self.world._pointer, self._id, float(edge))
        return Surface.__new__(Surface)._take(context, pointer)

    def place(self, points: Any) -> np.ndarray:
        """Points of its own frame, such as those of its surface, where they are in the world now: n x 3."""
        state, array = self.state(), numbers("points", points, ctypes.c_double, (None, 3)).copy()
        lib.pl_points_rotate(pointer_to(numbers("rotate", state["rotate"], ctypes.c_double, (3,))), pointer_to(array), len(array))
        return array + np.array(state["at"])

    def move_to(self, target: Sequence[float]) -> None:
        """Where its `at` shall be at the end of the next step [m]; it goes there at constant velocity, then stays."""
        array = numbers("target", target, ctypes.c_double, (3,))
        self.world.context._do(lib.pl_object_set_target, self.world._pointer, self._id, pointer_to(array))


class Bodies(MappingBase):
    """The bodies of a world by name, in the order in which they came."""

    def __init__(self, world: "World"):
        self._world = world

    def __getitem__(self, name: str) -> Body:
        identity = self._world._ask(lib.pl_world_find_body, name_bytes(name))
        if not identity.index:
            raise KeyError(f"{name}: there are {', '.join(self) or 'none'}")
        return Body(self._world, identity)

    def __len__(self) -> int:
        return self._world._ask(lib.pl_world_body_count)

    def __iter__(self) -> Iterator[str]:
        for i in range(len(self)):
            yield Body(self._world, self._world._ask(lib.pl_world_body_at, i)).name


class Objects(MappingBase):
    """The objects of a world by name."""

    def __init__(self, world: "World"):
        self._world = world

    def __getitem__(self, name: str) -> Object:
        identity = self._world._ask(lib.pl_world_find_object, name_bytes(name))
        if not identity.index:
            raise KeyError(f"{name}: there are {', '.join(self) or 'none'}")
        return Object(self._world, identity)

    def __len__(self) -> int:
        return self._world._ask(lib.pl_world_object_count)

    def __iter__(self) -> Iterator[str]:
        for i in range(len(self)):
            yield self._world._ask(lib.pl_world_object_name, i).decode()


class World(Owner):
    """A scene compiled and set in motion. The same scene and the same calls give the same bits, on any number of threads.

    Live parameters are reached by their path: world["materials.jelly.young"] = 2e5. The paths: materials.NAME.young,
    .poisson, .damping; bodies.NAME.strength, .toughness; objects.NAME.friction; bodies.NAME.friction_with.NAME where
    the scene has it; gravity.x, .y, .z.
    """

    def __init__(self, scene: "Scene"):
        self.context = scene.context
        self.frame_time: float = scene.frame_time
        self._materials = dict(scene._materials)
        self._lent: "weakref.WeakSet" = weakref.WeakSet()
        self._part = 64  # substeps that take about PART_SECONDS
        pointer = self.context._make(c.pl_world, lib.pl_world_create, scene._pointer)
        self._pointer = self.context._own(self, pointer, lib.pl_world_destroy)

    def _ask(self, function: Any, *arguments: Any) -> Any:
        return self.context._ask(function, self._pointer, *arguments)

    def _do(self, function: Any, *arguments: Any) -> None:
        self.context._do(function, self._pointer, *arguments)

    # ---- stepping

    def step(self, dt: Optional[float] = None, *, max_substeps: int = 0, max_iterations: int = 0, finish: bool = False) -> Info:
        """Advance, by one frame of the scene or by dt [s], in as many stable steps as it takes.

        max_substeps stops early after so many and leaves the rest pending; finish=True goes on with that. max_iterations caps
        each damping solve. 0: no limit. Ctrl-C is answered within a second and leaves the rest pending too.
        """
        definition = fill(lib.pl_step_def_default(), {"max_iterations": max_iterations})
        definition.dt, definition.finish = self.frame_time if dt is None else dt, int(finish)
        if max_substeps:
            return self._step_part(fill(definition, {"max_substeps": max_substeps}))
        with self.context._lock:
            return self._step_parts(definition, self.pending if finish else definition.dt)

    def _step_part(self, definition: c.pl_step_def) -> Info:
        self._check_whole("step")
        info = c.pl_step_info()
        self._do(lib.pl_world_step, definition, info)
        return Info._of(info)

    # Signals wait while C is at work, so it is called for a fraction of a second at a time; the bits are those of one call.
    def _step_parts(self, definition: c.pl_step_def, duration: float) -> Info:
        parts = []
        while not parts or self.pending:
            began, definition.max_substeps = time.monotonic(), self._part
            parts.append(self._step_part(definition))
            definition.finish = 1
            pace = (time.monotonic() - began) / max(parts[-1].substeps, 1)
            self._part = max(1, min(2 * self._part, int(PART_SECONDS / max(pace, 1e-6))))
        return parts[-1]._replace(advanced=duration, smallest_dt=min(part.smallest_dt for part in parts),
                                  **{name: sum(getattr(part, name) for part in parts)
                                     for name in ("substeps", "cg_iterations", "volume_iterations", "unconverged", "collisions", "unresolved")},
                                  zone_nodes=max(part.zone_nodes for part in parts))

    def report(self) -> Info:
        """The figures as they are now, without a step."""
        info = c.pl_step_info()
        self._do(lib.pl_world_report, info)
        return Info._of(info)

    def drawables(self) -> Tuple[Drawable, ...]:
        """Everything that has a surface, as it is now: bodies first, in their order."""
        found = []
        for i in range(lib.pl_world_drawable_count(self._pointer)):
            d, info = c.pl_drawable(), c.pl_step_info()
            self._do(lib.pl_world_drawable, i, d)
            arrays = [np.empty((d.vertex_count, 3)) for _ in range(3)]
            self._do(lib.pl_drawable_read, i, *[pointer_to(array) for array in arrays])
            self._do(lib.pl_drawable_report, i, info)
            triangles = np.ctypeslib.as_array(d.triangles, (d.triangle_count, 3)).copy() if d.triangle_count else np.empty((0, 3), np.int32)
            radii = np.array(d.radii[:d.vertex_count]) if d.radii else None
            found.append(Drawable(d.name.decode(), d.stepper.decode(), *arrays, triangles, tuple(d.color), Info._of(info), radii))
        return tuple(found)

    def liquid_cells(self) -> LiquidCells:
        """The cells of the liquid, as they are now."""
        n = lib.pl_world_liquid_cell_count(self._pointer)
        found = LiquidCells(np.empty((n, 6)), np.empty(n), np.empty((n, 3)), *(np.empty(n) for _ in range(4)))
        self._do(lib.pl_world_liquid_read_cells, c.pl_liquid_cells(*[pointer_to(array) for array in found]))
        return found

    def liquid_force(self, name: Optional[str] = None) -> LiquidForce:
        """The force of the liquid on an object in the last step: buoyancy and drag; without a name, on the walls of the domain."""
        found = c.pl_liquid_force()
        index = 0 if name is None else self.objects[name]._id.index
        self._do(lib.pl_world_liquid_force, c.pl_object_id(index), found)
        return LiquidForce(tuple(found.force), tuple(found.torque), found.area)

    def count_crossings(self) -> int:
        """Pairs of triangles of bodies that meet that cross now, by an exact test."""
        count = ctypes.c_int64()
        self._do(lib.pl_world_count_crossings, ctypes.byref(count))
        return count.value

    def _filled(self, function: Any, kind: Any) -> Any:
        """What a function copies into an array whose length it tells."""
        array = (kind * self._ask(function, None, 0))()
        self._ask(function, array, len(array))
        return array

    def _touching(self, contact: Any) -> Tuple[Any, ...]:
        """Names, point and normal of a contact."""
        name = lambda index: lib.pl_body_name(self._pointer, c.pl_body_id(index)).decode() if index else None
        at = contact.object.index
        return (name(contact.body.index), lib.pl_world_object_name(self._pointer, at - 1).decode() if at else None,
                name(contact.other.index), tuple(contact.point), tuple(contact.normal))

    def events(self) -> Tuple[Event, ...]:
        """What began and what ended in the last complete step, in order of bodies; none while a step is pending."""
        return tuple(Event(("begin", "end")[event.kind], Contact(*self._touching(event.contact), event.contact.impulse))
                     for event in self._filled(lib.pl_world_events, c.pl_event))

    def contacts(self) -> Tuple[Contact, ...]:
        """Who touches whom, one entry for two that touch, in order of bodies."""
        return tuple(Contact(*self._touching(contact), contact.impulse) for contact in self._filled(lib.pl_world_contacts, c.pl_contact))

    def contact_points(self) -> Tuple[ContactPoint, ...]:
        """Where bodies touch as everything lies now, point by point."""
        count = ctypes.c_int32()
        self._do(lib.pl_world_contact_points, None, 0, ctypes.byref(count))
        array = (c.pl_contact_point * count.value)()
        self._do(lib.pl_world_contact_points, array, len(array), ctypes.byref(count))
        return tuple(ContactPoint(*self._touching(point), point.distance) for point in array)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._ask(lib.pl_world_time)

    @property
    def pending(self) -> float:
        """What is left of a step that max_substeps stopped [s]."""
        return self._ask(lib.pl_world_pending)

    @property
    def stable_step(self) -> float:
        """The substep that the solver would choose now [s]."""
        return self._ask(lib.pl_world_stable_step)

    # ---- what is in it

    @property
    def bodies(self) -> Bodies:
        """The bodies by name."""
        return Bodies(self)

    @property
    def objects(self) -> Objects:
        """The objects by name."""
        return Objects(self)

    def add_body(self, name: str, mesh: Mesh, material: Optional[str] = None, *, surface: Optional[Surface] = None,
                 pins: Any = None, **fields: Any) -> Body:
        """Add a body while running; arguments as for Scene.body. Arrays of the world must be gone; copies may stay."""
        self._check_unborrowed("add a body")
        definition = body_definition(self._materials, mesh, material, pins, surface, fields)
        identity = c.pl_body_id()
        self._do(lib.pl_world_add_body, name_bytes(name), definition, identity)
        return Body(self, identity)

    def _borrow(self, pointer: Any, shape: Tuple[int, ...]) -> np.ndarray:
        array, base = borrow(self, pointer, shape)
        if base is not None:
            self._lent.add(base)
        return array

    # Bodies that come or go move the memory that arrays look at, which numpy cannot be told.
    def _check_unborrowed(self, what: str) -> None:
        count = len(self._lent)
        if count:
            arrays = "1 array of this world is" if count == 1 else f"{count} arrays of this world are"
            raise StateError(f"cannot {what} while {arrays} in use, such as positions; copy what you need and delete "
                             "the rest first")

    # So do bodies that break, or become liquid.
    def _check_whole(self, what: str) -> None:
        if self._lent and any(self.bodies[name].breaks or self.bodies[name].melts for name in self.bodies):
            self._check_unborrowed(f"{what} a world with bodies that break or melt")

    # ---- cutting and heating

    def cut(self, a: Sequence[float], b: Sequence[float], c_: Sequence[float], d: Sequence[float]) -> int:
        """Cut all bodies that can be along a quadrilateral, as a blade from a to b sweeps on its way to d and c. Returns how many
        nodes there are more."""
        self._check_whole("cut")
        torn = ctypes.c_int32()
        corners = [(ctypes.c_double * 3)(*point) for point in (a, b, c_, d)]
        self._do(lib.pl_world_cut, *corners, ctypes.byref(torn))
        return torn.value

    def heat(self, point: Sequence[float], radius: float, kelvin: float) -> None:
        """Warm what is within `radius` [m] of a point, of materials and liquids that melt, by `kelvin` in the middle."""
        self._do(lib.pl_world_heat, (ctypes.c_double * 3)(*point), radius, kelvin)

    def set_liquid(self, body: str) -> None:
        """Make the liquid the body of this name now (Scene.setting); all of it but its drops is gone. Arrays of the world must be gone, too."""
        self._check_unborrowed("set a liquid")
        self._do(lib.pl_world_set_liquid, name_bytes(body))

    def pour(self, at: Sequence[float], volume: float, *, radius: float, velocity: Sequence[float] = (0, 0, 0), liquid: Optional[str] = None) -> None:
        """Pour a volume [m^3] of a liquid at once: a round cylinder with its front end at a point, along its velocity or gravity."""
        three = ctypes.c_double * 3
        self._do(lib.pl_world_pour, None if liquid is None else name_bytes(liquid), three(*at), three(*velocity), radius, volume)

    def forget(self, point: Sequence[float], radius: float, part: float) -> None:
        """Make liquids forget this part of their elastic strain at a point, and less around it, up to `radius` [m]."""
        self._do(lib.pl_world_forget, (ctypes.c_double * 3)(*point), radius, part)

    def drawable_field(self, i: int, name: str) -> np.ndarray:
        """A field at the vertices of drawable i, in the order of drawables(): "speed", "strain" or "temperature" of a liquid, or a field of a body; 0 where
        it has none of that name."""
        found = c.pl_drawable()
        self._do(lib.pl_world_drawable, i, ctypes.byref(found))
        values = np.empty(found.vertex_count, np.float32)
        self._do(lib.pl_drawable_read_field, i, name_bytes(name), pointer_to(values))
        return values

    # ---- live parameters

    def _parameter(self, path: str) -> c.pl_param_id:
        with self.context._lock:
            parameter = self._ask(lib.pl_world_find_param, name_bytes(path))
            if not parameter.index:
                raise ParameterError(self.context._sentence())
            return parameter

    def __getitem__(self, path: str) -> float:
        return self._ask(lib.pl_world_get, self._parameter(path))

    def __setitem__(self, path: str, value: float) -> None:
        self._do(lib.pl_world_set, self._parameter(path), value)

    def __contains__(self, path: str) -> bool:
        return self._ask(lib.pl_world_find_param, name_bytes(path)).index != 0

    __iter__ = None  # a world is no sequence, though it can be indexed by paths

    # ---- snapshots

    def save(self) -> bytes:
        """The whole state, to the bit, without the meshes."""
        with self.context._lock:
            buffer = ctypes.create_string_buffer(self._ask(lib.pl_world_save_size))
            self._do(lib.pl_world_save, buffer, len(buffer))
        return buffer.raw

    def load(self, state: bytes, *, branch: bool = False) -> None:
        """Go back to a state of this world, or of another one of the same scene. What follows has the same bits.

        branch: the scene may have other keys and pins than the one that was saved; they take over from here.
        """
        self._check_whole("load")
        self._do(lib.pl_world_load_branch if branch else lib.pl_world_load, bytes(state), len(state))

    def __repr__(self) -> str:
        return f"<pliant.World at {self.time:.4g} s: {', '.join(self.bodies) or 'empty'}>"


class ParameterError(Error, KeyError):
    """There is no parameter of that path that may change while running; the sentence says why."""
    status = "PL_ERR_ARGUMENT"

    __str__ = Exception.__str__
