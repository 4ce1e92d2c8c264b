"""Codes of varying length: Elias, Golomb, arithmetic, Huffman; atoms, centres, TernGrad's parts."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.codes.base import Field
from algorithms.codes.entropy import EntropyCode
from algorithms.codes.joined import Joined
from algorithms.codes.lists import Column, Lists, Records
from algorithms.codes.packed import Packed
from algorithms.compressors.atomo import Atomo, water_level
from algorithms.compressors.base import code_of
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.spectral_atomo import SpectralAtomo
from algorithms.compressors.ternary import TernarySum, UnitTernary
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.quantisation.terngrad import TernGradSGD
from algorithms.problems.entries import problem
from algorithms.transforms.clipping import ClipEntries
from theory import bits
from theory.stepsizes import ConstantStep

OMEGA = {1: 1, 2: 3, 3: 3, 4: 6, 7: 6, 8: 7, 15: 7, 16: 11, 32: 12, 100: 13}


def test_elias_omega_lengths_of_the_reference():
    assert {n: bits.elias_omega(n) for n in OMEGA} == OMEGA


@settings(max_examples=60)
@given(
    numbers=st.lists(st.integers(1, 2**40), min_size=0, max_size=12),
    elias=st.sampled_from(["gamma", "omega"]),
)
def test_elias_codes_come_back_at_their_length(numbers, elias):
    cap = 12
    code = Lists((), (Records((Column("n", 0, elias=elias),), cap),))
    padded = torch.tensor([[numbers + [0] * (cap - len(numbers))]])
    symbols = (torch.tensor([[[len(numbers)]]]), padded)
    lengths = code.lengths(symbols)
    gamma = sum(2 * n.bit_length() - 1 for n in numbers)  # Elias 1975
    omega = sum(map(bits.elias_omega, numbers))
    assert lengths.tolist() == [[gamma if elias == "gamma" else omega]]
    count, read = code.unpack(code.pack(symbols), lengths)
    assert count.item() == len(numbers) and read[0, 0, : len(numbers)].tolist() == numbers


def test_a_broken_list_is_named():
    code = Lists((), (Records((Column("n", 0, elias="gamma"),), 4),))
    packed = torch.zeros(1, 1, dtype=torch.uint8)  # zeros without the number they announce
    with pytest.raises(ValueError, match="the list of row 0 ends within a record"):
        code.unpack(packed, torch.tensor([5]))
    with pytest.raises(ValueError, match=r"column n holds symbols in \[1"):
        code.pack((torch.tensor([[1]]), torch.tensor([[0, 0, 0, 0]])))


@settings(max_examples=60)
@given(data=st.data(), arithmetic=st.booleans(), k=st.integers(2, 9))
def test_entropy_codes_come_back_within_their_overhead(data, arithmetic, k):
    n = data.draw(st.integers(1, 60))
    row = st.lists(st.integers(0, k - 1), min_size=n, max_size=n)
    rows = torch.tensor([data.draw(row), data.draw(row)])
    scale = torch.tensor([[1.5], [-2.0]], dtype=torch.float32)
    code = EntropyCode((Field.floats("scale", 1, torch.float32),), n, k, arithmetic)
    lengths = code.lengths((scale, rows))
    packed = code.pack((scale, rows))
    back, read = code.unpack(packed, lengths)
    assert torch.equal(back, scale) and torch.equal(read, rows)
    front = 32 + (k - 1) * n.bit_length()
    for length, symbols in zip(lengths.tolist(), rows.tolist(), strict=True):
        counts = [symbols.count(s) for s in range(k)]
        over = 2.01 if arithmetic else n
        assert bits.entropy(counts) - 0.01 <= length - front <= bits.entropy(counts) + over


def test_symbols_outside_the_alphabet_are_named():
    code = EntropyCode((), 3, 4)
    with pytest.raises(ValueError, match=r"symbols must lie in \[0, 4\), got 7"):
        code.pack((torch.tensor([[0, 7, 1]]),))
    with pytest.raises(ValueError, match="lengths"):
        code.unpack(torch.zeros(1, 4, dtype=torch.uint8))


@pytest.mark.parametrize("s", [1, 4])
@pytest.mark.parametrize("d", [64, 1000])
def test_elias_coded_qsgd_is_shorter_than_the_theorem_says(s, d):
    operator, samples = EliasQSGD(s), 400
    draws = Key.seed(0).draws(torch.arange(samples), torch.zeros(1, dtype=torch.int64))
    x = torch.ones(samples, 1, d)  # equal magnitudes: most nonzeros
    symbols = operator.encode(x, draws)
    lengths = code_of(operator, d, torch.float32).lengths(symbols).double()
    assert float(lengths.mean() + 8 * lengths.std() / samples**0.5) < bits.qsgd_elias(d, s)


def test_joined_parts_find_their_ends():
    operator = Buckets(EliasQSGD(2), 7)
    assert isinstance(operator.code(20, torch.float32), Joined)
    assert isinstance(Buckets(UnitTernary(), 7).code(20, torch.float32), Packed)
    x = torch.randn(3, 20, generator=torch.Generator().manual_seed(0))
    draws = Key.seed(1).draws(torch.tensor(0), torch.arange(3))
    symbols, code = operator.encode(x, draws), operator.code(20, torch.float32)
    lengths = code.lengths(symbols)
    assert (lengths % 8 == 0).all() and (lengths > 3 * (32 + 32)).all()
    for sent, read in zip(symbols, code.unpack(code.pack(symbols), lengths), strict=True):
        assert sent.shape == read.shape and bool((sent == read).all())


@given(
    st.lists(st.floats(0, 100).map(lambda v: round(v, 3)), min_size=1, max_size=8),
    st.integers(1, 8),
)
def test_water_level_fills_to_the_budget(magnitudes, s):
    x = torch.tensor([magnitudes], dtype=torch.float64)
    s = min(s, len(magnitudes))
    level = water_level(x, s)
    nonzero = int((x > 0).sum())
    if not nonzero:
        assert level.item() == 0
        return
    filled = (x / level).clamp_max(1).sum()
    assert float(filled) == pytest.approx(min(s, nonzero), rel=1e-9)


def test_spectral_atoms_of_full_budget_are_the_matrix():
    x = torch.randn(2, 12, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    draws = Key.seed(1).draws(torch.tensor(0), torch.arange(2))
    operator = SpectralAtomo(3).for_shapes(((3, 4),))
    torch.testing.assert_close(operator.compress(x, draws), x)
    with pytest.raises(ValueError, match=r"s must be at most min\(rows, columns\) = 3"):
        SpectralAtomo(4).for_shapes(((3, 4),)).claims(12)


@pytest.mark.parametrize("budget", [1, 3])
def test_uncapped_second_moment_is_l1_squared_over_s(budget):
    x = torch.tensor([[3.0, -4.0, 5.0, 4.0, -3.0, 4.5]], dtype=torch.float64)
    l1, square = float(x.abs().sum()), float(x.square().sum())
    p = Atomo(budget).probabilities(x)
    second = float((x.square() / p).sum())
    assert second == pytest.approx(l1**2 / budget, rel=1e-9) and second > square


def test_terngrad_parts():
    built = problem("mlp-digits", 4)
    step = ConstantStep(0.05)
    whole = run(TernGradSGD(step), built, steps=3, points=2)
    down = built.d * (2 * 4).bit_length() + 4 * 64
    assert int(whole.account.received_bits[0, 0]) == 3 * down
    assert int(whole.account.sent_bits[0, 0]) == 3 * (2 * built.d + 4 * 64)
    plain = run(TernGradSGD(step, share_scale=False, localise=False), built, steps=3, points=2)
    assert int(plain.account.sent_bits[0, 0]) >= 3 * (2 * built.d + 4 * 64)
    with pytest.raises(ValueError, match="localise needs share_scale"):
        TernGradSGD(step, share_scale=False)


def test_sums_of_ternaries_are_exact():
    draws = Key.seed(1).draws(torch.tensor(0), torch.arange(1))
    means = torch.arange(-3, 4, dtype=torch.float64)[None] / 3
    assert torch.equal(TernarySum(3).compress(means, draws), means)
    assert TernarySum(64).stated_bits(1, 32) == 8


def test_entries_are_clipped_by_their_layers_spread():
    g = torch.tensor([[0.0] * 9 + [10.0] + [1.0] * 5], dtype=torch.float64)
    clipped = ClipEntries(2.5, ((10,), (5,))).apply(g, 1)
    assert float(clipped[0, 9]) == pytest.approx(2.5 * 3.0) and torch.equal(
        clipped[:, 10:], g[:, 10:]
    )
