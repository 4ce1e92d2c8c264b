"""One method, two worlds: does the sharded run give the iterates and the bills of the simulation?

All cases run in one launch of ranks. Iterates are compared bit for bit where the problem computes
rows independently of each other, else to 1e-9 relative; ledgers must be equal; the bytes that
crossed must be the code's length rounded up to whole bytes, message by message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.network.base import Network
from algorithms.network.launch import launch_each
from algorithms.network.ledger import Account
from algorithms.network.sharded import Sharded
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from proofs_check.verdict import CheckKind, Outcome, Verdict

LOOSE = 1e-9


@final
@dataclass(frozen=True)
class Case:
    """One run to be done in both worlds; ``build`` is importable and makes (method, problem).

    Attributes:
        row: key of the row.
        arguments: what ``build`` is called with.
        steps: steps of the run.
        replicas: replicas of the run.
        seed: seed of the run.
    """

    row: str
    build: Callable[..., tuple[Method[Any], Problem]]
    arguments: tuple[Any, ...]
    steps: int = 12
    replicas: int = 2
    seed: int = 7


class FinalState(NamedTuple):
    """Final state of one world: model rows, traffic, and bytes (None: none are sent).

    Attributes:
        account: what was charged, by worker.
        crossed: bytes that crossed, by sender, as rank 0 saw them.
        received: bytes that reached the workers of the last rank, from the server or neighbours.
        shared: whether all workers hold one model.
        rowwise: whether gradients of a row do not depend on other rows, bit for bit.
        problem: name of the problem.
        crossed: bytes that crossed, by sender.
    """

    rows: Tensor
    account: Account
    crossed: Tensor | None
    received: int | None
    shared: bool
    rowwise: bool
    problem: str


def run_case(case: Case, network: Callable[[int], Network]) -> FinalState:
    """Run one case in one world."""
    method, problem = case.build(*case.arguments)
    context = network(problem.n)
    trace = run(
        method,
        problem,
        steps=case.steps,
        seed=case.seed,
        replicas=case.replicas,
        network=context,
        points=2,
    )
    counted: tuple[Tensor | None, int | None] = (None, None)
    if isinstance(context, Sharded):
        counted = context.crossed_bytes, context.received_bytes
    return FinalState(
        trace.rows.clone(),
        trace.account,
        *counted,
        method.shared_model,
        problem.rowwise,
        problem.name,
    )


def play_sharded(case: Case) -> FinalState:
    """The case on this rank."""
    return run_case(case, Sharded)


def play_simulated(case: Case) -> FinalState:
    """The case in the simulation."""
    return run_case(case, Simulated)


def joined(parts: list[FinalState]) -> FinalState:
    """All ranks' rows and bills in the order of workers; bytes by sender as rank 0 saw them, bytes
    that reached workers as the last rank did."""
    first = parts[0]
    rows = first.rows if first.shared else torch.cat([part.rows for part in parts], dim=-2)
    account = Account(
        *(
            torch.cat(columns, dim=-1)
            for columns in zip(*(part.account for part in parts), strict=True)
        )
    )
    return first._replace(rows=rows, account=account, received=parts[-1].received)


def compare(
    case: Case, one: FinalState, other: FinalState, ranks: int, exact: bool = True
) -> tuple[Verdict, ...]:
    """Verdicts on iterates and ledgers of the simulation ``one`` and the joined run ``other``."""
    scale = float(one.rows.abs().max().clamp_min(1e-300))
    gap = float((one.rows - other.rows).abs().max()) / scale
    bitwise = exact and one.rowwise
    same = torch.equal(one.rows, other.rows) if bitwise else gap <= LOOSE
    where = f"{ranks} ranks, n={one.account.sent_bits.shape[-1]}, {case.steps} steps"
    iterates = Verdict(
        subject=case.row,
        problem=one.problem,
        check=f"two worlds, {ranks} ranks",
        kind=CheckKind.RANKS,
        claim="simulated and sharded iterates are equal "
        + ("bit for bit" if bitwise else f"to {LOOSE:g} relative"),
        outcome=Outcome.AGREES if same else Outcome.REFUTED,
        statistic=gap,
        bound=0.0 if bitwise else LOOSE,
        evidence=f"largest relative difference {gap:.3g} ({where})",
        provenance=f"seed {case.seed}, {case.replicas} replicas, float64",
    )
    equal = all(torch.equal(a, b) for a, b in zip(one.account, other.account, strict=True))
    bits = int(one.account.sent_bits.sum())
    ledgers = Verdict(
        subject=case.row,
        problem=one.problem,
        check=f"ledgers, {ranks} ranks",
        kind=CheckKind.RANKS,
        claim="simulated and sharded ledgers are equal, per worker and direction",
        outcome=Outcome.AGREES if equal else Outcome.REFUTED,
        statistic=float(bits),
        evidence=f"{bits} bits sent in all ({where})",
        provenance=f"seed {case.seed}, {case.replicas} replicas",
    )
    return iterates, ledgers


def crossing(
    case: Case, ending: FinalState, stated: float, ranks: int, exact: bool = True
) -> Verdict:
    """Bytes that reached rank 0 from the last worker, against its bill and the closed form.

    ``stated`` is the closed-form length [bits] of one of the row's messages; where lengths vary it
    is not ``exact``, and the bytes are held against the bill alone.
    """
    assert ending.crossed is not None
    sender = ending.account.sent_bits.shape[-1] - 1
    messages = int(ending.account.sent_messages[..., sender].sum())
    charged = int(ending.account.sent_bits[..., sender].sum())
    crossed = int(ending.crossed[sender])
    due = messages * math.ceil(stated / 8)
    fits = messages > 0 and crossed == due and charged == messages * stated
    if not exact:  # lengths vary: whole bytes of every message, within the stated bound
        due = charged // 8
        fits = messages > 0 and 0 <= 8 * crossed - charged <= 7 * messages
    headers = "no headers (lengths are fixed)" if exact else "lengths go ahead as headers"
    return Verdict(
        subject=case.row,
        problem=ending.problem,
        check=f"bytes that crossed, {ranks} ranks",
        kind=CheckKind.RANKS,
        claim="closed form = code length = bytes that crossed, each message in whole bytes",
        outcome=(Outcome.AGREES if exact else Outcome.SUPPORTED) if fits else Outcome.REFUTED,
        statistic=float(crossed),
        bound=float(due),
        evidence=f"{crossed} bytes crossed in {messages} messages of {stated:g} bits in closed "
        f"form, padding {8 * crossed - charged} bits in all, {headers}; "
        f"ledger {charged} bits",
        provenance=f"seed {case.seed}, {case.replicas} replicas, gloo",
    )


def arriving(case: Case, ending: FinalState, ranks: int) -> Verdict:
    """Bytes that reached the last worker, alone on its rank, from the server or its neighbours,
    against what it is charged for hearing them."""
    assert ending.received is not None
    worker = ending.account.received_bits.shape[-1] - 1
    messages = int(ending.account.received_messages[..., worker].sum())
    charged = int(ending.account.received_bits[..., worker].sum())
    padding = 8 * ending.received - charged
    fits = Outcome.AGREES if 0 <= padding <= 7 * messages else Outcome.REFUTED
    return Verdict(
        subject=case.row,
        problem=ending.problem,
        check=f"bytes that arrived, {ranks} ranks",
        kind=CheckKind.RANKS,
        claim="received bits = bytes that arrived, each message in whole bytes",
        outcome=fits if messages or ending.received else Outcome.NOT_APPLICABLE,
        statistic=float(ending.received),
        bound=float(-(-charged // 8)),
        evidence=f"{ending.received} bytes arrived in {messages} messages, padding {padding} bits "
        f"in all; ledger {charged} bits",
        provenance=f"seed {case.seed}, {case.replicas} replicas, gloo",
    )


def cross_validate(
    cases: tuple[Case, ...], ranks: int, stated: Mapping[Case, tuple[float, bool]] | None = None
) -> tuple[Verdict, ...]:
    """All verdicts of :func:`two_worlds`."""
    return tuple(two_worlds(cases, ranks, stated))


def two_worlds(
    cases: tuple[Case, ...], ranks: int, stated: Mapping[Case, tuple[float, bool]] | None = None
) -> Iterator[Verdict]:
    """Every case in both worlds on the gather path, as ranks finish it; one launch of ranks for
    all.

    ``stated`` gives the closed-form length of a message [bits], and whether it is exact, for cases
    with one worker a rank: there every worker's messages cross once to each rank, and their bytes
    are held against it; bytes that arrive at a worker are held against its bill.
    """
    endings = launch_each(play_sharded, [(case,) for case in cases], ranks=ranks)
    for case, parts in zip(cases, endings, strict=True):
        whole = joined(parts)
        yield from compare(case, play_simulated(case), whole, ranks)
        if stated is not None and case in stated:
            length, exact = stated[case]
            yield crossing(case, whole, length, ranks, exact)
            yield arriving(case, whole, ranks)
