"""The hook bucket by bucket, against the simulation of the operator that the buckets make.

Gradients handed to the optimizer, memories and bits are compared bit for bit on two gloo ranks;
the buckets change after the first backward pass, when DDP deals them anew.
"""

from __future__ import annotations

import gc
import time
import warnings
from typing import Any, NamedTuple

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from algorithms.compressors.base import Compressor
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.low_rank import LowRank
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.tensor_buckets import Groups, TensorBuckets
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.ddp.hook import DDPHook, register_hook
from algorithms.memories import in_place
from algorithms.memories.base import Memory, NoMemory, Round
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.network.base import Packet
from algorithms.network.launch import launch
from algorithms.network.simulated import Simulated
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.compressors.check import check_compressor
from proofs_check.verdict import Outcome

RANKS, STEPS, RATE, SEED = 2, 4, 0.3, 5
CASES: tuple[tuple[Compressor, Memory[Any]], ...] = (
    (RandK(0.3), NoMemory()),
    (QSGD(4), NoMemory()),
    (RandomMask(0.4), NoMemory()),
    (TopK(0.1), ErrorFeedback()),
    (TopK(0.1), GlobalMomentum(0.5)),
    (LayerWise(TopK(2)), ErrorFeedback()),
)


class Waiting(torch.autograd.Function):
    """The identity, whose backward pass calls ``Waiting.then``."""

    then: Any = staticmethod(lambda: None)

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        Waiting.then()
        return g


class Net(nn.Module):
    """Three layers; after the first backward pass DDP puts them into two buckets."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.first, self.second, self.last = nn.Linear(6, 20), nn.Linear(20, 9), nn.Linear(9, 4)

    def forward(self, x: Tensor) -> Tensor:
        h = Waiting.apply(torch.tanh(self.first(x)))
        return self.last(torch.tanh(self.second(h))).square().mean()


SHAPES = tuple(tuple(p.shape) for p in Net().parameters())


def batch(t: int) -> Tensor:
    """This rank's data of step t."""
    seed = 10 * t + dist.get_rank()
    return torch.randn(8, 6, generator=torch.Generator().manual_seed(seed))


def row(tensors: Any) -> Tensor:
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])


class Step(NamedTuple):
    """What one rank saw of one step: its own gradient, the mean handed on, memory and buckets."""

    own: Tensor
    mean: Tensor
    memory: list[Tensor]
    groups: Groups
    bits: int


def hooked(compressor: Compressor, memory: Memory[Any], **options: Any) -> Any:
    model = DistributedDataParallel(Net(), bucket_cap_mb=0.0003)
    options = {"learning_rate": lambda: RATE, "seed": SEED, "per_bucket": True} | options
    return model, register_hook(model, compressor, memory, **options)


def train(compressor: Compressor, memory: Memory[Any]) -> list[Step]:
    model, hook = hooked(compressor, memory)
    plain, steps, sent = Net(), [], 0
    for t in range(STEPS):
        plain.load_state_dict(model.module.state_dict())
        own = row(torch.autograd.grad(plain(batch(t)), list(plain.parameters())))
        model.zero_grad()
        model(batch(t)).backward()
        mean = row(p.grad for p in model.parameters())
        state = [leaf.clone() for leaf in in_place.leaves(hook.state)]
        total = hook.report().sent_bits
        steps.append(Step(own, mean, state, hook.bucketed().groups, total - sent))
        sent = total
        with torch.no_grad():
            for p in model.parameters():
                p -= RATE * p.grad
    return steps


def first_bucket_done_early(per_bucket: bool) -> bool:
    """Whether the mean of bucket 0 is there before the first layer's gradient is begun."""
    model, hook = hooked(RandK(0.3), NoMemory(), per_bucket=per_bucket)
    model(batch(0)).backward()
    act, futures, seen = hook._pass, {}, []

    def kept(bucket: Any) -> Any:
        futures[bucket.index()] = act(bucket)
        return futures[bucket.index()]

    def wait() -> None:
        end = time.monotonic() + (20 if per_bucket else 0.5)
        while not futures[0].done() and time.monotonic() < end:
            time.sleep(0.001)
        seen.append(futures[0].done())

    hook._pass, Waiting.then = kept, staticmethod(wait)
    model(batch(1)).backward()
    Waiting.then = staticmethod(lambda: None)
    assert len(futures) == 2
    return seen == [True]


