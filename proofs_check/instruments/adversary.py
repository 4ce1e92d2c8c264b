r"""Search for the vector that an operator distorts most: sup_x E||C(x) - x||^2 / ||x||^2.

A population of starts is improved by random local moves, all candidates at once; a move is kept
where the ratio rises. The ratio is the closed form of grid operators, the error itself of
deterministic ones, else a mean over fixed draws (the same for every candidate). Starts and moves
know nothing of any operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.grid import GridCompressor
from algorithms.core.key import Draws, Key
from algorithms.problems.absolute import Absolute
from proofs_check.instruments.exact import by_order, every_order, is_random
from proofs_check.instruments.scripted import NotEnumerable, ScriptedDraws

Ratio = Callable[[Tensor], Tensor]
_WORK = 20_000_000
_MOST_ORDERED = 4


@final
@dataclass(frozen=True)
class WorstVector:
    """The worst vector found ``[d]``, its ratio, where it started and how ratios were had.

    A ratio over fixed draws is optimistic (the search fits the draws): estimate it anew.

    Attributes:
        x: the vector.
        start: the family of the starting point.
        tried: number of vectors looked at.
        sampled: whether ratios are means over fixed draws.
    """

    x: Tensor
    ratio: float
    start: str
    how: str
    tried: int
    sampled: bool


def distortion(x: Tensor, error: Tensor) -> Tensor:
    """error / ||x||^2 ``[P]``, 0 for zero vectors, for rows x ``[P, d]``; NaN is the worst, inf."""
    square, error = (x * x).sum(-1), torch.where(error.isnan(), torch.inf, error)
    return torch.where(square > 0, error / square.clamp_min(torch.finfo(x.dtype).tiny), 0)


class DistortionRatio(NamedTuple):
    """A function of rows ``[P, d]`` that gives their distortions ``[P]``.

    Attributes:
        ratio: the function.
        how: how they are had, in words.
        runs: runs of the code a row.
        sampled: whether they are means over fixed draws.
    """

    ratio: Ratio
    how: str
    runs: int = 1
    sampled: bool = False


def ratio_of(compressor: Compressor, d: int, key: Key, samples: int) -> DistortionRatio:
    """The distortion of rows ``[P, d]``, and how it is had."""
    if isinstance(compressor, GridCompressor):
        grid = compressor
        return DistortionRatio(
            lambda x: distortion(x, grid.variance(x[:, None])[:, 0]), "closed form"
        )
    probe = torch.linspace(-1, 2, d, dtype=torch.float64)
    if not is_random(compressor, probe):
        alone = torch.zeros(1, 1, dtype=torch.float64)
        return DistortionRatio(_mean_over(compressor, alone), "deterministic")
    if _few_orders(compressor, probe):
        table = every_order(d)
        return DistortionRatio(_mean_over(compressor, table), f"all {d}! orders", table.shape[0])
    ratio, how = _sampled(compressor, key, samples), f"mean of {samples} fixed draws"
    return DistortionRatio(ratio, how, samples, sampled=True)


def _few_orders(compressor: Compressor, probe: Tensor) -> bool:
    try:
        return probe.shape[0] <= _MOST_ORDERED and by_order(compressor, probe)
    except NotEnumerable:
        return False


def _error(compressor: Compressor, x: Tensor, draws: Draws, count: int) -> Tensor:
    """Mean error ``[P]`` of rows x ``[P, d]`` over ``count`` replicas of draws."""
    rows = x[None, :, None].expand(count, -1, 1, -1)
    return (compressor.compress(rows, draws) - rows).square().sum(-1)[..., 0].mean(0)


def _mean_over(compressor: Compressor, table: Tensor) -> Ratio:
    def ratio(x: Tensor) -> Tensor:
        scripts = table[:, None, None].expand(-1, x.shape[0], 1, -1)
        error = _error(compressor, x, ScriptedDraws(scripts), table.shape[0])
        return distortion(x, error)

    return ratio


def _sampled(compressor: Compressor, key: Key, samples: int) -> Ratio:
    def ratio(x: Tensor) -> Tensor:
        replicas = torch.arange(samples)[:, None].expand(samples, x.shape[0])
        draws = key.draws(replicas, torch.zeros(1, dtype=torch.int64))
        return distortion(x, _error(compressor, x, draws, samples))

    return ratio


def structured_starts(d: int, key: Key) -> dict[str, Tensor]:
    """Named families of vectors ``[P, d]``."""
    ramp = torch.arange(d, dtype=torch.float64)
    eye = torch.eye(d, dtype=torch.float64)[:1]
    powers = torch.tensor([-4.0, -2.0, -1.0, -0.5, -0.25], dtype=torch.float64)
    low = d**powers
    two_level = torch.where(ramp == 0, 1.0, low[:, None])
    normals = _rows(key.fold("tail"), 8, d)
    return {
        "one-hot": eye,
        "flat": torch.ones(1, d, dtype=torch.float64) * torch.tensor([[1.0], [1.37], [-1.8]]),
        "two-level": two_level,
        "geometric": torch.tensor([0.5, 0.9, 0.99], dtype=torch.float64)[:, None] ** ramp,
        "heavy tail": normals[0::2] / normals[1::2].abs().clamp_min(1e-6),
    }


def random_starts(d: int, key: Key, count: int = 24) -> dict[str, Tensor]:
    """Gaussian vectors ``[count, d]``."""
    return {"random": _rows(key.fold("random"), count, d)}


def search(
    compressor: Compressor,
    d: int,
    seed: int,
    structured: bool = True,
    rounds: int = 1500,
    samples: int = 64,
) -> WorstVector:
    """The worst vector found in R^d.

    ``structured=False`` starts from gaussian vectors only. Rounds are cut where they would cost
    more than some seconds.
    """
    key = Key.seed(seed).fold("adversary")
    families = random_starts(d, key) | (structured_starts(d, key) if structured else {})
    names = [name for name, rows in families.items() for _ in range(rows.shape[0])]
    x = torch.cat(list(families.values()))
    ratio, how, runs, sampled = ratio_of(compressor, d, key, samples)
    rounds = max(10, min(rounds, _WORK // (x.numel() * runs)))
    best = ratio(x)
    for t in range(rounds):
        x, best = _improve(x, best, ratio, t, rounds, _draws(key.fold("move", t), x.shape[0]))
    winner = int(best.argmax())
    tried = rounds * x.shape[0]
    return WorstVector(x[winner].clone(), float(best[winner]), names[winner], how, tried, sampled)


def _improve(
    x: Tensor, best: Tensor, ratio: Ratio, t: int, rounds: int, draws: Draws
) -> tuple[Tensor, Tensor]:
    """Keep each candidate's move where its ratio rises."""
    moved = _moved(x, t, _temperature(t, rounds), draws)
    value = ratio(moved)
    better = value > best
    return torch.where(better[:, None], moved, x), torch.where(better, value, best)


