"""Table IV of survey 002 with its evidence: what the survey says, what was run, what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, final

from proofs_check.cell import Cell, CellResult
from proofs_check.facts import ExponentFacts, TrafficFacts
from proofs_check.instruments.standings import RateStanding, in_regime, order_of, standing
from proofs_check.table_iv.trial import TableTrial
from proofs_check.table_iv.trials import table_cells, trial_of
from theory.survey.classification import Objective
from theory.survey.convergence import (
    TABLE_IV,
    ConvergenceLine,
    CostFormula,
    CostPoint,
    Factor,
    StatedRate,
    server_cost,
    worker_cost,
)


@final
@dataclass(frozen=True)
class Exponent:
    """One fitted exponent of a cell.

    Attributes:
        variable: what was varied.
        standing: how it stands to the order.
        slope: the exponent, None where there is no fit.
        half_width: of its interval.
        order: the stated exponent, None: none is.
        own: the exponent of the theorem's own bound over the points, None where it is not known.
        regime: whether that is the order within 0.05; None where no bound is known.
        exact: whether it has no noise: expectations over all draws.
        instance: the problem it was measured on, and what that states.
        unstated: why no order is stated, empty where one is.
        changes: what was changed and gave another standing, with that standing.
        tried: what was changed at all.
        evidence: how it was found.
        provenance: seeds, replicas, steps.
        theorem: the theorem or order behind it, or empty.
    """

    variable: str
    standing: RateStanding
    slope: float | None = None
    half_width: float | None = None
    order: float | None = None
    evidence: str = ""
    provenance: str = ""
    theorem: str = ""
    own: float | None = None
    regime: bool | None = None
    exact: bool = False
    instance: str = ""
    unstated: str = ""
    changes: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()

    @property
    def regime_told(self) -> str:
        """Whether the horizons measured are those at which the bound's leading term rules."""
        if self.order is None or self.slope is None:
            return ""
        if self.regime is None:
            return "no bound to tell the regime by"
        return "regime reached" if self.regime else "regime not reached"

    @property
    def stability_told(self) -> str:
        """Whether the standing is the same under other seeds, horizons and first stepsizes."""
        if self.order is None or self.slope is None or self.variable != "T":
            return ""
        if not self.tried:
            return "other seeds, horizons and first stepsizes were not tried here"
        if not self.changes:
            return f"the same standing under {', '.join(self.tried)}"
        return f"the standing changes: {', '.join(self.changes)}"


@final
@dataclass(frozen=True)
class CostColumn:
    """A cost column: the ledger's bits against the formula at the same N, n, T, b, k.

    Attributes:
        who: server or worker.
        printed: the survey's formula; empty: it has none, and that of its rule is used.
        formula: the formula in use.
        erratum: the erratum between the two, or empty.
        measured: the ledger's bits.
        stated: the formula's bits.
    """

    who: str
    printed: str
    formula: str
    erratum: str
    measured: float
    stated: float

    @property
    def ratio(self) -> float:
        """The ledger's over the formula's; NaN where that is 0."""
        return self.measured / self.stated if self.stated else float("nan")


@final
@dataclass(frozen=True)
class TableCell:
    """A cell of Table IV: the survey's entry and its evidence.

    Attributes:
        line: the table's line.
        objective: the column.
        stated: the survey's entry, None where it is blank.
        trial: what was run.
        exponents: one for each variable, T first.
        costs: the cost columns, where the run was made.
        method: the method's name with its parts, where the run was made.
    """

    line: ConvergenceLine
    objective: Objective
    stated: StatedRate | None
    trial: TableTrial
    exponents: tuple[Exponent, ...]
    costs: tuple[CostColumn, ...]
    method: str

    @property
    def name(self) -> str:
        """``PS, BSP, Null, convex``."""
        return f"{self.line.name}, {self.objective}"

    @property
    def in_T(self) -> Exponent:
        """The exponent of T, which is the first."""
        return self.exponents[0]

    def record(self) -> dict[str, Any]:
        """The cell as JSON has it."""
        result = self.trial.result
        return {
            "architecture": str(self.line.architecture),
            "synchronisation": str(self.line.scheme),
            "compression": str(self.line.compression),
            "objective": str(self.objective),
            "new": self.stated is None,
            "stated": None if self.stated is None else f"T^{float(self.stated.power):g}",
            "references": list(self.stated.references if self.stated else ()),
            "errata": list(self.stated.errata if self.stated else ()),
            "row": self.trial.row.key,
            "composition": self.trial.row.what,
            "method": self.method,
            "problem": self.trial.problem,
            "result": result.name if result else None,
            "source": self.trial.basis,
            "note": self.trial.note,
            "standing": str(self.in_T.standing),
            "exponents": [asdict(one) for one in self.exponents],
            "costs": [asdict(one) | {"ratio": one.ratio} for one in self.costs],
        }


