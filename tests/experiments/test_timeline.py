"""``rateproof timeline``: pictures and a trace of any schedule of any model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.schedules import SCHEDULES
from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import all_reduce
from algorithms.schedules.contention import SharedNetwork, TrainingJob
from algorithms.schedules.pipeline import PipelineSchedule
from algorithms.schedules.step import step_of
from algorithms.schedules.timeline import Task, TaskKind, Timeline
from algorithms.workloads import WORKLOADS
from experiments.commands.timelines import chosen_schedule
from experiments.figures.timeline import timeline_figure
from experiments.processes.tracing import chrome_trace
from proofs_check.gantt import lane_panel
from tests.experiments.calls import call, refuse
from theory.seconds.costs import AlphaBeta


def test_pictures_and_trace_are_written(tmp_path: Path) -> None:
    words = ("timeline", "alexnet", "--schedule", "wfbp", "-n", "8", "--out", str(tmp_path))
    code, told, _ = call(*words, "--json")
    found = json.loads(told)
    step = step_of(WORKLOADS["alexnet"], 0.25)
    made, carrier = chosen_schedule("wfbp", 8, AlphaBeta(2e-5, 1e-10))
    assert code == 0
    assert found["seconds"] == pytest.approx(made.seconds(step, carrier))
    assert {Path(name).suffix for name in found["files"]} == {".png", ".svg", ".json"}
    assert all(Path(name).stat().st_size > 500 for name in found["files"])
    code, told, _ = call(*words)
    assert code == 0 and "AlexNet under WFBP" in told and "16 tensors" in told


def test_the_trace_has_every_task_on_its_thread() -> None:
    line = BULK.timeline(step_of(WORKLOADS["alexnet"], 0.1), all_reduce(AlphaBeta(1e-5, 1e-10), 4))
    trace = json.loads(chrome_trace(line))
    threads = {
        e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"
    }  # fmt: skip
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert len(events) == len(line.tasks)
    for event, task in zip(events, line.tasks, strict=True):
        assert (threads[event["tid"]], event["cat"]) == (task.resource, task.kind.value)
        assert event["ts"] == pytest.approx(task.start * 1e6)
        assert event["dur"] == pytest.approx((task.stop - task.start) * 1e6)


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_has_a_carrier(name: str) -> None:
    step = step_of(WORKLOADS["alexnet"], 0.1)
    made, carrier = chosen_schedule(name, 8, AlphaBeta(1e-5, 1e-10))
    assert made.timeline(step, carrier).seconds >= step.compute


def test_all_kinds_of_timelines_are_drawn() -> None:
    pipeline = PipelineSchedule((1.0,) * 3, (2.0,) * 3, 5).timeline()
    jobs = SharedNetwork(1.0).timeline((TrainingJob("a", 1.0, 1.0), TrainingJob("b", 0.5, 2.0)))
    for line, lanes in ((pipeline, 3), (jobs, 4)):
        (ax,) = timeline_figure(lane_panel(line)).axes
        assert len(ax.get_yticks()) == lanes
        drawn = sum(len(group.get_paths()) for group in ax.collections)
        assert drawn == len(line.tasks)


def test_a_pipeline_is_drawn_by_the_command(tmp_path: Path) -> None:
    """VGG-16 on three stages: at least the slowest stage's share of 5 microbatches of 0.6 s."""
    words = (
        "timeline",
        "vgg-16",
        "--schedule",
        "1f1b",
        "-n",
        "3",
        "--count",
        "5",
        "--compute",
        "0.6",
    )
    found = json.loads(call(*words, "--json", "--out", str(tmp_path))[1])
    assert (
        5 * 0.6 / 3 <= found["seconds"] < 5 * 0.6
        and "first stage keeps 3 versions" in (found["description"])
    )
    events = _events(found["files"])
    assert len(events) == 2 * 3 * 5
    assert sum(e["dur"] for e in events) == pytest.approx(5 * 0.6 * 1e6)


def test_jobs_are_drawn_by_the_command(tmp_path: Path) -> None:
    """Two of one kind on one network: the sums of both cross it, and neither is done sooner."""
    words = ("timeline", "vgg-16,vgg-16", "--schedule", "jobs", "-n", "4", "--count", "2")
    found = json.loads(call(*words, "--json", "--out", str(tmp_path))[1])
    sent = 32 * 138_357_544 * 2 * 3 / 4 * 1e-10
    assert found["seconds"] == pytest.approx(0.25 + 4 * sent, rel=1e-6), "one waits for the other"
    assert (
        f"VGG-16 is done after {0.25 + 3 * sent:.6g} s, alone after {0.5 + 2 * sent:.6g}"
        in (found["description"])
    )
    assert len(_events(found["files"])) == 8


