"""Thirty questions that people ask, each with the command that answers it, as data."""

from __future__ import annotations

from typing import NamedTuple

FILES: dict[str, tuple[str, str]] = {
    "mine.py": (
        "python",
        '''import numpy as np


def halfdrop(x):
    """Each coordinate with probability 1/2, without the factor 2."""
    return x * (np.random.rand(*x.shape) < 0.5)


def sign(x):
    """As a program has it: sign(0) is 0."""
    return np.abs(x).mean() * np.sign(x)
''',
    ),
    "my_weights.csv": ("csv", "0.5,0.5,0\n0.5,0.25,0.25\n0,0.25,0.75\n"),
    "column.csv": ("csv", "0.5,0.5,0\n0.3,0.4,0.3\n0,0.5,0.5\n"),
}
"""Files of the folder that commands are run in, by name: language and text."""


class AnsweredQuestion(NamedTuple):
    """A question with the command that answers it.

    Attributes:
        asked: the question in words.
        line: what follows ``rateproof``.
        rests_on: how the output is read, and what it rests on.
        shows: pattern of the lines that the page shows.
        first: lines at the start that it shows whatever they are.
        code: exit code.
    """

    asked: str
    line: str
    rests_on: str
    shows: str = r"^(?!(plot|written|trace|data): |reproduced, in )"
    first: int = 0
    code: int = 0


_CLAIMS = (
    r"^refuted|^(supported|proved) {1,4}\S|^ {9,11}\S|^\d+ (refuted|proved|compared|supported)|"
    r"^1e-\d+ a test"
)

_KEPT = (
    "A comparison at equal budgets, each method at the stepsize of a grid that is best there; "
    "`python -m experiments.questions` computes it again."
)
_RATE = (
    "A power law fitted to runs at several values, with an interval for its exponent; every other "
    "setting stays as it is."
)
_AUDIT = (
    "The function is called at hard vectors of several dimensions, and a search looks for worse "
    "ones; the last line says with what probability the tests err. What is measured holds at the "
    "vectors that were looked at."
)

