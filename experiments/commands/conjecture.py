"""``rateproof conjecture``: a bound that nothing tried could break, and how it was come by."""

from __future__ import annotations

import sys
from collections.abc import Callable

from experiments.commands.console import INTERRUPTED, bad_input, console, dump, number, print_note
from proofs_check.audit.reporting import ProgressLine
from proofs_check.conjecture.lines import LINES, REFUSED, line_called
from proofs_check.conjecture.search import Conjecture, conjectured

_UNTRIED = (
    "operators that depend on the vector (top-k, signs), and random ones",
    "more than two coordinates or four workers, functions that are no quadratics",
    "runs of more than 150,000 steps; periods above 12",
)


def conjecture_command(
    name: str, *, budget: float, seed: int, listed: bool, as_json: bool
) -> int:  # fmt: skip
    """Exit code 0 with a conjecture, 1 with none, 130 if it was interrupted."""
    if listed:
        return _list(as_json)
    with bad_input():
        line = line_called(name)
        print_note(
            f"conjecture {line.row}: up to {budget:g} s, and six instances a setting in any case"
        )
        tell = ProgressLine(sys.stderr)
        try:
            found = conjectured(line, budget=budget, seed=seed, tell=tell)
        finally:
            tell.clear()
    if as_json:
        dump({**found.record(), "not_tried": list(_UNTRIED)})
    else:
        _show(found, print)
    if found.reason == "interrupted":
        return INTERRUPTED
    return 1 if found.law is None else 0


def _list(as_json: bool) -> int:
    if as_json:
        dump({"lines": {one.row: one.name for one in LINES}, "refused": REFUSED})
        return 0
    told = [f"{one.row}: {one.name}: {one.what}" for one in LINES]
    told += [f"none of {name}: {reason}" for name, reason in REFUSED.items()]
    for line in told:
        console(False).print(line, highlight=False, markup=False, soft_wrap=True)
    return 0


def _show(found: Conjecture, say: Callable[[str], None]) -> None:
    line = found.line
    say(f"CONJECTURE, not proved: {line.name}, {line.what}")
    say(f"  {found.statement}")
    if found.law is not None:
        pairs = zip(line.variables, found.law.measured, found.law.exponents, strict=True)
        description = ", ".join(f"{v} {number(m, 3)} (taken: {number(e, 3)})" for v, m, e in pairs)
        say(f"  exponents of the drift as measured at the fit: {description}")
    say(
        f"evidence: {found.tried} instances by exact moments in {found.settings} settings, "
        f"{found.held_out} of them where nothing was fitted; the closest reached "
        f"{number(found.closest, 4)} of the bound"
    )
    for one in found.broken:
        at = ", ".join(f"{k} = {v:g}" for k, v in one.values.items())
        trial = one.trial
        say(
            f"  broken on the way: exponents {', '.join(map(str, one.law.exponents))} at {at}: "
            f"measured {number(trial.measured, 6)} after {trial.t} steps"
        )
    say("not tried:")
    for untried in _UNTRIED:
        say(f"  {untried}")
