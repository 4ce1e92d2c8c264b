"""Questions: what is kept answers all of them, is computed again alike, and is shown."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from algorithms.catalogue import problem
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.synchronisation.compute_times import Constant
from experiments.cli.main import app
from experiments.questions import kept
from experiments.questions.asked import QUESTIONS
from experiments.questions.computing import alike, answered, best_step, contested, counted, swept
from experiments.questions.question import Contest, FloorSweep, QuestionArm, StateCount
from experiments.reporting.page import environment
from experiments.reporting.questions import questions

BY_KEY = {one.key: one for one in QUESTIONS}


def test_every_question_is_answered_with_all_its_arms() -> None:
    assert list(kept.stored()) == [one.key for one in QUESTIONS]
    for one in QUESTIONS:
        answer = kept.stored()[one.key]
        assert (answer["asked"], answer["why"]) == (one.asked, one.why)
        assert [part["title"] for part in answer["parts"]] == [part.title for part in one.parts]
        for part, record in zip(one.parts, answer["parts"], strict=True):
            told = record.get("curves", record.get("rows"))
            assert {one["name"] for one in told} == {arm.name for arm in part.arms}


def test_floors_are_those_of_theory() -> None:
    """Exact methods leave rounding; D-PSGD's bias is linear in the distance of the minimisers, so
    that its square and f - f* are quadratic; FedAvg's too."""
    apart = kept.stored()["heterogeneity"]["parts"][0]
    curves = {one["name"]: np.array(one["y"]) for one in apart["curves"]}
    x = np.array(apart["curves"][0]["x"])
    for name in ("D2", "EXTRA", "gradient tracking", "SCAFFOLD", "RelaySGD, path"):
        assert (curves[name] < kept.EXACT).all(), name
    for name in ("D-PSGD", "FedAvg"):
        assert np.polyfit(np.log(x), np.log(curves[name]), 1)[0] == pytest.approx(2.0, abs=1e-3)


def test_a_sweep_is_computed_again_alike() -> None:
    part = BY_KEY["heterogeneity"].parts[0]
    assert isinstance(part, FloorSweep)
    few = replace(part, arms=tuple(a for a in part.arms if a.name == "D-PSGD"), values=(1.0,))
    (found,) = swept(few)["curves"]
    stored = {one["name"]: one for one in kept.stored()["heterogeneity"]["parts"][0]["curves"]}
    at = stored["D-PSGD"]["x"].index(1.0)
    assert found["y"][0] == pytest.approx(stored["D-PSGD"]["y"][at], rel=1e-4)


SMALL = Contest(
    "small", lambda: problem("quadratic-unequal", 4),
    (QuestionArm("BSP", "bsp-sgd"), QuestionArm("QSGD", "qsgd")),
    "bits", 40, replicas=4,
)  # fmt: skip


def test_every_arm_has_the_best_step_of_the_grid_at_the_budget() -> None:
    built = SMALL.problem()
    found = contested(SMALL)
    assert {one["name"] for one in found["rows"]} == {"BSP", "QSGD"}
    steps = {one["name"]: one["stepsize"] for one in found["rows"]}
    bits = 40 * 2 * 64 * built.d
    assert found["budget"] == pytest.approx(bits)
    assert steps["BSP"] == str(best_step(SMALL, SMALL.arms[0], built, bits))


def test_a_schedule_of_its_own_takes_the_questions_times() -> None:
    slow = Constant((1.0, 1.0, 50.0))
    built = problem("quadratic-sc", 3)
    method = QuestionArm("ASP", "downpour").row(times=slow).build(built, 10)
    assert isinstance(method, Downpour)
    assert getattr(method.times, "times", method.times) == slow


