"""Results store: one file per unit of survey work, keyed by what was run.

A file is one header line (format and SHA-256 of the rest) and a JSON body: the cell, the version of
what it depends on (:mod:`experiments.closure.versions`), its verdicts, its curves. It appears
whole or not at all: written beside its place, flushed to disk, renamed. What does
not read back as written is never trusted.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from experiments.storage.encoding import decode_result, encode_result
from experiments.storage.files import write_atomically
from experiments.storage.folders import cells_folder
from proofs_check.cell import Cell, CellResult

FORMAT = "rateproof-cell-4"
_NAME = re.compile(r"[0-9a-f]{32}\.(cell|error\.txt)|timings\.json")
_TIMINGS = "timings.json"
_PART = re.compile(r"\.[0-9a-f]{32}\.(\d+)\.part")


class CorruptResult(ValueError):
    """A stored file that cannot be trusted; the message names the file and what is wrong."""


@final
@dataclass(frozen=True)
class Stored:
    """Result of a cell, and its running time [s].

    Attributes:
        result: verdicts and curves.
        seconds: how long the cell ran.
        processor_seconds: processor time that it took, its child processes included.
    """

    result: CellResult
    seconds: float
    processor_seconds: float = 0.0


def move_earlier(report: Path) -> None:
    """Move the results that an earlier version kept inside the report's folder to where they are
    kept now; files of other names stay, and so does what is there already."""
    folder, earlier = cells_folder(report), report.resolve() / "cells"
    mine = [path for path in sorted(earlier.glob("*")) if _NAME.fullmatch(path.name)]
    for path in mine:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # another process moved it
            if not (folder / path.name).exists():
                path.rename(folder / path.name)
    with suppress(OSError):  # it is not empty, or was never there
        earlier.rmdir()


def cell_data(cell: Cell) -> dict[str, Any]:
    """The cell as JSON reads it back (tuples are lists)."""
    data: dict[str, Any] = json.loads(json.dumps(asdict(cell)))
    return data


def cell_name(cell: Cell, version: str = "") -> str:
    """A hash of what is to be run, by which version of the code (empty: any)."""
    what = json.dumps([cell_data(cell), version], sort_keys=True)
    return hashlib.sha256(what.encode()).hexdigest()[:32]


@final
@dataclass(frozen=True)
class Store:
    """The folder of results; ``versions`` says of each cell which version of it is wanted.

    Results of other versions may lie beside them.
    """

    folder: Path
    versions: Mapping[Cell, str]

    def path(self, cell: Cell) -> Path:
        """Path of the cell's result, existing or not."""
        return self.folder / f"{cell_name(cell, self.versions[cell])}.cell"

    def trace(self, cell: Cell) -> Path:
        """Path of its traceback, existing or not."""
        return self.path(cell).with_suffix(".error.txt")

    def save(self, cell: Cell, stored: Stored) -> Path:
        """Write a finished cell, atomically."""
        body = json.dumps(
            {
                "cell": cell_data(cell),
                "code": self.versions[cell],
                "seconds": stored.seconds,
                "processor_seconds": stored.processor_seconds,
            }
            | encode_result(stored.result)
        ).encode()
        header = f"{FORMAT} sha256 {hashlib.sha256(body).hexdigest()}\n".encode()
        path = self.path(cell)
        write_atomically(path, header + body + b"\n", f".{path.stem}.{os.getpid()}.part")
        self.trace(cell).unlink(missing_ok=True)
        return path

    def load(self, cell: Cell) -> Stored | None:
        """The cell's stored result, or None if there is none.

        Raises:
            CorruptResult: there is a file, but it is not what was written for this cell.
        """
        path = self.path(cell)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CorruptResult(f"{path}: cannot be read ({error.strerror})") from error
        body = _checked_body(path, content)
        if body.get("cell") != cell_data(cell) or body.get("code") != self.versions[cell]:
            raise CorruptResult(f"{path}: holds another cell or another version of the code")
        try:
            seconds, used = float(body["seconds"]), float(body["processor_seconds"])
            return Stored(decode_result(body), seconds, used)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CorruptResult(f"{path}: does not hold verdicts and curves ({error})") from error

    def keep_trace(self, cell: Cell, text: str) -> None:
        """Leave the story of a failed cell beside the results, until it succeeds; where the disk
        takes it, since the failure itself is told of."""
        with suppress(OSError):
            write_atomically(self.trace(cell), f"{cell}\n{text}".encode())

    def timings(self) -> dict[str, float]:
        """Seconds that cells took so far, by :func:`cell_name`, under whatever code."""
        try:
            read = json.loads((self.folder / _TIMINGS).read_bytes())
            return {str(name): float(seconds) for name, seconds in read.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}  # only the estimate of the time left rests on it

    def remember(self, results: Mapping[Cell, Stored]) -> None:
        """Add the timings of these results."""
        timings = self.timings() | {cell_name(cell): r.seconds for cell, r in results.items()}
        with suppress(OSError):  # only the estimate of the time left rests on it
            write_atomically(self.folder / _TIMINGS, json.dumps(timings, sort_keys=True).encode())

    def unknown_files(self) -> Iterator[str]:
        """One sentence for each file in the folder that is no finished result.

        Half-written files of processes that are gone are removed, anything else is left alone.
        """
        for path in sorted(self.folder.iterdir()) if self.folder.is_dir() else ():
            part = _PART.fullmatch(path.name)
            if part and not _alive(int(part.group(1))):
                path.unlink(missing_ok=True)
                yield f"{path}: half-written by a run that was cut off; removed"
            elif not part and not _NAME.fullmatch(path.name):
                yield f"{path}: not a result of this program; left alone"


def _checked_body(path: Path, content: bytes) -> dict[str, Any]:
    header, _, body = content.partition(b"\n")
    words = header.decode("ascii", "replace").split(" ")
    if len(words) != 3 or words[:2] != [FORMAT, "sha256"]:
        raise CorruptResult(f"{path}: not a {FORMAT} file")
    if hashlib.sha256(body.removesuffix(b"\n")).hexdigest() != words[2]:
        raise CorruptResult(f"{path}: half-written or changed (its checksum does not match)")
    try:
        read = json.loads(body)
    except ValueError as error:
        raise CorruptResult(f"{path}: not JSON ({error})") from error
    if not isinstance(read, dict):
        raise CorruptResult(f"{path}: not a JSON object")
    return read


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
