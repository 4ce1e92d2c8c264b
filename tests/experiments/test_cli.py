"""The command line: what it prints, what it refuses, its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import FORMS, PROBLEMS, ROWS
from algorithms.compressors.scaled_sign import ScaledSign
from experiments.commands.check import find
from experiments.reporting.table import results_table, write_table
from experiments.storage.store import Stored
from experiments.survey import Survey
from proofs_check.cell import CellKind
from proofs_check.prepare import run_cell
from proofs_check.suite import cells
from tests.experiments.calls import HANGS, call, refuse
from theory.survey.rows import SINCE_ROWS, SURVEY_ROWS

PLANNED = tuple(row.key for row in ROWS if row.state == "planned")[:1]
"""A row that is not ready, while there is one."""

SMALL = ("-n", "4", "-T", "40", "--replicas", "4")


def call_json(*words: str) -> Any:
    code, out, err = call(*words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_list_is_one_object_per_row() -> None:
    rows = call_json("list")
    assert [row["key"] for row in rows if row["surveyed"]] == [row.key for row in SURVEY_ROWS]
    assert {r["key"] for r in rows if not r["surveyed"]} == {r.key for r in SINCE_ROWS}
    names = {entry.name for entry in PROBLEMS}
    for row in rows:
        assert set(row) >= {"key", "family", "state", "claims", "theorems", "results", "problems"}
        runs = row["state"] == "ready" and row["kind"] == "method"
        assert bool(row["theorems"] or row["why"]) == runs == bool(row["problems"])
        assert row["state"] in ("ready", "planned")
        assert bool(row["parts"]) == (row["kind"] != "method")
        assert set(row["problems"]) <= names
    top = next(row for row in rows if row["key"] == "terngrad")
    assert any("= 4.5" in claim for claim in top["claims"]), "(sqrt(100) - 1) / 2"


def test_list_tells_what_a_survey_found_of_a_row(tmp_path: Path) -> None:
    rows = {row["key"]: row for row in call_json("list", "--report", str(tmp_path))}
    assert rows["d2"]["effect"]["verdict"] is None, "nothing was measured in this folder"
    cell = next(c for c in cells("quick") if (c.kind, c.row) == (CellKind.EFFECT, "d2"))
    stored = Stored(run_cell(cell), 0.1)
    found = Survey(((cell, stored),), (), 0, 0.1, {cell: "made"})
    write_table(results_table(found), tmp_path / "results.parquet")
    rows = {row["key"]: row for row in call_json("list", "--report", str(tmp_path))}
    told = rows["d2"]["effect"]
    assert told["verdict"] == "supported" and told["number"] < 1e-6
    assert told["sentence"].startswith("workers that differ leave no error floor: f(x_t) - f*")
    (tmp_path / "results.parquet").write_bytes(b"PAR1")
    code, _, err = call("list", "--report", str(tmp_path))
    assert code == 2 and "is no results table" in err and "`make survey` writes it anew" in err


def test_forms_are_listed_and_run(tmp_path: Path) -> None:
    rows = call_json("list", "--forms")
    listed = {f"{row['key']}:{form['name']}" for row in rows for form in row["forms"]}
    assert listed == set(FORMS) and all(row["forms"] for row in rows)
    words = ("-p", "quadratic-sc", *SMALL, "--out", str(tmp_path))
    one = call_json("run", "lag", "--form", "ps", *words)
    other = call_json("run", "lag:ps", *words)
    assert one["curves"] == other["curves"] and one["row"] == "lag:ps"
    code, _, err = call("run", "lag", "--form", "pss", *words)
    assert code == 2 and "unknown form 'lag:pss'; nearest: lag:ps" in err


def test_list_names_every_row_to_people_too() -> None:
    code, out, _ = call("list")
    assert code == 0
    assert all(row.key[:20] in out for row in ROWS)
    assert sum(row.why != "" for row in ROWS) == out.count("no theorem  ")
    assert all(entry.name in out and entry.title.split()[0] in out for entry in PROBLEMS)


def test_run_reports_the_trace_and_its_bound(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path))
    data = call_json("run", "bsp-sgd", "--problem", "quadratic-sc", *SMALL, *out)
    assert (data["n"], data["steps"], data["replicas"], data["seed"]) == (4, 40, 4, 0)
    curves = {name: np.array(curve, dtype=float) for name, curve in data["curves"].items()}
    assert curves["steps"][0] == 0
    assert curves["steps"][-1] == 40
    np.testing.assert_array_equal(curves["bits"], 2 * 64 * data["d"] * curves["steps"])
    there_and_back = 2 * (5e-5 + 1e-9 * 64 * data["d"])  # a link of 1 Gbit/s
    least = np.diff(curves["steps"]) * (there_and_back + 5e-4)  # and half a millisecond of work
    assert np.all(np.diff(curves["seconds"]) > least)
    assert np.all(curves["mean"][1:] < curves["bound"][1:])
    assert curves["bound"][0] != curves["bound"][0], "no bound before the first step"
    files = [Path(path) for path in data["files"]]
    assert [path.suffix for path in files] == [".png", ".svg"]
    assert files[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in files[1].read_bytes()
    again = call_json("run", "bsp-sgd", "--problem", "quadratic-sc", *SMALL, *out)
    assert again["curves"] == data["curves"]
    other = call_json("run", "bsp-sgd", "-p", "quadratic-sc", *SMALL, *out, "--seed", "1")
    assert other["curves"]["mean"] != data["curves"]["mean"]


def test_run_with_one_replica_has_no_interval(tmp_path: Path) -> None:
    words = ("run", "qsgd", "-p", "quadratic-sc", "-n", "4", "-T", "20", "--replicas", "1")
    code, out, err = call(*words, "--out", str(tmp_path))
    assert code == 0, err
    assert "one replica: no interval" in out
    assert "theorem:" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("chek", "top-k"), "unknown command 'chek'; nearest: check, cite; "),
        (("--frobnicate",), "no such option: --frobnicate; "),
        (("run", "qsdg", "-p", "quadratic-sc"), "unknown row 'qsdg'; nearest: qsgd"),
        (("run", "qsgd", "-p", "quadratic-cs"), "nearest: quadratic-sc"),
        (("run", "qsgd", "-p", "quadratic-sc", "-n", "1"), "n must be at least 2, got n=1"),
        (("run", "qsgd", "-p", "quadratic-sc", "-T", "0"), "T must be at least 1, got T=0"),
        (
            ("run", "qsgd", "-p", "quadratic-sc", "--gamma", "-0.1"),
            "gamma must be positive and finite, got gamma=-0.1; without --gamma a theorem",
        ),
        (
            ("run", "fdla", "-p", "consensus", "-n", "4", "--gamma", "0.1"),
            "row 'fdla' has no stepsize, got gamma = 0.1; leave it out",
        ),
        (
            ("run", "qsgd", "-p", "quadratic-sc", "--replicas", "0"),
            "replicas must be at least 1, got replicas=0",
        ),
        (
            ("run", "qsgd", "-p", "quadratic-sc", "--replicas", "1", "--spread"),
            "replicas must be at least 2, got replicas=1",
        ),
        (
            ("run", "allreduce-ring", "-p", "quadratic-sc"),
            "is a collective, not a method",
        ),
        (("run", "choco-gossip", "-p", "quadratic-sc"), "consensus would do"),
        (("run", "fdla", "-p", "quadratic-sc", "-n", "4"), "takes no gradient after the start"),
        (
            ("run", "qsgd", "-p", "quadratic-sc", "--out", "/dev/null/x"),
            "out must be a folder that can be written to, got out=/dev/null/x",
        ),
        (
            ("refute", "bsp_nonconvex", "--budget", "0.1", "--script", "/dev/null/x.py"),
            "script must be a file that can be written, got script=/dev/null/x.py",
        ),
        (("check", "QSGD(s=5)"), "nearest: QSGD(s=4)"),
        (("check", "scaled sgn"), "nearest: scaled sign"),
        *((("check", key), "nothing to check yet") for key in PLANNED),
        (("check", "no_such_module:X"), "importable from here, got name=no_such_module:X"),
        (("check", "json:dumps"), "must be a Compressor"),
        (("check", "top-k", "-d", "0"), "d must be at least 1, got d=0"),
        (("survey", "--preset", "quik"), "preset must be one of quick, full, got preset=quik"),
        (("survey", "--out", "/dev/null/x"), "got out=/dev/null/x"),
        (("survey", "--row", "qsdg"), "unknown row 'qsdg'; nearest: qsgd"),
        (("run", "bsp"), "unknown row 'bsp'; nearest: bsp-sgd"),
        *((("survey", "--row", key), f"got row={key}, which is planned") for key in PLANNED),
        (("crossval", "--ranks", "0"), "ranks must be at least"),
        (("list", "-d", "0"), "d must be at least 1, got d=0"),
    ],
)
def test_bad_input_is_named_with_what_would_do(words: tuple[str, ...], told: str) -> None:
    refuse(words, told)


def test_check_knows_every_operator_of_every_row_by_its_reported_name() -> None:
    operators = [operator for r in ROWS for operator in r.operators]
    assert len({operator.name for operator in operators}) == len(set(operators)) > 80
    for operator in operators:
        assert find(operator.name) == operator
    assert find("scaled sign") == ScaledSign()  # a second operator of its row


def test_check_of_an_operator_gives_verdicts_with_evidence() -> None:
    verdicts = call_json("check", "QSGD(s=4)", "-d", "9")
    assert {verdict["outcome"] for verdict in verdicts} <= {"proved", "agrees", "supported"}
    assert all(verdict["evidence"] and verdict["provenance"] for verdict in verdicts)
    assert any(verdict["check"] == "exact enumeration" for verdict in verdicts)


WRONG = """
from algorithms.compressors.rand_k import RandK
from theory.claims import Source, Unbiased
from algorithms.compressors.base import Compressor

