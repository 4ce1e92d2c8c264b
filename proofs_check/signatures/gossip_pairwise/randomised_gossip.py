"""Randomised gossip: pairs that meet by chance find the mean, without any common schedule."""

from __future__ import annotations

from algorithms.catalogue import problem as of_catalogue
from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.methods.faulty.faulty_method import FirstMeeting
from proofs_check.mutants.gossip_pairwise import CallerAlone

_N, _STEPS, _REPLICAS = 8, 800, 64


def measure(side: Arm) -> Measurement:
    """Distance of all workers from the mean."""
    problem = of_catalogue("consensus", _N)
    right = row("randomised-gossip").build(problem, _STEPS)
    assert isinstance(right, GossipAveraging)
    method = {
        Arm.METHOD: right, Arm.BASELINE: CallerAlone(right), Arm.FAULT: FirstMeeting(right)
    }[side]  # fmt: skip
    trace = run(method, problem, steps=_STEPS, replicas=_REPLICAS, points=80)
    return at_end(trace, "distance_of_workers")


SIGNATURE = EffectCheck(
    row="randomised-gossip",
    problem="consensus",
    effect="pairs that meet by chance lead all workers to the mean",
    quantity=f"E (1/n) sum ||x_i - mean||^2 after {_STEPS} ticks [x^2]",
    method="randomised gossip",
    baseline="one of the pair averages, the other keeps its value",
    fault="one pair, drawn once, meets at all ticks",
    at_most=1e-3,
    measure=measure,
    x_label="ticks",
    y_label="(1/n) sum ||x_i - mean of the starts||^2 [x^2]",
    source="Boyd, Ghosh, Prabhakar, Shah 2006, IEEE Trans. Inf. Theory 52(6), Theorem 3",
    told=f"n = {_N}, ring, d = 20, {_REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
