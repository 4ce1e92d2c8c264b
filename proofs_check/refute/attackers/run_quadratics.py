"""Quadratics by runs: for operators that are not linear and metrics that moments do not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from proofs_check.refute.attacker import Confirmation
from proofs_check.refute.attackers.exact_quadratics import exact_moments_attacker
from proofs_check.refute.claim import Claim
from proofs_check.refute.followed import again, runs
from proofs_check.refute.measured import BoundTrial, Unfit
from proofs_check.refute.quadratics import SHORT, QuadraticAttacker, allowed, quadratic_of

_REPLICAS, _SEED = 128, 21


@final
@dataclass(frozen=True)
class RunQuadratics(QuadraticAttacker):
    """The same quadratics, by confidence limits; without noise and choices a run is exact."""

    name = "quadratics"
    turn = 3
    what = "quadratics by runs, for what exact moments do not hold"

    def held(self, claim: Claim) -> None:
        try:
            exact_moments_attacker.held(claim)
            sizes = allowed(exact_moments_attacker, claim).sizes
        except Unfit:
            return
        if max(d for _, d in sizes) == max(claim.dimensions):
            raise Unfit("exact moments hold it")

    def longest(self, claim: Claim) -> int:
        return SHORT

    def measure(self, claim: Claim, instance: Any) -> BoundTrial:
        return runs(
            claim, quadratic_of(instance), instance, attacker=self.name, steps=instance.steps,
            replicas=_REPLICAS, seed=_SEED,
        )  # fmt: skip

    def confirm(self, claim: Claim, trial: BoundTrial) -> Confirmation:
        instance: Any = trial.instance
        return again(claim, quadratic_of(instance), trial, instance.steps)


run_quadratics = RunQuadratics()
