"""Verdict of a measured exponent on a stated order: three tests, each of which can fail.

The bound is asked first: its own slope at the points measured lies within NEAR of the order, or
its leading term does not rule there (outside the regime). In the regime the error must fall as fast
as the order (else it is short of it), and somewhere it must fall no faster: the order is attained,
or everything tried falls faster.
"""

from __future__ import annotations

from enum import StrEnum

from proofs_check.verdict import Outcome, Verdict

NEAR = 0.05
"""How near an exponent must be to an order to be it."""

COARSE = 0.1
"""Half-width of an interval that tells nothing apart."""


class RateStanding(StrEnum):
    """Standing of a measured exponent relative to a stated one."""

    ATTAINED = "attained"
    FASTER = "faster everywhere tried"
    SHORT = "short"
    OUTSIDE = "outside the regime"
    COARSE = "too coarse"
    REFUTED = "refuted"
    ALONE = "no order stated"
    UNFITTED = "no fit"
    MISSING = "not measured"

    @property
    def agrees(self) -> bool:
        """Whether the order stands: attained, or faster wherever it was looked at."""
        return self in (RateStanding.ATTAINED, RateStanding.FASTER)


STANDINGS: dict[RateStanding, str] = {
    RateStanding.ATTAINED: f"the exponent is the order within {NEAR:g}, and its interval holds it",
    RateStanding.FASTER: "the whole interval lies below the order: an upper bound that nothing "
    "tried comes near to",
    RateStanding.SHORT: "the whole interval lies above the order, where the bound's own slope is "
    f"within {NEAR:g} of it or no bound is known; nothing certain is refuted",
    RateStanding.OUTSIDE: "at the points measured the bound's own slope is not the order: its "
    "leading term does not rule there, and the exponent is not the order either",
    RateStanding.COARSE: f"the interval holds the order and reaches more than {COARSE:g} to a "
    f"side, or its middle is more than {NEAR:g} away: nothing is told apart",
    RateStanding.REFUTED: "a theorem with constants covers the runs, in its regime, and the error "
    "falls more slowly than its order",
    RateStanding.ALONE: "an exponent was measured, and no source states one",
    RateStanding.UNFITTED: "no power law could be fitted; the evidence says why",
    RateStanding.MISSING: "not in this survey; `rateproof table IV --measure` computes it",
}
"""What each standing means, the best first."""


def in_regime(bound_slope: float | None, order: float) -> bool | None:
    """Whether a bound's own slope is the order; None where there is no bound to ask."""
    return None if bound_slope is None else abs(bound_slope - order) <= NEAR


def standing_of(
    slope: float, half_width: float, order: float | None, bound_slope: float | None
) -> RateStanding:
    """Of an exponent with its interval to the ``order``; ``bound_slope`` is that of the bound at
    the same points."""
    if order is None:
        return RateStanding.ALONE
    low, high = slope - half_width, slope + half_width
    if low <= order <= high:
        near = abs(slope - order) <= NEAR and half_width <= COARSE
        return RateStanding.ATTAINED if near else RateStanding.COARSE
    if in_regime(bound_slope, order) is False:
        return RateStanding.OUTSIDE
    return RateStanding.SHORT if low > order else RateStanding.FASTER


def order_of(verdict: Verdict) -> float | None:
    """The stated exponent of a verdict on a cell, else what the run was set beside."""
    return verdict.bound if verdict.exponent is None else float(verdict.exponent)


def standing(verdict: Verdict) -> RateStanding:
    """What a verdict says of its exponent; its ``bound`` is the slope of the theorem's own bound at
    the same points, or the order itself where no bound is known."""
    slope, half = verdict.statistic, verdict.uncertainty
    if slope is None or half is None:
        return RateStanding.UNFITTED
    if verdict.outcome is Outcome.REFUTED:
        return RateStanding.REFUTED
    return standing_of(slope, half, order_of(verdict), verdict.bound)
