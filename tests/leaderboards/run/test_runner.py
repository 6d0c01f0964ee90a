"""The runner: equal results with every executor, and a row for every error."""

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest
from loky.process_executor import BrokenProcessPool

from leaderboards.processes.watchdog import Watchdog, running
from leaderboards.processes.workers import Here, Processes
from leaderboards.run import execution, runner
from leaderboards.run import plan as planning
from leaderboards.run.cell_queue import play_cells
from leaderboards.run.execution import IN_PROCESS, Execution
from leaderboards.run.keys.sources import current
from leaderboards.run.store.store import Store
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import load

TOYS = f"{Path(__file__).parents[1] / 'toys.py'}:"
ARMED = """
[[task]]
name = "{name}"
env = "ArmedBandit-v0"
horizon = {horizon}
settings = {{ means = [0.2, 0.9] }}
"""
LINEAR = """
[[task]]
name = "linear"
env = "LinearBandit-v0"
horizon = 120
settings = { n_arms = 4, dim = 3 }
"""


@pytest.fixture
def suite(tmp_path):
    """Two small armed tasks and a linear one, six seeds."""
    text = 'title = "small"\nseeds = 6\n' + LINEAR
    text += ARMED.format(name="short", horizon=60) + ARMED.format(name="long", horizon=90)
    (tmp_path / "small.toml").write_text(text)
    return load(tmp_path / "small.toml")


@pytest.fixture
def armed(tmp_path):
    (tmp_path / "armed.toml").write_text(
        'title = "armed"\nseeds = 5\n' + ARMED.format(name="short", horizon=60)
    )
    return load(tmp_path / "armed.toml")


def results(store, suite):
    """Scores and curves of a store: what two runs must agree on, bit for bit."""
    return {
        (row.task, row.agent, row.seed): (row.error, row.rounds, row.measures)
        for row in store.rows(suite.hash)
    }


def toys(*names):
    return [TOYS + name for name in names]


class Kept(Processes):
    """A worker that outlives the runs that it serves: they do not wait for it to be born."""

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass


@pytest.fixture(scope="module")
def kept():
    """What gives the one worker of many tests. None of them may end it."""
    pool = Kept(1)
    yield lambda: pool
    Processes.shutdown(pool, cancel_futures=True)


def test_results_do_not_depend_on_workers_blocks_or_the_executor(suite, tmp_path, monkeypatch):
    agents = ["LinUCB", "UCB1", "BetaThompson"]
    here = Store(tmp_path / "here")
    runner.run(suite, agents, store=here, execution=IN_PROCESS)
    expected = results(here, suite)
    assert len(expected) == 6 + 2 * 2 * 6 + 4 + 3 * 6  # with the refusals and the baselines
    assert not any(error for key, (error, *_) in expected.items() if key[2] >= 0)

    for workers in (1, 2):
        store = Store(tmp_path / f"workers-{workers}")
        # A block of one seed each with two workers: other neighbours, another order.
        monkeypatch.setattr(planning, "CELL_SECONDS", 2.0 if workers == 1 else 1e-9)
        done = runner.run(suite, agents, store=store, execution=Execution(workers=workers))
        assert {len(cell.seeds) for cell in done.cells} == ({6} if workers == 1 else {1})
        assert results(store, suite) == expected

    store = Store(tmp_path / "threads of a cell")
    monkeypatch.setattr(planning, "CELL_SECONDS", 2.0)
    runner.run(suite, agents, store=store, execution=Execution(executor=Here, threads=3))
    assert results(store, suite) == expected

    def standard():
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    for name, executor in (("standard", standard), ("threads", lambda: ThreadPoolExecutor(1))):
        store = Store(tmp_path / name)
        done = runner.run(
            suite, agents[:1], store=store, execution=Execution(workers=1, executor=executor)
        )
        numbers = [cell.number for cell in done.baselines + done.cells]
        assert sorted(numbers) == list(range(len(numbers)))
        assert results(store, suite).items() <= expected.items()


