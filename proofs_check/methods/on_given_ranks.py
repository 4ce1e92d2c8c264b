"""One method on ranks that a launcher started, against the simulation: all ranks call the same.

Every rank plays its part, rank 0 plays the simulation too and says what it found. Nothing but
tensors crosses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from algorithms.collectives.base import Collective
from algorithms.collectives.ring import RingAllReduce
from algorithms.network.base import Network
from algorithms.network.given_ranks import RankLink
from algorithms.network.ledger import Account
from algorithms.network.phases import Phase, PhaseClock
from algorithms.network.ranks import gathered, place, wait_for_all
from algorithms.network.sharded import Sharded
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from proofs_check.instruments.same_law import ERROR, same_law
from proofs_check.methods.equivalence import LOOSE, Case, FinalState, compare, joined, run_case
from proofs_check.verdict import CheckKind, Outcome, Verdict

LAW_REPLICAS = 64
"""Replicas in each of the two samples of the agreement in law."""

_ROUNDED = 1e-3  # share of the values' size by which float32 sums in another order may move them


@final
@dataclass(frozen=True)
class RankSeconds:
    """Seconds of a step, slowest rank and mean over ranks, by phase.

    Attributes:
        slowest: of each phase, the rank that spends most on it.
        mean: over ranks.
        steps: steps that were measured.
    """

    slowest: Mapping[str, float]
    mean: Mapping[str, float]
    steps: int


@final
@dataclass(frozen=True)
class FoundOnRanks:
    """Findings of one case; on ranks other than 0 there are no verdicts.

    Attributes:
        named: exact agreement, ledgers, both ways of all-reduce, law, bytes, by a short name.
        seconds: of a step of the gather path.
    """

    named: dict[str, Verdict]
    seconds: RankSeconds

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Verdicts, in the order of the names."""
        return tuple(self.named.values())


def on_given_ranks(
    case: Case, single: Case, counted: Case, link: RankLink, clock: PhaseClock
) -> FoundOnRanks:
    """``case`` in float64 by gathering and by all-reduce, ``single`` in float32, ``counted`` with
    one worker a rank; ``clock`` measures the gather path.

    Raises:
        ValueError: a method cannot be made or run so, on all ranks alike.
        RuntimeError: rank 0 cannot compare them.
    """

    def network(reduce: bool | Collective, phases: PhaseClock | None) -> Callable[[int], Network]:
        return lambda n: Sharded(n, reduce=reduce, device=link.device, phases=phases)

    parts = _parts(run_case(counted, network(False, None)))  # first: what is slow once is not timed
    fast = _whole(run_case(case, network(True, None)))
    rung = _whole(run_case(case, network(RingAllReduce(place()[1]), None)))
    clock.restart()
    exact = _whole(run_case(case, network(False, clock)))
    seconds = seconds_on_ranks(clock, link)
    law = _in_single(single, network(True, None))
    rank, _ = place()
    found: dict[str, Verdict] = {}
    if rank == 0:
        try:
            found = _found(case, single, exact, fast, rung, law, link.device)
            found["bytes sent"], found["bytes received"] = wire_bytes(counted, parts)
        except ValueError as error:  # here alone: the others must not take it for theirs
            raise RuntimeError(f"{case.row} cannot be compared: {error}") from error
    wait_for_all()
    return FoundOnRanks(found, seconds)


def _found(
    case: Case,
    single: Case,
    exact: FinalState,
    fast: FinalState,
    rung: FinalState,
    law: FinalState | Verdict,
    device: str,
) -> dict[str, Verdict]:
    """Findings of rank 0 against the simulation."""
    ranks, simulated = place()[1], on_one(case, device)
    iterates, ledgers = compare(case, simulated, exact, ranks)
    ways = {"all-reduce": fast, "ring message by message": rung}
    return {
        "two worlds": iterates,
        "ledgers": ledgers,
        **{how: reduced(case, simulated, by, how, ranks) for how, by in ways.items()},
        "law in float32": lawful(single, law, ranks, device)
        if isinstance(law, FinalState)
        else law,
    }


def reduced(case: Case, simulated: FinalState, fast: FinalState, how: str, ranks: int) -> Verdict:
    """An all-reduce path against the simulation; a tie that an operator decides by the last bit
    forks the run, so that what is far off is compared and not refuted."""
    found = compare(case, simulated, fast, ranks, exact=False)[0]
    forked = found.outcome is Outcome.REFUTED
    return replace(
        found,
        check=f"{how}, {ranks} ranks",
        claim=f"iterates by {how} are those of the simulation to {LOOSE:g} relative",
        outcome=Outcome.COMPARED if forked else found.outcome,
        evidence=found.evidence
        + ("; a sum in another order decides a tie otherwise" if forked else ""),
    )


def on_one(case: Case, device: str) -> FinalState:
    """The simulation, its rows brought to the CPU."""
    ending = run_case(case, lambda n: Simulated(n, device=device))
    return ending._replace(rows=ending.rows.cpu())


def _in_single(case: Case, network: Callable[[int], Network]) -> FinalState | Verdict:
    """The run in float32, or why there is none: a method may need more digits."""
    try:
        return _whole(run_case(case, network))
    except (ValueError, ArithmeticError) as error:  # on all ranks alike
        return Verdict(
            subject=case.row,
            claim="f(x_T) by all-reduce in float32 has the law that it has in the simulation",
            check="law in float32",
            kind=CheckKind.RANKS,
            outcome=Outcome.NOT_APPLICABLE,
            evidence=f"no run in float32: {error}",
            provenance=f"seed {case.seed}, {case.steps} steps, float32",
        )


