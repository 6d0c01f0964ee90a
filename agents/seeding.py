"""The seeds that ``play`` gives to agents."""

from collections.abc import Sequence

from banditgym.streams import AGENT, derived_seed
from banditgym.vector_env import seeds_of


def derived_seeds(seed: int | Sequence[int], n: int = 1) -> list[int]:
    """The seeds that ``agents.play(env, agent, seed=seed)`` resets an agent of n replicates with.

    An agent that knows the environment's seed could rebuild the environment and play its best arm.
    So it gets one-way hashes of these seeds, 128 bits each (``banditgym.streams.derived_seed``). An
    agent therefore cannot read the seed, but it can guess it, by trying 0, 1, 2, .. A score on
    public seeds can be trusted only if somebody has read the agent's code. Held-out seeds cannot be
    guessed.

    Parameters
    ----------
    seed : int or sequence of n ints
        ``s`` means s, s+1, ..

    Examples
    --------
    The numbers of ``play``, round by round:

    >>> import agents, banditgym, gymnasium
    >>> env = gymnasium.make("ArmedBandit-v0", horizon=50)
    >>> trace = agents.play(env, agents.BetaThompson(), seed=3)
    >>> agent = agents.BetaThompson().reset(env.unwrapped.task, seed=agents.derived_seeds(3))
    >>> observation, _ = env.reset(seed=3)
    >>> total = 0.0
    >>> for _ in range(50):
    ...     action = agent.act(observation)
    ...     following, reward, _, _, _ = env.step(action)
    ...     agent.observe(observation, action, reward)
    ...     observation, total = following, total + reward
    >>> bool(total == trace.reward[0, -1])
    True
    """
    return [derived_seed(each, AGENT) for each in seeds_of(seed, n)]
