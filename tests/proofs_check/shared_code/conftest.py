"""What a planted fault computed of networks is forgotten with it."""

import sys
from collections.abc import Iterator

import pytest

_CACHING = "algorithms.topologies.", "theory.networks."


@pytest.fixture(autouse=True)
def nothing_kept_of_a_fault() -> Iterator[None]:
    """Functions that keep their results have none of this test's afterwards; in another order a
    genuine check would read those of a planted one."""
    yield
    for name, module in list(sys.modules.items()):
        if name.startswith(_CACHING):
            for one in list(vars(module).values()):
                if hasattr(one, "cache_clear"):
                    one.cache_clear()
