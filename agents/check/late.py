"""Checks of decisions and late rewards: every act is counted and draws new random numbers."""

import copy
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.check.short_runs import Trial
from agents.storage.states import state_of, within
from banditgym.rounds.kinds import OUTCOME, RANKING, REWARD
from banditgym.streams import AGENT

ACTS = 20  # before the first reward
LATE_SEEDS = (3, 4, 5)
REPLICATES = 64
# The probability that a legal agent is refused is below 3e-10. If it draws a label other than its
# favourite with probability q, independently in every act, it repeats itself in all of 64 times 19
# acts with probability (1 - q)^1216. 3e-10 is the probability that it also differs in 16 or more of
# 8 times 64 other draws, for the worst q.
REDRAWS, DIFFERENT = 8, 16
_PURPOSES = 256  # of streams that are known again by their keys


def check_counting(trial: Trial) -> None:
    """``decisions`` counts acts, and a reward that is not observed changes nothing."""
    agent = trial.agent
    _, observation = trial.begin(LATE_SEEDS)
    counted = getattr(agent, "decisions", None)
    trial.expect(
        isinstance(counted, np.ndarray) and counted.dtype == np.int64 and counted.shape == (3,),
        "decisions must be int64 of shape (n,), made by Agent.reset",
    )
    _expect_decisions(trial, agent, 0, "reset must set decisions to 0")
    for count in (1, 2):
        action = agent.act(observation)
        _expect_decisions(trial, agent, count, "act must raise decisions by one, as Agent.act does")
    state = state_of(agent)
    kwargs: dict[str, Any] = {"feedback": _nothing_new(agent, action), "observed": [False] * 3}
    for decision in ({}, {"decision": 0}, {"decision": np.array([0, 1, 0])}):
        agent.observe(observation, action, np.ones(3), **kwargs, **decision)
        trial.expect_unchanged(
            state, vars(agent), "a reward that was not observed changes its state, in "
        )


def check_draws(trial: Trial) -> None:
    """An agent that randomises its choices draws new numbers for each, even without a reward.

    An agent that repeats itself in all replicates is deterministic, or keeps numbers drawn at
    ``reset``, or draws the same numbers every time. Only in the last case do its choices change if
    the state gets other keys, seeds and generators.
    """
    agent = trial.agent
    _, observation = trial.begin(range(3, 3 + REPLICATES))
    first = np.array(agent.act(observation))
    if not _depends_on_draws(agent, observation, first):
        return
    trial.expect(
        not all(np.array_equal(agent.act(observation), first) for _ in range(ACTS - 1)),
        f"{ACTS} acts before the first reward draw the same random numbers {ACTS} times; "
        "as its round, a draw made to choose must use self.decisions, which every act raises",
    )


def _depends_on_draws(agent: Agent, observation: Any, first: np.ndarray) -> bool:
    """Whether other keys, seeds and generators change the actions."""
    known, different = known_keys(agent.seeds[0]), 0
    for number in range(REDRAWS):
        other = copy.deepcopy(agent)
        redraw(other, known, number + 1)
        differ = np.array(other.act(observation)) != first
        different += int(differ.reshape(REPLICATES, -1).any(axis=1).sum())
        if different >= DIFFERENT:
            return True
    return False


def check_late(trial: Trial, disk: Callable | None) -> None:
    """Make twenty acts and then give their rewards, which are learned or refused in one line.

    ``disk`` saves an agent and loads it; None if it cannot be saved.
    """
    acted, ended, refused = _late_run(trial, lambda playing: playing)
    if disk is None:
        return
    again, ended_again, refused_again = _late_run(trial, disk)
    for t, (one, other) in enumerate(zip(acted, again, strict=True)):
        trial.expect(
            np.array_equal(one, other),
            "after saving and loading before its rewards, it continues differently, "
            f"first in act {t + 1}",
        )
    message = "after saving and loading before its rewards, it learns differently: "
    trial.expect_unchanged(ended, ended_again, message)
    trial.expect(refused == refused_again, message)


def _late_run(trial: Trial, disk: Callable) -> tuple[list[np.ndarray], Any, bool]:
    """Actions, the last state, and whether late rewards are refused."""
    env, observation = trial.begin(LATE_SEEDS)
    rounds, acted, playing, refused = [], [], trial.agent, False
    for t in range(ACTS):
        if t == ACTS // 2:
            playing = disk(playing)
        shown = copy.deepcopy(observation)
        action = playing.act(shown)
        observation, reward, *_, info = env.step(action)
        rounds.append(copy.deepcopy((shown, action, reward, trial.feedback(info))))
        acted.append(np.array(action))
    for t, (shown, action, reward, feedback) in enumerate(rounds):
        if t == ACTS // 2:
            playing = disk(playing)
        state = state_of(playing)
        try:
            playing.observe(shown, action, reward, feedback=feedback, decision=t)
        except ValueError as error:
            refused = True
            trial.expect(
                "\n" not in str(error) and bool(str(error)),
                f"it must refuse late rewards in one line, got {str(error)!r}",
            )
            trial.expect_unchanged(
                state, vars(playing), "a late reward that it refuses changes its state: "
            )
    _expect_decisions(trial, playing, ACTS, "observe must leave decisions alone")
    for _ in range(3):
        acted.append(np.array(playing.act(observation)))
    return acted, state_of(playing), refused


def _expect_decisions(trial: Trial, agent: Agent, count: int, message: str) -> None:
    made = agent.decisions
    trial.expect(bool((made == count).all()), f"{message}: {made} after {count}")


def _nothing_new(agent: Agent, action: Any) -> Any:
    """Feedback that is legal for every family."""
    task = agent.task
    if agent.full_information:
        return np.zeros(3, np.int64)
    if task.plays is RANKING:
        return np.full(3, -1)
    if task.reveals is OUTCOME:
        return np.zeros(3)
    if task.reveals is REWARD:
        return None
    return {"loss": np.zeros(3), "gradient": np.zeros((3, task.dim)), "curvature": np.ones(3)}


@functools.cache
def known_keys(seed: int) -> frozenset[bytes]:
    """The first replicate's keys in the agents' streams of every purpose."""
    return frozenset(
        np.random.SeedSequence(seed, spawn_key=(AGENT, purpose, 0))
        .generate_state(2, np.uint32)
        .tobytes()
        for purpose in range(_PURPOSES)
    )


def redraw(agent: Agent, known: frozenset[bytes], number: int) -> None:
    """Put other keys, seeds and generators into an agent's state."""
    for part in within(agent):
        if isinstance(part, np.random.Generator):
            bits = part.bit_generator
            bits.state = type(bits)([number, *np.atleast_1d(part.integers(2**32, size=2))]).state
        elif isinstance(part, np.ndarray):
            keys = part.dtype == np.uint32 and part.ndim == 2 and part.shape[1] == 2
            if keys and len(part) and part[0].tobytes() in known:
                part ^= np.uint32(0x9E3779B9 * number & 0xFFFFFFFF)
        elif isinstance(part, dict) and isinstance(part.get("seeds"), list):
            part["seeds"] = [seed + (number << 80) for seed in part["seeds"]]
