r"""Effects as data: a row, its baseline and the row without its cause, in one setting.

:func:`contrast` makes an :class:`~.effect_check.EffectCheck` of what differs between effects: the
setting, the three arms, and what is read of their runs. Provenance, seeds, tuning, labels and units
are told from these alone, so that no text repeats a number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, final

from algorithms.catalogue import row
from algorithms.engine.run import Diverged, run
from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.instruments import tuned_arm
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting
from theory.stepsizes import ConstantStep


@final
@dataclass(frozen=True)
class ArmContext:
    """What an arm's method is made of.

    Attributes:
        key: the row that the effect is about.
        setting: where it runs.
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
        return self.of(self.key)

    def of(self, key: str) -> Any:
        """The method of another row here, at these stepsizes."""
        if self.step is None:
            return row(key).build(self.problem, self.setting.steps)
        return row(key).tune(self.problem, self.setting.steps, self.step).method


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
    scales: tuple[str, str] = ("log", "log"),
) -> EffectCheck:  # fmt: skip
    """The effect of row ``key``: ``method`` (in words, if it is the row's own) needs at most the
    share ``at_most`` of the baseline's reading, and ``without`` its cause it does not."""
    own = arm(method, lambda it: it.own) if isinstance(method, str) else method
    arms = {Arm.METHOD: own, Arm.BASELINE: baseline, Arm.FAULT: without}
    x_label, y_label = reading.labels
    return EffectCheck(
        row=key, problem=setting.title, effect=effect, quantity=reading.told(setting),
        method=own.words, baseline=baseline.words, fault=without.words, at_most=at_most,
        measure=partial(_measure, key, setting, reading, arms), x_label=x_label, y_label=y_label,
        source=source, told=_told(setting, arms), scales=scales,
    )  # fmt: skip


def _measure(
    key: str, setting: Setting, reading: Reading, arms: Mapping[Arm, Contestant], which: Arm
) -> Measurement:
    one = arms[which]
    here = replace(setting, **one.changes)
    play = partial(_play, key, here, reading, one)
    if isinstance(here.step, tuple):
        return tuned_arm.at_best(
            lambda gamma, *, seed, replicas: play(ConstantStep(gamma), seed, replicas), here.step,
            here.replicas, here.seeds,
        )  # fmt: skip
    step = here.step.rule(here.built) if isinstance(here.step, FromProblem) else here.step
    return play(step, here.seed, here.replicas)


def _play(
    key: str, setting: Setting, reading: Reading, one: Contestant, step: Any, seed: int,
    replicas: int,
) -> Measurement:  # fmt: skip
    """One arm at one stepsize; a run that diverges is read as far as it went."""
    method = one.make(ArmContext(key, setting, step))
    try:
        trace = run(
            method, setting.built, steps=setting.steps, seed=seed, replicas=replicas,
            points=setting.points or setting.steps + 1, timing=setting.timing,
        )  # fmt: skip
    except Diverged as error:
        trace = error.trace
    return reading.read(one.view(trace))


def _told(setting: Setting, arms: Mapping[Arm, Contestant]) -> str:
    parts = [", ".join(setting.told)]
    for which, one in arms.items():
        own = [part for part in replace(setting, **one.changes).told if part not in setting.told]
        if own:
            parts.append(f"{which.value}: {', '.join(own)}")
    return "; ".join(parts)
