"""What bodies are made of."""
import ctypes
from typing import Any, Optional, Tuple

import numpy as np

from ._core import Context, default_context, fields_of, fill, numbers, pointer_to
from ._lib import lib


class Material:
    """An elastic law and its numbers. Keywords not given keep their defaults, those of soft rubber:

    kind           neo_hookean, stvk or rotated_linear
    young          Young's modulus [Pa], in (0, 1e15]; 1e5
    poisson        Poisson's ratio, in (-1, 0.49999], for neo_hookean at least 0; 0.4
    density        at rest [kg/m^3], in [1e-3, 1e9]; 1000
    damping        stiffness-proportional damping time [s], in [0, 1e6]; 0.01
    threshold      stretch below which `inversion` takes over, in (0, 1); 0: the law's own
    inversion      energy, linear, det, constant or none
    damping_model  switch, rotated or conserving
    recovery       auto or off
    yield_strain   logarithmic strain beyond which it stays deformed, in [0, 2]; 0: elastic
    yield_criterion  strain or von_mises
    hardening      growth of the yield per unit of plastic strain, in [0, 1e6]; 0
    plastic_limit  plastic stretches stay within [1/plastic_limit, plastic_limit], in (1, 100]; 4
    isochoric      1: plastic flow keeps the volume; 0

    Numbers are checked when the material is used.
    """

    def __init__(self, **fields: Any):
        self._definition = fill(lib.pl_material_def_default(), fields)

    def __getattr__(self, name: str) -> Any:
        fields = fields_of(self.__dict__["_definition"]) if "_definition" in self.__dict__ else {}
        if name not in fields:
            raise AttributeError(f"a material has no {name!r}; it has {', '.join(fields)}")
        return fields[name]

    @property
    def lame(self) -> Tuple[float, float]:
        """The Lame constants mu (shear modulus) and lambda [Pa]."""
        mu, lam = ctypes.c_double(), ctypes.c_double()
        lib.pl_material_lame(self.young, self.poisson, mu, lam)
        return mu.value, lam.value

    def evaluate(self, F: Any, *, context: Optional[Context] = None) -> Tuple[Any, np.ndarray]:
        """Energy per rest volume [J/m^3] and first Piola stress [Pa] at a deformation gradient F, 3 x 3.

        F may also be a stack of them, ... x 3 x 3; then the energies are an array. The energy is NaN where the inversion rule
        has none.
        """
        context = context or default_context()
        stack = numbers("F", np.asarray(F).reshape(-1, 3, 3) if np.shape(F)[-2:] == (3, 3) else F, ctypes.c_double, (None, 3, 3))
        columns = np.ascontiguousarray(stack.transpose(0, 2, 1))  # the library wants column after column
        energies, stresses = np.empty(len(stack)), np.empty_like(columns)
        for i in range(len(stack)):
            context._do(lib.pl_material_evaluate, context._pointer, self._definition, pointer_to(columns[i]),
                       pointer_to(energies[i:i + 1]), pointer_to(stresses[i]))
        shape = np.shape(F)[:-2]
        stress = stresses.transpose(0, 2, 1).reshape(shape + (3, 3))
        return (energies.reshape(shape) if shape else float(energies[0])), stress

    def __repr__(self) -> str:
        return "Material(" + ", ".join(f"{name}={value!r}" for name, value in fields_of(self._definition).items()) + ")"
