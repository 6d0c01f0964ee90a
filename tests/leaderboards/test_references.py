"""References: they play the best action by the truth, and are never ranked."""

import itertools
from typing import Any

import gymnasium
import numpy as np
import pytest

import agents
from agents.naming import own_agents, resolve
from banditgym.data.simulated_logs import MadeLog
from leaderboards.rank import board
from leaderboards.references import BestConstant, BestFixedAction, ClickModel
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.outcomes import make
from leaderboards.run.plan import plan
from leaderboards.run.runner import run
from leaderboards.run.store.store import Store
from leaderboards.suites.baselines_file import BEST_FIXED
from leaderboards.suites.suite import load


def news(n, **settings):
    return gymnasium.make_vec("NewsReplay-v0", num_envs=n, **settings)


def true_chances(log, rounds):
    """Of each event the click probability of every article there, by its id."""
    for events in log.events(rounds):
        chances = log.probabilities(events)
        for ids, row in zip(events.ids, chances, strict=True):
            yield {int(i): float(p) for i, p in zip(ids, row, strict=True) if i >= 0}


@pytest.mark.parametrize(
    ("format", "features"),
    [("R6A", "outer"), ("R6A", "article"), ("R6A", "user"), ("R6B", "offset"), ("R6B", "user")],
)
def test_it_plays_the_article_of_the_highest_true_probability(format, features):
    # Through several chunks of events and articles that come and go; 25 slots, so some stay empty.
    rounds = 2500 if format == "R6A" else 600
    settings = {"data": format, "features": features, "n_arms": 25, "log_seed": 4}
    envs: Any = news(2, horizon=rounds, **settings)
    agent = ClickModel(format=format, log_seed=4).reset(envs.unwrapped.task, n=2, seed=5)
    observation, _ = envs.reset(seed=7)
    articles = set()
    for chances in true_chances(MadeLog(format=format, seed=4), rounds):
        slots = agent.act(observation)
        for i, slot in enumerate(slots):
            played = int(observation["ids"][i, slot])
            assert chances[played] == max(chances.values())
            articles.add(played)
        following, reward, _, _, info = envs.step(slots)
        agent.observe(observation, slots, reward, observed=info["observed"])
        observation = following
    assert len(articles) > 5


def test_solo_and_again_after_a_reset():
    env = gymnasium.make("NewsReplay-v0", horizon=300)
    agent = ClickModel()
    first, again = (agents.play(env, agent, seed=3) for _ in range(2))
    batched = agents.play(news(2, horizon=300), agent, seed=3)
    for trace in (again, batched):
        np.testing.assert_array_equal(trace.reward[0], first.reward[0])


def test_it_knows_logs_of_few_articles_and_of_long_lives():
    settings = {"n_articles": 4, "lifetime": 50}
    log = MadeLog(n_articles=4, lifetime=50)
    envs: Any = news(2, horizon=300, **settings)
    agent = ClickModel(n_articles=4, lifetime=50).reset(envs.unwrapped.task, n=2)
    observation, _ = envs.reset(seed=7)
    for chances in true_chances(log, 300):
        slots = agent.act(observation)
        assert chances[int(observation["ids"][0, slots[0]])] == max(chances.values())
        observation = envs.step(slots)[0]
    with pytest.raises(ValueError, match="not those of MadeLog"):
        agents.play(envs, ClickModel(n_articles=4), seed=0)


@pytest.mark.parametrize("format", ["R6A", "R6B"])
def test_its_click_rate_is_the_mean_of_the_highest_probabilities(format):
    rounds = 20_000
    envs = news(1, data=format, log_seed=1, keep=1.0, horizon=rounds, n_arms=20)
    trace = agents.play(envs, ClickModel(format=format, log_seed=1), seed=0)
    log = MadeLog(format=format, seed=1)
    chances = list(true_chances(log, rounds))
    best = np.array([max(there.values()) for there in chances])
    share = np.array([1 / len(there) for there in chances])
    # Event t shows the best article with probability s_t = 1 / (number there), and is then clicked
    # with p_t: so clicks / matches is about sum s p / sum s = q, with the variance
    # sum s (p (1 - p) + (p - q)^2) / (sum s)^2 = q (1 - q) / sum s, as of independent clicks.
    rate = (share * best).sum() / share.sum()
    deviation = np.sqrt(rate * (1 - rate) / share.sum())
    found = trace.measures["clicks_per_10000"][0, -1]
    assert abs(found - 1e4 * rate) < 4 * 1e4 * deviation
    # The same for matches: binomial with s_t each.
    spread = np.sqrt((share * (1 - share)).sum())
    assert abs(trace.measures["matched"][0, -1] - share.sum()) < 4 * spread
    # Uniform play's rate is outside of the band.
    mean = np.mean([np.mean(list(there.values())) for there in chances])
    assert mean < rate - 4 * deviation
    # And to the click, by what the log has of the events that show the best article.
    clicks = matches = 0
    for events in log.events(rounds):
        first = log.probabilities(events).argmax(axis=1)
        clicks += events.clicks[events.shown == first].sum()
        matches += (events.shown == first).sum()
    assert found == pytest.approx(1e4 * clicks / matches, rel=1e-12)


