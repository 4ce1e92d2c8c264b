"""The commands that docs/audit.md tells a reader to type, typed: they say what the page says."""

from __future__ import annotations

import json
import re
import shlex
from functools import partial
from pathlib import Path

import pytest

from experiments.commands import audit as audit_words
from proofs_check.audit.plan import Plan
from tests.experiments.calls import call

pytestmark = [pytest.mark.processes, pytest.mark.sharded]

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
TYPED = [
    shlex.split(line) for line in re.findall(r"^    rateproof (audit .*)$", PAGE, re.MULTILINE)
]
FEW = ("-d", "20", "--samples", "200")
HOOK = "from tests.proofs_check.audit.users_hooks import top_tenth as topk_hook\n"


def words(subject: str) -> list[str]:
    """The page's command on this subject."""
    (found,) = [typed for typed in TYPED if typed[1] == subject]
    return found


@pytest.fixture(autouse=True)
def few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_words, "Plan", partial(Plan, search=100))


def test_every_command_of_the_page_is_typed_here() -> None:
    assert {typed[1] for typed in TYPED} == {
        "MODULE:ATTRIBUTE", "MODULE:HOOK", "torch:fp16", "train:topk_hook",
    }  # fmt: skip


@pytest.mark.slow
def test_a_hook_of_torch_is_in_the_class_that_the_page_says() -> None:
    code, out, err = call(*words("torch:fp16"), *FEW)
    assert code == 0, err
    assert "class: neither" in out
    assert "| `fp16_compress_hook` | `torch:fp16` | neither |" in PAGE


@pytest.mark.slow
def test_a_hook_of_ones_own_holds_the_page_s_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And worst vectors are those of top-k: all entries of one size, 1 - k/d is lost."""
    (tmp_path / "train.py").write_text(HOOK)
    monkeypatch.syspath_prepend(tmp_path)
    code, out, err = call(*words("train:topk_hook"), *FEW, "--json")
    assert code == 0, out + err
    found = json.loads(out)
    ratios = {one["d"]: one["ratio"] for one in found["dimensions"]}
    assert ratios == pytest.approx({1: 0, 4: 3 / 4, 16: 15 / 16, 20: 9 / 10, 100: 9 / 10})
    assert found["class"]["name"] == "contraction" and not found["faulty"]
    (bits,) = [one for one in found["claims"] if one["check"] == "bits"]
    assert bits["tightness"] == 1
