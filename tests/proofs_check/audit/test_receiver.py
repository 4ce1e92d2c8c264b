"""What a receiver would need beside the message is found, and counted where it can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from proofs_check.audit.claims import Stated
from proofs_check.audit.messages import Unmeasured, costs
from proofs_check.audit.randomness import undisturbed
from proofs_check.audit.receiver import check_receiver
from proofs_check.verdict import Outcome, Verdict
from tests.proofs_check.audit.asking import audited, refuted, tried, verdict


def receiver(thing: Any) -> Verdict:
    with undisturbed():
        return check_receiver(tried(thing))


class SizesInContext:
    """Sends the signs in 8 bits each; the sizes travel as context, which nobody counts."""

    def compress(self, x: torch.Tensor, name: str) -> Any:
        return (x.sign().to(torch.int8),), (x.abs(), x.numel())

    def decompress(self, payload: Any, context: Any) -> torch.Tensor:
        return payload[0].to(context[0].dtype) * context[0]


class KeepsPositions:
    """Sends the largest tenth; where they lie is left in the object."""

    def compress(self, x: np.ndarray) -> np.ndarray:
        self.d = len(x)
        self.kept = np.argsort(-np.abs(x))[: max(1, len(x) // 10)]
        return x[self.kept]

    def decompress(self, message: np.ndarray) -> np.ndarray:
        y = np.zeros(self.d, message.dtype)
        y[self.kept] = message
        return y


LAST: list[float] = []


def mean_left_behind(x: np.ndarray) -> np.ndarray:
    LAST[:] = [float(x.mean())]
    return x - x.mean()


def with_the_mean(message: np.ndarray) -> np.ndarray:
    return np.asarray(message + LAST[0], dtype=message.dtype)


class SharedPositions:
    """Both ends draw the positions from one seed, so they stand in the context."""

    def compress(self, x: torch.Tensor, name: str) -> Any:
        kept = torch.randperm(x.numel())[: -(-x.numel() // 2)]
        return (2 * x[kept],), (kept, x.numel())

    def decompress(self, payload: Any, context: Any) -> torch.Tensor:
        kept, d = context
        return torch.zeros(d, dtype=payload[0].dtype).scatter(0, kept, payload[0])


class BookAtFirstUse:
    """Levels -1, -1/2, ..., 1 of the largest size, made when something is sent."""

    book: Any = None

    def compress(self, x: np.ndarray) -> Any:
        self.book = np.linspace(-1, 1, 5)
        top = np.abs(x).max()
        level = np.abs(x[:, None] - top * self.book).argmin(1)
        return level.astype(np.int8), top

    def decompress(self, message: Any) -> np.ndarray:
        level, top = message
        return np.asarray(top * self.book[level], dtype=np.asarray(top).dtype)


@pytest.mark.parametrize(
    ("thing", "needs"),
    [
        (SizesInContext, "the receiver needs the context of that very vector"),
        (KeepsPositions, "the receiver needs what the sending object has kept"),
        ((mean_left_behind, with_the_mean), "the receiver needs what the sending object has kept"),
    ],
)
def test_what_goes_another_way_is_refuted(thing: Any, needs: str) -> None:
    seen = receiver(thing)
    assert seen.outcome is Outcome.REFUTED
    assert needs in seen.evidence


@pytest.mark.parametrize("thing", [SharedPositions, BookAtFirstUse])
def test_what_both_ends_have_is_no_fault(thing: Any) -> None:
    assert receiver(thing).outcome is Outcome.SUPPORTED


def test_the_context_counts_where_the_receiver_cannot_know_it() -> None:
    """Eight bits a sign, 32 a size: 40 a coordinate, more than no compression."""
    found = audited(SizesInContext, Stated(bits="8 * d"))
    assert found.refuted
    assert {"bits", "receiver", "message"} <= refuted(found)
    assert verdict(found, "message").evidence.startswith("4000 bits (int8[100] + float32[100])")


def test_what_is_kept_in_the_object_has_no_length() -> None:
    trial = tried(KeepsPositions)
    with pytest.raises(Unmeasured, match="what the sending object has kept"):
        costs(trial.single, trial.traits)


def test_a_crash_at_some_dimension_names_its_line() -> None:
    def no_sixteen(x: np.ndarray) -> np.ndarray:
        if len(x) == 16:
            raise IndexError("sixteen")
        return x / 2

    line = no_sixteen.__code__.co_firstlineno + 2
    told = verdict(audited(no_sixteen), "dimensions").evidence
    assert f"raises IndexError: sixteen (test_receiver.py, line {line})" in told


RESIDUAL: list[Any] = []


def kept_for_good(x: np.ndarray) -> np.ndarray:
    """Error feedback in a global variable that no other dimension renews."""
    wanted = x + (RESIDUAL[0] if RESIDUAL else 0)
    sent = np.where(np.abs(wanted) >= np.abs(wanted).max(), wanted, 0)
    RESIDUAL[:] = [wanted - sent]
    return np.asarray(sent, dtype=x.dtype)


def test_a_residual_that_cannot_be_renewed_is_told_with_what_would_do() -> None:
    """It takes its first vector, in R^16, as an array and then as a tensor; then nothing."""
    RESIDUAL.clear()
    found = audited(kept_for_good)
    assert not found.runs
    told = verdict(found, "runs").evidence
    line = kept_for_good.__code__.co_firstlineno + 2
    assert f"(test_receiver.py, line {line})" in told
    assert "a function without arguments that returns a new one, would do" in told
