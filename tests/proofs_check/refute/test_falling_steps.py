"""First stepsizes of rules that fall as 1/t, and what a bound gives away there, by hand."""

from __future__ import annotations

import pytest

from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.attackers.bent_lines import bent_lines
from proofs_check.refute.lines import LineInstance
from proofs_check.refute.measured import Unfit, first_share, lengthened, rule
from proofs_check.refute.ours import claims_of
from theory.constants import Constants
from theory.stepsizes import InverseTimeStep

(MEM,) = claims_of("mem_sgd")
KNOWN = Constants(n=1, L=1.0, mu=0.25, G2=1.0, delta=1.0, R2=1.0)


def test_a_first_stepsize_is_a_larger_shift() -> None:
    step = rule(MEM, KNOWN, 0.5, 100)
    assert step == InverseTimeStep(32.0, 64.0)
    longest = rule(MEM, KNOWN, None, 100)
    assert isinstance(longest, InverseTimeStep)
    assert longest.shift == pytest.approx(6 + (5 / 9) / (14 / 9))
    assert first_share(MEM, KNOWN, longest, 0.1, 100) == pytest.approx(longest(0) / 100)
    assert first_share(MEM, KNOWN, longest, 1.0, 100) is None
    with pytest.raises(Unfit, match="shift must be at least"):
        rule(MEM, KNOWN, 2 * longest(0), 100)


def test_short_steps_have_longer_runs() -> None:
    longest = rule(MEM, KNOWN, None, 100)(0)
    assert lengthened(MEM, KNOWN, longest / 4, 10, 900) == 40
    assert lengthened(MEM, KNOWN, longest / 1000, 10, 900) == 900
    assert lengthened(MEM, KNOWN, None, 10, 900) == 10


def test_mem_sgd_on_a_straight_line_gives_away_little_more_than_a_half() -> None:
    """Gradients are almost -1 on the way to the minimum, which T steps of 1/2 just reach: the bound
    is then about R^2/(gamma T), of which the mean of the path is a half. By a loop written out."""
    mu, gamma, T, far = 1e-4, 0.5, 200, 100.0
    slope = -1.0 - mu * (far - 1)
    line = LineInstance(
        1, (mu, 1.0, mu), (far - 1, far + 1), slope, 0.0, 0.0, 0.5, gamma, T
    )  # fmt: skip
    trial = bent_lines.measure(MEM, line)
    shift, x, total, weights, G2 = 8 / (mu * gamma), 0.0, 0.0, 0.0, 0.0
    ratios = []
    for t in range(T):
        g = slope + mu * x if x <= far - 1 else -1.0 + (x - (far - 1))
        G2 = max(G2, g * g)
        total, weights = total + (shift + t) ** 2 * x, weights + (shift + t) ** 2
        mean = total / weights
        excess = 0.5 - (mean - (far - 1)) + mu * (far - 1 - mean) ** 2 / 2  # left of the bend
        count = t + 1
        bound = mu * shift**3 / 8 * far**2 + 4 * count * (count + 2 * shift) / mu
        drift = 64 * count * (1 + 2 / mu) / mu * 20
        ratios.append((excess, (bound - 4 * count * (count + 2 * shift) / mu) / weights,
                       (4 * count * (count + 2 * shift) / mu + drift) / weights))  # fmt: skip
        x -= 8 / (mu * (shift + t)) * g
    largest = max(excess / (start + G2 * noise) for excess, start, noise in ratios)
    assert trial.ratio == pytest.approx(largest, rel=1e-9)
    assert 0.4 < trial.ratio < 0.5


def test_searches_look_at_smaller_first_stepsizes() -> None:
    """Every attacker that makes instances of the theorem has some of them."""
    found = set()
    for one in ATTACKERS:
        try:
            size = one.coordinates(MEM)
        except Unfit:
            continue
        for u in one.edges(size):
            try:
                found |= {one.name} if one.instance(MEM, u).gamma is not None else set()
            except Unfit:
                continue
    assert {"exact", "parts", "lines"} <= found
