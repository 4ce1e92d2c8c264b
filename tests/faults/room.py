"""The folder of a job, and a small disk that is full, where that is the fault."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path


class Room:
    """The job's folder on a small disk that is full from the moment on, where that is drawn."""

    def __init__(self, folder: Path, fault: str) -> None:
        self.folder, self.full = folder, fault == "disk full"

    def __enter__(self) -> None:
        if self.full:
            kept = {file.name: file.read_bytes() for file in self.folder.iterdir()}
            self.full = not subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(self.folder)],
                check=False, capture_output=True,
            ).returncode  # fmt: skip
            for name, content in kept.items():
                (self.folder / name).write_bytes(content)

    def __exit__(self, *error: object) -> None:
        if self.full:
            _let_go(self.folder)
            remount = ["mount", "-o", "remount,size=64m", str(self.folder)]
            subprocess.run(remount, check=True, capture_output=True)
            saved = Path(tempfile.mkdtemp())
            subprocess.run(["cp", "-a", f"{self.folder}/.", str(saved)], check=True)
            subprocess.run(["umount", str(self.folder)], check=True)
            subprocess.run(["cp", "-a", f"{saved}/.", str(self.folder)], check=True)
            subprocess.run(["rm", "-r", str(saved)], check=True)


def _let_go(folder: Path, seconds: float = 15.0) -> None:
    """Wait until no process that was killed works in the folder any more: it does so for a moment
    after its memory, and with it its mark, is gone."""
    until, busy = time.monotonic() + seconds, [0]
    while busy and time.monotonic() < until:
        busy = []
        for link in Path("/proc").glob("[0-9]*/cwd"):
            try:
                busy += [int(link.parent.name)] * link.readlink().is_relative_to(folder)
            except OSError:
                continue
        time.sleep(0.05 * bool(busy))
    if busy:
        raise RuntimeError(f"{busy} work in {folder} after {seconds:g} s")