def test_a_ranking_is_told_of_as_soon_as_its_rows_are_there(suite, tmp_path):
    store, told, names = Store(tmp_path / "store"), [], ["LinUCB", "UCB1"]

    def ranked(name):
        rows = [row for row in store.rows(suite.hash) if row.agent in names and row.seed >= 0]
        told.append((name, sorted((row.task, row.seed) for row in rows)))

    played = {task: [(task, seed) for seed in range(6)] for task in ("linear", "long", "short")}
    for _ in range(2):  # the second time nothing is left to play
        runner.run(
            suite, names, store=store, execution=Execution(workers=1, executor=Here), ranked=ranked
        )
        assert told == [
            ("linear", played["linear"]),
            ("armed", [row for rows in played.values() for row in rows]),
        ]


@pytest.mark.parametrize(
    ("given", "at_once", "threads"),
    [
        ({}, 8, 4),  # two cells, eight cores
        ({"threads": 3}, 2, 3),
        ({"threads": 16}, 1, 16),
        ({"workers": 1}, 1, 1),
        ({"workers": 5}, 5, 2),
        ({"workers": 4, "threads": 1}, 4, 1),
        ({"executor": Here}, 8, 1),
    ],
)
def test_idle_cores_become_threads_each_with_the_limit(
    armed, tmp_path, monkeypatch, given, at_once, threads
):
    asked, submitted = [], []

    class Notes(Here):
        def submit(self, fn, /, *args, **kwargs):
            submitted.append(args[1:])
            return super().submit(fn, *args, **kwargs)

    own = runner.play_cells

    def noted(cells, fresh, n_slots, watchdog, progress, tell, n_threads):
        asked.append((len(cells), n_slots, n_threads, watchdog.limit))
        return own(cells, Notes, n_slots, watchdog, progress, tell, n_threads)

    monkeypatch.setattr(runner, "play_cells", noted)
    monkeypatch.setattr(execution, "cpu_count", lambda: 8)
    asks = Execution(limit=50.0, **given)
    runner.run(armed, ["UCB1"], store=Store(tmp_path / "store"), execution=asks)
    assert asked == [(2, at_once, threads, 50.0 * threads)]
    assert [one[2] for one in submitted] == [threads] * 2


def test_progress_is_the_share_of_the_work_that_is_done(suite, tmp_path):
    """Six seeds of uniform play and an agent on the two armed tasks, a round costing as much."""
    told = []
    runner.run(
        replace(suite, tasks=suite.tasks[1:]),
        ["UCB1"],
        store=Store(tmp_path / "store"),
        execution=replace(IN_PROCESS, workers=1),
        progress=lambda share, compiling, now: told.append((round(share, 9), now)),
    )
    rounds = {"short": 60, "long": 90}
    total, done, expected = 2 * 6 * sum(rounds.values()), 0, []
    cells = [("UniformRandom", "long"), ("UniformRandom", "short"), ("UCB1", "long")]
    for n, (agent, task) in enumerate([*cells, ("UCB1", "short")], start=1):
        done += 6 * rounds[task]
        now = f", now: {agent} on {task}" if n < 4 else ""
        expected.append((round(done / total, 9), f"{6 * n} of 24 done{now}"))
    assert list(dict.fromkeys(told)) == expected


@pytest.mark.parametrize("threads", [0, -1, float("nan")])
def test_a_cell_has_a_thread(armed, tmp_path, threads):
    with pytest.raises(ValueError, match="threads must be >= 1"):
        runner.run(
            armed, ["UCB1"], store=Store(tmp_path / "store"), execution=Execution(threads=threads)
        )


def test_a_row_says_all_that_a_board_needs(suite, tmp_path):
    store = Store(tmp_path / "store")
    runner.run(suite, ["LinUCB(alpha=0.5)", "LinUCB(alpha=.5)"], store=store, execution=IN_PROCESS)
    rows = [row for row in store.rows() if (row.task, row.agent[:6]) == ("linear", "LinUCB")]
    assert [row.seed for row in rows] == list(suite.seeds)  # one agent, however often named
    row = rows[0]
    assert (row.agent, row.spec) == ("LinUCB(alpha=0.5)", "LinUCB(alpha=0.5)")
    assert row.hyperparameters["alpha"] == 0.5
    assert row.rounds is not None
    assert row.rounds[-1] == 120
    assert row.measures is not None
    assert all(len(curve) == len(row.rounds) for curve in row.measures.values())
    assert {"regret", "reward"} <= row.measures.keys()
    assert row.seconds is not None
    assert all(0 <= s < 1e-2 for s in row.seconds)
    assert row.bytes is not None
    assert row.bytes >= 8 * (3 * 3 + 3)  # V^-1 and theta
    assert "Chu" in (row.paper or "")


