r"""Mixing matrices: spectra and checks (weights: theory.networks.weights; closed forms:
theory.networks.spectra).

W ``[n, n]`` is doubly stochastic; W[i, j] weighs what worker i hears from worker j, and a step of
gossip is x <- W x over worker rows x ``[n, d]``. With J = (1/n) 1 1^T,

    lam = ||W - J||_2,    ||W^t x - J x||_F <= lam^t ||x - J x||_F.

For symmetric W this lam is max(|lambda_2|, |lambda_n|); the spectral gap is 1 - lam.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.arrays import Floats

SUM_TOLERANCE = 1e-12
"""How far a row or column sum of double-precision weights may be from 1."""


class MixingError(ValueError):
    """A matrix that cannot be used as mixing weights; the message names the place."""


@final
@dataclass(frozen=True)
class Spectrum:
    """Spectral constants of a doubly stochastic W; pure numbers.

    lam    ||W - J||_2: the second largest singular value; max(|lambda_2|, |lambda_n|) if W = W^T
    lam_2  second largest eigenvalue of (W + W^T) / 2 (0 for n = 1)
    lam_n  smallest eigenvalue of (W + W^T) / 2
    beta   ||I - W||_2
    """

    lam: float
    lam_2: float
    lam_n: float
    beta: float

    @property
    def gap(self) -> float:
        """Spectral gap 1 - lam of the matrix."""
        return 1.0 - self.lam


def spectrum(w: ArrayLike) -> Spectrum:
    """Spectral constants of W ``[n, n]``.

    For a non-symmetric doubly stochastic W, ``lam`` is the second singular value and ``lam_2``,
    ``lam_n`` are those of the symmetric part; for normal W (all circulants) the modulus of the
    second eigenvalue is the same ``lam``.
    """
    m = square(w)
    n = m.shape[0]
    eigenvalues = np.linalg.eigvalsh((m + m.T) / 2.0)
    return Spectrum(
        lam=_norm(m - 1.0 / n) if n > 1 else 0.0,
        lam_2=float(eigenvalues[-2]) if n > 1 else 0.0,
        lam_n=float(eigenvalues[0]),
        beta=_norm(np.eye(n) - m),
    )


def _norm(m: Floats) -> float:
    return float(np.linalg.svd(m, compute_uv=False)[0])


def lazy(w: ArrayLike) -> Floats:
    """(I + W) / 2: the same graph with all eigenvalues moved to (1 + lambda) / 2 >= 0."""
    m = square(w)
    return (np.eye(m.shape[0]) + m) / 2.0


def check_sequence(matrices: Sequence[ArrayLike], *, signed: bool = False) -> None:
    """Refuse a period W_0, ..., W_{p-1} that cannot reach agreement.

    Every matrix must be doubly stochastic; only the union of the graphs over the period must be
    connected (for doubly stochastic weights weak and strong connectivity are the same). Where
    ``signed``, entries may be negative: sums are checked, and each W must be symmetric.

    Raises:
        MixingError: not square or empty, NaN or infinite, negative, a row or column that does not
            sum to 1 within 1e-12, a graph that is not connected, an empty period, or matrices of
            different sizes.
    """
    if len(matrices) == 0:
        raise MixingError("matrices must hold at least one W, got none")
    names = ["W"] if len(matrices) == 1 else [f"W_{t}" for t in range(len(matrices))]
    checked = [_stochastic(w, name, signed) for w, name in zip(matrices, names, strict=True)]
    sizes = [m.shape[0] for m in checked]
    if len(set(sizes)) > 1:
        raise MixingError(f"matrices must all have the same number of workers, got {sizes}")
    linked = np.any([m != 0.0 for m in checked], axis=0)
    apart = _unreached(linked | linked.T)
    if apart.size:
        raise MixingError(
            f"W must join all workers, but {_few(apart)} cannot hear from worker 0"
            + ("" if len(checked) == 1 else f" in any of the {len(checked)} matrices of a period")
            + "; add an edge to each component"
        )


def check_push_sequence(matrices: Sequence[ArrayLike]) -> None:
    """Refuse a period of column-stochastic matrices that cannot reach agreement by push-sum.

    Columns sum to 1, so that nothing is lost; rows need not. Every worker must reach every other
    along directed links of the period's union, and keep some of its own in each matrix.

    Raises:
        MixingError: names the matrix, and the entry, column, worker or component at fault.
    """
    if len(matrices) == 0:
        raise MixingError("matrices must hold at least one P, got none")
    names = ["P"] if len(matrices) == 1 else [f"P_{t}" for t in range(len(matrices))]
    checked = [_non_negative(w, name) for w, name in zip(matrices, names, strict=True)]
    sizes = [m.shape[0] for m in checked]
    if len(set(sizes)) > 1:
        raise MixingError(f"matrices must all have the same number of workers, got {sizes}")
    for m, name in zip(checked, names, strict=True):
        _need_sums(m, name, 0, "column", "; a push-sum worker shares out all that it has")
        kept = np.flatnonzero(m.diagonal() == 0.0)
        if kept.size:
            raise MixingError(
                f"{name} must keep something at {_few(kept)}: the diagonal there is 0, so its "
                "weight can fall to 0; 1 / (1 + out-degree) for itself would do"
            )
    linked = np.any([m != 0.0 for m in checked], axis=0)
    for direction, said in ((linked, "hear from"), (linked.T, "be heard by")):
        apart = _unreached(direction)
        if apart.size:
            raise MixingError(
                f"P must join all workers along directed links, but {_few(apart)} cannot {said} "
                "worker 0"
                + ("" if len(checked) == 1 else f" in any of the {len(checked)} of a period")
                + "; add a link"
            )


def check_contracting(w: ArrayLike) -> None:
    """Refuse a symmetric W ``[n, n]`` by which rows never come to agree.

    Raises:
        MixingError: lam is 1 or larger; the message gives the eigenvalue.
    """
    s = spectrum(w)
    if s.lam >= 1.0 - SUM_TOLERANCE:
        worst = s.lam_n if abs(s.lam_n) > abs(s.lam_2) else s.lam_2
        raise MixingError(
            f"W must contract, but has a second eigenvalue {worst:.6g}, so lam = {s.lam:.6g}: "
            "rows never come to agree; a larger own weight (the +1 convention, LazyWeights) or "
            "more edges would do"
        )


def square(w: ArrayLike) -> Floats:
    """W as a double-precision matrix ``[n, n]``.

    Raises:
        MixingError: another shape, or n = 0.
    """
    m = np.asarray(w, dtype=np.float64)
    if m.ndim != 2 or m.shape[0] != m.shape[1] or m.shape[0] == 0:
        raise MixingError(f"W must be a square matrix [n, n] with n >= 1, got shape {m.shape}")
    return m


def _stochastic(w: ArrayLike, name: str, signed: bool) -> Floats:
    m = _symmetric(w, name) if signed else _non_negative(w, name)
    for axis, line in ((1, "row"), (0, "column")):
        _need_sums(m, name, axis, line, "")
    return m


def _non_negative(w: ArrayLike, name: str) -> Floats:
    m = _finite(w, name)
    _refuse_entry(
        m, m < 0.0, name, "non-negative", "weights in [0, 1] would do, as Metropolis-Hastings gives"
    )
    return m


def _symmetric(w: ArrayLike, name: str) -> Floats:
    m = _finite(w, name)
    off = np.abs(m - m.T) > SUM_TOLERANCE
    _refuse_entry(m, off, name, "symmetric", "signed weights need W = W^T")
    return m


def _finite(w: ArrayLike, name: str) -> Floats:
    m = square(w)
    _refuse_entry(m, ~np.isfinite(m), name, "finite", "finite weights would do")
    return m


def _refuse_entry(m: Floats, bad: NDArray[np.bool_], name: str, what: str, remedy: str) -> None:
    if bad.any():
        i, j = (int(v) for v in np.argwhere(bad)[0])
        raise MixingError(f"{name}[{i}, {j}] must be {what}, got {m[i, j]}; {remedy}")


def _need_sums(m: Floats, name: str, axis: int, line: str, why: str) -> None:
    """Every ``line`` (a sum over ``axis``) is 1."""
    sums = m.sum(axis=axis)
    off = np.abs(sums - 1.0)
    if off.max() > SUM_TOLERANCE:
        i = int(np.flatnonzero(off > SUM_TOLERANCE)[0])
        wanted = "rows and columns" if not why else "columns"
        raise MixingError(
            f"{line} {i} of {name} must sum to 1, got {float(sums[i])!r}; {wanted} "
            f"that sum to 1 within {SUM_TOLERANCE:g} in double precision would do{why}"
        )


def _unreached(linked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Workers that cannot be reached from worker 0 along links: linked[i, j], i hears j."""
    reached = np.zeros(linked.shape[0], dtype=bool)
    reached[0] = True
    front = reached
    while front.any():
        front = linked[:, front].any(axis=1) & ~reached
        reached = reached | front
    return np.flatnonzero(~reached)


def _few(workers: NDArray[np.int64]) -> str:
    shown = ", ".join(str(int(i)) for i in workers[:8])
    more = f" and {workers.size - 8} more" if workers.size > 8 else ""
    return f"worker{'s' if workers.size > 1 else ''} {shown}{more}"
