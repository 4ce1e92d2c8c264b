"""Helpers, records, schedules, parts and constants by hand: faults in what all rows share are seen.

Nearly all of these survived what a row's own check had been, since the row's watched run does not
take the branch that they lie in.
"""

from __future__ import annotations

import inspect

import pytest
import torch

from algorithms.catalogue import problem, row
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.core.key import Key
from algorithms.engine import noted_records, trace
from algorithms.methods.base import Method, RunContext
from algorithms.methods.drift.scaffold import Scaffold
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.gossip_compressed.lead import LEAD
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.parts import constants, scheduled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.base import Packet
from algorithms.network.ledger import Ledger
from algorithms.network.point_to_point import PointToPointNetwork
from algorithms.network.receive_pattern import ReceivePattern
from algorithms.network.simulated import Simulated
from algorithms.pipeline import advance
from algorithms.pipeline import base as pipeline
from algorithms.pipeline.server import ServerBlock
from algorithms.runner import checkpointed_run
from algorithms.synchronisation import base as synchronisation
from algorithms.synchronisation.stopwatch import STANDARD, Stopwatch
from algorithms.synchronisation.worker_states import WorkerStates
from proofs_check.methods.asked_dimensions import asked_dimensions
from proofs_check.methods.falling_steps import falling_of_row
from proofs_check.methods.watched_instance import watched_instance
from proofs_check.prepare import prepare
from proofs_check.registry import BOUND_CHECKS
from proofs_check.row_coverage import cells_of
from proofs_check.shared_code import (
    method_helpers,
    parts_that_change,
    run_records,
    schedules_by_hand,
)
from proofs_check.suite import cells
from proofs_check.verdict import Outcome
from tests.proofs_check.shared_code.planted_expressions import plant, seen

MODULES = method_helpers, run_records, schedules_by_hand, parts_that_change
CHECKS = [check for module in MODULES for check in module.CLOSED_FORMS]

