"""A run's steps in blocks, where its method publishes such and nothing else takes part."""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import Any, Protocol, final

import torch

from algorithms.core.faults import NO_FAULTS, Faults
from algorithms.core.threads import Threads
from algorithms.kernels.compiled import COMPILED
from algorithms.network.clock import Clock
from algorithms.network.simulated import Simulated
from algorithms.pipeline.base import MOST_STEPS, Arrays, Place, StepBlock, Steps, block_of
from algorithms.pipeline.looks import BlockLooks, BlockMeans, BlockNotes, Observer
from algorithms.synchronisation.stopwatch import Stopwatch
from algorithms.synchronisation.worker_states import WorkerLost

_MOST_WORK = 1 << 30  # multiply-adds of one call, about a tenth of a second: it can be stopped
_MOST_NUMBERS = 1 << 20  # of the models that are kept for an observer at once
WORTH = 3 << 19
"""Multiply-adds of a step from which a second thread pays (``python -m benchmarks.threads``): at a
million it takes as long, at two nine tenths to two thirds of the time."""


class Faulty(Place, Protocol):
    """A place in which faults may be planted."""

    @property
    def faults(self) -> Faults:
        """Faults planted in gradients."""
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
        ends = [until, t + self._most(block)]
        ends += [] if block.until is None else [block.until]
        looks = observer.looks(t, min(ends)) if observer else []
        seen = self._looks(block, observer, looks)
        ends += looks[len(seen.looks) :][:1]  # up to the look after those that there is room for
        steps = block.steps(t, min(ends), self.replicas.numpy())
        arrays, steps = self._taken(block, state, steps, seen)
        while steps.count and (end := self._allowed(block, steps, seen)) < steps.count:
            arrays, steps = self._taken(block, state, steps.first(end), seen)
        if not steps.count:
            seen.begin()
            return state, 0
        if not seen.charges:
            block.charge(steps)
        seen.tell(t + steps.count)
        return block.leave(arrays, state), steps.count

    def _looks(
        self, block: StepBlock, observer: Observer | None, looks: list[int]
    ) -> BlockLooks:  # fmt: skip
        """As many of the looks at a block as there is room for."""
        if observer is None or not looks:
            return BlockLooks([])
        most = max(1, _MOST_NUMBERS // (block.d * len(self.replicas) * observer.rows_kept))
        if observer.notes:
            return BlockNotes(observer, looks[:most], self.place.network)
        return BlockMeans(observer, looks[:most])

    def _block_at(self, t: int) -> StepBlock | None:
        if not self.possible:
            return None
        ended = self.block is not None and self.block.until is not None and t >= self.block.until
        if self.asked_at < 0 or ended:
            self.block, self.asked_at = block_of(self.method, self.place, t), t
            if self.block is None:
                self.possible = False
        return self.block

    def _most(self, block: StepBlock) -> int:
        return max(1, min(MOST_STEPS, _MOST_WORK // (block.work * len(self.replicas))))

    def _taken(
        self, block: StepBlock, state: Any, steps: Steps, seen: BlockLooks
    ) -> tuple[Arrays, Steps]:
        """The arrays after those of the steps that can be taken, and these."""
        arrays = block.enter(state)
        done = self._in_turn(block, arrays, steps, state, seen) if steps.count else 0
        while 0 < done < steps.count:  # once more, to where it can go
            steps, arrays = steps.first(done), block.enter(state)
            done = self._in_turn(block, arrays, steps, state, seen)
        return arrays, steps if done else steps.first(0)

    def _in_turn(
        self, block: StepBlock, arrays: Arrays, steps: Steps, state: Any, seen: BlockLooks
    ) -> int:
        """As :meth:`_run`, from look to look."""
        stops = [look - steps.t for look in seen.looks if look < steps.t + steps.count]
        seen.begin()
        if not stops and not seen.charges:
            return self._run(block, arrays, steps)
        block.prepare(steps)
        for first, end in pairwise((0, *stops, steps.count)):
            part = steps.part(first, end)
            done = self._run(block, arrays, part)
            if done < end - first:
                return first + done
            if seen.charges:
                block.charge(part)
            if end < steps.count:
                seen.note(block.leave(arrays, state), steps.t + end)
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

    def _allowed(self, block: StepBlock, steps: Steps, seen: BlockLooks) -> int:
        """Number of steps before one in which a worker is lost, or at whose end a look finds a
        model that is not finite; charges the clock for all of them if nothing is wrong."""
        broken = seen.broken()
        if broken is not None:
            return broken - steps.t
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
            seen.note_time(ahead, steps.t + place + 1)
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
