"""Fused steps: blocks of steps in one call where all of a run's parts are plain.

The composed path, a method's own ``step``, defines the method; this must equal it bit for bit,
models and ledger (``tests/algorithms/test_fused_steps.py``), and leaves to it what is not plain.
Plain means l2 logistic regression with minibatches on a CPU, the simulated network without a
stopwatch, no faults, and of methods BSP, local SGD and D-PSGD without compression, BSP with QSGD or
with top-k and error feedback, CHOCO-SGD with top-k; none with a transform or an optimizer.

Classes are told by their names and not imported: a stored result depends on what its run needs, and
an edit of one method or operator must not touch the runs of all others. A subclass has a name of
its own and takes its own steps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from algorithms import fused_threads
from algorithms.faults import NO_FAULTS
from algorithms.kernels import fused_compressed, fused_logistic
from algorithms.kernels.compiled import COMPILED
from algorithms.key import NumbersAsked
from algorithms.methods.base import Method, World, dense_bits
from algorithms.network.simulated import Simulated
from algorithms.threads import Threads
from algorithms.topologies.base import StaticTopology
from theory.stepsizes import Stepsize

_DENSE, _NO_MEMORY = "compressors.identity.Identity", "memories.base.NoMemory"
_LEVELS, _LARGEST = "compressors.qsgd.QSGD", "compressors.top_k.TopK"
_SGD, _AVERAGE = "optimizers.base.SGD", "optimizers.outer.PlainAverage"
_MOST_STEPS = 256
_MOST_PRODUCTS = 1 << 30  # multiply-adds of one call, about a tenth of a second: it can be stopped


class FusedSteps(ABC):
    """Takes several steps of one method at once.

    Attributes:
        step_rule: the method's stepsizes.
        threads: those that share the work; one where a step is not worth the handing over.
    """

    step_rule: Stepsize

    def __init__(self, world: World, problem: Any, network: Simulated, threads: int) -> None:
        self.world, self.problem, self.network = world, problem, network
        self.replicas = world.replicas.reshape(-1)
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
        return self.taken(state, t, min(until, t + self.most))

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

    def charge(self, up: int, done: int) -> None:
        """``done`` messages of ``up`` bits to the server, and the dense mean back as often."""
        down = dense_bits(self.problem.d, self.problem.dtype)
        self.network.charge_averages(up, down, done)

    def steps(self, t: int, until: int) -> fused_logistic.Steps:
        """What the steps draw and take."""
        words = self.words("gradient", t, until)
        gammas = np.array([self.step_rule(s) for s in range(t, until)], dtype=np.float64)
        return fused_logistic.Steps(words, gammas, self.problem.batch, self.problem.regulariser.lam)

    def flat(self, x: Tensor) -> Tensor:
        """Models ``[..., m, d]`` as ``[R, m, d]``."""
        return x.reshape(-1, *x.shape[-2:])


@final
class _Averaged(FusedSteps):
    """BSP: all take the mean of the workers' gradients."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(*world)
        self.step_rule = method.step_rule

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        flat = self.flat(state.x)[:, 0].contiguous()
        steps = self.steps(t, until)
        x, done = self.shared(
            fused_logistic.averaged_descent, fused_threads.averaged_descent, (flat,), steps
        )
        self.charge(dense_bits(self.problem.d, x.dtype), done)
        return state._replace(x=x.view(state.x.shape)), done


@final
class _Alone(FusedSteps):
    """Local SGD; meetings that are more than a mean are the method's own and end a block."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(*world)
        self.method, self.step_rule = method, method.step_rule
        self.plain = method.velocity.name == "KEPT" and _plain(
            (method.compressor, _DENSE), (method.memory, _NO_MEMORY), (method.outer, _AVERAGE)
        )

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        meets = np.array([self.method.periods.meets(s) for s in range(t, until)])
        if not self.plain and meets.any():
            until = t + int(meets.argmax()) + 1
            meets = meets[: until - t]
        last, flat = bool(meets[-1]), self.flat(state.x).contiguous()
        here = meets & self.plain
        steps = self.steps(t, until)
        found = self.shared(
            fused_logistic.descent_alone, fused_threads.descent_alone, (flat,), steps, here
        )
        if found is None:
            return self.halved(state, t, until)
        state = state._replace(x=found[0].view(state.x.shape))
        if here.any():
            state = state._replace(anchor=found[1].view(state.anchor.shape))
            self.charge(dense_bits(self.problem.d, flat.dtype), int(here.sum()))
        elif last:
            state = self.method.meet(state, until - 1, self.world)
        return state, until - t


@final
class _Mixed(FusedSteps):
    """D-PSGD on a fixed graph."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(*world)
        self.step_rule, self.neighbours = method.step_rule, method.topology.neighbours(0)

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        flat = self.flat(state.x).contiguous()
        links = self.neighbours.index, self.neighbours.weight
        x, done = self.shared(
            fused_logistic.mixed_descent, fused_threads.mixed_descent, (flat,),
            self.steps(t, until), *links,
        )  # fmt: skip
        bits = done * dense_bits(self.problem.d, x.dtype)
        self.network.charge_mixing(self.neighbours, x.dtype, bits, done)
        return type(state)(x.view(state.x.shape)), done


