"""Fused steps: blocks of steps in one call where all of a run's parts are plain.

The composed path, a method's own ``step``, defines the method; this must equal it bit for bit,
models and ledger (``tests/algorithms/test_fused_steps.py``), and leaves to it what is not plain.
Plain means l2 logistic regression with minibatches on a CPU, the simulated network without a
stopwatch, no faults, and BSP, local SGD or D-PSGD without compression, memory or transform.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, final

import numpy as np
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.faults import NO_FAULTS
from algorithms.kernels import fused_logistic
from algorithms.key import NumbersAsked
from algorithms.memories.base import NoMemory
from algorithms.methods.base import Method, World, dense_bits
from algorithms.methods.gossip.d_psgd import DPSGD, DPSGDState
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from algorithms.methods.parts.gradients import Sampled
from algorithms.methods.synchronous.bsp import BSP, BSPState
from algorithms.network.simulated import Simulated
from algorithms.optimizers.base import SGD
from algorithms.optimizers.proximal import NoProximal
from algorithms.problems.logistic import Logistic
from algorithms.problems.regularisers import L2
from algorithms.topologies.base import StaticTopology
from algorithms.transforms.base import NoTransform
from theory.stepsizes import Stepsize

_MOST_STEPS = 256
_MOST_PRODUCTS = 1 << 27  # multiply-adds of one call, about a tenth of a second: it can be stopped


class FusedSteps(ABC):
    """Takes several steps of one method at once.

    Attributes:
        step_rule: the method's stepsizes.
    """

    step_rule: Stepsize

    def __init__(self, world: World, problem: Logistic, network: Simulated) -> None:
        self.world, self.problem, self.network = world, problem, network
        self.replicas = world.replicas.reshape(-1)
        products = problem.n * problem.batch * problem.d * self.replicas.numel()
        self.most = max(1, min(_MOST_STEPS, _MOST_PRODUCTS // products))

    def advance(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        """The state after some of the steps t, ..., ``until`` - 1, and how many they were.

        0: the next step is for the method itself, which says what is wrong.

        Raises:
            NumbersAsked: the key has none.
        """
        if not self.world.key.numbers:
            raise NumbersAsked
        return self.taken(state, t, min(until, t + self.most))

    @abstractmethod
    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        """As :meth:`advance`, of a block of limited work."""

    def steps(self, t: int, until: int) -> fused_logistic.Steps:
        """What the steps draw and take."""
        key = self.world.key
        words = np.array([key.fold("gradient", s).words for s in range(t, until)], dtype=np.int64)
        gammas = np.array([self.step_rule(s) for s in range(t, until)], dtype=np.float64)
        return fused_logistic.Steps(words, gammas, self.problem.batch, self.problem.regulariser.lam)

    def flat(self, x: Tensor) -> Tensor:
        """Models ``[..., m, d]`` as ``[R, m, d]``."""
        return x.reshape(-1, *x.shape[-2:])


@final
class _Averaged(FusedSteps):
    """BSP: all take the mean of the workers' gradients."""

    def __init__(self, method: BSP, *world: Any) -> None:
        super().__init__(*world)
        self.step_rule = method.step_rule

    def taken(self, state: BSPState, t: int, until: int) -> tuple[BSPState, int]:
        flat = self.flat(state.x)[:, 0].contiguous()
        steps = self.steps(t, until)
        x, done = fused_logistic.averaged_descent(self.problem.rows, flat, steps, self.replicas)
        bits = done * dense_bits(self.problem.d, x.dtype)
        self.network.ledger.upload(bits, done)
        self.network.ledger.receive(bits, done)
        return state._replace(x=x.view(state.x.shape)), done


@final
class _Alone(FusedSteps):
    """Local SGD between two meetings; meetings are the method's own."""

    def __init__(self, method: LocalSGD, *world: Any) -> None:
        super().__init__(*world)
        self.method, self.step_rule = method, method.step_rule

    def taken(self, state: LocalSGDState, t: int, until: int) -> tuple[LocalSGDState, int]:
        meets = self.method.periods.meets
        stop = next((s + 1 for s in range(t, until) if meets(s)), until)
        steps = self.steps(t, stop)
        flat = self.flat(state.x).contiguous()
        x = fused_logistic.descent_alone(self.problem.rows, flat, steps, self.replicas)
        if x is None:
            return state, 0
        state = state._replace(x=x.view(state.x.shape))
        if meets(stop - 1):
            state = self.method.meet(state, stop - 1, self.world)
        return state, stop - t


@final
class _Mixed(FusedSteps):
    """D-PSGD on a fixed graph."""

    def __init__(self, method: DPSGD, *world: Any) -> None:
        super().__init__(*world)
        self.step_rule, self.neighbours = method.step_rule, method.topology.neighbours(0)

    def taken(self, state: DPSGDState, t: int, until: int) -> tuple[DPSGDState, int]:
        flat = self.flat(state.x).contiguous()
        links = self.neighbours.index, self.neighbours.weight
        x, done = fused_logistic.mixed_descent(
            self.problem.rows, flat, self.steps(t, until), self.replicas, *links
        )
        bits = done * dense_bits(self.problem.d, x.dtype)
        self.network.charge_mixing(self.neighbours, x.dtype, bits, done)
        return DPSGDState(x.view(state.x.shape)), done


def fused_steps(method: Method[Any], world: World) -> FusedSteps | None:
    """What takes the run's steps in blocks; None where some part is not plain."""
    problem, network = world.problem, world.network
    if not (isinstance(problem, Logistic) and isinstance(network, Simulated)):
        return None
    plain_problem = isinstance(problem.regulariser, L2) and problem.batch > 0 and problem.rowwise
    watched = network.stopwatch is not None or network.phases is not None
    if not plain_problem or watched or world.faults is not NO_FAULTS:
        return None
    if not problem.rows.is_contiguous():
        return None
    if isinstance(method, BSP) and _plain(
        (method.compressor, Identity), (method.memory, NoMemory), (method.downlink, Identity),
        (method.transform, NoTransform), (method.optimizer, SGD), (method.proximal, NoProximal),
    ):  # fmt: skip
        return _Averaged(method, world, problem, network)
    if isinstance(method, LocalSGD) and _plain((method.optimizer, SGD)):
        return _Alone(method, world, problem, network)
    if isinstance(method, DPSGD) and _plain(
        (method.gradients, Sampled), (method.topology, StaticTopology)
    ):
        return _Mixed(method, world, problem, network)
    return None


def _plain(*parts: tuple[object, type]) -> bool:
    return all(isinstance(part, kind) for part, kind in parts)
