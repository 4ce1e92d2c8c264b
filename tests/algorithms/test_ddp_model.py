"""Everyday training with the hook: schedules from 0 to 0, loss scales, odd models, other groups.

Ranks are started once; every scenario runs on both and returns what the tests look at.
"""

from __future__ import annotations

import gc
import math
import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.ddp import hook as ddp_hook
from algorithms.ddp.hook import DDPHook, register_hook
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.network.launch import launch

RANKS, D, STEPS, K = 2, 12, 24, 3


def target(rank: int) -> Tensor:
    """What rank's loss ||x - target||^2 / 2 pulls to."""
    return torch.linspace(-1.0, 1.3, D, dtype=torch.float64).square().sub(0.3 * rank) * (rank + 1)


def rates() -> list[float]:
    """Linear warm-up from 0, then a cosine to 0."""
    warm = [0.3 * t / 4 for t in range(4)]
    return warm + [0.15 * (1 + math.cos(math.pi * t / (STEPS - 5))) for t in range(STEPS - 4)]


class Point(nn.Module):
    """One parameter x [d]; the loss pulls it to a point."""

    def __init__(self, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        self.x = nn.Parameter(torch.zeros(D, dtype=dtype))

    def forward(self, point: Tensor, factor: float = 1.0) -> Tensor:
        return factor * 0.5 * (self.x - point.to(self.x.dtype)).square().sum()


def trained(**options: Any) -> tuple[DDPHook, nn.Module]:
    """Top-k with error feedback under the schedule of :func:`rates`."""
    model = DistributedDataParallel(Point())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    rate = lambda: optimizer.param_groups[0]["lr"]  # noqa: E731
    hook = register_hook(model, TopK(K), ErrorFeedback(), learning_rate=rate, **options)
    for gamma in rates():
        optimizer.param_groups[0]["lr"] = gamma
        optimizer.zero_grad()
        model(target(dist.get_rank())).backward()
        optimizer.step()
    return hook, model.module


def schedule_from_zero_to_zero() -> dict[str, Any]:
    seen: list[Any] = []
    hook, point = trained(on_step=seen.append)
    return {"x": point.x.detach(), "report": hook.report(), "steps": seen}


def group_of_one() -> str:
    group = [dist.new_group([rank]) for rank in range(RANKS)][dist.get_rank()]
    model = DistributedDataParallel(Point(), process_group=group)
    return refusal(lambda: register_hook(model, QSGD(4)))


def other_seeds() -> str:
    model = DistributedDataParallel(Point())
    return refusal(lambda: register_hook(model, QSGD(4), seed=dist.get_rank()))


def other_compressors() -> str:
    model = DistributedDataParallel(Point())
    return refusal(lambda: register_hook(model, QSGD(4 + dist.get_rank())))


def other_memories() -> str:
    """Momentum corrections that differ in their factor alone."""
    model = DistributedDataParallel(Point())
    memory = MomentumCorrection(0.5 + 0.25 * dist.get_rank())
    return refusal(lambda: register_hook(model, TopK(K), memory, learning_rate=lambda: 0.1))


def other_versions() -> str:
    """As if rank 1 had another release of this package."""
    model = DistributedDataParallel(Point())
    version = f"0.{dist.get_rank()}"
    with mock.patch.object(ddp_hook, "package_version", lambda package: version):
        return refusal(lambda: register_hook(model, QSGD(4)))


def sparse_gradients() -> str:
    model = DistributedDataParallel(nn.Embedding(4, 2, sparse=True))
    return refusal(lambda: register_hook(model, QSGD(4)))


def bare_model() -> str:
    return refusal(lambda: register_hook(Point(), QSGD(4)))  # type: ignore[arg-type]


def refusal(call: Callable[[], object]) -> str:
    try:
        call()
    except (TypeError, ValueError) as error:
        return str(error)
    return "accepted"


def overflow() -> dict[str, Any]:
    """Rank 1's loss is infinite at step 2; a GradScaler watches."""
    model = DistributedDataParallel(Point(torch.float32))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    hook = register_hook(
        model, TopK(K), ErrorFeedback(), learning_rate=lambda: 0.1, loss_scale=scaler.get_scale
    )
    points, memories, scales = [], [], []
    for t in range(5):
        optimizer.zero_grad()
        bad = t == 2 and dist.get_rank() == 1
        loss = model(target(dist.get_rank()), float("inf") if bad else 1.0)
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        points.append(model.module.x.detach().clone())
        memories.append(hook.state.clone())
        scales.append(scaler.get_scale())
    return {"x": points, "memory": memories, "scale": scales, "skipped": hook.report().skipped}


def half_precision() -> dict[str, Any]:
    """Gradients by the hook that loses nothing, and by plain DistributedDataParallel."""
    found = {}
    for dtype in (torch.float16, torch.bfloat16):
        plain, ours = DistributedDataParallel(Point(dtype)), DistributedDataParallel(Point(dtype))
        register_hook(ours, Identity())
        for model in (plain, ours):
            model(target(dist.get_rank())).backward()
        found[str(dtype)] = (plain.module.x.grad, ours.module.x.grad)
    return found


class Ignoring(nn.Module):
    """A second part that DistributedDataParallel is told to leave alone."""

    def __init__(self) -> None:
        super().__init__()
        self.point, self.local = Point(), Point()

    def forward(self, point: Tensor) -> Tensor:
        return self.point(point) + self.local.x.sum() * (dist.get_rank() + 1)


def ignored_parameters() -> dict[str, Any]:
    module = Ignoring()
    DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(module, ["local.x"])
    model = DistributedDataParallel(module)
    register_hook(model, Identity())
    model(target(dist.get_rank())).backward()
    return {"shared": module.point.x.grad, "local": module.local.x.grad}


SCENARIOS = (
    schedule_from_zero_to_zero, group_of_one, other_seeds, other_compressors, other_memories,
    other_versions, sparse_gradients, bare_model, overflow, half_precision, ignored_parameters,
)  # fmt: skip


def all_scenarios() -> dict[str, Any]:
    found = {scenario.__name__: scenario() for scenario in SCENARIOS}
    gc.collect()
    dist.barrier()
    return found


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, Any]]:
    return launch(all_scenarios, ranks=RANKS)


