"""Masks, drop-out, thresholds, SBC, STC, truncations: exact vectors, other implementations."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from algorithms.codes import lists as list_code
from algorithms.codes.hybrid import Hybrid
from algorithms.codes.lists import Column, Lists, Records, float_column
from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.dryden import Dryden
from algorithms.compressors.gaussian_k import GaussianK
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.row_top_k import RowTopK
from algorithms.compressors.sbc import SBC
from algorithms.compressors.stc import STC
from algorithms.compressors.top_k import TopK
from algorithms.compressors.wangni import GreedyWangni, Wangni
from algorithms.core import row_slices
from algorithms.core.key import Key
from algorithms.kernels import drop_out
from algorithms.kernels import entries as kernel
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.sparsification.communication_delay import CommunicationDelay
from algorithms.methods.sparsification.two_way_truncation import TwoWayTruncation
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.optimizers.truncation import TruncatedGradient, truncate
from algorithms.problems import meprop
from algorithms.problems.mlp import digits_mlp
from algorithms.problems.quadratic import Quadratic
from proofs_check.compressors.check import check_compressor
from proofs_check.evidence.sparsification import faults
from proofs_check.instruments.exact import exact_law
from proofs_check.instruments.paths import models
from proofs_check.mutants.method_mutant import MethodMutant, OperatorMutant
from proofs_check.mutants.report import faults_in
from proofs_check.verdict import Outcome
from theory import bits
from theory.claims import Contraction, NoConstant
from theory.stepsizes import ConstantStep

V = (3, -4, 0, 12)
F = Fraction


def draws(m: int = 1, seed: int = 1):
    return Key.seed(seed).draws(torch.tensor(0), torch.arange(m))


def sent(operator, values, dtype=torch.float64):
    return operator.compress(torch.tensor([values], dtype=dtype), draws())[0].tolist()


def normals(*shape, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape))


# outcomes on small vectors, enumerated in fractions by another program


@pytest.mark.parametrize(
    ("operator", "error"),
    [
        (RandK(1, scaled=False), F(507, 4)),
        (RandK(1), F(507)),
        (RandK(2, scaled=False), F(169, 2)),
        (RandK(2, send_indices=True), F(169)),
        (RandomMask(0.25), F(507, 4)),
        (RandomMask(0.25, scaled=True), F(507)),
        (RandomMask(0.5, scaled=True, send_indices=True), F(169)),
        (Wangni(0.5), F(169, 2)),
        (Wangni(0.25), F(169, 4)),
        (TopK(1), F(25)),
        (TopK(2), F(9)),
        (TopK(3), F(0)),
        (AbsoluteThreshold(1), F(25)),
        (AbsoluteThreshold(2), F(9)),
        (STC(2), F(41)),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_errors_at_the_reference_vector(operator, error):
    law = exact_law(operator, V)
    assert law.error == error
    if any(type(claim).__name__ == "Unbiased" for claim in operator.claims(4)):
        assert law.mean == tuple(F(v) for v in V)


def test_outputs_at_the_reference_vector():
    assert sent(STC(2), V) == [0, -8, 0, 8]
    assert sent(AbsoluteThreshold(2), V) == [0, -4, 0, 12]
    weights = torch.tensor(V, dtype=torch.float64)
    assert truncate(weights, 1.0, 5.0).tolist() == [2, -3, 0, 12]


def test_golomb_numbers_of_the_reference_sheet():
    for p, b, position in ((0.1, 3, 4.7558252), (0.01, 6, 8.1079102), (0.001, 9, 11.494651)):
        assert bits.golomb_width(p) == b
        assert bits.golomb_position(p) == pytest.approx(position, rel=1e-7)


def test_by_hand():
    assert sent(Dryden(0.5), (4, 2, 1, -8, -2)) == [3, 3, 0, -8, 0]  # ceil(3/2) and ceil(2/2)
    assert sent(SBC(2), (4, 2, 1, -9, -1, 0)) == [0, 0, 0, -5, -5, 0]
    assert sent(SBC(1), (4, 2, 1, -3, -1, 0)) == [4, 0, 0, 0, 0, 0]
    assert sent(RowTopK(1, (2, 2)), (3, 4, -1, 4.5)) == [3, 4, 0, 0]


# against other implementations


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=12).filter(any),
    st.sampled_from([0.1, 0.5, 1.0, 3.0]),
)
@settings(max_examples=30, deadline=None)
def test_wangni_is_the_optimum_of_its_program(values, epsilon):
    """sum p by a general solver of min sum p, sum g^2/p <= (1 + eps) ||g||^2 is no smaller."""
    g = np.array([float(v) for v in values if v])
    x = torch.from_numpy(g)[None]
    p = Wangni(epsilon).probabilities(x)[0].numpy()
    square = float((g * g).sum())
    assert np.sum(g * g / p) == pytest.approx((1 + epsilon) * square, rel=1e-12)
    solved = optimize.minimize(
        lambda q: q.sum(),
        np.full(len(g), 1 / (1 + epsilon)),
        jac=np.ones_like,
        bounds=[(1e-6, 1.0)] * len(g),
        constraints={
            "type": "ineq",
            "fun": lambda q: (1 + epsilon) - (g * g / q).sum() / square,
            "jac": lambda q: g * g / q**2 / square,
        },
        method="SLSQP",
    )
    assert p.sum() <= solved.fun + 1e-4 * len(g)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=12), st.sampled_from([0.1, 0.4, 0.9]))
@settings(max_examples=50, deadline=None)
def test_greedy_drop_out_follows_the_paper_step_by_step(values, density):
    g = np.abs(np.array(values, dtype=float))
    d = len(g)
    p = np.minimum(density * d * g / g.sum(), 1) if g.any() else g
    for _ in range(2 * d):
        inner = (p < 1) & (g > 0)
        if not p[inner].sum():
            break
        factor = (density * d - d + (~(p >= 1)).sum()) / p[inner].sum()
        if factor <= 1 + 1e-12:
            break
        p = np.minimum(factor * p, 1)
    ours = GreedyWangni(density).probabilities(torch.tensor([values], dtype=torch.float64))[0]
    np.testing.assert_allclose(ours.numpy(), p, rtol=1e-9)


@pytest.mark.parametrize("operator", [Wangni(1.0), GreedyWangni(0.25)], ids=lambda o: o.name)
@pytest.mark.parametrize("power", [-900, -200, 200, 900])
def test_probabilities_do_not_depend_on_the_scale(operator, power):
    x = normals(3, 20)
    far = x * 2.0 ** (power // 2) * 2.0 ** (power - power // 2)
    assert torch.equal(operator.probabilities(x), operator.probabilities(far))


@pytest.mark.parametrize("k", [10, 100, 400])
def test_gaussian_threshold_is_that_of_scipy(k):
    x = 0.3 + 2 * normals(3, 1000)
    expected = stats.norm.ppf(1 - k / 1000, x.mean(-1), x.numpy().std(-1))
    first = GaussianK(k).first_threshold(x)[:, 0]
    np.testing.assert_allclose(first.numpy(), expected, rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_gaussian_search_follows_the_paper(seed):
    x = normals(1000, seed=seed) ** 3
    threshold = stats.norm.ppf(0.9, x.mean(), x.numpy().std())
    for _ in range(4):
        mask = np.abs(x.numpy()) > threshold
        if mask.sum() < 2 * 100 / 3:
            threshold *= 0.5
        elif mask.sum() > 4 * 100 / 3:
            threshold *= 1.5
        else:
            break
    ours = GaussianK(0.1).compress(x[None], draws())[0]
    assert np.array_equal(ours.numpy() != 0, mask)


def test_exact_threshold_is_top_k_and_the_quantile():
    x = normals(8, 200)
    ours = AbsoluteThreshold(0.05).compress(x, draws(8))
    assert torch.equal(ours, TopK(10).compress(x, draws(8)))
    quantile = np.quantile(np.abs(x.numpy()), 0.95, axis=-1, method="higher")
    assert np.array_equal(ours.numpy() != 0, np.abs(x.numpy()) >= quantile[:, None])


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=7), st.data())
@settings(max_examples=60, deadline=None)
def test_closed_forms_of_the_errors(values, data):
    d = len(values)
    k = data.draw(st.integers(1, d))
    v = np.array(values, dtype=float)
    size = np.sort(np.abs(v))[::-1]
    stc = np.array(sent(STC(k), values))
    np.testing.assert_allclose(((stc - v) ** 2).sum(), (v**2).sum() - size[:k].sum() ** 2 / k)
    if k < d:
        means = [np.sort(side)[::-1][:k].mean() for side in (v, -v)]
        sbc = np.array(sent(SBC(k), values))
        np.testing.assert_allclose(((sbc - v) ** 2).sum(), (v**2).sum() - k * max(means) ** 2)


@pytest.mark.parametrize(
    ("operator", "worst"),
    [
        (STC(2), (1, 1, 1, 1, 1, 1, 1, 1)),
        (STC(4), (1, 0, 0, 0, 0, 0, 0, 0)),
        (SBC(2), (3, -1, -1, -1, -1, -1, -1, -1)),
        (SBC(3), (3, 3, -3, -3)),
        (SBC(7), (1, 1, 1, 1, 1, 1, 1, 1)),
        (Dryden(0.1), (0, 0, 7, 7, 7, 7, 7, 7)),
        (AbsoluteThreshold(3), (1, 1, 1, 1, 1, 1, 1, 1)),
        (RowTopK(1, (4, 2)), (3, 4, 5, 0, 0, 5, 4, 3)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_worst_vectors_attain_the_contraction(operator, worst):
    x = torch.tensor([worst], dtype=torch.float64)
    ratio = float((operator.compress(x, draws()) - x).square().sum() / x.square().sum())
    (claim,) = operator.claims(len(worst))
    assert isinstance(claim, Contraction)
    if operator == SBC(7):  # a flat row is kept but for one entry; the worst has two values
        assert ratio < 1 - claim.delta
    elif operator == Dryden(0.1):  # six equal values: 1/6 of them, the worst for d = 6
        assert ratio == pytest.approx(1 - Dryden(0.1).claims(6)[0].delta)
    else:
        assert ratio == pytest.approx(1 - claim.delta)


@pytest.mark.parametrize(("d", "k"), list(itertools.product([3, 4, 5], [1, 2, 3])))
def test_sbc_constant_against_a_search(d, k):
    """delta by a general solver from many starts is no smaller than the claimed one."""
    if k >= d:
        return
    delta = SBC(k).claims(d)[0].delta

    def captured(v):
        means = [np.sort(side)[::-1][:k].mean() for side in (v, -v)]
        return k * max(means) ** 2 / max((v**2).sum(), 1e-12)

    rng = np.random.default_rng(d * 10 + k)
    found = min(
        optimize.minimize(captured, rng.standard_normal(d), method="Nelder-Mead").fun
        for _ in range(40)
    )
    assert delta - 1e-9 <= found <= delta * 1.05


def test_no_constant_where_a_flat_row_sends_nothing():
    (claim,) = GaussianK(0.1).claims(1000)
    assert isinstance(claim, NoConstant)
    assert sent(GaussianK(0.1), [1.0] * 1000) == [0.0] * 1000
    assert GaussianK(1.0).claims(5)[0].delta == 1.0


# codes


@st.composite
def lists(draw):
    cap = draw(st.integers(1, 6))
    counts = draw(st.lists(st.integers(0, cap), min_size=1, max_size=4))
    width = draw(st.integers(0, 5))
    rows = [
        [(draw(st.integers(1, 40)), draw(st.integers(0, 7))) for _ in range(count)]
        for count in counts
    ]
    return cap, width, rows


def same_slots(x, y):
    """Equal where both have slots, zero where one alone has."""
    cap = min(x.shape[-1], y.shape[-1])
    return bool((x[..., :cap] == y[..., :cap]).all()) and not (
        x[..., cap:].any() or y[..., cap:].any()
    )


@given(lists(), st.sampled_from((1, 2, 1 << 16)))
@settings(deadline=None)
def test_lists_are_the_bits_of_golomb_and_come_back(drawn, slots):
    """However many records of a row are turned into words together."""
    cap, width, rows = drawn
    with mock.patch.object(list_code, "_SLOTS", slots):
        golomb_lists_come_back(cap, width, rows)


def golomb_lists_come_back(cap, width, rows):
    code = Lists((), (Records((Column("gap", width, golomb=True), Column("v", 3)), cap),))
    count = torch.tensor([[len(row)] for row in rows])
    gap, value = (
        torch.tensor([[r[c] for r in row] + [0] * (cap - len(row)) for row in rows]) for c in (0, 1)
    )
    packed, lengths = code.pack((count, gap, value)), code.lengths((count, gap, value))
    for i, row in enumerate(rows):
        text = "".join(
            "1" * ((g - 1) >> width) + "0"
            + (format((g - 1) % 2**width, f"0{width}b") if width else "") + format(v, "03b")
            for g, v in row
        )  # fmt: skip
        assert lengths[i] == len(text)
        written = "".join(format(byte, "08b") for byte in packed[i].tolist())
        assert written.startswith(text) and not int(written[len(text) :] or "0", 2)
    for before, after in zip((count, gap, value), code.unpack(packed, lengths), strict=True):
        assert same_slots(before, after)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_counted_lists_and_floats_come_back_bit_for_bit(dtype):
    code = Lists(
        (), (Records((float_column("x", dtype),), 3, counted=2), Records((Column("y", 4),), 2))
    )
    x = torch.tensor([[float("nan"), -0.0, 0.0], [5e-324, float("-inf"), 1.5]]).to(dtype)
    symbols = (
        torch.tensor([[2], [3]]),
        x,
        torch.tensor([[1], [0]]),
        torch.tensor([[9, 0], [0, 0]]),
    )
    lengths = code.lengths(symbols)
    size = torch.finfo(dtype).bits
    assert lengths.tolist() == [2 + 2 * size + 4, 2 + 3 * size]
    back = code.unpack(code.pack(symbols), lengths)
    pattern = torch.int32 if dtype == torch.float32 else torch.int64
    assert torch.equal(back[1].view(pattern), x.view(pattern))
    assert all(torch.equal(a, b) for a, b in zip(symbols[::2], back[::2], strict=True))
    nothing = code.unpack(torch.zeros((2, 0), dtype=torch.uint8), torch.zeros(2, dtype=torch.int64))
    assert not any(part.any() for part in nothing)


def test_lists_refuse_what_does_not_fit():
    code = Lists((), (Records((Column("gap", 2, golomb=True),), 2),))
    with pytest.raises(ValueError, match=r"column gap holds symbols in \[1, .*\], got 0"):
        code.pack((torch.tensor([[1]]), torch.tensor([[0, 0]])))
    with pytest.raises(ValueError, match="lengths"):
        code.unpack(torch.zeros((1, 1), dtype=torch.uint8))
    with pytest.raises(ValueError, match="ends within a record"):
        code.unpack(torch.full((1, 1), 255, dtype=torch.uint8), torch.tensor([8]))
    with pytest.raises(ValueError, match=r"places must lie in \[0, d\), got 3 with d=3"):
        kernel.spread_onto(
            torch.tensor([1]), torch.tensor([[3]]), torch.ones(1, 1), torch.zeros(1, 3)
        )


def test_kernels_equal_their_twins():
    mask = normals(5, 40) > 0.5
    assert all(torch.equal(a, b) for a, b in zip(kernel.places(mask), kernel.places_torch(mask),
                                                 strict=True))  # fmt: skip
    count, where = kernel.places(mask)
    values = normals(5, 40, seed=1)
    zeros = torch.zeros(5, 40, dtype=torch.float64)
    once = kernel.spread_onto(count, where, values, zeros.clone())
    assert torch.equal(once, kernel.spread_torch(count, where, values, zeros.clone()))
    assert torch.equal(kernel.pick(count, where, values), kernel.pick_torch(count, where, values))


@pytest.mark.parametrize("kind", ("of_variance", "of_density"))
@pytest.mark.parametrize("limit", (0.25, 1.0, 4.0))
def test_levels_of_drop_out_equal_their_twins(kind, limit):
    rows = normals(6, 40).abs() ** 4
    rows[0], rows[1, :35] = 0, 0
    rows = rows.sort(-1).values
    scales = torch.ldexp(torch.ones(6), -torch.frexp(rows[:, -1]).exponent.clamp(-1000, 1000))
    scales = scales.to(torch.float64)
    read, twin = (getattr(drop_out, name)(rows, scales, limit) for name in (kind, f"{kind}_torch"))
    assert torch.allclose(read, twin, rtol=1e-12, atol=0), (read, twin)
    if kind == "of_density":  # what it solves: sum min(1, a / v) = limit
        sums = (rows[2:] * scales[2:, None] / read[2:, None]).clamp_max(1).sum(-1)
        assert torch.allclose(sums, torch.full_like(sums, limit), rtol=1e-12, atol=0)


@pytest.mark.parametrize("slice_", (3, 1 << 16))
def test_the_highest_are_those_of_a_stable_sort(slice_, monkeypatch):
    """Ties and negative zeros among them, whatever is treated together."""
    monkeypatch.setattr(row_slices, "SLICE", slice_)
    x = (2 * normals(50, 11)).round() / 2 * torch.where(normals(50, 11, seed=1) > 0, 1, -0.0)
    count = torch.arange(50)[:, None] % 12
    order = x.sort(dim=-1, descending=True, stable=True).indices
    places = torch.arange(11).expand_as(order)
    rank = torch.empty_like(order).scatter_(-1, order, places)
    assert torch.equal(row_slices.highest(x, count), rank < count)


def test_hybrid_takes_the_shorter_form_and_both_come_back():
    d, operator = 64, Wangni(1.0)
    few = torch.zeros(1, d, dtype=torch.float64)
    few[0, 5] = -3.0
    x = torch.cat([few, normals(1, d), torch.ones(1, d, dtype=torch.float64)])
    symbols = operator.encode(x, draws(3))
    code = Hybrid(d, torch.float64)
    lengths, packed = code.lengths(symbols), code.pack(symbols)
    flags = (packed[:, 0] >= 128).tolist()
    assert flags[0] is False and any(flags)
    for before, after in zip(symbols, code.unpack(packed, lengths), strict=True):
        assert same_slots(before, after)


# methods


def test_delay_of_one_step_is_error_feedback():
    problem = Quadratic.strongly_convex(4, 8, sigma2=1.0, zeta2=1.0)
    step = ConstantStep(0.1)
    for operator in (SBC(2), TopK(1)):
        delayed = models(CommunicationDelay(step, 1, operator), problem, 40, seed=3)
        plain = models(BSP(step, operator, ErrorFeedback()), problem, 40, seed=3)
        torch.testing.assert_close(delayed, plain, rtol=0, atol=1e-12)


def test_delay_without_compression_is_local_sgd():
    problem = Quadratic.strongly_convex(4, 8, sigma2=1.0, zeta2=1.0)
    step = ConstantStep(0.1)
    delayed = models(CommunicationDelay(step, 5, TopK(8)), problem, 40, seed=3)
    torch.testing.assert_close(delayed, models(LocalSGD(step, 5), problem, 40, seed=3))


def test_two_way_truncation_without_noise_is_iterative_hard_thresholding():
    a = normals(1, 10).abs() + 0.5
    b = normals(1, 10, seed=2)
    problem = Quadratic.from_arrays(a, b)
    method = TwoWayTruncation(ConstantStep(0.2), TopK(10), TopK(3))
    x = np.zeros(10)
    for _ in range(30):
        x = x - 0.2 * (a[0] * (torch.from_numpy(x) - b[0])).numpy()
        x[np.argsort(-np.abs(x), kind="stable")[3:]] = 0
    np.testing.assert_allclose(models(method, problem, 30)[-1, 0].numpy(), x, atol=1e-12)
    assert (models(method, problem, 30)[-1, 0] != 0).sum() == 3


def test_two_way_truncation_finds_a_sparse_truth():
    """Its support and values, from truncated gradients and a truncated model; dense descent too."""
    truth = torch.zeros(4, 50, dtype=torch.float64)
    truth[:, [3, 11, 40]] = torch.tensor([2.0, -1.0, 3.0], dtype=torch.float64)
    problem = Quadratic.from_arrays(torch.ones_like(truth), truth)
    method = TwoWayTruncation(ConstantStep(0.5), TopK(5), TopK(5), SoftThreshold(1e-9))
    end = models(method, problem, 200)[-1, 0]
    torch.testing.assert_close(end, truth[0], atol=1e-6, rtol=0)
    assert method.constants(problem).delta is None and method.constants(problem).delta_up == 0.1


def test_proximals():
    x = normals(3, 9)
    pull = TruncatedGradient(0.5, float("inf"))
    expected = SoftThreshold(0.5).apply(x, 0.2, 0)
    torch.testing.assert_close(pull.apply(x, 0.2, 0), expected)
    late = replace(pull, period=3)
    assert torch.equal(late.apply(x, 0.2, 1), x)
    torch.testing.assert_close(late.apply(x, 0.2, 2), SoftThreshold(0.5).apply(x, 0.6, 0))


# meProp


def test_back_propagation_by_hand_is_that_of_torch():
    problem = digits_mlp(3)
    x = problem.start()[None].expand(3, -1) + 0.1 * normals(3, problem.d)
    ours = meprop.gradient(problem, x, draws(3), 1.0)
    torch.testing.assert_close(ours, problem.gradient(x, draws(3)), rtol=1e-9, atol=1e-12)


def test_meprop_is_torch_with_a_hook_on_the_hidden_layer():
    problem, k = digits_mlp(2), 4
    x = problem.start()[None] + 0.1 * normals(2, problem.d)
    ours = meprop.gradient(problem, x, draws(2), k)
    index = draws(2).integers(problem.features.shape[1], problem.batch)
    for i in range(2):
        parts = torch.split(x[i].clone(), [int(np.prod(s)) for s in problem.shapes])
        w1, b1, w2, b2 = (
            part.reshape(s).requires_grad_() for part, s in zip(parts, problem.shapes, strict=True)
        )
        before = problem.features[i, index[i]] @ w1.T + b1
        before.register_hook(lambda g: g * (g.abs() >= g.abs().topk(k, -1).values[:, -1:]))
        scores = torch.tanh(before) @ w2.T + b2
        torch.nn.functional.cross_entropy(scores, problem.labels[i, index[i]]).backward()
        flat = torch.cat([p.grad.flatten() for p in (w1, b1, w2, b2)])
        torch.testing.assert_close(ours[i], flat, rtol=1e-9, atol=1e-12)


# claims, mutants, closed forms, refusals


@pytest.mark.slow
@pytest.mark.parametrize("d", [16, 1000])
@pytest.mark.parametrize(
    "operator",
    [
        RandomMask(0.25), RandomMask(0.25, scaled=True, send_indices=True), Wangni(1.0),
        GreedyWangni(0.25), Dryden(0.1), AbsoluteThreshold(0.1), AbsoluteThreshold(0.1, sample=0.3),
        GaussianK(0.1), SBC(0.1), STC(0.1), RowTopK(0.5),
        LayerWise(RowTopK(0.5)),
    ],
    ids=lambda operator: operator.name,
)  # fmt: skip
def test_no_claim_is_refuted(operator, d):
    verdicts = check_compressor(operator, d=d)
    assert not [v for v in verdicts if v.outcome is Outcome.REFUTED]


@pytest.mark.parametrize(
    "mutant", faults_in(faults, OperatorMutant), ids=lambda mutant: mutant.name
)
def test_mutants_are_refuted(mutant):
    verdicts = check_compressor(mutant.mutant, d=256)
    assert mutant.check in {v.check for v in verdicts if v.outcome is Outcome.REFUTED}


@pytest.mark.parametrize("mutant", faults_in(faults, MethodMutant), ids=lambda mutant: mutant.name)
def test_method_mutants_are_refuted(mutant):
    assert mutant.refute().outcome is Outcome.REFUTED
    assert mutant.genuine().outcome is not Outcome.REFUTED


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RandomMask(0.0), "q must lie in"),
        (lambda: Wangni(0.0), "epsilon must be positive"),
        (lambda: GreedyWangni(1.5), "density must lie in"),
        (lambda: Dryden(0.0), "proportion must lie in"),
        (lambda: SBC(3).claims(3), "k must lie below d, got k=3 with d=3"),
        (lambda: GaussianK(4).claims(5), "k must lie below 3d/4"),
        (lambda: RowTopK(1, (2, 3)).claims(7), "shape must hold d=7"),
        (lambda: RowTopK(1).for_shapes(((2,), (3,))), "takes one tensor"),
        (lambda: TruncatedGradient(-1.0, 1.0), "gravity must be at least 0"),
        (lambda: TruncatedGradient(1.0, 1.0, 0), "period must be at least 1"),
        (lambda: CommunicationDelay(ConstantStep(1.0), 0, TopK(1)), "period must be at least 1"),
        (lambda: bits.golomb_width(0.0), "p must lie in"),
    ],
)
def test_bad_input_is_refused_by_name(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    "operator", [RandomMask(0.5), Wangni(1.0), Dryden(0.5), AbsoluteThreshold(1), SBC(1), STC(1),
                 GaussianK(1), RowTopK(1)], ids=lambda operator: operator.name,
)  # fmt: skip
def test_nan_is_refused(operator):
    x = torch.tensor([[1.0, float("nan"), 2.0]])
    with pytest.raises(ValueError, match="needs finite x"):
        operator.encode(x, draws())
