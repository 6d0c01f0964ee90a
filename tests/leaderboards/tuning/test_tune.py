"""Tuning as a whole: which studies there are, that it goes on, and what it scores where."""

import json
from dataclasses import replace
from itertools import chain

import pytest

from agents.naming import own_agents
from leaderboards.rank.board import build
from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS, Execution
from leaderboards.run.store.store import Store
from leaderboards.suites.seed_ranges import SCORING, TUNING
from leaderboards.tuning import tune as tuning
from leaderboards.tuning.study import journal, optuna
from leaderboards.tuning.tune import planned, ranked, read, rows_of, seconds_of, tune
from leaderboards.tuning.tuning_tasks import tuning_tasks

from .tunable import PLACE


@pytest.fixture
def run(tasks, tmp_path):
    """Tune in this process."""

    def call(specs, folder="tuned", **options):
        options = {"trials": 3, "execution": IN_PROCESS, **options}
        return tune(tasks, specs, tmp_path / folder, **options)

    return call


def test_every_ranked_agent_has_a_study_for_each_family_of_core_v2():
    tasks = tuning_tasks("core-v2")
    todo = planned(tasks, None, None)
    studies = {(one.entrant.about["agent"], one.family) for one in todo}
    assert ("LinUCB", "linear") in studies
    assert ("LinUCB", "news") in studies
    assert ("KernelUCB", "kernelized") in studies
    assert {agent for agent, _ in studies} == set(ranked(tasks.suite))
    assert not {"UniformRandom", "Perceptron", "UCB2", "PPO"} & set(ranked(tasks.suite))
    assert {spec.partition("(")[0] for spec in ranked(tasks.suite)} < set(own_agents())
    names = {one.entrant.about["agent"]: one.names for one in todo if one.family == "kernelized"}
    assert names["KernelUCB"] == ("smooth", "starvation", "rough", "changing-arms", "continuous")
    assert names["GPTS"] == ("smooth", "starvation", "rough")
    # One setting for all the tasks of a family, and so one study.
    assert len(studies) == len(todo)
    assert {one.family for one in planned(tasks, None, "news")} == {"news"}
    assert seconds_of(tasks, todo, 64) > 1.5 * seconds_of(tasks, todo, 32)


def test_one_agent_is_tuned_and_scored_on_the_suites_seeds_alone(run, tasks, tmp_path):
    (one,) = run(["UCB1(scale=5.0)"], trials=5)
    assert (one.family, one.tasks, one.trials) == ("armed", ("coins", "rare"), 5)
    assert one.setting  # so wide a bound is easily improved
    assert one.tuned == f"UCB1(scale={one.setting['scale']!r})"
    assert set(one.scores) == {"armed", "armed-rare"}
    assert one.gain[1] > 0
    assert one.space == {"scale": ["Log", 0.05, 5.0]}
    folder = tmp_path / "tuned"
    assert read(folder) == [one]
    rows = [row for row in rows_of(folder, tasks.suite) if row.spec != "UniformRandom"]
    assert {(row.spec, row.task, row.seed) for row in rows} == {
        (spec, task, seed)
        for spec in (one.spec, one.tuned)
        for task in ("coins", "rare")
        for seed in tasks.suite.seeds
    }
    seen = {seed for seed in range(10**6) if one.saw(seed)}
    assert seen == set(range(TUNING.start, TUNING.start + tuning.SEEDS + tuning.FURTHER))
    assert not seen & set(SCORING)


def test_a_stopped_tuning_goes_on_as_if_not(run, tasks, tmp_path, monkeypatch):
    specs = ["UCB1", "KLUCB", "LinUCB"]
    whole = run(specs, "whole")
    assert [(one.agent, one.family) for one in whole] == [
        ("UCB1", "armed"), ("KLUCB", "armed"), ("LinUCB", "linear"),
    ]  # fmt: skip
    run(["KLUCB"], "parts")
    run(specs[:2], "parts", family="armed")
    with monkeypatch.context() as patched:
        patched.setattr(runner, "run", lambda *a, **k: pytest.fail("stopped"))
        with pytest.raises(pytest.fail.Exception):
            run(specs, "parts")
    plays = []
    play = tuning.run
    monkeypatch.setattr(tuning, "run", lambda *a: plays.append(a) or play(*a))
    assert run(specs, "parts") == whole
    assert len(plays) == 3
    assert sorted(map(str, read(tmp_path / "parts"))) == sorted(map(str, whole))
    rows = [rows_of(tmp_path / name, tasks.suite) for name in ("whole", "parts")]
    measures = [{row.key: row.measures for row in own} for own in rows]
    assert measures[0] == measures[1] != {}


