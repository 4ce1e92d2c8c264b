"""Ranges of constants: what each can be at all, and which pairs cannot stand so to one another."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, final

from theory.constants import Constants

ROUNDING = 1e-9
"""Relative slack of comparisons between two constants, which may have been computed."""


@final
class Range(NamedTuple):
    """Finite numbers from ``low`` to ``high``; an end is one of them if it is ``closed``."""

    low: float
    high: float = math.inf
    closed: tuple[bool, bool] = (True, False)

    def holds(self, value: float) -> bool:
        """Whether ``value`` is one of them; not a number never is."""
        above = value >= self.low if self.closed[0] else value > self.low
        below = value <= self.high if self.closed[1] else value < self.high
        return above and below

    def __str__(self) -> str:
        left, right = "[" if self.closed[0] else "(", "]" if self.closed[1] else ")"
        return f"{left}{self.low:g}, {self.high:g}{right}"


POSITIVE = Range(0, closed=(False, False))
NONNEGATIVE = Range(0)
COUNT = Range(1)
PART = Range(0, 1, (True, True))

RANGES: dict[str, Range] = {
    **dict.fromkeys(("n", "d", "H", "H_stale", "H_velocity", "lazy_window", "blocks"), COUNT),
    **dict.fromkeys(("turn", "collected", "held"), COUNT),
    **dict.fromkeys(("L", "L_max", "L_rms", "gain", "consensus_step"), POSITIVE),
    **dict.fromkeys(("lipschitz", "lipschitz_one"), POSITIVE),
    **dict.fromkeys(("lam", "kept", "remembered"), PART),
    **dict.fromkeys(
        ("delta", "delta_up", "delta_down", "meeting_chance", "refresh"), Range(0, 1, (False, True))
    ),
    "growth": COUNT,
    "momentum": Range(0, 1),
    "lam_n": Range(-1, 1, (True, True)),
    "beta": Range(0, 2, (True, True)),
    "f_star": Range(-math.inf, closed=(False, False)),
    **dict.fromkeys(
        (
            "mu", "mu_min", "pl", "sigma2", "zeta2", "zeta2_star", "G2", "initial_gap", "R2",
            "omega", "omega_up", "omega_down", "tau", "tau_coordinate", "tau_rms", "lead",
            "initial_potential", "alpha", "L_one", "sigma_one", "absolute_error", "lazy",
            "divergence", "hessian_lipschitz", "diameter", "reach", "behind",
            "excess", "carried", "echoed", "initial_memory", "compensation",
        ),
        NONNEGATIVE,
    ),
}  # fmt: skip
"""By the name of every constant that is a number, what it can be."""

ORDERED = (("mu", "L"), ("mu", "L_max"), ("mu_min", "L_max"), ("pl", "L"), ("pl", "L_max"))
"""Pairs of which the first is never above the second: 2 pl (f - f*) <= ||grad f||^2 <=
2 L (f - f*)."""


def impossible(c: Constants, names: Iterable[str]) -> tuple[str, ...]:
    """Sentences on what no setting has: of ``names``, and of pairs of which one is among them."""
    named = set(names)
    alone = tuple(
        f"{name} must lie in {RANGES[name]}, got {name}={c.need(name):.6g}"
        for name in RANGES
        if name in named and not RANGES[name].holds(c.need(name))
    )
    stated = set(c.stated())
    pairs = tuple(
        f"{low} must be at most {high}, got {low}={c.need(low):.6g} and {high}={c.need(high):.6g}"
        for low, high in ORDERED
        if {low, high} <= stated
        and {low, high} & named
        and c.need(low) > c.need(high) * (1 + ROUNDING)
    )
    return alone + pairs
