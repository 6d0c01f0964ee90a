"""What is clocked, how seconds are added up, and verdict rules; no time itself."""

import gymnasium
import numpy as np
import pytest

from agents import GPUCB, play
from leaderboards.papers.calandriello2019 import posterior_times as paper
from leaderboards.papers.claim import Finding, Sample
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED


def judged(claim, numbers):
    return whole(CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()}))


@pytest.mark.parametrize(
    ("claim", "other", "limit"),
    [("time-refit", "refit", 0.5), ("time-incremental", "incremental", 1.0)],
)
def test_ratios(claim, other, limit):
    def of(*values):
        return judged(
            claim, {f"BKB / {other}, {t}": v for t, v in zip(paper.TRACES, values, strict=True)}
        )

    low = limit - 0.02
    assert of(low, low, low, low) is YES
    assert of(low, low, limit + 0.5, low) is PARTLY
    assert of(3, 3, limit + 0.02, 3) is NO


def test_time_growth():
    def of(refit, refit_uniform, incremental, incremental_uniform):
        values = zip(
            ("refit, GP-UCB", "refit, uniform", "incremental, GP-UCB", "incremental, uniform"),
            (refit, refit_uniform, incremental, incremental_uniform),
            strict=True,
        )
        return judged("time-growth", {f"exponent, {k}, many arms": value for k, value in values})

    assert of(2, 2, 1.52, 2) is YES
    assert of(2, 2, 1.4, 2) is PARTLY
    assert of(1, 1, 0, 1.4) is NO


def test_near_constant():
    def of(*values):
        return judged(
            "near-constant",
            {f"exponent, BKB, {t}": v for t, v in zip(paper.GROWING, values, strict=True)},
        )

    assert of(0.1, 0.4, 0.48) is YES
    assert of(0.1, 1.0, 0.2) is PARTLY
    assert of(0.6, 1.0, 0.8) is NO


def test_seconds_between_rounds():
    seconds = np.arange(1.0, 8.0)
    found = paper.mean_seconds(seconds, np.array([1, 2, 4, 7]))
    np.testing.assert_allclose(found, [1, 2, 3.5, 6])


def made_up():
    rounds = np.array([1, 2, 4, 8])
    measures = {}
    for trace in paper.TRACES:
        for form, scale in (("refit", 4.0), ("incremental", 1.0), ("BKB", 2.0), ("BBKB", 0.5)):
            measures[f"{trace}, {form}"] = scale * np.array([[1.0, 2, 4, 8], [1.0, 2, 4, 8]])
        measures[f"{trace}, unique"] = np.array([[1, 2, 4, 6], [1, 2, 4, 8]])
        measures[f"{trace}, size"] = np.array([[1.0, 1, 2, 2], [1.0, 2, 2, 2]])
    return Sample(rounds, measures)


def test_totals():
    sample = made_up()
    trace = next(iter(paper.TRACES))
    # Of a mean over the rounds since the last one, and of single rounds with those between.
    np.testing.assert_allclose(paper.totals(sample, trace, "incremental"), 1 + 2 + 2 * 4 + 4 * 8)
    np.testing.assert_allclose(paper.totals(sample, trace, "refit"), 4 * sum(range(1, 9)))


def test_numbers_of_made_up_seconds():
    sample, trace = made_up(), "uniform, smooth f"
    found = paper.against_refit(sample)
    assert float(found[f"BKB / refit, {trace}"].value) == pytest.approx(86 / 144)
    assert float(found[f"refit, seconds, {trace}"].value) == pytest.approx(144)
    found = paper.against_incremental(sample)
    assert float(found[f"BKB / incremental, {trace}"].value) == pytest.approx(2)
    assert float(found[f"BBKB / incremental, {trace}"].value) == pytest.approx(0.5)
    assert float(found[f"BKB / incremental, second half, {trace}"].value) == pytest.approx(2)
    assert float(found[f"u, {trace}"].value) == pytest.approx(7)
    assert float(found[f"u / |S|^2, {trace}"].value) == pytest.approx(7 / 4)
    assert f"BKB wins from u, {trace}" not in found
    found = paper.growth(sample)
    assert float(found["exponent, refit, GP-UCB, many arms"].value) == pytest.approx(1)
    found = paper.constancy(sample)
    assert float(found["exponent, BKB, GP-UCB, many arms"].value) == pytest.approx(1)
    assert float(found["|S_T| / |S_(T/10)|, uniform, many arms"].value) == pytest.approx(2)


