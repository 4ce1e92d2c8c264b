"""Whose fault an error is: a frame of the subject's own code lies under the call of it, or not."""

from __future__ import annotations

from pathlib import Path
from traceback import FrameSummary, extract_tb

from proofs_check.audit import runner


class SubjectFault(RuntimeError):
    """The audited code raised where nothing should; the message names file and line."""


def fault_of(name: str, error: BaseException) -> SubjectFault | None:
    """The error as one of the subject called ``name``, or None where it is not the subject's."""
    frames = list(extract_tb(error.__traceback__))
    calls = [place for place, frame in enumerate(frames) if _calls_subject(frame)]
    if not calls or calls[-1] + 1 == len(frames):
        return None
    theirs = frames[calls[-1] + 1 :]
    outside = [frame for frame in theirs if "site-packages" not in frame.filename]
    last = (outside or theirs)[-1]
    first = str(error).partition("\n")[0]
    return SubjectFault(
        f"{name} raised {type(error).__name__}: {first} "
        f"({Path(last.filename).name}, line {last.lineno}); what it was given is a vector like "
        "those it took before"
    )


def _calls_subject(frame: FrameSummary) -> bool:
    return frame.filename == runner.__file__ and frame.name in ("answer", "<lambda>")
