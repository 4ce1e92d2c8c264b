"""Commands that show the surveys' tables and the theory behind them: ``table``, ``errata``,
``theorem``, ``refute``, ``conjecture``, ``worst-case``, ``question``, ``assumptions``, ``cite``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.domains import Above0, AtLeastOne, AtLeastTwo
from experiments.cli.options import Json

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
        str | None,
        typer.Option(
            help="One cell of Table IV, as 'Gossip, ASP, Quant., convex', or both of its line."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a survey's table beside what was measured.

    Table IV: of every cell, those that the survey leaves blank too, the method and problem chosen,
    the order that is stated, fitted exponents with their intervals, the theorem behind them, and
    the ledger's bits against the cost formulas. Exit code 1 if an exponent is refuted.
    """
    from experiments.commands.tables import table_command

    raise typer.Exit(
        table_command(
            name, report=report, measure=measure, everything=everything, cell=cell, as_json=as_json
        )
    )


@tables.command("errata")
def errata(
    name: Annotated[
        str | None, typer.Argument(help="One of them, as E7, T8 or S1; without it all.")
    ] = None,
    report: Report = Path("report"),
    run: Annotated[
        bool, typer.Option("--run", help="Run the demonstrations again; all take minutes.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List what the surveys print that is wrong, each with its demonstration.

    Of each: where it stands, what is printed, what is right, how the difference shows, and what
    the project's code gave for both forms when the survey in --report was made, or now (--run).
    Exit code 1 if a demonstration fails.
    """
    from experiments.commands.errata import errata_command

    raise typer.Exit(errata_command(name, report=report, run=run, as_json=as_json))


@tables.command("theorem")
def theorem(
    name: Annotated[
        str | None, typer.Argument(help="A result's name; without one all are listed.")
    ] = None,
    of_row: Annotated[
        str | None,
        typer.Option("--for", help="Key of a method: which results cover it, and where."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="NAME=VALUE of a constant, as L=2; gamma: a stepsize."),
    ] = None,
    steps: Annotated[
        int, typer.Option("-T", "--steps", help="Steps T, at least 1."), AtLeastOne
    ] = 1000,
    n: Annotated[
        int | None,
        typer.Option("-n", "--workers", help="Workers n of --for, at least 2; else 16."),
        AtLeastTwo,
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what a theorem says, and its number for given constants.

    Statement, assumptions, source, bound and order of a result; at its own example, or at the
    constants of --set, the stepsize it prescribes, what is violated, and the bound after T steps.
    With --for: which results cover a method, and which assumption each of its problems violates.
    """
    from experiments.commands.theorem import theorem_command

    raise typer.Exit(
        theorem_command(
            name, of_row=of_row, settings=settings or (), steps=steps, n=n, as_json=as_json
        )
    )


@tables.command("refute")
def refute(
    name: Annotated[
        str,
        typer.Argument(
            help="A theorem's name, see `theorem`; or MODULE:ATTRIBUTE, a claim of your "
            "own (docs/refute.md)."
        ),
    ],
    budget: Annotated[float, typer.Option(help="Seconds, positive."), Above0] = 60.0,
    attacker: Annotated[
        list[str] | None,
        typer.Option(help="Only this one; again for more; an unknown name lists them."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Any integer; where the search starts.")] = 0,
    processes: Annotated[int, typer.Option(help="Processes, at least 1."), AtLeastOne] = 2,
    script: Annotated[
        Path | None,
        typer.Option(help="File for a counterexample: Python with numpy alone that shows it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Look for an instance that breaks a theorem's bound.

    Instances that its assumptions allow are searched for the largest ratio of what is measured and
    the bound. One above 1 is shrunk, confirmed by another computation and printed; else it is said
    how close the closest came, by what, and what was not tried. Exit code 1 if the theorem is
    refuted. Ctrl-C keeps the best so far.
    """
    from experiments.commands.refute import refute_command

    raise typer.Exit(
        refute_command(
            name,
            budget=budget,
            attackers=attacker or (),
            seed=seed,
            workers=processes,
            script=script,
            as_json=as_json,
        )
    )


@tables.command("conjecture")
def conjecture(
    line: Annotated[
        str,
        typer.Argument(help="A blank line of Table IV, by its name or its short one; see --list."),
    ] = "gossip-local-sparse",
    budget: Annotated[float, typer.Option(help="Seconds, positive."), Above0] = 120.0,
    seed: Annotated[int, typer.Option(help="Any integer; where the search starts.")] = 0,
    listed: Annotated[
        bool, typer.Option("--list", help="Lines that can be tried, and why others cannot.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Guess a bound for a cell that Table IV leaves blank.

    Exponents in the period, the spectral gap and the operator's loss are fitted to the worst
    instances that exact moments find, the bound is attacked where nothing was fitted, and raised
    where it breaks. What is left is printed as a conjecture with its evidence: it is no theorem.
    """
    from experiments.commands.conjecture import conjecture_command

    raise typer.Exit(
        conjecture_command(line, budget=budget, seed=seed, listed=listed, as_json=as_json)
    )


@tables.command("worst-case")
def worst_case(
    out: Annotated[
        Path | None, typer.Option(help="Folder to draw the heat maps into, as PNG.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print best constants of theorems and worst rates over spectral ranges, as they are kept.

    Bounds beside the worst case at the same constants: certified from above by a semidefinite
    programme, reached from below by a run on the worst function. Rates of decentralised methods,
    error feedback and local descent over all functions and mixing matrices.
    """
    from experiments.commands.worst_case import worst_case_command

    raise typer.Exit(worst_case_command(out=out, as_json=as_json))


@tables.command("question")
def question(
    key: Annotated[
        str | None, typer.Argument(help="A question's key; without it, all in a line each.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder to draw the answers into, as PNG.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print answers to questions that people ask of methods, as they are kept.

    Which error feedback, what removes the floor of different data, how many messages or bits a
    target takes, what a straggler costs: methods at an equal budget, each at its best stepsize.
    """
    from experiments.commands.question import question_command

    raise typer.Exit(question_command(key, out=out, as_json=as_json))


@tables.command("cite")
def cite(
    names: Annotated[
        list[str],
        typer.Argument(help="Methods, forms, theorems and problems, as `list` and `theorem` do."),
    ],
    as_json: Json = False,
) -> None:
    """Print BibTeX of what a result used.

    Of a method: the papers that propose it, the sources of its theorems and of its operators'
    claims, and the surveys that name it. Of a theorem: its source. Of a problem: its data set. A
    line ahead of each entry says what it is cited for.
    """
    from experiments.commands.cite import cite_command

    raise typer.Exit(cite_command(names, as_json=as_json))


@tables.command("assumptions")
def assumptions(
    problem: Annotated[
        str,
        typer.Argument(
            help="One of the catalogue, or MODULE:ATTRIBUTE: a Problem of your own, or a torch "
            "module with loss and data (rateproof.module_problem)."
        ),
    ],
    n: Annotated[
        int,
        typer.Option("-n", "--workers", help="Workers n, at least 2; your own has its own."),
        AtLeastTwo,
    ] = 8,
    steps: Annotated[
        int, typer.Option("-T", "--steps", help="Steps T, at least 1."), AtLeastOne
    ] = 200,
    seed: Annotated[int, typer.Option(help="Any integer; the same seed, the same runs.")] = 0,
    as_json: Json = False,
) -> None:
    """Estimate a problem's constants, and see which theorems apply.

    L, mu, the Polyak-Lojasiewicz constant, sigma2, zeta2 (largest, and at x*), G2 and others along
    runs and beyond: each with its side, method and error, beside what the problem states. Then the
    theorems that apply, those that would if what was found held everywhere, and which assumption
    each of the others lacks. Exit code 1 if a stated constant is refuted.
    """
    from experiments.commands.assumptions import assumptions_command

    raise typer.Exit(assumptions_command(problem, n=n, steps=steps, seed=seed, as_json=as_json))
