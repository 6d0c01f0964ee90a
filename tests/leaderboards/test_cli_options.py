"""Every option and argument of every command has an effect, and a test checks the effect.

A new option needs a function here, marked ``@effect_of("command OPTION")``. It calls ``shell(..)``,
the command in this process, and asserts what the option changes. That function is a test itself,
and it must fail when the option is removed from the command line: an effect that is also there
without the option does not count.
"""

import dataclasses
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import typer
from matplotlib.figure import Figure

from banditgym.logs import open_log
from leaderboards import cli
from leaderboards.comparison import paired_play, sequential_play
from leaderboards.processes.workers import Here, Processes
from leaderboards.rank import baselines
from leaderboards.run import execution, runner, sizes
from leaderboards.run.confinement import Confinement
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.plan import Plan, plan
from leaderboards.run.store.row_schema import Row
from leaderboards.run.store.store import Store

SUITE = """
title = "small"
seeds = 3

[[task]]
name = "one"
env = "ArmedBandit-v0"
horizon = 30
settings = { means = [0.2, 0.9] }
"""


class Done(NamedTuple):
    """The result of a command line."""

    code: int
    out: str
    err: str


class Shell:
    """The command in this process, in a folder of its own that holds the suite ``small.toml``.

    Parameters
    ----------
    patch, capture, folder
        pytest's ``monkeypatch``, ``capsys`` and ``tmp_path``.
    without : str, optional
        ``"command OPTION"`` that is taken out of command lines.
    """

    def __init__(self, patch: pytest.MonkeyPatch, capture: Any, folder: Path, without: str = ""):
        self.patch, self.capture, self.folder, self.without = patch, capture, folder, without
        self.left_out = False
        patch.chdir(folder)
        patch.setenv("COLUMNS", "150")
        (folder / "small.toml").write_text(SUITE)

    def __call__(self, *arguments: str) -> Done:
        words = list(arguments)
        command = self.without.split()[:-1]
        if self.without and words[: len(command)] == command:
            kept = [*command, *without(words[len(command) :], self.without)]
            self.left_out |= kept != words
            words = kept
        self.patch.setattr(sys, "argv", ["banditgym", *words])
        self.capture.readouterr()
        with pytest.raises(SystemExit) as left:
            cli.main()
        code = left.value.code or 0
        assert isinstance(code, int)
        return Done(code, *self.capture.readouterr())

    def played(self, *arguments: str) -> Done:
        """Run a command that must succeed."""
        done = self(*arguments)
        assert done.code == 0, done.err
        return done


EFFECTS: dict[str, Callable[[Shell], None]] = {}


def effect_of(*options: str) -> Callable[[Callable[[Shell], None]], Callable[[Shell], None]]:
    """Mark a function that asserts the effect of options, written ``"command --option"``."""

    def mark(effect: Callable[[Shell], None]) -> Callable[[Shell], None]:
        EFFECTS.update(dict.fromkeys(options, effect))
        return effect

    return mark


def parameters() -> dict[str, Any]:
    """Options and arguments of all commands, by names: ``"run --horizon"``, ``"run ENV"``."""

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        for parameter in command.params:
            is_option = parameter.param_type_name == "option"
            name = parameter.opts[0] if is_option else parameter.name.upper()
            yield " ".join([*path, name]), parameter
        for name, below in getattr(command, "commands", {}).items():
            yield from walk(below, (*path, name))

    return dict(walk(typer.main.get_command(cli.app), ()))


