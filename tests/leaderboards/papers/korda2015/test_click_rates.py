"""Click rates against a count of one's own, verdict rules, a tiny run."""

import gymnasium
import numpy as np
import pytest

from agents import FastLinUCB, LinUCB, UniformRandom, derived_seeds
from agents.parts.estimators import SAG, SVRG, GradientDescent, PolyakAveraging
from banditgym.data.simulated_logs import MadeLog
from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.korda2015 import click_rates as paper
from leaderboards.rank.interval_estimates import Estimate

(CLAIM,) = paper.CLAIMS
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED
SEEDS = [3, 4, 7]


def number(value, half=0.01):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def test_rule():
    def of(uniform, gd, svrg, sag, polyak=0.0):
        names = ("uniform", "fLinUCB-GD", "fLinUCB-SVRG", "fLinUCB-SAG", "fLinUCB-Polyak")
        values = zip(names, (uniform, gd, svrg, sag, polyak), strict=True)
        return CLAIM.judge({f"{name} / LinUCB": number(value) for name, value in values})

    assert of(0.6, 0.9, 0.77, 0.8) is YES
    assert of(0.73, 0.9, 0.755, 0.8) is PARTLY
    assert of(0.6, 0.7, 0.755, 0.74, polyak=0.9) is NO
    # Where uniform play may have 75 % too, it tells nothing.
    assert of(0.745, 0.9, 0.9, 0.9) is NO


def test_numbers_of_made_up_rates():
    last = {"uniform": 400.0, "LinUCB": 800.0}
    last |= {name: 500.0 + 100 * i for i, name in enumerate(paper.SCHEMES)}
    seeds = np.array([[0.9], [1.0], [1.1]])
    early = np.ones((3, 1))
    measures = {name: np.hstack([early, rate * seeds]) for name, rate in last.items()}
    finding = Finding.of(CLAIM, Sample(np.array([10, 20]), measures))
    found = finding.numbers
    assert len(found) == 1 + 2 * len(paper.SCHEMES) + 2
    assert float(found["uniform / LinUCB"].value) == pytest.approx(0.5)
    assert float(found["fLinUCB-GD / LinUCB"].value) == pytest.approx(0.625)
    assert float(found["fLinUCB-GD, of LinUCB's gain"].value) == pytest.approx(0.25)
    assert float(found["fLinUCB-SAG, of LinUCB's gain"].value) == pytest.approx(0.75)
    assert float(found["LinUCB, clicks per 10,000"].value) == pytest.approx(800)
    assert float(found["uniform, clicks per 10,000"].value) == pytest.approx(400)
    assert finding.verdict is PARTLY  # 0.625, 0.75, 0.875, each without spread


def test_gains_are_paired_by_seeds():
    """With a common part that varies much from seed to seed, both gains are the same everywhere."""
    common = np.array([0.0, 500.0, 1000.0, 90.0])
    found = paper.gained(common + 30, common, common + 40)
    assert [float(x) for x in found] == pytest.approx([0.75] * 3)


def test_who_plays():
    """The scale of optimism and of the ridge is the same for all, and steps are the defaults."""
    agents = paper.AGENTS
    assert isinstance(agents["uniform"], UniformRandom)
    assert agents["LinUCB"].hyperparameters() == LinUCB(alpha=0.1, ridge=1.0).hyperparameters()
    steps = {
        "fLinUCB-GD": GradientDescent(step=100.0, ridge=1.0),
        "fLinUCB-SVRG": SVRG(ridge=1.0),
        "fLinUCB-SAG": SAG(ridge=1.0),
        "fLinUCB-Polyak": PolyakAveraging(ridge=1.0),
    }
    assert set(agents) == {"uniform", "LinUCB", *steps}
    for name, own in steps.items():
        assert agents[name].hyperparameters() == FastLinUCB(estimator=own).hyperparameters()


def test_a_tiny_run(tmp_path):
    experiment = CLAIM.experiment
    settings = {"events": 1500, "data": "R6A"}
    assert set(settings) == set(experiment.quick.settings) == set(experiment.full.settings)
    sample = experiment.simulate(SEEDS, **settings)
    alone = experiment.simulate(SEEDS[1:2], **settings)
    assert sample.rounds[[0, -1]].tolist() == [37, 1500]
    for name, agent in paper.AGENTS.items():
        np.testing.assert_array_equal(sample.measures[name][1], alone.measures[name][0])
        # One replicate by itself: what matched, and what of it was clicked.
        env = gymnasium.make_vec("NewsReplay-v0", num_envs=1, keep=0.5, horizon=1500)
        agent.reset(env.unwrapped.task, n=1, seed=derived_seeds([4]))
        seen, _ = env.reset(seed=[4])
        clicked, matched, rates = 0, 0, []
        for _ in range(1500):
            slots = agent.act(seen)
            after, reward, _, _, info = env.step(slots)
            agent.observe(seen, slots, reward, observed=info["observed"])
            matched += int(info["observed"][0])
            clicked += int(reward[0])
            rates.append(1e4 * clicked / max(matched, 1))
            seen = after
        np.testing.assert_allclose(sample.measures[name][1], np.array(rates)[sample.rounds - 1])
    assert sum(rates[1, -1] > 0 for rates in sample.measures.values()) > 1  # clicks are rare
    experiment.draw(sample).savefig(tmp_path / "figure.png")


def test_a_log_that_is_given_takes_the_place_of_the_made_one(tmp_path):
    path = tmp_path / "ydata-made.gz"
    MadeLog().write(path, 2001)
    made, given = paper.clicks([3, 4], 2000), paper.clicks([3, 4], 2000, data=str(path))
    for name, rates in made.measures.items():
        np.testing.assert_array_equal(given.measures[name], rates)
    MadeLog(seed=1).write(path, 2001)
    other = paper.clicks([3, 4], 2000, data=str(path))
    assert any((other.measures[name] != rates).any() for name, rates in made.measures.items())
