"""Inputs with a NaN or an infinity: refused, kept in their place, spread or hidden; and after."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from proofs_check.audit.families import HUGE
from proofs_check.audit.history import shown
from proofs_check.audit.moments import ALPHA
from proofs_check.audit.reporting import raised
from proofs_check.audit.runner import Runner
from proofs_check.audit.traits import CallMemory
from proofs_check.audit.trial import Trial
from proofs_check.instruments.betting import lower_end
from proofs_check.verdict import Outcome, Verdict

_TRIES, _FEWER, _PLAIN, _MOST = 64, 16, 4000, 20_000


def check_not_finite(trial: Trial) -> list[Verdict]:
    """Check the effect of one NaN, or one infinity, among ordinary entries."""
    return [
        _not_finite(trial, "NaN", float("nan")),
        _not_finite(trial, "infinity", float("inf")),
    ]


def _not_finite(trial: Trial, name: str, value: float) -> Verdict:
    claim = f"an input with one {name} is refused, or the {name} stays where it is"
    description, undrawn = "", ""
    for d in (d for d in trial.dims() if d > 1):
        good, seen = _kept_apart(trial, d, value)
        if good is None:
            undrawn = seen
        elif not good:
            return trial.speaker.holds(claim, name, False, seen)
        else:
            description = seen
    if not description:
        description = undrawn or "no dimension above 1 is taken"
        return trial.speaker.says(claim, name, Outcome.NOT_APPLICABLE, description)
    return trial.speaker.holds(claim, name, True, "; ".join(filter(None, (description, undrawn))))


def _kept_apart(trial: Trial, d: int, value: float) -> tuple[bool | None, str]:
    """Whether one entry that is not finite is refused or stays alone, and what was seen.

    None where chance never drew that entry often enough to tell.
    """
    x = torch.arange(1.0, d + 1, dtype=torch.float64)
    place = d // 2
    x[place] = value
    trial.bench.renew()
    tries: list[Tensor] = []
    first = _TRIES if trial.share == 1 else _FEWER
    try:
        tries.extend(trial.bench(x, seed) for seed in range(first if trial.traits.random else 1))
        if trial.traits.random and bool(torch.stack(tries).isfinite().all()):
            more = _draws_of(trial, d, place)
            if more > trial.share * _MOST:
                description = (
                    f"[{place}] is sent too seldom to tell (d = {d}, {_plain(trial)} draws)"
                )
                return None, description
            seeds = range(first, math.ceil(more))
            tries.append(next((y for y in _calls(trial, x, seeds) if _spoilt(y)), tries[0]))
    except Exception as error:  # a stranger's code may raise anything
        return True, f"{raised(error)} (d = {d})"
    y = max(tries, key=lambda one: int((~one.isfinite()).sum()))
    description = f"C({shown(x)}) = {shown(y)}"
    wrong = ~y.isfinite()
    elsewhere = int(wrong.sum()) - int(wrong[place])
    if not bool(wrong.any()):
        return False, f"hidden in silence: {description}"
    if elsewhere:
        return (
            False,
            f"spreads in silence to {elsewhere} of the {d - 1} other entries: {description}",
        )
    return True, f"stays in its place: {description}"


def _draws_of(trial: Trial, d: int, place: int) -> float:
    """Draws that send an entry at least once, with error ALPHA, at its rate among numbers.

    The rate is the lower end, also with error ALPHA, of that at which it comes back as anything
    but 0 where it is a number like the others; infinite where it never does.
    """
    x = torch.arange(1.0, d + 1, dtype=torch.float64)
    sent = torch.stack([y[place] != 0 for y in _calls(trial, x, range(_plain(trial)))]).double()
    rate = lower_end(sent, ALPHA)
    return math.log(ALPHA) / math.log1p(-rate) if 0 < rate < 1 else math.inf


def _calls(trial: Trial, x: Tensor, seeds: range) -> Iterator[Tensor]:
    return (trial.bench(x, seed) for seed in seeds)


def _spoilt(y: Tensor) -> bool:
    return not bool(y.isfinite().all())


def check_recovery(trial: Trial) -> Verdict:
    """Whether one bad input spoils the calls after it; only where something is remembered."""
    claim, check = "a bad input does not spoil the calls after it", "recovery"
    if trial.traits.memory is not CallMemory.HISTORY:
        return trial.speaker.says(
            claim, check, Outcome.NOT_APPLICABLE, "nothing of the inputs is remembered"
        )
    for value in (0.0, HUGE, float("nan"), float("inf")):
        for d in trial.dims():
            if description := _spoiled(trial, d, value):
                return trial.speaker.holds(claim, check, False, f"d = {d}: {description}")
    return trial.speaker.holds(claim, check, True, "finite after zero, huge, NaN and infinity")


def _spoiled(trial: Trial, d: int, value: float) -> str:
    """Effect on ordinary vectors of an earlier one with such an entry."""
    x = torch.arange(1.0, d + 1, dtype=torch.float64)
    bench = Runner(trial.bench.subject, torch.float32, trial.traits.generators)
    bad = torch.zeros(d, dtype=torch.float64)
    bad[0] = value
    bench.renew()
    try:
        bench(bad, 1)
        after = [bench(x, 2 + t) for t in range(3)]
    except Exception:  # a refusal spoils nothing
        return ""
    if bool(after[-1].isfinite().all()):
        return ""
    return f"after C({shown(bad)}), C({shown(x)}) = {shown(after[0])}, and so at the third call"


def _plain(trial: Trial) -> int:
    """Draws at ordinary entries, fewer where calls are slow."""
    return max(_TRIES, math.ceil(trial.share * _PLAIN))
