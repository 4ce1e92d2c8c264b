"""Behaviour on inputs that break compressors: zero, d = 1, ties, huge and tiny values."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from proofs_check.audit.families import FAMILIES, Family
from proofs_check.audit.history import shown
from proofs_check.audit.moments import look, outcomes
from proofs_check.audit.runner import Runner
from proofs_check.audit.shrink import shrink
from proofs_check.audit.traits import ordinary
from proofs_check.audit.trial import Trial
from proofs_check.audit.verdicts import raised
from proofs_check.verdict import Outcome, Verdict

_LOSS = 0.01


def check_inputs(trial: Trial) -> list[Verdict]:
    """One verdict a family, on d = 1, and on dimensions that are not taken."""
    return [_one(trial), _dimensions(trial), *(_family(trial, family) for family in FAMILIES)]


def fault(trial: Trial, x: Tensor, scale: float = 1.0) -> str:
    """What is wrong at scale * x; "" where nothing is."""
    bench = trial.bench_for(scale)
    given = (x * scale).to(bench.dtype).to(torch.float64)
    bench.renew()
    try:
        y = bench(given, 1)
    except Exception as error:  # a stranger's code may raise anything
        return raised(error)
    if not bool(y.isfinite().all()):
        return f"C(x) = {shown(y)}"
    if not given.any():
        return f"C(0) = {shown(y)}" if y.any() else ""
    return _lost(trial, bench, given, scale)


def _lost(trial: Trial, bench: Runner, x: Tensor, scale: float) -> str:
    """Outcomes that are not finite, point away from x, or lose more than at ordinary sizes."""
    setting = trial.setting(bench, len(x))
    here = look(setting, "", x, outcomes(setting, x, setting.key))
    if not here.finite:
        return f"C(x) = {shown(here.mean)} in some draws"
    if here.a + here.c_width < 0:
        return (
            f"E C(x) = {shown(here.mean)} points away from x: <E C(x), x> / ||x||^2 = {here.a:.3g}"
        )
    if scale == 1:
        return ""
    plain = x / scale
    usual = look(setting, "", plain, outcomes(setting, plain, setting.key))
    if here.ratio - here.ratio_width > usual.ratio + usual.ratio_width + _LOSS:
        return (
            f"C(x) = {shown(here.mean)}, E||C(x)-x||^2/||x||^2 = {here.ratio:.3g} "
            f"against {usual.ratio:.3g} for x / {scale:g}"
        )
    return ""


def _family(trial: Trial, family: Family) -> Verdict:
    claim = "C(0) = 0" if family.name == "zero" else f"sound on {family.name} vectors"
    tried = trial.dims()
    for d in tried:
        x = family.vector(d)
        if fault(trial, x, family.scale):
            if x.any():
                x = shrink(x, lambda y: bool(fault(trial, y, family.scale)))
            told = f"{fault(trial, x, family.scale)} for x = {shown(x * family.scale)}"
            evidence = f"d = {len(x)}: {told}"
            return trial.speaker.says(claim, family.name, Outcome.REFUTED, evidence)
    evidence = f"d = {', '.join(map(str, tried))}: {_sound(trial, family, tried)}"
    return trial.speaker.says(claim, family.name, Outcome.SUPPORTED, evidence)


def _sound(trial: Trial, family: Family, tried: Sequence[int]) -> str:
    if family.name == "zero":
        return "exactly zero"
    d = tried[-1]
    bench = trial.bench_for(family.scale)
    setting = trial.setting(bench, d)
    x = (family.vector(d) * family.scale).to(bench.dtype).to(torch.float64)
    y = outcomes(setting, x, setting.key)
    here = look(setting, family.name, x, y)
    usual = outcomes(setting, ordinary(d).to(bench.dtype).to(torch.float64), setting.key)
    return (
        f"finite, towards x; in R^{d} the ratio is {here.ratio:.4g} +- {here.ratio_width:.2g}, "
        f"{_kept(y):.4g} entries are not zero ({_kept(usual):.4g} for a gaussian vector)"
    )


def _kept(y: Tensor) -> float:
    """Mean number of entries that are not zero."""
    return float((y != 0).double().sum(-1).mean())


def _one(trial: Trial) -> Verdict:
    claim, check = "sound for d = 1", "d = 1"
    if 1 in trial.traits.refused:
        error = trial.traits.refused[1]
        clear = isinstance(error, ValueError)
        outcome = Outcome.COMPARED if clear else Outcome.REFUTED
        return trial.speaker.says(claim, check, outcome, f"{raised(error)} for a vector in R^1")
    told = []
    for value in (1.0, -2.5, 0.1):
        x = torch.tensor([value], dtype=torch.float64)
        if wrong := fault(trial, x):
            evidence = f"{wrong} for x = {shown(x)}"
            return trial.speaker.says(claim, check, Outcome.REFUTED, evidence)
        setting = trial.setting(trial.bench, 1)
        told.append(f"E C({value:g}) = {float(outcomes(setting, x, setting.key).mean()):.4g}")
    return trial.speaker.says(claim, check, Outcome.SUPPORTED, ", ".join(told))


def _dimensions(trial: Trial) -> Verdict:
    """Dimensions at which an ordinary vector is not taken; a ValueError is a clear refusal."""
    claim, check = "takes vectors of every dimension", "dimensions"
    refused = trial.traits.refused
    if not refused:
        return trial.speaker.holds(claim, check, True, f"d = {_listed(trial.traits.dims)}")
    d, error = next(
        ((d, e) for d, e in refused.items() if not isinstance(e, ValueError)),
        next(iter(refused.items())),
    )
    told = f"{raised(error)} for d = {d}; not taken are d = {_listed(tuple(refused))}"
    clear = isinstance(error, ValueError)
    return trial.speaker.says(claim, check, Outcome.COMPARED if clear else Outcome.REFUTED, told)


def _listed(dims: Sequence[int]) -> str:
    return ", ".join(map(str, dims))


def check_mirror(trial: Trial) -> Verdict:
    """Whether -x is treated as x is: not a duty, but a threshold on signed values shows here."""
    claim, check = "as much is lost of -x as of x", "mirror"
    for d in trial.dims():
        for x in (torch.arange(1.0, d + 1, dtype=torch.float64), ordinary(d)):
            x = x.to(trial.bench.dtype).to(torch.float64)
            setting = trial.setting(trial.bench, d)
            one, other = (look(setting, "", y, outcomes(setting, y, setting.key)) for y in (x, -x))
            if abs(one.ratio - other.ratio) > one.ratio_width + other.ratio_width + _LOSS:
                told = (
                    f"E||C(x)-x||^2/||x||^2 = {one.ratio:.4g} at x = {shown(x)}, but "
                    f"{other.ratio:.4g} at -x"
                )
                return trial.speaker.says(claim, check, Outcome.COMPARED, told)
    return trial.speaker.holds(claim, check, True, "ratios at x and -x agree")
