"""Inputs with a NaN or an infinity: refused, kept in their place, spread or hidden; and after."""

from __future__ import annotations

import torch

from proofs_check.audit.families import HUGE
from proofs_check.audit.history import shown
from proofs_check.audit.runner import Runner
from proofs_check.audit.traits import Memory
from proofs_check.audit.trial import Trial
from proofs_check.audit.verdicts import raised
from proofs_check.verdict import Outcome, Verdict

_TRIES = 64


def check_not_finite(trial: Trial) -> list[Verdict]:
    """What becomes of one NaN, or one infinity, among ordinary entries."""
    return [
        _not_finite(trial, "NaN", float("nan")),
        _not_finite(trial, "infinity", float("inf")),
    ]


def _not_finite(trial: Trial, name: str, value: float) -> Verdict:
    claim = f"an input with one {name} is refused, or the {name} stays where it is"
    told = "no dimension above 1 is taken"
    for d in (d for d in trial.dims() if d > 1):
        good, told = _kept_apart(trial, d, value)
        if not good:
            return trial.speaker.holds(claim, name, False, told)
    return trial.speaker.holds(claim, name, True, told)


def _kept_apart(trial: Trial, d: int, value: float) -> tuple[bool, str]:
    """Whether one entry that is not finite is refused or stays alone, and what was seen."""
    x = torch.arange(1.0, d + 1, dtype=torch.float64)
    x[d // 2] = value
    trial.bench.renew()
    try:
        tries = [trial.bench(x, seed) for seed in range(_TRIES if trial.traits.random else 1)]
    except Exception as error:  # a stranger's code may raise anything
        return True, f"{raised(error)} (d = {d})"
    y = max(tries, key=lambda one: int((~one.isfinite()).sum()))
    told = f"C({shown(x)}) = {shown(y)}"
    wrong = ~y.isfinite()
    elsewhere = int(wrong.sum()) - int(wrong[d // 2])
    if not bool(wrong.any()):
        return False, f"hidden in silence: {told}"
    if elsewhere:
        return False, f"spreads in silence to {elsewhere} of the {d - 1} other entries: {told}"
    return True, f"stays in its place: {told}"


def check_recovery(trial: Trial) -> Verdict:
    """Whether one bad input spoils the calls after it; only where something is remembered."""
    claim, check = "a bad input does not spoil the calls after it", "recovery"
    if trial.traits.memory is not Memory.HISTORY:
        return trial.speaker.says(
            claim, check, Outcome.NOT_APPLICABLE, "nothing of the inputs is remembered"
        )
    for value in (0.0, HUGE, float("nan"), float("inf")):
        for d in trial.dims():
            if told := _spoiled(trial, d, value):
                return trial.speaker.holds(claim, check, False, f"d = {d}: {told}")
    return trial.speaker.holds(claim, check, True, "finite after zero, huge, NaN and infinity")


def _spoiled(trial: Trial, d: int, value: float) -> str:
    """What becomes of ordinary vectors after one with such an entry."""
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
