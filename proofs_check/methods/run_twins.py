"""A watched run made twice, by compiled kernels and by their plain twins; and names of its draws.

All compiled code that a row uses (random numbers, gradients, operators, codes, schedules) is held
to torch's operations or to Python's loops on the row's own numbers, and every key to the step that
it is folded for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch

from algorithms.catalogue import Row
from algorithms.core.key import Key
from algorithms.kernels import compiled, problem_rows
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts import scheduled
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.network.simulated import Simulated
from algorithms.pipeline.advance import Blocks
from algorithms.problems.base import Problem
from proofs_check.methods.instrumented_run import RunObservations, watch
from proofs_check.methods.plain_clock import clock_verdict
from proofs_check.methods.prescribed_step import prescribed_step
from proofs_check.methods.shifted_records import shifted
from proofs_check.verdict import CheckKind, Outcome, Verdict

ROUNDING = 1e-12
"""Largest difference of two models, of the largest number in them: 5e-15 is the most that any row
of the catalogue has."""


def by_other_means(
    row: Row, problem: Problem, seen: RunObservations, seed: int, provenance: str
) -> tuple[Verdict, ...]:
    """What a watched run does, computed a second time: by twins, by the names of draws, by a plain
    clock, by the row's theorem, and on f plus a constant."""
    return (
        named_draws(row.key, problem, seen, row.ready().kept_draws, provenance),
        twins(row, problem, seen, seed, provenance),
        clock_verdict(row, problem, seed, provenance),
        prescribed_step(row, problem, provenance),
        shifted(row, problem, seen, seed, provenance),
    )


@contextmanager
def plain_twins() -> Iterator[None]:
    """Inside, twins run in place of compiled kernels, and schedules are drawn anew."""
    own = [
        module for name, module in tuple(sys.modules.items())
        if name.startswith("algorithms.") and hasattr(module, "COMPILED")
    ]  # fmt: skip
    with ExitStack() as patches:
        for module in own:
            patches.enter_context(patch.object(module, "COMPILED", False))
        anew = scheduled._drawn.__wrapped__
        patches.enter_context(patch.object(scheduled, "_drawn", anew))
        yield


def twins(
    row: Row, problem: Problem, seen: RunObservations, seed: int, provenance: str
) -> Verdict:  # fmt: skip
    """The watched run ``seen`` against the same by plain twins: models to rounding, charges and
    schedules to the bit; and against compiled blocks that round products as other processors do."""
    steps, replicas = len(seen.models) - 1, seen.models[0].shape[0]
    method = row.build(problem, steps)
    with plain_twins():
        plain = watch(method, problem, steps=steps, replicas=replicas, seed=seed)
        due = method.schedule(problem.n) if isinstance(method, Scheduled) else None
    worst, faults = 0.0, list[str]()
    for t, (one, other) in enumerate(zip(seen.models, plain.models, strict=True)):
        apart = float((one - other).abs().max()) / max(float(other.abs().max()), 1e-300)
        worst = max(worst, apart)
        if not apart <= ROUNDING:
            faults.append(f"models are {apart:.2g} apart after {t} steps")
    apart = _apart_elsewhere(method, problem, seen, seed)
    worst = max(worst, apart)
    if not apart <= ROUNDING:
        faults.append(f"models are {apart:.2g} apart where products are rounded otherwise")
    for t, (mine, its) in enumerate(zip(seen.charged, plain.charged, strict=True)):
        for name in ("sent_bits", "received_bits", "sent_messages", "received_messages"):
            if not torch.equal(getattr(mine, name), getattr(its, name)):
                faults.append(f"{name.replace('_', ' ')} differ after {t} steps")
    if due is not None and isinstance(method, Scheduled):
        held = method.schedule(problem.n)
        for name in ("arrivals", "seconds"):
            if not torch.equal(getattr(held, name), getattr(due, name)):
                faults.append(f"{name} of the schedule differ")
    return Verdict(
        subject=row.key, problem=problem.name, check="twins", kind=CheckKind.INVARIANT,
        claim="compiled kernels compute what their plain twins do",
        outcome=Outcome.NOT_APPLICABLE if not compiled.COMPILED
        else Outcome.REFUTED if faults else Outcome.AGREES,
        statistic=worst, bound=ROUNDING, resolution=ROUNDING,
        evidence=faults[0] if faults else f"models at most {worst:.2g} apart in {steps} steps, "
        "charges equal" if compiled.COMPILED else "nothing is compiled here",
        provenance=provenance,
    )  # fmt: skip


