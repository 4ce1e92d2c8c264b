"""What a theory speaks of, drawn by Hypothesis with the constants that are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
import torch
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.recorded import RecordedTick, ScheduleRecord
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.refute.operators import WorstContraction, WorstUnbiased
from theory.arrays import Floats

_SEEDS = st.integers(0, 2**31 - 1)
_SWAPS = 3  # permutations that a drawn matrix is a mean of
_LEAST = 1e-12


@st.composite
def problems(
    draw: DrawFn,
    *,
    n: int | None = None,
    d: int | None = None,
    L: float = 1.0,
    mu: float = 0.1,
    sigma2: float = 0.0,
    zeta2: float = 0.0,
) -> Quadratic:
    """Strongly convex quadratics with exactly these constants; n up to 6 workers, d up to 5
    coordinates; ``x_star``, ``start()``, ``full_gradient(x, workers)`` and ``constants()`` are
    theirs."""
    workers = n or draw(st.integers(2 if zeta2 else 1, 6))
    wide = d or draw(st.integers(1 if mu == L else 2, 5))
    far = draw(st.sampled_from((0.25, 1.0, 4.0)))
    return Quadratic.strongly_convex(
        workers, wide, L=L, mu=mu, sigma2=sigma2, zeta2=zeta2, R2=far, seed=draw(_SEEDS)
    )


def mixing_matrices(*, gap: float, n: int | None = None) -> SearchStrategy[FixedMatrix]:
    """Symmetric doubly stochastic W of 2 to 8 workers whose second modulus is 1 - ``gap``: sparse
    and dense ones, with the modulus at a positive or at a negative eigenvalue. ``matrix(0)`` is W.

    Raises:
        ValueError: the gap is not in (0, 1].
    """
    if not 0 < gap <= 1:
        raise ValueError(f"gap must lie in (0, 1], got gap={gap}")
    return _matrices(gap, n)


@st.composite
def _matrices(draw: DrawFn, gap: float, n: int | None) -> FixedMatrix:
    workers = n or draw(st.integers(2, 8))
    mean = np.full((workers, workers), 1 / workers)
    if gap == 1:
        return FixedMatrix(mean)
    turns = [draw(st.permutations(range(workers))) for _ in range(_SWAPS)]
    weights = [draw(st.integers(1, 4)) for _ in turns]
    swaps = [(np.eye(workers)[turn] + np.eye(workers)[turn].T) / 2 for turn in turns]
    w = sum(k * one for k, one in zip(weights, swaps, strict=True)) / sum(weights)
    return FixedMatrix(_with_modulus(np.asarray(w), 1 - gap, mean))


def _with_modulus(w: Floats, modulus: float, mean: Floats) -> Floats:
    """W moved towards J if it contracts too little, else towards I: its second modulus is then the
    one that is asked for."""
    eigenvalues = np.linalg.eigvalsh(w - mean)
    has = float(np.abs(eigenvalues).max())
    if has >= modulus:
        share = modulus / has
        return share * w + (1 - share) * mean
    second = float(np.linalg.eigvalsh(w)[-2])
    share = (modulus - second) / (1 - second)
    return share * np.eye(len(w)) + (1 - share) * w


def schedules(
    *, tau: int, n: int | None = None, steps: int | None = None
) -> SearchStrategy[ScheduleRecord]:
    """Who arrives when: every gradient was begun at most ``tau`` updates before; each update takes
    at least one. ``ticks`` has arrivals and the versions that they read.

    Raises:
        ValueError: tau is negative.
    """
    if tau < 0:
        raise ValueError(f"tau must be at least 0, got tau={tau}")
    return _schedules(tau, n, steps)


@st.composite
def _schedules(draw: DrawFn, tau: int, n: int | None, steps: int | None) -> ScheduleRecord:
    workers, length = n or draw(st.integers(1, 6)), steps or draw(st.integers(1, 20))
    read, ticks = [0] * workers, []
    for t in range(length):
        late = {i for i in range(workers) if t - read[i] >= tau}
        some = draw(st.sets(st.integers(0, workers - 1), min_size=0 if late else 1))
        arrivals = tuple(sorted(late | some))
        ticks.append(RecordedTick(arrivals, tuple(read[i] for i in arrivals), arrivals, t + 1.0))
        for i in arrivals:
            read[i] = t + 1
    return ScheduleRecord(workers, tuple(ticks))


def edge_vectors(d: int, dtype: Any = np.float64) -> SearchStrategy[Any]:
    """Finite vectors ``[d]`` that break compressors: zero, one entry, ties, negative alone, huge,
    tiny, heavy-tailed, and ordinary ones, as numpy arrays."""
    info = np.finfo(dtype)
    huge, tiny = float(info.max) ** 0.75, float(info.tiny) / 4
    places, sizes = st.integers(0, d - 1), st.sampled_from((1.0, -2.5, huge, -huge, tiny))
    ordinary = st.builds(lambda seed: np.random.default_rng(seed).standard_normal(d), _SEEDS)
    drawn = st.one_of(
        st.just(np.zeros(d)),
        st.builds(lambda place, size: size * np.eye(d)[place], places, sizes),
        st.builds(lambda size: np.full(d, size), sizes),
        st.builds(lambda x, size: -size * np.abs(x), ordinary, st.sampled_from((1.0, tiny))),
        st.builds(lambda x: x / np.abs(np.roll(x, 1)).clip(1e-6), ordinary),
        st.builds(lambda x: np.sign(x), ordinary),
        st.builds(lambda x: np.round(x) * huge, ordinary),
        ordinary,
    )  # fmt: skip
    return drawn.map(lambda x: np.array(x, dtype=dtype))  # a copy: compressors may write in place


@final
@dataclass
class CompressorFunction:
    """An operator as a function of one numpy vector; a random one draws anew at every call.

    Attributes:
        operator: the operator, for methods of this project.
        seed: what its draws begin with.
    """

    operator: Compressor
    seed: int = 0
    _calls: int = field(default=0, repr=False)

    def __call__(self, x: Floats) -> Floats:
        key = Key.seed(self.seed).fold("call", self._calls)
        self._calls += 1
        draws = key.draws(torch.arange(1), torch.zeros(1, dtype=torch.int64))
        rows = torch.from_numpy(np.asarray(x, dtype=np.float64))[None, :]
        symbols = self.operator.encode(rows, draws)
        return self.operator.decode(symbols, rows.shape[-1], rows.dtype, draws)[0].numpy()


def compressors(
    d: int, *, delta: float | None = None, omega: float | None = None
) -> SearchStrategy[CompressorFunction]:
    """Operators on R^d that lose exactly what a constant allows: contractions with ``delta`` that
    are too short, too long or turned, or unbiased ones with ``omega``; top-k and random-k where
    the constant is theirs.

    Raises:
        ValueError: neither or both of the constants, or one out of range.
    """
    if (delta is None) == (omega is None):
        raise ValueError(f"one of delta and omega must be given, got {delta=}, {omega=}")
    if delta is not None and not 0 < delta <= 1:
        raise ValueError(f"delta must lie in (0, 1], got delta={delta}")
    if omega is not None and not omega >= 0:
        raise ValueError(f"omega must be at least 0, got omega={omega}")
    found: list[Compressor] = []
    if delta is not None:
        found += [WorstContraction(delta, kind) for kind in range(3 if d % 2 == 0 else 2)]
        k = round(delta * d)
        found += [TopK(k)] if k and abs(k - delta * d) < _LEAST * d else []
    if omega is not None:
        found.append(WorstUnbiased(omega))
        k = round(d / (1 + omega))
        found += [RandK(k)] if k and abs(k * (1 + omega) - d) < _LEAST * d else []
    return st.builds(CompressorFunction, st.sampled_from(found), _SEEDS)
