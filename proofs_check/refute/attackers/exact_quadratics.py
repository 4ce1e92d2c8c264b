"""Exact moments: quadratics with additive noise, no simulation; the method's own parts, or others.

With other parts it is the worst operator, network, period and delays allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np

from proofs_check.refute.exact_quadratics import ExactQuadratics
from proofs_check.refute.instance import COORDINATES
from proofs_check.refute.rounds import ROUNDS_AT
from theory.arrays import Floats

_PART_ENDS, _ONE_CAUSE, _MANY = (0.98, 0.02), (0, 2, 3), 0.99
"""Where parts are extreme, which of the edges have one cause (noise, start, heterogeneity), and
many workers."""

_APART, _SHORT_STEP, _LITTLE = 4, 0.4, 0.002
"""Which of the edges has heterogeneity and different Hessians; a sixth of the stepsize; how much
rounds mix."""


@final
@dataclass(frozen=True)
class ExactMoments(ExactQuadratics):
    """The method with its own parts."""

    name = "exact"
    turn = 0
    what = "quadratics with additive noise by exact moments: spectra, starts, noise, heterogeneity"


exact_moments_attacker = ExactMoments()


@final
@dataclass(frozen=True)
class AdversarialParts(ExactQuadratics):
    """The method with other parts, of which its theorem speaks as well."""

    name = "parts"
    turn = 1
    what = "exact moments with the worst operator of the claimed constant, any Ws, H, slow workers"
    other_parts = True

    def edges(self, size: int) -> Floats:
        """Besides, each part at both its ends under each cause; and rounds that all mix little but
        for the last of a period, under heterogeneity: the longest orders of a network whose W
        comes first of the parts."""
        causes = super().edges(size)
        ends = np.full((0, size), 0.5)
        for part, at, cause in product(range(COORDINATES, size), _PART_ENDS, _ONE_CAUSE):
            point = causes[cause].copy()
            point[[0, part]] = _MANY, at
            ends = np.vstack((ends, point))
        found = np.vstack((causes[: _APART + 2], ends, causes[_APART + 2 :]))
        if size < COORDINATES + 2:
            return found
        for few, at in product((0.3, 0.99), ROUNDS_AT):
            point = causes[_APART].copy()
            point[[0, self.stepsize_at]] = few, _SHORT_STEP
            point[COORDINATES : COORDINATES + 2] = _LITTLE, at
            found = np.vstack((point, found))
        return found


adversarial_parts = AdversarialParts()
