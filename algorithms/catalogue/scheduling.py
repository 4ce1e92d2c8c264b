"""Rows of schedules, and of the performance model of survey 001."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Row
from algorithms.catalogue.subject import RowSubject
from algorithms.schedules.bulk import BULK
from algorithms.schedules.contention import SharedNetwork
from algorithms.schedules.fusion_buffer import HOROVOD
from algorithms.schedules.merged_gradients import GREEDY, MERGED
from algorithms.schedules.pipeline import PipelineSchedule
from algorithms.schedules.priority import BYTE_SCHEDULER, P3
from algorithms.schedules.tictac import TAC, TIC
from algorithms.schedules.wait_free import WAIT_FREE
from algorithms.workloads import WORKLOADS

_KIND = "schedule"

ENTRIES: tuple[Row, ...] = (
    entry(
        "schedule-bsp",
        RowSubject(_KIND, (BULK,), (
            "a step takes t_forward + t_backward + t_all-reduce (survey 001, Fig. 1)",
        )),
    ),
    entry(
        "wfbp",
        RowSubject(_KIND, (WAIT_FREE,), (
            "start(l) = max(ready(l), end(l + 1)), end(l) = start(l) + alpha + beta m(l) "
            "(Zhang et al. 2017, arXiv:1706.03292)",
            "no slower than BSP where a message has no start-up",
        )),
    ),
    entry(
        "mg-wfbp",
        RowSubject(_KIND, (MERGED, GREEDY), (
            "merge l into l - 1 if ready(l - 1) - start(l) < alpha (Shi, Chu, Li 2019, "
            "arXiv:1811.11141, Algorithm 1); best of all partitions of two gradients, not of three",
            "the best partition by dynamic programming is no slower than WFBP and than BSP",
        )),
    ),
    entry(
        "tensor-fusion",
        RowSubject(_KIND, (HOROVOD,), (
            "what is ready when the channel is free goes as one message, up to the buffer "
            "(Sergeev, Del Balso 2018, arXiv:1802.05799)",
        )),
    ),
    entry(
        "p3",
        RowSubject(_KIND, (P3,), (
            "slices of at most 50,000 parameters, first layer first (Jayarajan et al. 2019, "
            "arXiv:1905.03960); no slower than WFBP where a message has no start-up",
        )),
    ),
    entry(
        "tictac",
        RowSubject(_KIND, (TIC, TAC), (
            "on a chain of layers both pull in forward order; of two pulls a goes first if "
            "min(P_b, M_a) < min(P_a, M_b) (Hashemi et al. 2019, arXiv:1803.03288)",
        )),
    ),
    entry(
        "bytescheduler",
        RowSubject(_KIND, (BYTE_SCHEDULER,), (
            "partitions by priority in a window of credit (Peng et al. 2019, SOSP); with a window "
            "without end it is P3 with slices of the same length",
        )),
    ),
    entry(
        "pipedream",
        RowSubject(_KIND, (PipelineSchedule((1.0,) * 4, (2.0,) * 4, 8),), (
            "equal stages take (M + S - 1)(f + b) seconds with a flush, of which (S - 1)/(M + S - "
            "1) idle; stage s stashes S - s versions (Narayanan et al. 2019, arXiv:1806.03377)",
        )),
    ),
    entry(
        "contention-aware",
        RowSubject(_KIND, (SharedNetwork(1e-10),), (
            "a transfer of M_2 bits should share with one that has M_1 > M_2 left if and only if "
            "M_2/M_1 < b/(2(b + eta)) (Wang, Shi et al. 2020, arXiv:2002.10105)",
        )),
    ),
    entry(
        "c2c-model",
        RowSubject("performance model", tuple(WORKLOADS.values()), (
            "I = C/D, C2C = f(N)/(M I), speedup t_s/(t_s/N + t_m) (survey 001)",
            "survey 001 prints I = 470, 249 and 248 for ResNet-50, BERT-Base and BERT-Large: 470 "
            "is 12e9/25.5e6, three passes with a multiply-add as one operation; in that count the "
            "BERTs have 192 and 193, with two operations 384 and 385; its own 597e9 operations of "
            "8 sentences make 222 for BERT-Large, where it prints 248",
            "249 and 248 stay unexplained: of 4,608 ways to count (passes, operations a "
            "multiply-add, words of a sentence, parts of the model, what counts as a parameter; "
            "see the verdicts) none rounds to both, the nearest gives 248.0 and 249.8; both are "
            "1.28 times three passes of 64 words over the matrices of the blocks, in which the "
            "size of the model cancels, and the 597e9 operations make 247 there",
        )),
    ),
)  # fmt: skip
