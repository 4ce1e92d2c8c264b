"""The check of X lies where X lies: rooms of checks are named as the catalogue's files."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

import pytest

from algorithms.catalogue import ROWS
from proofs_check.instruments.closed_forms import ClosedForms
from proofs_check.instruments.erratum import Demonstration
from proofs_check.instruments.study import Study
from proofs_check.refute.certified import DERIVATIONS
from proofs_check.registry import STUDIES
from tests.proofs_check.rooms import ROOMS, room_of
from theory.members import modules

STUDY_MODULES = tuple(
    module
    for module in modules("proofs_check.evidence")
    if "faults" not in module.__name__  # which hand wrong methods to studies
    and any(isinstance(value, Study) for value in vars(module).values())
)


def imported(module: ModuleType) -> set[str]:
    """Dotted names of what ``module`` imports: of modules, and of names within them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{name.name}" for name in node.names} | {str(node.module)}
        elif isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
    return names


def test_every_ready_row_has_a_room() -> None:
    assert set(ROOMS) == {row.key for row in ROWS if row.state == "ready"}


CLOSED_MODULES = tuple(
    module
    for module in modules("proofs_check.evidence")
    if hasattr(module, "CLOSED_FORMS")
    or any(isinstance(value, ClosedForms | Demonstration) for value in vars(module).values())
)


@pytest.mark.parametrize("module", CLOSED_MODULES, ids=lambda m: m.__name__)
def test_closed_forms_name_rows_of_their_own_room_as_subjects(module: ModuleType) -> None:
    """Rows that a module names in quotation marks; its verdicts are looked at where cases run.

    A method of another row, beside which an effect of the module runs its own, is no subject.
    """
    room = module.__name__.split(".")[2]
    named = {
        value.value
        for call in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", "") not in ("case", "method_of")
        for value in (*call.args, *(k.value for k in call.keywords if k.arg in ("subject", "row")))
        if isinstance(value, ast.Constant) and value.value in ROOMS
    }
    assert {key for key in named if ROOMS[key] != room} == set()


def test_every_row_of_local_updates_has_a_closed_form() -> None:
    text = "".join(map(inspect.getsource, modules("proofs_check.evidence.local_updates")))
    keys = {key for key, room in ROOMS.items() if room == "local_updates"}
    assert not {key for key in keys if f'"{key}"' not in text}


@pytest.mark.parametrize("module", STUDY_MODULES, ids=lambda module: module.__name__)
def test_a_study_lies_in_the_room_of_its_row_and_takes_no_other(module: ModuleType) -> None:
    room = module.__name__.split(".")[2]
    studies = [value for value in vars(module).values() if isinstance(value, Study)]
    assert {ROOMS[study.row] for study in studies} == {room}
    defined = {id(value) for other in STUDY_MODULES if other is not module
               for value in vars(other).values() if isinstance(value, Study)}  # fmt: skip
    assert not {id(study) for study in studies} & defined, "a study rests on no other's outcome"


def test_every_study_is_seen() -> None:
    seen = {id(v) for m in STUDY_MODULES for v in vars(m).values() if isinstance(v, Study)}
    assert seen == {id(study) for study in STUDIES}


def test_a_bound_is_held_against_a_run_in_the_file_of_its_row() -> None:
    for module in modules("proofs_check.evidence"):
        held = {ROOMS[check.row] for check in getattr(module, "BOUND_CHECKS", ())}
        assert held <= {module.__name__.split(".")[2]}


def test_a_theorem_is_proved_in_the_room_of_a_row_that_it_speaks_of() -> None:
    """Proofs of lemmas and constants, which no row lists as a theorem, lie beside their subject."""
    speaks: dict[str, set[str]] = {}
    for row in ROWS:
        for theorem in row.theorems:
            speaks.setdefault(theorem.name, set()).add(ROOMS[row.key])
    stems = [(prove.__name__.removeprefix("prove_"), room_of(prove)) for prove in DERIVATIONS]
    assert not [(stem, room) for stem, room in stems if room not in speaks.get(stem, {room})]
    assert sum(stem in speaks for stem, _ in stems) > 20


@pytest.mark.parametrize("below", ["theory", "algorithms"])
def test_tests_of_lower_floors_name_none_above(below: str) -> None:
    above = {"theory": ("algorithms", "proofs_check"), "algorithms": ("proofs_check",)}[below]
    for module in modules(f"tests.{below}"):
        roots = {name.split(".")[0] for name in imported(module)}
        assert not roots & {*above, "experiments"}, module.__name__
