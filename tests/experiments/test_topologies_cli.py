"""``rateproof topologies``: the table of spectra, and checks of a matrix of one's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from experiments.cli.main import app


def call(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["topologies", *words], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def test_the_table_has_known_spectra() -> None:
    code, out, _ = call("-n", "16", "--json")
    rows = {row["name"].split("(")[0]: row for row in json.loads(out)}
    assert code == 0 and len(rows) >= 14
    # published gaps of the ring and the torus of 16 (ChocoSGD's weights), and closed forms
    assert rows["ring"]["gap"] == pytest.approx(0.0507, abs=5e-5)
    assert rows["torus"]["gap"] == pytest.approx(0.4, abs=1e-12)
    assert rows["star"]["lam"] == pytest.approx(1 - 1 / 16, abs=1e-12)
    assert rows["hypercube"]["lam"] == pytest.approx(1 - 2 / 5, abs=1e-12)
    assert rows["directed ring"]["lam"] == pytest.approx(np.cos(np.pi / 16), abs=1e-12)
    assert rows["one-peer exponential"]["messages"] == 1 and rows["complete"]["messages"] == 15


@pytest.mark.parametrize("n", ["1", "2", "3", "5", "7", "12"])
def test_every_number_of_workers_has_a_table(n: str) -> None:
    code, out, err = call("-n", n)
    assert code == 0 and err == "" and "complete" in out
    assert not re.search(r"\de-1\d", out), "rounding is not shown"


def test_rules_of_weights_and_refusals_among_them() -> None:
    code, out, _ = call("-n", "8", "--weights", "metropolis-hastings-max")
    assert code == 0 and "refused" in out  # an even ring swaps its halves for ever
    code, _, err = call("--weights", "fastest")
    assert code == 2 and "unknown weights 'fastest'; known: best-constant, fdla" in err
    assert call("-n", "0")[0] == 2


def write(folder: Path, text: str) -> str:
    (folder / "w.csv").write_text(text, encoding="utf-8")
    return str(folder / "w.csv")


def test_a_good_matrix_gets_verdicts(tmp_path: Path) -> None:
    code, out, _ = call("--matrix", write(tmp_path, "0.75, 0.25\n0.25 0.75\n"))
    assert code == 0 and "proved" in out and "refuted" not in out
    assert "lam 0.5, gap 0.5, lam_n 0.5," in out  # eigenvalues 1 and 0.75 - 0.25


def test_json_of_a_matrix_holds_its_spectrum_beside_its_verdicts(tmp_path: Path) -> None:
    """Metropolis weights of the path of 3: eigenvalues 1, 2/3 and 0, worked out by hand."""
    path = "2/3 1/3 0\n1/3 1/3 1/3\n0 1/3 2/3\n"
    decimals = path.replace("1/3", repr(1 / 3)).replace("2/3", repr(2 / 3))
    code, out, _ = call("--matrix", write(tmp_path, decimals), "--json")
    told = json.loads(out)
    assert code == 0 and told["spectrum"]["n"] == 3 and told["spectrum"]["symmetric"]
    assert told["spectrum"]["lam"] == pytest.approx(2 / 3, abs=1e-12)
    assert told["spectrum"]["gap"] == pytest.approx(1 / 3, abs=1e-12)
    assert told["spectrum"]["lam_n"] == pytest.approx(0, abs=1e-12)
    assert {verdict["outcome"] for verdict in told["verdicts"]} & {"proved", "supported"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 0\n0 1\n", "worker 1 cannot hear from worker 0"),
        ("0.5 0.5\n0.4 0.6\n", "column 0 of W must sum to 1, got 0.9"),
        ("1.5 -0.5\n-0.5 1.5\n", "W[0, 1] must be non-negative, got -0.5"),
        ("1 x\n0 1\n", "line 1: could not convert string to float: 'x'"),
        ("1 0\n1\n", "line 2: 1 weights, the first line has 2"),
        ("", "square matrix"),
    ],
)
def test_a_bad_matrix_is_refused_by_its_place(tmp_path: Path, text: str, said: str) -> None:
    code, out, err = call("--matrix", write(tmp_path, text))
    assert code == 2 and out == "" and said in err and "w.csv" in err


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    code, _, err = call("--matrix", str(tmp_path / "none.csv"))
    assert code == 2 and "none.csv cannot be read" in err
