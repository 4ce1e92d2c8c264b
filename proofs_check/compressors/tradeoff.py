"""What an operator pays and what it gets: bits a coordinate against relative error."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.base import Compressor, code_of
from algorithms.key import Key
from algorithms.run import one_thread
from proofs_check.instruments.vectors import check_vectors

Curve = NDArray[np.float64]

_SAMPLES = 200


def tradeoff(compressor: Compressor, d: int, seed: int) -> dict[str, Curve]:
    """Two points in single precision: at a gaussian and at a heavy-tailed vector of R^d.

    ``bits`` a coordinate by the code, ``error`` E||C(x) - x||^2 / ||x||^2; ``constant`` (one value)
    is the smallest claimed bound on the error, NaN where none is claimed.
    """
    with one_thread():
        key = Key.seed(seed).fold("tradeoff")
        vectors = check_vectors(d, key)
        bits, error = [], []
        for name in ("gaussian", "heavy-tailed"):
            x = vectors[name].float().expand(_SAMPLES, 1, d)
            draws = key.fold(name).draws(torch.arange(_SAMPLES), torch.zeros(1, dtype=torch.int64))
            symbols = compressor.encode(x, draws)
            sent = compressor.decode(symbols, d, x.dtype, draws)
            lengths = code_of(compressor, d, x.dtype).lengths(symbols)
            wide = x.double()
            bits.append(float(lengths.double().mean()) / d)
            error.append(
                float((sent.double() - wide).square().sum(-1).mean())
                / float(wide[0].square().sum())
            )
    constants = [
        float(c)
        for c in (getattr(k, "constant", None) for k in compressor.claims(d))
        if c is not None
    ]
    return {
        "bits": np.array(bits),
        "error": np.array(error),
        "constant": np.array([min(constants, default=np.nan)]),
    }
