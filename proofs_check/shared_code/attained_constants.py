"""Constants of problems where they are attained: data so few that the worst point is known by hand.

What a problem states for all x is a bound, and one that is larger than it need be breaks at no
point. On these data each is the least: the largest noise, spread or slope is reached, or approached
far out. Quadratics made to order have what was asked. Minima of drawn data are numpy's and scipy's,
data sets are scikit-learn's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.problems import datasets, logistic_bounds
from algorithms.problems.absolute import Absolute
from algorithms.problems.base import Problem
from algorithms.problems.logistic import Logistic
from algorithms.problems.pairwise import PairwiseLogistic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.redundant import Redundant
from algorithms.problems.regularisers import L2, BoundedNonconvex, Regulariser
from proofs_check.instruments.evidence import identity
from proofs_check.shared_code.drawn_networks import EVERY_ROW
from proofs_check.verdict import Verdict
from theory.arrays import Floats

_SIDE = 1e-3  # by which rows lean out of a line, so that each weight can be chosen alone
_MANY = 1_000  # of samples of which one is not 0
_BATCH = 1_000_000  # of which a mean is as good as exact
_LAM = 0.3
_CLOSE = 3e-3  # relative, for what is approached only


class AttainedConstant(NamedTuple):
    """A constant of a problem whose worst point is known.

    Attributes:
        name: the constant.
        problem: the data.
        value: its least value.
        why: how the value is reached.
        tolerance: how far above it the stated one may be, relative.
    """

    name: str
    problem: Problem
    value: float
    why: str
    tolerance: float = _CLOSE


def attained_bounds() -> tuple[Verdict, ...]:
    """Bounds on noise, spread and gradients against their least values."""
    return _held((*_logistic(), *_absolute(), *_pairs(), _shards()))


def attained_reach() -> tuple[Verdict, ...]:
    """The radius that SGD never leaves, where it comes to its edge: by short steps towards the
    minimum of one sample, and by steps of 1/lam from one end to the other."""
    found = [
        logistic_bounds.reach(length, lam, step) * lam / edge
        for lam in (0.02, _LAM)
        for length, step, edge in (
            (_farthest(lam), 1e-9, _slope_at_minimum(_farthest(lam), lam)),
            (40 * lam**0.5, 1 / lam, 40 * lam**0.5),
        )
    ]
    verdict = identity(
        "ball of SGD", "its radius is the least, for short steps and for the longest", found, 1.0,
        check="attained radius", tolerance=1e-6, provenance="scipy's minimum; by hand",
    )  # fmt: skip
    return (verdict,)


def _farthest(lam: float) -> float:
    """The sample p whose minimum of log(1 + e^{-px}) + lam/2 x^2 is farthest: p x = z where
    z / (1 + e^z) is largest, and lam z = p^2 / (1 + e^z) there."""
    z = scipy.optimize.minimize_scalar(
        lambda z: -z / (1 + math.exp(z)), bounds=(0, 5), method="bounded", options={"xatol": 1e-12}
    ).x
    return math.sqrt(lam * z * (1 + math.exp(z)))


def _slope_at_minimum(length: float, lam: float) -> float:
    """lam x at the minimum x of one sample, by scipy's root."""

    def slope(x: float) -> float:
        return lam * x - length / (1 + math.exp(length * x))

    return lam * float(scipy.optimize.brentq(slope, 0.0, 50 / length, xtol=1e-14))


def attained_minima() -> tuple[Verdict, ...]:
    """Minimum, distance and spread there of drawn data, and what is stated of equal Hessians."""
    return _held((*_regression(), *_quadratics()))


def _held(cases: tuple[AttainedConstant, ...]) -> tuple[Verdict, ...]:
    return tuple(
        identity(
            f"{case.name} of {case.problem.name}", f"it is the least: {case.why}",
            case.problem.constants().need(case.name) / case.value, 1.0,
            check="attained constant", tolerance=case.tolerance, provenance="seed 11, by hand",
        )
        for case in cases
    )  # fmt: skip


def _rows(*workers: list[list[float]], batch: int = 1, lam: float = 0.0) -> Logistic:
    """Logistic regression on signed rows [n, S, d]; with ``lam`` the regulariser that is not
    convex."""
    regulariser: Regulariser = BoundedNonconvex(lam) if lam else L2(0.0)
    return Logistic("logistic regression", torch.tensor(workers).double(), regulariser, batch)


