"""Rankings of tuned agents: whose rows count, on which seeds, and the paired gain."""

from dataclasses import replace

import numpy as np
import pytest

from leaderboards.rank.board import build
from leaderboards.rank.tuned import by_family, order_changes, refuse_seen, tuned_rows, with_tuned
from leaderboards.rank.tuned_records import Tuned
from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.store.store import Store
from leaderboards.suites.seed_ranges import TUNING
from leaderboards.suites.suite import load
from leaderboards.suites.suite_tables import OVERALL
from leaderboards.tuning.study import Study, run
from leaderboards.tuning.trials import Scoring, play
from leaderboards.tuning.tuning_tasks import tuning_tasks

from ..tuning.tunable import PLACE, TINY, Fixed, baselines_of

SPECS = ["UniformRandom", "UCB1", "UCB1(noise_std=0.1)", "KLUCB", "LinUCB", "LinUCB(alpha=0.2)"]


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "tiny.toml"
    path.write_text(TINY)
    return load(path)


@pytest.fixture(scope="module")
def rows(suite, tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("rows"))
    runner.run(suite, SPECS, store=store, execution=IN_PROCESS)
    return store.rows(suite.hash)


def found_for(suite, agent, family, **setting):
    text = ", ".join(f"{name}={value!r}" for name, value in setting.items())
    tasks = tuple(task.name for task in suite.tasks if task.family == family)
    rankings = {task.ranking for task in suite.tasks if task.family == family}
    return Tuned(
        agent=agent,
        spec=agent,
        tuned=f"{agent}({text})" if text else agent,
        family=family,
        tasks=tasks,
        setting=setting,
        best=setting,
        trials=3,
        failed=0,
        seeds=(TUNING.start, 16),
        further=(TUNING.start + 16, 64),
        scores=dict.fromkeys(rankings, (0.1, 0.2)),
        gain=(0.1, 0.05, 0.15) if setting else None,
        same_data=(),
        space={},
        suite=suite.hash,
        sources="",
    )


@pytest.fixture(scope="module")
def found(suite):
    return [
        found_for(suite, "UCB1", "armed", noise_std=0.1),
        found_for(suite, "KLUCB", "armed"),
        found_for(suite, "LinUCB", "linear", alpha=0.2),
    ]


@pytest.fixture(scope="module")
def board(suite, rows, found):
    defaults = build(suite, [row for row in rows if "(" not in row.spec])
    return with_tuned(defaults, rows, found)


def test_tuned_rows_stand_in_the_place_of_the_defaults(suite, rows, found):
    chosen = tuned_rows(suite, rows, found)
    specs = {(row.agent, row.spec) for row in chosen if not row.refused}
    assert specs == {
        ("UniformRandom", "UniformRandom"),
        ("UCB1", "UCB1(noise_std=0.1)"),
        ("KLUCB", "KLUCB"),
        ("LinUCB", "LinUCB(alpha=0.2)"),
    }
    # Of another family: the defaults stay, and its settings do not count.
    other = [found_for(suite, "LinUCB", "news", alpha=0.2)]
    chosen = tuned_rows(suite, rows, other)
    assert "LinUCB" in {row.spec for row in chosen}
    assert "LinUCB(alpha=0.2)" not in {row.spec for row in chosen}


def test_a_tuned_agent_scores_what_its_setting_scores(board, suite, rows):
    """The definition: a board on which the setting plays as an agent of its own."""
    both = build(suite, rows)
    for name, section in {section.name: section for section in both.sections}.items():
        scores = {s.spec: s.score for s in section.standings}
        for one in board.tuned[name]:
            spec = one.label if one.tuned is None else one.tuned.tuned
            assert one.score == scores[spec]
            assert one.default == scores[one.label]
            if one.gain is None:
                assert not (one.tuned and one.tuned.setting)
                continue
            pairs = section.pairs
            labels = {s.spec: s.label for s in section.standings}
            j, k = (pairs.labels.index(labels[text]) for text in (spec, one.label))
            assert one.gain == pairs.difference[j][k]


def test_what_was_not_tuned_has_one_score_in_both_columns(board):
    kept = {one.label: one for one in board.tuned["armed"]}
    for label, has in (("KLUCB", True), ("UniformRandom", False)):
        assert kept[label].score == kept[label].default
        assert kept[label].gain is None
        assert (kept[label].tuned is not None) is has
    assert list(board.tuned) == ["armed", "armed-rare", "linear"]


def test_ranks_are_those_of_a_board_of_tuned_agents(board, suite, rows, found):
    boards = by_family(suite, tuned_rows(suite, rows, found))
    sections = [section for part in boards for section in part.sections if section.name != OVERALL]
    assert [section.name for section in sections] == ["armed", "armed-rare", "linear"]
    for section in sections:
        ranked = {s.label: s.rank for s in section.standings if s.rank}
        assert {one.label: one.rank for one in board.tuned[section.name]} == ranked
        scores = [one.score.value for one in board.tuned[section.name]]
        assert scores == sorted(scores, reverse=True)


