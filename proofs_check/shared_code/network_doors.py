"""Closed forms of the doors that refuse mixing matrices: what they let in, and the place they name.

Drawn sequences are right by construction, or have one fault at a drawn place; which workers are
apart is networkx's search along links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import networkx as nx
import numpy as np
import scipy.linalg

from proofs_check.shared_code.drawn_networks import (
    EVERY_ROW,
    MOST,
    alike,
    array_of,
    doubly_stochastic,
    graphs,
    joined,
    numbers,
    symmetric,
)
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks.mixing import (
    MixingError,
    check_contracting,
    check_push_sequence,
    check_sequence,
)

_Given = TypeVar("_Given")
_NAMED = "seed 17, networkx's components"
_STATED = 1e-12
"""How far a sum may be from 1, as the sentence that refuses has it."""

_INSIDE, _OUTSIDE = 0.99 * _STATED, 1.01 * _STATED
"""To either side of it by 1e-14, ten times what sums of nine numbers up to 1 round by."""


_TIE = 1e-9
"""Far more than rounding, far less than eigenvalues of drawn matrices are apart."""


class DrawnSequence(NamedTuple):
    """A sequence of matrices before a door.

    Attributes:
        matrices: the period.
        said: how the sentence begins that refuses it, "" if it is let in.
        signed: whether negative weights are meant.
    """

    matrices: Sequence[Floats]
    said: str
    signed: bool = False


def mixing_doors() -> tuple[Verdict, ...]:
    """Sequences of doubly stochastic matrices, right and wrong, before ``check_sequence``."""
    cases = [*_shapes("W"), *_unions(), *_entries("W"), *_sums(), *_signed()]
    return (_held("mixing matrices", _mixing, cases),)


def push_doors() -> tuple[Verdict, ...]:
    """Sequences of column-stochastic matrices, right and wrong, before ``check_push_sequence``."""
    cases = [*_shapes("P"), *_directed(), *_entries("P"), *_columns(), *_kept()]
    return (_held("push matrices", lambda one: check_push_sequence(one.matrices), cases),)


def contraction_door() -> tuple[Verdict, ...]:
    """Symmetric matrices that never come to agree, by scipy's eigenvalues."""
    found, due = list[str](), list[str]()
    for n in range(1, MOST + 1):
        rng = numbers(n, 30)
        shift = np.eye(n)[np.roll(np.arange(n), 1)]
        for w in (
            symmetric(rng, n, 3), symmetric(rng, n, 1), np.eye(n), (shift + shift.T) / 2,
            1.5 * symmetric(rng, n, 2) - 0.5 * np.eye(n),
        ):  # fmt: skip
            values = np.delete(scipy.linalg.eigvalsh(w), -1)
            below, above = (float(values[0]), float(values[-1])) if n > 1 else (0.0, 0.0)
            lam, worst = max(-below, above), below if -below > above else above
            if lam > 0 and abs(below + above) < _TIE:
                continue  # of two eigenvalues of one modulus either may be named
            found.append(_said(check_contracting, w))
            due.append(
                f"W must contract, but has a second eigenvalue {worst:.6g}, so lam = {lam:.6g}"
                if lam > 1 - _TIE else ""
            )  # fmt: skip
    cut = _beginnings(found, due)
    return (
        alike(
            "mixing matrices", "those that do not contract are refused with their eigenvalue",
            cut, due, check="other implementation", provenance="seed 17, scipy's eigenvalues",
        ),
    )  # fmt: skip


def _mixing(one: DrawnSequence) -> None:
    check_sequence(one.matrices, signed=one.signed)


def _said(door: Callable[[_Given], None], given: _Given) -> str:
    """What a door says, "" if it lets in."""
    try:
        door(given)
    except MixingError as error:
        return str(error)
    return ""


def _held(
    subject: str, door: Callable[[DrawnSequence], None], cases: list[DrawnSequence]
) -> Verdict:
    due = [one.said for one in cases]
    cut = _beginnings([_said(door, one) for one in cases], due)
    refused = sum(bool(one.said) for one in cases)
    claim = f"of {len(cases)} sequences {refused} are refused, by the name of the place"
    return alike(subject, claim, cut, due, check="planted places", provenance=_NAMED)


def _beginnings(found: list[str], due: list[str]) -> list[str]:
    """Sentences cut where those that are due end; what should have been let in is not cut."""
    return [one[: len(wanted)] if wanted else one for one, wanted in zip(found, due, strict=True)]


def _name(letter: str, period: int, t: int) -> str:
    return letter if period == 1 else f"{letter}_{t}"


