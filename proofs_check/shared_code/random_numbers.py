"""Closed forms of what all rows rest on: random numbers, dealt samples, bits of a place in a row.

Words are Random123's known answers, uniforms and integers follow from them in exact arithmetic,
normals are mpmath's to a few units in the last place, keys are those of Python's own blake2b.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, cast

import mpmath
import numpy as np
import scipy.special
import scipy.stats
import torch
from numpy.typing import NDArray

from algorithms.core.key import Key
from algorithms.kernels import key_words, philox
from algorithms.kernels.compiled import COMPILED
from algorithms.problems.partitions import Dirichlet, Iid, Partition, SortedByLabel
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Exponential, Pareto, ShiftedExponential
from proofs_check.instruments.evidence import identity
from proofs_check.shared_code.drawn_networks import EVERY_ROW
from proofs_check.verdict import Verdict
from theory.bits import index_bits

KNOWN_ANSWERS = (
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (
        (0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)  # fmt: skip
"""Random123's vectors for philox4x32 of 10 rounds: counter, key, words."""

_REPLICAS, _WORKERS = torch.tensor([0, 3, 1 << 31]), torch.tensor([5, 0, 77])
_COUNTS = (1, 2, 3, 4, 5, 6, 7, 261)  # 261: more than one part of normals
_SHIFTS = (0.5, 0.125, 2.0)  # of the workers' times
_ULPS, _DIGITS, _DRAWN = 4.0, 40, 50
_SIDES = (9, 99, 12345)  # numbers of steps, some before one more digit
_PURPOSES = ("gradient", "a purpose " * 30, *("p" * length for length in range(1, 140)))
"""Texts of several blocks, and of all lengths up to more than one."""


def words() -> tuple[Verdict, ...]:
    """Words of Philox against Random123's, and against the rows that are made of them."""
    given = [[int(w) for w in philox.block(*counter, *key)] for counter, key, _ in KNOWN_ANSWERS]
    known = [answer for _, _, answer in KNOWN_ANSWERS]
    return (
        identity(
            "Philox4x32-10", "its words are Random123's known answers", given, known,
            check="known answers", tolerance=0.0, provenance="Random123's vectors, 10 rounds",
        ),
        identity(
            "Philox4x32-10", "uniforms and integers are made of the words of their place",
            *_rows(), check="exact arithmetic", tolerance=0.0, provenance="seed 3",
        ),
    )  # fmt: skip


def _rows() -> tuple[list[float], list[float]]:
    """Uniforms and integers of rows, and the same in Python's integers."""
    made, due = list[float](), list[float]()
    k0, k1 = Key.seed(3).words
    for first in (0, 4):
        for count in _COUNTS:
            for dtype, fill in ((torch.float64, _double), (torch.float32, _single)):
                took = _filled(k0, k1, count, dtype, first)
                made += took.double().reshape(-1).tolist()
                due += [
                    fill(_words(j, r, w, k0, k1))
                    for r, w in _pairs() for j in range(first, first + count)
                ]  # fmt: skip
    for count in _COUNTS[:-1]:
        for high in (2, 1000, 1 << 31):
            integers = philox.integers_numba if COMPILED else philox.integers_torch
            took = integers(k0, k1, _REPLICAS, _WORKERS, count, high, high)
            made += took.double().reshape(-1).tolist()
            due += [
                float((_word(j, r, w, k0, k1) * high >> 32) + high * w)
                for r, w in _pairs() for j in range(count)
            ]  # fmt: skip
    return made, due


def within() -> tuple[Verdict, ...]:
    """Whether compiled code that fills rows writes beyond their end."""
    left = list[float]()
    replicas, workers = _REPLICAS.numpy(), _WORKERS.numpy()
    for count in _COUNTS if COMPILED else ():
        reals, whole = np.full((4, count), -1.0), np.full((4, count), -1, np.int64)
        singles = np.full((4, count), -1.0, np.float32)
        philox._fill_uniforms(1, 2, replicas, workers, 0, reals[:3])
        philox._fill_uniforms(1, 2, replicas, workers, 0, singles[:3])
        philox._fill_integers(1, 2, replicas, workers, 5, 0, whole[:3])
        left += [*reals[3].tolist(), *singles[3].tolist(), *whole[3].tolist()]
        philox.normals_into(1, 2, replicas, workers, reals[:3])
        left += reals[3].tolist()
    verdict = identity(
        "rows of random numbers", "what lies behind the last row stays as it is",
        left or [-1.0], -1.0, check="kept memory", tolerance=0.0, provenance="key 1, 2",
    )  # fmt: skip
    return (verdict,)


