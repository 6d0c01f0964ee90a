"""Loads damaged files of saved agents and plays on: run apart, since a fault may end the process.

``python checkpoints.py FOLDER`` is silent if all is well; the file under way is FOLDER/agent.npz.
"""

import sys
from pathlib import Path

import numpy as np
from fuzzing import damaged, examples, limited_memory
from hypothesis import given, note
from hypothesis import strategies as st

import agents
from agents.check.small_environments import ENVIRONMENTS
from banditgym.entry_points import make_batch

CHOSEN = {
    "UCB1": "armed", "LinUCB": "linear", "SlidingWindowLinUCB": "linear", "SOFUL": "linear",
    "FastLinUCB": "linear", "BKB": "kernelized", "GPUCB": "kernelized", "Forward": "regression",
    "SAGRegression": "regression", "AdaptiveDescent": "losses", "SquareCB": "multiclass",
    "BallOFUL": "strongly_convex",
}  # fmt: skip
ROUNDS = 6


def played(name: str, path: Path) -> bytes:
    """The file of an agent that played a few rounds of three replicates."""
    env, settings = ENVIRONMENTS[CHOSEN[name]][0]
    envs = make_batch(env, 3, settings | {"horizon": 3 * ROUNDS})
    agent = agents.resolve(name)
    agents.play(envs, agent, horizon=ROUNDS, seed=5)
    agent.save(path)
    return path.read_bytes()


def go_on(agent: agents.Agent, name: str) -> None:
    """Some rounds with whatever numbers the file had: an exception is no crash."""
    env, settings = ENVIRONMENTS[CHOSEN[name]][0]
    envs = make_batch(env, 3, settings | {"horizon": 3 * ROUNDS})
    observation, _ = envs.reset(seed=7)
    try:
        with np.errstate(all="ignore"):
            for _ in range(ROUNDS):
                action = agent.act(observation)
                observation, reward, *_, info = envs.step(action)
                agent.observe(observation, action, reward, feedback=info.get("feedback"))
    except (ValueError, RuntimeError, FloatingPointError):
        return


def main(folder: Path) -> None:
    path = folder / "agent.npz"
    files = {name: played(name, path) for name in CHOSEN}
    cases = st.sampled_from(sorted(files)).flatmap(
        lambda name: st.tuples(
            st.just(name), damaged(files[name], (b"os:system", b"agents.", b"{"))
        )
    )

    @examples(200)
    @given(cases)
    def check(case):
        name, data = case
        path.write_bytes(data)
        note(name)
        with limited_memory():
            try:
                agent = agents.load(path)
            except ValueError as error:
                refused = str(error)
            else:
                refused = ""
                go_on(agent, name)
        assert "\n" not in refused

    check()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
