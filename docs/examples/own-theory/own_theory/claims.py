"""What is claimed, as objects that a suite can attack."""

from __future__ import annotations

import rateproof
from own_theory.parts import tracking, tracking_start

TRACKING = rateproof.method(
    "gradient tracking",
    tracking,
    start=tracking_start,
    parameters={"eta": 0.05},
    exact=True,  # reaches x* whatever the workers' data
    conserves=("mean(y) = mean(grad)",),
    limit="(1+l_n)**2/(2*L)",
)

DESCENT = rateproof.claim(
    "descent of gradient descent",
    method="bsp-sgd",
    limit="1/L",
    bound="2*initial_gap/(gamma*T) + gamma*L*sigma2/n",
)
