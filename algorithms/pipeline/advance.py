"""A run's steps in blocks, where its method publishes such and nothing else takes part."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, final

import torch
from torch import Tensor

from algorithms.core.faults import NO_FAULTS, Faults
from algorithms.core.threads import Threads
from algorithms.kernels.compiled import COMPILED
from algorithms.network.clock import Clock
from algorithms.network.simulated import Simulated
from algorithms.pipeline.base import MOST_STEPS, Arrays, Place, StepBlock, Steps, block_of
from algorithms.synchronisation.stopwatch import Stopwatch
from algorithms.synchronisation.worker_states import WorkerLost

_MOST_WORK = 1 << 30  # multiply-adds of one call, about a tenth of a second: it can be stopped
_MOST_NUMBERS = 1 << 20  # of the mean models that are kept for an observer at once
WORTH = 3 << 19
"""Multiply-adds of a step from which a second thread pays (``python -m benchmarks.threads``): at a
million it takes as long, at two nine tenths to two thirds of the time."""


class Faulty(Place, Protocol):
    """A place in which faults may be planted."""

    @property
    def faults(self) -> Faults:
        """Faults planted in gradients."""
        ...


class Observer(Protocol):
    """Looks at the mean model between steps of a block, and changes nothing."""

    @property
    def spacing(self) -> int:
        """It looks after every so many steps of the run; 0: at none between records."""
        ...

    def mean(self, state: Any) -> Tensor:
        """The mean model ``[..., d]`` of a state, which may be written over later."""
        ...

    def observe(self, looks: Sequence[int], means: Sequence[Tensor]) -> None:
        """Take the mean models after so many steps each, in their order."""
        ...


@final
class Blocks:
    """Takes a run's steps in blocks as long as its method publishes them.

    The method is asked again at the step at which a block's parts change.
    """

    def __init__(self, method: Any, place: Faulty, threads: int = 1) -> None:
        self.method, self.place, self.count = method, place, threads
        self.replicas = place.replicas.reshape(-1).contiguous()
        self.block: StepBlock | None = None
        self.asked_at = -1
        self.possible = _composed_of_rows(place)

    def advance(
        self, state: Any, t: int, until: int, observer: Observer | None = None
    ) -> tuple[Any, int]:
        """The state after some of the steps t, ..., ``until`` - 1, and how many they were; the
        ``observer`` has seen those before it.

        0: the next step is for the method itself, which has no block or says what is wrong.

        Raises:
            NumbersAsked: the key has none.
        """
        block = self._block_at(t)
        if block is None:
            return state, 0
        spacing = observer.spacing if observer else 0
        ends = [until, t + self._most(block, spacing)]
        ends += [] if block.until is None else [block.until]
        steps = block.steps(t, min(ends), self.replicas.numpy())
        seen = BlockObservation(observer, _multiples(spacing, t, min(ends)), [])
        arrays, steps = self._taken(block, state, steps, seen)
        while steps.count and (lost := self._lost(block, steps)) < steps.count:
            arrays, steps = self._taken(block, state, steps.first(lost), seen)
        if not steps.count:
            return state, 0
        block.charge(steps)
        seen.tell(t + steps.count)
        return block.leave(arrays, state), steps.count

    def _block_at(self, t: int) -> StepBlock | None:
        if not self.possible:
            return None
        ended = self.block is not None and self.block.until is not None and t >= self.block.until
        if self.asked_at < 0 or ended:
            self.block, self.asked_at = block_of(self.method, self.place, t), t
            if self.block is None:
                self.possible = False
        return self.block

    def _most(self, block: StepBlock, spacing: int) -> int:
        lead = len(self.replicas)
        most = min(MOST_STEPS, _MOST_WORK // (block.work * lead))
        if spacing:
            most = min(most, spacing * max(1, _MOST_NUMBERS // (block.d * lead)))
        return max(1, most)

    def _taken(
        self, block: StepBlock, state: Any, steps: Steps, seen: BlockObservation
    ) -> tuple[Arrays, Steps]:
        """The arrays after those of the steps that can be taken, and these."""
        arrays = block.enter(state)
        done = self._in_turn(block, arrays, steps, state, seen) if steps.count else 0
        while 0 < done < steps.count:  # once more, to where it can go
            steps, arrays = steps.first(done), block.enter(state)
            done = self._in_turn(block, arrays, steps, state, seen)
        return arrays, steps if done else steps.first(0)

    def _in_turn(
        self, block: StepBlock, arrays: Arrays, steps: Steps, state: Any, seen: BlockObservation
    ) -> int:
        """As :meth:`_run`, from look to look."""
        stops = [look - steps.t for look in seen.looks if look < steps.t + steps.count]
        seen.means.clear()
        if not stops:
            return self._run(block, arrays, steps)
        block.prepare(steps)
        for first, end in pairwise((0, *stops, steps.count)):
            done = self._run(block, arrays, steps.part(first, end))
            if done < end - first:
                return first + done
            if end < steps.count:
                seen.note(block.leave(arrays, state))
        return steps.count

    def _run(self, block: StepBlock, arrays: Arrays, steps: Steps) -> int:
        lead, sources = len(self.replicas), [source.keeps for source in block.sources]
        called_back = [source for source in sources if source is not None]
        if called_back:
            taken = block.run(arrays, steps)
            for source in called_back:
                source.raise_stopped()
            return taken
        several = block.divisible and block.work * lead >= WORTH
        threads = Threads(self.count if several else 1)
        if threads.count == 1:
            return block.run(arrays, steps)
        if lead == 1:
            return block.run_shared(threads, arrays, steps)
        shares = {share: steps.share(*share) for share in threads.shares(lead)}

        def one(first: int, end: int) -> int:
            own = tuple(array[first:end] for array in arrays)
            return block.run(own, shares[first, end])

        done: int = min(threads.each(lead, one))
        steps.gather([*shares.values()])
        return done

    def _lost(self, block: StepBlock, steps: Steps) -> int:
        """Number of steps that are over before one in which a worker is lost; charges the clock
        for them if that is all."""
        watch = self.place.network.stopwatch
        if watch is None:
            return steps.count
        ahead: Clock = copy(watch)  # clocks replace their tensors, they do not write to them
        for place in range(steps.count):
            try:
                for _ in range(block.more_gradients):
                    ahead.work()
                block.charge_time(ahead, steps, place)
            except WorkerLost:
                return place
        self.place.network.stopwatch = ahead
        return steps.count


def _composed_of_rows(place: Faulty) -> bool:
    """Whether rows may be computed by compiled functions: on a CPU, in the simulation, with nothing
    planted or measured in between."""
    network, problem = place.network, place.problem
    if not COMPILED or not isinstance(network, Simulated) or network.phases is not None:
        return False
    watch = network.stopwatch
    timed = watch is None or isinstance(watch, Stopwatch)
    known = problem.dtype in (torch.float32, torch.float64) and problem.device.type == "cpu"
    alike = problem.rowwise or place.replicas.numel() == 1  # all of a step's rows in one call
    return timed and known and alike and place.faults is NO_FAULTS


def _multiples(spacing: int, t: int, until: int) -> list[int]:
    """Multiples between t and ``until``, both excluded; none of 0."""
    return list(range(t - t % spacing + spacing, until, spacing)) if spacing else []


class BlockObservation(NamedTuple):
    """What an observer sees of a block.

    Attributes:
        observer: who looks; None: nobody does.
        looks: after how many steps of the run.
        means: the mean models ``[..., d]`` at the first of these.
    """

    observer: Observer | None
    looks: list[int]
    means: list[Tensor]

    def note(self, state: Any) -> None:
        """Keep the mean model of a state."""
        if self.observer:
            self.means.append(self.observer.mean(state))

    def tell(self, end: int) -> None:
        """Show what was seen before ``end`` steps."""
        looks = [look for look in self.looks if look < end]
        if self.observer and looks:
            self.observer.observe(looks, self.means)
