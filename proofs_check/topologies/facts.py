"""Facts on a topology's page: spectrum and traffic."""

from __future__ import annotations

import math

import numpy as np

from algorithms.topologies.base import Topology
from proofs_check.facts import TopologyFacts


def topology_facts(topology: Topology) -> TopologyFacts:
    """Spectrum and traffic of a topology.

    Raises:
        ValueError: its weights do not suit its graph.
    """
    c = topology.constants()
    lam = c.need("lam")
    phases = [topology.neighbours(t) for t in range(topology.period)]
    return TopologyFacts(
        name=topology.name,
        n=topology.n,
        period=topology.period,
        lam=lam,
        gap=1.0 - lam,
        lam_n=c.lam_n,
        beta=c.beta,
        symmetric=c.symmetric,
        stated_lam=topology.stated_lam(),
        rounds=math.inf if lam >= 1 else 0.0 if lam <= 1e-15 else -1.0 / math.log(lam),
        messages=float(np.mean([near.out_degree.double().mean() for near in phases])),
    )
