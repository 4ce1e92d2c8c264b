"""Blocks of steps of a server and its workers: what BSP is made of, part by part."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.identity import Identity
from algorithms.core.threads import WORTH_NUMBERS, Threads
from algorithms.kernels import server_steps
from algorithms.kernels.row_parts import RowPart, filled_in, memory_filled_in, published, ready
from algorithms.memories.base import Memory, NoMemory
from algorithms.network.clock import Clock
from algorithms.optimizers.base import SGD, Optimizer
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.base import (
    MOST_STEPS,
    Arrays,
    Place,
    StepBlock,
    Steps,
    rows_of,
    stacked,
    unstacked,
)
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.transforms.base import NoTransform, Transform
from theory.stepsizes import Stepsize


class ServerParts(NamedTuple):
    """Parts of a step of a server and its workers.

    Attributes:
        step_rule: stepsizes [x^2 / f].
        compressor: the operator of the workers.
        memory: what a worker remembers of what it did not send.
        downlink: the operator of the server.
        server_memory: what the server remembers.
        transform: what becomes of a gradient first.
        optimizer: what makes a step a move.
        proximal: the map of the model after the move.
    """

    step_rule: Stepsize
    compressor: Compressor
    memory: Memory[Any]
    downlink: Compressor
    server_memory: Memory[Any]
    transform: Transform
    optimizer: Optimizer[Any]
    proximal: Proximal


class NoRowKernel(Exception):
    """A part publishes no compiled function."""


def own(part: object, plain: type, *given: Any) -> Any:
    """Kernel that a part publishes; None where it is the ``plain`` one, which is left out.

    Raises:
        NoRowKernel: it publishes nothing.
    """
    if isinstance(part, plain):
        return None
    found = published(part, *given)
    if found is None:
        raise NoRowKernel
    return found


class Sent(NamedTuple):
    """An operator in a block: its function, the length of its messages, until when it is this one.

    Attributes:
        part: None where messages are sent as they are.
        bits: length of a message [bits]; None where it varies.
        until: the first step at which another operator takes over; None: there is none in sight.
    """

    part: RowPart | None
    bits: int | None
    until: int | None


def sent_by(compressor: Compressor, d: int, dtype: torch.dtype, t: int) -> Sent:
    """The operator in use at step t.

    Raises:
        NoRowKernel: it publishes no compiled function.
    """
    if published(compressor, d, dtype) is not None:
        now, until = compressor, None  # its function knows the step
    else:
        now, until = compressor.at_step(t), _lasts(compressor, t)
    return Sent(own(now, Identity, d, dtype), code_of(now, d, dtype).fixed_bits, until)


def _lasts(part: Compressor | Memory[Any], t: int) -> int | None:
    """The first step at which a part is another than at step t; None: it is the same at all."""
    if part.steady:
        return None
    now = part.at_step(t)
    return next((s for s in range(t + 1, t + MOST_STEPS) if part.at_step(s) != now), t + MOST_STEPS)


def server_block(place: Place, t: int, parts: ServerParts) -> StepBlock | None:
    """The steps from t on of workers that send to a server, which answers all alike; None where a
    part publishes no compiled function."""
    gradient = drawn_gradient(place)
    if gradient is None:
        return None
    try:
        return ServerBlock(place, t, gradient, parts)
    except NoRowKernel:
        return None


@final
class ServerBlock(StepBlock):
    """BSP's steps, for any parts; the state is a :class:`~..methods.synchronous.bsp.BSPState`."""

    def __init__(self, place: Place, t: int, gradient: RowPart, parts: ServerParts) -> None:
        super().__init__(place, gradient, parts.step_rule)
        d, dtype = self.d, self.dtype
        up, down = sent_by(parts.compressor, d, dtype, t), sent_by(parts.downlink, d, dtype, t)
        memory = own(parts.memory.at_step(t), NoMemory, dtype)
        transform = own(parts.transform, NoTransform, d, dtype, self.n)
        move = own(parts.optimizer, SGD, d, dtype)
        change = own(parts.proximal, NoProximal, d, dtype)
        two_way = not isinstance(parts.downlink, Identity)
        answering = parts.server_memory.at_step(t)
        server_memory = own(answering, NoMemory, dtype) if two_way else None
        self.up, self.down = up, down
        self.operator_calls = 0 if up.part is None else up.part.calls
        changes = [_lasts(one, t) for one in (parts.memory, parts.server_memory)]
        ends = (s for s in (up.until, down.until, *changes) if s is not None)
        self.until = min(ends, default=None)
        self.bits_vary, self.down_bits_vary = up.bits is None, down.bits is None
        late = memory is not None and "mean" in parts.memory.after_reads
        self.flags = np.array([
            transform is not None, memory is not None, up.part is not None, two_way,
            move is not None, change is not None, parts.memory.holds_steps,
            two_way and parts.server_memory.holds_steps, late, self.bits_vary, self.down_bits_vary,
        ])  # fmt: skip
        held, answers = memory_filled_in(dtype, memory), memory_filled_in(dtype, server_memory)
        self.of_workers = (
            ready(gradient.function, "gradient", dtype), gradient.numbers,
            *filled_in(dtype, transform, "change")[:2], *held,
            *filled_in(dtype, up.part, "operator")[:2],
        )  # fmt: skip
        self.of_server = (
            *answers, *filled_in(dtype, down.part, "operator")[:2],
            *filled_in(dtype, move, "move")[:2], *filled_in(dtype, change, "change")[:2],
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        sends = (("compress", self.up.part), ("publish", self.down.part))
        asked = [purpose for purpose, part in sends if part is not None and part.draws]
        return (*super().purposes(), *asked)

    def enter(self, state: Any) -> Arrays:
        x, lead = state.x, tuple(state.x.shape[:-2])
        return (
            rows_of(x)[:, 0],
            stacked(state.memory, lead, self.n, self.d, self.kind),
            stacked(state.server, lead, 1, self.d, self.kind),
            stacked(state.velocity, lead, 1, self.d, self.kind),
        )

    def leave(self, arrays: Arrays, state: Any) -> Any:
        x, memory, server, velocity = arrays
        return state._replace(
            x=torch.from_numpy(x).view(state.x.shape),
            memory=unstacked(memory, state.memory),
            server=unstacked(server, state.server),
            velocity=unstacked(velocity, state.velocity),
        )

    def run(self, arrays: Arrays, steps: Steps) -> int:
        loop = server_steps.SERVER_LOOP.for_dtype(self.dtype)
        found: int = loop(
            *self.of_workers, *self.of_server, self.flags, *arrays, steps.gammas, steps.t,
            *self._words_of(steps), steps.replicas, self.rows_together, steps.bits,
            steps.down_bits,
        )  # fmt: skip
        return found

    def run_shared(self, threads: Threads, arrays: Arrays, steps: Steps) -> int:
        x, memory, server, velocity = arrays
        passes = (server_steps.WORKERS_PASS, server_steps.SUM_PASS, server_steps.SERVER_PASS)
        messages, summed, answer = (one.for_dtype(self.dtype) for one in passes)
        held = np.empty((3, 1, self.n, self.d), self.kind)
        total, words, ids = np.empty_like(x), self._words_of(steps), steps.replicas
        kept = held[0 if self.plain else 2, 0]
        light = threads if self.n * self.d >= WORTH_NUMBERS else Threads(1)
        after, numbers = self.of_workers[5], self.of_workers[6]
        for i, gamma in enumerate(steps.gammas):
            t, (gwords, cwords, pwords) = steps.t + i, (each[i] for each in words)
            ups = steps.bits[i if self.bits_vary else 0]
            downs = steps.down_bits[i if self.down_bits_vary else 0]
            if not all(threads.each(
                self.n, messages, *self.of_workers, self.flags, x, memory, gamma, t, gwords,
                cwords, ids, self.rows_together, True, held, total, ups,
            )):  # fmt: skip
                return i
            total[:] = 0
            light.each(self.d, summed, kept, total[0])
            if not answer(
                after, numbers, self.flags, *self.of_server, x, memory, server, velocity, gamma,
                t, pwords, ids, held, total, downs,
            ):  # fmt: skip
                return i
        return steps.count

    @property
    def plain(self) -> bool:
        """Whether gradients are sent as they are."""
        return not (self.flags[server_steps.MEMORY] or self.flags[server_steps.SEND])

    def _words_of(self, steps: Steps) -> tuple[NDArray[np.int64], ...]:
        return tuple(self.words(steps, name) for name in ("gradient", "compress", "publish"))

    def charge(self, steps: Steps) -> None:
        count, lead = steps.count, self.place.replicas.shape
        up, down = self.up.bits, self.down.bits
        ups = torch.from_numpy(steps.bits.sum(0)).view(*lead, self.n)
        downs = torch.from_numpy(steps.down_bits.sum(0)).view(*lead, 1)
        self.network.charge_upload(ups if up is None else count * up, count)
        self.network.charge_receive(downs if down is None else count * down, count)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        lead, up, down = self.place.replicas.shape, self.up.bits, self.down.bits
        watch.work()
        varied = torch.from_numpy(steps.bits[place]).view(*lead, self.n) if up is None else up
        watch.up(varied, 1)
        answer = torch.from_numpy(steps.down_bits[place]).view(*lead, 1) if down is None else down
        watch.down(answer)
