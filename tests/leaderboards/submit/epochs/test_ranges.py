"""The ranges beside core-v2 and core-v3: complete, accepted at their ends, and frozen."""

import itertools
from dataclasses import replace

import pytest

from leaderboards.run.outcomes import make
from leaderboards.submit.epochs import ranges as module
from leaderboards.submit.epochs.derivation import Range
from leaderboards.submit.epochs.ranges import Formula, applied
from leaderboards.suites.suite import available, load

SECRET = bytes(range(32))
SUITE = load("core-v2")
RANGES = module.load(SUITE, module.path_of("core-v2"))


def shipped(name):
    """A suite, and its ranges."""
    suite = load(name)
    return suite, module.load(suite, module.path_of(name))


@pytest.mark.parametrize(
    ("name", "suite", "ranges"),
    [
        ("core-v2", "3f1bdc96e27cf37a", "0be796994e49e7e7"),
        ("core-v3", "b998bdd2a37e741a", "0130b899c26877b2"),
    ],
)
def test_the_shipped_ranges_are_frozen(name, suite, ranges):
    """Another hash needs another file: epochs name it. The suite's own stays what it was."""
    assert [one.hash for one in shipped(name)] == [suite, ranges]


def test_a_file_of_ranges_is_no_suite():
    assert not [name for name in available() if "held-out" in name]


@pytest.mark.parametrize("name", ["core-v2", "core-v3"])
def test_every_task_is_drawn_or_public(name):
    suite, ranges = shipped(name)
    assert ranges.tasks.keys() | ranges.public.keys() == {task.name for task in suite.tasks}
    assert ranges.public.keys() == {"digits", "sectors", "few-articles"}


@pytest.mark.parametrize(
    ("suite", "name"),
    [(suite, name) for suite in ("core-v2", "core-v3") for name in shipped(suite)[1].tasks],
)
def test_environments_take_the_ends_of_all_ranges(suite, name):
    suite, ranges = shipped(suite)
    (task,) = (task for task in suite.tasks if task.name == name)
    own = ranges.tasks[name]
    varied = {key: among for key, among in own.items() if isinstance(among, Range)}
    for ends in itertools.product(*((among.low, among.high) for among in varied.values())):
        drawn = dict(zip(varied, ends, strict=True))
        for key, how in own.items():
            if isinstance(how, Formula):
                drawn[key] = how(drawn)
        env = make(replace(task, settings=applied(task.settings, drawn)), 1)
        env.reset(seed=[0])
        env.close()


def test_formulas_follow_what_was_drawn():
    for draw in range(20):
        drawn = RANGES.draw(SECRET, "adversary", draw)
        assert drawn["feature_norm"] == drawn["dim"] ** 0.5
        assert 3 <= drawn["dim"] <= 8
    assert len({RANGES.draw(SECRET, "coins", draw)["n_arms"] for draw in range(50)}) > 10


def test_a_dot_reaches_into_a_table_and_changes_no_suite():
    settings = {"covariance": {"kind": "rbf", "length_scale": 0.2}, "dim": 2}
    found = applied(settings, {"covariance.length_scale": 0.3, "noise_std": 1.0})
    assert found == {
        "covariance": {"kind": "rbf", "length_scale": 0.3}, "dim": 2, "noise_std": 1.0,
    }  # fmt: skip
    assert settings["covariance"]["length_scale"] == 0.2


SMALL = """
title = "small"
seeds = 3
[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 60
[[task]]
name = "two"
env = "LinearBandit-v0"
horizon = 60
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('suite = "other"', 'its keys are suite = "small"'),
        ('suite = "small"\n[pubic]', "its keys are"),
        ('suite = "small"\n[ranges.oen]', "small has no task 'oen'; did you mean one?"),
        ('suite = "small"\n[ranges.one]', "task 'two' must be either in"),
        ('suite = "small"\n[public]\none = "x"\n[ranges.one]\n[ranges.two]', "task 'one' must"),
        ('suite = "small"\n[ranges.one]\nn_arms = 3\n[ranges.two]', "a range is [low, high]"),
        ('suite = "small"\n[ranges.one]\nn_arms = [3, 2]\n[ranges.two]', "from low to high"),
        ('suite = "small"\n[ranges.one]\nn_arms = [2, 3.0]\n[ranges.two]', "two integers or two"),
        ('suite = "small"\n[ranges.one]\nn_arms = "sqrt(dim)"\n[ranges.two]', "a formula is"),
        ('suite = "small"\n[ranges.one]\nn_arms = "exit()"\n[ranges.two]', "a formula is"),
        ("suite = ", "cannot be read"),
    ],
)
def test_a_fault_is_one_line(tmp_path, text, said):
    (tmp_path / "small.toml").write_text(SMALL)
    path = tmp_path / "small.held-out.toml"
    path.write_text(text)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is looked at below)
        module.load(load(tmp_path / "small.toml"), path)
    assert said in str(caught.value)
    assert "small.held-out.toml" in str(caught.value)


def test_the_hash_covers_suite_and_ranges_but_no_reasons(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    path = tmp_path / "small.held-out.toml"

    def digest(text):
        path.write_text('suite = "small"\n' + text)
        return module.load(load(tmp_path / "small.toml"), path).hash

    first = digest('[public]\none = "x"\n[ranges.two]\ndim = [2, 3]')
    assert digest('[public]\none = "why not"\n[ranges.two]\ndim = [2, 3]') == first
    assert digest('[public]\none = "x"\n[ranges.two]\ndim = [2, 4]') != first
    (tmp_path / "small.toml").write_text(SMALL.replace("60", "61"))
    assert digest('[public]\none = "x"\n[ranges.two]\ndim = [2, 3]') != first
