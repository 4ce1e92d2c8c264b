"""A run that is watched: what it draws, where it takes gradients, what it sends.

Spies note what passes at four seams (keys, draws, gradients, messages) and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, final
from unittest.mock import patch

import torch
from torch import Tensor

from algorithms.core.key import Draws, Key, PhiloxDraws
from algorithms.engine.run import one_thread
from algorithms.kernels.philox import Counters
from algorithms.methods.base import Method, RunContext
from algorithms.network.base import Packet
from algorithms.network.ledger import Account
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem

Words = tuple[int, int]


@final
@dataclass(frozen=True)
class RandomRequest:
    """Random numbers that rows of workers asked for.

    Attributes:
        t: step, -1 before the first.
        words: the two words of their Philox key.
        replicas: replica id of every row, in one line.
        workers: worker id of every row, in one line.
    """

    t: int
    words: Words
    replicas: Tensor
    workers: Tensor


@final
@dataclass(frozen=True)
class GradientPoints:
    """Points where gradients were taken in one call.

    Attributes:
        t: step, -1 before the first.
        x: points ``[R, k, d]``.
        workers: whose gradients these are ``[R, k]``; n is nobody.
        noise: stochastic less full gradients ``[R, k, d]``; None of full gradients.
        draws: the samples that were drawn; None of full gradients.
    """

    t: int
    x: Tensor
    workers: Tensor
    noise: Tensor | None = None
    draws: Draws | None = None


@final
@dataclass(frozen=True)
class SentMessages:
    """Messages of one exchange and what was charged for them.

    Attributes:
        t: step, -1 before the first.
        packet: the messages.
        bits: length of each row's message as charged [bits], one number for all or ``[R, m]``.
    """

    t: int
    packet: Packet
    bits: int | Tensor


@final
@dataclass
class RunObservations:
    """Observations of one run.

    Attributes:
        purposes: what each Philox key was folded from, outermost word first.
        asked: random numbers, in the order in which they were asked for.
        gradients: points of gradients, in their order.
        sent: messages, in their order.
        models: model rows ``[R, n or 1, d]`` before every step, and after the last.
        charged: what every worker was charged so far, before every step, and after the last.
        t: the step that runs, -1 before the first.
    """

    purposes: dict[Words, tuple[int | str, ...]] = field(default_factory=dict)
    asked: list[RandomRequest] = field(default_factory=list)
    gradients: list[GradientPoints] = field(default_factory=list)
    sent: list[SentMessages] = field(default_factory=list)
    models: list[Tensor] = field(default_factory=list)
    charged: list[Account] = field(default_factory=list)
    t: int = -1


def watch(
    method: Method[Any], problem: Problem, *, steps: int, replicas: int, seed: int
) -> RunObservations:
    """Run ``steps`` steps in the simulation and note what passes.

    Raises:
        NonFiniteGradient: a gradient is not finite.
    """
    seen = RunObservations()
    ids = torch.arange(replicas, device=problem.device)
    network = Simulated(problem.n, device=problem.device)
    context = RunContext(problem, network, Key.seed(seed), ids)
    with one_thread(), ExitStack() as spies:
        for spy in (_keys, _draws, _messages):
            spies.enter_context(spy(seen))
        spies.enter_context(_gradients(seen, type(problem)))
        state = method.init(problem.start(), context)
        for t in range(steps):
            seen.models.append(method.models(state).clone())
            seen.charged.append(network.account((replicas,)))
            seen.t = t
            state = method.step(state, t, context)
        seen.models.append(method.models(state).clone())
        seen.charged.append(network.account((replicas,)))
    return seen


@contextmanager
def _keys(seen: RunObservations) -> Iterator[None]:
    fold = Key.fold

    def noted(key: Key, *words: int | str) -> Key:
        found = fold(key, *words)
        seen.purposes[found.words] = (*seen.purposes.get(key.words, ()), *words)
        return found

    with patch.object(Key, "fold", noted):
        yield


@contextmanager
def _draws(seen: RunObservations) -> Iterator[None]:
    counters: Callable[[PhiloxDraws], Counters] = PhiloxDraws.__dict__["counters"].fget

    def noted(draws: PhiloxDraws) -> Counters:
        found = counters(draws)
        rows = found.replicas.clone(), found.workers.clone()
        seen.asked.append(RandomRequest(seen.t, (found.k0, found.k1), *rows))
        return found

    with patch.object(PhiloxDraws, "counters", property(noted)):
        yield


@contextmanager
def _messages(seen: RunObservations) -> Iterator[None]:
    length: Callable[[Packet], int | Tensor] = Packet.__dict__["bits"].func

    def noted(packet: Packet) -> int | Tensor:
        found = length(packet)
        seen.sent.append(SentMessages(seen.t, packet, found))
        return found

    with patch.object(Packet, "bits", property(noted)):
        yield


@contextmanager
def _gradients(seen: RunObservations, problem: type[Problem]) -> Iterator[None]:
    stochastic, full = problem.gradient, problem.full_gradient

    def note(
        x: Tensor, workers: Tensor, noise: Tensor | None = None, draws: Draws | None = None
    ) -> None:
        ids = workers.expand(*x.shape[:-2], workers.shape[-1]) if workers.dim() == 1 else workers
        points = x.expand(*ids.shape, x.shape[-1]).clone()
        seen.gradients.append(GradientPoints(seen.t, points, ids.clone(), noise, draws))

    def drawn(of: Problem, x: Tensor, draws: Draws) -> Tensor:
        found = stochastic(of, x, draws)
        note(x, draws.workers, found - full(of, x, draws.workers), draws)
        return found

    def whole(of: Problem, x: Tensor, workers: Tensor) -> Tensor:
        note(x, workers)
        return full(of, x, workers)

    with patch.object(problem, "gradient", drawn), patch.object(problem, "full_gradient", whole):
        yield
