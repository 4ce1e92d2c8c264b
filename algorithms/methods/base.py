"""Method: one update rule, written once over an explicit network."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Generic, NamedTuple, TypeVar, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.core.faults import NO_FAULTS, Faults
from algorithms.core.key import Draws, Key, WorkerIds
from algorithms.kernels.deferred_checks import NonFiniteGradient as NonFiniteGradient
from algorithms.kernels.deferred_checks import finite_rows, now
from algorithms.network.base import Network, Packet, pack
from algorithms.network.phases import Phase
from algorithms.pipeline.base import StepBlock
from algorithms.problems.base import Problem
from algorithms.topologies.base import Neighbours
from theory.constants import Constants
from theory.fields import CheckedFields

State = TypeVar("State")


@lru_cache(maxsize=16)
def dense_bits(d: int, dtype: torch.dtype) -> int:
    """Length of an uncompressed row [bits], as servers send it."""
    return Identity().bits(d, dtype)


@final
@dataclass(frozen=True)
class RunContext:
    """Setting of a run: the problem, the network, the randomness, the replicas.

    ``replicas`` are the ids ``[...]`` of the leading axes; ``faults`` are planted in the gradients
    of stated workers and steps, to test what a method does with them.

    Attributes:
        key: the randomness of the run; all draws are folded from it.
    """

    problem: Problem
    network: Network
    key: Key
    replicas: Tensor
    faults: Faults = NO_FAULTS

    @cached_property
    def _held(self) -> WorkerIds:
        return WorkerIds(self.replicas, self.network.workers)

    def draws(self, purpose: str, t: int) -> Draws:
        """Draws for the rows held here."""
        return self.key.fold(purpose, t).draws_of(self._held)

    def gradient(self, x: Tensor, t: int) -> Tensor:
        """Stochastic gradients ``[..., m, d]`` of the rows held here at x ``[..., m or 1, d]``.

        Raises:
            NonFiniteGradient: names the step, replica and worker.
        """
        return self.checked(self.problem.gradient(x, self.draws("gradient", t)), t)

    def gradient_of(self, x: Tensor, workers: Tensor, t: int) -> Tensor:
        """Stochastic gradients of ``workers`` ``[..., k]`` at x ``[..., k, d]``, as they come.

        Columns in which no replica has a worker that lives here are left at zero: a rank computes
        what its own workers do. In other columns the id n, which is nobody's, gets the gradient of
        worker n - 1: nobody reads it.
        """
        here = self._columns_here(workers)
        active, points = (workers, x) if here is None else (workers[..., here], x[..., here, :])
        draws = self.key.fold("gradient", t).draws(
            self.replicas, active.clamp_max(self.network.n - 1)
        )
        if here is None:
            return self.faults.plant(self.problem.gradient(x, draws), workers, t)
        g = torch.zeros_like(x)
        if active.shape[-1]:
            g[..., here, :] = self.problem.gradient(points.contiguous(), draws)
        return self.faults.plant(g, workers, t)

    def _columns_here(self, workers: Tensor) -> Tensor | None:
        """Columns ``[k]`` (bool) of ``workers`` ``[..., k]`` with one that lives here; None: all,
        which is not looked at where checks are late and everybody lives here."""
        if self.asks_nobody:
            return None
        here = self.network.is_local(workers).reshape(-1, workers.shape[-1]).any(0)
        return None if bool(here.all()) else here

    @property
    def asks_nobody(self) -> bool:
        """Whether the host need not ask who of some workers lives here: all do, and it must not
        wait for a device (checks are late)."""
        held = self.network.held
        return now() is not None and held.stop - held.start == self.network.n

    @cached_property
    def replicas_on_host(self) -> Tensor:
        """Replica ids ``[...]`` on the CPU, for what the host draws itself."""
        return self.replicas.cpu()

    def gradient_by_count(self, x: Tensor, workers: Tensor, begun: Tensor) -> Tensor:
        """Compute :meth:`gradient_of`, each worker drawing what it draws for its gradient number
        ``begun`` ``[..., k]``, the same in all replicas."""
        columns = [
            self.gradient_of(x[..., k : k + 1, :], workers[..., k : k + 1], count)
            for k, count in enumerate(_counts(begun))
        ]
        return torch.cat(columns, dim=-2)

    def pack(
        self,
        compressor: Compressor,
        x: Tensor,
        t: int,
        *,
        guide: Tensor | None = None,
        sends: Tensor | None = None,
        purpose: str = "compress",
    ) -> Packet:
        """Messages of the rows held here for x ``[..., m, d]``.

        ``guide`` is what some compressors read beside x, such as the fresh gradient or a variance;
        ``sends`` ``[..., m]`` (bool) tells which rows send; ``purpose`` tells several messages of
        one step apart.
        """
        return self._packet(compressor, x, self.key.fold(purpose, t), self._held, guide, sends)

    def mixed(self, x: Tensor, neighbours: Neighbours, t: int, purpose: str = "compress") -> Tensor:
        """Uncompressed rows x ``[..., m, d]`` after one exchange with neighbours."""
        return self.network.mix(self.pack(Identity(), x, t, purpose=purpose), neighbours).result

    def uploaded(
        self, compressor: Compressor, x: Tensor, workers: Tensor, t: int, purpose: str = "compress"
    ) -> Tensor:
        """Rows x ``[..., k, d]`` as the server reads them from ``workers`` ``[..., k]``,
        charged to those; of nobody, the id n, zero."""
        with self.network.during(Phase.COMPRESS):
            packet = pack(compressor, x, self.key.fold(purpose, t), self.replicas, workers)
        return self.network.collect(packet, workers)

    def uploaded_by_count(
        self, compressor: Compressor, x: Tensor, workers: Tensor, begun: Tensor
    ) -> Tensor:
        """Variant of :meth:`uploaded` that draws as :meth:`gradient_by_count` does."""
        columns = [
            self.uploaded(compressor, x[..., k : k + 1, :], workers[..., k : k + 1], count)
            for k, count in enumerate(_counts(begun))
        ]
        return torch.cat(columns, dim=-2)

    def pack_server(
        self, compressor: Compressor, x: Tensor, t: int, *, purpose: str = "publish"
    ) -> Packet:
        """The server's message for x ``[..., 1, d]``."""
        rows = WorkerIds(self.replicas, self.network.server)
        return self._packet(compressor, x, self.key.fold(purpose, t), rows, None, None)

    def published(self, x: Tensor, t: int, purpose: str = "publish") -> Tensor:
        """The server's row x ``[..., 1, d]`` as every worker reads it, sent uncompressed.

        All that workers use of what the server knows comes from here or from :meth:`answered`.
        """
        return self.network.publish(self.pack_server(Identity(), x, t, purpose=purpose))

    def answered(
        self,
        x: Tensor,
        workers: Tensor,
        t: int,
        compressor: Compressor | None = None,
        purpose: str = "answer",
    ) -> Tensor:
        """The server's rows x ``[..., 1 or k, d]`` as ``workers`` ``[..., k]`` read them, charged
        to those: ``[..., k, d]``, zero of nobody (the id n) and of workers that live elsewhere.

        One row is for all of them; uncompressed by default.
        """
        ids = torch.full_like(workers, self.network.n)
        rows = x.expand(*ids.shape, x.shape[-1])
        key = self.key.fold(purpose, t)
        with self.network.during(Phase.COMPRESS):
            packet = pack(compressor or Identity(), rows, key, self.replicas, ids)
        return self.network.answer(packet, workers)

    def broadcast(self, x: Tensor, hears: Tensor, t: int, purpose: str = "answer") -> Tensor:
        """The server's rows x ``[..., 1 or n, d]`` as the workers held here read them,
        uncompressed: ``[..., m, d]``, charged to workers who ``hears`` ``[..., n]`` (bool); zero of
        the others."""
        everyone = torch.arange(self.network.n, device=x.device)
        ids = torch.where(hears, everyone, self.network.n)
        answers = self.answered(x, ids.expand(*self.replicas.shape, -1), t, purpose=purpose)
        return answers[..., self.network.workers, :]

    def _packet(
        self,
        compressor: Compressor,
        x: Tensor,
        key: Key,
        rows: WorkerIds,
        guide: Tensor | None,
        sends: Tensor | None,
    ) -> Packet:
        draws = key.draws_of(rows)
        with self.network.during(Phase.COMPRESS):
            if guide is None:
                symbols = compressor.encode(x, draws)
            else:
                symbols = compressor.encode_guided(x, guide, draws)
        return Packet(compressor, symbols, key, self.replicas, x.shape[-1], x.dtype, sends)

    def worked(self, gradients: int, workers: Tensor) -> None:
        """``workers`` ``[..., k]`` computed for the time of so many gradients, where a stopwatch
        runs."""
        if self.network.stopwatch is not None:
            subset = torch.zeros((*workers.shape[:-1], self.network.n + 1), dtype=torch.bool)
            subset.scatter_(-1, workers.cpu(), True)
            self.network.stopwatch.work(gradients, subset[..., :-1])

    def rows(self, x0: Tensor, count: int) -> Tensor:
        """x0 ``[d]`` for every replica and ``count`` rows: ``[..., count, d]``, own storage."""
        return x0.expand(*self.replicas.shape, count, x0.shape[-1]).clone()

    def checked(self, g: Tensor, t: int, workers: Tensor | None = None) -> Tensor:
        """Gradients g ``[..., k, d]`` of ``workers`` ``[..., k]`` (those held here) if finite.

        Those of all workers take modelled time where a stopwatch runs. Where checks are late, zeros
        stand for those that are not finite, until that is told.

        Raises:
            NonFiniteGradient: names the step, replica and worker.
        """
        if workers is None and self.network.stopwatch is not None:
            self.network.stopwatch.work()
        subset = self.network.workers if workers is None else workers
        return finite_rows(self.faults.plant(g, subset, t), t, subset)


