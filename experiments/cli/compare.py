"""Commands that set runs beside each other: ``compare``, ``rate``, ``tune``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.domains import (
    Above0,
    AtLeastEight,
    AtLeastFour,
    AtLeastOne,
    AtLeastTwo,
    OfGamma,
    Share,
)
from experiments.cli.options import (
    Json,
    OfArchitecture,
    OfCluster,
    OfModel,
    OfSchedule,
    Row,
    Settings,
    Tuned,
    Workers,
)  # fmt: skip

beside = typer.Typer()


@beside.command()
def compare(
    rows: Annotated[list[str], typer.Argument(help="Keys of two methods or more.")],
    problem: Annotated[str, typer.Option("--problem", "-p", help="One that all of them run on.")],
    axis: Annotated[
        str, typer.Option("--x", help="What is equal: bits, messages, seconds, gradients or steps.")
    ] = "bits",
    budget: Annotated[
        float | None,
        typer.Option(help="How much of it each may spend; else what the first spends in T steps."),
        Above0,
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(help="Error to reach; else the worst method's at the budget."),
        Above0,
    ] = None,
    tuning: Tuned = "grid",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="ROW:NAME=VALUE of a parameter of a method.")
    ] = None,
    workers: Annotated[
        bool, typer.Option("--of-workers", help="The workers' mean error, not the mean model's.")
    ] = False,
    n: Workers = 16,
    steps: Annotated[
        int, typer.Option("-T", "--steps", help="Steps of the first method."), AtLeastOne
    ] = 1000,
    replicas: Annotated[int, typer.Option(help="Independent runs, at least 2."), AtLeastTwo] = 16,
    seed: Annotated[int, typer.Option(help="Any integer; the same seed, the same runs.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the figure and the data.")] = Path(
        "report/comparisons"
    ),
    cluster: OfCluster = "",
    model: OfModel = "bert-large",
    schedule: OfSchedule = "mg-wfbp",
    architecture: OfArchitecture = "ring",
    as_json: Json = False,
) -> None:
    """Compare methods on one problem at an equal budget.

    Prints the error of each at the budget with its 95% interval, what each spends to reach a
    target, and whether the best differs from the others by more than chance. Writes the figure
    (PNG, SVG) and the runs as tidy data (parquet).
    """
    from experiments.commands.compare import compare_command
    from experiments.compare.clustered import OnCluster

    raise typer.Exit(
        compare_command(
            rows,
            problem,
            axis=axis,
            budget=budget,
            target=target,
            tuning=tuning,
            settings=settings or (),
            of_workers=workers,
            n=n,
            steps=steps,
            replicas=replicas,
            seed=seed,
            out=out,
            place=OnCluster(cluster, model, schedule, architecture),
            as_json=as_json,
        )
    )


@beside.command()
def rate(
    row: Row,
    problem: Annotated[
        str | None,
        typer.Option("--problem", "-p", help="One that the method runs on; without it, its first."),
    ] = None,
    vary: Annotated[
        str, typer.Option(help="T, n, H, gap, delta, omega, tau or batch; X,Y: a heat map.")
    ] = "T",
    values: Annotated[
        list[float] | None,
        typer.Option("--value", help="A value to set; several times. Else a ladder that suits."),
    ] = None,
    gamma: Annotated[
        float | None, typer.Option(help="One stepsize at all points; else tuned at each."), OfGamma
    ] = None,
    tuning: Tuned = "theorem",
    settings: Settings = None,
    n: Workers = 16,
    steps: Annotated[
        int, typer.Option("-T", "--steps", help="Steps T, at least 8."), AtLeastEight
    ] = 1000,
    replicas: Annotated[int, typer.Option(help="Independent runs, at least 4."), AtLeastFour] = 32,
    seed: Annotated[int, typer.Option(help="Any integer; the same seed, the same runs.")] = 1,
    error: Annotated[float, typer.Option(help="Chance that the interval misses."), Share] = 0.01,
    out: Annotated[
        Path | None, typer.Option(help="Folder to draw the points and the fit into.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure the exponent of a method's error in one variable.

    Runs the sweep, fits the power law with its interval, and says whether the order that theory
    states in the variable is supported, refuted, only compared, or not resolved. With --tuning grid
    or --gamma one stepsize is used at all points.
    """
    from experiments.commands.rate import rate_command

    raise typer.Exit(
        rate_command(
            row,
            problem,
            vary=vary,
            values=values or (),
            gamma=gamma,
            tuning=tuning,
            settings=settings or (),
            n=n,
            steps=steps,
            replicas=replicas,
            seed=seed,
            error=error,
            out=out,
            as_json=as_json,
        )
    )


@beside.command()
def tune(
    rows: Annotated[list[str] | None, typer.Argument(help="Keys of methods; none: all.")] = None,
    problems: Annotated[
        list[str] | None, typer.Option("--problem", "-p", help="Of these only; else all but MLPs.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="File of tunings to put what is found into.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Search the best stepsize and parameters of methods on a stated grid.

    `run` and `compare` use what algorithms/tuning/tunings.json holds while the method is the one
    that was tuned, and search by themselves else.
    """
    from experiments.commands.tune import tune_command

    raise typer.Exit(tune_command(rows or (), problems or (), keep, as_json=as_json))
