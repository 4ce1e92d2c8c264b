"""Options that several commands have, once."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli.domains import AtLeastOne, AtLeastTwo

Json = Annotated[bool, typer.Option("--json", help="Print pure JSON on standard output.")]
Row = Annotated[str, typer.Argument(help="Key of a method, see `rateproof list`.")]
Workers = Annotated[int, typer.Option("-n", "--workers", help="Workers n, at least 2."), AtLeastTwo]
Tuned = Annotated[
    str,
    typer.Option(help="theorem: what is proved; grid: the best of a stated grid, as papers do it."),
]
UsualTuning = Annotated[
    str | None,
    typer.Option(
        help="theorem: what is proved; grid: the best of a stated grid, as papers do it. Without "
        "it: theorem; or grid, the theorem's run drawn beside, where users take other parameters."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="NAME=VALUE of a parameter of the method; `run` prints them all."),
]
Dimension = Annotated[
    int, typer.Option("-d", "--dimension", help="Dimension that claims are stated for."), AtLeastOne
]


OfCluster = Annotated[
    str,
    typer.Option(
        "--cluster",
        help="Seconds of this cluster: a built-in name (an unknown one lists them) or a TOML file.",
    ),
]
OfModel = Annotated[
    str, typer.Option("--model", help="The model that is trained there; the run stands for it.")
]
OfSchedule = Annotated[str, typer.Option("--schedule", help="When its gradients are sent there.")]
OfArchitecture = Annotated[
    str, typer.Option("--architecture", help="How they are summed; an unknown name lists the ways.")
]

OfName = Annotated[str, typer.Option("--name", help="What the calibrated cluster is called.")]
OfModels = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="NAME=MODULE:ATTRIBUTE of a torch module and its inputs, measured; NAME alone is "
        "estimated from its operations. Again for more.",
    ),
]
OfSamples = Annotated[
    int, typer.Option(help="Samples of a step of models that are estimated."), AtLeastOne
]
OfLargest = Annotated[int, typer.Option(help="Bytes of the longest message."), AtLeastOne]
OfRepeats = Annotated[
    int, typer.Option(help="Measurements, of which the least counts."), AtLeastOne
]
OfOperators = Annotated[bool, typer.Option(help="Measure compressors.")]

OfExecutor = Annotated[
    str,
    typer.Option(
        "--executor",
        help="dask://HOST:PORT of a scheduler, or MODULE:FUNCTION that returns a "
        "concurrent.futures executor; else processes of this machine.",
    ),
]
OfProcesses = Annotated[
    int, typer.Option("--processes", help="Processes here, or workers of the executor."), AtLeastOne
]
