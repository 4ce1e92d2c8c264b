"""Downlink of workers: messages and bits received in a run against their closed form."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import Row
from algorithms.catalogue.downlink import Received, RunRecord
from algorithms.compressors.base import code_of
from algorithms.engine.run import Trace
from algorithms.methods.base import Method
from algorithms.network.ledger import Account
from algorithms.problems.base import Problem
from proofs_check.verdict import CheckKind, Outcome, Verdict


def received_traffic(
    row: Row, problem: Problem, method: Method[Any], trace: Trace, provenance: str
) -> Verdict:
    """Received messages and bits in the ledger against the row's downlink: exact, or the bits as a
    bound if lengths vary.

    More messages than a row states, where it states none of its own, are compared: each that is
    sent has an answer, and what else the server says is not known. A bound that is more than was
    heard is refuted where all that was heard are messages of one length, the server's.
    """
    account, float_bits = trace.account, 8 * problem.dtype.itemsize
    run = RunRecord(method, problem, float_bits, int(trace.steps[-1]), len(trace.squared_gradient))
    due = row.received(run, account)
    messages, bits = _heard(account)
    idle = not messages and not due.messages
    return Verdict(
        row.key,
        f"received messages and bits {'=' if due.exact else '<='} closed form",
        "bits received",
        Outcome.NOT_APPLICABLE
        if idle
        else _outcome(row, due, messages, bits, _length(method, problem, account)),
        kind=CheckKind.BITS,
        problem=problem.name,
        statistic=float(bits),
        bound=due.bits,
        evidence=f"{bits} bits in {messages} messages received; stated are {due.bits:g} bits in "
        f"{due.messages}; d={problem.d}, {float_bits}-bit floats",
        provenance=provenance,
    )


def _heard(account: Account) -> tuple[int, int]:
    return int(account.received_messages.sum()), int(account.received_bits.sum())


def _length(method: Method[Any], problem: Problem, sent: Account) -> int | None:
    """Length [bits] of the server's messages; None where it varies, or where workers hear from one
    another, too."""
    if int(sent.uploaded_messages.sum()) < int(sent.sent_messages.sum()):
        return None
    operator = method.server_operator.for_shapes(problem.shapes)
    return code_of(operator, problem.d, problem.dtype).fixed_bits


def _outcome(row: Row, due: Received, messages: int, bits: int, length: int | None) -> Outcome:
    stated = row.recipe is not None and row.recipe.downlink is not None
    if messages > due.messages and not stated:
        return Outcome.COMPARED
    if messages != due.messages:
        return Outcome.REFUTED
    if due.exact:
        return Outcome.AGREES if bits == due.bits else Outcome.REFUTED
    loose = length is not None and bits == messages * length < due.bits
    return Outcome.COMPARED if bits <= due.bits and not loose else Outcome.REFUTED