@final
class _Quantised(FusedSteps):
    """BSP with QSGD."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(*world)
        self.step_rule, self.compressor = method.step_rule, method.compressor

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        flat = self.flat(state.x)[:, 0].contiguous()
        found = self.shared(
            fused_compressed.quantised_descent, fused_threads.quantised_descent, (flat,),
            self.steps(t, until), self.words("compress", t, until), self.compressor.s,
        )  # fmt: skip
        if found is None:
            return self.halved(state, t, until)
        self.charge(self.compressor.bits(self.problem.d, flat.dtype), until - t)
        return state._replace(x=found[0].view(state.x.shape)), until - t


@final
class _FedBack(FusedSteps):
    """BSP with top-k and error feedback."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(*world)
        self.step_rule, self.compressor = method.step_rule, method.compressor

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        d, flat = self.problem.d, self.flat(state.x)[:, 0].contiguous()
        memory = self.flat(state.memory).contiguous()
        kept, steps = self.compressor.kept(d), self.steps(t, until)
        found = self.shared(
            fused_compressed.fed_back_descent, fused_threads.fed_back_descent, (flat, memory),
            steps, kept,
        )  # fmt: skip
        if found is None:
            return self.halved(state, t, until)
        self.charge(self.compressor.bits(d, flat.dtype), until - t)
        x, memory = (new.view(old.shape) for new, old in zip(found, state[:2], strict=True))
        return state._replace(x=x, memory=memory), until - t


@final
class _Gossiped(FusedSteps):
    """CHOCO-SGD with top-k."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(*world)
        self.step_rule, self.compressor = method.step_rule, method.compressor
        self.consensus = method.consensus_step
        self.neighbours = method.topology.neighbours(0)

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        d, dtype = self.problem.d, self.problem.dtype
        parts = tuple(self.flat(part).contiguous() for part in state)
        links = self.neighbours.index, self.neighbours.weight
        found = self.shared(
            fused_compressed.gossiped_descent, fused_threads.gossiped_descent, parts,
            self.steps(t, until), links, self.consensus, self.compressor.kept(d),
        )  # fmt: skip
        if found is None:
            return self.halved(state, t, until)
        bits = (until - t) * self.compressor.bits(d, dtype)
        self.network.charge_mixing(self.neighbours, dtype, bits, until - t)
        return type(state)(*(part.view(state.x.shape) for part in found)), until - t


_MESSAGES: tuple[tuple[str, str, Callable[..., FusedSteps]], ...] = (
    (_DENSE, _NO_MEMORY, _Averaged),
    (_LEVELS, _NO_MEMORY, _Quantised),
    (_LARGEST, "memories.error_feedback.ErrorFeedback", _FedBack),
)


def fused_steps(method: Method[Any], world: World, threads: int = 1) -> FusedSteps | None:
    """What takes the run's steps in blocks, with so many threads where that pays; None where some
    part is not plain, or not compiled."""
    if not COMPILED:
        return None
    problem: Any = world.problem
    network = world.network
    if not (isinstance(network, Simulated) and _plain((problem, "problems.logistic.Logistic"))):
        return None
    if not _plain((problem.regulariser, "problems.regularisers.L2")) or problem.batch == 0:
        return None
    watched = network.stopwatch is not None or network.phases is not None
    if watched or world.faults is not NO_FAULTS:
        return None
    if not (problem.rowwise and problem.rows.is_contiguous()):
        return None
    kind = _kind(method)
    return None if kind is None else kind(method, world, problem, network, threads)


def _kind(method: Any) -> Callable[..., FusedSteps] | None:
    """What takes the steps of a method; None where it is not plain."""
    if _plain((method, "methods.synchronous.bsp.BSP")):
        others = (
            (method.downlink, _DENSE), (method.transform, "transforms.base.NoTransform"),
            (method.optimizer, _SGD), (method.proximal, "optimizers.proximal.NoProximal"),
        )  # fmt: skip
        for operator, memory, kind in _MESSAGES:
            if _plain((method.compressor, operator), (method.memory, memory), *others):
                return kind
    elif _plain((method, "methods.gossip.choco.ChocoSGD")):
        return _Gossiped if _plain((method.compressor, _LARGEST)) else None
    elif _plain((method, "methods.local_updates.local_sgd.LocalSGD")):
        return _Alone if _plain((method.optimizer, _SGD)) else None
    elif _plain((method, "methods.gossip.d_psgd.DPSGD")):
        fixed = isinstance(method.topology, StaticTopology)
        sampled = _plain((method.gradients, "methods.parts.gradients.Sampled"))
        return _Mixed if fixed and sampled else None
    return None


def _plain(*parts: tuple[object, str]) -> bool:
    """Whether parts are of the classes of these names in this package."""
    return all(
        f"{type(part).__module__}.{type(part).__qualname__}" == f"algorithms.{name}"
        for part, name in parts
    )
