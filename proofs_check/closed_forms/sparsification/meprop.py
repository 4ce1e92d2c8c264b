"""meProp and the operator that its row runs: rows of the gradient of W_1.

Unified meProp back-propagates k of the hidden layer's errors, the same for all samples of a
minibatch (Sun, Ren, Ma, Wang 2017, arXiv:1706.06197). What comes out is the plain gradient with all
but k rows of W_1 set to zero, so that it is a sparsification by rows, as
:class:`~algorithms.compressors.row_top_k.RowTopK` is; the two choose rows by different sizes.
"""

from __future__ import annotations

from functools import partial

import torch

from algorithms.core.key import Key
from algorithms.problems import meprop
from algorithms.problems.mlp import digits_mlp
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict

_K, _SEED = 5, 71


def unified_meprop() -> tuple[Verdict, ...]:
    """The gradient it propagates against the whole one, with the rows that it left."""
    problem = digits_mlp(2)
    draws = Key.seed(_SEED).draws(torch.tensor(0), torch.arange(2))
    x = problem.start()[None].expand(2, -1)
    rows, columns = problem.shapes[0]
    size, shape = rows * columns, (2, rows, columns)
    ours = meprop.gradient(problem, x, draws, _K, unified=True)[:, :size].reshape(shape)
    whole = problem.gradient(x, draws)[:, :size].reshape(shape)
    left = (ours != 0).any(-1)
    exact = partial(
        identity, "meprop", check="exact", problem="mlp-digits", tolerance=1e-9,
        provenance=f"Sun, Ren, Ma, Wang 2017, arXiv:1706.06197; k = {_K}, seed {_SEED}, 2 workers",
    )  # fmt: skip
    rest = "unified meProp is the gradient with the other rows of W_1 zero"
    return (
        exact("unified meProp leaves k rows of W_1", left.sum(-1), _K),
        exact(rest, ours, whole * left[..., None]),
    )


CLOSED_FORMS = (unified_meprop,)
