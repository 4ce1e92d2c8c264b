"""Closed forms: buffered differences of clients, and models that go to workers by a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.parts.age_rules import AgeRule, Polynomial
from algorithms.methods.parts.gradient_buffers import SharedBuffer
from algorithms.methods.stragglers.assigned_server import AssignedServer
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.assignment import (
    Assignment,
    AtRandom,
    FirstComeFirstServed,
    Reshuffled,
    assigned_schedule,
)
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Constant, Exponential
from proofs_check.evidence.asynchronous.closed_forms import TICKS, arrivals, drawn_gradient, uneven
from proofs_check.evidence.stragglers.closed_forms import GAMMA, LATE, SLOWER, TOLD, p2, ran
from proofs_check.instruments.closed_forms import ClosedForms, at_most, none_wrong, same
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[[Any], Method[Any]]

# FedBuff: differences of K local steps, worth (1 + age)^{-1/2}, B a step, divided by B.


_FEDBUFF = ClosedForms("fedbuff", "quadratic")
_K, _B, SERVER_RATE = 3, 2, 0.7


def _server(rule: AgeRule | None, size: int = _B) -> BufferedServer:
    return BufferedServer(
        ConstantStep(GAMMA), TICKS, LATE, rule or Polynomial(), SharedBuffer(size), _K, SERVER_RATE
    )


def _difference(x: Tensor, worker: int, t: int) -> Tensor:
    """Difference of a client's K local steps from x ``[d]`` at tick t."""
    y = x
    for k in range(_K):
        y = y - GAMMA * drawn_gradient(uneven(), y, worker, t * _K + k)
    return y - x


def _clients(size: int) -> Tensor:
    """The models ``[TICKS + 1, d]`` of FedBuff, one list of differences at the server."""
    schedule = arrivals(ParameterServer(ConstantStep(1.0), TICKS, LATE).schedule(5))
    kept, held, bag = [uneven().start()], [0] * 5, []
    path = [kept[0]]
    for t, (worker, _) in enumerate(schedule):
        age = len(kept) - 1 - held[worker]
        bag.append((1 + age) ** -0.5 * _difference(kept[held[worker]], worker, t))
        if len(bag) == size:
            kept.append(kept[-1] + SERVER_RATE * torch.stack(bag).sum(0) / size)
            bag = []
        held[worker] = len(kept) - 1
        path.append(kept[-1])
    return torch.stack(path)


@_FEDBUFF.case("replay of clients", f"{TOLD}, K = {_K}, eta_g = {SERVER_RATE:g}")
def buffered_differences(
    build: Build = lambda server: server, rule: AgeRule | None = None
) -> Verdict:
    """x + eta_g (1/B) sum s(d) D, D the difference of K local steps."""
    return same(
        f"B = {_B} differences a step, (1 + d)^-1/2 each, over B", ran(build(_server(rule))),
        _clients(_B),
    )  # fmt: skip


@_FEDBUFF.case("special case", f"{TOLD}, K = {_K}, eta_g = {SERVER_RATE:g}")
def one_is_fedasync(build: Build = lambda server: server) -> Iterator[Verdict]:
    """B = 1 adds every client's difference as it comes. FedAsync of Xie et al. 2019 mixes the
    client's model in, x + a s (y - x): the same where x is what the client read, and a s (x_read -
    x) apart where it is not."""
    path = ran(build(_server(None, 1)))
    yield same("B = 1: x + eta_g s(d) (y - x_read)", path, _clients(1))
    schedule = arrivals(ParameterServer(ConstantStep(1.0), TICKS, LATE).schedule(5))
    late = next(t for t, (_, version) in enumerate(schedule) if version < t)
    x, weight = path[late], SERVER_RATE * (1 + late - schedule[late][1]) ** -0.5
    read = path[schedule[late][1]]
    y = read + _difference(read, schedule[late][0], late)
    yield same(
        "mixing models is a s (x_read - x) apart at the first late one",
        x + weight * (y - x) - path[late + 1], weight * (read - x),
    )  # fmt: skip


@_FEDBUFF.case("special case", "all clients at once, B = n")
def together_is_fedavg(build: Build = lambda server: server) -> Iterator[Verdict]:
    """Synchronous clients: FedAvg, and its limits on P2 with stepsize 0.1."""
    problem, rounds, step = uneven(), 12, ConstantStep(GAMMA)
    mine = BufferedServer(
        step, rounds, Constant(), Polynomial(), SharedBuffer(5), _K, barrier=Bulk()
    )
    local = models(LocalSGD(step, _K), problem, rounds * _K, seed=3)[::_K, 0]
    got = models(build(mine), problem, rounds, seed=3)[:, 0]
    yield same("the models of local SGD after each meeting", got, local)
    for k, limit in ((1, 0.8), (2, 0.7710843373493976), (5, 0.6925023465365121)):
        on_p2 = BufferedServer(
            ConstantStep(0.1), 400, Constant(), Polynomial(), SharedBuffer(2), k, barrier=Bulk()
        )
        end = models(build(on_p2), p2(), 400)[-1, 0, 0]
        yield same(f"P2, K = {k}: limit {limit:.16g}", end, limit, on="P2")


