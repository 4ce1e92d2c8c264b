"""A plug-in of pytest that runs tests in random order: ``pytest -p tests.shuffled --shuffle SEED``.

Folders' files are shuffled, and the tests of a file among themselves, so that fixtures of a module
are made once, as ever. The same seed gives the same order to all workers.
"""

from __future__ import annotations

import random

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """State the option."""
    parser.addoption("--shuffle", type=int, default=None, help="seed of a random order of tests")


@pytest.hookimpl(tryfirst=True)  # pytest itself then gathers tests that share a parameter's fixture
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the tests, if a seed is given."""
    seed = config.getoption("--shuffle")
    if seed is None:
        return
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    drawn = random.Random(f"order {seed}")
    order = list(files)
    drawn.shuffle(order)
    for name in order:
        drawn.shuffle(files[name])
    items[:] = [item for name in order for item in files[name]]
