"""The bill of a run of a cell, and what its cost formulas are evaluated at."""

from __future__ import annotations

from algorithms.catalogue.downlink import RunRecord
from algorithms.compressors.identity import Identity
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.sparsifier import Sparsifier
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.problems.base import Problem
from algorithms.tuning.parameters import parameters
from proofs_check.facts import TrafficFacts
from proofs_check.methods.tuned_run import TunedRun
from proofs_check.table_iv.trial import TableTrial
from theory.bits import index_bits


def traffic(trial: TableTrial, result: TunedRun) -> TrafficFacts:
    """What the ledger counted in the longest run, and what formulas are evaluated at."""
    method, objective = result.tuned.method, trial.build(trial.n)
    account = result.trace.account
    sent, incoming = account.sent_bits.double(), account.received_bits.double()
    floats = 8 * objective.dtype.itemsize
    replicas, gradients = len(sent), float(result.steps)
    given = parameters(method).get("period")
    period = given if isinstance(given, int) else 1
    if isinstance(method, Scheduled):
        run = RunRecord(method, objective, floats, result.steps, replicas)
        gradients = float(run.arrivals().double().mean())
    return TrafficFacts(
        trial.line, str(trial.objective), method.name, objective.d, trial.n, gradients,
        trial.peers, period, *_message(trial, objective, floats), floats,
        float(sent.mean()), float(sent.sum(-1).mean()), float(incoming.sum(-1).mean()),
    )  # fmt: skip


def _message(trial: TableTrial, objective: Problem, floats: int) -> tuple[float, float]:
    """k of a sparse message and b of a quantised one, 0 where it is not one."""
    operator = trial.row.compressor or Identity()
    if isinstance(operator, Identity):
        return 0.0, 0.0
    if "Spars." in trial.line:
        if isinstance(operator, RandomMask):  # no positions are sent, the seed is shared
            return operator.q * objective.d * floats / (floats + index_bits(objective.d)), 0.0
        return float(operator.kept(objective.d)) if isinstance(operator, Sparsifier) else 0.0, 0.0
    return 0.0, operator.stated_bits(objective.d, floats) / objective.d
