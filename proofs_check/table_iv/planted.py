"""Wrong orders, planted in every cell of Table IV whose exponents are exact: which still stand?

``python -m proofs_check.table_iv.planted`` prints the true standings, and the share of wrong orders
(1/2 and 1 to either side) that none of the tests lets stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from algorithms.engine.run import one_thread
from proofs_check.instruments.standings import RateStanding, standing_of
from proofs_check.moments.reasons import NotLinear
from proofs_check.table_iv.exact import ExactExponent, exact_exponent, runs_exactly
from proofs_check.table_iv.trial import TableTrial
from proofs_check.table_iv.trials import TRIALS

PLANTED = (-1.0, -0.5, 0.5, 1.0)


def planted_standings(
    trial: TableTrial, variable: str, found: ExactExponent
) -> Iterator[tuple[float, RateStanding]]:
    """Each wrong order of the variable, and how the exponent stands to it."""
    order = trial.order_in(variable)
    own = None if found.formula is None else found.formula.power
    for off in PLANTED if order is not None else ():
        assert order is not None
        yield order + off, standing_of(found.slope, found.half_width, order + off, own)


def counts(tell: Callable[[str], None] | None = None) -> tuple[int, int]:
    """How many wrong orders none of the tests lets stand, and how many are planted; a line for each
    exponent is told."""
    wrong = refuted = 0
    say = tell or (lambda _: None)
    with one_thread():
        for trial in TRIALS.values():
            for variable in (v for v in trial.variables if runs_exactly(trial, v)):
                try:
                    found = exact_exponent(trial, variable)
                except (NotLinear, ValueError) as error:
                    say(f"{trial.cell_name(variable)}: {error}")
                    continue
                own = None if found.formula is None else found.formula.power
                order = trial.order_in(variable)
                true = standing_of(found.slope, found.half_width, order, own)
                planted = dict(planted_standings(trial, variable, found))
                stand = [f"{at:g}" for at, standing in planted.items() if standing.agrees]
                wrong += len(planted)
                refuted += len(planted) - len(stand)
                say(
                    f"{trial.cell_name(variable)}: {found.slope:.4f} +- {found.half_width:.4f} "
                    f"({order}), {true}; wrong orders that stand: {', '.join(stand) or 'none'}"
                )
    return refuted, wrong


def main() -> None:
    """Print a line for each exponent, and the counts."""
    refuted, wrong = counts(partial(print, flush=True))
    print(f"{refuted} of {wrong} wrong orders do not stand")


if __name__ == "__main__":
    main()