def _events(files: list[str]) -> list[dict[str, Any]]:
    """Complete events of the trace, each with what the Trace Event Format asks of them."""
    (path,) = (name for name in files if name.endswith(".json"))
    events = [e for e in json.loads(Path(path).read_text())["traceEvents"] if e["ph"] == "X"]
    assert all({"name", "ph", "ts", "dur", "pid", "tid"} <= set(e) for e in events)
    return events


def test_a_module_of_ones_own_is_measured_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine_timeline.py").write_text(
        "import torch\nfrom algorithms.workloads.module import workload_of\n"
        "PAIR = (torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Linear(64, 8)), "
        "torch.ones(2, 8))\nMADE = workload_of(*PAIR)\nOTHER = 3\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    out = ("--out", str(tmp_path))
    for words in (("mine_timeline:PAIR", "--measured"), ("mine_timeline:MADE",)):
        code, told, _ = call("timeline", *words, *out)
        assert code == 0 and "4 tensors" in told
    refuse(("timeline", "mine_timeline:OTHER", *out), "something of type int")
    refuse(("timeline", "mine_timeline:MADE", "--measured", *out), "cannot be measured")
    refuse(("timeline", "lstm", "--measured", *out), "measured is for a torch module")


def test_sizes_are_tuned(tmp_path: Path) -> None:
    """DIRECT finds a step that is no longer than the one with the sizes by default."""
    words = (
        "timeline",
        "alexnet",
        "--schedule",
        "bytescheduler-ps",
        "--json",
        "--out",
        str(tmp_path),
    )
    plain, best = (json.loads(call(*words, *more)[1]) for more in ((), ("--tune",)))
    assert best["seconds"] <= plain["seconds"]
    refuse(("timeline", "lstm", "--schedule", "p3", "--tune"), "tune is for bytescheduler")


def test_measured_times_are_proportions() -> None:
    alexnet = WORKLOADS["alexnet"]
    times = np.arange(1.0, 1 + len(alexnet.layers))
    step = step_of(alexnet, 0.3, measured=times)
    assert step.compute == pytest.approx(0.3)
    assert step.forward[3] / step.forward[0] == pytest.approx(4.0)
    with pytest.raises(ValueError, match="measured must be 8 times"):
        step_of(alexnet, 0.3, measured=times[:3])


def test_bad_timelines_are_refused(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path))
    refuse(("timeline", "alexnot", *out), "unknown model 'alexnot'; nearest: alexnet")
    refuse(("timeline", "lstm", "--schedule", "wfpb", *out), "unknown schedule 'wfpb'")
    refuse(("timeline", "lstm", "-n", "0", *out), "n must be at least 1, got n=0")
    refuse(("timeline", "lstm", "--gigabits", "0", *out), "gigabits must be positive")
    refuse(
        ("timeline", "lstm", "--compute", "-1", *out),
        "compute must be positive and finite, got compute=-1.0",
    )
    refuse(("timeline", "lstm", "--alpha", "-1", *out), "at least 0, got alpha=-1.0")
    refuse(("timeline", "lstm", "--count", "0", *out), "count must be at least 1, got count=0")
    refuse(("timeline", "lstm", "--schedule", "mg-wfbp-ps", *out), "one channel, got 2")
    refuse(("timeline", "lstm", "--schedule", "1f1b-ps", *out), "no form on servers, got 1f1b-ps")
    refuse(("timeline", "lstm", "--schedule", "1f1b", "-n", "99", *out), "stages must lie in [1, ")
    refuse(
        ("timeline", "lstm", "--schedule", "jobs", "-n", "1", *out), "n must be at least 2 for jobs"
    )
    refuse(("timeline", "lstm,lstm", "--schedule", "wfbp", *out), "must be jobs for several models")
    with pytest.raises(ValueError, match="tasks must not be empty"):
        Timeline("none", ())
    with pytest.raises(ValueError, match="stop must not lie before start"):
        Timeline("odd", (Task("x", TaskKind.FORWARD, "device", 1.0, 0.0),))
