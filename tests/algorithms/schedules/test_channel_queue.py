"""The compiled queue equals its plain twin, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.kernels.channel_queue import serve, transmitted
from algorithms.schedules.carrier import Channel


@pytest.mark.parametrize("barrier", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_compiled_and_plain_queues_are_equal(seed: int, barrier: bool) -> None:
    random = np.random.default_rng(seed)
    count, layers = 40, 12
    lowest = np.sort(random.integers(0, layers, count))[::-1].copy()
    slowed = seed % 2 == 1
    handed = (
        np.sort(random.exponential(3.0, count)), random.exponential(1.0, count),
        random.permutation(count), lowest, random.exponential(0.3, layers), 4.0,
        tuple(np.full(count, x) for x in (0.1, 0.2, 0.5 if slowed else 0.2, 0.15 * slowed)),
        0.0 if slowed else 0.7, 2.5, barrier,
    )  # fmt: skip
    for compiled, plain in zip(serve(*handed), serve.py_func(*handed), strict=True):
        assert compiled.tobytes() == plain.tobytes()


def test_sending_is_slower_while_the_device_computes() -> None:
    """5 bits from 0 on, start-up 1, busy until 5 at 2 s a bit: 2 bits by then, 3 s for the rest."""
    assert transmitted(0.0, 5.0, 1.0, 1.0, 2.0, 5.0) == 8.0
    assert transmitted(0.0, 2.0, 1.0, 1.0, 2.0, 5.0) == 5.0
    assert transmitted(6.0, 5.0, 1.0, 1.0, 2.0, 5.0) == 12.0


def test_a_message_waits_for_the_device_at_most_until_that_is_done() -> None:
    """Start-up 1, busy until 5: from 1 to 3 and from 4 to 5 it waits, from 6 on it does not."""
    assert transmitted(1.0, 1.0, 1.0, 1.0, 1.0, 5.0, 2.0) == 5.0
    assert transmitted(4.0, 1.0, 1.0, 1.0, 1.0, 5.0, 2.0) == 7.0
    assert transmitted(6.0, 1.0, 1.0, 1.0, 1.0, 5.0, 2.0) == 8.0
    channel = Channel("c", 1.0, 1.0, busy_wait=2.0)
    ends = channel.ends(np.array([1.0, 4.0, 6.0]), np.ones(3), 5.0)
    assert ends.tolist() == [5.0, 7.0, 8.0]
