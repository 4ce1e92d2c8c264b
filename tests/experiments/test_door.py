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
from proofs_check.audit.own_folders import PACKAGES
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
CLASHING = """
import algorithms.their_own as mine
import theory
from algorithms.compressors.base import Compressor
from algorithms.their_own import half as thing
from experiments import scale


def later(x):
    from algorithms.deeper.still import half
    from proofs_check.verdict import Verdict

    assert issubclass(Compressor, object) and Verdict.__module__ == "proofs_check.verdict"
    assert mine.half is thing and theory.NAME == "a module of the user"
    return half(x)
"""
OWN = {
    "algorithms/their_own.py": "from .deeper.still import half\n",
    "algorithms/deeper/still.py": "from experiments.scale import SHARE\n"
    "def half(x):\n    return SHARE * x\n",
    "experiments/scale.py": "SHARE = 0.5\n",
    "theory.py": "NAME = 'a module of the user'\n",
}
"""A user's packages: one with an ``__init__.py``, one without, a module; they import each other."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project with packages called algorithms and experiments, and a module."""
    for name in ("algorithms", "experiments"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(THEIRS)
    (tmp_path / "mine.py").write_text(MINE)
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


def clashing(project: Path) -> None:
    """Packages of the user that its module ``clashing`` imports beside ours."""
    (project / "experiments" / "__init__.py").unlink()
    (project / "algorithms" / "__init__.py").write_text("")
    (project / "clashing.py").write_text(CLASHING)
    for name, text in OWN.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("name", ["clashing:thing", "clashing:later", "algorithms.their_own:half"])
def test_a_module_finds_packages_of_its_own_with_our_names(
    project: Path, name: str, ahead: bool
) -> None:
    """Half of x is lost: 1/4 of ||x||^2, in this process and in the one that the audit starts."""
    clashing(project)
    words = ("audit", name, "--delta", "0.75", "-d", "8", "--samples", "100", "--json")
    done = called(project, *words, ahead=ahead)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["subject"] == name
    assert {one["outcome"] for one in found["claims"]} <= {"supported", "proved", "agrees"}
    assert "could not be imported" not in done.stdout


def test_what_a_users_package_lacks_is_told(project: Path) -> None:
    clashing(project)
    (project / "gone.py").write_text("from algorithms.nowhere import thing\n")
    done = called(project, "audit", "gone:thing", ahead=False)
    assert done.returncode == 2
    told = f"neither {project / 'algorithms'} nor rateproof's own package of that name has it"
    assert told in done.stderr
    (project / "by_name.py").write_text(
        "from importlib import import_module\nimport_module('algorithms.their_own')\n"
    )
    done = called(project, "audit", "by_name:thing", ahead=False)
    assert done.returncode == 2 and "by a computed name algorithms means" in done.stderr


def test_where_no_folder_has_such_a_name_modules_are_imported_as_ever(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("import algorithms.compressors.top_k as thing\n")
    (tmp_path / "algorithms").mkdir()  # of data, say
    asked = (
        "import sys, rateproof; from proofs_check.audit.loading import imported;"
        "sys.path.append('.'); thing = imported('plain:thing'); print(thing.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.stdout == "algorithms.compressors.top_k\n", done.stderr


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
    trace = alone.result.trace
    assert np.array_equal(frame["error"].to_numpy(), trace.suboptimality.ravel())
    ends = both.frame.groupby("row")["bits"].max()
    assert 0.98 * both.budget <= ends["qsgd"] <= both.budget == ends["bsp-sgd"]
    assert [one.key for one in both.entrants] == ["bsp-sgd", "qsgd"]
    halved = rateproof.run("local-sgd", "quadratic-sc", period=4, **options).result.trace
    every = rateproof.run("local-sgd", "quadratic-sc", period=8, **options).result.trace
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
