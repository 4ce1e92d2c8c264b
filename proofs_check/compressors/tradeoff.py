"""Cost and accuracy of an operator: bits a coordinate against relative error."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor, code_of
from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from proofs_check.curves import TradeoffPoint
from proofs_check.instruments.vectors import check_vectors

_SAMPLES = 200


def tradeoff(compressor: Compressor, d: int, seed: int) -> tuple[TradeoffPoint, ...]:
    """Two points in single precision: at a gaussian and at a heavy-tailed vector of R^d.

    The constant is the smallest claimed bound on the error, NaN where none is claimed.
    """
    constants = [getattr(claim, "constant", None) for claim in compressor.claims(d)]
    constant = min((float(c) for c in constants if c is not None), default=float("nan"))
    key = Key.seed(seed).fold("tradeoff")
    vectors = check_vectors(d, key)
    with one_thread():
        return tuple(
            TradeoffPoint(compressor.name, name, *_paid(compressor, vectors[name], key.fold(name)),
                          constant)
            for name in ("gaussian", "heavy-tailed")
        )  # fmt: skip


def _paid(compressor: Compressor, vector: Tensor, key: Key) -> tuple[float, float]:
    """Bits a coordinate and relative error at one vector ``[d]``."""
    d = vector.shape[-1]
    x = vector.float().expand(_SAMPLES, 1, d)
    draws = key.draws(torch.arange(_SAMPLES), torch.zeros(1, dtype=torch.int64))
    symbols = compressor.encode(x, draws)
    sent = compressor.decode(symbols, d, x.dtype, draws)
    lengths = code_of(compressor, d, x.dtype).lengths(symbols)
    wide = x.double()
    error = float((sent.double() - wide).square().sum(-1).mean())
    return float(lengths.double().mean()) / d, error / float(wide[0].square().sum())