def overflow() -> dict[str, Any]:
    """Rank 1's gradient of the last layer, and so of all, is infinite at step 2."""
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    model, hook = hooked(TopK(0.2), ErrorFeedback(), loss_scale=scaler.get_scale)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    rows, memories = [], []
    for t in range(4):
        optimizer.zero_grad()
        bad = t == 2 and dist.get_rank() == 1
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            scaler.scale(model(batch(t)) * (float("inf") if bad else 1.0)).backward()
        scaler.step(optimizer)
        scaler.update()
        rows.append(row(model.parameters()))
        memories.append(hook.state.clone())
    return {"x": rows, "memory": memories, "skipped": hook.report().skipped}


def one_bad_bucket() -> dict[str, Any]:
    """Rank 1's first layer alone has an infinite gradient; other buckets are sound."""
    model, hook = hooked(TopK(0.2), ErrorFeedback())
    for t in range(2):
        model(batch(t)).backward()
    before = hook.state.clone()
    if dist.get_rank() == 1:
        model.module.first.weight.register_hook(lambda g: g * float("inf"))
    model.zero_grad()
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        model(batch(2)).backward()
    finite = {name: bool(p.grad.isfinite().all()) for name, p in model.module.named_parameters()}
    kept = torch.equal(before, hook.state)
    return {"kept": kept, "finite": finite, "skipped": hook.report().skipped, "t": hook.t}


def rate_zero() -> dict[str, Any]:
    model, hook = hooked(TopK(0.2), ErrorFeedback(), learning_rate=lambda: 0.0)
    model(batch(0)).backward()
    return {"mean": row(p.grad for p in model.parameters()), "skipped": hook.report().skipped}


def unlike_ranks() -> str:
    try:
        hooked(RandK(0.3), NoMemory(), per_bucket=dist.get_rank() == 0)
    except ValueError as error:
        return str(error)
    return "accepted"


def everything() -> dict[str, Any]:
    found: dict[str, Any] = {"steps": [train(*case) for case in CASES]}
    found["early"] = first_bucket_done_early(per_bucket=True)
    found["late"] = first_bucket_done_early(per_bucket=False)
    for scenario in (overflow, one_bad_bucket, rate_zero, unlike_ranks):
        found[scenario.__name__] = scenario()
    gc.collect()
    dist.barrier()
    return found


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, Any]]:
    return launch(everything, ranks=RANKS)


class Simulation:
    """n = RANKS workers with one operator a step, over the simulated network."""

    def __init__(self, memory: Memory[Any], d: int) -> None:
        self.network, self.memory = Simulated(RANKS), memory
        shape = torch.Size((1, RANKS, d))
        self.state = memory.init(shape, torch.float32, torch.device("cpu"))

    def step(self, operator: Compressor, own: Tensor, t: int) -> Tensor:
        """The mean that is handed on; ``own`` are the workers' gradients ``[RANKS, d]``."""
        memory, gamma = self.memory, RATE if self.memory.holds_steps else 1.0
        x = own[None] * gamma
        wanted = memory.before(self.state, x)
        key, replicas = Key.seed(SEED).fold("compress", t), torch.zeros(1, dtype=torch.int64)
        draws = key.draws(replicas, self.network.workers)
        symbols = operator.encode_guided(wanted, memory.guide(self.state, x), draws)
        packet = Packet(operator, symbols, key, replicas, wanted.shape[-1], wanted.dtype)
        mean, sent = self.network.average(packet)
        self.state = memory.after(self.state, Round(x, wanted, sent, mean))
        return (mean / gamma)[0, 0]


def simulated(
    case: int, parts: list[list[Step]], regroup: Any = lambda groups: groups
) -> tuple[list[Tensor], Simulation]:
    compressor, memory = CASES[case]
    simulation = Simulation(memory, parts[0][0].own.numel())
    means = []
    for t in range(STEPS):
        operator = TensorBuckets(compressor, SHAPES, regroup(parts[0][t].groups)).at_step(t)
        means.append(simulation.step(operator, torch.stack([part[t].own for part in parts]), t))
    return means, simulation


def same_bits(x: Tensor, y: Tensor) -> bool:
    return torch.equal(x.view(torch.int32), y.view(torch.int32))


@pytest.mark.sharded
@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda k: f"{CASES[k][0].name}")
def test_every_bucket_is_as_in_the_simulation_bit_for_bit(ranks, case):
    parts = [rank["steps"][case] for rank in ranks]
    means, simulation = simulated(case, parts)
    layouts = {step.groups for step in parts[0]}
    assert len(layouts) == 2 and max(map(len, layouts)) == 2, "DDP should deal buckets anew"
    for worker, part in enumerate(parts):
        assert all(same_bits(step.mean, mean) for step, mean in zip(part, means, strict=True))
        for mine, all_of in zip(part[-1].memory, in_place.leaves(simulation.state), strict=True):
            theirs = all_of[:, worker : worker + 1] if all_of.shape[1:2] == (RANKS,) else all_of
            assert same_bits(mine, theirs.contiguous())
    if not isinstance(CASES[case][0], RandomMask):  # its lengths go ahead, in the simulation inside
        charged = simulation.network.account((1,)).sent_bits[0].tolist()
        assert charged == [sum(step.bits for step in part) for part in parts]


