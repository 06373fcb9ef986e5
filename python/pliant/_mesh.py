"""Meshes of tetrahedra, hexahedra or triangles, and triangle surfaces."""
import ctypes
import os
from typing import Any, Callable, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from . import _declarations as c
from ._core import (Context, Error, Owner, default_context, fill, index_of, name_bytes, numbers, path_bytes, pointer_to, view,
                    words)
from ._lib import lib

Path = Union[str, "os.PathLike[str]"]


def _attributes(owner: Any, pointer: Any, prefix: str, points: int) -> Dict[str, np.ndarray]:
    """Numbers per point that came with a file, by name."""
    ask = {part: getattr(lib, f"{prefix}_attribute_{part}") for part in ("count", "name", "components", "values")}
    found = {}
    for i in range(ask["count"](pointer)):
        components = ask["components"](pointer, i)
        found[ask["name"](pointer, i).decode()] = view(owner, ask["values"](pointer, i), points, components)
    return found


class Surface(Owner):
    """Triangles, in the order of their source; immutable. Need not be closed.

    positions: n x 3 [m]; triangles: m x 3 indices.
    """

    def __init__(self, positions: Any, triangles: Any, *, context: Optional[Context] = None):
        x = numbers("positions", positions, ctypes.c_double, (None, 3))
        t = numbers("triangles", triangles, ctypes.c_int32, (None, 3))
        context = context or default_context()
        self._take(context, context._make(c.pl_surface, lib.pl_surface_create, context._pointer, pointer_to(x), len(x),
                                          pointer_to(t), len(t)))

    def _take(self, context: Context, pointer: Any) -> "Surface":
        self.context = context
        self._pointer = context._own(self, pointer, lib.pl_surface_destroy)
        return self

    @classmethod
    def load(cls, path: Path, *, context: Optional[Context] = None) -> "Surface":
        """Read a file: .obj, .ply, .stl, or the boundary of a mesh file."""
        context = context or default_context()
        pointer = context._make(c.pl_surface, lib.pl_surface_load, context._pointer, path_bytes(path))
        return cls.__new__(cls)._take(context, pointer)

    @classmethod
    def parse(cls, data: bytes, name: str, *, context: Optional[Context] = None) -> "Surface":
        """Read the bytes of a file; the extension of `name` says which format it has."""
        context = context or default_context()
        pointer = context._make(c.pl_surface, lib.pl_surface_parse, context._pointer, 0, name_bytes(name), bytes(data), len(data))
        return cls.__new__(cls)._take(context, pointer)

    def save(self, path: Path) -> None:
        """Write an .obj; reading it back gives the same bits."""
        self.context._do(lib.pl_surface_save, self._pointer, path_bytes(path))

    @property
    def positions(self) -> np.ndarray:
        """n x 3 [m], without copying."""
        return view(self, lib.pl_surface_positions(self._pointer), lib.pl_surface_node_count(self._pointer), 3)

    @property
    def triangles(self) -> np.ndarray:
        """m x 3 indices, without copying."""
        return view(self, lib.pl_surface_triangles(self._pointer), lib.pl_surface_triangle_count(self._pointer), 3)

    @property
    def uvs(self) -> np.ndarray:
        """Texture coordinates that came with the file, k x 2; empty without."""
        return view(self, lib.pl_surface_uvs(self._pointer), lib.pl_surface_uv_count(self._pointer), 2)

    @property
    def triangle_uvs(self) -> Optional[np.ndarray]:
        """Three indices of uvs per triangle (-1: none), or None."""
        indices = lib.pl_surface_triangle_uvs(self._pointer)
        return view(self, indices, len(self.triangles), 3) if indices else None

    @property
    def groups(self) -> Tuple[str, ...]:
        """Names of the groups of triangles in the file."""
        count = lib.pl_surface_group_count(self._pointer)
        return tuple(lib.pl_surface_group_name(self._pointer, i).decode() for i in range(count))

    @property
    def triangle_groups(self) -> Optional[np.ndarray]:
        """The group of each triangle (-1: none), or None."""
        indices = lib.pl_surface_triangle_groups(self._pointer)
        return view(self, indices, len(self.triangles)) if indices else None

    @property
    def attributes(self) -> Dict[str, np.ndarray]:
        """Numbers per vertex that came with the file, by name."""
        return _attributes(self, self._pointer, "pl_surface", len(self.positions))

    def __repr__(self) -> str:
        return f"<pliant.Surface: {len(self.positions)} vertices, {len(self.triangles)} triangles>"


