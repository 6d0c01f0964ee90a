"""Runs of agents on environments, as the simulations of experiments use them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium

import banditgym  # noqa: F401 (registers the environments)
from agents import Agent, play
from agents.trace import Trace
from leaderboards.papers.claim import Sample
from leaderboards.papers.recorder import Notes, Recorder


class Run(NamedTuple):
    """An agent, and the id and settings of the environment that it plays."""

    agent: Agent
    env: str
    settings: Mapping[str, Any]


def environments(env: str, seeds: Sequence[int], **settings: Any) -> Any:
    """A batched environment with a replicate for each seed."""
    return gymnasium.make_vec(env, num_envs=len(seeds), **settings)


def curves(
    seeds: Sequence[int],
    runs: Mapping[str, Run],
    *,
    measure: str = "regret",
    rounds: Sequence[int] | None = None,
) -> Sample:
    """A measure of every run, (n, c), by the runs' names."""
    traces = {
        name: play(environments(env, seeds, **settings), agent, seed=seeds, rounds=rounds)
        for name, (agent, env, settings) in runs.items()
    }
    kept = next(iter(traces.values())).rounds
    return Sample(kept, {name: trace.measures[measure] for name, trace in traces.items()})


def recorded(
    agent: Agent, notes: Notes, envs: Any, seeds: Sequence[int], rounds: Sequence[int] | None = None
) -> tuple[Trace, dict[str, Any]]:
    """The trace of a run, and the notes of all its rounds, (n, T, ..) each."""
    recorder = Recorder(agent=agent, notes=notes)
    trace = play(envs, recorder, seed=seeds, rounds=rounds)
    return trace, recorder.kept()


def of_predictions(agent, contexts, predictions, outcome) -> dict[str, Any]:
    """Notes of online regression: the row, the prediction and the outcome."""
    return {"row": contexts[:, :, 0], "prediction": predictions, "outcome": outcome}
