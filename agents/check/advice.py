"""Checks of agents that find the best arm: what they recommend, and when they have finished."""

import numpy as np

from agents.check.short_runs import ROUNDS, SEEDS, Trial
from agents.storage.states import rows_of, state_of


def check_recommendations(trial: Trial) -> None:
    """Recommendations are legal and change nothing; what has finished learns nothing any more."""
    agent, n_arms = trial.agent, trial.agent.task.n_arms
    every, done = np.empty((ROUNDS, len(SEEDS)), np.int64), np.zeros(len(SEEDS), bool)
    env, observation = trial.begin(SEEDS)
    for t in range(ROUNDS):
        action = agent.act(observation)
        following, reward, *_, info = env.step(action)
        before = state_of(agent)
        agent.observe(observation, action, reward, feedback=trial.feedback(info))
        for i in np.flatnonzero(done):
            message = "a replicate that has finished learns from a reward, in "
            trial.expect_unchanged(rows_of(before, int(i)), rows_of(vars(agent), int(i)), message)
        observation, state = following, state_of(agent)
        arms, ends = agent.recommend(observation), agent.finished
        legal = isinstance(arms, np.ndarray) and arms.dtype == np.int64 and arms.shape == done.shape
        legal = legal and bool(((arms >= 0) & (arms < n_arms)).all())
        trial.expect(legal, f"recommend must return arms, int64 of shape (n,), got {arms!r}")
        trial.expect(
            isinstance(ends, np.ndarray) and ends.dtype == bool and ends.shape == done.shape,
            f"finished must be bool of shape (n,), got {ends!r}",
        )
        trial.expect_unchanged(state, vars(agent), "recommending changes its state, in ")
        trial.expect(not (done & ~ends).any(), "a replicate that had finished has not any more")
        kept = t == 0 or bool((arms == every[t - 1])[done].all())
        trial.expect(kept, "the recommendation of a replicate that has finished changes")
        every[t], done = arms, ends.copy()
    for i, seed in enumerate(SEEDS):
        env, observation = trial.begin([seed], solo=True)
        for t in range(ROUNDS):
            action = agent.act(observation)
            following, reward, *_, info = env.step(action)
            agent.observe(observation, action, reward, feedback=trial.feedback(info))
            observation, arm = following, agent.recommend(following)
            trial.expect(type(arm) is int, f"a solo recommendation must be an int, got {arm!r}")
            trial.expect(arm == every[t, i], "solo and batched recommendations differ")
