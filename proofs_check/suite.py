"""The suite: every check as a cell, to be run one by one, in any order and process.

The survey's family-wise error: a verdict rests on statistical tests that together err with at most
TEST_ERROR, and a preset yields fewer than MOST_TESTS verdicts, so a run calls something true
refuted with probability below FAMILY_WISE_ERROR.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from algorithms.catalogue import FORMS, OPERATORS, PROBLEMS, ROWS, Row
from algorithms.core.names import look_up
from algorithms.topologies.base import PushTopology, Topology
from algorithms.topologies.gallery import examples
from proofs_check.cell import Cell, CellKind
from proofs_check.methods import equal_bits as workers
from proofs_check.prepare import IN_VARIANTS, REFERENCE, name_of
from proofs_check.refute.certified import DERIVATIONS
from proofs_check.refute.limited import limited_theorems
from proofs_check.registry import BOUND_CHECKS, CLOSED_FORMS, EFFECTS, STUDIES
from proofs_check.system_checks import SYSTEM_CHECKS
from proofs_check.table_iv.trials import table_cells


@final
@dataclass(frozen=True)
class Preset:
    """Amount of evidence: workers, steps and replicas of runs; ``slow`` stands for the MLP.

    Attributes:
        n: number of workers.
        steps: steps of runs on synthetic problems.
        replicas: replicas of runs on synthetic problems.
        data_steps: steps of runs on data sets.
        data_replicas: replicas of runs on data sets.
        slow_steps: steps of runs on the MLP.
        slow_replicas: replicas of runs on the MLP.
        dimension: length of rows that operators are checked at.
        everywhere: rows run on all their problems, effects are repeated in variants, and rates in T
            are fitted on all of these, in Table IV in every variable; else runs and studies on the
            MLP are left out, one of two problems of a regime (see :meth:`problems_of`), and rates
            are fitted on synthetic problems (see :meth:`fits_rates_on`), in Table IV in T alone.
    """

    n: int
    steps: int
    replicas: int
    data_steps: int
    data_replicas: int
    slow_steps: int
    slow_replicas: int
    dimension: int
    everywhere: bool

    def length(self, name: str) -> tuple[int, int]:
        """Steps and replicas of a run on the problem called ``name``."""
        if name.startswith("mlp"):
            return self.slow_steps, self.slow_replicas
        if name.startswith(_SYNTHETIC):
            return self.steps, self.replicas
        return self.data_steps, self.data_replicas

    def runs_on(self, name: str) -> bool:
        """Whether rows and studies run on the problem called ``name``."""
        return self.everywhere or not name.startswith("mlp")

    def problems_of(self, row: Row) -> tuple[str, ...]:
        """Problems that the row runs on: the first of all of them, if no other is left.

        A quick preset leaves out :data:`_SAME_REGIME` where it would show no more than the last of
        its pair: that a row which no theorem tunes makes progress, and pays its bill.
        """
        mine = tuple(filter(self.runs_on, row.problems)) or row.problems[:1]
        one, other = _SAME_REGIME
        spared = not self.everywhere and not row.theorems and {one, other} <= set(mine)
        return tuple(name for name in mine if name != one) if spared else mine

    def fits_rates_on(self, name: str, row: Row) -> bool:
        """Whether the row's rates in T are fitted there, which takes runs of further lengths: on
        synthetic problems, or on the first where it runs on no such; on the MLP only where it
        runs on nothing else."""
        if self.everywhere or name.startswith(_SYNTHETIC):
            return True
        alone = not any(other.startswith(_SYNTHETIC) for other in row.problems)
        first = next((p for p in row.problems if not p.startswith("mlp")), row.problems[0])
        return alone and name == first


_WATCHED_WORKERS = 8
_SYNTHETIC = ("quadratic", "consensus")
_SAME_REGIME = ("logreg-breast-cancer", "quadratic-unequal")  # both strongly convex, uneven workers

PRESETS: dict[str, Preset] = {
    "quick": Preset(16, 1000, 32, 500, 16, 200, 8, 100, everywhere=False),
    "full": Preset(16, 8000, 64, 8000, 64, 2000, 16, 1000, everywhere=True),
}


def cells(preset: str) -> tuple[Cell, ...]:
    """Every cell of a preset.

    Raises:
        UnknownName: there is no such preset.
    """
    effort = look_up("preset", preset, PRESETS)
    return (
        *_long_cells(effort), *_run_cells(effort), *_operator_cells(effort), *_worker_cells(),
        *_other_cells(effort),
    )  # fmt: skip


def _long_cells(effort: Preset) -> Iterator[Cell]:
    """Those that take longest come first: started last, one process would wait for the other."""
    yield Cell("", "", CellKind.MUTANTS)
    for study in (one for one in STUDIES if effort.runs_on(one.problem)):
        yield Cell(study.row, study.problem, CellKind.STUDY, study.name)
    yield Cell("", "", CellKind.INFLUENCES)
    for effect in EFFECTS.values():
        yield Cell(effect.row, effect.problem, CellKind.EFFECT)
        if effort.everywhere:
            yield Cell(effect.row, effect.problem, CellKind.EFFECT, IN_VARIANTS)
    for cells_of_trial in table_cells().values():
        yield from cells_of_trial


def _run_cells(effort: Preset) -> Iterator[Cell]:
    for r in (*ROWS, *FORMS.values()):
        for name in effort.problems_of(r):
            steps, replicas = effort.length(name)
            rates = effort.fits_rates_on(name, r)
            yield Cell(r.key, name, CellKind.RUN, "", (1,), replicas, steps, effort.n, rates)
        if r.recipe:
            yield Cell(r.key, _watched_on(r), CellKind.WATCHED, n=_WATCHED_WORKERS)


def _watched_on(row: Row) -> str:
    """The row's first problem but the MLP on digits, whose steps cost most."""
    return next(name for name in row.problems if name != "mlp-digits")


