"""Compressor: the operator C of the theory, as symbols on a wire and what they decode to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols
from algorithms.codes.packed import Packed
from algorithms.core.key import Draws
from algorithms.kernels.row_parts import RowPart
from theory.claims import Claim
from theory.fields import CheckedFields

Shapes = tuple[tuple[int, ...], ...]


class Property(Enum):
    """Equalities that hold for given draws, exactly or to rounding.

    SCALE        C(a x) = a C(x) for a > 0
    ODD          C(-x) = -C(x) where no coordinate is zero
    PERMUTATION  C(P x) = P C(x) where no magnitudes are equal, the draws permuted alike
    LINEAR       C(x + y) = C(x) + C(y)
    """

    SCALE = "scale equivariance"
    ODD = "oddness"
    PERMUTATION = "permutation equivariance"
    LINEAR = "linearity"


class StatedLength(NamedTuple):
    """Bounds of theory on the length of given messages [bits], ``[..., m]`` each.

    ``least`` = ``most`` where the length follows from what was sent; an entropy code states its
    entropy and its known overhead.
    """

    least: Tensor
    most: Tensor


@final
@dataclass(frozen=True, eq=False)
class ListedRows:
    """Sparse rows ``[..., m, d]`` as lists: the first ``count`` ``[..., m, 1]`` of the slots.

    A coordinate stands in one slot at most, those of value zero apart.

    Attributes:
        count: how many slots are meant.
        positions: which coordinate a slot speaks of ``[..., m, cap]`` (int64).
        values: what the row holds there ``[..., m, cap]``; it is zero elsewhere. Either may have
            slots that are not meant and that the other has not.
    """

    count: Tensor
    positions: Tensor
    values: Tensor


class Compressor(CheckedFields, ABC):
    """C: R^d -> R^d, applied to every row of ``[..., m, d]``; members are frozen dataclasses.

    All randomness comes from ``draws``; encode and decode get equal draws, so an operator may
    leave out of the message what both sides can draw (a shared seed). An operator whose messages
    vary in length has symbols of fixed shape all the same (a count among them says how many are
    meant) and overrides :meth:`code` and :meth:`stated_lengths`. ``properties`` are tested on drawn
    vectors.
    """

    properties: ClassVar[frozenset[Property]] = frozenset()

    @property
    @abstractmethod
    def name(self) -> str:
        """Name with its parameters, as it stands in reports: ``"QSGD(s=4)"``."""

    @abstractmethod
    def claims(self, d: int) -> tuple[Claim, ...]:
        """Guarantees of the operator for every x in R^d.

        Raises:
            ValueError: the operator's parameters do not fit d (k > d, say).
        """

    def absolute_error(self, d: int) -> float | None:
        """A bound on E||C(x) - x||^2 that holds for every x in R^d, however long [x^2]; None where
        there is none, as of all operators whose claims are relative to ||x||^2."""
        return None

    @abstractmethod
    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        """Fields of one row's message, in wire order."""

    @abstractmethod
    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        """Symbols of rows ``[..., m, d]``, one tensor ``[..., m, count]`` per field."""

    @abstractmethod
    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        """Rows ``[..., m, d]`` of ``dtype`` from symbols; ``draws`` as in :meth:`encode`."""

    def listed(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> ListedRows | None:
        """The rows of :meth:`decode` as lists of entries; None where messages are not sparse.

        Who sums many messages adds their entries and writes out no row.
        """
        return None

    def pieces(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows] | None:
        """The lists of :meth:`listed` in pieces, so that a long list is never held at once."""
        listed = self.listed(symbols, d, dtype, draws)
        return None if listed is None else iter((listed,))

    def lists_in(
        self, packed: Tensor, bits: slice, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows] | None:
        """The lists of :meth:`listed` for one row, read piece by piece off its message.

        The message is the ``bits`` of bytes ``[B]``; pieces are ``[1, cap]``. None: its symbols
        have to be read first.
        """
        return None

    def sent_rows(
        self, packed: Tensor, lengths: Tensor | None, d: int, dtype: torch.dtype
    ) -> Iterator[tuple[slice, Tensor]] | None:
        """Slices of the rows that messages ``[..., m, B]`` stand for, one after another; or None.

        None: a message has to be read whole first. Who sums long rows holds no second one.
        """
        return None

    @property
    def takes_guide(self) -> bool:
        """Whether :meth:`encode_guided` looks at more than x."""
        return type(self).encode_guided is not Compressor.encode_guided

    @abstractmethod
    def stated_bits(self, d: int, float_bits: int) -> float:
        """Closed-form message length [bits] from ``theory.bits``, per row.

        Where lengths vary: the stated bound on the expected length, else on the longest.
        """

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        """Closed-form lengths of the messages that were decoded to ``sent`` ``[..., m, d]``."""
        length = torch.full(sent.shape[:-1], self.stated_bits(sent.shape[-1], float_bits))
        return StatedLength(length, length)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        """Encoding of symbols as bytes: by default every field at its width."""
        return Packed(self.layout(d, dtype))

    def bits(self, d: int, dtype: torch.dtype) -> int:
        """Length of one row's message on the wire [bits].

        Raises:
            ValueError: it varies from message to message.
        """
        length = code_of(self, d, dtype).fixed_bits
        if length is None:
            raise ValueError(f"messages of {self.name} vary in length; ask its code for lengths")
        return length

    def at_step(self, t: int) -> Compressor:
        """The operator in use at step t (t = 0, 1, ...); differs from self during a warm-up."""
        return self

    @property
    def steady(self) -> bool:
        """Whether :meth:`at_step` gives the operator itself at every step."""
        return type(self).at_step is Compressor.at_step

    def for_shapes(self, shapes: Shapes) -> Compressor:
        """The operator for a model whose tensors have these ``shapes``, flat one after another.

        Itself where it takes the row as it is.

        Raises:
            ValueError: the shapes do not suit it.
        """
        return self

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        """Symbols of rows x; ``guide`` ``[..., m, d]`` is what the sender's memory knows beside x.

        Most operators look at x alone.
        """
        return self.encode(x, draws)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        """:meth:`compress` as a compiled function (kind "operator" of ``kernels/row_parts.py``), to
        the bit, refusing what :meth:`encode` refuses; None: there is none.

        One whose :meth:`at_step` differs between steps knows the step itself. A subclass publishes
        its own: what it inherits is not asked for.
        """
        return None

    def compress(self, x: Tensor, draws: Draws) -> Tensor:
        """C(x) for rows ``[..., m, d]``; leaves x as it is."""
        return self.decode(self.encode(x, draws), x.shape[-1], x.dtype, draws)


_OF_KIND: dict[type[Compressor], dict[tuple[int, torch.dtype], Code]] = {}


def code_of(compressor: Compressor, d: int, dtype: torch.dtype) -> Code:
    """``compressor.code(d, dtype)``, made once for each compressor object; one that has nothing of
    its own (no fields) shares it with others of its kind, as those that a step makes are.

    Equal operators may differ here: top-k of 1 equals top-k of the fraction 1.0 in Python.
    """
    own = compressor.__dict__
    known = own.setdefault("_codes", {}) if own else _OF_KIND.setdefault(type(compressor), {})
    code: Code | None = known.get((d, dtype))
    if code is None:
        code = known[d, dtype] = compressor.code(d, dtype)
    return code
