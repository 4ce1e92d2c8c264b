"""Table IV of survey 002: convergence and communication cost of what it classifies, as printed.

A line is an architecture, a synchronisation scheme and a compression; it has two cells, convex and
non-convex, and the bits that the server and a worker handle in T iterations. Where the survey has a
dash, nothing is stated. Errata are named where they stand and kept in
:mod:`theory.survey.errata_tables`; cost formulas are data, so that a bill can be held against them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple, final

from theory.bits import index_bits
from theory.survey.classification import Architecture, Compression, Objective, Scheme


class Payload(StrEnum):
    """Length of one message of N numbers, as the survey writes it."""

    DENSE = "32 N"
    QUANTISED = "b N"
    SPARSE = "k (log N + 32)"


class Factor(StrEnum):
    """Multiplier of a worker's messages in T iterations."""

    WORKERS = "n"
    PEERS = "n_peers"
    ROUNDS = "1/T_comm"


class CostPoint(NamedTuple):
    """Arguments of a cost formula.

    Attributes:
        numbers: N, the length of a model.
        workers: n.
        iterations: T, gradients of one worker (the mean of T_i where workers differ).
        peers: n_peers, neighbours that a worker sends to in a round (1 where there is a server).
        period: T_comm, iterations between two rounds.
        kept: k, coordinates of a sparse message (0: it is not sparse).
        coded: b, bits of a quantised coordinate, its share of the scales included (0: none).
        float_bits: bits of a float; the survey's 32.
    """

    numbers: int
    workers: int
    iterations: float
    peers: float
    period: int
    kept: float
    coded: float
    float_bits: int


@final
@dataclass(frozen=True)
class CostFormula:
    """Bits in T iterations: T times a message times factors; an order in the survey, exact here.

    Attributes:
        printed: what stands in the survey between the brackets of O(.).
        payload: the message.
        factors: what it is multiplied by, besides T.
        erratum: the erratum that the printed formula needs, or empty.
    """

    printed: str
    payload: Payload
    factors: tuple[Factor, ...] = ()
    erratum: str = ""

    def __str__(self) -> str:
        return " ".join((self.payload.value, *(one.value for one in self.factors), "T"))

    def bits(self, at: CostPoint) -> float:
        """The formula's value [bits], floats of ``at.float_bits`` in place of 32."""
        log = index_bits(at.numbers)
        message = {
            Payload.DENSE: float(at.float_bits * at.numbers),
            Payload.QUANTISED: at.coded * at.numbers,
            Payload.SPARSE: at.kept * (log + at.float_bits),
        }[self.payload]
        by = {Factor.WORKERS: at.workers, Factor.PEERS: at.peers, Factor.ROUNDS: 1 / at.period}
        for factor in self.factors:
            message *= by[factor]
        return message * at.iterations


@final
@dataclass(frozen=True)
class StatedRate:
    """A cell that is not blank: O(T^power).

    Attributes:
        power: the exponent of T.
        references: what the survey cites, by its numbers.
        errata: what is wrong about the cell, by name.
    """

    power: Fraction
    references: tuple[int, ...]
    errata: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class ConvergenceLine:
    """One line of Table IV; None for what the survey leaves blank.

    Attributes:
        architecture: parameter server, all-reduce or gossip.
        scheme: the synchronisation.
        compression: what is done to messages.
        server: bits at the server.
        worker: bits at a worker.
        convex: the cell of convex functions.
        nonconvex: the cell of non-convex functions.
    """

    architecture: Architecture
    scheme: Scheme
    compression: Compression
    server: CostFormula | None = None
    worker: CostFormula | None = None
    convex: StatedRate | None = None
    nonconvex: StatedRate | None = None

    @property
    def name(self) -> str:
        """Name of the line, as ``PS, BSP, Null``."""
        return f"{self.architecture}, {self.scheme}, {self.compression}"

    def stated(self, objective: Objective) -> StatedRate | None:
        """The cell of a column, None where it is blank."""
        return self.convex if objective is Objective.CONVEX else self.nonconvex


_PS, _AR, _GOSSIP = Architecture
_PAYLOADS = dict(zip(Compression, Payload, strict=True))


def worker_cost(line: ConvergenceLine) -> CostFormula:
    """The rule behind the table's last cost column, which fills the lines that it leaves blank.

    A message by its compression, to every neighbour in gossip, once a period in local SGD; under
    all-reduce every worker hears all n compressed messages.
    """
    factors: tuple[Factor, ...] = (Factor.PEERS,) if line.architecture is _GOSSIP else ()
    if line.architecture is _AR and line.compression is not Compression.NONE:
        factors = (Factor.WORKERS,)
    factors += (Factor.ROUNDS,) if line.scheme is Scheme.LOCAL else ()
    return line.worker or CostFormula("", _PAYLOADS[line.compression], factors)


def server_cost(line: ConvergenceLine) -> CostFormula | None:
    """The same of the server: a model to every worker, once a period; None where there is none."""
    if line.architecture is not _PS:
        return None
    rounds = (Factor.ROUNDS,) if line.scheme is Scheme.LOCAL else ()
    return line.server or CostFormula("", Payload.DENSE, (Factor.WORKERS, *rounds))


_NONE, _QUANT, _SPARS = Compression
_N, _PEERS, _ROUNDS = Factor
_SHORT = {
    Payload.DENSE: "32N", Payload.QUANTISED: "bN", Payload.SPARSE: "k(log N + 32)",
}  # fmt: skip