def test_it_is_shown_and_never_ranked(tmp_path):
    assert "ClickModel" not in own_agents()
    (tmp_path / "mine.toml").write_text(
        'title = "t"\nseeds = 3\n[[task]]\nname = "one"\nenv = "NewsReplay-v0"\nhorizon = 4000\n'
        'measure = "clicks_per_10000"\nreference = "leaderboards.references:ClickModel"\n'
    )
    suite, store = load(tmp_path / "mine.toml"), Store(tmp_path / "store")
    name = "leaderboards.references:ClickModel(log_seed=0)"
    run(suite, ["UniformRandom", name], store=store, execution=IN_PROCESS)
    (section,) = board.build(suite, store.rows(suite.hash)).sections
    standings = {s.label: s for s in section.standings}
    shown = standings["ClickModel"]
    assert shown.full_information
    assert shown.rank is None
    assert shown.score is not None
    assert shown.failures == 0
    assert standings["UniformRandom"].rank == (1, 1)


def test_it_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="ClickModel cannot play.*it plays news tasks"):
        agents.play(gymnasium.make("ArmedBandit-v0"), ClickModel(), horizon=3)
    for format, settings, numbers in (
        ("R6B", {}, "features of R6B are 136 or 156 numbers, the task's 36"),
        ("R6B", {"features": "user"}, "the task's 6"),
        ("R6A", {"data": "R6B"}, "features of R6A are 6 or 36 numbers, the task's 156"),
        ("R6A", {"data": "R6B", "features": "user"}, "the task's 136"),
    ):
        with pytest.raises(ValueError, match=numbers):
            agents.play(news(2, horizon=3, **settings), ClickModel(format=format))
    with pytest.raises(ValueError, match=r"not those of MadeLog\(format='R6A', seed=0, "):
        agents.play(news(2, log_seed=1, horizon=100), ClickModel())
    with pytest.raises(ValueError, match="format must be R6A or R6B"):
        ClickModel(format="R6C")
    with pytest.raises(ValueError, match="seed"):
        ClickModel(log_seed=-1)


@pytest.mark.parametrize("task", load("news-v1").tasks, ids=lambda task: task.name)
def test_the_reference_of_every_news_task_is_of_its_log(task):
    agent = resolve(task.reference)
    assert isinstance(agent, ClickModel)
    settings = task.settings
    assert agent.format == settings.get("data", "R6A")
    assert agent.log_seed == settings.get("log_seed", 0)
    assert agent.n_articles == settings.get("n_articles", 20)
    assert agent.lifetime == settings.get("lifetime", 2000)
    assert agent.refusal(make(task, 1).unwrapped.task) is None


def hindsight(task, seeds):
    """The fewest mistakes (S,) of r fixed labels on each seed: all sets of them are tried."""
    env = make(task, len(seeds))
    env.reset(seed=list(seeds))
    n_labels, slots = env.unwrapped.task.n_labels, env.unwrapped.task.slots
    played = np.zeros(len(seeds), int) if slots is None else np.tile(range(slots), (len(seeds), 1))
    labels = np.array([env.step(played)[-1]["label"] for _ in range(task.horizon)])
    sets = [*itertools.combinations(range(n_labels), slots or 1)]
    return [min((~np.isin(own, fixed)).sum() for fixed in sets) for own in labels.T]


