"""Push-sum: weights that travel along make everybody find the mean, not just agree."""

from __future__ import annotations

from algorithms.catalogue import problem as of_catalogue
from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.gossip_directed.push_sum import PushSum
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.methods.faulty.push import MeanOfHeard, WeightKept

_N, _STEPS, _REPLICAS = 16, 60, 64


def measure(side: Arm) -> Measurement:
    """Distance of all workers from the mean; each sends to one at random."""
    problem = of_catalogue("consensus", _N)
    right = row("push-sum").build(problem, _STEPS)
    assert isinstance(right, PushSum)
    method = {
        Arm.METHOD: right, Arm.BASELINE: MeanOfHeard(right), Arm.FAULT: WeightKept(right)
    }[side]  # fmt: skip
    trace = run(method, problem, steps=_STEPS, replicas=_REPLICAS)
    return at_end(trace, "distance_of_workers")


SIGNATURE = EffectCheck(
    row="push-sum",
    problem="consensus",
    effect="weights that travel along lead all workers to the mean over directed links",
    quantity=f"E (1/n) sum ||z_i - mean||^2 after {_STEPS} rounds [x^2]",
    method="push-sum",
    baseline="the mean of what one hears, over the same links",
    fault="the weight is not sent",
    at_most=1e-6,
    measure=measure,
    x_label="rounds",
    y_label="(1/n) sum ||z_i - mean of the starts||^2 [x^2]",
    source="Kempe, Dobra, Gehrke 2003, FOCS, Theorem 3.1: accuracy eps after O(log n + log 1/eps)",
    told=f"n = {_N}, uniform gossip, d = 20, {_REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
