"""A method under stepsizes that fall: step t takes that of step t, in compiled blocks too.

Nearly all theorems tune with constant stepsizes, under which a block that keeps its first one leads
to the same models.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, final

import torch

from algorithms.catalogue import Recipe, Row
from algorithms.catalogue.row import Build
from algorithms.core.key import Key
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.network.simulated import Simulated
from algorithms.pipeline.advance import Blocks
from algorithms.problems.base import Problem
from proofs_check.methods.run_paths import BROKEN, numbers_apart
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.stepsizes import Stepsize

_FALLING = 12  # steps, or two cycles
_BY_CLOCK = "a gradient has the stepsize of its place clock by clock, whenever it arrives"


@final
@dataclass(frozen=True)
class FallingStep(Stepsize):
    """gamma_t = scale / sqrt(t + 1), which notes the steps t that it is asked for.

    Attributes:
        asked: the steps, in the order in which they were asked for.
    """

    scale: float
    asked: list[int] = field(default_factory=list, repr=False, compare=False)

    def __call__(self, t: int) -> float:
        self.asked.append(t)
        return self.scale / math.sqrt(t + 1)

    def __str__(self) -> str:
        return f"gamma_t = {self.scale:.4g}/sqrt(t + 1), noted"


def falling_of_row(row: Row, problem: Problem, seed: int, provenance: str) -> Verdict:
    """:func:`falling_built` of the method that a row makes, in each way that it is composed: the
    first verdict that refutes."""
    recipe = row.ready()
    ways = (recipe.build, recipe.practice, recipe.as_stated)
    found = [falling_built(row, way, problem, seed, provenance) for way in ways if way is not None]
    return next((one for one in found if one.outcome is Outcome.REFUTED), found[0])


def falling_built(row: Row, build: Build, problem: Problem, seed: int, provenance: str) -> Verdict:
    """:func:`falling` of an instance of a row's method, over two of its cycles or more."""
    rule, recipe = FallingStep(0.1 / (problem.constants().L or 1.0)), row.ready()
    period = _period(recipe, build(rule, problem, _FALLING), problem)
    steps = max(_FALLING, 2 * period)
    rule.asked.clear()
    method = build(rule, problem, steps)
    kept = _BY_CLOCK if getattr(method, "by_clock", False) else recipe.kept_step
    return falling(row.key, method, rule, problem, seed, provenance, period, steps, kept)


def _period(recipe: Recipe, method: Method[Any], problem: Problem) -> int:
    """After how many steps the rule of a step comes again; where a recipe has no number for it, H
    or the period of the method."""
    told = recipe.cycle(problem.n) if callable(recipe.cycle) else recipe.cycle
    lengths = told, method.constants(problem).H, getattr(method, "period", None)
    return next((one for one in lengths if isinstance(one, int) and one > 0), 1)


def falling(
    subject: str, method: Method[Any], rule: FallingStep, problem: Problem, seed: int,
    provenance: str, period: int = 1, steps: int = _FALLING, kept: str = "",
) -> Verdict:  # fmt: skip
    """A method under stepsizes that fall at every step, by its own steps and in compiled blocks.

    Step t asks for the stepsize of step t, and for none but that; where steps come in a cycle of
    ``period`` steps, one of the last ``period`` steps may be held or asked for; ``kept`` says why
    one is held for longer. Blocks are taken in
    two parts, which end at the models of the method's own steps, bit for bit: one that keeps its
    first stepsize, or begins a step late, ends elsewhere.
    """
    replicas = method.replicas if isinstance(method, Scheduled) else 2
    context = RunContext(problem, Simulated(problem.n), Key.seed(seed), torch.arange(replicas))
    state, models, faults, asking = method.init(problem.start(), context), [], list[str](), 0
    newest = max(rule.asked, default=None)  # while it was made or begun
    for t in range(steps):
        models.append(method.models(state).clone())
        rule.asked.clear()
        state = method.step(state, t, context)
        asking += bool(rule.asked)
        newest = max(rule.asked, default=newest)
        taken_too = rule.asked or ([] if newest is None else [newest])
        faults += [
            f"step {t} takes the stepsize of step {s}, period {period}"
            for s in taken_too if not kept and not 0 <= t - s < period
        ]  # fmt: skip
    models.append(method.models(state).clone())
    taken, blocks, t = 0, Blocks(method, context), 0
    state = method.init(problem.start(), context)
    for until in (BROKEN, steps):
        while t < until:
            state, done = blocks.advance(state, t, until)
            taken, t = taken + done, t + done
            if done and (apart := numbers_apart(method.models(state), models[t])):
                faults.append(f"{apart} numbers of a block's models differ after {t} steps")
            if not done:
                state, t = method.step(state, t, context), t + 1
    told = "no step asks for a stepsize" if newest is None else kept
    return Verdict(
        subject=subject, problem=problem.name, check="falling stepsizes", kind=CheckKind.INVARIANT,
        claim="step t takes the stepsize of step t" + (
            f" or of one of the {period - 1} before" if period > 1 else ""
        ) + (", in compiled blocks too" if taken else ""),
        outcome=Outcome.REFUTED if faults
        else Outcome.NOT_APPLICABLE if told else Outcome.AGREES,
        statistic=None if told and not faults else float(len(faults)), bound=0.0, resolution=0.0,
        evidence=faults[0] if faults else told or f"{asking} of {steps} steps ask for a stepsize, "
        f"{taken} steps are taken in blocks as well",
        provenance=provenance,
    )  # fmt: skip
