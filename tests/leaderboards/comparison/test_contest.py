"""What is compared on what, and which comparisons are refused. 4 seconds."""

import numpy as np
import pytest

from leaderboards.comparison import contest
from leaderboards.comparison.contest import contest_of, same_on_every_seed
from leaderboards.suites.suite import load

from .small_comparisons import ALIKE

SMALL = {"means": [0.2, 0.9]}

SUITE = """
title = "two"
seeds = 3

[[task]]
name = "arms"
env = "ArmedBandit-v0"
horizon = 30
settings = { means = [0.2, 0.9] }

[[task]]
name = "lines"
env = "LinearBandit-v0"
horizon = 20
settings = { n_arms = 4, dim = 2 }
"""


def test_an_environment_is_a_suite_of_one_task_whose_hash_covers_no_seeds():
    own = contest_of("ArmedBandit-v0", ["UCB1", "KLUCB"], settings=SMALL, horizon=30)
    assert own.on == "ArmedBandit-v0(means=[0.2, 0.9], horizon=30)"
    (task,) = own.suite.tasks
    assert (task.env, task.horizon, task.settings) == ("ArmedBandit-v0", 30, SMALL)
    other = contest_of("ArmedBandit-v0", ["UCB1", "UCB1"], settings=SMALL, horizon=31)
    assert other.suite.hash != own.suite.hash
    assert (
        contest_of("ArmedBandit-v0", ["UCB1", "UCB1"], settings=SMALL).suite.tasks[0].horizon > 31
    )


def test_agents_may_be_named_twice():
    names = ["UCB1", "KLUCB(c=1.0)", "UCB1", "UCB1()"]
    own = contest_of("ArmedBandit-v0", names, settings=SMALL, horizon=30)
    assert list(own.contestants) == ["UCB1", "KLUCB(c=1.0)", "UCB1 #2", "UCB1 #3"]


def test_the_time_it_takes_grows_with_seeds_and_agents():
    two = contest_of("ArmedBandit-v0", ["UCB1", "KLUCB"], settings=SMALL, horizon=30)
    three = contest_of("ArmedBandit-v0", ["UCB1", "KLUCB", "UCB1"], settings=SMALL, horizon=30)
    assert two.seconds(10) == pytest.approx(10 * two.seconds(1))
    assert three.seconds(10) == pytest.approx(1.5 * two.seconds(10))


def test_of_a_suite_the_tasks_count_that_every_agent_plays(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(SUITE)
    both = contest_of(str(path), ["UniformRandom", "UniformRandom"])
    assert (both.on, both.notes) == ("two", ())
    assert [task.name for task in both.suite.tasks] == ["arms", "lines"]
    assert both.suite.hash == load(path).hash
    one = contest_of(str(path), ["UniformRandom", "UCB1"])
    assert [task.name for task in one.suite.tasks] == ["arms"]
    assert one.notes == ("not counted, because not every agent plays it: lines",)
    with pytest.raises(
        ValueError, match="no task of two is played by all: LinUCB cannot play arms"
    ):
        contest_of(str(path), ["LinUCB", "UCB1"])


def test_a_task_that_is_the_same_on_every_seed_is_found_and_refused_alone(tmp_path):
    (tmp_path / "alike.py").write_text(ALIKE)
    where = f"{tmp_path}/alike.py"
    alone = contest_of(f"{where}:Alike", ["UCB1", "KLUCB"], horizon=30).suite
    with pytest.raises(
        ValueError, match="Alike is the same on every seed, so further seeds cannot"
    ):
        same_on_every_seed(alone)
    fair = contest_of(f"{where}:Fair", ["UCB1", "KLUCB"], horizon=30).suite
    assert same_on_every_seed(fair) == []
    path = tmp_path / "two.toml"
    text = SUITE.replace("LinearBandit-v0", "alike.py:Alike").replace(", dim = 2", "")
    path.write_text(text)
    both = contest_of(str(path), ["UCB1", "KLUCB"], trust=True).suite
    assert same_on_every_seed(both) == ["lines"]
    with pytest.raises(ValueError, match="alike.py:Alike is code that is not banditgym's"):
        contest_of(str(path), ["UCB1", "KLUCB"])


def test_an_environment_without_regret_is_refused():
    with pytest.raises(ValueError, match="NewsReplay-v0 has no measure 'regret'; it has reward"):
        contest_of("NewsReplay-v0", ["LinUCB", "LinUCB"])


def test_missing_data_do_not_count(monkeypatch, tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(SUITE)
    real = contest.known_of
    monkeypatch.setattr(
        contest, "known_of", lambda task: None if task.name == "arms" else real(task)
    )
    own = contest_of(str(path), ["UniformRandom", "LinUCB"])
    assert own.notes == ("not counted, because not every agent plays it: arms",)
    with pytest.raises(ValueError, match="the data of arms is missing"):
        contest_of(str(path), ["UniformRandom", "UCB1"])


@pytest.mark.parametrize(
    ("on", "specs", "more", "message"),
    [
        ("ArmedBandit-v0", ["UCB1"], {}, "compare at least two agents, got UCB1$"),
        ("ArmedBandit-v0", ["UCB1", "KLUBC"], {}, "unknown agent 'KLUBC'.*KLUCB"),
        ("ArmedBandit-v0", ["UCB1", "LinUCB"], {}, "^LinUCB cannot play ArmedBandit-v0: it plays"),
        ("ArmedBandits-v0", ["UCB1", "UCB1"], {}, "unknown environment or suite .*ArmedBandit-v0"),
        ("core-v9", ["UCB1", "UCB1"], {}, "unknown environment or suite 'core-v9'.*core-v"),
        ("qqqq", ["UCB1", "UCB1"], {}, "environment or suite 'qqqq'; there are adversarial-v1"),
        ("core-v3", ["UCB1", "UCB1"], {"horizon": 5}, "core-v3 is a suite.* drop --set and"),
        ("core-v3", ["UCB1", "UCB1"], {"settings": SMALL}, "core-v3 is a suite.* drop --set and"),
        ("ArmedBandit-v0", ["UCB1", "UCB1"], {"settings": {"x": 1}}, "no setting 'x'"),
        ("ArmedBandit-v0", ["UCB1", "UCB1"], {"horizon": 0}, "horizon must be an integer >= 1"),
        ("CartPole-v1", ["UCB1", "UCB1"], {}, "has no task"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_one_line(on, specs, more, message):
    with pytest.raises(ValueError, match=message) as caught:
        contest_of(on, specs, **more)
    assert "\n" not in str(caught.value)


def test_the_probe_sees_a_change_in_any_measure():
    """A seed that changes rewards alone, or regret alone, is a change."""
    curves = {"regret": np.zeros((8, 3)), "reward": np.zeros((8, 3))}
    assert contest.same_on_all(curves)
    for name in curves:
        changed = {key: own.copy() for key, own in curves.items()}
        changed[name][5, 2] = 1e-12
        assert not contest.same_on_all(changed)
