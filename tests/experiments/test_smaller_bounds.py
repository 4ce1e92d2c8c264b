"""Bounds made smaller: which are refuted by kept instances."""

from __future__ import annotations

import pandas as pd
import pytest

from experiments.power import smaller_bounds
from proofs_check.refute.seeds import SeedRecord
from proofs_check.verdict import CheckKind
from theory.theorems import PROVED_ONLY, THEOREMS


def test_a_bound_that_is_met_is_refuted_when_it_is_halved():
    """Gradient steps on a quadratic of one curvature and no noise meet it."""
    largest = smaller_bounds.reached()
    assert largest.keys() == {one.name for one in (*THEOREMS, *PROVED_ONLY)}
    assert largest["bsp_strongly_convex"] == pytest.approx(1.0)
    assert all(0 < ratio <= 1 + 1e-6 for ratio in largest.values())


def test_the_larger_of_both_sources_counts_and_names_of_no_theorem_do_not(monkeypatch):
    records = {name: SeedRecord(name, ratio=0.4) for name in ("bsp_pl", "no_such_theorem")}
    monkeypatch.setattr(smaller_bounds.seeds, "kept", lambda: records)
    monkeypatch.setattr(
        smaller_bounds, "constants",
        lambda: [{"theorem": "bsp_pl", "factor_below": 0.7},
                 {"theorem": "diana", "factor_below": 0.2}],
    )  # fmt: skip
    largest = smaller_bounds.reached()
    assert (largest["bsp_pl"], largest["diana"], largest["lag_pl"]) == (0.7, 0.2, 0.0)
    assert "no_such_theorem" not in largest


def test_what_is_met_at_the_share_alone_refutes_nothing():
    told = smaller_bounds.told({"half": 0.5, "more": 0.6, "tenth": 0.1, "none": 0.0})
    assert told.splitlines() == [
        "bounds times 1/2: 1 of 4 refuted; not: half 0.5, none 0, tenth 0.1",
        "bounds times 1/10: 2 of 4 refuted; not: none 0, tenth 0.1",
    ]


def test_runs_count_by_their_mean_less_its_uncertainty():
    lines = [
        ("bsp_pl", CheckKind.BOUND, 1.0, 0.25, 1.0), ("bsp_pl", CheckKind.BOUND, 1.0, 0.5, 1.0),
        ("bsp_pl", CheckKind.LATE_BOUND, 9.0, 0.0, 1.0), ("diana", CheckKind.BOUND, 1.0, 2.0, 1.0),
    ]  # fmt: skip
    names = ["theorem", "check_kind", "statistic", "uncertainty", "bound"]
    assert smaller_bounds.in_runs(pd.DataFrame(lines, columns=names)) == {"bsp_pl": 0.75}