def _operator_cells(effort: Preset) -> Iterator[Cell]:
    for r in ROWS:
        for operator in r.operators:
            yield Cell(r.key, "", CellKind.OPERATOR, operator.name, (1,), n=effort.dimension)
    of_rows = {operator.name for r in ROWS for operator in r.operators}
    for name in OPERATORS:
        if name not in of_rows:
            yield Cell("", "", CellKind.OPERATOR, name, (1,), n=effort.dimension)


def _worker_cells() -> Iterator[Cell]:
    for r in ROWS:
        if workers.PROBLEM in r.problems:
            yield Cell(r.key, workers.PROBLEM, CellKind.WORKERS)


def _other_cells(effort: Preset) -> Iterator[Cell]:
    for entry in PROBLEMS:
        yield Cell("", entry.name, CellKind.PROBLEM, n=effort.n)
    for topology in examples(Topology):
        yield Cell("d-psgd", "", CellKind.TOPOLOGY, topology.name, n=topology.n)
    for pushed in examples(PushTopology):
        yield Cell("push-sum", "", CellKind.PUSH, pushed.name, n=pushed.n)
    yield Cell("d-psgd", "", CellKind.TOPOLOGY, REFERENCE)
    for prove in DERIVATIONS:
        yield Cell("", "", CellKind.PROOF, name_of(prove))
    for closed in CLOSED_FORMS:
        yield Cell("", "", CellKind.CLOSED_FORM, name_of(closed))
    for bound in BOUND_CHECKS:
        yield Cell(bound.row, bound.problem, CellKind.BOUND, bound.name)
    for theorem in limited_theorems():
        yield Cell("", "", CellKind.LIMIT, theorem.name)
    for check in SYSTEM_CHECKS:
        yield Cell(check.row, "", CellKind.SYSTEM, check.name)
