"""Tables of contents of checkpoints: of a pickle, as torch writes it, only torch's own names are
read.

Apart from :mod:`algorithms.network.checkpoint_files`, because torch.distributed.checkpoint takes a
second to import and few runs write one.
"""

from __future__ import annotations

import io
import pickle
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

from torch import Tensor
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.metadata import _MEM_FORMAT_ENCODING, Metadata, StorageMeta
from torch.distributed.checkpoint.state_dict_loader import load
from torch.distributed.checkpoint.state_dict_saver import save

from algorithms.network.checkpoint_files import Unreadable

__all__ = ["CheckpointException", "load_parts", "save_parts"]

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


def save_parts(folder: Path, parts: dict[str, Tensor]) -> None:
    """Write tensors of all ranks into a folder; all ranks call it.

    Raises:
        CheckpointException: a rank could not; on all ranks alike.
    """
    with _alone():
        save(parts, storage_writer=FileSystemWriter(folder, thread_count=1))


def load_parts(folder: Path, parts: dict[str, Tensor]) -> None:
    """Fill ``parts`` with what a folder has of them; no other rank is needed.

    Raises:
        Unreadable: the table names what no checkpoint does.
        RuntimeError: a part is missing.
    """
    reader = _Reader(folder)
    reader.read_metadata()  # torch would take its failure for a missing file
    with _alone():
        load(parts, storage_reader=reader, no_dist=True)


@contextmanager
def _alone() -> Iterator[None]:
    """Within, torch does not warn that one process reads or writes alone."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "torch.distributed is disabled")
        yield
