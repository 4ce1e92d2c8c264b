"""What people do with DistributedDataParallel works with the hook, or is refused in a sentence.

The hook that loses nothing gives what plain DistributedDataParallel gives; top-k with error
feedback gives what a few lines of torch in one process give. Ranks are started once.
"""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, final

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.algorithms.ddp_comm_hooks import post_localSGD_hook as local_sgd
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import PostLocalSGDOptimizer
from torch.nn.parallel import DistributedDataParallel
from torch.nn.parallel.distributed import _MixedPrecision

from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.ddp.hook import DDPHook, register_hook
from algorithms.memories.base import Memory, Round
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.network.launch import launch

RANKS, STEPS, K = 2, 5, 7
RATES = (0.1, 0.02)
"""Of the two layers, where they have groups of their own."""
Change = Callable[[nn.Module], None]


class Net(nn.Module):
    """Two layers, and a third that rank 0 alone uses, if any does."""

    def __init__(self, aside: bool = False, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.first, self.last = nn.Linear(6, 5, dtype=dtype), nn.Linear(5, 1, dtype=dtype)
        self.aside = nn.Linear(6, 1, dtype=dtype) if aside else None

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.last(torch.tanh(self.first(x)))
        return y + self.aside(x) if self.aside is not None and dist.get_rank() == 0 else y


def loss(model: nn.Module, t: int, rank: int) -> Tensor:
    """Of one batch of a rank and step."""
    generator = torch.Generator().manual_seed(100 * t + rank)
    dtype = next(model.parameters()).dtype
    x = torch.randn(8, 6, generator=generator, dtype=torch.float64).to(dtype)
    return (model(x)[:, 0] - x.sum(1).sin()).square().mean()


def plain_sgd(model: nn.Module) -> Any:
    return torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=RATES[0])


def groups(model: Any) -> Any:
    layers = zip((model.module.first, model.module.last), RATES, strict=True)
    return torch.optim.SGD([{"params": part.parameters(), "lr": rate} for part, rate in layers])


def freeze(net: Net) -> None:
    net.first.bias.requires_grad_(False)


def trained(
    hooked: Callable[[DistributedDataParallel, Any], Any] | None,
    *,
    net: Callable[[], Net] = Net,
    change: Callable[[Net], None] = lambda net: None,
    optimizer: Callable[[Any], Any] = plain_sgd,
    accumulate: int = 1,
    clip: float | None = None,
    half: bool = False,
    compiled: bool = False,
    **ddp: Any,
) -> tuple[list[Tensor], Any]:
    """Parameters after training, and what ``hooked`` returned."""
    module = net()
    change(module)
    model: Any = DistributedDataParallel(module, **ddp)
    chosen = optimizer(model)
    called = torch.compile(model, backend="aot_eager") if compiled else model
    hook = hooked(called, chosen) if hooked else None
    for t in range(STEPS):
        chosen.zero_grad()
        for part in range(accumulate):
            last = part == accumulate - 1
            with (
                nullcontext() if last else model.no_sync(),
                torch.autocast("cpu", torch.bfloat16, enabled=half),
            ):
                loss(called, accumulate * t + part, dist.get_rank()).backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        chosen.step()
    return [p.detach().clone() for p in module.parameters()], hook


def lossless(model: Any, optimizer: Any) -> DDPHook:
    return register_hook(model, Identity())


def with_feedback(model: Any, optimizer: Any) -> DDPHook:
    rate = lambda: optimizer.param_groups[0]["lr"]  # noqa: E731
    return register_hook(model, TopK(K), ErrorFeedback(), learning_rate=rate)


SITUATIONS: dict[str, dict[str, Any]] = {
    "parameter groups": {"optimizer": groups},
    "frozen parameters": {"change": freeze},
    "parameters that a rank does not use": {
        "net": lambda: Net(aside=True),
        "find_unused_parameters": True,
    },
    "no_sync accumulation": {"accumulate": 3},
    "small buckets": {"bucket_cap_mb": 1e-4},
    "gradients as views of buckets": {"gradient_as_bucket_view": True},
    "static graph": {"static_graph": True},
    "gradient clipping": {"clip": 0.1},
    "Adam": {"optimizer": lambda model: torch.optim.Adam(model.parameters(), lr=0.01)},
    "autocast": {"half": True, "net": lambda: Net(dtype=torch.float32)},
}


