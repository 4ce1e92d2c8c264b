"""Blocks of the ticks of a server that weighs arrivals by their age and collects them."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.identity import Identity
from algorithms.kernels.buffered_events import BUFFERED_EVENTS
from algorithms.kernels.key_words import step_words
from algorithms.kernels.row_parts import RowPart, ready
from algorithms.pipeline.base import Arrays, Place, Steps, rows_of
from algorithms.pipeline.events import EventBlock, all_rows
from theory.stepsizes import Stepsize


class BufferedEvents(NamedTuple):
    """Parts of a tick.

    Attributes:
        step_rule: stepsizes [x^2 / f].
        rule: what a gradient is worth by its age, an
            :class:`~algorithms.methods.parts.age_rules.AgeRule`.
        total: gradients that a step takes, or is worth.
        by_worker: whether sums are kept for every worker.
        local_steps: gradients that a worker brings at once.
        server_rate: what the server's step is multiplied with.
    """

    step_rule: Stepsize
    rule: Any
    total: int
    by_worker: bool
    local_steps: int
    server_rate: float


@final
class BufferedEventBlock(EventBlock):
    """The state is a :class:`~..methods.stragglers.buffered_server.BufferedState`."""

    def __init__(self, place: Place, gradient: RowPart, parts: BufferedEvents) -> None:
        dtype = place.problem.dtype
        super().__init__(place, gradient, parts.step_rule, {})
        self.own = parts
        self.more_gradients = parts.local_steps - 1
        oldest = parts.rule.oldest
        length = Identity().bits(place.problem.d, dtype)
        self.parts = (
            ready(gradient.function, "gradient", dtype), gradient.numbers,
            np.array([
                parts.total, oldest if oldest < np.inf else 0, parts.by_worker, parts.local_steps,
                length,
            ], np.int64),
            np.array([parts.server_rate], self.kind),
        )  # fmt: skip

    def _words(self, purpose: str, t: int, until: int) -> NDArray[np.int64]:
        many = self.own.local_steps
        found = step_words(self.place.key.words, purpose, t * many, (until - t) * many)
        return found.reshape(until - t, many, 2)

    def words(self, steps: Steps, purpose: str) -> NDArray[np.int64]:
        found = steps.words.get(purpose)
        return (
            np.zeros((steps.count, self.own.local_steps, 2), np.int64) if found is None else found
        )

    def tensors(self, state: Any) -> Arrays:
        return (
            rows_of(state.x)[:, 0], all_rows(state.view),
            state.steps.reshape(-1).clone().numpy(),
            state.given.reshape(-1, self.n + 1).clone().numpy(), all_rows(state.sums),
            state.counts.reshape(-1, state.counts.shape[-1]).clone().numpy(),
        )  # fmt: skip

    def run(self, arrays: Arrays, steps: Steps) -> int:
        factors, line = self._factors(steps, int(arrays[2].max()))
        found: int = BUFFERED_EVENTS.for_dtype(self.dtype)(
            *self.parts, factors, line, *arrays[:8], arrays[9], steps.gammas, steps.t,
            self.words(steps, "gradient"), steps.replicas,
        )  # fmt: skip
        return found

    def _factors(self, steps: Steps, taken: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Factors ``[G, A]`` of ages for each of G stepsizes, and which of these a step has."""
        assert self.step_rule is not None
        gammas = [self.step_rule(t) for t in range(steps.t, steps.t + steps.count)]
        each, line = np.unique(np.array(gammas), return_inverse=True)
        ages = torch.arange(taken + steps.count + 1)
        rows = [self.own.rule.factors(ages, float(gamma), self.n) for gamma in each]
        return torch.stack(rows).to(self.dtype).numpy(), line.reshape(-1).astype(np.int64)

    def leave(self, arrays: Arrays, state: Any) -> Any:
        names = ("x", "view", "steps", "given", "sums", "counts")
        return state._replace(
            **{
                name: torch.from_numpy(part).view(getattr(state, name).shape)
                for name, part in zip(names, arrays[:6], strict=True)
            }
        )
