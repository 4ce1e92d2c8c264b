"""Laws of stochastic gradients over all samples: a variance that is a thousandth off is refuted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.core.key import Draws
from algorithms.problems.logistic import Logistic
from proofs_check.problems.all_samples import exact_noise
from proofs_check.problems.stating import StatedProblem
from proofs_check.verdict import Outcome


def outcomes(of: Any) -> list[Outcome]:
    points = torch.stack((of.start(), torch.ones(of.d, dtype=of.dtype)))
    return [one.outcome for one in exact_noise(of, points, 1)]


@pytest.mark.parametrize("name", ["logreg-breast-cancer", "mlp-digits", "sparse-linear"])
def test_mean_and_variance_are_those_of_all_samples(name: str) -> None:
    assert outcomes(problem(name, 4)) == [Outcome.AGREES] * 4


@pytest.mark.parametrize("name", ["quadratic-sc", "pairwise-logistic", "consensus"])
def test_what_draws_no_samples_is_left_to_chance(name: str) -> None:
    assert outcomes(problem(name, 4)) == []


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_variance_that_is_a_thousandth_off_is_refuted(factor: float) -> None:
    of = problem("logreg-breast-cancer", 4)
    told = StatedProblem(of, of.constants(), noise_share=factor)
    assert Outcome.REFUTED in outcomes(told)


def test_a_sample_that_is_never_drawn_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    true = Logistic.averaged

    def but_the_last(self: Logistic, x: Tensor, workers: Tensor, index: Tensor) -> Tensor:
        whole = index.shape[-1] == self.rows.shape[1]
        return true(self, x, workers, index if whole else index.clamp_max(self.rows.shape[1] - 2))

    monkeypatch.setattr(Logistic, "averaged", but_the_last)
    assert Outcome.REFUTED in outcomes(problem("logreg-breast-cancer", 4))


@dataclass(frozen=True, eq=False)
class Clipped(StatedProblem):
    """Gradients whose entries are cut at 0.01: no mean over samples."""

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        return self.inner.gradient(x, draws).clamp(-0.01, 0.01)


def test_a_gradient_that_is_no_mean_over_samples_is_left_to_chance() -> None:
    of = problem("logreg-breast-cancer", 4)
    assert outcomes(Clipped(of, of.constants())) == []
