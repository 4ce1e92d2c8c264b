"""Box and Muller's pairs against numbers of many digits, and the same bits without a compiler."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from algorithms.kernels.box_muller import radii, turns

_LAST = 1 - 2.0**-53
_EDGES = [k / 8 for k in range(8)] + [k / 8 - 2.0**-53 for k in range(1, 9)]
_ROOT = 1 - 2**-0.5
_STEP = 2.0**-53
EDGES = np.array([*_EDGES, _STEP, 2 * _STEP, _ROOT, _ROOT + _STEP, _ROOT - _STEP, 0.75, _LAST])


def _drawn(size: int) -> np.ndarray:
    words = np.random.default_rng(6).integers(0, 2**53, size)
    return np.concatenate((EDGES, words * 2.0**-53))


def _radii(u: np.ndarray, function=radii) -> np.ndarray:
    out = np.empty_like(u)
    function(u.copy(), out, u.size)
    return out


def _turns(v: np.ndarray, function=turns) -> tuple[np.ndarray, np.ndarray]:
    cosines, sines = np.empty_like(v), np.empty_like(v)
    function(v, cosines, sines, v.size)
    return cosines, sines


def test_radii_are_right_to_four_units_of_their_last_place():
    u = _drawn(3000)
    with mpmath.workdps(40):
        exact = [mpmath.sqrt(-2 * mpmath.log(1 - mpmath.mpf(float(x)))) for x in u]
        errors = [abs(float(x) - y) for x, y in zip(_radii(u), exact, strict=True)]
    spacing = np.spacing(np.array([float(x) for x in exact]))
    assert np.all(np.array([float(e) for e in errors]) <= 4 * spacing)


@pytest.mark.parametrize("part", [0, 1])
def test_cosines_and_sines_are_right_to_two_units_of_the_last_place(part):
    v = _drawn(3000)
    function = (mpmath.cospi, mpmath.sinpi)[part]
    with mpmath.workdps(40):
        exact = [function(2 * mpmath.mpf(float(x))) for x in v]
        errors = [float(abs(float(x) - y)) for x, y in zip(_turns(v)[part], exact, strict=True)]
    spacing = np.spacing(np.array([float(abs(x)) for x in exact]))
    assert np.all(np.array(errors) <= 2 * spacing)


def test_bits_are_those_of_single_operations():
    """Python rounds after each; a compiler that joins two (fused multiply-add) has other bits."""
    u = _drawn(2000)
    assert np.array_equal(_radii(u), _radii(u, radii.py_func))
    for x, y in zip(_turns(u), _turns(u, turns.py_func), strict=True):
        assert np.array_equal(x, y)