def _temperature(t: int, rounds: int) -> float:
    """Size of moves: from 1 down to 1e-3, geometrically, in five sweeps."""
    sweep = max(1, rounds // 5)
    return float(10.0 ** (-3 * (t % sweep) / sweep))


def _moved(x: Tensor, t: int, size: float, draws: Draws) -> Tensor:
    """Candidates ``[P, d]`` after one random move of the kind that is on at round t."""
    d = x.shape[-1]
    lot = draws.fold("lot").uniform(d + 3, torch.float64)[:, 0]
    chosen = lot[:, :d] < torch.maximum(lot[:, d : d + 1] ** 3, torch.tensor(1.0 / d))
    noise = draws.fold("noise").normal(d + 1, torch.float64)[:, 0]
    kind = t % 5
    if kind == 0:  # rescale a subset together
        new = x * (size * 2 * noise[:, d:]).exp()
    elif kind == 1:  # rescale each of a subset
        new = x * (size * noise[:, :d]).exp()
    elif kind == 2:  # draw a subset towards its mean magnitude
        count = chosen.sum(-1, keepdim=True).clamp_min(1)
        mean = (x.abs() * chosen).sum(-1, keepdim=True) / count
        pull = lot[:, d + 1 : d + 2] if t % 2 else 1.0
        new = torch.where(x < 0, -1.0, 1.0) * (x.abs() + pull * (mean - x.abs()))
    elif kind == 3:  # shrink a subset, at times to nothing
        new = x * torch.where(lot[:, d + 2 :] < 0.3, 0.0, lot[:, d + 1 : d + 2])
    else:  # shift a subset
        rms = x.square().mean(-1, keepdim=True).sqrt()
        new = x + size * rms * noise[:, :d]
    return torch.where(chosen, new, x)


def _draws(key: Key, rows: int) -> Draws:
    return key.draws(torch.arange(rows), torch.zeros(1, dtype=torch.int64))


def _rows(key: Key, count: int, d: int) -> Tensor:
    return _draws(key, count).normal(d, torch.float64)[:, 0]


def tightness(worst: float, constant: float) -> float | None:
    """Worst ratio found over the claimed constant; nothing where the constant is zero."""
    return worst / constant if constant > 0 and math.isfinite(constant) else None


# The function on which signs alone stay on a line that the minimum is not on.


EPS = 0.5


def counterexample(start: tuple[float, float] = (0.0, 0.0)) -> Absolute:
    """f = eps |x_0 + x_1| + |x_0 - x_1|, the mean of two absolute errors of one worker.

    Coordinates are counted from ``start``, so that runs begin there. (Karimireddy, Rebjock, Stich,
    Jaggi 2019, arXiv:1901.09847, Counterexample 2.)
    """
    features = torch.tensor([[[2 * EPS, 2 * EPS], [2.0, -2.0]]], dtype=torch.float64)
    targets = -(features @ torch.tensor(start, dtype=torch.float64))
    return Absolute("second counterexample", features, targets)