def refusal(call: Callable[[], object]) -> str:
    try:
        call()
    except (TypeError, ValueError) as error:
        return str(error)
    return "accepted"


def fsdp() -> str:
    net = Net()
    fully_shard(net)
    return refusal(lambda: register_hook(net, Identity()))  # type: ignore[arg-type]


def own_mixed_precision() -> str:
    precision = _MixedPrecision(param_dtype=torch.bfloat16)
    model = DistributedDataParallel(Net(dtype=torch.float32), mixed_precision=precision)
    return refusal(lambda: register_hook(model, Identity()))


def second_hook() -> str:
    model = DistributedDataParallel(Net())
    register_hook(model, Identity())
    return refusal(lambda: register_hook(model, Identity()))


def one_restored(per_bucket: bool, changed: str) -> str:
    """What a backward pass says after rank 1 alone took a state of another step or key."""
    model = DistributedDataParallel(Net())
    hook = register_hook(model, QSGD(4), per_bucket=per_bucket)
    loss(model, 0, dist.get_rank()).backward()
    if dist.get_rank() == 1:
        saved = hook.state_dict()
        other = {"t": saved["t"] + 3} if changed == "t" else {"key": Key.seed(9).words}
        hook.load_state_dict(saved | other)
    try:
        loss(model, 1, dist.get_rank()).backward()
    except Exception as error:
        return str(error)
    return "accepted"


def rate_of_one(rate: float) -> str:
    """Words of a backward pass in which rank 1 has another learning rate."""
    model = DistributedDataParallel(Net())
    mine = rate if dist.get_rank() == 1 else 0.1
    register_hook(model, TopK(K), ErrorFeedback(), learning_rate=lambda: mine)
    try:
        loss(model, 0, dist.get_rank()).backward()
    except Exception as error:
        return str(error)
    return "accepted"


@final
@dataclass(frozen=True)
class BrokenBound(Memory[Tensor]):
    """A memory of one's own that raises on rank 1."""

    @property
    def name(self) -> str:
        return "broken"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        if dist.get_rank() == 1:
            raise RuntimeError("my memory is broken")
        return x

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return state


def memory_of_one_fails() -> str:
    model = DistributedDataParallel(Net())
    register_hook(model, TopK(K), BrokenBound())
    try:
        loss(model, 0, dist.get_rank()).backward()
    except Exception as error:
        return str(error)
    return "accepted"


def infinite_memory() -> str:
    model = DistributedDataParallel(Net())
    hook = register_hook(model, TopK(K), ErrorFeedback(), learning_rate=lambda: 0.1)
    saved = hook.state_dict()
    saved["memory"][0].view(-1)[2] = float("nan")
    return refusal(lambda: hook.load_state_dict(saved))


def restarted() -> list[Tensor]:
    """Stopped after half of the steps: new model, optimizer and hook go on from what was saved."""
    saved: dict[str, Any] = {}
    for steps in (range(2), range(2, STEPS)):
        module = Net()
        model = DistributedDataParallel(module)
        optimizer = plain_sgd(model)
        hook = with_feedback(model, optimizer)
        if saved:
            module.load_state_dict(saved["model"])
            hook.load_state_dict(saved["hook"])
        for t in steps:
            optimizer.zero_grad()
            loss(model, t, dist.get_rank()).backward()
            optimizer.step()
        weights = {name: p.clone() for name, p in module.state_dict().items()}
        saved = {"model": weights, "hook": hook.state_dict()}
    return [p.detach().clone() for p in module.parameters()]


def torch_fp16(model: Any, optimizer: Any) -> None:
    model.register_comm_hook(None, default_hooks.fp16_compress_hook)


def torch_power_sgd(start: int, rank: int) -> Callable[[Any, Any], None]:
    def hooked(model: Any, optimizer: Any) -> None:
        state = powerSGD_hook.PowerSGDState(
            None, rank, start_powerSGD_iter=start, min_compression_rate=0.1
        )
        model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)

    return hooked


