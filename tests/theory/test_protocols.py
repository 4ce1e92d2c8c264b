"""Links by protocol: regimes, and the best affine model against a search."""

from __future__ import annotations

import pytest
from scipy.optimize import minimize

from theory.seconds.costs import AlphaBeta
from theory.seconds.protocols import (
    DOUBLE,
    LONG,
    RDMA_100G,
    SHORT,
    TCP_10G,
    ProtocolLink,
    affine,
    best_affine,
)


def test_a_link_goes_through_its_points_and_on() -> None:
    assert [RDMA_100G.seconds(bits) for bits in (SHORT, DOUBLE)] == pytest.approx(
        [7.85e-6, 1.01e-5]
    )
    assert RDMA_100G.throughput(LONG) == pytest.approx(83.2e9)
    first, last = RDMA_100G.segment(0), RDMA_100G.segment(1e12)
    assert first == affine(*RDMA_100G.points[:2]) and last == affine(*RDMA_100G.points[1:])
    assert TCP_10G.seconds(0) == pytest.approx(94.8e-6, rel=1e-3)


def test_the_best_affine_model_is_that_of_a_search() -> None:
    link, error = best_affine(RDMA_100G.points)

    def worst(x: list[float]) -> float:
        tried = AlphaBeta(abs(x[0]) * 1e-6, abs(x[1]) * 1e-11)
        return max(abs(tried.seconds(bits, 1) / s - 1) for bits, s in RDMA_100G.points)

    assert worst([link.alpha * 1e6, link.beta * 1e11]) == pytest.approx(error)
    found = minimize(
        worst, [6.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    assert found.fun == pytest.approx(error, rel=1e-4)


def test_bad_points_are_named() -> None:
    with pytest.raises(ValueError, match="points must be two or more that grow"):
        ProtocolLink("short", ((2.0, 1.0), (1.0, 2.0)))
    with pytest.raises(ValueError, match="points must be at least three, got 2"):
        best_affine(TCP_10G.points)
    with pytest.raises(ValueError, match="bits must be at least 0, got bits=-1"):
        TCP_10G.seconds(-1)
