"""Top-k: convex magnitudes, nothing lost with feedback, and the survey's misprints E19 and E20.

Top-k errs at most (1 - k/d)^2 where sorted magnitudes are convex (compared, not asserted of all x).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.auxiliary.error_feedback import virtual_iterate
from proofs_check.closed_forms.erratum import erratum
from proofs_check.closed_forms.sparsification.drawn import SEED, draws_of
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Outcome, Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.mem_sgd import mem_sgd


def bell_shape() -> tuple[Verdict, ...]:
    """||x - top-k(x)||^2 / ||x||^2 against (1 - k/d)^2: Gaussian rows, and flat ones."""
    d = 1000
    shapes = {
        "Gaussian": draws_of(16, "bell").normal(d, torch.float64),
        "flat": torch.ones(1, 1, d, dtype=torch.float64),
    }
    return tuple(_conditional(name, x) for name, x in shapes.items())


def _conditional(name: str, x: Tensor) -> Verdict:
    d = x.shape[-1]
    excess = []
    for k in (1, 10, 100, 500, 900):
        left = x - TopK(k).compress(x, draws_of(x.shape[0], "none"))
        ratio = left.square().sum(-1) / x.square().sum(-1)
        excess.append(float(ratio.max()) / (1 - k / d) ** 2)
    holds = max(excess) <= 1
    return Verdict(
        subject="top-k", claim="||x - top-k(x)||^2 <= (1 - k/d)^2 ||x||^2 under a bell shape",
        check="conditional bound", outcome=Outcome.COMPARED, statistic=max(excess), bound=1.0,
        evidence=f"{name} rows: largest ratio to the bound {max(excess):.4g} over k = 1 to 900 of "
        f"{d}; the assumption {'and the bound hold' if holds else 'fails, and the bound with it'}",
        provenance=f"Shi et al. 2019, arXiv:1911.08772, Theorem 1; seed {SEED}",
    )  # fmt: skip


def nearest(operator: Callable[[int], Compressor] = TopK) -> Verdict:
    """Top-k errs by the d - k smallest squares: no other k coordinates leave less."""
    d, kept = 40, (1, 7, 20, 39)
    x = draws_of(16, "nearest").normal(d, torch.float64)
    squares = np.sort(np.square(x.numpy()), axis=-1)
    errors, least = [], []
    for k in kept:
        sent = operator(k).compress(x, draws_of(16, "none"))
        errors.append((x - sent).square().sum(-1).numpy())
        least.append(squares[..., : d - k].sum(-1))
    return identity(
        "top-k", "||x - top-k(x)||^2 is the sum of the d - k smallest squares",
        np.array(errors), np.array(least), check="nearest of all k-sparse rows",
        provenance=f"16 Gaussian rows of {d}, k = {', '.join(map(str, kept))}; seed {SEED}",
    )  # fmt: skip


def e19() -> tuple[Verdict, ...]:
    """Sparsified descent on ||x||^2/2 with gamma = 1 ends after d/k steps: slower for smaller k."""
    d, kept = 16, np.array([1, 2, 4, 8, 16])
    x0 = torch.arange(1.0, d + 1, dtype=torch.float64)
    flat = torch.ones((1, d), dtype=torch.float64)
    problem = Quadratic.from_arrays(flat, torch.zeros_like(flat), x0=x0)
    steps = []
    for k in kept.tolist():
        trace = run(BSP(ConstantStep(1.0), TopK(k)), problem, steps=d + 1, points=100)
        steps.append(float(np.argmax(trace.squared_distance[0] == 0.0)))
    exponent = float(np.polyfit(np.log(kept), np.log(steps), 1)[0])
    return (
        erratum(
            "E19",
            "top-k",
            "the slowdown of top-k is d/k: it grows as k decreases",
            (exponent, -1.0),
            (1.0, -1.0),
            f"steps to the minimum {steps} for k = {kept.tolist()} of {d}; exponents of k",
        ),
    )


def e20() -> tuple[Verdict, ...]:
    """MEM-SGD is O(G^2/(mu T)) in its leading term only: (d/k)^2/T^2 follows."""
    c, horizon = Constants(L=1.0, mu=1.0, G2=1.0, R2=0.0), np.array([1e4])
    step = mem_sgd.stepsize(c.state(delta=1e-3), int(horizon[0]))
    whole, tenth, least = (
        float(mem_sgd.bound(c.state(delta=delta), step, horizon)[0]) for delta in (1.0, 1e-2, 1e-3)
    )
    return (
        erratum(
            "E20",
            "top-k",
            "beside G^2/(mu T) the bound of MEM-SGD has a term (d/k)^2: d/k = 1000 against 100",
            ((least - whole) / (tenth - whole), (1e6 - 1) / (1e4 - 1)),
            (1.0, least / whole),
            f"at T = 1e4 the whole bound is {least / whole:.4g} times that of k = d",
        ),
    )


def top_k() -> tuple[Verdict, ...]:
    """Error of Gaussian and flat rows, the nearest k-sparse row, and the virtual iterate."""
    return (*bell_shape(), nearest(), virtual_iterate("top-k", ErrorFeedback(), TopK(2)))


def e12() -> tuple[Verdict, ...]:
    """A flat row of 100 entries keeps 2 of 100 parts, whatever the number of workers."""
    d, k, workers = 100, 2, 4
    flat = torch.ones((1, 1, d), dtype=torch.float64)
    left = flat - TopK(k).compress(flat, draws_of(1, "none"))
    ratio = float(left.square().sum() / flat.square().sum())
    return (
        erratum(
            "E12", "top-k", "top-2 of 100 equal entries errs by 1 - k/N = 0.98",
            (ratio, 1 - k / d), (1 - k / workers, ratio),
            f"n is the workers ({workers}) in Eq. 5; and the identity, k = N, errs by 0, which "
            "the printed range leaves out",
        ),
    )  # fmt: skip


CLOSED_FORMS = (e12, top_k, e19, e20)
DEMONSTRATIONS = (("E12", e12), ("E19", e19), ("E20", e20))