def torch_local_sgd(period: int) -> list[Tensor]:
    """torch's post-local SGD from its first step on, averaging every ``period`` steps."""
    model = DistributedDataParallel(Net())
    alone = [dist.new_group([rank]) for rank in range(RANKS)][dist.get_rank()]
    state = local_sgd.PostLocalSGDState(None, alone, start_localSGD_iter=0)
    model.register_comm_hook(state, local_sgd.post_localSGD_hook)
    optimizer = PostLocalSGDOptimizer(
        plain_sgd(model), PeriodicModelAverager(period=period, warmup_steps=0)
    )
    for t in range(STEPS):
        optimizer.zero_grad()
        loss(model, t, dist.get_rank()).backward()
        optimizer.step()
    return [p.detach().clone() for p in model.module.parameters()]


def everything() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, options in SITUATIONS.items():
        found[name] = trained(None, **options)[0], trained(lossless, **options)[0]
    for name in ("small buckets", "parameter groups", "no_sync accumulation"):
        point, hook = trained(with_feedback, **SITUATIONS[name])
        found[f"{name}, top-k"] = point, hook.t
    found["top-k"], _ = trained(with_feedback)
    found["restarted"] = restarted()
    for call in (fsdp, own_mixed_precision, second_hook, infinite_memory):
        found[call.__name__] = call()
    for rate in (0.0, 0.2):
        found[f"rate {rate}"] = rate_of_one(rate)
    found["broken"] = memory_of_one_fails()
    for per_bucket, changed in itertools.product((False, True), ("t", "key")):
        found[f"{changed} of one, {per_bucket=}"] = one_restored(per_bucket, changed)
    found["plain"] = trained(None)[0]
    found["fp16"] = trained(torch_fp16)[0]
    found["PowerSGD, later"] = trained(torch_power_sgd(STEPS + 1, 1))[0]
    found["PowerSGD, all ranks"] = trained(torch_power_sgd(2, 5))[0]
    found["PowerSGD, rank 1"] = trained(torch_power_sgd(2, 1))[0]
    found["local SGD"] = torch_local_sgd(2)
    gc.collect()
    dist.barrier()
    return found


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, Any]]:
    return launch(everything, ranks=RANKS)


def equal(one: list[Tensor], other: list[Tensor], tolerance: float = 1e-12) -> None:
    for left, right in zip(one, other, strict=True):
        torch.testing.assert_close(left, right, rtol=tolerance, atol=tolerance)


def gradients(net: Net, t: int, rank: int) -> Tensor:
    net.zero_grad()
    loss(net, t, rank).backward()
    return torch.cat([p.grad.flatten() for p in net.parameters() if p.grad is not None])


def by_hand(rates: tuple[float, float] = (RATES[0], RATES[0]), accumulate: int = 1) -> list[Tensor]:
    """Top-k with error feedback in one process; memories hold steps of the first group's rate."""
    net = Net()
    parameters = list(net.parameters())
    sizes = [p.numel() for p in parameters]
    residual = torch.zeros(RANKS, sum(sizes), dtype=torch.float64)
    each = [rate for rate in rates for _ in range(2)]
    for t in range(STEPS):
        batches = range(accumulate * t, accumulate * (t + 1))
        g = [torch.stack([gradients(net, b, rank) for b in batches]).sum(0) for rank in range(2)]
        wanted = residual + rates[0] * torch.stack(g)
        places = wanted.abs().topk(K, dim=-1).indices
        sent = torch.zeros_like(wanted).scatter(-1, places, wanted.gather(-1, places))
        residual = wanted - sent
        mean = (sent.mean(0) / rates[0]).split(sizes)
        with torch.no_grad():
            for p, step, rate in zip(parameters, mean, each, strict=True):
                p -= rate * step.view_as(p)
    return [p.detach() for p in parameters]


@pytest.mark.sharded
@pytest.mark.parametrize("name", SITUATIONS)
def test_what_loses_nothing_changes_nothing(ranks, name):
    plain, ours = ranks[0][name]
    half = name == "autocast"
    assert plain[0].dtype == (torch.float32 if half else torch.float64)
    equal(ours, plain, 1e-6 if half else 1e-12)
    equal(ranks[1][name][1], ours, 0.0)


@pytest.mark.sharded
def test_small_buckets_are_the_same_row(ranks):
    for rank in ranks:
        equal(rank["small buckets, top-k"][0], rank["top-k"], 0.0)
        equal(rank["top-k"], by_hand())


@pytest.mark.sharded
def test_groups_share_the_memory_of_the_rate_that_is_given(ranks):
    for rank in ranks:
        equal(rank["parameter groups, top-k"][0], by_hand(RATES))


