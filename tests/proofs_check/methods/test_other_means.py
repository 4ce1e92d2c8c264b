"""What is computed a second time in a watched run: each way is seen to refute a planted fault."""

from __future__ import annotations

import sys

import pytest
import torch

from algorithms.catalogue import problem, row
from algorithms.core.key import Key
from algorithms.engine.noted_records import NotedRecords
from algorithms.engine.trace import Recorder
from algorithms.kernels import compiled, philox, problem_rows
from algorithms.methods.base import RunContext
from algorithms.methods.parts import scheduled
from algorithms.problems.quadratic import Quadratic
from algorithms.runner import checkpointed_run
from algorithms.synchronisation import base as barriers
from algorithms.synchronisation.stopwatch import STANDARD, Stopwatch
from algorithms.tuning.grid import Best, smoothness
from proofs_check.methods import prescribed_step as prescribed
from proofs_check.methods.instrumented_run import watch
from proofs_check.methods.plain_clock import PlainClock, clock_verdict
from proofs_check.methods.prescribed_step import prescribed_step
from proofs_check.methods.run_paths import recorded
from proofs_check.methods.run_twins import named_draws, twins
from proofs_check.methods.shifted_records import shifted
from proofs_check.mutants.run_paths import resumed_bsp
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep


def seen(key, name="quadratic-sc"):
    of, on = row(key), problem(name, 8)
    method = of.build(on, 12)
    replicas = getattr(method, "replicas", 2)
    return of, on, watch(method, on, steps=12, replicas=replicas, seed=1)


@pytest.mark.skipif(not compiled.COMPILED, reason="numba is not there")
def test_a_kernel_that_is_another_number_than_its_twin_is_refuted(monkeypatch):
    true = philox.normal_numba
    monkeypatch.setattr(philox, "normal_numba", lambda *given: true(*given) * (1 + 1e-10))
    found = twins(*seen("bsp-sgd"), 1, "")
    assert found.outcome is Outcome.REFUTED and "models are" in found.evidence


@pytest.mark.skipif(not compiled.COMPILED, reason="numba is not there")
def test_the_branch_of_another_processor_is_taken_too(monkeypatch):
    true, here = Quadratic._part, problem_rows.adds_fused()

    def wrong(self, deviation):
        return true(self, deviation * (1 if problem_rows.adds_fused() == here else 1.05))

    monkeypatch.setattr(Quadratic, "_part", wrong)
    found = twins(*seen("bsp-sgd"), 1, "")
    assert found.outcome is Outcome.REFUTED and "rounded otherwise" in found.evidence


@pytest.mark.skipif(not compiled.COMPILED, reason="numba is not there")
def test_a_compiled_schedule_is_held_to_the_plain_one(monkeypatch):
    of, on, run = seen("asp")
    assert twins(of, on, run, 1, "").outcome is Outcome.AGREES
    true = barriers.drawn

    def late(part, now, durations, ticks):
        made = true(part, now, durations, ticks)
        return made._replace(seconds=made.seconds * 1.05)

    monkeypatch.setattr(barriers, "drawn", late)
    scheduled._drawn.cache_clear()
    found = twins(of, on, run, 1, "")
    scheduled._drawn.cache_clear()
    assert found.outcome is Outcome.REFUTED and "seconds of the schedule" in found.evidence


@pytest.mark.parametrize(("key", "late"), [("qsgd", 1), ("local-sgd", -1)])
def test_draws_that_name_another_step_are_refuted(key, late, monkeypatch):
    _, on, run = seen(key)
    assert named_draws(key, on, run, (), "").outcome is Outcome.AGREES
    true = RunContext.draws
    monkeypatch.setattr(RunContext, "draws", lambda self, purpose, t: true(self, purpose, t + late))
    found = named_draws(key, on, seen(key)[2], (), "")
    assert found.outcome is Outcome.REFUTED and "'gradient'" in found.evidence


def test_draws_that_are_counted_count_from_0():
    _, on, run = seen("fedbuff")
    found = named_draws("fedbuff", on, run, (), "")
    assert found.outcome is Outcome.AGREES and "counted from 0" in found.evidence


@pytest.mark.parametrize("key", ["bsp-sgd", "d-psgd", "local-sgd", "easgd", "saps-psgd"])
def test_messages_that_take_5_percent_longer_are_refuted(key, monkeypatch):
    of, on = row(key), problem("quadratic-sc", 8)
    assert clock_verdict(of, on, 1, "").outcome is Outcome.AGREES
    cost, sent = Stopwatch._cost, Stopwatch._sent
    monkeypatch.setattr(Stopwatch, "_cost", lambda self, *given: 1.05 * cost(self, *given))
    monkeypatch.setattr(Stopwatch, "_sent", lambda self, *given: 1.05 * sent(self, *given))
    assert clock_verdict(of, on, 1, "").outcome is Outcome.REFUTED


def test_gradients_timed_by_another_key_are_refuted(monkeypatch):
    true = Stopwatch.__init__

    def other(self, timing, n, key, replicas, speeds=None):
        true(self, timing, n, key, replicas + 1, speeds)

    monkeypatch.setattr(Stopwatch, "__init__", other)
    found = clock_verdict(row("bsp-sgd"), problem("quadratic-sc", 8), 1, "")
    assert found.outcome is Outcome.REFUTED


def test_a_schedule_s_time_is_no_matter_of_the_clock():
    found = clock_verdict(row("asp"), problem("quadratic-sc", 8), 1, "")
    assert found.outcome is Outcome.NOT_APPLICABLE


