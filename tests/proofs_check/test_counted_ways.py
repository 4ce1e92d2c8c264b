"""Ways to count operations: all are there, and a way that is right would be seen."""

from __future__ import annotations

import pytest

from algorithms.workloads import WORKLOADS
from proofs_check.verdict import Outcome
from proofs_check.workloads import counted_ways as module
from proofs_check.workloads.counted_ways import (
    counted_ways,
    intensities_unexplained,
    multiply_adds,
    one_factor,
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


def test_one_factor_holds_over_matrices_alone_and_by_hand() -> None:
    """Blocks of 12 h^2 entries, 64 words: three passes are 192 multiply-adds an entry, 1 + 64/(6 h)
    with attention."""
    factor, own = one_factor().verdicts
    assert factor.outcome is Outcome.AGREES
    scales = [249 / (192 * (1 + 64 / (6 * 768))), 248 / (192 * (1 + 64 / (6 * 1024)))]
    assert factor.statistic == pytest.approx(abs(scales[0] / scales[1] - 1), rel=1e-9)
    assert own.statistic == pytest.approx(597e9 / 8 / (24 * 12 * 1024**2))
    for whole in ("all parameters", "those without embeddings"):
        assert one_factor(whole).verdicts[0].outcome is Outcome.REFUTED
