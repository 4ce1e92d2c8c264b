"""Worst cases that are kept: both sides agree, formulas are met, some are computed again."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from typer.testing import CliRunner

from experiments.cli.main import app
from experiments.reporting.page import environment
from experiments.reporting.worst_cases import worst_cases
from experiments.worst_cases import kept
from experiments.worst_cases.computing import certified_rate, computed
from experiments.worst_cases.formulas import formula_of
from proofs_check.refute import certified
from proofs_check.refute.best_constants import best_constant
from proofs_check.refute.certified import CertifiedSetting
from proofs_check.worst_case.decentralised import STEPS, step_search
from proofs_check.worst_case.lyapunov import LyapunovSearch
from proofs_check.worst_case.programme import Unsolved
from theory.theorems import PROVED_ONLY, THEOREMS


def test_constants_of_a_dozen_theorems_and_more_are_known_from_both_sides() -> None:
    found = kept.constants()
    names = {one["theorem"] for one in found}
    assert len(found) == len(names) >= 12
    assert names <= {one.name for one in (*THEOREMS, *PROVED_ONLY)}
    near = [one for one in found if one["factor_below"] >= one["factor_above"] * (1 - 1e-5)]
    assert len(near) >= 12
    for one in found:
        assert one["below"] <= one["above"] * (1 + 1e-6)
        assert one["factor_above"] <= 1 + 1e-6, one


@pytest.mark.parametrize("one", certified.stored(), ids=lambda one: one.theorem)
def test_best_constants_are_proved_in_fractions(one: CertifiedSetting) -> None:
    """From the method's own steps, without a solver; the multipliers prove no less than they do."""
    known = {record["theorem"]: record for record in kept.constants()}[one.theorem]
    assert one.holds(one.value) and not one.holds(one.value * Fraction(999_999, 1_000_000))
    assert known["below"] * (1 - 1e-9) <= float(one.value) <= known["above"] * (1 + 1e-6)
    assert float(one.value) <= known["proved"] <= known["bound"] * (1 + 1e-6)
    less = tuple(multiplier * Fraction(99, 100) for multiplier in one.certificate.limits)
    assert not replace(one, certificate=replace(one.certificate, limits=less)).holds(one.value)


def test_every_best_constant_has_its_certificate() -> None:
    assert [one.theorem for one in certified.stored()] == [
        record["theorem"] for record in kept.stored()["constants"]
    ]


def test_attained_bounds_have_the_factor_1() -> None:
    """|grad f(x_0)|^2 <= 2 L Delta is attained, so that 2 Delta/(gamma T) is at T = 1."""
    by_name = {one["theorem"]: one for one in kept.constants()}
    assert by_name["bsp_nonconvex"]["factor_below"] == pytest.approx(1.0, abs=1e-6)


def test_derived_worst_cases_meet_what_programmes_find() -> None:
    """Of theorems whose class has no bound on gradients, two ways to one number, to 1e-8 here."""
    derived = [one for one in kept.constants() if one["formula"] is not None]
    assert len(derived) >= 12
    assert {one["formula"] for one in derived} == {
        "best gradient average", "best distance factor", "best gap factor",
    }  # fmt: skip
    for one in derived:
        assert formula_of(one)["formula_value"] == one["formula_value"]
        assert one["formula_value"] == pytest.approx(one["above"], rel=1e-5), one
        assert one["formula_value"] <= one["bound"] * (1 + 1e-9), one


def test_a_setting_beyond_a_derivation_has_no_formula() -> None:
    one = next(r for r in kept.constants() if r["theorem"] == "bsp_strongly_convex")
    assert formula_of(one | {"above": 1.001 * one["above"]})["formula"] is None
    assert formula_of(one | {"metric": "bits"})["formula"] is None


def test_error_feedback_and_ef21_are_at_their_published_rate() -> None:
    records = kept.stored()["feedback"]
    assert {one["method"] for one in records} == {"EF", "EF21"}
    for one in records:
        assert one["above"] == pytest.approx(one["formula"], abs=2e-5), one


def test_rates_over_ranges_lie_above_the_worst_quadratic() -> None:
    records = kept.stored()["spectral"]
    assert {one["method"] for one in records} == set(STEPS)
    known = [one for one in records if one["above"] is not None]
    for one in known:
        assert one["above"] >= one["below"] - 1e-5, one
    assert all(one["below"] < 1 + 1e-9 for one in known)
    assert sum(map(kept.exact, known)) > len(known) / 2


def test_dgd_contracts_as_its_penalised_function_says() -> None:
    """DGD is descent on sum f_i + x' (I - W) x/(2 alpha): max(|1 - alpha mu|, |lo - alpha L|)."""
    for one in kept.stored()["spectral"]:
        if one["method"] == "DGD":
            known = max(abs(1 - 0.1 * one["alpha"]), abs(one["lo"] - one["alpha"]))
            assert one["below"] == pytest.approx(known, abs=1e-9)
            if one["above"] is not None:
                assert one["above"] == pytest.approx(known, abs=1e-5)