def test_a_run_does_only_what_is_left(suite, tmp_path):
    store = Store(tmp_path / "store")
    first = runner.run(suite.first(2), ["UCB1"], store=store, execution=IN_PROCESS)
    assert (first.finished, sorted(len(cell.seeds) for cell in first.cells)) == (0, [2, 2])
    second = runner.run(suite, ["UCB1"], store=store, execution=IN_PROCESS)
    assert (second.finished, {cell.seeds for cell in second.cells}) == (4, {(2, 3, 4, 5)})
    third = runner.run(suite, ["UCB1"], store=store, execution=IN_PROCESS)
    assert (third.finished, third.cells, third.refusals) == (12, [], [])


def test_what_is_finished_needs_no_store_that_can_be_written(suite, tmp_path, monkeypatch):
    store = Store(tmp_path / "store")
    runner.run(suite, ["UCB1"], store=store, execution=IN_PROCESS)
    opened = os.open

    def read_only(path, flags, *mode, **more):
        if flags & (os.O_WRONLY | os.O_RDWR) and Path(path).is_relative_to(store.folder):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return opened(path, flags, *mode, **more)

    monkeypatch.setattr(os, "open", read_only)
    done = runner.run(suite, ["UCB1"], store=Store(store.folder), execution=IN_PROCESS)
    assert (done.cells, done.finished > 0) == ([], True)
    with pytest.raises(OSError, match="cannot be written: Read-only file system"):
        runner.run(suite, ["KLUCB"], store=Store(store.folder), execution=IN_PROCESS)


def test_baselines_are_played_first_where_the_suite_brings_none(suite, tmp_path):
    store = Store(tmp_path / "store")
    with_reference = replace(suite.tasks[1], measure="reward", reference="UCB1(noise_std=0.5)")
    suite = replace(suite, tasks=(suite.tasks[0], with_reference))
    done = runner.run(
        suite, ["LinUCB", "KLUCB"], store=store, execution=Execution(executor=Here, workers=1)
    )
    first = {(cell.task.name, cell.blank.spec, cell.seeds) for cell in done.baselines}
    assert first == {
        ("linear", "UniformRandom", suite.seeds),
        ("short", "UniformRandom", suite.seeds),
        ("short", "UCB1(noise_std=0.5)", suite.seeds),
    }
    file = next(store.folder.iterdir()).read_text().splitlines()
    played = [json.loads(line) for line in file]
    order = [row["agent"] for row in played if not row["refused"]]
    assert set(order[:18]) == {"UniformRandom", "UCB1(noise_std=0.5)"}
    assert set(order[18:]) == {"LinUCB", "KLUCB"}
    # Then they are there, also where they are asked for by name.
    again = runner.run(suite, ["UniformRandom", "KLUCB"], store=store, execution=IN_PROCESS)
    assert (again.baselines, again.cells, again.finished) == ([], [], 6 * 3)
    # What the suite brings is not played.
    baselines = {
        "linear": Baselines(dict.fromkeys(range(4), 1.0)),
        "short": Baselines(dict.fromkeys(range(6), 1.0)),
    }
    partly = planning.plan(
        replace(suite, baselines=baselines), ["LinUCB"], Store(tmp_path / "other")
    )
    assert {(cell.blank.spec, cell.seeds) for cell in partly.baselines} == {
        ("UniformRandom", (4, 5)), ("UCB1(noise_std=0.5)", suite.seeds),
    }  # fmt: skip
    # Named agents that are baselines too are played once, and whoever plays nothing needs none.
    named = planning.plan(suite, ["UniformRandom"], Store(tmp_path / "other"))
    assert {cell.blank.spec for cell in named.baselines} >= {"UniformRandom"}
    assert named.cells == []
    assert planning.plan(suite, ["OnlineRidge"], Store(tmp_path / "other")).baselines == []