# AsGrad: whom a model goes to decides whose function counts.


_ASGRAD = ClosedForms("asgrad", "quadratic")
_GAMMAS, _LENGTH, _REPLICAS, _NEAR = (0.02, 0.01), 1000, 64, 0.015


@_ASGRAD.case("special case", TOLD)
def to_arrived_is_asynchronous(rule: Assignment | None = None) -> Verdict:
    """Models to whoever arrives: asynchronous SGD, bit for bit."""
    given = ConstantStep(GAMMA), TICKS, LATE
    return same(
        "pure: asynchronous SGD bit for bit",
        ran(AssignedServer(*given, rule or FirstComeFirstServed())),
        ran(ParameterServer(*given)),
        tolerance=0.0,
    )


@_ASGRAD.case("replay of versions", TOLD)
def assigned_versions(build: Build = lambda server: server) -> Verdict:
    """Gradients belong to the models that were given out; each worker takes its own in turn."""
    problem, n = uneven(), 5
    method = AssignedServer(ConstantStep(GAMMA), TICKS, LATE)
    schedule = method.schedule(n)
    given = schedule.fetches[:, 0, 0].tolist()
    queues: list[list[int]] = [[0] for _ in range(n)]
    x = [problem.start()]
    for t, (worker, _) in enumerate(arrivals(schedule)):
        version = queues[worker].pop(0)
        x.append(x[t] - GAMMA * drawn_gradient(problem, x[version], worker, t))
        queues[given[t]].append(t + 1)
    return same(
        "x - gamma g_i(x_v), v the oldest model given to i", ran(build(method)), torch.stack(x)
    )


def _limit(rule: Assignment, problem: Quadratic) -> float:
    """The mean of the models' second half as gamma -> 0, by two stepsizes."""
    means = []
    for gamma in _GAMMAS:
        method = AssignedServer(ConstantStep(gamma), _LENGTH, SLOWER, rule, replicas=_REPLICAS)
        path = models(method, problem, _LENGTH, replicas=_REPLICAS)
        means.append(float(path[_LENGTH // 2 + 1 :].mean()))
    return 2 * means[1] - means[0]


def _limit_is(rule: Assignment, limit: float) -> Verdict:
    """The limit on P2 with a worker that is three times slower."""
    found = _limit(rule, p2())
    return at_most(
        f"models {rule.name}: limit {limit:.7g} as gamma -> 0", abs(found - limit), _NEAR,
        f"{found:.5f}", on="P2",
    )  # fmt: skip


_of_speeds = _ASGRAD.case(
    "limit on different data",
    f"worker 2 three times slower; gamma = 0.02 and 0.01, {_LENGTH} ticks, {_REPLICAS} replicas",
)


@_of_speeds
def speed_bias() -> Iterator[Verdict]:
    """Weights are speeds where models go to whoever arrives: 4/7; shuffled, all count alike."""
    for rule, limit in ((FirstComeFirstServed(), 4 / 7), (Reshuffled(), 0.8)):
        yield _limit_is(rule, limit)


@_of_speeds
def limit_of_random(rule: Assignment | None = None) -> Verdict:
    """Workers that are drawn count alike: 0.8."""
    return _limit_is(rule or AtRandom(), 0.8)


@_ASGRAD.case("fixed point", "P2, gamma = 2e-3, by a cycle of four ticks", on="P2")
def speeds_are_weights() -> Verdict:
    """Four ticks of asynchronous SGD, three of them worker 1's, stay around (3 a_1 c_1 + a_2 c_2) /
    (3 a_1 + a_2) = 4/7, up to order gamma."""
    ticks, gamma = 4000, 2e-3
    path = models(ParameterServer(ConstantStep(gamma), ticks, SLOWER), p2(), ticks)
    found = float(path[-400:].mean())
    return at_most("asynchronous SGD: limit 4/7", abs(found - 4 / 7), 4 * gamma, f"{found:.6f}")


@_ASGRAD.case("identity of delays", "five workers, 400 ticks, exponential times", on="schedule")
def n_under_way(rule: Assignment | None = None) -> Iterator[Verdict]:
    """By every rule delays of arrived + ages of those given out sum to n - 1 a step; shuffled,
    every n models go to n workers."""
    n, ticks, ids = 5, 400, torch.arange(1)
    for one in (rule,) if rule else (FirstComeFirstServed(), AtRandom(), Reshuffled()):
        drawn = assigned_schedule(one, n, ticks, Exponential(), Key.seed(1), ids)
        total = int(drawn.staleness.sum())
        used = set(drawn.versions[:, 0, 0].tolist())
        zeros = n - int((drawn.versions == 0).sum())
        out = sum(ticks - v for v in range(1, ticks + 1) if v not in used) + zeros * ticks
        yield none_wrong(
            f"models {one.name}: (n - 1) a step",
            abs(total + out - (n - 1) * ticks),
            f"mean delay {total / ticks:.3f}",
        )
        if isinstance(one, Reshuffled):
            epochs = drawn.fetches[:, 0, 0].reshape(-1, n).sort(-1).values
            yield same("each worker once an epoch", epochs, torch.arange(n).expand_as(epochs))


CLOSED_FORMS = (_FEDBUFF, _ASGRAD)
