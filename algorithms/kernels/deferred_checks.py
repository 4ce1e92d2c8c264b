"""Late checks: whether numbers are finite, asked on the device and answered when the host waits.

A step that looks at its gradients makes the host wait for a GPU in every step. Within
:func:`deferred_checks` what is not finite is noted on the device, and told when it is read;
elsewhere it is told at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.extremes import all_finite


class NotFinite(ArithmeticError):
    """Something was not finite in one of several steps."""


class NonFiniteGradient(NotFinite):
    """A stochastic gradient holds NaN or infinity."""


@final
class DeferredChecks:
    """Failed checks since the last reading."""

    def __init__(self) -> None:
        self._bad: dict[str, Tensor] = {}
        self._since = 0

    def note(self, summary: Tensor, what: str) -> Tensor:
        """Whether ``summary``, a statistic that NaN and infinity spread to, is finite: one truth
        on its device, which is remembered as that of ``what``."""
        finite = torch.isfinite(summary).all()
        self.suspect(~finite, f"{what} not finite")
        return finite

    def suspect(self, wrong: Tensor, what: str) -> None:
        """Remember whether anything is ``wrong`` (bool), which ``what`` says in words."""
        one, known = wrong.any(), self._bad.get(what)
        self._bad[what] = one if known is None else known | one

    def read(self, t: int) -> None:
        """Step t is about to begin: have the host wait for what the steps before it came upon.

        Raises:
            NotFinite: names what was not finite, and in which steps.
        """
        names, since = list(self._bad), self._since
        bad = torch.stack([*self._bad.values()]).tolist() if names else []
        self._bad.clear()
        self._since = t
        found = [name for name, is_bad in zip(names, bad, strict=True) if is_bad]
        if found:
            raise NotFinite(
                f"{' and '.join(found)} in a step from {since} to {t - 1}, which a run on the CPU "
                "names"
            )


_NOW: ContextVar[DeferredChecks | None] = ContextVar("late checks", default=None)


@contextmanager
def deferred_checks(wanted: bool = True) -> Iterator[DeferredChecks | None]:
    """Within, checks are late if that is ``wanted``."""
    checks = DeferredChecks() if wanted else None
    token = _NOW.set(checks)
    try:
        yield checks
    finally:
        _NOW.reset(token)


def now() -> DeferredChecks | None:
    """Record in which checks are noted, if they are late."""
    return _NOW.get()


def finite_rows(g: Tensor, t: int, subset: Tensor) -> Tensor:
    """Gradients g ``[..., k, d]`` of workers ``subset`` at step t; where checks are late, zeros
    stand for all of them if one is not finite.

    Raises:
        NonFiniteGradient: names the step, replica and worker.
    """
    late = now()
    if late is not None:
        return torch.where(late.note(g.sum(), "a gradient was"), g, 0)
    if not all_finite(g):
        bad = ~torch.isfinite(g).all(-1)
        where = tuple(bad.nonzero()[0].tolist())
        worker = int(subset.expand(bad.shape)[where])
        raise NonFiniteGradient(
            f"gradient of worker {worker} at step {t}, replica {where[:-1]}, is not finite; a "
            "smaller stepsize or finite data would do"
        )
    return g
