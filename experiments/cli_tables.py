"""Commands that show the surveys' tables and the theory behind them: ``table``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli_options import Json

tables = typer.Typer()

Report = Annotated[Path, typer.Option(help="Folder of a survey, see `rateproof survey`.")]


@tables.command("table")
def table(
    name: Annotated[
        str, typer.Argument(help="I, II, III or IV of survey 002; 000-2: Table 2 of survey 000.")
    ],
    report: Report = Path("report"),
    measure: Annotated[
        bool, typer.Option("--measure", help="Compute what the folder lacks, and keep it there.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Table IV in every variable, not in T alone.")
    ] = False,
    cell: Annotated[
        str | None, typer.Option(help="One cell of Table IV, as 'Gossip, ASP, Quant., convex'.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a survey's table beside what was measured.

    Table IV: of every cell, those that the survey leaves blank too, the row and problem chosen,
    the order that is stated, fitted exponents with their intervals, the theorem behind them, and
    the ledger's bits against the cost formulas. Exit code 1 if an exponent is refuted.
    """
    from experiments.commands.tables import table_command

    raise typer.Exit(
        table_command(
            name, report=report, measure=measure, everything=everything, cell=cell, as_json=as_json
        )
    )
