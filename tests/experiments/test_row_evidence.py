"""The counts of rows with a decided rate and a bound that says something."""

from __future__ import annotations

import pandas as pd

from algorithms.catalogue import ROWS
from experiments.reporting.row_evidence import late_tightness, main, row_evidence
from experiments.reporting.row_pages import variants_summary
from proofs_check.cell import CellKind
from proofs_check.instruments.variant_results import kept_variants
from proofs_check.methods.unstated_rates import UnstatedReason
from proofs_check.verdict import CheckKind

_RATE, _LATE, _RUN = CheckKind.RATE, CheckKind.LATE_BOUND, CellKind.RUN
_EFFECT = CheckKind.EFFECT.value
LINES = (
    ("bsp-sgd", _RATE, _RUN, "supported", -1.0),
    ("bsp-sgd", _LATE, _RUN, "supported", 0.1),
    ("top-k", _RATE, CellKind.STUDY, "refuted", 1.0),
    ("top-k", _LATE, _RUN, "compared", 9.0),
    ("bmuf", _RATE, _RUN, "not applicable", -0.4),
    ("qsgd", _RATE, _RUN, "not applicable", float("nan")),
    ("cr-psgd", _RATE, _RUN, "compared", -1.2),
    ("bmuf", _RATE, CellKind.STUDY, "compared", -0.9),
    ("lag", _RATE, _RUN, "supported", -1.0),
    ("dgd", _RATE, CellKind.TABLE_IV, "supported", -1.0),
    ("", _RATE, _RUN, "supported", -1.0),
)
TABLE = pd.DataFrame(
    LINES, columns=["base_row", "check_kind", "kind", "verdict", "statistic"]
).assign(evidence=f"{UnstatedReason.NOT_BUILT} (a paper); measured instead: -0.4")
BOUNDS = (("bsp_pl", 0.1), ("bsp_pl", 0.4), ("dgd", 0.9), ("d_psgd", 0.2), ("choco_sgd", 7.0))
LATE = pd.DataFrame(
    [("bound at the end", "compared" if r > 2 else "supported", name, r) for name, r in BOUNDS],
    columns=["check_kind", "verdict", "theorem", "tightness"],
)


def test_rows_are_counted_by_what_the_table_has_of_them():
    found = row_evidence(TABLE)
    assert found.decided == ("bsp-sgd", "lag", "top-k"), "Table IV has its own page"
    assert found.unstated == ("bmuf",)
    assert found.reasons == {"bmuf": UnstatedReason.NOT_BUILT} and found.not_built == ("bmuf",)
    assert "1: a rate is stated, its theorem is not built" in str(found)
    assert found.left_open == ("cr-psgd",)
    assert found.bounded == ("bsp-sgd",)
    ready = [row.key for row in ROWS if row.recipe is not None]
    assert set(found.without_rate) == set(ready) - {"bsp-sgd", "lag", "top-k", "bmuf", "cr-psgd"}
    assert len(found.without_bound) == len(ready) - 1
    assert f"3 of {len(ready)} rows have a rate decided; 1 have" in str(found)


def test_the_loosest_and_the_tightest_bounds_are_named():
    """A theorem counts by its tightest setting; a bound that says nothing does not count."""
    found = late_tightness(LATE)
    assert found.largest == {"d_psgd": 0.2, "bsp_pl": 0.4, "dgd": 0.9}
    assert next(iter(found.largest)) == "d_psgd" and found.within_four == ("bsp_pl", "dgd")
    assert "2 of 3 theorems" in str(found) and "the loosest: d_psgd 0.2" in str(found)
    assert "the tightest: dgd 0.9, bsp_pl 0.4" in str(found)


def test_the_command_prints_the_counts_of_a_file(tmp_path, capsys):
    TABLE.assign(theorem="bsp_pl", tightness=0.5).to_parquet(tmp_path / "results.parquet")
    assert main([str(tmp_path / "results.parquet")]) == 0
    assert "rows have a rate decided" in capsys.readouterr().out
    assert main([str(tmp_path / "none.parquet")]) == 2


def test_variants_are_shown_of_the_setting_that_was_measured():
    """The page of a row and that of all rows take no notice of what is kept of another setting, or
    of another claim."""
    kept = kept_variants()["wangni"]
    line = {"row": "wangni", "check_kind": _EFFECT, "verdict": "supported", "bound": 0.2}
    line |= dict.fromkeys(("statistic", "uncertainty", "resolution", "tightness"), 0.1)
    here, there = (line | {"provenance": f"a paper; {setting}, error 1e-10"}
                   for setting in (kept.description, "another setting"))  # fmt: skip
    told = variants_summary(pd.DataFrame([here]))
    assert told.startswith("1 of 1 effects") and f"{kept.held} of {len(kept.measured)} hold" in told
    assert variants_summary(pd.DataFrame([there])) == ""
    assert variants_summary(pd.DataFrame([here | {"bound": 0.3}])) == ""
