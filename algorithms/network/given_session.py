"""A process group of ranks that a launcher started, which ends with one message if one is lost."""

from __future__ import annotations

import errno
import os
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import NoReturn, final

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, Store, TCPStore

from algorithms.network.failure_detector import FailureDetector, agree, leave
from algorithms.network.given_ranks import GivenPlace, RankLink, bound_to_loopback
from algorithms.network.phases import PhaseClock

PATIENCE = 40.0
"""Seconds that ranks wait for each other by default: with what the roll call takes, under 60."""


class RanksDiffer(RuntimeError):
    """Ranks run different code, or were told different things; names rank and difference."""


class PortTaken(RuntimeError):
    """Rank 0's store cannot listen where it was told to."""


@final
class Session:
    """Inputs of a rank's work: its place, where its tensors lie, and the roll call.

    Attributes:
        place: where the rank stands.
        link: what its messages go over.
        roll: tell it what this rank goes on to.
    """

    def __init__(self, place: GivenPlace, link: RankLink, roll: FailureDetector) -> None:
        self.place, self.link, self.roll = place, link, roll

    def apart(self) -> PhaseClock:
        """From now on ranks go on without each other; a clock that tells all where this one is."""
        clock = PhaseClock(self.link.device)
        self.roll.clock, self.roll.apart = clock, True
        return clock


@contextmanager
def session(
    place: GivenPlace, link: RankLink, terms: Mapping[str, str], patience: float = PATIENCE
) -> Iterator[Session]:
    """Within, all ranks are connected and have agreed on ``terms``: versions, arguments.

    Where ranks stop hearing of each other within, or one fails or beats no more, the process ends
    with exit code ``LOST`` after one of the ranks has said on standard error which one it was and
    why: a rank's threads may wait in a call for what never comes, and cannot be ended otherwise.

    Raises:
        PortTaken: rank 0 cannot listen at the port.
        TimeoutError: names ranks that did not come within ``patience`` seconds.
        RanksDiffer: terms differ.
    """
    os.environ.update(bound_to_loopback(os.environ, one_machine=place.one_machine))
    kept = _store(place, patience)
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")  # its agent keeps the store
    store = PrefixStore(f"rateproof/{attempt}", kept)
    stated = dict(terms) | {"backend": link.backend}
    try:
        _agree(store, place, stated, patience)
    except dist.DistError as error:
        raise TimeoutError(
            f"rank {place.rank}: rank 0 ended before all ranks had agreed; see what it says"
        ) from error
    if link.device.startswith("cuda"):
        torch.cuda.set_device(link.device)
    dist.init_process_group(
        link.backend,
        store=PrefixStore("group", store),
        rank=place.rank,
        world_size=place.ranks,
        timeout=timedelta(seconds=patience),
    )
    roll = FailureDetector(
        PrefixStore(f"roll/{attempt}", _client(place, patience)), place.rank, place.ranks, patience
    )
    try:
        yield Session(place, link, roll)
        roll.note("leaving")
        _all_there(store, "done", place.ranks, patience)
    except Exception as error:
        _end(roll, error)
    except BaseException:  # interrupted: the others need not find out by themselves
        roll.end_all()
        roll.close()
        raise
    roll.close()
    dist.destroy_process_group()
    _all_there(store, "left", place.ranks, patience, last=place.rank == 0)


def _store(place: GivenPlace, patience: float) -> TCPStore:
    """The launcher's store, or one that rank 0 keeps at the address of MASTER_ADDR alone.

    Raises:
        PortTaken: it cannot listen there.
        TimeoutError: nobody listens there.
    """
    wait = timedelta(seconds=patience)
    own = place.rank == 0 and os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True"
    listener = _listening(place) if own else -1
    try:
        if own:
            return TCPStore(
                place.address, place.port, place.ranks, True, wait, wait_for_workers=False,
                master_listen_fd=listener,
            )  # fmt: skip
        return TCPStore(place.address, place.port, place.ranks, False, wait, wait_for_workers=False)
    except RuntimeError as error:
        raise TimeoutError(
            f"rank {place.rank} found no store at {place.address}:{place.port} within "
            f"{patience:g} s; see what rank 0 says, or start it"
        ) from error


def _client(place: GivenPlace, patience: float) -> TCPStore:
    """A connection to the store."""
    wait = timedelta(seconds=patience)
    return TCPStore(place.address, place.port, place.ranks, False, wait, wait_for_workers=False)


def _listening(place: GivenPlace) -> int:
    """A socket that listens at MASTER_ADDR, and nowhere else.

    Raises:
        PortTaken: it cannot.
    """
    found = socket.getaddrinfo(place.address, place.port, type=socket.SOCK_STREAM)
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be had ({error})"
        raise PortTaken(
            f"rank 0: port {place.port} at {place.address} {why}; another MASTER_PORT would do"
        ) from error
    return listener.detach()


def _agree(store: Store, place: GivenPlace, terms: dict[str, str], patience: float) -> None:
    differ = agree(store, place.rank, place.ranks, terms, patience)
    _all_there(store, "agreed", place.ranks, patience, last=bool(differ) and place.rank == 0)
    if differ:
        told = [f"rank {rank} differs: {found}" for rank, found in differ.items()]
        raise RanksDiffer(f"{'; '.join(told)}; the same on every rank would do")


def _all_there(store: Store, where: str, ranks: int, patience: float, *, last: bool = True) -> None:
    """Tell that this rank came to ``where``, and return when all have, or at once if not
    ``last``."""
    store.add(where, 1)
    end = time.monotonic() + patience
    while last and store.add(where, 0) < ranks:
        if time.monotonic() > end:
            raise TimeoutError(f"not all of {ranks} ranks came to {where!r}")
        time.sleep(0.02)


def _others_are_missing(error: Exception) -> bool:
    """Whether a rank failed because another did not take part."""
    kinds = (dist.DistBackendError, dist.DistStoreError, dist.DistNetworkError, TimeoutError)
    told = str(error).lower()
    signs = ("gloo", "connection closed", "connection reset", "timed out")
    return isinstance(error, kinds) or any(sign in told for sign in signs)


def _end(roll: FailureDetector, error: Exception) -> NoReturn:
    """Say whose fault it is, once among all ranks, and end this process."""
    try:
        if not _others_are_missing(error):
            traceback.print_exc()
            roll.failed(f"{type(error).__name__}: {error}")
        roll.stop(roll.blamed())
    except RuntimeError:  # the store is gone
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        print(
            f"error: rank 0, or the launcher, which keeps the store, is gone: {what}",
            file=sys.stderr,
            flush=True,
        )
    leave()
