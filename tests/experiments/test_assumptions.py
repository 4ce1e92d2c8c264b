"""``rateproof assumptions``: constants found beside those stated, and which theorems apply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rateproof
from algorithms.catalogue import problem
from experiments.commands.assumptions import record_of
from proofs_check.mutants.problems import stating
from tests.experiments.calls import call, refuse
from theory.theorems import PROVED_ONLY, THEOREMS

MINE = """
import torch
import rateproof
from theory.constants import Constants

torch.manual_seed(0)
x = torch.randn(40, 3)
NET = torch.nn.Linear(3, 1)
LOSS = torch.nn.functional.mse_loss
PROBLEM = rateproof.module_problem(NET, LOSS, x, x.sum(1, keepdim=True), n=4, batch=2)
TOO_SMOOTH = rateproof.module_problem(
    NET, LOSS, x, x.sum(1, keepdim=True), n=4, stated=Constants().state(L=0.1, f_star=0.0)
)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_model.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(tmp_path))


def by_name(record: dict[str, Any], part: str) -> dict[str, Any]:
    return {one["name"]: one for one in record[part]}


def test_logistic_regression_states_more_than_is_found() -> None:
    code, out, told = call("assumptions", "logreg-breast-cancer", "-n", "4", "-T", "20", "--json")
    record = json.loads(out)
    found = [line for line in told.splitlines() if line.endswith(": supported")]
    assert found[0].startswith("note: f_star: stated ")
    assert found[-1].startswith("note: G2: stated "), "those that cost most come last"
    assert code == 0
    constants = by_name(record, "constants")
    assert {one["outcome"] for one in constants.values()} == {"supported", None}
    for name in ("sigma2", "zeta2", "G2"):
        assert constants[name]["stated_over_found"] > 1
    assert constants["L"]["stated_over_found"] == pytest.approx(1, rel=1e-9)
    low, high = constants["sigma2"]["interval"]
    assert low < constants["sigma2"]["found"] < high
    theorems = by_name(record, "theorems")
    assert theorems["bsp_strongly_convex"]["standing"] == "applies"
    assert theorems["signsgd"]["lacks"]["missing"] == ["L_one", "sigma_one"]


def test_a_module_gets_its_constants_and_the_theorems_that_lean_on_them(mine: None) -> None:
    """Least squares of a linear model: L and mu are eigenvalues of 2 A^T A / N, bias included."""
    import numpy as np

    code, out, _ = call("assumptions", "mine_model:PROBLEM", "-T", "20", "--json")
    record = json.loads(out)
    assert code == 0
    constants = by_name(record, "constants")
    from mine_model import PROBLEM  # type: ignore[import-not-found]

    a = PROBLEM.features.flatten(0, 1).numpy()
    a = np.hstack((a, np.ones((len(a), 1))))
    values = np.linalg.eigvalsh(2 * a.T @ a / len(a))
    assert constants["L"]["found"] == pytest.approx(values[-1], rel=1e-9)
    assert constants["mu"]["found"] == pytest.approx(values[0], rel=1e-9)
    bsp = by_name(record, "theorems")["bsp_strongly_convex"]
    assert bsp["standing"] == "applies along runs"
    assert bsp["leans_on"] == ["L", "mu", "sigma2", "R2"]


def test_a_smoothness_that_a_slope_exceeds_is_refuted(mine: None) -> None:
    code, out, _ = call("assumptions", "mine_model:TOO_SMOOTH", "-T", "5")
    assert code == 1
    assert "refuted" in out


def test_what_curves_down_is_told_so() -> None:
    code, out, _ = call("assumptions", "module-diabetes", "-n", "2", "-T", "10")
    assert code == 0
    assert "bsp_nonconvex (through bsp-sgd): L, sigma2 as found" in out
    assert "no mu is known to hold everywhere (found <= -" in out


def test_every_theorem_on_problems_is_told_once() -> None:
    told = rateproof.assumptions("quadratic-sc", n=4, steps=5)["theorems"]
    names = [one["name"] for one in told]
    assert len(names) == len(set(names))
    silent = {one.name for one in (*THEOREMS, *PROVED_ONLY)} - set(names)
    assert silent == {
        "choco_gossip", "gossip_averaging", "push_sum_uniform", "quantised_consensus",
        "randomised_gossip",
    }  # fmt: skip


def test_a_constant_that_is_taken_away_is_named() -> None:
    honest = problem("quadratic-sc", 4)
    assert record_of(honest, 5, 0)["theorems"]
    wrong = record_of(stating("quadratic-sc", "mu", 1.05), 5, 0)
    assert by_name(wrong, "constants")["mu"]["outcome"] == "refuted"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("quadratic-s",), "nearest: quadratic-sc"),
        (("quadratic-sc", "-n", "1"), "n must be at least 2"),
        (("quadratic-sc", "-T", "0"), "T must be at least 1"),
        (("mine_model:NET",), "rateproof.module_problem"),
        (("mine_model:LOSS",), "must be a"),
    ],
)
def test_bad_input(mine: None, words: tuple[str, ...], told: str) -> None:
    refuse(("assumptions", *words), told)
