"""What ``banditgym show`` prints about agents, environments, suites and papers."""

import dataclasses
import io
import json
import re
import shlex

import gymnasium
import numpy as np
import pytest
from rich.console import Console

import agents
from agents import naming
from banditgym.registration import ENVIRONMENTS
from leaderboards import papers
from leaderboards.describe.details import details, shown
from leaderboards.suites.suite import available, load

MINE = """
from dataclasses import dataclass
import agents


@dataclass(kw_only=True, eq=False)
class Mine(agents.LinUCB):
    \'\'\'Play on.

    Parameters
    ----------
    beta : int
        Nothing.
    \'\'\'

    beta: int = 3
"""


def text_of(name, width=100):
    console = Console(width=width, file=io.StringIO())
    console.print(shown(details(name)))
    return console.file.getvalue()


@pytest.mark.parametrize("name", naming.named())
def test_every_agent_is_described_as_it_is(name):
    about, kind = details(name), naming.named()[name]
    json.dumps(about, allow_nan=False)
    assert about["plays"] == naming.families_of(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    assert [one["name"] for one in about["hyperparameters"]] == list(fields)
    for one in about["hyperparameters"]:
        default = fields[one["name"]].default
        if isinstance(default, int | float | str):
            assert one["default"] == default
        assert one["from_task"] is (one["name"] in kind.from_task)
    text = text_of(name)
    for part in (name, about["source"], about["rule"], *fields):
        assert part.split()[0] in text
    if about["example"]:
        _, run, env, option, agent = shlex.split(about["example"])
        assert (run, option) == ("run", "--agent")
        task = gymnasium.make(env).unwrapped.task
        assert naming.resolve(agent).refusal(task) is None


def test_an_agent_is_described_with_what_is_tuned():
    assert details("CBRAP")["searched"] == [
        "size 5..60 (logarithmic)",
        "alpha 0.01..10.0 (logarithmic)",
        "ridge 0.01..100.0 (logarithmic)",
    ]
    assert "banditgym tune tries: alpha 0.01..10.0 (logarithmic), ridge" in text_of("LinUCB")
    assert "nodes 8 or 12 or 16" in details("QFFTS")["searched"]
    assert details("KLUCB")["searched"] == ["c 0.0..3.0"]
    assert "banditgym tune" not in text_of("UniformRandom")


def test_only_what_can_play_no_environment_as_it_comes_has_no_example():
    pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
    without = {name for name in naming.named() if not details(name)["example"]}
    assert without == {
        *("Halving", "ProjectedHalving", "GridHalving", "RankingBanditron"),
        *("Pending", "Restarting", "DelayedLinUCB"),  # around an agent, and for a window
        *("SuccessiveRejects", "SequentialHalving", "LUCB", "TTUCB", "TopTwoThompson"),
        "TrackAndStop",  # these find the best arm
        "PhasedElimination",  # of fixed arms
    }


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_environment_is_described_as_it_is(name):
    about = details(name)
    json.dumps(about, allow_nan=False)
    assert about["family"] == ENVIRONMENTS[name].family
    if "action" in about:
        env = gymnasium.make(name)
        assert about["action"] == str(env.action_space)
        assert about["observation"] == str(env.observation_space)
    else:
        assert name == "Reuters4-v0"
        assert "RCV1" in about["not_made"]
    for agent in about["agents"]:
        assert about["family"] in naming.families_of(naming.named()[agent])
    text = text_of(name)
    assert all(one["name"] in text for one in about["settings"])


def test_an_id_shows_the_settings_that_it_fixes():
    own = {one["name"]: one["default"] for one in details("StarvationBandit-v0")["settings"]}
    assert (own["n_arms"], own["dim"]) == (1000, 1)


def test_defaults_meanings_and_what_the_task_tells_are_in_the_text():
    text = " ".join(text_of("OFUL").split())
    assert "delta float, default 0.1 Probability of failure, in (0, 1)." in text
    assert "noise_std float, optional, default the task's R, the sub-Gaussian" in text
    assert "banditgym run LinearBandit-v0 --agent OFUL" in text
    assert "needs: hypotheses" in text_of("Halving")


@pytest.mark.parametrize("name", available())
def test_a_suite_shows_its_tasks(name):
    about, suite = details(name), load(name)
    json.dumps(about)
    assert [one["name"] for one in about["tasks"]] == [task.name for task in suite.tasks]
    assert about["hash"] == suite.hash
    text = text_of(name)
    assert all(f"{task.env}, {task.horizon} rounds" in text for task in suite.tasks)
    assert str(suite.tasks[0].folder) not in json.dumps(about)


def test_a_former_name_of_a_paper_shows_the_paper():
    assert details("korda2014") == details("korda2015")


@pytest.mark.parametrize("name", papers.NAMES)
def test_a_paper_shows_its_claims(name):
    text = text_of(name)
    assert all(claim.id in text for claim in papers.load(name).claims)


def test_an_agent_and_an_environment_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE.replace("\\'", "'"))
    about = details("mine.py:Mine")
    assert about["rule"] == "Play on."
    names = [one["name"] for one in about["hyperparameters"]]
    assert names == ["alpha", "ridge", "beta"]
    assert about["hyperparameters"][0]["meaning"].startswith("Width of the bonus")
    assert about["file"] == "mine.py"
    assert about["example"] == "banditgym run LinearBandit-v0 --agent mine.py:Mine"
    (tmp_path / "env.py").write_text(
        "from banditgym.envs.armed import ArmedBandit\nclass Own(ArmedBandit): pass\n"
    )
    about = details("env.py:Own")
    assert about["family"] == "armed"
    assert "UCB1" in about["agents"]
    assert about["example"].startswith("banditgym run env.py:Own --agent ")


