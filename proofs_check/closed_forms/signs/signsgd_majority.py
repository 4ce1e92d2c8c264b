"""How often a majority of signs errs (Bernstein et al. 2018, arXiv:1802.04434)."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import torch

from algorithms.compressors.sign import Sign
from proofs_check.closed_forms.signs.signsgd import sent_for
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict


def vote_error(n: int, q: Fraction) -> Fraction:
    """Probability that the vote of n workers is wrong when each is with probability q, exactly."""
    wrong = Fraction(0)
    for pattern in itertools.product((1.0, -1.0), repeat=n):
        votes = torch.stack([sent_for(Sign(), vote) for vote in pattern]).mean(0)
        if float(sent_for(Sign(), float(votes))[0]) < 0:
            missed = sum(vote < 0 for vote in pattern)
            wrong += q**missed * (1 - q) ** (n - missed)
    return wrong


def majority() -> tuple[Verdict, ...]:
    """How often the majority errs, a binomial tail: 0.104 for three workers that are wrong one time
    in five, 0.01958144 for nine."""
    q, verdicts = Fraction(1, 5), []
    for n, stated in ((3, 0.104), (9, 0.01958144)):
        tail = sum(comb(n, k) * q**k * (1 - q) ** (n - k) for k in range((n + 1) // 2, n + 1))
        verdicts.append(
            identity(
                "signsgd-majority",
                f"{n} workers err with probability {stated} for q = 1/5",
                [float(vote_error(n, q)), float(tail)],
                stated,
                check="closed form",
                provenance="all patterns of votes through sign up and sign down; binomial tail",
            )
        )
    return tuple(verdicts)


CLOSED_FORMS = (majority,)
