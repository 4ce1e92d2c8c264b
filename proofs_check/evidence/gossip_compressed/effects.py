"""Effects of gossip that corrects or compresses what is exchanged."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.catalogue import problem
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.conditions import Repeated
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_compressed.faults import ModelsDCD, PlainECD, UncorrectedD2
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting, around
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from theory.stepsizes import ConstantStep

_MEAN_MODEL = " of the mean model"
_UNEQUAL = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 700, around(0.05),
    points=200, d=20, note="ring, d = 20",
)  # fmt: skip
_D_PSGD = arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n)))

D2 = contrast(
    "d2", "workers that differ leave no error floor",
    replace(_UNEQUAL, n=16, steps=1500, step=around(0.1), note="lazy ring, d = 20"),
    Reading(of=_MEAN_MODEL),
    method="D-squared",
    baseline=arm(_D_PSGD.words, lambda it: DPSGD(it.step, Lazy(Ring(it.problem.n)))),
    without=arm(
        "D-squared without the correction by the last step", lambda it: UncorrectedD2(it.own)
    ),
    at_most=1e-6,
    source="Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068, Theorem 2: no zeta in the rate",
)  # fmt: skip

DCD_PSGD = contrast(
    "dcd-psgd", "differences of models carry training for a fraction of the bits",
    replace(_UNEQUAL, replicas=8), Reading("sent_bits", target=0.005, of=_MEAN_MODEL),
    method="DCD-PSGD, QSGD with 16 levels",
    baseline=_D_PSGD,
    without=arm("models are compressed, not differences", lambda it: ModelsDCD(it.own)),
    at_most=0.5,
    source="Tang, Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443, Theorem 1 and section 5",
)  # fmt: skip

ECD_PSGD = contrast(
    "ecd-psgd", "extrapolated models carry training for a fraction of the bits",
    replace(_UNEQUAL, replicas=32), Reading("sent_bits", target=0.005, of=_MEAN_MODEL),
    method="ECD-PSGD, a grid of width 2^-10",
    baseline=_D_PSGD,
    without=arm(
        "no extrapolation: models are sent, estimates made all the same",
        lambda it: PlainECD(it.own),
    ),
    at_most=0.8,
    source="Tang, Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443, Theorem 3 and section 5",
)  # fmt: skip

_MOST = 3  # gradients of a worker in a step of the row
_NOISY = partial(Quadratic.strongly_convex, mu=0.2, sigma2=0.5, zeta2=0.5, R2=4.0)

QUANTIMED_DSGD = contrast(
    "quantimed-dsgd", "a deadline saves the time in which others wait for stragglers",
    Setting(
        "quadratic-sc, sigma2 = zeta2 = 1/2", _NOISY, 8, 400, around(0.5), replicas=256,
        seed=MEASURED_ANEW, points=200, d=10, timing=STANDARD,
        note="ring, a gradient takes 0.5 ms and an exponential rest of mean 0.5 ms, D-PSGD's gamma "
        "times the row's epsilon: equal steps of the mean model",
    ),
    Reading("seconds", target=0.02, of=_MEAN_MODEL),
    method="QuanTimed-DSGD, deadline 2 ms",
    baseline=arm(
        "D-PSGD that waits for three gradients of each",
        lambda it: DPSGD(
            ConstantStep(it.step(0) * it.own.mixing_rule(0)), Ring(it.problem.n)
        ),
        problem=lambda n, d: _NOISY(n, d).enlarged(_MOST),
        timing=Timing(Repeated(STANDARD.times, _MOST), STANDARD.link),
    ),
    without=arm(
        "a deadline of 6 ms, by which nearly all gradients have ended",
        lambda it: replace(it.own, deadline=6e-3),
    ),
    at_most=0.9,
    source="Reisizadeh, Taheri, Mokhtari, Hassani, Pedarsani 2019, arXiv:1907.10595, section 5",
    scales=("linear", "log"),
)  # fmt: skip

QUANTISED_CONSENSUS = contrast(
    "quantised-consensus", "compensating for what was quantised keeps the mean",
    Setting(
        "consensus", partial(problem, "consensus"), 8, 500, None, replicas=48, points=60,
        note="a step is a tick, random pairs of a ring, grid of width 1/16",
    ),
    Reading(quantity="squared_distance", of=" of the mean of workers"),
    method="compensating",
    baseline=arm("quantised values averaged", lambda it: replace(it.own, own=OwnValue.TOTAL)),
    without=arm(
        "no compensation: the own value as it is, the other's quantised",
        lambda it: replace(it.own, own=OwnValue.PARTIAL),
    ),
    at_most=1e-6, source="Carli, Fagnani, Frasca, Zampieri 2010, arXiv:0907.0748, sections 3 to 5",
    scales=("linear", "log"),
)  # fmt: skip