def test_a_reference_that_cannot_play_is_told_of_before_any_work(suite, tmp_path):
    for reference, message in (
        ("LinUCB", "LinUCB cannot play it: it plays linear"),
        ("UCB3", "UCB3: unknown agent 'UCB3'"),
    ):
        wrong = replace(suite.tasks[1], measure="reward", reference=reference)
        with pytest.raises(ValueError, match=f"small, task 'short': reference {message}"):
            runner.run(replace(suite, tasks=(wrong,)), ["UCB1"], store=Store(tmp_path / "a"))


def test_by_default_every_agent_plays_what_it_accepts(suite, tmp_path):
    done = planning.plan(suite, None, Store(tmp_path))
    played = {(cell.task.name, cell.blank.agent) for cell in done.baselines + done.cells}
    assert ("linear", "OFUL") in played
    assert ("short", "KLUCB") in played
    assert {task for task, agent in played if agent == "UniformRandom"} == {
        "linear", "short", "long",
    }  # fmt: skip
    assert {row.agent for row in done.refusals} == {"PhasedElimination"}  # it needs fixed arms
    references = {(c.task.name, c.blank.agent) for c in done.cells if c.blank.full_information}
    assert references == {("short", "BestFixedAction"), ("long", "BestFixedAction")}
    asked = planning.plan(suite, ["OFUL"], Store(tmp_path))
    assert {row.task for row in asked.refusals} == {"short", "long"}
    assert all(row.refused and row.seed == -1 and row.error for row in asked.refusals)


def test_by_default_references_play_too(tmp_path):
    text = 'title = "labels"\nseeds = 2\n[[task]]\nname = "wine"\nhorizon = 178\n'
    text += 'env = "MulticlassBandit-v0"\nsettings = { data = "wine" }\n'
    (tmp_path / "labels.toml").write_text(text)
    done = planning.plan(load(tmp_path / "labels.toml"), None, Store(tmp_path / "store"))
    rows = [cell.blank for cell in done.cells]
    assert [row.agent for row in rows if row.full_information] == [
        "Perceptron",
        "BestFixedAction",
    ]
    assert "Banditron" in {row.agent for row in rows}


# CPU seconds for what never ends: a cell of the toys that do end uses a few hundredths of one.
SOON = 1.0


@pytest.mark.processes
def test_whatever_goes_wrong_is_a_row(armed, tmp_path):
    store = Store(tmp_path / "store")
    wrong = {
        "Raises": "RuntimeError: no idea (toys.py:",
        "RaisesOnThree": "RuntimeError: three (toys.py:",
        "NotANumber": "ValueError: expected 1 arms",
        "OutOfRange": "ValueError: arm -1 of replicate 0",
        "Leaves": "SystemExit: 3 (toys.py:",
        "Interrupts": "KeyboardInterrupt: me (toys.py:",
        "Interrupts(kind='GeneratorExit')": "GeneratorExit: me (toys.py:",
        "Interrupts(kind='Own')": "Own: me (toys.py:",
        "Cheats": "a regret -49.3: no round",
        "Exits": "its process died (EXIT(0))",
        "Crashes": "its process died (SIGSEGV(-11))",
        "Hangs": "still running after 1 s of CPU time: killed",
        "Refuses": "it does not want to",
    }
    lost = {"Exits", "Crashes", "Hangs"}
    runner.run(armed, toys("Good", *wrong), store=store, execution=Execution(workers=2, limit=SOON))
    found = results(store, armed)
    for name, reason in wrong.items():
        seeds = {"RaisesOnThree": [3], "Refuses": [-1]}.get(name, armed.seeds)
        for seed in seeds:
            error, rounds, measures = found["short", name, seed]
            if name in lost and seed > 0:
                reason = f"not played: given up on this task after seed 0: {wrong[name]}"
            assert (error or "").startswith(reason)
            assert "\n" not in (error or "")
            assert str(Path(TOYS).parent) not in (error or "")
            assert rounds is measures is None
    fine = [("short", "Good", seed) for seed in armed.seeds]
    fine += [("short", "RaisesOnThree", seed) for seed in (0, 1, 2, 4)]
    assert all(found[key][0] is None for key in fine)
    assert len(found) == len(fine) + 11 * 5 + 1 + 1 + 5  # and the baselines
    assert [p.name for p in store.folder.iterdir() if p.suffix != ".jsonl"] == []

    # The second failure is final.
    again = toys("Raises", "Refuses", "Good")
    assert [
        len(c.seeds) for c in runner.run(armed, again, store=store, execution=IN_PROCESS).cells
    ] == [5]
    third = runner.run(armed, again, store=store, execution=IN_PROCESS)
    assert (third.cells, third.failed) == ([], 5)


