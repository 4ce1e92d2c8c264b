"""``rateproof figure choco-gossip``: average consensus with compressed messages."""

from __future__ import annotations

from math import log1p

from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_least, at_most, near
from experiments.published.figure import CostClass, PublishedFigure, Request
from proofs_check.figure_runs.averaging import (
    FULL,
    SEED,
    Lines,
    gap,
    late_rate,
    lines,
    quantisation_floor,
)
from proofs_check.figure_runs.trace import ErrorTrace
from theory.claims import Confidence, Source

_RECORDED = {
    "exact": {100: 1.2e-3, 200: 1.7e-5, 300: 2.5e-7, 400: 3.6e-9, 500: 5.2e-11},
    "CHOCO top": {1000: 1.3e-2, 2000: 1.8e-3, 3000: 2.5e-4, 4000: 3.5e-5, 5000: 4.9e-6},
    "CHOCO rand": {5000: 8e-3},
    "Q2 QSGD": {500: 1.5e-4},
}
"""Errors by step of another implementation, from other starts of the same law, to two digits."""

_ANOTHER = "another implementation of the operators in the authors' code, other Gaussian starts"
_LEVELS = ("exact", "CHOCO QSGD", "Q1 QSGD", "Q2 QSGD")
_SPARSE = ("exact", "CHOCO top", "CHOCO rand", "Q1 rand", "Q2 rand")


def measure(_: Request) -> Reproduction:
    """Exact gossip, CHOCO, Q1 and Q2."""
    found = lines(FULL)
    details = {
        "workers": FULL.n, "d": FULL.d, "share": FULL.share, "levels": FULL.levels, "seed": SEED,
        "gap": gap(FULL.n), "consensus_steps": {"top": FULL.top, "rand": FULL.rand},
        "square_of_mean": found.square, "floor_of_q2": quantisation_floor(FULL, found.square),
        "lines": [
            {
                "name": line.name, "steps": line.steps.tolist(), "error": line.error.tolist(),
                "sent_bits": line.bits.tolist(),
            }
            for line in found.lines.values()
        ],
    }  # fmt: skip
    numbers = (*_orders(found), *(_recorded(found) if found.setting.long >= 5000 else ()))
    return Reproduction(numbers, _panels(found), details=details)


def _orders(found: Lines) -> tuple[PublishedNumber, ...]:
    rate = {name: late_rate(line) for name, line in found.lines.items()}
    grown = found.lines["Q2 rand"].error[-1] / found.lines["Q2 rand"].error[0]
    slow, unit = -2 * log1p(-gap(found.setting.n)), "1/step"
    return (
        near("rate of exact gossip, -2 log(1 - gap)", slow, rate["exact"], relative=0.03, unit=unit,
             source="closed form of the ring's spectrum", confidence=Confidence.CERTAIN),
        near("CHOCO QSGD falls as exact gossip", rate["exact"], rate["CHOCO QSGD"], relative=0.05,
             unit=unit),
        at_most("CHOCO top falls slower than QSGD", rate["CHOCO QSGD"], rate["CHOCO top"],
                unit=unit),
        at_most("CHOCO rand falls slower than top", rate["CHOCO top"], rate["CHOCO rand"],
                unit=unit),
        at_least("CHOCO rand falls", 1e-5, rate["CHOCO rand"], unit=unit),
        at_most("Q1 QSGD stalls: its rate of exact gossip's", 0.1,
                rate["Q1 QSGD"] / rate["exact"], unit="ratio"),
        at_most("Q2 QSGD stalls: its rate of exact gossip's", 0.1,
                rate["Q2 QSGD"] / rate["exact"], unit="ratio"),
        at_least("Q2 rand diverges: its last error of the first", 1e6, float(grown), unit="ratio"),
    )  # fmt: skip


def _recorded(found: Lines) -> tuple[PublishedNumber, ...]:
    return tuple(
        near(f"{name} after {step} steps", error, found.lines[name].error_at(step), relative=0.15,
             unit="error", source=_ANOTHER, confidence=Confidence.DERIVED)
        for name, errors in _RECORDED.items() for step, error in errors.items()
    )  # fmt: skip


def _panels(found: Lines) -> tuple[CurvePanel, ...]:
    s = found.setting
    t = found.lines["exact"].steps
    exact = DrawnLine(
        "$(1-gap)^{2t}$", t, found.lines["exact"].error[0] * (1 - gap(s.n)) ** (2 * t)
    )
    t = found.lines["Q2 QSGD"].steps
    floor = DrawnLine("floor of Q2", t, 0 * t + quantisation_floor(s, found.square))
    up = "$\\frac{1}{n}\\,\\sum_i \\Vert x_i - \\bar{x}_0 \\Vert^2$"
    scales, view = ("linear", "log"), (1e-11, 1e2)
    return (
        CurvePanel(f"QSGD, {s.levels} levels", "steps", up, _of(found, _LEVELS), (exact, floor),
                  (), scales, view),
        CurvePanel(f"{s.share:.0%} of the coordinates", "steps", up, _of(found, _SPARSE), (), (),
                  scales, view),
        CurvePanel("all operators", "sent per worker [Mbit]", up, _of(found, tuple(found.lines),
                  True), limits=view),
    )  # fmt: skip


def _of(found: Lines, names: tuple[str, ...], bits: bool = False) -> tuple[DrawnLine, ...]:
    return tuple(_line(found.lines[name], bits) for name in names)


def _line(line: ErrorTrace, bits: bool) -> DrawnLine:
    return DrawnLine(line.name, line.bits / 1e6 if bits else line.steps, line.error)


FIGURE = PublishedFigure(
    "koloskova2019-fig2",
    "Averaging on a ring with compressed messages, by CHOCO-Gossip and without its public copies",
    Source("Koloskova, Stich, Jaggi", 2019, "1902.00340", "Figures 2 and 3"),
    "CHOCO-Gossip falls linearly with every operator, QSGD as exact gossip, then top-k, then "
    "rand-k; Q1 and Q2 stall or diverge",
    measure,
    CostClass.NORMAL,
    "choco-gossip",
)
