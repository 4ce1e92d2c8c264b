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
PAIRS = 4000
_CYCLE = 24
_TURNS = (32, 512)
_RETURNED = 0.5
_SMALL = 16
_SHOWN = 6
_FEW = 4
_NUDGE = 2.0**-20
_COMPARED = ("<C(x), x>/||x||^2", "||C(x)-x||^2/||x||^2")
_PRODUCT = "<C(x)-x, C'(x)-x>/||x||^2 of two calls"


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


def influence(
    bench: Runner, points: Sequence[Tensor], exact: bool, pairs: int = PAIRS
) -> Influence:
    """Whether the outcome at any of the points depends on the calls before it.

    ``exact``: outcomes repeat, from a fresh one or the same one, so that they can be compared bit
    for bit; else means and mean squared errors after opposite vectors are compared, with error
    ALPHA for each point, over so many ``pairs`` of calls.
    """
    points = sorted(points, key=len)
    small = max((x for x in points[:-1] if len(x) <= _SMALL), key=len, default=points[0])
    seen = Influence(False, "outcomes after different vectors are equal")
    moved = (
        [(x, description) for x in points if (description := _exactly(bench, x))] if exact else []
    )
    for x, description in moved:
        if _continuously(bench, x):
            return Influence(True, description, x)
    if exact and not moved:
        return _cycle(bench, small) or seen
    drawn_anew = bench.subject.renewable and not exact  # else a generator may start at one seed
    tests = (_by_test, _by_running, _in_a_row) if drawn_anew else (_by_test, _in_a_row)
    for x in {id(x): x for x in (points[0], small)}.values():
        for test in tests:
            try:
                seen = test(bench, x, pairs)
            except Exception as error:  # a stranger's code may raise anything
                if bench.takes(x):
                    return Influence(True, f"it raises after calls that it took: {error}", x)
                raise
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


def _continuously(bench: Runner, x: Tensor) -> bool:
    """Whether the outcome at x moves with the least change of what was given before, up or down.

    What is kept of a vector does; a generator of its own, whose draws are counted, does not, though
    it may be asked for more of them by one vector than by another.
    """
    ramp = _before(x)[0]
    least, middle, most = (
        _after(bench, ramp * (1 + nudge), x, 5) for nudge in (-_NUDGE, 0, _NUDGE)
    )
    return not any(torch.equal(middle.nan_to_num(), other.nan_to_num()) for other in (least, most))


def _by_test(bench: Runner, x: Tensor, pairs: int) -> Influence:
    bench.renew()
    plus, minus, _ = _before(x)
    outcomes: list[list[Tensor]] = [[], []]
    for pair in range(pairs):
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
    description = (
        f"{where} at x = {shown(x)} moves by {float(shift[worst]):.3g} with what was given before "
        f"(+- {float(width[worst]):.2g})"
    )
    return Influence(bool((shift > width).any()), description, x, 2 * float(width.max()) / size)


def _by_running(bench: Runner, x: Tensor, pairs: int) -> Influence:
    """Outcomes at x of one that goes on against those of fresh ones: alike if nothing is kept.

    If so, both are independent draws of one law; compared are the part along x and the squared
    error.
    """
    size = float(x.square().sum()) or 1.0
    seen = []
    for fresh in (True, False):
        bench.renew()
        outcomes = []
        for seed in range(pairs):
            if fresh:
                bench.renew()
            outcomes.append(bench(x, seed + pairs * fresh))
        y = torch.stack(outcomes)
        if not bool(y.isfinite().all()):
            return Influence(not fresh, f"C({shown(x)}) is not finite any more after some calls", x)
        seen.append([y @ x / size, (y - x).square().sum(-1) / size])
    for name, one, other in zip(_COMPARED, *seen, strict=True):
        description = _differ(
            one, other, ALPHA / 2, "over fresh ones", f"over {pairs} calls of one"
        )
        if description:
            return Influence(True, f"{name} at x = {shown(x)} is {description}", x)
    return Influence(False, "outcomes of one that goes on are those of fresh ones", x)


