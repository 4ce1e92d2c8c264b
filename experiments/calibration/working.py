"""Costs on one worker here: a step of a model, and an entry of a compressor's message."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from algorithms.clusters.cluster import CodingTimes, ModelTimes
from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.low_rank import LowRank
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.sign import Sign
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.network.link_times import Wall
from algorithms.workloads.base import Workload

OPERATORS: tuple[Compressor, ...] = (
    TopK(0.01), RandK(0.01), QSGD(16), TernGrad(), Sign(), ScaledSign(), NaturalCompression(),
    LowRank(4),
)  # fmt: skip
"""Those that built-in clusters know too."""

_SIDE = 512  # of the matrices whose products measure the rate of multiply-adds
_SEED = 16


def least_seconds(
    work: Callable[[], object], repeats: int, device: str = "cpu", clock: Wall = time.perf_counter
) -> float:
    """Least seconds of ``work``, a first time not counted; on a GPU until it is done there.

    Raises:
        ValueError: repeats < 1.
    """
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got repeats={repeats}")
    times = []
    for _ in range(repeats + 1):
        begin = clock()
        work()
        if device.startswith("cuda"):
            torch.cuda.synchronize(device)
        times.append(clock() - begin)
    return min(times[1:])


def coding_times(
    operator: Compressor, d: int, repeats: int, device: str = "cpu", clock: Wall = time.perf_counter
) -> CodingTimes:
    """Seconds an entry of encoding a float32 tensor of d entries into bytes, and back.

    Raises:
        ValueError: d or repeats < 1.
    """
    if d < 1:
        raise ValueError(f"d must be at least 1 entry, got d={d}")
    drawn = torch.Generator().manual_seed(_SEED)
    x = torch.randn((1, 1, d), generator=drawn, dtype=torch.float32).to(device)
    mine = operator.for_shapes((_shape(d),))
    draws = Key.seed(_SEED).draws(torch.zeros(1, dtype=torch.int64), torch.zeros(1).long())
    code = code_of(mine, d, x.dtype)
    symbols = mine.encode(x, draws)
    packed, lengths = code.pack(symbols), code.lengths(symbols)
    encode = least_seconds(lambda: code.pack(mine.encode(x, draws)), repeats, device, clock)
    decode = least_seconds(
        lambda: mine.decode(code.unpack(packed, lengths), d, x.dtype, draws), repeats, device, clock
    )
    return CodingTimes(encode / d, decode / d, True)


def _shape(d: int) -> tuple[int, ...]:
    """A matrix of d entries, as nearly square as d divides: what low-rank operators need."""
    rows = next(k for k in range(int(d**0.5), 0, -1) if d % k == 0)
    return (rows, d // rows)


def module_times(
    module: nn.Module, inputs: tuple[Tensor, ...], repeats: int, device: str = "cpu",
    clock: Wall = time.perf_counter,
) -> ModelTimes:  # fmt: skip
    """A forward and a backward pass of a module on ``inputs``, the samples on the first axis.

    The loss is the mean square of what the module returns, the first of several.

    Raises:
        ValueError: no input, or repeats < 1.
    """
    if not inputs or inputs[0].dim() == 0:
        raise ValueError("inputs must begin with a tensor of samples")
    placed, here = module.to(device), tuple(one.to(device) for one in inputs)

    def step() -> None:
        placed.zero_grad(set_to_none=True)
        out = placed(*here)
        first = out if isinstance(out, Tensor) else next(iter(out))
        first.float().square().mean().backward()

    return ModelTimes(len(inputs[0]), least_seconds(step, repeats, device, clock))


def flop_rate(repeats: int, device: str = "cpu", clock: Wall = time.perf_counter) -> float:
    """Floating-point operations a second in products of float32 matrices.

    Raises:
        ValueError: repeats < 1.
    """
    a = torch.ones((_SIDE, _SIDE), device=device)
    return 2 * _SIDE**3 / least_seconds(lambda: a @ a, repeats, device, clock)


def estimated_times(workload: Workload, samples: int, rate: float) -> ModelTimes:
    """A step of a model at a rate of operations [1/s] that matrix products have: an estimate.

    Raises:
        ValueError: samples < 1 or a rate that is not positive.
    """
    if samples < 1 or not rate > 0:
        raise ValueError(
            f"samples must be at least 1 and rate positive, got samples={samples}, rate={rate}"
        )
    return ModelTimes(samples, workload.step_flops * samples / rate)
