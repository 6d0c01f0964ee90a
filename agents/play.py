"""The loop: one episode of an environment and an agent."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any, NamedTuple

import numpy as np
from gymnasium import Env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

from agents.agent import Agent
from agents.inputs.late_rewards import LateRewards
from agents.inputs.observations import Observation, refuse_mask
from agents.logs.log_file import LogFile
from agents.logs.recording import Recording, opened
from agents.naming import label
from agents.ownership import as_imported
from agents.recommendations import recommendations_of
from agents.seeding import derived_seeds
from agents.storage.states import equal
from agents.tiles import Ended, copy_of, on_threads, tiles_of
from agents.trace import Sums, Trace, default_rounds
from banditgym.measures import with_rates
from banditgym.rounds.kinds import ARM
from banditgym.validation import brief, whole
from banditgym.vector_env import seeds_of


def play(
    env: Env | VectorEnv,
    agent: Agent,
    *,
    horizon: int | None = None,
    seed: int | Sequence[int] = 0,
    agent_seed: int | Sequence[int] | None = None,
    rounds: Sequence[int] | None = None,
    threads: int | None = None,
    log: str | Path | LogFile | None = None,
) -> Trace:
    """Play one episode and return its trace.

    If both the environment and the agent offer it, rounds are played in blocks, each in one
    compiled loop. Every number is bit for bit that of play round by round.
    ``banditgym.rounds.blocks.rounds_per_block`` says when the environment offers it.

    Where the best arm is to be found and agents decide when to stop, the play ends when all
    replicates have finished, at the latest after the horizon.

    Parameters
    ----------
    env : gymnasium.Env or gymnasium.vector.VectorEnv
        A single environment, for a trace of one replicate, or a batched one. Gymnasium's
        ``SyncVectorEnv`` and ``AsyncVectorEnv`` of single environments are batched ones.
    agent : Agent
        It is reset here. Its task's horizon is the number of rounds that are played.
    horizon : int, optional
        Number of rounds; by default, and at most, the task's.
    seed : int or sequence of n ints
        Seeds of the environment; ``s`` means s, s+1, ..
    agent_seed : int or sequence of n ints, optional
        The agent's seeds are derived from this one; ``seed`` if not given. The agent is reset with
        ``agents.derived_seeds(agent_seed)`` and never sees the environment's seeds. It could still
        guess public seeds, by trying 0, 1, 2, .., but not held-out ones.
    rounds : sequence of int, optional
        The rounds after which measures are kept; by default ``default_rounds(horizon)``.
    threads : int, optional
        Play the replicates in tiles, on at most this many threads. Every number except the times is
        the same for any number of threads. Copies of ``env`` and ``agent`` play the tiles, and both
        stay as they were before the call. By default all replicates are played in one batch, by
        ``env`` and ``agent`` themselves, which then hold the state after the last round. Single
        environments, wrappers, and third-party environments and agents always play in one batch, in
        one thread; see ``agents.tiles.tiles_of``.

    Raises
    ------
    ValueError
        If the horizon is unknown or above the task's, if the environment ends its episode early,
        or if the agent refuses the task. With ``log``, if the file exists, or if the agent does not
        say with which probabilities it plays; nothing has then been played.

    Examples
    --------
    >>> import agents, banditgym, gymnasium
    >>> envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=20, means=[0.9, 0.5])
    >>> trace = agents.play(envs, agents.UCB1(), horizon=200)
    >>> trace.regret.shape == (20, len(trace.rounds))
    True
    """
    _check_kinds(env, agent)
    n = env.num_envs if isinstance(env, VectorEnv) else 1
    task = task_of(env)
    horizon = _horizon(horizon, task.horizon)
    kept = _rounds(rounds, horizon)
    seeds = seeds_of(seed, n)
    given = _Given(
        task=dataclasses.replace(task, horizon=horizon),
        seeds=seeds,
        agent_seeds=derived_seeds(seeds if agent_seed is None else agent_seed, n),
        kept=kept,
    )
    tiles = None
    if threads is not None and whole("threads", threads) and log is None:
        tiles = tiles_of(env, agent, given.task, threads)
    if log is not None:
        with opened(log) as file:
            played = _episode(env, agent, given, log=file)
    elif tiles is None:
        played = _episode(env, agent, given)
    else:
        played = _play_tiles(env, agent, given, tiles, threads or 1)
    return Trace(
        agent=label(agent),
        env="" if env.unwrapped.spec is None else env.unwrapped.spec.id,
        seeds=seeds,
        rounds=kept,
        measures=with_rates(played.sums.curves),
        pulls=played.sums.pulls,
        seconds=played.seconds,
        state_bytes=played.state_bytes,
        recommended=played.sums.recommended,
        stopped=played.sums.stopped,
    )


@dataclasses.dataclass(frozen=True)
class _Given:
    """What an episode is given: the task, the seeds of each replicate, and the rounds to keep."""

    task: Any
    seeds: list[int]
    agent_seeds: list[int]
    kept: np.ndarray

    def of(self, tile: slice) -> "_Given":
        """The same for some replicates."""
        return _Given(self.task, self.seeds[tile], self.agent_seeds[tile], self.kept)


class _Played(NamedTuple):
    """An episode's sums, with ``seconds`` and ``state_bytes`` as in ``Trace``."""

    sums: Sums
    seconds: tuple[float, float]
    state_bytes: int | None = None