@pytest.mark.processes
def test_nothing_that_an_agent_changes_touches_another(suite, tmp_path, kept):
    """Neither a rival's class nor a library, in the worker that both are played by."""
    for place, others in (("alone", []), ("beside", toys("Patches"))):
        store = Store(tmp_path / place)
        agents = [*others, "UCB1", TOYS + "Good", "LinUCB"]
        runner.run(suite, agents, store=store, execution=Execution(workers=1, executor=kept))
        rows = {(row.task, row.agent): row.error for row in store.rows() if row.seed >= 0}
        assert all(error is None for (_, agent), error in rows.items() if agent != "Patches")
    alone, beside = (results(Store(tmp_path / place), suite) for place in ("alone", "beside"))
    assert alone.items() <= beside.items()
    assert beside.keys() - alone.keys() == {
        (task, "Patches", seed) for task in ("short", "long") for seed in suite.seeds
    } | {("linear", "Patches", -1)}  # fmt: skip


@pytest.mark.processes
def test_others_code_never_runs_in_the_process_that_keeps_the_results(armed, tmp_path, kept):
    mark = tmp_path / "ran-in"
    mark.mkdir()
    file = tmp_path / "mine.py"
    traces = f"import os, pathlib\npathlib.Path({str(mark)!r}, str(os.getpid())).touch()\n"
    file.write_text(traces + Path(TOYS[:-1]).read_text())
    store = Store(tmp_path / "store")
    runner.run(armed, [f"{file}:Good"], store=store, execution=Execution(workers=1, executor=kept))
    assert len([row for row in store.rows() if row.agent == "Good" and row.error is None]) == 5
    pids = {int(path.name) for path in mark.iterdir()}
    assert len(pids) == 2  # one to say what it is, one to play
    assert os.getpid() not in pids
    current(armed, store.rows(armed.hash))
    assert len(list(mark.iterdir())) == 2


def test_what_others_code_says_of_itself_is_an_error_of_one_line(armed, tmp_path):
    file = tmp_path / "mine.py"
    for text, agent, message in (
        ("raise KeyboardInterrupt", "Mine", r"mine.py:Mine: KeyboardInterrupt \(mine.py:1\)$"),
        ("raise GeneratorExit", "Mine", r"does not run: GeneratorExit: +\(mine.py:1\)$"),
        ("import os; os._exit(3)", "Mine", r"mine.py:Mine: its process died \(EXIT\(3\)\)"),
        ("x = 1", "Mine", "has no agent 'Mine'"),
        (Path(TOYS[:-1]).read_text(), "Forges", r"mine.py:Forges: KeyError: 'who asks' \(mine.py:"),
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=message) as caught:
            runner.run(armed, [f"{file}:{agent}"], store=Store(tmp_path / "a"))
        assert "\n" not in str(caught.value)


@pytest.mark.processes
def test_the_whole_error_is_told_once(armed, tmp_path, kept):
    for name, executor in (("apart", kept), ("here", Here)):
        told = []
        store = Store(tmp_path / name)
        runner.run(
            armed,
            [TOYS + "Raises"],
            store=store,
            execution=Execution(executor=executor, workers=1),
            tell=told.append,
        )
        (text,) = told
        assert "Traceback (most recent call last)" in text
        assert f'{TOYS[:-1]}", line' in text
        assert text.endswith("RuntimeError: no\nidea\n")


def cells_of(suite, tasks, *specs):
    """Cells of some agents, all seeds of a task in a block."""
    cells = [
        cell
        for task in tasks
        for entrant in planning.entrants(specs)
        for cell in planning.cells_of(suite, task, entrant, suite.seeds)
    ]
    return [replace(cell, number=i) for i, cell in enumerate(cells)]