def table_iv(results: Mapping[Cell, CellResult]) -> tuple[TableCell, ...]:
    """All 54 cells in the table's order, with what ``results`` has of their evidence."""
    cells = table_cells()
    return tuple(
        _cell(line, objective, cells, results) for line in TABLE_IV for objective in Objective
    )


def _cell(
    line: ConvergenceLine,
    objective: Objective,
    cells: Mapping[str, tuple[Cell, ...]],
    results: Mapping[Cell, CellResult],
) -> TableCell:
    trial = trial_of(line.name, objective)
    mine = cells[trial.name]
    exponents = tuple(
        _exponent(variable, results.get(cell))
        for variable, cell in zip(trial.variables, mine, strict=True)
    )
    bills = [one for one in _facts(results.get(mine[0])) if isinstance(one, TrafficFacts)]
    return TableCell(
        line, objective, line.stated(objective), trial, exponents,
        costs(line, bills[0]) if bills else (), bills[0].method if bills else "",
    )  # fmt: skip


def _facts(result: CellResult | None) -> tuple[Any, ...]:
    return result.facts if result else ()


def _exponent(variable: str, result: CellResult | None) -> Exponent:
    if result is None:
        return Exponent(variable, RateStanding.MISSING)
    verdict = result.verdicts[0]
    found = Exponent(
        variable, standing(verdict), verdict.statistic, verdict.uncertainty, order_of(verdict),
        verdict.evidence, verdict.provenance, verdict.theorem,
    )  # fmt: skip
    facts = next((one for one in result.facts if isinstance(one, ExponentFacts)), None)
    if facts is None:
        return found
    changes = [
        f"{one.name}: {one.slope:.3f} ± {one.half_width:.2g}, {one.standing}"
        for one in facts.variants
        if one.standing != str(found.standing)
    ]
    return replace(
        found, own=facts.bound_slope, exact=facts.exact, instance=facts.instance,
        regime=None if found.order is None else in_regime(facts.bound_slope, found.order),
        unstated=facts.unstated, changes=tuple(changes),
        tried=tuple(one.name for one in facts.variants),
    )  # fmt: skip


def costs(line: ConvergenceLine, bill: TrafficFacts) -> tuple[CostColumn, ...]:
    """Both cost columns of a line against the bill; all-reduce and gossip have no server.

    The server's bits are those of its busier direction. Where a formula counts what all workers
    send, every worker hears that, as in an all-gather.
    """
    at = CostPoint(
        bill.numbers, bill.workers, bill.iterations, bill.peers, bill.period, bill.kept,
        bill.coded, bill.float_bits,
    )  # fmt: skip
    server, worker = server_cost(line), worker_cost(line)
    gathered = Factor.WORKERS in worker.factors
    found = [_cost("worker", worker, at, bill.sent_by_all if gathered else bill.sent)]
    if server is not None:
        found.insert(0, _cost("server", server, at, max(bill.sent_by_all, bill.heard_by_all)))
    return tuple(found)


def _cost(who: str, formula: CostFormula, at: CostPoint, measured: float) -> CostColumn:
    return CostColumn(
        who, formula.printed, str(formula), formula.erratum, measured, formula.bits(at)
    )  # fmt: skip
