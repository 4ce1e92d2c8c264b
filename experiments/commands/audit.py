"""``rateproof audit``: the checks pointed at anybody's compressor or method."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.markup import escape

from experiments.commands.audit_method import audit_method_command, method_called
from experiments.commands.console import (
    COLOURS,
    INTERRUPTED,
    REFUTED,
    SUBJECT_FAULT,
    at_least,
    bad_input,
    console,
    dump,
    number,
    print_error,
    tally,
    verdict_list,
)
from experiments.commands.grid import LAYOUT, print_table
from proofs_check.audit.audit import FAMILY_ERROR, Audit, Interrupted
from proofs_check.audit.claims import Stated
from proofs_check.audit.faults import SubjectFault
from proofs_check.audit.history import shown
from proofs_check.audit.measure import Measure
from proofs_check.audit.moments import ALPHA
from proofs_check.audit.named import audit_named
from proofs_check.audit.plan import Plan
from proofs_check.audit.reporting import ProgressLine
from proofs_check.verdict import Outcome, Verdict

_SHOWN = 16
_ROWS, _LETTERS = 7, 100  # of a short report: checks with what was seen, letters of each


def audit_command(
    name: str,
    *,
    unbiased: bool,
    omega: str | None,
    delta: str | None,
    bits: str | None,
    let: Sequence[str],
    d: int,
    seed: int,
    samples: int,
    ranks: int | None,
    matrix: bool,
    strict: bool,
    as_json: bool,
    whole: bool = False,
) -> int:
    """Print what was refuted or compared, ``whole`` or as lines with tabs: every check.

    Exit code 1 if a given claim is refuted, ``strict``: or anything else; 3 if it does not run
    or raises at a finite vector; 130 if it was interrupted, with what was finished. A method has an
    audit of its own, with 1 if anything is refuted."""
    with redirect_stdout(sys.stderr):  # a stranger's module may print
        method = method_called(name)
    if method is not None:
        with bad_input():
            given = {
                "unbiased": unbiased, "omega": omega, "delta": delta, "bits": bits, "let": let,
                "d": d != Plan.d, "seed": seed != Plan.seed, "samples": samples != Plan.samples,
                "ranks": ranks, "matrix": matrix, "strict": strict,
            }  # fmt: skip
            _refuse(name, given)
            return audit_method_command(method, as_json, whole or LAYOUT.tsv)
    try:
        with bad_input(), redirect_stdout(sys.stderr):  # a stranger's code may print
            at_least("ranks", 1 if ranks is None else ranks, 1)
            stated = Stated(unbiased, omega, delta, named(let), bits)
            plan = Plan(d=d, seed=seed, samples=samples)
            tell = ProgressLine(sys.stderr)
            try:
                found = audit_named(name, stated, plan, ranks, matrix, tell, tell.found)
            finally:
                tell.clear()
    except Interrupted as stop:
        found = stop.found
    except SubjectFault as error:
        print_error(error)
        return SUBJECT_FAULT
    if as_json:
        dump(record(found))
    else:
        _show(found, stated, whole or LAYOUT.tsv)
    if not found.complete:
        print("interrupted: above is what was finished", file=sys.stderr)
        return INTERRUPTED
    if found.crashes:
        print_error(f"{found.subject} {found.crashes[0]}")
    if found.crashes or not found.runs:
        return SUBJECT_FAULT
    return REFUTED if found.refuted or (strict and found.faulty) else 0


def _refuse(method: str, given: Mapping[str, Any]) -> None:
    """Raise what says which options were given that the audit of a method does not have.

    Raises:
        ValueError: one was given.
    """
    options = [f"--{name}" for name, value in given.items() if value]
    if options:
        raise ValueError(f"{method} is a method, whose audit has no {', '.join(options)}")


def named(let: Sequence[str]) -> dict[str, float]:
    """The values of ``NAME=VALUE`` pairs.

    Raises:
        ValueError: a pair is not of that form.
    """
    values = {}
    for pair in let:
        name, _, value = pair.partition("=")
        try:
            if not name.isidentifier() or name == "d":
                raise ValueError(name)
            values[name] = float(value)
        except ValueError as error:
            raise ValueError(
                f"let must be NAME=VALUE with a number, as in k=10, got let={pair}"
            ) from error
    return values


def record(found: Audit) -> dict[str, Any]:
    """An audit as plain data that JSON can hold."""
    fit = found.fit
    return {
        "headline": found.headline,
        "complete": found.complete,
        "subject": found.subject,
        "kind": found.kind,
        "arrays": found.arrays,
        "random": found.random,
        "error": {"test": ALPHA, "audit": FAMILY_ERROR},
        "class": None
        if fit is None
        else {"name": fit.name, "text": fit.text, "factor": fit.factor},
        "dimensions": [_dimension(one) for one in found.measures],
        "claims": [verdict.record() for verdict in found.claims],
        "behaviour": [verdict.record() for verdict in found.behaviour],
        "crashes": list(found.crashes),
        "refuted": found.refuted,
        "faulty": found.faulty,
    }


def _dimension(one: Measure) -> dict[str, Any]:
    biased, worst = one.most_biased, one.worst.look
    return {
        "d": one.d,
        "biased": one.biased,
        "bias": biased.bias,
        "bias_half_width": biased.bias_width,
        "bias_at": biased.name,
        "ratio": worst.ratio,
        "ratio_half_width": worst.ratio_width,
        "omega": worst.ratio,
        "delta": 1 - worst.ratio,
        "worst_vector": worst.x[:_SHOWN].tolist(),
        "worst_found_by": one.worst.found,
    }


def _show(found: Audit, stated: Stated, whole: bool) -> None:
    out = console(False)
    if found.headline:
        description = escape(f"{found.subject}: {found.headline}")
        out.print(f"[bold red]{description}[/]", highlight=False, soft_wrap=True)
    out.print(f"[bold]{escape(found.subject)}[/]: {escape(found.kind)}", highlight=False)
    drawn = "random" if found.random else "deterministic"
    out.print(escape(f"{found.arrays}; {drawn}"), highlight=False)
    if found.fit is not None:
        out.print(f"class: [bold]{escape(found.fit.name)}[/]", highlight=False)
    if found.measures:
        _print_measures(out, found.measures, stated)
        for one in found.measures if whole else found.measures[-1:]:
            description = f"worst in R^{one.d}: x = {shown(one.worst.look.x)}, {one.worst.found}"
            out.print(escape(description), highlight=False)
    if found.claims:
        out.print(verdict_list(found.claims), highlight=False)
    if whole:
        _print_behaviour(out, found.behaviour)
    else:
        _print_findings(out, found.behaviour)
    if found.verdicts:
        out.print(f"{tally(found.verdicts)}; {found.verdicts[0].provenance}", highlight=False)


def _print_measures(out: Console, measures: Sequence[Measure], stated: Stated) -> None:
    heads = ("d", "bias", "at", "omega, 1 - delta", "delta", "claimed omega")
    lines = []
    for one in measures:
        biased, worst = one.most_biased, one.worst.look
        limits = [
            number(float(claim.constant), 6)
            for claim in stated.claims(one.d)
            if hasattr(claim, "constant")
        ]
        lines.append((
            str(one.d),
            f"{number(biased.bias)} +- {number(biased.bias_width, 2)}",
            escape(f"{biased.name}, {biased.where}"),
            f"{number(worst.ratio, 6)} +- {number(worst.ratio_width, 2)}",
            number(1 - worst.ratio, 5),
            ", ".join(limits) or "-",
        ))  # fmt: skip
    print_table(out, heads, lines, "measured, by dimension")


def _print_findings(out: Console, verdicts: Sequence[Verdict]) -> None:
    """What was refuted and, behind it, compared, in short, and where the rest is."""
    wanted = (Outcome.REFUTED, Outcome.COMPARED)
    told = [one for outcome in wanted for one in verdicts if one.outcome is outcome]
    if told:
        _print_behaviour(out, [_shortened(one) for one in told[:_ROWS]])
    named = ", ".join(f"{one.check} ({one.outcome.value})" for one in told[_ROWS:])
    if named:
        out.print(escape(f"further: {named}"), highlight=False)
    if verdicts:
        left = tally([one for one in verdicts if one not in told])
        out.print(f"{left} not shown; --all prints every check in full", highlight=False)


def _shortened(one: Verdict) -> Verdict:
    if len(one.evidence) <= _LETTERS:
        return one
    return replace(one, evidence=f"{one.evidence[: _LETTERS - 4].rstrip()} ...")


def _print_behaviour(out: Console, verdicts: Sequence[Verdict]) -> None:
    """One line a matter: outcome, check, what was seen."""
    lines = (
        (f"[{COLOURS[one.outcome]}]{one.outcome.value}[/]", escape(one.check), escape(one.evidence))
        for one in verdicts
    )
    print_table(out, ("outcome", "check", "seen"), lines)
