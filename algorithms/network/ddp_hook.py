"""Any compressor with any memory as a communication hook of DistributedDataParallel.

    rate = lambda: optimizer.param_groups[0]["lr"]
    hook = register_hook(ddp, TopK(0.01), ErrorFeedback(), learning_rate=rate)

The whole gradient is compressed as one row, its tensors in the order of ``ddp.parameters()``, so a
run equals the simulation of the same method with one worker a rank. The price: buckets wait for the
last one, and communication does not overlap with back propagation.
"""

# No ``from __future__ import annotations``: DistributedDataParallel inspects the hook's signature.

import math
from collections.abc import Callable
from typing import Any, final

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import GradBucket  # type: ignore[attr-defined]
from torch.nn.parallel import DistributedDataParallel

from algorithms.compressors.base import Compressor
from algorithms.key import Key
from algorithms.memories.base import Memory, NoMemory, Round
from algorithms.network.base import Packet
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
    rate, momentum being the memory's business. ``network`` keeps the bill: ``ledger``,
    ``crossed_bytes``.

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
        self.key = Key.seed(seed)
        self.t = 0
        self.state: Any = None
        self.network: Sharded | None = None
        self._places: dict[int, int] = {}
        self._parameters: list[nn.Parameter] = []
        self._pending = _Pending()
        self._restored: list[Tensor] | None = None

    def register(self, model: DistributedDataParallel) -> None:
        """Use it in a model; call before the first backward pass.

        Raises:
            TypeError: the parameters are not of one type, float32 or float64.
        """
        self._parameters = [p for p in model.parameters() if p.requires_grad]
        kinds = {p.dtype for p in self._parameters}
        if len(kinds) != 1 or not kinds <= {torch.float32, torch.float64}:
            raise TypeError(
                f"parameters must all be float32 or all float64, got {sorted(map(str, kinds))}"
            )
        shapes = tuple(tuple(p.shape) for p in self._parameters)
        self.compressor = self.compressor.for_shapes(shapes)
        first = self._parameters[0]
        self.network = Sharded(dist.get_world_size(), device=first.device)
        d = sum(math.prod(shape) for shape in shapes)
        self.state = self.memory.init(torch.Size((1, 1, d)), first.dtype, first.device)
        if self._restored is not None:
            self.state = _filled(self.state, iter(self._restored))
        self._places = {id(p): place for place, p in enumerate(self._parameters)}
        model.register_comm_hook(self, _hook)

    def state_dict(self) -> dict[str, Any]:
        """This rank's state; every rank's differs, so each saves its own."""
        return {"t": self.t, "key": self.key.words, "memory": [*_leaves(self.state)]}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on where :meth:`state_dict` was taken, before or after :meth:`register`."""
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
        row = torch.cat([done.gradients[k].reshape(-1) for k in range(len(self._parameters))])
        mean = self._average(row[None, None])[0, 0]
        pieces = torch.split(mean, [p.numel() for p in self._parameters])
        for bucket, future in done.buckets:
            places = [self._places[id(p)] for p in bucket.parameters()]
            future.set_result(torch.cat([pieces[place] for place in places]))

    def _average(self, g: Tensor) -> Tensor:
        """Mean of what all ranks sent, ``[1, 1, d]``, as a gradient."""
        network, memory = self.network, self.memory
        assert network is not None
        g = self.transform.apply(g, network.n)
        gamma = 1.0
        if memory.holds_steps:
            assert self.learning_rate is not None
            gamma = self.learning_rate()
        x = gamma * g if memory.holds_steps else g
        wanted, guide = memory.before(self.state, x), memory.guide(self.state, x)
        replicas = torch.zeros(1, dtype=torch.int64, device=g.device)
        key = self.key.fold("compress", self.t)
        operator = self.compressor.at(self.t)
        symbols = operator.encode_guided(wanted, guide, key.draws(replicas, network.workers))
        packet = Packet(operator, symbols, key, replicas, g.shape[-1], g.dtype)
        mean, sent = network.average(packet)
        self.state = memory.after(self.state, Round(x, wanted, sent, mean))
        self.t += 1
        return mean / gamma if memory.holds_steps else mean


def register_hook(
    model: DistributedDataParallel,
    compressor: Compressor,
    memory: Memory[Any] | None = None,
    *,
    seed: int = 0,
    learning_rate: Callable[[], float] | None = None,
    transform: Transform | None = None,
) -> DDPHook:
    """Make a model send C(before(memory, gradient)) in packed bytes; see :class:`DDPHook`."""
    hook = DDPHook(compressor, memory, seed=seed, learning_rate=learning_rate, transform=transform)
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
