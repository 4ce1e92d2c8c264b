"""Studies of corrected and compressed gossip: each sees a fault planted in its method."""

from __future__ import annotations

import pytest

from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from proofs_check.instruments.study import StudyResult
from proofs_check.methods.faulty.faulty_method import wrapped
from proofs_check.methods.faulty.methods import HastyChoco
from proofs_check.mutants.gossip_compressed import SelfishDCD, SlowECD, UncorrectedD2, UnmixedD2
from proofs_check.studies.gossip import choco_tolerance
from proofs_check.studies.gossip_compressed import d2_bias, d2_limit, dcd_noise, ecd_noise
from proofs_check.verdict import Outcome

CASES = {
    "d2_bias": lambda: d2_bias.measure(wrapped(UncorrectedD2, D2)),
    "d2_limit": lambda: d2_limit.measure(wrapped(UnmixedD2, D2)),
    "dcd_noise": lambda: dcd_noise.measure(wrapped(SelfishDCD, DCDPSGD)),
    "ecd_noise": lambda: ecd_noise.measure(wrapped(SlowECD, ECDPSGD)),
    "choco_tolerance": lambda: choco_tolerance.measure(wrapped(HastyChoco, ChocoGossip)),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_fault_is_seen(name: str) -> None:
    result: StudyResult = CASES[name]()
    assert any(v.outcome is Outcome.REFUTED for v in result.verdicts), result.verdicts
