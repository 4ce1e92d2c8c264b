"""Gradients of a heavy tail: their law, and the threshold that clips one in ten."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from scipy import stats

from algorithms.catalogue import row
from algorithms.core.key import Key
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.heavy_tailed import heavy_tailed
from algorithms.transforms.norm_clipping import ClipNorm

PROBLEM = heavy_tailed(4, 6)
DRAWS = Key.seed(3).draws(torch.arange(5000), torch.arange(4))


def test_noise_has_a_pareto_norm_and_no_preferred_direction():
    x = PROBLEM.start()[None]
    off = PROBLEM.gradient(x, DRAWS) - PROBLEM.full_gradient(x, torch.arange(4))
    norm = off.norm(dim=-1)
    pareto = stats.pareto(PROBLEM.alpha, scale=PROBLEM.scale)
    assert stats.kstest(norm.flatten().numpy(), pareto.cdf).pvalue > 1e-9
    unit = (off / norm[..., None]).reshape(-1, 6)
    second = unit.T @ unit / len(unit)
    assert float((second - torch.eye(6) / 6).abs().max()) < 0.02
    assert float(unit.mean(0).abs().max()) < 0.02
    assert PROBLEM.noise(x).isinf().all()


def test_a_larger_batch_averages():
    mean = PROBLEM.enlarged(3).gradient(torch.zeros(1, 6, dtype=torch.float64), DRAWS)
    one = PROBLEM.gradient(torch.zeros(1, 6, dtype=torch.float64), DRAWS)
    assert float(mean.norm(dim=-1).median()) < float(one.norm(dim=-1).median())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 1.0}, r"alpha must lie in \(1, 2\], got alpha=1.0"),
        ({"scale": 0.0}, "scale must be finite and > 0"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"x0": torch.zeros(2)}, "a and x0 must both be"),
        ({"a": -torch.ones(6)}, "a must be positive"),
    ],
)
def test_bad_problems_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(PROBLEM, **change)


def test_the_row_clips_about_one_gradient_in_ten_at_the_start():
    method = row("local-clipping").tune(PROBLEM, 10).method
    assert isinstance(method, BSP) and isinstance(method.transform, ClipNorm)
    g = PROBLEM.gradient(PROBLEM.start()[None], DRAWS)
    clipped = (method.transform.apply(g, 4) != g).any(-1).double().mean()
    assert 0.02 < float(clipped) < 0.3
