"""Studies of corrected and compressed gossip: each sees a fault planted in its method."""

from __future__ import annotations

import pytest

from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from proofs_check.evidence.gossip import studies_choco as choco_tolerance
from proofs_check.evidence.gossip_compressed import studies as d2_bias
from proofs_check.evidence.gossip_compressed import studies as d2_limit
from proofs_check.evidence.gossip_compressed import studies_difference as dcd_noise
from proofs_check.evidence.gossip_compressed import studies_difference as ecd_noise
from proofs_check.evidence.gossip_compressed.effects import UncorrectedD2, UnmixedD2
from proofs_check.evidence.gossip_compressed.faults import SelfishDCD, SlowECD
from proofs_check.instruments.study import StudyResult
from proofs_check.methods.faulty.faulty_method import wrapped
from proofs_check.methods.faulty.methods import HastyChoco
from proofs_check.verdict import Outcome

CASES = {
    "d2_bias": lambda: d2_bias.d2_bias_measure(wrapped(UncorrectedD2, D2)),
    "d2_limit": lambda: d2_limit.d2_limit_measure(wrapped(UnmixedD2, D2)),
    "dcd_noise": lambda: dcd_noise.dcd_noise_measure(wrapped(SelfishDCD, DCDPSGD)),
    "ecd_noise": lambda: ecd_noise.ecd_noise_measure(wrapped(SlowECD, ECDPSGD)),
    "choco_tolerance": lambda: choco_tolerance.choco_tolerance_measure(
        wrapped(HastyChoco, ChocoGossip)
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_fault_is_seen(name: str) -> None:
    result: StudyResult = CASES[name]()
    assert any(v.outcome is Outcome.REFUTED for v in result.verdicts), result.verdicts