def _logistic() -> Iterator[AttainedConstant]:
    """Weights w_s = 1/(1 + e^{p_s^T x}) of the samples p_s are as near to 0 or 1 as one likes."""
    lean = [[1.0, _SIDE], [1.0, -_SIDE]]
    why = "two samples of almost one direction, with w = 0 and w = 1"
    for batch in (1, 5):
        yield AttainedConstant("sigma2", _rows(lean, batch=batch), 0.25 / batch, why)
    sparse = [[2.0], *[[0.0]] * (_MANY - 1)]
    why = f"one of {_MANY} samples is not 0, with w = 1"
    yield AttainedConstant("sigma2", _rows(sparse), 4.0 / _MANY, why)
    why = "gradients of two workers point against each other, with w = 1 for both"
    apart = [[1.0, _SIDE]], [[-1.0, _SIDE]]
    yield AttainedConstant("zeta2", _rows(*apart), 1.0, why)
    yield AttainedConstant("G2", _rows([[2.0]]), 4.0, "a single sample, with w = 1")
    yield AttainedConstant("lipschitz", _rows([[2.0]]), 2.0, "a single sample, with w = 1")
    why = "a mean over two samples, with w = 1 for the longer one and w = 0 for the other"
    yield AttainedConstant("G2", _rows([[2.0], [-1.0]], batch=_BATCH), 1.0, why)
    flat = _rows([[1e-9] * 3], lam=_LAM)
    why = "a loss without slope, and the regulariser steepest in all three coordinates"
    yield AttainedConstant("G2", flat, 3 * _steepest(flat.regulariser) ** 2, why)
    yield AttainedConstant("lipschitz", flat, 3**0.5 * _steepest(flat.regulariser), why)


def _steepest(regulariser: Regulariser) -> float:
    """sup |r'| of one coordinate, by scipy's search."""

    def slope(x: float) -> float:
        return -float(regulariser.gradient(torch.tensor([x], dtype=torch.float64)))

    return -float(scipy.optimize.minimize_scalar(slope, bounds=(0, 10), method="bounded").fun)


def _absolute() -> Iterator[AttainedConstant]:
    one, ends = torch.ones(1, 2, 1).double(), torch.tensor([[1.0, -1.0]]).double()
    between = Absolute("least absolute deviations", 2 * one, ends, batch=1)
    why = "between two targets: the samples' subgradients are opposite"
    yield AttainedConstant("sigma2", between, 4.0, why)
    yield AttainedConstant("lipschitz", between, 2.0, "any sample")
    whole = Absolute("least absolute deviations", 2 * one, ends)
    yield AttainedConstant("lipschitz", whole, 2.0, "beyond both targets")


def _pairs() -> Iterator[AttainedConstant]:
    """One sample of many has the other label: few pairs count, each with its largest weight 1/2."""
    features, labels = torch.zeros(1, _MANY, 1).double(), -torch.ones(1, _MANY).double()
    features[0, 0], labels[0, 0] = 2.0, 1.0
    problem = PairwiseLogistic(features, labels, lam=_LAM)
    why = "one sample of many has the other label, and is on the wrong side"
    pairs = 2 * (_MANY - 1) / _MANY**2  # of unlike labels, a share of all
    yield AttainedConstant("sigma2", problem, pairs / problem.batch, why)
    yield AttainedConstant("L_max", problem, pairs / 2 + _LAM, "a single direction, at x = 0")


def _shards() -> AttainedConstant:
    """Offsets that are one wave around the ring of workers, which means of shards shrink least."""
    n, shards = 12, 5
    wave = torch.cos(2 * math.pi * torch.arange(n).double() / n)[:, None]
    base = Quadratic.from_arrays(torch.ones(n, 1).double(), wave)
    means = np.mean([np.roll(wave.numpy(), -s, 0) for s in range(shards)], 0)
    why = "the offsets are one wave around the workers"
    return AttainedConstant("zeta2", Redundant(base, shards), float((means**2).mean()), why, 1e-9)


def _normal(*shape: int) -> Tensor:
    return torch.from_numpy(np.random.default_rng(11).standard_normal(shape))


def _regression() -> Iterator[AttainedConstant]:
    rows = _normal(3, 4, 2)
    problem = Logistic("logistic regression", rows, L2(_LAM), 1)
    flat = rows.flatten(0, 1).numpy()

    def value(x: Floats) -> float:
        return float(np.logaddexp(0, -flat @ x).mean() + _LAM / 2 * x @ x)

    found = scipy.optimize.minimize(value, np.zeros(2), method="Nelder-Mead", options={
        "xatol": 1e-12, "fatol": 1e-16, "maxiter": 2000,
    })  # fmt: skip
    x, f_star = found.x, float(found.fun)
    weights = 1 / (1 + np.exp(rows.numpy() @ x))
    own = _LAM * x - (weights[..., None] * rows.numpy()).mean(1)
    why = "scipy's simplex search, which asks for values alone"
    yield AttainedConstant("f_star", problem, f_star, why, 1e-9)
    yield AttainedConstant("initial_gap", problem, math.log(2) - f_star, why, 1e-9)
    yield AttainedConstant("R2", problem, float(x @ x), why, 1e-6)
    spread = float((own**2).sum(-1).mean())
    yield AttainedConstant("zeta2_star", problem, spread, why, 1e-6)


