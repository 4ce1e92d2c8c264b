"""Why a rate is measured where none is stated: a typed reason for each row, with what it names.

A row with theorems has the reason that the run gives: an assumption that fails on its problem, or a
constant that the problem has not. Other rows are listed here, by what their sources state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple, final


@final
class UnstatedReason(StrEnum):
    """Kinds of reasons why no rate is stated."""

    PAPER = "the sources state no rate"
    ASSUMPTION = "an assumption of the stated rate fails here"
    LINEAR = "a factor a step is stated, its constants are not: the factor is measured"
    NOT_BUILT = "a rate is stated, its theorem is not built"


@final
class UnstatedRate(NamedTuple):
    """Why no rate is stated of a run.

    Attributes:
        reason: its kind.
        what: the assumption, the theorem, or what the sources say instead.
    """

    reason: UnstatedReason
    what: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.what})"


def unstated_rate(row: str, violations: str) -> UnstatedRate:
    """Reason why no rate is stated of a run of the surveyed ``row``, or of a form of it;
    ``violations``: why no theorem of the row applies."""
    if (listed := _ROWS.get(row)) is not None:
        return listed
    return UnstatedRate(UnstatedReason.ASSUMPTION, violations)


def reason_in(evidence: str) -> UnstatedReason | None:
    """The kind of reason that a verdict's evidence begins with; None: with none."""
    return next((one for one in UnstatedReason if evidence.startswith(one.value)), None)


def counted(found: Iterable[UnstatedReason]) -> str:
    """How many there are of each kind, in words."""
    counts = Counter(found)
    return "; ".join(f"{counts[reason]}: {reason}" for reason in UnstatedReason)


_EXPERIMENT = "no convergence theorem, evidence is by experiment"
_REGRET = "convex Lipschitz components on a bounded domain"
_BATCHES = "batches as large as the number of steps"

_LISTED: dict[UnstatedReason, dict[str, str]] = {
    UnstatedReason.PAPER: {
        "downpour": _EXPERIMENT,
        "delayed-proximal": "convergence to a stationary point without a rate",
        "d-admm": "convergence without a rate",
        "random-admm": "almost sure convergence without a rate",
        "easgd": "stability on quadratics",
        "bmuf": _EXPERIMENT,
        "sqrt-scaling": "a rule for stepsizes, by experiment",
        "batch-growth": "a rule for batches, by experiment",
        "gossipgrad": "full diffusion after ceil(log2 n) steps",
        "coded-regression": "one round of linear algebra is exact",
        "linear-scaling": "a rule for stepsizes, by experiment",
        "legw": "a rule for the warm-up, by experiment",
        "strom-threshold": _EXPERIMENT,
        "terngrad": "almost sure convergence without a rate",
        "low-precision-sgd": "no theorem for rounding with an absolute error",
        "adacomp": _EXPERIMENT,
        "adaptive-k": "a regret bound on k, not on the model",
        "variance-based": _EXPERIMENT,
        "meprop": _EXPERIMENT,
        "powersgd": _EXPERIMENT,
        "gradiveq": _EXPERIMENT,
        "local-clipping": _EXPERIMENT,
        "warm-up": "a schedule of stepsizes and operators, by experiment",
        "dgc": _EXPERIMENT,
    },
    UnstatedReason.ASSUMPTION: {
        "ssp": _REGRET,
        "essp": _REGRET,
        "cmfl": "a threshold that decays; this one filters to the end",
        "cola": "terms of bounded support, local problems solved to a relative accuracy: a 1-norm "
        "is finite everywhere, and a pass of coordinate descent states no accuracy",
        "signsgd-majority": "an odd number of workers of one objective "
        f"(signsgd_majority_small_batches), or {_BATCHES} (signsgd_majority)",
        "signsgd": f"one worker (signsgd_small_batches), or {_BATCHES} (signsgd)",
        "lars": _BATCHES,
        "lamb": f"{_BATCHES}, no moving average of squares",
        "gaussian-k": "exact top-k of a bell-shaped density; a flat row sends nothing",
        "sketched-sgd": "a sketch whose size grows with log T; this one is fixed",
        "two-way-truncation": "random designs and a sparse truth",
        "bcd": "gradients without noise",
    },
    UnstatedReason.LINEAR: {
        "async-coordinate-prox": "linear convergence, independent of delays",
        "push-sum": "rounds to an accuracy, logarithmic in it",
        "dual-accelerated": "rounds to an accuracy, logarithmic in it",
        "laq": "linear convergence without noise",
        "adaptive-quantisation": "linear convergence without noise at a constant number of bits",
    },
}

_ROWS = {
    row: UnstatedRate(reason, what)
    for reason, rows in _LISTED.items()
    for row, what in rows.items()
}
