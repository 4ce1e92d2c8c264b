"""One channel that serves messages by rank while the device computes: a training step's hot loop.

The plain twin is the same function before compilation (``serve.py_func``).
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True)
def transmitted(  # type: ignore[no-untyped-def]
    start, bits, alpha, beta, busy_beta, busy_until, busy_wait=0.0
):
    """Time when ``bits`` sent from ``start`` on have left: later and slower while the device
    computes."""
    if start < busy_until:
        start = min(start + busy_wait, busy_until)
    begin = start + alpha
    if begin >= busy_until:
        return begin + beta * bits
    whole = begin + busy_beta * bits
    if whole <= busy_until:
        return whole
    return busy_until + beta * (bits - (busy_until - begin) / busy_beta)


@njit(cache=True, nogil=True)
def serve(  # type: ignore[no-untyped-def]
    ready, bits, rank, lowest, forward, backward_end, rates, latency, credit, barrier
):
    """Start, end of sending and arrival of each message, and start of each layer's forward pass.

    ``ready``, ``bits``, ``rank`` (least first), ``lowest`` (the first layer that waits for it) are
    of messages in the order in which they become ready; ``rates`` are alpha, beta, busy beta and
    busy wait of each.
    A message starts when the channel is free and at most ``credit`` bits are under way, itself
    included, or none else. ``barrier``: no layer starts before all messages have arrived.
    """
    count, layers = ready.shape[0], forward.shape[0]
    start, stop, arrival = np.zeros(count), np.zeros(count), np.zeros(count)
    waiting = np.zeros(layers, dtype=np.int64)
    for k in range(count):
        waiting[lowest[k]] += 1
    forward_start = np.zeros(layers)
    heap = [(0, 0)]
    heap.pop()
    sent = np.empty(count, dtype=np.int64)
    alpha, beta, busy_beta, wait = rates
    free, done, arrived, oldest, known, layer = 0.0, 0, 0, 0, 0, 0
    under_way, device = 0.0, backward_end
    now = 0.0
    while done < count:
        now = max(now, free)
        if len(heap) == 0:
            now = max(now, ready[known])
        while known < count and ready[known] <= now:
            heappush(heap, (int(rank[known]), known))
            known += 1
        while oldest < done and arrival[sent[oldest]] <= now:
            under_way -= bits[sent[oldest]]
            oldest += 1
        k = heap[0][1]
        if oldest < done and under_way + bits[k] > credit:
            now = arrival[sent[oldest]]
            continue
        heappop(heap)
        while not barrier and arrived < done and arrival[sent[arrived]] <= now:
            m = sent[arrived]
            waiting[lowest[m]] -= 1
            arrived += 1
            while layer < layers and waiting[layer] == 0:
                forward_start[layer] = max(device, arrival[m])
                device = forward_start[layer] + forward[layer]
                layer += 1
        start[k] = now
        stop[k] = transmitted(now, bits[k], alpha[k], beta[k], busy_beta[k], device, wait[k])
        arrival[k] = stop[k] + latency
        under_way += bits[k]
        free = stop[k]
        sent[done] = k
        done += 1
    while arrived < count:
        m = sent[arrived]
        waiting[lowest[m]] -= 1
        arrived += 1
        while layer < layers and waiting[layer] == 0 and not (barrier and arrived < count):
            forward_start[layer] = max(device, arrival[m])
            device = forward_start[layer] + forward[layer]
            layer += 1
    while layer < layers:
        forward_start[layer] = device
        device += forward[layer]
        layer += 1
    return start, stop, arrival, forward_start
