"""Any compressor with any memory as a communication hook of DistributedDataParallel.

    rate = lambda: optimizer.param_groups[0]["lr"]
    hook = register_hook(ddp, TopK(0.01), ErrorFeedback(), learning_rate=rate)

The whole gradient is compressed as one row, its tensors in the order of ``ddp.parameters()``, so a
run equals the simulation of the same method with one worker a rank. The price: buckets wait for the
last one, and communication does not overlap with back propagation.
"""

# No ``from __future__ import annotations``: DistributedDataParallel inspects the hook's signature.

import math
import warnings
from collections.abc import Callable
from importlib import metadata
from typing import Any, final

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import GradBucket  # type: ignore[attr-defined]
from torch.nn.parallel import DistributedDataParallel

from algorithms.compressors.base import Compressor
from algorithms.compressors.requirements import OutOfRange
from algorithms.key import Key
from algorithms.memories.base import Memory, NoMemory, Round
from algorithms.network.base import Packet
from algorithms.network.ddp_model import (
    hooked_parameters,
    require_agreement,
    require_ddp,
    row_type,
)
from algorithms.network.ddp_report import HookReport, HookStep
from algorithms.network.sharded import Sharded
from algorithms.transforms.base import NoTransform, Transform

Gradients = torch.futures.Future[Tensor]


class _Pending:
    """Gradients of one backward pass, by parameter, and the futures that wait for them."""

    def __init__(self) -> None:
        self.gradients: dict[int, Tensor] = {}
        self.buckets: list[tuple[GradBucket, Gradients]] = []