@pytest.mark.sharded
@pytest.mark.parametrize(
    "regroup",
    [lambda groups: groups[::-1], lambda groups: (tuple(range(len(SHAPES))),)],
    ids=["bucket numbers swapped", "the whole row"],
)
def test_other_buckets_are_another_operator(ranks, regroup):
    for case in (0, 3):
        parts = [rank["steps"][case] for rank in ranks]
        means, _ = simulated(case, parts, regroup)
        if case == 3 and len(regroup(parts[0][-1].groups)) == 2:
            continue  # top-k draws nothing: the order of its buckets does not matter
        assert not same_bits(parts[0][-1].mean, means[-1])


@pytest.mark.sharded
def test_a_bucket_is_averaged_while_back_propagation_goes_on(ranks):
    assert all(rank["early"] for rank in ranks)
    assert not any(rank["late"] for rank in ranks), "the whole row waits, and the test would see it"


@pytest.mark.sharded
def test_an_overflow_is_a_skipped_step_on_all_ranks(ranks):
    for found in (rank["overflow"] for rank in ranks):
        x, memory = found["x"], found["memory"]
        assert same_bits(x[2], x[1]) and same_bits(memory[2], memory[1])
        assert not same_bits(x[3], x[2]) and found["skipped"] == 1


@pytest.mark.sharded
def test_one_bad_bucket_leaves_the_memory_of_all_buckets(ranks):
    for found in (rank["one_bad_bucket"] for rank in ranks):
        assert found["kept"] and found["skipped"] == 1 and found["t"] == 3
        assert not found["finite"]["first.weight"] and found["finite"]["last.weight"]


@pytest.mark.sharded
def test_a_rate_of_zero_sends_nothing(ranks):
    for found in (rank["rate_zero"] for rank in ranks):
        assert not found["mean"].any() and found["skipped"] == 1


@pytest.mark.sharded
def test_ranks_that_disagree_on_it_are_refused(ranks):
    assert all("per_bucket differs between ranks" in rank["unlike_ranks"] for rank in ranks)


def test_a_transform_of_the_whole_gradient_is_refused():
    with pytest.raises(ValueError, match="transform must be None with per_bucket=True"):
        DDPHook(TopK(1), per_bucket=True, transform=ClipNorm(1.0))
    with pytest.raises(ValueError, match="got per_bucket=False, t=0"):
        DDPHook(TopK(1)).bucketed()


def test_buckets_of_one_tensor_each_are_layers():
    x = torch.randn(3, 24, generator=torch.Generator().manual_seed(2))
    draws = Key.seed(1).draws(torch.tensor(0), torch.arange(3))
    shapes = ((4, 2), (10,), (6,))
    singles = ((0,), (1,), (2,))
    for inner in (RandK(0.5), TopK(2), QSGD(3), LowRank(1)):
        layers = LayerWise(inner, shapes).compress(x, draws)
        assert torch.equal(TensorBuckets(inner, shapes, singles).compress(x, draws), layers)


def test_a_bucket_is_its_tensors_in_its_order():
    x = torch.arange(1.0, 25)[None]
    operator = TensorBuckets(TopK(1), ((4, 2), (10,), (6,)), ((2, 0), (1,)))
    draws = Key.seed(1).draws(torch.tensor(0), torch.arange(1))
    kept = operator.compress(x, draws)[0]
    assert kept.nonzero().flatten().tolist() == [17, 23]  # the largest of tensors 2 and 0, and of 1


@pytest.mark.parametrize("inner", [RandK(0.5), TopK(2), QSGD(2)], ids=lambda c: c.name)
def test_its_claims_hold(inner):
    operator = TensorBuckets(inner, ((2, 2), (3,), (5,)), ((2, 0), (1,)))
    verdicts = check_compressor(operator, d=12)
    assert verdicts and all(v.outcome is not Outcome.REFUTED for v in verdicts), verdicts


def test_groups_that_are_none_are_refused():
    with pytest.raises(ValueError, match="must hold each of 2 tensors once"):
        TensorBuckets(TopK(1), ((2,), (3,)), ((0,),))
    with pytest.raises(ValueError, match="must hold d=7 numbers together"):
        TensorBuckets(TopK(1), ((2,), (3,)), ((0,), (1,))).sizes(7)
