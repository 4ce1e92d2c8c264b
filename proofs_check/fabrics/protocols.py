"""Links by protocol: survey 001's throughputs by message size, and what one affine model misses."""

from __future__ import annotations

import numpy as np

from proofs_check.cell import CellResult
from proofs_check.curves import LinePanel, PanelLine
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import SystemCheck
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.claims import Confidence
from theory.seconds.protocols import (
    DOUBLE,
    LONG,
    PROTOCOL_LINKS,
    RDMA_100G,
    SHORT,
    TCP_10G,
    TCP_100G,
    ProtocolLink,
    affine,
    best_affine,
)

ROW = "protocol-model"
_PRINTED = (
    (TCP_10G, SHORT, 1.2e9), (TCP_10G, LONG, 8.2e9), (TCP_100G, SHORT, 4.6e9),
    (TCP_100G, LONG, 16.5e9), (RDMA_100G, SHORT, 16.7e9), (RDMA_100G, LONG, 83.2e9),
)  # fmt: skip
"""Effective throughputs [bit/s] that survey 001 prints."""
_WITHIN = 0.1
_PROVENANCE = "survey 001, communication performance and scheduling"


def throughputs() -> Verdict:
    """All six printed throughputs, from the links' points."""
    got = [link.throughput(bits) / rate for link, bits, rate in _PRINTED]
    return identity(
        ROW, "effective throughputs of 16 KiB and 1 MB over three links are those printed", got,
        np.ones(len(got)), check="throughput by message size", tolerance=_WITHIN,
        provenance=_PROVENANCE,
        note="five of the six set the points; that of 16 KiB over RDMA follows from 7.85 us",
    )  # fmt: skip


def merging() -> Verdict:
    """Two messages of 16 KiB in one save a start-up of 5.6 us."""
    saved = 2 * RDMA_100G.seconds(SHORT) - RDMA_100G.seconds(DOUBLE)
    regime = RDMA_100G.segment(SHORT)
    return identity(
        ROW, "merging two messages of 16 KiB saves 5.6 us, alpha of that size, at 58.3 Gbit/s",
        [saved * 1e6, regime.alpha * 1e6, 1e-9 / regime.beta], [5.6, 5.6, 58.3],
        check="messages merged", tolerance=1e-3, provenance=_PROVENANCE,
    )  # fmt: skip


def affine_models() -> Verdict:
    """The alpha and rate that follow from 16 KiB and 1 MB, to what their rounding leaves open."""
    fitted = [affine(link.points[0], link.points[-1]) for link in (TCP_10G, TCP_100G, RDMA_100G)]
    return identity(
        ROW, "16 KiB and 1 MB give alpha of 94, 20.5 and 6.3 us, and 9.05, 17.2 and 88.9 Gbit/s",
        [1e6 * link.alpha for link in fitted] + [1e-9 / link.beta for link in fitted],
        [94.0, 20.5, 6.3, 9.05, 17.2, 88.9], check="affine models", tolerance=0.015,
        provenance=f"{_PROVENANCE}; the printed throughputs have two digits",
    )  # fmt: skip


def one_affine_model() -> tuple[Verdict, ...]:
    """Error of one alpha and beta on three messages over RDMA, however they are chosen."""
    (short, double, long), (_, least) = RDMA_100G.points, best_affine(RDMA_100G.points)
    missed = []
    for told, link, point in (
        ("of 16 and 32 KiB at 1 MB", affine(short, double), long),
        ("of 16 KiB and 1 MB at 32 KiB", affine(short, long), double),
    ):
        error = link.seconds(point[0], 1) / point[1] - 1
        missed.append(
            Verdict(
                ROW, f"the affine model {told} errs by more than the best one", "one affine model",
                Outcome.SUPPORTED if abs(error) > least else Outcome.REFUTED,
                statistic=error, bound=least, resolution=0.0,
                evidence=f"{error:+.1%} of the time; the best for all three messages errs by "
                f"{least:.1%} at each of them",
                provenance=_PROVENANCE,
            )
        )  # fmt: skip
    return tuple(missed)


def order_of_protocols() -> Verdict:
    """Links whose figures are from memory lie between the survey's."""
    times = {link.name: link.seconds(LONG) for link in PROTOCOL_LINKS}
    inside = all(
        RDMA_100G.seconds(LONG) < link.seconds(LONG) < TCP_100G.seconds(LONG)
        for link in PROTOCOL_LINKS
        if link.confidence is not Confidence.CERTAIN
    )
    return Verdict(
        ROW, "IPoIB and RoCE lie between TCP/IP and RDMA on 100 Gbit/s", "order of protocols",
        Outcome.COMPARED, statistic=float(inside),
        evidence="1 MB takes " + ", ".join(f"{1e6 * s:.0f} us ({n})" for n, s in times.items()),
        provenance="round figures from memory; the survey has no numbers",
    )  # fmt: skip


def _curve(link: ProtocolLink, sizes: Floats) -> PanelLine:
    return PanelLine(link.name, sizes / 8, np.array([link.throughput(b) / 1e9 for b in sizes]))


def protocols() -> CellResult:
    """Verdicts, and throughput against size."""
    sizes = np.geomspace(8 * 1024, 8e7, 60)
    panel = LinePanel(
        "effective throughput by message size", "message [byte]", "throughput [Gbit/s]",
        ("log", "log"), tuple(_curve(link, sizes) for link in PROTOCOL_LINKS),
    )  # fmt: skip
    verdicts = (
        throughputs(),
        merging(),
        affine_models(),
        *one_affine_model(),
        order_of_protocols(),
    )
    return CellResult(verdicts, (panel,))


SYSTEM_CHECKS = (SystemCheck(ROW, "links by protocol", protocols),)
