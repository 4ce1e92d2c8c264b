"""``rateproof assumptions``: a problem's constants as stated and as found, and who speaks of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

from rich.console import Console
from rich.markup import escape
from torch import nn

from algorithms.catalogue import entry_called, problem
from algorithms.engine.run import one_thread
from algorithms.problems.base import Problem
from experiments.commands.console import (
    REFUTED,
    SUBJECT_FAULT,
    at_least,
    bad_input,
    console,
    dump,
    number,
    print_error,
    print_note,
)
from experiments.commands.grid import print_table
from experiments.compare.assumptions import Applicability, UnmetAssumptions, applicability
from experiments.ranks.user_objects import UserCodeError, faults_of, own
from proofs_check.audit.loading import imported
from proofs_check.problems.along_runs import hold
from proofs_check.problems.estimates import ConstantEstimate, estimates, heterogeneity_along
from proofs_check.problems.trajectory import Trajectory, sampled_trajectory
from proofs_check.verdict import Outcome
from theory.constants import Constants, Kind

_TIGHT = 1e-9  # relative tolerance of a statement
_SINGLE = 1e-6  # of a problem in float32


def assumptions_command(name: str, *, n: int, steps: int, seed: int, as_json: bool) -> int:
    """Exit code 1 if a stated constant is refuted, 3 if a user's own code raised."""
    try:
        with bad_input():
            at_least("n", n, 2)
            at_least("T", steps, 1)
            data = assumptions_record(name, n=n, steps=steps, seed=seed, tell=print_note)
    except UserCodeError as error:
        print_error(error)
        return SUBJECT_FAULT
    if as_json:
        dump(data)
    else:
        _show(data, console(False))
    return REFUTED if any(one["outcome"] == "refuted" for one in data["constants"]) else 0


