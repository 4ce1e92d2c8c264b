"""A run in compiled blocks beside the same run through the method's own steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.engine import run as run_module
from algorithms.engine.run import run
from algorithms.engine.trace import Recorder
from algorithms.pipeline import advance
from algorithms.pipeline.looks import Observer

TRACED = (
    "steps", "suboptimality", "squared_gradient", "average_squared_gradient", "consensus",
    "squared_distance",
    "weighted_suboptimality", "sent_bits", "received_bits", "messages", "seconds", "gradients",
)  # fmt: skip


class OneByOne:
    """In place of blocks: every step is the method's own."""

    def __init__(self, *_: Any) -> None:
        pass

    def advance(self, state: Any, t: int, *_: Any) -> tuple[Any, int]:
        """The state as it is."""
        return state, 0


class RecordedOneByOne(Recorder):
    """Makes every record when it comes, by itself."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.notes = False


class Counted(advance.Blocks):
    """Blocks that tell how many steps they took."""

    taken = 0

    def advance(
        self, state: Any, t: int, until: int, observer: Observer | None = None
    ) -> tuple[Any, int]:
        state, done = super().advance(state, t, until, observer)
        Counted.taken += done
        return state, done


def composed(method: Any, problem: Any, **options: Any) -> Any:
    """The run through the method's own steps alone, each record made by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "Blocks", OneByOne)
        patch.setattr(run_module, "Recorder", RecordedOneByOne)
        return run(method, problem, **options)


def noted(method: Any, problem: Any, **options: Any) -> Any:
    """The run through the method's own steps, many records made together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "Blocks", OneByOne)
        return run(method, problem, **options)


def in_blocks(method: Any, problem: Any, **options: Any) -> Any:
    """The run as it is; ``Counted.taken`` says how many of its steps were taken in blocks."""
    Counted.taken = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "Blocks", Counted)
        return run(method, problem, **options)


def assert_equal(one: Any, other: Any) -> None:
    """Two traces are equal bit for bit: rows, bills, series."""
    assert one.rows.dtype == other.rows.dtype
    np.testing.assert_array_equal(one.rows.numpy(), other.rows.numpy())
    assert all(torch.equal(a, b) for a, b in zip(one.account, other.account, strict=True))
    for name in TRACED:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def assert_same(method: Any, problem: Any, **options: Any) -> int:
    """Both ways agree bit for bit, or end in the same error with the same trace; how many steps
    were taken in blocks."""
    ends: list[Any] = []
    for way in (in_blocks, composed):
        try:
            ends.append(way(method, problem, **options))
        except (ArithmeticError, ValueError) as error:
            ends.append(error)
    one, other = ends
    if isinstance(other, Exception):
        assert type(one) is type(other) and str(one) == str(other)
        if isinstance(other, ValueError):  # refused before the first step
            return 0
        one, other = one.trace, other.trace
    assert_equal(one, other)
    return Counted.taken


@contextmanager
def threads(count: int) -> Iterator[None]:
    """So many threads for a run, however short its steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(advance, "WORTH", 0)
        torch.set_num_threads(count)
        try:
            yield
        finally:
            torch.set_num_threads(1)
