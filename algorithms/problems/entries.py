"""The problems of the catalogue, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import torch

from algorithms.key import Key
from algorithms.names import look_up
from algorithms.problems import absolute_data, columns_data
from algorithms.problems.base import Problem
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer, digits
from algorithms.problems.mlp import digits_mlp
from algorithms.problems.pairwise import breast_cancer_pairs
from algorithms.problems.partitions import Dirichlet, Iid, Partition, SortedByLabel
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2, BoundedNonconvex, Regulariser


@final
@dataclass(frozen=True)
class ProblemEntry:
    """A problem by name: ``build(n)`` makes it for n workers.

    ``general`` problems mean something to any method; others are made for a few.

    Attributes:
        title: one line about it, for lists.
    """

    name: str
    title: str
    build: Callable[[int], Problem]
    general: bool = True


D = 20  # parameters of the quadratics
REGULARISATION = 0.1


def consensus(n: int) -> Problem:
    """f_i(x) = ||x - b_i||^2 / 2 with b_i standard normal: its minimiser is the mean of the b_i."""
    b = Key.seed(0).fold("consensus").draws(torch.tensor(0), torch.arange(n))
    rows = b.normal(D, torch.float64)
    return Quadratic.from_arrays(torch.ones_like(rows), rows, name="consensus")


def _spread(n: int) -> float:
    """zeta2 of the quadratics: one worker cannot differ from itself."""
    return 1.0 if n > 1 else 0.0


def _logistic(
    name: str, make: Callable[..., Logistic], regulariser: Regulariser, partition: Partition
) -> Callable[[int], Problem]:
    return lambda n: replace(make(n, regulariser, partition=partition), name=name)


_MAKERS: dict[str, tuple[str, Callable[[int], Problem]]] = {
    "quadratic-sc": (
        "strongly convex quadratic, L = 1, mu = 0.1, sigma2 = zeta2 = 1",
        lambda n: Quadratic.strongly_convex(n, D, zeta2=_spread(n)),
    ),
    "quadratic-sc-iid": (
        "the same with one objective for all workers, zeta2 = 0",
        lambda n: replace(Quadratic.strongly_convex(n, D), name="quadratic-sc-iid"),
    ),
    "quadratic-convex": (
        "convex quadratic without a useful mu",
        lambda n: Quadratic.convex(n, D, zeta2=_spread(n)),
    ),
    "quadratic-pl": (
        "Polyak-Lojasiewicz quadratic of rank d/2, not strongly convex",
        lambda n: Quadratic.pl(n, D, zeta2=_spread(n)),
    ),
}
for _data, _make in (("breast-cancer", breast_cancer), ("digits", digits)):
    for _kind, _regulariser in (
        ("logreg", L2(REGULARISATION)),
        ("nonconvex", BoundedNonconvex(REGULARISATION)),
    ):
        _name = f"{_kind}-{_data}"
        _MAKERS[_name] = (
            f"logistic regression on {_data}, {_regulariser.name}, iid shards",
            _logistic(_name, _make, _regulariser, Iid()),
        )
_MAKERS["logreg-breast-cancer-sorted"] = (
    "logistic regression on breast-cancer, l2, shards sorted by label",
    _logistic("logreg-breast-cancer-sorted", breast_cancer, L2(REGULARISATION), SortedByLabel()),
)
_MAKERS["nonconvex-digits-dirichlet"] = (
    "logistic regression on digits, non-convex, Dirichlet(0.3) shards",
    _logistic(
        "nonconvex-digits-dirichlet", digits, BoundedNonconvex(REGULARISATION), Dirichlet(0.3)
    ),
)
_MAKERS["mlp-digits"] = (
    "multi-layer perceptron 64-16-10 on digits, cross-entropy, iid shards",
    lambda n: replace(digits_mlp(n), name="mlp-digits"),
)

_SPECIAL: dict[str, tuple[str, Callable[[int], Problem]]] = {
    "consensus": ("average consensus, f_i = ||x - b_i||^2 / 2", consensus),
    "pairwise-logistic": (
        "ranking of breast-cancer: logistic loss of pairs of eight samples a worker",
        lambda n: breast_cancer_pairs(n, REGULARISATION, samples=8),
    ),
    "lad-diabetes-sorted": (
        "least absolute deviations on diabetes, shards sorted by target: convex, not smooth",
        absolute_data.diabetes,
    ),
    "lasso-diabetes": ("lasso on diabetes, columns split over workers", columns_data.diabetes),
    "logistic-l1-breast-cancer": (
        "l1-regularised logistic regression on breast-cancer, columns split over workers",
        columns_data.breast_cancer,
    ),
    "sigmoid-breast-cancer": (
        "non-convex sigmoid loss with l2 on breast-cancer, columns split over workers",
        columns_data.sigmoid_breast_cancer,
    ),
}
PROBLEMS: tuple[ProblemEntry, ...] = tuple(
    ProblemEntry(name, title, build, makers is _MAKERS)
    for makers in (_MAKERS, _SPECIAL)
    for name, (title, build) in makers.items()
)


def problem(name: str, n: int) -> Problem:
    """The problem called ``name`` for n workers.

    Raises:
        UnknownName: there is none; suggests the nearest.
        ValueError: n does not fit the data.
    """
    return look_up("problem", name, {entry.name: entry for entry in PROBLEMS}).build(n)