def times() -> tuple[Verdict, ...]:
    """Times of gradients against the stated functions of their uniforms, by mpmath."""
    draws = Key.seed(9).draws(torch.arange(2), torch.arange(3))
    uniforms = draws.uniform(_DRAWN, torch.float64).reshape(-1).tolist()
    apart = list[float]()
    for model, own in _models():
        for mean, numbers in ((0.25, (0.25,) * 3), ((1.0, 0.5, 4.0), (1.0, 0.5, 4.0))):
            found = model(mean).seconds(draws, _DRAWN).reshape(-1).tolist()
            for k, (u, second) in enumerate(zip(uniforms, found, strict=True)):
                worker = k // _DRAWN % 3
                due = own(mpmath.mpf(numbers[worker]), 1 - mpmath.mpf(u), worker)
                apart.append(float(abs(second - due) / due))
    verdict = identity(
        "times of gradients", "they are the stated functions of their uniforms",
        max(apart), 0.0, check="other implementation", tolerance=1e-14,
        note=f"{len(apart)} times", provenance="seed 9",
    )  # fmt: skip
    return (verdict,)


def _models() -> tuple[tuple[Callable[[Any], ComputeTimes], Callable[..., Any]], ...]:
    """Models of times with a mean m, and a worker's time for 1 - U as their docstrings have it."""
    return (
        (Exponential, lambda m, rest, _: -m * mpmath.log(rest)),
        (lambda m: ShiftedExponential(_SHIFTS, m),
         lambda m, rest, worker: _SHIFTS[worker] - m * mpmath.log(rest)),
        (lambda m: Pareto(m, 3.0), lambda m, rest, _: m * mpmath.mpf(2) / 3 / mpmath.cbrt(rest)),
    )  # fmt: skip


def _filled(k0: int, k1: int, count: int, dtype: torch.dtype, first: int) -> torch.Tensor:
    fill = philox.uniform_numba if COMPILED else philox.uniform_torch
    return fill(k0, k1, _REPLICAS, _WORKERS, count, dtype, first)


def _pairs() -> list[tuple[int, int]]:
    return list(zip(_REPLICAS.tolist(), _WORKERS.tolist(), strict=True))


