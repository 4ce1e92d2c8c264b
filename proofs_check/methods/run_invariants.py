"""Behaviour of a row in a watched run against what it states: draws, delays, messages, steps alike,
and by every other way that a run is taken (in blocks, recorded, resumed) as step by step.

None of it is statistics: random numbers are a function of what they are drawn for, so that a draw
used twice is seen as such; models are compared bit for bit; every bit of a message is turned over.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.catalogue import Row
from algorithms.core.key import Key
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.network.simulated import Simulated
from algorithms.pipeline.advance import Blocks
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Law, Quadratic
from proofs_check.cell import CellResult
from proofs_check.methods.asked_dimensions import asked_dimensions
from proofs_check.methods.falling_steps import falling_of_row
from proofs_check.methods.instrumented_run import (
    GradientPoints,
    RunObservations,
    SentMessages,
    watch,
)
from proofs_check.methods.run_paths import recorded, resumed
from proofs_check.methods.run_twins import by_other_means
from proofs_check.methods.stated_periods import periods
from proofs_check.methods.step_invariance import step_invariance_verdict
from proofs_check.verdict import CheckKind, Outcome, Verdict

STEPS, REPLICAS, MESSAGES = 12, 2, 24


def run_invariants(row: Row, problem: Problem, seed: int) -> CellResult:
    """The fifteen checks of one row on one problem."""
    method = row.build(problem, STEPS)
    description = f"seed {seed}, n={problem.n}, {STEPS} steps"
    replicas = method.replicas if isinstance(method, Scheduled) else REPLICAS
    seen = watch(method, problem, steps=STEPS, replicas=replicas, seed=seed)
    kept = row.ready().kept_draws
    schedule = method.schedule(problem.n) if isinstance(method, Scheduled) else None
    return CellResult(
        (
            fresh_draws(row.key, problem, seen, kept, description),
            delays(row.key, problem, method, seen, description, row.ready().stale),
            periods(row.key, problem, method, seen, description),
            message_lengths(row.key, problem, seen, description),
            asked_dimensions(row.key, problem, method, description),
            step_invariance_verdict(row, problem, description),
            blocks(row.key, problem, method, seen, seed, description),
            falling_of_row(row, problem, seed, description),
            recorded(row.key, problem, method, seen, seed, description, schedule),
            resumed(row.key, problem, method, seen, seed, description),
            *by_other_means(row, problem, seen, seed, description),
        )
    )


def blocks(
    subject: str,
    problem: Problem,
    method: Method[Any],
    seen: RunObservations,
    seed: int,
    provenance: str,
) -> Verdict:
    """A run in compiled blocks ends at the models of the method's own steps, bit for bit.

    Nearly all runs are taken in blocks, so that a fault of a method's ``step`` shows here, and one
    of a block as well.
    """
    replicas = torch.arange(seen.models[0].shape[0])
    context = RunContext(problem, Simulated(problem.n), Key.seed(seed), replicas)
    state = method.init(problem.start(), context)
    state, steps = Blocks(method, context).advance(state, 0, len(seen.models) - 1)
    found = method.models(state)
    apart = int((found != seen.models[steps].reshape(found.shape)).sum())
    return Verdict(
        subject=subject, problem=problem.name, check="blocks", kind=CheckKind.INVARIANT,
        claim="compiled blocks of steps equal the method's own steps",
        outcome=Outcome.REFUTED if apart else Outcome.AGREES if steps else Outcome.NOT_APPLICABLE,
        statistic=float(apart), bound=0.0, resolution=0.0,
        evidence=f"{apart} of {found.numel()} numbers differ after {steps} steps" if apart
        else f"{found.numel()} numbers are equal after {steps} steps" if steps
        else "every step is the method's own",
        provenance=provenance,
    )  # fmt: skip


def fresh_draws(
    subject: str, problem: Problem, seen: RunObservations, kept: tuple[str, ...], provenance: str
) -> Verdict:
    """No random number is used in two steps, nor by two workers or replicas of one step.

    Draws for the purposes ``kept`` are made once and kept, as their method says. Gaussian noise is
    looked at itself too, whatever it was drawn from.
    """
    first: dict[tuple[tuple[int, int], int, int], int] = {}
    faults: list[str] = []
    rows = 0
    for asked in seen.asked:
        purpose = " ".join(map(str, seen.purposes.get(asked.words, ()))) or "the root key"
        pairs = torch.stack((asked.replicas, asked.workers), -1)
        nobody = asked.workers >= problem.n - 1  # rows of nobody get the last worker's numbers
        real = pairs[~nobody]
        distinct = torch.unique(real, dim=0)
        rows += len(pairs)
        if len(distinct) < len(real):
            faults.append(f"draws for {purpose!r} at step {asked.t} are shared between rows")
        if purpose.split()[0] in kept:
            continue
        for replica, worker in torch.unique(pairs, dim=0).tolist():
            before = first.setdefault((asked.words, replica, worker), asked.t)
            if before != asked.t:
                faults.append(
                    f"draws for {purpose!r} of worker {worker} at step {before} come again at "
                    f"step {asked.t}"
                )
    faults += _noise_come_again(problem, seen)
    outcome = Outcome.REFUTED if faults else Outcome.AGREES
    exempt = f"; those for {', '.join(kept)} are made once, as stated" if kept else ""
    return Verdict(
        subject=subject, problem=problem.name, check="draws", kind=CheckKind.INVARIANT,
        claim="steps, workers and replicas draw numbers of their own",
        outcome=outcome if seen.asked else Outcome.NOT_APPLICABLE,
        statistic=float(len(faults)), bound=0.0, resolution=0.0,
        evidence=f"{faults[0]}; {len(faults)} such draws" if faults
        else f"{len(seen.asked)} draws for {rows} rows, none twice{exempt}"
        if seen.asked else "nothing is drawn",
        provenance=provenance,
    )  # fmt: skip


def _noise_come_again(problem: Problem, seen: RunObservations) -> list[str]:
    """The first two rows of Gaussian noise that are equal, of different steps, replicas or workers;
    other noise may well be."""
    gaussian = isinstance(problem, Quadratic) and problem.law is Law.GAUSSIAN and problem.sigma2
    rows, owners = [], []
    for points in seen.gradients if gaussian else ():
        if points.noise is None:
            continue
        real = points.workers < problem.n - 1  # as above
        places = real.nonzero()[:, 0].tolist(), points.workers[real].tolist()
        owners += [(points.t, r, w) for r, w in zip(*places, strict=True)]
        rows.append(points.noise.expand(*real.shape, problem.d)[real])
    if not owners:
        return []
    first: dict[tuple[float, ...], tuple[int, int, int]] = {}
    for owner, row in zip(owners, torch.cat(rows).mul(1e6).round().tolist(), strict=True):
        before = first.setdefault(tuple(row), owner)
        if before != owner:
            return ["step {}, replica {}, worker {} has the noise of {}, {}, {}".format(
                *owner, *before)]  # fmt: skip
    return []


def delays(
    subject: str,
    problem: Problem,
    method: Method[Any],
    seen: RunObservations,
    provenance: str,
    stale: str = "",
) -> Verdict:
    """Versions between the model a gradient is taken at and the newest, against the stated tau.

    A version is found by its bits. Methods that take gradients elsewhere (at extrapolated points,
    local models that were never public) are told apart by the share that is found. ``stale`` says
    why older models are read where no tau is stated: such are compared.
    """
    tau = method.constants(problem).tau
    found: list[tuple[int, int, int, int]] = []
    lost = 0
    for points in seen.gradients:
        if points.t < 0:
            continue
        version = _version(seen, points)
        real = points.workers < problem.n
        lost += int((real & (version < 0)).sum())
        read = real & (version >= 0)
        whose = zip(read.nonzero()[:, 0].tolist(), points.workers[read].tolist(), strict=True)
        ages = (points.t - version[read]).tolist()
        found += [(points.t, r, w, age) for (r, w), age in zip(whose, ages, strict=True)]
    youngest: dict[tuple[int, int, int], int] = {}
    for t, r, w, age in found:
        youngest[t, r, w] = min(age, youngest.get((t, r, w), age))
    most = max(youngest.values(), default=0)
    outcome, due = _judged(tau, most, lost, len(youngest), method, stale)
    return Verdict(
        subject=subject, problem=problem.name, check="delays", kind=CheckKind.INVARIANT,
        claim="gradients are taken at the newest model" if tau is None
        else f"gradients are at most tau = {tau:g} versions old",
        outcome=outcome, statistic=float(most), bound=tau,
        evidence=f"oldest version read {most} steps old; {len(youngest)} readings found among the "
        f"models, {lost} elsewhere{due}",
        provenance=provenance,
    )  # fmt: skip


def _version(seen: RunObservations, points: GradientPoints) -> Tensor:
    """The newest version whose bits a point has ``[R, k]``; -1: none."""
    newest = torch.full(points.workers.shape, -1)
    for t, models in enumerate(seen.models[: points.t + 1]):
        place = points.workers.clamp_max(models.shape[-2] - 1)[..., None]
        mine = models.gather(-2, place.expand(*points.workers.shape, models.shape[-1]))
        newest = torch.where((mine == points.x).all(-1), t, newest)
    return newest


def _judged(
    tau: float | None, most: int, lost: int, seen: int, method: Method[Any], stale: str
) -> tuple[Outcome, str]:
    """Verdict on tau from the oldest version found.

    The bound of a drawn schedule is its largest delay, so it is met where every version of the
    server's model can be told from the others; delays drawn as a run goes need not be.
    """
    scheduled = isinstance(method, Scheduled)
    if not seen:
        return Outcome.NOT_APPLICABLE, ": no gradient is taken at a model"
    if tau is None and scheduled:
        return Outcome.COMPARED, "; its schedule delays them, no tau is stated"
    if tau is None and stale:
        return Outcome.COMPARED, f"; {stale}"
    if most > (tau or 0):
        return Outcome.REFUTED, ""
    if lost > seen:
        return Outcome.COMPARED, "; most are elsewhere, of which nothing is said"
    if most == (tau or 0) and not lost:
        return Outcome.AGREES, ""
    exact = scheduled and method.shared_model and not lost
    return (Outcome.REFUTED if exact else Outcome.SUPPORTED), ""


def message_lengths(
    subject: str, problem: Problem, seen: RunObservations, provenance: str
) -> Verdict:
    """Check that the length charged for a message ends at its last bit.

    A message is read back from as many bits as were charged. Bits after those are turned over: it
    must read as before. So is the last one that was charged: some row must read otherwise.
    """
    beyond = needed = looked = 0
    for sent in seen.sent[:MESSAGES]:
        after, last, rows = _turned(sent)
        beyond, needed, looked = beyond + after, needed + last, looked + rows
    held = not beyond and needed == looked
    return Verdict(
        subject=subject, problem=problem.name, check="message lengths", kind=CheckKind.INVARIANT,
        claim="every bit of a message is charged, and none more",
        outcome=Outcome.NOT_APPLICABLE if not looked
        else Outcome.AGREES if held else Outcome.REFUTED,
        statistic=float(beyond + looked - needed), bound=0.0, resolution=0.0,
        evidence=f"{looked} exchanges: more than the charged bits needed in {beyond}, "
        f"last bit idle in {looked - needed}" if looked else "no message was sent",
        provenance=provenance,
    )  # fmt: skip


def _turned(sent: SentMessages) -> tuple[bool, bool, bool]:
    """Whether anything beyond the charge is read, whether the last bit is, whether any was sent."""
    packet = sent.packet
    packed = packet.code.pack(packet.symbols)
    charged = torch.as_tensor(sent.bits).cpu().expand(packed.shape[:-1])
    fixed = packet.code.fixed_bits
    bits = np.unpackbits(packed.cpu().numpy(), axis=-1)
    spoken = (charged > 0).numpy()[..., None]
    if not spoken.any():
        return False, False, False
    ends = charged.numpy()[..., None]
    place = np.arange(bits.shape[-1])

    def read(turned: Any) -> tuple[Tensor, ...] | None:
        wire = torch.from_numpy(np.packbits(turned, axis=-1))
        try:
            return packet.code.unpack(wire, None if fixed else charged.contiguous())
        except (ValueError, IndexError, RuntimeError):
            return None

    plain = read(bits)
    after = read(bits ^ (spoken & (place >= ends)))
    last = read(bits ^ (spoken & (place == ends - 1)))
    whole = not spoken.all() or _same(plain, packet.symbols)
    return not (whole and _same(plain, after)), not _same(plain, last), True


def _same(one: tuple[Tensor, ...] | None, other: tuple[Tensor, ...] | None) -> bool:
    if one is None or other is None:
        return one is other
    return all(torch.equal(_bits(a), _bits(b)) for a, b in zip(one, other, strict=True))


def _bits(symbols: Tensor) -> Tensor:
    """Integers with the bits of floats, which tell NaN from NaN; integers as they are."""
    if not symbols.is_floating_point():
        return symbols.to(torch.int64)
    return symbols.contiguous().view(torch.int64 if symbols.element_size() == 8 else torch.int32)
