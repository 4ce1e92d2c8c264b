"""Sums of messages that are added as they are read, against sums of the rows written out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from algorithms.codes import lists
from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.adacomp import AdaComp
from algorithms.compressors.at_most_row import AtMostRow
from algorithms.compressors.base import Compressor
from algorithms.compressors.composed import QuantisedTopK
from algorithms.compressors.dryden import Dryden
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.max_levels import MaxLevels
from algorithms.compressors.norm_ternary import NormTernary
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.sbc import SBC
from algorithms.compressors.stc import STC
from algorithms.compressors.strom import Strom
from algorithms.compressors.tensor_buckets import TensorBuckets
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from algorithms.compressors.variance_threshold import VarianceThreshold
from algorithms.core import row_slices
from algorithms.core.key import Key
from algorithms.kernels import selection
from algorithms.kernels.mean import mean_rows, sum_rows, sum_rows_torch
from algorithms.memories import in_place
from algorithms.memories.base import Memory, NoMemory, Round
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.memories.nesterov_feedback import NesterovFeedback
from algorithms.network.base import Packet, pack
from algorithms.network.transport import mean_of, message_of, row_of

N, D = 5, 24
SHAPES = ((4, 2), (10,), (6,))
SPARSE: tuple[Compressor, ...] = (
    TopK(5), TopK(D), RandK(5), RandK(0.3, send_indices=True), QuantisedTopK(5, 3),
    AbsoluteThreshold(0.5), AdaComp(4), Dryden(0.3), RandomMask(0.4), SBC(0.3), STC(0.3),
    Strom(0.5), VarianceThreshold(0.5), LayerWise(TopK(2), SHAPES),
    LayerWise(AbsoluteThreshold(0.5), SHAPES), TensorBuckets(TopK(3), SHAPES, ((2, 0), (1,))),
)  # fmt: skip
LEVELS: tuple[Compressor, ...] = (
    QSGD(4), QSGD(1 << 20), TernGrad(), MaxLevels(5), NormTernary(2), AtMostRow(QSGD(200)),
)  # fmt: skip
MEMORIES: tuple[Memory[Any], ...] = (
    NoMemory(), ErrorFeedback(), DecayingFeedback(0.7, 0.9), MomentumCorrection(0.9),
    MomentumCorrection(0.9, masking=True), GlobalMomentum(0.9), NesterovFeedback(0.9),
)  # fmt: skip


def rows(seed: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Rows ``[1, N, D]`` with zeros of both signs among them."""
    x = torch.randn(1, N, D, dtype=dtype, generator=torch.Generator().manual_seed(seed))
    x[..., ::5] = 0.0
    x[..., 3] = -0.0
    return x


def packet(compressor: Compressor, x: Tensor) -> Packet:
    return pack(compressor, x, Key.seed(4), torch.zeros(1, dtype=torch.int64), torch.arange(N))


def bits(x: Tensor) -> Tensor:
    return x.view(torch.int32 if x.dtype == torch.float32 else torch.int64)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("compressor", [*SPARSE, QSGD(4)], ids=lambda c: c.name)
def test_the_mean_of_messages_is_that_of_rows_bit_for_bit(compressor, dtype):
    one = packet(compressor, rows(1, dtype))
    expected = mean_rows(one.own(torch.arange(N)), keepdim=True)
    message = message_of(one)
    parts = [message.take(torch.tensor(ids)) for ids in ([0, 1], [2], [3, 4])]
    found = mean_of(replace(one, symbols=()), parts, torch.arange(N))
    assert torch.equal(bits(found), bits(expected))


@pytest.mark.parametrize("compressor", SPARSE, ids=lambda c: c.name)
def test_sparse_messages_are_listed_and_no_row_is_decoded(compressor, monkeypatch):
    one = packet(compressor, rows(2))
    expected = mean_rows(one.own(torch.arange(N)), keepdim=True)

    def never(*_: object) -> Tensor:
        raise AssertionError("a row was written out")

    monkeypatch.setattr(Packet, "decode", never)
    found = mean_of(replace(one, symbols=()), [message_of(one)], torch.arange(N))
    assert torch.equal(bits(found), bits(expected))


def test_another_order_of_workers_is_told_apart():
    """The sum by worker is what the bits are compared with: the reverse order differs."""
    x = rows(3)
    assert not torch.equal(bits(sum_rows(x)), bits(sum_rows(x.flip(-2))))


def test_sums_start_at_zero():
    minus = torch.full((2, 1), -0.0)
    for total in (sum_rows(minus), sum_rows_torch(minus)):
        assert bits(total).item() == 0


