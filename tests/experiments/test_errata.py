"""``rateproof errata``: the list, one of them, and its demonstration run again."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import rateproof
from experiments.cli.main import app
from proofs_check.registry import DEMONSTRATIONS
from theory.survey.errata import ERRATA


def asked(*arguments: str) -> str:
    found = CliRunner().invoke(app, ["errata", *arguments], env={"COLUMNS": "80"})
    assert found.exit_code == 0, found.output
    return found.stdout


def test_all_58_are_listed_within_80_columns(tmp_path: Path) -> None:
    lines = asked("--report", str(tmp_path)).splitlines()
    heads = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert heads == [one.id for one in ERRATA] and len(heads) == 58
    assert max(map(len, lines)) <= 80
    assert sum("shown by" in line for line in lines) == 58


def test_json_has_everything_of_each_and_python_the_same(tmp_path: Path) -> None:
    records = json.loads(asked("--json", "--report", str(tmp_path)))
    assert records == rateproof.errata(report=tmp_path)
    assert [one["printed"] for one in records] == [one.printed for one in ERRATA]
    shown = {one["name"] for one in records if one["demonstration"] and one["code"]}
    assert shown == set(DEMONSTRATIONS) and not any(one["found"] for one in records)


def test_a_demonstration_is_run_again() -> None:
    told = " ".join(asked("t11", "--run").split())
    assert "agrees all-reduce, a ring of 8 adds (n - 1)/n m numbers" in told
    assert "corrected: 182 (stated 182); printed: 168 where 182 is right" in told
    assert told.endswith("code proofs_check.evidence.synchronous.closed_forms_all_reduce.t11")


def kept(folder: Path, verdict: str) -> Path:
    """A survey's folder with one verdict on one erratum."""
    line = {
        "subject": "ssp", "claim": "a claim", "check": "erratum E1", "verdict": verdict,
        "evidence": "seen",
    }  # fmt: skip
    pd.DataFrame([line, line | {"check": "bound"}]).to_parquet(folder / "results.parquet")
    return folder


def test_what_a_survey_found_is_shown_and_a_failure_is_told(tmp_path: Path) -> None:
    (one,) = rateproof.errata("e1", kept(tmp_path, "agrees"))
    line = {"subject": "ssp", "claim": "a claim", "outcome": "agrees", "evidence": "seen"}
    assert one["found"] == [line]
    failed = ["errata", "--report", str(kept(tmp_path, "refuted"))]
    assert CliRunner().invoke(app, failed).exit_code == 1


def test_unknown_ones_are_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"unknown erratum 'E99'; nearest: E9"):
        rateproof.errata("E99")
    assert CliRunner().invoke(app, ["errata", "E99"]).exit_code == 2
