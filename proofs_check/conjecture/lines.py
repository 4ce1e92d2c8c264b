"""Methods of which the survey's Table IV states no rate, as functions of their constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np

from algorithms.compressors.base import Compressor
from algorithms.core.names import look_up
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.gossip.choco import ChocoRound, ChocoSGD
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.bounds.check import Make
from proofs_check.conjecture.operators import UnevenContraction

Values = Mapping[str, float]

LADDERS: dict[str, tuple[float, ...]] = {
    "H": (1, 2, 4, 8), "p": (1.0, 0.5, 0.25, 0.125), "delta": (1.0, 0.5, 0.25, 0.125),
    "omega": (0, 1, 3, 7),
}  # fmt: skip
"""Values that exponents are fitted at: period, spectral gap, and what the operator loses."""

BETWEEN: dict[str, tuple[float, ...]] = {
    "H": (3, 6, 12), "p": (0.7, 0.3, 0.08), "delta": (0.7, 0.3, 0.08), "omega": (0.5, 2, 11),
}  # fmt: skip
"""Values that nothing was fitted at, and beyond them."""

FAR = {"H": 12, "p": 1 / 256, "delta": 1 / 256, "omega": 255}
"""Where an exponent that is too small shows."""

SYMBOLS = {"H": "H", "omega": "(1+omega)", "p": "p", "delta": "delta"}
"""Variables of a bound as they are written in it."""

DIVIDES = {"p", "delta"}
"""Those that a bound is divided by, since it is harder where they are smaller."""


def factor(name: str, value: float) -> float:
    """The number that a variable enters with: at least 1, and harder where it is larger."""
    return 1 / value if name in DIVIDES else {"omega": 1 + value}.get(name, value)


@final
@dataclass(frozen=True)
class ConjectureLine:
    """A method by its constants.

    Attributes:
        name: the line of Table IV.
        row: what it is called on the command line.
        variables: what exponents are looked for in.
        what: the method, in words.
        build: the method for given values of the variables.
    """

    name: str
    row: str
    variables: tuple[str, ...]
    what: str
    build: Callable[[Values], Make]

    def settings(self) -> Iterator[dict[str, float]]:
        """The easiest values, one variable moved at a time, and all at their hardest."""
        yield from _apart(self.variables, LADDERS)

    def beyond(self) -> Iterator[dict[str, float]]:
        """One variable far harder than anything that is fitted, the others at their easiest."""
        easiest = {name: LADDERS[name][0] for name in self.variables}
        yield from ({**easiest, name: FAR[name]} for name in self.variables)

    def between(self) -> Iterator[dict[str, float]]:
        """Values that no exponent is fitted at."""
        every = [BETWEEN[name] for name in self.variables]
        for values in product(*every):
            yield dict(zip(self.variables, values, strict=True))


def _apart(
    names: tuple[str, ...], ladders: Mapping[str, tuple[float, ...]]
) -> Iterator[dict[str, float]]:
    for base in (0, 2):
        start = {name: ladders[name][base] for name in names}
        yield start
        for name in names:
            yield from ({**start, name: value} for value in ladders[name] if value != start[name])
    yield {name: ladders[name][-1] for name in names}


def operator(values: Values) -> Compressor:
    """A linear operator that loses what the constant allows, differently at different workers."""
    if "omega" in values:  # CHOCO takes contractions: C/(1 + omega) is one
        return UnevenContraction(1 / (1 + values["omega"]))
    return UnevenContraction(values["delta"])


def mixing(p: float, n: int) -> FixedMatrix:
    """W = (1 - p) I + p J, whose gap is p."""
    return FixedMatrix((1 - p) * np.eye(n) + p * np.ones((n, n)) / n, label=f"gap {p:g}")


def _consensus(values: Values) -> float:
    """A consensus step that the operator allows."""
    return values["delta"] / 4 if "delta" in values else 1 / (4 * (1 + values["omega"]))


def _round(values: Values, n: int) -> ChocoRound:
    return ChocoRound(mixing(values["p"], n), operator(values), _consensus(values))


def _choco(values: Values) -> Make:
    return lambda step, problem, _steps: ChocoSGD(
        step, mixing(values["p"], problem.n), operator(values), _consensus(values)
    )


def _wandering(values: Values) -> Make:
    return lambda step, problem, _steps: GossipLocalSGD(
        step, _round(values, problem.n), int(values["H"])
    )


def _local(values: Values) -> Make:
    return lambda step, _problem, _steps: LocalSGD(
        step, int(values["H"]), compressor=operator(values), memory=ErrorFeedback()
    )


LINES: tuple[ConjectureLine, ...] = (
    ConjectureLine(
        "PS, L-SGD, Spars.", "local-sgd-sparse", ("H", "delta"),
        "local SGD whose increments are contracted, with error feedback", _local,
    ),
    ConjectureLine(
        "Gossip, BSP, Spars.", "gossip-sparse", ("p", "delta"),
        "CHOCO-SGD with the consensus step delta/4", _choco,
    ),
    ConjectureLine(
        "Gossip, L-SGD, Spars.", "gossip-local-sparse", ("H", "p", "delta"),
        "local SGD over CHOCO's rounds with the consensus step delta/4", _wandering,
    ),
    ConjectureLine(
        "Gossip, L-SGD, Quant.", "gossip-local-quantised", ("H", "p", "omega"),
        "local SGD over CHOCO's rounds with a contraction of delta = 1/(1 + omega), as an unbiased "
        "operator divided by 1 + omega is, and the consensus step 1/(4 (1 + omega))", _wandering,
    ),
)  # fmt: skip

REFUSED: dict[str, str] = {
    **dict.fromkeys(
        ("PS, SSP, Quant.", "PS, SSP, Spars.", "PS, ASP, Spars.", "Gossip, ASP, Quant.",
         "Gossip, ASP, Spars."),
        "who arrives when is drawn: exact moments have too many choices on a schedule",
    ),
    **dict.fromkeys(
        ("PS, SSP, Null", "Gossip, BSP, Null", "Gossip, BSP, Quant.", "Gossip, ASP, Null",
         "PS, L-SGD, Quant."),
        "blank for convex functions alone: decreasing steps, which are taken one by one",
    ),
}  # fmt: skip
"""Blank cells that no conjecture is made of, and why."""


def line_called(name: str) -> ConjectureLine:
    """The line by its name in Table IV, or by its short one.

    Raises:
        ValueError: it is refused, says why; or there is none, suggests the nearest.
    """
    plain = name.replace("A.R.", "PS")
    if plain in REFUSED:
        raise ValueError(f"no conjecture of {name}: {REFUSED[plain]}")
    in_table = {one.name: one for one in LINES}
    return in_table.get(plain) or look_up("line", plain, {one.row: one for one in LINES})