def by_hand() -> Tensor:
    """The same training in one process with torch alone: a step of rate 0 changes nothing."""
    x = torch.zeros(D, dtype=torch.float64)
    residual = torch.zeros(RANKS, D, dtype=torch.float64)
    for gamma in rates():
        if gamma == 0:
            continue
        wanted = residual + gamma * torch.stack([x - target(rank) for rank in range(RANKS)])
        kept = torch.zeros_like(wanted)
        places = wanted.abs().topk(K, dim=-1).indices
        kept.scatter_(-1, places, wanted.gather(-1, places))
        residual = wanted - kept
        x = x - kept.mean(0)
    return x


@pytest.mark.sharded
def test_a_schedule_from_zero_to_zero_trains(ranks):
    for found in (rank["schedule_from_zero_to_zero"] for rank in ranks):
        torch.testing.assert_close(found["x"], by_hand(), rtol=0, atol=1e-12)


@pytest.mark.sharded
def test_the_report_counts_what_was_sent(ranks):
    quiet = sum(gamma == 0 for gamma in rates())
    message = K * (64 + math.ceil(math.log2(D)))
    for found in (rank["schedule_from_zero_to_zero"] for rank in ranks):
        report, steps = found["report"], found["steps"]
        assert quiet == 1 + (rates()[-1] == 0)
        assert (report.steps, report.skipped) == (STEPS, quiet)
        assert report.sent_bits == (STEPS - quiet) * message == sum(s.sent_bits for s in steps)
        assert report.received_bits == (STEPS - quiet) * (RANKS - 1) * 8 * math.ceil(message / 8)
        assert report.ratio == pytest.approx(64 * D / message)
        assert [s.step for s in steps if s.skipped] == [t for t, g in enumerate(rates()) if g == 0]
        assert 0 < report.error_norm < 1
        assert f"{STEPS} steps" in str(report)


@pytest.mark.sharded
@pytest.mark.parametrize(
    ("scenario", "sentence"),
    [
        ("group_of_one", "of 2; the hook averages over all ranks"),
        ("other_seeds", "seed differs between ranks: 0 on rank 0, 1 on rank 1"),
        ("other_compressors", "compressor differs between ranks: 'QSGD(s=4)' on rank 0"),
        ("other_memories", "memory differs between ranks: 'MomentumCorrection(m"),
        ("other_versions", "version of rateproof differs between ranks: '0.0' on rank 0, '0.1' on"),
        ("sparse_gradients", "Embedding(..., sparse=False) would do"),
        ("bare_model", "got Point; DistributedDataParallel(model) would do"),
    ],
)
def test_what_cannot_be_hooked_is_refused_in_a_sentence(ranks, scenario, sentence):
    assert all(sentence in rank[scenario] for rank in ranks), ranks[0][scenario]


@pytest.mark.sharded
def test_an_overflow_on_one_rank_is_a_skipped_step_on_all(ranks):
    for found in (rank["overflow"] for rank in ranks):
        assert not isinstance(found, str), found
        x, memory = found["x"], found["memory"]
        assert torch.equal(x[2], x[1]) and torch.equal(memory[2], memory[1])
        assert not torch.equal(x[3], x[2])
        assert found["scale"] == [1024.0, 1024.0, 512.0, 512.0, 512.0] and found["skipped"] == 1
    assert torch.equal(ranks[0]["overflow"]["x"][4], ranks[1]["overflow"]["x"][4])


@pytest.mark.sharded
@pytest.mark.parametrize("dtype", ["torch.float16", "torch.bfloat16"])
def test_half_precision_gradients_equal_those_without_a_hook(ranks, dtype):
    for rank in ranks:
        plain, ours = rank["half_precision"][dtype]
        assert ours.dtype == plain.dtype
        torch.testing.assert_close(ours, plain)


@pytest.mark.sharded
def test_ignored_parameters_keep_their_own_gradients(ranks):
    mean = -(target(0) + target(1)) / 2
    for number, rank in enumerate(ranks):
        torch.testing.assert_close(rank["ignored_parameters"]["shared"], mean)
        own = torch.full((D,), number + 1.0, dtype=torch.float64)
        assert torch.equal(rank["ignored_parameters"]["local"], own)
