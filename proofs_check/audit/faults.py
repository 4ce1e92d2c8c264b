"""Attribution of an error: a frame of the subject's own code lies under the call of it, or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from traceback import extract_tb, walk_tb
from types import CodeType

_HERE = Path(__file__).parent
_CALLS = {
    str(_HERE / "runner.py"): ("answer", "renew", "<lambda>"),
    str(_HERE / "subject.py"): ("_answer", "_made"),
}
"""Where the audit calls the subject."""


class BadAnswer(Exception):
    """Error that the output is no vector of the right size."""


class SubjectFault(RuntimeError):
    """The audited code raised where nothing should; the message names file and line."""


class Exits(RuntimeError):
    """The audited code raised what ``except Exception`` lets through, ``sys.exit`` above all.

    It must not end the audit with a code of its own, or with that of a refuted claim.
    """


def exits(stop: BaseException) -> Exits:
    """The same place as an error like others."""
    description = f"sys.exit({stop.code!r})" if isinstance(stop, SystemExit) else first_line(stop)
    return Exits(description).with_traceback(stop.__traceback__)


def fault_of(name: str, error: BaseException) -> SubjectFault | None:
    """The error as one of the subject called ``name``, or None where it is not the subject's."""
    place = place_of(error)
    if place is None:
        return None
    return SubjectFault(
        f"{name} raised {first_line(error)} ({place}); what it was given is a vector like "
        "those it took before"
    )


def is_crash(error: BaseException) -> bool:
    """Whether it is no refusal: a ValueError says that an input does not suit."""
    return not isinstance(error, ValueError)


def blame(error: Exception) -> None:
    """Return where the error is the subject's, raised under a call of it or a :class:`BadAnswer`.

    Raises:
        Exception: the error itself, which is this program's.
    """
    if not isinstance(error, BadAnswer) and not any(map(_calls_subject, _frames(error))):
        raise error


def takes_nothing(name: str, troubles: dict[str, Exception]) -> SubjectFault:
    """A subject that raised at every ordinary vector, by the kind of array it was given."""
    description = "; ".join(
        f"{kind}: {first_line(error)} ({place_of(error) or 'no line of its own'})"
        for kind, error in troubles.items()
    )
    return SubjectFault(f"{name} takes no vector of either kind ({description})")


def place_of(error: BaseException) -> str | None:
    """``file, line n`` of the subject's code that raised, or None where it was not called."""
    frames = list(extract_tb(error.__traceback__))
    calls = [place for place, code in enumerate(_frames(error)) if _calls_subject(code)]
    if not calls or calls[-1] + 1 == len(frames):
        return None
    theirs = frames[calls[-1] + 1 :]
    outside = [frame for frame in theirs if "site-packages" not in frame.filename]
    last = (outside or theirs)[-1]
    return f"{Path(last.filename).name}, line {last.lineno}"


def first_line(error: BaseException) -> str:
    """Type and first line of what an error says."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def _frames(error: BaseException) -> Iterator[CodeType]:
    """The code that the error passed through, the innermost last; no source is read."""
    return (frame.f_code for frame, _ in walk_tb(error.__traceback__))


def _calls_subject(code: CodeType) -> bool:
    return code.co_name in _CALLS.get(code.co_filename, ())
