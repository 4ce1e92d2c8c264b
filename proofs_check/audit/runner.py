"""Calls of a stranger's code, each from a known state of the global random generators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.core.key import Draws
from proofs_check.audit.arrays import tensor_of
from proofs_check.audit.faults import BadAnswer, blame, exits
from proofs_check.audit.randomness import GENERATORS, Generator, drawn_from, seed_all
from proofs_check.audit.subject import Function, Subject
from theory.claims import Claim

_SEEDS = 1 << 31
_AHEAD = 32  # calls announced at once; where an audit is interrupted they are made all the same


class WrongSize(BadAnswer):
    """The vector that came back has another number of entries."""


@final
class Runner:
    """One subject, called again and again.

    ``renew``: a fresh one for every call. ``dtype`` is that of the vectors it is given.
    """

    def __init__(
        self,
        subject: Subject,
        dtype: torch.dtype = torch.float32,
        generators: Sequence[Generator] = GENERATORS,
        renew: bool = False,
    ) -> None:
        self.subject = subject
        self.dtype = dtype
        self.generators = generators
        self.renews = renew
        self.calls = 0
        self._function: Function = subject.fresh()

    def renew(self) -> None:
        """Start with one that remembers nothing, where that can be made."""
        self._function = self.subject.fresh()

    def answer(self, given: Any, seed: int) -> Any:
        """Output for an array as it is.

        Raises:
            Exception: whatever the code raises; a fault of its own in place of an exit.
        """
        if self.renews:
            self.renew()
        self.calls += 1
        seed_all(seed, self.generators)
        try:
            return self._function(given, seed)
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as stop:
            raise exits(stop) from None

    def takes(self, x: Tensor) -> bool:
        """Whether a fresh one takes x ``[d]``, whatever it gives back."""
        try:
            self.renew()
            self(x)
        except Exception as error:  # a stranger's code may raise anything
            blame(error)
            return False
        return True

    def drawn(self, x: Tensor) -> set[Generator]:
        """The global generators that one call draws from."""
        return drawn_from(lambda: self.unseeded(x), 1)

    def unseeded(self, x: Tensor) -> None:
        """One call from whatever state the global generators are in."""
        self._function(self.subject.arrays.give(x.to(self.dtype)), 1)

    def __call__(self, x: Tensor, seed: int = 0) -> Tensor:
        """C(x) ``[d]`` in double precision, for x ``[d]``.

        Raises:
            WrongSize: another number of entries came back.
        """
        return _fitted(self.answer(self.subject.arrays.give(x.to(self.dtype)), seed), x)

    def rows(self, x: Tensor, seeds: Sequence[int]) -> Tensor:
        """C(x) of every row ``[P, d]`` in double precision; infinity where a call fails."""
        arrays = self.subject.arrays
        found = np.empty(x.shape)
        wanted = x.to(self.dtype)
        announce = None if self.renews else self.subject.announce
        for place, (row, seed) in enumerate(zip(arrays.give_rows(wanted), seeds, strict=True)):
            if announce is not None and place % _AHEAD == 0:
                announce(wanted[place : place + _AHEAD], seeds[place : place + _AHEAD])
            try:
                y = self.answer(row, seed)
                plain = arrays.plain(y)
                if plain is not None and plain.shape == found.shape[1:]:
                    found[place] = plain
                else:
                    found[place] = _fitted(y, x[place]).numpy()
            except Exception as error:  # checks of inputs tell what a stranger's code raised
                blame(error)
                found[place] = np.inf
        return torch.from_numpy(found)


def _fitted(answer: Any, x: Tensor) -> Tensor:
    """Output for x ``[d]``, in double precision and of its shape.

    Raises:
        WrongSize: another number of entries came back.
    """
    y = tensor_of(answer)
    if y.shape != x.shape:
        if y.numel() != x.numel():
            raise WrongSize(f"returns shape {tuple(y.shape)} for shape {tuple(x.shape)}")
        y = y.reshape(x.shape)
    return y.to(torch.float64)


@final
class BlackBox(Compressor):
    """A subject as an operator on rows: the draws of a row seed the global generators.

    A call that fails stands as infinity.
    """

    def __init__(self, bench: Runner, random: bool) -> None:
        self.bench = bench
        self.random = random

    @property
    def name(self) -> str:
        return self.bench.subject.name

    def claims(self, d: int) -> tuple[Claim, ...]:
        return ()

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        """Nothing is known of its messages: what they decode to, as it is."""
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        rows = x.reshape(-1, x.shape[-1])
        seeds = [0] * rows.shape[0]
        if self.random:
            seeds = draws.fold("black box").integers(_SEEDS, 1).reshape(-1).tolist()
        return (self.bench.rows(rows, seeds).to(x.dtype).reshape(x.shape),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(d * float_bits)


def batched(bench: Runner, random: bool) -> Compressor:
    """The subject as an operator on many rows at once."""
    own = bench.subject.operator
    return own if own is not None else BlackBox(bench, random)
