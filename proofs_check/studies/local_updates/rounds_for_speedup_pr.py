r"""Rounds that PR-SGD needs for linear speedup: Table 2 of survey 000, n^{3/4} T^{3/4}.

The update of local SGD under the non-convex metric, (1/T) \sum_t E||\nabla f(\bar x_t)||^2, with
the constant stepsize \gamma = \sqrt{n} / (L \sqrt{T}) of Yu, Yang, Zhu 2018 (arXiv:1807.06629).
Workers are of two kinds as in :mod:`proofs_check.studies.local_updates.rounds_for_speedup`, with
smaller curvatures, L = 1 bounding them. The drift \gamma^2 H^2 meets the noise \gamma / n at
H ~ T^{1/4} / n^{3/4}: the sufficient condition is necessary here. What T of some thousand adds
to the exponents (the time noise takes to build up, H against H - 1) is known exactly: measured
periods are held against those of the exact law, and the law's own exponents at T up to 2^40
against the table.
"""

from __future__ import annotations

from proofs_check.instruments.study import Study
from proofs_check.studies.local_updates.speedup_by_moments import measure

STUDY = Study(
    "rounds_for_speedup_pr",
    "pr-sgd",
    "quadratic",
    "n^(3/4) T^(3/4) rounds for linear speedup",
    "steps T",
    "rounds T/H* with error at most 2 e(1)",
    measure,
)