def test_answers_say_who_is_best_and_what_cannot_be_told() -> None:
    row = {"low": 1.0, "high": 1.0, "spent": None, "stepsize": "", "p": 1.0}
    record = {
        "kind": "contest",
        "rows": [
            row | {"name": "A", "error": 0.5, "ratio": 1.0, "verdict": "best"},
            row | {"name": "B", "error": 0.6, "ratio": 1.2, "verdict": "not told apart"},
            row | {"name": "C", "error": 5.0, "ratio": 10.0, "verdict": "worse"},
        ],
    }
    assert kept.sentence(record) == ("A is best (0.5), not told apart from B; C x 10")
    sweep = {"kind": "sweep", "curves": [
        {"name": "A", "y": [1e-20, 1e-15]}, {"name": "B", "y": [0.1, 0.4]},
        {"name": "C", "y": [0.1, None]},
    ]}  # fmt: skip
    assert kept.sentence(sweep) == (
        "no error is left by A; left by B 0.1 to 0.4; diverged at some value: C"
    )


def test_the_command_prints_answers_and_draws(tmp_path: Path) -> None:
    every = CliRunner().invoke(app, ["question"], env={"COLUMNS": "120"})
    assert every.exit_code == 0 and all(one.asked[:60] in every.stdout for one in QUESTIONS)
    assert "no noise (f(x) - f* at 3.072e+05 bits sent and received per worker):" in every.stdout
    one = CliRunner().invoke(app, ["question", "heterogeneity", "--out", str(tmp_path)])
    assert one.exit_code == 0 and "D-PSGD" in one.stdout
    assert sorted(p.name for p in tmp_path.glob("*.png")) == [
        "heterogeneity-1.png", "heterogeneity-2.png"
    ]  # fmt: skip
    data = CliRunner().invoke(app, ["question", "bits", "--json"])
    assert json.loads(data.stdout) == {"bits": kept.stored()["bits"]}
    assert CliRunner().invoke(app, ["question", "bit"]).exit_code == 2


def test_the_page_shows_every_answer(tmp_path: Path) -> None:
    shown = questions(tmp_path)
    page = environment().get_template("questions.html.j2").render(
        questions=shown, number=kept.number, pages=(), up="", here="questions.html", date="",
        missing=0, preset="quick", timing="", done=0,
    )  # fmt: skip
    for one in QUESTIONS:
        assert f'id="{one.key}"' in page
        for number in range(1, len(one.parts) + 1):
            drawn = (tmp_path / "questions" / f"{one.key}-{number}.webp").exists()
            assert drawn == ("curves" in kept.stored()[one.key]["parts"][number - 1])


def test_numbers_of_a_state_are_those_of_the_methods_definitions() -> None:
    """D-PSGD keeps its model; D-squared the last step too; error feedback a memory in every worker
    and one model for all; gradient tracking model, direction and last gradient."""
    few = ("d-psgd", "d2", "top-k", "gradient-tracking", "bsp-sgd")
    arms = tuple(QuestionArm(key, key) for key in few)
    found = counted(StateCount("numbers", lambda: problem("quadratic-unequal", 4), arms))
    assert {one["name"]: (one["own"], one["common"]) for one in found["rows"]} == {
        "bsp-sgd": (0, 1), "d-psgd": (1, 0), "d2": (2, 0), "top-k": (1, 1),
        "gradient-tracking": (3, 0),
    }  # fmt: skip
    stored = {one["name"]: one for one in kept.stored()["memory"]["parts"][0]["rows"]}
    assert all(stored[one["name"]] == one for one in found["rows"] if one["name"] in stored)


@pytest.mark.parametrize(
    ("name", "same"),
    [("quadratic-sc-iid", True), ("quadratic-unequal", False), ("logreg-breast-cancer", False)],
)
def test_data_are_alike_where_the_problem_states_no_heterogeneity(name: str, same: bool) -> None:
    assert alike(problem(name, 4)) is same


def test_answers_hold_no_number_that_json_lacks() -> None:
    found = answered(replace(BY_KEY["meetings"], parts=(SMALL,)))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert all(math.isfinite(value) for value in found["parts"][0]["curves"][0]["x"])
