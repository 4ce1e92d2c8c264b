"""What returns no numbers is told so, with what would do; nothing else is guessed of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tests.proofs_check.audit.asking import audited, refuted, verdict


async def _async(x: Any) -> Any:
    return x


def _yields(x: Any) -> Any:
    yield x


def _in_place(x: Any) -> None:
    x *= 2


@pytest.mark.parametrize(
    ("thing", "due"),
    [
        (_async, "a coroutine, not an array; a function without async would do"),
        (_yields, "a generator, not an array; return in place of yield would do"),
        (_in_place, "None, not an array; a return of x_hat would do"),
        (lambda x: {"x": x}, "dict, not an array"),
    ],
)
def test_what_came_back_is_named(thing: Any, due: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = audited(thing)
    assert refuted(found) == {"runs"}
    told = verdict(found, "runs").evidence
    assert f"returns {due}" in told
    assert "between calls" not in told


def test_one_number_for_all_of_x_is_no_identity() -> None:
    """It is one in R^1, the only dimension that could be measured."""
    found = audited(lambda x: np.float64(np.sum(x)))
    assert not found.headline
    assert "dimensions" in refuted(found)
