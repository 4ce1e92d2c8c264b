"""Every operator of the catalogue on drawn vectors: what all of them owe, and what each declares.

The same holds for operators layer by layer and in buckets.
"""

from __future__ import annotations

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import Tensor

from algorithms.catalogue import OPERATORS as CATALOGUE
from algorithms.compressors.base import Compressor, Property, code_of
from algorithms.compressors.entries import Entries
from algorithms.compressors.grid import GridCompressor
from algorithms.compressors.layerwise import Buckets, LayerWise
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from proofs_check.instruments.exact import is_random
from proofs_check.instruments.scripted import NotEnumerable, ScriptedDraws
from proofs_check.instruments.statistics import bound_test
from theory.claims import Contraction, NoConstant, VarianceBound

EXTRA: tuple[Compressor, ...] = (
    Buckets(QSGD(2), 3),
    Buckets(TopK(0.5), 4),
    LayerWise(QSGD(3)),
)
OPERATORS = (*CATALOGUE.values(), *EXTRA)
EACH = pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
BOTH = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
FEW = settings(max_examples=25)

_MAGNITUDES = (0.0, 1e-3, 0.5, 1.0, 4 / 3, 2.0, 3.0, 7.0, 100.0, 12345.0)
_numbers = st.one_of(
    st.sampled_from([s * v for v in _MAGNITUDES for s in (1, -1)]),
    st.floats(-1e3, 1e3, allow_nan=False, width=32),
)
_sizes = st.integers(1, 9)
_shapes = st.one_of(
    st.lists(_numbers, min_size=1, max_size=9),
    st.builds(lambda v, d: [v] * d, _numbers, _sizes),
    st.builds(lambda v, d: [0.0] * d + [v], _numbers, st.integers(0, 8)),
    st.builds(lambda row: [-abs(v) for v in row], st.lists(_numbers, min_size=1, max_size=9)),
    st.just([0.0] * 6),
    st.builds(lambda e, d: [2.0 ** (e - j) for j in range(d)], st.integers(-3, 9), _sizes),
)  # fmt: skip
_distinct = st.lists(
    st.floats(2**-6, 1e3, width=32), min_size=2, max_size=8, unique_by=lambda v: round(v, 2)
).flatmap(
    lambda row: st.tuples(
        *(st.sampled_from((v, -v)) for v in row),
    ).map(list)
)


def _fits(operator: Compressor, d: int) -> bool:
    try:
        operator.claims(d)
    except ValueError:
        return False
    return True


def _suited(operator: Compressor, values: list[float]) -> list[float]:
    """The values, repeated where the operator asks for longer rows (bins, slices, blocks)."""
    while not _fits(operator, len(values)) and len(values) < 40:
        values = values * 2
    return values


def _without_constant(operator: Compressor, d: int) -> bool:
    """Operators with a constant send zero to zero; others may not (a plain sign)."""
    return any(isinstance(claim, NoConstant) for claim in operator.claims(d))


def _rows(values: list[float], dtype: torch.dtype, copies: int = 1) -> Tensor:
    return torch.tensor([values] * copies, dtype=dtype)


def _draws(m: int = 1, seed: int = 3):
    return Key.seed(seed).draws(torch.tensor(0), torch.arange(m))


