"""A compressor that does not answer in another process: told so, and the process is gone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from proofs_check.audit import cross_process
from proofs_check.verdict import Outcome

STUCK = """
import os, time

def f(x):
    return 2 * x

if os.environ.get("PYTHONHASHSEED") in ("1", "2"):
    time.sleep(3600)
"""


@pytest.mark.processes
def test_a_process_without_an_answer_is_no_fault_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stuck.py").write_text(STUCK)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    monkeypatch.setattr(cross_process, "PATIENCE", 0.1)
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def kept(*words: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(start(*words, **options))  # type: ignore[call-overload]
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", kept)
    found = cross_process.check_in_other_process("stuck:f", (1, 4), repeats=True)
    assert found.outcome is Outcome.NOT_APPLICABLE
    assert "no outcome after 0.1 s" in found.evidence
    assert [run.returncode for run in started] == [-9]
