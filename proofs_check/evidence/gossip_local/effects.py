"""Effects of local work over gossip."""

from __future__ import annotations

from functools import partial

from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.columns_data import diabetes_products
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_local.faults import OneGradientStep, Unmixed
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import LastStepAlone

COLA = contrast(
    "cola", "solving local problems saves rounds of messages",
    Setting(
        "lasso-diabetes-products", diabetes_products, 8, 500, None, points=200, d=Fixed.DATA,
        note="ring, 64 columns over the workers, a pass of coordinate descent a step",
    ),
    Reading(target=1e-3),
    method="CoLa",
    baseline=arm("one proximal gradient step in a round", lambda it: OneGradientStep(it.own)),
    without=arm("estimates of A x are never mixed", lambda it: Unmixed(it.own)),
    at_most=0.7, source="He, Bian, Jaggi 2018, arXiv:1808.04883, section 4",
)  # fmt: skip

GOSSIP_LOCAL_SGD = contrast(
    "gossip-local-sgd", "local steps between rounds of gossip save bits",
    Setting(
        "quadratic-unequal, sigma2 = 8", partial(unequal, sigma2=8.0), 8, 400,
        (0.03, 0.06, 0.12, 0.24), replicas=256, d=20, note="ring, d = 20",
        seed=MEASURED_ANEW,
    ),
    Reading("sent_bits", target=0.1, of=" of the mean model"),
    method="local SGD over gossip, H = 4",
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n))),
    without=arm(
        "of the steps between rounds only the last is kept", lambda it: LastStepAlone(it.own)
    ),
    at_most=0.65,
    source="Wang, Joshi 2018, arXiv:1808.07576; Koloskova et al. 2020, arXiv:2003.10422, Theorem 2",
)  # fmt: skip
