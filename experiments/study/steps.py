"""Steps of a study: each is one existing check, and what it gives is verdicts, curves and facts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from algorithms.catalogue import Row, problem
from algorithms.engine.run import Diverged, run
from algorithms.tuning.grid import POWERS
from experiments.compare.tuned_rows import Tuning, sweeping_step
from experiments.ranks.crossval import STEPS, build
from experiments.ranks.user_objects import build_own
from experiments.study.contest import TRIALS, ContestBudget, best_of, contested, price, tuned
from experiments.study.plan import StudyPlan
from experiments.study.subject import StudySubject, faults_among
from proofs_check.cell import CellResult
from proofs_check.facts import TunedFacts
from proofs_check.instruments.effect_check import EffectCheck
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.methods.runs import run_row
from proofs_check.methods.sweep import rate_panel, sweep, sweep_verdict
from proofs_check.refute.attack import attack
from proofs_check.refute.outcome import Attack, Standing
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.stepsizes import Stepsize
from theory.theorem import Theorem

RANKS = 2
_POINTS = 5  # of a rate, about
_PILOT = 48  # steps by which a step's seconds are measured
_TOGETHER = 16  # replicas that take about as long as one
_START_OF_RANKS = 10.0  # seconds
_EFFECT = 20.0  # seconds, about

Done = Mapping[str, CellResult]
"""What earlier steps gave, by their keys."""


class StudyStep(NamedTuple):
    """One step.

    Attributes:
        key: its name in files.
        subject: the row that it is about.
        title: its heading.
        does: what it does, in words.
        seconds: what it takes, about.
        depends: all that its result follows from, in words.
        run: its result, from those of earlier steps.
    """

    key: str
    subject: StudySubject
    title: str
    does: str
    seconds: float
    depends: str
    run: Callable[[Done], CellResult]


def steps_of(plan: StudyPlan) -> tuple[StudyStep, ...]:
    """All steps, in their order; measures first what a step of every row takes.

    Raises:
        ValueError: the budget cannot be told, since the first row spends nothing of the axis, or
            leaves the range of its number type at once.
        UserCodeError: code of one's own raised.
    """
    first = plan.entrants[0]
    try:
        with faults_among((first,)):
            total = plan.steps * price(first.row, plan.objective, plan.axis, plan.steps)
    except Diverged as error:
        raise ValueError(
            f"rows must have first one whose run sets the budget, got {first.row.key}: {error}; "
            "another first row would do"
        ) from error
    budget = ContestBudget(total, plan.axis, 50 * plan.steps)
    # all that a tuned place follows from, on which the evidence rests as well
    here = f"{plan.problem}, n={plan.n}, seed={plan.seed}, {total!r} {plan.axis}, {budget.most}"
    found = [*_contest(plan, budget, here)]
    for one in plan.subjects:
        found += _evidence(plan, one, here)
    return tuple(found)


def _contest(plan: StudyPlan, budget: ContestBudget, here: str) -> Iterator[StudyStep]:
    objective = plan.objective
    at = f"{budget.total:.6g} {plan.axis}"
    costs = {}
    for one in plan.entrants:
        with faults_among((one,)):
            try:
                length = budget.steps(one.row, objective)
            except Diverged:  # nor can it be tuned then, which that step says
                length = plan.steps
            costs[one.name] = length * _seconds(one.row, plan)
        yield StudyStep(
            f"tuning-{_stem(one.name)}", one, f"Tuning of {one.row.key}",
            f"the best of {len(POWERS)} stepsizes or more, and of the parameters that papers tune "
            f"beside them, {TRIALS} runs of {length} steps each ({at})",
            (len(POWERS) + 2) * costs[one.name], f"{one.name} {here}",
            partial(_tuned, one, plan, budget),
        )  # fmt: skip
    names = ", ".join(one.row.key for one in plan.entrants)
    yield StudyStep(
        "comparison", plan.entrants[0], f"Comparison at equal {plan.axis}",
        f"{names}: {plan.replicas} runs of each, {at}", _times(plan.replicas) * sum(costs.values()),
        f"{[one.name for one in plan.entrants]} {here} {plan.replicas} {plan.steps}",
        partial(_compared, plan),
    )  # fmt: skip


def _evidence(plan: StudyPlan, one: StudySubject, here: str) -> Iterator[StudyStep]:
    key, stem = one.row.key, _stem(one.name)
    with faults_among((one,)):
        each, theorems = _seconds(one.row, plan), attacked(one, plan)
    sizes = f"{plan.replicas} runs of {plan.steps} steps"
    yield StudyStep(
        f"bound-{stem}", one, f"{key} under its theorem",
        f"{sizes}, bits against their closed form",
        each * plan.steps * _times(plan.replicas), f"{one.name} {here} {sizes}",
        partial(_bounded, one, plan),
    )  # fmt: skip
    for variable in plan.vary:
        runs = f"{plan.replicas} runs of up to {plan.rate_steps} steps at each point"
        values = plan.sizes if variable == "n" else ()
        yield StudyStep(
            f"rate-{stem}-{variable}", one, f"Rate of {key} in {variable}", runs,
            _POINTS * each * plan.rate_steps * _times(plan.replicas),
            f"{one.name} {here} {variable} {runs} {values}", partial(_rated, one, plan, variable),
        )  # fmt: skip
    if one.effect is not None:
        yield StudyStep(
            f"effect-{stem}", one, f"Effect of {key}",
            f"{one.effect.effect}: beside {one.effect.baseline}, and without its cause "
            f"({one.effect.fault})", _EFFECT, one.name, partial(_shown, one.effect),
        )  # fmt: skip
    for theorem in theorems:
        yield StudyStep(
            f"refute-{stem}-{_stem(theorem.name)}", one, f"Attack on {theorem.name}",
            f"instances that break its bound are looked for, {plan.attack_seconds:g} s",
            plan.attack_seconds,
            f"{one.name} {theorem.name} {plan.attack_seconds} {plan.attackers} {plan.seed}",
            partial(_attacked, one, plan, theorem),
        )  # fmt: skip
    yield StudyStep(
        f"ranks-{stem}", one, f"{key} on real ranks",
        f"{RANKS} processes of torch.distributed against the simulation, {STEPS} steps",
        _START_OF_RANKS, f"{one.name} {plan.problem}", partial(_on_ranks, one, plan),
    )  # fmt: skip


def attacked(one: StudySubject, plan: StudyPlan) -> tuple[Theorem, ...]:
    """Theorems that are attacked: one's own; of a row of the catalogue the one that tunes it here,
    or where none does the first that was held against a run."""
    if one.own:
        return tuple(dict.fromkeys(claim.theorem for claim in one.claims))
    tuning = one.row.tune(plan.objective, plan.steps).theorem
    candidates = (*filter(None, (tuning,)), *one.row.theorems)
    return next(((theorem,) for theorem in candidates if one.attacked(theorem)), ())


def _tuned(one: StudySubject, plan: StudyPlan, budget: ContestBudget, _: Done) -> CellResult:
    return tuned(one.row, plan.objective, budget)


def found_of(one: StudySubject, done: Done) -> TunedFacts | None:
    """What the grid's search found of a row; None where it is not done, or failed."""
    result = done.get(f"tuning-{_stem(one.name)}")
    found = [fact for fact in result.facts if isinstance(fact, TunedFacts)] if result else []
    return found[0] if found else None


