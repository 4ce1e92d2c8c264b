"""Records by means and deviations: whether the number of workers drops out of a programme.

Where all workers do the same, an optimal Gram matrix may be averaged over their permutations; what
is left are two matrices, of means and of deviations, and a vector of each worker is its mean's and
its deviation's coefficients (arXiv:2403.11724). Two numbers of workers with equal coefficients have
one programme.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from proofs_check.refute.recorded import MethodRecord, Question
from theory.arrays import Floats

_SAME = 1e-9


class ReducedRecord(NamedTuple):
    """What every worker asks and the models, by means and deviations.

    Attributes:
        means: coefficients of x_0 and of the means of all answers ``[K + T + 1, 1 + K]``.
        deviations: of a worker's own deviations ``[K, K]``.
    """

    means: Floats
    deviations: Floats

    @property
    def shared(self) -> bool:
        """Whether all workers ask the same."""
        return not np.abs(self.deviations).max(initial=0.0) > _SAME

    def same(self, other: ReducedRecord) -> bool:
        """Whether two records are of one programme."""
        pairs = zip(self, other, strict=True)
        return all(a.shape == b.shape and np.allclose(a, b, rtol=0, atol=_SAME) for a, b in pairs)


def reduced(record: MethodRecord, n: int) -> ReducedRecord | None:
    """The record of ``n`` workers by means and deviations; None: workers differ, or
    errors are independent, so that their number stays."""
    if record.noises:
        return None
    every = sorted((*record.gradients, *record.messages), key=lambda q: q.answer)
    of_worker = [[q for q in every if q.worker == i] for i in range(n)]
    if sum(map(len, of_worker)) != len(every) or len({len(one) for one in of_worker}) != 1:
        return None
    answers = np.array([[q.answer for q in own] for own in of_worker])  # [n, K]
    questions: list[Question] = of_worker[0]
    found = []
    for i, own in enumerate(of_worker):
        others = [j for j in range(n) if j != i]
        x = np.stack([q.x for q in own]) if own else np.zeros((0, record.models.shape[1]))
        own_part, rest = x[:, answers[i]], [x[:, answers[j]] for j in others]
        if any(np.abs(one - rest[0]).max(initial=0.0) > _SAME for one in rest):
            return None
        mean = np.hstack((x[:, :1], own_part + sum(rest)))
        found.append((mean, own_part - rest[0] if rest else np.zeros_like(own_part)))
    for mean, off in found[1:]:
        if not (np.allclose(mean, found[0][0], atol=_SAME)
                and np.allclose(off, found[0][1], atol=_SAME)):  # fmt: skip
            return None
    of_models = record.models[:, answers]  # [T + 1, n, K]
    if np.abs(of_models - of_models[:, :1]).max(initial=0.0) > _SAME:
        return None
    models = np.hstack((record.models[:, :1], of_models.sum(1)))
    assert len(questions) == answers.shape[1]
    return ReducedRecord(np.vstack((found[0][0], models)), found[0][1])
