"""``rateproof figure karimireddy2019-scaffold``: local steps on two quadratics that differ by G."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from algorithms.engine.run import Diverged, run
from algorithms.methods.drift.scaffold import Scaffold
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_least, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.instruments.reaching import reached_at
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_G, _K = (1.0, 10.0), (2, 10)
_D, _MU, _SPREAD, _TARGET, _ROUNDS = 5, 0.05, 0.3, 1e-4, 100
_GRID = tuple(2.0**-k for k in range(10))


class TunedRounds(NamedTuple):
    """A method at the local stepsize of its grid with the fewest rounds, or the least error in
    the end where no stepsize gets there.

    Attributes:
        rounds: until f - f* is the target's share of the first.
        error: what is left of f - f* in the end, of the first.
        line: f - f* by rounds there.
    """

    rounds: float
    error: float
    line: DrawnLine


def _pair(G: float) -> Quadratic:
    """Hessians (1 +- 0.3) A, A from 1 down to 1/20, linear terms +-G; x* = 0, x_0 = 1."""
    a = torch.logspace(0, math.log10(_MU), _D, dtype=torch.float64)
    both = torch.stack(((1 + _SPREAD) * a, (1 - _SPREAD) * a))
    c = G * torch.tensor([[1.0], [-1.0]], dtype=torch.float64).expand(2, _D)
    one = torch.ones(_D, dtype=torch.float64)
    return Quadratic("two quadratics", both, c.contiguous(), 0 * one, one)


def _scaffold(gamma: float, K: int) -> Any:
    return Scaffold(ConstantStep(gamma), K)


def _fedavg(gamma: float, K: int) -> Any:
    return LocalSGD(ConstantStep(gamma), K)


def _tuned(name: str, made: Any, G: float, K: int) -> TunedRounds:
    problem, best = (
        _pair(G),
        TunedRounds(math.inf, math.inf, DrawnLine(name, np.ones(1), np.ones(1))),
    )
    for gamma in _GRID:
        try:
            trace = run(made(gamma, K), problem, steps=_ROUNDS * K, points=100)
        except Diverged:
            continue
        error = trace.suboptimality[0] / trace.suboptimality[0, 0]
        at = int(reached_at(error, _TARGET))
        rounds = float(trace.steps[at]) / K if at >= 0 else math.inf
        if (rounds, float(error[-1])) < (best.rounds, best.error):
            line = DrawnLine(name, trace.steps / K, np.maximum(error, 1e-20))
            best = TunedRounds(rounds, float(error[-1]), line)
    return best


def _factor(G: float, K: int) -> float:
    """Factor of f - f* in a round, late in a run at a stepsize of 1/(8 K)."""
    trace = run(_scaffold(1 / (8 * K), K), _pair(G), steps=400 * K, points=80)
    first, last = np.searchsorted(trace.steps, (250 * K, 350 * K))
    apart = trace.suboptimality[0, last] / trace.suboptimality[0, first]
    return float(apart ** (K / (trace.steps[last] - trace.steps[first])))


def measure(_: Request) -> Reproduction:
    """Rounds to 1e-4 of the start by G and K, each at its best local stepsize."""
    sgd = _tuned("SGD", _fedavg, _G[0], 1)  # at K = 1 it does not depend on G
    fedavg = {(G, K): _tuned(f"FedAvg, K = {K}", _fedavg, G, K) for G in _G for K in _K}
    ours = {(G, K): _tuned(f"SCAFFOLD, K = {K}", _scaffold, G, K) for G in _G for K in _K}
    few, many = _K
    numbers: list[PublishedNumber] = []
    for G in _G:
        numbers += [
            at_most(f"G = {G:g}: SCAFFOLD, K = {many}, of SGD", 1.0,
                    ours[G, many].rounds / sgd.rounds, unit="ratio of rounds"),
            at_most(f"G = {G:g}: SCAFFOLD, K = {many}, of K = {few}", 1.0,
                    ours[G, many].rounds / ours[G, few].rounds, unit="ratio of rounds"),
            at_least(f"G = {G:g}: FedAvg, {_ROUNDS} rounds, K = {many} over K = {few}", 1.0,
                     fedavg[G, many].error / fedavg[G, few].error, unit="ratio of errors"),
        ]  # fmt: skip
    for K in _K:
        numbers += [
            near(f"SCAFFOLD, K = {K}: factor a round at G = {_G[-1]:g}, of that at {_G[0]:g}", 1.0,
                 _factor(_G[-1], K) / _factor(_G[0], K), relative=1e-3,
                 confidence=Confidence.CERTAIN, unit="ratio of factors"),
            at_least(f"FedAvg, K = {K}, {_ROUNDS} rounds: G = {_G[1]:g} over G = {_G[0]:g}", 1.0,
                     fedavg[_G[1], K].error / fedavg[_G[0], K].error, unit="ratio of errors"),
        ]  # fmt: skip
    return Reproduction(tuple(numbers), _panels(sgd, fedavg, ours), columns=3)


def _panels(
    sgd: TunedRounds, fedavg: dict[tuple[float, int], TunedRounds],
    ours: dict[tuple[float, int], TunedRounds],
) -> tuple[CurvePanel, ...]:  # fmt: skip
    return tuple(
        CurvePanel(
            f"$G = {G:g}$", "rounds", "$f - f^*$, of the first",
            (sgd.line, *(found[G, K].line for found in (fedavg, ours) for K in _K)),
            scales=("linear", "log"), limits=(1e-12, 10.0),
        )
        for G in _G
    )  # fmt: skip


FIGURE = PublishedFigure(
    "karimireddy2019-scaffold",
    "SCAFFOLD gains by local steps whatever the workers differ in, FedAvg does not",
    Source("Karimireddy et al.", 2019, "1910.06378", "Section 7, simulated quadratics"),
    "SCAFFOLD of ten local steps needs fewer rounds than of two and than SGD and its rate does not "
    "depend on G, and FedAvg slows as G grows",
    measure,
)
