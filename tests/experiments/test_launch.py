"""Rows under torchrun itself: two agents of two ranks each on this machine, as two nodes."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest
import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.failure_detector import LOST
from algorithms.network.given_ranks import RankLink
from algorithms.network.launch import launch
from algorithms.network.phases import PhaseClock
from algorithms.network.start import start_method
from algorithms.problems.quadratic import Quadratic
from experiments.commands import launch as launch_command
from proofs_check.methods.equivalence import Case
from proofs_check.methods.on_given_ranks import FoundOnRanks, on_given_ranks
from proofs_check.verdict import Outcome
from tests.ports import free_port
from theory.constants import Constants
from theory.stepsizes import ConstantStep

HOUSE = Path(__file__).parents[2]
HANGS = 240.0
PHASES = ("compute", "compress", "wait", "communicate")


def under_torchrun(folder: Path, *words: str) -> list[tuple[int, str, str]]:
    """Exit code and output of two agents with two ranks each; nothing of them is left."""
    agent = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node"]
    where = ["2", "--master-addr", "127.0.0.1", "--master-port", str(free_port())]
    environment = {**os.environ, "PYTHONPATH": str(HOUSE), "OMP_NUM_THREADS": "1"}
    agents = [
        subprocess.Popen(
            [*agent, *where, "--node-rank", str(node), "-m", "experiments.launch", *words],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for node in range(2)
    ]
    try:
        told = [one.communicate(timeout=HANGS) for one in agents]
    finally:
        for one in agents:
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGKILL)
    return [(one.returncode, *streams) for one, streams in zip(agents, told, strict=True)]


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.processes
def test_rows_agree_on_two_nodes_of_two_ranks_under_torchrun(tmp_path: Path) -> None:
    out = tmp_path / "found.json"
    words = (
        "crossval",
        "--row",
        "qsgd",
        "--row",
        "d-psgd",
        "-p",
        "quadratic-sc",
        "--out",
        "found.json",
    )
    ended = under_torchrun(tmp_path, *words)
    assert [code for code, _, _ in ended] == [0, 0], ended
    lines = {line["row"]: line for line in json.loads(out.read_text())}
    assert {"qsgd", "d-psgd"} <= set(lines)
    for line in lines.values():
        assert (line["ranks"], line["machines"], line["backend"]) == (4, 2, "gloo")
        ways = ("all-reduce", "ring message by message")
        exact = ("two worlds", "ledgers", *ways, "bytes sent", "bytes received")
        assert {line[name] for name in exact} == {"agrees"}, line
        assert line["two worlds: statistic"] == 0.0
        assert all(line[f"{way}: statistic"] < 1e-12 for way in ways)
        assert line["law in float32"] == "supported"
        assert all(line[f"{phase} [s]"] > 0 for phase in PHASES)
    assert lines["qsgd"]["bytes sent: statistic"] < lines["qsgd"]["bytes received: statistic"]


class Row(NamedTuple):
    x: Tensor


@dataclass(frozen=True)
class Deaf(Method[Row]):
    """A planted fault: workers are charged for a model that nobody sends them, and the step is too
    long where a rank holds one worker."""

    shared_model: ClassVar[bool] = True

    name = "deaf"

    def constants(self, problem):
        return Constants()

    def init(self, x0, context):
        return Row(context.rows(x0, 1))

    def step(self, state, t, context):
        mean, _ = context.network.average(context.pack(Identity(), context.gradient(state.x, t), t))
        context.network.ledger.receive(64 * state.x.shape[-1])
        length = 0.1 if len(context.network.workers) == context.network.n else 0.3
        return Row(state.x - length * mean)

    def models(self, state):
        return state.x


def build(name: str, n: int) -> tuple[Method, Quadratic]:
    method = Deaf() if name == "wrong" else BSP(ConstantStep(0.1))
    return method, Quadratic.strongly_convex(n, 6, zeta2=1.0)


def build_single(name: str, n: int) -> tuple[Method, Quadratic]:
    method, problem = build(name, n)
    return method, problem.computing_in(torch.float32)


def compared(name: str) -> FoundOnRanks:
    clock = PhaseClock()
    found = on_given_ranks(
        Case(name, build, (name, 4)),
        Case(name, build_single, (name, 4), replicas=64),
        Case(name, build, (name, 2)),
        RankLink("gloo", "cpu"),
        clock,
    )
    assert clock.steps == 12
    return found


def both() -> tuple[FoundOnRanks, FoundOnRanks]:
    return compared("right"), compared("wrong")


@pytest.mark.sharded
def test_a_planted_fault_is_refuted_in_every_comparison() -> None:
    right, wrong = launch(both, ranks=2)[0]
    told = {name: verdict.outcome for name, verdict in wrong.named.items()}
    assert told["two worlds"] is told["law in float32"] is Outcome.REFUTED
    assert told["bytes received"] is Outcome.REFUTED
    assert told["all-reduce"] is told["ring message by message"] is Outcome.COMPARED
    assert not [v for v in right.verdicts if v.outcome in (Outcome.REFUTED, Outcome.COMPARED)]
    assert set(right.seconds.mean) == set(PHASES) and right.seconds.steps == 12
    assert all(right.seconds.slowest[p] >= right.seconds.mean[p] > 0 for p in PHASES)


def killed_in_second_row(rank: int, port: int, folder: str) -> None:
    """A rank under a launcher; rank 1 dies when the second row begins."""
    words = {"RANK": rank, "WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
             "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": 2}  # fmt: skip
    os.environ.update({name: str(value) for name, value in words.items()})
    os.environ.pop("TORCHELASTIC_USE_AGENT_STORE", None)
    out = os.open(f"{folder}/{rank}.told", os.O_WRONLY | os.O_CREAT)
    os.dup2(out, 2)
    played: list[str] = []

    def until_it_dies(case: Case, *others: Any) -> FoundOnRanks:
        played.append(case.row)
        if rank == 1 and len(played) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return on_given_ranks(case, *others)

    launch_command.on_given_ranks = until_it_dies
    rows, place = ("bsp-sgd", "d-psgd"), Path(folder) / "found.json"
    launch_command.crossval_on_ranks(
        rows, ("quadratic-sc",), steps=3, workers=1, out=place, device="cpu", patience=HANGS
    )


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.processes
def test_rows_that_were_done_are_kept_when_a_rank_dies(tmp_path: Path) -> None:
    spawned = multiprocessing.get_context(start_method(fresh=False))
    port = free_port()
    ranks = [
        spawned.Process(target=killed_in_second_row, args=(rank, port, str(tmp_path)))
        for rank in range(2)
    ]
    try:
        for one in ranks:
            one.start()
        for one in ranks:
            one.join(HANGS)
        assert [one.exitcode for one in ranks] == [LOST, -signal.SIGKILL]
    finally:
        for one in ranks:
            one.kill()
            one.join()
    assert [line["row"] for line in json.loads((tmp_path / "found.json").read_text())] == [
        "bsp-sgd"
    ]
    told = (tmp_path / "0.told").read_text().splitlines()
    (error,) = [line for line in told if line.startswith("error: ")]
    assert error.startswith("error: rank 1 died")
