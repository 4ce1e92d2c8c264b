"""Fused steps: blocks of steps in one call where all of a run's parts are plain.

The composed path, a method's own ``step``, defines the method; this must equal it bit for bit,
models and ledger (``tests/algorithms/test_fused_steps.py``), and leaves to it what is not plain.
Plain means l2 logistic regression with minibatches on a CPU, the simulated network, no faults, and
of methods BSP, local SGD and D-PSGD without compression, BSP with QSGD or with top-k and error
feedback, CHOCO-SGD with top-k; none with a transform or an optimizer.

Classes are told by their names and not imported: a stored result depends on what its run needs, and
an edit of one method or operator must not touch the runs of all others. A subclass has a name of
its own and takes its own steps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, final

import numpy as np
from torch import Tensor

from algorithms import fused_threads
from algorithms.faults import NO_FAULTS
from algorithms.fused_block import FusedSteps
from algorithms.kernels import fused_compressed, fused_logistic
from algorithms.kernels.compiled import COMPILED
from algorithms.methods.base import Method, World
from algorithms.network.base import in_neighbours
from algorithms.network.clock import Clock
from algorithms.network.simulated import Simulated
from algorithms.topologies.base import Neighbours, StaticTopology

_DENSE, _NO_MEMORY = "compressors.identity.Identity", "memories.base.NoMemory"
_LEVELS, _LARGEST = "compressors.qsgd.QSGD", "compressors.top_k.TopK"
_SGD, _AVERAGE = "optimizers.base.SGD", "optimizers.outer.PlainAverage"


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
        self.charge(done)
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
        self.timed = self.plain

    def charge_time(self, watch: Clock, t: int) -> None:
        watch.work()
        if self.method.periods.meets(t):
            self.charge_meeting(watch)

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
            self.charge(int(here.sum()))
        elif last:
            state = self.method.meet(state, until - 1, self.world)
        return state, until - t


class _Neighbourly(FusedSteps):
    """Workers that tell their neighbours on a fixed graph."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(*world)
        self.neighbours: Neighbours = method.topology.neighbours(0)

    @cached_property
    def heard(self) -> Tensor:
        """Who hears whom ``[n, n]``, which only a stopwatch asks."""
        return in_neighbours(self.neighbours.senders)

    def charge(self, done: int) -> None:
        self.network.charge_mixing(self.neighbours, self.problem.dtype, done * self.bits, done)

    def charge_meeting(self, watch: Clock) -> None:
        watch.exchange(self.bits, self.heard)


@final
class _Mixed(_Neighbourly):
    """D-PSGD on a fixed graph."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(method, *world)
        self.step_rule = method.step_rule

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        flat = self.flat(state.x).contiguous()
        links = self.neighbours.index, self.neighbours.weight
        x, done = self.shared(
            fused_logistic.mixed_descent, fused_threads.mixed_descent, (flat,),
            self.steps(t, until), *links,
        )  # fmt: skip
        self.charge(done)
        return type(state)(x.view(state.x.shape)), done


@final
class _Quantised(FusedSteps):
    """BSP with QSGD."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(*world)
        self.step_rule, self.levels = method.step_rule, method.compressor.s
        self.bits = method.compressor.bits(self.problem.d, self.problem.dtype)

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        flat = self.flat(state.x)[:, 0].contiguous()
        found = self.shared(
            fused_compressed.quantised_descent, fused_threads.quantised_descent, (flat,),
            self.steps(t, until), self.words("compress", t, until), self.levels,
        )  # fmt: skip
        if found is None:
            return self.halved(state, t, until)
        self.charge(until - t)
        return state._replace(x=found[0].view(state.x.shape)), until - t


@final
class _FedBack(FusedSteps):
    """BSP with top-k and error feedback."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(*world)
        self.step_rule, self.kept = method.step_rule, method.compressor.kept(self.problem.d)
        self.bits = method.compressor.bits(self.problem.d, self.problem.dtype)

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        flat = self.flat(state.x)[:, 0].contiguous()
        memory = self.flat(state.memory).contiguous()
        steps = self.steps(t, until)
        found = self.shared(
            fused_compressed.fed_back_descent, fused_threads.fed_back_descent, (flat, memory),
            steps, self.kept,
        )  # fmt: skip
        if found is None:
            return self.halved(state, t, until)
        self.charge(until - t)
        x, memory = (new.view(old.shape) for new, old in zip(found, state[:2], strict=True))
        return state._replace(x=x, memory=memory), until - t


@final
class _Gossiped(_Neighbourly):
    """CHOCO-SGD with top-k."""

    def __init__(self, method: Any, *world: Any) -> None:
        super().__init__(method, *world)
        self.step_rule, self.kept = method.step_rule, method.compressor.kept(self.problem.d)
        self.bits = method.compressor.bits(self.problem.d, self.problem.dtype)
        self.consensus = method.consensus_step

    def taken(self, state: Any, t: int, until: int) -> tuple[Any, int]:
        parts = tuple(self.flat(part).contiguous() for part in state)
        links = self.neighbours.index, self.neighbours.weight
        found = self.shared(
            fused_compressed.gossiped_descent, fused_threads.gossiped_descent, parts,
            self.steps(t, until), links, self.consensus, self.kept,
        )  # fmt: skip
        if found is None:
            return self.halved(state, t, until)
        self.charge(until - t)
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
    watch = network.stopwatch
    if not (watch is None or _plain((watch, "synchronisation.stopwatch.Stopwatch"))):
        return None
    if network.phases is not None or world.faults is not NO_FAULTS:
        return None
    if not (problem.rowwise and problem.rows.is_contiguous()):
        return None
    kind = _kind(method)
    made = None if kind is None else kind(method, world, problem, network, threads)
    return None if made is None or (watch and not made.timed) else made


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
