"""``python -m experiments.power.planted_orders [ROW ...]``: wrong orders, planted in rows.

Of every order without constants that a row's results state, the exponent of each variable is moved
by 1/2 and by 1 to either side, and the row's own check judges it on the cell of the quick survey,
as it judges the true one beside it. A smaller power must be refuted. A larger one is a weaker
statement, which is true as well: it is told apart where the true order is attained, and it is not.
Where the survey's looks do not show that the true order is attained, longer ones are taken, or
exact moments where the method is linear. Exit code 1: a true order was refuted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import NamedTuple, final

from algorithms.catalogue import METHODS, Row, problem
from algorithms.engine.run import Diverged, one_thread
from proofs_check.cell import Cell, CellKind
from proofs_check.instruments.standings import RateStanding, standing_of
from proofs_check.instruments.stated_orders import SHIFTS
from proofs_check.instruments.stated_orders import counts as of_theorems
from proofs_check.methods.order_rates import (
    OrderRate,
    against_order,
    against_workers,
    stated_order_of,
)
from proofs_check.methods.order_runs import OrderRuns
from proofs_check.methods.run_rates import place_of_rate
from proofs_check.methods.tuned_run import TunedRun, tuned_run
from proofs_check.moments.reasons import NotLinear
from proofs_check.suite import cells
from proofs_check.table_iv.exact_orders import exact_order_exponent
from proofs_check.table_iv.planted import counts as of_table_iv
from proofs_check.verdict import Outcome
from theory.theorem import Order, OrderOnly

_JUDGES = {"T": against_order, "n": against_workers}


class PlantedOutcome(StrEnum):
    """How a planted order stands, the first two of them seen."""

    REFUTED = "refuted"
    APART = "no longer attained, as the true order is"
    UNSEEN = "stands: the check does not look at this variable of this order"
    UNSHOWN = "stands: weaker upper bound, and no instance attains the true order"
    FASTER = "stands: everything tried falls as fast as this, faster than the true order"
    COARSE = "stands: the interval holds it"

    @property
    def seen(self) -> bool:
        """Whether the check tells it from the true order."""
        return self in (PlantedOutcome.REFUTED, PlantedOutcome.APART)


@final
class PlantedOrder(NamedTuple):
    """A wrong exponent in an order of a row.

    Attributes:
        row: the row's key.
        order: name of the order.
        variable: whose exponent it is.
        power: the wrong exponent.
        outcome: how it stands.
        in_survey: whether the looks that a survey takes tell it from the true order.
    """

    row: str
    order: str
    variable: str
    power: float
    outcome: PlantedOutcome
    in_survey: bool = False

    def __str__(self) -> str:
        return f"  {self.variable}^{self.power:g}: {self.outcome}"


_Judge = Callable[[OrderOnly], OrderRate]


@final
class PlantedRow(NamedTuple):
    """All that is planted in one exponent of a row.

    Attributes:
        told: the true order, and how the row stands to it.
        refuted: whether the true order was refuted.
        planted: the wrong ones.
    """

    told: str
    refuted: bool
    planted: tuple[PlantedOrder, ...]


def orders_of(row: Row) -> Iterator[tuple[OrderOnly, str]]:
    """Orders that a row's results state without constants, with each of their variables."""
    for result in (*row.theorems, *row.results):
        if isinstance(result, OrderOnly) and result.order is not None:
            yield from ((result, name) for name in result.order.exponents)


def moved(stated: OrderOnly, variable: str, by: Fraction | int) -> OrderOnly:
    """The order with one exponent moved, at the stepsizes of the true one."""
    assert stated.order is not None
    own = stated.order.exponents
    return replace(stated, order=Order({**own, variable: own[variable] + Fraction(by)}))


def planted_in(row: Row, stated: OrderOnly, variable: str, cell: Cell) -> PlantedRow:
    """Every wrong exponent of one variable, judged by the row's own check."""
    assert stated.order is not None
    result = tuned_run(
        row, problem(cell.problem, cell.n), cell.steps, cell.replicas, cell.seeds[0], points=2
    )
    name = f"{row.key}, {stated.name} {stated.order}, {variable}"
    if variable not in _JUDGES or stated_order_of(result, variable) is not stated:
        left = _all_alike(row, stated, variable, PlantedOutcome.UNSEEN)
        return PlantedRow(f"{name}: not looked at", False, left)
    runs, look = OrderRuns(result, stated), _JUDGES[variable]
    try:
        at_once = look(result, stated, runs).standing is RateStanding.ATTAINED
        judge, true, how = _judge(result, stated, variable, runs)
    except (Diverged, ValueError) as error:
        left = _all_alike(row, stated, variable, PlantedOutcome.UNSEEN)
        return PlantedRow(f"{name}: {error}", False, left)
    attained = true.standing is RateStanding.ATTAINED
    found = []
    for by in SHIFTS:
        wrong = moved(stated, variable, by)
        outcome = outcome_of(judge(wrong), attained=attained, faster=by < 0)
        survey = outcome_of(look(result, wrong, runs), attained=at_once, faster=by < 0)
        power = _power(wrong, variable)
        found.append(PlantedOrder(row.key, stated.name, variable, power, outcome, survey.seen))
    verdict = true.verdict
    told = f"{name}: {verdict.statistic:.3f} ± {verdict.uncertainty:.3f}, {true.standing} {how}"
    return PlantedRow(told, verdict.outcome is Outcome.REFUTED, tuple(found))


