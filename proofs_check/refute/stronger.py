"""How much stronger a wrong theorem is than the right one, and what the right one gives away."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from proofs_check.refute.limited import longer
from proofs_check.refute.seeds import kept
from proofs_check.refute.step_limits import MOST, records
from theory.constants import Constants
from theory.ranges import RANGES
from theory.stepsizes import Stepsize
from theory.theorem import Theorem

TIMES = np.array([1.0, 10.0, 100.0, 1e4])
"""Steps after which bounds are compared."""

HORIZON = 100
"""Steps of a run for which stepsizes are asked."""

_SAMPLES = 60
_BELOW, _LONGER = 1 - 1e-6, 1 + 1e-3
_LENGTHS = 2.0 ** (np.arange(-12, 13) / 4)


@final
@dataclass(frozen=True)
class TheoremDifference:
    """How much more a theorem says than another.

    Attributes:
        share: the least ratio of its bound and the other's, where both apply.
        reach: how many times as long its stepsizes may be as the other's.
        others: whether it speaks of constants that the other refuses at every stepsize tried.
    """

    share: float
    reach: float = 1.0
    others: bool = False

    @property
    def stronger(self) -> bool:
        """Whether it says more at all."""
        return self.share < _BELOW or self.reach > _LONGER or self.others

    def __str__(self) -> str:
        said = [f"least share {self.share:.3g}"] if self.share < _BELOW else []
        said += [f"steps {self.reach:.3g} times as long"] if self.reach > _LONGER else []
        said += ["constants that the right one refuses"] if self.others else []
        return ", ".join(said) or "no stronger"


@final
@dataclass(frozen=True)
class KnownSlack:
    """Slack of a true theorem, as far as anybody saw.

    Attributes:
        slack: the largest ratio of metric and bound that was measured; 1: the bound is met, or
            nothing is known.
        factor: steps so many times as long as it allows break the bound; infinite: none that were
            tried did.
    """

    slack: float = 1.0
    factor: float = 1.0

    def hides(self, one: TheoremDifference) -> str:
        """Why nothing that was measured contradicts a theorem so much stronger; empty: something
        may."""
        if one.others or one.share < self.slack or _LONGER < one.reach > self.factor:
            return ""
        said = f"its bound has slack {self.slack:.3g}"
        if one.reach > _LONGER and np.isinf(self.factor):
            said += f", and steps up to {MOST:g} times as long broke nothing"
        elif one.reach > _LONGER:
            said += f", and steps {self.factor:.3g} times as long are the first to break it"
        return said


def slacks_kept() -> Mapping[str, KnownSlack]:
    """Slack of each theorem that seeds (``true_theorems.json``) and searches for the edge of its
    stepsizes (``step_limits.json``) say something of."""
    found = {
        name: KnownSlack(record.ratio) for name, record in kept().items() if record.tried
    }  # fmt: skip
    for name, record in records().items():
        if record.factor or record.tried:
            factor = record.factor or float("inf")
            found[name] = replace(found.get(name, KnownSlack()), factor=factor)
    return found


def compared(theorem: Theorem, wrong: Theorem) -> TheoremDifference:
    """How much more ``wrong`` says than ``theorem``.

    Constants are the example's, each times a number between 1/10 and 10 within its range.
    """
    rng = random.Random(0)
    share, reach, others = float("inf"), 1.0, False
    for k in range(_SAMPLES):
        c = theorem.example if k == 0 else _near(theorem.example, rng)
        try:
            step = theorem.stepsize(c, HORIZON)
            most, more = (_longest(one, c, step) for one in (theorem, wrong))
            if not more:
                continue
            if not most:
                others = True
                continue
            reach = max(reach, more / most)
            least = min(most, more)
            for part in (least, least * 2 ** rng.uniform(-3, 0)) if k else (1.0, least):
                share = min(share, _share(theorem, wrong, c, longer(step, part)))
        except (ValueError, ArithmeticError):
            continue
    return TheoremDifference(share, reach, others)


def _share(theorem: Theorem, wrong: Theorem, c: Constants, step: Stepsize) -> float:
    """The least ratio of the bounds; infinite where one of the theorems does not apply."""
    if theorem.violations(c, step, HORIZON) or wrong.violations(c, step, HORIZON):
        return float("inf")
    told, right = wrong.bound(c, step, TIMES), theorem.bound(c, step, TIMES)
    ratios = told / np.maximum(right, np.finfo(float).tiny)
    return float(np.min(ratios[np.isfinite(right)], initial=np.inf))


def _longest(theorem: Theorem, c: Constants, step: Stepsize) -> float:
    """The longest of some multiples of a stepsize that the theorem allows; 0: none."""
    for factor in _LENGTHS[::-1].tolist():
        if not theorem.violations(c, longer(step, factor), HORIZON):
            return float(factor)
    return 0.0


def _near(c: Constants, rng: random.Random) -> Constants:
    stated = {name: getattr(c, name) for name in RANGES if getattr(c, name) is not None}
    given: dict[str, float] = {}
    for name, value in stated.items():
        allowed = RANGES[name]
        other = value * 10 ** rng.uniform(-1, 1) if value else rng.choice((0.0, 1.0))
        if allowed.high <= 1:
            other = rng.uniform(0.02, 0.98) if rng.random() < 0.7 else value
        given[name] = max(1, round(other)) if isinstance(value, int) else other
    return replace(c, **given)  # type: ignore[arg-type]
