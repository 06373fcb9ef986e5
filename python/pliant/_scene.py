"""The editable description of what will be simulated, built by calls or read from a file."""
import ctypes
import json
import os
from typing import Any, Dict, Mapping, Optional, Sequence, Union

import numpy as np

from . import _declarations as c
from ._body import body_definition, node_indices
from ._core import ArgumentError, Context, Owner, default_context, fill, name_bytes, numbers, path_bytes
from ._lib import lib
from ._material import Material
from ._mesh import Mesh, Surface
from ._world import World

Path = Union[str, "os.PathLike[str]"]
_SIDES = ("-x", "+x", "-y", "+y", "-z", "+z")


def _mask(name: str, sides: Sequence[str]) -> int:
    """Bits of sides of a domain."""
    mask = 0
    for side in [sides] if isinstance(sides, str) else sides:
        if side not in _SIDES:
            raise ArgumentError(f"{name} = {side!r}: must be one of {', '.join(_SIDES)}")
        mask |= 1 << _SIDES.index(side)
    return mask


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r}: cannot be a value of a scene file")


def object_definition(fields: Mapping[str, Any]) -> c.pl_object_def:
    """With arrays, surfaces and parts as the library takes them."""
    values = dict(fields)
    arrays, parts, surface, body = {}, values.pop("parts", None), values.pop("surface", None), values.pop("body", None)
    if values.get("heights") is not None:
        grid = numbers("heights", values["heights"], ctypes.c_double, (None, None))
        arrays["heights"] = grid.shape
        values.update(heights=grid, rows=grid.shape[0], columns=grid.shape[1])
    if values.get("cache") is not None:
        nodes = None if surface is None else len(surface.positions)
        motion = numbers("cache", values["cache"], ctypes.c_double, (None, nodes, 3))
        arrays["cache"] = motion.shape
        values.update(cache=motion, cache_count=len(motion))
    definition = fill(lib.pl_object_def_default(), values, arrays)
    if body is not None:
        definition.body = name_bytes(body)
    if surface is not None:
        definition.surface = surface._pointer
        definition.kept.append(surface)
    if parts is not None:
        made = [object_definition(part) for part in parts]
        definition.part = (c.pl_object_def * len(made))(*made)
        definition.part_count = len(made)
        definition.kept.append(made)
    return definition


def _changes(changes: Optional[Mapping[str, Any]], keywords: Mapping[str, Any]) -> Sequence[bytes]:
    """As the library takes them: path=value."""
    merged = {**(changes or {}), **{name.replace("__", "."): value for name, value in keywords.items()}}
    return [name_bytes(f"{path}={json.dumps(value, default=_plain)}") for path, value in merged.items()]


def load(path: Path, changes: Optional[Mapping[str, Any]] = None, *, context: Optional[Context] = None, **keywords: Any) -> "Scene":
    """Read a scene file with everything it names, after changing some of its values.

    changes: values by path, {"bodies.torus.size": 0.1, "bodies.torus.material.young": 2e5}. They may be given as keywords too,
    with two underscores for a point: load(path, frames=24, bodies__torus__size=0.1).
    """
    context = context or default_context()
    texts = _changes(changes, keywords)
    array = (ctypes.c_char_p * max(len(texts), 1))(*texts)
    pointer = context._make(c.pl_scene, lib.pl_scene_load_changed, context._pointer, path_bytes(path), array, len(texts))
    return Scene.__new__(Scene)._take(context, pointer)


def parse(text: Union[str, bytes], name: str = "scene.json", *, context: Optional[Context] = None) -> "Scene":
    """The same from the text of a scene file; `name` stands for it in messages, and paths are relative to its directory."""
    context = context or default_context()
    data = text.encode() if isinstance(text, str) else bytes(text)
    pointer = context._make(c.pl_scene, lib.pl_scene_parse, context._pointer, name_bytes(name), data, len(data))
    return Scene.__new__(Scene)._take(context, pointer)


