"""Plans of steps along a graph, or with a server: programs, and the parts that they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.kernels import row_operations as ops
from algorithms.kernels.row_parts import RowPart
from algorithms.pipeline.base import Place
from algorithms.pipeline.links import FixedLists, Links
from algorithms.pipeline.row_programs import Program, Register


def _opened(state: Any) -> tuple[Tensor, ...]:
    return tuple(state)


def _closed(state: Any, parts: tuple[Tensor, ...]) -> Any:
    return type(state)(*parts)


Mask = Callable[[Place, range, NDArray[np.int64]], NDArray[np.bool_]]
"""Workers that are meant at some steps in some replicas: ``[T, R, n]`` of place, steps, ids."""


@final
@dataclass(frozen=True)
class PlanMessage:
    """What a message beyond the first is made with.

    Attributes:
        compressor: the operator.
        purpose: what its draws are for.
    """

    compressor: Compressor
    purpose: str


@final
@dataclass(frozen=True)
class NeighbourPlan:
    """A method's steps as programs.

    Attributes:
        rows: registers of the state's tensors ``[..., m or 1, d]`` or ``[..., m, 1]``, in their
            order.
        programs: what steps there are.
        links: who hears whom.
        gradient: the compiled gradient, where a program takes any.
        compressor: what messages are made with.
        change: what a program changes rows by.
        program: which of the programs step t is.
        own: every worker's own weight at step t ``[n]``, where a program weighs by it.
        opened: the tensors of a state; ``closed``: the state that such tensors make.
        purpose: what the draws of a message are for.
        numbers_sent: how many numbers an uncompressed message has; None: d.
        second: gradients from a second source, where a program takes them.
        second_purpose: what their draws are for.
        further: messages beyond the first.
        masks: who is meant where a program chooses.
        further_links: links beyond the first, where a step has exchanges over several.
    """

    rows: tuple[Register, ...]
    programs: tuple[Program, ...]
    links: Links | None
    gradient: RowPart | None = None
    compressor: Compressor = field(default_factory=Identity)
    change: RowPart | None = None
    program: Callable[[int], int] = lambda _: 0
    own: Callable[[int], NDArray[np.float64]] | None = None
    opened: Callable[[Any], tuple[Tensor, ...]] = _opened
    closed: Callable[[Any, tuple[Tensor, ...]], Any] = _closed
    purpose: str = "compress"
    numbers_sent: int | None = None
    second: RowPart | None = None
    second_purpose: str = "gradient"
    further: tuple[PlanMessage, ...] = ()
    masks: tuple[Mask, ...] = ()
    further_links: tuple[FixedLists, ...] = ()

    @property
    def all_links(self) -> tuple[Links, ...]:
        """All links of a step, by number."""
        return () if self.links is None else (self.links, *self.further_links)

    @property
    def messages(self) -> tuple[PlanMessage, ...]:
        """All messages, by number."""
        return PlanMessage(self.compressor, self.purpose), *self.further

    def lacks(self) -> bool:
        """Whether a program asks for something that no part gives."""
        asked = (
            (ops.GRADIENT, self.gradient), (ops.CHANGE, self.change), (ops.WEIGH, self.own),
            *((kind, self.links) for kind in ops.EXCHANGES),
        )  # fmt: skip
        lines = [one for program in self.programs for one in program.operations]
        given = {kind for kind, part in asked if part is not None}
        kinds = {kind for kind, _ in asked}
        second = any(one.kind == ops.GRADIENT and one.which for one in lines)
        return any(one.kind in kinds - given for one in lines) or (second and self.second is None)
