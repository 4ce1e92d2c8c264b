"""``rateproof audit`` of a method: exit codes, and what is printed."""

from __future__ import annotations

import json

import pytest
import typer

from experiments.commands.audit import audit_command
from experiments.commands.audit_method import audit_method_command, method_called
from proofs_check.method_audit.subject import method
from tests.proofs_check.method_audit import sound


def test_a_name_is_a_method_or_left_to_the_audit_of_compressors() -> None:
    assert method_called("tests.proofs_check.method_audit.sound:GD") is sound.GD
    assert method_called("tests.proofs_check.method_audit.sound:top1") is None
    assert method_called("no.such.module:GD") is None


def test_a_sound_method_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit_method_command(sound.GD, as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["subject"] == "gradient descent"
    assert {one["outcome"] for one in found["verdicts"]} <= {"supported", "agrees", "compared"}


def test_what_is_refuted_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    def step(state, gradients, eta, mu):  # type: ignore[no-untyped-def]
        return {"x": state["x"] - eta * gradients(state["x"]).mean(0)}

    idle = method("idle mu", step, parameters={"eta": 0.1, "mu": 1.0})
    assert audit_method_command(idle, as_json=False) == 1
    assert "mu has no effect on any model" in capsys.readouterr().out


def test_a_step_that_raises_ends_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    broken = method("broken", lambda state, gradients: {"x": state["y"]})
    assert audit_method_command(broken, as_json=False) == 3
    assert "broken raised KeyError: 'y'" in capsys.readouterr().err


def test_options_that_a_method_has_no_use_for_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    usual = {"unbiased": False, "omega": None, "delta": None, "bits": None, "let": (), "d": 1000,
             "seed": 0, "samples": 2500, "ranks": None, "matrix": False, "strict": False,
             "as_json": False}  # fmt: skip
    name = "tests.proofs_check.method_audit.sound:GD"
    with pytest.raises(typer.Exit) as stop:
        audit_command(name, **{**usual, "delta": "0.5", "seed": 3, "strict": True})  # type: ignore[arg-type]
    assert stop.value.exit_code == 2
    assert "no --delta, --seed, --strict" in capsys.readouterr().err
    assert audit_command(name, **usual) == 0  # type: ignore[arg-type]
