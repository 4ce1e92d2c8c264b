"""What theory says of each row of the surveys but scheduling: results, or why none.

A key of the survey's table maps to the results that speak of it, most specific first, or to one
sentence that says why there is none. Theorems are those the catalogue may tune by; orders are
compared, never asserted; estimation results speak of one round of messages.
"""

from __future__ import annotations

from theory.estimation.atomic_sparsification import atomic_sparsification
from theory.estimation.k_level import k_level
from theory.estimation.randomised_mean import randomised_mean
from theory.estimation.rotated_k_level import rotated_k_level
from theory.estimation.stochastic_binary import stochastic_binary
from theory.estimation.variable_length import variable_length
from theory.orders.aasgd import aasgd
from theory.orders.adacomm import adacomm
from theory.orders.asylpg import asylpg
from theory.orders.async_admm import async_admm
from theory.orders.async_coordinate_prox import async_coordinate_prox
from theory.orders.asysg_incon import asysg_incon
from theory.orders.cmfl import cmfl
from theory.orders.cocod_sgd import cocod_sgd
from theory.orders.cr_psgd import cr_psgd
from theory.orders.d_admm import d_admm
from theory.orders.dc_asgd import dc_asgd
from theory.orders.decentralised_admm import decentralised_admm
from theory.orders.delayed_proximal import delayed_proximal
from theory.orders.dist_ef_sgdm import dist_ef_sgdm
from theory.orders.ecq_sgd import ecq_sgd
from theory.orders.global_momentum import global_momentum
from theory.orders.gtop_k import gtop_k
from theory.orders.hogwild import hogwild
from theory.orders.hybrid_block_descent import hybrid_block_descent
from theory.orders.inexact_quantised import inexact_quantised
from theory.orders.k_avg import k_avg
from theory.orders.lag import lag
from theory.orders.lamb_large_batch import lamb_large_batch
from theory.orders.laq import laq
from theory.orders.lars_large_batch import lars_large_batch
from theory.orders.layer_wise_adaptive import layer_wise_adaptive
from theory.orders.linearised_admm import linearised_admm
from theory.orders.lock_free import lock_free
from theory.orders.lupa_sgd import lupa_sgd
from theory.orders.one_shot_averaging import one_shot_averaging
from theory.orders.pqasgd import pqasgd
from theory.orders.pr_sgd_momentum import pr_sgd_momentum
from theory.orders.qsparse_local import qsparse_local
from theory.orders.r2sp import r2sp
from theory.orders.random_admm import random_admm
from theory.orders.ri_sgd import ri_sgd
from theory.orders.sketched_sgd import sketched_sgd
from theory.orders.top_k_analytic import top_k_analytic
from theory.orders.truncated_regret import truncated_regret
from theory.orders.unbounded_delays import unbounded_delays
from theory.orders.variance_budget import variance_budget
from theory.survey.gossip_theory import GOSSIP_THEORY
from theory.theorem import Result
from theory.theorems.absolute_compressor_ef import absolute_compressor_ef
from theory.theorems.asysg_con import asysg_con
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.diana import diana
from theory.theorems.diana_nonconvex import diana_nonconvex
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.mem_sgd import mem_sgd
from theory.theorems.pr_sgd import pr_sgd
from theory.theorems.signsgd import signsgd
from theory.theorems.signsgd_majority import signsgd_majority
from theory.theorems.ssp import ssp
from theory.theorems.ssp_constant_step import ssp_constant_step

UNBIASED: tuple[Result, ...] = (compressed_bsp_strongly_convex, compressed_bsp_nonconvex)
"""Any operator in U(omega), sent plainly."""

FEEDBACK: tuple[Result, ...] = (ef_sgd_workers, ef_sgd_nonconvex)
"""Any contraction with error feedback on every worker."""

BSP: tuple[Result, ...] = (bsp_strongly_convex_decreasing, bsp_strongly_convex, bsp_nonconvex)
"""One batch a step, of n gradients at the newest model."""

LOCAL: tuple[Result, ...] = (local_sgd, local_sgd_nonconvex)
"""At most H local steps between two averagings."""

