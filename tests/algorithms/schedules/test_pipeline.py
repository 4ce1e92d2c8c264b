"""1F1B pipelines: order, closed forms, stashed versions, balanced stages."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.schedules.pipeline import PipelineSchedule, balanced_stages
from algorithms.schedules.timeline import TaskKind
from theory.seconds.pipelines import bubble_fraction, pipeline_seconds, stashed_versions


@given(
    stages=st.integers(1, 6), batches=st.integers(1, 9), f=st.floats(0.1, 3), b=st.floats(0.1, 3)
)
@settings(max_examples=60, deadline=None)
def test_equal_stages_take_the_closed_form(stages: int, batches: int, f: float, b: float) -> None:
    schedule = PipelineSchedule((f,) * stages, (b,) * stages, batches)
    line = schedule.timeline()
    whole = pipeline_seconds(stages, batches, f, b)
    assert line.seconds == pytest.approx(whole)
    idle = 1 - line.busy("stage 0") / line.seconds
    assert idle == pytest.approx(bubble_fraction(stages, batches), abs=1e-12)


@given(
    times=st.lists(st.tuples(st.floats(0, 3), st.floats(0, 3)), min_size=1, max_size=5),
    batches=st.integers(1, 7), transfer=st.floats(0, 2),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_order_is_kept(times: list[tuple[float, float]], batches: int, transfer: float) -> None:
    forward, backward = zip(*times, strict=True)
    line = PipelineSchedule(forward, backward, batches, transfer).timeline()
    assert not line.conflicts()
    at = {(t.kind, t.name, t.resource): t for t in line.tasks}
    assert len(at) == 2 * batches * len(times)
    for i in range(batches):
        for s in range(1, len(times)):
            here, before = f"stage {s}", f"stage {s - 1}"
            f_here, f_before = (at[TaskKind.FORWARD, str(i), r] for r in (here, before))
            b_here, b_before = (at[TaskKind.BACKWARD, str(i), r] for r in (here, before))
            assert f_here.start >= f_before.stop + transfer - 1e-9
            assert b_before.start >= b_here.stop + transfer - 1e-9


def test_a_pipeline_without_flush_settles_at_its_slowest_stage() -> None:
    forward, backward = (1.0, 2.0, 1.5), (2.0, 3.0, 1.0)
    short, long = (PipelineSchedule(forward, backward, m).timeline().seconds for m in (20, 30))
    assert (long - short) / 10 == pytest.approx(
        max(f + b for f, b in zip(forward, backward, strict=True))
    )


@given(stages=st.integers(1, 8), more=st.integers(0, 5))
def test_stashed_versions_are_counted(stages: int, more: int) -> None:
    schedule = PipelineSchedule((1.0,) * stages, (2.0,) * stages, stages + more)
    assert schedule.versions() == tuple(stashed_versions(stages, s) for s in range(stages))


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.data())
@settings(max_examples=60, deadline=None)
def test_stages_are_balanced_as_well_as_can_be(seconds: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(1, len(seconds)))

    def slowest(sizes: tuple[int, ...]) -> int:
        edges = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
        return max(sum(seconds[a:b]) for a, b in pairwise(edges))

    found = balanced_stages(seconds, count)
    assert len(found) == count and sum(found) == len(seconds) and min(found) >= 1
    every = (
        tuple(b - a for a, b in zip((0, *c), (*c, len(seconds)), strict=True))
        for c in combinations(range(1, len(seconds)), count - 1)
    )
    assert slowest(found) == min(map(slowest, every))


def test_bad_pipelines_are_refused() -> None:
    with pytest.raises(ValueError, match="one entry a stage, got 1 and 2"):
        PipelineSchedule((1.0,), (1.0, 1.0), 1)
    with pytest.raises(ValueError, match="microbatches must be at least 1, got 0"):
        PipelineSchedule((1.0,), (1.0,), 0)
    with pytest.raises(ValueError, match=r"stages must lie in \[1, 2\], got stages=3"):
        balanced_stages([1.0, 1.0], 3)
    with pytest.raises(ValueError, match="stages=0"):
        bubble_fraction(0, 1)
    with pytest.raises(ValueError, match="stage=2"):
        stashed_versions(2, 2)
    with pytest.raises(ValueError, match="forward=-1"):
        pipeline_seconds(1, 1, -1.0, 0.0)