def outcome_of(found: OrderRate, *, attained: bool, faster: bool) -> PlantedOutcome:
    """How a planted order stands by what the check found of it; ``attained``: the true one is."""
    if found.verdict.outcome is Outcome.REFUTED:
        return PlantedOutcome.REFUTED
    if attained and found.standing is not RateStanding.ATTAINED:
        return PlantedOutcome.APART
    if not faster:
        return PlantedOutcome.UNSHOWN
    falls = found.standing is RateStanding.FASTER
    return PlantedOutcome.FASTER if falls else PlantedOutcome.COARSE


def _power(stated: OrderOnly, variable: str) -> float:
    assert stated.order is not None
    return float(stated.order.exponents[variable])


def _all_alike(
    row: Row, stated: OrderOnly, variable: str, outcome: PlantedOutcome
) -> tuple[PlantedOrder, ...]:
    powers = [_power(moved(stated, variable, by), variable) for by in SHIFTS]
    return tuple(PlantedOrder(row.key, stated.name, variable, at, outcome) for at in powers)


def _judge(
    result: TunedRun, stated: OrderOnly, variable: str, runs: OrderRuns
) -> tuple[_Judge, OrderRate, str]:
    """The first of a survey's looks, exact moments and longer looks that finds the true order
    attained, with what it finds; else the first of them."""
    look = _JUDGES[variable]
    exact = cache(lambda: exact_order_exponent(runs))

    def survey(at: OrderOnly) -> OrderRate:
        return look(result, at, runs)

    def exactly(at: OrderOnly) -> OrderRate:
        found = survey(at)
        if variable != "T":
            return found
        try:
            slope, half = exact()
        except (NotLinear, ValueError):
            return found
        return found._replace(standing=standing_of(slope, half, _power(at, "T"), None))

    def longer(at: OrderOnly) -> OrderRate:
        return look(result, at, runs, thorough=True)

    first = survey(stated)
    looks: dict[_Judge, str] = {
        survey: "in the survey's looks", exactly: "by exact moments", longer: "in longer looks",
    }  # fmt: skip
    for judge, how in looks.items():
        found = first if judge is survey else judge(stated)
        if found.standing is RateStanding.ATTAINED or found.verdict.outcome is Outcome.REFUTED:
            return judge, found, how
    return survey, first, looks[survey]


def cell_of(row: Row) -> Cell:
    """The cell of the quick survey in which the row's rate is decided."""
    own = [one for one in cells("quick") if one.kind is CellKind.RUN and one.row == row.key]
    return next((one for one in own if one.problem == place_of_rate(row)), own[0])


def main(names: Sequence[str]) -> int:
    """Print what stands, line by line, and the counts; the exit code."""
    counts: Counter[PlantedOutcome] = Counter()
    wrong = in_survey = 0
    with one_thread():
        for row in (row for row in METHODS if row.key in names or not names):
            for stated, variable in orders_of(row):
                found = planted_in(row, stated, variable, cell_of(row))
                counts.update(one.outcome for one in found.planted)
                wrong += found.refuted
                in_survey += sum(one.in_survey for one in found.planted)
                print(f"{found.told}{'; THE TRUE ORDER IS REFUTED' if found.refuted else ''}")
                print(*(str(one) for one in found.planted), sep="\n", flush=True)
        seen, many = sum(counts[one] for one in PlantedOutcome if one.seen), counts.total()
        print("; ".join(f"{counts[one]} of {many} {one}" for one in PlantedOutcome))
        print(f"{in_survey} of the {seen} that are told apart are by the looks that a survey takes")
        if not names:
            others = {"theorems": of_theorems(), "Table IV": of_table_iv(), "orders": (seen, many)}
            all_seen, of = (sum(column) for column in zip(*others.values(), strict=True))
            each = ", ".join(f"{name} {one} of {total}" for name, (one, total) in others.items())
            print(f"{each}: {all_seen} of {of}, {all_seen / of:.1%}")
    return int(wrong > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m experiments.power.planted_orders")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    raise SystemExit(main(parser.parse_args().rows))
