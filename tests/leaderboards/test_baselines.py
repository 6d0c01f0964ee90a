"""Fixed points of scores: uniform play and references, on seeds that are never scored."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

import agents
from agents.naming import resolve
from leaderboards.baselines import baselines
from leaderboards.suite import load

HEAD = 'title = "small"\nseeds = 5\n'
ARMED = """
[[task]]
name = "armed"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.2, 0.9] }
"""
REWARD = ARMED.replace("armed", "reward") + 'measure = "reward"\n'
NEWS = """
[[task]]
name = "described"
env = "NewsReplay-v0"
measure = "clicks_per_10000"
reference = "leaderboards.references:ClickModel(log_seed=1)"
horizon = 300
settings = { features = "article", log_seed = 1 }

[[task]]
name = "numbered"
env = "NewsReplay-v0"
measure = "clicks_per_10000"
reference = "leaderboards.references:ClickModel(format='R6B')"
horizon = 150
settings = { data = "R6B", features = "user" }
"""
SEEDS = range(10**6, 10**6 + 1000)


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    path = tmp_path_factory.mktemp("suites") / "small.toml"
    path.write_text(HEAD + ARMED + REWARD + NEWS)
    suite = load(path)
    # Files say no reference where the measure is regret, the one here that is to be low.
    low = replace(suite.tasks[0], name="low", reference="UCB1")
    return replace(suite, tasks=(*suite.tasks, low))


@pytest.fixture(scope="module")
def found(suite):
    return {one.task: one for one in baselines(suite, n_seeds=1000, workers=2)}


def finals(agent, task):
    settings = {"horizon": task.horizon, **task.settings}
    envs = gymnasium.make_vec(task.env, num_envs=len(SEEDS), **settings)
    return agents.play(envs, agent, seed=list(SEEDS)).measures[task.measure][:, -1]


def toml(value):
    return repr(float(f"{value:.6g}"))


def test_baselines_are_uniform_play_on_unscored_seeds(found):
    armed = found["armed"]
    # Uniform play loses 0.7 in half of 60 rounds: mean 21, deviation 0.35 sqrt(60) = 2.711 per
    # seed. Over 1000 seeds the standard error is 0.0857, itself known to 2.2 %; bands of four.
    assert abs(armed.baseline - 21.0) < 4 * 0.0857
    assert abs(armed.noise / 0.0857 - 1) < 4 * 0.0224
    assert armed.best == 0.0
    assert armed.toml() == (
        f"# armed\nbaseline = {toml(armed.baseline)}\nbest = 0.0\nnoise = {toml(armed.noise)}\n"
    )


@pytest.mark.parametrize("name", ["described", "numbered", "low"])
def test_best_is_the_mean_of_the_reference_on_the_same_seeds(suite, found, name):
    task, one = {task.name: task for task in suite.tasks}[name], found[name]
    uniform, best = finals(agents.UniformRandom(), task), finals(resolve(task.reference), task)
    assert one.baseline == pytest.approx(uniform.mean(), rel=1e-12)
    assert one.best == pytest.approx(best.mean(), rel=1e-12)
    assert (one.best < one.baseline) == (name == "low")
    # The variance of a difference of two on the same seeds.
    spread = np.cov(uniform, best)
    variance = spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]
    assert one.noise == pytest.approx(np.sqrt(variance / 1000), rel=1e-9)
    assert one.toml() == (
        f"# {name}\nbaseline = {toml(uniform.mean())}\nbest = {toml(best.mean())}\n"
        f"noise = {toml(one.noise)}\n"
    )


def test_the_order_is_that_of_the_suite(suite, found):
    assert list(found) == [task.name for task in suite.tasks]


def test_a_measure_without_reference_leaves_best_open(found):
    assert found["reward"].best is None
    assert "\nbest = ?\n" in found["reward"].toml()


@pytest.mark.parametrize(
    ("task", "reference", "message"),
    [
        ("reward", "UCB2", "unknown learner 'UCB2'.*UCB1"),
        ("reward", "nowhere:Learner", "cannot import 'nowhere'"),
        ("reward", "UCB1(x=1)", "UCB1 has no hyperparameter 'x'"),
        ("reward", "LinUCB", "it plays linear and news tasks, and this one is armed"),
        (
            "numbered",
            "leaderboards.references:ClickModel",
            "features of R6A are 6 or 36 numbers, the task's 136",
        ),
        # Of equal seeds, so that its play is the baseline's.
        ("reward", "UniformRandom", r"mean reward of 3\S*, .* no better than uniform play's, 3\S*"),
    ],
)
def test_what_is_wrong_with_a_reference_is_named_in_one_line(suite, task, reference, message):
    wrong = replace(
        suite,
        tasks=tuple(replace(t, reference=reference) for t in suite.tasks if t.name == task),
    )
    with pytest.raises(ValueError, match=message) as raised:
        baselines(wrong, workers=1)
    assert str(raised.value).startswith(f"small, task '{task}': reference {reference}")
    assert "\n" not in str(raised.value)


def test_what_cannot_be_played_is_named(suite):
    settings = {"means": [0.2, 3.0]}
    for task in (suite.tasks[1], replace(suite.tasks[1], reference="UCB1")):
        wrong = replace(suite, tasks=(replace(task, settings=settings),))
        with pytest.raises(ValueError, match="small, task 'reward': .*means must be prob"):
            baselines(wrong, workers=1)
    with pytest.raises(ValueError, match="at least 1000 seeds, got 999"):
        baselines(suite, n_seeds=999)
