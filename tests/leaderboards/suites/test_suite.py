"""Suite files: their rules, what their hash covers, which are shipped. 2 seconds."""

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from agents import CBRAP, SOFUL
from agents.naming import own_agents
from banditgym import vector_env
from leaderboards.rank.scale import baselines_of, scale_of
from leaderboards.run.outcomes import make
from leaderboards.run.store.row_schema import LARGEST
from leaderboards.suites.suite import available, load
from leaderboards.suites.suite_tables import MOST_ROUNDS, MOST_SEEDS

TASK = """
[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 100
"""
SUITE = 'title = "t"\nseeds = 3\n' + TASK
TWO = TASK.replace('"one"', '"two"')


@pytest.fixture
def read(tmp_path):
    def read(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return load(path)

    return read


def test_a_suite_reads_as_written(read):
    text = SUITE + "settings = { means = [0.1, 0.2] }\n"
    suite = read(text)
    assert (suite.name, suite.title, suite.seeds) == ("mine", "t", (0, 1, 2))
    (task,) = suite.tasks
    assert (task.name, task.env, task.horizon, task.family) == (
        "one", "ArmedBandit-v0", 100, "armed",
    )  # fmt: skip
    assert task.settings == {"means": [0.1, 0.2]}
    assert (task.measure, task.reference, task.ranking) == ("regret", None, "armed")
    assert suite.baselines == {}
    (task,) = read(SUITE + 'measure = "reward"\nreference = "UCB1(x=1)"\n').tasks
    assert (task.measure, task.reference) == ("reward", "UCB1(x=1)")
    (task,) = read(SUITE + 'ranking = "armed-two"\n').tasks
    assert (task.family, task.ranking) == ("armed", "armed-two")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SUITE + "horizn = 3", r"mine.toml, task 'one': unknown key 'horizn'.*horizon"),
        ("titel = 'x'\n" + SUITE, r"mine.toml: unknown key 'titel'.*title"),
        (SUITE.replace('title = "t"\n', ""), r"mine.toml: the key 'title' is missing"),
        (SUITE.replace("horizon = 100", ""), r"task 'one': the key 'horizon' is missing"),
        (SUITE.replace("100", '"100"'), r"horizon must be an integer, got '100'"),
        (SUITE.replace("100", "true"), r"horizon must be an integer, got True"),
        (SUITE.replace("100", "0"), r"horizon must be in 1..9223372036854775807, got 0"),
        (SUITE.replace("seeds = 3", "seeds = 0"), r"seeds .* got 0"),
        (SUITE.replace("seeds = 3", f"seeds = {MOST_SEEDS + 1}"), r"seeds .* got 500001"),
        (SUITE.replace("ArmedBandit", "ArmdBandit"), r"unknown environment 'ArmdBandit-v0'.*Armed"),
        (SUITE + TASK, r"task names must be unique, 'one' occurs twice"),
        ('title = "t"\nseeds = 3\ntask = []', r"at least one \[\[task\]\]"),
        ('title = "t"\nseeds = 3\ntask = [1]', r"task 1: a task is a \[\[task\]\] table"),
        (SUITE + "baseline = 3.0", r"task 'one': unknown key 'baseline'"),
        (
            SUITE + "measure = 'regert'",
            r"mine.toml, task 'one': ArmedBandit-v0 has no measure 'regert'.*regret.*; it has ",
        ),
        (SUITE + 'ranking = "A b"', r"task 'one': ranking must consist of lower-case.*got 'A b'"),
        (SUITE + 'ranking = "overall"', r"task 'one': ranking .* not be 'overall'"),
        (SUITE + "reference = 3", r"task 'one': reference must be a string, got 3"),
        (SUITE + 'reference = "UCB1"', r"task 'one': .* a regret of 0 does: drop it"),
        (SUITE + "settings = { horizon = 3 }", r"horizon is a key of the task"),
        (SUITE + "settings = { means = [inf, 1.0] }", r"settings must be finite numbers"),
        (SUITE + "settings = { means = 1979-05-27 }", r"settings must be finite numbers"),
        (SUITE + 'twin = "one"', r"task 'one': twin must be another task, got 'one'"),
        (SUITE + 'twin = "tow"\n' + TWO, r"task 'one': twin must be another .*'tow'; did .* two"),
        (SUITE + 'measure = "reward"\ntwin = "two"\n' + TWO, r"its measure must be .* twin 'two'"),
        (SUITE + 'twin = "two"\n' + TWO.replace("100", "9"), r"its horizon must be .* twin 'two'"),
        (
            SUITE + "grid = { n_arms = 3 }",
            r"task 'one': grid has a list of values for n_arms, got 3",
        ),
        (SUITE + "grid = { n_arms = [] }", r"grid has a list of values for n_arms, got \[\]"),
        (SUITE + "grid = [3]", r"task 'one': grid must be a table, got \[3\]"),
        (
            SUITE + "settings = { n_arms = 3 }\ngrid = { n_arms = [3] }",
            r"task 'one': n_arms is both in settings and in grid: drop one",
        ),
        (
            SUITE + "grid = { n_arms = [3, 3] }",
            r"names must be unique, 'one n_arms=3' occurs twice",
        ),
        (SUITE + "grid = { horizon = [3] }", r"horizon is a key of the task"),
        ("title = ", r"mine.toml is not valid TOML"),
    ],
)
def test_what_breaks_a_rule_is_named_in_one_line(read, text, message):
    with pytest.raises(ValueError, match=message) as raised:
        read(text)
    assert "\n" not in str(raised.value)


