"""CR-PSGD: batches that grow all along give the accuracy of single gradients in few rounds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from algorithms.catalogue import row
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.run import Trace, run
from proofs_check.instruments.signature import Seen, Side, Signature, to_reach
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep, InverseTimeStep

_N, _D, _MU, _ROUNDS, _STEP = 8, 100, 0.1, 60, ConstantStep(0.3)
_TARGET, _REPLICAS, _SEED, _OTHER = 5e-3, 24, 47, 48
_SCALES = (0.5, 1.0, 2.0)  # gamma_t = (c / mu) / (10 c + t)


def _problem() -> Quadratic:
    return Quadratic.pl(_N, _D, mu_pl=_MU, sigma2=16.0)


def _grown() -> Batched:
    method = row("cr-psgd").tune(_problem(), _ROUNDS, _STEP).method
    assert isinstance(method, Batched)
    return method


@cache
def _gradients() -> int:
    """What the method spends of them on every worker; all sides have as many."""
    batch = _grown().batch
    return sum(batch(t) for t in range(_ROUNDS))


def _single(scale: float, seed: int, replicas: int) -> Trace:
    step = InverseTimeStep(scale / _MU, 10 * scale)
    return run(
        BSP(step), _problem(), steps=_gradients(), replicas=replicas, seed=seed, points=100
    )  # fmt: skip


def measure(side: Side) -> Seen:
    """Rounds to an accuracy, all sides within the same number of gradients."""
    if side is Side.BASELINE:
        best = min(_SCALES, key=lambda c: float(_single(c, _OTHER, 4).suboptimality[:, -1].mean()))
        return to_reach(_single(best, _SEED, _REPLICAS), _TARGET, "steps")
    still = side is Side.FAULT
    method = replace(_grown(), batch=FixedBatch(1)) if still else _grown()
    rounds = _gradients() if still else _ROUNDS
    trace = run(method, _problem(), steps=rounds, replicas=_REPLICAS, seed=_SEED, points=100)
    return to_reach(trace, _TARGET, "steps")


SIGNATURE = Signature(
    row="cr-psgd",
    problem="quadratic-pl, d = 100, sigma2 = 16",
    effect="as many gradients give the same accuracy in a fraction of the rounds",
    quantity=f"rounds to f(x) - f* = {_TARGET:g}, with 60 rounds' gradients to spend",
    method="CR-PSGD",
    baseline="SGD with single gradients and the best decreasing stepsize of three",
    fault="a batch that stays, with the same constant stepsize",
    at_most=0.25,
    measure=measure,
    x_label="rounds",
    y_label="f(x_t) - f* [f]",
    source="Yu, Jin 2019, arXiv:1905.04346, Theorem 1: O(1/(nT)) with O(log T) rounds",
    told=f"n = {_N}, gamma = 0.3, batches 1 to 64; baseline gamma_t = (c/mu)/(10 c + t), c of "
    f"{_SCALES} chosen by seed {_OTHER}; {_REPLICAS} replicas, seed {_SEED}",
)
