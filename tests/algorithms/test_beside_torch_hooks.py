"""Methods since the surveys train a module on two ranks: state and bytes, beside torch's own hooks.

A step of PowerSGD by torch's hook and post-local SGD by its hook and averager go over the same
module, start and batches; what they hand to all-reduce is counted, what they keep is looked up.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple
from unittest import mock

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from algorithms.compressors.top_k import TopK
from algorithms.memories import in_place
from algorithms.methods.base import Method
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.parts.gradients import Sampled
from algorithms.network.launch import launch
from algorithms.network.post_local import post_local
from algorithms.network.ranks import powerSGD_hook
from algorithms.optimizers.lamb import adam
from algorithms.optimizers.outer import BlockMomentum
from algorithms.runner.method_optimizer import MethodOptimizer
from theory.stepsizes import ConstantStep

RANKS, STEPS, PERIOD, RATE = 2, 16, 8, 0.05
SHAPES = ((40, 30), (40,), (10, 40), (10,))
D = sum(int(torch.Size(shape).numel()) for shape in SHAPES)
TOP = TopK(0.1)
METHODS: dict[str, Method[Any]] = {
    "EF21": EF21(ConstantStep(RATE), TOP, gradients=Sampled()),
    "EF21-SGDM": EF21(ConstantStep(RATE), TOP, 0.1, Sampled()),
    "DiLoCo": LocalSGD(
        ConstantStep(0.001), PERIOD, adam(SHAPES), outer=BlockMomentum(0.9, 0.7, nesterov=True)
    ),
    "DiLoCo, SGD inside, o = 1, mu = 0": LocalSGD(
        ConstantStep(RATE), PERIOD, outer=BlockMomentum(0.0, 1.0, nesterov=True)
    ),
}


class Trained(NamedTuple):
    """What a rank has after the training: its model, bytes that it handed over in all and at most
    in a step, numbers that it keeps beside the module."""

    model: Tensor
    sent: int
    most: int
    kept: int


def module() -> nn.Module:
    """The same start on every rank."""
    torch.manual_seed(3)
    net = nn.Sequential(nn.Linear(30, 40), nn.Tanh(), nn.Linear(40, 10)).double()
    assert [tuple(p.shape) for p in net.parameters()] == list(SHAPES)
    return net


def loss_of(net: nn.Module, t: int) -> Tensor:
    """The loss on this rank's batch of step t."""
    draws = torch.Generator().manual_seed(100 * t + dist.get_rank())
    x = torch.randn(16, 30, generator=draws, dtype=torch.float64)
    loss: Tensor = (net(x) - x[:, :10].sin()).square().mean()
    return loss


def row_of(net: nn.Module) -> Tensor:
    return torch.cat([p.detach().reshape(-1) for p in net.parameters()])


def by_method(method: Method[Any]) -> Trained:
    net = module()
    optimizer = MethodOptimizer(net, method, seed=5)
    told, kept = [0], 0
    for t in range(STEPS):

        def closure(step: int = t) -> Tensor:
            loss = loss_of(net, step)
            loss.backward()
            return loss

        optimizer.step(closure)
        told.append(int(optimizer.network.account((1,)).sent_bits.sum()) // 8)
        storages = {leaf.data_ptr(): leaf.numel() for leaf in in_place.leaves(optimizer.state)}
        kept = max(kept, sum(storages.values()))
    most = max(b - a for a, b in pairwise(told))
    return Trained(row_of(net), told[-1], most, kept)


def by_torch(hooked: Callable[[DistributedDataParallel, Any], tuple[Any, Any]]) -> Trained:
    net = DistributedDataParallel(module())
    optimizer, state = hooked(net, torch.optim.SGD(net.parameters(), lr=RATE))
    told, real = [0], dist.all_reduce

    def counted(tensor: Tensor, *args: Any, **named: Any) -> Any:
        group = named.get("group")
        if dist.get_world_size(group) > 1:
            told[-1] += tensor.numel() * tensor.element_size()
        return real(tensor, *args, **named)

    with mock.patch.object(dist, "all_reduce", counted):
        for t in range(STEPS):
            told.append(0)
            optimizer.zero_grad()
            loss_of(net, t).backward()
            optimizer.step()
    return Trained(row_of(net.module), sum(told), max(told), _numbers(state))


def _numbers(state: Any) -> int:
    """Numbers in the tensors of torch's PowerSGD state."""
    kept = (getattr(state, name, {}) for name in ("error_dict", "p_memory_dict", "q_memory_dict"))
    return sum(tensor.numel() for one in kept for tensor in one.values())


def _power(net: DistributedDataParallel, optimizer: Any) -> tuple[Any, Any]:
    state = powerSGD_hook.PowerSGDState(
        None, matrix_approximation_rank=1, start_powerSGD_iter=2, min_compression_rate=1
    )
    net.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    return optimizer, state


def _local(net: DistributedDataParallel, optimizer: Any) -> tuple[Any, Any]:
    return post_local(net, optimizer, 0, PERIOD), None


def on_a_rank() -> dict[str, Trained]:
    trained = {name: by_method(method) for name, method in METHODS.items()}
    return trained | {"torch:powersgd": by_torch(_power), "torch:post-local-sgd": by_torch(_local)}


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, Trained]]:
    return launch(on_a_rank, ranks=RANKS, timeout=120)


@pytest.mark.sharded
def test_diloco_without_its_outer_step_is_torch_s_post_local_sgd(ranks) -> None:
    """Models to rounding, and the bytes of one model a period each."""
    for rank in ranks:
        ours = rank["DiLoCo, SGD inside, o = 1, mu = 0"]
        theirs = rank["torch:post-local-sgd"]
        assert (ours.model - theirs.model).abs().max() < 1e-12
        assert ours.sent == theirs.sent == 8 * D * (STEPS // PERIOD)


@pytest.mark.sharded
def test_bytes_are_those_of_the_closed_forms(ranks) -> None:
    """EF21 sends top-k's messages, DiLoCo a model a period, PowerSGD its factors and the biases."""
    factors = sum(sum(shape) if len(shape) == 2 else shape[0] for shape in SHAPES)
    for rank in ranks:
        for name in ("EF21", "EF21-SGDM"):
            assert rank[name].sent == STEPS * TOP.stated_bits(D, 64) / 8
        assert rank["DiLoCo"].sent == 8 * D * (STEPS // PERIOD)
        assert rank["DiLoCo"].most == 8 * D
        dense = 2 * 8 * D  # before the second step nothing is factored
        assert rank["torch:powersgd"].sent == dense + (STEPS - 2) * 8 * factors


@pytest.mark.sharded
def test_what_is_kept_beside_the_module(ranks) -> None:
    """Rows of d numbers: EF21 x, g_i, g and v_i; DiLoCo x_i, x, two moments and the outer velocity;
    PowerSGD an error row and factors."""
    for rank in ranks:
        assert rank["EF21"].kept == rank["EF21-SGDM"].kept == 4 * D
        assert rank["DiLoCo"].kept == 5 * D + 2  # Adam's counters
        assert D <= rank["torch:powersgd"].kept <= 1.2 * D