@pytest.mark.parametrize("memory", MEMORIES, ids=lambda m: m.name)
def test_a_memory_treats_coordinates_by_themselves_and_reads_what_it_says(memory, monkeypatch):
    """In place and by slices of 7, what it does not read poisoned, for three rounds."""
    monkeypatch.setattr(row_slices, "SLICE", 7)
    whole = memory.init(torch.Size((1, 1, D)), torch.float32, torch.device("cpu"))
    sliced = in_place.mapped(whole, torch.clone)
    for t in range(3):
        x = rows(t)[:, :1]
        wanted = memory.before(whole, x)
        found = torch.empty_like(x)
        in_place.before(memory, sliced, x, found)
        assert torch.equal(found, wanted)
        sent, mean = torch.where(wanted.abs() > 0.5, wanted, 0), rows(9 + t)[:, :1]
        whole = memory.after(whole, Round(x, wanted, sent, mean))
        fields = Round(x, wanted, sent, mean)._asdict()
        poisoned = {name: torch.full_like(x, torch.nan) for name in fields}
        read = {name: fields[name] for name in memory.after_reads}
        in_place.after(memory, sliced, Round(**(poisoned | read)))
        for one, other in zip(in_place.leaves(whole), in_place.leaves(sliced), strict=True):
            assert torch.equal(one, other)


def test_a_memory_that_reads_more_than_it_says_is_seen(monkeypatch):
    monkeypatch.setattr(MomentumCorrection, "after_reads", frozenset({"wanted", "sent"}))
    with pytest.raises(AssertionError):
        test_a_memory_treats_coordinates_by_themselves_and_reads_what_it_says(
            MomentumCorrection(0.9), monkeypatch
        )


@pytest.mark.parametrize("slots", [3, 1 << 14])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("compressor", SPARSE, ids=lambda c: c.name)
def test_a_list_read_off_its_bytes_is_the_list(monkeypatch, compressor, dtype, slots):
    """In pieces of three slots and in one, alone and where a message may be the row."""
    monkeypatch.setattr(row_slices, "SLICE", slots)
    monkeypatch.setattr(lists, "_SLOTS", slots)
    for operator in (compressor, AtMostRow(compressor)):
        x, worker = rows(2, dtype)[:, :1], torch.arange(1)
        one = pack(operator, x, Key.seed(4), torch.zeros(1, dtype=torch.int64), worker)
        found = row_of(replace(one, symbols=()), message_of(one), torch.arange(1))
        assert torch.equal(found, one.own(torch.arange(1)))


@pytest.mark.parametrize("slots", [3, 1 << 14])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("compressor", LEVELS, ids=lambda c: c.name)
def test_levels_are_added_as_they_are_read(monkeypatch, compressor, dtype, slots):
    """No row is decoded whole, and the sum has the bits of whole rows."""
    one = packet(compressor, rows(6, dtype))
    expected = mean_rows(one.own(torch.arange(N)), keepdim=True)
    monkeypatch.setattr(row_slices, "SLICE", slots)
    monkeypatch.setattr(Packet, "decode", None)
    found = mean_of(replace(one, symbols=()), [message_of(one)], torch.arange(N))
    assert torch.equal(bits(found), bits(expected))


@pytest.mark.parametrize("k", [1, 7, 4999, 5000])
def test_the_largest_uniforms_are_found_slice_by_slice(k):
    """The same that sorting all of them finds; also where the first look sees too few."""
    d = 5000
    draws = Key.seed(k).draws(torch.zeros(1, dtype=torch.int64), torch.tensor([3]))
    due = selection.largest(draws.uniform(d, torch.float64), k)
    for near in (8.0, 0.0):
        found = row_slices.largest_drawn(draws, d, k, near)
        assert torch.equal(found.view(-1).nonzero()[:, 0], due.view(-1))


def test_rand_k_of_a_long_row_is_that_of_its_uniforms():
    """Also the rule of rows that are short enough to hold their uniforms."""
    d = 2 * row_slices.SLICE
    draws = Key.seed(1).draws(torch.zeros(1, dtype=torch.int64), torch.tensor([3]))
    for operator in (RandK(0.3), RandK(0.95)):
        due = selection.largest(draws.uniform(d, torch.float64), operator.kept(d))
        assert torch.equal(operator.draw_again(d, draws), due.to(torch.int32))
        assert torch.equal(torch.cat(list(operator.places_again(d, draws)), -1), due.view(1, -1))
