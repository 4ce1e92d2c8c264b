"""``serve``: ranks without a common clock beside their replay and predicted seconds, and kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from algorithms.engine.run import run
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.launch import launch
from algorithms.problems.quadratic import Quadratic
from algorithms.runner.kept_record import KeptRecord
from algorithms.synchronisation.barriers import BackupWorkers
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.recorded import RecordedTick, ScheduleRecord
from algorithms.topologies.ring import Ring
from experiments.commands.launch_serve import error_by_seconds
from proofs_check.methods.served_equivalence import (
    ServedFound,
    measured_times,
    seconds_to,
    served,
    times_between_updates,
)
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

ASP = ParameterServer(ConstantStep(0.05), 40, Constant())


def serve(folder: Path) -> tuple[ServedFound, ServedFound, list[ServedFound]]:
    problem, peers = (Quadratic.strongly_convex(n, 6, sigma2=1.0, zeta2=1.0) for n in (2, 3))
    meeting = ADPSGD(ConstantStep(0.05), 40, Constant(), Ring(3))
    kept = KeptRecord(folder / "asp", 50, {}), KeptRecord(folder / "ad-psgd", 50, {})
    first = (
        served("asp", ASP, problem, 1, 0, kept=kept[0]),
        served("ad-psgd", meeting, peers, 0, 0, kept=kept[1]),
    )
    return *first, [
        served("asp", replace(ASP, ticks=60), problem, 1, 0, kept=kept[0]),
        served("ad-psgd", replace(meeting, ticks=60), peers, 0, 0, kept=kept[1]),
    ]


@pytest.mark.slow
@pytest.mark.sharded
def test_a_server_on_a_rank_of_its_own_is_replayed_and_its_seconds_are_predicted(
    tmp_path: Path,
) -> None:
    both = launch(serve, tmp_path, ranks=3)
    first, *others = (found for found, *_ in both)
    met = {v.check: v for v in both[0][1].verdicts}
    assert [met[name].outcome for name in ("replay", "bytes sent", "bytes received")] == (
        3 * [Outcome.AGREES]
    )
    assert met["bytes sent"].statistic == met["bytes sent"].bound == 2 * 40 * 6 * 8
    assert all(found.record is None and not found.verdicts for found in others)
    told = {v.check: v for v in first.verdicts}
    assert {told[name].outcome for name in ("replay", "bytes sent", "bytes received")} == {
        Outcome.AGREES
    }
    assert told["bytes sent"].statistic == told["bytes sent"].bound == 40 * 6 * 8
    assert told["seconds"].outcome is Outcome.COMPARED
    second = told["seconds of the second half"]
    assert second.bound == first.seconds[-1] - first.seconds[19] > 0
    assert second.statistic == first.predicted_seconds[-1] - first.predicted_seconds[19]
    assert len(first.seconds) == len(first.errors) == len(first.predicted_seconds) == 40
    for begun, ways, went_on in zip(both[0][:2], (1, 2), both[0][2], strict=True):
        assert begun.record is not None and went_on.record is not None
        assert went_on.record.ticks[:40] == begun.record.ticks and len(went_on.record.ticks) == 60
        later = {v.check: v for v in went_on.verdicts}
        assert later["replay"].outcome is Outcome.AGREES
        for name in ("bytes sent", "bytes received"):
            assert later[name].outcome is Outcome.AGREES
            assert later[name].provenance.endswith("gloo, from update 40 on")
        assert later["bytes sent"].statistic == ways * 20 * 6 * 8


def test_seconds_are_predicted_from_the_first_half() -> None:
    ticks = [RecordedTick((t % 2,), (max(0, t - 1),), (t % 2,), 0.5 * (t + 1)) for t in range(8)]
    slow = [tick._replace(seconds=tick.seconds + 10.0 * (t > 3)) for t, tick in enumerate(ticks)]
    table = measured_times(ScheduleRecord(3, tuple(slow))).table
    assert table == ((0.5, *[1.0] * 7), (1.0,) * 8, (1.0,) * 8)  # of the third the others' mean
    errors = np.array([4.0, 2.0, 3.0, 1.0])
    assert seconds_to(2.5, np.arange(4.0), errors) == 1.0
    assert seconds_to(0.5, np.arange(4.0), errors) == np.inf


def test_what_sets_up_is_not_predicted_again_and_each_worker_has_all_its_own_times() -> None:
    """Worker 0's first gradient takes 5 s, then 0.5 and 0.25 s by turns; worker 1's all take 2 s.
    Cut to one length, all going round, 5 s would come again and 0.25 s be lost."""
    ends = [2.0, 4.0, 5.0, 5.5, 5.75, 6.0, 6.25, 6.5, 7.0, 7.25, 7.75, 8.0, 8.5, 9.0, 9.5, 10.0]
    who = [1, 1, 0, 0, 0, 1, 0, 0, *[0] * 8]
    record = ScheduleRecord(2, tuple(
        RecordedTick((i,), (0,), (i,), end) for i, end in zip(who, ends, strict=True)
    ))  # fmt: skip
    first, second = measured_times(record).table
    assert first[:9] == (5.0, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25)
    assert second == (2.0,) * 16 and len(first) == 16


def test_backup_workers_are_timed_by_what_passed_between_updates() -> None:
    """Worker 0 counts in every tick but the third. By gradients that counted it would never be
    slow, and every tick after the first take 0.5 s."""
    ends, who = [1.0, 1.5, 3.5, 4.0, 9.0, 9.5, 9.75, 10.0], [0, 0, 1, 0, 0, 1, 0, 0]
    record = ScheduleRecord(2, tuple(
        RecordedTick((i,), (t,), (0, 1), end)
        for t, (i, end) in enumerate(zip(who, ends, strict=True))
    ))  # fmt: skip
    assert times_between_updates(record).table == (
        (1.0, 0.5, 4.0, 0.5, 0.5, 4.0, 0.5, 0.5),
        (2.0, 1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0),
    )
    problem = Quadratic.strongly_convex(2, 6, sigma2=1.0, zeta2=1.0)
    played = [
        run(ParameterServer(ConstantStep(0.05), 8, times, BackupWorkers(1)), problem, steps=8,
            points=9, replicas=1).seconds[0].tolist()
        for times in (times_between_updates(record), measured_times(record))
    ]  # fmt: skip
    assert played[0] == [0.0, 1.0, 1.5, 3.5, 4.0, 4.5, 6.5, 7.0, 7.5]  # the first 1 s but once
    assert played[1] == [0.0, *(1.0 + 0.5 * t for t in range(8))]


def test_the_curve_that_was_predicted_is_drawn_beside_the_real_one() -> None:
    told = Verdict(
        "ssp", "seconds", "seconds", Outcome.COMPARED, problem="here", statistic=3.0, bound=4.0
    )
    real, guess = np.array([2.0, 4.0]), np.array([1.0, 3.0])
    found = ServedFound((told,), None, real, np.array([0.5, 0.1]), guess, np.array([0.4, 0.1]))
    figure = error_by_seconds("ssp", found)
    (ax,) = figure.axes
    assert [line.get_xdata().tolist() for line in ax.lines] == [[2.0, 4.0], [1.0, 3.0]]
    assert "off by -25.0%" in figure.get_suptitle()
