"""Attacks on theorems as a terminal shows them."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from experiments.commands.console import number
from proofs_check.refute.attack import attack
from proofs_check.refute.ours import claims_called
from proofs_check.refute.outcome import ArmReport, Attack, Counterexample, Dependence, Standing

Say = Callable[[str], None]

_COLOURS = {
    Standing.REFUTED: "bold red",
    Standing.UNCONFIRMED: "yellow",
    Standing.SURVIVED: "cyan",
    Standing.NOT_ATTACKED: "dim",
}


def attacked(
    name: str, *, budget: float, attackers: Sequence[str], seed: int, workers: int
) -> Attack:
    """Attack a theorem by name, with a line on standard error for every slice.

    Raises:
        ValueError: there is no such theorem or attacker, or no time.
    """
    return attack(
        name, claims_called(name), budget=budget, attackers=attackers, seed=seed, workers=workers,
        tell=SliceLine(budget), again=command_again(name, budget, attackers, seed, workers),
    )  # fmt: skip


def command_again(
    name: str, budget: float, attackers: Sequence[str], seed: int, workers: int
) -> str:
    """The command line that does the same again."""
    description = ["rateproof", "refute", name, "--seed", str(seed), "--budget", f"{budget:g}"]
    for one in attackers:
        description += ["--attacker", one]
    return shlex.join([*description, "--processes", str(workers)])


class SliceLine:
    """One line on standard error for every slice."""

    def __init__(self, budget: float) -> None:
        self._begun, self._budget = time.monotonic(), budget

    def __call__(self, report: ArmReport, every: Sequence[ArmReport]) -> None:
        """Findings of a slice, and the largest ratio of all."""
        best = max((one.best.ratio for one in every if one.best is not None), default=float("nan"))
        done = time.monotonic() - self._begun
        description = report.reason or f"{report.tried} instances"
        print(
            f"[{done:.0f}/{self._budget:g} s] {report.attacker} on {report.claim}: {description}; "
            f"largest ratio {number(best, 6)}",
            file=sys.stderr, flush=True,
        )  # fmt: skip


def write_script(path: Path, found: Attack) -> None:
    """The file that shows a counterexample, where there is one."""
    for shown in found.counterexamples[:1]:
        if shown.confirmation is not None and shown.confirmation.script:
            path.write_text(shown.confirmation.script, encoding="utf-8")


def show_attack(found: Attack, screen: Console) -> None:
    """An attack for a terminal."""

    def say(text: str) -> None:
        screen.print(escape(text), highlight=False, soft_wrap=True)

    colour = _COLOURS[found.standing]
    description = escape(f"{found.name}: {found.title}")
    screen.print(
        f"[{colour}]{found.standing.value}[/] {description}", highlight=False, soft_wrap=True
    )
    for shown in found.counterexamples[:1]:
        _show_counterexample(shown, say)
    best = found.best
    say(f"{found.tried} instances tried")
    if best is not None and not found.counterexamples:
        say(f"largest ratio {number(best.ratio, 10)} after {best.t} steps, by {best.attacker}")
        say(f"  at {_numbers(best.instance.numbers())}; {best.stepsize}")
        say(f"  slack: {number(best.ratio, 4)} times the bound survives all that was tried")
    for dependence in found.dependences:
        say(f"  {_over_paid(dependence)}")
    for arm in found.arms:
        description = f"refused: {arm.reason}" if arm.reason else f"{arm.tried} instances"
        ratio = "" if arm.best is None else f", largest ratio {number(arm.best.ratio, 6)}"
        say(f"  {arm.attacker} on {arm.claim}: {description}{ratio}")
    for one in found.certificates:
        say(f"certified: {one}")
    say("not tried:")
    for one in found.untried:
        say(f"  {one}")
    if found.again:
        say(f"again: {found.again}")


def _show_counterexample(shown: Counterexample, say: Say) -> None:
    trial = shown.trial
    say(f"  at {_numbers(trial.instance.numbers())}; {trial.stepsize}")
    say(f"  constants: {_numbers(trial.constants)}")
    say(
        f"  after {trial.t} steps: measured {number(trial.measured, 10)}, bound "
        f"{number(trial.bound, 10)}, ratio {number(trial.ratio, 10)}"
    )
    description = shown.confirmation
    say(
        f"  confirmed {description.how}"
        if description is not None and shown.confirmed
        else f"  not confirmed: {shown.note if description is None else description.how}"
    )


def _over_paid(one: Dependence) -> str:
    """How far a bound over-pays for a variable, in a line."""
    ends = f"{number(one.values[0], 3)} to {number(one.values[-1], 3)}"
    ratios = ", ".join(number(ratio, 2) for ratio in one.ratios)
    power = one.power
    paid = (
        "too few values for a power"
        if power is None
        else f"over-pays by {one.variable}^{power:.2f}"
    )
    return f"{one.cause} large, {one.variable} from {ends}: largest ratios {ratios}; {paid}"


def _numbers(given: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in given.items()
    )
