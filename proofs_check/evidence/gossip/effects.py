"""Effects of gossip with gradients and with compressed differences, and faults planted in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.catalogue import problem, row
from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.engine.trace import Trace
from algorithms.methods.base import RunContext, dense_bits
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip.choco import Choco, ChocoGossip, ChocoSGD, ChocoState
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip.closed_forms import (
    covariance_of_gossip,
    gossip_mean_is_bsp,
    ring_bias,
)
from proofs_check.evidence.gossip.closed_forms_choco import first_round, mean_is_kept
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.methods.faulty.methods import HastyChoco, LeakyRing, SelfishChoco, SelfTwiceDPSGD
from proofs_check.mutants.method_mutant import MethodMutant, fault
from theory.seconds.costs import AlphaBeta, gossip_seconds, parameter_server_seconds
from theory.stepsizes import Stepsize

# D-PSGD and CHOCO with one fault each.


class LateState(NamedTuple):
    """Models now and one step ago ``[..., m, d]``.

    Attributes:
        x: models now.
        before: models a step ago.
    """

    x: Tensor
    before: Tensor


def own_weights(topology: Topology, context: RunContext) -> Tensor:
    """W_ii of the rows held here ``[m, 1]``."""
    diagonal = torch.from_numpy(topology.matrix(0).diagonal().copy())
    return diagonal[context.network.workers][:, None]


@final
@dataclass(frozen=True)
class StaleDPsgd(FaultyMethod):
    """D-PSGD whose neighbours are heard a step late: W_ii x_i^t + sum of W_ij x_j^{t-1}."""

    right: DPSGD

    def init(self, x0: Tensor, context: RunContext) -> LateState:
        x = self.right.init(x0, context).x
        return LateState(x, x)

    def step(self, state: LateState, t: int, context: RunContext) -> LateState:
        g = context.gradient(state.x, t)
        packet = context.pack(Identity(), state.before, t)
        late, _ = context.network.mix(packet, self.right.topology.neighbours(t))
        mixed = late + own_weights(self.right.topology, context) * (state.x - state.before)
        return LateState(mixed - self.right.step_rule(t) * g, state.x)


@final
@dataclass(frozen=True)
class ForgetfulChoco(FaultyMethod):
    """CHOCO without public copies: every round compresses the models themselves."""

    right: Choco

    def step(self, state: ChocoState, t: int, context: RunContext) -> ChocoState:
        nothing = torch.zeros_like(state.public)
        return self.right.step(ChocoState(state.x, nothing, nothing), t, context)


def twice_as_far(step: Stepsize, on: Topology, operator: Compressor, gamma: float) -> ChocoSGD:
    """CHOCO-SGD whose consensus step is twice what it states."""
    return ChocoSGD(step, on, operator, 2 * gamma)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "gossip's covariance with noise 10 % too large", "variance 1.1 v in the place of v",
        covariance_of_gossip, 1.1,
    ),
    fault(
        "CHOCO with a doubled consensus step", "gamma (W - I) is applied twice as strongly",
        first_round, twice_as_far,
    ),
    MethodMutant(
        "leaky weights", "a W whose rows sum to 0.99",
        lambda: gossip_mean_is_bsp(DPSGD, LeakyRing(8)), lambda: gossip_mean_is_bsp(DPSGD, Ring(8)),
    ),
    fault(
        "D-PSGD counting itself twice", "the self-weight W_ii is added once more",
        ring_bias, wrapped(SelfTwiceDPSGD, DPSGD),
    ),
    fault(
        "CHOCO ahead of its messages", "the own public copy moves before the neighbours hear of it",
        mean_is_kept, wrapped(HastyChoco, ChocoGossip),
    ),
    fault(
        "CHOCO mixing its own model", "the own uncompressed model takes the public copy's place",
        mean_is_kept, wrapped(SelfishChoco, ChocoGossip),
    ),
    fault(
        "D-PSGD with old neighbours", "neighbours' models of the step before are mixed",
        gossip_mean_is_bsp, wrapped(StaleDPsgd, DPSGD),
    ),
)  # fmt: skip


# Effects of gossip with gradients, and with compressed differences to public copies.

_PRACTICE = "d = 20, top 5, the row's consensus stepsize of practice"


def _practised(it: ArmContext) -> Any:
    return row(it.key).tune(it.problem, it.setting.length, practice=True).method


CHOCO_GOSSIP = contrast(
    "choco-gossip", "compressed messages reach the exact mean with fewer bits",
    Setting(
        "consensus", partial(problem, "consensus"), 16,
        lambda n: 5 * n * n // 2,  # a ring's gap falls as 1/n^2
        None, note=f"ring, {_PRACTICE}",
    ),
    Reading("sent_bits", "distance_of_workers", target=1e-7),
    method=arm("CHOCO-Gossip, a quarter of the coordinates", _practised),
    baseline=arm("exact gossip", lambda it: GossipAveraging(FixedLinks(Ring(it.problem.n)))),
    without=arm(
        "no public copies: the values themselves are compressed",
        lambda it: ForgetfulChoco(_practised(it)),
    ),
    at_most=0.65,
    source="Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Figure 3: linear convergence to the "
    "mean, where averaging quantised values stalls",
    scales=("linear", "log"),
)  # fmt: skip

CHOCO_SGD = contrast(
    "choco-sgd", "compressed differences train for fewer bits",
    Setting(
        "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 800,
        (0.025, 0.05, 0.1, 0.2, 0.4), points=400, d=20, note=f"ring, {_PRACTICE}",
    ),
    Reading("sent_bits", target=0.01, of=" of the mean model"),
    method="CHOCO-SGD, a quarter of the coordinates",
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n))),
    without=arm(
        "no public copies: the models themselves are compressed",
        lambda it: ForgetfulChoco(it.own),
    ),
    at_most=0.65, source="Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, section 5.3",
)  # fmt: skip

_N, _LINK, _GRADIENT = 16, AlphaBeta(1e-4, 1e-6), 1e-3
_UNEQUAL = partial(unequal, sigma2=8.0)


def _paced(seconds: Callable[[float], float]) -> Callable[[Trace], Trace]:
    """The trace of steps that take ``seconds`` of the bits of a model."""

    def view(trace: Trace) -> Trace:
        bits = dense_bits(trace.model.shape[-1], trace.model.dtype)
        return replace(trace, seconds=trace.steps * np.float64(seconds(bits)))

    return view


D_PSGD = contrast(
    "d-psgd", "without a server that hears all, training is sooner done on slow links",
    Setting(
        "quadratic-unequal, sigma2 = 8", _UNEQUAL, _N, 300, (0.025, 0.05, 0.1, 0.2, 0.4),
        replicas=128, d=20,
        note="links of 1 Mbit/s with 0.1 ms latency, a gradient takes 1 ms",
    ),
    Reading("seconds", target=0.05, of=" of the mean model"),
    method=arm(
        "D-PSGD, ring", lambda it: it.own,
        view=_paced(lambda bits: gossip_seconds(_LINK, 2, bits, _GRADIENT)),
    ),
    baseline=arm(
        "BSP over one parameter server", lambda it: it.method_of("bsp-sgd"),
        view=_paced(lambda bits: parameter_server_seconds(_LINK, _N, bits, bits, _GRADIENT)),
    ),
    without=arm(
        "everyone hears everyone", lambda it: DPSGD(it.step, Complete(it.problem.n)),
        view=_paced(lambda bits: gossip_seconds(_LINK, _N - 1, bits, _GRADIENT)),
    ),
    at_most=0.4,
    source="Lian, Zhang, Zhang, Hsieh, Zhang, Liu 2017, arXiv:1705.09056, Corollary 2 and Figure 2",
)  # fmt: skip
