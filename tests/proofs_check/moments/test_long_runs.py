"""Moments of a memory after very many steps, where rounding is never forgotten."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from algorithms.compressors.identity import Identity
from algorithms.core.key import Key
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.topologies.ring import Ring
from proofs_check.moments import engine
from proofs_check.moments.blocks import MomentBlock, blocks
from proofs_check.moments.course import course
from proofs_check.moments.engine import exact_moments
from proofs_check.moments.metrics import forms
from proofs_check.moments.probe import Probe
from proofs_check.moments.reasons import NotLinear
from proofs_check.moments.turned import rotation, turned
from tests.proofs_check.moments.hand import problem
from theory.stepsizes import ConstantStep

N = 4
CHOCO = ChocoSGD(ConstantStep(3e-4), Ring(N), Identity(), 0.1)


def squared_gradient(block: MomentBlock, rows: np.ndarray, bits: int) -> float:
    """E||grad f||^2 after 2^bits steps, in arithmetic of 60 digits."""
    with mpmath.workdps(60):
        a, b = mpmath.matrix(block.a[0, 0]), mpmath.matrix(block.b[0, 0])
        noise = mpmath.matrix(block.noise[0, 0])
        cov, far = noise * noise.T, a
        for _ in range(bits):
            b = far * b + b
            cov = cov + far * cov * far.T
            far = far * far
        mean = far * mpmath.matrix(block.start) + b
        total = mpmath.mpf(0)
        for row in rows[0]:
            read = mpmath.matrix(row[:-1]).T
            total += ((read * mean)[0] + mpmath.mpf(float(row[-1]))) ** 2
            total += (read * cov * read.T)[0]
        return float(total)


@pytest.mark.parametrize("bits", [12, 17, 20])
def test_a_memory_s_moments_are_those_of_sixty_digits(bits: int) -> None:
    """Covariances squared in double precision were off by more than themselves after 10^5 steps."""
    told = problem(N, 2)
    run = course(CHOCO, told, 2**bits, Key.seed(0))
    parts = blocks(run)
    assert run.begin == 0 and run.period == 1 and not any(one.weights.size for one in parts)
    wanted = sum(squared_gradient(one, forms(one, told, N).gradient(), bits) for one in parts)
    curve = exact_moments(CHOCO, told, [2**bits])
    lost = curve.lost["squared_gradient"][0]
    assert curve.squared_gradient[0] == pytest.approx(wanted, rel=max(1e-9, 20 * lost))
    assert (
        lost < 1e-5
    )  # what rounding takes hangs on the order of a processor's sums: 1.2e-6 at most


@pytest.mark.parametrize("length", [0.25, 3.0, 64.0])
def test_the_length_of_probing_vectors_says_nothing(
    length: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, steps = problem(N, 2), 97_575
    usual = exact_moments(CHOCO, told, [steps])
    monkeypatch.setattr(Probe, "scale", length)
    other = exact_moments(CHOCO, told, [steps])
    assert other.squared_gradient[0] == pytest.approx(usual.squared_gradient[0], rel=1e-6)


def test_other_coordinates_are_the_same_block() -> None:
    """Means and outputs of a few steps, read in both."""
    (one, *_) = blocks(course(CHOCO, problem(N, 2), 10, Key.seed(0)))
    other = turned(one)
    q = rotation(one.size)
    assert q @ q.T == pytest.approx(np.eye(one.size), abs=1e-14)
    y, z = one.start, other.start
    for _ in range(5):
        y, z = one.a[0, 0] @ y + one.b[0, 0], other.a[0, 0] @ z + other.b[0, 0]
    assert other.outputs[0] @ np.append(z, 1) == pytest.approx(one.outputs[0] @ np.append(y, 1))


def test_what_rounding_decides_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Covariances squared as they are, as they were before: no number comes out."""
    monkeypatch.setattr(engine, "_by_roots", lambda block, run, read, stages:
                        engine._by_covariances(block, run, read, stages, True))  # fmt: skip
    with pytest.raises(NotLinear, match="rounding decides its moments after so many steps"):
        exact_moments(CHOCO, problem(N, 2), [100, 10**8]).metric("squared_gradient")
    assert not any(lost[0] for lost in exact_moments(CHOCO, problem(N, 2), [999]).lost.values())
