"""Animations for other programs."""
import ctypes
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _declarations as c
from ._core import Context, Error, default_context, name_bytes, numbers, path_bytes, pointer_to
from ._lib import lib, words
from ._world import World

Path = Union[str, "os.PathLike[str]"]


class FrameBody(NamedTuple):
    """A body at one time, as copies: its surface, and its elements in the order of the mesh. A liquid has a surface only, and its drops
    are points with radii."""
    vertices: np.ndarray
    velocities: np.ndarray
    normals: Optional[np.ndarray]
    triangles: np.ndarray
    nodes: np.ndarray
    node_velocities: np.ndarray
    rest: np.ndarray
    elements: np.ndarray
    fields: Dict[str, np.ndarray]
    radii: Optional[np.ndarray] = None


class Frame(NamedTuple):
    """All bodies and liquids of a world at one time."""
    number: int
    time: float
    bodies: Dict[str, FrameBody]


def capture(world: World, number: int, fields: Sequence[str] = ()) -> Frame:
    """Copy what an export needs of a world as it is now. fields: names as for Body.field, for vtu and npy."""
    bodies = {}
    for name, body in world.bodies.items():
        vertices, normals, triangles = body.surface()
        bodies[name] = FrameBody(vertices, body.surface_velocities(), normals, triangles.copy(),
                                 body.nodes(), body.node_velocities(), body.rest, body.elements.copy(),
                                 {field: body.field(field) for field in fields})
    none, no_elements = np.empty((0, 3)), np.empty((0, 4), np.int32)
    for d in world.drawables():
        if d.stepper != "bodies":
            bodies[d.name] = FrameBody(d.vertices, d.velocities, d.normals if d.radii is None else None, d.triangles,
                                       none, none, none, no_elements, {}, d.radii)
    return Frame(number, world.time, bodies)


def _kind_of(elements: np.ndarray) -> int:
    """The kind of elements with so many corners."""
    return {lib.pl_element_corners(kind): kind for kind in range(len(words("pl_element_kind")))}[np.shape(elements)[1]]


_Reader = dict(c.pl_frame_source._fields_)["read"]


class _Source:
    """Frames as the library asks for them, one at a time; what it was given last stays until the next."""

    def __init__(self, frames: Sequence[Frame]):
        self.frames = frames
        self.failure: List[BaseException] = []
        self.kept: List[Any] = []

    def read(self, user: Any, index: int, out: Any) -> int:
        try:
            self.kept = []
            self.frame = self.frame_of(self.frames[index])
            out[0] = ctypes.pointer(self.frame)
            return 0
        except BaseException as error:  # it cannot pass through C
            self.failure.append(error)
            return c.ENUMS["pl_status"].index("PL_ERR_STATE")

    def array(self, what: str, values: Any, kind: Any, shape: Any) -> Any:
        array = numbers(what, values, kind, shape)
        self.kept.append(array)
        return pointer_to(array)

    def frame_of(self, frame: Frame) -> c.pl_frame:
        bodies = (c.pl_frame_body * max(len(frame.bodies), 1))(*(self.body_of(name, body) for name, body in frame.bodies.items()))
        self.kept.append(bodies)
        return c.pl_frame(frame.number, frame.time, len(frame.bodies), bodies)

    def body_of(self, name: str, body: FrameBody) -> c.pl_frame_body:
        vertices, nodes = len(body.vertices), len(body.nodes)
        out = c.pl_frame_body(name=name_bytes(name), vertex_count=vertices, triangle_count=len(body.triangles), node_count=nodes,
                              cell_kind=_kind_of(body.elements), cell_count=len(body.elements), field_count=len(body.fields))
        real, whole = ctypes.c_double, ctypes.c_int32
        out.vertices = self.array("vertices", body.vertices, real, (vertices, 3))
        out.vertex_velocities = self.array("velocities", body.velocities, real, (vertices, 3))
        if body.normals is not None:
            out.normals = self.array("normals", body.normals, real, (vertices, 3))
        if body.radii is not None:
            out.radii = self.array("radii", body.radii, real, (vertices,))
        out.triangles = self.array("triangles", body.triangles, whole, (None, 3))
        out.nodes = self.array("nodes", body.nodes, real, (nodes, 3))
        out.node_velocities = self.array("node_velocities", body.node_velocities, real, (nodes, 3))
        out.rest_nodes = self.array("rest", body.rest, real, (nodes, 3))
        out.cells = self.array("elements", body.elements, whole, (None, None))
        fields = [self.field_of(name, values, len(body.elements)) for name, values in body.fields.items()]
        out.fields = (c.pl_frame_field * max(len(fields), 1))(*fields)
        out.color[:] = (0.5, 0.5, 0.5)
        self.kept.append(out)
        return out

    def field_of(self, name: str, values: np.ndarray, elements: int) -> c.pl_frame_field:
        flat = np.asarray(values).reshape(elements, -1)
        return c.pl_frame_field(name_bytes(name), flat.shape[1], 1, self.array(name, flat, ctypes.c_double, flat.shape))


def export(directory: Path, frames: Sequence[Frame], format: str = "vtu", fps: float = 24, time_scale: float = 1, *,
           context: Optional[Context] = None) -> None:
    """Write frames that `capture` made into a directory, for other programs (docs/formats.md).

    format: ply, vtu (ParaView), pc2 (Blender), usd, glb, npy or obj. `frames` may be anything with a length and items, so that
    a long animation need not be in memory. `time_scale` is how many seconds are simulated per second of the movie: velocities in usd
    are per second of the movie.
    """
    context = context or default_context()
    chosen = ctypes.c_int()
    context._do(lib.pl_export_format_find, context._pointer, name_bytes(format), chosen)
    source = _Source(frames)
    definition = c.pl_frame_source(len(frames), fps, _Reader(source.read), None, time_scale)
    try:
        context._do(lib.pl_export, context._pointer, chosen.value, path_bytes(directory), definition)
    except Error:
        if source.failure:
            raise source.failure[0] from None
        raise
