"""The workers of a dask cluster as an executor, on this machine or behind a remote scheduler.

A dask task is a supervisor: ``cell.play_cell`` on a worker starts a process for its cell, limits
its time, and ends it. So an agent cannot end a worker, and machines share no marks. Rows of results
are returned to the judge, and only the judge writes the store.

dask authenticates nobody unless TLS is set up: anyone who can reach a scheduler can run code on all
of its workers, and on this machine.
"""

import contextlib
import importlib
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from functools import partial
from pathlib import Path
from typing import Any

from leaderboards.cluster import connecting
from leaderboards.cluster.likeness import differences
from leaderboards.processes.workers import Cluster, Lost, Unusable

NAME = "dask"
_JOINING = 60.0  # seconds within which a first worker must join, and within which all must answer
_EMPTY = 300.0  # seconds that a run waits for workers after all have gone
_LOOK = 2.0  # seconds between two counts of the workers
_ON = "finished cells are kept in the store; run again to continue"


def opener(
    text: str, *, workers: int | None, wanted: Callable[[], str]
) -> Callable[[], "DaskCluster"]:
    """A function that opens the cluster that ``--executor`` names.

    Parameters
    ----------
    text : str
        ``"dask"``, ``"dask:HOST:PORT"``, ``"dask:tcp://.."``, ``"dask:tls://.."``, or ``"dask:"``
        with the path of a scheduler file.
    workers : int, optional
        Workers of a cluster on this machine.
    wanted : callable
        Returns the run's `likeness.likeness`.

    Raises
    ------
    ValueError
        If the text names no executor, or dask is not installed.
    """
    name, colon, address = text.partition(":")
    if name != NAME or (colon and not connecting.is_address(address)):
        raise ValueError(
            f"--executor {text}: choose loky, dask (workers on this machine) or dask:ADDRESS, "
            "which is HOST:PORT, tcp://HOST:PORT, tls://HOST:PORT or the path of a scheduler file"
        )
    if address and workers is not None:
        raise ValueError(
            f"--workers is for a cluster on this machine: drop it, {address} has its own"
        )
    if connecting.is_file(address) and not Path(address).is_file():  # dask would wait for it
        raise ValueError(f"--executor {text}: there is no scheduler file {address}")
    try:
        importlib.import_module("distributed")
    except ImportError as error:
        raise ValueError(
            f'--executor {text} needs dask: pip install "banditgym[dask]" ({error})'
        ) from None
    return lambda: DaskCluster(address or None, workers=workers, wanted=wanted())


