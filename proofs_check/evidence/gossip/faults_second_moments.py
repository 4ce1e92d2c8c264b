"""Second moments of linear recursions with one fault each: noise wrongly scaled, n_W by the gap."""

from __future__ import annotations

from algorithms.topologies.barbell import Barbell
from proofs_check.evidence.cooperative.closed_forms_redundancy import by_the_gap, steady_variance
from proofs_check.evidence.gossip.closed_forms import covariance_of_gossip
from proofs_check.evidence.local_updates.closed_forms import covariance_of_local_sgd
from proofs_check.mutants.method_mutant import MethodMutant, fault

_BARBELL = Barbell(6)

METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "gossip's covariance with noise 10 % too large", "variance 1.1 v in the place of v",
        covariance_of_gossip, 1.1,
    ),
    fault(
        "local SGD's covariance with noise 10 % too large", "variance 1.1 v in the place of v",
        covariance_of_local_sgd, 1.1,
    ),
    MethodMutant(
        "effective neighbours by the gap", "1 + (n - 1) gap in the place of n_W",
        lambda: steady_variance(_BARBELL, by_the_gap), lambda: steady_variance(_BARBELL),
    ),
)  # fmt: skip
