"""A problem whose f is another one's plus a constant."""

from __future__ import annotations

from typing import final

from torch import Tensor

from algorithms.problems.base import Problem
from proofs_check.problems.stating import StatedProblem


@final
class ShiftedProblem(StatedProblem):
    """f + ``by``, and f* + ``by``; gradients are those of ``inner``. (The caller's own.)"""

    def __init__(self, inner: Problem, by: float) -> None:
        c = inner.constants()
        if c.f_star is not None:
            c = c.state(c.statements["f_star"], f_star=c.f_star + by)
        super().__init__(inner, c)
        object.__setattr__(self, "by", by)

    by: float

    @property
    def f_star(self) -> float | None:
        own = self.inner.f_star
        return None if own is None else own + self.by

    @property
    def x_star(self) -> Tensor | None:
        return self.inner.x_star

    def value(self, x: Tensor) -> Tensor:
        return self.inner.value(x) + self.by
