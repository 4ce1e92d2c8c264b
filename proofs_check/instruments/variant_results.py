"""Effects in their variants as they were measured once, kept beside this file.

``python -m experiments.power.variants --keep`` measures and keeps them. A result is of one setting
in words and one claimed share: where either was changed since, it says nothing of the effect.
Shares of seeds 201 and 202 were copied from printed lines: three digits, and 0.0 where the baseline
never reached the target.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, final

from proofs_check.instruments.effect_check import ArmComparison, EffectCheck, VariantResult

PATH = Path(__file__).with_name("variant_results.json")
"""Where they are kept: by row, one line each."""

_DIGITS = 4


@final
@dataclass(frozen=True)
class KeptVariant:
    """An effect under one variant.

    Attributes:
        name: the change.
        holds: whether the claimed share holds and the fault's arm does not keep it.
        share: the method's share of the baseline's quantity; None: it never got there.
        without: that of the method without its cause, where the effect does not hold.
        missing: why there is no such variant; empty where there is.
    """

    name: str
    holds: bool
    share: float | None
    without: float | None
    missing: str

    def __str__(self) -> str:
        shares = (_shown(self.share), _shown(self.without))
        return f"{self.name} ({shares[0]}, without its cause {shares[1]})"


@final
@dataclass(frozen=True)
class KeptVariants:
    """An effect under all its variants.

    Attributes:
        row: key of the row.
        seed: of the measured runs.
        at_most: the share that was claimed.
        setting: what was measured, on what and of which arms, in words.
        description: that part of it which makes the run again, as a survey's lines show it.
        results: one for each variant, with those that do not exist.
    """

    row: str
    seed: int
    at_most: float
    setting: str
    description: str
    results: tuple[KeptVariant, ...]

    @property
    def measured(self) -> tuple[KeptVariant, ...]:
        """The variants that there are."""
        return tuple(one for one in self.results if not one.missing)

    @property
    def held(self) -> int:
        """In how many of them the effect holds."""
        return sum(one.holds for one in self.measured)

    @property
    def command(self) -> str:
        """What measures them again."""
        return f"python -m experiments.power.variants {self.row} --seed {self.seed}"

    def speaks_of(self, effect: EffectCheck) -> bool:
        """Whether setting and claim are still those that were measured."""
        return (self.setting, self.at_most) == (_setting(effect), effect.at_most)

    def __str__(self) -> str:
        tried = ", ".join(one.name for one in self.measured)
        lost = "; ".join(str(one) for one in self.measured if not one.holds)
        held = f"holds in {self.held} of {len(self.measured)} variants ({tried}), runs on seed "
        return f"{held}{self.seed}" + (f"; not under {lost}" if lost else "")


@cache
def kept_variants() -> dict[str, KeptVariants]:
    """Kept results of variants, by row."""
    stored: dict[str, Any] = json.loads(PATH.read_text()) if PATH.exists() else {}
    return {row: _decoded(row, entry) for row, entry in stored.items()}


def current_variants(effects: Mapping[str, EffectCheck]) -> dict[str, KeptVariants]:
    """Those kept results whose setting and claim are the effects' own."""
    return {row: one for row, one in kept_variants().items()
            if row in effects and one.speaks_of(effects[row])}  # fmt: skip


def keep(effect: EffectCheck, seed: int, found: Iterable[VariantResult]) -> KeptVariants:
    """Keep an effect's variants in place of what was kept of it, and return them."""
    results = tuple(map(_kept, found))
    return _stored(KeptVariants(
        effect.row, seed, effect.at_most, _setting(effect), effect.description, results
    ))  # fmt: skip


def keep_again(kept: KeptVariants, found: Iterable[VariantResult]) -> KeptVariants:
    """Keep variants that were measured again in place of those of their names, and return all."""
    again = {one.variant.name: _kept(one) for one in found}
    return _stored(replace(kept, results=tuple(again.get(one.name, one) for one in kept.results)))


def _kept(one: VariantResult) -> KeptVariant:
    return KeptVariant(
        one.variant.name, one.holds, _share(one.method), None if one.holds else _share(one.fault),
        "" if one.reason is None else str(one.reason),
    )  # fmt: skip


def _stored(new: KeptVariants) -> KeptVariants:
    every = kept_variants() | {new.row: new}
    lines = [f"{json.dumps(row)}: {json.dumps(_encoded(every[row]))}" for row in sorted(every)]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    kept_variants.cache_clear()
    return new


def _setting(effect: EffectCheck) -> str:
    e = effect
    return "; ".join((e.problem, e.quantity, e.method, e.baseline, e.fault, e.description))


def _encoded(one: KeptVariants) -> dict[str, Any]:
    found = asdict(one)
    del found["row"]
    return found


def _decoded(row: str, entry: dict[str, Any]) -> KeptVariants:
    results = tuple(KeptVariant(**one) for one in entry["results"])
    return KeptVariants(row, **(entry | {"results": results}))


def _share(one: ArmComparison | None) -> float | None:
    """To a few digits; None where nothing was reached."""
    if one is None or not math.isfinite(one.ratio):
        return None
    return float(f"{one.ratio:.{_DIGITS}g}")


def _shown(share: float | None) -> str:
    return "never there" if share is None else f"{share:.3g}"