def test_a_plain_clock_goes_on_after_an_error():
    clock = PlainClock(STANDARD, 3, Key.seed(1), torch.arange(2), None)
    with pytest.raises(ValueError, match="lost"), clock.paused():
        clock.work()
        raise ValueError("lost")
    assert not clock.worked.any()
    clock.work()
    before = clock.seconds
    with pytest.raises(ValueError, match="lost"), clock.overlapped():
        raise ValueError("lost")
    assert clock.worked.all() and torch.equal(clock.seconds, before) and before.all()


def records(key):
    of, on, run = seen(key)
    return recorded(key, on, of.build(on, 12), run, 1, "", None)


@pytest.mark.parametrize(
    "wrong", [lambda own: own + 3600, lambda own: -own], ids=["time of day", "backwards"]
)
def test_measured_seconds_that_the_run_did_not_take_are_refuted(wrong, monkeypatch):
    assert records("bsp-sgd").outcome is Outcome.AGREES
    true = Recorder._put
    monkeypatch.setattr(
        Recorder, "_put",
        lambda self, **named: true(self, **{**named, "wall_seconds": wrong(named["wall_seconds"])}),
    )  # fmt: skip
    found = records("bsp-sgd")
    assert found.outcome is Outcome.REFUTED and "wall_seconds" in found.evidence


def test_averages_over_recorded_steps_alone_are_refuted(monkeypatch):
    true = Recorder._weigh
    monkeypatch.setattr(
        Recorder, "_weigh", lambda self, mean, t: true(self, mean, t) if t in self.due else None
    )
    found = records("d-psgd")
    assert found.outcome is Outcome.REFUTED and "rare weighted_suboptimality" in found.evidence


def test_a_stepsize_for_another_number_of_steps_is_refuted(monkeypatch):
    of, on = row("random-k"), problem("quadratic-sc", 8)
    assert prescribed_step(of, on, "").outcome is Outcome.AGREES
    module = sys.modules["algorithms.catalogue.row"]
    true = module.prescribed
    monkeypatch.setattr(module, "prescribed", lambda theorem, c, T: true(theorem, c, T - 1))
    assert prescribed_step(of, on, "").outcome is Outcome.REFUTED


def test_records_made_together_are_held_to_the_models(monkeypatch):
    """The records of a run without averages between them, which no other check reads."""
    of, on, run = seen("d-psgd")
    given = of.key, on, of.build(on, 12), run, 1, "", None
    assert recorded(*given).outcome is Outcome.AGREES
    true = NotedRecords.series

    def off(records):
        made = true(records)
        return made | {"consensus": made["consensus"] * (1 + 1e-6)}

    monkeypatch.setattr(NotedRecords, "series", off)
    found = recorded(*given)
    assert found.outcome is Outcome.REFUTED and "plain consensus is 1e-06 off" in found.evidence


def test_a_stepsize_that_is_not_what_a_search_found_is_refuted(monkeypatch):
    of, on = row("random-k"), problem("quadratic-sc", 8)
    assert "a search" in prescribed_step(of, on, "").evidence
    monkeypatch.setattr(Best, "step", lambda self, problem: ConstantStep(1 / smoothness(problem)))
    assert prescribed_step(of, on, "").outcome is Outcome.REFUTED


def test_a_wrong_use_of_the_least_value_shows_where_it_is_not_zero(monkeypatch):
    true = Recorder._put

    def wrong(self, **series):
        floor = self.context.problem.f_star or 0.0
        series["weighted_suboptimality"] = series["weighted_suboptimality"] + 2 * floor
        true(self, **series)

    of, on, run = seen("local-sgd")
    method = of.build(on, 12)
    assert on.f_star == 0 and shifted(of, on, run, 1, "").outcome is Outcome.AGREES
    monkeypatch.setattr(Recorder, "_put", wrong)
    assert recorded(of.key, on, method, run, 1, "", None).outcome is Outcome.AGREES
    found = shifted(of, on, run, 1, "")
    assert found.outcome is Outcome.REFUTED and "weighted_suboptimality" in found.evidence


def test_a_method_that_asks_for_one_kind_of_problem_is_left_out():
    of, on, run = seen("cola", row("cola").problems[0])
    assert shifted(of, on, run, 1, "").outcome is Outcome.NOT_APPLICABLE


def test_the_rule_for_problems_without_a_theorem_is_held_where_one_applies(monkeypatch):
    of, on, _ = seen("scaffnew", "quadratic-unequal")
    assert prescribed_step(of, on, "").outcome is Outcome.AGREES
    true = prescribed.default_stepsize

    def shorter(*given):
        rule, words = true(*given)
        return ConstantStep(0.95 * rule(0)), words

    monkeypatch.setattr(prescribed, "default_stepsize", shorter)
    assert prescribed_step(of, on, "").outcome is Outcome.REFUTED


def test_a_last_step_that_is_not_kept_is_refuted(monkeypatch):
    assert resumed_bsp().outcome is Outcome.AGREES
    true = checkpointed_run.write_checkpoint

    def but_the_last(folder, t, *given):
        if t % 4 == 0:
            true(folder, t, *given)

    monkeypatch.setattr(checkpointed_run, "write_checkpoint", but_the_last)
    found = resumed_bsp()
    assert found.outcome is Outcome.REFUTED and "do not begin where one ended" in found.evidence


def test_a_clock_that_goes_on_while_means_are_made_is_refuted(monkeypatch):
    true = Recorder.mean

    def lost(self, state):
        mean = true(self, state)
        self.clock -= 1000.0
        return mean

    of, on, run = seen("bsp-sgd")
    method, told = of.build(on, 12), (1, "", None)
    assert recorded("bsp-sgd", on, method, run, *told).outcome is Outcome.AGREES
    monkeypatch.setattr(Recorder, "mean", lost)
    found = recorded("bsp-sgd", on, method, run, *told)
    assert found.outcome is Outcome.REFUTED and "wall_seconds" in found.evidence
