r"""The averaging period of AdaComm: Wang, Joshi 2018 (arXiv:1810.08313)."""

from __future__ import annotations

import math


def adapted_period(first: int, loss: float, first_loss: float) -> int:
    r"""\lceil \sqrt{F(x)/F(x_0)}\, H_0 \rceil, the period of AdaComm's next interval.

    Raises:
        ValueError: first < 1, a negative loss, or a first loss that is not positive.
    """
    if first < 1 or loss < 0 or not first_loss > 0:
        raise ValueError(
            "first must be at least 1, loss at least 0 and first_loss positive, got "
            f"first={first}, loss={loss}, first_loss={first_loss}"
        )
    return max(1, math.ceil(math.sqrt(loss / first_loss) * first))
