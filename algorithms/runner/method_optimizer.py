"""Any method as the optimizer of a torch module, on ranks that are one worker each.

    optimizer = MethodOptimizer(module, Dion(ConstantStep(0.02), 8))
    def closure():
        loss = criterion(module(inputs), labels)
        loss.backward()
        return loss
    optimizer.step(closure)

A communication hook can average gradients, and what becomes of the average is the business of
torch's optimizer. Methods that do more (servers that compress their answer, momenta and moments
that are what is sent, local steps with meetings, models of each worker's own) take their own step
here, the very code that the simulation runs, with this rank's gradient at the points that they ask
for. So a run equals the simulation with one worker a rank, memory and bytes are the method's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, final

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from algorithms.core.key import Draws, Key
from algorithms.core.versions import package_version
from algorithms.ddp.model import require_agreement, row_type
from algorithms.ddp.row import hand_back, joined
from algorithms.ddp.sender import step_digest
from algorithms.kernels.deferred_checks import NonFiniteGradient
from algorithms.kernels.extremes import all_finite
from algorithms.memories import in_place
from algorithms.methods.base import Method, RunContext
from algorithms.network.ranks import least, place
from algorithms.network.sharded import Sharded
from algorithms.problems.base import Problem
from theory.constants import Constants

Closure = Callable[[], Tensor]
"""Forward and backward pass of this rank's batch; gives the loss."""


@final
@dataclass(frozen=True, eq=False)
class ClosureProblem(Problem):
    """The objective of a user's training loop: all that is known of it is this rank's gradient.
    (The caller's own problem.)

    Attributes:
        n: ranks, which are the workers.
        parameters: the tensors that are trained.
        closures: the closure of the step that is taken, alone.
        losses: what it gave, at each point that the method asked for.
        bad: which of those gradients, by number, were not finite.

    Raises:
        ValueError: a gradient is asked for at more points than one.
        NotImplementedError: anything but a gradient is asked for.
    """

    n: int
    parameters: list[nn.Parameter]
    closures: list[Closure] = field(default_factory=list)
    losses: list[Tensor] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)

    name = "a module of one's own"
    x_star = None
    f_star = None
    rowwise = False

    @property
    def d(self) -> int:
        """Numbers in all parameters."""
        return sum(p.numel() for p in self.parameters)

    @property
    def dtype(self) -> torch.dtype:
        """Type of the row, see :func:`.model.row_type`."""
        return row_type(self.parameters)

    @property
    def device(self) -> torch.device:
        """Device of the parameters."""
        return self.parameters[0].device

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(p.shape) for p in self.parameters)

    def start(self) -> Tensor:
        return joined([p.detach() for p in self.parameters], self.dtype)[0, 0]

    def place(self, x: Tensor) -> None:
        """Make the module's parameters the row x ``[..., d]``."""
        with torch.no_grad():
            hand_back(x.reshape(-1), [p.data for p in self.parameters])

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        if x.numel() != self.d:
            raise ValueError(
                f"a rank computes the gradient of one worker at one point, got x of shape "
                f"{tuple(x.shape)} with d={self.d}; as many workers as ranks would do"
            )
        self.place(x)
        for p in self.parameters:
            p.grad = None
        with torch.enable_grad():
            self.losses.append(self.closures[0]().detach())
        given = [torch.zeros_like(p) if p.grad is None else p.grad for p in self.parameters]
        row = joined(given, self.dtype).reshape(x.shape)
        if not all_finite(row):
            self.bad.append(len(self.losses) - 1)
            return torch.zeros_like(row)  # the others wait for a message; the step is refused after
        return row

    def constants(self) -> Constants:
        return Constants(n=self.n)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        self._unknown("full_gradient")

    def value(self, x: Tensor) -> Tensor:
        self._unknown("value")

    def mean_gradient(self, x: Tensor) -> Tensor:
        self._unknown("mean_gradient")

    def noise(self, x: Tensor) -> Tensor:
        self._unknown("noise")

    def data(self) -> Any:
        self._unknown("data")

    def resampled(self, factor: int) -> ClosureProblem:
        self._unknown("resampled")

    def _unknown(self, what: str) -> NoReturn:
        raise NotImplementedError(
            f"{what} of a training loop is not known, only gradients of its batches; a method that "
            "asks for no more, or a ModuleProblem of module, loss and data, would do"
        )


