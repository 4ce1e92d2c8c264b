"""Error feedback around random operators is told as memory, a generator of one's own is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from proofs_check.audit.audit import audit
from proofs_check.audit.plan import Plan
from proofs_check.audit.repeats import check_memory
from proofs_check.audit.subject import subject_of
from proofs_check.audit.traits import CallMemory
from proofs_check.verdict import Outcome
from tests.proofs_check.audit import sound
from tests.proofs_check.audit.asking import tried


def feedback(rule: sound.Rule) -> type[sound.Feedback]:
    return type("Around", (sound.Feedback,), {"rule": staticmethod(rule)})


class OwnGenerator(sound.Feedback):
    """Feedback around rand-k of a tenth with a generator that nothing seeds."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = np.random.default_rng()

    def compress(self, x: np.ndarray) -> Any:
        wanted = x + (0 if self.residual is None else self.residual)
        sent = np.zeros_like(x)
        kept = self.generator.permutation(len(x))[: sound.share(len(x))]
        sent[kept] = wanted[kept]
        self.residual = wanted - sent
        return sent


class Rejecting:
    """One coordinate, drawn with its size as the chance; x decides how much is drawn."""

    def __init__(self, seed: int | None) -> None:
        self.generator = np.random.default_rng(seed)

    def compress(self, x: np.ndarray) -> np.ndarray:
        y = np.zeros_like(x)
        top = np.abs(x).max()
        while True:
            place = self.generator.integers(len(x))
            if top == 0 or self.generator.random() < abs(x[place]) / top:
                break
        y[place] = x[place]
        return y


class LastSign:
    """Half as large after a vector of negative sum: nothing else is kept."""

    def __init__(self) -> None:
        self.last = 1.0

    def compress(self, x: np.ndarray) -> np.ndarray:
        y = x if self.last >= 0 else x / 2
        self.last = float(x.sum())
        return np.asarray(y, dtype=x.dtype)


REMEMBER = {
    "rand-k, a tenth": feedback(sound.careful(lambda x: sound.drawn(x, sound.share(len(x))))),
    "rand-k, a hundredth": feedback(sound.rand_k_of_a_hundredth),
    "natural compression": feedback(sound.natural),
    "QSGD": feedback(sound.qsgd),
    "its own generator": OwnGenerator,
    "one sign": LastSign,
}


@pytest.mark.parametrize("name", REMEMBER)
def test_what_is_remembered_behind_randomness_is_seen(name: str) -> None:
    found = check_memory(tried(REMEMBER[name]))
    assert found.outcome is Outcome.REFUTED
    assert ("error feedback inside" in found.evidence) is (name != "one sign"), found.evidence


@pytest.mark.parametrize("seed", [5, None])
def test_a_generator_of_its_own_is_no_memory(seed: int | None) -> None:
    trial = tried(lambda: Rejecting(seed))
    assert trial.traits.memory is not CallMemory.HISTORY
    assert check_memory(trial).outcome is Outcome.SUPPORTED


@pytest.mark.slow
def test_a_default_audit_makes_no_more_calls_than_it_should() -> None:
    """Twenty microseconds each: below ten seconds, of which two and a half are imports."""
    calls = []

    def counted(x: np.ndarray) -> np.ndarray:
        calls.append(len(x))
        return sound.drawn(x, sound.share(len(x))) * (len(x) / sound.share(len(x)))

    assert not audit(subject_of("counted", counted), None, Plan()).faulty
    assert 200_000 < len(calls) < 330_000, len(calls)
