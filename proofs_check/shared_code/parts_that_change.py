"""Closed forms of methods whose parts change from step to step, and of constants for each length.

Operators that warm up, memories that are forgotten, batches that grow, meetings and clients: taken
in compiled blocks and recorded, such methods lead to the models of their own steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from algorithms.compressors.base import Compressor
from algorithms.compressors.hard_threshold import HardThreshold
from algorithms.compressors.one_bit import OneBit
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.compressors.warm_up import WarmUp
from algorithms.memories.moving_average_feedback import MovingAverageFeedback
from algorithms.methods.base import Method
from algorithms.methods.drift.scaffold import Scaffold
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.methods.parts.constants import operator_constants, two_way_constants
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.optimizers.momentum import Momentum
from algorithms.optimizers.outer import SlowMomentum
from algorithms.optimizers.truncation import TruncatedGradient
from algorithms.problems.quadratic import Quadratic
from algorithms.sets.ball import Ball
from algorithms.sets.geometry import Euclidean
from algorithms.synchronisation.compute_times import Exponential
from algorithms.topologies.ring import Ring
from proofs_check.instruments.evidence import identity
from proofs_check.methods.falling_steps import FallingStep, falling
from proofs_check.methods.instrumented_run import watch
from proofs_check.methods.run_invariants import fresh_draws
from proofs_check.methods.run_paths import recorded
from proofs_check.methods.run_twins import named_draws
from proofs_check.shared_code.drawn_networks import EVERY_ROW
from proofs_check.verdict import Verdict
from theory.claims import Contraction, Unbiased, VarianceBound
from theory.constants import Constants
from theory.rules.batch_rules import StagedBatch
from theory.stepsizes import ConstantStep, Stepsize

_SEED, _STEPS, _REPLICAS, _N, _D = 17, 12, 2, 4, 6
_PERIOD = 3
_LENGTHS = 5, 6, 7, 8, 33

Make = Callable[[Stepsize], Method[Any]]


def _warming() -> WarmUp:
    """Other operators from step 3 and step 6 on."""
    return WarmUp((TopK(1), RandK(2), ScaledSign()), 3)


def _forgetful(reset: int) -> MovingAverageFeedback:
    return MovingAverageFeedback(0.5, reset)


def _truncation() -> TruncatedGradient:
    """Weights are drawn towards 0 after every third step."""
    return TruncatedGradient(0.5, 10.0, 3)


_PARTS: tuple[tuple[Make, int], ...] = (
    (lambda step: Batched(BSP(step), StagedBatch(3)), 1),
    (lambda step: BSP(step, _warming(), _forgetful(4), _warming(), _forgetful(5)), 1),
    (lambda step: LocalSGD(step, _PERIOD, Momentum(0.5), AtMeetings.AVERAGED), 1),
    (lambda step: LocalSGD(step, _PERIOD, outer=SlowMomentum(0.5)), 1),
    (lambda step: LocalSGD(step, _PERIOD, compressor=_warming()), 1),
    (lambda step: Scaffold(step, _PERIOD, participants=2), _PERIOD),
    (lambda step: DualAveraging(step, Ring(_N), Euclidean(Ball(1.0))), 1),
    (lambda step: ParameterServer(
        step, _STEPS, Exponential(1.0), replicas=_REPLICAS, proximal=_truncation(),
    ), 1),
)  # fmt: skip
"""Methods, and how old the stepsizes are that a step may ask for, plus one."""


def parts_that_change() -> tuple[Verdict, ...]:
    """Methods of such parts under stepsizes that fall: in blocks, and recorded."""
    return tuple(verdict for make, period in _PARTS for verdict in _held(make, period))


def _problem() -> Quadratic:
    return Quadratic.strongly_convex(_N, _D, sigma2=1.0, zeta2=1.0, seed=3)


def _held(make: Make, period: int) -> Iterator[Verdict]:
    """Verdicts on one method; who takes part is drawn once a round."""
    problem, rule = _problem(), FallingStep(0.1)
    method, where = make(rule), f"seed {_SEED}, n={_N}, {_STEPS} steps"
    subject, kept = method.name, ("participants",)
    yield falling(subject, method, rule, problem, _SEED, where, period, _STEPS)
    seen = watch(method, problem, steps=_STEPS, replicas=_REPLICAS, seed=_SEED)
    yield fresh_draws(subject, problem, seen, kept, where)
    yield named_draws(subject, problem, seen, kept, where)
    schedule = method.schedule(_N) if isinstance(method, Scheduled) else None
    yield recorded(subject, problem, method, seen, _SEED, where, schedule)


_OPERATORS: tuple[Compressor, ...] = (
    QSGD(4), RandK(0.25), RandK(2, scaled=False), TopK(0.25), ScaledSign(), OneBit(),
    HardThreshold(0.5),
)  # fmt: skip
"""Operators whose constants depend on the length of rows, and each kind of claim."""


def constants_of_operators() -> tuple[Verdict, ...]:
    """omega, delta and the absolute error that methods state against the operators' own claims for
    rows of the problem's length, one way and both ways."""
    made, due = list[float](), list[float]()
    for d in _LENGTHS:
        problem = Quadratic.strongly_convex(_N, d)
        for one in _OPERATORS:
            stated = _due(one, d)
            for found in (
                operator_constants(one, d),
                BSP(ConstantStep(1.0), one).constants(problem),
                LocalSGD(ConstantStep(1.0), 2, compressor=one).constants(problem),
            ):
                made += [_number(found, name) for name in stated]
                due += stated.values()
            for other in (TopK(0.5), QSGD(1)):
                made += _both(two_way_constants(one, other, d))
                two_way = BSP(ConstantStep(1.0), one, downlink=other)
                made += _both(two_way.constants(problem))
                up, down = stated, _due(other, d)
                due += 2 * [side[name] for name in ("omega", "delta") for side in (up, down)]
    verdict = identity(
        "constants of operators", "methods state what operators claim for rows of this length",
        np.nan_to_num(made, nan=-1.0), np.nan_to_num(due, nan=-1.0), check="claims by name",
        tolerance=0.0, note=f"d in {_LENGTHS}", provenance="the operators' claims",
    )  # fmt: skip
    return (verdict,)


def _due(operator: Compressor, d: int) -> dict[str, float]:
    """The least variance of an unbiased operator, the largest contraction, the absolute error; NaN
    where none is claimed."""
    claims, most = operator.claims(d), operator.absolute_error(d)
    unbiased = any(isinstance(claim, Unbiased) for claim in claims)
    variances = [claim.omega for claim in claims if isinstance(claim, VarianceBound)]
    shares = [claim.delta for claim in claims if isinstance(claim, Contraction)]
    return {
        "omega": min(variances) if unbiased and variances else float("nan"),
        "delta": max(shares, default=float("nan")),
        "absolute_error": float("nan") if most is None else most,
    }


def _number(stated: Constants, name: str) -> float:
    found = getattr(stated, name)
    return float("nan") if found is None else float(found)


def _both(stated: Constants) -> list[float]:
    names = "omega_up", "omega_down", "delta_up", "delta_down"
    return [_number(stated, name) for name in names]


CLOSED_FORMS = (parts_that_change, constants_of_operators)
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: their bounds and studies take such methods."""