@final
class DDPHook:
    """State and hook in one: compresses, sends packed bytes, averages what all ranks sent.

    ``learning_rate`` gives gamma_t to memories that hold steps (error feedback): they send
    C(gamma g + e), and the optimizer is handed the mean divided by gamma; so it must be plain SGD's
    rate, momentum being the memory's business. Where gamma is 0 a step moves nothing: then nothing
    is sent, the memory is kept and the gradient handed on is 0.

    ``loss_scale`` gives the factor by which the loss is multiplied (``scaler.get_scale`` of a
    GradScaler): the row is divided by it before it is compressed and the mean multiplied by it, so
    that what the memory keeps does not depend on it. Gradients in half precision are widened to
    float32. Where any rank's gradient is not finite, or cannot be written as a message, every rank
    is handed NaN, as without a hook: a GradScaler skips the step on all, and the memory is kept.

    ``on_step`` is called after every step with its :class:`HookStep`; :meth:`report` sums them up.
    ``network`` keeps the bill: ``ledger``, ``crossed_bytes``.

    Raises:
        ValueError: the memory holds steps and no ``learning_rate`` is given.
    """

    def __init__(
        self,
        compressor: Compressor,
        memory: Memory[Any] | None = None,
        *,
        seed: int = 0,
        learning_rate: Callable[[], float] | None = None,
        transform: Transform | None = None,
        loss_scale: Callable[[], float] | None = None,
        on_step: Callable[[HookStep], None] | None = None,
    ) -> None:
        self.memory: Memory[Any] = memory or NoMemory()
        if self.memory.holds_steps and learning_rate is None:
            raise ValueError(
                f"{self.memory.name} holds steps and needs learning_rate, got None; "
                'lambda: optimizer.param_groups[0]["lr"] would do'
            )
        self.compressor = compressor
        self.transform: Transform = transform or NoTransform()
        self.learning_rate = learning_rate
        self.loss_scale = loss_scale
        self.on_step = on_step
        self.seed = seed
        self.key = Key.seed(seed)
        self.t = 0
        self.state: Any = None
        self.network: Sharded | None = None
        self._report = HookReport()
        self._dtype = torch.float32
        self._places: dict[int, int] = {}
        self._parameters: list[nn.Parameter] = []
        self._pending = _Pending()
        self._restored: list[Tensor] | None = None

    def register(self, model: DistributedDataParallel) -> None:
        """Use it in a model; every rank calls it, before its first backward pass.

        Raises:
            TypeError: the model is no DistributedDataParallel, or a parameter is not real.
            ValueError: the model's process group leaves ranks out, gradients are sparse, nothing
                is trained, or seed, compressor, memory, transform, shapes or the version of this
                package differ between ranks.
        """
        model = require_ddp(model)
        self._parameters = hooked_parameters(model)
        self._dtype = row_type(self._parameters)
        shapes = tuple(tuple(p.shape) for p in self._parameters)
        require_agreement(
            {
                "version of rateproof": metadata.version("rateproof"),
                "seed": self.seed,
                "compressor": repr(self.compressor),
                "memory": repr(self.memory),
                "transform": repr(self.transform),
                "shapes of parameters": shapes,
                "step": self.t,
            }
        )
        self.compressor = self.compressor.for_shapes(shapes)
        device = self._parameters[0].device
        self.network = Sharded(dist.get_world_size(), device=device)
        d = sum(math.prod(shape) for shape in shapes)
        self.state = self.memory.init(torch.Size((1, 1, d)), self._dtype, device)
        if self._restored is not None:
            self.state = _filled(self.state, iter(self._restored))
        self._places = {id(p): place for place, p in enumerate(self._parameters)}
        model.register_comm_hook(self, _hook)

    def report(self) -> HookReport:
        """Steps, bits both ways, ratio and error of this rank so far."""
        return self._report

    def state_dict(self) -> dict[str, Any]:
        """This rank's state; every rank's differs, so each saves its own."""
        return {"t": self.t, "key": self.key.words, "memory": [*_leaves(self.state)]}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on where :meth:`state_dict` was taken, before or after :meth:`register`.

        Raises:
            ValueError: the saved memory is that of a model of another size.
        """
        self.t, self.key = int(saved["t"]), Key(tuple(saved["key"]))
        self._restored = [leaf.clone() for leaf in saved["memory"]]
        if self.network is not None:
            self.state = _filled(self.state, iter(self._restored))

    def __call__(self, bucket: GradBucket) -> Gradients:
        """One bucket's gradients; the last bucket answers for all."""
        device = bucket.buffer().device
        future: Gradients = torch.futures.Future(devices=[device] if device.type == "cuda" else [])
        self._pending.buckets.append((bucket, future))
        for parameter, gradient in zip(bucket.parameters(), bucket.gradients(), strict=True):
            self._pending.gradients[self._places[id(parameter)]] = gradient
        if bucket.is_last():
            done, self._pending = self._pending, _Pending()
            self._answer(done)
        return future

    def _answer(self, done: _Pending) -> None:
        gradients = [done.gradients[k].reshape(-1) for k in range(len(self._parameters))]
        row = torch.cat([g.to(self._dtype) for g in gradients])
        mean = self._average(row[None, None])[0, 0]
        pieces = torch.split(mean, [p.numel() for p in self._parameters])
        for bucket, future in done.buckets:
            places = [self._places[id(p)] for p in bucket.parameters()]
            joined = torch.cat([pieces[place] for place in places])
            future.set_result(joined.to(bucket.buffer().dtype))

    def _average(self, g: Tensor) -> Tensor:
        """Mean of what all ranks sent, ``[1, 1, d]``, as a gradient of the scaled loss."""
        network, memory = self.network, self.memory
        assert network is not None
        gamma, scale = self._factors(g.dtype)
        if gamma == 0:
            self._note(0, 0, g.shape[-1], 0.0, skipped=True)
            return torch.zeros_like(g)
        x = self.transform.apply(g / scale, network.n) * gamma
        wanted = memory.before(self.state, x)
        packet = self._packet(wanted, memory.guide(self.state, x), network)
        if not self._all_ready(packet is not None, g.device):
            self._note(0, 0, g.shape[-1], 0.0, skipped=True)
            return torch.full_like(g, float("nan"))
        assert packet is not None
        before = int(network.crossed_bytes.sum())
        mean, sent = network.average(packet)
        self.state = memory.after(self.state, Round(x, wanted, sent, mean))
        size = float(wanted.norm())
        lost = float((sent - wanted).norm()) / size if size else 0.0
        arrived = 8 * (int(network.crossed_bytes.sum()) - before)
        self._note(int(torch.as_tensor(packet.bits).sum()), arrived, g.shape[-1], lost)
        return mean / gamma * scale

    def _factors(self, dtype: torch.dtype) -> tuple[float, float]:
        """gamma (1 for memories of gradients, 0 below the least normal number), the loss scale."""
        scale = 1.0 if self.loss_scale is None else float(self.loss_scale())
        if not self.memory.holds_steps:
            return 1.0, scale
        assert self.learning_rate is not None
        gamma = float(self.learning_rate())
        return (gamma if abs(gamma) >= torch.finfo(dtype).tiny else 0.0), scale

    def _packet(self, wanted: Tensor, guide: Tensor, network: Sharded) -> Packet | None:
        """This rank's message, or None where it cannot be written."""
        if not bool(torch.isfinite(wanted).all()):
            return None
        replicas = torch.zeros(1, dtype=torch.int64, device=wanted.device)
        key = self.key.fold("compress", self.t)
        operator = self.compressor.at(self.t)
        try:
            symbols = operator.encode_guided(wanted, guide, key.draws(replicas, network.workers))
        except OutOfRange:
            return None
        return Packet(operator, symbols, key, replicas, wanted.shape[-1], wanted.dtype)

    def _all_ready(self, ready: bool, device: torch.device) -> bool:
        """Whether all ranks have a message to send; four bytes a rank and step."""
        flag = torch.tensor([float(ready)], device=device)
        dist.all_reduce(flag, dist.ReduceOp.MIN)
        if not ready:
            warnings.warn(
                f"step {self.t}: this rank's gradient is not finite or beyond its number type; "
                "all ranks are handed NaN, which a GradScaler takes for an overflow; the memory "
                "is kept",
                stacklevel=2,
            )
        return bool(flag.item())

    def _note(self, sent: int, received: int, d: int, lost: float, skipped: bool = False) -> None:
        dense = d * torch.finfo(self._dtype).bits
        step = HookStep(self.t, sent, received, dense, lost, skipped)
        self.t += 1
        self._report = self._report.with_step(step)
        if self.on_step is not None:
            self.on_step(step)


