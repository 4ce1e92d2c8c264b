"""The wire format: fields of fixed width, written one after the other as bits.

A compressor turns a row into ``Symbols``, one tensor ``[..., m, count]`` per field of its layout.
A float field carries the values themselves (their IEEE bits go on the wire), any other field
integers in [0, 2^width).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

Symbols = tuple[Tensor, ...]


@final
@dataclass(frozen=True)
class Field:
    """``count`` symbols of ``width`` bits; ``dtype`` is what they are read back as.

    A float type makes a float field; else any integer type that holds ``width`` bits. Symbols of an
    integer field may be written from any integer type.

    Attributes:
        name: what the symbols are, for error messages.
    """

    name: str
    count: int
    width: int
    dtype: torch.dtype = torch.int64

    @staticmethod
    def floats(name: str, count: int, dtype: torch.dtype) -> Field:
        """``count`` IEEE numbers of ``dtype`` (float32 or float64)."""
        return Field(name, count, torch.finfo(dtype).bits, dtype)

    @property
    def bits(self) -> int:
        """Bits of the whole field."""
        return self.count * self.width


Layout = tuple[Field, ...]


def layout_bits(layout: Layout) -> int:
    """Length of one row's message in bits; the bytes on the wire are this, rounded up to 8."""
    return sum(field.bits for field in layout)


class Code(ABC):
    """Writes the symbols of one layout as bytes and reads them back exactly.

    Members are frozen dataclasses. A length is that of the bits written, before they are padded to
    whole bytes; where it varies from row to row the receiver learns it from the transport (a
    header, listed apart), so a code may use the end of a message to end its last field.
    """

    @property
    @abstractmethod
    def fixed_bits(self) -> int | None:
        """Length of every row's message [bits]; None where it depends on the symbols."""

    @abstractmethod
    def lengths(self, symbols: Symbols) -> Tensor:
        """Length of each row's message [bits], ``[..., m]`` (int64)."""

    @abstractmethod
    def pack(self, symbols: Symbols) -> Tensor:
        """Bytes ``[..., m, B]`` (uint8) of symbols ``[..., m, count]`` per field.

        B is that of the longest row; shorter rows end in zero bytes.

        Raises:
            ValueError: a symbol does not fit its field, or the shapes do not match the layout.
        """

    @abstractmethod
    def unpack(self, packed: Tensor, lengths: Tensor | None = None) -> Symbols:
        """The inverse of :meth:`pack`; ``lengths`` ``[..., m]`` are needed where they vary.

        A row of length 0 (nothing was sent) gives zeros.

        Raises:
            ValueError: the number of bytes is not that of the layout.
        """
