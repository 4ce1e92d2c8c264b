"""Matrices in single precision are judged with its rounding; more than rounding is still seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from algorithms.core.key import Key
from proofs_check.audit.audit import audit
from proofs_check.audit.claim_checks import beyond
from proofs_check.audit.claims import Stated
from proofs_check.audit.moments import Sample, SampledOperator, look, outcomes
from proofs_check.audit.runner import Runner, batched
from proofs_check.audit.subject import subject_of
from proofs_check.audit.traits import Traits, traits_of
from proofs_check.verdict import Outcome
from tests.proofs_check.audit.asking import SMALL, refuted, verdict

SINGLE, DOUBLE = (torch.finfo(dtype).eps for dtype in (torch.float32, torch.float64))


def of_rank(k: int, dtype: type = np.float32) -> Callable[[Any], Any]:
    """The best approximation of rank k, computed in ``dtype``; delta = k / min(m, n), Eckart-Young.

    Orthogonal matrices attain it.
    """

    def approximate(matrix: np.ndarray) -> np.ndarray:
        u, s, v = np.linalg.svd(matrix.astype(dtype), full_matrices=False)
        return np.asarray(((u[:, :k] * s[:k]) @ v[:k]).astype(matrix.dtype))

    return approximate


def projected(matrix: np.ndarray) -> np.ndarray:
    """On its column space: factors in single precision, their product in double."""
    q, r = np.linalg.qr(matrix.astype(np.float32))
    return np.asarray(q.astype(matrix.dtype) @ r.astype(matrix.dtype))


def torch_svd(matrix: Tensor) -> Tensor:
    u, s, v = torch.linalg.svd(matrix.float(), full_matrices=False)
    return ((u * s) @ v).to(matrix.dtype)


@pytest.mark.parametrize("thing", [of_rank(1000), projected, torch_svd])
def test_factors_of_full_rank_lose_rounding_only(thing: Any) -> None:
    found = audit(subject_of("planted", thing, True), Stated(True, "0", "1"), SMALL)
    assert not found.refuted
    assert found.headline.startswith("the identity")
    assert verdict(found, "shape").outcome is Outcome.SUPPORTED


def test_a_factor_off_by_a_thousandth_is_more_than_rounding() -> None:
    def off(matrix: np.ndarray) -> np.ndarray:
        return projected(matrix) * (1 + 2.0**-10)

    found = audit(subject_of("planted", off, True), Stated(unbiased=True), SMALL)
    assert refuted(found) >= {"Monte Carlo"}
    assert found.headline == ""


def at_orthogonal(thing: Any, rows: int) -> tuple[float, Sample]:
    """The unit that is found, and a look at an orthogonal matrix of rows x rows."""
    d = rows * rows
    subject = subject_of("planted", thing, True)
    traits = traits_of(subject, (d,))
    assert isinstance(traits, Traits)
    operator = batched(Runner(subject, traits.dtype), False)
    setting = SampledOperator(operator, d, Key.seed(0), 1, False, traits.eps)
    q = torch.linalg.qr(torch.randn(rows, rows, generator=torch.Generator().manual_seed(1)))[0]
    x = q.reshape(-1).to(torch.float64)
    return traits.eps, look(setting, "orthogonal", x, outcomes(setting, x, setting.key))


@pytest.mark.parametrize("rows", [4, 10, 30])
@pytest.mark.parametrize("k", [1, 2])
def test_an_attained_constant_is_not_refuted_by_rounding(rows: int, k: int) -> None:
    """The ratio is 1 - k / m there but for rounding; a hundred-thousandth more is refuted."""
    eps, seen = at_orthogonal(of_rank(k), rows)
    assert eps == SINGLE
    assert seen.ratio == pytest.approx(1 - k / rows, abs=1e-6)
    (sound,) = Stated(delta=f"{k}/sqrt(d)").claims(rows * rows)
    (wrong,) = Stated(delta=f"{k}/sqrt(d) + 1e-5").claims(rows * rows)
    assert not beyond(sound, seen)
    assert beyond(wrong, seen)


@pytest.mark.parametrize("thing", [of_rank(1, np.float64), lambda matrix: matrix / 3])
def test_what_works_in_double_precision_is_judged_in_it(thing: Any) -> None:
    assert at_orthogonal(thing, 4)[0] == DOUBLE
