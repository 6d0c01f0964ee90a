"""Tiles: an episode's replicates in groups, on several threads.

A replicate's numbers depend on its seed alone, so the replicates of an episode may be played in
tiles. Each tile has its own environment and its own copy of the agent. A tile is small enough for
the processor's cache and for blocks of rounds. Compiled code releases the interpreter's lock, so
several threads play tiles at the same time.
"""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, TypeVar

import numpy as np

from agents.agent import Agent
from agents.ownership import as_imported, plays_apart
from agents.storage.states import within
from banditgym.rounds.blocks import BLOCK_BYTES, LEAST_ROUNDS

Tile = TypeVar("Tile")

TILE_BYTES = 1 << 21  # most bytes of a tile's states and observations, approximately
LEAST_REPLICATES = 50  # of a tile whose states are larger, unless its blocks would be too short
FEWEST_IN_BLOCKS = 5  # replicates of a tile: blocks of fewer are no faster than fifty singly
LEAST_BYTES = 1 << 20  # of a tile whose rounds are played singly, if it is made for a thread


class Ended(Exception):
    """Another tile has failed, so this one need not be played to its end."""


def _is_plain(value: object) -> bool:
    kinds = bool | int | float | str | np.ndarray | np.generic | dict | list | tuple | None
    return isinstance(value, kinds)


def copy_of(agent: Agent) -> Agent:
    """Another agent with the same hyperparameters."""
    return type(agent)(**agent.hyperparameters())


def tiles_of(env: Any, agent: Agent, task: Any, threads: int) -> list[slice] | None:
    """The replicates of each tile, in order; None if all play in one batch.

    Only environments and agents of this package are played in tiles. Third-party code may keep
    something in its process that threads would share, and the libraries that compute some of our
    agents do so. Environments that read files are not made again for each tile either.

    Parameters
    ----------
    env : gymnasium.Env or gymnasium.vector.VectorEnv
    agent : Agent
    task : dataclass of ``banditgym.tasks``
        The task that the agent is reset with.
    threads : int
        How many tiles are played at once.

    Raises
    ------
    ValueError
        If the agent cannot play this task.
    """
    batched = _is_ours(type(env)) and hasattr(env, "resized")
    single = env.resized(1) if batched and _is_safe(agent) else None
    if single is None:
        return None
    other = copy_of(agent)
    one, two = (other.reset(task, n=n).state_bytes() for n in (1, 2))
    observation, _ = single.reset(seed=0)
    shown = observation.values() if isinstance(observation, dict) else (observation,)
    state = max(1, two - one) + sum(2 * part.nbytes for part in shown)
    block = single.block_bytes() if agent.plays_blocks else None
    n = env.num_envs
    tiles = n_tiles(n, threads, state, block)
    ends = [(i + 1) * n // tiles for i in range(tiles)]
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


def _is_safe(agent: Agent) -> bool:
    """Whether copies of an agent can play on several threads."""
    return (
        as_imported(agent)
        and not plays_apart(type(agent))
        and all(_is_plain(part) or _is_ours(type(part)) for part in within(agent.hyperparameters()))
    )


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in ("agents", "banditgym")


def n_tiles(n: int, threads: int, state: int, block: int | None) -> int:
    """The number of tiles in which n replicates are played.

    A tile's states should stay in the cache, and a block should hold enough rounds to be worth its
    calls. Blocks hold the interpreter's lock for a tenth of their time, so there is a tile for
    every thread. A round that is played singly holds the lock for some 50 microseconds, even with
    few replicates. If such rounds are short, threads lose more by waiting for the lock than they
    gain, so their tiles are not made smaller than ``LEAST_BYTES`` to give every thread one.

    The table gives the time of a play in one batch divided by the time in tiles, on one thread and,
    after the bar, on two, measured on two cores with 1 MiB of second-level cache each::

        LinUCB, fresh arms, d=10     n=100 0.99 | 1.79   n=1000 0.90 | 1.40   n=10000 0.97 | 1.37
        LinUCB, fresh arms, d=100    n=100 0.90 | 1.59   n=1000 2.03 | 3.53   n=10000 2.02 | 3.55
        LinUCB, fixed arms, d=10     n=100 1.01 | 1.25   n=1000 0.92 | 1.06   n=10000 0.98 | 1.27
        OnlineRidge, d=10            n=100 0.98 | 1.48   n=1000 1.15 | 1.67   n=10000 1.09 | 1.22
        OnlineRidge, d=100           n=100 1.02 | 1.76   n=1000 1.72 | 3.11   n=10000 1.57 | 2.59
        Banditron, SynSep-v0         n=100 1.06 | 1.65   n=1000 3.05 | 4.53   n=10000 2.80 | 3.75
        OFUL, fresh arms, d=10       n=100 0.97 | 1.00   n=1000 0.96 | 1.64   n=10000 1.00 | 1.43
        OFUL, fresh arms, d=100      n=100 0.87 | 1.51   n=1000 2.11 | 3.46   n=10000 1.91 | 2.95
        GPUCB, 100 arms              n=100 1.01 | 0.99   n=1000 1.63 | 2.20   n=10000 2.26 | 3.01

    With ten thousand replicates a play had few rounds, and resets take the lock. OFUL's rounds are
    played singly: with 100 replicates of 10 features in two tiles on two threads they took 2.7
    times as long as in one batch. OnlineRidge with 100 features took 13.0 us per replicate and
    round in tiles of 5 replicates, 7.1 in tiles of 10, 6.7 of 20, 5.6 of 50 and 5.1 of 100.
    ``pytest tools/benchmarks/bench_tiles.py`` measures such figures.

    Parameters
    ----------
    n, threads : int
    state : int
        Bytes of a replicate: its observations, and the agent's state.
    block : int or None
        Bytes of a replicate's round in a block; None if rounds are played singly.
    """
    most = max(TILE_BYTES // state, LEAST_REPLICATES)
    in_blocks = 0 if block is None else BLOCK_BYTES // (LEAST_ROUNDS * block)
    if in_blocks >= FEWEST_IN_BLOCKS:
        most = min(most, in_blocks)
    tiles = -(-n // most)
    for_threads = -(-tiles // threads) * threads
    if in_blocks < FEWEST_IN_BLOCKS:
        for_threads = min(for_threads, n * state // LEAST_BYTES)
    return min(n, max(tiles, for_threads))


def on_threads(
    tiles: Sequence[Tile], threads: int, player: Callable[[list], Callable[[Tile], Any]]
) -> list[Any]:
    """The results of ``player(ended)(tile)`` for every tile, in the tiles' order.

    Parameters
    ----------
    tiles : sequence
    threads : int
        The largest number of tiles played at once. With 1 they are played in this thread.
    player : callable
        Called once in each thread with a list, and returns a function that plays a tile. The list
        gets a member when a tile has failed or the caller is interrupted; the function then raises
        ``Ended``.
    """
    ended: list[BaseException] = []
    waiting, results = deque(enumerate(tiles)), {}

    def work() -> None:
        play = player(ended)
        while not ended:
            try:
                place, tile = waiting.popleft()
            except IndexError:
                return
            try:
                results[place] = play(tile)
            except Ended:
                return
            except BaseException as error:
                ended.append(error)
                raise

    threads = min(threads, len(tiles))
    if threads == 1:
        work()
    else:
        with ThreadPoolExecutor(threads, "tile") as pool:
            try:
                futures = [pool.submit(work) for _ in range(threads)]
                for future in as_completed(futures):
                    future.result()
            except BaseException as error:  # Ctrl-C in this thread, or a tile's own
                ended.append(error)
                raise
    return [results[place] for place in range(len(tiles))]