def test_unknown_suites_and_files():
    with pytest.raises(ValueError, match=r"unknown suite 'linear-v0'.*linear-v1"):
        load("linear-v0")
    with pytest.raises(ValueError, match=r"nowhere.toml cannot be read: No such file"):
        load("nowhere.toml")


def test_the_hash_covers_what_decides_a_number(read):
    base = read(SUITE).hash
    assert len(base) == 16
    same = [
        SUITE.replace('"t"', '"another title"'),
        SUITE + 'ranking = "other"\n',
        SUITE + 'measure = "regret"\n',
        SUITE + "settings = {}\n",
    ]
    late = TWO + "settings = { delay = 3 }\n"
    assert read(SUITE + late).hash == read(SUITE + late + 'twin = "one"\n').hash
    assert {read(text).hash for text in same} == {base}
    clicks = SUITE + 'measure = "reward"\n'
    assert read(clicks + 'reference = "UCB1"\n').hash == read(clicks).hash
    different = [
        SUITE.replace("100", "101"),
        SUITE.replace("seeds = 3", "seeds = 4"),
        SUITE.replace('"one"', '"two"'),
        SUITE.replace("Armed", "Linear"),
        SUITE + 'measure = "reward"\n',
        SUITE + "settings = { n_arms = 3 }\n",
    ]
    assert len({read(text).hash for text in different} | {base}) == 1 + len(different)


def test_a_grid_is_a_task_for_each_combination_of_its_values(read):
    text = SUITE + "settings = { delay = 2 }\ngrid = { n_arms = [3, 5], missing = [0.0, 0.1] }"
    suite = read(text)
    assert [task.name for task in suite.tasks] == [
        f"one n_arms={n} missing={m}" for n in (3, 5) for m in (0.0, 0.1)
    ]
    assert suite.tasks[3].settings == {"delay": 2, "n_arms": 5, "missing": 0.1}
    # As if they had been written one by one.
    single = 'settings = {{ delay = 2, n_arms = {0}, missing = {1} }}\nranking = "armed"\n'
    written = "".join(
        TASK.replace('"one"', f'"one n_arms={n} missing={m}"') + single.format(n, m)
        for n in (3, 5)
        for m in (0.0, 0.1)
    )
    assert suite.hash == read('title = "t"\nseeds = 3\n' + written).hash


