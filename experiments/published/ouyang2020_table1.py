"""``rateproof figure ouyang2020-table1``: ResNet-50 training times, as images a second."""

from __future__ import annotations

import numpy as np

from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, near, number_panels
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Confidence, Source

_IMAGES, _EPOCHS = 1_281_167, 90
_TABLE = {
    "He": (8, 29 * 3600.0, 138.1),
    "Goyal": (256, 3600.0, 125.1),
    "Akiba": (1024, 900.0, 125.1),
    "Jia": (1024, 522.0, 215.7),
    "Mikami": (3456, 120.0, 278.0),
}
"""Devices, seconds, and images a second and device of 90 epochs."""


def measure(_: Request) -> Reproduction:
    """Throughputs that follow from devices and times, and two efficiencies."""
    found = {name: _IMAGES * _EPOCHS / s / k for name, (k, s, _) in _TABLE.items()}
    numbers: list[PublishedNumber] = [
        near(f"{name}: images a second and device, 90 epochs", stated, found[name], absolute=0.06,
             unit="img/s", confidence=Confidence.DERIVED, source="recomputed from the table")
        for name, (_, _s, stated) in _TABLE.items()
    ]  # fmt: skip
    numbers += [
        near("Goyal of He: efficiency on 32 times as many", 0.90,
             found["Goyal"] / found["He"], absolute=0.0151, unit="efficiency",
             confidence=Confidence.MEMORY, source="Goyal et al. 2017, about 90%"),
        near("Mikami: 2.0 min of the table, in seconds", 122, _TABLE["Mikami"][1], relative=0.025,
             unit="s", source="Mikami et al. 2018, abstract: 122 s"),
    ]  # fmt: skip
    k = np.array([row[0] for row in _TABLE.values()], dtype=np.float64)
    s = np.array([row[1] for row in _TABLE.values()])
    order = np.argsort(k)
    first = DrawnLine("$1/n$ from He", k[order], s[0] * k[0] / k[order])
    panel = CurvePanel("", "devices $n$", "training time [s]",
                       (), (first,),
                       tuple(DrawnLine(name, k[j : j + 1], s[j : j + 1])
                             for j, name in enumerate(_TABLE)))  # fmt: skip
    note = "different works used different epochs and GPUs: rates across rows are not comparable"
    return Reproduction(
        tuple(numbers), (panel, *number_panels(tuple(numbers[:5]))), (note,), columns=2
    )


FIGURE = PublishedFigure(
    "ouyang2020-table1",
    "ResNet-50 on ImageNet: training times and what they say of devices",
    Source("Ouyang, Dong, Xu, Xiao", 2020, "2003.03009", "Table 1"),
    "images a second and device of 90 epochs follow from the table, and its two minutes are the "
    "122 s of the cited abstract",
    measure,
)
