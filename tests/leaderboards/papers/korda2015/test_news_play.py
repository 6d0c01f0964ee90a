"""Clicks and estimates against a play of one replicate, ridge solutions, a tiny run."""

import gymnasium
import numpy as np
import pytest

from agents import FastLinUCB, LinUCB, UniformRandom, derived_seeds
from agents.parts.estimators import SAG, SVRG, GradientDescent
from banditgym.data.simulated_logs import MadeLog
from leaderboards.papers.claim import Finding
from leaderboards.papers.korda2015 import news_play as paper
from leaderboards.papers.korda2015.click_rates import CLAIMS as CLICKS
from leaderboards.papers.korda2015.news_experiment import NEWS, draw, draw_as_printed
from leaderboards.papers.korda2015.ridge_tracking import CLAIMS as TRACKING

SEEDS = [3, 4, 7]
EVENTS = 2400


@pytest.fixture
def few(monkeypatch):
    """Three agents, and fewer points."""
    kept = {"fLinUCB-GD, c = 100": FastLinUCB(estimator=GradientDescent(step=100.0, ridge=1.0))}
    kept["fLinUCB-SVRG, η = 0.5"] = paper.FAST["fLinUCB-SVRG, η = 0.5"]
    monkeypatch.setattr(paper, "FAST", kept)
    monkeypatch.setattr(paper, "POINTS", 5)


def test_who_plays():
    """The scale of optimism and of the ridge is the same for all, and the steps are as named."""
    assert isinstance(paper.EXACT["uniform"], UniformRandom)
    own = paper.EXACT["LinUCB"].hyperparameters()
    assert own == LinUCB(alpha=0.1, ridge=1.0).hyperparameters()
    steps = {
        "fLinUCB-GD, c = 10": GradientDescent(step=10.0, ridge=1.0),
        "fLinUCB-GD, c = 1000": GradientDescent(step=1000.0, ridge=1.0),
        "fLinUCB-SVRG, η = 0.02": SVRG(learning_rate=0.02, ridge=1.0),
        "fLinUCB-SAG, η = 1/64": SAG(learning_rate=1 / 64, ridge=1.0),
    }
    for name, own in steps.items():
        assert paper.FAST[name].hyperparameters() == FastLinUCB(estimator=own).hyperparameters()
    assert len(paper.FAST) == 9
    defaults = (GradientDescent(step=100.0, ridge=1.0), SVRG(ridge=1.0), SAG(ridge=1.0))
    for name, own in zip(paper.DEFAULTS.values(), defaults, strict=True):
        assert paper.FAST[name].hyperparameters() == FastLinUCB(estimator=own).hyperparameters()


def test_ridge_solutions():
    rng = np.random.default_rng(2)
    rows, outcomes = rng.normal(size=(30, 4)), rng.normal(size=30)
    found = paper.ridge_solutions(rows, outcomes, np.array([3, 3, 20]))
    for own, n in zip(found, (3, 3, 20), strict=True):
        exact = np.linalg.solve(rows[:n].T @ rows[:n] + np.eye(4), rows[:n].T @ outcomes[:n])
        np.testing.assert_allclose(own, exact)


@pytest.mark.usefixtures("few")
def test_a_tiny_run():
    assert set(NEWS.quick.settings) == set(NEWS.full.settings) == {"events", "data"}
    sample = paper.news(SEEDS, EVENTS)
    alone = paper.news(SEEDS[1:2], EVENTS)
    counts = sample.measures["samples"][0]
    assert counts.tolist() == [8, 16, 24, 32, 40]
    assert sample.rounds.tolist() == [480, 960, 1440, 1920, 2400]
    for name, agent in (paper.EXACT | paper.FAST).items():
        np.testing.assert_array_equal(
            sample.measures[f"{name}, clicks"][1], alone.measures[f"{name}, clicks"][0]
        )
        # One replicate by itself: what matched, what of it was clicked, and the estimate.
        env = gymnasium.make_vec("NewsReplay-v0", num_envs=1, keep=0.5, horizon=EVENTS)
        agent.reset(env.unwrapped.task, n=1, seed=derived_seeds([4]))
        seen, _ = env.reset(seed=[4])
        rows, clicks, rates, away = [], [], [], []
        for _ in range(EVENTS):
            slots = agent.act(seen)
            after, reward, _, _, info = env.step(slots)
            agent.observe(seen, slots, reward, observed=info["observed"])
            if info["observed"][0]:
                rows.append(seen["arms"][0, slots[0]].copy())
                clicks.append(reward[0])
                if isinstance(agent, FastLinUCB) and len(rows) in counts:
                    x = np.array(rows)
                    exact = np.linalg.solve(x.T @ x + np.eye(36), x.T @ clicks)
                    away.append(
                        (np.linalg.norm(agent.model.theta[0] - exact), np.linalg.norm(exact))
                    )
            rates.append(1e4 * sum(clicks) / max(len(clicks), 1))
            seen = after
        own = sample.measures[f"{name}, clicks"][1]
        np.testing.assert_allclose(own, np.array(rates)[sample.rounds - 1])
        if away:
            error, length = np.array(away).T
            np.testing.assert_allclose(sample.measures[f"{name}, error"][1], error, atol=1e-9)
            own = sample.measures[f"{name}, error of 0"][1]
            np.testing.assert_allclose(own, length, atol=1e-9)


@pytest.mark.usefixtures("few")
def test_a_log_that_is_given_takes_the_place_of_the_made_one(tmp_path):
    path = tmp_path / "ydata-made.gz"
    MadeLog().write(path, 2401)
    made, given = paper.news([3, 4], EVENTS), paper.news([3, 4], EVENTS, data=str(path))
    for name, rates in made.measures.items():
        np.testing.assert_array_equal(given.measures[name], rates)


def test_figures_and_findings(tmp_path):
    rng = np.random.default_rng(3)
    measures = {"samples": np.tile(np.arange(1, 41), (4, 1))}
    for name in paper.EXACT | paper.FAST:
        measures[f"{name}, clicks"] = rng.uniform(1, 2, (4, 40))
    for name in paper.FAST:
        measures[f"{name}, error"] = rng.uniform(0, 1, (4, 40))
        measures[f"{name}, error of 0"] = np.full((4, 40), 2.0)
        measures[f"{name}, error of 0"][:, 0] = 0  # before the first click
    sample = paper.Sample(np.arange(1, 41) * 60, measures)
    draw(sample).savefig(tmp_path / "figure.png")
    draw_as_printed(sample).savefig(tmp_path / "printed.png")
    for claim in (*CLICKS, TRACKING[0]):
        found = Finding.of(claim, sample, True)
        assert set(found.parts) <= set(found.numbers)
        assert set(claim.headline) <= set(found.numbers)
