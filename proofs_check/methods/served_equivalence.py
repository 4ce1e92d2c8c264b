"""Ranks without a common clock against the replay: iterates, bytes, and predicted seconds."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice
from typing import NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.kernels.mean import mean_rows
from algorithms.methods.parts.asynchronous_gossip import AsynchronousGossip
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.ledger import Account
from algorithms.network.phases import PhaseClock
from algorithms.network.ranks import gathered, place
from algorithms.problems.base import Problem
from algorithms.runner.kept_record import KeptRecord
from algorithms.runner.model_server import shard
from algorithms.runner.served_run import ServedRun, served_run
from algorithms.runner.unclocked_run import Unclocked, UnclockedRun, unclocked_run
from algorithms.synchronisation.barriers import BackupWorkers
from algorithms.synchronisation.conditions import RecordedTimes
from algorithms.synchronisation.recorded import Recorded, ScheduleRecord
from proofs_check.instruments.reaching import reached_at
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats


@final
class ServedFound(NamedTuple):
    """Findings of one run without a common clock; on ranks other than 0 there are no verdicts.

    Attributes:
        verdicts: replay, bytes, seconds.
        record: what happened, as rank 0 saw it.
        seconds: when each update happened ``[T]`` [s].
        errors: f(x_t) - f* after it ``[T]``.
        predicted_seconds: the same in a simulation whose gradients take what the first half of
            the run's took.
        predicted_errors: f(x_t) - f* there.
    """

    verdicts: tuple[Verdict, ...]
    record: ScheduleRecord | None
    seconds: Floats
    errors: Floats
    predicted_seconds: Floats
    predicted_errors: Floats


def served(
    key: str, method: ParameterServer | Unclocked, problem: Problem, servers: int, seed: int,
    clock: PhaseClock | None = None, kept: KeptRecord | None = None,
) -> ServedFound:  # fmt: skip
    """Play the row ``key`` for real on all ranks, of which ``servers`` are servers, and compare on
    rank 0; ``clock`` measures the phases of this rank's steps. What is ``kept`` is gone on from.

    Raises:
        ValueError: ``servers`` or the method are none that can be played on these ranks.
    """
    mine: ServedRun | UnclockedRun
    if isinstance(method, ParameterServer):
        mine = served_run(method, problem, servers, seed, clock, kept)
        final_model = _whole(mine, problem, servers)
    else:
        if servers != servers_of(method):
            raise ValueError(
                f"servers must be {servers_of(method)} for {method.name}, got servers={servers}"
            )
        mine = unclocked_run(method, problem, seed, clock, kept)
        models = gathered(mine.model if len(mine.model) else torch.zeros_like(problem.start()))
        final_model = mean_rows(torch.stack(models)) if servers == 0 else models[0]
    received = _received(mine)
    none = np.empty(0)
    if mine.record is None or place()[0] != 0:
        return ServedFound((), None, none, none, none, none)
    record, ticks = mine.record, method.ticks

    def made(changed: ParameterServer | Unclocked) -> Trace:
        return run(changed, problem, steps=ticks, seed=seed, points=ticks + 1)

    replayed = made(replace(method, barrier=Recorded(record)))
    provenance = f"seed {seed}, {ticks} updates, {servers} servers, {record.n} workers, gloo"
    bill = replayed.account
    if mine.past is not None:
        before = replace(method, barrier=Recorded(mine.past), ticks=len(mine.past.ticks))
        bill = _less(bill, run(before, problem, steps=before.ticks, seed=seed, points=2).account)
        provenance += f", from update {before.ticks} on"
    verdicts = (
        _replay(key, replayed, final_model, record, provenance),
        _bytes(key, "sent", received[:, servers:].sum(0), bill, problem.name, provenance),
        _bytes(key, "received", received[servers:].sum(1), bill, problem.name, provenance),
    )
    drops = isinstance(method.barrier, BackupWorkers)
    times = times_between_updates(record) if drops else measured_times(record)
    guessed = made(replace(method, times=times))
    found = ServedFound(
        verdicts,
        record,
        np.array([tick.seconds for tick in record.ticks]),
        replayed.suboptimality[0, 1:],
        guessed.seconds[0, 1:],
        guessed.suboptimality[0, 1:],
    )
    told = (_predicted(key, problem, found, provenance), _held_out(key, problem, found, provenance))
    return found._replace(verdicts=(*verdicts, *told))


def measured_times(record: ScheduleRecord) -> RecordedTimes:
    """Gradient times in the first half of a run, messages included, as a model of time.

    A worker's first gradient, which sets up, is as it was; those that followed it in that half go
    round. Of a worker none of whose gradients counted, all take what the others' took in the mean,
    first ones left out where there are others.
    """
    half = replace(record, ticks=record.ticks[: max(1, len(record.ticks) // 2)])
    rows = [[max(s, 1e-9) for s in row] for row in half.durations]
    later = [s for row in rows for s in row[1:]] or [s for row in rows for s in row]
    mean, length = float(np.mean(later)), len(record.ticks)
    return RecordedTimes(tuple(_going_round(row or [mean], length) for row in rows))


def _going_round(row: list[float], length: int) -> tuple[float, ...]:
    """The first, and then the others again and again."""
    return (row[0], *islice(cycle(row[1:] or row), length - 1))


def times_between_updates(record: ScheduleRecord) -> RecordedTimes:
    """Times of the first half of a run in which all start afresh at every update, as backup workers
    do: who counted took what passed since the update before, and of who did not it is only known
    that it took longer; it is given twice that, which is dropped. What passed until the first
    update, which sets up, does not come again."""
    half = record.ticks[: max(1, len(record.ticks) // 2)]
    ends = [tick.seconds for tick in half]
    gaps = [max(end - begin, 1e-9) for begin, end in zip([0.0, *ends], ends, strict=False)]
    rows = (
        [gap * (1 if i in tick.arrivals else 2) for gap, tick in zip(gaps, half, strict=True)]
        for i in range(record.n)
    )
    return RecordedTimes(tuple(_going_round(row, len(record.ticks)) for row in rows))


def seconds_to(target: float, seconds: Floats, errors: Floats) -> float:
    """Time when an error ``[T]`` reaches ``target``; infinite if never."""
    at = int(reached_at(errors, target))
    return float(seconds[at]) if at >= 0 else float("inf")


def servers_of(method: ParameterServer | Unclocked) -> int:
    """The fewest ranks that hold a model for others: workers that meet need none."""
    return 0 if isinstance(method, AsynchronousGossip) else 1


def _whole(mine: ServedRun, problem: Problem, servers: int) -> Tensor:
    """The last model of servers that hold a slice each."""
    x, rank = torch.zeros(problem.d, dtype=problem.dtype), place()[0]
    if rank < servers:
        x[shard(problem.d, servers, rank)] = mine.models[-1]
    return torch.stack(gathered(x)).sum(0)


def _received(mine: ServedRun | UnclockedRun) -> Tensor:
    """Bytes ``[ranks, ranks]`` that the row's rank had of the column's and that counted."""
    ranks = place()[1]
    return torch.stack(gathered(torch.tensor([mine.received.get(q, 0) for q in range(ranks)])))


def _replay(
    key: str, replayed: Trace, model: Tensor, record: ScheduleRecord, provenance: str
) -> Verdict:
    same = torch.equal(replayed.model[0], model)
    gap = float((replayed.model[0] - model).abs().max() / model.abs().max().clamp_min(1e-300))
    ages = np.array(record.staleness)
    return Verdict(
        subject=key,
        problem=replayed.problem,
        check="replay",
        kind=CheckKind.RANKS,
        claim="the recorded schedule, played by the simulation, gives the same model bit for bit",
        outcome=Outcome.AGREES if same else Outcome.REFUTED,
        statistic=gap,
        bound=0.0,
        evidence=f"largest relative difference {gap:.3g}; staleness {ages.mean():.3g} in the mean, "
        f"at most {ages.max()}; {1e3 * record.ticks[-1].seconds / len(record.ticks):.3g} ms an "
        "update",
        provenance=provenance,
    )


def _less(whole: Account, before: Account) -> Account:
    """Traffic sent and received since an earlier account."""
    return Account(
        *(all_of_it[:1] - part[:1] for all_of_it, part in zip(whole, before, strict=True))
    )


def _bytes(
    key: str, way: str, crossed: Tensor, bill: Account, problem: str, provenance: str
) -> Verdict:
    bits, messages = (
        (bill.sent_bits[0], bill.sent_messages[0])
        if way == "sent"
        else (bill.received_bits[0], bill.received_messages[0])
    )
    padding = 8 * crossed - bits
    fits = bool(((padding >= 0) & (padding <= 7 * messages)).all())
    evidence = f"{crossed.tolist()} bytes by worker, padding {padding.tolist()} bits"
    nothing = not (messages.sum() or crossed.sum())
    if nothing:
        evidence = f"no message was {way}: there is nothing to compare"
    agrees = Outcome.AGREES if fits else Outcome.REFUTED
    return Verdict(
        subject=key,
        problem=problem,
        check=f"bytes {way}",
        kind=CheckKind.RANKS,
        claim=f"bytes {way} by every worker = bits in the ledger of the replay, in whole bytes",
        outcome=Outcome.NOT_APPLICABLE if nothing else agrees,
        statistic=float(crossed.sum()),
        bound=float(bits.sum()) / 8,
        evidence=evidence,
        provenance=provenance,
    )


def _predicted(key: str, problem: Problem, found: ServedFound, provenance: str) -> Verdict:
    """Seconds to an error half-way, on a scale of logarithms, from the first to the best."""
    errors = found.errors
    target = float(np.sqrt(max(errors[0], 1e-300) * max(errors.min(), 1e-300)))
    real = seconds_to(target, found.seconds, errors)
    guess = seconds_to(target, found.predicted_seconds, found.predicted_errors)
    told = _compared(
        "seconds", "when an error is reached", real, guess, f"error {target:.3g} after "
    )
    return replace(told, subject=key, problem=problem.name, provenance=provenance)


def _held_out(key: str, problem: Problem, found: ServedFound, provenance: str) -> Verdict:
    """Seconds of the updates that no time was taken from."""
    begin = max(1, len(found.seconds) // 2) - 1
    real = float(found.seconds[-1] - found.seconds[begin])
    guess = float(found.predicted_seconds[-1] - found.predicted_seconds[begin])
    told = _compared("seconds of the second half", "how long the second half takes", real, guess)
    return replace(told, subject=key, problem=problem.name, provenance=provenance)


def _compared(check: str, what: str, real: float, guess: float, ahead: str = "") -> Verdict:
    """Predicted seconds beside those that passed."""
    off = f"{guess / real - 1:+.1%}" if real > 0 else "no seconds passed"
    return Verdict(
        subject="",
        check=check,
        kind=CheckKind.RANKS,
        claim=f"the simulation, with gradients as slow as in the first half, says {what}",
        outcome=Outcome.COMPARED,
        statistic=guess,
        bound=real,
        evidence=f"{ahead}{real:.4g} s, predicted {guess:.4g} s: {off}",
    )