def play(cells, tmp_path, *, at_once, limit=60.0, pool=None):
    """What each of some cells came to, by agent and seed, in the order in which they ended."""
    (tmp_path / "marks").mkdir(exist_ok=True)
    watchdog = Watchdog(tmp_path / "marks", limit)
    ended = play_cells(cells, pool or (lambda: Processes(at_once)), at_once, watchdog)
    return {(row.task, row.agent, row.seed): row.error for rows in ended for row in rows}


@pytest.mark.processes
def test_after_the_first_seed_that_hangs_the_others_are_not_played(
    suite, tmp_path, monkeypatch, kept
):
    """Two blocks of an agent on a task: the limit is reached by a block and a seed, no more."""
    limits = []

    class Counting(Executor):
        def submit(self, fn, cell, *args):
            limits.append((cell.task.name, cell.blank.agent, cell.seeds))
            return kept().submit(fn, cell, *args)

    monkeypatch.setattr(planning, "CELL_SECONDS", 3 * planning.work(suite.tasks[1]))
    burns, good = TOYS + "Burns(on=1)", TOYS + "Good"
    cells = cells_of(suite, suite.tasks[1:2], burns, good)
    assert [cell.seeds for cell in cells] == [(0, 1, 2), (3, 4, 5)] * 2
    errors = play(cells, tmp_path, at_once=1, limit=SOON, pool=Counting)
    reason = "still running after 1 s of CPU time: killed"
    assert [errors["short", "Burns(on=1)", seed] for seed in range(6)] == [
        None, reason, *[f"not played: given up on this task after seed 1: {reason}"] * 4,
    ]  # fmt: skip
    assert all(errors["short", "Good", seed] is None for seed in range(6))
    assert [seeds for _, agent, seeds in limits if agent == "Burns(on=1)"] == [
        (0, 1, 2), (0,), (1,),
    ]  # fmt: skip


@pytest.mark.processes
def test_a_block_that_is_too_long_as_a_whole_is_played_seed_by_seed(armed, tmp_path, kept):
    """A slow agent that is honest: every seed alone keeps the limit."""
    agent = TOYS + "Spends(seconds=0.3)"  # a seed
    errors = play(cells_of(armed, armed.tasks, agent), tmp_path, at_once=1, limit=SOON, pool=kept)
    assert list(errors.values()) == [None] * 5


class Deadly(Processes):
    """Processes that end as they are given a cell of one agent."""

    def submit(self, fn, cell, *args):
        if cell.blank.agent == "UCB1":
            return super().submit(os._exit, 0)
        return super().submit(fn, cell, *args)


@pytest.mark.processes
def test_a_killed_worker_costs_its_neighbours_nothing(armed, tmp_path, monkeypatch):
    monkeypatch.setattr(planning, "CELL_SECONDS", 1e-9)  # a seed a cell
    cells = cells_of(armed.first(3), armed.tasks, "UCB1", TOYS + "Slow(seconds=0.4)")
    cells = [cells[i] for i in (0, 3, 1, 4, 2, 5)]  # each innocent one meets a guilty one
    errors = play(cells, tmp_path, at_once=2, pool=lambda: Deadly(2))
    assert len(errors) == 6
    for (_, agent, seed), error in errors.items():
        guilty = "its process died, twice (EXIT(0))"
        if agent == "UCB1" and seed > 0:
            guilty = f"not played: given up on this task after seed 0: {guilty}"
        assert error == (guilty if agent == "UCB1" else None)


class Stillborn(Processes):
    def submit(self, fn, *args):
        raise BrokenProcessPool("no room")


@pytest.mark.processes
def test_workers_that_cannot_be_started_end_the_run(armed, tmp_path):
    with pytest.raises(OSError, match="no worker can be started: .*no room"):
        play(cells_of(armed, armed.tasks, "UCB1"), tmp_path, at_once=1, pool=lambda: Stillborn(1))


