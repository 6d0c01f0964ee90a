"""What is tracked against a recomputation from the samples, verdict rules, tiny runs."""

import gymnasium
import numpy as np
import pytest

from agents import LinUCB
from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.korda2015 import ridge_tracking as paper
from leaderboards.rank.interval_estimates import Estimate

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED
SEEDS = [3, 4, 7]


def number(value, half=0.01):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


@pytest.mark.parametrize(
    ("claim", "key"), [("figure-2-tracking", "{}"), ("tracking-weak-directions", "{}, weak")]
)
def test_rules(claim, key):
    names = [key.format(name) for name in paper.ESTIMATORS]

    def of(*values):
        return CLAIMS[claim].judge({k: number(v) for k, v in zip(names, values, strict=True)})

    assert of(0.1, 0.23, 0.1) is YES
    assert of(0.1, 0.245, 0.1) is PARTLY
    assert of(0.7, 0.245, 1.0) is NO


def test_relative_distance():
    assert paper.relative(np.array([3.0, 0.0]), np.array([0.0, 4.0])) == pytest.approx(5 / 4)
    assert paper.relative(np.zeros(2), np.array([0.0, 4.0])) == 1
    assert paper.relative(np.array([2.0]), np.zeros(1)) == 1


def test_weaker_half_of_the_directions_seen():
    rng = np.random.default_rng(2)
    turned, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    gram = turned @ np.diag([0.0, 0.0, 5.0, 1.0, 9.0, 2.0]) @ turned.T
    found = paper.weaker(gram)
    assert found.shape == (6, 2)
    own = turned[:, [3, 5]]
    np.testing.assert_allclose(found @ found.T, own @ own.T, atol=1e-12)


def test_grid():
    assert paper.grid(10).tolist() == [10]
    found = paper.grid(1000)
    assert found[0] == 10
    assert found[-1] == 1000
    assert len(found) == 17


def test_news_are_those_that_linucb_learns(tmp_path):
    experiment = CLAIMS["figure-2-tracking"].experiment
    settings = {"samples": 16, "data": "R6A"}
    assert set(settings) == set(experiment.quick.settings) == set(experiment.full.settings)
    sample = experiment.simulate(SEEDS, **settings)
    alone = experiment.simulate(SEEDS[1:2], **settings)
    for name, values in sample.measures.items():
        assert np.isfinite(values).all()
        np.testing.assert_array_equal(values[1], alone.measures[name][0])
    # One replicate by itself: its samples, their exact ridge solution, the scheme on them.
    env = gymnasium.make_vec("NewsReplay-v0", num_envs=1, keep=0.5, horizon=2800)
    agent = LinUCB(alpha=0.1, ridge=1.0)
    agent.reset(env.unwrapped.task, n=1, seed=[4])
    seen, _ = env.reset(seed=[4])
    rows, clicks = [], []
    while len(rows) < 16:
        arm = agent.act(seen)
        after, reward, _, _, info = env.step(arm)
        agent.observe(seen, arm, reward, observed=info["observed"])
        if info["observed"][0]:
            rows.append(seen["arms"][0, arm[0]].copy())
            clicks.append(reward[0])
        seen = after
    rows, clicks = np.array(rows), np.array(clicks)
    for name, estimator in paper.ESTIMATORS.items():
        state = estimator.reset(env.unwrapped.task, 1, [4])
        for place, n in enumerate(sample.rounds):
            for s in range(int(state.count[0]), int(n)):
                state.learn(rows[s : s + 1], clicks[s : s + 1], np.ones(1, bool))
            gram = rows[:n].T @ rows[:n]
            exact = np.linalg.solve(gram + np.eye(36), rows[:n].T @ clicks[:n])
            away = np.linalg.norm(state.theta[0] - exact)
            whole = sample.measures[f"{name}, all"][1, place]
            assert sample.measures[f"{name}, absolute"][1, place] == pytest.approx(away, abs=1e-9)
            if np.linalg.norm(exact) > 0:
                assert whole == pytest.approx(away / np.linalg.norm(exact), rel=1e-6)
                weak = paper.weaker(gram)
                own = np.linalg.norm((state.theta[0] - exact) @ weak) / np.linalg.norm(exact @ weak)
                found = sample.measures[f"{name}, weak"][1, place]
                assert found == pytest.approx(own, rel=1e-5)
            else:
                assert whole == 1
    found = Finding.of(CLAIMS["figure-2-tracking"], sample)
    assert found.verdict in Verdict
    experiment.draw(sample).savefig(tmp_path / "figure.png")


def test_rows_of_our_own(tmp_path):
    experiment = CLAIMS["tracking-weak-directions"].experiment
    settings = {"samples": 60}
    assert set(settings) == set(experiment.quick.settings) == set(experiment.full.settings)
    sample = experiment.simulate(SEEDS, **settings)
    alone = experiment.simulate(SEEDS[1:2], **settings)
    for name, values in sample.measures.items():
        np.testing.assert_array_equal(values[1], alone.measures[name][0])
    rng = np.random.default_rng([4, 16])
    draws = rng.normal(size=(60, 5))
    axes = np.array([1.0, 1.0, 1.0, 0.2, 0.1])
    rows = axes * draws / np.sqrt((draws**2).sum(axis=1, keepdims=True))
    outcomes = rows.sum(axis=1) / np.sqrt(5) + 0.1 * rng.normal(size=60)
    exact = np.linalg.solve(rows.T @ rows + np.eye(5), rows.T @ outcomes)
    for name, estimator in paper.ESTIMATORS.items():
        state = estimator.reset(paper.SimpleNamespace(dim=5), 1, [4])
        for row, outcome in zip(rows, outcomes, strict=True):
            state.learn(row[None], np.array([outcome]), np.ones(1, bool))
        own = np.linalg.norm(state.theta[0] - exact) / np.linalg.norm(exact)
        assert sample.measures[f"{name}, weak"][1, -1] == pytest.approx(own)
    found = Finding.of(CLAIMS["tracking-weak-directions"], sample)
    assert set(found.numbers) >= {f"{name}, even" for name in paper.ESTIMATORS}
    experiment.draw(sample).savefig(tmp_path / "figure.png")


def test_numbers_of_made_up_distances():
    at, values = np.array([10, 20, 80, 160]), np.array([[0.9, 0.8, 0.3, 0.2]] * 2)
    measures = {}
    for name in paper.ESTIMATORS:
        measures |= {f"{name}, {part}": values for part in ("all", "weak")}
        measures[f"{name}, absolute"] = 3 * values
    found = paper.news_numbers(Sample(at, measures))
    assert float(found["SAG"].value) == pytest.approx(0.2)
    assert float(found["SAG, last / at an eighth"].value) == pytest.approx(0.25)
    assert float(found["SAG, absolute"].value) == pytest.approx(0.6)
    assert float(found["SAG, weaker directions"].value) == pytest.approx(0.2)
