"""Seconds of a rank by what it does: a step is compute, compress, wait and communicate.

Each second belongs to one phase: what is entered within another is taken from it. A step begins in
compute, which is gradients and the method's own arithmetic.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import Enum
from functools import update_wrapper
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar, final

import torch

if TYPE_CHECKING:
    from algorithms.network.base import Network

Options = ParamSpec("Options")
Result = TypeVar("Result")
End = TypeVar("End", bound="Network")


class Phase(Enum):
    """Activity of a rank at a moment of a step."""

    COMPUTE = "compute"
    COMPRESS = "compress"
    WAIT = "wait"
    COMMUNICATE = "communicate"


@final
class PhaseClock:
    """Measures the phases of the steps of a run on one rank.

    ``device`` is where it computes: on a GPU what was begun there is waited for where phases meet,
    so that a phase is charged with what it began; that is slower than a run that is not measured.

    Attributes:
        seconds: seconds of each phase, of all steps so far.
        steps: steps that ended.
        step: the step that the rank is in, or the last one; -1 before the first.
        phase: what it does now.
        moves: steps begun and meetings with other ranks come to, of all runs: who waits has made
            more than who is waited for.
    """

    def __init__(self, device: torch.device | str = "cpu") -> None:
        self.seconds = dict.fromkeys(Phase, 0.0)
        self.steps, self.step, self.phase = 0, -1, Phase.COMPUTE
        self._device, self._since = torch.device(device), 0.0
        self._running, self.moves = False, 0

    def restart(self) -> None:
        """Forget all that was measured."""
        self.seconds = dict.fromkeys(Phase, 0.0)
        self.steps, self.step, self.phase = 0, -1, Phase.COMPUTE

    @contextmanager
    def stepping(self, t: int) -> Iterator[None]:
        """Within is step t: seconds outside of steps are nobody's."""
        self.step, self.phase, self._running = t, Phase.COMPUTE, True
        self.moves += 1
        self._since = self._now()
        try:
            yield
        finally:
            self._turn(Phase.COMPUTE)
            self._running = False
        self.steps += 1

    @contextmanager
    def during(self, phase: Phase) -> Iterator[None]:
        """Within, the rank does ``phase``, whatever it did before and goes on with afterwards."""
        before = self.phase
        self.moves += phase is Phase.WAIT
        self._turn(phase)
        try:
            yield
        finally:
            self._turn(before)

    @property
    def works(self) -> bool:
        """Whether the rank is in a step, and neither waits nor communicates."""
        return self._running and self.phase in (Phase.COMPUTE, Phase.COMPRESS)

    def each_step(self) -> dict[str, float]:
        """Seconds of each phase in a step, by name; zeros where there was none."""
        return {phase.value: spent / max(1, self.steps) for phase, spent in self.seconds.items()}

    def _turn(self, phase: Phase) -> None:
        now = self._now()
        if self._running:
            self.seconds[self.phase] += now - self._since
        self.phase, self._since = phase, now

    def _now(self) -> float:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
        return time.perf_counter()


def during(clock: PhaseClock | None, phase: Phase) -> AbstractContextManager[None]:
    """Within, this rank does ``phase``, if there is a clock to tell."""
    return nullcontext() if clock is None else clock.during(phase)


def crossing(
    operation: Callable[Concatenate[End, Options], Result],
) -> Callable[Concatenate[End, Options], Result]:
    """An operation of a network that all ranks take part in.

    Where a clock runs they wait for each other first; packing and reading messages is compression,
    but for what crosses meanwhile.
    """

    def measured(network: End, /, *args: Options.args, **options: Options.kwargs) -> Result:
        if network.phases is not None:
            with network.during(Phase.WAIT):
                network.meet()
        with network.during(Phase.COMPRESS):
            return operation(network, *args, **options)

    return update_wrapper(measured, operation)