@final
class MethodOptimizer:
    """A method's step on a module, with one worker a rank; every rank makes one, and steps alike.

    ``step(closure)`` calls the closure once for each gradient that the method asks for, with the
    parameters at that point and their gradients cleared, and leaves the parameters at this rank's
    model. ``network`` keeps the bill: ``ledger``, ``crossed_bytes``; two words that ranks exchange
    before a step, and one after it, to refuse a step alike, are not on it.

    Attributes:
        method: the method; its stepsizes are its own, by step.
        t: steps taken.
        state: the method's state, rows of this rank.

    Raises:
        TypeError: the module is a DistributedDataParallel, which would average by itself.
        ValueError: nothing is trained, or seed, method, shapes, start or the version of this
            package differ between ranks.
    """

    def __init__(self, module: nn.Module, method: Method[Any], *, seed: int = 0) -> None:
        if isinstance(module, DistributedDataParallel):
            raise TypeError(
                "module must not be a DistributedDataParallel, which averages gradients by itself; "
                "its .module would do"
            )
        parameters = [p for p in module.parameters() if p.requires_grad]
        if not parameters:
            raise ValueError("module has no parameter that requires a gradient; one would do")
        self.method, self.t = method, 0
        self._problem = ClosureProblem(place()[1], parameters)
        x0 = self._problem.start()
        require_agreement(
            {
                "version of rateproof": package_version("rateproof"),
                "seed": seed,
                "method": repr(method),
                "shapes of parameters": self._problem.shapes,
                "start": (float(x0.double().sum()), float(x0.double().square().sum())),
            }
        )
        device = self._problem.device
        self.network = Sharded(self._problem.n, device=device)
        replicas = torch.zeros(1, dtype=torch.int64, device=device)
        self._context = RunContext(self._problem, self.network, Key.seed(seed), replicas)
        self.state: Any = method.init(x0, self._context)

    def step(self, closure: Closure) -> Tensor:
        """One step of the method; the loss of the first point that it asked for, NaN of none.

        Raises:
            ValueError: steps taken or keys differ between ranks, of which one was restored alone;
                raised on all.
            NonFiniteGradient: a gradient of some rank is not finite; raised on all, with the
                parameters as they were. A method may have written to its state by then: a saved
                one would do.
        """
        problem = self._problem
        self._require_shared()
        problem.closures[:], problem.losses[:], problem.bad[:] = [closure], [], []
        with torch.no_grad():
            state = self.method.step(self.state, self.t, self._context)
            ready = least([int(not problem.bad)], problem.device)[0]
            if ready:
                self.state, self.t = state, self.t + 1
            problem.place(self.method.models(self.state))
        for p in problem.parameters:
            p.grad = None
        if not ready:
            mine = f"gradient {problem.bad[0]} of it" if problem.bad else "none of them"
            raise NonFiniteGradient(
                f"a gradient at step {self.t} is not finite, on this rank {mine}; a smaller "
                "stepsize or finite data would do"
            )
        return problem.losses[0] if problem.losses else torch.tensor(math.nan)

    def _require_shared(self) -> None:
        """Refuse a step or key that differs between ranks, on all of them."""
        digest = step_digest(self.t, self._context.key)
        low, high = least([digest, -digest], self._problem.device)
        if low != -high:
            require_agreement({"step": self.t, "key": self._context.key.words})

    def state_dict(self) -> dict[str, Any]:
        """Steps taken, key, and copies of the state's tensors, those of this rank."""
        state = [leaf.clone() for leaf in in_place.leaves(self.state)]
        return {"t": self.t, "key": self._context.key.words, "state": state}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on from what :meth:`state_dict` gave on this rank, by its key; every rank loads its
        own, and a step that some have not loaded for is refused on all.

        Raises:
            ValueError: the saved state is that of another model.
        """
        self.state = in_place.filled(self.state, saved["state"])
        self.t = int(saved["t"])
        self._context = replace(self._context, key=Key(tuple(saved["key"])))
        self._problem.place(self.method.models(self.state))
