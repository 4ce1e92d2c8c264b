"""Compressors: reference vectors, kernels against their twins, properties of every member."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from algorithms.codes.packed import Packed
from algorithms.compressors.atomo import AtomBudget, Atomo
from algorithms.compressors.base import Compressor
from algorithms.compressors.grid import GridCompressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.spectral_atomo import SpectralAtomo
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from algorithms.compressors.wangni import GreedyWangni, Wangni
from algorithms.core.key import Draws, Key, uniforms
from algorithms.kernels import rounding, row_norms, selection
from algorithms.kernels.philox import Counters
from theory.claims import Contraction, VarianceBound

DTYPES = (torch.float32, torch.float64)
AWKWARD = (1, 3, 30, 1000, 1001)
MEMBERS: tuple[Compressor, ...] = (
    Identity(),
    TopK(1),
    TopK(0.3),
    TopK(1.0),
    RandK(1),
    RandK(0.3),
    RandK(0.3, scaled=False),
    RandK(0.3, send_indices=True),
    QSGD(1),
    QSGD(2),
    QSGD(255),
    TernGrad(),
    NaturalCompression(),
    ScaledSign(),
)
BY_NAME = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
BY_DTYPE = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def _draws(m: int, seed: int = 0, first: int = 0) -> Draws:
    return Key.seed(seed).draws(torch.tensor(0), torch.arange(first, first + m))


def _awkward(m: int, d: int, dtype: torch.dtype, seed: int = 5) -> Tensor:
    """Rows with ties, zeros, subnormal, huge and heavy-tailed entries."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(m, d, generator=generator, dtype=dtype)
    x[1::7] = (3 * x[1::7]).round()
    x[2::7] *= torch.finfo(dtype).tiny * 0.1
    x[3::7] *= 0.2 * torch.finfo(dtype).max / max(d, 8)
    x[4::7] = 0
    x[5::7] = -(x[5::7].abs() ** 5)
    return x


vectors = st.integers(1, 12).flatmap(
    lambda d: st.lists(
        st.one_of(
            st.floats(-1e3, 1e3, width=32),
            st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5, 1e-40, -1e-45, 1e30, -1e37, 5e-39]),
        ),
        min_size=d,
        max_size=d,
    )
)
moderate = st.lists(st.integers(-(2**20), 2**20).map(lambda v: v / 2**10), min_size=1, max_size=12)


@BY_NAME
@BY_DTYPE
@pytest.mark.parametrize("d", AWKWARD)
def test_a_row_does_not_depend_on_the_rows_beside_it(
    member: Compressor, dtype: torch.dtype, d: int
) -> None:
    x = _awkward(7, d, dtype)
    together = member.compress(x, _draws(7))
    for i in range(7):
        alone = member.compress(x[i : i + 1], _draws(1, first=i))
        assert torch.equal(alone[0], together[i]), i


@BY_NAME
@BY_DTYPE
def test_replicas_are_leading_axes(member: Compressor, dtype: torch.dtype) -> None:
    x = _awkward(6, 30, dtype).reshape(2, 3, 30)
    key = Key.seed(3)
    both = member.compress(x, key.draws(torch.arange(2), torch.arange(3)))
    for r in range(2):
        one = member.compress(x[r], key.draws(torch.tensor(r), torch.arange(3)))
        assert torch.equal(both[r], one)


@BY_NAME
@BY_DTYPE
@settings(max_examples=40)
@given(values=vectors)
def test_shape_type_finiteness_and_untouched_input(
    member: Compressor, dtype: torch.dtype, values: list[float]
) -> None:
    x = torch.tensor([values, [-abs(v) for v in values]], dtype=dtype)
    before = x.clone()
    y = member.compress(x, _draws(2))
    assert y.shape == x.shape and y.dtype == dtype
    assert torch.isfinite(y).all()
    assert torch.equal(x.view(torch.uint8), before.view(torch.uint8))
    assert (y[1] <= 0).all() or isinstance(member, ScaledSign)