def _counts(begun: Tensor) -> list[int]:
    """The numbers ``[k]`` of ``[..., k]`` that are the same in all replicas."""
    first: list[int] = begun.reshape(-1, begun.shape[-1])[0].tolist()
    return first


class GradientReads(NamedTuple):
    """Gradients that a step takes.

    Attributes:
        points: where ``[..., k, d]``.
        workers: whose ``[..., k]``; the id n is nobody's.
    """

    points: Tensor
    workers: Tensor


class Method(CheckedFields, ABC, Generic[State]):
    """init/step pair; members are frozen dataclasses, states NamedTuples of tensors.

    ``shared_model`` says that all workers hold one model, whose rows are then ``[..., 1, d]``.
    """

    shared_model: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @property
    def server_operator(self) -> Compressor:
        """Compressor of the server's messages; by default they are uncompressed."""
        return Identity()

    @property
    def link_speeds(self) -> Tensor | None:
        """Speeds ``[n, n]`` of the links between workers, as multiples of the time model's, where
        the method goes by any; None: all are alike."""
        return None

    @abstractmethod
    def constants(self, problem: Problem) -> Constants:
        """The problem's constants and the method's own (omega, delta, lam, H, tau ...)."""

    @abstractmethod
    def init(self, x0: Tensor, context: RunContext) -> State:
        """State at x_0 ``[d]`` for every replica."""

    @abstractmethod
    def step(self, state: State, t: int, context: RunContext) -> State:
        """State after step t (t = 0, 1, ...)."""

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        """Several steps from t on as one call, composed of what the parts publish; None: steps are
        taken one by one. Equal to :meth:`step` to the bit. A subclass publishes its own: what it
        inherits is not asked for."""
        return None

    @abstractmethod
    def models(self, state: State) -> Tensor:
        """Model rows held here, ``[..., m, d]`` or ``[..., 1, d]``."""

    def reads(self, state: State, t: int, context: RunContext) -> GradientReads | None:
        """The gradients that step t takes, of methods whose workers read models of their own age;
        None: it is not told."""
        return None

    def reach(self, d: int) -> float:
        """Radius [x] of a ball around 0 that no model in R^d leaves; infinite where nothing keeps
        them in one."""
        return math.inf

    def unfit(self, problem: Problem) -> str:
        """Reason why the method cannot minimise the problem, in words; empty where it can.

        Members that ask for more than gradients say here what a problem lacks.
        """
        if self.reach(problem.d) <= problem.within:
            return ""
        return (
            f"its minimum is over ||x|| <= {problem.within:g}, and {self.name} does not keep its "
            "models there; a row that projects would do: projected-dgd, mirror-descent, bsp-sgd, "
            "qsgd"
        )

    def seconds(self, state: State, t: int) -> Tensor | None:
        """Modelled time ``[...]`` after t steps, of methods that follow a schedule of their own."""
        return None

    def computed(self, state: State, t: int) -> Tensor | None:
        """Gradients that a worker computed in t steps, in the mean ``[...]``, of methods that
        follow a schedule of their own."""
        return None
