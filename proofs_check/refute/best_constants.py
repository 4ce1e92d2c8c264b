"""Best constants: a theorem's bound beside the worst case at given constants, above and below.

From above by a programme's multipliers, over all functions of the class; from below by the run of
the simulator on the worst function. The factor of both to the bound is the least number that the
bound may be multiplied by there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, final

from proofs_check.refute.attackers.worst_case import held, with_gamma, worst_cases
from proofs_check.refute.certified import CertifiedSetting, certified
from proofs_check.refute.claim import Claim
from proofs_check.refute.measured import BoundTrial, Unfit
from proofs_check.refute.ours import claims_of
from proofs_check.refute.worst_instance import WorstInstance, solved

_SHARES = (1.0, 0.75, 0.5, 0.25, 0.1)
_AMOUNTS = (1.0, 0.1)
_PART = 0.25


@final
@dataclass(frozen=True)
class TightestSetting:
    """The settings tried at which a theorem gives away least.

    Attributes:
        theorem: its name.
        row: of the method.
        metric: what is bounded.
        trial: the instance, with the bound.
        above: no function of the class is worse than this.
        below: what a run on the worst function attains.
        programmes: how many different settings were solved.
        certified: multipliers that prove what is above, in fractions.
    """

    theorem: str
    row: str
    metric: str
    trial: BoundTrial
    above: float
    below: float
    programmes: int
    certified: CertifiedSetting

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
        bound = self.trial.bound
        return {
            "theorem": self.theorem, "row": self.row, "metric": self.metric, "T": self.trial.t,
            "stepsize": self.trial.stepsize, "constants": self.trial.constants,
            "instance": self.trial.instance.numbers(), "bound": bound, "above": self.above,
            "proved": math.nextafter(float(self.certified.value), math.inf),
            "below": self.below, "factor_above": self.above / bound,
            "factor_below": self.below / bound, "programmes": self.programmes,
        }  # fmt: skip


def best_constant(theorem: str) -> TightestSetting | None:
    """Of the first claim of a theorem that a programme holds; None: it holds none.

    Raises:
        Unsolved: no multipliers prove it in fractions.
        ImportError: cvxpy is not installed.
    """
    for claim in claims_of(theorem):
        try:
            settings = dict.fromkeys(_settings(claim))
        except Unfit:
            continue
        trials = [one for one in (_tried(claim, setting) for setting in settings) if one]
        if trials:
            return _tightest(theorem, claim, trials)
    return None


def _settings(claim: Claim) -> Iterator[WorstInstance]:
    """Instances at shares of the largest stepsize, equal ones where one alone is allowed.

    Raises:
        Unfit: no programme holds the claim.
    """
    sizes, parts, similar, longest = held(claim)
    lengths = (claim.horizon,) if claim.horizon else range(1, longest + 1)
    for n, steps, amount, part in product(sizes, lengths, _AMOUNTS, _SHARES):
        zeta = 0.0 if similar else amount
        plain = WorstInstance(n, 0.1, zeta, amount, 0.5, None, steps, (_PART,) * parts)
        try:
            setting = with_gamma(claim, plain, part)
        except Unfit:
            continue
        yield setting


def _tried(claim: Claim, setting: WorstInstance) -> BoundTrial | None:
    try:
        return worst_cases.measure(claim, setting)
    except Unfit:
        return None


def _tightest(theorem: str, claim: Claim, trials: list[BoundTrial]) -> TightestSetting:
    best = max(trials, key=lambda one: one.ratio)
    instance: Any = best.instance
    worst = solved(claim, instance).worst
    return TightestSetting(
        theorem, claim.row, claim.theorem.metric.value, best, max(worst.above, worst.value),
        worst_cases.confirm(claim, best).measured, len(trials),
        certified(theorem, claim, instance),
    )  # fmt: skip
