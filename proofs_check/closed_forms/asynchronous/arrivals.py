"""One gradient arrives, one is applied: what the survey prints of asynchronous SGD (E3, T3)."""

from __future__ import annotations

from algorithms.engine.run import run
from algorithms.methods.synchronous.parameter_server import ParameterServer
from proofs_check.closed_forms.asynchronous.replays import TICKS, TIMES, uneven
from proofs_check.closed_forms.erratum import erratum
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric
from theory.theorems.asysg_con import asysg_con

COVERS = ("asp",)


def e3() -> tuple[Verdict, ...]:
    """The server hears one worker a step: 32 N bits an update, not n times that."""
    problem = uneven()
    server = ParameterServer(ConstantStep(0.1), TICKS, TIMES)
    account = run(server, problem, steps=TICKS).account
    messages = float(account.sent_messages.double().sum()) / TICKS
    return (
        erratum(
            "E3", "asp", "gradients that an update of the server takes, by the ledger",
            (messages, 1.0), (float(problem.n), messages),
            f"{problem.n} workers, {TICKS} updates; printed: the sum over all workers",
        ),
    )  # fmt: skip


def t3() -> tuple[Verdict, ...]:
    """The bound cited for f - f* of convex functions is one of squared gradients, convex or not."""
    c = Constants(L=2.0, sigma2=5.0, zeta2=0.0, tau=3, initial_gap=3.0, convex=False)
    step = asysg_con.stepsize(c, 100)
    return (
        erratum(
            "T3", "asp", "Lian et al. 2015 ask for no convexity and bound squared gradients",
            (float(asysg_con.applies(c, step, 100)), 1.0),
            (float(asysg_con.metric in (Metric.SUBOPTIMALITY, Metric.WEIGHTED_SUBOPTIMALITY)), 1.0),
            f"the theorem's metric is {asysg_con.metric.value}",
        ),
    )  # fmt: skip


CLOSED_FORMS = (e3, t3)
DEMONSTRATIONS = (("E3", e3), ("T3", t3))
