"""Checkpoints on disk by torch.distributed.checkpoint: a tensor for each worker's part of a leaf.

A file of its own holds words (JSON). What was written on so many ranks is read on any number.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch.distributed as dist
from torch import Tensor

_STEP = "step-{:09d}"
_WORDS = "words.json"


def write_checkpoint(
    folder: Path, t: int, parts: Mapping[str, Tensor], words: Mapping[str, Any]
) -> None:
    """Write ``parts`` of all ranks, and ``words`` of rank 0, as that of step t; all ranks call it.

    Parts of one name are the same on every rank that has them. It is there whole or not at all;
    only the newest two are kept.
    """
    from algorithms.network.checkpoint_tables import save_parts  # a second to import

    done = folder / _STEP.format(t)
    begun = done.with_suffix(".part")
    first = not dist.is_initialized() or dist.get_rank() == 0
    save_parts(begun, dict(parts))
    if first:
        (begun / _WORDS).write_text(json.dumps(dict(words)), encoding="utf-8")
        if done.exists():
            shutil.rmtree(done)
        os.replace(begun, done)
        for old in _steps(folder)[:-2]:
            shutil.rmtree(folder / _STEP.format(old))
    if dist.is_initialized():
        dist.barrier()


def newest(folder: Path) -> tuple[int, dict[str, Any]] | None:
    """The step of the newest whole checkpoint, and its words; None if there is none."""
    steps = _steps(folder)
    if not steps:
        return None
    told = (folder / _STEP.format(steps[-1]) / _WORDS).read_text(encoding="utf-8")
    return steps[-1], json.loads(told)


def read_parts(folder: Path, t: int, parts: dict[str, Tensor]) -> None:
    """Fill ``parts`` with what is written of them; no other rank is needed.

    Raises:
        Unreadable: the table names what no checkpoint does.
        RuntimeError: a part is missing.
    """
    from algorithms.network.checkpoint_tables import load_parts  # a second to import

    load_parts(folder / _STEP.format(t), parts)


def _steps(folder: Path) -> list[int]:
    return sorted(
        int(one.name.removeprefix("step-"))
        for one in folder.glob("step-*")
        if not one.suffix and (one / _WORDS).is_file()
    )
