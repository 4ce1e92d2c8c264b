"""Closed forms of what crosses the simulated network: rows, bills and hours, worker by worker.

Rows are mixed in Python, weight by weight in the order of ids, so that they agree bit for bit;
bills are counted link by link; hours are sums and maxima over the same links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.nonzero import NonZero
from algorithms.compressors.rand_k import RandK
from algorithms.core.key import Key
from algorithms.network.base import Packet, pack
from algorithms.network.ledger import Account, Ledger
from algorithms.network.receive_pattern import ReceivePattern
from algorithms.network.simulated import Simulated
from algorithms.topologies.base import Neighbours
from proofs_check.instruments.evidence import identity
from proofs_check.shared_code.drawn_networks import (
    EVERY_ROW,
    circulant,
    doubly_stochastic,
    numbers,
)
from proofs_check.verdict import Verdict
from theory.arrays import Floats

_N, _D, _KEPT = 5, 4, 2
_IDS = torch.tensor([0, 3, 7])
_SHAPE = (len(_IDS), _N, _D)
_NUMBER = 64  # bits of a value
_PLACE = 2  # bits of a place among four
_NAMED = "seed 17"


class SentRows(NamedTuple):
    """Rows before they are sent, as they are read, and their bill.

    Attributes:
        packet: the messages.
        read: rows ``[R, m, d]`` as others read them.
        bits: of each row's message ``[R, m]``.
        messages: of each row ``[R, m]``.
    """

    packet: Packet
    read: Floats
    bits: Floats
    messages: Floats


def _sent(workers: Tensor, seed: int) -> Iterator[SentRows]:
    """Drawn rows of ``workers``, a quarter of them 0: whole, as places and values, as values at
    places that are drawn again; of all workers and of some."""
    rng, key = numbers(seed, 60), Key.seed(seed)
    shape = (len(_IDS), workers.shape[-1], _D)
    x = rng.standard_normal(shape) * (rng.random(shape) > 0.25)
    rows = torch.from_numpy(x)
    makers: tuple[tuple[Compressor, Callable[[Tensor], tuple[Floats, Floats]]], ...] = (
        (Identity(), lambda _: (x, np.full(shape[:-1], _NUMBER * _D))),
        (NonZero(), lambda _: (x, (x != 0).sum(-1) * (_NUMBER + _PLACE))),
        (RandK(_KEPT), lambda lots: (
            np.where(_largest(lots.numpy()), x * _D / _KEPT, 0.0),
            np.full(shape[:-1], _NUMBER * _KEPT),
        )),
    )  # fmt: skip
    for operator, due in makers:
        packet = pack(operator, rows, key, _IDS, workers)
        lots = key.draws(_IDS, workers).uniform(_D, torch.float64)
        read, bits = due(lots)
        yield SentRows(packet, read, bits, np.ones_like(bits))
        some = rng.random(shape[:-1]) > 0.4
        silent = replace(packet, sends=torch.from_numpy(some))
        yield SentRows(
            silent, np.where(some[..., None], read, 0.0), some * bits, some.astype(np.float64)
        )


def _largest(lots: Floats) -> Floats:
    """Where the two largest of a row's numbers are: what rand-k keeps."""
    return np.asarray(lots >= np.sort(lots, axis=-1)[..., -_KEPT, None])


class _Seen:
    """What the network gave and charged, beside what is due."""

    def __init__(self) -> None:
        self.rows, self.due = list[float](), list[float]()
        self.bills, self.owed = list[float](), list[float]()

    def row(self, found: Tensor, due: Floats) -> None:
        """Note rows."""
        self.rows += found.reshape(-1).tolist()
        self.due += np.broadcast_to(due, tuple(found.shape)).ravel().tolist()

    def bill(self, network: Simulated, **due: Floats) -> None:
        """Note the six totals of every worker in every replica; what is not named is 0."""
        self.account(network.account((len(_IDS),)), due)

    def account(self, account: Account, due: dict[str, Floats]) -> None:
        """Note totals that were made earlier."""
        for name, total in zip(account._fields, account, strict=True):
            self.bills += total.double().reshape(-1).tolist()
            wanted = np.broadcast_to(due.get(name, np.zeros(())), tuple(total.shape))
            self.owed += wanted.astype(float).ravel().tolist()

    def verdicts(self, subject: str) -> tuple[Verdict, ...]:
        """That rows are the same bit for bit, and bills to the bit."""
        return (
            identity(
                subject, "rows are what each worker is due, entry by entry", self.rows, self.due,
                check="loops over workers", tolerance=0.0, provenance=_NAMED,
            ),
            identity(
                subject, "bits and messages are counted link by link", self.bills, self.owed,
                check="loops over links", tolerance=0.0, provenance=_NAMED,
            ),
        )  # fmt: skip


