"""Commands of many runs, on processes of this machine or of a cluster: ``survey``, ``sweep``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.domains import Above0, AtLeastFour, AtLeastOne, AtLeastTwo
from experiments.cli.options import Json, OfExecutor, OfProcesses

many = typer.Typer()


@many.command()
def survey(
    preset: Annotated[
        str, typer.Option(help="quick (minutes; no MLP, no rates on data) or full (hours).")
    ] = "quick",
    row: Annotated[
        list[str] | None, typer.Option(help="Only this method; may be given several times.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("report"),
    executor: OfExecutor = "",
    processes: OfProcesses = 2,
    as_json: Json = False,
) -> None:
    """Check everything, and write the report.

    Runs every method on every problem it applies to, checks every claim, fits rates. What was
    finished before is reused; interrupting loses nothing that was finished.
    """
    from experiments.commands.survey import survey_command

    raise typer.Exit(
        survey_command(
            preset, row or (), out, as_json=as_json, executor=executor, workers=processes
        )
    )


@many.command()
def sweep(
    study: Annotated[Path, typer.Argument(help="TOML file of the grid, see docs/sweeps.md.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the data set; else report/sweeps/FILE.")
    ] = None,
    executor: OfExecutor = "",
    processes: OfProcesses = 2,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say how many runs there are and what they cost.")
    ] = False,
    heatmap: Annotated[
        str | None,
        typer.Option(help="X,Y: two axes of the grid, as n,steps; draws the error over them."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a grid of methods, problems, sizes, stepsizes, operators, topologies and seeds.

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
            workers=processes,
            planned=plan,
            heatmap=heatmap,
            as_json=as_json,
        )
    )


@many.command()
def study(
    rows: Annotated[
        list[str],
        typer.Argument(help="Rows that it is about: keys, or MODULE:ATTRIBUTE of your own."),
    ],
    problem: Annotated[
        str | None,
        typer.Option("--problem", "-p", help="Else the first that a theorem of the row covers."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(help="A row to compare with; again for more. Else synchronous SGD, D-PSGD."),
    ] = None,
    axis: Annotated[
        str, typer.Option("--x", help="What is equal: bits, messages, seconds, gradients or steps.")
    ] = "bits",
    vary: Annotated[
        list[str] | None, typer.Option(help="A variable of a rate; again for more. Else T, n, one.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="In a minute or two.")] = False,
    n: Annotated[int | None, typer.Option("-n", "--workers", help="Workers n."), AtLeastTwo] = None,
    steps: Annotated[
        int | None, typer.Option("-T", "--steps", help="Of the first row."), AtLeastOne
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(help="Independent runs, at least 4."), AtLeastFour
    ] = None,
    seed: Annotated[int, typer.Option(help="Any integer; the same seed, the same runs.")] = 1,
    attack: Annotated[
        float | None, typer.Option(help="Seconds for which a theorem is attacked."), Above0
    ] = None,
    column: Annotated[
        float, typer.Option(help="Width of a column of the paper [inch]."), Above0
    ] = 3.4,
    out: Annotated[Path, typer.Option(help="Folder for everything; what it has is kept.")] = Path(
        "study"
    ),
    as_json: Json = False,
) -> None:
    """Make the evidence section of a paper, in one folder.

    All rows are tuned by one grid and compared at an equal budget; the rows that it is about are
    held to their bounds, their rates measured, their effects, their theorems attacked, their code
    run on ranks. Writes figures (PDF, PGF), tables (LaTeX), the setting in words, BibTeX, a script
    that makes all of it again, and a page. Interrupted, the same command goes on.
    """
    from experiments.commands.study import study_command

    raise typer.Exit(
        study_command(
            rows,
            problem,
            against=against or (),
            axis=axis,
            vary=vary or (),
            quick=quick,
            n=n,
            steps=steps,
            replicas=replicas,
            seed=seed,
            attack_seconds=attack,
            column=column,
            out=out,
            as_json=as_json,
        )
    )
