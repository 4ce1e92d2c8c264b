"""Blocks of a parameter server's ticks under any schedule."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.kernels.event_steps import SERVER_EVENTS
from algorithms.kernels.row_parts import RowPart, filled_in, ready
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.base import Arrays, Place, Steps, rows_of, stacked, unstacked
from algorithms.pipeline.events import EventBlock, all_rows, unchanging
from algorithms.pipeline.server import own
from theory.stepsizes import Stepsize


class ServerEvents(NamedTuple):
    """Parts of a tick of a parameter server.

    Attributes:
        step_rule: stepsizes [x^2 / f].
        compressor: the operator of the workers.
        proximal: the map of the model after the move.
        correction: what is done about the age of gradients; None: nothing.
        share: what the sum of gradients is divided by; 0: how many arrived.
    """

    step_rule: Stepsize
    compressor: Compressor
    correction: Any
    proximal: Proximal
    share: int


@final
class ServerEventBlock(EventBlock):
    """The state is a :class:`~..methods.synchronous.parameter_server.ServerState`."""

    def __init__(self, place: Place, gradient: RowPart, parts: ServerEvents) -> None:
        problem = place.problem
        d, dtype = problem.d, problem.dtype
        send, length = unchanging(parts.compressor, d, dtype)
        super().__init__(place, gradient, parts.step_rule, {"compress": send})
        self.corrects = parts.correction is not None
        correct = own(parts.correction, type(None), dtype)
        change = own(parts.proximal, NoProximal, d, dtype)
        self.parts = (
            ready(gradient.function, "gradient", dtype), gradient.numbers,
            *filled_in(dtype, send, "operator")[:2], *filled_in(dtype, correct, "correction")[:2],
            *filled_in(dtype, change, "change")[:2],
            np.array([send is not None, self.corrects, change is not None]),
            np.array([length, Identity().bits(d, dtype)]), parts.share,
        )  # fmt: skip

    def tensors(self, state: Any) -> Arrays:
        cache = state.cache[..., :0, :] if state.cache is state.view else state.cache
        lead = tuple(state.x.shape[:-2])
        memory = state.correction if self.corrects else ()
        return (
            rows_of(state.x)[:, 0], all_rows(state.view), all_rows(cache), all_rows(state.given),
            stacked(memory, lead, 1, self.d, self.kind)[:, 0],
        )  # fmt: skip

    def run(self, arrays: Arrays, steps: Steps) -> int:
        *tensors, bill, arrivals, _, fetches, starts = arrays
        words = (self.words(steps, name) for name in ("gradient", "compress"))
        found: int = SERVER_EVENTS.for_dtype(self.dtype)(
            *self.parts, *tensors, bill, arrivals, fetches, starts, steps.gammas, steps.t, *words,
            steps.replicas,
        )  # fmt: skip
        return found

    def leave(self, arrays: Arrays, state: Any) -> Any:
        x, view, cache, given = (torch.from_numpy(part) for part in arrays[:4])
        held = view.view(state.view.shape)
        memory = state.correction
        return state._replace(
            x=x.view(state.x.shape),
            view=held,
            cache=held if state.cache is state.view else cache.view(state.cache.shape),
            given=given.view(state.given.shape),
            correction=unstacked(arrays[4][:, None], memory) if self.corrects else memory,
        )
