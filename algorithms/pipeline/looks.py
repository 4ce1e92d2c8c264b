"""Looks at a run between the steps of a block: at mean models to average, or at whole records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, final

from torch import Tensor

from algorithms.network.clock import Clock, Clocked
from algorithms.network.simulated import Simulated


class Observer(Protocol):
    """Looks at the states between steps of a block, and changes nothing: at mean models alone, or
    where it ``notes`` at what a record is made of.

    Attributes:
        notes: whether looks are records.
        rows_kept: rows of a replica that it keeps of a look.
    """

    notes: bool
    rows_kept: int

    def looks(self, t: int, until: int) -> list[int]:
        """After how many steps it looks, of those between t and ``until``, both excluded."""
        ...

    def mean(self, state: Any) -> Tensor:
        """The mean model ``[..., d]`` of a state, which may be written over later."""
        ...

    def observe(self, looks: Sequence[int], means: Sequence[Tensor]) -> None:
        """Take the mean models after so many steps each, in their order."""
        ...

    def forget_notes(self) -> None:
        """Begin a block's notes."""
        ...

    def note(self, state: Any, t: int) -> None:
        """Note a state, which may be written over later, and what was charged."""
        ...

    def broken_note(self) -> int | None:
        """Steps before the first noted model that is not finite; None: all are."""
        ...

    def record_notes(self, clocked: Sequence[Clocked]) -> None:
        """Make records of the notes, with the stopwatch's reading at each, if there is one."""
        ...


class BlockLooks:
    """Looks at one block; here none.

    Attributes:
        looks: after how many steps of the run.
        charges: whether parts of the block are charged one by one, each before its look.
    """

    charges: ClassVar[bool] = False

    def __init__(self, looks: list[int]) -> None:
        self.looks = looks

    def begin(self) -> None:
        """Nothing of the block was taken yet: what was charged for it is taken back."""

    def note(self, state: Any, t: int) -> None:
        """Look at a state after t steps, which may be written over later."""

    def note_time(self, watch: Clock, t: int) -> None:
        """Read the hour after t steps, if these are looked at."""

    def broken(self) -> int | None:
        """Steps before the first look at a model that must be finite and is not; None: all are."""
        return None

    def tell(self, end: int) -> None:
        """Have the observer take what was seen before ``end`` steps."""


@final
class BlockMeans(BlockLooks):
    """Mean models that an observer averages over."""

    def __init__(self, observer: Observer, looks: list[int]) -> None:
        super().__init__(looks)
        self.observer = observer
        self.means: list[Tensor] = []

    def begin(self) -> None:
        self.means.clear()

    def note(self, state: Any, t: int) -> None:
        self.means.append(self.observer.mean(state))

    def tell(self, end: int) -> None:
        looks = [look for look in self.looks if look < end]
        if looks:
            self.observer.observe(looks, self.means)


@final
class BlockNotes(BlockLooks):
    """Records that an observer notes, each with what was charged before it."""

    charges = True

    def __init__(self, observer: Observer, looks: list[int], network: Simulated) -> None:
        super().__init__(looks)
        self.observer, self.network = observer, network
        self.books = network.books()
        self.clocked: list[Clocked] = []

    def begin(self) -> None:
        self.network.reopen(self.books)
        self.observer.forget_notes()

    def note(self, state: Any, t: int) -> None:
        self.observer.note(state, t)

    def note_time(self, watch: Clock, t: int) -> None:
        if t == self.looks[0]:
            self.clocked.clear()
        if len(self.clocked) < len(self.looks) and t == self.looks[len(self.clocked)]:
            self.clocked.append(Clocked(watch.seconds, watch.worked))

    def broken(self) -> int | None:
        return self.observer.broken_note()

    def tell(self, end: int) -> None:
        noted = sum(look < end for look in self.looks)
        if noted:
            self.observer.record_notes(self.clocked[:noted])
