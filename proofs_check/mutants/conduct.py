"""Faults in how a run is made: draws used twice, old models, dropped memories, short bills."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

from algorithms.catalogue.synchronous import round_trip
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method, RunContext
from algorithms.methods.synchronous.bsp import BSP, BSPState
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.base import pack
from algorithms.problems.quadratic import Quadratic
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.methods.instrumented_run import RunObservations, watch
from proofs_check.methods.run_invariants import STEPS, delays, fresh_draws, message_lengths
from proofs_check.methods.step_invariance import cycle
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep

N, D, SEED = 4, 6, 5
STEP = ConstantStep(0.1)
QUANTISED = BSP(STEP, QSGD(2))
WITH_MEMORY = BSP(STEP, TopK(2), ErrorFeedback())


def _problem() -> Quadratic:
    return Quadratic.strongly_convex(N, D, sigma2=1.0, zeta2=1.0)


ASYNCHRONOUS = ParameterServer(STEP, STEPS, round_trip(_problem()))


def _seen(method: Method[Any], replicas: int = 4) -> RunObservations:
    return watch(method, _problem(), steps=STEPS, replicas=replicas, seed=SEED)


def draws_of(method: Method[Any] = QUANTISED) -> Verdict:
    """Whether every draw of quantised BSP is a new one."""
    return fresh_draws("qsgd", _problem(), _seen(method), (), f"seed {SEED}")


def delays_of_bsp(method: Method[Any] = QUANTISED) -> Verdict:
    """Whether BSP takes gradients at the newest model."""
    return delays("bsp-sgd", _problem(), method, _seen(method), f"seed {SEED}")


def delays_of_asp(method: Method[Any] = ASYNCHRONOUS) -> Verdict:
    """Whether the delays of ASP are those that its constants state."""
    return delays("asp", _problem(), method, _seen(method, ASYNCHRONOUS.replicas), f"seed {SEED}")


def memory_at_every_step(method: Method[Any] = WITH_MEMORY) -> Verdict:
    """Whether top-k with error feedback makes every step alike."""
    return cycle("top-k", method, _problem(), 1, f"seed {SEED}")


def charged_with(missing: int = 0) -> Verdict:
    """Whether messages in Elias's code are charged to the bit, ``missing`` bits short."""
    seen = _seen(BSP(STEP, EliasQSGD(2)))
    seen.sent[:] = [
        replace(sent, bits=sent.bits - missing) if isinstance(sent.bits, Tensor) else sent
        for sent in seen.sent
    ]
    return message_lengths("qsgd", _problem(), seen, f"seed {SEED}")


@final
@dataclass(frozen=True)
class PacksAnew(FaultyMethod):
    """Quantised BSP whose messages are drawn for another step, other workers or other replicas.

    Attributes:
        right: quantised BSP.
        steps: so many steps share a key; 0: all do.
        workers: so many workers share their draws.
        replicas: so many replicas share their draws.
    """

    right: BSP
    steps: int = 1
    workers: int = 1
    replicas: int = 1

    def step(self, state: BSPState, t: int, context: RunContext) -> BSPState:
        key = context.key.fold("compress", t // self.steps if self.steps else 0)
        drawn = context.network.workers // self.workers
        g = context.gradient(state.x, t)
        packet = pack(self.right.compressor, g, key, context.replicas // self.replicas, drawn)
        mean = context.network.average(replace(packet, replicas=context.replicas)).result
        incoming = context.published(mean, t)
        return state._replace(x=state.x - self.right.step_rule(t) * incoming)


class _WithOld(NamedTuple):
    now: BSPState
    before: Tensor


@final
@dataclass(frozen=True)
class ReadsOldNowAndThen(FaultyMethod):
    """BSP whose gradients are taken at the model before the newest at every 10th step."""

    right: BSP

    def init(self, x0: Tensor, context: RunContext) -> _WithOld:
        state = self.right.init(x0, context)
        return _WithOld(state, state.x)

    def step(self, state: _WithOld, t: int, context: RunContext) -> _WithOld:
        read = state.now._replace(x=state.before) if t % 10 == 9 else state.now
        moved = self.right.step(read, t, context)
        x = state.now.x + (moved.x - read.x)
        return _WithOld(moved._replace(x=x), state.now.x)

    def models(self, state: _WithOld) -> Tensor:
        return state.now.x


@final
@dataclass(frozen=True)
class StatesOneLess(FaultyMethod):
    """ASP that states a delay one shorter than its schedule's."""

    right: ParameterServer

    def constants(self, problem: Any) -> Constants:
        stated = self.right.constants(problem)
        assert stated.tau is not None
        return stated.state(tau=stated.tau - 1)

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.right.step(state, t, context)


@wrong_step("error feedback dropped now and then", judge=memory_at_every_step, on=WITH_MEMORY)
def forgets_now_and_then(own: BSP, state: BSPState, t: int, context: RunContext) -> BSPState:
    """the residual is set to zero at every 50th step"""
    new = own.step(state, t, context)
    return new._replace(memory=torch.zeros_like(new.memory)) if t % 50 == 49 else new


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "QSGD with one key for all steps", "every step rounds with the numbers of the first",
        draws_of, PacksAnew(QUANTISED, steps=0),
    ),
    fault(
        "QSGD with a key for two steps", "two steps round with the same numbers",
        draws_of, PacksAnew(QUANTISED, steps=2),
    ),
    fault(
        "QSGD with draws shared by two workers", "workers 2i and 2i + 1 round alike",
        draws_of, PacksAnew(QUANTISED, workers=2),
    ),
    fault(
        "QSGD with draws shared by two replicas", "replicas 2r and 2r + 1 round alike",
        draws_of, PacksAnew(QUANTISED, replicas=2),
    ),
    fault(
        "BSP with an old model now and then", "every 10th gradient is taken one version back",
        delays_of_bsp, ReadsOldNowAndThen(QUANTISED),
    ),
    fault(
        "ASP with tau understated", "tau is one less than the schedule's largest delay",
        delays_of_asp, StatesOneLess(ASYNCHRONOUS),
    ),
    fault(
        "messages charged one bit short", "Elias-coded messages cost a bit less than they take",
        charged_with, 1,
    ),
    fault(
        "messages charged one bit long", "Elias-coded messages cost a bit more than they take",
        charged_with, -1,
    ),
)  # fmt: skip
