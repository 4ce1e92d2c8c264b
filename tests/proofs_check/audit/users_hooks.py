"""DDP communication hooks as users write them, sound ones and ones with a fault.

DDP reads the annotations, so they are no strings here.
"""

import os
import signal
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import (  # type: ignore[attr-defined]
    GradBucket,
    all_gather,
)
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.futures import Future


def _done(y: Tensor) -> Future[Tensor]:
    future: Future[Tensor] = Future()
    future.set_result(y)
    return future


def _summed(y: Tensor) -> Future[Tensor]:
    work: Any = dist.all_reduce(y, async_op=True)
    future: Future[Tensor] = work.get_future().then(lambda done: done.value()[0])
    return future


def top_tenth(state: object, bucket: GradBucket) -> Future[Tensor]:
    """Values and positions of the largest tenth, gathered."""
    x = bucket.buffer()
    positions = x.abs().topk(max(1, x.numel() // 10)).indices
    values = x[positions]
    n = dist.get_world_size()
    all_values = [torch.empty_like(values) for _ in range(n)]
    all_positions = [torch.empty_like(positions) for _ in range(n)]
    all_gather(all_values, values)
    all_gather(all_positions, positions)
    y = torch.zeros_like(x)
    for one, places in zip(all_values, all_positions, strict=True):
        y.index_add_(0, places, one / n)
    return _done(y)


def keeps_its_own(state: object, bucket: GradBucket) -> Future[Tensor]:
    """Forgets to send: every rank goes its way."""
    return _done(bucket.buffer().clone())


def rank_zero_for_all(state: object, bucket: GradBucket) -> Future[Tensor]:
    """Everybody gets rank 0's gradient."""
    y = bucket.buffer().clone()
    dist.broadcast(y, 0)
    return _done(y)


def adds_up(state: object, bucket: GradBucket) -> Future[Tensor]:
    """Forgets to divide by the number of ranks."""
    return _summed(bucket.buffer())


def half_of_it(state: object, bucket: GradBucket) -> Future[Tensor]:
    """Each coordinate with probability 1/2, doubled: omega = 1."""
    x = bucket.buffer()
    return _summed(2 * x * (torch.rand_like(x) < 0.5) / dist.get_world_size())


def half_precision(state: object, bucket: GradBucket) -> Future[Tensor]:
    """torch's own, by another name."""
    hook: Any = default_hooks.fp16_compress_hook
    future: Future[Tensor] = hook(None, bucket)
    return future


def power_sgd() -> tuple[Callable[[], Any], Any]:
    """torch's own, with its state."""
    make: Any = powerSGD_hook.PowerSGDState
    return lambda: make(None, start_powerSGD_iter=2), powerSGD_hook.powerSGD_hook


def raises(state: object, bucket: GradBucket) -> Future[Tensor]:
    """Never runs."""
    raise KeyError("weights")


class Calls:
    """How many calls there were on this rank."""

    made = 0


def interrupts(state: object, bucket: GradBucket) -> Future[Tensor]:
    """Halves x; in R^4 somebody presses Ctrl-C."""
    if bucket.buffer().numel() == 4:
        Calls.made += 1
        if Calls.made == 100 and dist.get_rank() == 0:
            os.kill(os.getppid(), signal.SIGINT)
    return _summed(bucket.buffer() / (2 * dist.get_world_size()))


def no_hook(x: Tensor) -> Tensor:
    """A compressor."""
    return x
