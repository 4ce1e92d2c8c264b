"""Evidence of Table IV: a trial for each cell, bills to the bit, and faults that are refuted."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from algorithms.catalogue import PROBLEMS, row
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.facts import ExponentFacts, TrafficFacts
from proofs_check.instruments.rates import fit_power
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.methods.sweep_points import SweepPoint, of_parts, points, value_at
from proofs_check.table_iv.formulas import traffic
from proofs_check.table_iv.measure import (
    _points,
    _run,
    _verdict,
    run_result,
    table_result,
)
from proofs_check.table_iv.trial import TableTrial
from proofs_check.table_iv.trials import TRIALS, table_cells, trial_of
from proofs_check.verdict import Outcome
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.survey.classification import Compression, Objective, Scheme
from theory.survey.convergence import (
    TABLE_IV,
    CostPoint,
    Factor,
    server_cost,
    worker_cost,
)

BSP_CONVEX, BSP_NONCONVEX = (TRIALS[f"PS, BSP, Null, {o}"] for o in Objective)


def bill(name: str) -> TrafficFacts:
    """The bill of 40 steps of four replicas."""
    trial = replace(TRIALS[name], steps=40)
    place = SweepPoint(trial.row, trial.build(trial.n), trial.steps)
    return traffic(trial, _run(trial, place, 4, 1, records=2))


def test_every_cell_of_the_table_has_a_trial_and_all_reduce_the_servers() -> None:
    used = {trial_of(line.name, o).name for line in TABLE_IV for o in Objective}
    assert used == set(TRIALS)
    own = {(line.name, o) for line in TABLE_IV for o in Objective if line.architecture != "A.R."}
    assert {(trial.line, trial.objective) for trial in TRIALS.values()} == own
    assert trial_of("A.R., L-SGD, Null", Objective.CONVEX).line == "PS, L-SGD, Null"


def test_every_trial_fits_T_first_on_a_problem_of_the_catalogue() -> None:
    problems = {entry.name for entry in PROBLEMS}
    for name, cells in table_cells().items():
        trial = TRIALS[name]
        assert trial.variables[0] == "T"
        assert trial.problem in problems
        assert trial.row.key == row(trial.row.key).key
        assert [cell.name for cell in cells] == [f"{name} in {v}" for v in trial.variables]


MOVED = [(trial, v) for trial in TRIALS.values() for v in trial.variables if v != "T"]


def values(trial: TableTrial, variable: str) -> set[float]:
    """What the variable takes in a cell's runs, on graphs and settings that its method takes."""
    found = set()
    for place in points(trial.row, trial.build, variable, trial.n, 64, ()):
        try:
            method = place.row.build(place.problem, 64)
        except ValueError:
            continue
        known = of_parts(method, place.problem.d).merge(method.constants(place.problem))
        found.add(value_at(variable, known, place))
    return {at for at in found if at is not None}


@pytest.mark.parametrize(("trial", "variable"), MOVED, ids=lambda one: getattr(one, "name", one))
def test_every_other_variable_that_a_cell_names_moves(trial: TableTrial, variable: str) -> None:
    """Enough for an exponent: H and gap of compressed gossip with local steps, and the gap of
    pairs, were stated by no method and had none."""
    assert len(values(trial, variable)) >= 4


def test_no_cell_is_left_with_T_alone_and_schemes_have_their_own_variable() -> None:
    own = {Scheme.SSP: "tau", Scheme.LOCAL: "H"}
    for trial in TRIALS.values():
        assert "n" in trial.variables, trial.name
        for scheme, variable in own.items():
            assert (scheme in trial.line) <= (variable in trial.variables), trial.name
        if trial.line.startswith("Gossip"):
            assert "gap" in trial.variables, trial.name
        assert ("PS, ASP" in trial.line) <= ("tau" in trial.variables), trial.name
        if not trial.line.endswith(Compression.NONE):
            assert "s" in trial.variables, trial.name
        if not trial.line.endswith(Compression.NONE) and trial.line != "Gossip, ASP, Quant.":
            assert {"omega", "delta"} & set(trial.variables), trial.name


def test_s_has_an_order_only_where_the_operators_constant_has_the_power_0() -> None:
    assert TRIALS["PS, BSP, Spars., convex"].order_in("s") == 0  # mem_sgd: delta leaves 1/T alone
    assert TRIALS["PS, BSP, Quant., convex"].order_in("omega") == 1  # no power of the levels
    assert TRIALS["PS, BSP, Quant., convex"].order_in("s") is None
    assert TRIALS["PS, ASP, Spars., convex"].order_in("s") is None  # nobody states a rate


def test_what_parts_say_stands_where_a_method_states_nothing() -> None:
    trial = TRIALS["Gossip, L-SGD, Spars., convex"]
    method = trial.row.build(trial.build(4), 8)
    known, own = method.constants(trial.build(4)), of_parts(method, 10)
    assert known.H is known.lam is known.delta is None
    assert (own.H, own.delta) == (4, 0.3)  # top-k of a quarter keeps 3 of 10
    assert own.lam == pytest.approx(1 / 3)


def test_what_compresses_does_in_the_lines_that_say_so() -> None:
    for trial in TRIALS.values():
        compresses = bool(trial.row.operators)
        assert compresses is (not trial.line.endswith(Compression.NONE)), trial.name


@pytest.mark.parametrize("line", [one for one in TABLE_IV if one.architecture != "A.R."],
                         ids=lambda line: line.name)  # fmt: skip
