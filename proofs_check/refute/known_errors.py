"""Wrong theorems that are often believed: ``python -m proofs_check.refute --known-errors``.

Each says of a method what holds of another, or drops a term or a limit that its theory has. None of
them was made from a theorem of this project, and no attacker was changed for one of them.
"""

from __future__ import annotations

from proofs_check.refute.claim import Claim
from proofs_check.refute.stated import claim

_SGD = "2*initial_gap/(gamma*T) + gamma*L*sigma2/n"
_DISTANCE = "(1 - gamma*mu)**T*R2 + gamma*sigma2/(n*mu)"


def _as_sgd(name: str, method: str) -> Claim:
    """The bound of parallel SGD, at its stepsizes."""
    return claim(name, method=method, limit="1/L", bound=_SGD)


def _settles(name: str, method: str, limit: str, bound: str = _DISTANCE) -> Claim:
    """A squared distance under ``bound``."""
    return claim(name, method=method, metric="squared_distance", limit=limit, bound=bound)


KNOWN_ERRORS: tuple[Claim, ...] = (
    # Koloskova, Loizou, Boreiri, Jaggi, Stich 2020, arXiv:2003.10422: local steps drift apart
    _as_sgd("local SGD costs no more than parallel SGD", "local-sgd"),
    # Karimireddy et al. 2020, arXiv:1910.06378: to a point that is no minimiser
    _settles("FedAvg reaches the minimiser", "local-sgd", "1/L"),
    # Lian et al. 2017, arXiv:1705.09056: workers stay apart
    _as_sgd("gossip costs no more than parallel SGD", "d-psgd"),
    # Yuan, Ling, Yin 2016, arXiv:1310.7063: at a constant stepsize near it only
    _settles("decentralised gradient descent reaches the minimiser", "d-psgd", "1/L"),
    # Alistarh et al. 2017, arXiv:1610.02132: the quantiser's variance is paid for
    _as_sgd("quantisation costs nothing", "qsgd"),
    # Stich, Karimireddy 2019, arXiv:1909.05350: stepsizes of delta/L
    _as_sgd("error feedback costs nothing", "top-k"),
    # Richtarik, Sokolov, Fatkhullin 2021, arXiv:2106.05203, Theorem 1
    claim("EF21 at 1/L", method="ef21", limit="1/L", bound="2*initial_gap/(gamma*T)"),
    # Gorbunov, Burlachenko, Li, Richtarik 2021, arXiv:2102.07845, Theorem 2.1
    claim("MARINA at 1/L", method="marina", limit="1/L", bound="2*initial_gap/(gamma*T)"),
    # Mishchenko, Gorbunov, Takac, Richtarik 2019, arXiv:1901.09269: 1/(1 + omega/n) of it
    claim(
        "DIANA at 1/L, whatever omega",
        method="diana",
        metric="squared_distance",
        limit="1/L",
        bound="10*(1 - gamma*mu/2)**T*R2 + 10*gamma*sigma2/mu",
        needs=("omega",),
    ),
    # Tang et al. 2018, arXiv:1803.06443: only if it loses little
    claim(
        "DCD-PSGD with any operator",
        method="dcd-psgd",
        limit="1/(4*L)",
        needs=("omega",),
        bound="20*initial_gap/(gamma*T) + 20*gamma*L*sigma2 + 100*(gamma*L)**2*zeta2",
    ),
    # Lian, Huang, Li, Liu 2015, arXiv:1506.08272: stepsizes of 1/(L tau)
    claim(
        "delays cost nothing",
        method="asp",
        limit="1/L",
        bound="2*initial_gap/(gamma*T) + gamma*L*sigma2",
    ),
    # Recht, Re, Wright, Niu 2011, arXiv:1106.5730: unless gradients are sparse
    claim(
        "writing without locks costs nothing",
        method="hogwild",
        limit="1/L",
        bound="2*initial_gap/(gamma*T) + gamma*L*sigma2",
    ),
    # Nedic, Olshevsky, Shi 2016, arXiv:1607.03218: stepsizes shrink with the gap
    _settles(
        "gradient tracking at 1/L on every graph",
        "gradient-tracking",
        "1/L",
        "10*R2 + gamma*sigma2/mu",
    ),
    # Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792
    _as_sgd("push-sum gossip costs no more than parallel SGD", "sgp"),
    # Zhang, Duchi, Wainwright 2012, arXiv:1209.4129: a bias that no number of workers lessens
    _settles("averaging once has no bias", "one-shot-averaging", "1/L"),
    # Yu, Jin, Yang 2019, arXiv:1905.03817: 1/(1 - beta)^2 times the noise
    _as_sgd("momentum costs no more than parallel SGD", "pr-sgd-momentum"),
    # Zhang, Choromanska, LeCun 2014, arXiv:1412.6651
    _as_sgd("the elastic centre makes parallel SGD's steps", "easgd"),
    # Wang, Tantia, Ballas, Rabbat 2019, arXiv:1910.00643
    _as_sgd("slow momentum costs no more than parallel SGD", "slowmo"),
    # Karimireddy, Rebjock, Stich, Jaggi 2019, arXiv:1901.09847: signs of skewed noise drift
    claim(
        "signs reach a stationary point",
        method="signsgd",
        limit="1/L",
        bound="2*initial_gap/(gamma*T) + gamma*L*n",
    ),
    # Mishchenko, Malinovsky, Stich, Richtarik 2022, arXiv:2202.09357: at most 2/L, below it
    _settles("Scaffnew at 2/L", "scaffnew", "2/L", "10*R2"),
)
"""Wrong theorems, in the words of who believes them."""
