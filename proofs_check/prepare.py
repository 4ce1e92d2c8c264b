"""Computation of a cell: a function and its arguments, looked up by the cell's kind and name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from algorithms.catalogue import OPERATORS, Row, entry_called, row
from algorithms.compressors.base import Compressor
from algorithms.core.names import look_up
from algorithms.engine.run import one_thread
from algorithms.problems.base import Problem
from algorithms.topologies.base import PushTopology, Topology
from algorithms.topologies.gallery import examples
from algorithms.tuning.grid import Best, Budget
from algorithms.tuning.stored import still_of, tunings
from proofs_check.bounds.check import BoundCheck
from proofs_check.cell import Cell, CellKind, CellResult
from proofs_check.compressors.check import check_compressor
from proofs_check.compressors.facts import operator_facts
from proofs_check.compressors.tradeoff import tradeoff
from proofs_check.instruments.effect_check import EffectCheck
from proofs_check.instruments.second_run import confirmed
from proofs_check.instruments.study import RowCheck
from proofs_check.methods.equal_bits import error_at_budget
from proofs_check.methods.influences import influences
from proofs_check.methods.run_invariants import run_invariants
from proofs_check.methods.runs import run_row
from proofs_check.methods.watched_instance import watched_instance
from proofs_check.mutants.report import MutantOutcome, refute_all
from proofs_check.problems.check import check_problem
from proofs_check.refute.certified import DERIVATIONS, prove_best_constants
from proofs_check.refute.limited import limited_theorems
from proofs_check.refute.step_limits import kept_case, limit_result, records
from proofs_check.registry import BOUND_CHECKS, CLOSED_FORMS, EFFECTS, STUDIES
from proofs_check.system_checks import SYSTEM_CHECKS
from proofs_check.table_iv.measure import table_result
from proofs_check.table_iv.trial import TableTrial
from proofs_check.table_iv.trials import TRIALS
from proofs_check.topologies.facts import topology_facts
from proofs_check.topologies.mixing import check_reference, check_topology
from proofs_check.topologies.push import check_push
from proofs_check.verdict import CheckKind, Outcome, Verdict

REFERENCE = "reference values"
"""Name of the cell that holds the project's matrices against published ones."""

IN_VARIANTS = "in variants"
"""Name of the cell that repeats an effect elsewhere."""

_VARIANTS_SEED = 201

Build = Callable[[int], Problem]
Prepared = Callable[[], CellResult]
_Preparation = Callable[[Cell, str], Prepared]


def run_cell(cell: Cell) -> CellResult:
    """Run one cell, torch's own operations in one thread.

    Raises:
        ValueError: the cell's check is not one of this suite.
    """
    with one_thread():
        return prepare(cell)()


def prepare(cell: Cell) -> Callable[[], CellResult]:
    """Computation of a cell with all of its inputs looked up: a function and its arguments.

    So what the result depends on can be read off this value alone.

    Raises:
        ValueError: the cell's check is not one of this suite.
    """
    of = row(cell.row) if cell.row else None
    of_row = (of.base, of.form) if of else ("", "")
    return partial(_labelled, _PREPARED[cell.kind](cell, cell.name), _KINDS[cell.kind], *of_row)


def _labelled(measure: Prepared, kind: CheckKind, of: str, form: str) -> CellResult:
    """Result of a cell; a verdict that names no row or sort of check gets those of the cell."""
    found = measure()
    verdicts = [v if v.row else replace(v, row=of, form=form) for v in found.verdicts]
    told = (replace(v, kind=kind) if v.kind is CheckKind.UNKNOWN else v for v in verdicts)
    return found._replace(verdicts=tuple(told))


def _run(cell: Cell, _: str) -> Prepared:
    return partial(_run_of, row(cell.row), entry_called(cell.problem).build, cell, _kept(cell))


def _kept(cell: Cell) -> Best | None:
    """Stored tuning of the row on the problem; whether of this method is seen when it is run."""
    return tunings().get(cell.row, {}).get(cell.problem)


def _run_of(of: Row, build: Build, cell: Cell, best: Best | None) -> CellResult:
    built = build(cell.n)
    play = partial(
        run_row, of, built, steps=cell.steps, replicas=cell.replicas, seed=cell.seeds[0],
        rates=cell.rates, best=still_of(of, built, best), both=cell.problem == of.problems[0],
    )  # fmt: skip
    return confirmed(play, rates_only=True)


