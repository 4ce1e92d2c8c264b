"""Rates that are stated without constants we could rest on, one per file; ORDERS holds all."""

from theory.orders.asylpg import asylpg
from theory.orders.dist_ef_sgdm import dist_ef_sgdm
from theory.orders.ecq_sgd import ecq_sgd
from theory.orders.global_momentum import global_momentum
from theory.orders.gtop_k import gtop_k
from theory.orders.hybrid_block_descent import hybrid_block_descent
from theory.orders.inexact_quantised import inexact_quantised
from theory.orders.laq import laq
from theory.orders.layer_wise_adaptive import layer_wise_adaptive
from theory.orders.sketched_sgd import sketched_sgd
from theory.orders.top_k_analytic import top_k_analytic
from theory.orders.truncated_regret import truncated_regret
from theory.orders.variance_budget import variance_budget
from theory.theorem import OrderOnly

ORDERS: tuple[OrderOnly, ...] = (
    dist_ef_sgdm,
    laq,
    asylpg,
    ecq_sgd,
    sketched_sgd,
    gtop_k,
    layer_wise_adaptive,
    top_k_analytic,
    global_momentum,
    truncated_regret,
    inexact_quantised,
    hybrid_block_descent,
    variance_budget,
)
