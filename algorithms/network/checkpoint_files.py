"""Checkpoints on disk by torch.distributed.checkpoint: a tensor for each worker's part of a leaf.

A file of its own holds words (JSON). What was written on so many ranks is read on any number. Of a
pickle, as torch writes its table of contents, only torch's own names are read.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

import torch.distributed as dist
from torch import Tensor
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.metadata import _MEM_FORMAT_ENCODING, Metadata, StorageMeta
from torch.distributed.checkpoint.state_dict_loader import load
from torch.distributed.checkpoint.state_dict_saver import save

_STEP = "step-{:09d}"
_WORDS = "words.json"
_TABLE = "torch.distributed.checkpoint.metadata"
_NAMES = {
    *((_TABLE, name) for name in (
        "Metadata", "MetadataIndex", "StorageMeta", "TensorStorageMetadata", "TensorProperties",
        "ChunkStorageMetadata", "_MEM_FORMAT_ENCODING",
    )),
    *(("torch", kind) for kind in ("float64", "float32", "int64", "int32", "uint8", "bool")),
    ("torch", "Size"),
    ("torch.distributed.checkpoint.filesystem", "_StorageInfo"),
    ("torch.serialization", "_get_layout"),
    ("pathlib", "PosixPath"), ("pathlib._local", "PosixPath"), ("pathlib", "WindowsPath"),
}  # fmt: skip


class Unreadable(ValueError):
    """A checkpoint holds what no checkpoint does."""


@final
class _Own(pickle.Unpickler):
    """Reads names of torch's table of contents, and no others: it runs nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("builtins", "getattr"):  # members, as Python 3.11.0 to 3.11.3 write
            return _member
        if (module, name) not in _NAMES:
            raise Unreadable(f"the checkpoint's table names {module}.{name}, which none does")
        return super().find_class(module, name)


def _member(of: Any, name: str) -> Any:
    """The member of torch's only enumeration."""
    if of is not _MEM_FORMAT_ENCODING or name not in _MEM_FORMAT_ENCODING.__members__:
        raise Unreadable(f"the checkpoint's table asks for {name!r} of {of!r}, which none does")
    return _MEM_FORMAT_ENCODING[name]


@final
class _Reader(FileSystemReader):
    """The table is read by :class:`_Own`."""

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        told: Metadata = _Own(io.BytesIO((Path(self.path) / ".metadata").read_bytes())).load()
        told.storage_meta = told.storage_meta or StorageMeta()
        told.storage_meta.load_id = self.load_id
        return told


def write_checkpoint(
    folder: Path, t: int, parts: Mapping[str, Tensor], words: Mapping[str, Any]
) -> None:
    """Write ``parts`` of all ranks, and ``words`` of rank 0, as that of step t; all ranks call it.

    Parts of one name are the same on every rank that has them. It is there whole or not at all;
    only the newest two are kept.
    """
    done = folder / _STEP.format(t)
    begun = done.with_suffix(".part")
    first = not dist.is_initialized() or dist.get_rank() == 0
    with _alone():
        save(dict(parts), storage_writer=FileSystemWriter(begun, thread_count=1))
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
    reader = _Reader(folder / _STEP.format(t))
    reader.read_metadata()  # torch would take its failure for a missing file
    with _alone():
        load(parts, storage_reader=reader, no_dist=True)


@contextmanager
def _alone() -> Iterator[None]:
    """Within, torch does not warn that one process reads or writes alone."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "torch.distributed is disabled")
        yield


def _steps(folder: Path) -> list[int]:
    return sorted(
        int(one.name.removeprefix("step-"))
        for one in folder.glob("step-*")
        if not one.suffix and (one / _WORDS).is_file()
    )
