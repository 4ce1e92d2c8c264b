"""Rows of the family quantisation."""

from __future__ import annotations

import math
from dataclasses import replace

from algorithms.catalogue.compose import compressed
from algorithms.catalogue.row import OBJECTIVES, Parts
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.max_levels import MaxLevels
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.variable_length import VariableLength

READY: dict[str, Parts] = {
    "qsgd": compressed(
        QSGD(4), problems=OBJECTIVES,
        operators=(QSGD(1), EliasQSGD(1), EliasQSGD(4), Buckets(QSGD(4), 25), MaxLevels(4)),
    ),
    "terngrad": compressed(TernGrad()),
    "natural-compression": compressed(NaturalCompression()),
    "natural-dithering": compressed(
        NaturalDithering(8), operators=(NaturalDithering(4, math.inf),)
    ),
    "stochastic-binary": compressed(KLevel(2), operators=(KLevel(16), KLevel(16, Span.NORM))),
    "variable-length-coding": replace(
        compressed(VariableLength(), operators=(VariableLength(4), VariableLength(4, False))),
        bits_vary=True,
    ),
    "rotated-quantisation": compressed(Rotated(KLevel(16))),
}  # fmt: skip
