"""An effect that is measured on one replica draws nothing: two replicas of its runs are the same.

Where something is drawn, one run says what that draw said: an effect of 0.46 was 1.08 on another
seed, and 0.58 in the mean of 256.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from algorithms.engine.run import run
from proofs_check.instruments.contrast import ArmContext
from proofs_check.instruments.effect_check import Arm
from proofs_check.registry import EFFECTS

STEPS = 80


def contest_of(key: str) -> Any:
    """What a contrast measures; None of an effect that is made otherwise."""
    found = getattr(EFFECTS[key].measure, "args", (None,))[0]
    return found if hasattr(found, "setting_of") else None


def draws(key: str, which: Arm) -> bool:
    """Whether two replicas of an arm's run differ, in errors or bits; a schedule that is drawn for
    one replica is refused for two."""
    contest = contest_of(key)
    setting = contest.setting_of(which)
    both = replace(setting, replicas=2, chosen_on=0)
    method = contest.arms[which].make(ArmContext(key, both, both.stepsize(both.sizes[0])))
    trace = run(
        method, both.built, steps=min(both.length, STEPS), seed=both.seed, replicas=2, points=9,
        timing=both.timing,
    )  # fmt: skip
    series = (trace.suboptimality, trace.sent_bits, trace.received_bits)
    return not all(bool((one[0] == one[1]).all()) for one in series)


@pytest.mark.slow
def test_effects_on_one_replica_draw_nothing() -> None:
    alone = [
        (key, which)
        for key in EFFECTS
        if contest_of(key)
        for which in Arm
        if contest_of(key).setting_of(which).replicas == 1
    ]
    assert len(alone) > 100
    assert [one for one in alone if draws(*one)] == []


def test_what_draws_is_seen() -> None:
    """QSGD's roundings, and a schedule of pairs that are drawn."""
    assert draws("lead", Arm.METHOD) and draws("ad-psgd", Arm.METHOD)
    assert not draws("lead", Arm.BASELINE)
