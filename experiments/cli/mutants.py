"""The command on planted faults: ``power``."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli.domains import Above0, AtLeastOne
from experiments.cli.options import Json

mutated = typer.Typer()


@mutated.command()
def power(
    name: Annotated[
        str | None, typer.Argument(help="Key of a row; without one, the scores that are kept.")
    ] = None,
    mutants: Annotated[
        int, typer.Option(help="How many faults are judged, at least 1."), AtLeastOne
    ] = 30,
    seed: Annotated[int, typer.Option(help="Any integer; which faults are drawn.")] = 1,
    most: Annotated[
        float, typer.Option("--seconds", help="Processor seconds for a fault, positive."), Above0
    ] = 60.0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the score in the sources, for docs/power.md.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Mutation score of a row: planted faults that its own check sees.

    Faults are drawn over all that the row's runs depend on: its method and parts, what runs it,
    theorems and stepsize rules, bits and seconds, compiled code. Each is an expression changed as
    people get it wrong (off by one, sign, factor, axis, key, bits, limits). The cells of `check
    ROW` run until one refutes it. Those that nothing saw are listed with file and line; expressions
    that are computed nowhere, or to the same value wherever they are, count as no faults.
    """
    from experiments.commands.power import kept_scores, power_of

    if name is None:
        raise typer.Exit(kept_scores(as_json))
    raise typer.Exit(
        power_of(name, mutants=mutants, seed=seed, most=most, keep=keep, as_json=as_json)
    )
