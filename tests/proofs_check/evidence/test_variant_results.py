"""Effects in variants as they are kept: of the settings as they are, and made again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from proofs_check.instruments import variant_results
from proofs_check.instruments.effect_check import ArmComparison, VariantResult
from proofs_check.instruments.variant_results import (
    KeptVariant,
    KeptVariants,
    current_variants,
    keep,
    kept_variants,
)
from proofs_check.instruments.variants import Fixed, Variant, variants
from proofs_check.registry import EFFECTS
from proofs_check.verdict import Outcome

LOST = KeptVariant("n x 1.5", False, 0.4, None, "")
KEPT = KeptVariants("qsgd", 9, 0.5, "quadratic; 8 replicas", "8 replicas", (
    KeptVariant("seed 9", True, 0.2, None, ""), LOST,
    KeptVariant("d x 1.25", False, None, None, "the data set has one size"),
))  # fmt: skip


def test_a_kept_effect_tells_what_holds_and_what_does_not():
    assert (KEPT.held, len(KEPT.measured)) == (1, 2)
    assert str(KEPT) == (
        "holds in 1 of 2 variants (seed 9, n x 1.5), runs on seed 9; not under n x 1.5 (0.4, "
        "without its cause never there)"
    )
    assert KEPT.command == "python -m experiments.power.variants qsgd --seed 9"


def test_what_is_kept_is_read_again_and_another_setting_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(variant_results, "PATH", tmp_path / "kept.json")
    kept_variants.cache_clear()
    effect = EFFECTS["random-mask"]
    good = ArmComparison(Outcome.SUPPORTED, 0.1, 1.0, 0.123456, 0.0)
    bad = ArmComparison(Outcome.REFUTED, float("inf"), 1.0, float("inf"), 0.0)
    new = keep(effect, 7, [
        VariantResult(Variant("seed 7", 7), None, good, bad),
        VariantResult(Variant("stepsizes x 1.3", 7, 1.3), Fixed.STEPLESS),
    ])  # fmt: skip
    assert kept_variants() == {"random-mask": new} == current_variants(EFFECTS)
    assert new.results[0] == KeptVariant("seed 7", True, 0.1235, None, "")
    for part in ("problem", "quantity", "method", "baseline", "fault", "description"):
        assert not new.speaks_of(replace(effect, **{part: "another"})), part
    stored = json.loads(variant_results.PATH.read_text())
    stored["random-mask"]["at_most"] = 0.9
    variant_results.PATH.write_text(json.dumps(stored))
    kept_variants.cache_clear()
    assert current_variants(EFFECTS) == {}
    monkeypatch.undo()
    kept_variants.cache_clear()


def test_what_is_kept_is_of_effects_as_they_are():
    """A setting or a claim that was changed is measured again before it is shown."""
    found = kept_variants()
    assert set(found) <= set(EFFECTS)
    assert set(current_variants(EFFECTS)) == set(found)
    for one in found.values():
        names = [each.name for each in variants(one.seed)]
        assert [each.name for each in one.results] == names


@pytest.mark.parametrize("row", ["wangni", "rotated-quantisation"])
def test_a_kept_effect_is_measured_again(row: str):
    """Two that take a second: the shares are those that are kept, to their digits."""
    kept = kept_variants()[row]
    found = EFFECTS[row].in_variants(kept.seed)
    assert [one.holds for one in found] == [one.holds for one in kept.results]
    for one, old in zip(found, kept.results, strict=True):
        if one.method is not None:
            assert one.method.ratio == pytest.approx(old.share, rel=1e-2)
