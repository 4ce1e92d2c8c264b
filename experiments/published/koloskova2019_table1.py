"""``rateproof figure koloskova2019-table1``: spectral gaps of ring, torus and complete graph."""

from __future__ import annotations

import numpy as np

from algorithms.topologies.complete import Complete
from algorithms.topologies.graphs import Graph
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from theory.arrays import Floats
from theory.claims import Confidence, Source

_SIZES = (9, 16, 25, 36, 64)
_PUBLISHED = {
    "ring": (0.1560, 0.0507, 0.0209, 0.0101, 0.0032),
    "torus": (0.6000, 0.4000, 0.2764, 0.2000, 0.1172),
}
_LARGE = (64, 144, 400)
_MAKE = {"ring": Ring, "torus": Torus.square, "complete": Complete}


def measure(_: Request) -> Reproduction:
    """1 - |lambda_2| of uniform weights, by eigenvalues of the project's matrices."""
    found = {name: [_gap(make(n)) for n in _SIZES] for name, make in _MAKE.items()}
    numbers: list[PublishedNumber] = [
        near(f"{name}, n = {n}", stated, ours, absolute=5.001e-5,
             confidence=Confidence.DERIVED, source="recomputed for the authors' uniform weights")
        for name, values in _PUBLISHED.items()
        for n, stated, ours in zip(_SIZES, values, found[name], strict=True)
    ]  # fmt: skip
    numbers += [near(f"complete, n = {n}", 1, _gap(Complete(n)), absolute=1e-12) for n in (9, 64)]
    large = {name: np.array([_gap(_MAKE[name](n)) for n in _LARGE]) for name in _PUBLISHED}
    for name, power in (("ring", -2.0), ("torus", -1.0)):
        slope = np.log(large[name][-1] / large[name][-2]) / np.log(_LARGE[-1] / _LARGE[-2])
        numbers.append(near(f"{name}: power of n, n = 144 to 400", power, float(slope),
                            absolute=0.05, unit="exponent"))  # fmt: skip
    x = np.array(sorted({*_SIZES, *_LARGE}), dtype=np.float64)
    lines = tuple(DrawnLine(name, x, _gaps(name, x)) for name in _MAKE)
    theory = (
        DrawnLine("$4\\pi^2/3\\; n^{-2}$", x, 4 * np.pi**2 / 3 / x**2),
        DrawnLine("$4\\pi^2/5\\; n^{-1}$", x, 4 * np.pi**2 / 5 / x),
    )
    panel = CurvePanel("", "workers $n$", "spectral gap $1 - |\\lambda_2|$", lines, theory,
                       limits=(2e-5, 2.0))  # fmt: skip
    return Reproduction(tuple(numbers), (panel,))


def _gap(graph: Graph) -> float:
    """1 - lambda_2; the complete graph has no second eigenvalue but 0."""
    return 1.0 - abs(float(np.linalg.eigvalsh(graph.matrix(0))[-2]))


def _gaps(name: str, x: Floats) -> Floats:
    return np.array([_gap(_MAKE[name](int(n))) for n in x])


FIGURE = PublishedFigure(
    "koloskova2019-table1",
    "Spectral gaps of ring, torus and complete graph with uniform weights",
    Source("Koloskova, Stich, Jaggi", 2019, "1902.00340", "Table 1"),
    "gaps agree to four decimals and fall as 1/n^2 on the ring, 1/n on the torus, not on the "
    "complete graph",
    measure,
)
