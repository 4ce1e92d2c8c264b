"""``rateproof figure shi2020-messages``: message times that the quantitative survey quotes."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Confidence, Source
from theory.seconds.costs import AlphaBeta

_NETWORKS = {
    "10GbE": ((16e3, 1.2e9), (1e6, 8.2e9), (94e-6, 9.05e9)),
    "100GbE": ((16e3, 4.6e9), (1e6, 16.5e9), (20.5e-6, 17.2e9)),
    "100GbIB": ((16e3, 16.7e9), (1e6, 83.2e9), (6.3e-6, 88.9e9)),
}
"""(bytes, bit/s) of two messages, then alpha [s] and 1/beta [bit/s] that follow."""

_RECOMPUTED: dict[str, Any] = {
    "confidence": Confidence.DERIVED,
    "source": "recomputed from the text's numbers",
}
_KIB, _SMALL, _LARGE = 1024.0, 7.85e-6, 10.1e-6


def measure(_: Request) -> Reproduction:
    """Fit alpha + beta m through each pair of points, and predict the text's other numbers."""
    pair = _fit((16 * _KIB, _SMALL), (32 * _KIB, _LARGE))
    numbers: list[PublishedNumber] = [
        near("16 KiB in 7.85 us", 16.7, 16 * _KIB * 8 / _SMALL / 1e9, absolute=0.051,
             unit="Gbit/s"),
        near("InfiniBand, alpha from the pair", 5.60, pair.alpha * 1e6, absolute=0.0051, unit="us",
             **_RECOMPUTED),
        near("InfiniBand, 1/beta from the pair", 58.3, 1e-9 / pair.beta, absolute=0.051,
             unit="Gbit/s", **_RECOMPUTED),
        near("merging two messages of 16 KiB saves", 5.6,
             (2 * pair.seconds(16 * _KIB * 8, 1) - pair.seconds(32 * _KIB * 8, 1)) * 1e6,
             absolute=0.051, unit="us", **_RECOMPUTED),
    ]  # fmt: skip
    size = np.geomspace(1e3, 1e8, 60)
    lines, points = [], []
    for name, (small, large, (alpha, rate)) in _NETWORKS.items():
        link = _fit(*((m, m * 8 / speed) for m, speed in (small, large)))
        numbers += [
            near(f"{name}, alpha", alpha * 1e6, link.alpha * 1e6, relative=0.03, unit="us",
                 **_RECOMPUTED),
            near(f"{name}, 1/beta", rate / 1e9, 1e-9 / link.beta, relative=0.01, unit="Gbit/s",
                 **_RECOMPUTED),
        ]  # fmt: skip
        speed = np.array([8 * m / link.seconds(8 * m, 1) for m in size])
        lines.append(DrawnLine(name, size, speed / 1e9))
        both = np.array([small, large])
        points.append(DrawnLine(name, both[:, 0], both[:, 1] / 1e9))
    numbers += _speedup()
    panel = CurvePanel(
        "throughput of $\\alpha + \\beta m$ through two published points", "message [byte]",
        "Gbit/s", tuple(lines), (), tuple(points),
    )  # fmt: skip
    return Reproduction(tuple(numbers), (panel,))


def _fit(small: tuple[float, float], large: tuple[float, float]) -> AlphaBeta:
    """The link on which messages of so many bytes take so many seconds."""
    beta = (large[1] - small[1]) / (8 * (large[0] - small[0]))
    return AlphaBeta(small[1] - beta * 8 * small[0], beta)


def _speedup() -> list[PublishedNumber]:
    """Four GPUs, weak and strong scaling of BERT-Large: 163 ms of computing, 441 of sending."""
    compute, send, n = 0.163, 0.441, 4
    whole = n * compute
    return [
        near("BERT-Large, 4 GPUs: n t_s/(t_s + t_c)", 1.08, n * compute / (compute + send),
             absolute=0.0051, unit="speedup"),
        near("BERT-Large, t/(t/n + t_c) with t = 652 ms", 1.08, whole / (whole / n + send),
             absolute=0.0051, unit="speedup"),
        near("BERT-Large, parameters of 4 bytes", 1.34, 336_226_108 * 4 / 1e9, absolute=0.0051,
             unit="GB"),
    ]  # fmt: skip


FIGURE = PublishedFigure(
    "shi2020-messages",
    "Message times and speedups quoted in the quantitative survey, from one alpha and beta each",
    Source("Shi, Tang, Chu, Liu, Wang, Li", 2020, "2005.13247", "communication challenges"),
    "16 KiB in 7.85 us is the quoted 16.7 Gbit/s, the fitted alpha and beta are the recomputed "
    "ones, and four GPUs speed BERT-Large up by 1.08",
    measure,
)
