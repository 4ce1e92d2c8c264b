"""Block: several steps of one method in one call, composed of what its parts publish.

The composed path, a method's own ``step``, defines the method; a block equals it bit for bit,
models, series and ledger (``tests/algorithms/pipeline``). A method whose parts all publish a
compiled function says in ``Method.compiled_block`` which loop takes them; else steps are its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.core.key import Key, NumbersAsked
from algorithms.kernels.key_words import step_words
from algorithms.kernels.row_parts import RowPart
from algorithms.network.clock import Clock
from algorithms.problems.base import Problem
from theory.stepsizes import Stepsize

Arrays = tuple[NDArray[Any], ...]
"""What a block's loop writes to: every array with an axis of replicas first."""

MOST_STEPS = 256
"""Steps of a block at most."""

_ROW_BYTES = 1 << 14  # of a block of rows: half of a first cache
_WIDE_BYTES = 1 << 18  # where an operator calls many others: a share of a second cache
_MANY_CALLS = 8


class Place(Protocol):
    """Setting of a method's run; a :class:`~algorithms.methods.base.RunContext` is one."""

    @property
    def problem(self) -> Problem:
        """The objective that is minimised."""
        ...

    @property
    def network(self) -> Any:
        """The simulated network."""
        ...

    @property
    def key(self) -> Key:
        """The randomness of the run."""
        ...

    @property
    def replicas(self) -> Tensor:
        """Ids of the replicas ``[...]``."""
        ...


@final
@dataclass(frozen=True, eq=False)
class Steps:
    """Steps t, ..., t + T - 1 of some replicas.

    Attributes:
        t: the first step.
        gammas: their stepsizes ``[T]``, rounded to the type of the run.
        replicas: ids ``[R]`` of the replicas.
        words: key words of the draws for each purpose ``[T, 2]``.
        bits: lengths of the workers' messages where they vary ``[T, R, n]``.
        down_bits: of the server's ``[T, R, 1]``.
    """

    t: int
    gammas: NDArray[Any]
    replicas: NDArray[np.int64]
    words: dict[str, NDArray[np.int64]]
    bits: NDArray[np.int64]
    down_bits: NDArray[np.int64]

    @property
    def count(self) -> int:
        """T, how many steps these are."""
        return len(self.gammas)

    def first(self, count: int) -> Steps:
        """The first ``count`` of the steps, nothing taken yet."""
        words = {name: pairs[:count] for name, pairs in self.words.items()}
        room = (np.zeros_like(part[:count]) for part in (self.bits, self.down_bits))
        return Steps(self.t, self.gammas[:count], self.replicas, words, *room)

    def part(self, first: int, end: int) -> Steps:
        """The steps in places first, ..., end - 1; lengths that they write down are these steps'
        own."""
        words = {name: pairs[first:end] for name, pairs in self.words.items()}
        room = (
            lengths[first:end] if len(lengths) == self.count else lengths
            for lengths in (self.bits, self.down_bits)
        )
        return Steps(self.t + first, self.gammas[first:end], self.replicas, words, *room)

    def share(self, first: int, end: int) -> Steps:
        """The same of the replicas in places first, ..., end - 1, nothing taken yet."""
        room = (np.zeros_like(part[:, first:end]) for part in (self.bits, self.down_bits))
        return Steps(self.t, self.gammas, self.replicas[first:end], self.words, *room)

    def gather(self, shares: list[Steps]) -> None:
        """Take over the lengths that shares of replicas wrote down."""
        np.concatenate([share.bits for share in shares], axis=1, out=self.bits)
        np.concatenate([share.down_bits for share in shares], axis=1, out=self.down_bits)