def without(words: list[str], name: str) -> list[str]:
    """The words after a command, without one of its options or arguments and its values."""
    known = parameters()
    command = name.rpartition(" ")[0]
    own = {key: value for key, value in known.items() if key.rpartition(" ")[0] == command}
    places = [key for key, value in own.items() if value.param_type_name == "argument"]
    kept, at, place = [], 0, 0
    while at < len(words):
        option = own.get(f"{command} {words[at]}".strip())
        if option is None:  # an argument
            key, length, place = places[place], 1, min(place + 1, len(places) - 1)
        else:
            key, length = f"{command} {option.opts[0]}".strip(), 1 if option.is_flag else 2
        kept += [] if key == name else words[at : at + length]
        at += length
    return kept


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize when all effects below are marked."""
    if "effect" in metafunc.fixturenames:
        together: dict[Callable[[Shell], None], str] = {}
        for option, effect in EFFECTS.items():
            together[effect] = f"{together[effect]}, {option}" if effect in together else option
        metafunc.parametrize("effect", list(together), ids=list(together.values()))
    if "option" in metafunc.fixturenames:
        metafunc.parametrize("option", list(EFFECTS))


def test_every_option_of_every_command_has_an_effect_here():
    assert set(EFFECTS) == set(parameters())


def test_options_have_their_effect(effect, monkeypatch, capsys, tmp_path):
    effect(Shell(monkeypatch, capsys, tmp_path))


@pytest.mark.nightly
def test_an_effect_is_gone_without_its_option(option, monkeypatch, capsys, tmp_path):
    shell = Shell(monkeypatch, capsys, tmp_path, without=option)
    with pytest.raises(AssertionError):
        EFFECTS[option](shell)
    assert shell.left_out, f"the effect of {option} is asserted before the option is given"


# The command itself


@effect_of("--version")
def _(shell: Shell) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\n", shell.played("--version").out)


# leaderboard run, show, report, baselines


def parsed(text: str) -> Any:
    """JSON that a command printed."""
    assert text[:1] in ("[", "{"), text
    return json.loads(text)


def written(path: str) -> str:
    """A text that a command wrote."""
    assert Path(path).is_file()
    return Path(path).read_text()


def rows(folder: str = "banditgym-results") -> set[tuple[str, int]]:
    """Agents and seeds that a store holds."""
    return {(row.agent, row.seed) for row in Store(folder).rows()}


def play(shell: Shell, *arguments: str) -> Done:
    """The small suite, in this process."""
    return shell.played("leaderboard", "run", "small.toml", "--in-process", *arguments)


@effect_of("leaderboard run SUITE")
def _(shell: Shell) -> None:
    given = ("--seeds", "1", "--agent", "UCB1")
    done = shell.played("leaderboard", "run", "small.toml", "--in-process", *given)
    assert done.out.startswith("small\n")
    assert {row.task for row in Store("banditgym-results").rows()} == {"one"}


@effect_of("leaderboard run --agent")
def _(shell: Shell) -> None:
    done = play(shell, "--agent", "UCB1", "--agent", "KLUCB(c=1.0)")
    assert {agent for agent, _ in rows()} == {"UCB1", "KLUCB(c=1.0)", "UniformRandom"}
    assert "KLUCB(c=1.0)" in done.out


@effect_of("leaderboard run --seeds")
def _(shell: Shell) -> None:
    told = "scored on 2 of the suite's 3 seeds"
    assert told in play(shell, "--agent", "UCB1", "--seeds", "2").out
    assert {seed for _, seed in rows()} == {0, 1}
    # What is shown is the part that is asked for, even where the store has more.
    assert told not in play(shell, "--agent", "UCB1").out
    assert {seed for _, seed in rows()} == {0, 1, 2}
    assert told in play(shell, "--agent", "UCB1", "--seeds", "2").out


@effect_of("leaderboard run --store")
def _(shell: Shell) -> None:
    play(shell, "--agent", "UCB1", "--store", "elsewhere")
    assert not Path("banditgym-results").exists()
    assert ("UCB1", 0) in rows("elsewhere")


def run_with(shell: Shell, *arguments: str) -> dict[str, Any]:
    """What ``runner.run`` is asked for by a run of what is played already."""
    play(shell, "--agent", "UCB1")
    seen: dict[str, Any] = {}

    def run(suite: Any, specs: Any, **given: Any) -> Plan:
        seen.update(given)
        return plan(suite, specs, given["store"])

    shell.patch.setattr(runner, "run", run)
    shell.played("leaderboard", "run", "small.toml", "--agent", "UCB1", *arguments)
    return seen


@effect_of("leaderboard run --workers")
def _(shell: Shell) -> None:
    assert run_with(shell, "--workers", "3")["execution"].workers == 3


@effect_of("leaderboard run --threads")
def _(shell: Shell) -> None:
    assert run_with(shell, "--threads", "3")["execution"].threads == 3
    done = shell("leaderboard", "run", "small.toml", "--threads", "0")
    assert "error: threads must be >= 1, got 0" in done.err


@effect_of("leaderboard run --limit")
def _(shell: Shell) -> None:
    assert run_with(shell, "--limit", "77.5")["execution"].limit == 77.5


@effect_of("leaderboard run --sandbox")
def _(shell: Shell) -> None:
    from leaderboards.sandbox import isolation

    found = isolation.Isolation("full", ("memory",))
    shell.patch.setattr(isolation, "isolation", lambda: found)
    seen = run_with(shell, "--sandbox")["confinement"]
    assert (seen.isolation, seen.bound, seen.audit) == ("full", ("memory",), False)
    found = isolation.Isolation("process", (), "there is no bwrap: install it")
    done = shell("leaderboard", "run", "small.toml", "--agent", "UCB1", "--sandbox")
    assert done.code == 2
    assert "needs full isolation, and here it is 'process': there is no bwrap" in done.err
    assert "without it: --sandbox --isolation process, leaderboard run without" in done.err


@effect_of("leaderboard run --isolation", "leaderboard run --one-process-per-replicate")
def _(shell: Shell) -> None:
    given = ("--sandbox", "--isolation", "process", "--one-process-per-replicate")
    seen = run_with(shell, *given)["confinement"]
    assert (seen.isolation, seen.bound, seen.audit) == ("process", (), True)


@effect_of("leaderboard run --in-process")
def _(shell: Shell) -> None:
    def submit(*_: Any, **__: Any) -> None:
        raise AssertionError("a worker process is asked to play")

    shell.patch.setattr(Processes, "submit", submit)
    (shell.folder / "own.py").write_text(
        "import os, pathlib\nfrom agents import UCB1\nclass Tells(UCB1):\n    def _start(self):\n"
        "        pathlib.Path('pid').write_text(str(os.getpid()))\n        super()._start()\n"
    )
    given = ("--agent", "own.py:Tells", "--seeds", "1")
    shell.played("leaderboard", "run", "small.toml", "--in-process", *given)
    assert written("pid") == str(os.getpid())


@effect_of("leaderboard run --executor")
def _(shell: Shell) -> None:
    given = ("leaderboard", "run", "small.toml", "--agent", "UCB1", "--executor")
    done = shell(*given, "nowhere:1")
    assert done.code == 2
    assert "--executor nowhere:1: choose loky, dask" in done.err
    done = shell(*given, "dask", "--in-process")
    assert "--in-process plays in this process: drop --executor" in done.err


FAILS = """import agents
class Fails(agents.UCB1):
    def _choose(self, contexts):
        return 1 / 0