@BY_NAME
@BY_DTYPE
@settings(max_examples=40)
@given(values=vectors)
def test_bytes_say_what_compress_says(
    member: Compressor, dtype: torch.dtype, values: list[float]
) -> None:
    x = torch.tensor([values], dtype=dtype)
    d = len(values)
    layout = member.layout(d, dtype)
    packed = Packed(layout).pack(member.encode(x, _draws(1)))
    assert packed.shape == (1, -(-member.bits(d, dtype) // 8))
    read = member.decode(Packed(layout).unpack(packed), d, dtype, _draws(1))
    assert torch.equal(read, member.compress(x, _draws(1)))
    assert member.stated_bits(d, torch.finfo(dtype).bits) == member.bits(d, dtype)


@BY_NAME
@BY_DTYPE
def test_zero_goes_to_zero(member: Compressor, dtype: torch.dtype) -> None:
    for d in (1, 2, 17):
        assert not member.compress(torch.zeros(3, d, dtype=dtype), _draws(3)).any()


@BY_NAME
@BY_DTYPE
@settings(max_examples=40)
@given(values=moderate, power=st.integers(-20, 20))
def test_scaling_by_powers_of_two_commutes(
    member: Compressor, dtype: torch.dtype, values: list[float], power: int
) -> None:
    x = torch.tensor([values], dtype=dtype)
    factor = 2.0**power
    assert torch.equal(
        member.compress(x * factor, _draws(1)), member.compress(x, _draws(1)) * factor
    )


@pytest.mark.parametrize("member", [TopK(2), TopK(0.5), ScaledSign()], ids=lambda m: m.name)
@BY_DTYPE
@given(data=st.data())
def test_permutations_commute(member: Compressor, dtype: torch.dtype, data: st.DataObject) -> None:
    d = data.draw(st.integers(2, 12))
    sizes = data.draw(st.permutations(range(1, d + 1)))
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=d, max_size=d))
    x = torch.tensor([[s * v for s, v in zip(signs, sizes, strict=True)]], dtype=dtype)
    order = torch.tensor(data.draw(st.permutations(range(d))))
    one = member.compress(x[:, order], _draws(1))
    assert torch.equal(one, member.compress(x, _draws(1))[:, order])


@pytest.mark.parametrize(
    "member", [m for m in MEMBERS if not isinstance(m, Identity)], ids=lambda m: m.name
)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@BY_DTYPE
def test_not_finite_is_refused_by_place(member: Compressor, bad: float, dtype: torch.dtype) -> None:
    """All but the identity, which passes on what it is given and computes nothing from it."""
    x = torch.ones(2, 5, dtype=dtype)
    x[1, 3] = bad
    with pytest.raises(ValueError, match=r"needs finite x, got x\[\(1, 3\)\]"):
        member.compress(x, _draws(2))


@pytest.mark.parametrize("member", [TopK(7), RandK(7)], ids=lambda m: m.name)
def test_too_many_coordinates_are_refused(member: Compressor) -> None:
    message = r"k must lie in \[1, d\], got k=7 with d=4"
    x = torch.ones(1, 4)
    for act in (
        lambda: member.claims(4),
        lambda: member.layout(4, torch.float32),
        lambda: member.compress(x, _draws(1)),
        lambda: member.stated_bits(4, 32),
    ):
        with pytest.raises(ValueError, match=message):
            act()


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match=r"fraction of d in \(0, 1\], got k=1.5"):
        TopK(1.5).claims(10)
    with pytest.raises(ValueError, match=r"k must lie in \[1, d\], got k=0"):
        RandK(0).claims(10)
    with pytest.raises(ValueError, match=r"budget must be an integer .* got budget=4\.5"):
        Atomo(4.5).claims(10)
    with pytest.raises(ValueError, match=r"s must lie in \[1, 2\^24\), got s=0"):
        QSGD(0)
    with pytest.raises(TypeError, match=r"float32 or float64 rows, got x of torch\.float16"):
        QSGD(1).compress(torch.ones(1, 4, dtype=torch.float16), _draws(1))
    with pytest.raises(ValueError, match=r"with d >= 1, got x of shape \(2, 0\)"):
        ScaledSign().compress(torch.ones(2, 0), _draws(2))


def test_a_scale_beyond_the_type_is_refused() -> None:
    x = torch.full((1, 8), 3e38)
    with pytest.raises(ValueError, match=r"scale of QSGD\(s=1\) is beyond the range"):
        QSGD(1).compress(x, _draws(1))
    with pytest.raises(ValueError, match=r"needs \|x\| <= 2\^127"):
        NaturalCompression().compress(x, _draws(1))
    assert torch.isfinite(TernGrad().compress(x, _draws(1))).all()