def _watched(cell: Cell, _: str) -> Prepared:
    return partial(_watched_of, row(cell.row), entry_called(cell.problem).build, cell)


def _watched_of(of: Row, build: Build, cell: Cell) -> CellResult:
    return run_invariants(of, build(cell.n), cell.seeds[0])


def _operator(cell: Cell, name: str) -> Prepared:
    return partial(_operator_of, look_up("operator", name, OPERATORS), cell)


def _operator_of(operator: Compressor, cell: Cell) -> CellResult:
    verdicts = check_compressor(operator, d=cell.n, seed=cell.seeds[0])
    facts = operator_facts(operator, cell.n)
    return CellResult(verdicts, tradeoff(operator, cell.n, cell.seeds[0]), (facts,))


def _workers(cell: Cell, _: str) -> Prepared:
    return partial(_workers_of, row(cell.row), entry_called(cell.problem).build, cell, _kept(cell))


def _workers_of(of: Row, build: Build, cell: Cell, best: Best | None) -> CellResult:
    return error_at_budget(of, build, cell.seeds[0], best=still_of(of, build(Budget().n), best))


def _problem(cell: Cell, _: str) -> Prepared:
    return partial(_problem_of, entry_called(cell.problem).build, cell)


def _problem_of(build: Build, cell: Cell) -> CellResult:
    return CellResult(check_problem(build(cell.n), seed=cell.seeds[0]))


def _topology(cell: Cell, name: str) -> Prepared:
    if name == REFERENCE:
        return partial(_verdicts_of, check_reference)
    by_name = {topology.name: topology for topology in examples(Topology)}
    return partial(_topology_of, look_up("topology", name, by_name))


def _topology_of(topology: Topology) -> CellResult:
    return CellResult(check_topology(topology), (), (topology_facts(topology),))


def _push(cell: Cell, name: str) -> Prepared:
    by_name = {topology.name: topology for topology in examples(PushTopology)}
    return partial(_verdicts_of, check_push, look_up("push topology", name, by_name))


def _proof(cell: Cell, name: str) -> Prepared:
    prove = look_up("proof", name, {name_of(p): p for p in DERIVATIONS})
    if cell.row and prove is prove_best_constants:
        return partial(_verdict_of, partial(prove_best_constants, row=cell.row))
    return partial(_verdict_of, prove)


def _closed(cell: Cell, name: str) -> Prepared:
    by_name = {name_of(c): c for c in CLOSED_FORMS}
    return partial(_verdicts_of, look_up("closed form", name, by_name))


def _limit(cell: Cell, name: str) -> Prepared:
    theorem = look_up("theorem", name, {one.name: one for one in limited_theorems()})
    record = records().get(name)
    case = kept_case(record)
    measure = partial(limit_result, theorem, record, case)
    if case is None or case.claim.problem is None:
        return measure
    watched = partial(watched_instance, row(case.claim.row), case.claim.make)
    return partial(_limit_of, measure, watched, case.claim.problem)


def _limit_of(
    measure: Callable[[], CellResult],
    watched: Callable[[Problem], tuple[Verdict, ...]],
    setting: Callable[[], Problem],
) -> CellResult:
    """A stepsize limit at its edge, and the method that it was kept of watched for a few steps:
    that may be another row's, which nothing else of a row with this theorem makes."""
    found = measure()
    return found._replace(verdicts=(*found.verdicts, *watched(setting())))


def _row_check(words: str, checks: Sequence[RowCheck], **repeated: bool) -> _Preparation:
    """Preparation of one of ``checks`` by its name; what it refutes is run again where ``repeated``
    says how (:func:`~.second_run.confirmed`)."""

    def prepared(_: Cell, name: str) -> Prepared:
        measure = look_up(words, name, {one.name: one for one in checks}).result
        return partial(confirmed, measure, **repeated) if repeated else measure

    return prepared


def _bound(cell: Cell, name: str) -> Prepared:
    check = look_up("bound", name, {one.name: one for one in BOUND_CHECKS})
    return partial(_bound_of, check, row(cell.row))


def _bound_of(check: BoundCheck, of: Row) -> CellResult:
    """A bound on the curve of a method, and that method watched for a few steps."""
    found = confirmed(check.result, rates_only=True)
    watched = watched_instance(of, check.make, check.setting())
    return found._replace(verdicts=(*found.verdicts, *watched))


