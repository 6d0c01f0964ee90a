"""The judge compiles code in advance: what an agent's process compiles is lost with it."""

from gymnasium.vector import VectorEnv

from agents.naming import plays_apart, resolve
from agents.play import play, task_of
from leaderboards.suites.baselines_file import baseline_of


def warm(envs: VectorEnv, spec: str) -> None:
    """Compile, in this process, the code of this package that an agent's process will need.

    It plays two rounds, and not as a block, because an agent's process plays round by round. The
    agent itself plays if it may share a process with others, else uniform play. Neither third-party
    agents nor agents of other libraries run here.

    Parameters
    ----------
    envs : gymnasium.vector.VectorEnv
        An environment to play; do not use it afterwards.
    spec : str
        The agent that will play in its own process.
    """
    task = task_of(envs)
    agent = resolve(baseline_of(task.family) if plays_apart(spec) else spec)
    if agent.refuses(task) is None:  # else the agent's own process reports the refusal
        cls = type(type(agent).__name__, (type(agent),), {"plays_blocks": False})
        agent = cls(**agent.hyperparameters())
        play(envs, agent, horizon=min(2, task.horizon or 2), seed=0)
