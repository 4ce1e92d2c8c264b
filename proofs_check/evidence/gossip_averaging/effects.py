"""Effects of averaging along fixed links."""

from __future__ import annotations

from functools import partial

from algorithms.catalogue import problem
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.topologies.grid import Grid
from algorithms.topologies.weights import MaxDegree, MetropolisHastings
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting

FDLA = contrast(
    "fdla", "optimal weights agree in fewer rounds over the same links",
    Setting(
        "consensus", partial(problem, "consensus"), 16, 300, None, note="grid of 4 by 4, d = 20"
    ),
    Reading("steps", "distance_of_workers", target=1e-12),
    method="FDLA weights",
    baseline=arm(
        "Metropolis-Hastings weights",
        lambda it: GossipAveraging(FixedLinks(Grid.square(it.problem.n, MetropolisHastings()))),
    ),
    without=arm(
        "no optimisation: the same weight on every link, by the largest degree",
        lambda it: GossipAveraging(FixedLinks(Grid.square(it.problem.n, MaxDegree()))),
    ),
    at_most=0.85, source="Xiao, Boyd 2004, Systems and Control Letters 53, section 5",
    scales=("linear", "log"),
)  # fmt: skip
