r"""SAPS-PSGD's two savings, in seconds on links of uneven bandwidth: a mask, and peers that match.

Links of a complete graph of 8 with drawn bandwidths, a factor of 50 apart; a step lasts until the
slowest message is through. D-PSGD on a ring sends everything over whatever links the ring has.
SAPS-PSGD (c = 4) sends a quarter of the coordinates, once to peers matched by bandwidth, once to
peers matched by other bandwidths, drawn alike, that have nothing to do with the links. Seconds
until the workers' mean error has fallen to a level; computing takes no time. (Tang, Shi, Chu 2020,
arXiv:2002.09692, Section IV.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
import scipy
from numpy.typing import NDArray

from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.reaching import reached_at
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Peers = Callable[[int], NDArray[np.int64]]
"""Step to the workers that each sends to ``[n, k]``."""

_N, _D, _COMPRESSION, _STEPS, _REPLICAS, _SEED = 8, 20, 4.0, 160, 24, 67
_LEVEL, _MEGA = 0.1, 1e6
_LINKS, _OTHERS = (drawn_bandwidth(_N, seed, 0.2, 10.0) for seed in (1, 2))  # [Mbit/s]
_ROW, _PROBLEM = "saps-psgd", "quadratic-sc"


@final
class ErrorOverSeconds(NamedTuple):
    """Seconds ``[R, T + 1]`` and error, as a share of the first, ``[R, T + 1]``.

    Attributes:
        seconds: time passed ``[R, T + 1]``.
    """

    seconds: Floats
    error: Floats

    def reached(self) -> Floats:
        """Seconds to the level ``[R]``, between steps; NaN if never."""
        found = np.full(len(self.error), np.nan)
        for r, (error, seconds) in enumerate(zip(self.error, self.seconds, strict=True)):
            k = int(reached_at(error, _LEVEL))
            if k >= 0:
                found[r] = np.interp(_LEVEL, error[[k, k - 1]], seconds[[k, k - 1]])
        return found


def course(method: Method[Any], peers: Peers) -> ErrorOverSeconds:
    """A run, its messages timed on the links."""
    problem = Quadratic.strongly_convex(_N, _D, L=1.0, mu=0.2, sigma2=0.2, zeta2=0.2, R2=4.0)
    bandwidth, own = np.array(_LINKS) * _MEGA, np.arange(_N)[:, None]
    spent, clock = np.zeros((_REPLICAS, _N)), np.zeros(_REPLICAS)
    seconds, errors = [], []
    for moment in path(method, problem, _STEPS, seed=_SEED, replicas=_REPLICAS):
        sent = moment.context.network.account((_REPLICAS,)).sent_bits.double().numpy()
        if moment.t:
            to = peers(moment.t - 1)
            cost = np.where(to == own, 0.0, 1 / np.maximum(bandwidth[own, to], 1e-9)).sum(axis=1)
            clock = clock + ((sent - spent) / to.shape[1] * cost).max(axis=1)
        spent = sent
        seconds.append(clock)
        values = problem.value(method.models(moment.state)).mean(-1)
        errors.append((values - (problem.f_star or 0.0)).numpy())
    error = np.stack(errors, axis=1)
    return ErrorOverSeconds(np.stack(seconds, axis=1), error / error[:, :1])


def matched(bandwidth: tuple[tuple[float, ...], ...]) -> ErrorOverSeconds:
    """SAPS-PSGD with peers matched by ``bandwidth``."""
    matching = BandwidthMatching(bandwidth)
    method = SAPSPSGD(ConstantStep(0.1), matching, _COMPRESSION)
    return course(method, lambda t: np.array(matching.peers(t))[:, None])


@study(
    _ROW,
    _PROBLEM,
    "masks and matched peers save seconds on uneven links",
    "communication time [s]",
    "mean of f(x_i) - f* over workers, share of the first",
    name="saps_bandwidth",
)
def measure() -> StudyResult:
    """Error against seconds of the three, and how much sooner each is there."""
    around = (np.arange(_N)[:, None] + np.array([[-1, 1]])) % _N
    courses = {
        "SAPS-PSGD, peers by bandwidth": matched(_LINKS),
        "SAPS-PSGD, peers by chance": matched(_OTHERS),
        "D-PSGD, ring": course(DPSGD(ConstantStep(0.1), Ring(_N)), lambda _t: around),
    }
    ours, chance, full = courses.values()
    drawn: list[PanelLine] = []
    for label, each in courses.items():
        drawn.append(PanelLine(label, each.seconds.mean(axis=0)[1:], *band(each.error[:, 1:])))
    return StudyResult(
        (
            _sooner(ours, chance, "peers matched by bandwidth are there sooner than by chance"),
            _sooner(chance, full, "a mask of a quarter is there sooner than whole models"),
        ),
        drawn,
    )


def _sooner(one: ErrorOverSeconds, other: ErrorOverSeconds, claim: str) -> Verdict:
    """Is the geometric mean of the ratio of times below 1, beyond its error?"""
    logs = np.log(one.reached() / other.reached())
    mean = float(logs.mean())
    half = float(scipy.stats.t.isf(ALPHA, len(logs) - 1) * logs.std(ddof=1)) / len(logs) ** 0.5
    return Verdict(
        subject=_ROW, problem=_PROBLEM, check="seconds on uneven links", claim=claim,
        outcome=Outcome.SUPPORTED if mean + half < 0 else Outcome.REFUTED,
        statistic=math.exp(mean), bound=1.0, uncertainty=math.exp(mean + half) - math.exp(mean),
        evidence=f"time to {_LEVEL:g} of the first error times {math.exp(mean):.3f} (factor "
        f"{math.exp(half):.3f} either way)",
        provenance=f"{_REPLICAS} replicas, gamma=0.1, links of 0.2 to 10 Mbit/s, seed {_SEED}, "
        f"error {ALPHA:g}",
    )  # fmt: skip
