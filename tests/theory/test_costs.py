"""Alpha-beta costs by hand."""

from __future__ import annotations

import pytest

from theory.seconds.costs import (
    ETHERNET_1G,
    ETHERNET_10G,
    ETHERNET_100G,
    AlphaBeta,
    gossip_seconds,
    parameter_server_seconds,
)


def test_a_megabit_on_each_link() -> None:
    # 10^9, 10^10, 10^11 bits a second, and one message's latency
    for link, rate in ((ETHERNET_1G, 1e9), (ETHERNET_10G, 1e10), (ETHERNET_100G, 1e11)):
        assert link.seconds(rate, 0) == pytest.approx(1.0)
        assert link.seconds(1e6, 1) == pytest.approx(link.alpha + 1e6 / rate)


def test_parameter_server_by_hand() -> None:
    # flat server, section 6 of the cost table: 2 n m beta for equal messages; 16 workers, 32e6 bits
    link = AlphaBeta(0.0, 1e-9)
    assert parameter_server_seconds(link, 16, 32e6, 32e6) == pytest.approx(2 * 16 * 0.032)
    link = AlphaBeta(1e-3, 1e-9)
    # 0.5 + 4 (0.001 + 0.002) + 4 (0.001 + 0.008)
    assert parameter_server_seconds(link, 4, 2e6, 8e6, 0.5) == pytest.approx(0.548)


def test_gossip_by_hand_and_free_of_n() -> None:
    assert gossip_seconds(AlphaBeta(1e-3, 1e-9), 2, 5e6, 0.1) == pytest.approx(0.112)
    assert gossip_seconds(ETHERNET_1G, 0, 5e6, 0.1) == 0.1


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"alpha and beta must be at least 0, got alpha=-1"):
        AlphaBeta(-1, 0)
    with pytest.raises(ValueError, match="n must be at least 1 worker, got n=0"):
        parameter_server_seconds(ETHERNET_1G, 0, 1, 1)
    with pytest.raises(ValueError, match="degree must be at least 0, got degree=-1"):
        gossip_seconds(ETHERNET_1G, -1, 1)
    with pytest.raises(ValueError, match="bits and messages must be at least 0, got bits=-1"):
        ETHERNET_1G.seconds(-1, 1)