@pytest.mark.processes
def test_our_own_agents_have_limits_too(armed, tmp_path):
    """They share workers, and the watchdog ends the worker of one that takes too long."""

    class Endless(Processes):
        def submit(self, fn, cell, *args):
            return super().submit(burn if cell.blank.agent == "UCB1" else fn, cell, *args)

    cells = cells_of(armed.first(2), armed.tasks, "UCB1", "KLUCB")
    errors = play(cells, tmp_path, at_once=2, limit=SOON, pool=lambda: Endless(2))
    reason = "still running after 1 s of CPU time: killed"
    assert errors == {
        ("short", "UCB1", 0): reason,
        ("short", "UCB1", 1): f"not played: given up on this task after seed 0: {reason}",
        ("short", "KLUCB", 0): None,
        ("short", "KLUCB", 1): None,
    }


def burn(cell, marks, *args):
    with running(marks, cell.name):
        while True:
            pass


def test_missing_data_is_a_row_of_every_agent(tmp_path):
    text = 'title = "t"\nseeds = 2\n' + LINEAR.replace("dim = 3", 'contexts = "nowhere.npy"')
    (tmp_path / "data.toml").write_text(text)
    suite = load(tmp_path / "data.toml")
    store = Store(tmp_path / "store")
    runner.run(suite, ["LinUCB", "UCB1"], store=store, execution=IN_PROCESS)
    rows = store.rows()
    assert len(rows) == 6  # nobody can tell yet that UCB1 would refuse; and the baselines
    assert all("no such file: nowhere.npy" in (row.error or "") for row in rows)


