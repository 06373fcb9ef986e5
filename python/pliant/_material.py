"""What bodies are made of."""
import ctypes
from typing import Any, Callable, Optional, Tuple

import numpy as np

from ._core import Context, default_context, fields_of, fill, numbers, pointer_to
from ._declarations import pl_law_function
from ._lib import lib

_HIDDEN = ("cookie", "law", "law_user")
_laws = []  # of custom materials: worlds may outlive those


def _wrapped(law: Callable[[np.ndarray], Tuple[float, Any, Any]]) -> Any:
    def call(user: Any, stretch: Any, energy: Any, stress: Any, derivative: Any) -> None:
        energy[0], p, h = law(np.array(stretch[0:3]))
        for i in range(3):
            stress[i] = p[i]
        for i in range(6):
            derivative[i] = h[i]

    _laws.append(pl_law_function(call))
    return _laws[-1]


class Material:
    """An elastic law and its numbers. Keywords not given keep their defaults, those of soft rubber:

    kind           neo_hookean, rotated_linear, stvk, isochoric_neo_hookean, mooney_rivlin, fung, spline, stable_neo_hookean,
                   fixed_corotated, linear or custom
    young          Young's modulus [Pa], in (0, 1e15]; 1e5
    poisson        Poisson's ratio, in (-1, 0.49999], for neo_hookean and fixed_corotated at least 0; 0.4
    density        at rest [kg/m^3], in [1e-3, 1e9]; 1000
    damping        stiffness-proportional damping time [s], in [0, 1e6]; 0.01
    threshold      stretch below which `inversion` takes over, in (0, 1); 0: the law's own
    limit          stretch above which it does, in (1, 1e6]; 0: the law's own
    inversion      energy, linear, det, constant or none
    damping_model  switch, rotated or conserving
    recovery       auto or off
    yield_strain   logarithmic strain beyond which it stays deformed, in [0, 2]; 0: elastic
    yield_criterion  strain or von_mises
    plastic_form   multiplicative: rest shapes flow; additive: strain is subtracted, of rotated_linear and linear solids
    hardening      growth of the yield per unit of plastic strain, in [0, 1e6]; 0
    plastic_limit  plastic stretches stay within [1/plastic_limit, plastic_limit], in (1, 100]; 4
    isochoric      1: plastic flow keeps the volume; 0

    mooney                              of mooney_rivlin; 0.25
    stiffening, stiffening_share        of fung; 2, 0.5
    spline_low, spline_high, spline_stiffening  of spline; 0.6, 1.4, 8
    fiber_strength [Pa], fiber_optimal, activation  of muscle fibres, added to any law; 0, 1, 0
    law            of custom: a function of three stretches that returns the energy, the three principal first Piola stresses and
                   their six derivatives 00 11 22 01 02 12. It is called for every element in every step: for trials, not for speed.

    Numbers are checked when the material is used.
    """

    def __init__(self, **fields: Any):
        if callable(fields.get("law")):
            fields["law"] = _wrapped(fields["law"])
        self._definition = fill(lib.pl_material_def_default(), fields)

    def __getattr__(self, name: str) -> Any:
        fields = fields_of(self.__dict__["_definition"], _HIDDEN) if "_definition" in self.__dict__ else {}
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

    def fiber(self, stretch: float, *, context: Optional[Context] = None) -> Tuple[float, float]:
        """Energy per rest volume [J/m^3] and tension [Pa] of the fibres at a stretch along them."""
        context = context or default_context()
        energy, tension = ctypes.c_double(), ctypes.c_double()
        context._do(lib.pl_material_evaluate_fiber, context._pointer, self._definition, stretch, energy, tension)
        return energy.value, tension.value

    def __repr__(self) -> str:
        return "Material(" + ", ".join(f"{name}={value!r}" for name, value in fields_of(self._definition, _HIDDEN).items()) + ")"
