"""Third-party environments by name, in suites and outside them. 15 seconds."""

import json
import re
import shutil
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import agents
from leaderboards.comparison.compare_function import compare
from leaderboards.processes.workers import Here
from leaderboards.rank import baselines
from leaderboards.rank.baselines import write
from leaderboards.rank.board import build
from leaderboards.run import runner
from leaderboards.run.execution import Execution
from leaderboards.run.keys import sources
from leaderboards.run.store.store import Store
from leaderboards.suites import environments
from leaderboards.suites.suite import load

PAGE = Path(__file__).parents[3] / "docs" / "environments.md"
COINS, REGISTERED, COIN = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
(SUITE,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
SUITE = SUITE.replace("seeds = 20", "seeds = 4").replace("500", "60")
REFERENCE = 'measure = "reward"\nreference = "best.py:Last"\n'
BEST = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from agents import Agent
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class Last(Agent):
    accepts: ClassVar = (ArmedTask,)

    def _start(self):
        self.t = 0

    def _choose(self, contexts):
        self.t += 1
        return np.full(self.n, 4 if self.t <= 30 else 0)

    def _learn(self, *_):
        pass
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the page's code and suite, which is not the working directory."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "coins.py").write_text(f"{COINS}\nimport gymnasium\n{COIN}\nclass Bystander: pass\n")
    (home / "coins.toml").write_text(SUITE)
    monkeypatch.chdir(tmp_path)
    return home


@pytest.fixture
def module(folder, monkeypatch):
    """The same as an importable module that registers an id."""
    name = f"coins_{folder.parent.name.replace('-', '_')}"
    own = REGISTERED.replace("TurningCoins-v0", f"{name}-v0").partition("check_env(")[0]
    shutil.copy(folder / "coins.py", folder / f"{name}.py")
    with (folder / f"{name}.py").open("a") as file:
        file.write(own)
    monkeypatch.syspath_prepend(folder)
    yield name
    gymnasium.registry.pop(f"{name}-v0", None)
    sys.modules.pop(name, None)


def test_every_name_of_a_class_makes_the_same_environment(folder, module):
    names = [f"{folder}/coins.py:TurningCoins", f"{module}:TurningCoins", f"{module}:{module}-v0"]
    results = [compare(name, ["UCB1"], seeds=3, horizon=80, n_arms=4) for name in names]
    first, *others = [result.traces["UCB1"].regret for result in results]
    assert first.shape[0] == 3
    assert first[:, -1].min() > 0
    for other in others:
        np.testing.assert_array_equal(first, other)
    # An id that an import has registered needs no module any more.
    again = compare(f"{module}-v0", ["UCB1"], seeds=3, horizon=80, n_arms=4)
    np.testing.assert_array_equal(first, again.traces["UCB1"].regret)
    assert results[0].env == names[0]


def test_it_is_what_play_plays_on_the_class(folder):
    result = compare(f"{folder}/coins.py:TurningCoins", ["UCB1"], seeds=3, horizon=80, n_arms=4)
    names: dict = {}
    exec(compile(COINS, "coins.py", "exec"), names)
    trace = agents.play(names["TurningCoins"](3, n_arms=4, horizon=80), agents.UCB1(), seed=0)
    np.testing.assert_array_equal(result.traces["UCB1"].regret, trace.regret)


def test_a_plain_environment_plays_each_replicate_as_alone(folder):
    result = compare(f"{folder}/coins.py:Coin", ["UCB1"], seeds=3, horizon=50)
    names: dict = {}
    exec(compile(f"import gymnasium\n{COINS}\n{COIN}", "coins.py", "exec"), names)
    for seed in range(3):
        alone = agents.play(names["Coin"](horizon=50), agents.UCB1(), seed=seed)
        np.testing.assert_array_equal(result.traces["UCB1"].regret[seed], alone.regret[0])


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("coins.py:Turning", {}, "has no environment 'Turning'; did you mean TurningCoins?"),
        ("coins.py:Xyz", {}, "has no environment 'Xyz'; there are TurningCoins, Coin"),
        ("coins.py:", {}, "has no environment ''; there are TurningCoins, Coin"),
        ("coins.py", {}, "name the class in the file too, as in coins.py:Mine"),
        ("coins.py:Bystander", {}, "is not an environment: it must be a class that derives from"),
        ("coins.py:TurningCoins", {"narms": 3}, "has no setting 'narms'; did you mean n_arms?"),
        ("coins.py:TurningCoins", {"wrappers": []}, "TurningCoins has no setting 'wrappers'"),
        ("coins.py:Coin", {"narms": 3}, "unexpected keyword argument 'narms'"),
        ("nowhere.py:Coin", {}, "cannot read"),
        ("no_such_module_at_all:Coin", {}, "cannot import 'no_such_module_at_all'"),
        ("CartPole-v1", {}, "has no task: agents play environments whose env.unwrapped.task"),
        ("LinearBandit-v0", {"entry": "os:system"}, "LinearBandit-v0 has no setting 'entry'"),
    ],
)
def test_what_is_wrong_is_one_line(folder, name, settings, message):
    name = environments.located(name, folder)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        environments.make(name, 2, settings)
    assert "\n" not in str(error.value)


