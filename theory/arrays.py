"""Arrays of numbers, by the names that annotations use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Numbers in double precision, of any shape; what holds one says its shape and units."""

Ints = NDArray[np.int64]
"""Whole numbers, of any shape."""
