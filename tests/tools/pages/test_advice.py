"""Which agent, when: against plain recomputations from the published results."""

import dataclasses
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from leaderboards.run.store.frame import load_results
from leaderboards.run.store.store import Store
from leaderboards.suites.suite import load
from tools import publish
from tools.pages import advice


@pytest.fixture(scope="module")
def suite():
    return load("armed-v2")


@pytest.fixture(scope="module")
def rows(suite):
    return Store(publish.results_of(suite, publish.FOLDER)).rows(suite.hash)


@pytest.fixture(scope="module")
def found(suite, rows):
    return {one.kind: one for one in advice.advise(suite, rows)}


def test_tasks_are_grouped_by_what_is_known_before_the_first_round():
    tasks = load("linear-v2").tasks
    named = {kind: {task.name for task in own} for kind, own in advice.kinds(tasks).items()}
    assert named["changing"] == {"one-change", "turning"}
    assert named["50 arms or more"] == {"many-arms", "many-fixed-arms"}
    assert named["a parameter for each arm"] == {"per-arm", "per-arm-long", "per-arm-wines"}
    assert named["small gaps (0.05 or less)"] == {"end-of-optimism-close", "misspecified"}
    assert named["means that are not linear"] == {"misspecified"}
    assert named["long (T > 5,000)"] == {task.name for task in tasks if task.horizon > 5000}
    assert "late rewards" not in named  # no task has them
    late = advice.kinds(load("delay-v1").tasks)
    assert len(late["late rewards"]) == 3 * len(late["rewards at once"])


def of_agents(suite, tasks):
    """Scores and gains by agent, from the frame of results: regret against uniform play's."""
    frame = load_results(suite.name)
    ends = {
        (task, agent): part.sort_values("seed")["regret"].to_numpy()
        for (task, agent), part in frame[frame["round"].notna()].groupby(["task", "agent"])
    }
    agents = sorted({agent for _, agent in ends} - {"UniformRandom", "BestFixedAction"})
    return {
        agent: [(ends[task, agent], ends[task, "UniformRandom"]) for task in tasks]
        for agent in agents
        if all((task, agent) in ends for task in tasks)
    }


@pytest.mark.parametrize("kind", ["all tasks", "small gaps (0.05 or less)", "heavy tails"])
def test_scores_and_leads_are_those_of_the_rows(found, suite, kind):
    one = found[kind]
    curves = of_agents(suite, [task.name for task in one.section.tasks])
    scores = {
        agent: np.mean([1 - own.mean() / uniform.mean() for own, uniform in tasks])
        for agent, tasks in curves.items()
    }
    assert {standing.label for standing in one.ranked} == scores.keys()
    for standing in one.ranked:
        assert standing.score.value == pytest.approx(scores[standing.label], abs=1e-12)
    best = max(scores, key=scores.get)
    assert one.ranked[0].label == best
    if one.lead is None:
        assert best == found["all tasks"].ranked[0].label
        return
    other = found["all tasks"].ranked[0].label
    assert one.lead.value == pytest.approx(scores[best] - scores[other], abs=1e-12)
    # The seeds' own differences; the means of uniform play vary little, and are held fixed.
    apart = np.mean(
        [
            (theirs - ours) / uniform.mean()
            for (ours, uniform), (theirs, _) in zip(curves[best], curves[other], strict=True)
        ],
        axis=0,
    )
    error = apart.std(ddof=1) / len(apart) ** 0.5
    # The half of a percentile interval of 2,000 resamples; its own error is 4 %, thrice that is
    # allowed, and as much again for the fixed means.
    assert (one.lead.high - one.lead.low) / 2 == pytest.approx(1.96 * error, rel=0.24)


def test_two_agents_whose_rows_are_swapped_change_places(suite, rows, found):
    swap = {"KLUCBPlusPlus": "UCB1", "UCB1": "KLUCBPlusPlus"}
    others = [
        dataclasses.replace(
            row, agent=swap.get(row.agent, row.agent), spec=swap.get(row.spec, row.spec)
        )
        for row in rows
    ]
    text, other = ("\n".join(advice.lines(advice.advise(suite, some))) for some in (rows, others))
    assert text != other
    assert "alone" in text
    assert (
        text.replace("KLUCBPlusPlus", "*").replace("UCB1", "KLUCBPlusPlus").replace("*", "UCB1")
        == other
    )


def standings(scores):
    """A ranking of agents with these scores (L, M)."""
    names = [f"task-{m}" for m in range(scores.shape[1])]
    return SimpleNamespace(
        tasks=[SimpleNamespace(name=name) for name in names],
        unscored={},
        standings=[
            SimpleNamespace(
                rank=(1, len(scores)),
                spec=f"agent-{number}",
                tasks={
                    name: SimpleNamespace(score=SimpleNamespace(value=value))
                    for name, value in zip(names, line, strict=True)
                },
            )
            for number, line in enumerate(scores)
        ],
    )


@pytest.mark.parametrize("many", [2, 5, 6])
def test_agents_chosen_on_one_half_are_scored_on_the_other(many):
    scores = np.random.default_rng(many).normal(size=(4, many))
    results = []
    for half in itertools.combinations(range(many), many // 2):
        rest = [m for m in range(many) if m not in half]
        chosen = max(range(4), key=lambda agent: sum(scores[agent, m] for m in half))
        other = [np.mean([scores[agent, m] for m in rest]) for agent in range(4)]
        results.append((other[chosen], max(other), np.median(other)))
    chosen, best, middle = np.mean(results, axis=0)
    worst = max(best - chosen for chosen, best, _ in results)
    found = advice.held_out(standings(scores))
    assert dataclasses.astuple(found) == pytest.approx(
        (chosen, best, middle, worst, len(results)), abs=1e-12
    )


def test_advice_that_cannot_be_tested_has_no_sentence():
    assert advice.held_out(standings(np.ones((4, 1)))) is None
    assert advice.held_out(standings(np.ones((2, 4)))) is None
    assert advice.held_out(standings(np.ones((3, 12)))).halves == advice.HALVES


def test_a_family_that_no_agent_plays_whole_is_advised_by_ranking():
    suite = load("best-arm-v1")
    groups = {one.group for one in publish.advised(suite, publish.FOLDER)}
    assert groups == {"best-arm-rounds", "best-arm-confidence"}