class Scene(Owner):
    """Materials, bodies and objects by name; an empty one, or what `pliant.load` read.

    Names are letters, digits, _ and -. Units are SI, angles degrees, y is up. `frames`, `fps` and `time_scale` say how long
    it is meant to run; they may be set.
    """

    def __init__(self, *, context: Optional[Context] = None):
        context = context or default_context()
        self._take(context, context._make(c.pl_scene, lib.pl_scene_create, context._pointer))

    def _take(self, context: Context, pointer: Any) -> "Scene":
        self.context = context
        self._pointer = context._own(self, pointer, lib.pl_scene_destroy)
        self._materials: Dict[str, int] = {}
        self._bodies: Dict[str, int] = {}
        self._liquids: Dict[str, int] = {}
        shot = lib.pl_scene_shot(pointer)
        self.frames: int = shot.frames
        self.fps: float = shot.fps
        self.time_scale: float = shot.time_scale
        return self

    @property
    def frame_time(self) -> float:
        """Simulated time of one frame [s]."""
        return self.time_scale / self.fps

    def gravity(self, x: float = 0, y: float = -9.81, z: float = 0) -> None:
        """Set gravity [m/s^2]."""
        self.context._do(lib.pl_scene_set_gravity, self._pointer, (ctypes.c_double * 3)(x, y, z))

    def air(self, wind: Sequence[float] = (0, 0, 0), **fields: Any) -> None:
        """Set the air around bodies that have drag or hold gas. wind: [m/s]; density: 1.2 [kg/m^3]; pressure: 101325 [Pa]."""
        self.context._do(lib.pl_scene_set_air, self._pointer, fill(lib.pl_air_def_default(), {"wind": wind, **fields}))

    def solver(self, **fields: Any) -> None:
        """Choose how time steps are made; what is not named gets its default.

        integrator       semi_implicit or implicit_euler
        velocity_update  midpoint or trapezoid; of semi_implicit
        object_contact   exact or projected
        substep          longest time step [s]; 0: chosen from the stiffness of the current state, or 1/60 s of implicit_euler
        safety           fraction of the stability limit that an automatic step takes, in (0, 1]; 0.9
        tolerance        of a solve, in [1e-14, 0.1]; 1e-4
        iterations       most iterations of one solve; 200
        newton           of implicit_euler: most iterations of Newton's method; 0: by the laws of the bodies
        newton_tolerance of implicit_euler: the part of the imbalance that it may leave; 0.01
        mass_damping     of implicit_euler: the rate at which all motion slows down [1/s]; 0
        volume_recovery  shortest time in which incompressible bodies regain their volume [s]; 1/120; 0: in one step
        """
        self.context._do(lib.pl_scene_set_solver, self._pointer, fill(lib.pl_solver_def_default(), fields))

    def material(self, name: str, material: Optional[Material] = None, **fields: Any) -> str:
        """Add a material, given as such or by the keywords of pliant.Material. Returns its name."""
        if material is not None and fields:
            raise TypeError("give either a Material or keywords")
        definition = (material or Material(**fields))._definition
        identity = c.pl_material_id()
        self.context._do(lib.pl_scene_add_material, self._pointer, name_bytes(name), definition, identity)
        self._materials[name] = identity.index
        return name

    def body(self, name: str, mesh: Mesh, material: Optional[str] = None, *, surface: Optional[Surface] = None, pins: Any = None,
             **fields: Any) -> str:
        """Add a body. Returns its name.

        mesh              its rest shape
        material          the name of a material that `material` made
        surface           a detailed surface in the same coordinates, carried by the mesh
        pins              nodes that are held where they are put: numbers, or a mask of booleans
        at, rotate        where the origin of the mesh is put [m], turned about x, then y, then z [degrees]
        velocity, spin    [m/s], [degrees/s]
        strength          factor on all its forces, in [0, 1e6]; 1
        region_materials  names of materials, one per region of the mesh; element_materials: one per element
        young_factors, density_factors, damping_factors   one per element, on what its material says
        start_positions   n x 3, the shape at the start, in the coordinates of the mesh
        kind              solid, shell or planar; shells and planar bodies have meshes of triangles and a thickness [m]
        membrane          of shells: continuum, woven (along warp) or springs; bending: curvature, hinges or none; bending_factor
        plane             of planar bodies: strain or stress
        normals           of shells on a known surface: elements x 3; triangles that face the other way turn back
        fibers            elements x 3, directions of the fibres of a solid
        goal_positions    n x 3, the shape that plastic flow is steered to
        drag              how air resists, as a factor on a plate
        pressure          inside a closed surface [Pa]; gas: 1, it follows Boyle's law
        cuttable          1: World.cut can cut it; bodies of a material with fracture_stress break, and can be cut in any case
        volume            of incompressible material: the volume that it keeps over that at rest
        toughness         factor on the fracture stress; smallest_piece: elements of a piece, at least; most_torn, fracture_seed
        triangular_rest   1: keep rest shapes as triangular matrices
        """
        definition = body_definition(self._materials, mesh, material, pins, surface, fields)
        identity = c.pl_body_id()
        self.context._do(lib.pl_scene_add_body, self._pointer, name_bytes(name), definition, identity)
        self._bodies[name] = identity.index
        return name

    def pin(self, body: str, nodes: Any, *, cache: Any = None, pivot: Optional[Sequence[float]] = None, **fields: Any) -> str:
        """Hold nodes of a body that `body` made, firmly or by springs, and take them along. Returns the path of the group,
        for `keys`: pins + ".move".

        nodes        numbers, or a mask of booleans
        strength     in [0, 1]: 1 held exactly, 0 free, between a critically damped spring; 1
        soft         response time of the spring at strength 1/2 [s]; 0.05
        move         [m], from where the nodes start; rotate: before that, about `pivot` [degrees]
        pivot        [m], in world coordinates; None: the middle of the nodes
        cache        samples x nodes x 3 targets in world coordinates instead; cache_start [s], cache_rate [1/s]
        """
        if body not in self._bodies:
            raise ArgumentError(f"body = {body!r}: there are {', '.join(self._bodies) or 'none'} (of those that Scene.body made)")
        held = node_indices(nodes)
        arrays = {"nodes": (None,), "cache": (None, len(held), 3)}
        if pivot is not None:
            fields.update(pivot=pivot, pivot_at_center=0)
        if cache is not None:
            fields.update(cache=cache, cache_count=len(cache))
        definition = fill(lib.pl_pin_def_default(), {**fields, "nodes": held, "count": len(held)}, arrays)
        index = ctypes.c_int32()
        self.context._do(lib.pl_scene_add_pin, self._pointer, c.pl_body_id(self._bodies[body]), definition, index)
        return f"bodies.{body}.pins.{index.value}"

    def _object(self, name: str, fields: Dict[str, Any]) -> str:
        definition = object_definition(fields)
        self.context._do(lib.pl_scene_add_object, self._pointer, name_bytes(name), definition, None)
        return name

    def floor(self, height: float = 0, friction: float = 0.3, name: str = "floor") -> str:
        """Add a horizontal plane that bodies lie on. Returns its name."""
        return self._object(name, {"kind": "plane", "at": (0, height, 0), "friction": friction})

    def friction(self, body: str, other: str, friction: float) -> None:
        """Set the coefficient of friction of a body with an object, a body or itself, all by name and in the scene already.

        While a world runs it is the parameter bodies.BODY.friction_with.OTHER.
        """
        self.context._do(lib.pl_scene_set_friction, self._pointer, name_bytes(body), name_bytes(other), friction)

    def plane(self, name: str, **fields: Any) -> str:
        """Add the half-space below a plane. Returns its name.

        at        a point of the plane [m]; normal: points out of the object, of any length
        velocity  [m/s]; rotate: turned about x, then y, then z [degrees]; spin [degrees/s]
        friction  coefficient; 0.3
        """
        return self._object(name, {**fields, "kind": "plane"})

    def sphere(self, name: str, **fields: Any) -> str:
        """Add a ball that does not bend. Returns its name. at [m], radius [m]; the rest as for `plane`."""
        return self._object(name, {**fields, "kind": "sphere"})

    def object(self, name: str, kind: str, **fields: Any) -> str:
        """Add something that bodies bump into and that does not notice. Returns its name.

        kind            plane, sphere, wedge, box, ellipsoid, capsule, cylinder, cone, torus, gear, stairs, height_field, surface,
                        union, difference, actor or body (docs/objects.md shows them), each with the sizes it needs [m]:
        radius, height, top_radius, tube   of what is round, along y; extent, rounding: of a box, ellipsoid or height field
        angle           of a wedge [degrees]; normal: of a plane
        teeth, module, thickness, bore, pressure_angle   of a gear, around z
        steps, rise, run, width   of stairs, up along x
        heights         of a height field: rows x columns
        surface         a closed Surface; lookup: auto, exact or grid; cell: of the grid
        cache           of an actor: samples x nodes of its surface x 3, where they are [m]; cache_start [s], cache_rate [1/s]
        body            the name of a body that the others bump into, one way, now or later in the scene
        depth           of an actor or body whose surface is open: so much behind it is inside [m]
        contact         distance or surface: bodies collide with its triangles; collision_thickness [m]
        parts           of a union, or of a difference (the first without the others): dicts of these fields with `kind`
        at, velocity, rotate, spin, friction   as for `plane`
        """
        return self._object(name, {**fields, "kind": kind})

    def heat(self, name: str, **fields: Any) -> str:
        """Add a source of heat, which warms bodies of materials that melt. Returns its name. at [m], radius [m], power [K/s]."""
        self.context._do(lib.pl_scene_add_heat, self._pointer, name_bytes(name), fill(lib.pl_heat_def_default(), fields))
        return name

    def setting(self, body: str, liquid: str, *, size: float, start: float = 1e9) -> str:
        """Let the liquid become a body at `start` [s], or by World.set_liquid: all of it but its drops, cut into elements of about `size` [m]. The body must have been
        added; its mesh is not used. Returns its name."""
        self.context._do(lib.pl_scene_add_setting, self._pointer, name_bytes(body), name_bytes(liquid), start, size)
        return body

    def vortices(self, name: str, on: Optional[str] = None, **fields: Any) -> str:
        """Add a ball in which vortex particles are born, which stir the liquid. Returns its name.

        on         an object that it moves and turns with, or None
        at, radius its middle, in the frame of that, and size [m]
        rate       particles per second; vorticity of each [1/s]; strength: how fast the liquid follows [1/s]; life [s]
        power      most that they give to the liquid [W]; 0: as much as their swirl has, every 1 / strength
        start, end when the first and the last are born [s]
        """
        self.context._do(lib.pl_scene_add_vortices, self._pointer, name_bytes(name),
                         None if on is None else name_bytes(on), fill(lib.pl_vortices_def_default(), fields))
        return name

    def domain(self, lower: Sequence[float], upper: Sequence[float], size: float, *, open: Sequence[str] = (), grow: Sequence[str] = (),
               **fields: Any) -> None:
        """Set the box that liquids may fill, and its cubic cells.

        lower, upper  corners [m]; `upper` is rounded to whole cells
        size          edge of a cell [m]; half of it is 8 times the cells
        depth         cells are cubes only so deep below the surface [m]; 0: everywhere
        open          sides that liquid may leave through: "-x", "+x", "-y", "+y", "-z", "+z"; the others are walls
        grow          sides that move away when liquid comes near them, until the box has most_cells, 1e9
        level         height of water beyond the open sides along x and z, which stays there [m]; without it there is air
        velocity      of that water [m/s]; sponge: how far from these sides waves die out [m]
        cfl           cells that the fastest liquid may cross in a step, in (0, 8]; 3
        confinement   strength of vorticity confinement, in [0, 1]; 0
        tolerance     relative change of volume that a step may leave in a cell; 1e-4
        particles     markers per cell near the surface; 0: 32, or 16 in a box one cell thick; seed: of their places
        """
        values = {**fields, "lower": lower, "upper": upper, "size": size, "open": _mask("open", open), "grow": _mask("grow", grow),
                  "held": int("level" in fields)}
        self.context._do(lib.pl_scene_set_domain, self._pointer, fill(lib.pl_domain_def_default(), values))

    def liquid(self, name: str, shape: Optional[Mapping[str, Any]] = None, **fields: Any) -> str:
        """Add a liquid, in the domain. Returns its name.

        shape      where it is at the start: a dict of the fields of `object`, such as {"kind": "box", "extent": (1, 1, 1)}
        level      instead: everything in the domain below this height [m] that is not inside an object
        at, rotate where the origin of the shape is [m], turned about x, then y, then z [degrees]
        velocity   at the start, or of what a source brings [m/s]
        body       instead: a body that becomes it at `start`, when so much of it has `melted`, or by Body.melt
        kind       start; source: its shape is kept full; drain: its shape is kept empty; body: goes without saying
        rate       what a source or drain brings or takes [m^3/s]; 0: as much as there is room for; start, end: when [s]
        density    1000 [kg/m^3]; viscosity: 0 [Pa s]; elasticity, yield, flow, hardening: what has other numbers, or keys of
                   them, is another liquid, and where two are in one place at the start the later one is there
        melting    temperature at which it is molten [K]; 0: it has none; temperature: at the start; melt_viscosity, melt_elasticity: factors where
                   it is molten; diffusivity [m^2/s]; cooling [s]
        of         name of a liquid of which this is more, whose numbers hold
        wall       no_slip or slip, of viscous ones; volume: free, or hold: its drift is given back; the same for all, as below
        tension    of the surface of a scene with one liquid [N/m]; 0
        foam       amount of bubbles and foam, which have no volume; 0: none; foam_life: how long it lasts, about; 4 [s]
        """
        of = fields.pop("of", None)
        if of is not None and of not in self._liquids:
            raise ArgumentError(f'liquids.{name}.of: there is no liquid "{of}"')
        body = fields.pop("body", None)
        if body is not None:
            fields["kind"] = "body"
        definition = fill(lib.pl_liquid_def_default(), fields)
        if body is not None:
            definition.body = name_bytes(body)
        definition.of = 0 if of is None else self._liquids[of]
        if (shape is not None) + ("level" in fields) + (body is not None) != 1:
            raise ArgumentError("a liquid has a shape, a level or a body: give one of them")
        if shape is not None:
            region = object_definition(shape)
            definition.shape = ctypes.pointer(region)
            definition.kept.append(region)
        added = c.pl_liquid_id()
        self.context._do(lib.pl_scene_add_liquid, self._pointer, name_bytes(name), definition, added)
        self._liquids[name] = added.index
        return name

    def keys(self, path: str, times: Any, values: Any, ease: str = "linear") -> None:
        """Let a number or vector follow time in place of its constant.

        path    gravity; wind; materials.NAME.young, .poisson, .damping, .activation; bodies.NAME.strength, .pressure, .toughness, .volume;
                bodies.NAME.pins.K.strength, .move, .rotate; objects.NAME.at, .rotate, .spin, .friction; heat.NAME.at, .power
        times   [s], increasing; values: one number or one vector per time; ease: linear, smooth or step
        """
        t = numbers("times", times, ctypes.c_double, (None,))
        v = np.asarray(values, float)
        v = numbers("values", v[:, None] if v.ndim == 1 else v, ctypes.c_double, (len(t), None))
        arrays = {"times": t.shape, "values": v.shape}
        fields = {"times": t, "values": v, "count": len(t), "components": v.shape[1], "ease": ease}
        definition = fill(lib.pl_keys_def_default(), fields, arrays)
        self.context._do(lib.pl_scene_set_keys, self._pointer, name_bytes(path), definition)

    def world(self) -> World:
        """Compile the scene into a world that can be stepped. Later changes of the scene do not reach it."""
        return World(self)

    def __repr__(self) -> str:
        return f"<pliant.Scene: {self.frames} frames at {self.fps:g} per second>"
