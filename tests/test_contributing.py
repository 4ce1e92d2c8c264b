"""CONTRIBUTING.md, followed to the letter in a copy of the project."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.processes

Telling = tuple[str, int, str, str]
HOUSE = Path(__file__).absolute().parents[1]
PAGE = HOUSE / "CONTRIBUTING.md"
COPIED = ("theory", "algorithms", "proofs_check", "experiments", "tests")
FILE = re.compile(
    r"^(New file|At the end of) `([^`]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def linked(source: str, target: str) -> str:
    """A copy that costs nothing; what is written to later is replaced, not changed."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with every file that the page names."""
    home = tmp_path_factory.mktemp("contributed") / "house"
    for floor in COPIED:
        shutil.copytree(HOUSE / floor, home / floor, copy_function=linked)
    for name in ("pyproject.toml", "rateproof.py"):
        shutil.copy2(HOUSE / name, home)
    for how, name, text in FILE.findall(PAGE.read_text(encoding="utf-8")):
        path = home / name
        assert path.exists() == (how != "New file"), f"{how} {name}"
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(before + text, encoding="utf-8")
    return home


def call(copy: Path, *words: str) -> str:
    """Standard output of a Python module that ends with code 0."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=copy,
        env=kept | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def commands() -> list[list[str]]:
    """The page's calls of the command line, in words."""
    lines = "".join(SHELL.findall(PAGE.read_text(encoding="utf-8"))).splitlines()
    return [shlex.split(line) for line in lines]


def test_the_page_names_a_command_for_every_kind() -> None:
    assert [words[:2] for words in commands()] == [
        ["rateproof", verb]
        for verb in ("check", "topologies", "check", "run", "figure", "timeline", "timeline")
    ]


TELLS = """
import json, sys
from typer.testing import CliRunner
from experiments.cli.main import app
for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    print(json.dumps([words[0], done.exit_code, done.stdout, done.stderr]))
"""


@pytest.fixture(scope="module")
def tellings(copy: Path) -> list[Telling]:
    """Command, exit code and what was printed, of all commands of the page, called by one process:
    each of its own would import everything again."""
    (copy / "tells.py").write_text(TELLS, encoding="utf-8")
    words = [[*rest, "--json"] for (_, *rest) in commands()]
    return [tuple(json.loads(line)) for line in call(copy, "tells", json.dumps(words)).splitlines()]


def told(tellings: list[Telling], kind: str, number: int) -> Any:
    """JSON of the page's command."""
    verb, code, printed, wrong = tellings[number]
    assert verb == kind
    assert code == 0, printed + wrong
    return json.loads(printed)


@pytest.mark.slow
def test_the_compressor_is_checked_by_its_name(tellings: list[Telling]) -> None:
    verdicts = told(tellings, "check", 0)
    assert {verdict["subject"] for verdict in verdicts} == {"halved"}
    assert "refuted" not in {verdict["outcome"] for verdict in verdicts}
    assert any("0.75" in verdict["claim"] for verdict in verdicts)


def test_the_topology_is_in_the_table(tellings: list[Telling]) -> None:
    rows = {row["name"]: row for row in told(tellings, "topologies", 1)}
    assert rows["wheel(n=8)"]["gap"] > rows["ring(n=8)"]["gap"]


def test_the_problem_is_checked_by_its_name(tellings: list[Telling]) -> None:
    verdicts = told(tellings, "check", 2)
    assert {verdict["subject"] for verdict in verdicts} == {"stretched"}
    assert "refuted" not in {verdict["outcome"] for verdict in verdicts}


LISTED = """
from proofs_check.prepare import run_cell
from proofs_check.suite import cells
for cell in cells("quick"):
    if cell.row == "exact-descent" or "exact_descent" in cell.check:
        print(cell.check.split()[0], cell.problem)
        if not cell.check.startswith("run"):
            for verdict in run_cell(cell).verdicts:
                assert verdict.outcome.value != "refuted", verdict
"""


@pytest.mark.slow
def test_theorem_and_method_are_cells_of_the_survey_that_hold(copy: Path) -> None:
    (copy / "listed.py").write_text(LISTED, encoding="utf-8")
    found = set(call(copy, "listed").splitlines())
    assert found >= {"run stretched", "run quadratic-sc", "bound stretched", "proof "}
    assert "effect quadratic-sc" in found


def test_the_method_runs_under_its_theorem(tellings: list[Telling]) -> None:
    run = told(tellings, "run", 3)
    assert run["theorem"] and run["curves"]["mean"][-1] < run["curves"]["bound"][-1]


def test_the_figure_is_drawn(copy: Path, tellings: list[Telling]) -> None:
    drawn = told(tellings, "figure", 4)
    assert drawn["verdict"] == "reproduced"
    assert all((copy / path).stat().st_size > 100 for path in drawn["files"])


def test_the_model_and_the_schedule_have_timelines(copy: Path, tellings: list[Telling]) -> None:
    model, schedule = (told(tellings, "timeline", number) for number in (5, 6))
    assert model["model"] == "perceptron" and model["schedule"] == "WFBP"
    assert schedule["schedule"] == "layer by layer"
    # 16 tensors in 8 layers: eight start-ups of a ring of 16 less than WFBP, at the most
    trace = next(path for path in schedule["files"] if path.endswith(".json"))
    events = json.loads((copy / trace).read_text(encoding="utf-8"))["traceEvents"]
    assert sum(event.get("cat") == "communication" for event in events) == 8


@pytest.mark.slow
def test_nothing_on_the_page_stays_unnoticed(copy: Path) -> None:
    """What names unused files and unproved theorems is content with the files of the page."""
    members = "test_members and not contributing"
    # Those of all other theorems are test_proofs.py itself.
    proofs = "test_proofs and (planted_failure or exact_descent)"
    files = ("tests/test_members.py", "tests/proofs_check/proofs/test_proofs.py")
    words = ("-q", "-p", "no:cacheprovider", "-k", f"({members}) or ({proofs})")
    passed = call(copy, "pytest", *words, "-rA", *files)
    assert "planted_constant_is_refuted[exact_descent" in passed
    assert "has_a_proof_of_its_name[exact_descent" in passed