def _differ(one: Tensor, other: Tensor, alpha: float, here: str, there: str) -> str:
    """Difference of means of values ``[S]``, "" where chance explains it, with error alpha."""
    width = sum(
        float(half_width(values, max(float(values.max() - values.min()), 1.0), alpha / 2))
        for values in (one, other)
    )
    first, second = float(one.mean()), float(other.mean())
    if abs(first - second) <= width + ROUNDOFF:
        return ""
    return f"{first:.3g} in the mean {here}, but {second:.3g} {there} (+- {width:.2g})"


def _in_a_row(bench: Runner, x: Tensor, pairs: int) -> Influence:
    """Errors of two calls in a row at x against those of two calls far apart: <C(x)-x, C'(x)-x>.

    Independent calls have the same mean of both, ||E C(x) - x||^2; what comes back of an error in
    the next call makes it smaller.
    """
    bench.renew()
    errors = torch.stack([bench(x, seed) - x for seed in range(4 * pairs)])
    size = float(x.square().sum()) or 1.0
    if not bool(errors.isfinite().all()):
        return Influence(True, f"C({shown(x)}) is not finite any more after some calls", x)
    near, far = errors.tensor_split(2)
    couples = ((near[::2], near[1::2]), far.tensor_split(2))
    one, other = ((a * b).sum(-1) / size for a, b in couples)
    description = _differ(one, other, ALPHA, "over calls in a row", "over calls far apart")
    return Influence(bool(description), f"{_PRODUCT} at x = {shown(x)} is {description}", x)


def _cycle(bench: Runner, x: Tensor) -> Influence | None:
    """Outcomes that come round again though the seed stays: a counter."""
    bench.renew()
    values = [bench(x, 3) for _ in range(3 * _CYCLE)]
    for period in range(2, _CYCLE + 1):
        if all(torch.equal(a, b) for a, b in zip(values, values[period:], strict=False)):
            if torch.equal(values[0], values[1]):
                return None
            description = f"outcomes at one vector come round again every {period} calls"
            return Influence(True, description, x)
    return None


@final
@dataclass(frozen=True)
class Returned:
    """Over ``turns`` calls: ||sum_t (C_t(x) - x)|| / ||x||, and the same after one call.

    Attributes:
        once: what one call leaves out.
        later: what all together leave out.
        turns: how many calls were made.
    """

    once: float
    later: float
    turns: int

    @property
    def kept(self) -> bool:
        """Whether far less is missing than if each call left out as much anew."""
        return 0 < self.later < _RETURNED * self.turns * self.once


def comes_back(bench: Runner, x: Tensor) -> Returned:
    """Amount left out at x, and how much of it comes back in later calls.

    A memory that adds what was left out to the next vector keeps the sum of errors from growing,
    after 32 calls, or after 512 where few entries are sent at a time.
    """
    size = float(x.norm()) or 1.0
    for turns in _TURNS:
        bench.renew()
        errors = torch.stack([bench(x, seed) - x for seed in range(turns)])
        seen = Returned(float(errors[0].norm()) / size, float(errors.sum(0).norm()) / size, turns)
        if seen.kept:
            break
    return seen


def shown(x: Tensor) -> str:
    """A vector in a few words; of a long one with few entries that are not zero, those."""
    values = x.tolist()
    if len(x) <= _SHOWN:
        return f"({', '.join(f'{value:.6g}' for value in values)})"
    if all(value == values[0] for value in values):
        return f"({values[0]:.6g}, ..., {values[0]:.6g}) in R^{len(x)}"
    places = x.nonzero().flatten().tolist()
    if 2 * len(places) <= len(x):
        description = ", ".join(f"[{place}] = {values[place]:.6g}" for place in places[:_FEW])
        rest = "else 0" if len(places) <= _FEW else "..."
        return f"({description}, {rest}) in R^{len(x)}"
    return f"({', '.join(f'{value:.6g}' for value in values[:_SHOWN])}, ...) in R^{len(x)}"
