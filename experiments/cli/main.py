"""Commands: ``rateproof list | run | compare | rate | tune | check | power | topologies | audit |
survey | table | theorem | refute | worst-case | question | cite | assumptions | crossval | figure |
figures | timeline | predict, advise``.

Only names and help texts live here; a command's work is imported when it is given, so that help is
quick. Exit codes: 0 done, 1 something failed or was refuted, 2 bad input, 3 a user's own code
raised, 4 a fault of this program, 130 and 143 interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from algorithms.core.versions import package_version
from experiments.cli.batch import many
from experiments.cli.command import CommandsByName
from experiments.cli.compare import beside
from experiments.cli.domains import AtLeastHundred, AtLeastOne, AtLeastTwo, OfGamma
from experiments.cli.examples import completed
from experiments.cli.figures import figures
from experiments.cli.mutants import mutated
from experiments.cli.options import (
    Dimension,
    Json,
    OfArchitecture,
    OfCluster,
    OfModel,
    OfSchedule,
    Row,
    Settings,
    UsualTuning,
    Workers,
)  # fmt: skip
from experiments.cli.tables import tables
from experiments.cli.timing import seconds
from experiments.processes.gc_policy import collect_seldom
from experiments.processes.loading import begun, loading

TOOL_FAULT = 4

app = typer.Typer(
    name="rateproof",
    cls=CommandsByName,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(many)
app.add_typer(beside)
app.add_typer(tables)
app.add_typer(figures)
app.add_typer(seconds)
app.add_typer(mutated)


@app.command("list")
def list_rows(
    ready: Annotated[bool, typer.Option("--ready", help="Only methods that run.")] = False,
    forms: Annotated[bool, typer.Option("--forms", help="Only methods that have forms.")] = False,
    d: Dimension = 100,
    report: Annotated[
        Path, typer.Option(help="Folder of a survey: what it found of each method is printed.")
    ] = Path("report"),
    as_json: Json = False,
) -> None:
    """List the surveyed methods, what they are for and what they claim.

    Family, state (ready or planned), claims, theorems, and the problems each runs on.
    """
    from experiments.commands.rows import list_command

    raise typer.Exit(list_command(ready=ready, d=d, as_json=as_json, report=report, forms=forms))


@app.command()
def run(
    row: Row,
    problem: Annotated[
        str | None,
        typer.Option("--problem", "-p", help="One that the method runs on; without it, its first."),
    ] = None,
    n: Workers = 16,
    steps: Annotated[
        int, typer.Option("-T", "--steps", help="Steps T, at least 1."), AtLeastOne
    ] = 2000,
    replicas: Annotated[int, typer.Option(help="Independent runs, at least 1."), AtLeastOne] = 32,
    seed: Annotated[int, typer.Option(help="Any integer; the same seed, the same run.")] = 0,
    gamma: Annotated[
        float | None, typer.Option(help="Constant stepsize, instead of the theorem's."), OfGamma
    ] = None,
    tuning: UsualTuning = None,
    settings: Settings = None,
    form: Annotated[
        str | None,
        typer.Option(help="A form of the method, see `list --forms`; or ROW:FORM as key."),
    ] = None,
    workers: Annotated[
        bool, typer.Option("--of-workers", help="The workers' mean error too, at some cost.")
    ] = False,
    device: Annotated[
        str, typer.Option(help="cpu, cuda or cuda:NUMBER: where the run is computed.")
    ] = "cpu",
    spread: Annotated[
        bool, typer.Option("--spread", help="Draw how the errors lie over replicas, too.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for the plot.")] = Path("report/runs"),
    cluster: OfCluster = "",
    model: OfModel = "bert-large",
    schedule: OfSchedule = "mg-wfbp",
    architecture: OfArchitecture = "ring",
    as_json: Json = False,
) -> None:
    """Run one method on one problem, and plot it.

    Prints the final numbers with 95% intervals over replicas. The plot shows the quantity that
    the method's theorem bounds, against steps, bits and modelled seconds, as PNG and SVG.
    """
    from experiments.commands.single import run_command
    from experiments.compare.clustered import OnCluster

    raise typer.Exit(
        run_command(
            f"{row}:{form}" if form else row,
            problem,
            n=n,
            steps=steps,
            replicas=replicas,
            seed=seed,
            gamma=gamma,
            tuning=tuning,
            settings=settings or (),
            of_workers=workers,
            spread=spread,
            out=out,
            place=OnCluster(cluster, model, schedule, architecture),
            device=device,
            as_json=as_json,
        )
    )


@app.command()
def check(
    name: Annotated[
        str,
        typer.Argument(
            help="A method's key, the name of an operator, as 'scaled sign', a problem, or "
            "MODULE:ATTRIBUTE: a compressor, topology, problem or method of your own."
        ),
    ],
    d: Dimension = 100,
    power: Annotated[
        bool,
        typer.Option(
            "--power", help="Of your own: the share of planted faults in it that is seen."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a method, or something of your own.

    Gives a verdict with its evidence for each; exit code 1 if one is refuted. One's own compressor,
    topology, problem or method (with its recipe) is given as MODULE:ATTRIBUTE, found from the
    current folder; a method is run on its problems, and on real ranks. With --power its mutation
    score is printed instead: faults are drawn over the code of its module, each is checked as the
    genuine code is but for ranks, and those that nothing saw are listed; a theorem's
    (rateproof.claim) by `refute`.
    """
    if power:
        from experiments.commands.power import power_of

        raise typer.Exit(power_of(name, mutants=30, seed=1, most=60.0, as_json=as_json))
    from experiments.commands.check import check_command

    raise typer.Exit(check_command(name, d=d, as_json=as_json))


