"""Workloads: models as the list of their tensors in forward order, with the work of each layer.

Every model is built from its architecture's definition; :data:`WORKLOADS` has all by name. A
stranger's ``torch.nn.Module`` becomes one by :func:`algorithms.workloads.module.workload_of`.
"""

from __future__ import annotations

from algorithms.workloads.base import Workload
from theory.members import members

WORKLOADS: dict[str, Workload] = {
    workload.name: workload for workload in members(__name__, Workload)
}

__all__ = ["WORKLOADS", "Workload"]
