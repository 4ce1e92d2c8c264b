"""MethodMutant: a wrong method, memory, network or bound, and who sees it.

Every mutant is judged by a check that also judges the genuine thing: ``refute()`` and ``genuine()``
are the same check on the one and on the other.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols
from algorithms.compressors.base import Compressor, StatedLength
from algorithms.core.key import Draws
from algorithms.methods.base import RunContext
from proofs_check.methods.faulty.faulty_method import OneWrongStep, wrapped
from proofs_check.verdict import Outcome, Verdict
from theory.claims import Claim

Verdicts = Verdict | tuple[Verdict, ...]


Thing = TypeVar("Thing", contravariant=True)


class Judge(Protocol[Thing]):
    """A check of what it is handed, by default of the genuine thing."""

    def __call__(self, thing: Thing = ..., /) -> Verdicts: ...


@final
@dataclass(frozen=True)
class MethodMutant:
    """A fault, what was ``planted``, and one check run on the wrong thing and on the right one.

    Attributes:
        name: what reports call it.
    """

    name: str
    planted: str
    wrong: Callable[[], Verdicts]
    right: Callable[[], Verdicts]

    def refute(self) -> Verdict:
        """The check on the mutant; REFUTED is expected."""
        return decisive(self.wrong())

    def genuine(self) -> Verdict:
        """The same check on the right method; anything but REFUTED is expected."""
        return decisive(self.right())


def fault(name: str, planted: str, judge: Judge[Thing], wrong: Thing) -> MethodMutant:
    """A mutant that ``judge`` sees when it is handed ``wrong`` in the genuine thing's place."""
    return MethodMutant(name, planted, lambda: judge(wrong), judge)


def what_is_planted(wrong: Callable[..., object]) -> str:
    """The first paragraph of the docstring of ``wrong``, on one line."""
    return " ".join((inspect.getdoc(wrong) or "").split("\n\n")[0].split())


def wrong_step(
    name: str, judge: Judge[Any], *, of: Callable[..., Any] | None = None, on: Any = None
) -> Callable[[Callable[[Any, Any, int, RunContext], Any]], MethodMutant]:
    """Makes a mutant of ``step(own, state, t, context)``, which stands in the place of a method's
    step; ``own`` is the right method, and what is planted is the function's docstring.

    ``judge`` is handed the wrong method where it takes one: ``on`` spoilt. Else it is handed what
    spoils a method that it makes itself, or, with ``of``, what makes a spoilt one in its place.
    """

    def mutant(step: Callable[[Any, Any, int, RunContext], Any]) -> MethodMutant:
        def spoil(right: Any) -> OneWrongStep:
            return OneWrongStep(right, step)

        wrong = spoil(on) if on is not None else spoil if of is None else wrapped(spoil, of)
        return fault(name, what_is_planted(step), judge, wrong)

    return mutant


def decisive(verdicts: Verdicts) -> Verdict:
    """The first refuted verdict, else the first."""
    several = (verdicts,) if isinstance(verdicts, Verdict) else verdicts
    return next((v for v in several if v.outcome is Outcome.REFUTED), several[0])


# OperatorMutant: a wrong operator, what was planted in it, and the check that must refute it.


class FaultyCompressor(Compressor):
    """Claims, layout and closed form of the right operator; members encode wrongly."""

    right: Compressor

    @property
    def name(self) -> str:
        return f"{type(self).__name__} posing as {self.right.name}"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return self.right.claims(d)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return self.right.layout(d, dtype)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        return self.right.code(d, dtype)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        return self.right.stated_lengths(sent, float_bits)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.right.decode(symbols, d, dtype, draws)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return self.right.stated_bits(d, float_bits)


class OperatorMutant(NamedTuple):
    """A wrong operator, what was planted in it, and the check that must refute it.

    Attributes:
        name: what reports call it.
        mutant: the wrong operator.
    """

    name: str
    mutant: Compressor
    planted: str
    check: str


@final
@dataclass(frozen=True, eq=False)
class OneWrongEncoding(FaultyCompressor):
    """The operator with ``wrong`` in place of its encoding.

    Attributes:
        right: any operator.
        wrong: called as ``wrong(right, x, draws)``; its name is that of the fault.
    """

    right: Compressor
    wrong: Callable[[Any, Tensor, Draws], Symbols]

    @property
    def name(self) -> str:
        return f"{self.wrong.__name__} posing as {self.right.name}"

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.wrong(self.right, x, draws)


def wrong_encoding(
    name: str, right: Compressor, *, check: str
) -> Callable[[Callable[[Any, Tensor, Draws], Symbols]], OperatorMutant]:
    """Makes a mutant of ``encode(own, x, draws)``, which stands in the place of the encoding of
    ``right``; what is planted is the function's docstring."""

    def mutant(encode: Callable[[Any, Tensor, Draws], Symbols]) -> OperatorMutant:
        wrong = OneWrongEncoding(right, encode)
        return OperatorMutant(name, wrong, what_is_planted(encode), check)

    return mutant
