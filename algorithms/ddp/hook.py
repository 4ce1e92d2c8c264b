"""Any compressor with any memory as a communication hook of DistributedDataParallel.

    rate = lambda: optimizer.param_groups[0]["lr"]
    hook = register_hook(ddp, TopK(0.01), ErrorFeedback(), learning_rate=rate)

The whole gradient is compressed as one row, its tensors in the order of ``ddp.parameters()``, so a
run equals the simulation of the same method with one worker a rank. The price: buckets wait for the
last one, and communication does not overlap with back propagation. With ``per_bucket=True`` each
bucket is compressed by itself and sent at once: that is another operator on the whole row
(``TensorBuckets``; unbiased if the compressor is, omega and delta those of the worst bucket, but
top-k keeps k of each bucket), and the run equals the simulation of that one.

Beside the memory's own rows (error feedback and decaying feedback: the residual; Nesterov's,
momentum correction: that and each worker's momentum; global momentum: that and the model's last
move) a step takes at most four rows of the model's size: what is to be sent is made in place, masks
and the memory slice by slice, messages are summed as they are read, lists off their packed bytes,
and what a memory looks at later is made again from gradients and own message. A message that would
be longer than the row (top-k of all, with its positions) is not sent: the row that it decodes to
is, and the bill says so (``AtMostRow``). With ``per_bucket`` it is no more on two ranks, whatever
their timing; all ranks' messages of a bucket are held together.
"""

# No ``from __future__ import annotations``: DistributedDataParallel inspects the hook's signature.

import math
from collections.abc import Callable
from typing import Any, final

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import GradBucket  # type: ignore[attr-defined]
from torch.nn.parallel import DistributedDataParallel

