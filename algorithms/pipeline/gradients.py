"""Gradients of a problem in blocks: its compiled function, or Python's own, called back."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import final

import torch
from torch import Tensor

from algorithms.core.key import Draws, Key, PhiloxDraws, WorkerIds
from algorithms.kernels import called_back
from algorithms.kernels.row_parts import RowPart, full_published, numbers, published
from algorithms.pipeline.base import Place

_KNOWN = 256  # addresses

WHOLE = 1 << 12
"""Multiply-adds for a row that Python is taken to need: a call costs as much as many rows."""


def drawn_gradient(place: Place) -> RowPart | None:
    """The stochastic gradients of the place's problem for a loop.

    A problem without a compiled function is called back, where one replica runs: with more of them
    the composed path computes all in one call. None: blocks are not for this place.
    """
    found: RowPart | None = published(place.problem)
    return found or called_back_part(place, place.problem.gradient)


def exact_gradient(place: Place) -> RowPart | None:
    """Variant of :func:`drawn_gradient` for full gradients."""
    found: RowPart | None = full_published(place.problem)
    if found is not None:
        return found
    full = place.problem.full_gradient
    part = called_back_part(place, lambda x, draws: full(x, draws.workers))
    return None if part is None else part._replace(draws=False)


def called_back_part(place: Place, gradient: Callable[[Tensor, Draws], Tensor]) -> RowPart | None:
    """Gradients ``[..., k, d]`` that Python computes at x ``[..., k or 1, d]``; None: several
    replicas run, whose gradients the composed path computes in one call."""
    if place.replicas.numel() != 1 or not place.key.numbers:
        return None
    back = GradientCallback(gradient, place)
    packed = numbers(place.problem.dtype, ints=(back.address,))
    return RowPart(called_back.gradient, packed, draws=True, work=WHOLE, keeps=back)


@final
class GradientCallback:
    """Callback of a loop for gradients that Python computes; not finite where that fails.

    The step is then the method's own, which says what is wrong; an interrupt is kept for
    :meth:`raise_stopped`.

    Attributes:
        address: of the C function.
    """

    def __init__(self, gradient: Callable[[Tensor, Draws], Tensor], place: Place) -> None:
        self.gradient, self.d, self.dtype = gradient, place.problem.d, place.problem.dtype
        self.lead = tuple(place.replicas.shape)
        self.stopped: BaseException | None = None
        self._known: dict[tuple[int, int], Tensor] = {}
        self._function = called_back.CALLED(self._call)
        address = ctypes.cast(self._function, ctypes.c_void_p).value
        assert address is not None
        self.address: int = address

    def raise_stopped(self) -> None:
        """Raise what stopped a call that was not a mistake of the problem, such as Ctrl-C.

        Raises:
            stopped: whatever it was.
        """
        stopped, self.stopped = self.stopped, None
        if stopped is not None:
            raise stopped

    def _call(
        self, points: int, count: int, k0: int, k1: int, replica: int, first: int, out: int, k: int
    ) -> None:
        g = self._rows(out, k)
        if self.stopped is not None:
            g.fill_(torch.nan)
            return
        try:
            draws = PhiloxDraws(Key((k0, k1)), _ids(self.lead, replica, first, k))
            g.copy_(self.gradient(self._rows(points, count), draws))
        except Exception:
            g.fill_(torch.nan)
        except BaseException as stopped:
            self.stopped = stopped
            g.fill_(torch.nan)

    def _rows(self, address: int, count: int) -> Tensor:
        """The numbers ``[count, d]`` that lie there; a loop hands over the same room at each step,
        so what was made of an address is kept."""
        found = self._known.get((address, count))
        if found is None:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            room = (ctypes.c_char * (count * self.d * self.dtype.itemsize)).from_address(address)
            found = torch.frombuffer(room, dtype=self.dtype).view(*self.lead, count, self.d)
            self._known[address, count] = found
        return found


@lru_cache(maxsize=1 << 12)
def _ids(lead: tuple[int, ...], replica: int, first: int, k: int) -> WorkerIds:
    return WorkerIds(torch.full(lead, replica), torch.arange(first, first + k))
