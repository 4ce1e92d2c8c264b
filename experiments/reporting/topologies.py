"""Topologies beside each other: spectra and traffic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from algorithms.topologies.base import Topology
from proofs_check.facts import TopologyFacts
from proofs_check.topologies.facts import topology_facts


def topology_data(topology: Topology) -> dict[str, Any]:
    """Spectrum and traffic of a topology as JSON has it; why, where its weights are refused."""
    try:
        return asdict(topology_facts(topology))
    except ValueError as error:
        return {"name": topology.name, "n": topology.n, "refused": str(error)}


def shown(value: float) -> str:
    """Four digits of a number of a table; what only rounding keeps from 0 is 0."""
    return f"{value:.4g}" if abs(value) > 1e-12 else "0"


def topology_lines(known: Iterable[TopologyFacts]) -> list[dict[str, str]]:
    """Topologies for the report, numbers as they are printed; smallest gap first."""
    numbers = ("lam", "gap", "lam_n", "beta", "rounds", "messages")
    return [
        {"name": facts.name, "period": str(facts.period)}
        | {name: _number(getattr(facts, name)) for name in numbers}
        for facts in sorted(known, key=lambda facts: facts.gap)
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else shown(value)
