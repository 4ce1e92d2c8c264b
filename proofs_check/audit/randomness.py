"""The global random generators that a stranger's code may draw from: seeded, watched, put back."""

from __future__ import annotations

import random
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any, final

import numpy as np
import torch

_WORD = 1 << 32
STATES = (101, 202)
"""Seeds that a generator is given before calls that are compared."""


class Generator(ABC):
    """One global random generator, with a state that can be read, set and put back."""

    name: str

    @abstractmethod
    def seed(self, seed: int) -> None:
        """Seed it, with 0 <= seed < 2^32."""

    @abstractmethod
    def state(self) -> Any:
        """Its state, for :meth:`restore`."""

    @abstractmethod
    def restore(self, state: Any) -> None:
        """Put back a state that :meth:`state` gave."""

    @abstractmethod
    def token(self) -> bytes:
        """A word that changes whenever something is drawn."""

    @abstractmethod
    def uniform(self) -> float:
        """The next number of it in [0, 1)."""

    def reseeded(self, seed: int) -> bool:
        """Whether it says itself that ``seed`` is not what it was seeded with last."""
        return False


@final
class TorchGlobal(Generator):
    """``torch.manual_seed`` on the CPU."""

    name = "torch global"

    def seed(self, seed: int) -> None:
        torch.default_generator.manual_seed(seed)

    def state(self) -> Any:
        return torch.default_generator.get_state()

    def restore(self, state: Any) -> None:
        torch.default_generator.set_state(state)

    def token(self) -> bytes:
        return torch.default_generator.get_state().numpy().tobytes()

    def uniform(self) -> float:
        return float(torch.rand(()))

    def reseeded(self, seed: int) -> bool:
        return torch.initial_seed() != seed


@final
class NumpyGlobal(Generator):
    """``numpy.random.seed``."""

    name = "numpy global"

    def seed(self, seed: int) -> None:
        np.random.seed(seed)

    def state(self) -> Any:
        return np.random.get_state()

    def restore(self, state: Any) -> None:
        np.random.set_state(state)

    def token(self) -> bytes:
        return repr([np.asarray(part).tobytes() for part in np.random.get_state()]).encode()

    def uniform(self) -> float:
        return float(np.random.random())


@final
class PythonRandom(Generator):
    """Python's own generator, seeded by ``random.seed``."""

    name = "python random"

    def seed(self, seed: int) -> None:
        random.seed(seed)

    def state(self) -> Any:
        return random.getstate()

    def restore(self, state: Any) -> None:
        random.setstate(state)

    def token(self) -> bytes:
        return repr(random.getstate()).encode()

    def uniform(self) -> float:
        return random.random()


GENERATORS: tuple[Generator, ...] = (TorchGlobal(), NumpyGlobal(), PythonRandom())


def seed_all(seed: int, generators: Sequence[Generator] = GENERATORS) -> None:
    """Seed generators with one number."""
    for generator in generators:
        generator.seed(seed % _WORD)


_ACCELERATORS: tuple[Any, ...] = (torch.cuda, torch.xpu, torch.mtia)


class GeneratorEffect(Enum):
    """Effect on a global generator, from the least to the worst."""

    LEFT = "left as it was"
    DRAWN = "drawn from"
    SET = "set"


def touched(generator: Generator, act: Callable[[], object]) -> GeneratorEffect:
    """Effect of ``act`` on a generator: SET where its later state depends on nothing before."""
    after = []
    for state in STATES:
        seed_all(state)
        before = generator.token()
        with suppress(Exception):  # a stranger's code may raise anything; other checks tell
            act()
        after.append(generator.token())
        if after[-1] == before:
            return GeneratorEffect.LEFT
        if generator.reseeded(state):
            return GeneratorEffect.SET
    return GeneratorEffect.SET if after[0] == after[1] else GeneratorEffect.DRAWN


@contextmanager
def _absent_unseeded() -> Iterator[None]:
    """Inside, ``torch.manual_seed`` skips devices that are not there.

    It only notes for each, with a trace of the stack, what to do should it ever come: most of the
    time of a call.
    """
    absent = [device for device in _ACCELERATORS if not device.is_available()]
    kept = [device.manual_seed_all for device in absent]
    try:
        for device in absent:
            device.manual_seed_all = lambda seed: None
        yield
    finally:
        for device, seed_them in zip(absent, kept, strict=True):
            device.manual_seed_all = seed_them


@contextmanager
def undisturbed() -> Iterator[None]:
    """Afterwards all global generators are as they were before; warnings are not shown inside."""
    states = [generator.state() for generator in GENERATORS]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), _absent_unseeded():
            warnings.simplefilter("ignore")
            yield
    finally:
        for generator, state in zip(GENERATORS, states, strict=True):
            generator.restore(state)


def drawn_from(call: Callable[[], object], seed: int) -> set[Generator]:
    """The generators, all seeded with one number before, that a call draws from."""
    seed_all(seed)
    before = [generator.token() for generator in GENERATORS]
    call()
    tokens = zip(GENERATORS, before, strict=True)
    return {generator for generator, token in tokens if generator.token() != token}