def _shapes(letter: str) -> Iterator[DrawnSequence]:
    half = np.full((2, 2), 0.5)
    yield DrawnSequence((), f"matrices must hold at least one {letter}, got none")
    for wrong in (np.ones((2, 3)) / 3, np.ones((3, 2)) / 3, np.zeros((0, 0)), np.ones(4) / 4):
        said = f"W must be a square matrix [n, n] with n >= 1, got shape {wrong.shape}"
        yield DrawnSequence((wrong,), said)
        yield DrawnSequence((half, wrong), said)
    for sizes in ((2, 3), (3, 3, 1), (4, 2)):
        drawn = [np.full((n, n), 1 / n) for n in sizes]
        said = f"matrices must all have the same number of workers, got {list(sizes)}"
        yield DrawnSequence(drawn, said)
    yield DrawnSequence((np.ones((1, 1)),), "")


def _unions() -> Iterator[DrawnSequence]:
    """Drawn periods of few permutations: some unions are joined, some have several components."""
    for n in (*range(1, MOST + 1), 12):
        for period in (1, 2, 3):
            for parts in (1, 2):
                rng = numbers(n, period, parts)
                drawn = [doubly_stochastic(rng, n, parts) for _ in range(period)]
                yield DrawnSequence(drawn, _apart(drawn))
                one_way = [np.eye(n)] * (period - 1) + [np.roll(np.eye(n), 1, 1)]
                yield DrawnSequence(one_way, "")
        alone = [np.eye(n)]
        yield DrawnSequence(alone, _apart(alone))


def _apart(matrices: Sequence[Floats]) -> str:
    """The sentence on workers outside of worker 0's component; "" if there are none."""
    union = joined(matrices).to_undirected()
    outside = sorted(set(union) - nx.node_connected_component(union, 0))
    period = f" in any of the {len(matrices)} matrices of a period" * (len(matrices) > 1)
    told = f"W must join all workers, but {_few(outside)} cannot hear from worker 0{period}; add"
    return told if outside else ""


def _few(workers: list[int]) -> str:
    shown = ", ".join(map(str, workers[:8]))
    more = f" and {len(workers) - 8} more" if len(workers) > 8 else ""
    return f"worker{'s' * (len(workers) > 1)} {shown}{more}"


def _places(rng: np.random.Generator, n: int) -> tuple[int, int, int, int]:
    """Two rows and two columns."""
    (i, k), (j, m) = rng.permutation(n)[:2], rng.permutation(n)[:2]
    return int(i), int(k), int(j), int(m)


def _planted(rng: np.random.Generator, n: int, period: int) -> tuple[list[Floats], int]:
    """A period of joined matrices, and the number of the one in which a fault is planted."""
    eighth = np.full((n, n), 1 / 8) + np.eye(n) * (1 - n / 8)
    return [eighth.copy() for _ in range(period)], int(rng.integers(period))


def _entries(letter: str) -> Iterator[DrawnSequence]:
    """One entry that is not finite, or negative with all sums as they should be."""
    for period in (1, 3):
        for number, bad in enumerate((np.nan, np.inf, -np.inf)):
            rng = numbers(period, number)
            drawn, t = _planted(rng, 6, period)
            i, _, j, _ = _places(rng, 6)
            drawn[t][i, j] = bad
            name = _name(letter, period, t)
            yield DrawnSequence(drawn, f"{name}[{i}, {j}] must be finite, got {bad}; finite")
            yield DrawnSequence(drawn, f"{name}[{i}, {j}] must be finite, got {bad}", signed=True)
        for number in range(4):
            rng = numbers(period, number, 7)
            drawn, t = _planted(rng, 6, period)
            i, k, j, m = _places(rng, 6)
            if j == i or k == m:
                j, m = m, j
            drawn[t][[i, k], [j, m]] -= 1 / 4
            drawn[t][[i, k], [m, j]] += 1 / 4
            first = np.argwhere(drawn[t] < 0)[0].tolist()
            name, value = _name(letter, period, t), drawn[t][tuple(first)]
            said = f"{name}[{first[0]}, {first[1]}] must be non-negative, got {value}; weights"
            yield DrawnSequence(drawn, said)


def _sums() -> Iterator[DrawnSequence]:
    """A row and its column, or two columns, off by a little more and a little less than 1e-12."""
    for period in (1, 2):
        for n in (2, 5, 8):
            for by in (_INSIDE, -_INSIDE, _OUTSIDE, -_OUTSIDE, 0.01, -0.01):
                rng = numbers(period, n, 3)
                drawn, t = _planted(rng, n, period)
                i, _, j, m = _places(rng, n)
                drawn[t][i, j] += by
                wrong, name = abs(by) > _STATED, _name("W", period, t)
                said = f"row {i} of {name} must sum to 1, got "
                yield DrawnSequence(drawn, said if wrong else "")
                moved = [one.copy() for one in drawn]
                moved[t][i, m] -= by
                said = f"column {min(j, m)} of {name} must sum to 1, got "
                yield DrawnSequence(moved, said if wrong else "")