def test_who_was_not_tuned_has_no_rank_beside_those_who_were(suite, rows, found):
    defaults = build(suite, [row for row in rows if "(" not in row.spec])
    only = with_tuned(defaults, rows, [one for one in found if one.agent != "KLUCB"])
    labels = {one.label for one in only.tuned["armed"]}
    assert labels == {"UCB1", "UniformRandom"}  # which has nothing to tune
    assert max(one.rank[1] for one in only.tuned["armed"]) == 2
    # Those of others may have something to tune.
    mine = [replace(row, spec="mine.py:Mine", agent="Mine") for row in rows if row.spec == "KLUCB"]
    beside = with_tuned(build(suite, [*rows, *mine]), [*rows, *mine], found)
    assert "Mine" not in {one.label for one in beside.tuned["armed"]}


def test_whose_place_tuning_changes(board):
    (section,) = (one for one in board.sections if one.name == "armed")
    standings = board.tuned["armed"]
    before = [s.label for s in section.standings]
    moved = order_changes(section, standings)
    after = [one.label for one in standings]
    assert moved == [
        (label, before.index(label) + 1, after.index(label) + 1)
        for label in after
        if before.index(label) != after.index(label)
    ]
    swapped = (standings[1], standings[0], *standings[2:])
    assert {label for label, *_ in order_changes(section, swapped)} != {m[0] for m in moved}


def test_no_tuned_score_is_computed_on_a_seed_that_its_tuning_saw(tmp_path):
    """A case where it would matter: the best arm of one seed, which is chance on another one."""
    seed = TUNING.start
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.replace("n_arms = 3", "n_arms = 10"))
    tasks = tuning_tasks(path)
    on_seen = tasks.on(range(seed, seed + 2), ["coins"])
    further = tasks.on(range(seed + 2, seed + 8), ["coins"])
    baselines = baselines_of(tasks.on(range(seed, seed + 8), ["coins"]))
    space = Fixed.search
    study = Study(
        spec=PLACE + "Fixed", family="armed", space=space, trials=32, search=on_seen,
        check=further, baselines=baselines, sources="",
    )  # fmt: skip
    best = run(study, tmp_path / "journals")["best"]
    spec = f"{PLACE}Fixed(arm={best['arm']})"
    seen = Scoring(on_seen, baselines).score(play(spec, on_seen).finals)
    fresh = Scoring(further, baselines).score(play(spec, further).finals)
    assert seen > fresh + 0.2  # the score that is refused is too good

    suite = replace(on_seen, used=TUNING)
    one = replace(
        found_for(suite, "Fixed", "armed", arm=best["arm"]), spec=PLACE + "Fixed", tuned=spec,
        seeds=(seed, 2), further=(seed + 2, 6),
    )  # fmt: skip
    store = Store(tmp_path / "rows")
    runner.run(suite, [PLACE + "Fixed", spec], store=store, execution=IN_PROCESS)
    rows = store.rows(suite.hash)
    board = build(suite, [row for row in rows if row.spec != spec])
    with pytest.raises(ValueError, match=rf"Fixed\(arm=.\) on coins: it was tuned on seed {seed}"):
        with_tuned(board, rows, [one])
    # The seeds of the comparison with the defaults were seen too, and others were not.
    (row, *_) = (row for row in rows if row.spec == spec)
    for number, refused in ((seed + 1, True), (seed + 7, True), (seed + 8, False), (0, False)):
        moved = [replace(row, seed=number)]
        if refused:
            with pytest.raises(ValueError, match=f"tuned on seed {number}"):
                refuse_seen(suite, moved, [one])
        else:
            refuse_seen(suite, moved, [one])
    # A suite that is published cannot have such a seed at all.
    with pytest.raises(ValueError, match=r"seeds of scoring are 0\.\.499999, got 500000"):
        replace(tasks.suite, seeds=(seed,))


def test_settings_of_another_suite_are_refused(board, rows, found):
    other = [replace(found[0], suite="another")]
    with pytest.raises(ValueError, match="UCB1 was tuned for another suite than tiny"):
        with_tuned(board, rows, other)


def test_an_agent_has_another_setting_in_each_family(suite, rows, found):
    """Uniform play stands for an agent of several families: its rows are there."""
    both = [replace(row, agent="LinUCB") if row.spec == "UCB1" else row for row in rows]
    settings = [found[2], replace(found[0], agent="LinUCB")]
    chosen = tuned_rows(suite, both, settings)
    played = {(row.task, row.spec) for row in chosen if row.agent == "LinUCB" and not row.refused}
    assert played == {
        ("coins", "UCB1(noise_std=0.1)"),
        ("rare", "UCB1(noise_std=0.1)"),
        ("arms", "LinUCB(alpha=0.2)"),
    }
    defaults = build(suite, [row for row in rows if "(" not in row.spec])
    board = with_tuned(defaults, rows, [found[0], found[2]])
    assert {one.label for one in board.tuned["linear"]} == {"LinUCB", "UniformRandom"}


def test_a_setting_without_its_results_has_no_place(suite, rows, found):
    lacking = [row for row in rows if row.spec != "UCB1(noise_std=0.1)" or row.seed]
    defaults = build(suite, [row for row in rows if "(" not in row.spec])
    board = with_tuned(defaults, lacking, found)
    assert "UCB1" not in {one.label for one in board.tuned["armed"]}
    assert np.isfinite([one.score.value for one in board.tuned["armed"]]).all()
