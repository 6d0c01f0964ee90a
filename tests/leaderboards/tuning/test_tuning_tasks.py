"""What tuning plays in place of a suite: other seeds, and other data where seeds share them."""

from pathlib import Path

import pytest

from leaderboards.run.outcomes import make
from leaderboards.suites.seed_ranges import TUNING
from leaderboards.suites.suite import available
from leaderboards.tuning.tuning_tasks import tuning_tasks

from .tunable import TINY

OTHER = TINY.partition("[[task]]\n")[0] + "[[task]]\n" + TINY.split("[[task]]\n")[1]
SEEDS = range(TUNING.start, TUNING.start + 2)


def lines_of(task):
    ((_, path),) = task.files
    return Path(path).read_text().splitlines()


def test_core_v2_is_tuned_on_another_log_and_on_other_rows():
    tasks = tuning_tasks("core-v2")
    tuned = {task.name: task for task in tasks.on(SEEDS).tasks}
    own = {task.name: task for task in tasks.suite.tasks}
    assert list(tuned) == list(own)
    assert {name for name in own if tuned[name] != own[name]} == {"few-articles", "sectors"}
    news = tuned["few-articles"]
    assert news.settings["log_seed"] != own["few-articles"].settings["log_seed"]
    assert f"log_seed={news.settings['log_seed']}," in news.reference
    rows = [set(lines_of(task["sectors"])) for task in (own, tuned)]
    assert len(rows[1]) > 140
    assert len(rows[0] & rows[1]) < 5  # points of one grid may coincide
    for task in (own, tuned):
        assert make(task["sectors"], 1).unwrapped.task.n_labels == 3
    # No other rows than those scored: the agents' lines say so, and those of other tasks do not.
    assert tasks.on_same_data(list(own)) == ("digits",)
    assert tasks.on_same_data(["synnonsep", "sectors"]) == ()


def test_other_rows_follow_the_rule_of_the_suites_file():
    tasks = tuning_tasks("core-v2")
    rule = ((1, -1 / 3), (-1 / 3, 1), (-1, -1))
    for task in (*tasks.suite.tasks, *tasks.on(SEEDS).tasks):
        if task.name != "sectors":
            continue
        for line in lines_of(task):
            label, *pairs = line.split()
            x = {int(k): float(v) for k, v in (pair.split(":") for pair in pairs)}
            scores = [w[0] * x.get(1, 0.0) + w[1] * x.get(2, 0.0) for w in rule]
            best = scores.pop(int(label))
            assert best - max(scores) >= 0.15 - 1e-12


def test_a_file_beside_a_suite_is_no_suite():
    assert not [name for name in available() if "tuning" in name]


def test_the_seeds_are_those_of_tuning(tasks):
    suite = tasks.on(SEEDS, ["arms"])
    assert (suite.seeds, suite.n_seeds, suite.used) == (tuple(SEEDS), 2, TUNING)
    assert [task.name for task in suite.tasks] == ["arms"]
    for seeds in (range(3), range(499_999, 500_001), range(10**6, 10**6 + 1)):
        with pytest.raises(ValueError, match="seeds of tuning are 500000..999999, got"):
            tasks.on(seeds)


def test_only_data_may_differ(tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY)
    beside = tmp_path / "tiny.tuning.toml"
    beside.write_text(OTHER.replace("n_arms = 3", "n_arms = 4"))
    (task,) = tuning_tasks(tmp_path / "tiny.toml").others.values()
    assert task.settings == {"n_arms": 4}
    for text, message in (
        (OTHER.replace("horizon = 60", "horizon = 30"), "horizon is 30, not 60"),
        (OTHER.replace('"ArmedBandit-v0"', '"LinearBandit-v0"'), "env is 'LinearBandit-v0'"),
        (OTHER + 'ranking = "x"\n', None),
        (OTHER.replace('"coins"', '"cions"'), "tiny has no task 'cions'"),
    ):
        if message is not None:
            beside.write_text(text)
            with pytest.raises(ValueError, match=f"tiny.tuning.toml.*{message}"):
                tuning_tasks(tmp_path / "tiny.toml")
