"""Nothing stays unnoticed: what a file defines is in a list that is checked, or is named here.

Lists are made by discovery (:mod:`theory.members`). What discovery cannot see, a class that nobody
makes or a function that nobody calls, fails a test that says what to do about it.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from algorithms.catalogue import METHODS, OPERATORS, PROBLEMS, problem
from algorithms.compressors.base import Compressor
from algorithms.compressors.shared_mask import SharedMask
from algorithms.methods.base import Method
from algorithms.network.start import PRELOADED
from algorithms.problems.base import Problem
from algorithms.topologies.base import MixingSequence, Topology
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.gallery import RULES, examples, gallery
from algorithms.topologies.given_graph import GivenGraph
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.weights import Weights
from algorithms.workloads.base import Workload
from experiments.published.figure import PublishedFigure, published_figures
from proofs_check.bounds.check import BoundCheck
from proofs_check.instruments.closed_forms import ClosedForms
from proofs_check.instruments.effect_check import EffectCheck
from proofs_check.instruments.erratum import Demonstration
from proofs_check.instruments.study import Study
from proofs_check.mutants.method_mutant import MethodMutant, OperatorMutant
from proofs_check.refute.attacker import Attacker
from proofs_check.registry import BOUND_CHECKS, CLOSED_FORMS, STUDIES
from theory.estimation import ESTIMATION
from theory.members import declared, modules
from theory.orders import ORDERS
from theory.theorem import MeanEstimation, OrderOnly, Result, Theorem
from theory.theorems import PROVED_ONLY, THEOREMS

HOUSE = Path(__file__).absolute().parents[1]


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


def made_by_checks() -> set[type]:
    """Classes that a module of proofs_check imports, to make instances for a check of its own."""
    return {
        value
        for module in modules("proofs_check")
        for value in vars(module).values()
        if inspect.isclass(value)
    }


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
    shared = {"collected", "conditions", "families", "kinds", "reached", "tracked"}
    files = {module.__name__.rpartition(".")[2] for module in modules(room)} - shared
    assert {result.name for result in listed} == files


def test_every_problem_is_an_entry_that_is_checked() -> None:
    built = [entry.build(entry.least_workers + 1) for entry in PROBLEMS]
    missing = unlisted(members_of("algorithms.problems", Problem), built)
    assert not missing, (
        f"not checked: {missing}; declare a ProblemEntry in the module's tuple ENTRIES"
    )


def test_every_compressor_is_an_operator_that_is_checked() -> None:
    """Or a check makes it itself, as of a grid that refuses what is beyond its range.

    A SharedMask is the same for all samples of a key; its claims are those of RandomMask.
    """
    found = members_of("algorithms.compressors", Compressor) - {SharedMask}
    missing = unlisted(found - made_by_checks(), parts(OPERATORS.values(), Compressor))
    assert not missing, (
        f"not checked: {missing}; give it to a row in algorithms/catalogue/, or declare instances "
        "in the module's tuple EXAMPLES"
    )


def test_every_method_is_run_by_a_row() -> None:
    """Or by a check that makes it itself, as a row's limit or another form of it."""
    built = [r.build(problem(r.problems[0], 4), 10) for r in METHODS]
    found = members_of("algorithms.methods", Method)
    missing = unlisted(found - made_by_checks(), parts(built, Method))
    assert not missing, (
        f"neither a row nor a check runs {missing}; give it an entry in the file of its family in "
        "algorithms/catalogue/"
    )


def parts(whole: Iterable[object], kind: type) -> Iterator[object]:
    """Every object of ``kind`` among ``whole`` and in the fields of what is found there."""
    for one in whole:
        if isinstance(one, kind):
            yield one
        if isinstance(one, tuple):
            yield from parts(one, kind)
        elif dataclasses.is_dataclass(one):
            yield from parts((getattr(one, f.name, None) for f in dataclasses.fields(one)), kind)


def test_every_bound_check_is_declared() -> None:
    loose = [
        f"{module.__name__}.{name}"
        for module in modules("proofs_check.evidence")
        if "faults" not in module.__name__  # which spoil some
        for name, value in vars(module).items()
        if isinstance(value, BoundCheck) and value not in BOUND_CHECKS
    ]
    assert not loose, f"in no tuple BOUND_CHECKS of its module: {loose}"


DISCOVERED: tuple[tuple[str, str], ...] = (
    ("algorithms.catalogue", "ENTRIES"),
    ("algorithms.catalogue", "FORMS"),
    ("algorithms.problems", "ENTRIES"),
    ("algorithms.compressors", "EXAMPLES"),
    ("algorithms.topologies", "EXAMPLES"),
    ("algorithms.topologies", "of_workers"),
    ("proofs_check.evidence", "BOUND_CHECKS"),
    ("proofs_check.evidence", "CLOSED_FORMS"),
    ("proofs_check.shared_code", "CLOSED_FORMS"),
    ("proofs_check.evidence", "MUTANTS"),
    ("proofs_check.evidence", "METHOD_MUTANTS"),
    ("proofs_check.mutants", "MUTANTS"),
    ("proofs_check.mutants", "METHOD_MUTANTS"),
    ("proofs_check.evidence", "PROOFS"),
    ("proofs_check.proofs", "PROOFS"),
    ("proofs_check.collectives", "SYSTEM_CHECKS"),
    ("proofs_check.fabrics", "SYSTEM_CHECKS"),
    ("proofs_check.schedules", "SYSTEM_CHECKS"),
    ("proofs_check.workloads", "SYSTEM_CHECKS"),
    ("algorithms.schedules", "SCHEDULES_BY_NAME"),
    ("experiments.outputs", "OUTPUTS"),
)
"""What a module of a room may declare, and is then found."""