def _play_tiles(env: Any, agent: Agent, given: _Given, tiles: list[slice], threads: int) -> _Played:
    """Play an episode in tiles, with environments like ``env`` and copies of the agent."""

    def player(ended: list[BaseException]) -> Callable[[slice], _Played]:
        made: dict[int, Any] = {}  # by size: a thread's tiles share an environment and a copy

        def play_tile(tile: slice) -> _Played:
            n = tile.stop - tile.start
            if n not in made:
                made[n] = env.resized(n), copy_of(agent)
            of, copy = made[n]
            played = _episode(of, copy, given.of(tile), ended)
            return played._replace(state_bytes=copy.state_bytes())

        return play_tile

    every, seconds, sizes = zip(*on_threads(tiles, threads, player), strict=True)
    of_env, of_agent = map(sum, zip(*seconds, strict=True))
    return _Played(Sums.joined(every), (of_env, of_agent), sum(sizes))


def _episode(
    env: Any,
    agent: Agent,
    given: _Given,
    ended: list[BaseException] | None = None,
    log: LogFile | None = None,
) -> _Played:
    """Play an episode; a tile stops if ``ended`` has a member, and its thread's clock times it."""
    batched, n, task = isinstance(env, VectorEnv), len(given.seeds), given.task
    agent.reset(task, n=n if batched else None, seed=given.agent_seeds)
    seed: Any = given.seeds if batched else given.seeds[0]
    observation, info = env.reset(seed=seed)
    refuse_mask(task, info)
    sums = Sums(n, task.n_arms if task.plays is ARM else None, given.kept)
    sums.recommendations = recommendations_of(env.unwrapped, task, sums)
    recording = None
    if log is not None:
        recording = Recording(log, env.unwrapped, agent, task, given.seeds)
    # A third-party property is not read.
    blocks = recording is None and as_imported(agent) and agent.plays_blocks
    inner = _env_of_blocks(env) if blocks else None
    used = process_time if ended is None else thread_time
    started, wall = used(), perf_counter()
    seconds = None if inner is None else _play_blocks(inner, agent, sums, ended)
    if seconds is None:
        seconds = _play_rounds(env, agent, observation, sums, ended, recording)
    if recording is not None:
        recording.end()
    elapsed = perf_counter() - wall
    cpu_share = (used() - started) / elapsed if elapsed > 0 else 1.0
    return _Played(sums, (cpu_share * seconds[0], cpu_share * seconds[1]))


