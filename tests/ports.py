"""Ports for tests that let ranks meet."""

from __future__ import annotations

import random
import socket


def free_port() -> int:
    """One on loopback that nobody listens at, below those that connections are given."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