KINDS: tuple[tuple[str, type], ...] = (
    ("theory.theorems", Theorem),
    ("theory.orders", OrderOnly),
    ("theory.estimation", MeanEstimation),
    ("proofs_check.evidence", EffectCheck),
    ("proofs_check.evidence", Study),
    ("proofs_check.evidence", ClosedForms),
    ("proofs_check.evidence", Demonstration),
    ("proofs_check.evidence", MethodMutant),
    ("proofs_check.evidence", OperatorMutant),
    ("proofs_check.mutants", MethodMutant),
    ("experiments.published", PublishedFigure),
    ("algorithms.workloads", Workload),
    ("proofs_check.refute.attackers", Attacker),
)
"""What a module of a room may hold, and is then found."""


def imported() -> set[str]:
    """Modules of the house that another module of it, or its door, imports."""
    found: set[str] = set()
    for name, path in (*SOURCES.items(), ("rateproof", HOUSE / "rateproof.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)} - {
                    name
                }
    return found


SOURCES = {
    ".".join(path.relative_to(HOUSE).with_suffix("").parts): path
    for floor in ("theory", "algorithms", "proofs_check", "experiments")
    for path in sorted((HOUSE / floor).rglob("*.py"))
    if path.name != "__init__.py"
}


def namesakes(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Names of public classes that more than one module defines, and the modules."""
    places: dict[str, list[str]] = {}
    for module, text in sources.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module)
    return {name: modules for name, modules in places.items() if len(modules) > 1}


def test_every_class_has_a_name_of_its_own() -> None:
    """A name seen in a report, an error or a search leads to one class."""
    found = namesakes({module: path.read_text("utf-8") for module, path in SOURCES.items()})
    assert not found, f"classes of one name: {found}; say in each name what it is"


def test_namesakes_are_found() -> None:
    one, other = "class Line:\n    pass\n", "class Other:\n    class Line: ...\n"
    assert namesakes({"a": one, "b": other, "c": one}) == {"Line": ["a", "c"]}
    assert namesakes({"a": one, "b": other}) == {}


@pytest.mark.parametrize(("room", "name"), DISCOVERED)
def test_what_is_declared_is_found_by_the_source_alone(room: str, name: str) -> None:
    """Modules whose text lacks the name are not imported for it: none of them has it."""
    every = [getattr(module, name) for module in modules(room) if hasattr(module, name)]
    if all(isinstance(one, tuple) for one in every):
        joined = tuple(item for one in every for item in one)
        assert len(joined) and declared(room, name) == joined


def test_every_module_is_used() -> None:
    """Another module imports it, or ranks' server, or it holds what is discovered, or a user runs
    it."""
    found = set(PRELOADED) | {
        m.__name__ for room, name in DISCOVERED for m in modules(room) if hasattr(m, name)
    }
    for room, kind in KINDS:
        holding = (m for m in modules(room) if any(isinstance(v, kind) for v in vars(m).values()))
        found |= {module.__name__ for module in holding}
    found |= {m for m, path in SOURCES.items() if 'if __name__ == "__main__":' in path.read_text()}
    idle = sorted(set(SOURCES) - imported() - found)
    assert not idle, f"no module imports {idle}, and they declare nothing that is discovered"


def test_every_closed_form_is_declared() -> None:
    """A public function without arguments that gives verdicts is a case."""
    loose = [
        f"{module.__name__}.{name}"
        for room in ("proofs_check.evidence", "proofs_check.shared_code")
        for module in modules(room)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
        if not name.startswith("_") and not inspect.signature(value).parameters
        if value.__annotations__.get("return") == "tuple[Verdict, ...]"
        if value not in CLOSED_FORMS and name not in used_names(module.__name__)
    ]
    assert not loose, f"in no tuple CLOSED_FORMS of its module: {loose}"


def used_names(module: str) -> set[str]:
    """Names that the code of a module reads."""
    tree = ast.parse(SOURCES[module].read_text(encoding="utf-8"))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


@pytest.mark.parametrize(
    "room", ["proofs_check.mutants", "proofs_check.evidence", "proofs_check.methods.faulty"]
)
def test_every_wrong_class_is_planted(room: str) -> None:
    """A mutant's class is made somewhere in the rooms of mutants and closed forms."""
    read = {
        name
        for module in SOURCES
        if module.startswith("proofs_check.")
        for name in used_names(module)
    }
    loose = [
        f"{module.__name__}.{name}"
        for module in modules(room)
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__ and name not in read
    ]
    assert not loose, f"no mutant makes {loose}; give it a line in the module's MUTANTS"


def test_every_study_is_found() -> None:
    names = [study.name for study in STUDIES]
    assert len(set(names)) == len(names)
    loose = [
        f"{module.__name__}.{name}"
        for module in modules("proofs_check.evidence")
        for name, value in vars(module).items()
        if isinstance(value, Study) and value not in STUDIES
    ]
    assert not loose, f"not in STUDIES: {loose}; a public name at module level would do"


def test_every_published_figure_is_listed() -> None:
    listed = published_figures().values()
    files = {m.__name__.rpartition(".")[2] for m in modules("experiments.published")} - {"figure"}
    assert {one.name.replace("-", "_") for one in listed} == files