@pytest.mark.sharded
def test_what_was_accumulated_is_one_message(ranks):
    for rank in ranks:
        point, steps = rank["no_sync accumulation, top-k"]
        assert steps == STEPS
        equal(point, by_hand(accumulate=3))


@pytest.mark.sharded
def test_a_restart_goes_on_to_the_same_bits(ranks):
    for rank in ranks:
        equal(rank["restarted"], rank["top-k"], 0.0)


@pytest.mark.sharded
@pytest.mark.parametrize(
    ("scenario", "sentence"),
    [
        ("fsdp", "keeps no whole gradient on any rank"),
        ("own_mixed_precision", "torch.autocast in the forward pass"),
        ("second_hook", "a new DistributedDataParallel would do"),
        ("infinite_memory", "got 1 of 41 entries of saved['memory'][0] that are not: every step"),
        ("t of one, per_bucket=False", "step differs between ranks: 1 on rank 0, 4 on rank 1"),
        ("t of one, per_bucket=True", "step differs between ranks: 1 on rank 0, 4 on rank 1"),
        ("rate 0.0", "learning rate differs between ranks: 0.1 on rank 0, 0.0 on rank 1"),
        ("rate 0.2", "learning rate differs between ranks: 0.1 on rank 0, 0.2 on rank 1"),
        ("key of one, per_bucket=False", "key differs between ranks"),
        ("key of one, per_bucket=True", "key differs between ranks"),
    ],
)
def test_what_cannot_be_hooked_is_refused_in_a_sentence(ranks, scenario, sentence):
    assert all(sentence in rank[scenario] for rank in ranks), ranks[0][scenario]


@pytest.mark.sharded
def test_an_error_on_one_rank_ends_all(ranks):
    assert ranks[1]["broken"] == "my memory is broken"
    assert "another rank failed before it sent its message" in ranks[0]["broken"]


@pytest.mark.sharded
def test_torch_fp16_differs_by_the_rounding_of_its_cast(ranks):
    """Eleven bits of each summand and of the sum; ours sends all 53."""
    for rank in ranks:
        off = max(
            float((p - q).abs().max()) for p, q in zip(rank["fp16"], rank["plain"], strict=True)
        )
        assert 0 < off < 3 * STEPS * RATES[0] * 2.0**-11


@pytest.mark.sharded
def test_torch_power_sgd_differs_by_what_its_rank_leaves_out(ranks):
    """Nothing before its first step, nothing at full rank, something at rank one, which ranks keep
    as a residual: after some steps no rank has gone another way."""
    for rank in ranks:
        equal(rank["PowerSGD, later"], rank["plain"])
        equal(rank["PowerSGD, all ranks"], rank["plain"], 1e-6)
        lossy = zip(rank["PowerSGD, rank 1"], rank["plain"], strict=True)
        assert max(float((p - q).abs().max()) for p, q in lossy) > 1e-4
    equal(ranks[0]["PowerSGD, rank 1"], ranks[1]["PowerSGD, rank 1"], 0.0)


@pytest.mark.sharded
def test_torch_post_local_sgd_averages_models_not_gradients(ranks):
    """Local SGD by hand; its averager counts steps from 0 and so averages after steps 1, 3, 5."""
    nets = [Net() for _ in range(RANKS)]
    for t in range(STEPS):
        for rank, net in enumerate(nets):
            net.zero_grad()
            loss(net, t, rank).backward()
            with torch.no_grad():
                for p in net.parameters():
                    p -= RATES[0] * p.grad
        if t % 2 == 0:
            with torch.no_grad():
                for parts in zip(*(net.parameters() for net in nets), strict=True):
                    mean = torch.stack(parts).mean(0)
                    for p in parts:
                        p.copy_(mean)
    for found, net in zip(ranks, nets, strict=True):
        equal(found["local SGD"], [p.detach() for p in net.parameters()])


def compiled() -> tuple[list[Tensor], list[Tensor]]:
    found = trained(with_feedback, compiled=True)[0], trained(with_feedback)[0]
    gc.collect()
    dist.barrier()
    return found


@pytest.mark.sharded
@pytest.mark.slow
def test_a_compiled_model_trains_alike():
    for ours, eager in launch(compiled, ranks=RANKS):
        equal(ours, eager)
