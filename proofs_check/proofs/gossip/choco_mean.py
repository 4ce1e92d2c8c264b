"""CHOCO: averaging compressed differences never moves the mean, whatever is sent."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.verdict import Verdict

COVERS = ("choco-gossip", "choco-sgd")

u, v, w, gamma = sp.symbols("u v w gamma", real=True)
MIXING = sp.Matrix([[1 - u - v, u, v], [u, 1 - u - w, w], [v, w, 1 - v - w]])


def prove(claimed: Any = MIXING) -> Verdict:
    r"""x_i + gamma sum_j W_ij (xhat_j - xhat_i) has the mean of the x_i, for W = ``claimed``.

    xhat is arbitrary, so the compressor plays no part; all symmetric W of size 3 with unit row sums
    are of the default form.
    """
    size = claimed.rows
    x = sp.Matrix(sp.symbols(f"x:{size}", real=True))
    public = sp.Matrix(sp.symbols(f"h:{size}", real=True))
    after = [
        x[i] + gamma * sum(claimed[i, j] * (public[j] - public[i]) for j in range(size))
        for i in range(size)
    ]
    return settled(
        "CHOCO mean",
        "the mean model is preserved exactly",
        "Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Section 3",
        equality("row sums are 1", sum(claimed), size),
        equality("the mean is preserved", sum(after), sum(x)),
    )