def register_hook(
    model: DistributedDataParallel,
    compressor: Compressor,
    memory: Memory[Any] | None = None,
    *,
    seed: int = 0,
    learning_rate: Callable[[], float] | None = None,
    transform: Transform | None = None,
    loss_scale: Callable[[], float] | None = None,
    on_step: Callable[[HookStep], None] | None = None,
) -> DDPHook:
    """Make a model send C(before(memory, gradient)) in packed bytes; see :class:`DDPHook`.

    Raises:
        TypeError, ValueError: as :class:`DDPHook` and :meth:`DDPHook.register`.
    """
    hook = DDPHook(
        compressor, memory, seed=seed, learning_rate=learning_rate, transform=transform,
        loss_scale=loss_scale, on_step=on_step,
    )  # fmt: skip
    hook.register(model)
    return hook


def _hook(state: object, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    assert isinstance(state, DDPHook)
    return state(bucket)


def _leaves(state: Any) -> list[Tensor]:
    """The tensors of a memory's state, in order."""
    if isinstance(state, Tensor):
        return [state]
    return [leaf for part in state for leaf in _leaves(part)]


def _filled(state: Any, leaves: Any) -> Any:
    """A state of this structure with other tensors."""
    if isinstance(state, Tensor):
        leaf = next(leaves)
        if leaf.shape != state.shape:
            raise ValueError(
                f"the saved memory has shape {list(leaf.shape)}, this model needs "
                f"{list(state.shape)}; load it into the model it was saved from"
            )
        return leaf.to(state)
    parts = [_filled(part, leaves) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