def test_the_ledger_agrees_with_the_cost_columns(line: object) -> None:
    """To the bit; on average within 2 percent where a mask has no fixed number of coordinates, and
    within the schedule's last, unfinished round where models are fetched."""
    from theory.survey.convergence import ConvergenceLine

    assert isinstance(line, ConvergenceLine)
    found = bill(f"{line.name}, convex")
    at = CostPoint(
        found.numbers, found.workers, found.iterations, found.peers, found.period, found.kept,
        found.coded, found.float_bits,
    )  # fmt: skip
    at_random = line.name == "Gossip, ASP, Spars."
    worker = worker_cost(line)
    assert Factor.WORKERS not in worker.factors
    assert found.sent == pytest.approx(worker.bits(at), rel=0.1 if at_random else 1e-12)
    server = server_cost(line)
    if server is not None:
        busier = max(found.sent_by_all, found.heard_by_all)
        assert busier <= server.bits(at) * (1 + 1e-12)
        if not TRIALS[f"{line.name}, convex"].scheduled:
            assert busier == pytest.approx(server.bits(at), rel=1e-12)


def test_an_exponent_of_plain_sgd_is_held_to_its_theorem() -> None:
    found = table_result(BSP_NONCONVEX, "T", 16, 1)
    (verdict,) = found.verdicts
    assert verdict.outcome is Outcome.SUPPORTED
    assert verdict.theorem == "bsp_nonconvex"
    assert verdict.bound == -0.5
    assert len(found.curves) == 1
    assert {type(one) for one in found.facts} == {ExponentFacts, TrafficFacts}


@pytest.mark.parametrize(("trial", "gamma"), [(BSP_CONVEX, 0.4), (BSP_NONCONVEX, 0.0005)])
def test_a_method_with_other_stepsizes_than_it_is_given_is_refuted(
    trial: object, gamma: float
) -> None:
    """A planted fault: constant steps leave a floor in the convex cell, tiny ones go nowhere."""
    assert isinstance(trial, TableTrial)
    stuck = replace(
        trial.row.ready(), build=lambda s, _p, _t: BSP(ConstantStep(gamma + 1e-9 * s(0)))
    )
    mutant = replace(trial, row=replace(trial.row, recipe=stuck))
    (verdict,) = run_result(mutant, "T", 32, 1).verdicts
    assert verdict.outcome is Outcome.REFUTED


@pytest.mark.slow
def test_an_order_in_n_is_held_to_where_the_bound_of_the_runs_has_it() -> None:
    """Copies leave all constants but n as they are, and PR-SGD's error falls by its order where its
    own bound grows with n (drift, at H = 4). Were the bound to fall by the order, runs whose error
    falls by n^-0.38 would be refuted."""
    trial = TRIALS["PS, L-SGD, Null, non-convex"]
    found = _points(trial, "n", 32, 1)
    assert found.theorem is not None and found.bounds is not None and found.formula is not None
    names = {field.name for field in fields(Constants)} - {"n", "statements"}
    for one in found.settings:
        assert all(getattr(one, name) == getattr(found.settings[0], name) for name in names)
    fit = fit_power(found.x, found.samples, TEST_ERROR, groups=32)
    verdict = _verdict(trial, "n", found, fit, 1)
    assert verdict.outcome is Outcome.SUPPORTED
    assert (verdict.order, verdict.bound) == ("n^-0.5", found.formula.power)
    assert "its leading term does not rule yet" in verdict.evidence
    falling = found._replace(bounds=found.x**-0.5, samples=found.samples * found.x**0.1)
    assert _verdict(trial, "n", falling, fit_power(found.x, falling.samples, TEST_ERROR, groups=32),
                    1).outcome is Outcome.REFUTED  # fmt: skip


def test_the_exponent_of_a_formula_is_that_of_its_terms() -> None:
    """Plain SGD at gamma = c sqrt(n): both terms fall as n^-1/2. Local SGD's drift grows as H^2,
    with G2 at the start in the place of one that no quadratic has."""
    found = _points(replace(BSP_NONCONVEX, steps=64), "n", 2, 1)
    assert found.formula is not None and found.formula.description == ""
    assert found.formula.power == pytest.approx(-0.5, abs=1e-4)
    local = _points(replace(TRIALS["PS, L-SGD, Null, convex"], steps=256), "H", 2, 1).formula
    assert local is not None and "G2 as it is at the start" in local.description
    assert 1.9 < local.power < 2
    nobody = _points(replace(TRIALS["PS, SSP, Quant., convex"], steps=64), "tau", 2, 1)
    assert nobody.formula is None, "no source states a rate"


def test_what_diverges_is_left_out_and_said() -> None:
    """At the consensus step 1/2 CHOCO with a twentieth of the coordinates diverges."""
    found = _points(replace(TRIALS["Gossip, BSP, Spars., convex"], steps=256), "delta", 2, 1)
    assert "left out, since the error grew there: 0.05)" in found.description
    assert found.x.tolist() == [0.1, 0.2, 0.4, 0.8]


def test_a_cell_without_a_fit_says_why() -> None:
    (verdict,) = table_result(BSP_CONVEX, "tau", 4, 1).verdicts
    assert verdict.outcome is Outcome.NOT_APPLICABLE
    assert "no fit: row 'bsp-sgd' has no parameter that moves tau" in verdict.evidence
