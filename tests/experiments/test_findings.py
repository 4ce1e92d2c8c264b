"""The script behind the findings of docs/audit.md, on a made-up checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from experiments.findings.__main__ import checkouts, commit, verdict
from experiments.findings.entries import LIBRARIES

SOUND = "return x.norm(p=1) / x.nelement() * x.sign()"
FAULTY = "return x.norm(p=1) * x.sign()"


def library(folder: Path, rule: str) -> Path:
    """A checkout with two functions of the names that the script looks for."""
    (folder / "optimizers").mkdir(parents=True)
    text = f"def scaled_sign(x):\n    {rule}\n\n\ndef unscaled_sign(x):\n    return x.sign()\n"
    (folder / "optimizers" / "ErrorFeedbackSGD.py").write_text(text)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "outcome"), [(SOUND, "supported"), (FAULTY, "refuted")])
def test_a_library_is_audited_from_its_checkout(tmp_path, rule, outcome):
    place = library(tmp_path / "checkout", rule)
    told = subprocess.run(
        [sys.executable, "-m", "experiments.findings", f"error-feedback={place}"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    line = next(line for line in told.splitlines() if line.startswith("| scaled_sign"))
    assert f"| {outcome}: " in line
    assert "rateproof audit optimizers.ErrorFeedbackSGD:scaled_sign --delta 1/d" in line


def test_a_cell_tells_claims_class_and_what_is_refuted():
    found = {
        "class": {"name": "neither"},
        "claims": [{"outcome": "refuted", "claim": "E C(x) = x", "evidence": "at x = (1)"}],
        "behaviour": [
            {"outcome": "supported", "check": "ties", "evidence": "fine"},
            {"outcome": "refuted", "check": "zero", "evidence": "C(0) = nan | all"},
        ],
    }
    assert verdict(found) == (
        "refuted: E C(x) = x<br>at x = (1)<br>class: neither<br>zero: C(0) = nan \\| all"
    )
    assert "does not run" in verdict(found | {"class": None})


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