def _quadratics() -> Iterator[AttainedConstant]:
    """Least squares with diagonal Hessians, of which one coordinate has no curvature."""
    a, b = _normal(5, 3).square(), _normal(5, 3)
    a[:, 1] = 0.0
    root = a.sqrt().numpy()
    stacked = np.concatenate([np.diag(one) for one in root])
    x, *_ = np.linalg.lstsq(stacked, (root * b.numpy()).ravel())
    unequal = Quadratic.from_arrays(a, b)
    f_star = float((a.numpy() * (x - b.numpy()) ** 2).sum(-1).mean() / 2)
    own = a.numpy() * (x - b.numpy())
    why = "numpy's least squares"
    yield AttainedConstant("f_star", unequal, f_star, why, 1e-9)
    yield AttainedConstant("R2", unequal, float(x @ x), why, 1e-9)
    yield AttainedConstant("zeta2_star", unequal, float((own**2).sum(-1).mean()), why, 1e-9)
    yield AttainedConstant("pl", unequal, float(a.mean(0)[[0, 2]].min()), "two curvatures", 1e-9)
    equal = Quadratic.from_arrays(a[:1].expand(5, 3).contiguous(), b)
    apart = a[0].numpy() * (b - b.mean(0)).numpy()
    why = "gradients differ by offsets alone"
    yield AttainedConstant("zeta2", equal, float((apart**2).sum(-1).mean()), why, 1e-9)


def data_sets() -> tuple[Verdict, ...]:
    """Features and labels that problems are made of against scikit-learn's loaders."""
    import sklearn.datasets

    digits, labels = sklearn.datasets.load_digits(return_X_y=True)
    tumours, kinds = sklearn.datasets.load_breast_cancer(return_X_y=True)
    made = datasets.digits(), datasets.breast_cancer()
    due = digits / digits.max(), scipy.stats.zscore(tumours)
    verdicts = [
        identity(
            one.name, f"features are scikit-learn's, {how}", one.features, features,
            check="data set", tolerance=1e-12, provenance="scikit-learn's loaders",
        )
        for one, features, how in zip(
            made, (due[0] - due[0].mean(0), due[1]), ("from 0 to 1, centred", "standardised"),
            strict=True,
        )
    ]  # fmt: skip
    return (*verdicts, *(
        identity(
            one.name, "labels are scikit-learn's", one.labels, own, check="data set",
            tolerance=0.0, provenance="scikit-learn's loaders",
        )
        for one, own in zip(made, (labels, kinds), strict=True)
    ))  # fmt: skip


_SIZES = ((1, 2), (3, 5), (8, 20))
_CURVED, _LEAST, _NOISE, _START = 3.0, 0.2, 0.7, 5.0


def made_to_order() -> tuple[Verdict, ...]:
    """n, d, L, mu, zeta2, sigma2 and R2 of made quadratics, read off gradients at points, against
    what was asked."""
    found, asked = list[float](), list[float]()
    for (n, d), zeta2 in product(_SIZES, (0.0, 0.4)):
        zeta2 = zeta2 if n > 1 else 0.0
        given: Any = {"L": _CURVED, "sigma2": _NOISE, "zeta2": zeta2, "R2": _START}
        rank, kinds = d // 2, Quadratic
        for made, least, curved in (
            (kinds.strongly_convex(n, d, mu=_LEAST, **given), _LEAST, d),
            (kinds.convex(n, d, **given), 1e-10 * _CURVED, d),
            (kinds.pl(n, d, mu_pl=_LEAST if rank > 1 else _CURVED, **given),
             _LEAST if rank > 1 else _CURVED, rank),
        ):  # fmt: skip
            found += _read(made)
            asked += [n, d, curved, _CURVED, least, zeta2, 0.0, _NOISE, _START]
    verdict = identity(
        "quadratics", "quadratics have the n, d, L, mu, zeta2, sigma2 and R2 that were asked",
        found, asked, check="gradients at points", tolerance=1e-12,
        note=f"{len(asked) // 9} quadratics", provenance="seed 0",
    )  # fmt: skip
    return (verdict,)


def _read(made: Quadratic) -> list[float]:
    """n, d, how many directions are curved, the largest and the least curvature of these, at x* the
    mean squared gradient and the largest mean gradient, sigma2, the start's squared distance."""
    workers, d = torch.arange(made.n), made.start().shape[-1]
    points = torch.cat((torch.eye(d, dtype=torch.float64), torch.zeros(1, d, dtype=torch.float64)))
    slopes = made.full_gradient(points[:, None, :].expand(-1, made.n, -1), workers).mean(1).numpy()
    curvatures = np.linalg.eigvalsh(slopes[:-1] - slopes[-1])
    curved: NDArray[np.float64] = curvatures[curvatures > 1e-12]
    there = made.x_star[None]
    own = made.full_gradient(there.expand(made.n, -1), workers).numpy()
    apart = (made.start() - made.x_star).square().sum().item()
    noise = made.noise(there).max().item()
    return [
        len(own), d, len(curved), curved.max(), curved.min(), (own**2).sum(1).mean(),
        abs(own.mean(0)).max(), noise, apart,
    ]  # fmt: skip


CLOSED_FORMS = (attained_bounds, attained_reach, attained_minima, data_sets, made_to_order)


COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: stepsizes are made of such constants, theorems tried on such quadratics."""
