"""The period that a method states against the gradients that workers take between exchanges."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.methods.instrumented_run import RunObservations
from proofs_check.verdict import CheckKind, Outcome, Verdict

PERIODS = ("H", "H_stale", "H_velocity")
"""Constants that say after how many steps of its own a worker hears of the others."""


def periods(
    subject: str, problem: Problem, method: Method[Any], seen: RunObservations, provenance: str
) -> Verdict:
    """Steps with a gradient that a worker takes till it sends or hears, against what is stated.

    Fewer are no fault: a period may be a limit. None but steps that end in an exchange within the
    run count.
    """
    stated = {
        name: value
        for name in PERIODS
        if (value := getattr(method.constants(problem), name)) is not None
    }
    most = int(_between(problem.n, seen).max())
    wrong = {name: value for name, value in stated.items() if value < most}
    least = min(stated.values(), default=0)
    told = ", ".join(f"{name} = {value:g}" for name, value in stated.items())
    return Verdict(
        subject=subject, problem=problem.name, check="periods", kind=CheckKind.INVARIANT,
        claim=f"workers meet after {told} steps of their own, or before" if stated
        else "no period is stated",
        outcome=Outcome.REFUTED if wrong
        else Outcome.NOT_APPLICABLE if not stated or not most
        else Outcome.AGREES if most == least else Outcome.SUPPORTED,
        statistic=float(most), bound=float(least) if stated else None,
        evidence=f"at most {most} steps of a worker between exchanges"
        + (f"; {', '.join(wrong)} is too short" if wrong else "") if most
        else "no worker that takes gradients sends or hears",
        provenance=provenance,
    )  # fmt: skip


def _between(n: int, seen: RunObservations) -> Tensor:
    """Steps with a gradient that a worker took till it sent or heard, at most ``[R, n]``."""
    totals = [
        one.sent_bits.double() + one.received_bits.double() + one.sent_messages.double()
        + one.received_messages.double()
        for one in seen.charged
    ]  # fmt: skip
    since = torch.zeros((len(seen.models[0]), n), dtype=torch.int64)
    most = since.clone()
    for t in range(len(totals) - 1):
        since += _took(since, seen, t)
        met = (totals[t + 1] > totals[t]).expand(since.shape)
        most = torch.where(met, torch.maximum(most, since), most)
        since = torch.where(met, 0, since)
    return most


def _took(like: Tensor, seen: RunObservations, t: int) -> Tensor:
    """1 for each worker that took a gradient at step t ``[R, n]``."""
    found = torch.zeros_like(like)
    for one in seen.gradients:
        if one.t == t:
            workers = one.workers.expand(len(like), one.workers.shape[-1])
            for r, w in (workers < like.shape[1]).nonzero().tolist():
                found[r, workers[r, w]] = 1
    return found