def _convex(*references: int, errata: tuple[str, ...] = ()) -> StatedRate:
    return StatedRate(Objective.CONVEX.power, references, ("T1", *errata))


def _other(*references: int, errata: tuple[str, ...] = ()) -> StatedRate:
    return StatedRate(Objective.NONCONVEX.power, references, errata)


def _cost(payload: Payload, tail: str = "T", *factors: Factor, erratum: str = "") -> CostFormula:
    return CostFormula(f"{_SHORT[payload]}{tail}", payload, factors, erratum)


_EVERY = CostFormula("32nNT", Payload.DENSE, (_N,))
_SUMMED = CostFormula("32N sum_i^n T_i", Payload.DENSE, (_N,))
_MEETINGS = _cost(Payload.DENSE, " T/T_comm", _N, _ROUNDS, erratum="T9")
_DENSE, _BITS, _KEPT = Payload


def _bsp(architecture: Architecture) -> tuple[ConvergenceLine, ...]:
    """The three lines of BSP, that of all-reduce without a server and with longer sums."""
    reduce = architecture is _AR
    server = None if reduce else _EVERY
    sparse = CostFormula("kn(log N + 32)T", _KEPT, (_N,)) if reduce else _cost(_KEPT)
    quantised = CostFormula("bNT", _BITS, (_N,), "T10") if reduce else _cost(_BITS)
    head = (architecture, Scheme.BSP)
    return (
        ConvergenceLine(*head, _NONE, server, _cost(_DENSE), _convex(26), _other(26)),
        ConvergenceLine(
            *head, _QUANT, server, quantised, _convex(175, 112, errata=("T5",)), _other(175, 173)
        ),
        ConvergenceLine(*head, _SPARS, server, sparse, _convex(207, 184), _other(185, 192)),
    )


def _local(architecture: Architecture) -> tuple[ConvergenceLine, ...]:
    """The three lines of local SGD over a server or all-reduce."""
    reduce = architecture is _AR
    server = None if reduce else _MEETINGS
    every = " T/T_comm"
    sparse = (
        CostFormula("kn(log N + 32) T/T_comm", _KEPT, (_N, _ROUNDS))
        if reduce
        else _cost(_KEPT, every, _ROUNDS)
    )
    quantised = (
        CostFormula("bN T/T_comm", _BITS, (_N, _ROUNDS), "T10")
        if reduce
        else _cost(_BITS, every, _ROUNDS)
    )
    head = (architecture, Scheme.LOCAL)
    return (
        ConvergenceLine(
            *head, _NONE, server, _cost(_DENSE, every, _ROUNDS), _convex(73), _other(41, 111, 113)
        ),
        ConvergenceLine(*head, _QUANT, server, quantised, None, _other(112)),
        ConvergenceLine(*head, _SPARS, server, sparse),
    )


TABLE_IV: tuple[ConvergenceLine, ...] = (
    *_bsp(_PS),
    ConvergenceLine(
        _PS, Scheme.SSP, _NONE, _SUMMED, _cost(_DENSE, "T_i"), None, _other(33, errata=("T2",))
    ),
    ConvergenceLine(_PS, Scheme.SSP, _QUANT),
    ConvergenceLine(_PS, Scheme.SSP, _SPARS),
    ConvergenceLine(
        _PS, Scheme.ASP, _NONE, _SUMMED, _cost(_DENSE, "T_i"),
        _convex(73, 72, errata=("T3",)), _other(212),
    ),
    ConvergenceLine(
        _PS, Scheme.ASP, _QUANT, _SUMMED, _cost(_BITS, "T_i"),
        _convex(177), _other(134, 132, errata=("T4",)),
    ),
    ConvergenceLine(
        _PS, Scheme.ASP, _SPARS, _SUMMED, _cost(_KEPT, "T_i"), _convex(141, 219),
    ),
    *_local(_PS),
    *_bsp(_AR),
    *_local(_AR),
    ConvergenceLine(
        _GOSSIP, Scheme.BSP, _NONE, None,
        CostFormula("32N n_peers T", _DENSE, (_PEERS,)), None, _other(51),
    ),
    ConvergenceLine(
        _GOSSIP, Scheme.BSP, _QUANT, None,
        CostFormula("nbN_peers T", _BITS, (_PEERS,), "T8"), None, _other(135, errata=("T6",)),
    ),
    ConvergenceLine(
        _GOSSIP, Scheme.BSP, _SPARS, None,
        CostFormula("k(log N + 32) n_peers T", _KEPT, (_PEERS,)),
    ),
    ConvergenceLine(
        _GOSSIP, Scheme.ASP, _NONE, None,
        CostFormula("32N n_peers T_i", _DENSE, (_PEERS,)), None, _other(53),
    ),
    ConvergenceLine(_GOSSIP, Scheme.ASP, _QUANT),
    ConvergenceLine(_GOSSIP, Scheme.ASP, _SPARS),
    ConvergenceLine(
        _GOSSIP, Scheme.LOCAL, _NONE, None,
        CostFormula("32N n_peers T/T_comm", _DENSE, (_PEERS, _ROUNDS)),
        _convex(221, errata=("T7",)), _other(221),
    ),
    ConvergenceLine(_GOSSIP, Scheme.LOCAL, _QUANT),
    ConvergenceLine(_GOSSIP, Scheme.LOCAL, _SPARS),
)  # fmt: skip
"""In the survey's order: 27 lines, 54 cells, of which it states 29."""
