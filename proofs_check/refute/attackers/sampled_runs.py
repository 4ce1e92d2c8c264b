"""Sampled runs: the settings that a theorem is held against, at every stepsize it allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, final

from algorithms.catalogue import problem as problem_called
from algorithms.catalogue import row as row_called
from algorithms.problems.base import Problem
from proofs_check.refute.attacker import Attacker, Confirmation
from proofs_check.refute.claim import PROBE, Claim
from proofs_check.refute.followed import again, runs
from proofs_check.refute.instance import Instance, share
from proofs_check.refute.measured import BoundTrial, Unfit, known, method_of, remembered, with_share
from theory.arrays import Floats

_STEPS, _LOOKED, _WORKERS = 200, 4, 4
_REPLICAS = 64


@final
@dataclass(frozen=True)
class SampledInstance(Instance):
    """A problem of the catalogue, or the one that the theorem is held against.

    Attributes:
        problem: its name; empty: the theorem's own setting.
        gamma: the stepsize; None: by the theorem's rule.
        steps: length of the run.
        seed: of its draws.
    """

    problem: str
    gamma: float | None
    steps: int
    seed: int

    def simpler(self) -> Iterator[SampledInstance]:
        yield from ()


@final
@dataclass(frozen=True)
class SampledRuns(Attacker):
    """Runs on whole problems, by lower confidence limits of the mean."""

    name = "runs"
    elsewhere = False
    turn = 4
    kind = SampledInstance
    stepsize_at = 2
    what = "sampled runs on the catalogue's problems, by confidence limits"

    def coordinates(self, claim: Claim) -> int:
        _problems(claim)
        return 4

    def instance(self, claim: Claim, u: Floats) -> SampledInstance:
        names = _problems(claim)
        name = names[min(int(u[0] * len(names)), len(names) - 1)]
        steps = claim.horizon or max(1, round(_STEPS ** float(u[1])))
        problem = _made(claim, name)
        method = method_of(claim, PROBE, problem, steps)
        gamma = with_share(claim, known(claim, method, problem), share(float(u[2])), steps)
        return SampledInstance(name, gamma, steps, int(u[3] * 1000))

    def measure(self, claim: Claim, instance: Any) -> BoundTrial:
        return runs(
            claim, _made(claim, instance.problem), instance, attacker=self.name,
            steps=instance.steps, replicas=_REPLICAS, seed=instance.seed,
        )  # fmt: skip

    def confirm(self, claim: Claim, trial: BoundTrial) -> Confirmation:
        instance: Any = trial.instance
        return again(claim, _made(claim, instance.problem), trial, instance.steps)


@cache
def _made(claim: Claim, name: str) -> Problem:
    if not name:
        assert claim.problem is not None
        return claim.problem()
    return problem_called(name, _WORKERS)


@remembered
def _problems(claim: Claim) -> tuple[str, ...]:
    """Names of the problems on which the claim says something.

    Raises:
        Unfit: there are none; says why.
    """
    names = [""] if claim.problem is not None else []
    if not claim.fixed:
        names += row_called(claim.row).problems if claim.row else []
    why: Unfit | None = None
    found, length = [], claim.horizon or _LOOKED
    for name in names:
        try:
            problem = _made(claim, name)
            method = method_of(claim, PROBE, problem, length)
            gamma = with_share(claim, known(claim, method, problem), 0.1, length)
            plain = SampledInstance(name, gamma, length, 0)
            runs(claim, problem, plain, attacker="runs", steps=length, replicas=4, seed=0)
        except Unfit as error:
            why = error
        else:
            found.append(name)
    if not found:
        raise Unfit(str(why or "no problem of the catalogue is known for it"))
    return tuple(found)


sampled_runs = SampledRuns()
