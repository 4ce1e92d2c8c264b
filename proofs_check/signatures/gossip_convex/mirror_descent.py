"""Mirror descent: the entropy on the simplex beats projection where entries are bounded."""

from __future__ import annotations

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent, MirrorState
from algorithms.problems.absolute_data import simplex_signs
from algorithms.sets.geometry import Euclidean
from algorithms.sets.simplex import Simplex
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS = 8, 100, 16
_BEST, _BEST_EUCLIDEAN = ConstantStep(1 / 4), ConstantStep(1 / 256)


def measure(side: Arm) -> Measurement:
    """f at the mean model, samples of 200 signs, one a gradient."""
    problem, euclidean = simplex_signs(_N), Euclidean(Simplex())
    method: Method[MirrorState]
    match side:
        case Arm.METHOD:
            method = row("mirror-descent").tune(problem, _STEPS, _BEST).method
        case Arm.BASELINE:
            method = MirrorDescent(_BEST_EUCLIDEAN, Ring(_N), euclidean)
        case Arm.FAULT:
            method = MirrorDescent(_BEST, Ring(_N), euclidean)
    return at_end(run(method, problem, steps=_STEPS, replicas=_REPLICAS, points=60))


SIGNATURE = EffectCheck(
    row="mirror-descent",
    problem="simplex-signs, d = 200",
    effect="on the simplex steps in the entropy beat projections",
    quantity=f"E f(x_T) - f* of the mean model after {_STEPS} steps [f]",
    method="mirror descent, entropy",
    baseline="projected gradients at the best stepsize",
    fault="the mirror map left out: Euclidean projection with the method's stepsize",
    at_most=0.3,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Rabbat 2015, IEEE CAMSAP; for the simplex Beck, Teboulle 2003, Oper. Res. Lett. 31(3): "
    "sqrt(log d) where projection has sqrt(d)",
    told=f"n = {_N}, ring, {_REPLICAS} replicas of seed 0; stepsizes the best of 1 to 1/16 and of "
    "1/16 to 1/1024 by factors of 2 on seed 1",
    scales=("linear", "log"),
)