def _compared(plan: StudyPlan, done: Done) -> CellResult:
    pairs = [(one.row, found) for one in plan.entrants if (found := found_of(one, done))]
    with faults_among(plan.entrants):
        return contested(
            pairs, plan.objective, axis=plan.axis, steps=plan.steps, replicas=plan.replicas,
            seed=plan.seed,
        )  # fmt: skip


def _bounded(one: StudySubject, plan: StudyPlan, done: Done) -> CellResult:
    found = found_of(one, done)
    return run_row(
        one.row, plan.objective, steps=plan.steps, replicas=plan.replicas, seed=plan.seed,
        rates=False, best=None if found is None else best_of(found), both=False,
    )  # fmt: skip


def _rated(one: StudySubject, plan: StudyPlan, variable: str, done: Done) -> CellResult:
    step = _step_of(one, plan, done)
    found = sweep(
        one.row, lambda size: problem(plan.problem, size), variable, n=plan.n,
        steps=plan.rate_steps, replicas=plan.replicas, seed=plan.seed, step=step,
        values=plan.sizes if variable == "n" else (),
    )  # fmt: skip
    words = "a stepsize at each point" if step is None else str(step)
    description = f"seed {plan.seed}, {plan.replicas} replicas, {words}"
    verdict = sweep_verdict(one.row, found, plan.problem, description, 0.05)
    return CellResult((verdict,), (rate_panel(found, verdict),))


