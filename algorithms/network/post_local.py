"""torch's own post-local SGD (Lin, Stich, Patel, Jaggi 2018, arXiv:1808.07217) on these ranks."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import (
    PostLocalSGDState,
    post_localSGD_hook,
)
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.nn.parallel import DistributedDataParallel


def post_local(
    model: DistributedDataParallel, optimizer: torch.optim.Optimizer, switch: int, period: int
) -> torch.optim.Optimizer:
    """Let torch's hook average gradients in the first ``switch`` steps and its averager models
    after every ``period`` steps from then on; the optimizer to step with. All ranks call it.

    Where torch's example gives both the same start, models are averaged right after the first step
    apart, which undoes one step of drift; here the averager waits until ``period`` steps are done,
    as the paper's algorithm does.
    """
    from torch.distributed.optim import PostLocalSGDOptimizer  # compiles; nobody else needs it

    groups = [dist.new_group([rank]) for rank in range(dist.get_world_size())]
    state = PostLocalSGDState(None, groups[dist.get_rank()], switch)  # type: ignore[no-untyped-call]
    model.register_comm_hook(state, post_localSGD_hook)
    averager = PeriodicModelAverager(period, warmup_steps=switch + period - 1)
    return PostLocalSGDOptimizer(optimizer, averager)
