"""``rateproof figure shi2020-models``: tensors and parameters of the survey's three models."""

from __future__ import annotations

from algorithms.workloads import WORKLOADS
from experiments.figures.reproduction import PublishedNumber, Reproduction, near, number_panels
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Confidence, Source

_PUBLISHED = {
    "resnet-50": (161, 25_557_032), "bert-base": (206, 110_106_428),
    "bert-large": (398, 336_226_108),
}  # fmt: skip


def measure(_: Request) -> Reproduction:
    """Counts of the tables that are built from the architectures' definitions."""
    known = "recomputed from the configurations of the survey's benchmark code"
    numbers: list[PublishedNumber] = []
    for name, (tensors, parameters) in _PUBLISHED.items():
        model = WORKLOADS[name]
        numbers += [
            near(f"{name}: tensors", tensors, len(model.tensors), unit="tensors",
                 confidence=Confidence.DERIVED, source=known),
            near(f"{name}: parameters", parameters, model.parameters, unit="parameters",
                 confidence=Confidence.DERIVED, source=known),
        ]  # fmt: skip
    large, small = WORKLOADS["bert-large"].parameters, WORKLOADS["resnet-50"].parameters
    numbers += [
        near("BERT-Large: parameters, as printed", 336.0, large / 1e6, absolute=0.5,
             unit="million"),
        near("BERT-Large: 4 bytes each", 1.34, 4 * large / 1e9, absolute=0.0051, unit="GB"),
        near("ResNet-50: 4 bytes each", 97.5, 4 * small / 2**20, absolute=0.051, unit="MiB",
             confidence=Confidence.DERIVED, source=known),
    ]  # fmt: skip
    return Reproduction(tuple(numbers), number_panels(tuple(numbers[:6])), columns=2)


FIGURE = PublishedFigure(
    "shi2020-models",
    "ResNet-50, BERT-Base and BERT-Large: tensors, parameters, bytes",
    Source("Shi, Tang, Chu, Liu, Wang, Li", 2020, "2005.13247", "section on communication size"),
    "numbers of tensors and parameters are those of the survey's models, to the last one",
    measure,
)
