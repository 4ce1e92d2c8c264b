"""Any row on any problem that its assumptions allow, and a sentence where they do not."""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import METHODS, PROBLEMS, problem, row
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.logistic_data import MANY_SAMPLES
from theory.stepsizes import ConstantStep

AVERAGING = {"push-sum", "fdla", "randomised-gossip", "quantised-consensus", "choco-gossip"}
STAGES = ("sparse-linear", "simplex-signs", "quadratic-ball", "quadratic-heavy-tailed",
          MANY_SAMPLES)  # fmt: skip
BY_LAYERS = ("bsp-sgd", "powersgd", "lags", "lars", "d-psgd", "asp", "meprop")


def refusal(key, name):
    """Why the row does not run there, in its own words; empty where it does."""
    try:
        row(key).require_fit(problem(name, 4))
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", [entry.name for entry in PROBLEMS])
def test_every_row_fits_the_problems_it_lists(name):
    assert [r.key for r in METHODS if r.runs_on(name) and refusal(r.key, name)] == []


@pytest.mark.parametrize("stage", STAGES)
def test_any_row_steps_on_a_stage_that_few_list_or_says_why_not(stage):
    built = problem(stage, 4)
    refused = {r.key for r in METHODS if refusal(r.key, stage)}
    for r in METHODS:
        if r.key not in refused:
            trace = run(r.build(built, 3), built, steps=3, replicas=1, points=2)
            assert torch.isfinite(trace.model).all(), r.key
    affine = {"sparse-linear", "quadratic-heavy-tailed"}
    needs_smoothness = set() if built.constants().L is not None else {"delay-adaptive-asgd"}
    few = (
        AVERAGING
        | needs_smoothness
        | {"cola"}
        | (set() if stage in affine else {"coded-regression"})
    )
    if stage == "quadratic-ball":
        assert few < refused and not {"bsp-sgd", "qsgd", "mirror-descent"} & refused
    else:
        assert refused == few


@pytest.mark.parametrize("key", BY_LAYERS)
def test_layers_of_four_axes_and_of_one_are_taken_as_they_come(key):
    """The convolution's kernels are ``[4, 1, 3, 3]``."""
    built = problem("cnn-digits", 4)
    trace = run(row(key).build(built, 3), built, steps=3, replicas=1, points=2)
    assert torch.isfinite(trace.model).all() and not torch.equal(trace.model, built.start())


def test_a_row_that_averages_has_no_business_where_gradients_are_wanted():
    assert "takes no gradient after the start" in refusal("fdla", "quadratic-sc")
    assert "fdla" in refusal("fdla", "quadratic-sc")


def test_one_round_solves_only_what_is_affine():
    """Logistic slopes are odd: a difference about 0 would take them for affine."""
    assert "affine in x" in refusal("coded-regression", "logreg-breast-cancer")
    assert not refusal("coded-regression", "sparse-linear")


def test_rows_named_where_a_ball_is_left_do_keep_in_it():
    said = refusal("d-psgd", "quadratic-ball")
    named = said.partition("would do: ")[2].split(", ")
    assert len(named) == 4 and not any(refusal(key, "quadratic-ball") for key in named)


def test_the_server_projects_and_without_that_falls_below_the_minimum():
    """So a row that does not project is refused: its error would be negative."""
    built = problem("quadratic-ball", 8)
    step = ConstantStep(0.5)
    kept = row("bsp-sgd").build(built, 400)
    ends = [
        float(run(method, built, steps=400, replicas=4).suboptimality[:, -1].max())
        for method in (kept, BSP(step))
    ]
    assert 0 <= ends[0] < 0.05 and ends[1] < -0.1


def test_on_many_samples_one_gradient_is_noise():
    """E||a||^2 = 1, so at 0 a gradient of -p/2 has second moment 1/4: 0.25 +- 0.0018 a worker,
    and the mean gradient is a tenth of that or less."""
    built = problem(MANY_SAMPLES, 16)
    start = built.start()
    noise = built.noise(start)
    spread = 0.25 * (0.1 / 2048) ** 0.5  # ||a||^2 is chi-squared of 20 over 20
    second = noise + built.all_gradients(start).square().sum(-1)
    assert float((second - 0.25).abs().max()) < 6.5 * spread
    assert float(noise.min()) > 30 * float(built.mean_gradient(start).square().sum())
