"""The script behind the findings of docs/audit.md, on a made-up checkout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.findings.__main__ import (
    checkouts,
    commit,
    kept,
    look_at,
    main,
    table,
    verdict,
)
from experiments.findings.entries import LIBRARIES

SOUND = "return x.norm(p=1) / x.nelement() * x.sign()"
FAULTY = "return x.norm(p=1) * x.sign()"


def library(folder: Path, rule: str) -> Path:
    """A checkout with two functions of the names that the script looks for."""
    (folder / "optimizers").mkdir(parents=True)
    text = f"def scaled_sign(x):\n    {rule}\n\n\ndef unscaled_sign(x):\n    return x.sign()\n"
    (folder / "optimizers" / "ErrorFeedbackSGD.py").write_text(text)
    return folder


PEER = next(each for each in LIBRARIES if each.key == "error-feedback")


@pytest.mark.processes
@pytest.mark.slow
@pytest.mark.parametrize(("rule", "outcome"), [(SOUND, "supported"), (FAULTY, "refuted")])
def test_a_library_is_audited_from_its_checkout(tmp_path, rule, outcome):
    one = replace(PEER, claimed=tuple(c for c in PEER.claimed if c.title == "scaled_sign"))
    found = look_at(one, library(tmp_path / "checkout", rule))
    line = next(line for line in table(one, found).splitlines() if "| scaled_sign" in line)
    assert f"| {outcome}: " in line
    assert "rateproof audit optimizers.ErrorFeedbackSGD:scaled_sign --delta 1/d" in line


def test_a_cell_tells_claims_class_and_what_is_refuted():
    claim = {"outcome": "refuted", "check": "monte-carlo", "claim": "E C(x) = x"}
    zero = {"outcome": "refuted", "check": "zero", "claim": "", "evidence": "C(0) = nan | all"}
    found = {
        "class": {"name": "neither"},
        "claims": [claim | {"evidence": "at x = (1)"}] * 2,
        "behaviour": [zero | {"outcome": "supported", "check": "ties"}, zero],
    }
    assert verdict(kept(found)) == (
        "refuted: E C(x) = x<br>at x = (1)<br>class: neither<br>zero: C(0) = nan \\| all"
    )
    assert "does not run" in verdict(kept(found | {"class": None}))
    assert verdict({"failed": "no such module"}) == "does not run: no such module"


def test_the_page_shows_what_the_script_prints(capsys):
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text()
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert printed.count("### ") == len(LIBRARIES) and printed in page
    assert printed.replace("supported", "refuted", 1) not in page


def test_a_compressor_of_which_nothing_is_stored_is_named():
    with pytest.raises(ValueError, match="error-feedback=PATH with a checkout of epfml/error-f"):
        table(PEER, {"commit": "unknown", "found": {}})


@pytest.mark.processes
def test_arguments_that_are_no_checkouts_are_refused(tmp_path):
    assert checkouts([f"grace={tmp_path}"]) == {"grace": tmp_path.resolve()}
    for wrong in ("grace", f"nobody={tmp_path}", "grace=/no/such/folder"):
        with pytest.raises(ValueError, match="KEY=PATH with a folder and a key of grace, choco"):
            checkouts([wrong])
    assert commit(tmp_path) == "unknown"


def test_every_claim_names_its_source():
    """And whatever claims nothing names none."""
    for one in (claimed for each in LIBRARIES for claimed in each.claimed):
        claims = {"--unbiased", "--omega", "--delta", "--bits"} & set(one.options)
        assert bool(claims) == bool(one.source), one
