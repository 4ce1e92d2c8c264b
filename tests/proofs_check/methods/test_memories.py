"""Momentum memories, clipping, warm-up, adaptive sparsifiers: definitions, limits, both worlds."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch

from algorithms.compressors.adacomp import AdaComp
from algorithms.compressors.layerwise_adaptive_top_k import LayerwiseAdaptiveTopK
from algorithms.compressors.top_count import TopCount
from algorithms.compressors.top_k import TopK
from algorithms.compressors.variance_threshold import VarianceThreshold
from algorithms.compressors.warm_up import WarmUp, graded_warm_up, sparsity_warm_up
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.memories.base import NoMemory, Round
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.adaptive.adaptive_k import AdaptiveK, fair_places
from algorithms.methods.adaptive.gtop_k import GTopK, rounds
from algorithms.methods.adaptive.variance_based import VarianceBased
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.norm_clipping import ClipNorm
from proofs_check.compressors.check import check_compressor
from proofs_check.evidence.auxiliary import effects as faults
from proofs_check.evidence.auxiliary.closed_forms import one_dimensional
from proofs_check.evidence.auxiliary.effects import PrintedCorrection
from proofs_check.instruments.paths import path
from proofs_check.mutants.method_mutant import MethodMutant
from proofs_check.mutants.report import faults_in
from proofs_check.verdict import Outcome
from theory.claims import Contraction, NoConstant
from theory.seconds.collectives import binary_tree_cost
from theory.seconds.costs import ETHERNET_1G, AlphaBeta
from theory.seconds.sparse_times import finished, gather_cost, ready_times
from theory.stepsizes import ConstantStep, WarmUpStep

ROWS = (
    "momentum-correction", "gmc", "local-clipping", "warm-up", "dgc", "adacomp", "gtop-k",
    "adaptive-k", "lags", "variance-based",
)  # fmt: skip
SHAPE = torch.Size((1, 1, 3))


def draws(m=1):
    return Key.seed(1).draws(torch.tensor(0), torch.arange(m))


def row(*values):
    return torch.tensor([[values]], dtype=torch.float64)


def test_published_numbers_of_the_printed_boxes():
    """Errata E30, E31: f = x^2/2, m = .9, gamma = .01, 200 steps."""
    assert one_dimensional(GlobalMomentum(0.9), 0.01, 200) == pytest.approx(4.3e-6, rel=0.01)
    assert one_dimensional(GlobalMomentum(0.9 * 0.01), 0.01, 200) == pytest.approx(0.1315, abs=1e-4)
    assert one_dimensional(NoMemory(), 0.01, 200) == pytest.approx(0.134, abs=1e-4)
    assert one_dimensional(PrintedCorrection(0.9), 0.01, 400) > 1e12


@pytest.mark.slow
def test_printed_correction_never_settles():
    """E30 at m = 0: x_{t+1} - 2 x_t + (1 + gamma) x_{t-1} ... has a root of modulus 1."""
    late = [one_dimensional(PrintedCorrection(0.0), 0.01, t) for t in range(1000, 1064)]
    assert 0.9 < max(late) < 1.1


def test_mutants_are_refuted_and_the_genuine_pass():
    for mutant in faults_in(faults, MethodMutant):
        assert mutant.refute().outcome is Outcome.REFUTED, mutant.name
        assert mutant.genuine().outcome.holds, mutant.name


@pytest.mark.parametrize("masking", [False, True])
def test_factor_masking_clears_the_velocity_of_what_was_sent(masking):
    memory = MomentumCorrection(0.5, masking)
    state = memory.init(SHAPE, torch.float64, torch.device("cpu"))
    x = row(4.0, -2.0, 1.0)
    wanted = memory.before(state, x)
    sent = TopK(1).compress(wanted[0], draws())[None]
    state = memory.after(state, Round(x, wanted, sent, sent))
    assert state.v.tolist() == [[[0.0, -2.0, 1.0]]]
    assert state.u.tolist() == [[[0.0 if masking else 4.0, -2.0, 1.0]]]
    assert memory.before(state, 0 * x).tolist() == [[[0.0 if masking else 2.0, -3.0, 1.5]]]


def test_dgc_parts_are_switchable():
    """Sparsity, masking, clipping and warm-up each change the run; none of them breaks it."""
    problem = Quadratic.strongly_convex(4, 20, zeta2=1.0)
    step = ConstantStep(0.02)
    forms = {
        "plain": BSP(step, TopK(0.1), MomentumCorrection(0.9)),
        "masked": BSP(step, TopK(0.1), MomentumCorrection(0.9, masking=True)),
        "clipped": BSP(step, TopK(0.1), MomentumCorrection(0.9), transform=ClipNorm(2.0)),
        "warmed": BSP(WarmUpStep(step, 50), sparsity_warm_up(20), MomentumCorrection(0.9)),
    }
    ends = {name: run(method, problem, steps=300, points=2) for name, method in forms.items()}
    models = [trace.model for trace in ends.values()]
    assert all(not torch.equal(a, b) for a, b in pairwise(models))
    for name, trace in ends.items():
        share = 0.7 if name == "warmed" else 0.2  # one coordinate of twenty at the end
        assert trace.squared_gradient[0, -1] < share * trace.squared_gradient[0, 0], name


def test_clipping_is_by_the_local_threshold():
    g = torch.tensor([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]], dtype=torch.float64)
    clipped = ClipNorm(4.0).apply(g, 16)
    expected = torch.tensor([[0.6, 0.8], [0.3, 0.4], [0, 0]], dtype=torch.float64)
    torch.testing.assert_close(clipped, expected)
    torch.testing.assert_close(ClipNorm(1.0, 0.0).apply(g, 16)[0], g[0] / 5)


def test_a_graded_warm_up_has_stages_that_differ_in_any_dimension():
    stages = {d: [stage.kept(d) for stage in graded_warm_up(5, d).stages] for d in (1, 64, 999)}
    assert stages == {1: [1] * 5, 64: [16, 8, 4, 2, 1], 999: [250, 63, 16, 4, 1]}
    assert graded_warm_up(5, 1000) == sparsity_warm_up(5)
    with pytest.raises(ValueError, match="d must be at least 1, got d=0"):
        graded_warm_up(5, 0)


def test_warm_up_of_sparsity_and_step():
    operator = sparsity_warm_up(10)
    assert [operator.at_step(t).kept(1000) for t in (0, 9, 10, 20, 30, 40, 999)] == [
        250, 250, 63, 16, 4, 1, 1,
    ]  # fmt: skip
    rule = WarmUpStep(ConstantStep(0.8), 4)
    assert [rule(t) for t in range(5)] == [0.2, 0.4, pytest.approx(0.6), 0.8, 0.8]
    problem = Quadratic.strongly_convex(2, 20)
    trace = run(BSP(ConstantStep(0.1), sparsity_warm_up(5)), problem, steps=10, points=2)
    first, second = (operator.at_step(t).bits(20, torch.float64) for t in (0, 10))
    assert int(trace.account.sent_bits[0, 0]) == 5 * first + 5 * second


def test_tree_of_any_size_sums_and_answers():
    for n in (1, 2, 3, 5, 8):
        up, down = rounds(n)
        assert len(up) == len(down) == (n - 1).bit_length()
        problem = Quadratic.strongly_convex(n, 6, zeta2=1.0 if n > 1 else 0.0)
        trace = run(GTopK(ConstantStep(0.1), 6), problem, steps=4, points=2)
        plain = run(BSP(ConstantStep(0.1)), problem, steps=4, points=2)
        torch.testing.assert_close(trace.model, plain.model, rtol=1e-10, atol=1e-13)
        assert int(trace.account.sent_messages[0].sum()) == 4 * 2 * (n - 1)


def test_adacomp_reference_bin():
    """G = (.5,-1,.2,.9), dW = (.1,-.2,.1,.3): sent are 1 and 3, at the bin's maximum 1."""
    g, dw = row(0.5, -1.0, 0.2, 0.9)[0], row(0.1, -0.2, 0.1, 0.3)[0]
    operator = AdaComp(4)
    symbols = operator.encode_guided(g, dw, draws())
    sent = operator.decode(symbols, 4, torch.float64, draws())
    assert sent.tolist() == [[0.0, -1.0, 0.0, 1.0]]