def test_where_bkb_begins_to_win():
    sample, trace = made_up(), "uniform, smooth f"
    assert paper.wins_from(sample, trace) is None
    sample.measures[f"{trace}, BKB"][:, [0, 2, 3]] = 0.5  # not yet, for it loses the second
    assert paper.wins_from(sample, trace) == 2
    found = paper.against_incremental(sample)
    assert float(found[f"BKB wins from u, {trace}"].value) == pytest.approx(4)
    assert float(found[f"BKB wins from u / |S|^2, {trace}"].value) == pytest.approx(1)
    sample.measures[f"{trace}, BKB"][:] = 0.5
    assert paper.wins_from(sample, trace) == 0


def env():
    return gymnasium.make_vec("KernelBandit-v0", num_envs=1, n_arms=9, dim=2, horizon=25)


def test_pulls_of_gpucb_and_uniform_ones():
    arms, rewards = paper.pulls("GP-UCB", env(), 7)
    trace = play(env(), GPUCB(ridge=paper.RIDGE, radius="released"), seed=[7])
    np.testing.assert_array_equal(np.bincount(arms, minlength=9), trace.pulls[0])
    assert rewards.sum() == pytest.approx(trace.reward[0, -1])
    arms, rewards = paper.pulls("uniform", env(), 7)
    assert len(arms) == len(rewards) == 25
    assert len(np.unique(arms)) > 6
    envs = env()
    envs.reset(seed=[7])
    expected = [envs.step([arm])[1][0] for arm in arms]
    np.testing.assert_array_equal(rewards, expected)


def test_an_agent_is_clocked_on_the_given_pulls():
    envs, agent = env(), GPUCB(ridge=paper.RIDGE, radius="released")
    arms, rewards = paper.pulls("uniform", envs, 7)
    task = envs.unwrapped.task
    seconds, sizes = paper.clocked(agent, task, 7, arms, rewards)
    assert not sizes.any()
    assert seconds.shape == (25,)
    assert (seconds >= 0).all()
    mean, variance = agent.model.predict(None)
    expected = paper.refit(task.covariance, task.arms, arms, rewards, paper.RIDGE)
    np.testing.assert_allclose(mean[0], expected[0], atol=1e-8)
    np.testing.assert_allclose(variance[0], expected[1], rtol=1e-6)


def test_every_refit_has_the_pulls_so_far(monkeypatch):
    calls = []

    def plain(covariance, arms, pulled, rewards, ridge):
        calls.append((pulled.tolist(), rewards.tolist(), ridge))
        return np.zeros(9), np.ones(9)

    monkeypatch.setattr(paper, "refit", plain)
    arms, rewards = np.array([4, 4, 2, 1]), np.array([1.0, 2.0, 3.0, 4.0])
    found = paper.refit_clocked(env().unwrapped.task, arms, rewards, np.array([1, 3]))
    assert found.shape == (2,)
    assert calls == [([4], [1.0], paper.RIDGE), ([4, 4, 2], [1.0, 2.0, 3.0], paper.RIDGE)]


def test_a_tiny_run(tmp_path):
    sample = paper.times([3, 4], horizon=25, n_arms=(8, 12))
    alone = paper.times([4], horizon=25, n_arms=(8, 12))
    for trace in paper.TRACES:  # what does not depend on the clock
        for name in ("unique", "size"):
            measure = f"{trace}, {name}"
            assert sample.measures[measure][1].tolist() == alone.measures[measure][0].tolist()
        assert (sample.measures[f"{trace}, unique"][:, 0] == 1).all()
        assert (sample.measures[f"{trace}, size"] <= sample.measures[f"{trace}, unique"]).all()
    assert all(len(values) == 2 for values in sample.measures.values())
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample, True).verdict in Verdict
    paper.draw(sample).savefig(tmp_path / "figure.png")
