"""A user's torch module as a problem: the numbers of the perceptron written by hand."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from algorithms.core.key import Key
from algorithms.problems.mlp import digits_mlp
from algorithms.problems.module_problem import ModuleProblem
from theory.constants import Constants

N = 4
OURS = digits_mlp(N, hidden=3)


def perceptron() -> nn.Module:
    """The layers of ``OURS``, with its weights at the start."""
    layers = nn.Sequential(nn.Linear(64, 3), nn.Tanh(), nn.Linear(3, 10)).double()
    parts = torch.split(OURS.start(), [p.numel() for p in layers.parameters()])
    with torch.no_grad():
        for parameter, part in zip(layers.parameters(), parts, strict=True):
            parameter.copy_(part.view_as(parameter))
    return layers


THEIRS = ModuleProblem("theirs", perceptron(), cross_entropy, OURS.features, OURS.labels, 8)


def test_it_is_the_perceptron_written_by_hand() -> None:
    x = OURS.start() + torch.linspace(-0.3, 0.3, 3)[:, None]
    draws = Key.seed(3).draws(torch.arange(3), torch.arange(N))
    assert torch.equal(THEIRS.start(), OURS.start())
    for ours, theirs in (
        (OURS.value(x), THEIRS.value(x)),
        (OURS.mean_gradient(x), THEIRS.mean_gradient(x)),
        (OURS.all_gradients(x), THEIRS.all_gradients(x)),
        (OURS.gradient(x[:, None], draws), THEIRS.gradient(x[:, None], draws)),
        (OURS.noise(x), THEIRS.noise(x)),
        (OURS.heterogeneity(x), THEIRS.heterogeneity(x)),
    ):
        torch.testing.assert_close(theirs, ours, rtol=1e-10, atol=1e-13)
    assert THEIRS.d == OURS.d
    assert THEIRS.resampled(2).batch == 16


def test_dealing_keeps_every_sample_once_and_nothing_is_written_to() -> None:
    features, labels = torch.arange(22.0)[:, None], torch.arange(22.0)[:, None]
    model = nn.Linear(1, 1)
    before = [p.clone() for p in model.parameters()]
    dealt = ModuleProblem.from_data(model, nn.functional.mse_loss, features, labels, n=5, batch=2)
    assert dealt.features.shape == (5, 4, 1)
    assert dealt.dtype == torch.float64
    assert len(set(dealt.features.flatten().tolist())) == 20
    assert torch.equal(dealt.features, dealt.labels)
    dealt.mean_gradient(dealt.start())
    assert all(torch.equal(p, q) for p, q in zip(before, model.parameters(), strict=True))


def test_what_is_stated_is_kept_and_the_gap_follows() -> None:
    features, labels = torch.ones(4, 1), torch.zeros(4, 1)
    model = nn.Linear(1, 1, bias=False)
    told = Constants().state(L=2.0, f_star=0.0)
    with torch.no_grad():
        model.weight.fill_(3.0)
    built = ModuleProblem.from_data(
        model, nn.functional.mse_loss, features, labels, n=2, stated=told
    )
    c = built.constants()
    assert (c.n, c.d, c.L, c.initial_gap) == (2, 1, 2.0, 9.0)


def summed(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (out - y).square().sum()


@pytest.mark.parametrize(
    ("model", "loss", "n", "said"),
    [
        (nn.Linear(1, 1), summed, 2, "mean over the samples"),
        (nn.Identity(), nn.functional.mse_loss, 2, "parameters"),
        (nn.Linear(1, 1), nn.functional.mse_loss, 0, "n must be in"),
    ],
)
def test_what_is_no_problem_is_refused(model, loss, n, said) -> None:
    features, labels = torch.arange(6.0)[:, None], torch.ones(6, 1)
    with pytest.raises(ValueError, match=said):
        ModuleProblem.from_data(model, loss, features, labels, n=n)
