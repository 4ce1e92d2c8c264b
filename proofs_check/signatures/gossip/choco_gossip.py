"""CHOCO-Gossip: a quarter of the coordinates reach the exact mean, with half of the bits."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import problem as of_catalogue
from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.mutants.gossip import ForgetfulChoco

_N, _STEPS, _TARGET = 16, 600, 1e-10


def measure(side: Arm) -> Measurement:
    """Bits until the workers agree on the mean."""
    problem = of_catalogue("consensus", _N)
    choco = row("choco-gossip").tune(problem, _STEPS, practice=True).method
    assert isinstance(choco, ChocoGossip)
    methods: dict[Arm, Method[Any]] = {
        Arm.METHOD: choco,
        Arm.BASELINE: GossipAveraging(FixedLinks(Ring(_N))),
        Arm.FAULT: ForgetfulChoco(choco),
    }
    trace = run(methods[side], problem, steps=_STEPS, points=_STEPS + 1)
    return to_reach(trace, _TARGET, "sent_bits", "distance_of_workers")


SIGNATURE = EffectCheck(
    row="choco-gossip",
    problem="consensus",
    effect="compressed messages reach the exact mean with fewer bits",
    quantity=f"bits sent by a worker until (1/n) sum ||x_i - mean||^2 is {_TARGET:g} [bit]",
    method="CHOCO-Gossip, a quarter of the coordinates",
    baseline="exact gossip",
    fault="no public copies: the values themselves are compressed",
    at_most=0.65,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="(1/n) sum ||x_i - mean of the starts||^2 [x^2]",
    source="Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Figure 3: linear convergence to the "
    "mean, where averaging quantised values stalls",
    told=f"n = {_N}, ring, d = 20, top 5, the row's consensus stepsize of practice; nothing is "
    "drawn",
    scales=("linear", "log"),
)
