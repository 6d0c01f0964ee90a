"""Compiled code is made ready by the judge: what an agent's process compiles is lost with it."""

from typing import Any

from agents.general.uniform import UniformRandom
from agents.naming import plays_apart, resolve
from agents.play import play, task_of
from agents.regression.predict_zero import PredictZero


def warm(envs: Any, spec: str) -> None:
    """Compile here what an agent's process will need of this package's compiled code.

    Two rounds are played, by the agent where it shares processes with others, else by uniform play:
    neither third-party code nor what another library computes runs here.

    Parameters
    ----------
    envs : gymnasium.vector.VectorEnv
        An environment to play and to throw away.
    spec : str
        The agent that will play in its own process.
    """
    task = task_of(envs)
    if plays_apart(spec):
        agent = PredictZero() if task.plays == "number" else UniformRandom()
    else:
        agent = resolve(spec)
    if agent.refusal(task) is None:  # else its own process says so
        play(envs, agent, horizon=min(2, task.horizon or 2), seed=0)
