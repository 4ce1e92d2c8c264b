"""A process that ends right after a collective is not aborted by the backend's thread."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

from algorithms.network import backend_threads
from algorithms.network.launch import launch
from algorithms.network.transport import Transport
from algorithms.network.wire import WireMessage

HOUSE = Path(__file__).resolve().parents[2]
TRIALS, RANKS = 6, 2
SCRIPT = """
import os, sys
import torch
import torch.distributed as dist
from algorithms.network import backend_threads
from algorithms.network.ranks import gathered

if sys.argv[1] == "unguarded":
    backend_threads.atexit.unregister(backend_threads.wait_until_released)
codes = []
for trial in range(int(sys.argv[2])):
    ranks = []
    for rank in range(2):
        ranks.append(os.fork())
        if ranks[-1] == 0:
            break
    else:
        codes += [os.waitstatus_to_exitcode(os.waitpid(one, 0)[1]) for one in ranks]
        continue
    place = "file://" + os.path.join(sys.argv[3], str(trial))
    dist.init_process_group("gloo", init_method=place, rank=rank, world_size=2)
    kept = dist.group.WORLD  # as a DistributedDataParallel keeps it
    sys.setswitchinterval(1000)  # the lock changes hands where this thread waits, only there
    for step in range(3):
        rows = gathered(torch.randn(2000))
    del rows
    dist.destroy_process_group()
    break
else:
    print(*codes)
"""


def exit_codes(guard: str, folder: Path) -> list[int]:
    """Exit codes of ranks that destroy their group and end after their third all-gather."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, guard, str(TRIALS), str(folder)],
        env={**os.environ, "PYTHONPATH": str(HOUSE), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    codes = [int(word) for word in done.stdout.split()]
    assert len(codes) == TRIALS * RANKS, done.stderr
    return codes


@pytest.mark.slow
@pytest.mark.sharded
def test_a_rank_ends_after_its_last_collective(tmp_path: Path) -> None:
    """Without the wait about one rank in three ends with -6."""
    assert set(exit_codes("guarded", tmp_path)) == {0}


def test_what_another_holds_is_waited_for_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph holds the tensor as the backend does: not by a reference that Python would count."""
    x, weight = torch.ones(5), torch.ones(5, requires_grad=True)
    graph = [weight * x]
    other = threading.Timer(0.05, graph.clear)
    other.start()
    backend_threads.wait_for_release(x)
    assert not graph
    other.join()
    graph.append(weight * x)
    monkeypatch.setattr(backend_threads, "PATIENCE", 0.05)
    backend_threads.wait_for_release(x)
    assert graph


@pytest.mark.slow
@pytest.mark.sharded
def test_what_arrives_is_held_by_its_reader_alone() -> None:
    """Without the wait the backend holds one message in five when it is handed out, with it none of
    32,000: five of 200 have a chance below 1e-10 if it is one in 10,000."""
    assert max(launch(held_on_arrival, ranks=RANKS)) < 5


def held_on_arrival() -> int:
    """Of how many of 200 messages there are three users: beside the reader's view and the name that
    is asked of the backend.
    """
    message = WireMessage(torch.ones((1, 1, 300_000), dtype=torch.uint8), None, 8 * 300_000)
    held, carrier = 0, Transport()
    for _ in range(200):
        for rank, part in enumerate(carrier.arriving(message, room=0)):
            if rank != carrier.rank:
                whole = part.packed._base
                assert whole is not None
                held += whole._use_count() > 2  # type: ignore[attr-defined]
                del whole
    return held
