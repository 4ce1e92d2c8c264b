"""Quantised consensus under its bound."""

from __future__ import annotations

from algorithms.compressors.fixed_point import FixedPoint
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.gossip_compressed.quantised_consensus import QuantisedConsensus
from algorithms.problems import entries
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import by_moments, linear, of_row
from theory.theorems.dcd_psgd import dcd_psgd
from theory.theorems.quantised_consensus import quantised_consensus


def _quantised(exchange: Exchange, where: str, steps: int) -> BoundCheck:
    grid = FixedPoint(2, 12)
    return BoundCheck(
        "quantised-consensus", f"consensus, {where}", quantised_consensus,
        lambda: entries.problem("consensus", exchange.n),
        lambda _s, p, _t: QuantisedConsensus(exchange, grid, row_error=p.d * grid.step**2 / 4),
        steps,
    )  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    _quantised(RandomLinks(RandomEdge(Ring(8))), Ring(8).name, 200),
    _quantised(RandomLinks(RandomEdge(Torus(3, 3))), Torus(3, 3).name, 100),
    _quantised(FixedLinks(Ring(8)), f"{Ring(8).name}, all at once", 60),
    by_moments("dcd-psgd", dcd_psgd, of_row("dcd-psgd"), 400),
    linear("d2", 600, look=200),
)
