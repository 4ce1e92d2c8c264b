"""Shared test set-up."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from experiments.processes import gc_policy

gc.set_threshold(*gc_policy.LOADING)
torch.set_num_threads(1)
os.environ.setdefault("COLUMNS", "500")  # of commands under test, so that sentences are lines
settings.register_profile("suite", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("suite")

STARTING = {
    "subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn",
    "os.exec",
}  # fmt: skip
"""Python's audit events of another process; those of multiprocessing have none."""

MARKERS = ("processes", "sharded")
HOUSE = str(Path(__file__).absolute().parents[1])


class Starting:
    """Stops tests that start a process and carry no marker that says so: ``make repeat`` would not
    know them.

    Attributes:
        test: the test under way, its fixtures included.
    """

    test: pytest.Item | None = None

    def heard(self, event: str, arguments: object) -> None:
        if event in STARTING and self.test is not None and _asked_by_ours():
            self.refuse(event)

    def refuse(self, how: str) -> None:
        test = self.test
        if test is not None and not any(test.get_closest_marker(name) for name in MARKERS):
            pytest.fail(
                f"starts a process ({how}); pytest.mark.processes would do, or sharded for ranks "
                "of torch.distributed"
            )


def _asked_by_ours() -> bool:
    """Whether the project asks for the process, and not a package: matplotlib runs ``fc-list`` when
    it is first imported.
    """
    frame = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if "site-packages" in file or file.startswith(HOUSE):
            return "site-packages" not in file
        frame = frame.f_back
    return True


STARTS = Starting()


def pytest_configure() -> None:
    """Listen to what tests start."""
    start = BaseProcess.start

    def heard(self: BaseProcess) -> None:
        STARTS.refuse("multiprocessing")
        start(self)

    setattr(BaseProcess, "start", heard)  # noqa: B010
    sys.addaudithook(STARTS.heard)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Whose starts are heard."""
    STARTS.test = item
    try:
        return (yield)
    finally:
        STARTS.test = None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with long tests come first, so that no worker is left alone with one at the end."""
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)


def pytest_collection_finish() -> None:
    """What the tests are made of stays: cycles are looked for among what they make, as in a command
    of ours, and not among a million objects again and again."""
    gc_policy.loaded()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many planted faults were refuted, in whichever process they were tested."""
    refuted = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == "mutant" and getattr(report, "when", "") == "call"
    ]
    if refuted:
        terminalreporter.write_line(f"mutants refuted: {sum(refuted)} of {len(refuted)}")