def _word(j: int, replica: int, worker: int, k0: int, k1: int) -> int:
    """Word j of a row."""
    return int(philox.block(j // 4, worker, replica, 0, k0, k1)[j % 4])


def _words(j: int, *row: int) -> tuple[int, int, int]:
    """The two words of double j of a row, and word j, of which a single is made."""
    return _word(2 * j, *row), _word(2 * j + 1, *row), _word(j, *row)


def _double(of: tuple[int, int, int]) -> float:
    return ((of[0] >> 5) * (1 << 26) + (of[1] >> 6)) / (1 << 53)


def _single(of: tuple[int, int, int]) -> float:
    return (of[2] >> 8) / (1 << 24)


def normals() -> tuple[Verdict, ...]:
    """Normals against Box and Muller's formula of their uniforms, by mpmath."""
    k0, k1 = Key.seed(5).words
    apart, fill = list[float](), philox.normal_numba if COMPILED else philox.normal_torch
    with mpmath.workdps(_DIGITS):
        for count in _COUNTS:
            uniforms = _filled(k0, k1, count + count % 2, torch.float64, 0).tolist()
            found = fill(k0, k1, _REPLICAS, _WORKERS, count, torch.float64).tolist()
            for us, normals_of in zip(uniforms, found, strict=True):
                for j, normal in enumerate(normals_of):
                    u, v = us[j - j % 2], us[j - j % 2 + 1]
                    turn = (mpmath.sin if j % 2 else mpmath.cos)(2 * mpmath.pi * v)
                    due = mpmath.sqrt(-2 * mpmath.log(1 - mpmath.mpf(u))) * turn
                    apart.append(float(abs(normal - due)) / float(np.spacing(abs(float(due)))))
    verdict = identity(
        "normals", f"normals are within {_ULPS:g} units in the last place of Box and Muller's",
        max(apart), 0.0, check="other implementation", tolerance=_ULPS,
        note=f"{len(apart)} normals", provenance="seed 5",
    )  # fmt: skip
    return (verdict,)


def keys() -> tuple[Verdict, ...]:
    """Key words that compiled code folds against those of hashlib's blake2b."""
    made, due = list[tuple[int, int]](), list[tuple[int, int]]()
    for key in (Key.seed(7), Key((0, 0)), Key((1, 0xFFFFFFFF))):
        for purpose in _PURPOSES:
            for first in _SIDES:
                rows = key_words.step_words(key.words, purpose, first, 3).tolist()
                made += [cast(tuple[int, int], tuple(row)) for row in rows]
                due += [key.fold(purpose, first + i).words for i in range(3)]
            ending = np.frombuffer(bytes(key_words.ending_of(purpose, 12)), np.uint8).copy()
            made.append(key_words.folded(*key.words, ending))
            due.append(key.fold(purpose, 12).words)
    verdict = identity(
        "keys", "compiled code folds the keys of Python's blake2b", made, due,
        check="other implementation", tolerance=0.0, provenance="hashlib's blake2b, three keys",
    )  # fmt: skip
    return (verdict,)


_LENGTHS = (*range(1, 300), *(2**power + off for power in range(9, 40) for off in (-1, 0, 1)))


def place_bits() -> tuple[Verdict, ...]:
    """The bits of a place among d, counted: the fewest whose words are at least d.

    Most rows send places, the others' bills are computed beside those.
    """
    verdict = identity(
        "places in rows", "one of d places takes the fewest bits that have d words",
        [index_bits(d) for d in _LENGTHS],
        [next(b for b in range(64) if 2**b >= d) for d in _LENGTHS],
        check="counted words", tolerance=0.0, note=f"{len(_LENGTHS)} lengths of rows",
        provenance="exact integers",
    )  # fmt: skip
    return (verdict,)


_LABELS, _EACH_CLASS, _SHARDS, _SHARD_KEYS = 5, 400, 4, 6
_ALPHAS = (0.3, 1.0, 10.0)


def dealt_samples() -> tuple[Verdict, ...]:
    """Whether each rule gives n workers equally many samples, none twice, and as few as can be to
    nobody."""
    made, due = list[bool | int](), list[bool | int]()
    rules: tuple[Partition, ...] = (Iid(), SortedByLabel(), *map(Dirichlet, _ALPHAS))
    for rule, total, n in product(rules, (7, 60, 101), (1, 3, 7)):
        labels = np.arange(total) % 3
        shards = rule.split(labels, n, Key.seed(total))
        held = np.unique(shards)
        made += [*shards.shape, held.size, bool(np.isin(held, np.arange(total)).all())]
        due += [n, total // n, n * (total // n), True]
        if isinstance(rule, SortedByLabel):
            met = labels[shards].reshape(-1)
            made.append(bool((np.diff(met) >= 0).all()))
            due.append(True)
    verdict = identity(
        "samples of workers", "n workers hold the largest equal number of samples, none twice",
        made, due, check="counted samples", tolerance=0.0, note=f"{len(rules)} rules",
        provenance="seeds 7, 60 and 101",
    )  # fmt: skip
    return (verdict,)


def dealt_labels() -> tuple[Verdict, ...]:
    """Labels of the first worker under Dirichlet's rule, with which nothing has run out, against
    scipy's quantiles of the Gamma variates G whose shares G / sum G are Dirichlet.

    G(alpha) = G(alpha + 1) U^(1/alpha) in law (Marsaglia and Tsang 2000, section 6). Rounding a
    share of S samples moves fewer than one sample a label.
    """
    labels = np.repeat(np.arange(_LABELS), _EACH_CLASS)
    size = len(labels) // _SHARDS
    apart = list[float]()
    for alpha, seed in product(_ALPHAS, range(_SHARD_KEYS)):
        key = Key.seed(seed)
        due = size * _dirichlet_shares(key, alpha)
        if due.max() > _EACH_CLASS - 1:
            continue  # the label runs out, and the others make up for it
        shard = Dirichlet(alpha).split(labels, _SHARDS, key)[0]
        apart += np.abs(np.bincount(labels[shard], minlength=_LABELS) - due).tolist()
    verdict = identity(
        "labels of workers", "the first worker's labels are S times Dirichlet shares, rounded",
        max(apart), 0.0, check="counted labels", tolerance=1.0, note=f"{len(apart)} labels",
        provenance=f"seeds 0 to {_SHARD_KEYS - 1}, {size} samples",
    )  # fmt: skip
    return (verdict,)


def _dirichlet_shares(key: Key, alpha: float) -> NDArray[np.float64]:
    draws = key.fold("proportions").draws(torch.tensor(0), torch.arange(1))
    u = 1.0 - draws.uniform(2 * _LABELS, torch.float64).numpy()[0]
    logs = np.log(scipy.stats.gamma.ppf(u[:_LABELS], alpha + 1)) + np.log(u[_LABELS:]) / alpha
    return np.asarray(scipy.special.softmax(logs))


CLOSED_FORMS = (words, within, normals, keys, times, place_bits, dealt_samples, dealt_labels)


COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run rest on them."""
