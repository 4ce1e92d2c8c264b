"""The regret of SSP, and faults that its bound must see."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from algorithms.methods.synchronous.parameter_server import Weighting
from algorithms.synchronisation.stale import SSP, EagerSSP
from proofs_check.curves import PanelLine
from proofs_check.evidence.synchronous import studies as ssp_regret
from proofs_check.verdict import Outcome


@pytest.mark.slow
@pytest.mark.parametrize("barrier", [SSP, EagerSSP])
def test_regret_stays_under_its_bound(barrier: type[SSP | EagerSSP]) -> None:
    result = ssp_regret.measure(barrier)
    for verdict in result.verdicts:
        assert verdict.outcome is Outcome.SUPPORTED, verdict.evidence
        assert verdict.tightness is not None and 0.2 < verdict.tightness < 1
    for lead in (0, 1, 4):
        (line,) = (
            one for one in result.curves if isinstance(one, PanelLine) and one.name == f"s={lead}"
        )
        assert line.low is not None and line.high is not None
        assert (line.x == 8 * np.arange(1, len(line.x) + 1)).all()
        assert (line.low <= line.y).all() and (line.y <= line.high).all()


@pytest.mark.slow
def test_a_server_that_divides_by_n_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Erratum E2: updates are summed, a mean moves n times too little for its bound. After 60
    clocks it is 1 % above, after 240 1.8 times."""
    monkeypatch.setattr(ssp_regret, "_CLOCKS", 240)
    monkeypatch.setattr(ssp_regret, "_STALENESS", (0,))
    (verdict,) = ssp_regret.measure(weighting=Weighting.ALL).verdicts
    assert verdict.outcome is Outcome.REFUTED, verdict


def test_losses_are_those_of_the_shards() -> None:
    problem, point, c = ssp_regret.setting(2)
    x = torch.stack([point, 0 * point, -point])
    every = torch.arange(8).expand(3, 8)
    mean = problem.worker_values(x[:, None].expand(3, 8, -1), every).mean(-1)
    assert torch.allclose(mean, problem.value(x), rtol=1e-12)
    assert (c.lead, c.lipschitz) == (2, 1.0)
    slopes = problem.full_gradient(x[:, None], torch.arange(8)).norm(dim=-1)
    assert float(slopes.max()) <= 1.0