def test_maps_call_diverged_what_a_quadratic_shows_to_be() -> None:
    panels = {panel.title: panel.values for panel in kept.spectral_maps().panels}
    assert set(panels) == set(STEPS)
    for name, values in panels.items():
        mine = [one for one in kept.stored()["spectral"] if one["method"] == name]
        assert np.isinf(values).sum() == sum(one["below"] >= 1 - 1e-9 for one in mine)
        unknown = sum(one["above"] is None and one["below"] < 1 - 1e-9 for one in mine)
        assert np.isnan(values).sum() == unknown


def test_local_descent_contracts_by_the_power_of_its_steps() -> None:
    for one in kept.stored()["local"]:
        assert one["above"] == pytest.approx(one["below"], abs=1e-4)


def test_steps_to_a_tenth() -> None:
    assert kept.steps_to_a_tenth(0.1) == pytest.approx(1.0)
    assert kept.steps_to_a_tenth(0.01, 2) == pytest.approx(1.0)
    assert math.isinf(kept.steps_to_a_tenth(None)) and math.isinf(kept.steps_to_a_tenth(1.0))


def test_some_are_computed_again() -> None:
    pytest.importorskip("cvxpy")
    one = next(r for r in kept.stored()["spectral"] if r["method"] == "EXTRA" and r["hi"] == 0.6)
    again = certified_rate(step_search("EXTRA", one["lo"], one["hi"], one["alpha"], 0.1, 1.0), 0.0)
    assert again is not None and math.sqrt(again) == pytest.approx(one["above"], abs=1e-6)
    found, known = best_constant("bsp_pl"), {r["theorem"]: r for r in kept.constants()}["bsp_pl"]
    assert found is not None
    assert found.record()["factor_below"] == pytest.approx(known["factor_below"], rel=1e-6)
    assert best_constant("signsgd") is None


def test_a_rate_that_no_second_programme_certifies_is_none() -> None:
    pytest.importorskip("cvxpy")
    one = next(r for r in kept.stored()["spectral"] if r["method"] == "EXTRA" and r["hi"] == 0.6)
    search = step_search("EXTRA", one["lo"], one["hi"], one["alpha"], 0.1, 1.0)
    with patch.object(LyapunovSearch, "worst", side_effect=Unsolved("none")):
        assert certified_rate(search, 0.0) is None


def test_exact_is_a_share_of_what_a_rate_falls() -> None:
    assert kept.exact({"above": 0.50004, "below": 0.5})
    assert not kept.exact({"above": 0.99904, "below": 0.999})
    assert not kept.exact({"above": None, "below": 0.5})


def test_a_notice_is_given_of_every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cvxpy")
    from experiments.worst_cases import computing

    for name in ("LAMBDAS", "STEPSIZES", "DELTAS", "CURVATURES", "PERIODS"):
        monkeypatch.setattr(computing, name, getattr(computing, name)[:1])
    monkeypatch.setattr(computing, "THEOREMS", ())
    monkeypatch.setattr(computing, "PROVED_ONLY", ())
    lines: list[str] = []
    found, certificates = computed(lines.append)
    assert [len(part) for part in found.values()] == [len(STEPS), 2, 2, 0]
    assert not certificates and set(computed(lines.append, ["local"])[0]) == {"local"}
    assert len(lines) == len(STEPS) + 4 + 2 and json.dumps(found, allow_nan=False)


def test_the_command_prints_and_draws(tmp_path: Path) -> None:
    plain = CliRunner().invoke(app, ["worst-case", "--out", str(tmp_path)], env={"COLUMNS": "140"})
    assert plain.exit_code == 0, plain.output
    assert "bsp_nonconvex" in plain.stdout and "exact diffusion" in plain.stdout
    assert {path.stem for path in tmp_path.glob("*.png")} == set(kept.MAPS)
    data = CliRunner().invoke(app, ["worst-case", "--json"])
    assert json.loads(data.stdout) == kept.stored()


def test_the_page_has_all_theorems_and_its_pictures(tmp_path: Path) -> None:
    shown = worst_cases(tmp_path)
    drawn = {path.stem for path in (tmp_path / shown["folder"]).glob("*.webp")}
    assert drawn == {*shown["maps"], "worst-slack"}
    block = environment().get_template("worst_cases.html.j2").blocks["main"]
    context = environment().get_template("worst_cases.html.j2").new_context
    macros = environment().get_template("macros.j2").module
    text = "".join(block(context({**shown, "m": macros})))
    assert text.count("<tr>") == 2 + len(shown["constants"]) + len(shown["rates"])
