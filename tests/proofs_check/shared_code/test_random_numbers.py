"""Closed forms of random numbers: each is seen to refute a planted fault."""

from __future__ import annotations

import pytest

from algorithms.kernels import compiled, key_words, philox
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.row_coverage import cells_of
from proofs_check.shared_code import random_numbers
from proofs_check.shared_code.random_numbers import CLOSED_FORMS, COVERS
from proofs_check.suite import cells
from proofs_check.verdict import Outcome

COMPILED = pytest.mark.skipif(not compiled.COMPILED, reason="numba is not there")


def outcomes(check):
    return {verdict.outcome for verdict in check()}


@pytest.mark.parametrize("check", CLOSED_FORMS, ids=lambda check: check.__name__)
def test_all_hold(check):
    assert outcomes(check) == {Outcome.AGREES}


@pytest.mark.parametrize("key", ["asp", "random-k", "push-sum"])
def test_every_row_rests_on_them(key):
    own = {cell.name for cell in cells_of(key, cells("quick"))}
    assert {f"shared_code.{check.__name__}" for check in CLOSED_FORMS} <= own
    assert all(key in keys for keys in COVERS.values())


@COMPILED
@pytest.mark.parametrize(
    ("check", "name", "wrong"),
    [
        ("normals", "normal_numba", lambda true: lambda *given: true(*given) * (1 + 1e-14)),
        ("words", "uniform_numba", lambda true: lambda *given: true(*given) + 2.0**-53),
        ("words", "integers_numba", lambda true: lambda *given: true(*given).roll(1)),
    ],
)
def test_numbers_that_are_a_little_off_are_refuted(check, name, wrong, monkeypatch):
    monkeypatch.setattr(philox, name, wrong(getattr(philox, name)))
    assert Outcome.REFUTED in outcomes(getattr(random_numbers, check))


@COMPILED
def test_a_number_behind_the_last_row_is_refuted(monkeypatch):
    true = philox._fill_uniforms

    def longer(k0, k1, replicas, workers, first, out):
        true(k0, k1, replicas, workers, first, out)
        out.base[3, 0] = 0.5

    monkeypatch.setattr(philox, "_fill_uniforms", longer)
    assert Outcome.REFUTED in outcomes(random_numbers.within)


def test_a_key_of_another_step_is_refuted(monkeypatch):
    true = key_words.step_words
    monkeypatch.setattr(
        key_words, "step_words", lambda words, purpose, first, count: true(
            words, purpose, first + 1, count
        )
    )  # fmt: skip
    assert Outcome.REFUTED in outcomes(random_numbers.keys)


def test_times_below_0_are_refuted(monkeypatch):
    true = Exponential.seconds
    monkeypatch.setattr(Exponential, "seconds", lambda self, *given: -true(self, *given))
    assert Outcome.REFUTED in outcomes(random_numbers.times)
