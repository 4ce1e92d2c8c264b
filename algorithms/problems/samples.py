"""Requirements on samples and labels before a problem is made of them."""

from __future__ import annotations

from torch import Tensor

from algorithms.problems.base import require_finite


def require_samples(features: Tensor, name: str, others: Tensor, width: str = "d") -> None:
    """Refuse features that are not ``[n, S, d]`` and finite, and ``others`` not ``[n, S]``.

    Raises:
        ValueError: names both with their shapes, or the first entry that is not finite.
    """
    if features.ndim != 3 or others.shape != features.shape[:2]:
        raise ValueError(
            f"features must be [n, S, {width}] and {name} [n, S], got features of shape "
            f"{tuple(features.shape)} and {name} of shape {tuple(others.shape)}"
        )
    require_finite("features", features)


def require_signs(labels: Tensor) -> None:
    """Refuse labels other than -1 and +1.

    Raises:
        ValueError: names the first such label.
    """
    wrong = labels[labels.abs() != 1]
    if wrong.numel():
        raise ValueError(
            f"labels must be -1 or +1, got {wrong[0].item()}; map the two classes to these"
        )