def _step_of(one: StudySubject, plan: StudyPlan, done: Done) -> Stepsize | None:
    """The stepsize at all points of a rate where no theorem tunes the row: the grid's best."""
    tuned_here = one.row.tune(plan.objective, plan.rate_steps)
    if tuned_here.theorem is not None or tuned_here.stepless:
        return None
    found = found_of(one, done)
    if found is not None:
        return best_of(found).step(plan.objective)
    return sweeping_step(one.row, plan.objective, plan.rate_steps, Tuning.THEOREM)


def _shown(effect: EffectCheck, _: Done) -> CellResult:
    return effect.result()


def _attacked(one: StudySubject, plan: StudyPlan, theorem: Theorem, _: Done) -> CellResult:
    claims = one.attacked(theorem)
    found = attack(
        theorem.name, claims, budget=plan.attack_seconds, attackers=plan.attackers,
        seed=plan.seed, workers=1, again=f"rateproof refute {theorem.name}",
    )  # fmt: skip
    if not found.complete:
        raise KeyboardInterrupt  # what an attack found in part is not kept as the whole
    return CellResult((attack_verdict(one.row.key, theorem, found, plan),))


_OUTCOMES = {
    Standing.REFUTED: Outcome.REFUTED,
    Standing.UNCONFIRMED: Outcome.COMPARED,
    Standing.SURVIVED: Outcome.SUPPORTED,
    Standing.NOT_ATTACKED: Outcome.NOT_APPLICABLE,
}


def attack_verdict(key: str, theorem: Theorem, found: Attack, plan: StudyPlan) -> Verdict:
    """An attack as a verdict: the largest ratio of metric and bound, and what was tried."""
    words = f"{found.standing.value}: {found.tried} instances, largest ratio {found.slack:.4g}"
    shown = found.counterexamples[0].trial if found.counterexamples else found.best
    if shown is not None:
        told = ", ".join(f"{name} = {value}" for name, value in shown.record().items()
                         if isinstance(value, (int, float)))  # fmt: skip
        words += f" ({told})"
    return Verdict(
        subject=key, theorem=theorem.name, kind=CheckKind.BOUND, check=f"attack on {theorem.name}",
        claim=f"no instance breaks the bound of {theorem.name}", outcome=_OUTCOMES[found.standing],
        statistic=found.slack, bound=1.0, evidence="; ".join((words, *found.certificates)),
        provenance=f"seed {plan.seed}, {plan.attack_seconds:g} s; {found.again}",
    )  # fmt: skip


def _on_ranks(one: StudySubject, plan: StudyPlan, _: Done) -> CellResult:
    n = 2 * RANKS
    case = Case(one.row.key, build, (one.row.key, plan.problem, n, STEPS), steps=STEPS)
    if one.own:
        case = Case(one.row.key, build_own, (one.name, plan.problem), steps=STEPS)
    return CellResult(cross_validate((case,), RANKS))


def _seconds(row: Row, plan: StudyPlan) -> float:
    """What a step of a few replicas takes [s]: of a short run, its kernels compiled before, or of
    what there is of it where it diverges."""
    method = row.build(plan.objective, _PILOT)
    took = 0.0
    for length in (2, _PILOT):
        begun = time.perf_counter()
        with suppress(Diverged):
            run(method, plan.objective, steps=length, replicas=TRIALS, seed=plan.seed, points=2)
        took = (time.perf_counter() - begun) / length
    return took


def _times(replicas: int) -> float:
    """How much longer so many replicas take than a few."""
    return max(1.0, replicas / _TOGETHER)


def _stem(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")


def total_seconds(steps: Sequence[StudyStep]) -> float:
    """What steps take together [s], about."""
    return sum(step.seconds for step in steps)


def failed(step: StudyStep, problem_name: str, error: Exception) -> CellResult:
    """A step that could not be made, with the reason."""
    verdict = Verdict(
        subject=step.subject.row.key, problem=problem_name, check=step.key,
        claim=step.title, outcome=Outcome.NOT_APPLICABLE, kind=CheckKind.STUDY, evidence=str(error),
    )  # fmt: skip
    return CellResult((verdict,))
