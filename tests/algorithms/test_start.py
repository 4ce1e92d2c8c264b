"""Ranks that are forks of a server are as good as fresh interpreters, and end with their caller."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from algorithms.network.launch import launch, launch_each
from algorithms.network.ranks import place
from algorithms.network.start import start_early

pytestmark = pytest.mark.sharded

HOME = Path(__file__).parents[2]
VARIABLE = "RATEPROOF_TEST_VARIABLE"


def seen() -> tuple[str | None, float, int, int]:
    return os.environ.get(VARIABLE), float(np.random.random()), hash("word"), os.getpid()


def test_ranks_have_the_environment_of_now_and_draws_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = dict(os.environ)
    for value in ("first", "second"):
        monkeypatch.setenv(VARIABLE, value)
        one, two = launch(seen, ranks=2)
        assert one[0] == two[0] == value
        assert one[1] != two[1]
        assert one[3] != two[3]
    monkeypatch.delenv(VARIABLE)
    assert dict(os.environ) == kept
    assert launch(seen, ranks=1)[0][0] is None


def imported(name: str) -> bool:
    return name in sys.modules


def test_ranks_have_what_their_first_step_would_fill() -> None:
    """In a process of its own: who starts a server first says what it imports."""
    told = (
        "from algorithms.network.launch import launch\n"
        f"from {__name__} import imported\n"
        "print(launch(imported, 'algorithms.network.registered', ranks=2))"
    )
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=HOME, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[True, True]"


def test_fresh_ranks_hash_words_differently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    one, two = launch(seen, ranks=2, fresh=True)
    assert one[2] != two[2]


WAITS = """
import os, sys, time
from pathlib import Path
from algorithms.network.launch import launch

def work():
    folder = Path(sys.argv[1])
    (folder / f"{os.getpid()}.rank").touch()
    time.sleep(600)

if __name__ == "__main__":
    launch(work, ranks=2)
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_rank_outlives_a_caller_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    with subprocess.Popen(
        [sys.executable, "waits.py", str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(HOME)},
    ) as caller:
        deadline = time.monotonic() + 120
        while len(ranks := list(tmp_path.glob("*.rank"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        caller.send_signal(signal.SIGKILL)
    assert len(ranks) == 2
    pids = [int(rank.stem) for rank in ranks]
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(pid) for pid in pids)


@pytest.mark.slow
def test_a_folder_with_packages_of_our_names_is_not_taken_for_ours(tmp_path: Path) -> None:
    for name in ("algorithms", "theory"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('not ours')\n")
    told = (
        f"import sys; sys.path[0] = {str(HOME)!r}; from algorithms.network.launch import launch\n"
        "from algorithms.network.ranks import place\nprint(launch(place, ranks=2))"
    )
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str([(0, 2), (1, 2)]), place.__doc__


def test_a_server_that_was_started_early_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    start_early()
    monkeypatch.setenv(VARIABLE, "later")
    assert [one[0] for one in launch(seen, ranks=2)] == ["later", "later"]


def held(number: int, gate: str) -> tuple[int, int]:
    """The number and the rank's process; from the second call on not before the gate is open."""
    while number and not Path(gate).exists():
        time.sleep(0.01)
    return number, os.getpid()


def test_results_come_while_ranks_still_work(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    endings = launch_each(held, [(number, str(gate)) for number in range(3)], ranks=2)
    first = next(endings)
    assert [number for number, _ in first] == [0, 0], "the others wait for the gate"
    gate.touch()
    rest = list(endings)
    assert [[number for number, _ in one] for one in rest] == [[1, 1], [2, 2]]
    assert {pid for one in (first, *rest) for _, pid in one} == {pid for _, pid in first}


def test_ranks_end_where_nobody_asks_further(tmp_path: Path) -> None:
    endings = launch_each(held, [(0, ""), (1, str(tmp_path / "never"))], ranks=2)
    pids = [pid for _, pid in next(endings)]
    endings.close()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
