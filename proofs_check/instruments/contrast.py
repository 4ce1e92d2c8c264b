r"""Effects as data: a row, its baseline and the row without its cause, in one setting.

:func:`contrast` makes an :class:`~.effect_check.EffectCheck` of what differs between effects: the
setting, the three arms, and what is read of their runs. Provenance, seeds, tuning, labels and units
are told from these alone, so that no text repeats a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple, final

import torch

from algorithms.catalogue import row
from algorithms.engine.run import Diverged, run
from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.instruments.chosen_steps import steps_of
from proofs_check.instruments.effect_check import Arm, EffectCheck, StepsizeChoice
from proofs_check.instruments.measurement import BudgetLeft, Measurement
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.tuned_arm import at_best
from proofs_check.instruments.variants import Fixed, NoSuchVariant, Variant


@final
@dataclass(frozen=True)
class ArmContext:
    """Inputs of an arm's method.

    Attributes:
        key: the row that the effect is about.
        setting: where it runs; its seed is that of the runs.
        step: its stepsizes; None: it has none.
    """

    key: str
    setting: Setting
    step: Any

    @property
    def problem(self) -> Problem:
        """The objective of the arm's workers."""
        return self.setting.built

    @property
    def own(self) -> Any:
        """The row's own method here, at these stepsizes."""
        return self.method_of(self.key)

    def method_of(self, key: str) -> Any:
        """The method of another row here, at these stepsizes; it draws its schedule, where it has
        one, by the seed of the runs and for all of them."""
        steps = self.setting.length
        made: Any
        if self.step is None:
            made = row(key).build(self.problem, steps)
        else:
            made = row(key).tune(self.problem, steps, self.step).method
        drawn: set[str] = {f.name for f in fields(made)} if is_dataclass(made) else set()
        changes = {"schedule_seed": self.setting.seed, "replicas": self.setting.replicas}
        return replace(made, **changes) if changes.keys() <= drawn else made


Make = Callable[[ArmContext], Method[Any]]
"""The method of an arm."""


@final
class Contestant(NamedTuple):
    """An arm: what it is in words, its method, and what differs from the setting of all.

    Attributes:
        words: the arm in the legend of the picture.
        make: its method.
        changes: fields of :class:`Setting` by name.
        view: its trace as it is read, such as its meetings alone.
    """

    words: str
    make: Make
    changes: Mapping[str, Any]
    view: Callable[[Trace], Trace]


def _whole(trace: Trace) -> Trace:
    return trace


def arm(
    words: str, make: Make, view: Callable[[Trace], Trace] = _whole, **changes: Any
) -> Contestant:
    """An arm whose method is ``make`` of what the setting gives; ``changes`` are fields of the
    setting that are the arm's own, such as ``replicas=1`` where nothing is drawn."""
    return Contestant(words, make, changes, view)


def contrast(
    key: str, effect: str, setting: Setting, reading: Reading, *, method: str | Contestant,
    baseline: Contestant, without: Contestant, at_most: float, source: str,
    scales: tuple[str, str] = ("log", "log"), tuning: StepsizeChoice | None = None,
    float_bits: Literal[32, 64] = 32,
) -> EffectCheck:  # fmt: skip
    """The effect of row ``key``: ``method`` (in words, if it is the row's own) needs at most the
    share ``at_most`` of the baseline's reading, and ``without`` its cause it does not. Bits are
    those of messages of floats of ``float_bits``, which compute too; 64 where the target lies below
    what 32 resolve of f*.

    Raises:
        ValueError: method and baseline do not choose from one grid of stepsizes, or the fault
            chooses from none, and ``tuning`` does not say why, or says it wrongly; or 64-bit
            floats are asked for where no bits are paid.
    """
    own = arm(method, lambda it: it.own) if isinstance(method, str) else method
    if float_bits != 32 and not reading.in_bits:
        raise ValueError(
            f"float_bits must be 32 where no bits are paid, got {float_bits}: {key}'s runs are of "
            "the problem's own floats"
        )
    if reading.in_bits:  # as long as those that are trained with
        setting = replace(setting, dtype=torch.float32 if float_bits == 32 else torch.float64)
    arms = {Arm.METHOD: own, Arm.BASELINE: baseline, Arm.FAULT: without}
    kept = steps_of(key, setting.title, reading.describe(setting), _described(setting, arms))
    return _checked(
        _Contest(key, effect, setting, reading, arms, at_most, source, scales, tuning, kept)
    )


class _Contest(NamedTuple):
    """Arguments of :func:`contrast`; in variants a run goes on ``until_spent``, if it would leave
    some of the budget."""

    key: str
    effect: str
    setting: Setting
    reading: Reading
    arms: Mapping[Arm, Contestant]
    at_most: float
    source: str
    scales: tuple[str, str]
    tuning: StepsizeChoice | None
    kept: Mapping[str, float]
    until_spent: bool = False

    def setting_of(self, which: Arm) -> Setting:
        """The setting of an arm."""
        return replace(self.setting, **self.arms[which].changes)