def test_worker_processes_find_the_same(run, tmp_path):
    specs = ["UCB1", "LinUCB"]
    assert run(specs, "many", execution=Execution(workers=2)) == run(specs, "here")


def test_all_agents_of_a_family_get_equal_budgets(run, tmp_path):
    found = run(["UCB1", "KLUCB", PLACE + "Fixed"], trials=2)
    assert len({(one.trials, one.seeds, one.further) for one in found}) == 1
    paths = list((tmp_path / "tuned").glob("*.journal"))
    assert len(paths) == len(found) == 3
    for path in paths:
        with journal(path) as storage:
            (study,) = optuna().get_all_study_summaries(storage)
        assert study.n_trials == 2


def test_baselines_are_played_once(run, tmp_path):
    def played():
        paths = sorted((tmp_path / "tuned" / "baselines").iterdir())
        return [
            [json.loads(line)["task"] for line in path.read_text().splitlines()] for path in paths
        ]

    run(["UCB1"], trials=1)
    assert set(chain(*played())) == {"coins", "rare"}
    run(["LinUCB"], trials=1)
    first, second = played()
    assert set(first) == {"coins", "rare"}
    assert set(second) == {"arms"}


@pytest.mark.parametrize(
    ("specs", "options", "message"),
    [
        (["UniformRandom"], {}, "nothing to tune: its class attribute search names no"),
        (["Perceptron"], {}, "Perceptron is a reference"),
        (["GPUCB"], {}, "GPUCB cannot play a task of tiny"),
        (["LinUCB"], {"family": "armed"}, "LinUCB cannot play the armed tasks of tiny"),
        (["UCB1"], {"family": "amred"}, "tiny has no family 'amred'; did you mean armed?"),
        (["UBC1"], {}, "did you mean UCB1?"),
        (["UCB1"], {"trials": 0}, "trials must be >= 1, got 0"),
    ],
)
def test_what_cannot_be_tuned_is_refused(run, tmp_path, specs, options, message):
    with pytest.raises(ValueError, match=message):
        run(specs, **options)
    assert not (tmp_path / "tuned").exists()


def test_a_folder_without_settings_is_refused(tmp_path):
    with pytest.raises(ValueError, match="has no tuned settings: banditgym tune writes them"):
        read(tmp_path)
    (tmp_path / tuning.SETTINGS).write_text("[{}]")
    with pytest.raises(ValueError, match=r"settings.json is not a file of tuned settings"):
        read(tmp_path)


def test_a_setting_can_be_kept_as_json(run):
    (one,) = run(["UCB1"], trials=2)
    assert type(one)(**json.loads(json.dumps(one.plain()))) == one
    with pytest.raises(ValueError, match="typo"):
        type(one)(**one.plain(), typo=1)
    kept = replace(one, gain=None)
    assert type(one)(**kept.plain()) == kept


def test_a_folder_stands_beside_a_store_if_its_sources_are_the_present_ones(run, tasks, tmp_path):
    specs = [f"UCB1(noise_std={width})" for width in (3.0, 4.0, 5.0, 6.0)]
    run(specs, trials=5)
    store = Store(tmp_path / "store")
    runner.run(tasks.suite, ["UniformRandom", *specs], store=store, execution=IN_PROCESS)
    rows = store.rows(tasks.suite.hash)
    board = build(tasks.suite, rows)
    shown = tuning.with_folder(board, rows, tmp_path / "tuned").tuned
    assert set(shown) == {"armed", "armed-rare"}
    assert {one.label for one in shown["armed"]} == {*specs, "UniformRandom"}
    folder = tmp_path / "tuned" / tuning.ROWS
    older = [replace(row, sources="earlier") for row in rows_of(folder.parent, tasks.suite)]
    for file in folder.glob("*.jsonl"):
        file.unlink()
    with Store(folder) as other:
        other.append(older)
    with pytest.raises(ValueError, match=r"tuned was tuned with other sources of .*, \.\.: run"):
        tuning.with_folder(board, rows, tmp_path / "tuned")
