"""Subjects of a study: rows of the catalogue, or of a file of one's own with all that it states."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import NamedTuple

from algorithms.catalogue import FORMS, Row, row
from algorithms.engine.run import Diverged
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from experiments.listing.kept import ROOT
from experiments.ranks.user_objects import UserCodeError, faults_of, own
from proofs_check.audit.own_folders import PACKAGES, own_name
from proofs_check.effects import EFFECTS
from proofs_check.instruments.effect_check import EffectCheck
from proofs_check.methods.sweep_points import parts_of
from proofs_check.refute.claim import Claim
from proofs_check.refute.ours import claims_of
from theory.theorem import Theorem

_NOT_OWN = (
    *(ROOT / name for name in (*PACKAGES, "rateproof.py")),
    *(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")),
)
_BASELINES = ("d-psgd", "bsp-sgd")


class StudySubject(NamedTuple):
    """A row with what speaks of it.

    Attributes:
        name: as it was named: a key, ``ROW:FORM`` or ``MODULE:ATTRIBUTE``.
        row: the row.
        effect: what it is for; None: nothing is stated.
        claims: one's own theorems as they are attacked; none for a row of the catalogue.
    """

    name: str
    row: Row
    effect: EffectCheck | None = None
    claims: tuple[Claim, ...] = ()

    @property
    def own(self) -> bool:
        """Whether it is of a module of one's own."""
        return is_own(self.name)

    def attacked(self, theorem: Theorem) -> tuple[Claim, ...]:
        """The claims that a theorem makes of this row's method, or if none is stated so, of all."""
        if self.own:
            return tuple(one for one in self.claims if one.theorem is theorem)
        every = claims_of(theorem.name)
        return tuple(one for one in every if one.row == self.row.key) or every


def is_own(name: str) -> bool:
    """Whether a name is MODULE:ATTRIBUTE, not a form of a row."""
    return ":" in name and name not in FORMS


def subject(name: str) -> StudySubject:
    """The row of that name. A module of one's own may state, besides its row, an effect
    (``contrast`` with the row's key) and theorems (``rateproof.claim``) that the row's recipe has.

    Raises:
        ValueError: there is no such row, it is planned or none, or the module states two effects.
    """
    if not is_own(name):
        found = row(name)
        found.ready()
        return StudySubject(name, found, EFFECTS.get(found.key))
    mine = own(name)
    if not isinstance(mine, Row):
        raise ValueError(f"{name} must be a Row, got something of type {type(mine).__name__}")
    stated = vars(_module(name)).values()
    effects = [one for one in stated if isinstance(one, EffectCheck) and one.row == mine.key]
    if len(effects) > 1:
        raise ValueError(f"{name} must have one effect, its module states {len(effects)}")
    claims = tuple(one for one in stated if isinstance(one, Claim) and one.theorem in mine.theorems)
    return StudySubject(name, mine, effects[0] if effects else None, claims)


@contextmanager
def faults_among(subjects: Sequence[StudySubject]) -> Iterator[None]:
    """Inside, whatever is raised but bad input and divergence is a fault of a module of one's own:
    of the one in whose file it was raised, else of the first.

    Raises:
        UserCodeError: something was raised, and a subject is one's own.
    """
    try:
        yield
    except (ValueError, Diverged, UserCodeError):
        raise
    except Exception as error:  # a stranger's code may raise anything
        files = {frame.filename for frame in extract_tb(error.__traceback__)}
        mine = [one.name for one in subjects if one.own]
        if not mine:
            raise
        with faults_of(next((name for name in mine if _module(name).__file__ in files), mine[0])):
            raise


def baselines(of: StudySubject, problem: Problem) -> tuple[str, ...]:
    """Rows that a subject is compared with where none is named: synchronous SGD, and gossip where
    its method has a graph."""
    method: Method[object] = of.row.build(problem, 1)
    gossip = any(isinstance(part, Topology) for part in parts_of(method))
    return tuple(key for key in _BASELINES if key != of.row.key and (gossip or key != "d-psgd"))


def _module(name: str) -> ModuleType:
    return sys.modules[own_name(name.partition(":")[0])]


def sources(names: Sequence[str]) -> dict[str, bytes]:
    """Files of one's own that subjects are made of, by their paths from the folder that they are
    imported from: their modules, and all modules in it that are imported by now."""
    roots = {_import_folder(name.partition(":")[0]) for name in names if is_own(name)}
    found: dict[str, bytes] = {}
    for module in tuple(sys.modules.values()) if roots else ():
        place = Path(getattr(module, "__file__", None) or "")
        if not place.is_absolute() or place.suffix != ".py":
            continue
        file = place.resolve()
        if any(file.is_relative_to(folder) for folder in _NOT_OWN):
            continue
        for root in roots & set(file.parents):
            found[file.relative_to(root).as_posix()] = file.read_bytes()
    return dict(sorted(found.items()))


def _import_folder(module: str) -> Path:
    """Folder that the top-level package of a module lies in."""
    file = Path(str(sys.modules[own_name(module)].__file__)).resolve()
    return file.parents[module.count(".") + (file.name == "__init__.py")]
