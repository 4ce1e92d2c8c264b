"""The lower bounds' hard instance against torch and dense linear algebra, and what it refuses."""

from __future__ import annotations

import pytest
import torch

from algorithms.core.key import Key
from algorithms.problems.nesterov_chain import NesterovChain


def test_the_hard_instance_is_what_its_closed_forms_say() -> None:
    """Gradients against torch, local solves against dense linear algebra, the minimum's slope."""
    problem, ids = NesterovChain(4, 9, 0.5, 8.0), torch.arange(4)
    draws = Key.seed(4).draws(torch.arange(2), ids)
    x = draws.normal(9, torch.float64)
    assert float(problem.mean_gradient(problem.x_star).abs().max()) < 1e-14
    assert float(problem.value(problem.x_star)) == problem.f_star
    for i in range(4):
        hessian = torch.autograd.functional.jacobian(
            lambda point, i=i: problem.full_gradient(point[None], ids[i : i + 1])[0], x[0, i]
        )
        values = torch.linalg.eigvalsh(hessian)
        assert float(values[0]) == pytest.approx(0.5)
        assert float(values[-1]) == pytest.approx(8.0 if i in (0, 3) else 0.5)
    weights = torch.tensor([0.3, 1.0, 2.0, 5.0], dtype=torch.float64)
    found = problem.proximal_point(x, weights, ids, x)
    left = problem.full_gradient(found, ids) + weights[:, None] * (found - x)
    assert float(left.abs().max()) < 1e-13
    assert torch.allclose(
        problem.all_gradients(x[0, 0]).mean(0), problem.mean_gradient(x[0, 0]), atol=1e-14
    )
    point = x[1, 2].clone().requires_grad_()
    (slope,) = torch.autograd.grad(problem.value(point), point)
    assert torch.allclose(slope, problem.mean_gradient(x[1, 2]), atol=1e-12)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: NesterovChain(1, 5, 1.0, 2.0), "workers must be at least 2, got workers=1"),
        (lambda: NesterovChain(3, 5, 2.0, 1.0), "beta must be finite and >= 2"),
    ],
)
def test_bad_input_is_named(build, words) -> None:
    with pytest.raises(ValueError, match=words):
        build()
