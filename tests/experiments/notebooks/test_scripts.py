"""The scripts in docs/notebooks run, and what they conclude is what their results say."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).absolute().parents[3] / "docs" / "notebooks"


def ran(name: str, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], list[str]]:
    """What a script leaves behind, and the lines that it prints."""
    session = runpy.run_path(str(SCRIPTS / f"{name}.py"))
    return session, capsys.readouterr().out.splitlines()


def test_all_scripts_are_run_here() -> None:
    here = {"check_my_compressor", "linear_speedup", "pick_a_method"}
    assert {path.stem for path in SCRIPTS.glob("*.py")} == here


@pytest.mark.slow
def test_a_compressor_is_told_from_one_with_a_slip(capsys: pytest.CaptureFixture[str]) -> None:
    """Keeping p of the coordinates, 1/p as large, has omega = 1/p - 1 = 3; without, 1 - p."""
    session, told = ran("check_my_compressor", capsys)
    assert "my compressor: not refuted" in told and "without the factor: refuted" in told
    assert "supported: E C(x) = x" in told
    assert set(session["wrong"]["claim"]) == {"E C(x) = x"}
    ratio = session["mine"].measured
    assert ((ratio["low"] <= 3) & (3 <= ratio["high"])).all()
    assert "refuted" not in set(session["checked"].frame["outcome"])


def test_speedup_is_linear_where_workers_are_alike(capsys: pytest.CaptureFixture[str]) -> None:
    session, told = ran("linear_speedup", capsys)
    assert "equal workers: linear speedup" in told
    assert "unequal workers: less than linear speedup" in told
    mean = session["alike"].frame.groupby("n")["error"].mean()
    assert 6 < mean[2] / mean[16] < 10.7  # 8 but for 64 replicas
    unequal = session["unequal"].frame.groupby("n")["error"].mean()
    assert unequal[2] / unequal[16] < 4


def test_a_slow_network_asks_for_fewer_messages(capsys: pytest.CaptureFixture[str]) -> None:
    session, told = ran("pick_a_method", capsys)
    assert "on 10 Gb/s Ethernet: local-sgd" in told
    assert "on 100 Gb/s InfiniBand: bsp-sgd or local-sgd" in told
    slow = {one.key: one for one in session["found"].standings}
    assert slow["bsp-sgd"].verdict == slow["top-k"].verdict == "worse"
    assert slow["bsp-sgd"].error > 3 * slow["local-sgd"].error
