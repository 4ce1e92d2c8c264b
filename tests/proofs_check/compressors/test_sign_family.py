"""Signs, thresholds, one bit, ternary, low precision: reference vectors, memories, both worlds."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.dorefa import DoReFa
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.one_bit import OneBit
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.sign import Sign
from algorithms.compressors.strom import Strom
from algorithms.compressors.three_lc import ThreeLC
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.nesterov_feedback import NesterovFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.exact import exact_law
from proofs_check.instruments.paths import models, path
from theory.stepsizes import ConstantStep

ROWS = (
    "one-bit-sgd", "strom-threshold", "signsgd", "signsgd-majority", "dist-ef-sgd", "ecq-sgd",
    "three-lc", "dorefa", "low-precision-sgd",
)  # fmt: skip
V = (3, -4, 0, 12)


def sent(operator: Compressor, *values: float) -> list[float]:
    draws = Key.seed(1).draws(torch.tensor(0), torch.arange(1))
    return operator.compress(torch.tensor([values], dtype=torch.float64), draws)[0].tolist()


@pytest.mark.parametrize(
    ("operator", "outcome", "error"),
    [
        (OneBit(), [5, -4, 5, 5], 78),
        (Strom(5.0), [0, 0, 0, 5], 74),
        (ThreeLC(1.0), [0, 0, 0, 12], 25),
        (Sign(), [1, -1, 1, 1], 135),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_reference_vectors(operator, outcome, error):
    assert sent(operator, *V) == outcome
    assert exact_law(operator, V).error == error


def test_one_bit_by_column_equals_a_loop():
    x = torch.randn(1, 26, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    operator = OneBit().for_shapes(((4, 5), (6,)))
    expected = []
    for column in [*x[0, :20].reshape(4, 5).T, x[0, 20:]]:
        above, below = column[column >= 0], column[column < 0]
        means = [side.mean() if len(side) else torch.tensor(0.0) for side in (above, below)]
        expected.append(torch.where(column < 0, means[1], means[0]))
    table = torch.stack(expected[:5]).T.reshape(-1)
    wanted = torch.cat((table, expected[5]))
    found = torch.tensor(sent(operator, *x[0].tolist()), dtype=torch.float64)
    torch.testing.assert_close(found, wanted)
    assert operator.stated_bits(26, 32) == 26 + 64 * 6


def test_low_precision_is_unbiased_inside_its_range_and_saturates_beyond():
    law = exact_law(FixedPoint(2, 8), (3, 1))
    assert law.mean == (3, 1)
    quarter = torch.full((20_000, 1, 1), 0.37, dtype=torch.float64)
    draws = Key.seed(5).draws(torch.arange(20_000), torch.zeros(1, dtype=torch.int64))
    values = FixedPoint(2, 8).compress(quarter, draws)
    assert set(values.reshape(-1).tolist()) == {0.25, 0.5}
    assert float(values.mean()) == pytest.approx(0.37, abs=6 * (39 / 2500 / 20_000) ** 0.5)
    assert sent(FixedPoint(2, 8), 1e6) == [31.75]


def test_dorefa_reference_scalar():
    """quantize_k of 0.4 with k = 2 is 1/3: the nearer of the two outcomes around it."""
    law = exact_law(DoReFa(2), (-1, 5))
    assert law.mean == (-1, 5)


@pytest.mark.parametrize("run", [0, 1, 2, 13, 14, 15, 16, 28, 29])
def test_runs_of_zeros_are_shortened(run):
    x = torch.zeros(1, 5 * run + 10, dtype=torch.float64)
    x[0, 0], x[0, -1] = 3.0, -2.0
    operator = ThreeLC(1.0, runs=True)
    draws = Key.seed(1).draws(torch.tensor(0), torch.arange(1))
    code, symbols = operator.code(x.shape[-1], x.dtype), operator.encode(x, draws)
    lengths = code.lengths(symbols)
    assert lengths.item() == 64 + 8 * (2 + -(-run // 14))
    packed = code.pack(symbols)
    assert packed.shape[-1] * 8 == lengths.item()
    back = operator.decode(code.unpack(packed, lengths), x.shape[-1], x.dtype, draws)
    assert torch.equal(back, operator.compress(x, draws))


def quadratic() -> Quadratic:
    return Quadratic.strongly_convex(4, 12, zeta2=1.0)


def test_decaying_feedback_of_one_and_one_is_error_feedback():
    step, problem = ConstantStep(0.1), quadratic()
    ours = models(BSP(step, QSGD(4), DecayingFeedback(1.0, 1.0)), problem, 30)
    plain = models(BSP(step, QSGD(4), ErrorFeedback()), problem, 30)
    torch.testing.assert_close(ours, plain, rtol=1e-9, atol=1e-12)
    none = models(BSP(step, QSGD(4), DecayingFeedback(0.0, 1.0)), problem, 30)
    bare = models(BSP(step, QSGD(4)), problem, 30)
    torch.testing.assert_close(none, bare, rtol=1e-12, atol=1e-14)


def test_nesterov_feedback_uncompressed_is_nesterov_momentum():
    step, problem = ConstantStep(0.1), quadratic()
    ours = models(BSP(step, Identity(), NesterovFeedback(0.6)), problem, 30)
    plain = models(BSP(step, optimizer=Momentum(0.6, nesterov=True)), problem, 30)
    torch.testing.assert_close(ours, plain, rtol=1e-10, atol=1e-12)


def test_two_way_feedback_loses_nothing():
    """x - mean worker residual - server residual moves by the mean gradient step alone."""
    method = BSP(ConstantStep(0.05), ScaledSign(), ErrorFeedback(), ScaledSign(), ErrorFeedback())
    moments = list(path(method, quadratic(), 20))
    for before, after in pairwise(moments):
        g = before.context.gradient(before.state.x, before.t).mean(-2, keepdim=True)
        was, now = (
            s.x - s.memory.mean(-2, keepdim=True) - s.server for s in (before.state, after.state)
        )
        torch.testing.assert_close(now, was - 0.05 * g, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("n", [3, 4])
def test_majority_counts_votes(n):
    """Every coordinate moves by gamma against the majority; a tie of even n counts as +1."""
    problem = Quadratic.strongly_convex(n, 12, zeta2=1.0, sigma2=0.0)
    start = problem.start()
    trace = run(BSP(ConstantStep(0.1), Sign(), downlink=Sign()), problem, steps=1, points=2)
    votes = torch.where(problem.all_gradients(start) < 0, -1.0, 1.0).sum(0)
    expected = start - 0.1 * torch.where(votes < 0, -1.0, 1.0)
    torch.testing.assert_close(trace.model[0], expected)
    assert int(trace.account.received_bits[0, 0]) == problem.d


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Strom(0.0), "tau must be positive and finite, got tau=0.0"),
        (lambda: ThreeLC(2.0), "s must lie in"),
        (lambda: DoReFa(9), r"k must lie in \[1, 8\], got k=9"),
        (lambda: OneBit().for_shapes(((2, 2),)).claims(5), "shapes must hold d=5 numbers together"),
        (lambda: DecayingFeedback(1.5, 1.0), r"alpha and beta must lie in \[0, 1\]"),
        (lambda: NesterovFeedback(1.0), r"m must lie in \[0, 1\), got m=1.0"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
