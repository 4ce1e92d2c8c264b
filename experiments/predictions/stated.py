"""Throughputs that survey 001 states in its text, held against predictions; nothing is fitted to
them.

The speedups 4, 3.1 and 1.2 with four GPUs and 31.6 and 23.2 with 32 (Impact of Model Intensity) are
those of the best method on 100GbIB, samples per second as its authors' benchmarks have them
(HKBU-HPML/ddl-benchmarks, results of 2020-05-29). Four GPUs are one node, which no network
reaches: the best of the seven methods there is the same setup whatever the network.
"""

from __future__ import annotations

from typing import NamedTuple, final

from experiments.predictions.cluster import FITTED_ON
from experiments.predictions.fig4 import METHODS, Prediction


@final
class StatedThroughput(NamedTuple):
    """One number of the survey's text, with what is predicted for it.

    Attributes:
        model: as the survey calls it.
        gpus: how many.
        method: as the survey calls it; empty: the best of the seven.
        samples_per_second: published.
        predicted: samples per second.
    """

    model: str
    gpus: int
    method: str
    samples_per_second: float
    predicted: float

    @property
    def error(self) -> float:
        """Of the prediction, relative."""
        return self.predicted / self.samples_per_second - 1


_STATED = (
    ("ResNet-50", 4, "", 1018.4),
    ("BERT-Base", 4, "", 660.42),
    ("BERT-Large", 4, "", 57.5),
    ("BERT-Base", 4, "BSP-PS", 557.92),
    ("ResNet-50", 32, "ByteScheduler-PS", 7999.83),
    ("BERT-Base", 32, "MG-WFBP", 4940.08),
)


def held_against_text(points: tuple[Prediction, ...]) -> tuple[StatedThroughput, ...]:
    """The survey's numbers beside the predictions for 100GbIB."""
    rates = {(p.model, p.gpus, p.method): p.samples_per_second for p in points
             if p.network == FITTED_ON}  # fmt: skip
    return tuple(
        StatedThroughput(
            model, gpus, method, said,
            max(rates[model, gpus, one] for one in ([method] if method else METHODS)),
        )
        for model, gpus, method, said in _STATED
    )  # fmt: skip