HORIZON = "with horizon=60: its class must take horizon, the number of rounds, as a keyword"


@pytest.mark.parametrize(
    ("name", "old", "new", "settings", "message"),
    [
        ("Coin", "self, horizon=1000", "self", {}, f"Coin cannot be made {HORIZON}"),
        ("TurningCoins", ", horizon=None", "", {}, f"TurningCoins cannot be made {HORIZON}"),
        ("Coin", "self, horizon=1000", "self", {"narms": 3}, "argument 'narms'"),
        ("Coin", "self.task = ", "self.t = ", {}, "has no task"),
    ],
)
def test_an_environment_without_horizon_is_told_in_one_line(
    folder, name, old, new, settings, message
):
    text = (folder / "coins.py").read_text()
    assert old in text
    new_text = text.replace(old, new).replace(
        "rounds = horizon_of(horizon,", "rounds = horizon_of(60,"
    )
    (folder / "coins.py").write_text(new_text.replace("horizon=horizon,", "horizon=60,"))
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        environments.make(f"{folder}/coins.py:{name}", 2, {"horizon": 60, **settings})
    assert "\n" not in str(error.value)


def test_an_environment_that_raises_is_named(folder):
    (folder / "bad.py").write_text(
        COINS.replace("self.law =", "1 / 0\n        self.law =", 1)  # within __init__
    )
    with pytest.raises(ValueError, match=r"TurningCoins cannot be made: ZeroDivisionError"):
        environments.make(f"{folder}/bad.py:TurningCoins", 2, {})


def test_a_task_of_no_family_is_refused(folder):
    (folder / "odd.py").write_text(
        COINS.replace(
            "super().__init__(num_envs, task", "super().__init__(num_envs, object()"
        ).replace("self.task.horizon", "60")
    )
    with pytest.raises(
        ValueError,
        match="must be one of banditgym.tasks, and its family one of adversarial, armed, ",
    ):
        environments.family(f"{folder}/odd.py:TurningCoins", {})


def test_a_suite_runs_it_from_anywhere_and_in_workers(folder, tmp_path):
    suite = load("home/coins.toml", trust=True)
    runner.run(suite, ["UCB1"], store=Store("here"), execution=Execution(executor=Here, workers=1))
    runner.run(suite, ["UCB1"], store=Store("there"), execution=Execution(workers=1))
    here, there = ({(r.spec, r.seed): r for r in Store(name).rows()} for name in ("here", "there"))
    assert len(here) == 8  # UniformRandom is the baseline
    assert {key: row.measures for key, row in here.items()} == {
        key: row.measures for key, row in there.items()
    }
    direct = compare("home/coins.py:TurningCoins", ["UCB1"], seeds=4, horizon=60, n_arms=5)
    for seed in range(4):
        stored = here["UCB1", seed].measures
        assert stored is not None
        assert stored["regret"] == direct.traces["UCB1"].regret[seed].tolist()


def test_a_suite_of_a_plain_environment_is_played_and_has_baselines(folder):
    (folder / "best.py").write_text(BEST.replace("4 if self.t <= 30 else 0", "1"))
    text = 'title = "Coins"\nseeds = 2\n[[task]]\nname = "plain"\nenv = "coins.py:Coin"\n'
    (folder / "plain.toml").write_text(f"{text}horizon = 20\n")
    suite = load(folder / "plain.toml", trust=True)
    runner.run(
        suite,
        ["UCB1", f"{folder}/best.py:Last"],
        store=Store("here"),
        execution=Execution(workers=1),
    )
    rows = Store("here").rows()
    assert [row.error for row in rows] == [None] * 6
    assert {row.measures["regret"][-1] for row in rows if row.agent == "Last"} == {0.0}
    write(folder / "plain.toml", workers=1, trust=True)
    assert load(folder / "plain.toml", trust=True).baselines["plain"].uniform