def test_an_environment_that_is_no_bandit_is_shown_as_such():
    shown = " ".join(text_of("CartPole-v1").split())
    assert "not made: CartPoleVectorEnv(CartPole-v1, num_envs=1) has no task" in shown


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("LinUBC", "nothing is called 'LinUBC'; did you mean LinUCB?"),
        ("LinearBandit", "did you mean LinearBandit-v0?"),
        ("core-v9", "did you mean core-v"),
        ("xxxxxxxx", "banditgym list agents, envs, suites or papers"),
        ("nowhere.py:Mine", "cannot read nowhere.py"),
        ("mine.toml", "cannot be read"),
    ],
)
def test_an_unknown_name_gives_the_nearest(name, message):
    with pytest.raises(ValueError, match=message):
        details(name)


def test_nothing_that_is_shown_needs_more_than_eighty_columns():
    for name in (*agents.AGENTS, *ENVIRONMENTS, "core-v2"):
        assert max(map(len, text_of(name, 80).splitlines())) <= 80


# A number's unit, or what makes it one without: a probability, a share, a count, a part of a range.
UNIT = (
    r"\bunits?\b|on the scale of|[Pp]robability|[Ss]hare|in samples|half widths|in \[?\(?0, 1[)\]]"
)


@pytest.mark.parametrize("name", naming.named())
def test_every_number_of_an_agent_says_its_unit(name):
    for one in details(name)["hyperparameters"]:
        if "float" in one["type"]:
            assert re.search(UNIT, one["meaning"]), one


def test_a_radius_of_two_standard_deviations_is_what_its_meaning_says():
    said = " ".join(text_of("GPUCB").split())
    assert "with ridge 0.01, radius 0.2 is two" in said
    arms = np.linspace(0, 1, 7)[:, None]
    env = gymnasium.make("KernelBandit-v0", arms=arms, noise_std=0.1, horizon=20)
    agent = agents.GPUCB(ridge=0.01, radius=0.2).reset(env.unwrapped.task)
    gram = env.unwrapped.task.covariance(arms, arms)
    observation, _ = env.reset(seed=3)
    pulled, rewards = [], []
    for _ in range(20):
        among = gram[:, pulled]
        solved = np.linalg.solve(gram[np.ix_(pulled, pulled)] + 0.01 * np.eye(len(pulled)), among.T)
        deviation = np.sqrt(gram.diagonal() - np.sum(among * solved.T, axis=1))
        upper = solved.T @ np.array(rewards) + 2 * deviation
        arm = agent.act(observation)
        assert upper[arm] == pytest.approx(upper.max(), abs=1e-9)
        _, reward, *_ = env.step(arm)
        agent.observe(observation, arm, reward)
        pulled.append(arm)
        rewards.append(reward)
