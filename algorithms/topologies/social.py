"""Small social networks of the literature, as networkx has them; one worker per node."""

from __future__ import annotations

import networkx as nx

from algorithms.topologies.given_graph import GivenGraph
from algorithms.topologies.graphs import STANDARD
from algorithms.topologies.weights import Weights


def karate_club(weights: Weights = STANDARD) -> GivenGraph:
    """Friendships of 34 members of a karate club (Zachary 1977)."""
    return GivenGraph.from_graph("karate club", nx.karate_club_graph(), weights)


def southern_women(weights: Weights = STANDARD) -> GivenGraph:
    """18 women and the 14 events they went to, bipartite (Davis, Gardner, Gardner 1941)."""
    return GivenGraph.from_graph("southern women", nx.davis_southern_women_graph(), weights)


def florentine_families(weights: Weights = STANDARD) -> GivenGraph:
    """Marriages between 15 families of Florence (Padgett, Ansell 1993)."""
    return GivenGraph.from_graph("Florentine families", nx.florentine_families_graph(), weights)


def les_miserables(weights: Weights = STANDARD) -> GivenGraph:
    """77 characters who meet in a novel (Knuth 1993, The Stanford GraphBase)."""
    return GivenGraph.from_graph("Les Miserables", nx.les_miserables_graph(), weights)


EXAMPLES = (karate_club(), southern_women(), florentine_families(), les_miserables())
