"""``torchrun --nproc-per-node M -m experiments.launch COMMAND``: ranks that a launcher started.

Rows on one machine or several (``crossval``, ``run``, ``train``, ``serve``), and what those
machines take (``calibrate``).

Exit codes: 0 done, 1 something was refuted, 2 bad input or ranks that do not fit, 3 a rank was
lost, after one sentence on standard error that names it and says why.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.command import CommandsByName, CommandWithOldOptions
from experiments.cli.options import OfLargest, OfModels, OfName, OfOperators, OfRepeats, OfSamples

app = typer.Typer(
    name="experiments.launch",
    cls=CommandsByName,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Device = Annotated[
    str, typer.Option(help="auto, cpu or cuda: auto takes GPUs where this machine has any.")
]
Patience = Annotated[float, typer.Option(help="Seconds that ranks wait for each other.")]
Rows = Annotated[list[str] | None, typer.Option("--row", help="Key of a row; again for more.")]


@app.callback()
def ranks() -> None:
    """Rows on ranks that torchrun, or a launcher that sets its variables, started."""


@app.command()
def crossval(
    rows: Rows = None,
    problem: Annotated[
        list[str] | None, typer.Option("--problem", "-p", help="Problems to run on.")
    ] = None,
    steps: Annotated[int, typer.Option("-T", "--steps", help="Steps, at least 1.")] = 12,
    workers: Annotated[int, typer.Option(help="Workers on each rank, at least 1.")] = 2,
    out: Annotated[Path, typer.Option(help="File of what was found: .json or .parquet.")] = Path(
        "report/crossval.json"
    ),
    device: Device = "auto",
    patience: Patience = 40.0,
) -> None:
    """The simulation against these ranks: iterates, bytes, and seconds of a step by phase.

    Every row, or those named: exact agreement by gathering, agreement in float64 by all-reduce, in
    law in float32, bytes both ways against the ledger. The file is written after each row.
    """
    from experiments.commands.launch import crossval_on_ranks

    raise typer.Exit(
        crossval_on_ranks(
            rows or (), problem or (), steps=steps, workers=workers, out=out, device=device,
            patience=patience,
        )
    )  # fmt: skip


@app.command()
def run(
    row: Annotated[str, typer.Argument(help="Key of a row.")],
    problem: Annotated[str, typer.Option("--problem", "-p", help="One that the row runs on.")],
    steps: Annotated[int, typer.Option("-T", "--steps", help="Steps, at least 1.")] = 200,
    workers: Annotated[int, typer.Option(help="Workers on each rank, at least 1.")] = 1,
    replicas: Annotated[int, typer.Option(help="Independent runs, at least 1.")] = 1,
    seed: Annotated[int, typer.Option(help="Any integer; the same seed, the same run.")] = 0,
    reduce: Annotated[
        bool, typer.Option("--all-reduce", help="Average by all-reduce, the fast path.")
    ] = False,
    out: Annotated[Path, typer.Option(help="JSON file of the run.")] = Path("report/run.json"),
    checkpoints: Annotated[
        Path | None, typer.Option(help="Folder of this run alone, to go on from when it ends.")
    ] = None,
    every: Annotated[int, typer.Option(help="Steps between two checkpoints.")] = 50,
    device: Device = "auto",
    patience: Patience = 40.0,
) -> None:
    """One row on these ranks: its error by steps and bits, and seconds of a step by phase.

    With --checkpoints: its error by steps alone, from the newest checkpoint on, on any number of
    ranks that hold the same workers in all; torchrun --max-restarts 3 goes on by itself. Stepsizes
    depend on -T: another is another run.
    """
    from experiments.commands.launch import run_on_ranks

    raise typer.Exit(
        run_on_ranks(
            row, problem, steps=steps, workers=workers, replicas=replicas, seed=seed,
            reduce=reduce, out=out, device=device, patience=patience,
            kept=None if checkpoints is None else (checkpoints, every),
        )
    )  # fmt: skip


@app.command()
def train(
    rows: Annotated[
        list[str] | None,
        typer.Option("--row", help="Key of a row; again for more; all of them."),
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(
            "--task",
            help="mlp, cnn (digits: the default) or transformer (a made text), or "
            "MODULE:ATTRIBUTE; again for more.",
        ),
    ] = None,
    steps: Annotated[int, typer.Option("-T", "--steps", help="Steps, at least 1.")] = 500,
    rate: Annotated[float, typer.Option("--lr", help="Learning rate of SGD.")] = 0.1,
    seeds: Annotated[int, typer.Option(help="Trainings of each row.")] = 1,
    dtype: Annotated[str, typer.Option(help="float32 or float64.")] = "float32",
    every: Annotated[int, typer.Option(help="Steps between notes, and checkpoints.")] = 50,
    out: Annotated[Path, typer.Option(help="JSON file of the trainings.")] = Path(
        "report/train.json"
    ),
    checkpoints: Annotated[
        Path | None, typer.Option(help="Folder to go on from when a training is cut off.")
    ] = None,
    device: Device = "auto",
    patience: Patience = 40.0,
) -> None:
    """Train a torch module under DistributedDataParallel, each row as its communication hook.

    Without --row: bsp-sgd, the gradient as it is; all: every row that is a hook. torch:fp16,
    torch:powersgd and torch:post-local-sgd are torch's. Loss by step, bits of rank 0's messages,
    seconds of a step by phase, in a table too (Markdown, beside --out); with --checkpoints,
    torchrun --max-restarts 3 goes on by itself, to the same bits.
    """
    from experiments.commands.train import train_on_ranks

    raise typer.Exit(
        train_on_ranks(
            rows or ("bsp-sgd",), tasks or ("cnn",), steps=steps, rate=rate, seeds=seeds,
            dtype=dtype, every=every, out=out, checkpoints=checkpoints, device=device,
            patience=patience,
        )
    )  # fmt: skip


@app.command()
def serve(
    row: Annotated[str, typer.Argument(help="asp, ssp, backup-workers, downpour, ad-psgd ...")],
    problem: Annotated[str, typer.Option("--problem", "-p", help="One that the row runs on.")],
    steps: Annotated[int, typer.Option("-T", "--steps", help="Updates of the server.")] = 200,
    servers: Annotated[int, typer.Option(help="Ranks that hold the model.")] = 1,
    seed: Annotated[int, typer.Option(help="Any integer.")] = 0,
    record: Annotated[
        Path | None, typer.Option(help="JSON file for the schedule that happened.")
    ] = None,
    out: Annotated[Path, typer.Option(help="JSON file of the run.")] = Path("report/serve.json"),
    checkpoints: Annotated[
        Path | None, typer.Option(help="Folder of this run alone, to go on from when it ends.")
    ] = None,
    every: Annotated[int, typer.Option(help="Updates between two checkpoints.")] = 50,
    patience: Patience = 40.0,
) -> None:
    """One row without a common clock, its server on ranks of its own, and its replay.

    Parameter servers, downpour, easgd:async and async-admm; ad-psgd and gossiping-sgd need none.
    What happened is recorded; the simulation replays it to the same model, its ledger is held
    against the bytes both ways, and predicted seconds stand beside those that passed, in a picture
    too (PNG, SVG, beside --out). With --checkpoints what happened is kept, and its replay gives the
    state from which all ranks go on; torchrun --max-restarts 3 goes on by itself.
    """
    from experiments.commands.launch_serve import serve_on_ranks

    raise typer.Exit(
        serve_on_ranks(
            row, problem, steps=steps, servers=servers, seed=seed, record=record, out=out,
            patience=patience, kept=None if checkpoints is None else (checkpoints, every),
        )
    )  # fmt: skip


@app.command()
def calibrate(
    out: Annotated[Path, typer.Option(help="The cluster's file, TOML.")] = Path(
        "report/cluster.toml"
    ),
    name: OfName = "mine",
    model: OfModels = None,
    samples: OfSamples = 8,
    largest: OfLargest = 1 << 22,
    repeats: OfRepeats = 20,
    operators: OfOperators = True,
    device: Device = "auto",
    patience: Patience = 40.0,
) -> None:
    """Measure these machines as a cluster's file for run, compare, scaling and advise.

    Messages within a machine and between two, steps of models and compressors on rank 0, and a ring
    of all ranks beside what the file predicts of it.
    """
    from experiments.commands.calibrate import calibrate_on_ranks, plan_of
    from experiments.commands.console import bad_input

    with bad_input():
        plan = plan_of(name, model or (), samples, largest, repeats, operators=operators)
    raise typer.Exit(calibrate_on_ranks(plan, out, device, patience))


for _command in app.registered_commands:
    _command.cls = CommandWithOldOptions  # its errors are one sentence


def main() -> None:
    """Run the command that was given, quietly: a lost rank is told of in one sentence."""
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    app()


if __name__ == "__main__":
    main()