def test_adacomp_words_are_the_papers():
    """8 bits an element or empty bin for bins up to 63, else 16; every message reads back."""
    generator = torch.Generator().manual_seed(4)
    for bin_, d, word in ((4, 10, 8), (63, 200, 8), (64, 200, 16), (500, 1000, 16)):
        operator = AdaComp(bin_)
        x, dw = torch.randn((2, 7, d), generator=generator, dtype=torch.float64)
        x[0], x[1, : d // 2] = 0, 0
        symbols = operator.encode_guided(x, dw, draws(7))
        code = operator.code(d, x.dtype)
        sent = operator.decode(symbols, d, x.dtype, draws(7))
        again = code.unpack(code.pack(symbols), code.lengths(symbols))
        assert torch.equal(operator.decode(again, d, x.dtype, draws(7)), sent)
        cut = [row.split(bin_) for row in sent]
        words = [sum(max(1, int((part != 0).sum())) for part in row) for row in cut]
        assert code.lengths(symbols).tolist() == [64 + word * count for count in words]
        tops = torch.stack([torch.stack([p.abs().max() for p in row.split(bin_)]) for row in x])
        g, h = x.split(bin_, -1), (x + dw).split(bin_, -1)
        mask = torch.cat([b.abs() >= a.abs().amax(-1, keepdim=True)
                          for a, b in zip(g, h, strict=True)], -1) & (x != 0)  # fmt: skip
        torch.testing.assert_close(sent, torch.where(mask, x.sign() * tops.mean(-1)[:, None], 0))


@pytest.mark.slow
def test_adacomp_constants():
    (one,) = AdaComp(10).claims(9)
    assert isinstance(one, Contraction) and one.delta == 4 / 12
    assert isinstance(AdaComp(10).claims(11)[0], NoConstant)
    for d in (5, 9, 11, 12, 40):
        for verdict in check_compressor(AdaComp(4 if d < 11 else 10), d=d):
            assert verdict.outcome is not Outcome.REFUTED, verdict


def fair_by_definition(rows, k):
    """The largest kappa with a union of top-kappa of at most k, filled from the next."""
    order = [sorted(range(len(r)), key=lambda j, r=r: (-abs(r[j]), j)) for r in rows]
    union = set()
    for kappa in range(len(rows[0]) + 1):
        grown = {j for o in order for j in o[:kappa]}
        if len(grown) > k:
            rest = {j: max(abs(r[j]) for r, o in zip(rows, order, strict=True) if o[kappa - 1] == j)
                    for j in grown - union}  # fmt: skip
            return union | set(sorted(rest, key=lambda j: (-rest[j], j))[: k - len(union)])
        union = grown
    return union


def test_fair_choice_is_the_papers():
    generator = torch.Generator().manual_seed(5)
    for k in (1, 3, 4, 7, 12):
        rows = torch.randn((20, 4, 12), generator=generator, dtype=torch.float64)
        rows[:, 1] *= 100  # by size alone one worker would fill the choice
        mask = (fair_places(rows) < k)[:, 0]
        for chosen, own in zip(mask, rows.tolist(), strict=True):
            assert set(chosen.nonzero()[:, 0].tolist()) == fair_by_definition(own, k)
            for row_ in own:
                first = sorted(range(12), key=lambda j, r=row_: -abs(r[j]))[: k // 4]
                assert all(chosen[j] for j in first)


def test_layers_send_what_their_time_hides():
    """16-64-10 network: 1 Gbit/s, 1 ms backward, 42 bits an entry; nothing hides the first."""
    operator = LayerwiseAdaptiveTopK(ETHERNET_1G, 1e-3, 10.0).for_shapes(
        ((16, 64), (16,), (10, 16), (10,))
    )
    assert operator.counts(1210) == (103, 16, 16, 10)
    assert operator.claims(1210)[0].delta == min(103 / 1024, 16 / 160)
    slow = LayerwiseAdaptiveTopK(AlphaBeta(0.0, 1e-9), 1e-6, 1000.0).for_shapes(((100,), (100,)))
    assert slow.counts(200) == (1, int(0.5e-6 / (39 * 1e-9)))


def test_times_of_sparse_rounds():
    """Shi et al. 2019: 2 alpha log n + 4 k beta log n for k values and k indices of one size."""
    link, k, n = AlphaBeta(5e-5, 1e-9), 100, 16
    assert binary_tree_cost(n).seconds(link, 64 * k) == pytest.approx(
        4 * (2 * 5e-5 + 4 * k * 32e-9)
    )
    assert gather_cost(n).seconds(link, n * 64 * k) == pytest.approx(4 * 5e-5 + 15 * 6400e-9)
    assert ready_times((1, 1, 2), 4.0) == (1.0, 2.0, 4.0)
    with pytest.raises(ValueError, match="groups must hold 2 layers"):
        finished((0.0, 1.0), (1.0, 1.0), (1,), link)


def test_variance_criterion_reference():
    """Sample gradients 1 and 3: r^2 = 4, v = 5/2: sent at alpha = 1, not at alpha = 2."""
    g = torch.tensor([1.0, 3.0], dtype=torch.float64)
    r, v = row(g.mean())[0], row((g / 2).square().sum())[0]
    for alpha, sent in ((1.0, 2.0), (2.0, 0.0)):
        operator = VarianceThreshold(alpha)
        symbols = operator.encode_guided(r, v, draws())
        assert operator.decode(symbols, 1, torch.float64, draws()).tolist() == [[sent]]


def test_powers_of_two_are_nearest_and_ranged():
    x = row(1.0, 1.49, 1.5, -3.0, 100.0, 0.7, 0.75 / 2)[0]
    sent = VarianceThreshold().compress(x, draws())
    assert sent.tolist() == [[1.0, 1.0, 2.0, -4.0, 128.0, 0.0, 0.0]]


def test_counts_come_with_the_row():
    x = torch.tensor([[5.0, -4.0, 3.0, 0.0], [1.0, 2.0, 3.0, 4.0]], dtype=torch.float64)
    guide = torch.tensor([[2.0], [1.0]], dtype=torch.float64)
    operator = TopCount(2)
    sent = operator.decode(operator.encode_guided(x, guide, draws(2)), 4, x.dtype, draws(2))
    assert sent.tolist() == [[5.0, -4.0, 0.0, 0.0], [0.0, 0.0, 0.0, 4.0]]
    assert torch.equal(operator.compress(x, draws(2)), TopK(2).compress(x, draws(2)))


@pytest.mark.parametrize(("beta", "sign"), [(0.0, 1), (1e-3, -1)])
def test_k_follows_the_price_of_a_bit(beta, sign):
    """Free bits: k rises to d. Where bits are all that costs, k falls: gains are concave in k."""
    compute = 0.0 if beta else 1.0
    method = AdaptiveK(ConstantStep(0.3), AlphaBeta(0.0, beta), compute=compute, start=0.5)
    problem = Quadratic.strongly_convex(4, 40, sigma2=0.0, zeta2=0.1)
    ks = [float(moment.state.k[0, 0, 0]) for moment in path(method, problem, 20)]
    assert ks[0] == 20.0 and sign * (ks[-1] - 20.0) > 5.0


def test_unambiguous_elements_only():
    """With a huge alpha nothing is sent; with alpha 0 all of r goes, to a third."""
    problem = Quadratic.strongly_convex(4, 20, sigma2=1.0)
    silent = run(VarianceBased(ConstantStep(0.1), alpha=1e9), problem, steps=5, points=2)
    assert torch.equal(silent.model[0], problem.start())
    loud = run(VarianceBased(ConstantStep(0.1), alpha=0.0), problem, steps=300, points=2)
    assert loud.squared_gradient[0, -1] < 0.1 * loud.squared_gradient[0, 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MomentumCorrection(1.0), r"m must lie in \[0, 1\), got m=1.0"),
        (lambda: GlobalMomentum(-0.1), r"m must lie in \[0, 1\), got m=-0.1"),
        (lambda: ClipNorm(0.0), "threshold must be positive and finite, got threshold=0.0"),
        (lambda: WarmUp((), 5), "stages must not be empty"),
        (lambda: WarmUpStep(ConstantStep(1.0), 0), "length must be at least 1 step"),
        (lambda: AdaComp(3), r"bin must lie in \[4, 16383\], got bin=3"),
        (
            lambda: LayerwiseAdaptiveTopK(ETHERNET_1G, -1.0),
            "compute must be at least 0 s, got compute=-1.0",
        ),
        (
            lambda: LayerwiseAdaptiveTopK(ETHERNET_1G, 1.0, 0.5),
            "ratio must be at least 1, got ratio=0.5",
        ),
        (
            lambda: LayerwiseAdaptiveTopK(ETHERNET_1G, 1.0).for_shapes(((3, 2),)).claims(7),
            "shapes must hold d=7",
        ),
        (lambda: VarianceThreshold(-1.0), "alpha must be at least 0, got alpha=-1.0"),
        (lambda: VarianceBased(ConstantStep(1.0), micro=0), "micro must be at least 1 gradient"),
        (lambda: AdaptiveK(ConstantStep(1.0), AlphaBeta(0, 0), least=0), "least must be at least"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