@EACH
@BOTH
@FEW
@given(values=_shapes)
def test_shape_dtype_zero_input_and_bytes(operator, dtype, values):
    values = _suited(operator, values)
    d = len(values)
    assume(_fits(operator, d))
    x = _rows(values, dtype)
    before = x.clone()
    symbols = operator.encode(x, _draws())
    sent = operator.decode(symbols, d, dtype, _draws())
    assert sent.shape == x.shape and sent.dtype == dtype
    assert torch.equal(x, before), "the input was written to"
    assert torch.isfinite(sent).all()
    code = code_of(operator, d, dtype)
    packed, lengths = code.pack(symbols), code.lengths(symbols)
    again = operator.decode(code.unpack(packed, lengths), d, dtype, _draws())
    assert torch.equal(again, sent)
    assert packed.shape[-1] == -(-int(lengths.max()) // 8)
    least, most = operator.stated_lengths(sent, torch.finfo(dtype).bits)
    assert (lengths >= least - 1e-9).all() and (lengths <= most + 1e-9).all()
    if not x.any() and not _without_constant(operator, d):
        assert not sent.any(), "zero must go to zero"


@EACH
@FEW
@given(values=_shapes, others=st.lists(_shapes, min_size=1, max_size=3))
def test_a_row_does_not_depend_on_its_company(operator, values, others):
    """Rows held together give what each gives alone; so ranks and the simulation agree."""
    values = _suited(operator, values)
    d = len(values)
    assume(_fits(operator, d))
    company = [values] + [(row * d)[:d] for row in others]
    x = torch.tensor(company, dtype=torch.float64)
    key = Key.seed(3)
    together = operator.compress(x, key.draws(torch.tensor(0), torch.arange(len(company))))
    for i in range(len(company)):
        alone = operator.compress(x[i : i + 1], key.draws(torch.tensor(0), torch.tensor([i])))
        assert torch.equal(alone[0], together[i])


@pytest.mark.parametrize(
    "operator", [o for o in OPERATORS if Property.SCALE in o.properties], ids=lambda o: o.name
)
@BOTH
@FEW
@given(values=_shapes, power=st.integers(-6, 6))
def test_scale_equivariance(operator, dtype, values, power):
    values = _suited(operator, values)
    assume(_fits(operator, len(values)))
    x = _rows(values, dtype)
    assume(torch.equal(x * 2.0**power / 2.0**power, x))  # nothing of x is lost below the range
    scaled = operator.compress(x * 2.0**power, _draws())
    expected = operator.compress(x, _draws()) * 2.0**power
    torch.testing.assert_close(scaled, expected, rtol=_tolerance(dtype), atol=0)


@pytest.mark.parametrize(
    "operator", [o for o in OPERATORS if Property.ODD in o.properties], ids=lambda o: o.name
)
@BOTH
@FEW
@given(values=_distinct)
def test_oddness(operator, dtype, values):
    values = _suited(operator, values)
    assume(_fits(operator, len(values)))
    x = _rows(values, dtype)
    opposite = -operator.compress(-x, _draws())
    torch.testing.assert_close(
        operator.compress(x, _draws()), opposite, rtol=_tolerance(dtype), atol=0
    )


@pytest.mark.parametrize(
    "operator", [o for o in OPERATORS if Property.PERMUTATION in o.properties], ids=lambda o: o.name
)
@BOTH
@FEW
@given(values=_distinct, data=st.data())
def test_permutation_equivariance(operator, dtype, values, data):
    values = _suited(operator, values)
    d = len(values)
    assume(_fits(operator, d))
    order = torch.tensor(data.draw(st.permutations(range(d))))
    x = _rows(values, dtype)
    table = _draws(seed=11).uniform(d, torch.float64)
    try:
        plain = operator.compress(x, ScriptedDraws(table))[:, order]
        permuted = operator.compress(x[:, order], ScriptedDraws(table[:, order]))
    except NotEnumerable:  # draws of another kind cannot be permuted
        return
    rounding = _tolerance(dtype)
    torch.testing.assert_close(permuted, plain, rtol=rounding, atol=rounding * 1e-3)


@pytest.mark.parametrize(
    "operator", [o for o in OPERATORS if Property.LINEAR in o.properties], ids=lambda o: o.name
)
@FEW
@given(values=_shapes, others=_shapes)
def test_linearity(operator, values, others):
    values = _suited(operator, values)
    d = len(values)
    assume(_fits(operator, d))
    x = _rows(values, torch.float64)
    y = _rows((others * d)[:d], torch.float64)
    joint = operator.compress(x + y, _draws())
    parts = operator.compress(x, _draws()) + operator.compress(y, _draws())
    torch.testing.assert_close(joint, parts, rtol=1e-11, atol=1e-9)


@EACH
@BOTH
@FEW
@given(values=_shapes)
def test_claims_hold_at_drawn_vectors(operator, dtype, values):
    """Errors in closed form or as they are; of random operators by a bound at error 1e-13."""
    values = _suited(operator, values)
    d = len(values)
    assume(_fits(operator, d))
    x = _rows(values, dtype)
    square = float(x.double().square().sum())
    for claim in operator.claims(d):
        if not isinstance(claim, VarianceBound | Contraction):
            continue
        most = claim.constant * square
        slack = 40 * torch.finfo(dtype).eps * square + 1e-30
        if isinstance(operator, GridCompressor) and isinstance(claim, VarianceBound):
            assert float(operator.variance(x.double())) <= most + slack
        elif not is_random(operator, x[0].double()):
            error = (operator.compress(x, _draws()).double() - x.double()).square().sum()
            assert float(error) <= most + slack
        else:
            replicas = torch.arange(512)
            draws = Key.seed(5).draws(replicas, torch.zeros(1, dtype=torch.int64))
            sent = operator.compress(x.expand(512, 1, d), draws)
            errors = (sent - x).double().square().sum(-1)[:, 0] / (square or 1.0)
            test = bound_test(errors, claim.constant if square else 0.0, 1e-13, 1.0)
            assert not test.refuted or square == 0


@EACH
def test_layers_keep_the_weakest_constant_and_find_their_bytes(operator):
    """Two tensors, each compressed by itself: constants follow, messages come back."""
    shapes, d = ((4, 10), (60,)), 100
    layered = LayerWise(operator).for_shapes(shapes)
    whole = [operator.for_shapes((shape,)) for shape in shapes]
    parts = [own.claims(size) for own, size in zip(whole, (40, 60), strict=True)]
    for claim in layered.claims(d):
        peers = [c for own in parts for c in own if type(c) is type(claim)]
        if isinstance(claim, VarianceBound | Contraction):
            assert claim.constant in [peer.constant for peer in peers]
            least = [max(p.constant for p in own if type(p) is type(claim)) for own in parts]
            assert claim.constant <= max(least)
    x = _draws(3).normal(d, torch.float32)
    symbols, code = layered.encode(x, _draws(3)), code_of(layered, d, torch.float32)
    sent = layered.decode(symbols, d, torch.float32, _draws(3))
    for b, (part, own) in enumerate(zip(torch.split(x, [40, 60], -1), whole, strict=True)):
        alone = own.compress(part.contiguous(), _draws(3).fold("block", b))
        start = 0 if b == 0 else 40
        assert torch.equal(sent[:, start : start + part.shape[-1]], alone)
    read = layered.decode(
        code.unpack(code.pack(symbols), code.lengths(symbols)), d, torch.float32, _draws(3)
    )
    assert torch.equal(read, sent)


@EACH
@BOTH
def test_rows_of_unequal_length_are_read_whole_and_row_by_row(operator, dtype):
    """Whole and by layer: the symbols come back, slots too; a row among others is as alone."""
    shapes, d = ((4, 10), (60,)), 100
    x = _draws(5).normal(d, dtype).sign() * _draws(5).normal(d, dtype).abs() ** 6
    x[1], x[3, :40], x[4] = 0, 0, x[4].sign()
    for form in (operator, LayerWise(operator).for_shapes(shapes)):
        symbols, code = form.encode(x, _draws(5)), code_of(form, d, dtype)
        sent = form.decode(symbols, d, dtype, _draws(5))
        packed, lengths = code.pack(symbols), code.lengths(symbols)
        for made, read in zip(symbols, code.unpack(packed, lengths), strict=True):
            assert torch.equal(made.to(torch.float64), read.to(torch.float64))
        for i in range(5):
            draws = Key.seed(3).draws(torch.tensor(0), torch.tensor([i]))
            size, end = lengths[i : i + 1], -(-int(lengths[i]) // 8)
            alone = code.unpack(packed[i : i + 1, :end].contiguous(), size)
            assert torch.equal(form.decode(alone, d, dtype, draws), sent[i : i + 1])
            own = tuple(part[i : i + 1] for part in symbols)
            for some in (own, alone):
                listed = form.listed(some, d, dtype, draws)
                if listed is not None:
                    entries = Entries(listed.count, listed.positions)
                    assert torch.equal(entries.spread(listed.values, d), sent[i : i + 1])


def _tolerance(dtype: torch.dtype) -> float:
    return 1e-5 if dtype == torch.float32 else 1e-12
