"""The law of a stochastic gradient that averages samples, by all samples in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn, final

import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.problems.base import Problem
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict

_ROUNDING = 1e-9  # relative, of sums in another order
_NUMBERS = 20_000_000  # of the gradients of all samples at once, at most


class NotEnumerated(ValueError):
    """The gradient is no mean over places that are drawn among all samples."""


@final
class ChosenSamples(Draws):
    """Draws whose places of samples are chosen: row r of ``places`` ``[R, k]`` for every worker,
    repeated to as many as are asked for.

    Attributes:
        workers: ids of the rows ``[R, n]``.
        high: how many samples places were asked of, 0 before.
        count: how many places were asked for.

    Raises:
        NotEnumerated: from every method that asks for anything else, and where places are asked
            twice.
    """

    def __init__(self, places: Tensor, n: int) -> None:
        self._places, self.high, self.count = places, 0, 0
        self.workers = torch.arange(n).expand(len(places), n)

    def integers(self, high: int, count: int) -> Tensor:
        if self.high:
            raise NotEnumerated("places are drawn twice")
        self.high, self.count = high, count
        own = self._places.repeat(1, -(-count // self._places.shape[1]))[:, :count]
        return own[:, None].expand(*self.workers.shape, count).contiguous()

    def fold(self, *words: int | str) -> NoReturn:
        raise NotEnumerated("something is drawn for another purpose")

    def uniform(self, count: int, dtype: torch.dtype) -> NoReturn:
        raise NotEnumerated("uniforms are drawn")

    def normal(self, count: int, dtype: torch.dtype) -> NoReturn:
        raise NotEnumerated("normals are drawn")


def exact_noise(problem: Problem, points: Tensor, seed: int) -> Iterator[Verdict]:
    """Mean and variance of stochastic gradients at points ``[P, d]`` against grad f_i and noise(x),
    over all samples; nothing where these cannot be chosen, or the gradient is no mean of theirs."""
    for label, x in (("the start", points[0]), ("a drawn point", points[len(points) // 2])):
        try:
            rows, count = _of_all(problem, x)
        except NotEnumerated:
            return
        full = problem.full_gradient(x[None], torch.arange(problem.n))
        off = rows - full
        spread = off.square().sum(-1).mean(0) / count
        for claim, found, due in (
            ("the mean over all samples is grad f_i", off.mean(0) + full, full),
            ("noise(x) is the variance over all samples", spread, problem.noise(x)),
        ):
            yield identity(
                problem.name, f"{claim}, at {label}", found.numpy(), due.numpy(),
                check="all samples", problem=problem.name, tolerance=_ROUNDING,
                provenance=f"{len(rows)} samples of each worker; seed {seed}",
            )  # fmt: skip


def _of_all(problem: Problem, x: Tensor) -> tuple[Tensor, int]:
    """Gradients of all samples ``[S, n, d]``, and how many of them one gradient averages.

    Raises:
        NotEnumerated: see :class:`ChosenSamples`; or those of two samples are not their mean.
    """
    first = ChosenSamples(torch.zeros(1, 1, dtype=torch.int64), problem.n)
    problem.gradient(x[None, None], first)
    size = first.high
    if size < 2 or size * problem.n * problem.d > _NUMBERS:
        raise NotEnumerated(f"{size} samples")
    rows = problem.gradient(x[None, None], ChosenSamples(torch.arange(size)[:, None], problem.n))
    two = torch.tensor([[0, size - 1]])
    mixed = problem.gradient(x[None, None], ChosenSamples(two, problem.n))[0]
    last = first.count // 2 / first.count  # places of the second of the two, of all
    mean = rows[0] + last * (rows[-1] - rows[0])
    if not torch.allclose(mixed, mean, rtol=_ROUNDING, atol=_ROUNDING):
        raise NotEnumerated("it is no mean over samples")
    return rows, first.count
