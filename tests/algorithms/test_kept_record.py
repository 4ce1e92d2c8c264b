"""Ranks without a common clock, cut off and gone on with: the whole is one run that replays."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
import torch
from torch import Tensor

from algorithms.engine.run import run
from algorithms.network.launch import launch
from algorithms.network.ranks import place, wait_for_all
from algorithms.runner import unclocked_run as unclocked
from algorithms.runner.kept_record import KeptRecord, standing
from algorithms.runner.served_run import served_run
from algorithms.runner.unclocked_run import unclocked_run
from algorithms.synchronisation.recorded import Recorded, RecordedTick, ScheduleRecord
from tests.algorithms import test_served_run as of_servers
from tests.algorithms import test_unclocked_run as of_all

RANKS, SEED, KEPT = 4, of_all.SEED, 17
SERVED = ("bulk, two servers", "asynchronous", "stale", "backup")
"""Names of cases of the parameter server; the others have a server or none."""


class CutOff(NamedTuple):
    """What a rank has of a run, and of what went on where that was cut off.

    Attributes:
        before: what happened in the first.
        kept: updates that were kept of it.
        after: what happened in both together.
        models: at the end, a slice or a worker's.
    """

    before: ScheduleRecord | None
    kept: int
    after: ScheduleRecord | None
    models: Tensor


def cut(kept: KeptRecord) -> int:
    """Forget the last updates, as if ranks had ended before they wrote them, workers that meet each
    elsewhere; how many are left to all."""
    rank = place()[0]
    wait_for_all()
    every = [json.loads(kept.read(other) or "{}") for other in range(RANKS)]
    wait_for_all()  # all have read what others kept
    told, count = every[rank], KEPT
    if "stamp" in every[0]:
        stamps = [t for one in every for t, _ in one["ticks"]]
        ends = [max(stamps) * (6 + other) // 12 for other in range(RANKS)]
        left = [tick for tick in told["ticks"] if tick[0] <= ends[rank]]
        kept.write(rank, json.dumps({"stamp": ends[rank], "ticks": left}))
        count = sum(t <= ends[0] for t in stamps)
    elif told:
        kept.write(rank, json.dumps(told | {"ticks": told["ticks"][:KEPT]}))
    wait_for_all()
    return count


def played(folder: Path, name: str, once: Callable[[KeptRecord], Any]) -> CutOff:
    kept = KeptRecord(folder / name, 5, {"run": name})
    before = once(kept)
    left = cut(kept)
    after = once(kept)
    end = after.model if hasattr(after, "model") else after.models[-1:].flatten()
    return CutOff(before.record, left, after.record, end)


def one_of(name: str) -> Callable[[KeptRecord], Any]:
    if name in SERVED:
        case = of_servers.CASES[name]
        return lambda kept: served_run(case.method, case.problem, case.servers, SEED, kept=kept)
    method = of_all.CASES[name]
    return lambda kept: unclocked_run(method, of_all.of(method), SEED, kept=kept)


def everything(folder: Path) -> dict[str, Any]:
    names = (*SERVED, *of_all.CASES)
    found: dict[str, Any] = {name: played(folder, name, one_of(name)) for name in names}

    def forgetful(method: Any, problem: Any, past: Any, seed: int, context: Any) -> Any:
        return method.init(problem.start(), context)

    with mock.patch.object(unclocked, "state_here", forgetful):
        found["planted"] = played(folder, "planted", one_of("EASGD"))
    try:
        played(folder, "planted", lambda kept: one_of("EASGD")(replace(kept, words={"run": "x"})))
        found["refused"] = ""
    except ValueError as error:
        found["refused"] = str(error)
    return found


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return launch(everything, tmp_path_factory.mktemp("kept"), ranks=RANKS, timeout=60.0)


def end_of_replay(name: str, record: ScheduleRecord) -> Tensor:
    if name not in SERVED:
        return of_all.replayed(of_all.CASES[name], record)
    case = of_servers.CASES[name]
    again = replace(case.method, barrier=Recorded(record))
    return run(again, case.problem, steps=len(record.ticks), seed=SEED, points=2).model[0]


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.parametrize("name", [*SERVED, *of_all.CASES])
def test_what_was_cut_off_goes_on_and_the_whole_replays_bit_for_bit(ranks, name: str) -> None:
    parts: list[CutOff] = [found[name] for found in ranks]
    first = parts[0]
    assert first.before is not None and first.after is not None
    assert 0 < first.kept < len(first.after.ticks) == len(first.before.ticks)
    kept, again = first.before.ticks[: first.kept], first.after.ticks[: first.kept]
    assert kept[:-1] == again[:-1] and kept[-1].arrivals == again[-1].arrivals
    models = torch.cat([part.models for part in parts if len(part.models)])
    assert torch.equal(end_of_replay(name, first.after).flatten(), models)


@pytest.mark.slow
@pytest.mark.sharded
def test_a_state_that_is_forgotten_would_be_seen(ranks) -> None:
    found: CutOff = ranks[0]["planted"]
    assert found.after is not None
    assert not torch.equal(end_of_replay("EASGD", found.after).flatten(), found.models)


@pytest.mark.sharded
def test_another_run_s_record_is_refused(ranks) -> None:
    told = "run must be the kept record's 'planted', got 'x'; another folder would do"
    assert ranks[0]["refused"] == told


def test_workers_stand_where_the_record_leaves_them(tmp_path: Path) -> None:
    record = ScheduleRecord(3, (
        RecordedTick((1,), (0,), (1,), 0.5),
        RecordedTick((0,), (0,), (), 0.75),
        RecordedTick((1,), (1,), (1, 2), 2.0),
    ))  # fmt: skip
    now = standing(record)
    assert now.version[0].tolist() == [0, 3, 3] and now.begun[0].tolist() == [1, 3, 2]
    assert now.idle[0].tolist() == [True, False, False] and now.clock[0].tolist() == [1, 2, 0]
    assert now.updates == 3 and now.now.tolist() == [2.0]
    with pytest.raises(ValueError, match="every must be at least 1 update, got every=0"):
        KeptRecord(tmp_path, 0, {})
    (tmp_path / "rank-0.json").write_text("[]")
    with pytest.raises(ValueError, match=r"rank-0.json is no kept record; another folder would do"):
        KeptRecord(tmp_path, 1, {}).read(0)
