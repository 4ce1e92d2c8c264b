"""Topologies beside each other: spectra and traffic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from algorithms.topologies.base import Topology
from algorithms.topologies.gallery import examples


def topology_data(topology: Topology) -> dict[str, Any]:
    """Spectrum and traffic of a topology as JSON has it; why, where its weights are refused."""
    try:
        c = topology.constants()
    except ValueError as error:
        return {"name": topology.name, "n": topology.n, "refused": str(error)}
    lam = c.need("lam")
    phases = [topology.neighbours(t) for t in range(topology.period)]
    return {
        "name": topology.name,
        "n": topology.n,
        "period": topology.period,
        "lam": lam,
        "gap": 1.0 - lam,
        "lam_n": c.lam_n,
        "beta": c.beta,
        "symmetric": c.symmetric,
        "stated_lam": topology.stated_lam(),
        "rounds": math.inf if lam >= 1 else 0.0 if lam <= 1e-15 else -1.0 / math.log(lam),
        "messages": float(np.mean([near.out_degree.double().mean() for near in phases])),
    }


def shown(value: float) -> str:
    """Four digits of a number of a table; what only rounding keeps from 0 is 0."""
    return f"{value:.4g}" if abs(value) > 1e-12 else "0"


def topology_lines() -> list[dict[str, str]]:
    """The suite's topologies for the report, numbers as they are printed; smallest gap first."""
    data = [topology_data(topology) for topology in examples(Topology)]
    numbers = ("lam", "gap", "lam_n", "beta", "rounds", "messages")
    lines = [
        {"name": row["name"], "period": str(row["period"])}
        | {name: shown(row[name]) for name in numbers}
        for row in sorted(data, key=lambda row: row.get("gap", 0.0))
        if "refused" not in row
    ]
    return lines
