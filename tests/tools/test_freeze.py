"""Published entries do not change, and new ones are added."""

import json
import sys
from dataclasses import replace

import pytest

import banditgym
from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.store.store import Store
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import available, load
from tools import freeze

SUITE = """title = "Coins"
seeds = 3
[[task]]
name = "coins"
env = "ArmedBandit-v0"
horizon = 20
"""


def test_published_suites_baselines_and_results_never_change():
    now, kept = (
        freeze.entries(freeze.FOLDER),
        freeze.read(freeze.FOLDER / freeze.PUBLISHED)["entries"],
    )
    changed = sorted(name for name in kept if now.get(name) != kept[name])
    assert not changed, "published things do not change"
    assert now.keys() == kept.keys(), "add what is new: python -m tools.freeze"
    for name in available():
        assert {f"suite {name}", f"rankings {name}", f"baselines {name}"} <= kept.keys()
        # Every suite has its baselines, of all its tasks.
        assert load(name).baselines.keys() == {task.name for task in load(name).tasks}
    assert {f"epoch demonstration.{end}" for end in ("json", "lock", "jsonl.gz")} <= kept.keys()


def test_the_defaults_of_an_id_are_frozen_and_it_may_gain_a_setting(monkeypatch):
    before = freeze.defaults()
    assert {name.split()[1] for name in before} == set(banditgym.ids())
    env = replace(freeze.ENVIRONMENTS["SynNonSep-v0"], settings={"label_noise": 0.1, "new": 1})
    monkeypatch.setitem(freeze.ENVIRONMENTS, "SynNonSep-v0", env)
    after = freeze.defaults()
    assert after.keys() - before.keys() == {"environment SynNonSep-v0 new"}
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {"environment SynNonSep-v0 label_noise"}


def test_the_files_of_an_epoch_are_frozen(place):
    command, _, folder = place
    (folder / "epochs").mkdir()
    (folder / "epochs/README.md").write_text("a page")
    (folder / "epochs/may.lock").write_text("numpy==2.0.0")
    assert "epoch may.lock" in command()["entries"]
    (folder / "epochs/README.md").write_text("a better page")
    (folder / "epochs/allowed_signers").write_text("me ssh-ed25519 AAAA")
    command()
    (folder / "epochs/may.lock").write_text("numpy==2.0.1")
    with pytest.raises(SystemExit, match=r"entries are not what they were: epoch may\.lock"):
        command()


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "coins.toml"
    path.write_text(SUITE)
    return load(path)


@pytest.fixture
def rows(suite, tmp_path):
    store = Store(tmp_path / "store")
    runner.run(suite, ["UCB1"], store=store, execution=IN_PROCESS)
    return store.rows(suite.hash)


def test_a_result_is_its_task_agent_seeds_rounds_and_measure(suite, rows):
    before = freeze.published(suite, rows)
    assert {name for name in before if "UCB1" in name} == {
        "result coins coins UCB1 regret", "result coins coins UCB1 reward",
        "result coins coins UCB1 optimal",
    }  # fmt: skip
    # In whatever order, and whatever else a row says.
    about = {
        "seconds": [1.0, 2.0], "bytes": 1, "sources": "x", "spec": "y", "paper": "z", "suite": "w",
        "facts": [], "hyperparameters": {"new": 1},
    }  # fmt: skip
    others = [replace(row, **about) for row in reversed(rows)]
    assert freeze.published(suite, others) == before
    more = [replace(row, measures={**row.measures, "new": row.measures["regret"]}) for row in rows]
    assert before.items() < freeze.published(suite, more).items()
    name = "result coins coins UCB1 regret"
    own = [row for row in rows if row.agent == "UCB1"]

    def value(rows):
        return freeze.published(suite, rows)[name]

    last = own[-1]
    assert value(own) == before[name]
    regret = last.measures["regret"]
    ulp = [*regret[:-1], regret[-1] * (1 + 2**-52)]
    for other in (
        replace(last, seed=7),
        replace(last, measures={"regret": ulp}),
        replace(last, rounds=[*last.rounds[:-1], 21]),
    ):
        assert value([*own[:-1], other]) != before[name]
    assert value(own[:-1]) != before[name]


@pytest.fixture
def place(tmp_path, monkeypatch, suite, rows):
    """A checkout with one suite and its results, and a way to run the command there."""
    (tmp_path / "results").mkdir()
    (tmp_path / "store").rename(tmp_path / "results/store")
    for file in (tmp_path / "results/store").iterdir():
        file.rename(tmp_path / "results" / file.name)
    for name in ("portability", "papers"):
        (tmp_path / name).mkdir()
    for file in (freeze.PUBLISHED, freeze.CORPUS):
        (tmp_path / file).write_text('{"entries": {}, "altered": []}')
    state = {
        "suite": replace(suite, baselines={"coins": Baselines({0: 0.5})}),
        "corpus": {"env/Coins-v0/default": "00"},
    }
    monkeypatch.setattr(freeze, "FOLDER", tmp_path)
    monkeypatch.setattr(freeze, "available", lambda: ["coins"])
    monkeypatch.setattr(freeze, "load", lambda name: state["suite"])
    monkeypatch.setattr(freeze, "played", lambda: state["corpus"])
    monkeypatch.setattr(freeze.registry, "write", lambda: None)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["freeze", *arguments])
        freeze.main()
        return json.loads((tmp_path / freeze.PUBLISHED).read_text())

    return command, state, tmp_path