ANSWERED: tuple[AnsweredQuestion, ...] = (
    AnsweredQuestion(
        "Is my compressor unbiased?", "audit mine:halfdrop --unbiased -d 16 --samples 500",
        f"{_AUDIT} Exit code 1 says that a claim is refuted.", _CLAIMS, first=9, code=1,
    ),
    AnsweredQuestion(
        "How much does my compressor lose, and which class of theory fits it?",
        'audit mine:sign --delta "1/d" -d 16 --samples 500', _AUDIT, _CLAIMS, first=9,
    ),
    AnsweredQuestion(
        "Is an operator what its paper says?", 'check "QSGD(s=4)" -d 8',
        "Where the operator's law can be enumerated, fractions over the whole law; else Monte "
        "Carlo at a stated error.", r"^(proved|supported|agrees)|^ +QSGD|^\d+ ", first=4,
    ),
    AnsweredQuestion(
        "With top-k and error feedback, do n workers divide the error by n (linear speedup)?",
        "rate top-k -p quadratic-sc-iid --vary n",
        f"{_RATE} Linear speedup is the exponent -1; where the bound's own exponent is far from "
        "its order too, its leading term does not rule yet.",
    ),
    AnsweredQuestion(
        "And plain parallel SGD?", "rate bsp-sgd -p quadratic-sc-iid --vary n", _RATE,
    ),
    AnsweredQuestion(
        "Does the error fall with T as theory says?", "rate bsp-sgd -p quadratic-sc --vary T",
        f"{_RATE} The stated order is the theorem's.",
    ),
    AnsweredQuestion(
        "What do local steps cost where workers have different data?",
        "rate local-sgd -p quadratic-unequal --vary H",
        f"{_RATE} No theorem states an order here, so the exponent is told and not judged.",
    ),
    AnsweredQuestion(
        "What does a small spectral gap cost?", "rate d-psgd -p quadratic-unequal --vary gap",
        f"{_RATE} No theorem states an order here, so the exponent is told and not judged.",
    ),
    AnsweredQuestion(
        "What do stale gradients cost?",
        "rate asp -p quadratic-sc-iid --vary tau -T 200 --replicas 8", _RATE,
    ),
    AnsweredQuestion(
        "Does a larger batch help as much as more workers?",
        "rate bsp-sgd -p quadratic-sc --vary batch", f"{_RATE} Compare with question 5.",
    ),
    AnsweredQuestion(
        "Which of three methods is best per bit?",
        "compare d-psgd choco-sgd qsgd -p logreg-breast-cancer --x bits",
        "Runs at equal bits, each at its best stepsize of a grid, and a paired test for every two; "
        "more replicas (`--replicas`) tell apart what is not told apart here. The last column is "
        "the bits to the worst of the errors.",
    ),
    AnsweredQuestion(
        "What to train BERT-large with on 10 Gb/s Ethernet?",
        "compare bsp-sgd local-sgd top-k -p quadratic-sc --x seconds --cluster survey-001-10gbe "
        "--model bert-large -n 8",
        "Steps are those of a small problem, seconds a model of the cluster and of the network's "
        "messages; the last column is the seconds to the worst of the errors. `rateproof advise` "
        "searches more methods and schedules, and takes longer.",
    ),
    AnsweredQuestion(
        "What do the versions of error feedback buy?", "question error-feedback", _KEPT,
    ),
    AnsweredQuestion(
        "What removes the floor that workers with different data leave?",
        "question heterogeneity",
        "Runs without noise at one constant stepsize: what is left is the method's own bias. The "
        "columns are the distance of the workers' minimisers, then the spectral gap. "
        "`python -m experiments.questions` computes it again.",
    ),
    AnsweredQuestion(
        "How many messages does a target take?", "question meetings", _KEPT,
    ),
    AnsweredQuestion(
        "What does one worker cost that is a thousand times slower?", "question stragglers", _KEPT,
    ),
    AnsweredQuestion(
        "Which method needs the fewest bits, over all families?", "question bits", _KEPT, first=12,
        shows=r"^  digits",
    ),
    AnsweredQuestion(
        "How much data does a run send?",
        "run qsgd -p quadratic-sc -n 8 -T 500 --replicas 32",
        "Every message is encoded; its length in bits is counted, and checks hold the count to the "
        "closed form of the method's bits. A server's answer is received in full here.",
    ),
    AnsweredQuestion(
        "Is a difference between two runs chance?",
        "run qsgd -p quadratic-sc -n 8 -T 500 --replicas 32 --seed 1",
        "The same run under another seed: both means have intervals (95%, over replicas), which "
        "overlap those of question 18. A run follows from its seed, to the bit, on any number of "
        "ranks: `rateproof crossval`.",
        shows=r"T = 500|at the end|f\(x_T\)|\|\|",
    ),
    AnsweredQuestion(
        "What does a period of 16 local steps save?",
        "run local-sgd -p quadratic-unequal -n 8 -T 500 --replicas 16 --set period=16",
        "A run at a stepsize of a grid, since no theorem's assumptions hold; the last lines name "
        "what each theorem lacks.",
    ),
    AnsweredQuestion(
        "Which graph of 32 workers mixes fastest per message?", "topologies -n 32",
        "Eigenvalues of each mixing matrix; messages are those of a worker in a step.",
    ),
    AnsweredQuestion(
        "Is my mixing matrix doubly stochastic, and what is its gap?",
        "topologies --matrix my_weights.csv",
        "Sums in fractions, eigenvalues in double precision against a second way of computing "
        "them.",
    ),
    AnsweredQuestion(
        "And one whose columns do not sum to 1?", "topologies --matrix column.csv",
        "The matrix is refused, with exit code 2 and the sentence `error: matrix column.csv: "
        "column 0 of W must sum to 1, got 0.8` on standard error: gossip with it has no fixed "
        "mean.", code=2,
    ),
    AnsweredQuestion(
        "Which theorems cover my problem?", "assumptions logreg-breast-cancer",
        "Constants as stated, beside those found along runs; a theorem applies where all constants "
        "that it needs are stated.", r"^(applies|would|does not)|^  (bsp_|dgd|ad_psgd)", first=18,
    ),
    AnsweredQuestion(
        "What is guaranteed after 1000 steps?",
        "theorem bsp_nonconvex --set n=8 --set L=1 --set sigma2=1 --set initial_gap=2",
        "The theorem's own formula with all constants, at the stepsize that makes it least.",
    ),
    AnsweredQuestion(
        "Are bounds tight?", "worst-case",
        "From above a semidefinite programme over all functions of the class, from below a run "
        "that attains it; `python -m experiments.worst_cases` computes it again.", first=12,
        shows=r"^$",
    ),
    AnsweredQuestion(
        "Does the formula of error feedback in a survey keep what was not sent?", "errata E7 --run",
        "Both formulas are run; expected numbers are worked out by hand.",
    ),
    AnsweredQuestion(
        "What do I cite?", "cite choco-sgd",
        "The entries that the row, its theorems, operators and problems name.",
        shows=r"^(%|@|  (author|year|eprint))",
    ),
    AnsweredQuestion(
        "Does communication hide behind computing?", "timeline bert-base --schedule wfbp",
        "A discrete simulation of a training step's tasks on a cluster's file: gradients are sent "
        "as they are computed.",
    ),
    AnsweredQuestion(
        "Is a published figure reproduced?", "figure kempe2003-pushsum",
        "The experiment is made again; published numbers stand beside ours with the tolerance that "
        "was set before.",
    ),
)  # fmt: skip
"""All questions, in the order of the page."""
