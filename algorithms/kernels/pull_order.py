"""The order of pulls by TAC, pull after pull; what operations still wait for is kept as it goes.

The plain twin is the same function before compilation (``timed_order.py_func``).
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True)
def timed_order(  # type: ignore[no-untyped-def]
    waits, first_own, own, first_after, after, computes, seconds
):
    """Ranks ``[pulls]`` of Algorithm 3 of Hashemi, Abdu Jyothi, Campbell 2019 (arXiv:1803.03288).

    ``waits`` ``[pulls, nodes]`` (bool): whether a node waits for a pull, itself or through others;
    its own pulls are ``own[first_own[n] : first_own[n + 1]]``, the nodes before it likewise
    ``after``. A pull's P is the compute of all nodes that it alone holds up, its M+ the least
    transfer time of all that a node with several missing pulls waits for. Nodes are looked at by
    that time, so that the first which needs a pull decides its M+: nodes times pulls in all.
    """
    pulls, nodes = waits.shape
    missing, last = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    transfer, freed = np.zeros(nodes), np.zeros(pulls)
    for k in range(pulls):
        for n in range(nodes):
            if waits[k, n]:
                missing[n] += 1
                last[n] += k  # the sum of all, and so the one that is left
                transfer[n] += seconds[k]
    for n in range(nodes):
        if missing[n] == 1:
            freed[last[n]] += computes[n]
    by_time = np.argsort(transfer)
    rank, done = np.zeros(pulls, dtype=np.int64), np.zeros(pulls, dtype=np.bool_)
    others, stack = np.empty(pulls), np.empty(nodes, dtype=np.int64)
    for place in range(pulls):
        for i in range(1, nodes):  # nearly sorted: a pull shortens all that wait for it alike
            n, j = by_time[i], i
            while j > 0 and transfer[by_time[j - 1]] > transfer[n]:
                by_time[j] = by_time[j - 1]
                j -= 1
            by_time[j] = n
        others[:] = np.inf
        seen = np.zeros(nodes, dtype=np.bool_)
        for i in range(nodes):
            if missing[by_time[i]] < 2 or seen[by_time[i]]:
                continue
            time = transfer[by_time[i]]
            stack[0], height = by_time[i], 1
            seen[by_time[i]] = True
            while height:
                height -= 1
                n = stack[height]
                for e in range(first_own[n], first_own[n + 1]):
                    others[own[e]] = min(others[own[e]], time)
                for e in range(first_after[n], first_after[n + 1]):
                    if not seen[after[e]]:
                        seen[after[e]] = True
                        stack[height] = after[e]
                        height += 1
        best = -1
        for k in range(pulls):
            if done[k]:
                continue
            if best < 0:
                best = k
                continue
            mine, other = min(freed[best], seconds[k]), min(freed[k], seconds[best])
            if mine < other or (mine == other and others[k] < others[best]):
                best = k
        rank[best], done[best] = place, True
        for n in range(nodes):
            if waits[best, n]:
                missing[n] -= 1
                last[n] -= best
                transfer[n] -= seconds[best]
                if missing[n] == 1:
                    freed[last[n]] += computes[n]
    return rank
