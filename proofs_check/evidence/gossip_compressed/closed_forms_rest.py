"""Closed forms: the fixed points of beer and motef."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.beer import BEER, BEERState
from proofs_check.evidence.gossip_compressed.closed_forms_tracking import motef
from proofs_check.evidence.gossip_tracking.closed_forms import is_fixed_point
from proofs_check.evidence.gossip_tracking.instance import drawn_quadratic, drawn_weights
from proofs_check.instruments.closed_forms import ClosedForms
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]
"""A method of a stepsize rule, a topology, an operator and c."""

_N, _D, _SEED = 6, 3, 63


def _rests(build: Build) -> Verdict:
    problem = drawn_quadratic(_N, _D, _SEED)
    x = problem.x_star.expand(1, _N, _D).contiguous()
    zero, g = torch.zeros_like(x), problem.full_gradient(x, torch.arange(_N))
    method = build(ConstantStep(0.1), drawn_weights(_N, _SEED), TopK(1), 0.4)
    rest = BEERState(x, x, x, zero, zero, zero, g)
    return is_fixed_point(method, rest, problem, "X = H = x*, V = Z = 0, M = G(x*)")


beer_rest = ClosedForms("beer", "quadratic", name="beer_rest")
"""Fixed point of BEER."""


@beer_rest.case()
def beer_stays(build: Build = BEER) -> Verdict:
    """The fixed point X = H = x*, V = Z = 0 is kept."""
    return _rests(build)


motef_rest = ClosedForms("motef", "quadratic", name="motef_rest")
"""Fixed point of MoTEF."""


@motef_rest.case()
def motef_stays(build: Build = motef) -> Verdict:
    """The fixed point, with the moving mean at G(x*), is kept."""
    return _rests(build)