@app.command()
def topologies(
    n: Annotated[
        int, typer.Option("-n", "--workers", help="Workers n, at least 1."), AtLeastOne
    ] = 16,
    weights: Annotated[
        str, typer.Option(help="Rule of weights; an unknown name lists them.")
    ] = "metropolis-hastings",
    matrix: Annotated[
        Path | None, typer.Option(help="Check W of a text file: a line per worker.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Mixing matrices and spectral gaps.

    Those of every family that n workers can have, or spectrum and verdicts of a matrix of your own.
    """
    from experiments.commands.topologies import topologies_command

    raise typer.Exit(topologies_command(n, weights, matrix, as_json))


@app.command()
def audit(
    name: Annotated[
        str, typer.Argument(help="MODULE:ATTRIBUTE, found from here, or torch:HOOK, as torch:fp16.")
    ],
    unbiased: Annotated[bool, typer.Option("--unbiased", help="Claimed: E C(x) = x.")] = False,
    omega: Annotated[
        str | None, typer.Option(help="Claimed: E||C(x)-x||^2 <= OMEGA ||x||^2; 0.125, or 'd/k-1'.")
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="Claimed: E||C(x)-x||^2 <= (1-DELTA) ||x||^2; 'min(k,d)/d'.")
    ] = None,
    bits: Annotated[
        str | None, typer.Option(help="Claimed length of a message; 'k*(32+ceil(log2(d)))'.")
    ] = None,
    let: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE of a name in a formula, as in k=10.")
    ] = None,
    d: Annotated[
        int, typer.Option("-d", "--dimension", help="Audited beside d = 1, 4, 16, 100."), AtLeastOne
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Any integer; the same seed, the same audit.")] = 0,
    samples: Annotated[
        int, typer.Option(help="Calls at each vector, at least 100."), AtLeastHundred
    ] = 2500,
    ranks: Annotated[
        int | None,
        typer.Option(help="Processes for a DDP hook; 1 for torch's, 2 for yours."),
        AtLeastOne,
    ] = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="It takes matrices: x is laid out as a square one.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 if anything is refuted.")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--all", help="Print every check in full, not what was found alone.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Audit anybody's compressor or method.

    A callable x -> x_hat on numpy arrays or torch tensors, a pair (compress, decompress), a class
    or an object with these methods, or a DDP communication hook (state, bucket), torch's or yours.
    Without claims, bias, omega, delta and the length of messages are measured. A method, made by
    `rateproof.method` or `rateproof.torch_method` (docs/audit-methods.md), is audited for what its
    models depend on, conservation laws, fixed points, stability and equality with other methods.
    Exit code 1 if a given claim (of a method: anything) is refuted, 3 if it does not run.
    """
    from experiments.commands.audit import audit_command

    raise typer.Exit(
        audit_command(
            name,
            unbiased=unbiased,
            omega=omega,
            delta=delta,
            bits=bits,
            let=let or (),
            d=d,
            seed=seed,
            samples=samples,
            ranks=ranks,
            matrix=matrix,
            strict=strict,
            as_json=as_json,
            whole=whole,
        )
    )


@app.command()
def crossval(
    ranks: Annotated[
        int, typer.Option(help="Processes, at least 2; two workers on each."), AtLeastTwo
    ] = 4,
    row: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this method and its forms, or ROW:FORM; may be given several times."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare the simulation with real ranks.

    Runs every method in the simulation and on torch.distributed ranks of this machine: iterates
    must be equal bit for bit, ledgers equal, and bytes that crossed those of the code.
    """
    from algorithms.network.start import start_early

    start_early()
    from experiments.commands.crossval import crossval_command

    raise typer.Exit(crossval_command(ranks, row or (), as_json=as_json))


def _version(wanted: bool) -> None:
    if wanted:
        print(f"rateproof {package_version('rateproof')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Convergence theory of communication-efficient distributed SGD, checked on running code."""


completed(app)


def main() -> None:
    """Entry point; the user's own folder comes last on the import path, behind this project."""
    sys.path.append(os.getcwd())
    collect_seldom()
    loading()
    try:
        app()
    except Exception as error:
        from experiments.processes.memory import first_line, lacks_memory

        if lacks_memory(error):
            sys.exit(
                "error: not enough memory, fewer workers, replicas or parameters would do: "
                f"{first_line(error)}"
            )
        traceback.print_exc()
        print("error: a fault of rateproof itself, not of what you gave it", file=sys.stderr)
        sys.exit(TOOL_FAULT)
    finally:
        begun()


if __name__ == "__main__":
    main()
