"""Arrays of numbers in double precision, by the one name that annotations use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Numbers in double precision, of any shape; what holds one says its shape and units."""
