"""Rows of the family quantisation."""

from __future__ import annotations

from algorithms.catalogue.compose import compressed, with_feedback
from algorithms.catalogue.row import OBJECTIVES, Parts
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.terngrad import TernGrad

READY: dict[str, Parts] = {
    "qsgd": compressed(QSGD(4), problems=OBJECTIVES),
    "terngrad": compressed(TernGrad()),
    "natural-compression": compressed(NaturalCompression()),
    "ef-signsgd": with_feedback(ScaledSign(), problems=OBJECTIVES),
}
