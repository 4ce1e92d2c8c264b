"""Blocks of steps: what the fused steps of all methods have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from algorithms import fused_threads
from algorithms.fused_clock import clocked
from algorithms.kernels import fused_logistic
from algorithms.key import NumbersAsked
from algorithms.methods.base import World, dense_bits
from algorithms.network.clock import Clock
from algorithms.network.simulated import Simulated
from algorithms.threads import Threads
from theory.stepsizes import Stepsize

_MOST_STEPS = 256
_MOST_PRODUCTS = 1 << 30  # multiply-adds of one call, about a tenth of a second: it can be stopped


class FusedSteps(ABC):
    """Takes several steps of one method at once.

    Attributes:
        step_rule: the method's stepsizes.
        threads: those that share the work; one where a step is not worth the handing over.
        dense: bits of an uncompressed model.
        bits: bits of a message.
        timed: whether :meth:`charge_time` knows all that a step charges a stopwatch for.
    """

    step_rule: Stepsize
    timed: bool = True

    def __init__(self, world: World, problem: Any, network: Simulated, threads: int) -> None:
        self.world, self.problem, self.network = world, problem, network
        self.replicas = world.replicas.reshape(-1)
        self.bits = self.dense = dense_bits(problem.d, problem.dtype)
        products = problem.n * problem.batch * problem.d * self.replicas.numel()
        self.most = max(1, min(_MOST_STEPS, _MOST_PRODUCTS // products))
        self.threads = Threads(threads if products >= fused_threads.WORTH else 1)

    def shared(
        self, all_steps: Callable[..., Any], of_one: Callable[..., Any], parts: tuple[Tensor, ...],
        steps: fused_logistic.Steps, *more: Any,
    ) -> Any:  # fmt: skip
        """``all_steps`` of the problem's rows, by one thread; by several in shares of replicas, or
        where there is one replica, as ``of_one`` shares its workers."""
        rows = self.problem.rows
        if self.threads.count == 1:
            return all_steps(rows, *parts, steps, self.replicas, *more)
        if len(self.replicas) == 1:
            return of_one(self.threads, rows, *parts, steps, self.replicas, *more)
        return fused_threads.by_replicas(
            self.threads, all_steps, rows, parts, steps, self.replicas, more
        )

    def advance(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        """The state after some of the steps t, ..., ``until`` - 1, and how many they were.

        0: the next step is for the method itself, which says what is wrong.

        Raises:
            NumbersAsked: the key has none.
        """
        if not self.world.key.numbers:
            raise NumbersAsked
        until = min(until, t + self.most)
        watch = self.network.stopwatch
        if watch is None:
            return self.taken(state, t, until)
        ahead, reached = clocked(watch, self.charge_time, t, until)
        if reached == t:
            return state, 0
        state, done = self.taken(state, t, reached)
        if t + done < reached:
            ahead, _ = clocked(watch, self.charge_time, t, t + done)
        self.network.stopwatch = ahead
        return state, done

    def charge_time(self, watch: Clock, t: int) -> None:
        """Charge ``watch`` for step t as the method's own step does, where ``timed``."""
        watch.work()
        self.charge_meeting(watch)

    @abstractmethod
    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        """As :meth:`advance`, of a block of limited work."""

    def halved(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        """As :meth:`taken` with half the steps: in this block something stops being finite."""
        return self.taken(state, t, t + (until - t) // 2) if until - t > 1 else (state, 0)

    def words(self, purpose: str, t: int, until: int) -> NDArray[np.int64]:
        """Key words ``[T, 2]`` of the steps' draws."""
        key = self.world.key
        return np.array([key.fold(purpose, s).words for s in range(t, until)], dtype=np.int64)

    def charge(self, done: int) -> None:
        """``done`` messages of each worker, to the server and the dense mean back as often."""
        self.network.charge_averages(self.bits, self.dense, done)

    def charge_meeting(self, watch: Clock) -> None:
        """As :meth:`charge`, of one message, by the clock."""
        watch.up(self.bits, 1)
        watch.down(self.dense)

    def steps(self, t: int, until: int) -> fused_logistic.Steps:
        """What the steps draw and take."""
        words = self.words("gradient", t, until)
        gammas = np.array([self.step_rule(s) for s in range(t, until)], dtype=np.float64)
        return fused_logistic.Steps(words, gammas, self.problem.batch, self.problem.regulariser.lam)

    def flat(self, x: Tensor) -> Tensor:
        """Models ``[..., m, d]`` as ``[R, m, d]``."""
        return x.reshape(-1, *x.shape[-2:])