def _apart_elsewhere(
    method: Method[Any], problem: Problem, seen: RunObservations, seed: int
) -> float:
    """Largest difference of the last models of ``seen``, of the largest number in them, from those
    of compiled blocks that add noise by one rounding where torch takes two here, or by two.

    So the branch of another processor is taken on every one.
    """
    steps, replicas = len(seen.models) - 1, torch.arange(seen.models[0].shape[0])
    context = RunContext(problem, Simulated(problem.n), Key.seed(seed), replicas)
    once = problem_rows.adds_fused()
    with patch.object(problem_rows, "adds_fused", lambda: not once):
        blocks, state, t = Blocks(method, context), method.init(problem.start(), context), 0
        while t < steps:
            state, done = blocks.advance(state, t, steps)
            if not done:
                return 0.0
            t += done
    found, due = method.models(state), seen.models[-1]
    gap = (found.reshape(due.shape) - due).abs().max()
    return float(gap) / max(float(due.abs().max()), 1e-300)


def named_draws(
    subject: str, problem: Problem, seen: RunObservations, kept: tuple[str, ...], provenance: str
) -> Verdict:
    """What is drawn at step t is drawn under a key that is folded with t, for replicas of the run;
    so is a message's key, whether its operator draws or not.

    Where workers count their draws themselves, a purpose's numbers count from 0. So the ranks of a
    real run, and whoever resumes one, find the numbers of a step by its name. Draws for the
    purposes ``kept`` are made once.
    """
    replicas = seen.models[0].shape[0]
    faults, counted, looked = list[str](), dict[str, list[int]](), 0
    named = [(one.t, one.words, one.replicas) for one in seen.asked]
    named += [(one.t, one.packet.key.words, one.packet.replicas) for one in seen.sent]
    for t, key, ids in (one for one in named if one[0] >= 0):
        words = seen.purposes.get(key, ())
        purpose = " ".join(word for word in words if isinstance(word, str))
        numbers = [word for word in words if isinstance(word, int)]
        if not words or words[0] in kept:
            continue
        looked += 1
        if not 0 <= int(ids.min()) <= int(ids.max()) < replicas:
            faults.append(f"draws for {purpose!r} at step {t} are of no replica of the run")
        if t not in numbers:
            faults.append(f"draws for {purpose!r} at step {t} name {numbers}")
        counted.setdefault(purpose, []).extend(numbers[:1])
    by_count = {
        name for name, of in counted.items() if sorted(set(of)) == list(range(len(set(of))))
        and len(set(of)) > len(seen.models)
    }  # fmt: skip
    faults = [one for one in faults if " name " not in one or one.split("'")[1] not in by_count]
    return Verdict(
        subject=subject, problem=problem.name, check="names of draws", kind=CheckKind.INVARIANT,
        claim="what is drawn or sent at step t has a key that names t, in replicas of the run",
        outcome=Outcome.REFUTED if faults
        else Outcome.AGREES if looked else Outcome.NOT_APPLICABLE,
        statistic=float(len(faults)), bound=0.0, resolution=0.0,
        evidence=f"{faults[0]}; {len(faults)} such draws" if faults
        else f"{looked} draws and messages name their step"
        + (f"; those for {', '.join(sorted(by_count))} are counted from 0" if by_count else "")
        if looked else "nothing is drawn or sent",
        provenance=provenance,
    )  # fmt: skip
