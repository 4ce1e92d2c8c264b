"""Checkpoints on disk by torch.distributed.checkpoint: a tensor for each worker's part of a leaf.

A file of its own holds words (JSON) and the SHA-256 of every other file; it is written last, and
without it there is no checkpoint. What was written on so many ranks is read on any number, and only
after all files were found to be what was written. A checkpoint that is not is told of by name, and
the one before it is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch.distributed as dist
from torch import Tensor

from algorithms.core.durable import settle
from algorithms.network.ranks import gathered_words

_STEP = "step-{:09d}"
_NAME = re.compile(r"step-\d{9}")
_WORDS = "words.json"
_FORMAT = "rateproof-checkpoint-2"


class Unreadable(ValueError):
    """A checkpoint holds what no checkpoint does."""


class Unwritten(ValueError):
    """A checkpoint could not be written; those before it are kept."""


def write_checkpoint(
    folder: Path, t: int, parts: Mapping[str, Tensor], words: Mapping[str, Any]
) -> None:
    """Write ``parts`` of all ranks, and ``words`` of rank 0, as that of step t; all ranks call it.

    Parts of one name are the same on every rank that has them. It is there whole or not at all, and
    on the disk before an older one goes; the newest two are kept.

    Raises:
        Unwritten: the disk does not take it; on all ranks alike.
    """
    from algorithms.network.checkpoint_tables import CheckpointException, save_parts  # a second

    begun = (folder / _STEP.format(t)).with_suffix(".part")
    first = not dist.is_initialized() or dist.get_rank() == 0
    refused = ""
    try:
        save_parts(begun, dict(parts))
    except CheckpointException as error:  # on all ranks alike
        causes = [one[0] for one in error.failures.values()]
        raise _unwritten(folder, t, causes[0] if causes else error) from error
    try:
        if first:
            _complete(folder, t, begun, words)
    except OSError as error:
        refused = str(_unwritten(folder, t, error))
    if dist.is_initialized():
        refused = "".join(one["refused"] for one in gathered_words({"refused": refused}))
    if refused:
        raise Unwritten(refused)


def _unwritten(folder: Path, t: int, error: BaseException) -> Unwritten:
    why = error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
    return Unwritten(
        f"the checkpoint of step {t} cannot be written to {folder} ({why}); those before it are "
        "kept, and the same command goes on from there"
    )


def _complete(folder: Path, t: int, begun: Path, words: Mapping[str, Any]) -> None:
    """Write the words and the digests of all files, see that all are on the disk, and rename."""
    done = folder / _STEP.format(t)
    files = sorted(one for one in begun.iterdir() if one.name != _WORDS)
    told = {"words": dict(words), "files": {one.name: _digest(one) for one in files}}
    body = json.dumps(told)
    (begun / _WORDS).write_text(f"{_header(body)}\n{body}", encoding="utf-8")
    for file in (*files, begun / _WORDS, begun):
        settle(file)
    if done.exists():  # one that was refused: the run went on from an older one
        shutil.rmtree(done)
    os.replace(begun, done)
    settle(folder)
    _remove_others(folder, t)


def _remove_others(folder: Path, t: int) -> None:
    """Remove all but the newest two up to step t, parts of runs that were cut off, and later ones,
    which were refused when this run began."""
    steps = _steps(folder)
    kept = [one for one in steps if one <= t][-2:]
    for old in set(steps) - set(kept):
        shutil.rmtree(folder / _STEP.format(old), ignore_errors=True)
    for part in folder.glob("step-*.part"):
        shutil.rmtree(part, ignore_errors=True)


def newest(folder: Path) -> tuple[int, dict[str, Any]] | None:
    """The step of the newest whole checkpoint, and its words; None if there is none at all.

    Newer ones that are damaged are named on standard error, by rank 0.

    Raises:
        Unreadable: there are some, none of them whole.
    """
    refused = []
    for t in reversed(_steps(folder)):
        try:
            found = _checked(folder / _STEP.format(t))
        except Unreadable as error:
            refused.append(str(error))
            continue
        if not dist.is_initialized() or dist.get_rank() == 0:
            for one in refused:
                print(f"note: {one}; the one of step {t} is used", file=sys.stderr, flush=True)
        return t, found
    if refused:
        raise Unreadable(f"{'; '.join(refused)}; another folder would do")
    return None


def _checked(place: Path) -> dict[str, Any]:
    """The words of a checkpoint whose files are all as they were written.

    Raises:
        Unreadable: they are not.
    """
    try:
        header, _, body = (place / _WORDS).read_bytes().decode("utf-8").partition("\n")
        if not header.startswith(_FORMAT + " "):
            raise Unreadable(f"{place / _WORDS} is not a {_FORMAT} file")
        if header != _header(body):
            raise Unreadable(f"{place / _WORDS} is half-written or changed")
        told = json.loads(body)
        for name, digest in told["files"].items():
            if _digest(place / name) != digest:
                raise Unreadable(f"{place / name} is half-written or changed")
        return dict(told["words"])
    except OSError as error:
        raise Unreadable(f"{place} cannot be read ({error.strerror}: {error.filename})") from error
    except UnicodeDecodeError as error:
        raise Unreadable(f"{place / _WORDS} is half-written or changed") from error


def _header(body: str) -> str:
    return f"{_FORMAT} sha256 {hashlib.sha256(body.encode()).hexdigest()}"


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


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
        if _NAME.fullmatch(one.name)
    )