def mixed_rows() -> tuple[Verdict, ...]:
    """Gossip on regular and irregular drawn weights, in both types, W row by row; charges that all
    workers share are kept as one number."""
    seen, alike, kept = _Seen(), list[float](), list[float]()
    for number, w in enumerate(_weights()):
        near, degree = Neighbours(w), (w != 0).sum(0) - (w.diagonal() != 0)
        hears = (w != 0) & ~np.eye(_N, dtype=bool)
        for sent in _sent(torch.arange(_N), number):
            network = Simulated(_N)
            mixed, own = network.mix(sent.packet, near)
            seen.row(own, sent.read)
            seen.row(mixed, _by_hand(w, sent.read))
            seen.bill(
                network,
                sent_bits=sent.bits * degree, sent_messages=sent.messages * degree,
                received_bits=sent.bits @ hears.T, received_messages=sent.messages @ hears.T,
            )  # fmt: skip
            if sent.packet.sends is None and isinstance(sent.packet.bits, int):
                even = degree.min() == degree.max()
                alike.append(float(network.books().even[2]))
                kept.append(float(degree[0]) if even else 0.0)
        short = torch.from_numpy(numbers(number, 61).standard_normal(_SHAPE)).float()
        single = pack(Identity(), short, Key.seed(1), _IDS, torch.arange(_N))
        for network in (Simulated(_N), Simulated(_N)):
            network.mix(next(_sent(torch.arange(_N), 1)).packet, near)
            found = network.mix(single, near).result.double()
            seen.row(found, _by_hand(w.astype(np.float32), short.numpy()))
    return (
        *seen.verdicts("gossip"),
        identity(
            "gossip", "messages that all send are kept as one number, others by worker", alike,
            kept, check="charges of all", tolerance=0.0, provenance=_NAMED,
        ),
    )  # fmt: skip


def _weights() -> Iterator[Floats]:
    """Irregular ones of one direction, a regular ring, all with all, one that keeps nothing."""
    yield doubly_stochastic(numbers(3, 62), _N, 3)
    yield doubly_stochastic(numbers(8, 62), _N, 4)
    yield circulant(numbers(2, 62), _N, 3)
    yield np.full((_N, _N), 1 / _N)
    yield np.roll(np.eye(_N), 2, 1)


def _by_hand(w: Floats, x: Floats) -> Floats:
    """sum_j W[i, j] x[j], rounded once for each product and sum, in the order of j."""
    mixed = np.zeros_like(x)
    for i in range(_N):
        for j in np.flatnonzero(w[i]):
            mixed[..., i, :] = mixed[..., i, :] + w[i, j] * x[..., j, :]
    return mixed


def heard_rows() -> tuple[Verdict, ...]:
    """Messages from drawn sources, some of them lost, with the links that are waited for."""
    seen, links, waited = _Seen(), list[float](), list[float]()
    for number in range(4):
        rng = numbers(number, 63)
        sources = rng.integers(0, _N, (len(_IDS), _N, 1 + number))
        lost = rng.random(sources.shape) < 0.3
        apart = sources != np.arange(_N)[:, None]
        pattern = ReceivePattern.from_sources(
            torch.from_numpy(sources), torch.from_numpy(~lost), _N, (len(_IDS),)
        )
        due = np.zeros((len(_IDS), _N, _N))
        for place in np.argwhere(apart):
            due[place[0], place[1], sources[tuple(place)]] = 1
        links += pattern.links().double().reshape(-1).tolist()
        waited += due.ravel().tolist()
        for first, count in ((0, 2), (3, 1)):
            links += pattern.needed(first, count).double().reshape(-1).tolist()
            heard = [set(one[first : first + count].ravel().tolist()) for one in sources]
            waited += [float(j in ids) for ids in heard for j in range(_N)]
        for sent in _sent(torch.arange(_N), 10 + number):
            for arrives in (None, torch.from_numpy(~lost)):
                network = Simulated(_N)
                rows = network.receive(sent.packet, torch.from_numpy(sources), arrives)
                came = np.ones_like(lost) if arrives is None else ~lost
                _due_of_sources(seen, network, sent, rows, sources, came)
    return (
        *seen.verdicts("messages from drawn sources"),
        identity(
            "messages from drawn sources", "who waits for whom, in each replica", links, waited,
            check="loops over links", tolerance=0.0, provenance=_NAMED,
        ),
    )  # fmt: skip


