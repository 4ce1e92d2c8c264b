"""Garbage collection in a process that lives for one command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_CYCLE = """
class Told:
    def __init__(self):
        self.me = self
    def __del__(self):
        print("collected")
told = Told()
"""


def _printed(code: str) -> str:
    home = str(Path(__file__).absolute().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": home},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.processes
def test_a_process_ends_without_a_look_for_cycles() -> None:
    start = "from experiments.processes.gc_policy import collect_seldom\ncollect_seldom()\n"
    assert _printed(_CYCLE) == "collected\n"
    assert _printed(start + _CYCLE) == ""


@pytest.mark.processes
def test_cycles_are_still_collected_in_a_long_command() -> None:
    start = "from experiments.processes.gc_policy import *\ncollect_seldom()\nloaded()\n"
    more = "\ndel told\nkept = [[] for _ in range(2 * THRESHOLDS[0])]"
    assert _printed(start + _CYCLE + more) == "collected\n"
