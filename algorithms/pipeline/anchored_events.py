"""Blocks of the ticks of gradients that are taken around an anchor."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.kernels.anchored_events import ANCHORED_EVENTS
from algorithms.kernels.row_parts import RowPart, filled_in, ready
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.base import Arrays, Place, Steps
from algorithms.pipeline.events import EventBlock, all_rows, full_gradient, unchanging
from algorithms.pipeline.server import own
from theory.stepsizes import Stepsize

_TENSORS = ("z", "total", "anchor", "full", "read")


class AnchoredEvents(NamedTuple):
    """Parts of a tick.

    Attributes:
        step_rule: stepsizes [x^2 / f].
        compressor: the operator of the workers.
        downlink: the operator of the server's models.
        proximal: the map of the iterate after its move.
        epoch: ticks between two anchors.
        theta: how far models go from the anchor to the iterate.
    """

    step_rule: Stepsize
    compressor: Compressor
    downlink: Compressor
    proximal: Proximal
    epoch: int
    theta: float


@final
class AnchoredEventBlock(EventBlock):
    """The state is an :class:`~..methods.variance_reduced.asylpg.AsyLPGState`."""

    def __init__(self, place: Place, gradient: RowPart, parts: AnchoredEvents) -> None:
        d, dtype = place.problem.d, place.problem.dtype
        up, length = unchanging(parts.compressor, d, dtype)
        down, answer = unchanging(parts.downlink, d, dtype)
        super().__init__(place, gradient, parts.step_rule, {"compress": up, "answer": down})
        full, change = full_gradient(place), own(parts.proximal, NoProximal, d, dtype)
        self.sources = gradient, full
        flags = up is not None, down is not None, change is not None, parts.theta < 1
        self.parts = (
            ready(gradient.function, "gradient", dtype), gradient.numbers,
            ready(full.function, "gradient", dtype), full.numbers,
            *filled_in(dtype, up, "operator")[:2], *filled_in(dtype, down, "operator")[:2],
            *filled_in(dtype, change, "change")[:2], np.array(flags),
            np.array([length, answer, Identity().bits(d, dtype), parts.epoch], np.int64),
            self.kind(parts.theta),
        )  # fmt: skip

    def tensors(self, state: Any) -> Arrays:
        return tuple(all_rows(getattr(state, name)) for name in _TENSORS)

    def run(self, arrays: Arrays, steps: Steps) -> int:
        words = (self.words(steps, name) for name in ("gradient", "compress", "answer"))
        found: int = ANCHORED_EVENTS.for_dtype(self.dtype)(
            *self.parts, *arrays[:7], steps.gammas, steps.t, *words, steps.replicas
        )
        return found

    def leave(self, arrays: Arrays, state: Any) -> Any:
        return state._replace(
            **{
                name: torch.from_numpy(part).view(getattr(state, name).shape)
                for name, part in zip(_TENSORS, arrays[:5], strict=True)
            }
        )
