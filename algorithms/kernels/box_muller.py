"""Box and Muller's pairs (1958) from uniforms, several at a time: logarithm, sine and cosine in
IEEE operations alone, so that their bits are the same on every machine and in any library.

Taylor series, each cut where its next term is below 2^-54 of the sum: atanh for the logarithm (of
a number in [sqrt(1/2), sqrt(2)]), sine and cosine in [-pi/4, pi/4].
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.kernels.compiled import njit

_LOG_2 = math.log(2.0)
_HALF_PI = math.pi / 2.0
_SQRT_2 = math.sqrt(2.0)
_MANTISSA, _EXPONENT_0 = (1 << 52) - 1, 1023 << 52


@njit(cache=True, nogil=True, error_model="numpy")
def radii(u, out, size):  # type: ignore[no-untyped-def]
    """sqrt(-2 log(1 - u)) of the first ``size`` u, in [0, 1); overwrites u."""
    bits = u.view(np.int64)
    for i in range(size):
        u[i] = 1.0 - u[i]
    for i in range(size):  # 1 - u = 2^out m: out here, m in [1, 2) in place of u
        out[i] = np.float64(np.int32(bits[i] >> 52)) - 1023.0
        bits[i] = (bits[i] & _MANTISSA) | _EXPONENT_0
    for i in range(size):
        large = u[i] > _SQRT_2
        m = 0.5 * u[i] if large else u[i]
        power = out[i] + (1.0 if large else 0.0)
        s = (m - 1.0) / (m + 1.0)
        z = s * s
        tail = 2 / 17 + z * (2 / 19 + z * (2 / 21))
        tail = 2 / 11 + z * (2 / 13 + z * (2 / 15 + z * tail))
        tail = 2 / 3 + z * (2 / 5 + z * (2 / 7 + z * (2 / 9 + z * tail)))
        out[i] = math.sqrt(-2.0 * (power * _LOG_2 + (2.0 * s + s * (z * tail))))


@njit(cache=True, nogil=True, error_model="numpy")
def turns(v, cosines, sines, size):  # type: ignore[no-untyped-def]
    """cos and sin of 2 pi v for the first ``size`` v, in [0, 1); quarter turns come off exactly."""
    for i in range(size):
        turn = 4.0 * v[i]
        quarter = np.floor(turn + 0.5)
        a = (turn - quarter) * _HALF_PI
        z = a * a
        tail = -1 / 39916800 + z * (1 / 6227020800 - z * (1 / 1307674368000))
        tail = 1 / 120 + z * (-1 / 5040 + z * (1 / 362880 + z * tail))
        sine = a + a * (z * (-1 / 6 + z * tail))
        tail = 1 / 479001600 + z * (-1 / 87178291200 + z * (1 / 20922789888000))
        tail = -1 / 720 + z * (1 / 40320 + z * (-1 / 3628800 + z * tail))
        cosine = 1.0 - z * (0.5 - z * (1 / 24 + z * tail))
        odd = (quarter == 1.0) | (quarter == 3.0)
        x, y = (sine, cosine) if odd else (cosine, sine)
        cosines[i] = -x if (quarter == 1.0) | (quarter == 2.0) else x
        sines[i] = -y if (quarter == 2.0) | (quarter == 3.0) else y
