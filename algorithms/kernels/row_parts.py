"""Parts of a step as compiled functions over rows: what loops over many steps are made of.

A problem, an operator, a memory, an optimizer ... may publish a :class:`RowPart`: a function that
numba compiles for a signature of this file, and the numbers that it reads first. A loop takes parts
as pointers to functions, so it is compiled once, whatever it is composed of, and so is every part;
numba keeps both on disk. Rows come in blocks ``[k, d]`` of consecutive workers of one replica, few
enough to stay in the first cache.

All functions take first :data:`Numbers`, the five arrays that a part packs its own numbers into,
and T below is the type of the run, float32 or float64. Key words ``k0, k1`` are those of the step's
draws; row i is drawn by worker ``first + i`` of ``replica``.

gradient   (numbers, x, k0, k1, replica, first, g)
           stochastic gradients into g ``[k, d]`` at x ``[k or 1, d]``
operator   (numbers, x, guide, k0, k1, replica, first, t, sent, bits) -> bool
           what is read of the messages for x ``[k, d]``, into sent ``[k, d]``; their lengths into
           bits ``[k]`` where these vary; ``guide`` is what the memory knows beside x, ``[0, d]``
           where nothing is given beside it (``Compressor.encode``); step t.
           False: the composed path would refuse a row, such as one that is not finite.
before     (numbers, state, x, wanted): what a memory ``state`` ``[k, L, d]`` makes of x
after      (numbers, state, x, wanted, sent, mean): its next state, in place; mean ``[1, d]``
move       (numbers, state, step, x, gamma, out): an optimizer's move; state as of a memory
change     (numbers, x, gamma, t): rows x ``[k, d]`` changed in place (transforms, proximal maps)
correction (numbers, state, g, now, read): late gradients g ``[k, d]`` changed in place, taken at
           read ``[k, d]`` while the model is at now ``[1, d]``; the server's state ``[L, d]``
solve      (numbers, v, weight, start, worker, out): the minimiser of a worker's f_i and of weight/2
           times the squared distance from v, all ``[1, d]``, weight ``[1]``
tick       (numbers, now, ...) -> double: a barrier's next tick (``kernels/barrier_ticks.py``)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.pointers import Pointer

Numbers = tuple[Any, Any, Any, Any, Any]
"""Three arrays of T, one of integers (int64) and one of doubles, each of one axis."""


class RowPart(NamedTuple):
    """A compiled function of one of the kinds above, and the numbers that it takes first.

    Attributes:
        function: what ``numba.njit(cache=True, nogil=True)`` made, not yet compiled.
        numbers: arrays; see :func:`numbers`.
        draws: whether it draws random numbers.
        work: multiply-adds for one row, roughly.
        keeps: what has to live as long as the function is called.
        calls: how many other functions it calls; what a call costs is shared by rows that come
            together.
    """

    function: Any
    numbers: Numbers
    draws: bool = True
    work: int = 0
    keeps: Any = None
    calls: int = 0


class MemoryPart(NamedTuple):
    """A memory's two functions.

    Attributes:
        before: what is to be sent.
        after: the state after a round.
        numbers: arrays that both take first.
    """

    before: Any
    after: Any
    numbers: Numbers


def numbers(
    dtype: torch.dtype, *rows: Tensor | float, ints: tuple[int, ...] = (), reals: Any = ()
) -> Numbers:
    """Up to three tensors or numbers of ``dtype``, flat and without a copy where they are
    contiguous; whole numbers; doubles."""
    kind = np.float32 if dtype == torch.float32 else np.float64
    flat = [_flat(part, kind) for part in rows]
    flat += [np.empty(0, kind)] * (3 - len(flat))
    one, two, three = flat
    return one, two, three, np.array(ints, np.int64), np.array(reals, np.float64).reshape(-1)


def _flat(part: Tensor | float, kind: Any) -> Any:
    if isinstance(part, Tensor):
        return part.detach().contiguous().view(-1).numpy()
    return np.full(1, part, kind)


def published(part: object, *given: Any) -> Any:
    """Kernel that ``part.row_kernel(*given)`` publishes; None where its class inherits the method.

    A subclass may do something else than the class that it is made of.
    """
    own = "row_kernel" in type(part).__dict__
    return part.row_kernel(*given) if own else None  # type: ignore[attr-defined]


def kinds(dtype: torch.dtype) -> dict[str, Any]:
    """Signatures by kind for a run in float32 or float64, and ``rows1`` ... ``rows4``, arrays of T
    by their axes; ``words``, ``whole``, ``doubles`` and ``numbers``, what else loops take."""
    from numba import types as ty

    return kinds_of(ty.float32 if dtype == torch.float32 else ty.float64)


@lru_cache(maxsize=2)
def kinds_of(base: Any) -> dict[str, Any]:
    """Kinds of :func:`kinds`, by numba's name of T."""
    from numba import types as ty

    row, rows, three, four = (ty.Array(base, axes, "C") for axes in (1, 2, 3, 4))
    whole, doubles = ty.Array(ty.int64, 1, "C"), ty.Array(ty.float64, 1, "C")
    first = ty.Tuple((row, row, row, whole, doubles))
    word, real = ty.int64, base
    drawn = (word, word, word, word)
    flags = ty.Array(ty.boolean, 1, "C")
    return {
        "gradient": ty.void(first, rows, *drawn, rows),
        "operator": ty.boolean(first, rows, rows, *drawn, word, rows, whole),
        "before": ty.void(first, three, rows, rows),
        "after": ty.void(first, three, rows, rows, rows, rows),
        "move": ty.void(first, three, rows, rows, real, rows),
        "change": ty.void(first, rows, real, word),
        "correction": ty.void(first, rows, rows, rows, rows),
        "solve": ty.void(first, rows, row, rows, word, rows),
        "tick": ty.float64(
            first, ty.float64, word, doubles, flags, whole, whole, whole, flags, flags, flags
        ),
        "numbers": first, "real": real, "word": word, "nothing": ty.void, "flag": ty.boolean,
        "rows1": row, "rows2": rows, "rows3": three, "rows4": four,
        "whole": whole, "whole2": ty.Array(ty.int64, 2, "C"), "whole3": ty.Array(ty.int64, 3, "C"),
        "flags": flags, "flags2": ty.Array(ty.boolean, 2, "C"),
        "flags3": ty.Array(ty.boolean, 3, "C"), "doubles": doubles,
    }  # fmt: skip


