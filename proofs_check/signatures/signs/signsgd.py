"""signSGD: coordinates of little curvature move as fast as the others."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import torch

from algorithms.catalogue import row
from algorithms.compressors.identity import Identity
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.spectra import log_spaced
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _D, _STEPS, _REPLICAS = 8, 20, 300, 32
_GRIDS = {
    Arm.METHOD: (0.003, 0.01, 0.03),
    Arm.BASELINE: (0.3, 1.0, 1.8),
    Arm.FAULT: (0.03, 0.1, 0.3),
}


@cache
def scaled() -> Quadratic:
    """Curvatures from 1 down to 1/1000 along the axes, as far from the start in each of them."""
    a = log_spaced(_D, 1.0, 1e-3).expand(_N, -1)
    return Quadratic.from_arrays(a, torch.ones_like(a), sigma2=1e-5, name="badly scaled")


def _method(side: Arm, gamma: float) -> BSP:
    if side is Arm.BASELINE:
        return BSP(ConstantStep(gamma))
    own = row("signsgd").tune(scaled(), _STEPS, ConstantStep(gamma)).method
    assert isinstance(own, BSP)
    if side is Arm.METHOD:
        return own
    return replace(
        own,
        compressor=Identity(),
        transform=ClipNorm(1e-3, 0.0),
        step_rule=ConstantStep(1e3 * gamma),
    )


@cache
def _tuned(side: Arm) -> float:
    """The stepsize of the grid that ends lowest on seed 1."""

    def ends(gamma: float) -> float:
        trace = run(_method(side, gamma), scaled(), steps=_STEPS, seed=1, replicas=2, points=2)
        return float(trace.suboptimality[:, -1].mean())

    return min(_GRIDS[side], key=ends)


def measure(side: Arm) -> Measurement:
    """f - f* at the end, each side at its best stepsize."""
    method = _method(side, _tuned(side))
    return at_end(run(method, scaled(), steps=_STEPS, replicas=_REPLICAS), last=10)


SIGNATURE = EffectCheck(
    row="signsgd",
    problem="quadratic with curvatures from 1 to 1/1000 along the axes, little noise",
    effect="one bit a coordinate goes further than full gradients where curvatures differ by "
    "coordinate, as all coordinates move alike",
    quantity=f"f - f* after {_STEPS} steps [f]",
    method="signSGD",
    baseline="SGD, both at the best of 3 stepsizes",
    fault="gradients divided by their norm in place of their signs",
    at_most=0.25,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Bernstein, Wang, Azizzadenesheli, Anandkumar 2018, arXiv:1802.04434, Section 3: "
    "dense gradients, sparse curvature",
    told=f"n = {_N}, d = {_D}, sigma2 = 1e-5, stepsizes chosen on seed 1 of {_GRIDS[Arm.METHOD]} "
    f"for signs, {_GRIDS[Arm.BASELINE]} for SGD; {_REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