"""


@effect_of("leaderboard run --traceback")
def _(shell: Shell) -> None:
    (shell.folder / "own.py").write_text(FAILS)
    done = play(shell, "--agent", "own.py:Fails", "--agent", "UCB1", "--traceback")
    assert done.err.count("Traceback (most recent call last)") == 1  # of three seeds
    assert 'own.py", line 4, in _choose' in done.err
    assert "ZeroDivisionError: division by zero (own.py:4)" in " ".join(done.out.split())


@effect_of("run --traceback")
def _(shell: Shell) -> None:
    (shell.folder / "own.py").write_text(FAILS)
    given = ("ArmedBandit-v0", "--horizon", "9", "--agent", "own.py:Fails", "--traceback")
    done = shell("run", *given)
    assert done.code == 2
    assert 'own.py", line 4, in _choose' in done.err
    line = "error: Fails failed: ZeroDivisionError: division by zero (own.py:4)"
    assert done.err.splitlines()[-1] == line


@effect_of("leaderboard run --json")
def _(shell: Shell) -> None:
    assert "UCB1" in json.dumps(parsed(play(shell, "--agent", "UCB1", "--json").out))


@effect_of("leaderboard show SUITE", "leaderboard show --store", "leaderboard show --json")
def _(shell: Shell) -> None:
    play(shell, "--agent", "UCB1", "--store", "elsewhere")
    given = ("small.toml", "--store", "elsewhere", "--json")
    assert "UCB1" in json.dumps(parsed(shell.played("leaderboard", "show", *given).out))


@effect_of(
    "leaderboard pairs SUITE",
    "leaderboard pairs --against",
    "leaderboard pairs --store",
    "leaderboard pairs --alpha",
    "leaderboard pairs --out",
)
def _(shell: Shell) -> None:
    wide = "UCB1(scale='theory')"
    play(shell, "--agent", wide, "--agent", "KLUCB", "--store", "elsewhere")
    given = ("leaderboard", "pairs", "small.toml", "--store", "elsewhere")
    limits = []
    for alpha in ("0.05", "0.5"):
        out = shell.played(*given, "--against", wide, "--alpha", alpha).out
        (line,) = (line for line in out.splitlines() if "KLUCB" in line)
        limits.append([float(cell) for cell in line.split("|")[6:8]])
    assert limits[0][0] < limits[1][0] < limits[1][1] < limits[0][1]
    shell.played(*given, "--against", "KLUCB", "--out", "pairs.csv")
    assert "UCB1" in written("pairs.csv")


def logged(shell: Shell, **columns: Any) -> None:
    """Write a log of three arms that were played uniformly, the last one best: ``log.csv``."""
    rng = np.random.default_rng(0)
    arms = rng.integers(3, size=2000)
    rewards = (rng.random(2000) < 0.2 + 0.3 * (arms == 2)).astype(float)
    table = {"action": arms, "reward": rewards, "propensity": 1 / 3} | columns
    pd.DataFrame({k: v for k, v in table.items() if v is not None}).to_csv("log.csv", index=False)


def evaluated(shell: Shell, *given: str) -> Any:
    """The first policy of ``banditgym evaluate log.csv``, as JSON."""
    return parsed(shell.played("evaluate", "log.csv", *given, "--json").out)


@effect_of("evaluate LOG", "evaluate --policy", "evaluate --json", "evaluate --estimator")
def _(shell: Shell) -> None:
    logged(shell)
    found = evaluated(shell, "--policy", "UniformRandom", "--estimator", "sndr")
    assert "sndr" in json.dumps(found)
    assert "UniformRandom" in json.dumps(found)


@effect_of("evaluate --columns", "evaluate --n-arms", "evaluate --train")
def _(shell: Shell) -> None:
    logged(shell, action=None, shown=np.arange(2000) % 3)
    given = ("--policy", "UniformRandom", "--columns", "action=shown")
    whole, few = (evaluated(shell, *given, "--train", train) for train in ("0.5", "0.9"))
    assert whole != few
    assert evaluated(shell, *given, "--n-arms", "5") != whole


@effect_of("evaluate --clip", "evaluate --interval", "evaluate --level")
def _(shell: Shell) -> None:
    logged(shell)
    given = ("--policy", "UniformRandom", "--estimator", "ips")
    plain = evaluated(shell, *given)
    for more in (("--clip", "0.5"), ("--interval", "bootstrap"), ("--level", "0.5")):
        assert evaluated(shell, *given, *more) != plain


@effect_of("evaluate --estimate-propensities")
def _(shell: Shell) -> None:
    logged(shell, propensity=None)
    given = ("evaluate", "log.csv", "--policy", "UniformRandom")
    assert shell(*given).code == 2
    shell.played(*given, "--estimate-propensities")


@effect_of("evaluate --adaptive")
def _(shell: Shell) -> None:
    logged(shell)
    given = ("--policy", "UniformRandom", "--estimator", "dr")
    assert evaluated(shell, *given, "--adaptive") != evaluated(shell, *given)


@effect_of("leaderboard report SUITE", "leaderboard report --store", "leaderboard report --out")
def _(shell: Shell) -> None:
    play(shell, "--agent", "UCB1", "--store", "elsewhere")
    given = ("small.toml", "--store", "elsewhere", "--out", "page")
    shell.played("leaderboard", "report", *given)
    assert "UCB1" in written("page/leaderboard.md")


def check_drawing(shell: Shell, *given: str) -> None:
    """The options of pictures change the curves that a command draws of UCB1."""
    figures = []
    shell.patch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    shell.played(*given, "--x-scale", "log", "--label", "UCB1=ours")
    first = figures[-1].axes[0]
    shell.played(*given, "--y-scale", "log", "--colour", "UCB1=#123456")
    second = figures[-1].axes[0]
    assert (first.get_xscale(), first.get_yscale()) == ("log", "linear")
    assert (second.get_xscale(), second.get_yscale()) == ("linear", "log")
    assert "ours" in [text.get_text() for text in first.texts]
    assert "#123456" in [text.get_color() for text in second.texts]


@effect_of(*(f"leaderboard report --{name}" for name in ("x-scale", "y-scale", "label", "colour")))
def _(shell: Shell) -> None:
    play(shell, "--agent", "UCB1")
    check_drawing(shell, "leaderboard", "report", "small.toml", "--out", "page")


@effect_of("leaderboard report --picture")
def _(shell: Shell) -> None:
    play(shell, "--agent", "UCB1")
    shell.played("leaderboard", "report", "small.toml", "--out", "page", "--picture", "svg")
    assert "<svg" in written("page/curves.svg")


def suite_of_others(shell: Shell) -> None:
    """Make the small suite one whose environment is code of a file."""
    source = "from banditgym.envs.armed import ArmedBandit\nclass Mine(ArmedBandit): pass\n"
    (shell.folder / "mine.py").write_text(source)
    (shell.folder / "small.toml").write_text(SUITE.replace("ArmedBandit-v0", "mine.py:Mine"))


@effect_of("leaderboard run --trust")
def _(shell: Shell) -> None:
    suite_of_others(shell)
    play(shell, "--agent", "UCB1", "--trust")


@effect_of("leaderboard show --trust")
def _(shell: Shell) -> None:
    suite_of_others(shell)
    play(shell, "--agent", "UCB1", "--trust")
    assert "UCB1" in shell.played("leaderboard", "show", "small.toml", "--trust").out


@effect_of("leaderboard report --trust")
def _(shell: Shell) -> None:
    suite_of_others(shell)
    play(shell, "--agent", "UCB1", "--trust")
    shell.played("leaderboard", "report", "small.toml", "--trust")


@effect_of("leaderboard baselines --trust")
def _(shell: Shell) -> None:
    suite_of_others(shell)
    shell.patch.setattr(execution, "Processes", lambda workers: Here())
    shell.played("leaderboard", "baselines", "small.toml", "--trust")


@effect_of("leaderboard baselines SUITE", "leaderboard baselines --workers")
def _(shell: Shell) -> None:
    workers, real = [], baselines.played_baselines

    def played(suite: Any, **given: Any) -> Any:
        workers.append(given["execution"].workers)
        return real(suite, **{**given, "execution": IN_PROCESS})

    shell.patch.setattr(baselines, "played_baselines", played)
    Path("small.baselines.json").write_text('{"suite": "')  # what is damaged is written anew
    shell.played("leaderboard", "baselines", "small.toml", "--workers", "2")
    assert workers == [2]
    assert json.loads(Path("small.baselines.json").read_text())["tasks"]


@effect_of("leaderboard baselines --yes")
def _(shell: Shell) -> None:
    shell.patch.setattr(execution, "Processes", lambda workers: Here())
    shell.patch.setattr(sizes, "of_baselines", lambda *_: 7200.0)
    shell.played("leaderboard", "baselines", "small.toml", "--yes")


# compare


def compared(shell: Shell, *arguments: str) -> Done:
    """UCB1 and uniform play on a small environment."""
    given = ("UCB1", "UniformRandom", "--on", "ArmedBandit-v0", "--set", "means=[0.2, 0.9]")
    return shell.played("compare", *given, "--horizon", "30", *arguments)


@effect_of("compare AGENTS", "compare --on", "compare --set", "compare --horizon")
def _(shell: Shell) -> None:
    done = compared(shell)
    assert "ArmedBandit-v0(means=[0.2, 0.9], horizon=30), 1 task" in done.out
    assert "UCB1 – UniformRandom" in done.out
    assert "UCB1 is better after" in done.out
    assert done.err.startswith("uniform play has a mean regret of 10")  # half of 30 lose 0.7


@effect_of("compare --seeds", "compare --json", "compare --store")
def _(shell: Shell) -> None:
    found = parsed(compared(shell, "--seeds", "7", "--json", "--store", "elsewhere").out)
    assert found["pairs"][0]["seeds"] == 7
    assert ("UCB1", 6) in rows("elsewhere")
    assert ("UCB1", 7) not in rows("elsewhere")


@effect_of("compare --per-task", "compare --against", "compare --alpha", "compare --out")
def _(shell: Shell) -> None:
    given = ("compare", "UCB1", "KLUCB", "UniformRandom", "--on", "small.toml", "--seeds", "8")
    limits = []
    for alpha in ("0.05", "0.5"):
        out = shell.played(*given, "--per-task", "--against", "KLUCB", "--alpha", alpha).out
        assert "| one | KLUCB |" not in out
        (line,) = (line for line in out.splitlines() if "UniformRandom" in line)
        limits.append([float(cell) for cell in line.split("|")[6:8]])
    assert limits[0][0] < limits[1][0] < limits[1][1] < limits[0][1]
    shell.played(*given, "--per-task", "--out", "table.tex")
    assert "KLUCB" in written("table.tex")
    assert "UCB1 &" not in written("table.tex").replace("KLUCB", "")


@effect_of("compare --until-decided", "compare --margin")
def _(shell: Shell) -> None:
    given = ("UCB1", "UCB1", "--on", "ArmedBandit-v0", "--horizon", "9", "--json")
    done = shell.played("compare", *given, "--until-decided", "--margin", "0.5")
    found = parsed(done.out)
    assert found["rule"]["until_decided"]
    assert found["pairs"][0]["verdict"] == "equivalent"
    assert found["pairs"][0]["seeds"] == 18


@effect_of("compare --budget")
def _(shell: Shell) -> None:
    given = ("UCB1", "KLUCB", "--on", "ArmedBandit-v0", "--horizon", "9", "--until-decided")
    done = shell.played("compare", *given, "--budget", "11")
    assert "undecided after 11 seeds" in done.out


@effect_of("compare --workers")
def _(shell: Shell) -> None:

    seen = []
    real = sequential_play.run

    def run(*suite_and_specs: Any, **given: Any) -> Plan:
        seen.append(given["execution"].workers)
        return real(*suite_and_specs, **{**given, "execution": IN_PROCESS})

    for module in (baselines, sequential_play):
        shell.patch.setattr(module, "run", run)
    compared(shell, "--seeds", "2", "--workers", "3")
    assert set(seen) == {3}


@effect_of("compare --trust")
def _(shell: Shell) -> None:
    suite_of_others(shell)
    given = ("UCB1", "UniformRandom", "--on", "small.toml", "--seeds", "2")
    assert "small, 1 task" in shell.played("compare", *given, "--trust").out


@effect_of("compare --yes")
def _(shell: Shell) -> None:
    from leaderboards.comparison.contest import Contest

    shell.patch.setattr(Contest, "seconds", lambda self, n: 7200.0 * n)
    compared(shell, "--seeds", "1", "--yes", "--workers", "1")


# tune


def tuned(shell: Shell, *arguments: str) -> tuple[Done, dict[str, Any]]:
    """A study of few seeds in this process, and what the search was asked for."""
    from leaderboards.tuning import tune

    seen: dict[str, Any] = {}
    real = tune.tune

    def search(tasks: Any, specs: Any, folder: Path, **given: Any) -> Any:
        assert (tasks.suite.name, specs) == ("small", [_STUDY[0]])
        seen.update(given, folder=folder)
        return real(tasks, specs, folder, **{**given, "execution": IN_PROCESS})

    shell.patch.setattr(tune, "tune", search)
    shell.patch.setattr(tune, "SEEDS", 4)
    shell.patch.setattr(tune, "FURTHER", 4)
    return shell("tune", *arguments), seen


_STUDY = ("UCB1(noise_std=2.0)", "small.toml")


@effect_of("tune NAMES", "tune --family", "tune --trials", "tune --store")
@effect_of("tune --workers", "tune --json")
def _(shell: Shell) -> None:
    more = ("--trials", "2", "--workers", "3", "--store", "mine", "--json", "--family", "armed")
    done, seen = tuned(shell, *_STUDY, *more)
    assert done.code == 0, done.err
    (one,) = parsed(done.out)
    assert (one["agent"], one["family"]) == (_STUDY[0], "armed")
    assert (seen["family"], seen["trials"], seen["execution"].workers) == ("armed", 2, 3)
    assert seen["folder"] == Path("mine")
    assert Path("mine/settings.json").is_file()


@effect_of("tune --trust")
def _(shell: Shell) -> None:
    suite_of_others(shell)
    done, _ = tuned(shell, *_STUDY, "--trials", "1", "--trust")
    assert "UCB1(noise_std=2.0)" in done.out


@effect_of("tune --yes")
def _(shell: Shell) -> None:
    from leaderboards.tuning import tune

    shell.patch.setattr(tune, "seconds_of", lambda *_: 7200.0)
    done, _ = tuned(shell, *_STUDY, "--trials", "1", "--yes")
    assert "UCB1(noise_std=2.0)" in done.out


@effect_of("leaderboard show --tuned", "leaderboard report --tuned")
def _(shell: Shell) -> None:
    play(shell, "--agent", "UCB1(noise_std=2.0)")
    tuned(shell, *_STUDY, "--trials", "2", "--store", "mine")
    assert "with tuned settings" in shell.played(
        "leaderboard", "show", "small.toml", "--tuned", "mine"
    ).out  # fmt: skip
    shell.played("leaderboard", "report", "small.toml", "--tuned", "mine", "--out", "report")
    assert "## Tuned" in written("report/leaderboard.md")


# choose


def chosen(shell: Shell, *arguments: str, agent: str = "Banditron") -> Done:
    """Rows of three classes, by one agent alone."""
    from leaderboards.tuning import tune

    shell.patch.setattr(tune, "SEEDS", 2)
    shell.patch.setattr(tune, "FURTHER", 2)
    lines = [f"{i % 7},{i % 5},{i % 3},{i % 4}" for i in range(60)]
    (shell.folder / "rows.csv").write_text("\n".join(["x,z,label,other", *lines]))
    given = ("choose", "rows.csv", "--target", "label", "--agent", agent, "--json")
    done = shell(*given, *arguments)
    assert done.code == 0, done.err
    return done


@effect_of("choose DATA", "choose --target", "choose --agent", "choose --json", "choose --store")
@effect_of("choose --seeds", "choose --trials", "choose --horizon")
def _(shell: Shell) -> None:
    more = ("--seeds", "3", "--trials", "1", "--horizon", "20", "--store", "mine")
    found = parsed(chosen(shell, "--workers", "1", *more).out)
    assert (found["data"], found["target"]) == ("rows.csv", "label")
    assert {line["agent"] for line in found["agents"]} == {
        "Banditron",
        "UniformRandom",
        "BestFixedAction",
    }
    assert (found["seeds"], found["rounds"]) == (3, 20)
    assert any("one trial is the defaults" in line for line in found["said"])
    assert Path("mine").is_dir()


@effect_of("choose --as")
def _(shell: Shell) -> None:
    # Of whole numbers with few values, which are classes otherwise.
    given = ("--seeds", "2", "--trials", "1", "--workers", "1", "--as", "number")
    assert parsed(chosen(shell, *given, agent="GPUCB").out)["environment"] == "KernelBandit-v0"


@effect_of("choose --predict", "choose --save")
def _(shell: Shell) -> None:
    lines = [f"{i % 7},{2 * (i % 7) + 1}" for i in range(60)]
    (shell.folder / "own.csv").write_text("\n".join(["x,price", *lines]))
    given = ("own.csv", "--target", "price", "--agent", "OnlineRidge", "--seeds", "3")
    more = ("--trials", "1", "--workers", "1", "--json", "--predict", "--save", "saved")
    done = shell("choose", *given, *more)
    assert done.code == 0, done.err
    assert parsed(done.out)["environment"] == "OnlineRegression-v0"
    assert '"target": "price"' in written("saved/choice.json")


@effect_of("choose --workers")
def _(shell: Shell) -> None:
    from leaderboards.choosing import choose

    seen = []
    real = choose.runner.run

    def run(*suite_and_specs: Any, **given: Any) -> Plan:
        seen.append(given["execution"].workers)
        return real(*suite_and_specs, **{**given, "execution": IN_PROCESS})

    shell.patch.setattr(choose.runner, "run", run)
    chosen(shell, "--seeds", "2", "--trials", "1", "--workers", "3")
    assert set(seen) == {3}


@effect_of("choose --yes")
def _(shell: Shell) -> None:
    from leaderboards.choosing.choose import Choosing

    shell.patch.setattr(Choosing, "seconds", 7200.0)
    chosen(shell, "--seeds", "2", "--trials", "1", "--workers", "1", "--yes")


# run


@effect_of("run --x-scale", "run --y-scale", "run --label", "run --colour")
def _(shell: Shell) -> None:
    given = ("ArmedBandit-v0", "--horizon", "40", "--seeds", "2", "--agent", "UCB1")
    check_drawing(shell, "run", *given)


@effect_of("run ENV", "run --agent", "run --set", "run --horizon", "run --seeds", "run --out")
@effect_of("run --json")
def _(shell: Shell) -> None:
    given = ("ArmedBandit-v0", "--set", "means=[0.5, 0.25]", "--horizon", "40", "--seeds", "2")
    given += ("--agent", "UniformRandom", "--out", "own.svg")
    table = shell.played("run", *given).out
    assert "ArmedBandit-v0(means=[0.5, 0.25], horizon=40), 40 rounds, 2 seeds" in table
    assert "<svg" in written("own.svg")
    [row] = parsed(shell.played("run", *given, "--json").out)
    # A round of uniform play loses a quarter every second time: 5 of 40 rounds.
    assert 2 < row["mean"] < 8


@effect_of("run --workers")
def _(shell: Shell) -> None:
    (shell.folder / "own.py").write_text(
        "import os, pathlib\nfrom agents import UCB1\nclass Tells(UCB1):\n    def _start(self):\n"
        "        pathlib.Path('pid').write_text(str(os.getpid()))\n        super()._start()\n"
    )
    given = ("ArmedBandit-v0", "--agent", "own.py:Tells", "--horizon", "20", "--seeds", "2")
    shell.played("run", *given, "--workers", "2")
    assert written("pid") != str(os.getpid())


@effect_of("run --threads")
def _(shell: Shell) -> None:
    seen, own = [], paired_play.play_warm
    shell.patch.setattr(
        paired_play, "play_warm", lambda *a, **k: seen.append(k["threads"]) or own(*a, **k)
    )
    shell.patch.setattr(sizes, "cpu_count", lambda: 4)
    given = ("ArmedBandit-v0", "--agent", "UCB1", "--horizon", "20", "--seeds", "2")
    shell.played("run", *given)
    shell.played("run", *given, "--threads", "3")
    assert seen == [4, 3]


@effect_of("run --log")
def _(shell: Shell) -> None:
    given = ("ArmedBandit-v0", "--agent", "UCB1", "--agent", "UniformRandom", "--horizon", "20")
    shell.played("run", *given, "--seeds", "2", "--log", "log.parquet")
    assert Path("log.parquet").exists()
    log = open_log("log.parquet")
    assert [play["agent"] for play in log.metadata["agents"]] == ["UCB1", "UniformRandom"]
    assert log.n_rows == 2 * 2 * 20


@effect_of("run --log-context")
def _(shell: Shell) -> None:
    given = ("LinearBandit-v0", "--agent", "UniformRandom", "--horizon", "20", "--seeds", "2")
    for context in ("played", "none"):
        path = f"{context}.parquet"
        shell.played("run", *given, "--log", path, "--log-context", context)
        assert open_log(path).context == context


@effect_of("run --yes")
def _(shell: Shell) -> None:
    shell.patch.setattr(sizes, "of_comparison", lambda *_: (7200.0, 0.0))
    given = ("ArmedBandit-v0", "--agent", "UCB1", "--horizon", "20", "--workers", "1")
    assert "UCB1" in shell.played("run", *given, "--yes").out


@effect_of("leaderboard run --yes")
def _(shell: Shell) -> None:
    shell.patch.setattr(sizes, "of_suite", lambda *_: 7200.0)
    assert "UCB1" in play(shell, "--agent", "UCB1", "--yes").out


# reproduce


def tiny_papers(shell: Shell) -> Any:
    """Two tiny papers that replace ours, run in this process."""
    import importlib.util

    from leaderboards import papers
    from leaderboards.papers import reproduce

    found = importlib.util.spec_from_file_location("tiny", Path(__file__).parent / "papers/tiny.py")
    assert found is not None
    assert found.loader is not None
    tiny = importlib.util.module_from_spec(found)
    found.loader.exec_module(tiny)
    both = {name: dataclasses.replace(tiny.PAPER, name=name) for name in ("tiny2030", "tiny2031")}
    shell.patch.setattr(papers, "NAMES", tuple(both))
    shell.patch.setattr(papers, "load", both.__getitem__)
    shell.patch.setattr(reproduce, "Processes", lambda workers: Here())
    return tiny


@effect_of(
    "reproduce PAPER", "reproduce --claim", "reproduce --full", "reproduce --set",
    "reproduce --out", "reproduce --json",
)  # fmt: skip
def _(shell: Shell) -> None:
    tiny = tiny_papers(shell)
    given = ("tiny2031", "--claim", "tenth", "--full", "--set", "horizon=20", "--out", "page")
    found = parsed(shell.played("reproduce", *given, "--json").out)
    claims = [(done["paper"], row["claim"]) for done in found for row in done["findings"]]
    assert claims == [("tiny2031", "tenth")]
    assert tiny.CALLS == [([0, 1, 2], 20), ([3, 4, 5], 20), ([6, 7, 8], 20)]  # 7 seeds if not full
    assert Path("page/tiny2031.md").exists()


@effect_of("reproduce --store", "reproduce --plan")
def _(shell: Shell) -> None:
    tiny = tiny_papers(shell)
    plan = ("reproduce", "tiny2031", "--store", "kept", "--plan")
    assert "tiny2031, quick form: 3 pieces, 0 finished" in shell.played(*plan).out
    assert tiny.CALLS == []
    shell.played("reproduce", "tiny2031", "--store", "kept")
    assert Path("kept").is_dir()
    assert "3 pieces, 3 finished" in shell.played(*plan).out


# list


@effect_of("list WHAT", "list --json")
def _(shell: Shell) -> None:
    assert "linear-v1" in shell.played("list", "suites").out
    rows = parsed(shell.played("list", "suites", "--json").out)
    assert "linear-v1" in {next(iter(row.values())) for row in rows}


@effect_of("list FAMILY", "list --cite")
def _(shell: Shell) -> None:
    listed = shell.played("list", "agents", "armed", "--cite").out
    assert "KLUCB" in listed
    assert "LinUCB" not in listed
    assert "Garivier" in listed


# show


@effect_of("show NAME", "show --json")
def _(shell: Shell) -> None:
    about = parsed(shell.played("show", "KLUCB", "--json").out)
    assert (about["kind"], about["name"]) == ("agent", "KLUCB")


@effect_of("show --trust")
def _(shell: Shell) -> None:
    suite_of_others(shell)
    assert "mine.py:Mine, 30 rounds" in shell.played("show", "small.toml", "--trust").out


# speed


def speeds(shell: Shell, *arguments: str) -> dict[str, Any]:
    """What is measured of two rows, of which a is measured by default."""
    from leaderboards.speed import measure
    from leaderboards.speed.benchmarks import SpeedRow

    rows = tuple(SpeedRow(name, "UCB1", "ArmedBandit-v0", {}, 2, 40) for name in ("a", "b"))
    shell.patch.setattr(measure, "ROWS", rows)
    shell.patch.setattr(measure, "BY_DEFAULT", ("a",))
    return parsed(shell.played("speed", *arguments, "--json").out)


@effect_of("speed ROWS", "speed --json")
def _(shell: Shell) -> None:
    assert [row["row"] for row in speeds(shell, "b")["rows"]] == ["b"]


@effect_of("speed --all")
def _(shell: Shell) -> None:
    assert [row["row"] for row in speeds(shell)["rows"]] == ["a"]
    assert [row["row"] for row in speeds(shell, "--all")["rows"]] == ["a", "b"]


# portability


@effect_of("portability --part", "portability --json")
def _(shell: Shell) -> None:
    from leaderboards.portability import corpus, published_hashes

    shell.patch.setattr(corpus, "groups", lambda: ["env/a", "play/b"])
    shell.patch.setattr(corpus, "entries", lambda group: {group: "1"})
    shell.patch.setattr(published_hashes, "known", lambda: {"env/a": "1", "play/b": "1"})
    assert parsed(shell.played("portability", "--json").out)["compared"] == 2
    assert parsed(shell.played("portability", "--part", "env/*", "--json").out)["compared"] == 1


# submit


def mine(shell: Shell) -> None:
    """A submission in the folder ``mine``, whose agent plays in this process."""
    from leaderboards.commands import submitting as command
    from leaderboards.submit import playing, starting

    starting.write(Path("mine"))

    def here(audit: bool = False) -> Confinement:
        return Confinement(isolation="process" if audit else "none", audit=audit)

    shell.patch.setattr(command, "_confinement", here)
    shell.patch.setattr(playing, "Processes", lambda workers: Here())


def asked_of(shell: Shell, module: Any, name: str, answer: Any) -> dict[str, Any]:
    """Put a function in the place of one of a module; what it was asked for."""
    asked: dict[str, Any] = {}

    def stand_in(*given: Any, **named: Any) -> Any:
        asked.update(named, given=given)
        return answer

    shell.patch.setattr(module, name, stand_in)
    return asked


def stored(task: str, seed: int) -> Row:
    return Row(
        suite="", task=task, agent="mine", spec="mine", hyperparameters={}, seed=seed, sources="",
        data={}, error=None, rounds=[1], measures={"regret": [0.0]}, seconds=None, bytes=None,
        facts=[], paper=None,
    )  # fmt: skip


@effect_of("submit new FOLDER")
def _(shell: Shell) -> None:
    shell.played("submit", "new", "mine")
    assert Path("mine/submission.toml").exists()


@effect_of("submit check FOLDER")
def _(shell: Shell) -> None:
    from leaderboards.submit import checking

    mine(shell)
    asked = asked_of(shell, checking, "check", [])
    shell.played("submit", "check", "mine")
    assert asked["given"][0].manifest.name == "mine"


@effect_of("submit run FOLDER", "submit run SUITE", "submit run --out", "submit run --workers")
def _(shell: Shell) -> None:
    from leaderboards.submit import scoring

    mine(shell)
    asked = asked_of(shell, scoring, "self_run", [])
    shell.played("submit", "run", "mine", "small.toml", "--out", "table.md", "--workers", "1")
    submission, suite = asked["given"]
    assert (submission.manifest.name, suite.name, asked["workers"]) == ("mine", "small", 1)
    assert written("table.md").startswith("## mine")


@effect_of("submit run --one-process-per-replicate")
def _(shell: Shell) -> None:
    from leaderboards.submit import scoring

    mine(shell)
    asked = asked_of(shell, scoring, "self_run", [])
    done = shell.played("submit", "run", "mine", "small.toml", "--one-process-per-replicate")
    assert asked["confinement"].audit
    assert ".small.audit.jsonl.gz" in done.err


@effect_of("submit verify --one-process-per-replicate")
def _(shell: Shell) -> None:
    from leaderboards.submit.epochs import verification

    mine(shell)
    asked = asked_of(shell, verification, "verify", SimpleNamespace(id="first", reveals="soon"))
    given = ("--epoch", "first", "--secret", "secret", "--one-process-per-replicate")
    shell.played("submit", "verify", "mine", *given)
    assert asked["confinement"].audit


@effect_of("submit verify --limit")
def _(shell: Shell) -> None:
    from leaderboards.submit.epochs import verification

    mine(shell)
    asked = asked_of(shell, verification, "verify", SimpleNamespace(id="first", reveals="soon"))
    given = ("--epoch", "first", "--secret", "secret", "--limit", "12")
    shell.played("submit", "verify", "mine", *given)
    assert asked["confinement"].total == 12


@effect_of("submit replay FOLDER", "submit replay SUITE", "submit replay --task")
@effect_of("submit replay --seeds", "submit replay --workers")
def _(shell: Shell) -> None:
    from leaderboards.submit import published, replaying

    mine(shell)
    rows = [stored("one", seed) for seed in range(3)] + [stored("other", 0)]
    shell.patch.setattr(published, "published_rows", lambda *_: rows)
    asked = asked_of(shell, replaying, "replay", [])
    given = ("--task", "one", "--seeds", "2", "--workers", "1")
    shell.played("submit", "replay", "mine", "small.toml", *given)
    submission, suite, played = asked["given"]
    assert (submission.manifest.name, suite.name, asked["workers"]) == ("mine", "small", 1)
    assert played == rows[:2]


@effect_of("submit replay --epoch")
def _(shell: Shell) -> None:
    from leaderboards.submit import replaying
    from leaderboards.submit.catalogue import opened
    from leaderboards.submit.epochs import stages as holding
    from leaderboards.suites.suite import load

    mine(shell)
    own = dataclasses.replace(stored("one", 0), spec=opened("mine").spec)
    found = load("small.toml"), [own, stored("one", 1)]
    epoch = asked_of(shell, holding, "replayable", found)
    asked = asked_of(shell, replaying, "replay", [])
    shell.played("submit", "replay", "mine", "--epoch", "first")
    assert epoch["given"] == ("first",)
    assert asked["given"][1:] == (found[0], [own])


@effect_of("submit verify FOLDER", "submit verify --epoch", "submit verify --secret")
@effect_of("submit verify --store", "submit verify --workers")
def _(shell: Shell) -> None:
    from leaderboards.submit.epochs import verification

    mine(shell)
    asked = asked_of(shell, verification, "verify", SimpleNamespace(id="first", reveals="later"))
    given = ("--epoch", "first", "--secret", "s", "--store", "kept", "--workers", "1")
    shell.played("submit", "verify", "mine", *given)
    submission, *others = asked["given"]
    assert submission.manifest.name == "mine"
    assert (others, asked["workers"]) == (["first", Path("s"), Path("kept")], 1)


@effect_of("submit withdraw FOLDER", "submit withdraw --why")
def _(shell: Shell) -> None:
    mine(shell)
    shell.played("submit", "withdraw", "mine", "--why", "a fault")
    assert parsed(written("mine/ledger.jsonl"))["why"] == "a fault"


# task and judge


@effect_of("task export NAME", "task export FOLDER")
def _(shell: Shell) -> None:
    shell.played("task", "export", "coins", "mine")
    assert written("mine/README.md").startswith("# Write an agent for coins\n")


@effect_of("task secret NAME", "task secret FILE", "task secret --attempts")
def _(shell: Shell) -> None:
    shell.played("task", "secret", "coins", "own", "--attempts", "7")
    made = parsed(written("own.ledger.jsonl"))
    assert (made["task"], made["attempts"]) == ("coins", 7)
    assert "attempts must be in 1..1000" in shell("task", "secret", "x", "y", "--attempts", "0").err


JUDGED = {"score": 0.5, "faults": []}


@effect_of("judge FOLDER", "judge --secret", "judge --workers", "judge --isolation")
def _(shell: Shell) -> None:
    from leaderboards.submit.judge import judgement

    asked = asked_of(shell, judgement, "judge", JUDGED)
    given = ("--secret", "own", "--isolation", "process", "--workers", "3")
    assert parsed(shell.played("judge", "mine", *given).out) == JUDGED
    assert (asked["given"], asked["workers"]) == ((Path("mine"), Path("own")), 3)
    assert asked["confinement"] == Confinement(isolation="process")
    assert shell("judge", "mine", "--secret", "own", "--isolation", "none").code == 2


@effect_of("judge --task")
def _(shell: Shell) -> None:
    from leaderboards.submit.judge import judgement

    asked = asked_of(shell, judgement, "rehearse", JUDGED)
    shell.played("judge", "mine", "--task", "coins", "--isolation", "process")
    assert asked["given"] == (Path("mine"), "coins")


# epoch


@effect_of("epoch new NAME", "epoch new --secret", "epoch new --maintainer", "epoch new --closes")
@effect_of("epoch new --reveals", "epoch new --suite", "epoch new --draws")
@effect_of("epoch new --replicates", "epoch new --demonstration")
def _(shell: Shell) -> None:
    from leaderboards.submit.epochs import stages as holding

    asked = asked_of(shell, holding, "new", SimpleNamespace(id="first"))
    given = ("--secret", "s", "--maintainer", "M", "--closes", "2030-01-01", "--suite", "armed-v1")
    given += ("--reveals", "2030-01-02", "--draws", "3", "--replicates", "4", "--demonstration")
    shell.played("epoch", "new", "first.json", *given)
    assert asked.pop("given") == (Path("first.json"), Path("s"))
    asked.pop("committed")
    assert asked == {
        "suite": "armed-v1", "draws": 3, "replicates": 4, "maintainer": "M",
        "closes": date(2030, 1, 1), "reveals": date(2030, 1, 2), "demonstration": True,
    }  # fmt: skip


@effect_of("epoch open NAME", "epoch open --secret", "epoch open --store", "epoch open --workers")
@effect_of("epoch open --limit")
def _(shell: Shell) -> None:
    from leaderboards.submit.epochs import stages as holding

    asked = asked_of(shell, holding, "open_", 7)
    given = ("--secret", "s", "--store", "kept", "--workers", "3", "--limit", "9")
    shell.played("epoch", "open", "first", *given)
    assert asked["given"] == ("first", Path("s"), Path("kept"))
    assert (asked["workers"], asked["limit"]) == (3, 9.0)


@effect_of("epoch reveal NAME", "epoch reveal --secret", "epoch reveal --store")
def _(shell: Shell) -> None:
    from leaderboards.submit.epochs import stages as holding

    asked = asked_of(shell, holding, "reveal", [])
    shell.played("epoch", "reveal", "first", "--secret", "s", "--store", "kept")
    assert asked["given"] == ("first", Path("s"), Path("kept"))


@effect_of("epoch replay NAME", "epoch replay --agent", "epoch replay --workers")
def _(shell: Shell) -> None:
    from leaderboards.submit.epochs import stages

    asked = asked_of(shell, stages, "replay_ours", (3, []))
    done = shell.played("epoch", "replay", "first", "--agent", "UCB1", "--workers", "2")
    assert (asked["given"], asked["workers"]) == (("first", ["UCB1"]), 2)
    assert done.out == "3 of 3 rows are equal in every bit\n"


@effect_of("epoch attest NAME", "epoch attest --key", "epoch attest --signer")
@effect_of("epoch attest --workers")
def _(shell: Shell) -> None:
    from leaderboards.submit.epochs import stages

    asked = asked_of(shell, stages, "attest", (3, []))
    given = ("--key", "own", "--signer", "me", "--workers", "2")
    done = shell.played("epoch", "attest", "first.json", *given)
    assert (asked["given"], asked["workers"]) == (("first.json", Path("own"), "me"), 2)
    assert "wrote first.me.attested and its signature" in done.out


@effect_of("epoch check NAME")
def _(shell: Shell) -> None:
    from leaderboards.submit.epochs import auditing

    asked = asked_of(shell, auditing, "faults", [])
    shell.played("epoch", "check", "first")
    assert asked["given"] == ("first",)
