"""Ways to count operations: all are there, and a way that is right would be seen."""

from __future__ import annotations

import pytest

from algorithms.workloads import WORKLOADS
from proofs_check.workloads import counted_ways as module
from proofs_check.workloads.counted_ways import (
    counted_ways,
    intensities_unexplained,
    multiply_adds,
    parameters,
)


def test_with_all_parts_it_is_the_models_own_count() -> None:
    for name, size in (("bert-base", (768, 12)), ("bert-large", (1024, 24))):
        assert multiply_adds(*size, 64, (1, 1, 1, 1)) == pytest.approx(WORKLOADS[name].macs)
        assert parameters(name, *size)["all parameters"] == WORKLOADS[name].parameters


def test_no_way_gives_both_and_one_that_did_would_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    _, told = intensities_unexplained().verdicts
    assert told.statistic > 0.5 and "0 of 4,608 ways" in told.evidence
    assert "248.0 and 249.8" in told.evidence
    some = next(w for w in counted_ways() if min(w.intensities) > 100).intensities
    monkeypatch.setattr(module, "SAID", (float(round(some[0])), float(round(some[1]))))
    _, told = intensities_unexplained().verdicts
    assert told.statistic <= 0.5 and "0 of 4,608 ways" not in told.evidence