class StepBlock(ABC):
    """The steps of one method on one problem, until step ``until`` where its parts change then.

    Members say how a state becomes arrays and back, which loop runs on them, and what to charge.

    Attributes:
        place: where the method runs.
        step_rule: stepsizes; None: it has none.
        until: the first step that is not of this block; None: all are.
        bits_vary: whether messages of the workers vary in length, so that a loop writes these down.
        down_bits_vary: the same of the server's.
        more_gradients: gradients that a worker computes in a step beyond the first.
        divisible: whether replicas may be computed by several threads, each a share of them.
        operator_calls: how many functions the workers' operator calls for a block of rows.
        sources: the gradients that its loop takes.
    """

    until: int | None = None
    bits_vary: bool = False
    down_bits_vary: bool = False
    more_gradients: int = 0
    divisible: bool = True
    operator_calls: int = 0

    def __init__(self, place: Place, gradient: RowPart, step_rule: Stepsize | None) -> None:
        self.place, self.gradient, self.step_rule = place, gradient, step_rule
        self.sources: tuple[RowPart, ...] = (gradient,)
        self.problem, self.network = place.problem, place.network
        self.n, self.d, self.dtype = self.problem.n, self.problem.d, self.problem.dtype
        self.kind: Any = np.float32 if self.dtype == torch.float32 else np.float64

    @abstractmethod
    def enter(self, state: Any) -> Arrays:
        """Copies of a state's tensors, as the loop takes them."""

    def prepare(self, steps: Steps) -> None:  # noqa: B027 - most have nothing to find
        """Find what is found for many steps at once, before parts of them are taken in turn."""

    @abstractmethod
    def run(self, arrays: Arrays, steps: Steps) -> int:
        """Take the steps, in place, and say how many were taken: fewer where the next one comes
        upon something that the composed path would refuse; the arrays are worth nothing then."""

    @abstractmethod
    def leave(self, arrays: Arrays, state: Any) -> Any:
        """The state that arrays hold; ``state`` is the one that they were made of."""

    @abstractmethod
    def charge(self, steps: Steps) -> None:
        """Charge the ledger for the steps, all of which were taken."""

    @abstractmethod
    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        """Charge the clock for the step in ``place`` of the steps as the method's own does."""

    def run_shared(self, threads: Any, arrays: Arrays, steps: Steps) -> int:
        """Variant of :meth:`run` for one replica on several threads; by default on one."""
        return self.run(arrays, steps)

    def purposes(self) -> tuple[str, ...]:
        """Purposes of the draws of a step, in which something is drawn."""
        return ("gradient",) if self.gradient.draws else ()

    @property
    def work(self) -> int:
        """Multiply-adds of a step of one replica, roughly."""
        return self.n * max(self.gradient.work, self.d)

    @property
    def rows_together(self) -> int:
        """Rows that a loop handles together."""
        return self.rows_in(_WIDE_BYTES if self.operator_calls >= _MANY_CALLS else _ROW_BYTES)

    def rows_in(self, room: int) -> int:
        """Rows that fit into so many bytes, at least one; all where gradients are called back, as
        the composed path asks for them."""
        fit = room // (self.d * self.dtype.itemsize)
        return self.n if self.gradient.keeps else max(1, min(self.n, fit))

    def steps(self, t: int, until: int, replicas: NDArray[np.int64]) -> Steps:
        """Inputs and random draws of the steps t, ..., ``until`` - 1.

        Raises:
            NumbersAsked: they draw, and the key has no numbers.
        """
        asked, key = self.purposes(), self.place.key
        if asked and not key.numbers:
            raise NumbersAsked
        words = {name: self._words(name, t, until) for name in asked}
        rule = self.step_rule
        gammas = [0.0] * (until - t) if rule is None else [rule(s) for s in range(t, until)]
        count, lead = until - t, len(replicas)
        up = np.zeros((count if self.bits_vary else 1, lead, self.n), np.int64)
        down = np.zeros((count if self.down_bits_vary else 1, lead, 1), np.int64)
        rounded = np.array(gammas, np.float64).astype(self.kind)
        return Steps(t, rounded, replicas, words, up, down)

    def _words(self, purpose: str, t: int, until: int) -> NDArray[np.int64]:
        return step_words(self.place.key.words, purpose, t, until - t)

    def words(self, steps: Steps, purpose: str) -> NDArray[np.int64]:
        """Key words ``[T, 2]`` of a purpose; zeros where nothing is drawn for it."""
        found = steps.words.get(purpose)
        return np.zeros((steps.count, 2), np.int64) if found is None else found


def block_of(method: Any, place: Place, t: int) -> StepBlock | None:
    """The block that a method publishes; None where its class inherits the one of another."""
    if "compiled_block" not in type(method).__dict__:
        return None
    found: StepBlock | None = method.compiled_block(place, t)
    return found


def rows_of(x: Tensor) -> NDArray[Any]:
    """A copy of models ``[..., m, d]`` as ``[R, m, d]``."""
    return x.reshape(-1, *x.shape[-2:]).contiguous().clone().numpy()


def leaves_of(
    state: Any, lead: tuple[int, ...], rows: int, d: int, dtype: torch.dtype
) -> list[Tensor]:
    """The tensors ``[..., m or 1, d]`` of a part's state, as ``[R, m, d]``; those without numbers
    left out. One double is as many numbers of ``dtype`` as have its bits, each for a whole row."""
    if isinstance(state, Tensor):
        if not state.numel():
            return []
        own = state.reshape(1).view(dtype) if state.ndim == 0 else (state,)
        return [part.expand(*lead, rows, d).reshape(-1, rows, d) for part in own]
    return [leaf for part in state for leaf in leaves_of(part, lead, rows, d, dtype)]


def stacked(state: Any, lead: tuple[int, ...], rows: int, d: int, kind: Any) -> NDArray[Any]:
    """A part's state as one array ``[R, m, L, d]``, L the number of its tensors."""
    dtype = torch.float32 if kind is np.float32 else torch.float64
    leaves = leaves_of(state, lead, rows, d, dtype)
    if not leaves:
        count = int(np.prod(lead, dtype=np.int64))
        return np.empty((count, rows, 0, d), kind)
    return torch.stack(leaves, dim=2).contiguous().numpy()


def unstacked(array: NDArray[Any], state: Any) -> Any:
    """The state that ``[R, m, L, d]`` holds, of the structure and shapes of ``state``."""
    flat, place = torch.from_numpy(array), iter(range(array.shape[2]))

    def rebuilt(old: Any) -> Any:
        if isinstance(old, Tensor):
            if not old.numel():
                return old
            if old.ndim == 0:
                many = old.element_size() // flat.element_size()
                bits = torch.stack([flat[0, 0, next(place), 0] for _ in range(many)])
                return bits.view(old.dtype).reshape(())
            new = flat[:, : old.shape[-2], next(place)]
            return new.reshape(old.shape).contiguous()
        parts = [rebuilt(part) for part in old]
        return type(old)(*parts) if hasattr(old, "_fields") else tuple(parts)

    return rebuilt(state)
