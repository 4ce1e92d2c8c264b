"""``rateproof audit``: what it prints, what it refuses, its exit codes."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import rateproof
from experiments.commands import audit as audit_words
from proofs_check.audit import audit as whole
from proofs_check.audit import measure, named, runner, trial
from proofs_check.audit import reporting as progress
from proofs_check.audit.plan import Plan
from proofs_check.audit.reporting import ProgressLine
from tests.experiments.calls import HANGS, call, refuse

pytestmark = pytest.mark.processes

HOME = Path(rateproof.__file__).parent

MINE = """
import os
import signal

import numpy as np

def half(x):
    print("a stranger may print")
    return 2 * x * (np.random.random(len(x)) < 0.5)

def sign(x):
    return np.where(x >= 0, 1.0, -1.0)

def top(x):
    y = np.zeros_like(x)
    kept = np.argsort(-np.abs(x))[:2]
    y[kept] = x[kept]
    return y

def by_hash(x):
    order = sorted(range(len(x)), key=lambda place: hash(str(place)))
    y = np.zeros_like(x)
    y[order[::2]] = x[order[::2]]
    return y

class Needs:
    def __init__(self, k):
        pass

    def compress(self, x):
        return x

class ErrorFeedback:
    # its residual has the size of the first vector

    def __init__(self):
        self.residual = None

    def compress(self, x):
        wanted = x + (np.zeros_like(x) if self.residual is None else self.residual)
        sent = np.zeros_like(x)
        kept = np.argsort(-np.abs(wanted))[: max(1, len(x) // 10)]
        sent[kept] = wanted[kept]
        self.residual = wanted - sent
        return sent

class Copies:
    def compress(self, x):
        return x.copy()

    def decompress(self, message):
        return message

class WornOut:
    calls = 0

    def compress(self, x):
        WornOut.calls += 1
        if WornOut.calls > 300:
            raise IndexError("worn out")
        return x

class Interrupts:
    in_20 = 0  # calls in R^20 without another in between: many where constants are measured

    def compress(self, x):
        if len(x) == 100 and Interrupts.in_20 > 100:
            os.kill(os.getpid(), signal.SIGINT)
        Interrupts.in_20 = Interrupts.in_20 + 1 if len(x) == 20 else 0
        return x / 2

class Nested:
    top = staticmethod(top)

def broken(x):
    raise KeyError("never")

def no_sixteen(x):
    if len(x) == 16:
        raise KeyError("sixteen")
    return x / 2

def refuses_sixteen(x):
    if len(x) == 16:
        raise ValueError("x must not have 16 entries, got 16; 15 would do")
    return x / 2

def by_norm(order):
    def halved(x):
        wide = x.astype(np.float64)
        norm = np.linalg.norm(wide, order)
        return (norm * (wide / norm) / 2).astype(x.dtype)
    return halved

by_sum, by_length, by_largest = by_norm(1), by_norm(2), by_norm(np.inf)

def by_python(x):
    top = max(float(abs(v)) for v in x)
    return np.array([float(v) / top * top for v in x], dtype=x.dtype)
"""

QUICK = ("-d", "20", "--samples", "300")
SEARCH = 2000
"""Calls of a search; that the default finds what it should, tests/proofs_check/audit tells."""


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_words, "Plan", partial(Plan, search=SEARCH))
    monkeypatch.setattr(progress, "EVERY", math.inf)  # on a busy machine lines come now and then
    (tmp_path / "strangers_module.py").write_text(MINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def audit(*words: str) -> tuple[int, str, str]:
    """The command without its last step, which repeats some calls in a process of their own, and
    without the first finding that a slow machine is told of."""
    with mock.patch.object(named, "_elsewhere", lambda _, found, matrix: found):
        code, out, err = call("audit", *words)
    lines = err.splitlines(keepends=True)
    return code, out, "".join(line for line in lines if " s  so far, " not in line)


def audit_elsewhere(*words: str) -> tuple[int, str, str]:
    """The whole command."""
    return call("audit", *words)


def test_claims_with_names_are_held_by_dimension() -> None:
    name = "strangers_module:top"
    words = ("--delta", "min(k, d)/d", "--let", "k=2", *QUICK)
    code, out, err = audit(name, *words)
    assert code == 0, err
    assert "class: contraction" in out
    assert "delta = min(k, d)/d (k = 2)" in out.replace("\n           ", "")
    assert "error 1e-09 a test, 1e-06 an audit" in " ".join(out.split()[-20:])
    code, out, _ = audit(name, "--delta", "1.2*min(k, d)/d", "--let", "k=2", *QUICK)
    assert code == 1
    assert "refuted" in out


def test_a_report_is_a_screen_of_what_was_found_and_all_of_it_on_request() -> None:
    """Everything refuted is named in either; what is left out is counted."""
    name = "strangers_module:sign"
    code, out, err = audit(name, *QUICK)
    assert code == 0, err
    assert len(out.splitlines()) <= 40 and out.count("worst in R^") == 1
    data = json.loads(audit(name, *QUICK, "--json")[1])
    words = " ".join(out.split())
    found = [one["check"] for one in data["behaviour"] if one["outcome"] in ("refuted", "compared")]
    assert len(found) > 7 and all(check in words for check in found)
    assert "class: neither" in out and "--all prints every check in full" in words
    code, whole, _ = audit(name, *QUICK, "--all")
    assert code == 0 and whole.count("worst in R^") == 5
    seen = " ".join(whole.split())
    assert all(one["check"] in seen for one in data["behaviour"]) and "not shown" not in whole
    assert audit(name, *QUICK, "--tsv")[1].count("\n") > len(data["behaviour"])


def test_what_saves_nothing_is_told_in_the_first_line() -> None:
    code, out, err = audit("strangers_module:Copies", "--bits", "32*d", "--delta", "2", *QUICK)
    assert code == 1, err
    first = out.splitlines()[0]
    assert first.startswith("strangers_module:Copies: the identity: C(x) = x at every vector")
    data = json.loads(audit("strangers_module:Copies", *QUICK, "--json")[1])
    assert data["headline"] in first
    assert data["complete"]


def test_json_is_pure_and_says_what_the_report_says() -> None:
    code, out, err = audit_elsewhere(
        "strangers_module:half", "--unbiased", "--omega", "1", *QUICK, "--json"
    )
    assert code == 0, err
    data: Any = json.loads(out)
    assert data["class"]["name"] == "unbiased"
    assert data["error"] == {"test": 1e-9, "audit": 1e-6}
    assert [one["d"] for one in data["dimensions"]] == [1, 4, 16, 20, 100]
    for one in data["dimensions"]:
        assert abs(one["omega"] - 1) <= one["ratio_half_width"], "P(kept) = 1/2, so omega = 1"
        assert one["delta"] == 1 - one["omega"]
    assert {claim["outcome"] for claim in data["claims"]} == {"supported"}
    checks = {one["check"]: one["outcome"] for one in data["behaviour"]}
    assert checks["determinism"] == "supported"
    assert checks["processes"] == "supported"


@pytest.mark.slow
def test_an_outcome_that_hangs_on_hashes_of_words_is_caught_in_other_processes() -> None:
    code, out, _ = audit_elsewhere("strangers_module:by_hash", *QUICK, "--json")
    assert code == 0, "no claim was given"
    data = json.loads(out)
    processes = next(one for one in data["behaviour"] if one["check"] == "processes")
    assert processes["outcome"] == "refuted"
    assert "PYTHONHASHSEED" in processes["evidence"]
    assert data["faulty"] and not data["refuted"]
    assert audit_elsewhere("strangers_module:by_hash", *QUICK, "--strict")[0] == 1


def test_dotted_attributes_and_torch_functions_are_found() -> None:
    assert audit_elsewhere("strangers_module:Nested.top", *QUICK)[0] == 0
    code, out, _ = audit("torch:sign", *QUICK)
    assert code == 0
    assert "class: neither" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("strangers_module:Needs",), "an instance, or a function without arguments"),
        (("strangers_module:absent",), "must be MODULE:ATTRIBUTE"),
        (("no_such_module:x",), "got name=no_such_module:x (ModuleNotFoundError"),
        (("strangers_module",), "must be MODULE:ATTRIBUTE"),
        (("torch:fp61",), "hooks are allreduce, fp16"),
        (("strangers_module:top", "--delta", "k/d"), "--let k=VALUE gives it one"),
        (("strangers_module:top", "--omega", "__import__('os')"), "is not allowed"),
        (("strangers_module:top", "--let", "k"), "let must be NAME=VALUE"),
        (("strangers_module:top", "-d", "0"), "d must be at least 1, got d=0"),
        (("strangers_module:top", "--samples", "5"), "samples must be at least 100"),
        (("strangers_module:top", "--ranks", "0"), "ranks must be at least 1"),
    ],
)
def test_bad_input_is_named_with_what_would_do(words: tuple[str, ...], told: str) -> None:
    refuse(("audit", *words), told)


def test_error_feedback_is_made_anew_for_every_dimension() -> None:
    code, out, err = audit("strangers_module:ErrorFeedback", *QUICK, "--json")
    assert code == 0, err
    state = next(v for v in json.loads(out)["behaviour"] if v["check"] == "state")
    assert state["outcome"] == "refuted" and "error feedback inside" in state["evidence"]


def test_a_subject_that_raises_at_every_vector_is_told_by_file_and_line() -> None:
    code, out, err = audit("strangers_module:broken", *QUICK)
    line = MINE.splitlines().index('    raise KeyError("never")') + 1
    assert (code, out) == (3, "")
    assert err.startswith("error: strangers_module:broken takes no vector of either kind")
    assert f"KeyError: 'never' (strangers_module.py, line {line})" in err


def test_a_subject_that_raises_half_way_is_told_by_file_and_line() -> None:
    code, out, err = audit("strangers_module:WornOut", *QUICK)
    line = MINE.splitlines().index('            raise IndexError("worn out")') + 1
    assert (code, out) == (3, "")
    assert err.startswith("error: strangers_module:WornOut raised IndexError: worn out")
    assert f"(strangers_module.py, line {line})" in err


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("no_sixteen", 3, "raises KeyError: 'sixteen' (strangers_module.py, line {}) for d = 16"),
        ("by_python", 3, "raises ZeroDivisionError: {} for x = (0)"),
        ("refuses_sixteen", 0, ""),
    ],
)
def test_a_crash_at_some_vectors_only_is_the_subjects_error(
    name: str, code: int, told: str
) -> None:
    """With a claim or without; the report is printed all the same. A ValueError is a refusal."""
    line = MINE.splitlines().index('        raise KeyError("sixteen")') + 1
    zero = MINE.splitlines().index(
        "    return np.array([float(v) / top * top for v in x], dtype=x.dtype)"
    )
    told = (
        told.format(line)
        if name == "no_sixteen"
        else told.format(f"float division by zero (strangers_module.py, line {zero + 1})")
    )
    found = audit(f"strangers_module:{name}", *QUICK)
    assert found[0] == code and "class: " in found[1]
    assert found[2].startswith(f"error: strangers_module:{name} {told}") if told else not found[2]
    found = audit(f"strangers_module:{name}", "--delta", "1/2", *QUICK, "--json")
    assert found[0] == code
    assert [told in one for one in json.loads(found[1])["crashes"]] == ([True] if told else [])


@pytest.mark.parametrize("name", ["by_sum", "by_length", "by_largest"])
def test_what_is_lost_at_zero_alone_is_printed_in_its_own_row(name: str) -> None:
    """Half of x, but 0 / 0 at zero: constants, worst vectors and sizes are told as of x / 2."""
    code, out, err = audit(f"strangers_module:{name}", "--delta", "3/4", *QUICK, "--all")
    assert code == 1, err
    assert "class: contraction, unbiased after scaling, except at zero" in out
    worst = [line for line in out.splitlines() if line.startswith("worst in R^")]
    assert len(worst) == 5 and not any("x = (0)" in line for line in worst)
    assert "0.5 +- " in out and "(inf)" not in out
    data = json.loads(audit(f"strangers_module:{name}", *QUICK, "--json")[1])
    for one in data["dimensions"]:
        assert one["bias"] == pytest.approx(0.5) and one["ratio"] == pytest.approx(0.25)
    rows = [row for row in data["behaviour"] if row["outcome"] == "refuted"]
    wrong = {row["check"]: row["evidence"] for row in rows}
    assert set(wrong) == {"zero", "NaN", "infinity"}
    assert wrong["zero"] == "d = 1: C(x) = (nan) for x = (0)"


PLANTED = """
def planted(*words):
    raise KeyError("planted")
"""
PATCHED = (
    "from proofs_check.audit import measure as place"
    + PLANTED
    + """
place.look = planted
import rateproof
rateproof.main()
"""
)
COMMAND = ("audit", "strangers_module:top", "--delta", "min(2, d)/d", *QUICK)


def told_as_the_tools(code: object, out: str, err: str) -> None:
    assert (code, out) == (4, "")
    assert "KeyError: 'planted'" in err
    last = err.splitlines()[-1]
    assert last == "error: a fault of rateproof itself, not of what you gave it"


@pytest.mark.parametrize(
    ("module", "name"),
    [(whole, "fit"), (measure, "look"), (runner, "_fitted"), (trial, "look")],
    ids=["fit", "measure", "fitted", "trial"],
)
def test_a_fault_planted_in_the_tool_is_not_laid_at_the_subjects_door(
    module: Any, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a class is fitted, where constants are measured, and right after a call."""
    code: dict[str, Any] = {}
    exec(PLANTED, code)
    monkeypatch.setattr(module, name, code["planted"])
    monkeypatch.setattr(sys, "argv", ["rateproof", *COMMAND])
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with pytest.raises(SystemExit) as stop:
        rateproof.main()
    told_as_the_tools(stop.value.code, *capsys.readouterr())


def test_a_fault_of_the_tool_ends_the_command_with_a_code_of_its_own(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PATCHED, *COMMAND],
        capture_output=True, text=True, cwd=tmp_path, timeout=HANGS,
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(HOME), str(tmp_path)))},
    )  # fmt: skip
    told_as_the_tools(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard, though a shell that starts the tests in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_what_is_finished_is_printed_when_it_is_interrupted() -> None:
    """Ctrl-C comes in R^100; what R^1, R^4, R^16 and R^20 gave is there, as text and as data."""
    code, out, err = audit("strangers_module:Interrupts", *QUICK)
    assert code == 130
    assert err == "interrupted: above is what was finished\n"
    assert [line.split()[0] for line in out.splitlines() if "+- " in line] == ["1", "4", "16", "20"]
    code, out, _ = audit("strangers_module:Interrupts", *QUICK, "--json")
    data = json.loads(out)
    assert (code, data["complete"]) == (130, False)


def test_progress_replaces_itself_on_a_terminal() -> None:
    screen = Screen()
    told = ProgressLine(screen)
    told("bias and loss in R^4")
    told.clear()
    assert screen.getvalue() == "\r\x1b[K   0 s  bias and loss in R^4 ...\r\x1b[K"


def test_progress_is_a_line_now_and_then_where_there_is_no_terminal() -> None:
    assert audit("strangers_module:top", *QUICK)[2] == ""
    pipe = StringIO()
    for every in (0.0, 3600.0):
        told = ProgressLine(pipe, every)
        told("claims")
        told.clear()
    assert pipe.getvalue() == "   0 s  claims ...\n"


def test_a_first_finding_stands_at_once_where_an_audit_takes_longer(monkeypatch) -> None:
    pipe, now = StringIO(), [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    told = ProgressLine(pipe, 10.0)
    for at, description in ((0.5, "in R^1"), (1.5, "in R^4"), (2.5, "in R^16"), (12.0, "in R^100")):
        now[0] = at
        told.found(description)
    assert pipe.getvalue() == "   2 s  so far, in R^4 ...\n  12 s  so far, in R^100 ...\n"


class Screen(StringIO):
    """A terminal, as far as anybody can tell."""

    def isatty(self) -> bool:
        return True
