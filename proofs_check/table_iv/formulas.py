"""Bound of a cell's result at the points of a sweep, whether or not it covers them.

The exponent of the formula over the points says which of its terms rules there. Some constants are
known of no setting of the cell, and the formula is told what stands for them: no bound on a run is
made of it. Beside it stand what a cell's longest run is billed (:func:`traffic`) and compute times
that come again (:class:`CyclicTimes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch

from algorithms.catalogue.downlink import RunRecord
from algorithms.compressors.identity import Identity
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.sparsifier import Sparsifier
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.problems.base import Problem
from algorithms.tuning.parameters import parameters
from proofs_check.facts import TrafficFacts
from proofs_check.methods.sweep_orders import bound_exponent
from proofs_check.methods.tuned_run import TunedRun
from proofs_check.table_iv.trial import TableTrial
from theory.arrays import Floats
from theory.bits import index_bits
from theory.constants import Constants, MissingConstants
from theory.stepsizes import Stepsize
from theory.theorem import Result, Theorem

_CHOCO = 82  # a round at CHOCO-SGD's consensus step keeps 1 - p^2 delta/82


class FormulaPoint(NamedTuple):
    """Point where a bound is evaluated.

    Attributes:
        constants: what is known there.
        problem: the problem there.
        step: the stepsizes of its run.
        steps: after how many of them.
    """

    constants: Constants
    problem: Problem
    step: Stepsize
    steps: int


class FormulaExponent(NamedTuple):
    """The exponent that a bound has over the points of a sweep.

    Attributes:
        name: the result whose bound it is.
        power: the exponent.
        description: what stood for constants that nobody knows, in words; empty: all are known.
    """

    name: str
    power: float
    description: str


def formula_exponent(
    results: Sequence[Result | None], x: Floats, runs: Sequence[FormulaPoint]
) -> FormulaExponent | None:
    """Exponent, over x ``[K]``, of the first of the results' bounds that is finite at every point.

    None where no result is a theorem about stepsizes of this kind, or all need more constants.
    """
    for result in results:
        found = _of_one(result, x, runs) if isinstance(result, Theorem) else None
        if found is not None:
            return found
    return None


def _of_one(result: Theorem, x: Floats, runs: Sequence[FormulaPoint]) -> FormulaExponent | None:
    ends, description = [], ""
    for one in runs:
        c = one.constants.completed()
        stand_ins = dict(_stand_ins(result, one.problem, c))
        at = c.state(None, **{name: value for name, (value, _) in stand_ins.items()})
        description = ", ".join(words for _, words in stand_ins.values())
        try:
            ends.append(result.bound(at, one.step, np.array([float(one.steps)]))[0])
        except (MissingConstants, TypeError, ValueError):
            return None
    found = np.array(ends, dtype=np.float64)
    if not (np.isfinite(found) & (found > 0)).all():
        return None
    return FormulaExponent(result.name, float(f"{bound_exponent(x, found):.4g}"), description)


def _stand_ins(
    theorem: Theorem, objective: Problem, c: Constants
) -> Iterator[tuple[str, tuple[float, str]]]:
    """For constants that the theorem needs and nobody states: a value, and what it is."""
    missing = c.missing(theorem.needs)
    if "G2" in missing and c.sigma2 is not None:
        yield "G2", (_second_moment(objective, c.sigma2), "G2 as it is at the start")
    if "zeta2" in missing and c.zeta2_star is not None:
        yield "zeta2", (c.zeta2_star, "zeta2 as it is at x*")
    if "delta" in missing and c.omega is None:
        yield "delta", (1.0, "delta = 1, since nothing is compressed")
    if "kept" in missing and c.lam is not None and c.delta is not None:
        kept = 1 - (1 - c.lam) ** 2 * c.delta / _CHOCO
        yield "kept", (kept, "a round that keeps what CHOCO-SGD's step does")
    if "initial_potential" in missing:
        yield "initial_potential", (0.0, "all models and copies at 0")


def _second_moment(objective: Problem, sigma2: float) -> float:
    """sigma2 and the mean squared gradient of the workers at the start."""
    workers = torch.arange(objective.n)
    g = objective.full_gradient(objective.start().expand(objective.n, -1), workers)
    return sigma2 + float(g.square().sum(-1).mean())


# The bill of a run of a cell, and what its cost formulas are evaluated at.


def traffic(trial: TableTrial, result: TunedRun) -> TrafficFacts:
    """What the ledger counted in the longest run, and what formulas are evaluated at."""
    method, objective = result.tuned.method, trial.build(trial.n)
    account = result.trace.account
    sent, incoming = account.sent_bits.double(), account.received_bits.double()
    floats = 8 * objective.dtype.itemsize
    replicas, gradients = len(sent), float(result.steps)
    given = parameters(method).get("period")
    period = given if isinstance(given, int) else 1
    if isinstance(method, Scheduled):
        run = RunRecord(method, objective, floats, result.steps, replicas)
        gradients = float(run.arrivals().double().mean())
    return TrafficFacts(
        trial.line, str(trial.objective), method.name, objective.d, trial.n, gradients,
        trial.peers, period, *_message(trial, objective, floats), floats,
        float(sent.mean()), float(sent.sum(-1).mean()), float(incoming.sum(-1).mean()),
    )  # fmt: skip


def _message(trial: TableTrial, objective: Problem, floats: int) -> tuple[float, float]:
    """k of a sparse message and b of a quantised one, 0 where it is not one."""
    operator = trial.row.compressor or Identity()
    if isinstance(operator, Identity):
        return 0.0, 0.0
    if "Spars." in trial.line:
        if isinstance(operator, RandomMask):  # no positions are sent, the seed is shared
            return operator.q * objective.d * floats / (floats + index_bits(objective.d)), 0.0
        return float(operator.kept(objective.d)) if isinstance(operator, Sparsifier) else 0.0, 0.0
    return 0.0, operator.stated_bits(objective.d, floats) / objective.d
