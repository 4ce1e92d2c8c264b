"""Origins of what is computed while modules load: definitions at their top level that ask."""

from __future__ import annotations

from pathlib import Path
from types import FrameType

from experiments.closure.graph import Name
from experiments.mutation.sites import names_of, parsed


def origins(frame: FrameType | None) -> frozenset[Name | None]:
    """The definition of a module that is being made, for which a frame computes, and the functions
    between them that keep what they give: who asks these next is given it too.

    None is among them where it cannot be told: no module is being made, or its statement defines no
    name or several.
    """
    found = set[Name | None]()
    while frame is not None:
        code, module = frame.f_code, frame.f_globals
        if code.co_name == "<module>":
            own = _defined(str(module.get("__name__")), Path(code.co_filename), frame.f_lineno)
            return frozenset({*found, own})
        if _kept(code.co_qualname, module):
            found.add((str(module.get("__name__")), code.co_qualname.partition(".")[0]))
        frame = frame.f_back
    return frozenset({None})


def _kept(name: str, module: dict[str, object]) -> bool:
    """Whether the function of that name in a module is a cached one."""
    first, *rest = name.split(".")
    found = module.get(first)
    for part in rest:
        found = getattr(found, part, None)
    return hasattr(found, "cache_info")


def _defined(module: str, file: Path, line: int) -> Name | None:
    for statement in parsed(file).body if file.is_file() else ():
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            names = names_of(statement)
            return (module, names.pop()) if len(names) == 1 else None
    return None
