"""Gossip that tracks gradients or corrects its bias: what is refused, and graphs in fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from algorithms.compressors.identity import Identity
from algorithms.methods.gossip_compressed.beer import BEER
from algorithms.methods.gossip_compressed.deep_squeeze import DeepSqueeze
from algorithms.methods.gossip_compressed.lead import LEAD
from algorithms.methods.gossip_tracking.corrected import EXTRA, NIDS, CorrectedGossip
from algorithms.methods.gossip_tracking.k_gt import KGT, CorrectionSource
from algorithms.methods.gossip_tracking.push_pull import PushPull
from algorithms.methods.gossip_tracking.quasi_global import QuasiGlobalMomentum
from algorithms.methods.gossip_tracking.relay_sgd import RelaySGD
from algorithms.topologies.base import product
from algorithms.topologies.base_graph import BaseGraph
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.equitopo import EquiStatic, OnePeerEquiDyn
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from algorithms.topologies.tree_links import tree_links
from theory.networks.finite_time import base_graph, hyper_hypercube, simple_base
from theory.stepsizes import ConstantStep

STEP = ConstantStep(0.1)

LED = partial(KGT, STEP, period=1, source=CorrectionSource.MODELS)

REFUSED: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: LED(EquiStatic(4, 1, 0)), "LED needs a symmetric W"),
    (lambda: LED(OnePeerExponential(8)), "LED needs a static topology"),
    (lambda: LED(Ring(4)), "LED needs all eigenvalues of W above -1/3, got lambda_n=-0.333333"),
    (lambda: CorrectedGossip(STEP, DirectedRing(5), EXTRA), "EXTRA needs a symmetric W"),
    (lambda: CorrectedGossip(STEP, OnePeerExponential(4), NIDS), "NIDS needs a static topology"),
    (lambda: BEER(STEP, Ring(4), Identity(), 0.0), "consensus_step must lie in"),
    (lambda: BEER(STEP, Ring(4), Identity(), 0.5, momentum=1.5), "momentum must lie in"),
    (lambda: LEAD(STEP, DirectedRing(5), Identity(), 0.5, 0.5), "LEAD needs a symmetric W"),
    (lambda: LEAD(STEP, Ring(4), Identity(), 0.5, 2.0), "copy_rate must lie in"),
    (lambda: DeepSqueeze(STEP, Ring(4), Identity(), -1.0), "consensus_step must lie in"),
    (lambda: KGT(STEP, Ring(4), 0), "period"),
    (lambda: KGT(STEP, Ring(4), 2, outer_step=0.0), "outer_step must be positive"),
    (lambda: QuasiGlobalMomentum(STEP, Ring(4), 1.0), "momentum must lie in"),
    (lambda: RelaySGD(STEP, Ring(4)), "must be a tree"),
    (lambda: PushPull(STEP, Ring(4), Ring(5)), "the same workers"),
    (lambda: BaseGraph(4, 0), "k must be at least 1"),
    (lambda: base_graph(0, 1), "at least 1"),
    (lambda: hyper_hypercube(range(5), 1), "no prime factor above"),
    (lambda: LEAD(STEP, DirectedRing(5), Identity(), 1.0, 1.0, True), "CEDAS needs a symmetric W"),
    (lambda: KGT(STEP, Ring(4), 2, 0.5, CorrectionSource.MODELS), "outer_step of LED must be 1"),
    (lambda: EquiStatic(1, 2), "at least 2"),
    (lambda: EquiStatic(4, 0), "shifts must be at least 1"),
    (lambda: EquiStatic(16, 1), "all distances are multiples of 2"),
    (lambda: OnePeerEquiDyn(1), "at least 2"),
    (lambda: OnePeerEquiDyn(4, 1.0), r"h must lie in \(0, 1\)"),
)


@pytest.mark.parametrize(("made", "words"), REFUSED)
def test_what_cannot_work_is_refused_with_what_would_do(
    made: Callable[[], object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        made()


def test_base_graphs_average_in_one_period() -> None:
    for n, k in ((3, 1), (5, 1), (6, 1), (7, 2), (11, 3), (1, 1)):
        np.testing.assert_allclose(product(BaseGraph(n, k)), np.full((n, n), 1 / n), atol=1e-15)
    assert [len(simple_base(range(6), 1)), len(base_graph(6, 1))] == [5, 4]
    assert base_graph(5, 1)[2] == {(0, 1): Fraction(1, 2), (3, 4): Fraction(4, 5)}


def test_links_of_a_tree_meet_one_partner_a_class() -> None:
    links = tree_links(Path(5))
    assert links.partners.tolist() == [[1, 0, 3, 2, 4], [0, 2, 1, 4, 3]]
    assert [links.incoming(t).tolist() for t in (0, 3)] == [[2, 3, 3, 3, 2], [5, 5, 5, 5, 5]]