from algorithms.compressors.at_most_row import AtMostRow
from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from algorithms.core.versions import package_version
from algorithms.ddp.buckets import ByBucket
from algorithms.ddp.model import (
    hooked_parameters,
    require_agreement,
    require_ddp,
    row_type,
)
from algorithms.ddp.report import HookReport, HookStep
from algorithms.ddp.row import Gradients, WholeRow
from algorithms.ddp.sender import Sender
from algorithms.memories import in_place
from algorithms.memories.base import Memory, NoMemory
from algorithms.network.phases import PhaseClock
from algorithms.network.sharded import Sharded
from algorithms.transforms.base import NoTransform, Transform


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

    ``per_bucket`` acts on DDP's buckets as they fill, while back propagation goes on; it is meant
    for unbiased and linear compressors, and does what it says with any other. Part b of the row is
    bucket b as DDP orders it, its tensors in the bucket's order. DDP deals tensors to buckets anew
    after the first backward pass: the memory is kept by parameter and goes along, and
    :meth:`bucketed` is the operator of the last pass. Nothing of a step is remembered if any bucket
    of it had to be skipped. Messages that vary in length wait for each other's lengths.

    ``on_step`` is called after every step with its :class:`HookStep`, with ``per_bucket`` from the
    thread that communicates; :meth:`report` sums them up. ``phases``, not with ``per_bucket``,
    tells seconds of compressing, waiting and communicating from those of computing. ``network``
    keeps the bill: ``ledger``, ``crossed_bytes``.

    Raises:
        ValueError: the memory holds steps and no ``learning_rate`` is given, or ``per_bucket`` with
            a transform or with ``phases``.
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
        per_bucket: bool = False,
        phases: PhaseClock | None = None,
    ) -> None:
        self.memory: Memory[Any] = memory or NoMemory()
        if self.memory.holds_steps and learning_rate is None:
            raise ValueError(
                f"{self.memory.name} holds steps and needs learning_rate, got None; "
                'lambda: optimizer.param_groups[0]["lr"] would do'
            )
        self.transform: Transform = transform or NoTransform()
        if per_bucket and not isinstance(self.transform, NoTransform):
            raise ValueError(
                f"transform must be None with per_bucket=True, got {self.transform.name}: it looks "
                "at the whole gradient, which no bucket has; per_bucket=False would do"
            )
        if per_bucket and phases is not None:
            raise ValueError(
                "phases must be None with per_bucket=True, got a clock: buckets are sent while "
                "gradients are computed, so no second is of one phase; per_bucket=False would do"
            )
        self.compressor = compressor
        self.sender = Sender(
            AtMostRow(compressor), self.memory, Key.seed(seed), learning_rate, loss_scale
        )
        self.on_step = on_step
        self.seed = seed
        self.per_bucket = per_bucket
        self.phases = phases
        self.network: Sharded | None = None
        self._report = HookReport()
        self._pass: WholeRow | ByBucket | None = None
        self._restored: list[Tensor] | None = None

    @property
    def t(self) -> int:
        """Steps taken so far, the skipped ones among them."""
        return self.sender.t

    @property
    def state(self) -> Any:
        """The memory's state, rows ``[1, 1, d]``; it changes in place."""
        return self.sender.state

    def register(self, model: DistributedDataParallel) -> None:
        """Use it in a model; every rank calls it, before its first backward pass.

        Raises:
            TypeError: the model is no DistributedDataParallel, or a parameter is not real.
            ValueError: the model's process group leaves ranks out, gradients are sparse, nothing
                is trained, or seed, compressor, memory, transform, per_bucket, shapes or the
                version of this package differ between ranks.
        """
        model = require_ddp(model)
        parameters = hooked_parameters(model)
        dtype, device = row_type(parameters), parameters[0].device
        shapes = tuple(tuple(p.shape) for p in parameters)
        sender = self.sender
        require_agreement(
            {
                "version of rateproof": package_version("rateproof"),
                "seed": self.seed,
                "compressor": repr(self.compressor),
                "memory": repr(self.memory),
                "transform": repr(self.transform),
                "per_bucket": self.per_bucket,
                "shapes of parameters": shapes,
                "step": self.t,
            }
        )
        self.network = Sharded(dist.get_world_size(), device=device, phases=self.phases)
        d = sum(math.prod(shape) for shape in shapes)
        state = self.memory.init(torch.Size((1, 1, d)), dtype, device)
        sender.state = in_place.mapped(state, torch.clone)
        if self._restored is not None:
            sender.state = in_place.filled(sender.state, self._restored)
        if self.per_bucket:
            self._pass = ByBucket(sender, self.network, parameters, dtype, self._note)
        else:
            sender.compressor = sender.compressor.for_shapes(shapes)
            self._pass = WholeRow(
                sender, self.network, parameters, dtype, self.transform, self._note
            )
        model.register_comm_hook(self, _hook)

    def report(self) -> HookReport:
        """Steps, bits both ways, ratio and error of this rank so far."""
        return self._report

    def state_dict(self) -> dict[str, Any]:
        """This rank's state; every rank's differs, so each saves its own."""
        memory = [leaf.clone() for leaf in in_place.leaves(self.state)]
        return {"t": self.t, "key": self.sender.key.words, "memory": memory}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on where :meth:`state_dict` was taken, before or after :meth:`register`.

        Every rank loads its own. Ranks whose steps or keys differ, because one was restored and
        another not, are refused by name in their next backward pass.

        Raises:
            ValueError: the saved memory is that of a model of another size, or has entries that are
                not finite.
        """
        for place, leaf in enumerate(saved["memory"]):
            bad = int((~torch.isfinite(leaf)).sum()) if leaf.is_floating_point() else 0
            if bad:
                raise ValueError(
                    f"the saved memory must be finite, got {bad} of {leaf.numel()} entries of "
                    f"saved['memory'][{place}] that are not: every step would be skipped; an "
                    "earlier state would do, or none"
                )
        self.sender.t, self.sender.key = int(saved["t"]), Key(tuple(saved["key"]))
        self._restored = [leaf.clone() for leaf in saved["memory"]]
        if self.network is not None:
            self.sender.state = in_place.filled(self.state, self._restored)

    def __call__(self, bucket: GradBucket) -> Gradients:
        """One bucket's gradients; the future is their mean over all ranks."""
        assert self._pass is not None
        return self._pass(bucket)

    def bucketed(self) -> Compressor:
        """With ``per_bucket``: what the last backward pass did to the whole row, as one operator.

        Raises:
            ValueError: the hook is not ``per_bucket``, or no backward pass was made.
        """
        if not isinstance(self._pass, ByBucket) or not self._pass.groups:
            raise ValueError(
                "bucketed() tells what the last backward pass did with per_bucket=True, got "
                f"per_bucket={self.per_bucket}, t={self.t}; a backward pass with it would do"
            )
        return self._pass.operator()

    def _note(self, step: HookStep) -> None:
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
    per_bucket: bool = False,
) -> DDPHook:
    """Make a model send C(before(memory, gradient)) in packed bytes; see :class:`DDPHook`.

    Raises:
        TypeError, ValueError: as :class:`DDPHook` and :meth:`DDPHook.register`.
    """
    hook = DDPHook(
        compressor, memory, seed=seed, learning_rate=learning_rate, transform=transform,
        loss_scale=loss_scale, on_step=on_step, per_bucket=per_bucket,
    )  # fmt: skip
    hook.register(model)
    return hook


def _hook(state: object, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    assert isinstance(state, DDPHook)
    return state(bucket)
