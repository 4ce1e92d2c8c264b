"""What a message costs: lengths of payloads counted by hand, and claims on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.compressors.top_k import TopK
from proofs_check.audit.claims import Stated
from proofs_check.audit.messages import check_bits, costs
from proofs_check.audit.payload import message_of, own_length
from proofs_check.audit.reporting import Reporter
from proofs_check.audit.runner import Runner
from proofs_check.audit.subject import subject_of
from proofs_check.audit.traits import Traits, traits_of
from proofs_check.verdict import Outcome
from tests.proofs_check.audit.asking import audited, refuted, verdict

X = np.ones(100, dtype=np.float32)


@pytest.mark.parametrize(
    ("payload", "bits"),
    [
        (np.zeros(10, np.float16), 160),
        (torch.zeros(10, dtype=torch.bfloat16), 160),
        ((np.zeros(10, np.float32), np.zeros(10, np.int64)), 320 + 640),
        ({"values": torch.zeros(3), "scale": 0.5}, 96 + 64),
        ([b"abc", bytearray(2), memoryview(b"1234")], 24 + 16 + 32),
        ((np.float32(1.0), True, None, (10, 10), 100), 32 + 1),
        (torch.tensor([0.0, 0, 5, 0]).to_sparse(), 64 + 32),
        ((99,), 64),
    ],
)
def test_lengths_in_memory_are_those_counted_by_hand(payload: Any, bits: float) -> None:
    found = message_of(payload, d=100)
    assert found.measured == bits
    assert found.unknown == ()


def test_what_has_no_length_is_named() -> None:
    found = message_of((np.zeros(3), object()), d=100)
    assert (found.unknown, found.measured) == (("object",), None)


def test_integers_are_packed_to_their_range() -> None:
    """Values of 0 to 99 need 7 bits each, signs one."""
    (indices,) = message_of(np.arange(100), 1).parts
    assert (indices.bits, indices.packed) == (6400, 700)
    (signs,) = message_of(torch.tensor([True, False]), 1).parts
    assert (signs.bits, signs.packed) == (16, 2)


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        ({"bits": 7}, 7),
        ({"bits": lambda self: 8}, 8),
        ({"bits": lambda self, d: d + 32}, 132),
        ({"bits": lambda self, x: 8 * x.nbytes}, 3200),
        ({"size": lambda self, payload: len(payload)}, 24),
        ({"nbytes": 5}, 40),
        ({"bits": lambda self, d: "many"}, None),
        ({"bits": lambda self: 1 // 0}, None),
    ],
)
def test_what_an_object_says_of_its_length_is_taken(methods: Any, told: float | None) -> None:
    assert own_length(type("Own", (), methods)(), (1, 2, 3), X)[0] == told


class Sparse:
    """top-k of a share, values in float32 and positions in int64."""

    def __init__(self, share: float) -> None:
        self.share = share

    def compress(self, x: np.ndarray) -> Any:
        kept = np.argsort(-np.abs(x), kind="stable")[: max(1, math.floor(self.share * len(x)))]
        return x[kept], kept, len(x)

    def decompress(self, message: Any) -> np.ndarray:
        values, kept, d = message
        y = np.zeros(d, values.dtype)
        y[kept] = values
        return y


def tenth() -> Sparse:
    return Sparse(0.1)


def test_a_formula_with_floor_is_held_at_every_dimension() -> None:
    good = audited(tenth, Stated(bits="max(1, floor(d / 10)) * (32 + 64)"))
    assert not good.refuted and good.headline == ""
    assert verdict(good, "bits").tightness == 1
    bad = audited(tenth, Stated(bits="max(1, floor(d / 10)) * (32 + ceil(log2(d)) + 1)"))
    assert refuted(bad) >= {"bits"}, "positions lie in 64 bits each"
    assert "packed to the range they lie in" in verdict(bad, "bits").evidence
    assert verdict(good, "message").evidence.startswith("960 bits (float32[10] + int64[10])")


def test_more_than_no_compression_is_said_first() -> None:
    """60 % of the values with 64-bit positions are 0.6 * 96 / 32 = 1.8 times the vector."""
    found = audited(lambda: Sparse(0.6))
    assert found.headline.startswith("sends more than no compression: 5760 bits")
    assert "message" in refuted(found)
    assert not found.refuted, "nothing was claimed"


@pytest.mark.parametrize("thing", [lambda x: x.copy(), lambda x: (x * 2) / 2])
def test_the_identity_is_said_first(thing: Any) -> None:
    assert audited(thing).headline.startswith("the identity")


@pytest.mark.parametrize(
    "thing",
    [
        lambda x: x * np.float32(1 + 2.0**-10),
        lambda x: x.astype(np.float16).astype(x.dtype),
        lambda x: np.where(np.abs(x) >= np.abs(x).max() * 0.01, x, 0),
        lambda x: 2 * x * (np.random.random(len(x)) < 0.5),
    ],
)
def test_what_loses_a_little_is_not_called_the_identity(thing: Any) -> None:
    assert audited(thing).headline == ""


def test_lengths_that_vary_are_held_in_the_mean() -> None:
    class Masked(Sparse):
        def compress(self, x: np.ndarray) -> Any:
            kept = np.flatnonzero(np.random.random(len(x)) < 0.5)
            return 2 * x[kept], kept.astype(np.int32), len(x)

    subject = subject_of("planted", lambda: Masked(0.5))
    runner, speaker = Runner(subject), Reporter("planted", "")
    traits = traits_of(subject, (4, 20))
    assert isinstance(traits, Traits)
    priced = costs(runner, traits)
    (good,) = check_bits(speaker, Stated(bits="d / 2 * 64"), priced)
    (bad,) = check_bits(speaker, Stated(bits="d / 4 * 64"), priced)
    assert good.outcome is Outcome.SUPPORTED, "half of d positions of 64 bits in the mean"
    assert bad.outcome is Outcome.REFUTED


def test_a_function_of_a_vector_alone_shows_no_message() -> None:
    found = audited(np.sign, Stated(bits="d"))
    assert verdict(found, "bits").outcome is Outcome.NOT_APPLICABLE
    assert "a pair (compress, decompress)" in verdict(found, "message").evidence


def test_operators_of_this_house_have_the_length_of_their_code() -> None:
    found = audited(TopK(1), Stated(bits="32 + ceil(log2(d))"))
    assert verdict(found, "bits").outcome is Outcome.SUPPORTED


@pytest.mark.parametrize("delta", ["2", "d / 4", "1 + 1/d"])
def test_a_delta_above_one_is_refuted(delta: str) -> None:
    found = audited(np.copy, Stated(delta=delta))
    assert found.refuted
    assert "is above 1" in found.claims[0].evidence


def test_a_delta_above_one_in_small_dimensions_only_is_left_out_there() -> None:
    """Of the 10 largest entries delta = 10 / d is said for d >= 10."""

    def top_ten(x: np.ndarray) -> np.ndarray:
        return np.where(np.argsort(np.argsort(-np.abs(x), kind="stable")) < 10, x, 0)

    assert not audited(top_ten, Stated(delta="10 / d")).refuted