def _effect(cell: Cell, name: str) -> Prepared:
    effect = look_up("effect of row", cell.row, EFFECTS)
    return partial(_variants_of if name == IN_VARIANTS else _effect_of, effect)


def _influences(cell: Cell, _: str) -> Prepared:
    return influences


def _table_iv(cell: Cell, name: str) -> Prepared:
    known = {one.cell_name(v): (one, v) for one in TRIALS.values() for v in one.variables}
    trial, variable = look_up("cell of Table IV", name, known)
    return partial(_table_iv_of, trial, variable, cell)


def _table_iv_of(trial: TableTrial, variable: str, cell: Cell) -> CellResult:
    measure = partial(table_result, trial, variable, cell.replicas, cell.seeds[0])
    return confirmed(measure, rates_only=True)


def _mutants(cell: Cell, _: str) -> Prepared:
    return _mutants_of


def _mutants_of() -> CellResult:
    return CellResult(tuple(_mutant_verdict(outcome) for outcome in refute_all()))


def _verdict_of(check: Callable[..., Verdict], *subject: object) -> CellResult:
    return CellResult((check(*subject),))


def _verdicts_of(check: Callable[..., tuple[Verdict, ...]], *subject: object) -> CellResult:
    return CellResult(check(*subject))


def _effect_of(effect: EffectCheck) -> CellResult:
    return effect.result()


def _variants_of(effect: EffectCheck) -> CellResult:
    return effect.over_variants(_VARIANTS_SEED)


def _mutant_verdict(outcome: MutantOutcome) -> Verdict:
    """A mutant's own line: caught, or refuted if it got through."""
    return Verdict(
        subject=outcome.name,
        claim=f"the check refutes a planted fault: {outcome.planted}",
        check="mutant",
        kind=CheckKind.MUTANT,
        outcome=Outcome.CAUGHT if outcome.refuted else Outcome.REFUTED,
        evidence=f"{outcome.check}: {outcome.evidence}",
    )


def name_of(check: Callable[..., object]) -> str:
    """``room.function``: what tells checks of one kind apart, in whatever file of a room they lie.

    A family's evidence is a room.
    """
    _, room, *rest = check.__module__.split(".")
    return f"{rest[0] if room == 'evidence' else room}.{check.__name__}"


_KINDS: dict[CellKind, CheckKind] = {
    CellKind.RUN: CheckKind.PROGRESS,
    CellKind.WATCHED: CheckKind.INVARIANT,
    CellKind.OPERATOR: CheckKind.OPERATOR,
    CellKind.WORKERS: CheckKind.WORKERS,
    CellKind.PROBLEM: CheckKind.PROBLEM,
    CellKind.TOPOLOGY: CheckKind.TOPOLOGY,
    CellKind.PUSH: CheckKind.TOPOLOGY,
    CellKind.PROOF: CheckKind.PROOF,
    CellKind.CLOSED_FORM: CheckKind.CLOSED_FORM,
    CellKind.BOUND: CheckKind.BOUND,
    CellKind.LIMIT: CheckKind.LIMIT,
    CellKind.STUDY: CheckKind.STUDY,
    CellKind.EFFECT: CheckKind.EFFECT,
    CellKind.SYSTEM: CheckKind.SYSTEM,
    CellKind.INFLUENCES: CheckKind.INFLUENCE,
    CellKind.TABLE_IV: CheckKind.RATE,
    CellKind.MUTANTS: CheckKind.MUTANT,
}
"""Sort of the checks of a cell that say none themselves."""

_PREPARED: dict[CellKind, _Preparation] = {
    CellKind.RUN: _run,
    CellKind.WATCHED: _watched,
    CellKind.OPERATOR: _operator,
    CellKind.WORKERS: _workers,
    CellKind.PROBLEM: _problem,
    CellKind.TOPOLOGY: _topology,
    CellKind.PUSH: _push,
    CellKind.PROOF: _proof,
    CellKind.CLOSED_FORM: _closed,
    CellKind.BOUND: _bound,
    CellKind.LIMIT: _limit,
    CellKind.STUDY: _row_check("study", STUDIES, rates_only=False),
    CellKind.EFFECT: _effect,
    CellKind.SYSTEM: _row_check("check of a system", SYSTEM_CHECKS),
    CellKind.INFLUENCES: _influences,
    CellKind.TABLE_IV: _table_iv,
    CellKind.MUTANTS: _mutants,
}
