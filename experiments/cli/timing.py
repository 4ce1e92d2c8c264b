"""Commands about seconds: ``timeline``, ``predict``, ``advise``, ``scaling``,
``calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.domains import Above0, AtLeastOne, AtLeastTwo, NotNegative, Share
from experiments.cli.options import (
    Json,
    OfArchitecture,
    OfCluster,
    OfLargest,
    OfModel,
    OfModels,
    OfName,
    OfOperators,
    OfRepeats,
    OfSamples,
    OfSchedule,
    Row,
)

seconds = typer.Typer()


@seconds.command()
def timeline(
    model: Annotated[
        str,
        typer.Argument(
            help="A model (an unknown name lists them), or MODULE:ATTRIBUTE: a workload of your "
            "own, or a tuple of a torch module and its inputs. Several jobs: MODEL,MODEL."
        ),
    ],
    schedule: Annotated[
        str,
        typer.Option(
            "--schedule",
            help="A schedule; an unknown name lists them. 1f1b: a pipeline; jobs: several on one "
            "network.",
        ),
    ] = "mg-wfbp",
    n: Annotated[
        int,
        typer.Option("-n", "--workers", help="Workers n, at least 1; stages of 1f1b."),
        AtLeastOne,
    ] = 16,
    compute: Annotated[
        float, typer.Option(help="Seconds of a worker's forward and backward pass."), Above0
    ] = 0.25,
    alpha: Annotated[
        float, typer.Option(help="Seconds of start-up of a message."), NotNegative
    ] = 2e-5,
    gigabits: Annotated[float, typer.Option(help="Bandwidth of a link [Gbit/s]."), Above0] = 10.0,
    count: Annotated[
        int, typer.Option(help="Microbatches of 1f1b; steps of each of several jobs."), AtLeastOne
    ] = 8,
    tune: Annotated[
        bool, typer.Option("--tune", help="Search ByteScheduler's partition and credit.")
    ] = False,
    measured: Annotated[
        bool, typer.Option("--measured", help="Measure the layers of your own module here.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for pictures and trace.")] = Path(
        "report/timelines"
    ),
    as_json: Json = False,
) -> None:
    """Draw when a training step's tasks run.

    Backward pass, messages and the next forward pass, as a Gantt picture (PNG, SVG) and as a trace
    (JSON) that opens in Perfetto or chrome://tracing. Times of layers are in proportion to their
    multiply-adds, or as measured; all-reduces are rings. A schedule with -ps behind its name runs
    over parameter servers, as many as workers.
    """
    from experiments.commands.console import bad_input
    from experiments.commands.timeline import timeline_command
    from experiments.commands.timelines import surroundings

    with bad_input():
        where = surroundings(n, alpha, gigabits, count, tune=tune)
    raise typer.Exit(
        timeline_command(model, schedule, where, compute, out, measured=measured, as_json=as_json)
    )


@seconds.command()
def predict(
    name: Annotated[str, typer.Argument(help="fig4: survey 001, Fig. 4.")],
    data: Annotated[Path, typer.Option(help="Folder of the published data.")],
    out: Annotated[Path, typer.Option(help="File of the predictions.")] = Path(
        "report/predictions.csv"
    ),
    as_json: Json = False,
) -> None:
    """Predict a published figure from a part of its data.

    Says what cannot follow from the model, then calibrates it, then predicts: errors of points
    that were held out, the survey's findings beside what was predicted, and all points as a file.
    """
    from experiments.commands.predict import predict_command

    raise typer.Exit(predict_command(name, data, out, as_json))


@seconds.command()
def advise(
    model: Annotated[str, typer.Option("--model", help="A model of the cluster's file.")],
    cluster: Annotated[
        str,
        typer.Option(
            "--cluster", help="A built-in name (an unknown one lists them) or a TOML file."
        ),
    ],
    target: Annotated[
        float, typer.Option(help="Share of the start's error to reach."), Share
    ] = 0.1,
    n: Annotated[
        int | None,
        typer.Option("-n", "--workers", help="Workers; else all of the cluster's."),
        AtLeastOne,
    ] = None,
    problem: Annotated[
        str, typer.Option("--problem", "-p", help="On which steps to the target are counted.")
    ] = "quadratic-unequal",
    steps: Annotated[
        int, typer.Option("-T", "--steps", help="Most steps of a method."), AtLeastOne
    ] = 2000,
    baseline: Annotated[
        float | None,
        typer.Option(help="Steps that BSP-SGD needs for the real model; all are scaled to it."),
        Above0,
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--map",
            help="Folder for a map: the quickest method over bandwidth and start-ups of messages.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Advise how to train a model on a cluster.

    The best portfolio (synchronisation, compression, architecture, schedule) with its seconds and
    bytes, the runners-up, what limits each, and which assumption changes the answer, by how much.
    Steps are counted in simulated runs on a small problem, which is said with the answer.
    """
    from experiments.commands.advise import advise_command

    raise typer.Exit(
        advise_command(
            model, cluster, target, n=n, problem_name=problem, steps=steps, baseline=baseline,
            map_folder=folder, as_json=as_json,
        )
    )  # fmt: skip


