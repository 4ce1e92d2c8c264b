"""Effects of gossip that tracks gradients or corrects its bias."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_tracking.corrected import EXTRA as EXTRA_FORM
from algorithms.methods.gossip_tracking.corrected import CorrectedGossip
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_tracking.faults import tracker_unmixed_step, without_correction
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting, around
from proofs_check.methods.faulty.faulty_method import OneWrongStep

_RING = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 16, 1500, around(0.05),
    points=200, d=20, note="ring",
)  # fmt: skip
_MEAN = Reading(of=" of the mean model")
_D_PSGD = arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n)))
_UNTRACKED = arm(
    "own gradients in the tracker's place", lambda it: OneWrongStep(it.own, tracker_unmixed_step)
)
_UNCORRECTED = arm(
    "no correction by the last step", lambda it: OneWrongStep(it.own, without_correction)
)


def swinging(n: int) -> FixedMatrix:
    """A ring whose workers keep 1/10 and take 9/20 from either side: eigenvalues down to -4/5."""
    eye = np.eye(n)
    links = np.roll(eye, 1, axis=0) + np.roll(eye, -1, axis=0)
    return FixedMatrix(0.1 * eye + 0.45 * links, label="of a ring that keeps 1/10")


GRADIENT_TRACKING = contrast(
    "gradient-tracking", "workers that differ leave no error floor", _RING, _MEAN,
    method="DIGing", baseline=_D_PSGD, without=_UNTRACKED, at_most=1e-6,
    source="Nedic, Olshevsky, Shi 2016, arXiv:1607.03218, Theorem 3.14: linear to x*",
)  # fmt: skip

ATC_TRACKING = contrast(
    "atc-tracking", "workers that differ leave no error floor, at stepsizes of gradient descent",
    replace(_RING, step=around(0.5)), _MEAN,
    method="ATC tracking", baseline=_D_PSGD, without=_UNTRACKED, at_most=1e-6,
    source="Xu, Zhu, Soh, Xie 2015, CDC; stepsize limits derived",
)  # fmt: skip

EXTRA = contrast(
    "extra", "workers that differ leave no error floor, for one vector a step",
    replace(_RING, step=around(0.2)), _MEAN,
    method="EXTRA", baseline=_D_PSGD, without=_UNCORRECTED, at_most=1e-6,
    source="Shi, Ling, Wu, Yin 2014, arXiv:1404.6264: linear to x*",
)  # fmt: skip

NIDS = contrast(
    "nids", "stepsizes as long as gradient descent's, whatever the network",
    replace(
        _RING, n=8, steps=60, step=(0.25, 0.5, 1.0, 1.5), points=60,
        note="a ring that keeps 1/10: lambda_n = -0.8",
    ),
    _MEAN,
    method=arm(
        "NIDS", lambda it: replace(it.own, topology=swinging(it.problem.n))
    ),
    baseline=arm(
        "EXTRA", lambda it: CorrectedGossip(it.step, swinging(it.problem.n), EXTRA_FORM)
    ),
    without=arm(
        "W in the place of (I + W)/2: D-squared",
        lambda it: D2(it.step, swinging(it.problem.n), allow_unstable=True),
    ),
    at_most=0.1,
    source="Li, Shi, Yan 2017, arXiv:1704.07807: the stepsize does not depend on the network",
)  # fmt: skip

EXACT_DIFFUSION = contrast(
    "exact-diffusion", "workers that differ leave no error floor on a W that D-squared refuses",
    replace(
        _RING, n=8, steps=600, step=around(0.5), note="a ring that keeps 1/10: lambda_n = -0.8"
    ),
    _MEAN,
    method=arm(
        "exact diffusion", lambda it: replace(it.own, topology=swinging(it.problem.n))
    ),
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, swinging(it.problem.n))),
    without=arm(
        "no correction by the last step",
        lambda it: OneWrongStep(
            replace(it.own, topology=swinging(it.problem.n)), without_correction
        ),
    ),
    at_most=1e-6,
    source="Yuan, Ying, Zhao, Sayed 2017, arXiv:1702.05122: no bias at constant stepsizes",
)  # fmt: skip