def _play_rounds(
    env: Any,
    agent: Agent,
    observation: Observation,
    sums: Sums,
    ended: list[BaseException] | None,
    recording: Recording | None,
) -> tuple[float, float]:
    """Play an episode round by round; returns wall-clock seconds of environment and agent."""
    batched, horizon = isinstance(env, VectorEnv), int(sums.kept[-1])
    act, step, observe = agent.act, env.step, agent.observe
    secret = "label" if agent.full_information else "feedback"
    task, recommendations = agent.task, sums.recommendations
    late = None if task.feedback is None else LateRewards(task, sums.n, not batched, secret)
    env_time = agent_time = 0.0
    for t in range(1, horizon + 1):
        if recording is not None:
            recording.before(observation)
        before = perf_counter()
        action = act(observation)
        acted = perf_counter()
        following, reward, _, truncated, info = step(action)
        stepped = perf_counter()
        # Those of the last round, if the environment began its next episode in the same step.
        info = info.get("final_info", info)
        if recording is not None:
            recording.after(action, reward, info)
        if late is not None:
            late.learn(agent, observation, action, info)
        else:
            observe(
                observation,
                action,
                reward,
                feedback=info.get(secret),
                observed=info.get("observed"),
            )
        after = perf_counter()
        agent_time += (acted - before) + (after - stepped)
        env_time += stepped - acted
        observation = following
        sums.add(t, action, reward, info)
        if recommendations is not None and not recommendations.after(t, agent, observation):
            break
        if ended:
            raise Ended
        if t < horizon and (truncated[0] if batched else truncated):
            raise ValueError(f"the environment ended its episode after {t} of {horizon} rounds")
    return env_time, agent_time


def _play_blocks(
    env: Any, agent: Agent, sums: Sums, ended: list[BaseException] | None
) -> tuple[float, float] | None:
    """Play an episode in blocks, with the same result; None, before it starts, if not offered."""
    t, horizon, recommendations = 0, int(sums.kept[-1]), sums.recommendations
    env_time = agent_time = 0.0
    while t < horizon:
        before = perf_counter()
        block = env.block((horizon if recommendations is None else sums.next_kept) - t)
        if block is None:
            return None
        made = perf_counter()
        actions = agent._take_block(block)
        played = perf_counter()
        shows = t + len(actions) == horizon or recommendations is not None
        observation, reward, info = env.step_block(block, actions, shows)
        agent_time += played - made
        env_time += (made - before) + (perf_counter() - played)
        sums.add_block(t, actions, {"reward": reward, **info})
        t += len(actions)
        if recommendations is not None:
            recommendations.after(t, agent, observation)
        if ended:
            raise Ended
    return env_time, agent_time


def task_of(env: Any) -> Any:
    """The task of an environment, or the common task of a vector's single environments."""
    base = env.unwrapped
    task = getattr(base, "task", None)
    if task is None and isinstance(base, SyncVectorEnv | AsyncVectorEnv):
        try:
            task, *others = base.get_attr("task")
        except AttributeError:  # not environments of ours
            others = []
        if not all(equal(task, other) for other in others):
            raise ValueError(f"the environments of {env} must have one task, and theirs differ")
    if task is None:
        raise ValueError(
            f"{env} has no task: agents play environments whose env.unwrapped.task is one of "
            "banditgym.tasks"
        )
    return task


def _env_of_blocks(env: Any) -> Any:
    """The environment inside wrappers that do not change rounds, if it offers blocks."""
    while type(env) in (OrderEnforcing, PassiveEnvChecker):
        env = env.env
    return env if env is env.unwrapped and hasattr(env, "block") else None


def _check_kinds(env: object, agent: object) -> None:
    if not isinstance(agent, Agent):
        raise ValueError(f"agent must be an Agent, such as agents.LinUCB(), got {brief(agent)}")
    if not isinstance(env, Env | VectorEnv):
        raise ValueError(f"env must be made by gymnasium.make or make_vec, got {brief(env)}")


def _horizon(horizon: int | None, longest: int | None) -> int:
    if horizon is None:
        if longest is None:
            raise ValueError("neither the task nor the call has a horizon: give one")
        return longest
    horizon = whole("horizon", horizon)
    if longest is not None and horizon > longest:
        raise ValueError(f"horizon {horizon} is above the task's, {longest}")
    return horizon


def _rounds(rounds: Sequence[int] | None, horizon: int) -> np.ndarray:
    if rounds is None:
        return default_rounds(horizon)
    kept = np.unique(np.asarray(rounds))
    if kept.size == 0 or kept.dtype.kind not in "iu" or kept[0] < 1 or kept[-1] > horizon:
        raise ValueError(f"rounds must be integers in 1..{horizon}, got {brief(rounds)}")
    return np.union1d(kept, [horizon])
