"""Nothing stays unnoticed: what a file defines is in a list that is checked, or is named here.

Lists are made by discovery (:mod:`theory.members`). What discovery cannot see, a class that nobody
makes or a function that nobody calls, fails a test that says what to do about it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable

import pytest

from algorithms.topologies.base import MixingSequence, Topology
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.gallery import RULES, examples, gallery
from algorithms.topologies.given_graph import GivenGraph
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.weights import Weights
from proofs_check.bounds import BOUND_CHECKS
from proofs_check.bounds.check import BoundCheck
from theory.estimation import ESTIMATION
from theory.members import modules
from theory.orders import ORDERS
from theory.theorem import MeanEstimation, OrderOnly, Result, Theorem
from theory.theorems import PROVED_ONLY, THEOREMS


def members_of(package: str, kind: type) -> set[type]:
    """Every class under ``package`` that can be made and is of ``kind``."""
    return {
        value
        for module in modules(package)
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, kind)
        and value.__module__ == module.__name__
        and getattr(value, "__final__", False)
    }


def unlisted(found: Iterable[type], listed: Iterable[object]) -> list[str]:
    """Names of the classes of which no instance is listed."""
    made = {type(one) for one in listed}
    return sorted(f"{kind.__module__}.{kind.__name__}" for kind in found if kind not in made)


def test_every_topology_is_an_example_that_is_checked() -> None:
    missing = unlisted(
        members_of("algorithms.topologies", MixingSequence), examples(MixingSequence)
    )
    assert not missing, (
        f"not checked: {missing}; give the module a function of_workers(n, weights), or instances "
        "in a tuple EXAMPLES (algorithms/topologies/gallery.py)"
    )


def test_every_family_of_topologies_is_in_the_gallery() -> None:
    """But for those that are made from a matrix, edges or another topology."""
    given = {FixedMatrix, GivenGraph, Lazy}
    missing = unlisted(members_of("algorithms.topologies", Topology) - given, gallery(16))
    assert not missing, (
        f"`rateproof topologies` does not show {missing}; give the module of_workers(n, weights)"
    )


def test_every_rule_of_weights_has_a_name() -> None:
    missing = unlisted(members_of("algorithms.topologies", Weights), RULES.values())
    assert not missing, f"`rateproof topologies --weights` cannot take {missing}; add it to RULES"


@pytest.mark.parametrize(
    ("room", "kind", "listed"),
    [
        ("theory.theorems", Theorem, THEOREMS + PROVED_ONLY),
        ("theory.orders", OrderOnly, ORDERS),
        ("theory.estimation", MeanEstimation, ESTIMATION),
    ],
)
def test_every_file_of_results_gives_one_by_its_own_name(
    room: str, kind: type[Result], listed: tuple[Result, ...]
) -> None:
    """But for the files of a room that hold what its members share."""
    missing = unlisted(members_of(room, kind), listed)
    assert kind is OrderOnly or not missing, (
        f"no instance: {missing}; end the file with `name = Class()`"
    )
    shared = {"conditions", "families", "kinds"}
    files = {module.__name__.rpartition(".")[2] for module in modules(room)} - shared
    assert {result.name for result in listed} == files


def test_every_bound_check_is_declared() -> None:
    loose = [
        f"{module.__name__}.{name}"
        for module in modules("proofs_check.bounds")
        for name, value in vars(module).items()
        if isinstance(value, BoundCheck) and value not in BOUND_CHECKS
    ]
    assert not loose, f"in no tuple BOUND_CHECKS of its module: {loose}"
