"""Several jobs on one network: work is conserved, and AdaDUAL shares where that is better."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algorithms.schedules.contention import SharedNetwork, TrainingJob, always, never
from theory.seconds.sharing import shared_beta, sharing_pays


@given(
    old=st.floats(0.1, 9), new=st.floats(0.1, 9), beta=st.floats(0.1, 3), penalty=st.floats(0, 2)
)
@settings(max_examples=100, deadline=None)
def test_two_transfers_share_if_and_only_if_that_ends_earlier(
    old: float, new: float, beta: float, penalty: float
) -> None:
    """The sum of both ends, by simulation of both choices; the rule speaks of a shorter new one."""
    assume(new < old and abs(2 * (beta + penalty) * new - beta * old) > 1e-6)
    jobs = (TrainingJob("old", 0.0, old), TrainingJob("new", 0.0, new))

    def total(rule: object) -> float:
        assert callable(rule)
        return sum(SharedNetwork(beta, penalty, rule).ends(jobs))

    assert sharing_pays(old, new, beta, penalty) == (total(always) < total(never))
    assert total(sharing_pays) == pytest.approx(min(total(always), total(never)))


@given(
    st.lists(
        st.tuples(st.floats(0, 3), st.floats(0.1, 3), st.integers(1, 3), st.floats(0, 3)),
        min_size=1, max_size=4,
    )
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_without_penalty_work_is_conserved(made: list[tuple[float, float, int, float]]) -> None:
    jobs = tuple(TrainingJob(f"j{i}", *x) for i, x in enumerate(made))
    for rule, most in ((always, 9), (never, 1), (sharing_pays, 2)):
        line = SharedNetwork(1.0, 0.0, rule, most).timeline(jobs)
        assert not line.conflicts()
        for job in jobs:
            sent = line.tasks_on(f"link of {job.name}")
            assert len(sent) == job.steps
            assert all(t.stop - t.start >= job.bits - 1e-9 for t in sent)
            alone = job.start + job.steps * (job.compute + job.bits)
            assert sent[-1].stop >= alone - 1e-9


def test_equal_jobs_that_share_are_staggered_by_a_queue() -> None:
    """Two jobs of 1 s computing and 1 s alone on the network: in lockstep sharing takes 3 s a step
    both; one at a time they interleave and end after 2 steps at 4 s and 5 s."""
    jobs = (TrainingJob("a", 1.0, 1.0, 2), TrainingJob("b", 1.0, 1.0, 2))
    assert SharedNetwork(1.0, 0.0, always).ends(jobs) == (6.0, 6.0)
    assert SharedNetwork(1.0, 0.0, never).ends(jobs) == (4.0, 5.0)


def test_bad_networks_are_refused() -> None:
    with pytest.raises(ValueError, match="beta=0"):
        SharedNetwork(0.0)
    with pytest.raises(ValueError, match="named apart"):
        SharedNetwork(1.0).timeline(())
    with pytest.raises(ValueError, match="jobs=0"):
        shared_beta(1.0, 0.0, 0)
    with pytest.raises(ValueError, match="penalty=-1"):
        sharing_pays(1.0, 1.0, 1.0, -1.0)