def _due_of_sources(
    seen: _Seen,
    network: Simulated,
    sent: SentRows,
    rows: Tensor,
    sources: NDArray[np.int64],
    came: NDArray[np.bool_],
) -> None:
    read, bills = np.zeros((*sources.shape, _D)), np.zeros((4, len(_IDS), _N))
    for r, i, s in np.ndindex(*sources.shape):
        j = int(sources[r, i, s])
        if i == j or came[r, i, s]:
            read[r, i, s] = sent.read[r, j]
        if i != j:
            cost = sent.bits[r, j], sent.messages[r, j]
            bills[:2, r, j] += cost
            bills[2:, r, i] += np.array(cost) * came[r, i, s]
    seen.row(rows, read)
    seen.bill(
        network, sent_bits=bills[0], sent_messages=bills[1], received_bits=bills[2],
        received_messages=bills[3],
    )  # fmt: skip


def served_rows() -> tuple[Verdict, ...]:
    """Messages to a server and from it: of all workers, of those that arrive, and of nobody."""
    seen = _Seen()
    for sent in _sent(torch.arange(_N), 20):
        bill = {
            "sent_bits": sent.bits, "sent_messages": sent.messages,
            "uploaded_messages": sent.messages,
        }  # fmt: skip
        network = Simulated(_N)
        mean, own = network.average(sent.packet)
        total = np.zeros((len(_IDS), 1, _D))
        for j in range(_N):
            total[:, 0] = total[:, 0] + sent.read[:, j]
        seen.row(own, sent.read)
        seen.row(mean, total / _N)
        seen.bill(network, **bill)
        summed = torch.zeros(len(_IDS), _D, dtype=torch.float64)
        sent.packet.add_onto(summed, sent.packet.symbols, torch.arange(_N), sent.packet.sends)
        seen.row(summed, total[:, 0])
        seen.row(network.mean_over_workers(own), total[:, 0] / _N)
        once = network.books()
        seen.row(network.gather(sent.packet).result, sent.read)
        twice = {name: 2 * amount for name, amount in bill.items()}
        several = network.accounts([once, network.books()], (len(_IDS),))
        for k, due in enumerate((bill, twice)):
            seen.account(Account(*(total[k] for total in several)), due)
        network.reopen(once)
        seen.bill(network, **bill)
        network.restart()
        seen.bill(network)
    book = Ledger(_N)
    book.upload(7)  # of one message, where nobody says of how many
    book.receive(9)
    one, amounts = np.ones(()), {"sent_bits": np.array(7.0), "received_bits": np.array(9.0)}
    counts = dict.fromkeys(("sent_messages", "received_messages", "uploaded_messages"), one)
    seen.account(book.account((1,)), {**amounts, **counts})
    book.send(5)
    amounts["sent_bits"], counts["sent_messages"] = np.array(12.0), 2 * one
    seen.account(book.account((1,)), {**amounts, **counts})
    for sent in _sent(torch.tensor([_N]), 21):
        network = Simulated(_N)
        seen.row(network.publish(sent.packet), sent.read)
        seen.bill(network, received_bits=sent.bits, received_messages=sent.messages)
    ids = np.array([[4, 0, _N], [1, _N, 2], [0, 1, 3]])
    active = torch.from_numpy(ids)
    there = ids < _N
    for sent in _sent(active, 22):
        if sent.packet.sends is None:
            network = Simulated(_N)
            seen.row(
                network.collect(sent.packet, active), np.where(there[..., None], sent.read, 0.0)
            )
            bits, messages = _by_worker(ids, sent.bits), _by_worker(ids, there.astype(np.float64))
            seen.bill(network, sent_bits=bits, sent_messages=messages, uploaded_messages=messages)
    for sent in _sent(torch.full((len(_IDS), 3), _N), 23):
        if sent.packet.sends is None:
            network = Simulated(_N)
            seen.row(
                network.answer(sent.packet, active), np.where(there[..., None], sent.read, 0.0)
            )
            bits, messages = _by_worker(ids, sent.bits), _by_worker(ids, there.astype(np.float64))
            seen.bill(network, received_bits=bits, received_messages=messages)
    return seen.verdicts("messages to a server")


def _by_worker(ids: NDArray[np.int64], amounts: Floats) -> Floats:
    """Sum of the amounts of each worker ``[R, n]``; nobody has none."""
    totals = np.zeros((len(_IDS), _N + 1))
    for r, k in np.ndindex(*ids.shape):
        totals[r, ids[r, k]] += amounts[r, k]
    return totals[:, :_N]


CLOSED_FORMS = (mixed_rows, heard_rows, served_rows)
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: whatever they send crosses this network."""