FUNCTIONS = (
    "gradient", "operator", "before", "after", "move", "change", "correction", "solve", "tick",
)  # fmt: skip
"""Kinds of functions."""


def ready(function: Any, kind: str, dtype: torch.dtype) -> Pointer:
    """The function, compiled for one kind of part or read from disk: what a loop takes."""
    return _pointer(function, kind, dtype)


@lru_cache(maxsize=1024)
def _pointer(function: Any, kind: str, dtype: torch.dtype) -> Pointer:
    signature = kinds(dtype)[kind]
    function.compile(signature)
    return Pointer(function, signature)


@final
class Loop:
    """A loop over steps, compiled where it is first asked for in a type.

    ``function`` gives ``result`` and takes ``arguments``, all of them keys of :func:`kinds`.
    """

    def __init__(self, function: Any, result: str, *arguments: str) -> None:
        self.function, self.result, self.arguments = function, result, arguments
        self._entries: dict[torch.dtype, Callable[..., Any]] = {}

    def for_dtype(self, dtype: torch.dtype) -> Callable[..., Any]:
        """The loop for a run in ``dtype``; arguments must be of just its types."""
        if dtype not in self._entries:
            known = kinds(dtype)
            taken = tuple(_taken(known, name) for name in self.arguments)
            self.function.compile(known[self.result](*taken))
            # past the dispatcher, which would look at the type of every argument at every call
            self._entries[dtype] = self.function.overloads[taken].entry_point
        return self._entries[dtype]


def _taken(known: dict[str, Any], name: str) -> Any:
    from algorithms.kernels.pointers import PointerType

    return PointerType(known[name]) if name in FUNCTIONS else known[name]


@njit(cache=True, nogil=True)
def all_finite(rows):  # type: ignore[no-untyped-def]
    """Whether every number of rows ``[k, d]`` is finite."""
    good = True
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            good &= np.isfinite(rows[i, j])
    return good


@njit(cache=True, nogil=True)
def no_operator(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """The identity, in place of an operator."""
    sent[:] = x
    return True


@njit(cache=True, nogil=True)
def no_before(numbers, state, x, wanted):  # type: ignore[no-untyped-def]
    """No memory: what is to be sent, as it is."""
    wanted[:] = x


@njit(cache=True, nogil=True)
def no_after(numbers, state, x, wanted, sent, mean):  # type: ignore[no-untyped-def]
    """No memory: nothing is kept."""


@njit(cache=True, nogil=True)
def no_move(numbers, state, step, x, gamma, out):  # type: ignore[no-untyped-def]
    """Plain descent: the step itself."""
    out[:] = step


@njit(cache=True, nogil=True)
def no_change(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """Nothing: rows stay as they are."""


@njit(cache=True, nogil=True)
def no_correction(numbers, state, g, now, read):  # type: ignore[no-untyped-def]
    """Late gradients as they came."""


def filled_in(dtype: torch.dtype, part: RowPart | None, kind: str) -> RowPart:
    """The part, compiled; where there is none, what leaves everything as it is."""
    if part is None:
        nothing = {
            "operator": no_operator, "move": no_move, "change": no_change,
            "correction": no_correction,
        }[kind]  # fmt: skip
        part = RowPart(nothing, numbers(dtype), draws=False)
    return part._replace(function=ready(part.function, kind, dtype))


def memory_filled_in(dtype: torch.dtype, part: MemoryPart | None) -> MemoryPart:
    """Variant of :func:`filled_in` for a memory."""
    part = part or MemoryPart(no_before, no_after, numbers(dtype))
    before, after = ready(part.before, "before", dtype), ready(part.after, "after", dtype)
    return part._replace(before=before, after=after)


def full_published(problem: object) -> Any:
    """Variant of :func:`published` for a problem's exact gradients."""
    own = "full_row_kernel" in type(problem).__dict__
    return problem.full_row_kernel() if own else None  # type: ignore[attr-defined]