def test_without_trust_a_suite_with_code_is_told_in_a_line_and_nothing_runs(folder):
    (folder / "coins.py").write_text("open(__file__ + '.ran', 'w')\n")
    (folder / "best.py").write_text("open(__file__ + '.ran', 'w')\n")
    ours = 'env = "ArmedBandit-v0"\n' + REFERENCE
    for text in (SUITE, SUITE.replace('env = "coins.py:TurningCoins"\n', ours)):
        (folder / "coins.toml").write_text(text)
        with pytest.raises(ValueError, match="py:.* is code that is not banditgym's.*--trust"):
            load(folder / "coins.toml")
    for env in ("this:Coin", "CartPole-v1"):
        (folder / "coins.toml").write_text(SUITE.replace("coins.py:TurningCoins", env))
        with pytest.raises(ValueError, match=f"{env} is code that is not banditgym's"):
            load(folder / "coins.toml")
    assert "this" not in sys.modules
    assert not list(folder.glob("*.ran"))


def test_code_of_ours_needs_no_trust(folder):
    reference = 'measure = "reward"\nreference = "agents:UCB1"\n'
    text = SUITE.replace("coins.py:TurningCoins", "ArmedBandit-v0") + reference
    (folder / "coins.toml").write_text(text)
    assert load(folder / "coins.toml").tasks[0].env == "ArmedBandit-v0"


def test_an_id_that_nobody_registers_is_unknown_not_untrusted(folder):
    (folder / "coins.toml").write_text(SUITE.replace("coins.py:TurningCoins", "LinBandit-v0"))
    with pytest.raises(ValueError, match="unknown environment 'LinBandit-v0'; did you mean Lin"):
        load(folder / "coins.toml")
    (folder / "coins.toml").write_text(SUITE.replace("coins.py:TurningCoins", "coins.py"))
    with pytest.raises(ValueError, match="name the class too, coins.py:Mine"):
        load(folder / "coins.toml", trust=True)


def test_a_changed_file_is_played_anew(folder):
    def run():
        suite = load("home/coins.toml", trust=True)
        done = runner.run(
            suite, ["UCB1"], store=Store("store"), execution=Execution(executor=Here, workers=1)
        )
        rows, _ = sources.current(suite, Store("store").rows(suite.hash))
        return sum(len(cell.seeds) for cell in done.cells), rows

    played, before = run()
    assert played == 4
    assert run()[0] == 0
    (folder / "coins.py").write_text((folder / "coins.py").read_text().replace("0.2, 0.8", "0, 1"))
    from leaderboards.suites import baselines_file

    baselines_file.of_file.cache_clear()  # another process would read the file anyway
    played, after = run()
    assert played == 4
    assert {row.key for row in before}.isdisjoint(row.key for row in after)


def test_a_suite_of_an_environment_without_horizon_is_told_why(folder):
    text = (folder / "coins.py").read_text().replace("self, horizon=1000", "self")
    (folder / "coins.py").write_text(text.replace("horizon=horizon", "horizon=60"))
    (folder / "coins.toml").write_text(
        SUITE.replace("TurningCoins", "Coin").replace("n_arms = 5", "")
    )
    with pytest.raises(ValueError, match="its class must take horizon"):
        load(folder / "coins.toml", trust=True)


def test_a_reference_of_ones_own_lies_beside_the_suite(folder):
    (folder / "best.py").write_text(BEST)
    (folder / "coins.toml").write_text(SUITE + REFERENCE)
    suite = load("home/coins.toml", trust=True)
    runner.run(suite, ["UCB1"], store=Store("store"), execution=Execution(executor=Here, workers=1))
    board = build(suite, Store("store").rows(suite.hash))
    scale = board.sections[0].scales["turning"]
    assert scale.ceiling > scale.baseline
    assert not board.sections[0].unscored
    path = baselines.write("home/coins.toml", workers=1, trust=True)
    assert json.loads(path.read_text())["tasks"]["turning"]["reference"] == "best.py:Last"
    known = load("home/coins.toml", trust=True).baselines["turning"]
    assert tuple(known.best.values()) == scale.best
