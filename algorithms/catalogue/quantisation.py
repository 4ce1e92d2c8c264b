"""Rows of the family quantisation."""

from __future__ import annotations

import math

from algorithms.catalogue.compose import compressed
from algorithms.catalogue.row import OBJECTIVES, Parts
from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.terngrad import TernGrad

READY: dict[str, Parts] = {
    "qsgd": compressed(QSGD(4), problems=OBJECTIVES),
    "terngrad": compressed(TernGrad()),
    "natural-compression": compressed(NaturalCompression()),
    "natural-dithering": compressed(
        NaturalDithering(8), operators=(NaturalDithering(4, math.inf),)
    ),
    "stochastic-binary": compressed(KLevel(2), operators=(KLevel(16), KLevel(16, Span.NORM))),
    "rotated-quantisation": compressed(Rotated(KLevel(16))),
}