TASKS = """
title = "fixed"
seeds = 3

[[task]]
name = "arms"
env = "ArmedBandit-v0"
horizon = 50

[[task]]
name = "labels"
env = "SynNonSep-v0"
horizon = 60

[[task]]
name = "slots"
env = "MulticlassBandit-v0"
ranking = "slots"
horizon = 70
settings = { data = "digits", slots = 3, label_noise = 0.1 }

[[task]]
name = "lines"
env = "LinearBandit-v0"
horizon = 20
"""


def test_the_best_fixed_action_is_an_unranked_reference_of_arms_and_labels(tmp_path):
    (tmp_path / "fixed.toml").write_text(TASKS)
    suite, store = load(tmp_path / "fixed.toml"), Store(tmp_path / "store")
    run(suite, [BEST_FIXED, "UniformRandom"], store=store, execution=IN_PROCESS)
    rows = store.rows(suite.hash)
    own = {(row.task, row.seed): row for row in rows if row.spec == BEST_FIXED}
    for task in suite.tasks[:3]:
        expected = [0.0] * 3 if task.name == "arms" else hindsight(task, range(3))
        found = [own[task.name, seed].measures["regret"][-1] for seed in range(3)]
        assert found == expected, task.name
    (refused,) = [row for row in rows if row.task == "lines" and row.spec == BEST_FIXED]
    assert refused.refused
    for section in board.build(suite, rows).sections[:3]:
        shown = {one.label: one for one in section.standings}["BestFixedAction"]
        assert (shown.rank, shown.full_information, shown.failures) == (None, True, 0)
        assert not shown.third_party


def test_the_best_fixed_action_is_planned_where_all_agents_are(tmp_path):
    (tmp_path / "fixed.toml").write_text(TASKS)
    suite, store = load(tmp_path / "fixed.toml"), Store(tmp_path / "store")
    cells = plan(suite, None, store).cells
    assert {cell.task.name for cell in cells if cell.blank.spec == BEST_FIXED} == {
        "arms",
        "labels",
        "slots",
    }


def test_the_best_fixed_action_needs_a_board():
    env = gymnasium.make("ArmedBandit-v0")
    with pytest.raises(ValueError, match="BestFixedAction is played on boards alone: foresee must"):
        agents.play(env, BestFixedAction(), horizon=3)
    envs: Any = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, means=[0.1, 0.9, 0.3])
    agent = BestFixedAction()
    agent.foresee(envs, [4, 5])
    assert not agents.play(envs, agent, seed=4, horizon=3).regret.any()
    assert agent.act(np.zeros(2)).tolist() == [1, 1]
    with pytest.raises(ValueError, match="n=3 replicates"):
        agent.reset(envs.unwrapped.task, n=3)
    assert "BestFixedAction" not in own_agents()


def test_the_best_fixed_action_is_the_best_in_the_sum_of_rounds_where_means_drift():
    drift = {"means": [[0.9, 0.5], [0.1, 0.5]], "changes": [2], "horizon": 6}
    envs: Any = gymnasium.make_vec("DriftingArmedBandit-v0", num_envs=2, **drift)
    agent = BestFixedAction()
    agent.foresee(envs, [4, 5])
    regret = agents.play(envs, agent, seed=4).regret
    np.testing.assert_allclose(regret, [[0.4, 0.8, 0.8, 0.8, 0.8, 0.8]] * 2)


@pytest.mark.parametrize("horizon", [None, 7])
def test_the_best_constant_is_the_mean_of_the_outcomes_that_a_seed_plays(horizon):
    rng = np.random.default_rng(0)
    rows, outcomes = rng.standard_normal((20, 2)), 3 + rng.standard_normal(20)
    envs = gymnasium.make_vec(
        "OnlineRegression-v0", num_envs=3, data=(rows, outcomes), horizon=horizon
    )
    agent = BestConstant()
    agent.foresee(envs, [4, 5, 6])
    trace = agents.play(envs, agent, seed=[4, 5, 6])
    envs.reset(seed=[4, 5, 6])
    shown = np.array([envs.step(np.zeros(3))[4]["feedback"] for _ in range(horizon or 20)])
    least = ((shown - shown.mean(axis=0)) ** 2).sum(axis=0)
    np.testing.assert_allclose(-trace.reward[:, -1], least, rtol=1e-12)
    with pytest.raises(ValueError, match="BestConstant is played on boards alone: foresee must"):
        agents.play(envs, BestConstant(), seed=0)
