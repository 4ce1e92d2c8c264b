"""CoLa and linear models by columns: kernels, refusals, stationary points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from algorithms.catalogue import problem
from algorithms.engine.run import run
from algorithms.kernels.coordinate_descent import block_products, descend
from algorithms.methods.gossip_local.cola import CoLa
from algorithms.problems.columns import Columns, NotSplitByColumns
from algorithms.problems.columns_data import breast_cancer, diabetes, sigmoid_breast_cancer
from algorithms.problems.glm_losses import GlmLoss, LogisticLoss, SigmoidLoss, SquareLoss
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_local import cola as cola_gap
from proofs_check.evidence.gossip_local.effects import careless
from proofs_check.verdict import Outcome


@pytest.mark.parametrize("n", [1, 3, 10, 16])
def test_columns_are_dealt_to_all(n: int) -> None:
    split = diabetes(n)
    owned = [range(a, b) for a, b in zip(split.first.tolist(), split.last.tolist(), strict=True)]
    assert [j for block in owned for j in block] == list(range(10))
    assert max(map(len, owned)) - min(map(len, owned)) <= 1


@pytest.mark.parametrize("loss", [SquareLoss(), LogisticLoss(), SigmoidLoss()])
def test_losses_against_automatic_differentiation(loss: GlmLoss) -> None:
    v = torch.linspace(-12, 12, 401, dtype=torch.float64)
    y = torch.where(torch.arange(401) % 3 == 0, 1.0, -1.0).double()
    point = v.clone().requires_grad_()
    (slope,) = torch.autograd.grad(loss.value(point, y).sum(), point, create_graph=True)
    torch.testing.assert_close(loss.slope(v, y), slope.detach(), rtol=1e-12, atol=1e-15)
    if not isinstance(loss, SquareLoss):
        (second_derivative,) = torch.autograd.grad(slope.sum(), point)
        torch.testing.assert_close(
            loss.second_derivative(v, y), second_derivative, rtol=1e-9, atol=1e-13
        )
    fine = loss.second_derivative(
        torch.linspace(-8, 8, 100_001, dtype=torch.float64), torch.ones(()).double()
    )
    assert fine.abs().max().item() == pytest.approx(loss.curvature, rel=1e-7)


def test_a_row_of_the_kernels_does_not_depend_on_the_others() -> None:
    generator = torch.Generator().manual_seed(1)
    split = breast_cancer(5)
    x = torch.randn((3, 5, 30), generator=generator, dtype=torch.float64)
    v = torch.randn((3, 5, 569), generator=generator, dtype=torch.float64)
    slopes = split.slope(v)
    whole = descend(split.columns, slopes, x, split.first, split.last, 0.1, 0.01, 0.02, 3)
    for i in range(5):
        one = slice(i, i + 1)
        alone = descend(
            split.columns, split.slope(v[1:2, one]), x[1:2, one], split.first[one],
            split.last[one], 0.1, 0.01, 0.02, 3,
        )  # fmt: skip
        assert all(torch.equal(a[1:2, one], b) for a, b in zip(whole, alone, strict=True))
        assert not whole[0][1, i, : split.first[i]].any()
        assert not whole[0][1, i, split.last[i] :].any()
    torch.testing.assert_close(
        block_products(split.columns, whole[0], split.first, split.last), whole[1],
        rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    torch.testing.assert_close(whole[0] @ split.columns, whole[1], rtol=1e-12, atol=1e-12)


def test_start_elsewhere_keeps_the_estimates_mean() -> None:
    """From any x_0 the minimiser is reached: v starts at n A_i x_i."""
    split = diabetes(4)
    x0 = torch.linspace(-1, 1, 10, dtype=torch.float64)
    trace = run(CoLa(Ring(4), 2), split, steps=700, x0=x0, points=2)
    assert split.x_star is not None
    torch.testing.assert_close(trace.model[0], split.x_star, rtol=0, atol=1e-9)
    start = run(CoLa(Ring(4), 2), split, steps=1, x0=x0, points=2).suboptimality[0, 0]
    assert start == pytest.approx(float(split.value(x0)) - (split.f_star or 0.0), rel=1e-12)


def test_a_non_convex_loss_reaches_a_stationary_point() -> None:
    trace = run(CoLa(Ring(4)), sigmoid_breast_cancer(4), steps=1500, points=2)
    assert trace.squared_gradient[0, -1] < 1e-16 * trace.squared_gradient[0, 0]


def test_zero_sub_gradient_exactly_at_minimisers() -> None:
    """Directional derivatives of the lasso: -||g||^2 along -g, g the least sub-gradient."""
    split = diabetes(4)
    generator = torch.Generator().manual_seed(2)
    for scale in (0.0, 0.02, 0.3):
        x = scale * torch.randn(10, generator=generator, dtype=torch.float64)
        x[::3] = 0
        g, step = split.mean_gradient(x), 1e-7
        fall = float(split.value(x - step * g) - split.value(x)) / step
        assert fall == pytest.approx(-float(g @ g), rel=1e-4)


def test_no_step_of_the_others_allowed_for_diverges() -> None:
    assert run(CoLa(Ring(4)), diabetes(4), steps=100, points=2).suboptimality[0, -1] < 0.02
    assert run(careless(Ring(4), 1), diabetes(4), steps=100, points=2).suboptimality[0, -1] > 1


def test_the_gap_study_sees_a_wrong_sigma() -> None:
    verdict, _ = cola_gap._simulated(cola_gap.ridge(1.0), lambda w: CoLa(w, sigma=20.0))
    assert verdict.outcome is Outcome.REFUTED


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: CoLa(Ring(4), 0), ValueError, "passes"),
        (lambda: CoLa(Ring(4), gamma=1.5), ValueError, "gamma=1.5"),
        (lambda: CoLa(Ring(4), sigma=0.0), ValueError, "sigma"),
        (lambda: run(CoLa(Complete(4)), problem("quadratic-sc", 4), steps=1),
         NotSplitByColumns, "quadratic-sc"),
        (lambda: run(CoLa(Ring(5)), diabetes(4), steps=1), ValueError, "n=5"),
        (lambda: diabetes(0), ValueError, "n=0"),
        (lambda: diabetes(2, l1=-1.0), ValueError, "l1=-1"),
        (lambda: Columns("x", torch.ones(3, 2), torch.ones(2), SquareLoss(), 0.0, 0.0, 1),
         ValueError, "targets"),
    ],
)  # fmt: skip
def test_bad_input_is_named(make: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        make()


def test_messages_are_estimates_not_models() -> None:
    trace = run(CoLa(Ring(4)), diabetes(4), steps=3, points=2)
    assert np.unique(trace.account.sent_bits.numpy()).tolist() == [3 * 2 * 64 * 442]
