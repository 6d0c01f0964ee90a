"""The measures that score 0 and 1, played on the suite's own seeds (about 5 s)."""

from dataclasses import replace

import gymnasium
import pytest

import agents
from agents.naming import resolve
from leaderboards.rank import baselines as module
from leaderboards.rank.baselines import check_scored, played_baselines, write
from leaderboards.run.cell import play_cell
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.plan import cells_of, fixed_by
from leaderboards.run.store.store import Store
from leaderboards.suites.baselines_file import path_of
from leaderboards.suites.suite import available, load

HEAD = 'title = "small"\nseeds = 5\n'
ARMED = """
[[task]]
name = "armed"
env = "ArmedBandit-v0"
horizon = 60
settings = { means = [0.2, 0.9] }
"""
REWARD = ARMED.replace("armed", "reward") + 'measure = "reward"\nreference = "UCB1"\n'
NEWS = """
[[task]]
name = "described"
env = "NewsReplay-v0"
measure = "clicks_per_10000"
reference = "leaderboards.references:ClickModel(log_seed=1)"
horizon = 3000
settings = { features = "article", log_seed = 1, n_articles = 20 }
"""
REGRESSION = """
[[task]]
name = "rows"
env = "OnlineRegression-v0"
horizon = 50
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("suites") / "small.toml"
    path.write_text(HEAD + ARMED + REWARD + NEWS + REGRESSION)
    return path


@pytest.fixture(scope="module")
def suite(path):
    return load(path)


@pytest.fixture(scope="module")
def found(suite, tmp_path_factory):
    return played_baselines(suite, store=Store(tmp_path_factory.mktemp("store")))


def finals(agent, task):
    """The definition: play, seed by seed."""
    settings = {"horizon": task.horizon, **task.settings}
    values = {}
    for seed in range(5):
        envs = gymnasium.make_vec(task.env, num_envs=1, **settings)
        values[seed] = agents.play(envs, agent, seed=[seed]).measures[task.measure][0, -1]
    return values


def test_the_baseline_of_a_seed_is_uniform_play_on_that_seed(suite, found):
    assert list(found) == [task.name for task in suite.tasks]
    for task in suite.tasks:
        agent = agents.PredictZero() if task.name == "rows" else agents.UniformRandom()
        assert found[task.name].uniform == finals(agent, task)


def test_the_best_of_a_seed_is_the_reference_on_that_seed(suite, found):
    for task in suite.tasks:
        best = finals(resolve(task.reference), task) if task.reference else {}
        assert found[task.name].best == best


def test_what_is_written_is_read_with_the_suite(path, found):
    assert load(path).baselines == {}
    assert write(path, workers=1) == path_of(path) == path.with_suffix(".baselines.json")
    assert load(path).baselines == found
    assert load(path).first(2).baselines == found


def test_a_damaged_file_is_written_anew(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text('title = "small"\nseeds = 2\n' + ARMED)
    path_of(path).write_text('{"suite": "')
    with pytest.raises(ValueError, match="write one with banditgym leaderboard baselines"):
        load(path)
    write(path, workers=1)
    assert sorted(load(path).baselines["armed"].uniform) == [0, 1]


def test_nothing_is_played_for_a_file_that_cannot_be_written(path, monkeypatch):
    monkeypatch.setattr(module, "played_baselines", lambda *_, **__: pytest.fail("it was played"))
    monkeypatch.setattr(module.os, "access", lambda *_: False)  # root may write wherever it likes
    with pytest.raises(ValueError, match="cannot be written, so nothing is played"):
        write(path, workers=1)


def shipped() -> list:
    """Suites and their tasks; those of logs take ten seconds each, all but the default suite's."""
    return [
        pytest.param(
            name,
            task.name,
            marks=[pytest.mark.nightly] if task.family == "news" and name != "core-v2" else [],
        )
        for name in available()
        for task in load(name).tasks
    ]


@pytest.mark.parametrize(("name", "task"), shipped())
def test_what_is_shipped_is_what_is_played(name, task):
    # On two of the seeds: what an environment pays for a seed never changes.
    suite = load(name)
    chosen = next(one for one in suite.tasks if one.name == task)
    suite = replace(suite, tasks=(chosen,), seeds=(suite.seeds[0], suite.seeds[-1]))
    known = suite.baselines[task]
    for entrant, shipped in zip(fixed_by(suite, chosen), (known.uniform, known.best), strict=True):
        if entrant is not None:
            cells = cells_of(suite, chosen, entrant, suite.seeds)
            rows = [row for cell in cells for row in play_cell(cell).rows]
            played = {row.seed: (row.measures or {})[chosen.measure][-1] for row in rows}
            assert played == {seed: shipped[seed] for seed in suite.seeds}


@pytest.mark.parametrize(
    ("task", "reference", "message"),
    [
        ("reward", "UCB3", "unknown agent 'UCB3'.*UCB2"),
        ("reward", "nowhere:Agent", "cannot import 'nowhere'"),
        ("reward", "UCB1(x=1)", "UCB1 has no hyperparameter 'x'"),
        (
            "reward",
            "LinUCB",
            "'reward': reference LinUCB cannot play it: it plays linear and news tasks",
        ),
        (
            "described",
            "leaderboards.references:ClickModel(format='R6B')",
            "features of R6B are 136 or 156 numbers, the task's 6",
        ),
        # Of equal seeds, so that its play is the baseline's.
        ("reward", "UniformRandom", "would not be scored: uniform play is as good as the best"),
    ],
)
def test_what_is_wrong_with_a_reference_is_named_in_one_line(
    suite, task, reference, message, tmp_path
):
    wrong = replace(
        suite,
        tasks=tuple(replace(t, reference=reference) for t in suite.tasks if t.name == task),
    )
    with pytest.raises(ValueError, match=message) as raised:
        check_scored(wrong, played_baselines(wrong, store=Store(tmp_path), execution=IN_PROCESS))
    assert str(raised.value).startswith(f"small, task '{task}'")
    assert "\n" not in str(raised.value)


def test_what_cannot_be_played_is_named(suite, tmp_path):
    wrong = replace(suite.tasks[0], settings={"means": [0.2, 3.0]})
    with pytest.raises(ValueError, match="small, task 'armed': .*means must be prob"):
        played_baselines(replace(suite, tasks=(wrong,)), store=Store(tmp_path))


def test_a_reference_that_fails_while_it_plays_is_named_with_its_error(suite, tmp_path):
    file = tmp_path / "failing.py"
    file.write_text(
        "import agents\n\n\n"
        "class Fails(agents.UCB1):\n"
        "    def _choose(self, contexts):\n"
        '        raise RuntimeError("no more")\n'
    )
    task = next(task for task in suite.tasks if task.name == "reward")
    wrong = replace(suite, tasks=(replace(task, reference=f"{file}:Fails"),))
    with pytest.raises(
        ValueError, match=r"small, task 'reward': Fails failed: RuntimeError: no more"
    ):
        played_baselines(wrong, store=Store(tmp_path))