class DaskCluster(Cluster):
    """A dask cluster: of workers on this machine, or of an existing scheduler.

    Parameters
    ----------
    address : str or None
        The scheduler's address, or the path of its file; None starts a cluster on this machine,
        which ends with the executor.
    wanted : str
        The run's `likeness.likeness`.
    workers : int, optional
        Workers of a cluster on this machine; one per core by default.

    Raises
    ------
    ValueError
        If a worker's sources, packages or data differ from this machine's, or it has several
        threads.
    Unusable
        If the scheduler or its workers cannot be reached in time.
    """

    def __init__(self, address: str | None, *, wanted: str, workers: int | None = None):
        self._wanted, self._folder = wanted, os.getcwd()
        self._asked: dict[Any, Future[Any]] = {}  # dask's futures, and ours
        self._closing = False
        self._n_workers, self._looked, self._seen = 0, -_LOOK, time.monotonic()
        with contextlib.ExitStack() as opened:
            opened.enter_context(connecting.quiet())
            self.where = address or "this machine"
            if address is None:
                address = opened.enter_context(connecting.this_machine(workers))
            self._client = opened.enter_context(connecting.connected(address))
            self._compare()
            self._opened = opened.pop_all()

    @property
    def at_once(self) -> int:
        """Two cells per worker: one to play, and one to play next.

        Raises
        ------
        Unusable
            If the scheduler is lost, or there has been no worker for ``_EMPTY`` seconds.
        """
        now = time.monotonic()
        if now - self._looked >= _LOOK:
            try:
                self._n_workers = len(self._workers())
            except Exception as error:
                raise self._lost() from error
            self._looked = now
        if self._n_workers:
            self._seen = now
        elif now - self._seen > _EMPTY:
            raise Unusable(f"{self.where} has had no worker for {_EMPTY:.0f} s: {_ON}")
        return 2 * max(1, self._n_workers)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a worker call a function."""
        future: Future[Any] = Future()
        try:
            # pure=False: equal calls are separate. retries=0: the runner repeats failed calls.
            asked = self._client.submit(
                _supervise, fn, args, kwargs, self._wanted, self._folder, pure=False, retries=0
            )
        except Exception as error:
            raise self._lost() from error
        self._asked[asked] = future
        asked.add_done_callback(self._copy_outcome)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel unfinished calls and leave the cluster; a cluster on this machine ends."""
        self._closing = True
        left = [asked for asked, future in self._asked.items() if not future.done()]
        with contextlib.suppress(Exception):  # the scheduler may be gone
            connecting.bounded(partial(self._client.cancel, left, force=True), connecting.ENDING)
        self._opened.close()
        for future in list(self._asked.values()):
            future.cancel()

    def _workers(self) -> Mapping[str, int]:
        """The threads of every worker that the scheduler knows, by address."""
        return connecting.bounded(self._client.nthreads, connecting.ANSWERING)

    def _copy_outcome(self, asked: Any) -> None:
        """Copy the outcome of a call to our future. Called by one of dask's threads."""
        future = self._asked[asked]
        try:
            if asked.status == "finished":
                future.set_result(asked.result(timeout=connecting.ANSWERING))
            elif not self._closing:
                future.set_exception(self._failed(asked))
        except BaseException as error:  # for example, the worker that held the result is gone
            if not future.done():
                future.set_exception(self._lost() if asked.cancelled() else self._broken(error))
        finally:
            if future.done():
                self._asked.pop(asked, None)

    def _failed(self, asked: Any) -> Exception:
        if asked.cancelled():
            return self._lost()
        error = asked.exception()
        if type(error).__name__ == "KilledWorker":
            return Lost(f"its worker died, {error.allowed_failures + 1} times")
        return error if isinstance(error, Unusable) else self._broken(error)

    def _broken(self, error: BaseException) -> Unusable:
        return Unusable(
            f"a worker of {self.where} could not run a cell: {connecting.told(error)}; {_ON}"
        )

    def _lost(self) -> Unusable:
        return Unusable(f"the dask scheduler of {self.where} was lost: {_ON}")

    def _compare(self) -> None:
        """Refuse workers that differ from this machine, before anything is played."""
        deadline = time.monotonic() + _JOINING
        try:
            while not (found := self._workers()):
                if time.monotonic() > deadline:
                    raise Unusable(
                        f"no worker joined {self.where} within {_JOINING:.0f} s: start some with "
                        "dask worker ADDRESS --nthreads 1"
                    )
                time.sleep(0.1)
            asked = {
                address: self._client.submit(
                    _unlike, self._wanted, workers=[address], pure=False, retries=0, priority=1
                )
                for address in found
            }
        except Unusable:
            raise
        except Exception as error:
            raise self._lost() from error
        for address, future in sorted(asked.items()):
            try:
                unlike = future.result(timeout=max(0.1, deadline - time.monotonic()))
            except TimeoutError:
                raise Unusable(
                    f"the worker {address} did not answer within {_JOINING:.0f} s"
                ) from None
            except CancelledError:
                raise self._lost() from None
            except Exception as error:  # for example, the worker lacks this package
                unlike = connecting.told(error)
            if unlike:
                raise ValueError(_refusal(address, unlike))


def _supervise(
    fn: Callable[..., Any], args: tuple, kwargs: dict[str, Any], wanted: str, folder: str
) -> Any:
    """On a worker that is alike: call a function, in the run's folder if it exists here."""
    from distributed import get_worker

    unlike = _unlike(wanted)
    if unlike:
        raise Unusable(_refusal(get_worker().address, unlike))
    with contextlib.chdir(folder) if os.path.isdir(folder) else contextlib.nullcontext():
        return fn(*args, **kwargs)


def _unlike(wanted: str) -> str:
    """On a worker: how it differs from the run's machine; empty if it does not."""
    from distributed import get_worker

    threads = get_worker().state.nthreads
    told = [f"it has {threads} threads (start it with --nthreads 1)"] if threads != 1 else []
    return "; ".join([*told, *differences(wanted)])


def _refusal(address: str, unlike: str) -> str:
    return (
        f"the worker {address} is not like this machine: {unlike}; install the same there, let it "
        "see the same files, and start it again"
    )
