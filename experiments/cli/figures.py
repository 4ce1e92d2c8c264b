"""The command line's figures: ``rateproof figure | figures``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.options import Json

figures = typer.Typer()

FigureData = Annotated[Path | None, typer.Option("--data", help="Folder of the published data.")]
FigureWorkers = Annotated[
    list[int] | None, typer.Option("-n", "--workers", help="Workers n; may be given several times.")
]
FigureOut = Annotated[Path, typer.Option("--out", help="Folder for the figures.")]


@figures.command()
def figure(
    name: Annotated[
        str | None, typer.Argument(help="Which figure; without a name all are listed.")
    ] = None,
    data: FigureData = None,
    workers: FigureWorkers = None,
    out: FigureOut = Path("report/figures"),
    as_json: Json = False,
) -> None:
    """Make a published figure or table again.

    Prints the published numbers beside ours with the verdict; writes PNG, SVG and CSV. Exit code 1
    where it is not reproduced. Without a name: which figures there are.
    """
    from experiments.commands.figure import figure_command
    from experiments.published.figure import Request

    request = Request(out, data, tuple(workers or ()), as_json)
    raise typer.Exit(figure_command(name, request))


@figures.command("figures")
def all_figures(
    cost: Annotated[
        str | None, typer.Option(help="Only quick (under 10 s), normal (under 2 min) or slow.")
    ] = None,
    only_list: Annotated[bool, typer.Option("--list", help="Only say which there are.")] = False,
    data: FigureData = None,
    workers: FigureWorkers = None,
    out: FigureOut = Path("report/figures"),
    as_json: Json = False,
) -> None:
    """Make all published figures again.

    A line each with its verdict; one that fails does not stop the rest. --list --json names them
    with criterion and cost class.
    """
    from experiments.commands.figure import figures_command
    from experiments.published.figure import Request

    request = Request(out, data, tuple(workers or ()), as_json)
    raise typer.Exit(figures_command(cost, request, only_list=only_list))
