"""A test that starts a process and does not say so is stopped, however it starts it."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

WAYS = {
    "subprocess": lambda: subprocess.run([sys.executable, "-c", ""]),
    "shell": lambda: os.system("true"),
    "fork": lambda: os.fork() or os._exit(0),
    "spawn": lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}),
    **{
        f"multiprocessing, {method}": multiprocessing.get_context(method)
        .Process(target=print)
        .start
        for method in ("fork", "spawn", "forkserver")
    },
}


@pytest.mark.parametrize("way", WAYS)
def test_a_start_without_its_marker_is_refused(way: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"starts a process \(.*processes would do"):
        WAYS[way]()


@pytest.mark.processes
def test_a_start_with_its_marker_goes_on() -> None:
    assert subprocess.run([sys.executable, "-c", "raise SystemExit(3)"]).returncode == 3
