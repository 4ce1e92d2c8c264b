"""``rateproof errata``: what the surveys print that is wrong, each with its demonstration."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from rich.console import Console
from rich.markup import escape

from algorithms.core.names import look_up
from experiments.commands.console import bad_input, console, dump, print_note
from experiments.commands.grid import LAYOUT, print_table
from experiments.commands.survey_results import read_results
from experiments.figures.signs import pretty
from experiments.storage.folders import require_survey
from proofs_check.registry import DEMONSTRATIONS, demonstrated
from proofs_check.verdict import Outcome
from theory.survey.errata import ERRATA
from theory.survey.erratum import Erratum

_FOUND = ("subject", "claim", "outcome", "evidence")
_COLOURS = {Outcome.AGREES.value: "green", Outcome.REFUTED.value: "bold red"}


def errata_command(name: str | None, *, report: Path, run: bool, as_json: bool) -> int:
    """Exit code 0; 1 if a demonstration fails, 2 for an erratum that there is none of."""
    with bad_input():
        chosen = [_called(name)] if name is not None else list(ERRATA)
        if run and name is None:
            print_note(f"{len(DEMONSTRATIONS)} demonstrations are run; that takes minutes")
        records = errata_records(chosen, report, run=run)
    if as_json:
        dump(records)
    elif LAYOUT.tsv:
        heads = ("name", "place", "printed", "correct", "evidence", "nature", "code")
        lines = ([escape(str(one[head] or "")) for head in heads] for one in records)
        print_table(console(False), heads, lines)
    else:
        _show(records, console(False))
    found = [one["outcome"] for record in records for one in record["found"]]
    return 1 if Outcome.REFUTED.value in found else 0


def errata_data(
    name: str | None = None, report: Path = Path("report"), *, run: bool = False
) -> list[dict[str, Any]]:
    """The records of ``--json``.

    Raises:
        ValueError: there is no such erratum, or the survey's results cannot be read.
    """
    return errata_records(ERRATA if name is None else (_called(name),), report, run=run)


def errata_records(
    chosen: Iterable[Erratum], report: Path, *, run: bool = False
) -> list[dict[str, Any]]:
    """Each erratum with how it is demonstrated, and what that found: ``run`` again, or when the
    survey in ``report`` was made.

    Raises:
        ValueError: the survey's results cannot be read.
    """
    if not run:
        require_survey(report)
    kept = {} if run else _kept(report)
    return [_record(one, _run(one) if run else kept.get(one.id, [])) for one in chosen]


def _called(name: str) -> Erratum:
    return look_up("erratum", name.upper(), {one.id: one for one in ERRATA})


def _record(one: Erratum, found: list[dict[str, Any]]) -> dict[str, Any]:
    case = DEMONSTRATIONS.get(one.id)
    return {
        "name": one.id,
        "place": one.place,
        "printed": one.printed,
        "correct": one.correct,
        "evidence": one.evidence,
        "nature": one.nature.value,
        "demonstration": None if case is None else inspect.getdoc(case),
        "code": None if case is None else f"{case.__module__}.{case.__name__}",
        "found": found,
    }


def _run(one: Erratum) -> list[dict[str, Any]]:
    verdicts = (verdict.record() for verdict in demonstrated(one.id))
    return [{name: str(verdict[name]) for name in _FOUND} for verdict in verdicts]


def _kept(report: Path) -> dict[str, list[dict[str, Any]]]:
    """By erratum, what the survey in the folder found; empty where there is none."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in read_results(report, ("subject", "claim", "check", "verdict", "evidence")):
        kind, _, name = str(line["check"]).partition(" ")
        if kind == "erratum":
            told = line | {"outcome": line["verdict"]}
            found.setdefault(name, []).append({key: str(told[key]) for key in _FOUND})
    return found


def _show(records: Sequence[Mapping[str, Any]], screen: Console) -> None:
    width = min(screen.width, 100)
    for one in records:
        head = f"[bold]{one['name']:<4}[/] {escape(one['place'])} [dim]({one['nature']})[/]"
        screen.print(head, highlight=False, soft_wrap=True)
        told = [(key, one[key]) for key in ("printed", "correct", "evidence")]
        told.append(("shown by", one["demonstration"] or "the paper that is cited"))
        for name, text in told:
            _paragraph(name, pretty(text), screen, width)
        for verdict in one["found"]:
            colour = _COLOURS.get(verdict["outcome"], "dim")
            said = f"{verdict['subject']}, {verdict['claim']}: {verdict['evidence']}"
            _paragraph(verdict["outcome"], said, screen, width, colour)
        if len(records) == 1 and one["code"]:
            _paragraph("code", one["code"], screen, width)


def _paragraph(name: str, text: str, screen: Console, width: int, colour: str = "dim") -> None:
    first, *others = wrap(text, width - 15, break_on_hyphens=False)
    screen.print(f"     [{colour}]{name:<9}[/] {escape(first)}", highlight=False, soft_wrap=True)
    for line in others:
        screen.print(f"{'':15}{escape(line)}", highlight=False, soft_wrap=True)
