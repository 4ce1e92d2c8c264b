"""Shared test set-up."""

from __future__ import annotations

import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("suite", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("suite")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests recorded as their summary, in whichever process they ran."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "summary" and getattr(report, "when", "") == "call":
                    terminalreporter.write_line(str(value))