def test_the_order_of_tasks_does_not_matter_and_their_names_do(read):
    two = TASK.replace('"one"', '"two"').replace("100", "200")
    swapped = SUITE.replace('"one"', '"two"') + two.replace('"two"', '"one"')
    assert read(SUITE + two).hash == read('title = "t"\nseeds = 3\n' + two + TASK).hash
    assert read(SUITE + two).hash != read(swapped).hash


def test_a_setting_may_name_a_file_beside_the_suite(read, tmp_path):
    np.save(tmp_path / "rows.npy", np.eye(3))
    text = SUITE.replace("Armed", "Linear") + 'settings = { contexts = "rows.npy", dim = 3 }\n'
    (task,) = read(text).tasks
    assert task.settings["contexts"] == str(tmp_path / "rows.npy")
    assert task.files == (("rows.npy", str(tmp_path / "rows.npy")),)
    make(task, 1)


def test_a_quick_look_takes_the_first_seeds(read):
    suite = read(SUITE)
    assert suite.first(2).seeds == (0, 1)
    assert suite.first(2).hash == suite.hash
    for n_seeds in (0, 4):
        with pytest.raises(ValueError, match=rf"1\.\.3, got {n_seeds}"):
            suite.first(n_seeds)


@pytest.mark.parametrize("name", available())
def test_shipped_suites_can_be_made_and_are_scored(name):
    suite = load(name)
    few = {
        "core-v1": 30,
        "core-v2": 30,
        "core-v3": 30,
        "kernel-v1": 20,
        "libraries-v1": 10,
        "news-v1": 20,
    }
    few["best-arm-v1"] = 500
    # A round of a Gaussian process takes a hundred times as long as others, of other libraries' a
    # thousand times, and of news few count. An error is one of two numbers, and needs more seeds.
    rule = "a suite has 50 seeds; one that has not is listed above, with the reason"
    assert len(suite.seeds) == few.get(name, 50), rule
    baselines = baselines_of(suite, [])  # what lies beside it
    for task in suite.tasks:
        scale, reason = scale_of(task, baselines[task.name], suite.seeds)
        assert reason is None
        assert scale is not None
        # What scores are divided by is known to an eighth, least well where parameters' norms are
        # drawn: the intervals know it too.
        assert scale.noise < 0.125 * abs(scale.baseline - scale.ceiling)
        known = make(task, 2).unwrapped.task
        assert (known.horizon, known.family) == (task.horizon, task.family)


def ranked(task):
    """Our agents that can play a task and are no references."""
    known = make(task, 1).unwrapped.task
    return {
        name
        for name, kind in own_agents().items()
        if isinstance(known, kind.accepts)
        and kind().refusal(known) is None
        and not kind.full_information
    }


@pytest.mark.parametrize(
    ("name", "unranked"),
    # It needs arms that stay, which one task of the linear ranking does not have.
    [("core-v2", set()), ("core-v3", {"PhasedElimination"})],
)
def test_core_ranks_every_agent_that_it_plays(name, unranked):
    suite, own_kinds = load(name), own_agents()
    playing = {spec.partition("(")[0] for spec in suite.agents or own_kinds}
    every = {agent for agent in playing if not own_kinds[agent].full_information} - unranked
    somewhere = set()
    for ranking in {task.ranking for task in suite.tasks}:
        own = [ranked(task) & every for task in suite.tasks if task.ranking == ranking]
        somewhere |= set.intersection(*own)
        # Whoever plays a part of a ranking's tasks would be shown without a rank.
        assert set.union(*own) == set.intersection(*own), ranking
    assert somewhere == every