def test_errors_come_before_any_work(suite, tmp_path):
    with pytest.raises(ValueError, match=r"LinUBC.*LinUCB"):
        runner.run(suite, ["LinUBC"], store=Store(tmp_path / "a"))
    with pytest.raises(OSError, match="Not a directory"):
        runner.run(suite, ["LinUCB"], store=Store(tmp_path / "small.toml"))
    for wrong in ({"limit": 0.0}, {"limit": float("nan")}, {"workers": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            runner.run(suite, ["LinUCB"], store=Store(tmp_path / "a"), execution=Execution(**wrong))
    bad = (tmp_path / "small.toml").read_text().replace("n_arms = 4", "n_amrs = 4")
    (tmp_path / "bad.toml").write_text(bad)
    with pytest.raises(ValueError, match=r"bad, task 'linear': .*n_amrs"):
        runner.run(load(tmp_path / "bad.toml"), ["LinUCB"], store=Store(tmp_path / "a"))
    assert not (tmp_path / "a").exists()


def of_good(found):
    rows, outdated = found
    return [row for row in rows if row.agent == "Good"], outdated


def test_an_edited_agent_is_a_new_agent(armed, tmp_path):
    file = tmp_path / "mine.py"
    text = Path(TOYS[:-1]).read_text()
    store = Store(tmp_path / "store")
    for attempt in ("zeros", "ones"):
        file.write_text(
            text.replace("np.zeros(self.n, np.int64)", f"np.{attempt}(self.n, np.int64)")
        )
        assert runner.run(armed, [f"{file}:Good"], store=store, execution=IN_PROCESS).finished == 0
        rows, outdated = of_good(current(armed, store.rows(armed.hash)))
        assert (len(rows), outdated) == (5, [])
        regret = 0.7 * 60 if attempt == "zeros" else 0.0
        assert rows[0].measures is not None
        assert rows[0].measures["regret"][-1] == pytest.approx(regret)
    file.write_text(text.replace("np.int64", "int"))
    rows, outdated = of_good(current(armed, store.rows(armed.hash)))
    assert (len(rows), outdated) == (5, ["Good"])


def test_agents_of_one_name_are_told_apart(armed, tmp_path):
    (tmp_path / "mine.py").write_text(Path(TOYS[:-1]).read_text())
    store = Store(tmp_path / "store")
    specs = [TOYS + "Good", f"{tmp_path / 'mine.py'}:Good", "UCB1"]
    runner.run(armed, specs, store=store, execution=IN_PROCESS)
    rows, _ = current(armed, store.rows(armed.hash))
    assert sorted({row.agent for row in rows}) == sorted([*specs, "UniformRandom"])


# Runs that are interrupted from outside

# A process inherits that SIGINT is ignored, as it is under nohup or `pytest &` in a script.
COMMAND = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from leaderboards.cli import main; main()"
)
PATIENCE = 300.0  # seconds: a bound against hanging, on a machine however busy


@pytest.fixture
def leave(tmp_path):
    """The file without which no run of ``begin`` ends by itself, however late a signal comes."""
    return tmp_path / "leave"


@pytest.fixture
def begin(suite, tmp_path, leave):
    """Start ``banditgym leaderboard run`` on the small suite, in a process group of its own."""
    begun = []

    def begin(*options):
        arguments = [str(tmp_path / "small.toml"), "--store", str(tmp_path / "store")]
        slow = f"{TOYS}Slow(seconds=0.0, until={str(leave)!r})"
        arguments += ["--agent", "LinUCB", "--agent", slow, "--workers", "2", *options]
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "leaderboard", "run", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        begun.append(process)
        return process

    yield begin
    for process in begun:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def group(pgid):
    """The living processes of a group or session, zombies included."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if pgid in (int(fields[2]), int(fields[3])):
            found.append(int(stat.parent.name))
    return found


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()


def played(folder):
    """Number of results in a store that is being written."""
    return sum(path.read_bytes().count(b'"error": null') for path in folder.glob("*.jsonl"))


def by_name(results):
    """Results by the bare names of their agents."""
    return {
        (task, agent.partition("(")[0], seed): values
        for (task, agent, seed), values in results.items()
    }


@pytest.fixture
def uninterrupted(suite, tmp_path):
    store = Store(tmp_path / "calm")
    runner.run(suite, ["LinUCB", TOYS + "Slow(seconds=0.0)"], store=store, execution=IN_PROCESS)
    return by_name(results(store, suite))


def kill_parent(process):
    os.kill(process.pid, signal.SIGKILL)


def kill_group(process):
    os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "kills",
    [
        (kill_parent, kill_group),
        pytest.param((kill_group, kill_parent), marks=pytest.mark.nightly),
    ],
    ids=["parent-group", "group-parent"],
)
@pytest.mark.processes
def test_kill_9_and_start_again(begin, leave, suite, tmp_path, uninterrupted, kills):
    folder = tmp_path / "store"
    for n_results, kill in enumerate(kills):  # just begun, and with results
        process = begin()
        wait_for(lambda n=n_results: list(folder.glob("*.jsonl")) and played(folder) >= n)
        kill(process)
        process.wait()
        wait_for(lambda p=process: not group(p.pid))  # orphans end by themselves
    # A third process is killed in the middle of a write, as it were.
    newest = max(folder.glob("*.jsonl"))
    newest.write_bytes(newest.read_bytes() + b'{"suite": "')
    leave.touch()
    process = begin("--json")
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert json.loads(out)
    assert by_name(results(Store(folder), suite)) == uninterrupted
    assert [path.name for path in folder.iterdir() if path.suffix != ".jsonl"] == []


@pytest.mark.processes
def test_ctrl_c_leaves_a_usable_store(begin, leave, suite, tmp_path, uninterrupted):
    folder = tmp_path / "store"
    for n_results in (0, 1):  # just begun, and with results
        process = begin()
        wait_for(lambda n=n_results: list(folder.glob("*.jsonl")) and played(folder) >= n)
        time.sleep(0.3 * (n_results == 0))  # workers are being born
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to everybody
        _out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert "Traceback" not in err
        resume = err.strip().splitlines()[-1].strip()
        assert resume.startswith("banditgym leaderboard run ")
        assert str(folder) in resume
        wait_for(lambda p=process: not group(p.pid))
    leave.touch()
    process = begin()
    _out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert by_name(results(Store(folder), suite)) == uninterrupted


@pytest.mark.processes
def test_an_orphan_in_compiled_code_ends(tmp_path, begin, leave):
    leave.touch()
    sign = tmp_path / "signs"
    sign.mkdir()
    process = begin("--agent", f"{TOYS}Hangs(sign={str(sign)!r})")
    wait_for(lambda: len(list(sign.iterdir())) == 2)  # both workers
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    wait_for(lambda: not group(process.pid))
