"""Lists of meetings, local momentum, compressed increments, filtered blocks, AdaComm."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import local_updates, problem, row
from algorithms.compressors.composed import QuantisedTopK
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.local_updates.adacomm import AdaComm
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.base import SGD
from algorithms.optimizers.momentum import Momentum
from algorithms.optimizers.outer import BlockMomentum
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import ShiftedExponential
from algorithms.synchronisation.periods import (
    FixedPeriod,
    GrowingPeriod,
    ListedPeriods,
    OneShot,
    Periods,
    PostLocal,
)
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.compressors.check import check_compressor
from proofs_check.evidence.local_updates import studies_periods as adacomm_time
from proofs_check.evidence.local_updates.closed_forms_variants import staggered
from proofs_check.verdict import Outcome
from theory.claims import Contraction
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep, Stepsize

STEP = ConstantStep(0.05)


def noisy(n: int = 4) -> Quadratic:
    return Quadratic.strongly_convex(n, 6, L=1.0, mu=0.2, sigma2=1.0, zeta2=2.0, R2=4.0)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 9), st.fractions(0, 2, max_denominator=8), st.integers(1, 80))
def test_growing_periods_never_fall_and_fill_the_steps(
    first: int, growth: Fraction, steps: int
) -> None:
    periods = GrowingPeriod(first, float(growth), most=first + 5)
    ends = [0] + [t + 1 for t in range(steps) if periods.meets(t)]
    lengths = np.diff(ends)
    exact = [min(math.floor((1 + k * growth) * first), first + 5) for k in range(len(lengths))]
    assert lengths.tolist() == exact


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (GrowingPeriod(3, 0.0), FixedPeriod(3)),
        (ListedPeriods((4,)), FixedPeriod(4)),
        (PostLocal(0, 5), FixedPeriod(5)),
        (PostLocal(64, 5), FixedPeriod(1)),
        (ListedPeriods((1,) * 7 + (3,)), PostLocal(7, 3)),
    ],
)
def test_lists_that_mean_the_same(one: Periods, other: Periods) -> None:
    assert [one.meets(t) for t in range(64)] == [other.meets(t) for t in range(64)]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LocalSGD(STEP, 0), "period must be at least 1 local step, got period=0"),
        (lambda: OneShot(0), "steps must be at least 1, got steps=0"),
        (lambda: PostLocal(-1, 4), "switch must be at least 0, got switch=-1"),
        (lambda: GrowingPeriod(2, -0.5), "growth must be finite and >= 0, got growth=-0.5"),
        (lambda: GrowingPeriod(4, 0.5, most=3), "most must be at least 4, got most=3"),
        (lambda: ListedPeriods(()), "at least one period, got none"),
        (lambda: ListedPeriods((3, 0)), r"lengths\[1\] must be at least 1"),
        (lambda: BlockMomentum(1.0), r"eta must lie in \[0, 1\), got eta=1.0"),
        (lambda: BlockMomentum(0.5, 0.0), "zeta must be positive, got zeta=0.0"),
        (lambda: AdaComm(STEP, 0, 1.0), "first must be at least 1 local step, got first=0"),
        (lambda: AdaComm(STEP, 4, 0.0), "interval must be positive and finite"),
        (lambda: staggered(STEP, 0, 0.5), "period must be at least 1, got period=0"),
        (lambda: staggered(STEP, 4, 1.5), r"stagger must lie in \[0, 1\], got stagger=1.5"),
        (lambda: QuantisedTopK(3, 0), "s must lie in"),
        (
            lambda: run(LocalSGD(STEP, 2, velocity=AtMeetings.AVERAGED), noisy(), steps=1),
            "optimizer whose state is one row, got SGD",
        ),
    ],
)
def test_bad_input_is_named(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_adacomm_refuses_a_start_without_loss() -> None:
    zero = torch.zeros(2, 3, dtype=torch.float64)
    with pytest.raises(ValueError, match="loss at x_0 must be positive"):
        run(AdaComm(STEP, 4, 1.0), Quadratic.from_arrays(zero + 1, zero), steps=2)


def test_integer_periods_are_lists() -> None:
    one, other = (
        run(LocalSGD(STEP, period), noisy(), steps=30, replicas=3, seed=4)
        for period in (7, FixedPeriod(7))
    )
    assert torch.equal(one.rows, other.rows)
    assert one.method == other.method


def sgd_with_momentum(period: int, velocity: AtMeetings) -> np.ndarray[Any, Any]:
    """Local SGD of torch's optimizer on the exact gradients: last models of 3 workers ``[3, d]``.

    The velocity of torch's SGD is that of gradients, ours that of steps: gamma apart.
    """
    built = noisy(3).to("cpu")
    rows = [torch.nn.Parameter(built.start().clone()) for _ in range(3)]
    tools = [torch.optim.SGD([x], lr=0.05, momentum=0.7) for x in rows]
    for t in range(20):
        for i, (x, tool) in enumerate(zip(rows, tools, strict=True)):
            x.grad = built.full_gradient(x.data[None], torch.tensor([i]))[0]
            tool.step()
        if (t + 1) % period:
            continue
        buffers = [tool.state[x]["momentum_buffer"] for x, tool in zip(rows, tools, strict=True)]
        mean, pace = torch.stack([x.data for x in rows]).mean(0), torch.stack(buffers).mean(0)
        for x, buffer in zip(rows, buffers, strict=True):
            x.data.copy_(mean)
            if velocity is not AtMeetings.KEPT:
                buffer.copy_(pace if velocity is AtMeetings.AVERAGED else torch.zeros_like(pace))
    return torch.stack([x.data for x in rows]).numpy()


@pytest.mark.parametrize("velocity", list(AtMeetings))
def test_local_momentum_is_that_of_torch(velocity: AtMeetings) -> None:
    quiet = Quadratic.strongly_convex(3, 6, L=1.0, mu=0.2, sigma2=0.0, zeta2=2.0, R2=4.0)
    trace = run(LocalSGD(STEP, 6, Momentum(0.7), velocity), quiet, steps=20)
    np.testing.assert_allclose(
        trace.rows[0].numpy(), sgd_with_momentum(6, velocity), rtol=0, atol=1e-12
    )


def test_what_meetings_cost() -> None:
    built, d = noisy(), 6
    plain, averaged, packed = (
        run(method, built, steps=24).account
        for method in (
            LocalSGD(STEP, 8),
            LocalSGD(STEP, 8, Momentum(0.9), AtMeetings.AVERAGED),
            LocalSGD(STEP, 8, compressor=QSGD(3), memory=ErrorFeedback()),
        )
    )
    assert set(plain.sent_bits.flatten().tolist()) == {3 * 64 * d}
    assert set(averaged.sent_bits.flatten().tolist()) == {2 * 3 * 64 * d}
    assert set(averaged.received_messages.flatten().tolist()) == {6}
    assert set(packed.sent_bits.flatten().tolist()) == {3 * QSGD(3).bits(d, torch.float64)}
    assert set(packed.received_bits.flatten().tolist()) == {3 * 64 * d}


def test_composed_operator_keeps_its_claims() -> None:
    for operator in (QuantisedTopK(0.5, 2), QuantisedTopK(0.1, 8, scaled=False)):
        verdicts = check_compressor(operator, d=50)
        assert all(v.outcome.holds for v in verdicts)
    d, k, s = 50, 5, 2
    beta = min(Fraction(k, s * s), Fraction(math.isqrt(k * 10**16), s * 10**8))
    claim = QuantisedTopK(k, s).claims(d)[0]
    assert isinstance(claim, Contraction)
    assert claim.delta == pytest.approx(float(Fraction(k, d) / (1 + beta)), rel=1e-7)
    assert QuantisedTopK(k, 1, scaled=False).claims(d) == ()  # beta >= 1


def test_composed_operator_is_the_quantiser_of_what_top_k_keeps() -> None:
    x = torch.randn((4, 3, 40), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    draws = Key.seed(2).draws(torch.arange(4), torch.arange(3))
    kept = TopK(7).compress(x, draws)
    rows = QuantisedTopK(7, 4, scaled=False).compress(x, draws)
    place = kept != 0
    assert torch.equal(rows[~place], torch.zeros_like(rows[~place]))
    ours = rows[place].reshape(4, 3, 7)
    theirs = QSGD(4).compress(kept[place].reshape(4, 3, 7), draws)
    assert torch.equal(ours, theirs)
    scaled = QuantisedTopK(7, 4).compress(x, draws)
    assert torch.allclose(scaled * (1 + 7 / 16), rows, rtol=1e-15, atol=0)


def test_replicas_of_adacomm_keep_their_own_periods() -> None:
    timing = Timing(ShiftedExponential(0.5, 0.5), AlphaBeta(2.0, 0.0))
    built = Quadratic.strongly_convex(3, 6, L=1.0, mu=0.5, sigma2=0.5, zeta2=1.0, R2=40.0)
    method = AdaComm(STEP, 12, 15.0, timing)
    whole = run(method, built, steps=120, replicas=6, seed=9, points=121)
    assert len({tuple(r) for r in np.diff(whole.sent_bits, axis=1) > 0}) > 1
    gaps = [np.diff(np.flatnonzero(r)) for r in np.diff(whole.sent_bits, axis=1) > 0]
    assert all(g[-1] < g[0] for g in gaps)
    few = run(method, built, steps=120, replicas=2, seed=9, points=121)
    assert torch.equal(few.rows, whole.rows[:2])
    assert np.array_equal(few.seconds, whole.seconds[:2])


@pytest.mark.slow
def test_the_study_of_adacomm_sees_periods_that_are_fixed() -> None:
    def fixed(
        step: Stepsize, _first: int, _interval: float, timing: Timing, *, period: int
    ) -> AdaComm:
        return AdaComm(step, period, 1e12, timing)

    for period in (1, 64):
        result = adacomm_time.measure(partial(fixed, period=period))
        assert result.verdicts[0].outcome is Outcome.REFUTED
    genuine = adacomm_time.measure()
    assert {v.outcome for v in genuine.verdicts} == {Outcome.SUPPORTED}


@pytest.mark.parametrize("key", [entry.key for entry in local_updates.ENTRIES])
def test_rows_make_progress(key: str) -> None:
    for name in ("quadratic-sc", "logreg-breast-cancer"):
        built = problem(name, 4)
        method: Method[Any] = row(key).build(built, 400)
        trace = run(method, built, steps=400, replicas=2, points=2)
        assert (trace.suboptimality[:, -1] < trace.suboptimality[:, 0] / 2).all()


def test_descending_is_updating() -> None:
    x, g = torch.randn((2, 3, 5), dtype=torch.float64), torch.randn((2, 3, 5), dtype=torch.float64)
    for optimizer in (SGD(), Momentum(0.9), Momentum(0.5, nesterov=True)):
        state = optimizer.init(x)
        _, move = optimizer.update(state, 0.3 * g, x, 0.3)
        assert torch.equal(optimizer.descend(state, g, x, 0.3)[1], x - move)


def test_qsparse_with_one_step_is_error_feedback_in_the_ledger_too() -> None:
    operator = QuantisedTopK(2, 3)
    one = run(LocalSGD(STEP, 1, compressor=operator, memory=ErrorFeedback()), noisy(), steps=9)
    other = run(BSP(STEP, operator, ErrorFeedback()), noisy(), steps=9)
    assert all(torch.equal(a, b) for a, b in zip(one.account, other.account, strict=True))


def test_staggered_meetings_come_once_a_period_and_cost_one_message() -> None:
    method = staggered(STEP, 4, 1.0)
    ids = torch.arange(8)
    met = torch.stack([method.meets(ids, 8, t) for t in range(12)])
    assert (met.sum(0) == 3).all()
    assert (met.sum(1) == 2).all()
    account = run(method, noisy(8), steps=12).account
    assert set(account.sent_messages.flatten().tolist()) == {3}
    assert set(account.received_messages.flatten().tolist()) == {3}
