"""Runs that go on where they ended: every row, other numbers of ranks, a restart by torchrun."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.distributed.checkpoint.metadata import _MEM_FORMAT_ENCODING as Layout
from torch.distributed.checkpoint.metadata import Metadata

from algorithms.catalogue import FORMS, METHODS, problem, row
from algorithms.core.key import Key
from algorithms.methods.base import RunContext
from algorithms.network.checkpoint_files import Unreadable, newest, read_parts, write_checkpoint
from algorithms.network.launch import launch
from algorithms.network.sharded import Sharded
from algorithms.network.simulated import Simulated
from algorithms.runner.checkpointed_run import (
    CheckpointedRun,
    Checkpoints,
    checkpointed_run,
    leaves,
    parts_of,
    same_tensors,
    with_parts,
    worker_axes,
)
from tests.algorithms.elastic_ranks import DIES, EVERY, KEY, STEPS
from tests.ports import free_port

HOUSE, N, T = Path(__file__).parents[2], 4, 12
READY = [one.key for one in (*METHODS, *FORMS.values())]
KEYS = ("choco-sgd", "ssp", "diana", "dgc", "random-admm")


@pytest.mark.parametrize("key", READY)
def test_every_row_goes_on_to_the_same_bits(key: str) -> None:
    """State to parts and back, in one process; some of a state's tensors are one tensor."""
    built = problem(row(key).problems[0], N)
    method = row(key).build(built, 10)
    context = RunContext(built, Simulated(N), Key.seed(0), torch.arange(2))
    axes, state = worker_axes(method, context), method.init(built.start(), context)
    for t in range(3):
        state = method.step(state, t, context)
    parts, same = parts_of(state, axes, context), same_tensors(state)
    again = with_parts(method.init(built.start(), context), parts, axes, context, same)
    for t in range(3, 6):
        state, again = method.step(state, t, context), method.step(again, t, context)
    for (path, one), (_, other) in zip(leaves(state), leaves(again), strict=True):
        equal = torch.equal(one, other) if isinstance(one, Tensor) else one == other
        assert equal or (one != one).any(), path


def part(folder: str, steps: int) -> list[CheckpointedRun]:
    return [one(key, folder, steps, Sharded(N)) for key in KEYS]


def one(key: str, folder: str, steps: int, network: Any = None, seed: int = 0) -> CheckpointedRun:
    built = problem("quadratic-sc", N)
    return checkpointed_run(
        row(key).build(built, T), built, steps=steps, kept=Checkpoints(Path(folder) / key, 3),
        network=network, seed=seed,
    )  # fmt: skip


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[CheckpointedRun]]]:
    """Begun on two ranks, ended on four."""
    folder = tmp_path_factory.mktemp("kept")
    launch(part, str(folder), 7, ranks=2)
    shutil.copytree(folder, folder / "half")
    return folder, launch(part, str(folder), T, ranks=4)


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.parametrize("key", KEYS)
def test_a_run_goes_on_on_another_number_of_ranks(halves, key: str, tmp_path: Path) -> None:
    _, ranks = halves
    ended = [found[KEYS.index(key)] for found in ranks]
    assert {found.began for found in ended} == {7}
    whole = one(key, str(tmp_path), T)
    assert whole.began == 0
    rows = torch.cat([found.models for found in ended], dim=-2)
    alike = whole.models.shape[-2] == 1
    assert torch.equal(ended[0].models if alike else rows, whole.models)


@pytest.mark.slow
@pytest.mark.sharded
def test_a_spoilt_or_foreign_checkpoint_is_seen(halves, tmp_path: Path) -> None:
    kept = halves[0] / "half" / "choco-sgd"
    shutil.copytree(kept, tmp_path / "choco-sgd")
    folder = tmp_path / "choco-sgd"
    with pytest.raises(ValueError, match="seed must be the checkpoint's 0, got 1"):
        one("choco-sgd", str(tmp_path), T, seed=1)
    (folder / "step-000000011.part").mkdir()  # a rank died while it was written
    found = newest(folder)
    assert found is not None and found[0] == 7
    plain = one("choco-sgd", str(tmp_path / "plain"), T).models
    built = problem("quadratic-sc", N)
    context = RunContext(built, Simulated(N), Key.seed(0), torch.zeros(1, dtype=torch.int64))
    method = row("choco-sgd").build(built, T)
    axes, start = worker_axes(method, context), method.init(built.start(), context)
    parts = parts_of(start, axes, context)
    read_parts(folder, 7, parts)
    spoilt = {path: value for path, value in parts.items()}  # planted: no memory of what was sent
    fresh = parts_of(start, axes, context)
    spoilt |= {path: value for path, value in fresh.items() if not path.startswith("/x")}
    for kind, equal in ((parts, True), (spoilt, False)):
        state = with_parts(start, kind, axes, context, found[1]["same"])
        for t in range(7, T):
            state = method.step(state, t, context)
        assert torch.equal(method.models(state), plain) == equal
    table = folder / "step-000000007" / ".metadata"
    table.write_bytes(pickle.dumps(os.getcwd))
    with pytest.raises(Unreadable, match=r"the checkpoint's table names posix\.getcwd"):
        read_parts(folder, 7, parts)


@dataclass(frozen=True)
class Attribute:
    """Pickled as the asking for an attribute."""

    of: Any
    name: str

    def __reduce__(self) -> tuple[Any, tuple[Any, str]]:
        return getattr, (self.of, self.name)


def test_a_table_of_contents_asks_for_members_and_for_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.11.0 to 3.11.3 pickle an enumeration's member as its attribute, others by value."""
    write_checkpoint(tmp_path, 1, {"x": torch.arange(3.0)}, {})
    table = tmp_path / "step-000000001" / ".metadata"
    told = pickle.loads(table.read_bytes())
    monkeypatch.setattr(Layout, "__reduce_ex__", lambda one, _: (getattr, (Layout, one.name)))
    table.write_bytes(pickle.dumps(told))
    assert b"getattr" in table.read_bytes()
    parts = {"x": torch.zeros(3)}
    read_parts(tmp_path, 1, parts)
    assert torch.equal(parts["x"], torch.arange(3.0))
    for of, name in ((Metadata, "__init__"), (Layout, "__class__")):
        table.write_bytes(pickle.dumps(Attribute(of, name)))
        with pytest.raises(Unreadable, match=f"the checkpoint's table asks for '{name}' of"):
            read_parts(tmp_path, 1, parts)


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.processes
def test_torchrun_restarts_a_run_that_lost_a_rank(tmp_path: Path) -> None:
    words = ["--nproc-per-node", "2", "--max-restarts", "1", "--master-addr", "127.0.0.1"]
    agent = subprocess.Popen(
        [sys.executable, "-m", "torch.distributed.run", *words, "--master-port", str(free_port()),
         "-m", "tests.algorithms.elastic_ranks", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(HOUSE), "OMP_NUM_THREADS": "1"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        told = agent.communicate(timeout=240)[0]
    finally:
        if agent.poll() is None:
            os.killpg(agent.pid, signal.SIGKILL)
    assert agent.returncode == 0, told
    ended = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in range(2)]
    assert {began for _, began in ended} == {DIES - EVERY}  # the one that it died in is not whole
    built = problem("quadratic-sc", N)
    kept = Checkpoints(tmp_path / "whole", STEPS)
    whole = checkpointed_run(row(KEY).build(built, STEPS), built, steps=STEPS, kept=kept)
    assert torch.equal(ended[0][0], whole.models)