GRADIENT = 'self.key.fold("gradient", t)'
PURPOSE = "self.key.fold(purpose, t)"
ZERO = "self.key.fold(purpose, 0)"
HELPERS = (
    (RunContext, "gradient_of", "self.network.n - 1", "self.network.n - 2"),
    (RunContext, "gradient_of", GRADIENT, 'self.key.fold("gradient", 0)'),
    (RunContext, "gradient_of", "self.replicas, active", "self.replicas + 1, active"),
    (RunContext, "gradient_of", "draws), workers, t)", "draws), workers + 1, t)"),
    (RunContext, "gradient_by_count", "count)", "count + 1)"),
    (RunContext, "pack", PURPOSE, "self.key.fold(purpose, t + 1)"),
    (RunContext, "pack_server", PURPOSE, ZERO),
    (RunContext, "uploaded", PURPOSE, ZERO),
    (RunContext, "uploaded", "self.replicas", "self.replicas + 1"),
    (RunContext, "uploaded_by_count", "count)", "0)"),
    (RunContext, "answered", PURPOSE, ZERO),
    (RunContext, "answered", "self.network.n", "self.network.n - 1"),
    (RunContext, "mixed", "x, t, purpose", "x, t + 1, purpose"),
    (Packet, "decode", "self.replicas", "self.replicas + 1"),
    (Packet, "bits", "* lengths", "* lengths - 1"),
    (Method, "unfit", "<=", "<"),
    (Simulated, "mix", "edges.weight), rows", "edges.weight), rows + 1"),
    (scheduled, "places", "like.shape[-2] - 1", "like.shape[-2] + 1"),
    (PointToPointNetwork, "__init__", "= n, held", "= n + 1, held"),
    (ReceivePattern, "links", "1 - torch.eye", "0 - torch.eye"),
    (Ledger, "upload_from", "one * bits", "bits * torch.ones_like(one)"),
)  # fmt: skip
RECORDS = (
    (trace, "record_steps", "points - 1", "points"),
    (noted_records.NotedRecords, "series", ".sum(-1, keepdim", ".sum(-2, keepdim"),
    (noted_records.NotedRecords, "note", "seconds(state, t)", "seconds(state, t + 1)"),
    (trace.Recorder, "_seconds", "self.state, t", "self.state, t + 1"),
    (trace.Recorder, "_gradients", "self.state, t", "self.state, t + 1"),
    (trace.Recorder, "_averages", "t % self.every == 0", "t % self.every == 1"),
    (checkpointed_run, "checkpointed_run", "or t + 1 ==", "or t =="),
    (checkpointed_run, "checkpointed_run", "% kept.every == 0", "% kept.every != 0"),
    (checkpointed_run, "worker_axes", "!= size", "!= size + 1"),
)  # fmt: skip
SCHEDULES = (
    (synchronisation.Durations, "_draw", '"gradients", first', '"gradients", 0'),
    (synchronisation.Durations, "_draw", "self.replicas", "self.replicas + 1"),
    (synchronisation._Log, "drawn", "arrivals, self.n - 1", "arrivals, self.n"),
    (WorkerStates, "first", "count == 1", "count == 2"),
    (ParameterServer, "plan", "context.network.n, flat[:1]", "context.network.n - 1, flat[:1]"),
)
PARTS = (
    (Batched, "compiled_block", "factor = self.batch(t)", "factor = self.batch(t - 1)"),
    (ServerBlock, "__init__", "server_memory.at_step(t)", "server_memory.at_step(t - 1)"),
    (pipeline.Steps, "part", "self.t + first", "self.t + first - 1"),
    (pipeline.Steps, "part", "self.gammas[first:end]", "self.gammas[first - 1 : end - 1]"),
    (pipeline, "block_of", "(place, t)", "(place, t + 1)"),
    (LocalSGD, "meet", "self.step_rule(t)", "self.step_rule(0)"),
    (LocalSGD, "init", "velocity.shape == x.shape", "velocity.shape != x.shape"),
    (DualAveraging, "compiled_block", "self.step_rule(s)", "self.step_rule(0)"),
    (Scaffold, "compiled_block", "participants(size, period)", "participants(size, period - 1)"),
    (ParameterServer, "step", "apply(x, gamma, t)", "apply(x, gamma, t - 1)"),
    (BSP, "constants", "self.compressor, problem.d", "self.compressor, problem.d + 1"),
    (constants, "operator_constants", "claims(d)", "claims(d - 1)"),
    (constants, "operator_constants", "absolute_error(d)", "absolute_error(d + 1)"),
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_all_hold(check):
    assert {verdict.outcome for verdict in check()} == {Outcome.AGREES}


def test_every_row_rests_on_them():
    for key in ("asp", "random-k", "push-sum"):
        own = {cell.name for cell in cells_of(key, cells("quick"))}
        assert {f"shared_code.{check.__name__}" for check in CHECKS} <= own


def _plant(fault, monkeypatch):
    """Plant a fault, also where a module holds the function by its own name."""
    plant(monkeypatch, *fault)
    owner, name = fault[:2]
    for module in (*MODULES, advance) if inspect.ismodule(owner) else ():
        if hasattr(module, name):
            monkeypatch.setattr(module, name, getattr(owner, name))


@pytest.mark.parametrize("faults", [HELPERS, RECORDS, SCHEDULES, PARTS], ids=lambda of: of[0][1])
def test_functions_that_are_planted_as_they_are_change_nothing(faults, monkeypatch):
    for owner, name, before, _ in {fault[:2]: fault for fault in faults}.values():
        _plant((owner, name, before, before), monkeypatch)
    for check in CHECKS:
        assert {verdict.outcome for verdict in check()} == {Outcome.AGREES}, check.__name__


@pytest.mark.parametrize(
    ("module", "fault"),
    [
        (module, fault)
        for module, faults in zip(MODULES, (HELPERS, RECORDS, SCHEDULES, PARTS), strict=True)
        for fault in faults
    ],
    ids=lambda of: f"{of[1]}: {of[3]}" if isinstance(of, tuple) else of.__name__.split(".")[-1],
)
def test_a_fault_in_what_rows_share_is_seen(module, fault, monkeypatch):
    scheduled._drawn.cache_clear()
    _plant(fault, monkeypatch)
    assert any(seen(check) for check in module.CLOSED_FORMS)
    scheduled._drawn.cache_clear()


def test_claims_for_rows_of_another_length_are_refuted(monkeypatch):
    on = problem("quadratic-sc", 8)
    method = row("cedas").build(on, 12)
    assert asked_dimensions("cedas", on, method, "").outcome is Outcome.AGREES
    plant(monkeypatch, LEAD, "constants", "problem.d", "problem.d + 1")
    found = asked_dimensions("cedas", on, method, "")
    assert found.outcome is Outcome.REFUTED and f"d = {on.d + 1}" in found.evidence


def test_no_claim_is_no_matter():
    on = problem("quadratic-sc", 8)
    found = asked_dimensions("local-sgd", on, row("local-sgd").build(on, 12), "")
    assert found.outcome is Outcome.NOT_APPLICABLE


def test_a_stepsize_that_is_asked_for_and_not_used_is_refuted(monkeypatch):
    """That of a meeting is one that this row's server has no use for."""
    of, on = row("fedyogi"), problem("quadratic-sc", 8)
    assert falling_of_row(of, on, 1, "").outcome is Outcome.AGREES
    plant(monkeypatch, LocalSGD, "meet", "self.step_rule(t)", "self.step_rule(0)")
    assert falling_of_row(of, on, 1, "").outcome is Outcome.REFUTED


def test_stepsizes_by_clock_are_those_of_their_gradients():
    check = next(one for one in BOUND_CHECKS if one.name.startswith("ssp:ssp:"))
    found = watched_instance(row("ssp"), check.make, check.setting())
    assert {one.check: one.outcome for one in found}["falling stepsizes"] is Outcome.NOT_APPLICABLE
    assert Outcome.REFUTED not in {one.outcome for one in found}


def test_a_bound_has_its_method_watched():
    own = next(cell for cell in cells("quick") if cell.name.startswith("bsp-sgd:bsp_nonconvex"))
    checks = {verdict.check for verdict in prepare(own)().verdicts}
    assert {"curve under bound", "falling stepsizes", "names of draws", "claims asked"} <= checks


def test_a_stepsize_limit_has_the_method_that_it_is_kept_of_watched(monkeypatch):
    """Of EF21 that is the one in which a part of the workers takes part, the row ef21-pp."""
    own = next(cell for cell in cells("quick") if cell.name == "ef21_pl")
    found = {verdict.check: verdict.outcome for verdict in prepare(own)().verdicts}
    assert {"stepsize limit", "names of draws", "written constants"} <= set(found)
    assert Outcome.REFUTED not in found.values()
    plant(monkeypatch, EF21, "present", '"participate", t', '"participate", t + 1')
    found = {verdict.check: verdict.outcome for verdict in prepare(own)().verdicts}
    assert found["names of draws"] is Outcome.REFUTED


def test_a_bound_has_the_constants_of_its_operators_read(monkeypatch):
    own = next(one for one in BOUND_CHECKS if one.name.startswith("asp:unbounded_delays"))
    watched = watched_instance(row("asp"), own.make, own.setting())
    assert {one.check: one.outcome for one in watched}["written constants"] is Outcome.AGREES
    plant(monkeypatch, QSGD, "claims", "d / s**2", "d / s**4")
    watched = watched_instance(row("asp"), own.make, own.setting())
    assert {one.check: one.outcome for one in watched}["written constants"] is Outcome.REFUTED


def test_nobody_waits_where_nobody_sends():
    watch = Stopwatch(STANDARD, 3, Key.seed(1), torch.arange(2))
    watch.work()
    before, bits = watch.clocks, torch.tensor([[64, 0, 0], [0, 0, 0]])
    sends = bits > 0
    watch.up(bits, sends.long(), sends)
    assert watch.clocks[1].tolist() == before[1].tolist()
    assert watch.clocks[0, 0] > before[0, 0] and watch.clocks[0, 1:].equal(before[0, 1:])


def test_a_message_that_names_another_step_is_refuted_though_nothing_is_drawn(monkeypatch):
    from proofs_check.methods.instrumented_run import watch
    from proofs_check.methods.run_twins import named_draws

    on = problem("quadratic-sc", 8)
    method = row("asp").build(on, 12)
    plant(
        monkeypatch, ParameterServer, "step", "answered(x, fetches, t)",
        "answered(x, fetches, t - 1)",
    )  # fmt: skip
    run = watch(method, on, steps=12, replicas=method.replicas, seed=1)
    found = named_draws("asp", on, run, (), "")
    assert found.outcome is Outcome.REFUTED and "'answer'" in found.evidence
    assert isinstance(run.sent[-1].packet.compressor, Identity)
