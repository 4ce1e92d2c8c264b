"""Effects of gossip with gradients, and with compressed differences to public copies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from algorithms.catalogue import problem, row
from algorithms.engine.trace import Trace
from algorithms.methods.base import dense_bits
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip.faults import ForgetfulChoco
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from theory.seconds.costs import AlphaBeta, gossip_seconds, parameter_server_seconds

_PRACTICE = "d = 20, top 5, the row's consensus stepsize of practice"


def _practised(it: ArmContext) -> Any:
    return row(it.key).tune(it.problem, it.setting.length, practice=True).method


CHOCO_GOSSIP = contrast(
    "choco-gossip", "compressed messages reach the exact mean with fewer bits",
    Setting(
        "consensus", partial(problem, "consensus"), 16,
        lambda n: 5 * n * n // 2,  # a ring's gap falls as 1/n^2
        None, note=f"ring, {_PRACTICE}",
    ),
    Reading("sent_bits", "distance_of_workers", target=1e-7),
    method=arm("CHOCO-Gossip, a quarter of the coordinates", _practised),
    baseline=arm("exact gossip", lambda it: GossipAveraging(FixedLinks(Ring(it.problem.n)))),
    without=arm(
        "no public copies: the values themselves are compressed",
        lambda it: ForgetfulChoco(_practised(it)),
    ),
    at_most=0.65,
    source="Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Figure 3: linear convergence to the "
    "mean, where averaging quantised values stalls",
    scales=("linear", "log"),
)  # fmt: skip

CHOCO_SGD = contrast(
    "choco-sgd", "compressed differences train for fewer bits",
    Setting(
        "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 800,
        (0.025, 0.05, 0.1, 0.2, 0.4), points=400, d=20, note=f"ring, {_PRACTICE}",
    ),
    Reading("sent_bits", target=0.01, of=" of the mean model"),
    method="CHOCO-SGD, a quarter of the coordinates",
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n))),
    without=arm(
        "no public copies: the models themselves are compressed",
        lambda it: ForgetfulChoco(it.own),
    ),
    at_most=0.65, source="Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, section 5.3",
)  # fmt: skip

_N, _LINK, _GRADIENT = 16, AlphaBeta(1e-4, 1e-6), 1e-3
_UNEQUAL = partial(unequal, sigma2=8.0)


def _paced(seconds: Callable[[float], float]) -> Callable[[Trace], Trace]:
    """The trace of steps that take ``seconds`` of the bits of a model."""

    def view(trace: Trace) -> Trace:
        bits = dense_bits(trace.model.shape[-1], trace.model.dtype)
        return replace(trace, seconds=trace.steps * np.float64(seconds(bits)))

    return view


D_PSGD = contrast(
    "d-psgd", "without a server that hears all, training is sooner done on slow links",
    Setting(
        "quadratic-unequal, sigma2 = 8", _UNEQUAL, _N, 300, (0.025, 0.05, 0.1, 0.2, 0.4),
        replicas=128, d=20,
        note="links of 1 Mbit/s with 0.1 ms latency, a gradient takes 1 ms",
    ),
    Reading("seconds", target=0.05, of=" of the mean model"),
    method=arm(
        "D-PSGD, ring", lambda it: it.own,
        view=_paced(lambda bits: gossip_seconds(_LINK, 2, bits, _GRADIENT)),
    ),
    baseline=arm(
        "BSP over one parameter server", lambda it: it.method_of("bsp-sgd"),
        view=_paced(lambda bits: parameter_server_seconds(_LINK, _N, bits, bits, _GRADIENT)),
    ),
    without=arm(
        "everyone hears everyone", lambda it: DPSGD(it.step, Complete(it.problem.n)),
        view=_paced(lambda bits: gossip_seconds(_LINK, _N - 1, bits, _GRADIENT)),
    ),
    at_most=0.4,
    source="Lian, Zhang, Zhang, Hsieh, Zhang, Liu 2017, arXiv:1705.09056, Corollary 2 and Figure 2",
)  # fmt: skip
