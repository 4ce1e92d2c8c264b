"""Tables of modules that note which of their entries are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, final


@final
class NotedTable(dict[Any, Any]):
    """A dictionary that tells ``note`` of each mutant's number whose entry is read.

    Keys alone tell nothing; a copy, and what takes all values, reads every entry.
    """

    def __init__(
        self, value: Mapping[Any, Any], keys: Mapping[int, Sequence[str]],
        note: Callable[[int, Any], Any],
    ) -> None:  # fmt: skip
        super().__init__(value)
        self._note, self._numbers = note, dict[Any, list[int]]()
        for number, own in keys.items():
            for key in own:
                self._numbers.setdefault(key, []).append(number)

    def __getitem__(self, key: Any) -> Any:
        for number in self._numbers.get(key, ()):
            self._note(number, None)
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[Any]:  # so that copies ask for entries one by one
        return super().__iter__()

    def get(self, key: Any, default: Any = None) -> Any:
        """The entry, or ``default``."""
        return self[key] if key in self else default

    def values(self) -> Any:
        """All entries, which are read."""
        return [self[key] for key in self]

    def items(self) -> Any:
        """All keys with their entries, which are read."""
        return [(key, self[key]) for key in self]

    def copy(self) -> dict[Any, Any]:
        """All entries, which are read."""
        return dict(self.items())

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __eq__(self, other: object) -> bool:
        return self.copy() == other

    def __reduce__(self) -> Any:
        return dict, (self.copy(),)