def test_core_v2_covers_what_it_promises():
    first, second = load("core-v1"), load("core-v2")
    assert {task.family for task in first.tasks} == {task.family for task in second.tasks}
    tasks = {task.name: task for task in second.tasks}
    assert tasks["many-features"].settings["dim"] > SOFUL().size
    assert tasks["many-features"].settings["dim"] > CBRAP().size
    rows = np.loadtxt(tasks["many-features"].settings["contexts"], delimiter=",")
    share = np.linalg.svd(rows, compute_uv=False) ** 2
    assert share[:6].sum() > 0.95 * share.sum()
    assert tasks["changing-arms"].settings["fixed_arms"] is False
    assert tasks["continuous"].settings["arms"] == "box"
    assert tasks["starvation"].env == "StarvationBandit-v0"
    assert tasks["three-slots"].settings["slots"] == 3
    points, labels = load_svmlight_file(tasks["sectors"].settings["data"], n_features=2)
    right = points.toarray() @ np.array([[1, -1 / 3], [-1 / 3, 1], [-1, -1]]).T
    np.testing.assert_array_equal(right.argmax(axis=1), labels)
    assert np.diff(np.sort(right, axis=1)[:, 1:]).min() > 0.15


def test_linear_v1_covers_what_it_promises():
    tasks = {task.name: task for task in load("linear-v1").tasks}
    settings = [task.settings for task in tasks.values()]
    assert len(tasks) >= 6
    assert {task.horizon for task in tasks.values()} == {10_000}
    assert max(s["dim"] for s in settings) >= 100
    assert max(s["n_arms"] for s in settings) >= 100
    assert {s.get("fixed_arms", False) for s in settings} == {True, False}
    assert any(s.get("noise") == "student_t" for s in settings)
    ends = tasks["end-of-optimism"].settings
    bad, near, best = np.array(ends["arms"]) @ np.array(ends["theta"])
    assert best - near == pytest.approx(0.02)
    assert best - bad == 1.0


def test_drift_v1_covers_what_it_promises():
    tasks = {task.name: task.settings for task in load("drift-v1").tasks}
    assert {task.horizon for task in load("drift-v1").tasks} == {10_000}
    changes = {name: settings.get("changes", 0) for name, settings in tasks.items()}
    assert changes["stationary"] == 0
    assert "rate" not in tasks["stationary"]
    assert changes["one-change"] == [5000]
    assert changes["many-changes"] > 1
    assert 0 < tasks["slow-rotation"]["rate"] < 0.1 * tasks["fast-rotation"]["rate"]
    assert tasks["fixed-arms"]["fixed_arms"]
    assert changes["fixed-arms"] > 1
    # Those that are to differ in their drift alone.
    paired = ("stationary", "one-change", "many-changes", "slow-rotation", "fast-rotation")
    rest = [
        {key: value for key, value in tasks[name].items() if key not in ("changes", "rate")}
        for name in paired
    ]
    assert all(settings == rest[0] for settings in rest)


def test_tasks_that_drift_have_a_ranking_of_their_own(read):
    for name in ("core-v1", "core-v2", "drift-v1", "linear-v1"):
        for task in load(name).tasks:
            drifts = task.env == "DriftingLinearBandit-v0"
            assert (task.ranking == "linear-drift") == drifts
            assert task.family == "linear" or not drifts
    hashes = {"core-v2": "3f1bdc96e27cf37a"}  # it covers no rankings
    assert {name: load(name).hash for name in hashes} == hashes
    drifting = SUITE.replace("ArmedBandit-v0", "DriftingLinearBandit-v0")
    assert read(drifting).tasks[0].ranking == "linear-drift"
    assert read(drifting + 'ranking = "linear"\n').tasks[0].ranking == "linear"
    arms = SUITE.replace("ArmedBandit-v0", "DriftingArmedBandit-v0")
    assert read(arms).tasks[0].ranking == "armed-drift"


def test_no_arm_of_armed_v1_is_good_by_its_number():
    """An agent that always plays one arm must not score."""
    for task in load("armed-v1").tasks:
        assert "means" not in task.settings or task.settings["shuffled"] is True


def test_a_suite_is_told_in_a_line():
    assert repr(load("core-v2")) == "<Suite core-v2: 23 tasks, 30 seeds>"


def test_a_suite_is_as_long_as_an_environment_can_count():
    assert MOST_ROUNDS == vector_env.MOST_ROUNDS == LARGEST - 1
