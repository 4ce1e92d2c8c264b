"""Rows in which nobody waits and the server says what a late gradient is worth."""

from __future__ import annotations

import math

from algorithms.catalogue.downlink import as_fetched
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.catalogue.synchronous import round_trip
from algorithms.compressors.identity import Identity
from algorithms.methods.parts.age_rules import AgeRule, DelayAdaptive, Polynomial, Younger
from algorithms.methods.parts.gradient_buffers import (
    BufferPerWorker,
    GradientBuffer,
    SharedBuffer,
)
from algorithms.methods.stragglers.assigned_server import AssignedServer
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.base import Problem
from algorithms.synchronisation.assignment import Assignment, Reshuffled
from algorithms.synchronisation.barriers import Interrupting
from theory.orders.asgrad import asgrad
from theory.orders.delay_adaptive import delay_adaptive
from theory.orders.fedbuff import fedbuff
from theory.orders.malenia import malenia
from theory.orders.rennala import rennala
from theory.orders.ringmaster_seconds import ringmaster_seconds
from theory.stepsizes import Stepsize
from theory.theorems.asysg_con import asysg_con
from theory.theorems.delay_adaptive_steps import delay_adaptive_steps
from theory.theorems.malenia_arrivals import malenia_arrivals
from theory.theorems.perturbed_iterate import perturbed_iterate
from theory.theorems.rennala_arrivals import rennala_arrivals
from theory.theorems.ringmaster import ringmaster

_PROBLEMS = ("quadratic-unequal", "logreg-breast-cancer", "nonconvex-digits-dirichlet")
_LOCAL, _CLIENTS = 4, 4  # gradients of a client, share of the clients in a step of FedBuff
_TICKS = "a step of the server is one of several arrivals, and runs count arrivals"
_BY_ARRIVALS = f"{_TICKS}: by arrivals bounds are derived, held in settings of their own"


def collected_at(steps: int) -> int:
    """Gradients in a step of Rennala or Malenia, and delays that Ringmaster takes: sigma^2/epsilon,
    where epsilon falls as the root of the number of gradients."""
    return max(1, round(math.sqrt(steps)))


def smoothness(problem: Problem) -> float:
    """L of the workers' functions, or of their mean where that is all that is known [f / x^2]."""
    c = problem.constants()
    return c.L_max or c.need("L")


def threshold(n: int) -> int:
    """R of Ringmaster: workers of one speed in turn have delays of at most n - 1."""
    return n


def buffered(
    step: Stepsize, problem: Problem, steps: int, rule: AgeRule, buffer: GradientBuffer
) -> BufferedServer:
    """A server by those rules, in the time of the survey."""
    return BufferedServer(step, steps, round_trip(problem), rule, buffer)


def assigned(rule: Assignment) -> Recipe:
    """Asynchronous SGD whose models are given out by ``rule``."""
    return Recipe(
        lambda step, p, steps: AssignedServer(step, steps, round_trip(p), rule),
        (),
        Identity(),
        _PROBLEMS,
        why="the rates are recalled to order only",
        results=(asgrad, asysg_con),
    )


def stopping() -> Recipe:
    """Ringmaster ASGD that stops gradients at the age at which it would drop them."""
    return Recipe(
        lambda step, p, steps: ParameterServer(
            step, steps, round_trip(p), Interrupting(threshold(p.n))
        ),
        (ringmaster,),
        Identity(),
        _PROBLEMS,
        downlink=as_fetched,
        results=(ringmaster_seconds,),
    )


ENTRIES: tuple[Row, ...] = (
    entry(
        "delay-adaptive-asgd",
        Recipe(
            lambda step, p, steps: buffered(
                step, p, steps, DelayAdaptive(smoothness(p)), SharedBuffer()
            ),
            (),
            Identity(),
            _PROBLEMS,
            why="the rate is certain to order only; a bound for one objective is derived "
            "(delay_adaptive_steps)",
            results=(delay_adaptive, delay_adaptive_steps),
        ),
    ),
    entry(
        "rennala",
        Recipe(
            lambda step, p, steps: buffered(step, p, steps, Younger(1), SharedBuffer(p.n)),
            (),
            Identity(),
            _PROBLEMS,
            why=_BY_ARRIVALS,
            results=(rennala, rennala_arrivals),
            as_stated=lambda step, p, steps: buffered(
                step, p, steps, Younger(1), SharedBuffer(collected_at(steps))
            ),
        ),
    ),
    entry(
        "ringmaster",
        Recipe(
            lambda step, p, steps: buffered(
                step, p, steps, Younger(threshold(p.n)), SharedBuffer()
            ),
            (),
            Identity(),
            _PROBLEMS,
            why=_TICKS,
            results=(ringmaster, ringmaster_seconds),
            as_stated=lambda step, p, steps: buffered(
                step, p, steps, Younger(collected_at(steps)), SharedBuffer()
            ),
        ),
        advised=True,
    ),
    entry(
        "malenia",
        Recipe(
            lambda step, p, steps: buffered(step, p, steps, Younger(1), BufferPerWorker(p.n)),
            (),
            Identity(),
            _PROBLEMS,
            why=_BY_ARRIVALS,
            results=(malenia, malenia_arrivals),
            as_stated=lambda step, p, steps: buffered(
                step, p, steps, Younger(1), BufferPerWorker(max(p.n, collected_at(steps)))
            ),
        ),
    ),
    entry(
        "fedbuff",
        Recipe(
            lambda step, p, steps: BufferedServer(
                step, steps, round_trip(p, _LOCAL), Polynomial(),
                SharedBuffer(max(1, p.n // _CLIENTS)), _LOCAL,
            ),
            (),
            Identity(),
            _PROBLEMS,
            why="the rate is recalled to order only",
            results=(fedbuff, perturbed_iterate),
        ),
    ),
    entry("asgrad", assigned(Reshuffled())),
)  # fmt: skip
