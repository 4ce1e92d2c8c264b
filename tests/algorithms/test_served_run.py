"""A parameter server for real: what happened is replayed by the simulation to the same bits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import pytest
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.parts.delay_compensation import DiagonalCompensation
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.network.launch import launch
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.runner.model_server import shard
from algorithms.runner.served_run import ServedRun, served_run
from algorithms.synchronisation.barriers import Asynchronous, BackupWorkers, Bulk, RoundRobin
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.recorded import Recorded, RecordedTick, ScheduleRecord
from algorithms.synchronisation.stale import SSP
from theory.stepsizes import ConstantStep

RANKS, T, D, SEED = 4, 40, 7, 5


@dataclass(frozen=True)
class RunRecord:
    barrier: Barrier
    servers: int = 1
    compressor: Compressor = field(default_factory=Identity)
    weighting: Weighting = Weighting.SUM

    @property
    def method(self) -> ParameterServer:
        return ParameterServer(
            ConstantStep(0.05), T, Constant(), self.barrier, self.weighting, self.compressor
        )

    @property
    def problem(self) -> Problem:
        n = RANKS - self.servers
        return Quadratic.strongly_convex(n, D, sigma2=1.0, zeta2=float(n > 1))


ALL, ARRIVED = Weighting.ALL, Weighting.ARRIVED
CASES = {
    "bulk": RunRecord(Bulk(), weighting=ALL),
    "bulk, compressed": RunRecord(Bulk(), compressor=QSGD(4), weighting=ALL),
    "bulk, two servers": RunRecord(Bulk(), 2, weighting=ALL),
    "bulk, three servers": RunRecord(Bulk(), 3, weighting=ALL),
    "asynchronous": RunRecord(Asynchronous()),
    "asynchronous, lengths vary": RunRecord(Asynchronous(), compressor=EliasQSGD(4)),
    "stale": RunRecord(SSP(1), compressor=QSGD(4)),
    "backup": RunRecord(BackupWorkers(1), weighting=ARRIVED),
}
REFUSED = {
    "barrier must be bulk, asynchronous": (RunRecord(RoundRobin()), {}),
    "servers must be 1 for": (RunRecord(Asynchronous(), 2), {}),
    "correction must be none": (
        RunRecord(Asynchronous()),
        {"correction": DiagonalCompensation(0.1)},
    ),
    "n must be the 2 workers that 2 servers leave of 4": (RunRecord(Bulk(), 1), {"servers": 2}),
    r"servers must lie in \[1, 4\), got servers=4": (RunRecord(Bulk(), 1), {"servers": 4}),
}


def refusal(case: RunRecord, change: dict) -> str:
    servers = change.get("servers", case.servers)
    changes = {name: value for name, value in change.items() if name != "servers"}
    try:
        served_run(replace(case.method, **changes), case.problem, servers)
    except ValueError as error:
        return str(error)
    return "played"


def play() -> tuple[dict[str, ServedRun], list[str]]:
    played = {
        name: served_run(one.method, one.problem, one.servers, SEED) for name, one in CASES.items()
    }
    return played, [refusal(*one) for one in REFUSED.values()]


@pytest.fixture(scope="module")
def ranks() -> list[tuple[dict[str, ServedRun], list[str]]]:
    return launch(play, ranks=RANKS)


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.parametrize("name", CASES)
def test_the_simulation_replays_what_happened_bit_for_bit(ranks, name: str) -> None:
    case, parts = CASES[name], [found[name] for found, _ in ranks]
    servers, workers = parts[: case.servers], parts[case.servers :]
    record = servers[0].record
    assert record is not None and all(one.record.n == record.n for one in servers)
    again = ScheduleRecord.from_json(record.to_json())
    assert again == record and len(record.ticks) == T
    replayed = replace(case.method, barrier=Recorded(again))
    trace = run(replayed, case.problem, steps=T, seed=SEED, points=T + 1)
    final = torch.cat([one.models[-1] for one in servers])
    assert torch.equal(trace.model[0], final)
    path = torch.cat([one.models for one in servers], dim=-1)
    gap = case.problem.value(path) - case.problem.f_star
    assert torch.equal(torch.from_numpy(trace.suboptimality[0]), gap)
    if isinstance(case.barrier, Bulk):  # what happens is what the model of time says too
        plain = run(case.method, case.problem, steps=T, seed=SEED)
        assert torch.equal(plain.model[0], final)
        assert set(record.staleness) == {0}
    for w, worker in enumerate(workers):
        rank, account = case.servers + w, trace.account
        messages = int(account.sent_messages[0, w])
        up = sum(one.received.get(rank, 0) for one in servers)
        assert 0 <= 8 * up - int(account.sent_bits[0, w]) <= 7 * messages
        assert sum(worker.sent.values()) >= up
        assert 8 * sum(worker.received.values()) == int(account.received_bits[0, w])
        assert worker.models.numel() == 0 and worker.record is None
    sent = sum(sum(worker.sent.values()) for worker in workers)
    used = sum(sum(one.received.values()) for one in servers)
    assert sent == used + sum(one.dropped for one in servers)


@pytest.mark.sharded
def test_a_record_of_other_workers_gives_another_model(ranks) -> None:
    """Planted: the same moments, each worker's gradients taken for the next one's."""
    case, server = CASES["asynchronous"], ranks[0][0]["asynchronous"]
    ticks = tuple(
        tick._replace(
            arrivals=tuple(sorted((i + 1) % 3 for i in tick.arrivals)),
            starts=tuple(sorted((i + 1) % 3 for i in tick.starts)),
        )
        for tick in server.record.ticks
    )
    wrong = replace(case.method, barrier=Recorded(ScheduleRecord(3, ticks)))
    assert not torch.equal(run(wrong, case.problem, steps=T, seed=SEED).model[0], server.models[-1])


@pytest.mark.sharded
def test_servers_hold_slices_and_refuse_what_they_cannot_play(ranks) -> None:
    for name, case in CASES.items():
        widths = [ranks[s][0][name].models.shape for s in range(case.servers)]
        slices = [shard(D, case.servers, s) for s in range(case.servers)]
        assert widths == [(T + 1, one.stop - one.start) for one in slices]
    for _, told in ranks:
        for sign, sentence in zip(REFUSED, told, strict=True):
            assert re.search(sign, sentence)


RECORD = ScheduleRecord(
    3,
    (
        RecordedTick((1,), (0,), (1,), 0.5),
        RecordedTick((0,), (0,), (0,), 0.75),
        RecordedTick((1,), (1,), (1, 2), 2.0),
    ),
)


def test_a_record_says_how_old_and_how_slow_gradients_were() -> None:
    assert RECORD.staleness == (0, 1, 1)
    assert RECORD.durations == ((0.75,), (0.5, 1.5), ())
    assert ScheduleRecord.from_json(RECORD.to_json()) == RECORD
    plan = Recorded(RECORD).schedule(3, 3, Constant(), Key.seed(0), torch.arange(2))
    assert plan.versions[..., 0].tolist() == [[0, 0], [0, 0], [1, 1]]
    assert [plan.begun(t).tolist() for t in range(3)] == [[[0], [0]], [[0], [0]], [[1], [1]]]
    assert plan.seconds[:, 0].tolist() == [0.5, 0.75, 2.0]


def test_a_wrong_record_does_not_replay() -> None:
    """Planted: another version, another worker, time that runs back, a file of something else."""
    wrong = replace(RECORD, ticks=(*RECORD.ticks[:2], RECORD.ticks[2]._replace(versions=(2,))))
    with pytest.raises(ValueError, match=r"versions \(2,\) of workers \(1,\) at tick 2 do not"):
        Recorded(wrong).schedule(3, 3, Constant(), Key.seed(0), torch.arange(1))
    with pytest.raises(ValueError, match="ticks must be at most the record's 3 updates"):
        Recorded(RECORD).schedule(3, 4, Constant(), Key.seed(0), torch.arange(1))
    with pytest.raises(ValueError, match="n must be the record's 3 workers, got n=4"):
        Recorded(RECORD).schedule(4, 3, Constant(), Key.seed(0), torch.arange(1))
    for change, told in (
        ({"arrivals": (3,)}, r"ids must lie in \[0, 3\)"),
        ({"versions": (3,)}, r"versions must be one in \[0, 2\]"),
        ({"versions": ()}, "versions must be one in"),
        ({"seconds": 0.6}, "seconds must be finite and never decrease"),
    ):
        with pytest.raises(ValueError, match=told):
            replace(RECORD, ticks=(*RECORD.ticks[:2], RECORD.ticks[2]._replace(**change)))
    with pytest.raises(ValueError, match="ticks must be at least one"):
        ScheduleRecord(3, ())
    for text in ("{", '{"n": 3}', "[]", '{"n": 3, "ticks": [{"arrivals": 1}]}'):
        with pytest.raises(ValueError, match="not a recorded schedule"):
            ScheduleRecord.from_json(text)