def test_fractions_round_up_to_whole_coordinates() -> None:
    counts = [TopK(f).kept(d) for f, d in ((0.01, 1000), (0.01, 10), (0.07, 100), (1.0, 9))]
    assert counts == [10, 1, 7, 9]
    assert all(TopK(f).kept(d) / d >= f - 1e-12 for f in (0.013, 0.5, 0.999) for d in range(1, 60))


@BY_DTYPE
def test_ties_go_to_the_lowest_index(dtype: torch.dtype) -> None:
    x = torch.tensor([[1.0, -2.0, 2.0, 2.0, -1.0]], dtype=dtype)
    assert TopK(2).compress(x, _draws(1)).tolist() == [[0, -2, 2, 0, 0]]
    assert TopK(4).compress(x, _draws(1)).tolist() == [[1, -2, 2, 2, 0]]


@BY_DTYPE
@pytest.mark.parametrize("d", [5, 600, 3000])
def test_top_k_is_torchs_where_there_are_no_ties(dtype: torch.dtype, d: int) -> None:
    generator = torch.Generator().manual_seed(d)
    x = torch.randn(9, d, generator=generator, dtype=torch.float64).exp().to(dtype)
    for k in {1, 2, d // 100 or 1, d // 2, d - 1, d}:
        values, _ = x.topk(k)
        kept = TopK(k).compress(x, _draws(9))
        assert torch.equal(kept.sort(descending=True).values[:, :k], values)
        assert ((kept != 0).sum(-1) == k).all()


def test_levels_that_too_many_reach_change_nothing() -> None:
    """Rows whose large entries share a few lanes, or are all alike: most keys pass stage one."""
    x = torch.full((6, 5000), 1e-3)
    x[0, 1::19] = 5.0
    x[1, ::16] = 5.0 + torch.arange(313.0) / 313
    x[2, :10] = torch.arange(10.0)
    x[3, ::48] = -torch.arange(105.0)
    x[4] = torch.arange(5000.0)
    x[5] = 1.0 + torch.arange(5000.0) % 7 * 2.0**-23
    for k in (1, 10, 200, 263, 264, 270, 4999):
        assert torch.equal(selection.largest_numba(x, k), selection.largest_torch(x, k)), k


@BY_DTYPE
@pytest.mark.parametrize("d", (*AWKWARD, 7, 8, 513))
def test_kernels_equal_their_twins(dtype: torch.dtype, d: int) -> None:
    x = _awkward(14, d, dtype, seed=d)
    u = torch.rand(14, d, dtype=dtype, generator=torch.Generator().manual_seed(d))
    norms = row_norms.norms(x)[:, 0]
    exact = torch.empty(len(x), dtype=torch.float64)
    row_norms.norms_into(x.numpy(), exact.numpy())
    assert torch.equal(exact, row_norms.norms_torch(x))
    assert torch.equal(row_norms.abs_sums_numba(x), row_norms.abs_sums_torch(x))
    for s in (1, 2, 3, 128, 1000):
        width = s.bit_length()
        codes = rounding.levels_numba(x, norms, s, u, width)
        assert torch.equal(codes, rounding.levels_torch(x, norms, s, u, width))
        values = rounding.values_numba(codes, norms, s, width, dtype)
        assert torch.equal(values, rounding.values_torch(codes, norms, s, width, dtype))
    assert torch.equal(rounding.exponents_numba(x, u), rounding.exponents_torch(x, u))
    for k in {1, d, max(1, d // 2), max(1, d // 100)}:
        assert torch.equal(selection.largest_numba(x, k), selection.largest_torch(x, k))


@BY_DTYPE
@pytest.mark.parametrize("d", (*AWKWARD, 2, 5, 6))
def test_uniforms_drawn_on_the_way_give_the_same_codes(dtype: torch.dtype, d: int) -> None:
    x = _awkward(14, d, dtype, seed=d)
    u = _draws(14, seed=d).uniform(d, dtype)
    counters = uniforms(_draws(14, seed=d), x)
    assert isinstance(counters, Counters)
    scale = row_norms.norms(x)[:, 0]
    for s in (1, 4, 1000):
        width = s.bit_length()
        codes = rounding.levels_numba(x, scale, s, u, width)
        assert torch.equal(rounding.levels_numba(x, scale, s, counters, width), codes)
        assert torch.equal(rounding.levels_torch(x, scale, s, counters, width), codes)
    codes = rounding.exponents_numba(x, u)
    assert torch.equal(rounding.exponents_numba(x, counters), codes)
    assert torch.equal(rounding.exponents_torch(x, counters), codes)


@BY_DTYPE
@pytest.mark.parametrize("member", [QSGD(4), TernGrad(), NaturalCompression()], ids=repr)
def test_an_extra_leading_axis_shares_the_draws(member: Compressor, dtype: torch.dtype) -> None:
    """Rows [2, R, m, d] under draws of [R, m]: numbers are broadcast, not drawn on the way."""
    x = torch.stack([_awkward(7, 30, dtype), _awkward(7, 30, dtype, seed=9)])
    both = member.compress(x, _draws(7))
    for one, alone in zip(both, x, strict=True):
        assert torch.equal(one, member.compress(alone, _draws(7)))


@BY_DTYPE
@given(values=vectors)
def test_norms_are_correctly_scaled_and_no_smaller_than_any_entry(
    dtype: torch.dtype, values: list[float]
) -> None:
    x = torch.tensor([values], dtype=dtype)
    norm = row_norms.norms(x)
    exact = math.hypot(*x[0].tolist())
    assert norm.item() == pytest.approx(exact, rel=2e-7 if dtype == torch.float32 else 1e-14)
    assert (norm >= x.abs()).all()


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1e-160, 1.0, 1e160, 1e305])
def test_norms_survive_the_ends_of_the_range(size: float) -> None:
    x = size * torch.tensor([[3.0, -4.0, 0.0, 12.0]], dtype=torch.float64)
    assert row_norms.norms(x).item() == pytest.approx(
        13 * size, rel=1e-3 if size < 1e-307 else 1e-14
    )


@BY_DTYPE
def test_natural_compression_gives_neighbouring_powers_of_two(dtype: torch.dtype) -> None:
    info = torch.finfo(dtype)
    largest = 2.0 ** (math.frexp(info.max)[1] - 1)
    x = torch.tensor([1.0, -2.0, 3.0, 0.3, -0.0, largest, info.tiny, 1e-3], dtype=dtype)
    for seed in range(20):
        y = NaturalCompression().compress(x[None], _draws(1, seed))[0]
        assert y[[0, 1, 4, 5, 6]].tolist() == [1.0, -2.0, 0.0, largest, info.tiny]
        assert y[2] in (2, 4) and y[3] in (0.25, 0.5)
        assert (torch.frexp(y[y != 0]).mantissa.abs() == 0.5).all()


@BY_DTYPE
def test_natural_compression_of_subnormals_ends_the_grid_with_zero(dtype: torch.dtype) -> None:
    tiny = torch.finfo(dtype).tiny
    x = torch.tensor([[tiny / 4, -tiny / 2]], dtype=dtype).expand(4000, 1, 2)
    draws = Key.seed(1).draws(torch.arange(4000), torch.zeros(1, dtype=torch.int64))
    y = NaturalCompression().compress(x, draws)[:, 0] / tiny
    assert set(y[:, 0].tolist()) == {0.0, 1.0} and set(y[:, 1].tolist()) == {0.0, -1.0}
    # 8 standard errors of Bernoulli(1/4), Bernoulli(1/2): error below 1e-14
    assert abs(y[:, 0].double().mean().item() - 0.25) < 8 * math.sqrt(0.1875 / 4000)
    assert abs(y[:, 1].double().mean().item() + 0.5) < 8 * math.sqrt(0.25 / 4000)


@pytest.mark.parametrize(
    "member", [m for m in MEMBERS if isinstance(m, GridCompressor)], ids=lambda m: m.name
)
@BY_DTYPE
@given(values=vectors)
def test_outcomes_are_neighbours_on_the_grid(
    member: GridCompressor, dtype: torch.dtype, values: list[float]
) -> None:
    x = torch.tensor([values], dtype=dtype)
    inner, outer = member.cells(x)
    y = member.compress(x, _draws(1))
    near = 4 * torch.finfo(dtype).eps * outer.abs() + torch.finfo(dtype).smallest_normal * 1e-6
    away = torch.minimum((y - inner).abs(), (y - outer).abs())
    assert (away <= near).all()
    if isinstance(member, NaturalCompression):
        assert ((y == inner) | (y == outer)).all()


def test_closed_form_variances_of_terngrad_and_qsgd() -> None:
    """||x||_inf ||x||_1 - ||x||^2 and ||x||_1 ||x||_2 - ||x||^2, by numpy's norms."""
    x = torch.randn(5, 100, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    one, two, largest = (np.linalg.norm(x.numpy(), p, axis=1) for p in (1, 2, np.inf))
    np.testing.assert_allclose(TernGrad().variance(x).numpy(), largest * one - two**2, rtol=1e-12)
    np.testing.assert_allclose(QSGD(1).variance(x).numpy(), two * one - two**2, rtol=1e-12)


@given(values=vectors)
def test_scaled_sign_error_is_its_closed_form(values: list[float]) -> None:
    x = torch.tensor([values], dtype=torch.float64)
    y = ScaledSign().compress(x, _draws(1))
    square = float((x * x).sum())
    expected = square - float(x.abs().sum()) ** 2 / len(values)
    assert float((y - x).square().sum()) == pytest.approx(expected, rel=1e-9, abs=1e-12 * square)


def test_rand_k_draws_the_same_set_on_both_sides_and_another_for_every_worker() -> None:
    x = torch.arange(1.0, 101.0).expand(8, 100)
    sent, silent = RandK(10, send_indices=True), RandK(10)
    assert torch.equal(sent.compress(x, _draws(8)), silent.compress(x, _draws(8)))
    kept = silent.compress(x, _draws(8)) != 0
    assert (kept.sum(-1) == 10).all()
    assert len({tuple(row) for row in kept.tolist()}) == 8


def test_claimed_constants() -> None:
    """Published and tight constants at d = 16."""

    def constants(member: Compressor) -> list[float]:
        kinds = (VarianceBound, Contraction)
        return [claim.constant for claim in member.claims(16) if isinstance(claim, kinds)]

    assert constants(QSGD(1)) == [4.0, 3.0]
    assert constants(QSGD(4)) == [1.0, 0.25]
    assert constants(TernGrad()) == [1.5]
    assert constants(NaturalCompression()) == [0.125]
    assert constants(ScaledSign()) == [15 / 16]
    assert constants(TopK(4)) == constants(RandK(4, scaled=False)) == [0.75]
    assert constants(RandK(4)) == [3.0]


def test_integer_and_fraction_are_not_mixed_up() -> None:
    assert TopK(1).kept(10) == 1
    assert TopK(1.0).kept(10) == 10
    assert TopK(0.25).name == "top-k(k=0.25d)" and TopK(25).name == "top-k(k=25)"


REPEATED: tuple[Compressor, ...] = (
    Atomo(2),
    Atomo(AtomBudget.QSGD),
    Wangni(1.0),
    GreedyWangni(0.25),
    SpectralAtomo(2),
    NaturalDithering(4, 2.0),
    NaturalDithering(8, math.inf),
)


@pytest.mark.parametrize("member", (*REPEATED, *MEMBERS), ids=lambda member: member.name)
@BY_DTYPE
def test_rows_that_are_repeated_without_a_copy_are_sent_as_copies_are(member, dtype):
    """What is looked at once for all of them, and what is drawn for each."""
    x = _awkward(7, 30, dtype)[torch.tensor([0, 1, 4])]
    for rows in (x[:1].expand(6, 1, -1), x.expand(4, 3, -1), x[:, None].expand(3, 5, -1)):
        draws = Key.seed(3).draws(torch.arange(rows.shape[0]), torch.arange(rows.shape[1]))
        symbols, copied = member.encode(rows, draws), member.encode(rows.clone(), draws)
        for one, other in zip(symbols, copied, strict=True):
            assert torch.equal(one, other)
        sent, read = (member.decode(s, 30, dtype, draws) for s in (symbols, copied))
        assert torch.equal(sent, read)
        assert sent.shape == rows.shape