def _checked(contest: _Contest) -> EffectCheck:
    setting, words = contest.setting, {side: one.words for side, one in contest.arms.items()}
    x_label, y_label = contest.reading.labels
    return EffectCheck(
        row=contest.key, problem=setting.title, effect=contest.effect,
        quantity=contest.reading.describe(setting), method=words[Arm.METHOD],
        baseline=words[Arm.BASELINE], fault=words[Arm.FAULT], at_most=contest.at_most,
        measure=partial(_measure, contest), x_label=x_label, y_label=y_label,
        source=contest.source, description=_described(setting, contest.arms), scales=contest.scales,
        tuning=_tuning(contest), vary=partial(_varied, contest),
        search=partial(_measure, contest, from_grid=True),
    )  # fmt: skip


def _tuning(contest: _Contest) -> StepsizeChoice:
    sides = [contest.setting_of(side) for side in Arm]
    mine, theirs, _ = sides
    seen = None
    if all(side.step is None for side in sides):
        seen = StepsizeChoice.STEPLESS
    elif all(side.step is None or side.chooses for side in sides):
        alike = mine.step == theirs.step
        seen = StepsizeChoice.ONE_GRID if alike else StepsizeChoice.OWN_GRIDS
    elif all(side.step == mine.step for side in sides):
        seen = StepsizeChoice.ALIKE
    stated = contest.tuning
    at_point = stated is StepsizeChoice.POINT
    stated_reason = at_point or (stated is seen and seen is not None)
    plain = seen in (StepsizeChoice.STEPLESS, StepsizeChoice.ONE_GRID)
    if not stated_reason and not (stated is None and plain):
        raise ValueError(
            f"all arms of {contest.key}'s effect must choose from one grid of stepsizes, or say "
            f"why not; seen: {seen}, said: {stated}"
        )
    return stated or seen or StepsizeChoice.POINT


def _varied(contest: _Contest, variant: Variant) -> EffectCheck:
    """Raises NoSuchVariant where the effect has no such variant."""
    sides = [contest.setting_of(side) for side in Arm]
    if variant.step != 1 and all(side.step is None for side in sides):
        raise NoSuchVariant(Fixed.STEPLESS)
    reading = contest.reading
    longer = reading.target is not None and (variant.step, variant.n, variant.d) != (1, 1, 1)
    setting = contest.setting.varied(variant)
    if reading.budget is not None and reading.in_bits:
        reading = replace(reading, budget=reading.budget * setting.scale_of(contest.setting))
    arms = {}
    for which, one in contest.arms.items():
        there = contest.setting_of(which).varied(variant, frozenset(one.changes))
        there = there.lengthened() if longer else there
        changes = {name: getattr(there, name) for name in one.changes}
        arms[which] = one._replace(changes=changes)
    setting = setting.lengthened() if longer else setting
    return _checked(
        contest._replace(setting=setting, reading=reading, arms=arms, kept={}, until_spent=True)
    )


def _measure(contest: _Contest, which: Arm, *, from_grid: bool = False) -> Measurement:
    """An arm at its best; a search ``from_grid``, and one of a variant, begins where it is told."""
    here = contest.setting_of(which)
    one = contest.arms[which]
    play = partial(_play, contest, here, one)
    short = contest.reading.of_last_record and one.view is _whole
    scored = partial(play, points=2 if short else None, chooses=True)
    kept = None if from_grid else contest.kept.get(which.value)
    return at_best(play, here.sizes, here.replicas, (here.chosen_on, here.seed), scored, kept)


def _play(
    contest: _Contest, setting: Setting, one: Contestant, size: float, *, seed: int, replicas: int,
    points: int | None = None, chooses: bool = False,
) -> Measurement:  # fmt: skip
    """One arm at one stepsize; a run that diverges is read as far as it went.

    Raises:
        Diverged: the run diverges, it ``chooses`` a stepsize, and no budget says that what went
            before counts.
    """
    here = replace(setting, seed=seed, chosen_on=0)
    method = one.make(ArmContext(contest.key, here, setting.stepsize(size)))
    diverged = False
    try:
        trace = run(
            method, setting.built, steps=setting.length, seed=seed, replicas=replicas,
            points=points or setting.points or setting.length + 1, timing=setting.timing,
        )  # fmt: skip
    except Diverged as error:
        if chooses and contest.reading.budget is None:
            raise
        trace, diverged = error.trace, True
    try:
        return contest.reading.read(one.view(trace), diverged=diverged)
    except BudgetLeft as left:
        if not contest.until_spent or math.isinf(left.times):
            raise
        longer = setting.lengthened(left.times)
        return _play(
            contest, longer, one, size, seed=seed, replicas=replicas, points=points, chooses=chooses
        )


def _described(setting: Setting, arms: Mapping[Arm, Contestant]) -> str:
    parts = [", ".join(setting.description)]
    for which, one in arms.items():
        own = [
            part
            for part in replace(setting, **one.changes).description
            if part not in setting.description
        ]
        if own:
            parts.append(f"{which.value}: {', '.join(own)}")
    return "; ".join(parts)
