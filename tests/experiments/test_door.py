"""``import rateproof`` and the command, from a folder whose packages have the names of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rateproof
from algorithms.compressors.top_k import TopK
from algorithms.topologies.ring import Ring
from proofs_check.audit import named
from proofs_check.audit.claims import Stated
from proofs_check.audit.loading import PACKAGES
from proofs_check.audit.plan import Plan
from proofs_check.verdict import Outcome
from tests.experiments.calls import HANGS
from tests.proofs_check.audit import sound, users_hooks

pytestmark = pytest.mark.processes

HOME = Path(rateproof.__file__).parent
THEIRS = "raise RuntimeError('a package of the user was imported for ours')\n"
MINE = """
def half(x):
    return 0.5 * x
"""
CLASHING = "from algorithms.their_own import thing\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project with packages called algorithms and experiments, and a module."""
    for name in ("algorithms", "experiments"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(THEIRS)
    (tmp_path / "algorithms" / "their_own.py").write_text("thing = 1\n")
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "clashing.py").write_text(CLASHING)
    return tmp_path


def called(project: Path, *words: str, ahead: bool) -> subprocess.CompletedProcess[str]:
    """The command in the user's folder; ``ahead``: with that folder first on PYTHONPATH."""
    path = [str(project), str(HOME)] if ahead else [str(HOME)]
    return subprocess.run(
        [sys.executable, "-c", "import rateproof; rateproof.main()", *words],
        cwd=project,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )


@pytest.mark.parametrize("ahead", [False, True])
def test_the_command_takes_its_own_packages(project: Path, ahead: bool) -> None:
    done = called(project, "list", "--json", ahead=ahead)
    assert done.returncode == 0, done.stderr
    assert {"qsgd", "choco-sgd"} <= {row["key"] for row in json.loads(done.stdout)}
    assert "hide" in done.stderr and str(project / "algorithms") in done.stderr


UNSETTLED = """
from pathlib import Path
place = Path(r"{place}")
source = place.read_text(encoding="utf-8")
assert source.count("\\n_settle(") == 1
door = {{"__name__": "rateproof", "__file__": str(place)}}
exec(source.replace("\\n_settle(", "\\n(lambda tell: None)("), door)
door["main"]()
"""


@pytest.mark.parametrize("ahead", [False, True])
def test_a_door_that_settles_nothing_takes_the_strangers_packages(
    project: Path, ahead: bool
) -> None:
    """The mutant of the test above: without that one line the command dies."""
    path = [str(project), str(HOME)] if ahead else [str(HOME)]
    done = subprocess.run(
        [sys.executable, "-c", UNSETTLED.format(place=HOME / "rateproof.py"), "list", "--json"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 1
    assert THEIRS.split("'")[1] in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [False, True])
def test_a_users_compressor_is_audited_from_there(project: Path, ahead: bool) -> None:
    words = ("audit", "mine:half", "--delta", "0.75", "-d", "8", "--samples", "100", "--json")
    done = called(project, *words, ahead=ahead)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["subject"] == "mine:half"


def test_a_module_that_needs_its_own_package_is_told_so(project: Path) -> None:
    done = called(project, "audit", "clashing:thing", ahead=False)
    assert done.returncode == 2
    assert f"which hides {project / 'algorithms'}" in done.stderr


def test_a_package_that_is_loaded_already_is_named(project: Path) -> None:
    (project / "algorithms" / "__init__.py").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", "import algorithms; import rateproof"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 1
    assert "ImportError: rateproof has a package called algorithms" in done.stderr


@pytest.mark.slow
def test_worker_processes_take_the_same_packages(project: Path) -> None:
    done = called(project, "survey", "--row", "fdla", "--out", "out", ahead=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / "out" / "index.html").exists()


def test_the_door_and_the_audit_name_the_same_packages() -> None:
    lying = {place.parent.name for place in HOME.glob("*/__init__.py")}
    assert set(rateproof.PACKAGES) == set(PACKAGES) == lying - {"tests", "benchmarks"}


def test_a_notebook_runs_and_compares() -> None:
    options = {"n": 4, "steps": 40, "replicas": 3, "seed": 1}
    both = rateproof.compare(["bsp-sgd", "qsgd"], "quadratic-sc", tuning="theorem", **options)
    alone = rateproof.run("bsp-sgd", "quadratic-sc", **options)
    frame = both.frame[both.frame["row"] == "bsp-sgd"]
    trace = alone.played.trace
    assert np.array_equal(frame["error"].to_numpy(), trace.suboptimality.ravel())
    ends = both.frame.groupby("row")["bits"].max()
    assert 0.98 * both.budget <= ends["qsgd"] <= both.budget == ends["bsp-sgd"]
    assert [one.key for one in both.entrants] == ["bsp-sgd", "qsgd"]
    halved = rateproof.run("local-sgd", "quadratic-sc", period=4, **options).played.trace
    every = rateproof.run("local-sgd", "quadratic-sc", period=8, **options).played.trace
    assert halved.sent_bits[0, -1] == 2 * every.sent_bits[0, -1]
    assert {"qsgd", "bsp-sgd"} <= set(rateproof.rows())
    assert len(rateproof.rows(ready=False)) > len(rateproof.rows())


def test_a_notebook_checks_what_it_is_given() -> None:
    for thing in (TopK(2), Ring(5)):
        verdicts = rateproof.check(thing, d=8)
        assert verdicts and all(v.outcome is not Outcome.REFUTED for v in verdicts)
    with pytest.raises(TypeError, match="got int; audit"):
        rateproof.check(3)


def test_a_notebook_audits_a_hook_as_the_command_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(named, "audit_hook", lambda *words: asked.append(words))
    name = f"{users_hooks.__name__}:half_of_it"
    options = {"delta": "3/4", "d": 8, "samples": 100, "matrix": True}
    for hook in (users_hooks.half_of_it, name):
        rateproof.audit(hook, **options)
    rateproof.audit("torch:fp16", d=8, ranks=3)
    stated, plan = Stated(delta="3/4"), Plan(d=8, samples=100)
    assert asked == [(name, stated, plan, 2, True)] * 2 + [("fp16", Stated(), Plan(d=8), 3)]
    with pytest.raises(ValueError, match=r"DDP hook .* 'MODULE:ATTRIBUTE' would do"):
        rateproof.audit(lambda state, bucket: users_hooks.half_of_it(state, bucket))


@pytest.mark.slow
def test_a_notebook_gives_matrices_and_other_processes_are_asked() -> None:
    found = rateproof.audit(sound.identity, d=8, samples=100, matrix=True)
    assert "given matrices" in found.kind
    assert {one.check for one in found.behaviour} >= {"processes"}
    told: list[str] = []
    rateproof.audit(lambda x: x, d=8, samples=100, tell=told.append)
    assert told[0] == "trying it" and "claims" in told


def test_a_notebook_audits_a_function() -> None:
    found = rateproof.audit(lambda x: 0.5 * x, delta="c", c=0.75, d=8)
    assert not found.refuted
    assert rateproof.audit(lambda x: 0.5 * x, delta="c", c=0.8, d=8).refuted