ROW_THEORY: dict[str, tuple[Result, ...] | str] = GOSSIP_THEORY | {
    "one-bit-sgd": FEEDBACK,
    "strom-threshold": "the paper gives no convergence theorem: values of plus or minus tau leave "
    "an error that grows with the gradient, so neither a contraction nor a bounded error holds",
    "qsgd": UNBIASED,
    "terngrad": UNBIASED,
    "signsgd": (signsgd,),
    "signsgd-majority": (signsgd_majority,),
    "ef-signsgd": FEEDBACK,
    "dist-ef-sgd": (ef_sgd_two_way, dist_ef_sgdm),
    "atomo": (*UNBIASED, atomic_sparsification),
    "spectral-atomo": (*UNBIASED, atomic_sparsification),
    "diana": (diana, diana_nonconvex),
    "laq": (laq,),
    "natural-compression": UNBIASED,
    "natural-dithering": UNBIASED,
    "asylpg": (asylpg,),
    "stochastic-binary": (*UNBIASED, stochastic_binary, k_level),
    "rotated-quantisation": (*UNBIASED, rotated_k_level),
    "variable-length-coding": (*UNBIASED, variable_length),
    "randomised-mean": (*UNBIASED, randomised_mean),
    "ecq-sgd": (ecq_sgd,),
    "three-lc": FEEDBACK,
    "dorefa": "the paper gives no convergence theorem: the gradient's quantiser is unbiased within "
    "its range, and a network with quantised weights is another objective",
    "low-precision-sgd": "the paper gives no convergence theorem that speaks of relative variance: "
    "a fixed grid rounds with an absolute error of at most a quarter of its squared step",
    "adaptive-quantisation": (inexact_quantised,),
    "random-mask": (*FEEDBACK, *UNBIASED),
    "random-k": (mem_sgd, *FEEDBACK, *UNBIASED),
    "wangni": (*UNBIASED, variance_budget),
    "top-k": (mem_sgd, *FEEDBACK, top_k_analytic),
    "dryden": FEEDBACK,
    "aji-heafield": FEEDBACK,
    "adacomp": "the paper gives no convergence theorem: which coordinates are sent depends on the "
    "residual and on the latest gradient, and their value is the mean of the bins' largest",
    "sbc": FEEDBACK,
    "stc": (ef_sgd_two_way, *FEEDBACK),
    "gtop-k": (gtop_k,),
    "gaussian-k": FEEDBACK,
    "adaptive-k": FEEDBACK,
    "lags": (ef_sgd_workers, layer_wise_adaptive),
    "variance-based": "the paper gives no convergence theorem: an element waits until its sum is "
    "clear against its noise, without a bound on how long",
    "sketched-sgd": (sketched_sgd,),
    "truncated-gradient": (truncated_regret,),
    "meprop": "the paper gives no convergence theorem: the error that is propagated back is "
    "truncated in every layer, which biases the gradient",
    "two-way-truncation": "the guarantee of the paper is for sparse linear regression; its "
    "constants are not known for certain, and truncation both ways biases what is sent",
    "ibcd": UNBIASED,
    "bcd": (hybrid_block_descent,),
    "powersgd": "the paper gives no convergence theorem: with Q kept from step to step one step is "
    "no contraction with a fixed delta, so the theorems on error feedback do not apply",
    "gradiveq": "the paper gives no convergence theorem: a fixed basis loses what lies outside it, "
    "so delta is the captured energy and may be 0",
    "error-feedback": (mem_sgd, *FEEDBACK, ef_sgd_two_way, absolute_compressor_ef),
    "momentum-correction": "the paper gives no convergence theorem: factor masking drops momentum "
    "together with what was sent",
    "gmc": (global_momentum,),
    "local-clipping": "the paper gives no convergence theorem: the clip biases the mean wherever "
    "gradients align",
    "warm-up": (bsp_nonconvex,),
    "dgc": "the paper gives no convergence theorem: evidence is by experiment",
    "bsp-sgd": BSP,
    "backup-workers": BSP,
    "ssp": (ssp, ssp_constant_step),
    "essp": (ssp, ssp_constant_step),
    "r2sp": (r2sp, asysg_con),
    "asp": (asysg_con, asysg_incon, unbounded_delays),
    "hogwild": (hogwild, lock_free, asysg_incon),
    "downpour": "the paper gives no convergence theorem: evidence is by experiment",
    "dc-asgd": (dc_asgd,),
    "easgd": "the paper analyses stability on quadratics, which ``theory.rules.stability`` holds; "
    "the bound for non-convex functions in the literature is for the mean of workers and centre "
    "together",
    "aasgd": (aasgd,),
    "delayed-proximal": (delayed_proximal,),
    "async-coordinate-prox": (async_coordinate_prox,),
    "d-admm": (d_admm,),
    "decentralised-admm": (decentralised_admm,),
    "linearised-admm": (linearised_admm,),
    "random-admm": (random_admm,),
    "async-admm": (async_admm,),
    "lag": (lag,),
    "cmfl": (cmfl,),
    "bounded-loss": UNBIASED,
    "one-shot-averaging": (one_shot_averaging,),
    "local-sgd": LOCAL,
    "k-avg": (k_avg, local_sgd_nonconvex),
    "pr-sgd": (pr_sgd, local_sgd_nonconvex),
    "pr-sgd-momentum": (pr_sgd_momentum,),
    "lupa-sgd": (lupa_sgd, *LOCAL),
    "ri-sgd": (ri_sgd, pr_sgd, *LOCAL),
    "coded-regression": BSP,
    "cocod-sgd": (cocod_sgd,),
    "post-local-sgd": LOCAL,
    "cr-psgd": (cr_psgd,),
    "adacomm": (adacomm,),
    "bmuf": "the paper gives no convergence theorem: evidence is by experiment",
    "cooperative-sgd": (cooperative_sgd, local_sgd_nonconvex),
    "pqasgd": (pqasgd,),
    "qsparse-local-sgd": (qsparse_local,),
    "linear-scaling": "the papers give no convergence theorem: the rule keeps stepsize over batch, "
    "and with it the stationary variance to first order",
    "sqrt-scaling": "the papers give no convergence theorem: the rule keeps the covariance of a "
    "step",
    "legw": "the paper gives no convergence theorem: it is a rule for the warm-up",
    "lars": (lars_large_batch,),
    "lamb": (lamb_large_batch,),
    "batch-growth": "the paper gives no convergence theorem: a batch that grows keeps the noise "
    "scale of a stepsize that decays",
}
