"""Studies of asynchronous methods, and for each a fault that it must see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import pytest

from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.base import Method, RunContext
from algorithms.methods.synchronous.parameter_server import ParameterServer
from proofs_check.evidence.asynchronous import studies as async_speedup
from proofs_check.evidence.asynchronous import studies_delay as aasgd_condition
from proofs_check.evidence.asynchronous import studies_delay as delay_compensation
from proofs_check.evidence.asynchronous import studies_periods as downpour_periods
from proofs_check.evidence.asynchronous import studies_periods as hogwild_sparsity
from proofs_check.evidence.asynchronous.faults import Reversed
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.methods.faulty.methods import FreshASP
from proofs_check.verdict import Outcome


@final
@dataclass(frozen=True)
class _Fresh(FaultyMethod):
    """A ring of versions that all are the newest: reads have no age."""

    right: Method[Any]

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        state.versions[:] = self.right.models(state)
        return self.right.step(state, t, context)


@pytest.mark.slow
def test_studies_see_their_faults() -> None:
    fresh = async_speedup.async_speedup_measure(FreshASP, (64, 100, 144)).verdicts
    assert fresh[-1].outcome is Outcome.REFUTED  # no loss beyond sqrt(K)
    assert (
        hogwild_sparsity.hogwild_sparsity_measure(_Fresh, (1, 48)).verdicts[0].outcome
        is Outcome.REFUTED
    )

    def deaf(method: Downpour) -> Downpour:
        return replace(method, n_push=1, n_fetch=1)

    for verdict in downpour_periods.downpour_periods_measure(deaf, (1, 8)).verdicts:
        assert verdict.outcome is Outcome.REFUTED

    def reverse(server: ParameterServer) -> ParameterServer:
        return replace(server, correction=Reversed(server.correction))

    wrong = delay_compensation.delay_compensation_measure(
        reverse, ("none", "exact Hessian")
    ).verdicts[0]
    assert wrong.outcome is Outcome.REFUTED


@pytest.mark.slow
def test_growth_in_the_condition_number_tells_momentum_from_none() -> None:
    """Plain descent posing as accelerated grows faster than the square root allows, and accelerated
    as plain has too small an exponent."""
    wrapped = aasgd_condition.aasgd_condition_measure(
        aasgd_condition.WITHOUT, aasgd_condition.WITH
    ).verdicts
    assert [one.outcome for one in wrapped] == [Outcome.REFUTED] * 2
    grown, exponent = wrapped
    assert "at most, from kappa = 30 to 300" in grown.claim and grown.bound == (300 / 30) ** 0.5
    assert grown.statistic > grown.bound and exponent.statistic < exponent.bound == 0.5
