"""Worst cases: the method's own steps as a semidefinite programme over all functions at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.refute.attacker import Attacker, Confirmation, never
from proofs_check.refute.claim import Claim
from proofs_check.refute.followed import AGAIN, runs
from proofs_check.refute.instance import share
from proofs_check.refute.interpolated import InterpolatedProblem
from proofs_check.refute.measured import SURE, BoundTrial, Unfit, compared, remembered, with_share
from proofs_check.refute.operators import WorstUnbiased
from proofs_check.refute.parts import OPERATORS, changeable
from proofs_check.refute.rational import executed
from proofs_check.refute.recorded import ROOM, AnswerBook, RecordedProblem
from proofs_check.refute.sampled_script import sampled_script
from proofs_check.refute.worst_instance import (
    SolvedInstance,
    WorstInstance,
    allowed,
    any_number,
    constants_of,
    making,
    solved,
    stated,
    with_operators,
)  # fmt: skip
from theory.arrays import Floats
from theory.optional import need_cvxpy
from theory.stepsizes import Stepsize
from theory.theorem import Metric

LONGEST = 3
"""Steps of a programme."""

_SIZES = (1, 2)
_SHARES, _CERTIFIED = (1.0, 0.5, 0.1), 1e-6
_PART = 0.25  # of a part's range: W = (I + J)/2 for two workers, H = 3
_PLAIN = ("n", "sigma2", "convex")
_NEAR = 1e-5
_METRICS = (
    Metric.SQUARED_DISTANCE, Metric.SUBOPTIMALITY, Metric.WEIGHTED_SUBOPTIMALITY,
    Metric.AVERAGE_SQUARED_GRADIENT, Metric.MINIMUM_SQUARED_GRADIENT,
)  # fmt: skip


class HeldSizes(NamedTuple):
    """Where a claim can be put as a programme.

    Attributes:
        sizes: numbers of workers.
        parts: how many parts of the method can be others.
        similar: whether workers must have one objective.
        longest: how many steps at most.
    """

    sizes: tuple[int, ...]
    parts: int
    similar: bool
    longest: int


@final
@dataclass(frozen=True)
class WorstCases(Attacker):
    """The worst functions and operators of few exact steps, run again once found."""

    name = "worst-case"
    turn = 2
    kind = WorstInstance
    stepsize_at = 5
    what = "the worst of all functions for few exact steps, by semidefinite programmes"

    def coordinates(self, claim: Claim) -> int:
        return 7 + held(claim).parts

    def edges(self, size: int) -> Floats:
        """The longest stepsize and half of it, the shortest run and the longest, by one and two."""
        found = np.full((8, size), 0.5)
        for row, (subset, part, steps) in zip(
            found, product((0, 0.99), (0.57, 1), (0, 1)), strict=True
        ):
            row[[0, 5, 6]] = subset, part, steps
        return found

    def instance(self, claim: Claim, u: Floats) -> WorstInstance:
        sizes, parts, similar, longest = held(claim)
        v = [float(one) for one in u]
        found = WorstInstance(
            sizes[min(int(v[0] * len(sizes)), len(sizes) - 1)], mu=10 ** (-3 * v[1]) * 0.99,
            zeta=0.0 if similar else 10 ** (3 * v[2] - 2), moment=10 ** (3 * v[3] - 2),
            delta=max(v[4], 0.02),
            gamma=None, steps=claim.horizon or 1 + min(int(v[6] * longest), longest - 1),
            parts=tuple(v[7 : 7 + parts]),
        )  # fmt: skip
        return with_gamma(claim, found, share(v[5]))

    def measure(self, claim: Claim, instance: Any) -> BoundTrial:
        found = solved(claim, instance)
        return _compared(claim, instance, found, found.worst.value)

    def confirm(self, claim: Claim, trial: BoundTrial) -> Confirmation:
        instance: Any = trial.instance
        worst = solved(claim, instance)
        problem, again = interpolated(claim, instance, worst)
        found = runs(
            again, problem, instance, attacker=self.name, steps=instance.steps, seed=0,
            replicas=AGAIN if worst.posed.record.noises else 1,
        )  # fmt: skip
        how = (
            f"by a run on the worst functions, interpolated in {problem.d} coordinates from "
            f"{problem.points.shape[1]} points of each"
        )
        return Confirmation(
            how, found.measured, found.ratio > 1 + SURE, _script(claim, instance, worst, problem)
        )

    def certificates(self, claim: Claim, over: Callable[[], bool] = never) -> tuple[str, ...]:
        """The bound over all functions of the class at some constants, from above."""
        if over():
            return ()
        try:
            found = held(claim)
        except Unfit:
            return ()
        return tuple(filter(None, (_certificate(claim, n, found, over) for n in found.sizes)))


def _script(
    claim: Claim, instance: WorstInstance, found: SolvedInstance, problem: InterpolatedProblem
) -> str:
    """A Python file that shows it with numpy alone; empty where that finds the bound kept."""
    may = allowed(claim, instance, found.constants)
    trial = _compared(claim, instance, found, found.worst.value)
    text = sampled_script(
        claim.theorem.name, claim.theorem.metric, found.posed.record, found.samples, problem, may,
        trial, lambda t: claim.theorem.weight(found.constants, found.step, t),
    )  # fmt: skip
    return text if text and executed(text)[1] else ""


def _certificate(claim: Claim, n: int, at: HeldSizes, over: Callable[[], bool]) -> str:
    """The largest share of the bound that multipliers allow, at the stepsizes tried; empty where
    the time was over first."""
    zeta, longest = 0.0 if at.similar else 1.0, claim.horizon or at.longest
    plain = WorstInstance(n, 0.1, zeta, 1.0, 0.5, None, longest, (_PART,) * at.parts)
    largest, count, failed, constants, workers = 0.0, 0, 0, "", ""
    done: set[WorstInstance] = set()
    shares: dict[str, None] = {}
    for steps, part in product(range(claim.horizon or 1, longest + 1), _SHARES):
        if over():
            return ""
        try:
            one = with_gamma(claim, replace(plain, steps=steps), part)
            if one in done:  # the theorem allows one stepsize alone
                continue
            done.add(one)
            shares[f"{part:g}"] = None
            found = solved(claim, one)
            above = _compared(claim, one, found, max(found.worst.above, found.worst.value))
        except Unfit:
            failed += 1
            continue
        largest, count = max(largest, above.ratio), count + 1
        given = {k: v for k, v in above.constants.items() if k not in _PLAIN}
        constants = ", ".join(f"{k} {v:g}" for k, v in given.items())
        workers = _alike(n, at, allowed(claim, one, found.constants).apart)
    if not count:
        return f"{claim.name}: nothing is certified for n = {n}"
    try:
        every = n > 1 and any_number(claim, with_gamma(claim, plain, _SHARES[0]))
    except Unfit:
        every = False
    subset = "every n >= 2" if every else f"n = {n}"
    verdict = "holds" if largest <= 1 + _CERTIFIED and not failed else "is not certified"
    missing = f", {failed} more failed" if failed else ""
    return (
        f"{claim.name} {verdict} for T <= {longest}, {subset}, to {_CERTIFIED:g}: "
        f"at most {largest:.7f} of the bound over all functions of the class without noise{workers}"
        f" ({constants}; gamma {', '.join(shares)} of the largest; {count} programmes{missing})"
    )


def _alike(n: int, at: HeldSizes, apart: bool) -> str:
    """How the functions of workers hang together in a programme, if they do."""
    if n == 1 or apart:
        return ""
    return "; workers have one objective" if at.similar else "; workers differ by linear terms"


def with_gamma(claim: Claim, instance: WorstInstance, part: float) -> WorstInstance:
    """The instance with that share of the largest stepsize.

    Raises:
        Unfit: the theorem prescribes none.
    """
    c = constants_of(claim, instance)
    return replace(instance, gamma=with_share(claim, c, part, instance.steps))


def _compared(
    claim: Claim, instance: WorstInstance, found: SolvedInstance, value: float
) -> BoundTrial:
    times = np.array([instance.steps])
    return compared(
        claim, found.constants, found.step, times, np.array([value]),
        attacker=worst_cases.name, instance=instance,
    )  # fmt: skip


def interpolated(
    claim: Claim, instance: WorstInstance, found: SolvedInstance
) -> tuple[InterpolatedProblem, Claim]:
    """The worst functions as a problem of the simulator's, and the claim with the worst operator:
    what it was asked is answered as found, all else is sent as it is."""
    table = found.samples
    tensors = (torch.from_numpy(one.copy()) for one in table[:4])
    points, gradients, values, first = tensors
    kind = allowed(claim, instance, found.constants).kind
    problem = InterpolatedProblem(
        "worst case", points, gradients, values, kind, stated(claim, instance), first
    )

    def answers(x: Tensor, workers: Tensor) -> Tensor:
        rows = x.clone().reshape(-1, x.shape[-1])
        subset = workers.expand(x.shape[:-1]).reshape(-1).tolist()
        for row, worker in zip(rows, subset, strict=True):
            for u, c, sender in zip(table.messages, table.answers, table.senders, strict=True):
                off = float(np.abs(row.numpy() - u).max())
                if sender == worker and off <= _NEAR * max(1e-3, float(np.abs(u).max())):
                    row.copy_(torch.from_numpy(c.copy()))
                    break
        return rows.reshape(x.shape)

    def make(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
        unbiased = WorstUnbiased(instance.omega)
        return with_operators(claim, instance, step, problem, answers, unbiased)

    return problem, replace(claim, make=make)


@remembered
def held(claim: Claim) -> HeldSizes:
    """Numbers of workers at which the method's steps make a programme.

    Raises:
        Unfit: at none; says why.
    """
    try:
        need_cvxpy("worst cases")
    except ImportError as error:
        raise Unfit(str(error)) from error
    if claim.theorem.metric not in _METRICS:
        raise Unfit(f"no programme says what {claim.theorem.metric.value} is")
    if claim.fixed or claim.horizon > LONGEST:
        raise Unfit("what its setting states is of parts and lengths of its own")
    why = Unfit("it has no number of workers that is tried")
    assumptions = (True,) if claim.one_objective else (False, True)
    for length, similar in product((LONGEST, 1), assumptions):
        found, parts = [], 0
        for n in (n for n in _SIZES if n in claim.workers):
            zeta = 0.0 if similar else 0.1
            plain = WorstInstance(n, 0.1, zeta, 1.0, 0.5, None, claim.horizon or min(length, 2))
            try:
                parts = _parts(claim, plain)
                solved(claim, with_gamma(claim, replace(plain, parts=(_PART,) * parts), 0.1))
            except Unfit as error:
                why = error
            else:
                found.append(n)
        if found and (similar or found != [1]):
            return HeldSizes(tuple(found), parts, similar, length)
    raise why


def _parts(claim: Claim, instance: WorstInstance) -> int:
    """How many parts of the method can be others."""
    book = AnswerBook(np.eye(ROOM))
    problem = RecordedProblem("recorded", book, stated(claim, instance), instance.n)
    method = making(claim, instance, None)(book, problem)
    parts = changeable(method, claim.theorem, problem)
    return sum(part.constant not in OPERATORS for part in parts)  # its own says what they lose


worst_cases = WorstCases()
