"""A process that ends right after a collective is not aborted by the backend's thread."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
