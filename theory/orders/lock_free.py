"""Lock-free SGD against an adversary that delays.

Alistarh, De Sa, Konstantinov 2018 (arXiv:1803.08841), n threads, delays at most tau. The paper
also shows that an adversary can slow SGD by a factor that grows with tau. De Sa et al. 2015
(arXiv:1506.06438) bound the probability of not having hit the solution.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

lock_free = OrderOnly(
    name="lock_free",
    title="Lock-free SGD, adversarial delays, convex",
    source=Source("Alistarh, De Sa, Konstantinov", 2018, "1803.08841", "main theorem"),
    confidence=Confidence.ORDER,
    statement=r"\text{as many steps as sequential SGD, times } O(\sqrt{\tau n})",
    metric=None,
    order=None,
    assumes="convex objectives; bounded second moment",
)
