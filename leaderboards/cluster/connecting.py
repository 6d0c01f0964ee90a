"""Connections to dask: a cluster on this machine, or the client of an existing scheduler."""

import contextlib
import logging
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from leaderboards.processes.interrupts import deaf_children
from leaderboards.processes.workers import ONE_THREAD, Unusable

_T = TypeVar("_T")
CONNECTING = 10.0  # seconds within which a scheduler must answer
ANSWERING = 30.0  # seconds within which a connected scheduler must answer
ENDING = 10.0  # seconds within which a cluster on this machine must end
_ADDRESS = re.compile(r"((tcp|tls)://)?([^\s/:\[\]]+|\[[0-9a-fA-F:]+\]):[0-9]{1,5}")


@contextlib.contextmanager
def this_machine(workers: int | None) -> Iterator[str]:
    """Start a cluster that only this machine can reach; yields its address."""
    from distributed import LocalCluster
    from loky import cpu_count

    with contextlib.ExitStack() as stack:
        with deaf_children():  # the runner handles Ctrl-C
            cluster = LocalCluster(
                n_workers=cpu_count() if workers is None else workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",  # any free port: dask always starts this server
                scheduler_kwargs={"dashboard": False},
                memory_limit=0,
                silence_logs=logging.CRITICAL,
                env=ONE_THREAD,
            )
            stack.callback(_close, cluster)
        yield cluster.scheduler_address


def _close(cluster: Any) -> None:
    with contextlib.suppress(Exception):
        cluster.close(timeout=ENDING)


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address or in a scheduler file."""
    from distributed import Client
    from distributed.security import Security

    given: dict[str, Any] = {"scheduler_file": address}
    if not is_file(address):
        given = {"address": address if "://" in address else f"tcp://{address}"}
    try:
        security = Security()  # from dask's configuration
        context = security.get_connection_args("client").get("ssl_context")
        if context is None and address.startswith("tls:"):
            raise ValueError("dask's configuration names no certificate")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about differing versions, which we refuse ourselves
            given |= {"security": security, "timeout": CONNECTING, "set_as_default": False}
            client = bounded(partial(Client, **given), ANSWERING)
    except Exception as error:
        remedy = "start one with dask scheduler, or name another address"
        if address.startswith("tls:"):
            remedy += "; certificates are set by distributed.comm.tls in dask's configuration"
        raise Unusable(f"no dask scheduler at {address}: {told(error)}; {remedy}") from None
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=ENDING)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep dask's messages off the terminal; our own errors state each cause in one line."""
    import distributed  # noqa: F401 (its import sets the handlers up)

    loggers = [logging.getLogger(name) for name in ("distributed", "tornado", "asyncio")]
    levels = [(handler, handler.level) for one in loggers for handler in one.handlers]
    for handler, _ in levels:
        handler.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for handler, level in levels:
            handler.setLevel(level)


def bounded(call: Callable[[], _T], seconds: float) -> _T:
    """The result of a call to dask, which could otherwise wait forever for a lost scheduler.

    Raises
    ------
    TimeoutError
        If it takes longer than ``seconds``; its thread is abandoned.
    """
    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result(seconds)


def is_address(text: str) -> bool:
    """Whether a text has the form of a scheduler's address, or of the path of its file."""
    return is_file(text) or _ADDRESS.fullmatch(text) is not None


def is_file(address: str) -> bool:
    """Whether an address is the path of a scheduler file."""
    return address.endswith(".json") or ("/" in address and "://" not in address)


def told(error: BaseException | None) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