class Mesh(Owner):
    """Elements in their rest shape, in the order of their source; immutable.

    positions: n x 3 [m]; elements: m x 4 indices, or 8 with kind="hex" and 3 with kind="triangle". Elements that are inside
    out are turned around, with a note in the log; degenerate ones are refused by number. Shapes, files and closed surfaces: box, sphere, torus, cylinder, load,
    from_surface, from_function.
    """

    def __init__(self, positions: Any, elements: Any, *, kind: str = "tet", context: Optional[Context] = None):
        number = index_of("kind", "pl_element_kind", kind)
        x = numbers("positions", positions, ctypes.c_double, (None, 3))
        e = numbers("elements", elements, ctypes.c_int32, (None, lib.pl_element_corners(number)))
        context = context or default_context()
        self._take(context, context._make(c.pl_mesh, lib.pl_mesh_create_elements, context._pointer, number, pointer_to(x), len(x),
                                          pointer_to(e), len(e)))

    def _take(self, context: Context, pointer: Any) -> "Mesh":
        self.context = context
        self._pointer = context._own(self, pointer, lib.pl_mesh_destroy)
        return self

    @classmethod
    def _shape(cls, context: Optional[Context], **fields: Any) -> "Mesh":
        context = context or default_context()
        definition = fill(lib.pl_shape_def_default(), fields)
        return cls.__new__(cls)._take(context, context._make(c.pl_mesh, lib.pl_mesh_create_shape, context._pointer, definition))

    @classmethod
    def box(cls, extent: Sequence[float] = (1, 1, 1), edge: float = 0.1, *, elements: str = "tet", cut: str = "bcc", jitter: float = 0,
            seed: int = 0, context: Optional[Context] = None) -> "Mesh":
        """A box around the origin. extent: lengths along x, y, z [m]; edge: of the elements [m]; elements: tet, hex or triangle (its
        surface); cut: of tetrahedra: five, six or bcc; jitter: moves inner nodes by up to this fraction of the edge, in [0, 0.3]."""
        return cls._shape(context, kind="box", extent=extent, edge=edge, elements=elements, cut=cut, jitter=jitter, seed=seed)

    @classmethod
    def sphere(cls, radius: float = 0.5, edge: float = 0.1, *, elements: str = "tet", jitter: float = 0, seed: int = 0,
               context: Optional[Context] = None) -> "Mesh":
        """A ball around the origin."""
        return cls._shape(context, kind="sphere", radius=radius, edge=edge, elements=elements, jitter=jitter, seed=seed)

    @classmethod
    def torus(cls, radius: float = 0.5, tube: float = 0.2, edge: float = 0.1, *, elements: str = "tet", jitter: float = 0,
              seed: int = 0, context: Optional[Context] = None) -> "Mesh":
        """A torus around the y axis. radius: to the middle of the tube [m]; tube: its radius [m]."""
        return cls._shape(context, kind="torus", radius=radius, tube=tube, edge=edge, elements=elements, jitter=jitter, seed=seed)

    @classmethod
    def cylinder(cls, radius: float = 0.5, height: float = 1, edge: float = 0.1, *, elements: str = "tet", jitter: float = 0,
                 seed: int = 0, context: Optional[Context] = None) -> "Mesh":
        """A cylinder along the y axis, around the origin."""
        return cls._shape(context, kind="cylinder", radius=radius, extent=(1, height, 1), edge=edge, elements=elements, jitter=jitter, seed=seed)

    @classmethod
    def sheet(cls, extent: Sequence[float] = (1, 1), edge: float = 0.1, *, pattern: str = "alternating", jitter: float = 0,
              seed: int = 0, context: Optional[Context] = None) -> "Mesh":
        """Triangles in the plane y = 0, facing up. extent: along x and z [m]; pattern: alternating, diagonal or irregular."""
        return cls._shape(context, kind="sheet", extent=(extent[0], 1, extent[1]), edge=edge, elements="triangle", pattern=pattern,
                          jitter=jitter, seed=seed)

    @classmethod
    def rectangle(cls, extent: Sequence[float] = (1, 1), edge: float = 0.1, *, pattern: str = "alternating", jitter: float = 0,
                  seed: int = 0, context: Optional[Context] = None) -> "Mesh":
        """Triangles in the plane z = 0, a planar body. extent: along x and y [m]; pattern: alternating, diagonal or irregular."""
        return cls._shape(context, kind="rectangle", extent=(extent[0], extent[1], 1), edge=edge, elements="triangle",
                          pattern=pattern, jitter=jitter, seed=seed)

    @classmethod
    def disk(cls, radius: float = 0.5, edge: float = 0.1, *, pattern: str = "alternating", jitter: float = 0, seed: int = 0,
             context: Optional[Context] = None) -> "Mesh":
        """A disk of triangles in the plane y = 0, facing up. pattern: irregular, or anything else for rings."""
        return cls._shape(context, kind="disk", radius=radius, edge=edge, elements="triangle", pattern=pattern, jitter=jitter, seed=seed)

    @classmethod
    def tube(cls, radius: float = 0.5, height: float = 1, edge: float = 0.1, *, context: Optional[Context] = None) -> "Mesh":
        """Triangles around the y axis: a cylinder without its ends."""
        return cls._shape(context, kind="tube", radius=radius, extent=(1, height, 1), edge=edge, elements="triangle")

    @classmethod
    def half_torus(cls, radius: float = 0.5, tube: float = 0.2, edge: float = 0.1, *, context: Optional[Context] = None) -> "Mesh":
        """An arch of triangles: the half y >= 0 of a torus around the z axis, open where it stands."""
        return cls._shape(context, kind="half_torus", radius=radius, tube=tube, edge=edge, elements="triangle")

    @classmethod
    def load(cls, path: Path, *, context: Optional[Context] = None) -> "Mesh":
        """Read a file: .msh, .node/.ele, .mesh, .veg, .vtk, .vtu."""
        context = context or default_context()
        pointer = context._make(c.pl_mesh, lib.pl_mesh_load, context._pointer, path_bytes(path))
        return cls.__new__(cls)._take(context, pointer)

    @classmethod
    def parse(cls, data: bytes, name: str, *, context: Optional[Context] = None) -> "Mesh":
        """Read the bytes of a file; the extension of `name` says which format it has."""
        context = context or default_context()
        pointer = context._make(c.pl_mesh, lib.pl_mesh_parse, context._pointer, 0, name_bytes(name), bytes(data), len(data))
        return cls.__new__(cls)._take(context, pointer)

    @classmethod
    def from_surface(cls, surface: Union[Surface, Path], size: float, *, mode: str = "fitted", elements: str = "tet",
                     context: Optional[Context] = None) -> "Mesh":
        """Fill a closed surface with tetrahedra or (elements="hex") cells of a grid. size: of the lattice [m]; mode: "fitted" (the
        boundary lies on the surface), "covering" (the mesh contains the surface, to carry it as `surface` of a body)
        or "snug" (the same, drawn in towards it)."""
        if not isinstance(surface, Surface):
            surface = Surface.load(surface, context=context)
        context = context or surface.context
        definition = fill(lib.pl_stuffing_def_default(), {"mode": mode, "size": size, "elements": elements})
        pointer = context._make(c.pl_mesh, lib.pl_mesh_create_from_surface, context._pointer, definition, surface._pointer)
        return cls.__new__(cls)._take(context, pointer)

    @classmethod
    def from_triangles(cls, surface: Union[Surface, Path], *, context: Optional[Context] = None) -> "Mesh":
        """The triangles of a surface as the elements of a shell; its groups become regions."""
        if not isinstance(surface, Surface):
            surface = Surface.load(surface, context=context)
        context = context or surface.context
        pointer = context._make(c.pl_mesh, lib.pl_mesh_create_from_triangles, context._pointer, surface._pointer)
        return cls.__new__(cls)._take(context, pointer)

    @classmethod
    def from_function(cls, inside: Callable[[np.ndarray], float], lower: Sequence[float], upper: Sequence[float], size: float, *,
                      mode: str = "fitted", elements: str = "tet", context: Optional[Context] = None) -> "Mesh":
        """Fill the solid where `inside(point)` is negative, within the box [lower, upper]. `point` is an array of three."""
        context = context or default_context()
        definition = fill(lib.pl_stuffing_def_default(), {"mode": mode, "size": size, "elements": elements})
        corners = [numbers(name, corner, ctypes.c_double, (3,)) for name, corner in (("lower", lower), ("upper", upper))]
        failure = []

        def call(user, point):
            try:
                return 1.0 if failure else float(inside(np.array(point[:3])))
            except BaseException as error:  # it cannot pass through C
                failure.append(error)
                return 1.0
        try:
            pointer = context._make(c.pl_mesh, lib.pl_mesh_create_from_implicit, context._pointer, definition,
                                   *map(pointer_to, corners), c.pl_implicit_function(call), None)
        except Error:
            if failure:
                raise failure[0] from None
            raise
        mesh = cls.__new__(cls)._take(context, pointer)
        if failure:
            raise failure[0]
        return mesh

    def save(self, path: Path, format: str = "by_name") -> None:
        """Write a file, by its extension: .msh (4.1, text), .node/.ele, or the boundary as .obj. format: one of msh22_text,
        msh22_binary, msh41_text, msh41_binary, tetgen, obj."""
        self.context._do(lib.pl_mesh_save, self._pointer, path_bytes(path), index_of("format", "pl_file_format", format))

    @property
    def positions(self) -> np.ndarray:
        """n x 3 [m], without copying."""
        return view(self, lib.pl_mesh_positions(self._pointer), lib.pl_mesh_node_count(self._pointer), 3)

    @property
    def tets(self) -> np.ndarray:
        """m x 4 indices, without copying; empty for meshes of another kind."""
        return view(self, lib.pl_mesh_tets(self._pointer), lib.pl_mesh_tet_count(self._pointer), 4)

    @property
    def kind(self) -> str:
        """What it is made of: "tet", "hex" or "triangle"."""
        return words("pl_element_kind")[lib.pl_mesh_kind(self._pointer)]

    @property
    def elements(self) -> np.ndarray:
        """m x 4, 8 or 3 indices, without copying."""
        corners = lib.pl_element_corners(lib.pl_mesh_kind(self._pointer))
        return view(self, lib.pl_mesh_elements(self._pointer), lib.pl_mesh_element_count(self._pointer), corners)

    @property
    def triangles(self) -> np.ndarray:
        """The boundary, k x 3 indices facing outwards, without copying."""
        return view(self, lib.pl_mesh_triangles(self._pointer), lib.pl_mesh_triangle_count(self._pointer), 3)

    @property
    def regions(self) -> Tuple[str, ...]:
        """Names of the regions (material groups of a file)."""
        count = lib.pl_mesh_region_count(self._pointer)
        return tuple(lib.pl_mesh_region_name(self._pointer, i).decode() for i in range(count))

    @property
    def element_regions(self) -> np.ndarray:
        """The region of each element."""
        return view(self, lib.pl_mesh_element_regions(self._pointer), lib.pl_mesh_element_count(self._pointer))

    @property
    def attributes(self) -> Dict[str, np.ndarray]:
        """Numbers per node that came with the file, by name."""
        return _attributes(self, self._pointer, "pl_mesh", len(self.positions))

    @property
    def volume(self) -> float:
        """[m^3]"""
        return lib.pl_mesh_volume(self._pointer)

    @property
    def area(self) -> float:
        """Of the boundary, or of a mesh of triangles [m^2]."""
        return lib.pl_mesh_area(self._pointer)

    @property
    def dihedral_range(self) -> Tuple[float, float]:
        """Smallest and largest angle between faces, or in triangles [degrees]."""
        smallest, largest = ctypes.c_double(), ctypes.c_double()
        lib.pl_mesh_dihedral_range(self._pointer, smallest, largest)
        return smallest.value, largest.value

    def __repr__(self) -> str:
        many = {"tet": "tetrahedra", "hex": "hexahedra", "triangle": "triangles"}[self.kind]
        return f"<pliant.Mesh: {len(self.positions)} nodes, {len(self.elements)} {many}, {self.volume:.4g} m^3>"