def test_new_entries_are_added_and_old_ones_need_a_reason(place, rows):
    command, state, folder = place
    first = command()
    assert first["entries"].keys() > {"suite coins", "baselines coins"}
    assert first["altered"] == []
    assert command() == first
    with Store(folder / "results") as store:
        store.append([replace(row, agent="Another", spec="Another") for row in rows])
    second = command()
    assert first["entries"].items() < second["entries"].items()
    # Baselines that change, a suite or its rankings that change, a result that is gone.
    baselines = {"coins": Baselines({0: 1.0})}
    elsewhere = tuple(replace(task, ranking="elsewhere") for task in state["suite"].tasks)
    for changed, name in (
        (replace(state["suite"], baselines=baselines), "baselines coins"),
        (replace(state["suite"], hash="0123"), "suite coins"),
        (replace(state["suite"], tasks=elsewhere), "rankings coins"),
    ):
        original, state["suite"] = state["suite"], changed
        with pytest.raises(SystemExit, match=f"entries are not what they were: .*{name}"):
            command()
        with pytest.raises(SystemExit, match="say why with --alter"):
            command("--alter", " ")
        state["suite"] = original
        assert json.loads((folder / freeze.PUBLISHED).read_text()) == second
    for file in (folder / "results").glob("*.jsonl"):
        file.unlink()
    with pytest.raises(SystemExit, match="result coins coins"):
        command()
    third = command("--alter", "drawn again")
    assert third["altered"][0]["why"] == "drawn again"
    gone = second["entries"].keys() - third["entries"].keys()
    assert set(third["altered"][0]["entries"]) == gone
    assert all(name.startswith("result coins coins") for name in gone)
    # Earlier reasons stay.
    state["suite"] = replace(state["suite"], hash="0123")
    fourth = command("--alter", "another suite")
    assert [one["why"] for one in fourth["altered"]] == ["drawn again", "another suite"]


def test_it_says_what_is_new_and_what_is_altered_and_writes_nothing_if_it_refuses(
    place, monkeypatch, capsys
):
    monkeypatch.setattr(freeze, "defaults", dict)
    command, state, folder = place
    before = [(folder / file).read_bytes() for file in (freeze.PUBLISHED, freeze.CORPUS)]
    (folder / freeze.CORPUS).write_text('{"entries": {"play/a/B": "11"}, "altered": []}')
    with pytest.raises(SystemExit, match="1 entries are not what they were: play/a/B"):
        command()
    assert (folder / freeze.PUBLISHED).read_bytes() == before[0]
    capsys.readouterr()
    command("--alter", "B is gone")
    lines = capsys.readouterr().out.splitlines()
    assert {"new: suite coins", "new: env/Coins-v0/default", "altered: play/a/B"} <= set(lines)
    assert len(lines) == len(freeze.entries(folder)) + 2
    kept = json.loads((folder / freeze.CORPUS).read_text())
    assert kept == {
        "entries": state["corpus"],
        "altered": [{"why": "B is gone", "entries": ["play/a/B"]}],
    }
    command()
    assert capsys.readouterr().out == "nothing is new\n"
    freeze._say([str(number) for number in range(50)])
    assert capsys.readouterr().out.splitlines()[-2:] == ["39", "and 10 more"]


def test_a_suite_without_baselines_may_still_gain_them(place):
    command, state, _ = place
    with_baselines = state["suite"]
    state["suite"] = replace(with_baselines, baselines={})
    assert "baselines coins" not in command()["entries"]
    state["suite"] = with_baselines
    assert "baselines coins" in command()["entries"]


def test_a_part_of_the_corpus_that_cannot_be_played_is_an_error(monkeypatch):
    monkeypatch.setattr(freeze.corpus, "groups", lambda: ["play/armed"])
    monkeypatch.setattr(freeze.corpus, "entries", lambda name: 1 / 0)
    with pytest.raises(ValueError, match="cannot be played: play/armed: ZeroDivisionError"):
        freeze.played()


def test_a_new_experiment_of_a_paper_gets_the_hash_of_its_first_seed(place, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(
        freeze.renewed_keys, "renew",
        lambda folder, only_new: asked.append((folder, only_new)) or ["tiny2030, race"],
    )  # fmt: skip
    monkeypatch.setattr(freeze, "defaults", dict)
    command, _, folder = place
    command()
    assert asked == [(folder / "results/papers", True)]
    assert "new: first seed of tiny2030, race" in capsys.readouterr().out