def _signed() -> Iterator[DrawnSequence]:
    """Negative weights: let in where they are meant, W = W^T within 1e-12."""
    for n in range(2, MOST + 1):
        rng = numbers(n, 5)
        path = 0.75 * (np.eye(n, k=1) + np.eye(n, k=-1))
        w = path + np.diag(1 - path.sum(1))
        yield DrawnSequence((w,), "", signed=True)
        i, j = (int(k) for k in np.argwhere(w < 0)[0]) if (w < 0).any() else (-1, -1)
        yield DrawnSequence((w,), f"W[{i}, {j}] must be non-negative" if i >= 0 else "")
        yield DrawnSequence((np.eye(n),), _apart([np.eye(n)]), signed=True)
        a, b = sorted(rng.permutation(n)[:2].tolist())
        for by in (_INSIDE, _OUTSIDE, 0.5):
            skew = w.copy()
            skew[b, a] += by
            said = f"W[{a}, {b}] must be symmetric, got {w[a, b]}; signed"
            yield DrawnSequence((skew,), said if by > _STATED else "", signed=True)
        off = w.copy()
        off[a, a] += 0.25
        yield DrawnSequence((off,), f"row {a} of W must sum to 1, got ", signed=True)


def _shared_out(a: Floats) -> Floats:
    """Equal shares, columns sum to 1: worker j keeps one, and gives one to each i with a[i, j]."""
    out = a + np.eye(len(a))
    return np.asarray(out / out.sum(0))


def _directed() -> Iterator[DrawnSequence]:
    """Drawn links of one direction, whose union all can walk along, or not."""
    drawn = [_shared_out(array_of(graph)) for graph in graphs(directed=True)]
    for one in drawn:
        yield DrawnSequence((one,), _unheard([one]))
    by_size = [[one for one in drawn if len(one) == n] for n in range(1, MOST + 1)]
    for alike_ones in by_size:
        for pair in ((0, 1), (1, 2)):
            period = [alike_ones[k] for k in pair]
            yield DrawnSequence(period, _unheard(period))
    for n in (2, 5, 12):
        links = np.eye(n, k=1), np.eye(n, k=-1), np.roll(np.eye(n), 1, 0)
        for chain in links:
            yield DrawnSequence((_shared_out(chain),), _unheard([chain]))
        yield DrawnSequence([_shared_out(chain) for chain in links[:2]], _unheard(links[:2]))


def _unheard(matrices: Sequence[Floats]) -> str:
    """The sentence on workers that worker 0 does not reach, else on those that do not reach it."""
    union = joined(matrices)
    period = f" in any of the {len(matrices)} of a period" * (len(matrices) > 1)
    for reached, said in (
        (nx.descendants(union, 0), "hear from"), (nx.ancestors(union, 0), "be heard by"),
    ):  # fmt: skip
        outside = sorted(set(union) - reached - {0})
        if outside:
            return (
                f"P must join all workers along directed links, but {_few(outside)} cannot {said} "
                f"worker 0{period}; add a link"
            )
    return ""


def _columns() -> Iterator[DrawnSequence]:
    """A column off by a little more and a little less than 1e-12; rows may be off by much."""
    for period in (1, 2):
        for by in (_INSIDE, -_INSIDE, _OUTSIDE, -_OUTSIDE, 0.01, -0.01):
            rng = numbers(period, 4)
            drawn, t = _planted(rng, 5, period)
            i, k, j, _ = _places(rng, 5)
            drawn[t][[i, k], j] += 1 / 16, by - 1 / 16
            said = f"column {j} of {_name('P', period, t)} must sum to 1, got "
            yield DrawnSequence(drawn, said if abs(by) > _STATED else "")


def _kept() -> Iterator[DrawnSequence]:
    """Workers that keep nothing of their own in one matrix."""
    for period in (1, 3):
        for number in range(4):
            rng = numbers(period, number, 8)
            drawn, t = _planted(rng, 6, period)
            none = sorted(rng.permutation(6)[: number + 1].tolist())
            for j in none:
                drawn[t][(j + 1) % 6, j] += drawn[t][j, j]
                drawn[t][j, j] = 0.0
            said = f"{_name('P', period, t)} must keep something at {_few(none)}: the diagonal"
            yield DrawnSequence(drawn, said)


CLOSED_FORMS = (mixing_doors, push_doors, contraction_door)
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: a network's matrices pass these doors when they are built."""
