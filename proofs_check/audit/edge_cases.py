"""Behaviour on inputs that break compressors: zero, d = 1, ties, huge and tiny values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from proofs_check.audit.families import FAMILIES, InputFamily
from proofs_check.audit.faults import blame, is_crash
from proofs_check.audit.history import shown
from proofs_check.audit.losses import Fault, all_lost, threshold
from proofs_check.audit.moments import Sample
from proofs_check.audit.reporting import raised
from proofs_check.audit.shrink import shrink
from proofs_check.audit.traits import ordinary
from proofs_check.audit.trial import Trial
from proofs_check.verdict import Outcome, Verdict

_LOSS = 0.01


def check_inputs(trial: Trial) -> list[Verdict]:
    """One verdict a family, on d = 1, and on dimensions that are not taken."""
    return [_one(trial), _dimensions(trial), *(_family(trial, family) for family in FAMILIES)]


def fault(trial: Trial, x: Tensor, scale: float = 1.0) -> Fault | None:
    """Fault at scale * x; None where there is none."""
    bench = trial.bench_for(scale)
    given = trial.given(x, scale)
    bench.renew()
    try:
        y = bench(given, 1)
    except Exception as error:  # a stranger's code may raise anything
        blame(error)
        return Fault(raised(error), crash=is_crash(error))
    if not bool(y.isfinite().all()):
        return Fault(f"C(x) = {shown(y)}")
    if not given.any():
        return Fault(f"C(0) = {shown(y)}") if y.any() else None
    here = trial.look(given, scale)
    if not here.finite:
        return Fault(f"C(x) = {shown(here.mean)} in some draws")
    if here.a + here.c_width < 0:
        return Fault(
            f"E C(x) = {shown(here.mean)} points away from x: <E C(x), x> / ||x||^2 = {here.a:.3g}"
        )
    return all_lost(trial, given) if scale == 1 else _more_lost(trial, here, scale)


def _more_lost(trial: Trial, here: Sample, scale: float) -> Fault | None:
    """Whether more is lost at this size than at an ordinary one.

    That one has the same digits in base two, for what rounds to powers of two loses by those.
    """
    power = round(math.log2(scale))
    usual = trial.look(here.x / 2.0**power, scale)
    if here.ratio_low <= usual.ratio_high + _LOSS:
        return None
    description = (
        f"C(x) = {shown(here.mean)}, E||C(x)-x||^2/||x||^2 = {here.ratio:.3g} "
        f"against {usual.ratio:.3g} for x / 2^{power}"
    )
    return Fault(description, "" if here.mean.any() else threshold(trial))


def _family(trial: Trial, family: InputFamily) -> Verdict:
    claim = "C(0) = 0" if family.name == "zero" else f"sound on {family.name} vectors"
    designed = ""
    tried = [d for d in trial.dims() if family.vectors(d, _kept(trial, d))]
    for d in tried:
        for x in family.vectors(d, _kept(trial, d)):
            found = _fault(trial, family, x)
            if found is None:
                continue
            if found.design:
                description = (
                    f"{found.description} for x = {shown(x * family.scale)}; {found.design}"
                )
                designed = designed or f"d = {d}: {description}"
                continue
            x = shrink(x, lambda y: _undesigned(trial, family, y))
            found = _fault(trial, family, x) or found
            description = f"{found.description} for x = {shown(x * family.scale)}"
            if found.crash:
                trial.crashes.append(description)
            evidence = f"d = {len(x)}: {description}"
            return trial.speaker.says(claim, family.name, Outcome.REFUTED, evidence)
    if designed:
        return trial.speaker.says(claim, family.name, Outcome.COMPARED, designed)
    if not tried:
        description = "there are none, as many entries as there are come back"
        return trial.speaker.says(claim, family.name, Outcome.NOT_APPLICABLE, description)
    evidence = f"d = {_listed(tried)}: {_sound(trial, family, tried)}"
    return trial.speaker.says(claim, family.name, Outcome.SUPPORTED, evidence)


def _fault(trial: Trial, family: InputFamily, x: Tensor) -> Fault | None:
    """Fault at a vector of the family; R^1 has a row of its own for what is lost there."""
    found = fault(trial, x, family.scale)
    lost_only = found is not None and found.lost and len(x) == 1
    return None if lost_only and trial.traits.dims != (1,) else found


def _undesigned(trial: Trial, family: InputFamily, x: Tensor) -> bool:
    """Whether x is one of the family and shows a fault that no design explains."""
    if not family.holds(x):
        return False
    found = _fault(trial, family, x)
    return found is not None and not found.design


def _kept(trial: Trial, d: int) -> int:
    return round(trial.usual(d)[1])


def _sound(trial: Trial, family: InputFamily, tried: Sequence[int]) -> str:
    if family.name == "zero":
        return "exactly zero"
    d = tried[-1]
    x = trial.given(family.vectors(d, _kept(trial, d))[-1], family.scale)
    y = trial.drawn(x, family.scale)
    here = trial.look(x, family.scale)
    mean = float((y != 0).double().sum(-1).mean())
    return (
        f"finite, towards x; in R^{d} the ratio is {here.ratio:.4g} +- {here.ratio_width:.2g}, "
        f"{mean:.4g} entries are not zero ({trial.usual(d)[1]:.4g} for a gaussian vector)"
    )


def _one(trial: Trial) -> Verdict:
    claim, check = "sound for d = 1", "d = 1"
    if 1 in trial.traits.refused:
        error = trial.traits.refused[1]
        outcome = Outcome.REFUTED if is_crash(error) else Outcome.COMPARED
        return trial.speaker.says(claim, check, outcome, f"{raised(error)} for a vector in R^1")
    description = []
    outcome = Outcome.SUPPORTED
    for value in (1.0, -2.5, 0.1):
        x = torch.tensor([value], dtype=torch.float64)
        found = fault(trial, x)
        if found is not None and not found.design:
            evidence = f"{found.description} for x = {shown(x)}"
            if found.crash:
                trial.crashes.append(evidence)
            return trial.speaker.says(claim, check, Outcome.REFUTED, evidence)
        if found is not None:
            outcome = Outcome.COMPARED
            description.append(f"C({value:g}) is lost {found.design}")
        else:
            description.append(f"E C({value:g}) = {float(trial.drawn(trial.given(x)).mean()):.4g}")
            here = trial.look(trial.given(x))
            if here.biased and here.expands:
                outcome = Outcome.COMPARED
                description[-1] += ", no nearer to x than 0 is, as with ordinary vectors"
    return trial.speaker.says(claim, check, outcome, ", ".join(description))


def _dimensions(trial: Trial) -> Verdict:
    """Dimensions at which an ordinary vector is not taken; a ValueError is a clear refusal."""
    claim, check = "takes vectors of every dimension", "dimensions"
    refused = trial.traits.refused
    if not refused:
        return trial.speaker.holds(claim, check, True, f"d = {_listed(trial.traits.dims)}")
    d, error = next(
        ((d, e) for d, e in refused.items() if is_crash(e)),
        next(iter(refused.items())),
    )
    description = f"{raised(error)} for d = {d}; not taken are d = {_listed(tuple(refused))}"
    if not is_crash(error):
        return trial.speaker.says(claim, check, Outcome.COMPARED, description)
    trial.crashes.append(description)
    return trial.speaker.says(claim, check, Outcome.REFUTED, description)


def _listed(dims: Sequence[int]) -> str:
    return ", ".join(map(str, dims))


def check_mirror(trial: Trial) -> Verdict:
    """Whether -x is treated as x is: no duty, unless nothing is left of one of them."""
    claim, check = "as much is lost of -x as of x", "mirror"
    for d in trial.dims():
        for x in (torch.arange(1.0, d + 1, dtype=torch.float64), ordinary(d)):
            x = trial.given(x)
            one, other = trial.look(x), trial.look(-x)
            if max(one.ratio_low - other.ratio_high, other.ratio_low - one.ratio_high) > _LOSS:
                description = (
                    f"E||C(x)-x||^2/||x||^2 = {one.ratio:.4g} at x = {shown(x)}, but "
                    f"{other.ratio:.4g} at -x"
                )
                lost = one.expands or other.expands
                small = min(one.ratio_high, other.ratio_high) < 1
                faulty = lost and small and (one.biased or other.biased)
                outcome = Outcome.REFUTED if faulty else Outcome.COMPARED
                return trial.speaker.says(claim, check, outcome, description)
    return trial.speaker.holds(claim, check, True, "ratios at x and -x agree")
