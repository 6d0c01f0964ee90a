"""The loop: one episode of an environment and an agent, and its trace."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

from agents.agent import Agent
from agents.naming import label
from agents.own import as_imported
from agents.seeding import derived_seeds
from agents.states import equal
from banditgym.compiled import compiled
from banditgym.measures import with_rates
from banditgym.rounds import ARM
from banditgym.validation import brief, whole
from banditgym.vector_env import seeds_of

_NOT_MEASURES = ("feedback", "label", "observed")


@dataclass(eq=False)
class Trace:
    """The measures of n replicates over one episode.

    Attributes
    ----------
    agent, env : str
        Label of the agent, id of the environment.
    seeds : list of int
        The environment's seed of each replicate.
    rounds : ndarray of shape (c,)
        The rounds, from 1, after which measures are kept.
    measures : mapping of str to ndarray of shape (n, c)
        Cumulative measures at those rounds: ``reward``, the measures of the environment, and
        ratios of these (``banditgym.measures``).
    pulls : ndarray of shape (n, K) or None
        How often each arm was played, for finite arms.
    seconds : (float, float or None)
        CPU seconds of the environment and of the agent, all replicates together: the process's CPU
        time, divided in proportion to wall-clock time. With blocks of rounds: the seconds of both
        together, and None.
    """

    agent: str
    env: str
    seeds: list[int]
    rounds: np.ndarray
    measures: Mapping[str, np.ndarray]
    pulls: np.ndarray | None
    seconds: tuple[float, float | None]

    @property
    def regret(self) -> np.ndarray | None:
        """Cumulative regret (n, c); None where the environment has none."""
        return self.measures.get("regret")

    @property
    def reward(self) -> np.ndarray:
        """Cumulative reward (n, c)."""
        return self.measures["reward"]

    def to_frame(self):
        """A pandas frame with a row per seed and round, and a column per measure."""
        import pandas as pd

        n, c = len(self.seeds), len(self.rounds)
        columns = {
            "agent": self.agent,
            "env": self.env,
            "seed": np.repeat(np.array(self.seeds, dtype=object), c),
            "round": np.tile(self.rounds, n),
        }
        return pd.DataFrame(
            columns | {name: values.reshape(-1) for name, values in self.measures.items()}
        )

    def __repr__(self) -> str:
        final = ", ".join(f"{k} {v[:, -1].mean():.4g}" for k, v in self.measures.items())
        return (
            f"Trace({self.agent} on {self.env}, {len(self.seeds)} seeds, "
            f"{self.rounds[-1]} rounds: mean {final})"
        )


def play(
    env: Any,
    agent: Agent,
    *,
    horizon: int | None = None,
    seed: Any = 0,
    agent_seed: Any = None,
    rounds: Sequence[int] | None = None,
) -> Trace:
    """Play one episode and return its trace.

    With one replicate, if environment and agent both offer it, rounds are played in blocks, each in
    one compiled loop; every number is bit for bit that of play round by round.

    Parameters
    ----------
    env : gymnasium.Env or gymnasium.vector.VectorEnv
        A single environment (a trace of one replicate) or a batched one, Gymnasium's
        ``SyncVectorEnv`` and ``AsyncVectorEnv`` of single ones included.
    agent : Agent
        It is reset here, with the number of rounds that are really played as the horizon.
    horizon : int, optional
        Number of rounds; by default, and at most, the task's.
    seed : int or sequence of n ints
        Seeds of the environment; ``s`` means s, s+1, ..
    agent_seed : int or sequence of n ints, optional
        The agent's seeds are derived from this one; ``seed`` if not given. The agent is reset with
        ``agents.derived_seeds`` of it and never sees the environment's seeds. It could still guess
        public seeds (anyone can try 0, 1, 2, ..), but not held-out ones.
    rounds : sequence of int, optional
        After which rounds to keep the measures; by default ``default_rounds(horizon)``.

    Raises
    ------
    ValueError
        If the horizon is unknown or above the task's, if the environment ends its episode early,
        or if the agent refuses the task.

    Examples
    --------
    >>> import agents, banditgym, gymnasium
    >>> envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=20, means=[0.9, 0.5])
    >>> trace = agents.play(envs, agents.UCB1(), horizon=200)
    >>> trace.regret.shape == (20, len(trace.rounds))
    True
    """
    _check_kinds(env, agent)
    batched = isinstance(env, VectorEnv)
    n = env.num_envs if batched else 1
    task = task_of(env)
    horizon = _horizon(horizon, task.horizon)
    kept = _rounds(rounds, horizon)
    seeds = seeds_of(seed, n)
    agent.reset(
        dataclasses.replace(task, horizon=horizon),
        n=n if batched else None,
        seed=derived_seeds(seeds if agent_seed is None else agent_seed, n),
    )
    observation, _ = env.reset(seed=seeds if batched else seeds[0])
    if n == 1 and as_imported(agent) and agent.plays_blocks:  # third-party code is not asked
        inner = _env_of_blocks(env)
        block = None if inner is None else inner.block(horizon)
        if block is not None:
            return _play_blocks(env, inner, agent, block, seeds, kept)

    totals: dict[str, Any] = {"reward": 0.0}
    curves: dict[str, np.ndarray] = {}
    pulls = _no_pulls(task, n)
    act, step, observe = agent.act, env.step, agent.observe
    secret = "label" if agent.full_information else "feedback"
    env_time = agent_time = 0.0
    next_kept = 0
    started, wall = process_time(), perf_counter()
    for t in range(1, horizon + 1):
        before = perf_counter()
        action = act(observation)
        acted = perf_counter()
        following, reward, _, truncated, info = step(action)
        stepped = perf_counter()
        # Those of the last round, if the environment began its next episode in the same step.
        info = info.get("final_info", info)
        observe(
            observation, action, reward, feedback=info.get(secret), observed=info.get("observed")
        )
        after = perf_counter()
        agent_time += (acted - before) + (after - stepped)
        env_time += stepped - acted
        observation = following

        totals["reward"] = totals["reward"] + reward
        for name, value in info.items():
            if name[0] != "_" and name not in _NOT_MEASURES and not isinstance(value, dict):
                totals[name] = totals.get(name, 0.0) + value
        if pulls is not None:
            if batched:
                _count(pulls, action)
            else:
                pulls[0, action] += 1
        if t == kept[next_kept]:
            for name, total in totals.items():
                if name not in curves:
                    curves[name] = np.full((n, len(kept)), np.nan)
                curves[name][:, next_kept] = total
            next_kept += 1
        if t < horizon and (truncated[0] if batched else truncated):
            raise ValueError(f"the environment ended its episode after {t} of {horizon} rounds")
    elapsed = perf_counter() - wall
    scale = (process_time() - started) / elapsed if elapsed > 0 else 1.0
    return Trace(
        agent=label(agent),
        env=_id_of(env),
        seeds=seeds,
        rounds=kept,
        measures=with_rates(curves),
        pulls=pulls,
        seconds=(scale * env_time, scale * agent_time),
    )


def default_rounds(horizon: int) -> np.ndarray:
    """A 1-2-5 grid with each interval cut in four, and the last round.

    >>> default_rounds(30)
    array([ 1,  2,  3,  4,  5,  6,  7,  8, 10, 12, 15, 17, 20, 27, 30])
    """
    grid = [1.0, 1.25, 1.5, 1.75, 2.0, 2.75, 3.5, 4.25, 5.0, 6.25, 7.5, 8.75]
    decades = range(len(str(horizon)) + 1)
    rounds = {int(x * 10**e) for e in decades for x in grid}
    return np.array(sorted({t for t in rounds if t < horizon} | {horizon}))


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


def _id_of(env: Any) -> str:
    spec = env.unwrapped.spec
    return "" if spec is None else spec.id


def _no_pulls(task: Any, n: int) -> np.ndarray | None:
    """How often each arm was played (n, K), before the first round; None without arms."""
    return np.zeros((n, task.n_arms), np.int64) if task.plays is ARM else None


def _env_of_blocks(env: Any) -> Any:
    """The environment inside wrappers that do not change rounds, if it offers blocks."""
    while type(env) in (OrderEnforcing, PassiveEnvChecker):
        env = env.env
    return env if env is env.unwrapped and hasattr(env, "block") else None


def _play_blocks(
    env: Any, inner: Any, agent: Agent, block: Any, seeds: list[int], kept: np.ndarray
) -> Trace:
    """An episode of ``play`` from its first block on."""
    n, task = len(seeds), inner.task
    totals: dict[str, np.ndarray] = {}
    curves: dict[str, np.ndarray] = {}
    pulls = _no_pulls(task, n)
    started = process_time()
    t = first = 0
    while True:
        actions = agent.play_block(block)
        _, reward, info = inner.settle(block, actions)
        last = int(np.searchsorted(kept, t + len(reward), side="right"))
        for name, value in {"reward": reward, **info}.items():
            if name in _NOT_MEASURES:
                continue
            # The same numbers, summed in the same order as round by round.
            value = np.concatenate([totals.get(name, np.zeros((1, n))), value])
            running = np.cumsum(value, axis=0)
            totals[name] = running[-1:]
            if name not in curves:
                curves[name] = np.full((n, len(kept)), np.nan)
            curves[name][:, first:last] = running[kept[first:last] - t].T
        if pulls is not None:
            _count_rounds(pulls, actions)
        t, first = t + len(reward), last
        if t == kept[-1]:
            break
        block = inner.block(int(kept[-1]) - t)
    return Trace(
        agent=label(agent),
        env=_id_of(env),
        seeds=seeds,
        rounds=kept,
        measures=with_rates(curves),
        pulls=pulls,
        seconds=(process_time() - started, None),
    )


def _check_kinds(env: Any, agent: Any) -> None:
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


@compiled
def _count(pulls, arms):
    for i in range(arms.shape[0]):
        pulls[i, arms[i]] += 1


@compiled
def _count_rounds(pulls, arms):
    for t in range(arms.shape[0]):
        _count(pulls, arms[t])
