"""Compressors that send nothing: in one dimension, of zero, or at all."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from proofs_check.audit.audit import Audit
from proofs_check.audit.claims import Stated
from proofs_check.audit.classes import fit
from proofs_check.verdict import Outcome
from tests.proofs_check.audit.asking import audited, refuted, verdict


class Sent(NamedTuple):
    """What the receiver knows beside the message."""

    size: int
    dtype: torch.dtype


class ClippedTernary:
    """TernGrad with entries clipped at 2.5 standard deviations: 0 where all entries are equal.

    Then nothing is sent, so that in R^1 nothing ever is. The rule is that of Wen et al. 2017
    (1705.07878), Eq. 4, after their clipping.
    """

    def compress(self, tensor: Tensor, name: str) -> tuple[list[Tensor], Sent]:
        bound = 2.5 * float(tensor.std(correction=0))
        clipped = tensor.clamp(-bound, bound)
        scale = clipped.abs().max()
        ctx = Sent(tensor.numel(), tensor.dtype)
        if not scale > 0:
            return [], ctx
        signs = clipped.sign() * (torch.rand_like(clipped) * scale < clipped.abs())
        return [signs.char(), scale[None]], ctx

    def decompress(self, tensors: list[Tensor], ctx: Sent) -> Tensor:
        if not tensors:
            return torch.zeros(ctx.size, dtype=ctx.dtype)
        signs, scale = tensors
        return signs.to(ctx.dtype) * scale


class NothingAtAll(ClippedTernary):
    def compress(self, tensor: Tensor, name: str) -> tuple[list[Tensor], Sent]:
        return [], Sent(tensor.numel(), tensor.dtype)


class PackedPlaces(ClippedTernary):
    """The places of the entries above 1/2 in size: an array that may have no numbers."""

    def compress(self, tensor: Tensor, name: str) -> tuple[list[Tensor], Sent]:
        places = tensor.abs().gt(0.5).nonzero().flatten()
        return [tensor[places], places], Sent(tensor.numel(), tensor.dtype)

    def decompress(self, tensors: list[Tensor], ctx: Sent) -> Tensor:
        values, places = tensors
        return torch.zeros(ctx.size, dtype=ctx.dtype).scatter(0, places, values)


class HiddenValues(ClippedTernary):
    """Nothing is in the message, since the context has it all."""

    def compress(self, tensor: Tensor, name: str) -> Any:
        return [], tensor.clone()

    def decompress(self, tensors: list[Tensor], ctx: Any) -> Tensor:
        return ctx.clone()


@pytest.fixture(scope="module")
def clipped() -> Audit:
    return audited(ClippedTernary, Stated(unbiased=True))


@pytest.mark.slow
def test_a_dimension_in_which_nothing_is_sent_is_told(clipped: Audit) -> None:
    assert clipped.refuted and "E C(x) = (0)" in clipped.claims[0].evidence
    assert {"d = 1", "constant"} <= refuted(clipped)
    assert clipped.fit is not None
    assert clipped.fit.name.startswith("contraction after scaling, not settled")
    factors, _, rest = clipped.fit.text.partition("; in d = 1 nothing came of any vector")
    assert rest and "c = " in factors and "(d = 1)" not in factors


@pytest.mark.slow
def test_where_every_dimension_speaks_nothing_is_left_open(clipped: Audit) -> None:
    settled = fit([one for one in clipped.measures if one.d > 1], lambda look, _: look)
    assert settled.name == "contraction after scaling"
    assert "nothing came" not in settled.text


def test_an_operator_that_sends_nothing_is_neither() -> None:
    found = audited(NothingAtAll, Stated(delta="1/d"))
    assert found.refuted
    assert found.fit is not None and found.fit.name == "neither"
    assert "E||C(x)-x||^2/||x||^2 = 1 at x = (1)" in found.fit.text
    assert verdict(found, "message").statistic == 0


@pytest.mark.slow
def test_an_empty_message_is_short_where_it_is_read_as_zero(clipped: Audit) -> None:
    """8 bits an entry and 32 for the scale; in R^1 none."""
    assert verdict(clipped, "zero").evidence.endswith("exactly zero")
    message = verdict(clipped, "message")
    assert (message.outcome, message.statistic) == (Outcome.SUPPORTED, 8 * 100 + 32)
    assert "; 0 (d = 1), 64 (d = 4)" in message.evidence


def test_a_context_that_holds_all_is_charged_and_refuted() -> None:
    found = audited(HiddenValues)
    message = verdict(found, "message")
    assert message.outcome is Outcome.COMPARED
    assert "; 32 (d = 1), 128 (d = 4)" in message.evidence  # x itself, in float32
    receiver = verdict(found, "receiver")
    assert (
        receiver.outcome is Outcome.REFUTED and "which is not in the message" in receiver.evidence
    )


def test_arrays_without_numbers_are_taken() -> None:
    found = audited(PackedPlaces)
    assert verdict(found, "zero").evidence.endswith("exactly zero")
    assert "96 (d = 1)" in verdict(found, "message").evidence
