"""Commands of many runs, on processes of this machine or of a cluster: ``survey``, ``sweep``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.options import Json, OfExecutor, OfWorkers

many = typer.Typer()


@many.command()
def survey(
    preset: Annotated[
        str, typer.Option(help="quick (minutes; no MLP, no rates on data) or full (hours).")
    ] = "quick",
    row: Annotated[
        list[str] | None, typer.Option(help="Only this row; may be given several times.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("report"),
    executor: OfExecutor = "",
    workers: OfWorkers = 2,
    as_json: Json = False,
) -> None:
    """Check everything, and write the report.

    Runs every row on every problem it applies to, checks every claim, fits rates. What was
    finished before is reused; interrupting loses nothing that was finished.
    """
    from experiments.commands.survey import survey_command

    raise typer.Exit(
        survey_command(preset, row or (), out, as_json=as_json, executor=executor, workers=workers)
    )


@many.command()
def sweep(
    study: Annotated[Path, typer.Argument(help="TOML file of the grid, see docs/sweeps.md.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the data set; else report/sweeps/FILE.")
    ] = None,
    executor: OfExecutor = "",
    workers: OfWorkers = 2,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say how many runs there are and what they cost.")
    ] = False,
    heatmap: Annotated[
        str | None,
        typer.Option(help="X,Y: two axes of the grid, as n,steps; draws the error over them."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a grid of rows, problems, sizes, stepsizes, operators, topologies and seeds.

    Resumable: what is there is not run again. The results are one partitioned parquet data set,
    `OUT/data`, that pandas and duckdb read.
    """
    from experiments.commands.sweep import sweep_command

    to = out or Path("report/sweeps") / study.stem
    raise typer.Exit(
        sweep_command(
            study,
            to,
            executor=executor,
            workers=workers,
            planned=plan,
            heatmap=heatmap,
            as_json=as_json,
        )
    )
