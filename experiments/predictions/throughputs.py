"""Published throughputs of survey 001, Fig. 4 (Shi et al. 2020, arXiv:2005.13247), from a file.

Columns: model, local_batch, network, method, single_gpu, n_gpus, mean, std; throughputs are
samples per second of all GPUs.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

FILE = "fig4_throughput.csv"
COLUMNS = ("model", "local_batch", "network", "method", "single_gpu", "n_gpus", "mean", "std")


class Throughput(NamedTuple):
    """One measured point.

    Attributes:
        model: as the survey calls it.
        local_batch: samples of one GPU's step.
        network: as the survey calls it.
        method: as the survey calls it.
        single: samples per second of one GPU alone.
        gpus: how many.
        mean: samples per second of all of them, the mean of five runs.
    """

    model: str
    local_batch: int
    network: str
    method: str
    single: float
    gpus: int
    mean: float

    @property
    def step_seconds(self) -> float:
        """Seconds of a step, measured."""
        return self.local_batch * self.gpus / self.mean

    @property
    def alone_seconds(self) -> float:
        """Seconds of a step of one GPU alone."""
        return self.local_batch / self.single


def read_throughputs(folder: Path) -> tuple[Throughput, ...]:
    """The file's points.

    Raises:
        ValueError: there is no such file, a column is missing, or a value is no positive number.
    """
    path = folder / FILE
    if not path.is_file():
        raise ValueError(f"data must be a folder with {FILE}, got data={folder}")
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise ValueError(f"{path} must have columns {', '.join(COLUMNS)}; without {missing}")
        return tuple(_point(path, number, row) for number, row in enumerate(reader, 2))


def _point(path: Path, number: int, row: dict[str, str]) -> Throughput:
    try:
        batch, gpus = int(row["local_batch"]), int(row["n_gpus"])
        single, mean = float(row["single_gpu"]), float(row["mean"])
    except ValueError as error:
        raise ValueError(f"{path}, line {number}: {error}") from error
    if min(batch, gpus, single, mean) <= 0:
        raise ValueError(f"{path}, line {number}: numbers must be positive, got {row}")
    return Throughput(row["model"], batch, row["network"], row["method"], single, gpus, mean)
