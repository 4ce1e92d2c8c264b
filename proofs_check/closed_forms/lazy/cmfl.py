"""CMFL held to its rule from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.methods.base import Method
from algorithms.methods.lazy.cmfl import CMFL
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.least_squares_data import dealt, packaged
from proofs_check.closed_forms.lazy.observed import STEPS, problem, watch
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep, Stepsize

Make = Callable[[Stepsize], Method[Any]]
_SHARE = 0.7  # v_0 of CMFL


def relevant_senders(make: Make | None = None, decays: bool = True) -> Verdict:
    """CMFL with one local step: senders are those of equal signs, and their mean is the move."""
    built = dealt(packaged(), 3, "three data sets")
    seen = watch(make or (lambda rule: CMFL(rule, 1, _SHARE, decays)), on=built)
    updates = -seen.gradients[:-1] / built.curvatures[-1].item()
    moves = np.diff(seen.x, axis=0)
    wrong, expected, last = 0, [], None
    for t, (u, sent) in enumerate(zip(updates, seen.sent, strict=True)):
        share = 1.0 if last is None else (np.sign(u) == np.sign(last)).mean(-1)
        asked = _SHARE / np.sqrt(t + 1) if decays else _SHARE
        relevant = np.broadcast_to(share >= asked, sent.shape)
        wrong += int((relevant != sent).sum())
        expected.append(u[relevant].mean(0) if relevant.any() else 0 * u[0])
        last = moves[t] if sent.any() else last
    gap = float(np.abs(np.stack(expected) - moves).max())
    good = wrong == 0 and gap <= 1e-11 * max(1.0, float(np.abs(moves).max()))
    return Verdict(
        subject="cmfl", problem=built.name, check="relevance seen from outside",
        claim="updates whose signs agree with the last common one in a share v_k or more are sent, "
        f"and their mean moves the model; v_k {'decays' if decays else 'is constant'}",
        outcome=Outcome.AGREES if good else Outcome.REFUTED, statistic=float(wrong), bound=0.0,
        evidence=f"{wrong} of {seen.sent.size} decisions differ, moves differ by {gap:.2g}; "
        f"{int(seen.sent.sum())} uploads",
        provenance=f"Wang, Wang, Li 2019, Algorithm 1; {STEPS} steps, v_0 = {_SHARE:g}",
    )  # fmt: skip


def without_threshold() -> Verdict:
    """CMFL at threshold 0 is local SGD."""
    rule = ConstantStep(1 / problem().constants().positive("L_max"))
    mine = models(CMFL(rule, 4, 0.0), problem(), STEPS)
    other = models(LocalSGD(rule, 4), problem(), STEPS)
    return identity(
        "cmfl", "threshold 0 makes CMFL local SGD", mine.numpy(), other.numpy(), check="limit",
        problem="rising curvatures", tolerance=1e-10,
        provenance=f"Wang, Wang, Li 2019, Algorithm 1; {STEPS} steps, H = 4",
    )  # fmt: skip


def cmfl() -> tuple[Verdict, ...]:
    """Who sends, and the limit of no threshold."""
    return (without_threshold(), relevant_senders(), relevant_senders(decays=False))


CLOSED_FORMS = (cmfl,)
