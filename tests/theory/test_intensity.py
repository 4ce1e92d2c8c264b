"""Model intensity, the C2C ratio and the speedups of survey 001."""

from __future__ import annotations

import pytest

from theory.seconds.intensity import c2c_ratio, model_intensity, ring_factor, speedup


def test_speedups_are_the_surveys() -> None:
    """BERT-Large on four GPUs: 163 ms a batch of 8 each, 441 ms of communication: 1.08."""
    assert speedup(4 * 0.163, 4, 0.441) == pytest.approx(1.079, abs=5e-4)
    assert speedup(4 * 0.163, 4, 0.0) == 4


def test_c2c_is_traffic_over_operations() -> None:
    d, operations, samples, n = 336_226_108, 74.6e9, 8, 4
    ratio = c2c_ratio(model_intensity(operations, d), samples, ring_factor(n))
    assert ratio == pytest.approx(2 * d * 3 / 4 / (samples * operations))


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="operations=0"):
        model_intensity(0.0, 1)
    with pytest.raises(ValueError, match="samples=0"):
        c2c_ratio(1.0, 0, 1.0)
    with pytest.raises(ValueError, match="n must be at least 1 worker, got n=0"):
        ring_factor(0)
    with pytest.raises(ValueError, match="communication=-1"):
        speedup(1.0, 1, -1.0)
