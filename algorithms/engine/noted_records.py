"""Records of a run: noted as it passes them, made together when a block of steps is over, or when
there are many.

A record made alone is some thirty operations on small tensors, which cost more than the step of
most methods; of many records together each operation is one, on rows that do not depend on each
other. What a problem does not compute row by row is still computed record by record.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.network.clock import Clocked
from algorithms.network.ledger import Books
from theory.arrays import Floats


def mean_model(method: Method[Any], network: Any, rows: Tensor) -> Tensor:
    """Mean ``[..., d]`` over all workers of a method's model rows."""
    return rows[..., 0, :] if method.shared_model else network.mean_over_workers(rows)


class NotedRecord(NamedTuple):
    """What a record is made of.

    Attributes:
        t: steps done.
        rows: model rows ``[..., m, d]``, its own storage.
        seconds: modelled time by the method's own schedule; None: it has none.
        computed: gradients of a worker by that schedule; None: it has none.
        books: what was charged so far.
        wall: measured seconds.
    """

    t: int
    rows: Tensor
    seconds: Tensor | None
    computed: Tensor | None
    books: Books
    wall: float


@final
class NotedRecords:
    """Notes of successive records.

    Attributes:
        notes: in their order.
        clocked: the stopwatch's reading at each; empty where none runs.
    """

    def __init__(self, method: Method[Any], context: RunContext) -> None:
        self.method, self.context = method, context
        self.notes: list[NotedRecord] = []
        self.clocked: list[Clocked] = []

    def note(self, state: Any, t: int, wall: float) -> Tensor:
        """Note the state after t steps, whose tensors may be written over later; its model rows."""
        method = self.method
        seconds, computed = method.seconds(state, t), method.computed(state, t)
        rows = method.models(state).clone()
        books = self.context.network.books()
        self.notes.append(NotedRecord(t, rows, _own(seconds), _own(computed), books, wall))
        return rows

    @cached_property
    def rows(self) -> Tensor:
        """Model rows ``[K, ..., m, d]``."""
        return torch.stack([one.rows for one in self.notes])

    @cached_property
    def means(self) -> Tensor:
        """Mean models ``[K, ..., d]``."""
        return mean_model(self.method, self.context.network, self.rows)

    def broken(self) -> int | None:
        """Steps before the first record whose mean model is not finite; None: all are."""
        if not self.notes or bool(torch.isfinite(self.means).all()):
            return None
        finite = torch.isfinite(self.means).flatten(1).all(1)
        return self.notes[int(finite.int().argmin())].t

    def series(self) -> dict[str, Any]:
        """Series ``[K, ...]`` of all records by name, but averages over steps."""
        problem, means, rows = self.context.problem, self.means, self.rows
        values, gradients = self._values_and_gradients()
        lead = tuple(means.shape[1:-1])
        unknown = torch.full(means.shape[:-1], float("nan"), dtype=torch.float64)
        spread = (rows - means[..., None, :]).square().sum(-1, keepdim=True)
        books = [one.books for one in self.notes]
        account = self.context.network.accounts(books, lead)
        own = [one.seconds for one in self.notes if one.seconds is not None]
        computed = [one.computed for one in self.notes if one.computed is not None]
        worked = [one.worked.double().mean(-1) for one in self.clocked]
        return {
            "steps": [one.t for one in self.notes],
            "wall_seconds": [one.wall for one in self.notes],
            "suboptimality": values.double() - (problem.f_star or 0.0),
            "squared_gradient": gradients.square().sum(-1).double(),
            "squared_distance": unknown
            if problem.x_star is None
            else (means - problem.x_star).square().sum(-1),
            "consensus": mean_model(self.method, self.context.network, spread)[..., 0],
            "weighted_suboptimality": unknown,
            "workers_suboptimality": unknown,
            "sent_bits": account.sent_bits.double().mean(-1),
            "received_bits": account.received_bits.double().mean(-1),
            "gradients": _stacked(computed or worked, unknown),
            "seconds": _stacked(own or [one.seconds for one in self.clocked], unknown),
            "messages": (account.sent_messages + account.received_messages).double().mean(-1),
        }

    def _values_and_gradients(self) -> tuple[Tensor, Tensor]:
        """f and its gradient at the mean models, each as it is alone."""
        problem, means = self.context.problem, self.means
        if problem.mean_rowwise and problem.value_rowwise:
            return problem.value_and_gradient(means)
        if problem.mean_rowwise:
            values = torch.stack([problem.value(one.clone()) for one in means])
            return values, problem.mean_gradient(means)
        found = [problem.value_and_gradient(one.clone()) for one in means]
        each, gradients = zip(*found, strict=True)
        return torch.stack(each), torch.stack(gradients)


def _own(value: Tensor | None) -> Tensor | None:
    return None if value is None else value.clone()


def _stacked(values: Sequence[Tensor], unknown: Tensor) -> Tensor:
    return torch.stack(list(values)) if values else unknown


def averages(before: Tensor, count: int, squared: Floats) -> tuple[Floats, Tensor]:
    """Running averages ``[K, ...]`` of squared gradients at records, each of those before it (the
    very first of itself), of which there were ``count`` with the sum ``before``; and the sum after
    all, added in turn."""
    sums = np.add.accumulate(np.concatenate((before.numpy()[None], squared)), axis=0)
    many = np.arange(count, count + len(squared), dtype=np.float64)
    averaged = sums[:-1] / np.maximum(many, 1).reshape(-1, *(1 for _ in squared.shape[1:]))
    if count == 0:
        averaged[0] = squared[0]
    return averaged, torch.from_numpy(sums[-1].copy())