def lawful(case: Case, ending: FinalState, ranks: int, device: str = "cpu") -> Verdict:
    """Final values of f in float32: replicas on ranks, and others in the simulation, of one law."""
    problem = case.build(*case.arguments)[1].double().to("cpu")
    other = on_one(replace(case, seed=case.seed + 1), device)
    real, made = (problem.value(_models(e)).double().cpu().numpy() for e in (ending, other))
    scale = float(max(abs(real).max(), abs(made).max()))
    found = same_law(real, made, _ROUNDED * scale)
    return Verdict(
        subject=case.row,
        problem=ending.problem,
        check=f"law in float32, {ranks} ranks",
        kind=CheckKind.RANKS,
        claim="f(x_T) by all-reduce in float32 has the law that it has in the simulation",
        outcome=Outcome.SUPPORTED if found.same else Outcome.REFUTED,
        statistic=found.distance,
        bound=found.limit,
        resolution=found.limit,
        evidence=f"two samples of {len(real)}, moved by at most {_ROUNDED:g} of their size: "
        f"distance {found.distance:.3g} of distribution functions, refuted from "
        f"{found.limit:.3g} on (error {ERROR:g})",
        provenance=f"seeds {case.seed} and {case.seed + 1}, {case.steps} steps, float32",
    )


def wire_bytes(case: Case, parts: list[FinalState]) -> tuple[Verdict, Verdict]:
    """Bytes out of and into every worker, alone on its rank, against its bill."""
    ranks = len(parts)
    whole = joined(parts)
    first, bill = parts[0], whole.account
    sent_bits, messages = _totals(bill.sent_bits), _totals(bill.sent_messages)
    uploads = _totals(bill.uploaded_messages)
    crossed = torch.stack([part.crossed[:-1] for part in parts if part.crossed is not None])
    served = bool(uploads.any()) or any(
        part.crossed is not None and bool(part.crossed[-1]) for part in parts
    )
    if torch.equal(uploads, messages):  # every other rank has each message: one of them is asked
        out = torch.stack([crossed[(i + 1) % ranks, i] for i in range(ranks)])
        how = "as the next rank, which plays the server too, received them"
    elif not bool(uploads.any()):
        out, how = crossed.sum(0), "as all other ranks received them"
    else:
        out, how = None, "some go to the server, which is on every rank, and some to neighbours"
    heard_bits, incoming = _totals(bill.received_bits), _totals(bill.received_messages)
    into = torch.tensor([part.received or 0 for part in parts])
    whence = "from neighbours"
    if served:  # what the server says to the worker beside it does not cross
        into, heard_bits, incoming = into[1:], heard_bits[1:], incoming[1:]
        whence = "on ranks that the server is not on"
    where = (case, first.problem, ranks)
    return (
        _bytes(*where, "sent", out, sent_bits, messages, how),
        _bytes(*where, "received", into, heard_bits, incoming, whence),
    )


def _bytes(
    case: Case, problem: str, ranks: int, way: str, crossed: Tensor | None, bits: Tensor,
    messages: Tensor, how: str,
) -> Verdict:  # fmt: skip
    told = Verdict(
        subject=case.row,
        problem=problem,
        check=f"bytes {way}, {ranks} ranks",
        kind=CheckKind.RANKS,
        claim=f"bytes {way} = bits in the ledger, each message in whole bytes, of every worker",
        outcome=Outcome.NOT_APPLICABLE,
        bound=float(bits.sum()) / 8,
        evidence=how,
        provenance=f"seed {case.seed}, {case.replicas} replicas, n={ranks}",
    )
    if crossed is None or not (bool(messages.any()) or bool(crossed.any())):
        return told
    padding = 8 * crossed - bits
    fits = bool(((padding >= 0) & (padding <= 7 * messages)).all())
    return replace(
        told,
        outcome=Outcome.AGREES if fits else Outcome.REFUTED,
        statistic=float(crossed.sum()),
        evidence=f"{int(crossed.sum())} bytes in {int(messages.sum())} messages, {how}; ledger "
        f"{int(bits.sum())} bits, padding {int(padding.sum())} bits",
    )


def _totals(columns: Tensor) -> Tensor:
    """By worker ``[n]``, over replicas."""
    return columns.reshape(-1, columns.shape[-1]).sum(0)


def _models(ending: FinalState) -> Tensor:
    """Mean models ``[R, d]`` in float64."""
    return ending.rows.double().mean(-2)


def _parts(mine: FinalState) -> list[FinalState]:
    """Every rank's ending."""
    crossed = torch.zeros(0, dtype=torch.int64) if mine.crossed is None else mine.crossed
    counts = torch.tensor([mine.received or 0])
    device = mine.rows.device
    columns = [gathered(c.contiguous().to(device)) for c in mine.account]
    rows, seen, received = (
        gathered(part.contiguous().to(device)) for part in (mine.rows, crossed, counts)
    )
    return [
        mine._replace(
            rows=rows[q].cpu(),
            account=Account(*(column[q].cpu() for column in columns)),
            crossed=seen[q].cpu(),
            received=int(received[q]),
        )
        for q in range(len(rows))
    ]


def _whole(mine: FinalState) -> FinalState:
    return joined(_parts(mine))


def seconds_on_ranks(clock: PhaseClock, link: RankLink) -> RankSeconds:
    """Times on the clocks of all ranks; all must call it."""
    mine = torch.tensor(list(clock.each_step().values()), dtype=torch.float64, device=link.device)
    every = torch.stack(gathered(mine)).cpu()
    names = [phase.value for phase in Phase]
    slowest, mean = every.amax(0).tolist(), every.mean(0).tolist()
    return RankSeconds(
        dict(zip(names, slowest, strict=True)), dict(zip(names, mean, strict=True)), clock.steps
    )


def in_single(problem: Problem) -> Problem:
    """The problem, computing in float32."""
    return problem.computing_in(torch.float32)
