"""Bent lines against sums over a fine grid and numbers found by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from algorithms.core.key import Key
from proofs_check.refute.attackers.bent_lines import bent_lines
from proofs_check.refute.lines import BentLine, LineInstance
from proofs_check.refute.ours import claims_of
from proofs_check.refute.units import DIRECTIONS

LINE = LineInstance(2, (1.0, -0.5, 2.0), (-1.0, 2.0), 0.25, 0.5, 0.3, 0.1, None, 8).problem()


def test_the_value_is_the_integral_of_the_gradient() -> None:
    x = torch.linspace(-6, 6, 240_001, dtype=torch.float64)[:, None]
    g = LINE.mean_gradient(x)[:, 0].numpy()
    f = LINE.value(x).numpy()
    step = 12 / 240_000
    summed = np.concatenate(([0.0], np.cumsum((g[1:] + g[:-1]) / 2 * step)))
    assert np.allclose(summed - summed[120_000], f, atol=1e-8)
    assert LINE.f_star == pytest.approx(f.min(), abs=1e-8)


def test_gradients_by_hand() -> None:
    """F'(0) = 1/4, slope -1/2 from -1 to 2, 1 below, 2 above."""
    x = torch.tensor([[-3.0], [-1.0], [0.0], [2.0], [3.0]], dtype=torch.float64)
    assert LINE.mean_gradient(x)[:, 0].tolist() == [-1.25, 0.75, 0.25, -0.75, 1.25]


def test_minimum_by_hand() -> None:
    """Zeros of F' with a rising slope: -1.75 and 2.375; F is 0.25 x - x^2/4 between the bends."""
    assert float(LINE.x_star[0]) in (-1.75, 2.375)
    left = (-0.25 - 0.25) - 0.75 * 0.75 / 2
    right = (0.5 - 1.0) - 0.75 * 0.375 / 2
    assert LINE.f_star == pytest.approx(min(left, right))


def test_noise_has_two_points_mean_zero_and_its_variance() -> None:
    draws = Key.seed(1).draws(torch.arange(200_000), torch.arange(2))
    x = torch.zeros((200_000, 2, 1), dtype=torch.float64)
    noise = (LINE.gradient(x, draws) - LINE.full_gradient(x, torch.arange(2)))[:, 0, 0].numpy()
    points, counts = np.unique(noise.round(9), return_counts=True)
    assert np.allclose(points, [-0.3 / 3, 0.3 * 3])
    assert counts[1] / len(noise) == pytest.approx(0.1, abs=0.004)
    assert points @ [0.9, 0.1] == pytest.approx(0, abs=1e-8)
    assert points**2 @ [0.9, 0.1] == pytest.approx(LINE.sigma2)


def test_constants() -> None:
    c = LINE.constants()
    assert (c.L, c.convex, c.zeta2) == (2.0, False, 0.25)
    assert c.mu is None
    assert c.need("initial_gap") == -LINE.f_star


@pytest.mark.parametrize("slopes", [(0.0, 1.0), (1.0, -1.0)])
def test_a_line_without_a_minimum_is_refused(slopes: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="outer slopes must be positive"):
        BentLine("line", torch.zeros((1, 1), dtype=torch.float64), slopes, (0.5,), 1.0)


def test_workers_whose_curvatures_differ_within_a_width() -> None:
    """b = -3, 3 and width 2: slopes of -3/2 and 3/2 beside F', +-3 beyond; the mean is F'."""
    one = LineInstance(2, (1.0, 1.0), (0.5,), 0.0, 3.0, 0.0, 0.5, None, 8, width=2.0).problem()
    x = torch.tensor([[1.0], [-5.0]], dtype=torch.float64)
    assert one.all_gradients(x)[..., 0].tolist() == [[1 - 1.5, 1 + 1.5], [-5 + 3.0, -5 - 3.0]]
    assert torch.equal(one.all_gradients(x).mean(-2), one.mean_gradient(x))
    c = one.constants()
    assert (c.L, c.L_max, c.zeta2, c.mu, c.mu_min, c.convex) == (1.0, 2.5, 9.0, 1.0, None, False)


def test_workers_may_agree_elsewhere_than_at_the_start() -> None:
    """b = -3, 3, width 2 and centre 2: at 0 the gradients are 3 and -3, equal at 2."""
    told = LineInstance(
        2, (1.0, 1.0), (0.5,), 0.0, 3.0, 0.0, 0.5, None, 8, width=2.0, centre=2.0
    )  # fmt: skip
    x = torch.tensor([[0.0], [2.0], [3.0]], dtype=torch.float64)
    assert told.problem().all_gradients(x)[..., 0].tolist() == [[3, -3], [2, 2], [1.5, 4.5]]
    assert told.problem().constants().zeta2 == 9.0


@pytest.mark.parametrize("seed", [0, 1])
def test_a_line_in_other_units_has_the_same_ratio_under_a_right_bound(seed: int) -> None:
    """The metric and every term of the bound are (f/x)^2."""
    claim = claims_of("ri_sgd")[0]
    u = np.random.default_rng(seed).random(bent_lines.coordinates(claim))
    told = bent_lines.measure(claim, bent_lines.instance(claim, u))
    for units in DIRECTIONS:
        other = told.instance.in_units(*units)
        assert other is not None
        assert bent_lines.measure(claim, other).ratio == pytest.approx(told.ratio, rel=1e-5)
