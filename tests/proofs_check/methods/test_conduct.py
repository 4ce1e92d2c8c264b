"""What rows do in a watched run against what they state; the faults are in mutants/conduct.py."""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import FORMS, ROWS, problem, row
from algorithms.engine.run import run
from algorithms.kernels import philox
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.bandwidth_matching import BandwidthMatching, _sequence, drawn_bandwidth
from proofs_check.cell import CellKind
from proofs_check.methods.instrumented_run import watch
from proofs_check.methods.run_invariants import run_invariants
from proofs_check.methods.step_invariance import steps_from_one_state
from proofs_check.suite import cells
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

WATCHED = {c.row: c for c in cells("quick") if c.kind is CellKind.WATCHED}


def test_every_ready_row_and_form_is_watched():
    assert set(WATCHED) == {r.key for r in (*ROWS, *FORMS.values()) if r.recipe}


@pytest.mark.parametrize("key", sorted(WATCHED))
def test_no_row_does_otherwise_than_it_states(key):
    cell = WATCHED[key]
    found = run_invariants(row(key), problem(cell.problem, cell.n), 1).verdicts
    assert [v.check for v in found] == [
        "draws", "delays", "periods", "message lengths", "claims asked", "steps alike", "blocks",
        "falling stepsizes", "records", "resumed", "names of draws", "twins", "clock",
        "prescribed stepsize", "records of f plus a constant",
    ]  # fmt: skip
    for verdict in found:
        assert verdict.outcome is not Outcome.REFUTED, (verdict.check, verdict.evidence)


def test_watching_changes_nothing():
    """The last model of a watched run is that of ``run``, bit for bit."""
    on, method = Quadratic.strongly_convex(4, 6, sigma2=1.0), BSP(ConstantStep(0.1))
    seen = watch(method, on, steps=5, replicas=2, seed=9)
    trace = run(method, on, steps=5, replicas=2, seed=9, points=2)
    assert torch.equal(seen.models[-1][:, 0], trace.model)


def test_a_schedule_that_runs_share_keeps_its_numbers():
    """It is drawn under a key of its own and kept; steps from one state forget those of the run."""
    meetings = BandwidthMatching(drawn_bandwidth(6, 99), fast=0.5)
    on, method = Quadratic.strongly_convex(6, 4), SAPSPSGD(ConstantStep(0.1), meetings, 2.0)
    steps_from_one_state(method, on)
    kept = [meetings.peers(t) for t in range(300)]
    _sequence.cache_clear()
    assert [meetings.peers(t) for t in range(300)] == kept


@pytest.mark.parametrize("key", ["bsp-sgd", "local-sgd", "choco-sgd", "asp", "lag"])
def test_a_step_that_is_not_that_of_the_block_is_refuted(key, monkeypatch):
    """A fault planted in a method's own step shows, though runs are taken in blocks."""
    cell = WATCHED[key]
    on = problem(cell.problem, cell.n)
    kind = type(row(key).build(on, 12))
    true = kind.step

    def spoilt(self, state, t, context):
        return state if t == 5 else true(self, state, t, context)

    monkeypatch.setattr(kind, "step", spoilt)
    (found,) = [v for v in run_invariants(row(key), on, 1).verdicts if v.check == "blocks"]
    assert found.outcome is Outcome.REFUTED, found.evidence


def test_a_watched_run_tells_what_each_number_is_drawn_for():
    seen = watch(BSP(ConstantStep(0.1)), Quadratic.strongly_convex(4, 6, sigma2=1.0),
                 steps=2, replicas=1, seed=9)  # fmt: skip
    assert [seen.purposes[asked.words] for asked in seen.asked] == [
        ("gradient", 0), ("gradient", 1),
    ]  # fmt: skip


@pytest.mark.parametrize("shared", ["replicas", "workers"])
def test_noise_that_is_equal_in_pairs_is_refuted_whatever_it_is_drawn_from(shared, monkeypatch):
    """The kernel gives pairs of replicas, or of workers, one noise; counters are those of each."""
    true = philox.normal_numba

    def paired(k0, k1, replicas, workers, count, dtype):
        if shared == "replicas":
            return true(k0, k1, replicas // 2, workers, count, dtype)
        return true(k0, k1, replicas, workers // 2, count, dtype)

    def draws():
        return run_invariants(row("bsp-sgd"), problem("quadratic-sc", 8), 1).verdicts[0]

    assert draws().outcome is Outcome.AGREES
    monkeypatch.setattr(philox, "normal_numba", paired)
    assert draws().outcome is Outcome.REFUTED and "has the noise of" in draws().evidence
