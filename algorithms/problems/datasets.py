"""scikit-learn's bundled data sets as tensors; nothing is downloaded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.core.key import Key
from algorithms.problems.bundled import bundled
from algorithms.problems.partitions import Partition
from theory.arrays import Floats


class Samples(NamedTuple):
    """Features ``[N, d]`` (float64) and whole-number labels ``[N]``.

    Attributes:
        name: what reports call it.
        features: one row of p numbers a sample ``[N, p]`` (float64).
    """

    name: str
    features: Floats
    labels: NDArray[np.int64]

    def deal(
        self, partition: Partition, n: int, key: Key, dtype: torch.dtype
    ) -> tuple[Tensor, Tensor]:
        """Shards: features ``[n, S, d]`` of ``dtype``, labels ``[n, S]`` (int64).

        Raises:
            ValueError: n < 1 or n > N.
        """
        index = partition.split(self.labels, n, key)
        features = torch.from_numpy(self.features[index]).to(dtype).contiguous()
        return features, torch.from_numpy(self.labels[index])

    def split(self, share: float, key: Key) -> tuple[Samples, Samples]:
        """Those to train on and round(``share`` N) drawn at random to test on.

        Raises:
            ValueError: share outside [0, 1).
        """
        if not 0 <= share < 1:
            raise ValueError(f"share must lie in [0, 1), got share={share}")
        draws = key.fold("held out").draws(torch.tensor(0), torch.arange(1))
        order = np.argsort(draws.uniform(len(self.labels), torch.float64)[0].numpy(), kind="stable")
        first = round(share * len(self.labels))
        train, test = np.sort(order[first:]), order[:first]
        return (
            Samples(self.name, self.features[train], self.labels[train]),
            Samples(self.name, self.features[test], self.labels[test]),
        )


def breast_cancer() -> Samples:
    """569 tumours (Wolberg, Street, Mangasarian 1995), d = 30, each feature standardised.

    Labels: 0 malignant, 1 benign.
    """
    features, labels = bundled("breast_cancer")
    scaled = (features - features.mean(0)) / features.std(0)
    return Samples("breast_cancer", scaled, labels.astype(np.int64))


def digits() -> Samples:
    """1797 handwritten digits of 8 x 8 pixels (Alpaydin, Kaynak 1998), d = 64, labels 0 to 9.

    Pixels are divided by their range 16 and centred, not standardised one by one: some are
    constant, others almost, and would blow up.
    """
    features, labels = bundled("digits")
    return Samples("digits", features / 16.0 - (features / 16.0).mean(0), labels.astype(np.int64))