@seconds.command()
def scaling(
    row: Row,
    cluster: OfCluster,
    model: OfModel = "bert-large",
    schedule: OfSchedule = "mg-wfbp",
    architecture: OfArchitecture = "ring",
    target: Annotated[
        float, typer.Option(help="Share of the start's error to reach."), Share
    ] = 0.1,
    most: Annotated[int, typer.Option(help="Most workers."), AtLeastOne] = 4096,
    problem: Annotated[
        str, typer.Option("--problem", "-p", help="On which steps to the target are counted.")
    ] = "quadratic-sc",
    simulated: Annotated[
        int, typer.Option(help="Most workers that are simulated."), AtLeastTwo
    ] = 32,
    batch: Annotated[
        int | None,
        typer.Option(help="Samples of strong scaling; else as many as weak scaling's at most."),
        AtLeastOne,
    ] = None,
    steps: Annotated[
        int, typer.Option("-T", "--steps", help="Most simulated steps."), AtLeastOne
    ] = 2000,
    out: Annotated[Path, typer.Option(help="Folder for the picture and the table.")] = Path(
        "report/scaling"
    ),
    as_json: Json = False,
) -> None:
    """Tell how seconds to a target change as workers are added.

    Weak: every worker has a batch of its own; strong: one batch is divided. Steps are simulated
    for few workers, and those of a theorem's bound for all; each is times the seconds of a step of
    a model on a cluster with more machines of its kind. Picture (PNG, SVG) and table (CSV).
    """
    from experiments.commands.scaling import scaling_command
    from experiments.compare.clustered import OnCluster

    raise typer.Exit(
        scaling_command(
            row, OnCluster(cluster, model, schedule, architecture), problem_name=problem,
            target=target, most=most, simulated=simulated, steps=steps, batch=batch, out=out,
            as_json=as_json,
        )
    )  # fmt: skip


@seconds.command()
def calibrate(
    out: Annotated[Path, typer.Option(help="The cluster's file, TOML.")] = Path(
        "report/cluster.toml"
    ),
    ranks: Annotated[
        int, typer.Option(help="Processes of this machine, at least 2."), AtLeastTwo
    ] = 2,
    name: OfName = "mine",
    model: OfModels = None,
    samples: OfSamples = 8,
    largest: OfLargest = 1 << 22,
    repeats: OfRepeats = 20,
    operators: OfOperators = True,
    as_json: Json = False,
) -> None:
    """Measure this machine as a cluster's file for run, compare, scaling and advise.

    Messages between ranks by size, steps of models, coding times of compressors. Says what the file
    predicts of a ring of a size that was not fitted to, beside what that took. Several machines:
    torchrun ... -m experiments.launch calibrate.
    """
    from algorithms.network.start import start_early

    start_early()
    from experiments.commands.calibrate import calibrate_command, plan_of
    from experiments.commands.console import bad_input

    with bad_input():
        plan = plan_of(name, model or (), samples, largest, repeats, operators=operators)
    raise typer.Exit(calibrate_command(plan, ranks, out, as_json=as_json))
