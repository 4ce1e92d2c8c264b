"""Seeding a global generator, drawing from one, and writing into the input are told apart."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.compressors.qsgd import QSGD
from proofs_check.audit.randomness import GENERATORS, GeneratorEffect, touched, undisturbed
from proofs_check.audit.side_effects import check_generators, check_in_place
from proofs_check.verdict import Outcome, Verdict
from tests.proofs_check.audit.asking import audited, refuted, tried, verdict

CHECK = "global generators"
TORCH, NUMPY, PYTHON = GENERATORS


def generators(thing: Any) -> Verdict:
    with undisturbed():
        return check_generators(tried(thing))


def in_place(thing: Any) -> Verdict:
    with undisturbed():
        return check_in_place(tried(thing))


class SharedSeed:
    """Random-k whose ranks agree on the positions by seeding torch with the step."""

    def __init__(self) -> None:
        self.step = 0

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        self.step += 1
        torch.manual_seed(1234 + self.step)
        return 2 * x * (torch.rand_like(x) < 0.5)


class SeedsOnce:
    """Seeds numpy where it is made."""

    def __init__(self) -> None:
        np.random.seed(7)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return 2 * x * (np.random.random(len(x)) < 0.5)


class SeedsThenDraws(SharedSeed):
    """Another seed each time, which no two calls share."""

    steps = 0

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        SeedsThenDraws.steps += 1
        torch.manual_seed(SeedsThenDraws.steps)
        return x.clone()


def puts_back(x: torch.Tensor) -> torch.Tensor:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        return 2 * x * (torch.rand_like(x) < 0.5)


def own_generator(x: np.ndarray) -> np.ndarray:
    return 2 * x * (np.random.default_rng(3).random(len(x)) < 0.5)


def draws(x: np.ndarray) -> np.ndarray:
    return 2 * x * (np.random.random(len(x)) < 0.5)


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (SharedSeed, "a call, d = 100, seeds the generator torch global: whatever its state was"),
        (SeedsOnce, "making one seeds the generator numpy global"),
        (SeedsThenDraws, "seeds the generator torch global"),
    ],
)
def test_seeding_a_global_generator_is_refuted(thing: Any, told: str) -> None:
    seen = generators(thing)
    assert seen.outcome is Outcome.REFUTED
    assert told in seen.evidence
    assert "worse than drawing" in seen.evidence


def test_a_mask_from_a_fixed_seed_is_no_chance() -> None:
    """The same coordinates are lost in every call: judged as what it is, deterministic."""

    def fixed_mask(x: np.ndarray) -> np.ndarray:
        np.random.seed(len(x))
        return 2 * x * (np.random.random(len(x)) < 0.5)

    found = audited(fixed_mask)
    assert not found.random
    assert found.measures[-1].worst.look.ratio_width < 1e-12, "1 - 1e-14, not 1 - 0.06"
    assert audited(draws).random


def test_the_numbers_that_follow_a_seeding_are_shown() -> None:
    generator = torch.Generator().manual_seed(1234 + 3)
    torch.rand(100, generator=generator, dtype=torch.float64)
    after = torch.rand((), generator=generator).item()
    assert f"the next numbers are {after:.3g}, " in generators(SharedSeed).evidence


def test_drawing_is_told_and_is_no_fault() -> None:
    found = audited(draws)
    assert verdict(found, CHECK).outcome is Outcome.COMPARED
    assert "draws from the generator numpy global, never seeds it" in (
        verdict(found, CHECK).evidence
    )
    assert refuted(found) == set()


@pytest.mark.parametrize("thing", [puts_back, own_generator, np.sign, QSGD(1)])
def test_what_leaves_them_alone_passes(thing: Any) -> None:
    assert generators(thing).outcome is Outcome.SUPPORTED


def test_each_generator_is_told_apart() -> None:
    assert touched(PYTHON, lambda: random.seed(1)) is GeneratorEffect.SET
    assert touched(PYTHON, random.random) is GeneratorEffect.DRAWN
    assert touched(PYTHON, lambda: np.random.seed(1)) is GeneratorEffect.LEFT
    assert touched(NUMPY, lambda: np.random.seed(1)) is GeneratorEffect.SET
    assert touched(NUMPY, np.random.random) is GeneratorEffect.DRAWN
    assert touched(TORCH, lambda: torch.rand(3)) is GeneratorEffect.DRAWN
    assert touched(TORCH, lambda: torch.manual_seed(1)) is GeneratorEffect.SET


class AddsItsResidual:
    """Error feedback that adds the residual into the gradient itself, from the second call on."""

    def __init__(self) -> None:
        self.residual: Any = None

    def __call__(self, x: np.ndarray) -> np.ndarray:
        if self.residual is not None:
            x += self.residual
        sent = np.where(np.abs(x) >= np.abs(x).max(), x, 0)
        self.residual = x - sent
        return sent


class WritesLater:
    """Keeps the input, and empties it in the next call."""

    def __init__(self) -> None:
        self.last: Any = None

    def __call__(self, x: np.ndarray) -> np.ndarray:
        if self.last is not None:
            self.last[:] = 0
        self.last = x
        return x.copy()


def zeroes(x: np.ndarray) -> np.ndarray:
    x[np.abs(x) < np.abs(x).max()] = 0
    return x.copy()


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (zeroes, "d = 2: x = (1, 2) is (0, 2) after the call"),
        (AddsItsResidual, "after 2 calls"),
        (WritesLater, "d = 1: x = (1) is (0) after 2 calls"),
    ],
)
def test_writing_into_the_input_is_refuted(thing: Any, told: str) -> None:
    seen = in_place(thing)
    assert seen.outcome is Outcome.REFUTED
    assert told in seen.evidence


def test_error_feedback_that_leaves_its_input_alone_passes() -> None:
    class Sound(AddsItsResidual):
        def __call__(self, x: np.ndarray) -> np.ndarray:
            return super().__call__(x.copy())

    assert in_place(Sound).outcome is Outcome.SUPPORTED
