"""Parameters by name, and the search on a grid."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from algorithms.catalogue import FORMS, METHODS, ROWS, problem, row
from algorithms.engine.run import run
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.tuning import stored
from algorithms.tuning.grid import POWERS, SEED, Budget, method_name, search, smoothness
from algorithms.tuning.parameters import adjusted, parameters, with_settings
from algorithms.tuning.stored import Tunings, best_of, still_of, tunings, written
from theory.stepsizes import ConstantStep

READY = METHODS
SHORT = Budget(n=4, gradients=40, replicas=2)


@pytest.mark.parametrize("key", [one.key for one in READY])
def test_setting_every_parameter_to_what_it_is_changes_nothing(key):
    one = row(key)
    method = one.ready().build(ConstantStep(0.1), problem(one.problems[0], 16), 100)
    assert adjusted(method, parameters(method)) == method


def test_a_parameter_is_set_by_its_name_or_the_end_of_it():
    objective = problem("quadratic-sc", 4)
    method = with_settings(row("top-k"), {"k": "0.5"}).build(objective, 10)
    assert parameters(method)["compressor.k"] == 0.5
    local = with_settings(row("local-sgd"), {"period": "3"}).build(objective, 10)
    assert isinstance(local, LocalSGD) and local.period == 3
    other = with_settings(row("qsgd"), {"compressor": "top-k(k=0.1d)"}).build(objective, 10)
    assert parameters(other)["compressor.k"] == 0.1


@pytest.mark.parametrize(
    ("key", "settings", "message"),
    [
        ("top-k", {"kk": "1"}, "unknown parameter 'kk'; known: compressor, compressor.k"),
        ("local-sgd", {"period": "often"}, "period must be a number"),
        ("local-sgd", {"period": "1.5"}, "period must be a whole number, as 8 is"),
        ("local-sgd", {"period": "0"}, "period=0 is not possible"),
        ("stc", {"k": "2"}, "could be any of compressor.k, downlink.k"),
        ("qsgd", {"compressor": "topk"}, "unknown operator 'topk'"),
        ("powersgd", {"warm": "3"}, "must be true or false"),
    ],
)
def test_what_cannot_be_set_is_refused(key, settings, message):
    with pytest.raises(ValueError, match=message):
        with_settings(row(key), settings).build(problem("quadratic-sc", 4), 10)


def test_the_best_stepsize_of_gradient_descent_is_that_of_the_closed_form():
    """f = a ||x||^2 / 2 without noise: of gamma = 2^p / a, p = 0 arrives in one step."""
    objective = replace(problem("quadratic-sc", 4), sigma2=0.0)
    flat = Quadratic.from_arrays(
        0 * objective.a + 0.25, 0 * objective.a, x0=objective.start(), name="quadratic-sc"
    )
    found = search(row("bsp-sgd"), flat, SHORT)
    assert found.power == 0 and found.score == 0.0
    assert smoothness(flat) == 0.25 and found.step(flat) == ConstantStep(4.0)
    assert found.places == len(POWERS)


def test_the_grid_widens_where_its_end_is_the_best():
    """signSGD's steps do not shrink with the gradient: the noise asks for a small one."""
    found = search(row("signsgd"), problem("quadratic-sc", 4), Budget(4, 1000, 2))
    assert found.power is not None and found.power <= POWERS[0] and found.places > len(POWERS)


def test_what_is_best_depends_on_no_seed_but_its_own():
    """Mutant: a grid that leaks the seed of a comparison would be decided on its runs."""
    objective = problem("quadratic-sc", 4)
    found = search(row("bsp-sgd"), objective, SHORT)
    method = row("bsp-sgd").tune(objective, 40, found.step(objective)).method
    own = run(method, objective, steps=40, seed=SEED, replicas=2, points=20)
    assert own.suboptimality[:, -1].mean() == found.score
    assert SEED not in range(100_000), "no seed that anybody would take by chance"


def test_a_kept_tuning_is_used_while_the_row_is_the_one_that_was_tuned(tmp_path, monkeypatch):
    objective, path = problem("quadratic-sc", 4), tmp_path / "tunings.json"
    found = search(row("local-sgd"), objective, SHORT)
    path.write_text(written({"local-sgd": {"quadratic-sc": found}}, SHORT, path))
    monkeypatch.setattr(stored, "tunings", lambda: tunings(path))
    assert best_of(row("local-sgd"), objective) == (found, True)
    other = with_settings(row("local-sgd"), {"period": 2})
    assert best_of(other, objective)[1] is False, "another method is tuned anew"
    assert json.loads(path.read_text())["budget"]["gradients"] == 40


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "tunings.json"
    path.write_text('{"rows": {"bsp-sgd": {"quadratic-sc": {"gamma": 1}}}}')
    with pytest.raises(ValueError, match="does not hold tunings"):
        tunings(path)


def test_what_is_kept_is_of_rows_as_they_are():
    """`rateproof tune KEY --keep algorithms/tuning/tunings.json` mends what this names."""
    objective = cache(lambda name: problem(name, Budget().n))
    kept = [(key, name, best) for key, mine in tunings().items() for name, best in mine.items()]
    stale = [
        (key, name)
        for key, name, best in kept
        if best.method != method_name(row(key), objective(name))
    ]
    assert len(kept) > 200 and not stale


def untuned(known: Tunings, name: str) -> list[str]:
    """Rows and forms on a problem without a tuning that is still of their method."""
    built = problem(name, Budget().n)
    return [
        one.key
        for one in (*ROWS, *FORMS.values())
        if one.state == "ready"
        and one.runs_on(name)
        and still_of(one, built, known.get(one.key, {}).get(name)) is None
    ]


def test_every_row_and_form_is_tuned_where_workers_differ() -> None:
    """So that no comparison there starts from a stepsize that somebody typed; one missing is
    named."""
    known = tunings()
    assert untuned(known, "quadratic-unequal") == []
    without = {key: found for key, found in known.items() if key != "ssp"}
    other = {**known, "ssp": {"quadratic-unequal": replace(known["ssp"]["quadratic-unequal"],
                                                           method="another")}}  # fmt: skip
    assert untuned(without, "quadratic-unequal") == ["ssp"]
    assert untuned(other, "quadratic-unequal") == ["ssp"]
