"""Definitions of bodies, for scenes and for worlds that run."""
import ctypes
from typing import Any, Dict, Mapping, Optional, Sequence

import numpy as np

from . import _declarations as c
from ._core import ArgumentError, fill, numbers
from ._lib import lib
from ._mesh import Mesh, Surface


def node_indices(nodes: Any) -> np.ndarray:
    """Node numbers, given as such or as a mask of booleans."""
    array = np.asarray(nodes)
    return np.flatnonzero(array).astype(np.int32) if array.dtype == bool else numbers("nodes", array, ctypes.c_int32, (None,))


def body_definition(materials: Mapping[str, int], mesh: Mesh, material: Any, pins: Any, surface: Optional[Surface],
                    fields: Dict[str, Any]) -> c.pl_body_def:
    """A pl_body_def that keeps what it points to."""
    def identity(name: str) -> c.pl_material_id:
        if name not in materials:
            there = ", ".join(materials) or "none"
            raise ArgumentError(f"material = {name!r}: there are {there} (of those that Scene.material made)")
        return c.pl_material_id(materials[name])

    def identities(what: str, names: Sequence[str], count: int) -> Any:
        if len(names) != count:
            raise ArgumentError(f"{what}: has {len(names)} names; must have {count}")
        return (c.pl_material_id * max(count, 1))(*map(identity, names))
    nodes, elements = len(mesh.positions), len(mesh.elements)
    arrays = {"young_factors": (elements,), "density_factors": (elements,), "damping_factors": (elements,), "start_positions": (nodes, 3),
              "normals": (elements, 3), "fibers": (elements, 3), "goal_positions": (nodes, 3), "pins": (None,)}
    for what, count in (("region_materials", len(mesh.regions)), ("element_materials", elements)):
        if fields.get(what) is not None:
            fields[what] = identities(what, fields[what], count)
    held = node_indices(pins) if pins is not None and len(pins) else None
    definition = fill(lib.pl_body_def_default(), {**fields, "pins": held, "pin_count": 0 if held is None else len(held)}, arrays)
    definition.mesh = mesh._pointer
    definition.surface = surface._pointer if surface else None
    if material is not None:
        definition.material = identity(material)
    definition.kept += [mesh, surface]
    return definition