def assumptions_record(
    name: str, *, n: int = 8, steps: int = 200, seed: int = 0,
    tell: Callable[[str], None] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Constants of a problem by statement and by runs of ``steps`` steps, and the theorems.

    ``name`` is a problem of the catalogue for n workers, or MODULE:ATTRIBUTE; ``tell`` hears what
    is stated before it is looked at.

    Raises:
        UnknownName: there is no such problem.
        ValueError: it cannot be imported, or is no problem.
        UserCodeError: the user's code raised.
    """
    if ":" not in name:
        entry_called(name)
        subject = problem(name, n)
        if tell is not None:
            tell(f"{_stated(subject)}; now found along two runs of {steps} steps")
    else:
        subject = _own_problem(name)
    with one_thread(), faults_of(name) if ":" in name else nullcontext():
        return record_of(subject, steps, seed, tell)


def _stated(subject: Problem) -> str:
    """The constants that a problem states, in words."""
    c = subject.constants()
    told = {name: getattr(c, name) for name in c.stated()}
    words = [f"{name} = {value:.4g}" for name, value in told.items() if isinstance(value, float)]
    return f"{subject.name}, n = {subject.n}, d = {subject.d}: stated {', '.join(words) or 'none'}"


def _own_problem(name: str) -> Problem:
    found = imported(name)
    if isinstance(found, nn.Module):
        raise ValueError(
            f"{name} is a torch module without loss and data; "
            "PROBLEM = rateproof.module_problem(module, loss, features, labels, n=4) would do"
        )
    mine = found if isinstance(found, Problem) else own(name)
    if not isinstance(mine, Problem):
        raise ValueError(f"{name} must be a Problem, got something of type {type(mine).__name__}")
    return mine


def record_of(
    subject: Problem, steps: int, seed: int, tell: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """The same of a problem at hand; ``tell`` hears what comes of each statement as it comes."""
    wide = subject.double() if subject.dtype.itemsize < 8 else subject
    trajectory = sampled_trajectory(wide, seed=seed, steps=steps)
    c = subject.constants()
    tolerance = _SINGLE if wide is not subject else _TIGHT

    described: dict[str, dict[str, Any]] = {}

    def on_found(one: ConstantEstimate) -> None:
        told = described[one.name] = _constant(c, one, trajectory, tolerance)
        if tell is not None and told["outcome"] is not None:
            sign = _SIGNS.get(told["side"], "~")
            tell(
                f"{one.name}: stated {number(told['stated'])}, "
                f"found {sign} {number(one.value)}: {told['outcome']}"
            )

    found = estimates(wide, trajectory, tell=on_found)
    return {
        "problem": subject.name,
        "n": subject.n,
        "d": subject.d,
        "runs": {
            "steps": steps,
            "gammas": list(trajectory.gammas),
            "points": len(trajectory.points),
        },
        "seed": seed,
        "constants": [described[one.name] for one in found],
        "unestimated": [name for name in c.stated() if name not in {one.name for one in found}],
        "heterogeneity": [
            {"step": step, "value": value} for step, value in heterogeneity_along(wide, trajectory)
        ],
        "theorems": [_theorem(one) for one in applicability(subject, found, steps)],
    }


def _constant(
    c: Constants, one: ConstantEstimate, trajectory: Trajectory, tolerance: float
) -> dict[str, Any]:
    value, statement = getattr(c, one.name), c.statements.get(one.name)
    outcome = None
    if value is not None and one.side is not Kind.MEASURED:
        outcome = hold("", c, one, trajectory, tolerance).outcome
    description = value is not None and one.value != 0
    return {
        "name": one.name,
        "stated": value,
        "kind": statement.kind.value if statement and value is not None else None,
        "stated_where": statement.where if statement and value is not None else None,
        "why": statement.why if statement and value is not None else None,
        "side": one.side.value,
        "found": one.value,
        "numerical_error": one.slack,
        "along_runs": one.along,
        "interval": list(one.interval) if one.interval else None,
        "error": one.error,
        "method": one.method,
        "where": one.where,
        "stated_over_found": value / one.value if description else None,
        "outcome": outcome and outcome.value,
    }


def _theorem(one: Applicability) -> dict[str, Any]:
    def lack(of: UnmetAssumptions) -> dict[str, Any]:
        return {"missing": list(of.missing), "violated": list(of.violated)}

    return {
        "name": one.theorem.name,
        "title": one.theorem.title,
        "row": one.row,
        "standing": one.standing,
        "lacks": lack(one.stated),
        "leans_on": list(one.leans_on),
        "lacks_with_measured": lack(one.measured),
    }


_SIGNS = {Kind.LOWER.value: ">=", Kind.UPPER.value: "<=", Kind.EXACT.value: "="}
_COLOURS = {Outcome.REFUTED.value: "bold red", Outcome.SUPPORTED.value: "cyan"}


def _show(data: Mapping[str, Any], screen: Console) -> None:
    def say(text: str) -> None:
        screen.print(text, highlight=False, soft_wrap=True)

    runs = data["runs"]
    gammas = " and ".join(number(gamma, 3) for gamma in runs["gammas"])
    say(f"[bold]{escape(data['problem'])}[/], n = {data['n']}, d = {data['d']}")
    say(
        f"two runs of BSP-SGD, {runs['steps']} steps, gamma = {gammas}, seed {data['seed']}: "
        f"{runs['points']} points, some beyond the runs"
    )
    lines = []
    for one in data["constants"]:
        kind = f" ({one['kind']})" if one["kind"] else ""
        sign = _SIGNS.get(one["side"], "~")
        drawn = one["interval"]
        lines.append((
            f"[{_COLOURS.get(one['outcome'], 'default')}]{one['name']}[/]",
            number(one["stated"]) + escape(kind), f"{sign} {number(one['found'])}",
            number(one["along_runs"]), number(one["stated_over_found"], 3),
            escape(f"[{number(drawn[0])}, {number(drawn[1])}]") if drawn else "",
        ))  # fmt: skip
    heads = ("constant", "stated", "the true one is", "along runs", "stated/found", "drawn")
    print_table(screen, heads, lines)
    for one in data["constants"]:
        description = f"{one['name']}: {one['method']}; at {one['where']}"
        description += f"; error of the interval {one['error']:g}" if one["interval"] else ""
        say(escape(description))
        if one["outcome"] == "refuted":
            say(f"  [bold red]refuted[/]: {escape(str(one['why']))} says {number(one['stated'])}")
    if data["unestimated"]:
        say(f"taken as stated: {', '.join(data['unestimated'])}")
    series = ", ".join(f"{one['step']}: {number(one['value'], 3)}" for one in data["heterogeneity"])
    say(f"heterogeneity (1/n) sum ||grad f_i - grad f||^2 by step of the first run: {series}")
    found = {one["name"]: one for one in data["constants"]}
    _show_theorems(data["theorems"], found, say)


def _show_theorems(theorems: Any, found: Mapping[str, Any], say: Any) -> None:
    for standing, words in (
        ("applies", "applies"),
        ("applies along runs", "would apply if what was found along runs held everywhere"),
        ("does not apply", "does not apply"),
    ):
        mine = [one for one in theorems if one["standing"] == standing]
        say(f"[bold]{words}[/] ({len(mine)})")
        for one in mine:
            through = f" (through {one['row']})" if one["row"] else ""
            say(escape(f"  {one['name']}{through}{_reason(one, found)}"))


def _reason(one: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Reason in words: what is lacking, or which constants were found."""
    if one["standing"] == "applies":
        return ""
    if one["leans_on"]:
        return f": {', '.join(one['leans_on'])} as found"
    lack = one["lacks_with_measured"]
    lack = lack if lack["missing"] or lack["violated"] else one["lacks"]
    needs = []
    for name in lack["missing"]:
        trajectory = found.get(name)
        along = (
            ""
            if trajectory is None
            else f" {_SIGNS.get(trajectory['side'], '~')} {number(trajectory['found'])}"
        )
        needs.append(f"no {name} is known to hold everywhere{along and f' (found{along})'}")
    return f": {'; '.join((*needs, *lack['violated']))}"