class Biased(Compressor):
    inner = RandK(0.5, scaled=False)
    name = "Biased"
    def claims(self, d):
        return (Unbiased(Source("nobody", 2026)),)
    def layout(self, d, dtype):
        return self.inner.layout(d, dtype)
    def encode(self, x, draws):
        return self.inner.encode(x, draws)
    def decode(self, symbols, d, dtype, draws):
        return self.inner.decode(symbols, d, dtype, draws)
    def stated_bits(self, d, float_bits):
        return self.inner.stated_bits(d, float_bits)
"""


def rateproof(*words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """The console script's entry point in a process of its own."""
    command = [sys.executable, "-c", "from experiments.cli.main import main; main()", *words]
    home = str(Path(__file__).absolute().parents[2])
    return subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": home, "PYTHONSAFEPATH": "1"} | env,
        capture_output=True,
        text=True,
        timeout=HANGS,
    )


@pytest.mark.slow
@pytest.mark.processes
def test_a_users_own_operator_is_refuted_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(WRONG)
    (tmp_path / "json.py").write_text("raise SystemExit('a user file shadows the library')")
    done = rateproof("check", "mine:Biased", "-d", "4", "--json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    verdicts = json.loads(done.stdout)
    assert any(v["check"] == "exact enumeration" and v["outcome"] == "refuted" for v in verdicts)
    done = rateproof("check", "mine:Missing", cwd=tmp_path)
    assert done.returncode == 2
    assert "got name=mine:Missing" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_version_is_that_of_the_package() -> None:
    assert call("--version") == (0, f"rateproof {version('rateproof')}\n", "")


def test_an_interrupted_check_shows_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from experiments.commands import check
    from proofs_check.cell import Cell, CellResult
    from proofs_check.verdict import Outcome, Verdict

    ran: list[Cell] = []

    def run_cell(cell: Cell) -> CellResult:
        if ran:
            raise KeyboardInterrupt
        ran.append(cell)
        return CellResult((Verdict("qsgd", "found in time", "run", Outcome.SUPPORTED),))

    monkeypatch.setattr(check, "run_cell", run_cell)
    code, out, err = call("check", "qsgd", "--json")
    assert (code, out) == (130, "")
    assert "found in time" in err
    ran.clear()
    code, out, err = call("check", "qsgd")
    assert code == 130 and "found in time" in out
    assert out.splitlines()[-1] == "1 supported; nothing refuted"


def test_a_checked_row_says_why_no_theorem_tunes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from experiments.commands import check
    from proofs_check.cell import Cell, CellResult

    def run_cell(cell: Cell) -> CellResult:
        return CellResult((), {})

    monkeypatch.setattr(check, "run_cell", run_cell)
    told: list[Any] = []
    for key in ("strom-threshold", "qsgd"):
        list(check.check_named(key, 10, told.append))
    reasons = [line for line in told if line.startswith("no theorem tunes")]
    (why,) = (row.why for row in ROWS if row.key == "strom-threshold")
    assert reasons == [f"no theorem tunes strom-threshold: {why}"]


def test_a_survey_of_some_rows_has_their_cells_only() -> None:
    from experiments.commands.survey import cells_of

    some = cells_of("quick", ("qsgd", "top-k"))
    assert {cell.row for cell in some} == {"qsgd", "top-k"}
    everything = cells_of("quick", ())
    assert [cell for cell in everything if cell.row in ("qsgd", "top-k")] == list(some)
    assert {cell.row for cell in cells_of("quick", ("lag",))} == {"lag", "lag:ps"}
    assert any(cell.row == "" for cell in everything)


@pytest.mark.processes
def test_what_does_not_fit_into_memory_is_said_in_a_line(tmp_path: Path) -> None:
    words = ("run", "qsgd", "-p", "quadratic-sc", "-n", "4", "-T", "1", "--replicas", str(10**13))
    done = rateproof(*words, cwd=tmp_path)
    assert done.returncode == 1
    (line,) = (one for one in done.stderr.splitlines() if not one.startswith("note: "))
    assert line.startswith("error: not enough memory, fewer workers, replicas or")


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        ("--help", "torch numba numpy matplotlib sympy msgspec bibtexparser"),
        ("list --ready", "scipy.stats scipy.optimize pandas matplotlib sympy bibtexparser"),
        ("run qsgd -p quadratic-sc -n 4 -T 4 --replicas 2", "scipy.stats pandas seaborn sympy"),
        (
            "run d-psgd -p logreg-digits -n 4 -T 4 --replicas 2",
            "sklearn joblib pyarrow scipy.stats scipy.optimize pandas seaborn sympy",
        ),
        ("assumptions mlp-digits -n 2 -T 2", "torch._dynamo pandas seaborn"),
    ],
    ids=("help", "list", "synthetic", "data", "network"),
)
def test_a_command_does_not_wait_for_libraries_that_it_does_not_use(
    tmp_path: Path, words: str, unneeded: str
) -> None:
    made = ", experiments.listing.made" if words.startswith("list") else ""  # kept or not
    code = (
        f"import sys{made}; from experiments.cli.main import app\n"
        f"try: app({words.split()})\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"found = sys.modules.keys() & {set(unneeded.split())}\n"
        "assert not found, found"
    )
    home = str(Path(__file__).absolute().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": home},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    if words == "--help":
        assert all(word in done.stdout for word in ("list", "run", "check", "survey", "crossval"))


def test_crossval_says_where_the_worlds_differ(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from experiments.commands import crossval
    from proofs_check.verdict import Outcome, Verdict

    def compare(outcome: Outcome) -> Callable[..., tuple[Verdict, ...]]:
        return lambda ranks, rows: (Verdict("qsgd", f"on {ranks} ranks", "iterates", outcome),)

    monkeypatch.setattr(crossval, "compared_with_ranks", compare(Outcome.AGREES))
    assert crossval.crossval_command(4, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)[0]["claim"] == "on 4 ranks"
    monkeypatch.setattr(crossval, "compared_with_ranks", compare(Outcome.REFUTED))
    assert crossval.crossval_command(2, as_json=False) == 1
