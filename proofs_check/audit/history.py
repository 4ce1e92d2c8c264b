"""Does what was given before change what comes back? Exactly where calls repeat, else by a test."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from proofs_check.audit.runner import Runner
from proofs_check.instruments.statistics import ROUNDOFF, half_width

ALPHA = 1e-9
_PAIRS = 4000
_CYCLE = 24
_TURNS = 32
_SMALL = 16
_SHOWN = 6
_FEW = 4


@final
@dataclass(frozen=True)
class Influence:
    """``seen``: history changes the outcome at ``x``, as ``how`` says; else ``resolution`` is the
    smallest shift of the mean, in units of ||x||, that was sure to be seen (0: compared exactly).
    """

    seen: bool
    how: str
    x: Tensor | None = None
    resolution: float = 0.0


def influence(bench: Runner, points: Sequence[Tensor], exact: bool) -> Influence:
    """Whether the outcome at any of the points depends on the calls before it.

    ``exact``: outcomes repeat, from a fresh one or the same one, so that they can be compared bit
    for bit; else means and mean squared errors after opposite vectors are compared, with error
    ALPHA for each point.
    """
    points = sorted(points, key=len)
    small = max((x for x in points[:-1] if len(x) <= _SMALL), key=len, default=points[0])
    if exact:
        for x in points:
            if (told := _exactly(bench, x)) and not _drawn_unevenly(bench, x):
                return Influence(True, told, x)
    seen = Influence(False, "outcomes after different vectors are equal")
    if exact and not any(_exactly(bench, x) for x in points):
        return _cycle(bench, small) or seen
    for x in {id(x): x for x in (points[0], small)}.values():
        seen = _by_test(bench, x)
        if seen.seen:
            return seen
    return _cycle(bench, small) or seen


def _before(x: Tensor) -> tuple[Tensor, ...]:
    """Vectors to be given before x: large, its opposite, and none at all."""
    ramp = torch.linspace(-7, 10, len(x), dtype=x.dtype) if len(x) > 1 else 10 * torch.ones_like(x)
    return (ramp, -ramp, torch.zeros_like(x))


def _after(bench: Runner, before: Tensor, x: Tensor, seed: int) -> Tensor:
    bench.renew()
    with suppress(Exception):  # a stranger's code may refuse what comes before
        bench(before, seed)
    return bench(x, seed + 1)


def _exactly(bench: Runner, x: Tensor) -> str:
    """The difference that history makes, told; "" where there is none."""
    first, *others = (_after(bench, before, x, 5) for before in _before(x))
    if all(torch.equal(first.nan_to_num(), other.nan_to_num()) for other in others):
        return ""
    return f"C({shown(x)}) is {shown(first)} after one vector and {shown(others[0])} after another"


def _drawn_unevenly(bench: Runner, x: Tensor) -> bool:
    """Whether the test of means sees nothing of a difference that there is in single outcomes."""
    seeds = [_after(bench, _before(x)[0], x, seed) for seed in (20, 30)]
    if torch.equal(seeds[0].nan_to_num(), seeds[1].nan_to_num()):
        return False
    return not _by_test(bench, x).seen


def _by_test(bench: Runner, x: Tensor) -> Influence:
    bench.renew()
    plus, minus, _ = _before(x)
    outcomes: list[list[Tensor]] = [[], []]
    for pair in range(_PAIRS):
        for place, before in enumerate((plus, minus)):
            with suppress(Exception):  # a stranger's code may refuse what comes before
                bench(before, 4 * pair + 2 * place)
            outcomes[place].append(bench(x, 4 * pair + 2 * place + 1))
    one, other = (torch.stack(rows) for rows in outcomes)
    size = float(x.norm()) or 1.0
    if not bool(one.isfinite().all() and other.isfinite().all()):
        return Influence(True, f"C({shown(x)}) is not finite any more after some calls", x)
    probes = [
        torch.cat((y, (y - x).square().sum(-1, keepdim=True) / size), 1) for y in (one, other)
    ]
    tests = probes[0].shape[1]
    spread = (torch.cat(probes).amax(0) - torch.cat(probes).amin(0)).clamp_min(size)
    first, second = (half_width(p, spread, ALPHA / (2 * tests)) for p in probes)
    width = first + second + ROUNDOFF * size
    shift = (probes[0].mean(0) - probes[1].mean(0)).abs()
    worst = int((shift / width).argmax())
    where = f"E C(x)[{worst}]" if worst < len(x) else "E||C(x)-x||^2/||x||"
    told = (
        f"{where} at x = {shown(x)} moves by {float(shift[worst]):.3g} with what was given before "
        f"(+- {float(width[worst]):.2g})"
    )
    return Influence(bool((shift > width).any()), told, x, 2 * float(width.max()) / size)


def _cycle(bench: Runner, x: Tensor) -> Influence | None:
    """Outcomes that come round again though the seed stays: a counter."""
    bench.renew()
    values = [bench(x, 3) for _ in range(3 * _CYCLE)]
    for period in range(2, _CYCLE + 1):
        if all(torch.equal(a, b) for a, b in zip(values, values[period:], strict=False)):
            if torch.equal(values[0], values[1]):
                return None
            told = f"outcomes at one vector come round again every {period} calls"
            return Influence(True, told, x)
    return None


def comes_back(bench: Runner, x: Tensor) -> tuple[float, float]:
    """||sum_t (C_t(x) - x)|| / ||x|| after one call and after ``_TURNS`` of them.

    A memory that adds what was left out to the next vector keeps the second from growing.
    """
    bench.renew()
    errors = torch.stack([bench(x, seed) - x for seed in range(_TURNS)])
    size = float(x.norm()) or 1.0
    return float(errors[0].norm()) / size, float(errors.sum(0).norm()) / size


def turns() -> int:
    """How many calls :func:`comes_back` makes."""
    return _TURNS


def shown(x: Tensor) -> str:
    """A vector in a few words; of a long one with few entries that are not zero, those."""
    values = x.tolist()
    if len(x) <= _SHOWN:
        return f"({', '.join(f'{value:.6g}' for value in values)})"
    if all(value == values[0] for value in values):
        return f"({values[0]:.6g}, ..., {values[0]:.6g}) in R^{len(x)}"
    places = x.nonzero().flatten().tolist()
    if 2 * len(places) <= len(x):
        told = ", ".join(f"[{place}] = {values[place]:.6g}" for place in places[:_FEW])
        rest = "else 0" if len(places) <= _FEW else "..."
        return f"({told}, {rest}) in R^{len(x)}"
    return f"({', '.join(f'{value:.6g}' for value in values[:_SHOWN])}, ...) in R^{len(x)}"
