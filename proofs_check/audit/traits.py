"""First measurements: precision, generators, whether calls repeat, and what is remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import final

import torch
from torch import Tensor

from proofs_check.audit.arrays import tensor_of
from proofs_check.audit.faults import blame
from proofs_check.audit.history import PAIRS, Influence, influence
from proofs_check.audit.randomness import GENERATORS, Generator, GeneratorEffect, touched
from proofs_check.audit.runner import Runner
from proofs_check.audit.subject import Subject

SEEDS = (11, 12, 13)


class CallMemory(Enum):
    """State that stays from one call to the next."""

    NONE = "nothing"
    GENERATOR = "a random generator of its own"
    HISTORY = "what it was given before"


@final
@dataclass(frozen=True)
class Traits:
    """Behaviour of a subject from call to call.

    ``dims`` are those at which it takes ordinary vectors, ``refused`` what it raised at others;
    ``reproducible`` that a fresh one gives the same under the same seeds, ``repeats`` that the
    same one does; ``varies`` that another seed gives another outcome.

    Attributes:
        dtype: type of its outcomes.
        eps: the unit in which it rounds: of that type, or of single precision inside.
        generators: the global random generators that it draws from.
        memory: what it keeps from call to call.
        influence: whether other calls change what it gives.
    """

    dims: tuple[int, ...]
    refused: dict[int, BaseException]
    dtype: torch.dtype
    eps: float
    generators: tuple[Generator, ...]
    reproducible: bool
    repeats: bool
    varies: bool
    memory: CallMemory
    influence: Influence

    @property
    def random(self) -> bool:
        """Whether outcomes are to be sampled."""
        drawn = bool(self.generators) or self.varies or not self.reproducible
        return drawn or self.memory is CallMemory.GENERATOR


def ordinary(d: int, seed: int = 0) -> Tensor:
    """A gaussian vector ``[d]``."""
    generator = torch.Generator().manual_seed(1_000 * seed + d)
    return torch.randn(d, dtype=torch.float64, generator=generator)


def traits_of(
    subject: Subject, dims: Sequence[int], pairs: int = PAIRS
) -> Traits | dict[int, BaseException]:
    """Its traits; where it takes no ordinary vector at all, what it raised.

    ``pairs`` of calls tell whether anything is remembered behind randomness.
    """
    bench = Runner(subject)
    refused = {d: error for d in dims if (error := _raised(bench, ordinary(d))) is not None}
    taken = tuple(d for d in dims if d not in refused)
    if not taken:
        return refused
    dtype, eps = _precision(bench, max(taken))
    bench = Runner(subject, dtype)
    points = [ordinary(d, place) for d in taken for place in range(3)]
    points += [torch.ones(d, dtype=torch.float64) for d in taken]
    points = [x for x in points if _raised(bench, x) is None]
    used = set().union(*(_drawn(bench, x) for x in points))
    generators = tuple(g for g in GENERATORS if g in used)
    reproducible, repeats, alike = (
        all(same(bench, x) for x in points) for same in (_reproducible, _repeats, _alike)
    )
    if alike:
        generators = tuple(g for g in generators if not _fixed(bench, g, points[0]))
    found = influence(bench, points, (reproducible and subject.renewable) or repeats, pairs)
    return Traits(
        taken,
        refused,
        dtype,
        eps,
        generators,
        reproducible if subject.renewable else True,
        repeats,
        not alike,
        _memory(found, repeats, reproducible and subject.renewable),
        found,
    )


def _drawn(bench: Runner, x: Tensor) -> set[Generator]:
    """The global generators that a fresh one draws from: one with a memory keeps to one size."""
    bench.renew()
    return bench.drawn(x)


def _fixed(bench: Runner, generator: Generator, x: Tensor) -> bool:
    """Whether a call seeds it, so that what is drawn then is no chance."""

    def call() -> None:
        bench.renew()
        bench.unseeded(x)

    return touched(generator, call) is GeneratorEffect.SET


def _raised(bench: Runner, x: Tensor) -> BaseException | None:
    try:
        bench.renew()
        bench(x)
    except Exception as error:  # a stranger's code may raise anything
        blame(error)
        return error
    return None


def _precision(bench: Runner, d: int) -> tuple[torch.dtype, float]:
    """Double precision where it keeps it, else single; and the unit in which it rounds.

    One that takes and returns double precision, but works in single (a matrix product, say), rounds
    as single precision does: the digits of x that single precision drops change nothing then.
    """
    single = torch.finfo(torch.float32).eps
    x = ordinary(d)
    rounded = x.to(torch.float32).to(torch.float64)
    try:
        y, other = (_double(bench, one) for one in (x, rounded))
        if y.dtype == torch.float64 and y.numel() == d:
            inside = torch.equal(y.nan_to_num(), other.nan_to_num())
            return torch.float64, single if inside else torch.finfo(torch.float64).eps
    except Exception:  # the check of double precision tells what it raised
        pass
    return torch.float32, single


def _double(bench: Runner, x: Tensor) -> Tensor:
    """Output of a fresh instance for x in double precision, unchanged."""
    bench.renew()
    return tensor_of(bench.answer(bench.subject.arrays.give(x), 0))


def _same(first: Tensor, second: Tensor) -> bool:
    return torch.equal(first.nan_to_num(), second.nan_to_num())


def _outcomes(bench: Runner, x: Tensor, seeds: Sequence[int], renew: bool) -> list[Tensor]:
    bench.renew()
    found = []
    for seed in seeds:
        if renew:
            bench.renew()
        found.append(bench(x, seed))
    return found


def _check(seeds: Sequence[int], renew: bool) -> Callable[[Runner, Tensor], bool]:
    def check(bench: Runner, x: Tensor) -> bool:
        first, *others = _outcomes(bench, x, seeds, renew)
        return all(_same(first, other) for other in others)

    return check


_reproducible = _check((7, 7, 7), renew=True)
_repeats = _check((7, 7, 7), renew=False)
_alike = _check(SEEDS, renew=True)


def _memory(found: Influence, repeats: bool, reproducible: bool) -> CallMemory:
    if found.seen:
        return CallMemory.HISTORY
    if not repeats and reproducible:
        return CallMemory.GENERATOR
    return CallMemory.NONE
