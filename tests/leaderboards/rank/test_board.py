"""Boards of several families: each section equals the board of its family (about 5 s)."""

import dataclasses
import math
import random

import numpy as np
import pytest

from leaderboards.rank import board, scores_and_ranks
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import Suite, SuiteTask

FAMILIES = {  # interleaved, so that a section has to pick its tasks
    "coins": "armed",
    "fresh": "linear",
    "rare": "armed",
    "fixed": "linear",
    "rows": "regression",
}
LEVELS = {"Everywhere": 0.5, "Arms": 0.1, "Lines": 0.2, "Fits": 0.3, "Both": 0.15}
PLAYS = {
    "Everywhere": {"armed", "linear", "regression"},
    "Arms": {"armed"},
    "Lines": {"linear"},
    "Fits": {"regression"},
    "Both": {"armed", "linear"},
}


BASELINES = {name: 50.0 + 10 * place for place, name in enumerate(FAMILIES)}


def a_suite(families=FAMILIES, n_seeds=5, baselines=None, **changes):
    """Tasks by name; ``baselines`` are of some of them, ``changes`` of the task of that name."""
    same = {name: Baselines(dict.fromkeys(range(n_seeds), BASELINES[name])) for name in families}
    tasks = tuple(
        dataclasses.replace(
            SuiteTask(
                name=name,
                env="made-up",
                settings={},
                horizon=100,
                family=family,
            ),
            **changes.get(name, {}),
        )
        for name, family in families.items()
    )
    return Suite(
        name="made-up",
        title="Made up",
        seeds=tuple(range(n_seeds)),
        tasks=tasks,
        hash="5u17e",
        n_seeds=n_seeds,
        baselines=same | (baselines or {}),
    )


def a_row(task, agent, seed, final=10.0, **changes):
    row = Row(
        suite="5u17e",
        task=task,
        agent=agent,
        spec=agent,
        hyperparameters={},
        seed=seed,
        sources="c0ffee123456",
        data={},
        error=None,
        rounds=[10, 100],
        measures={"regret": [final / 10, final]},
        seconds=[1e-7, 4e-7],
        bytes=100,
        facts=[f"of {task}"],
        paper=None,
    )
    return dataclasses.replace(row, **changes)


def failed(task, agent, seed, error="ValueError: no"):
    return a_row(task, agent, seed, error=error, rounds=None, measures=None)


def refused(task, agent, why="cannot"):
    return dataclasses.replace(failed(task, agent, -1, why), refused=True)


def all_rows(suite, plays=PLAYS):
    rng = np.random.default_rng(0)
    return [
        a_row(task.name, agent, seed, LEVELS[agent] * 50 * math.exp(0.3 * rng.normal()))
        for agent, families in plays.items()
        for task in suite.tasks
        if task.family in families
        for seed in suite.seeds
    ]


def troubled(suite):
    """Rows with a failure, a reference, refusals, a family with fewer seeds, and two of a label."""
    rows = [row for row in all_rows(suite) if row.task != "rows" or row.seed < 3]
    rows = [row for row in rows if (row.task, row.agent, row.seed) != ("fixed", "Both", 2)]
    rows = [dataclasses.replace(row, full_information=row.agent == "Arms") for row in rows]
    rows += [failed("fixed", "Both", 2), refused("fixed", "Picky"), refused("coins", "Both", "why")]
    rows += [a_row("fresh", "Picky", seed) for seed in suite.seeds]
    rows += [refused(task.name, "Nothing", f"not {task.family}") for task in suite.tasks]
    rows += [dataclasses.replace(rows[0], measures={"regret": [1.0, 2.0]})]
    return rows


def by_name(built):
    return {section.name: section for section in built.sections}


def by_label(section):
    return {standing.label: standing for standing in section.standings}


def test_a_section_is_the_board_of_its_family_alone():
    loud = Baselines({s: (-1.0) ** s * 1e3 for s in range(5)})
    suite = a_suite(baselines={"rare": loud})
    rows = troubled(suite)
    sections = board.build(suite, rows).sections
    assert [section.name for section in sections] == ["armed", "linear", "regression"]
    for section in sections:
        tasks = tuple(task for task in suite.tasks if task.family == section.name)
        names = {task.name for task in tasks}
        assert section.tasks == tasks
        alone = board.build(
            dataclasses.replace(suite, tasks=tasks), [row for row in rows if row.task in names]
        )
        assert alone.sections == (section,)
        assert alone.notes == ()
    armed, linear, regression = sections
    # All of it was there to be seen.
    assert armed.unscored.keys() == {"rare"}
    assert "stored more than once" in armed.notes[0]
    assert regression.seeds == (0, 1, 2)
    assert regression.notes == (
        "scored on 3 of the suite's 5 seeds",
        "intervals of fewer than 5 seeds are too short to be relied on",
    )
    assert by_label(armed)["Arms"].unranked == "has full information: a reference"
    assert by_label(linear)["Both"].facts == ("of fixed", "of fresh")


def test_an_agent_has_a_score_of_its_own_in_each_family():
    suite = a_suite()
    rows = all_rows(suite)
    built = board.build(suite, rows)
    for family in ("armed", "linear"):
        section = by_name(built)[family]
        table = [
            [
                1 - row.measures["regret"][-1] / BASELINES[task.name]
                for row in rows
                if (row.agent, row.task) == ("Both", task.name)
            ]
            for task in section.tasks
        ]
        standing = by_label(section)["Both"]
        assert standing.score.value == pytest.approx(np.mean(table), rel=1e-12)
        assert standing.tasks.keys() == {task.name for task in section.tasks}
    assert "Both" not in by_label(by_name(built)["regression"])
    agents = {name: set(by_label(section)) for name, section in by_name(built).items()}
    assert agents.pop("overall") == {"Everywhere"}
    assert agents == {
        family: {agent for agent, plays in PLAYS.items() if family in plays}
        for family in ("armed", "linear", "regression")
    }


def test_a_failure_in_one_family_costs_nothing_in_another():
    suite = a_suite()
    rows = [
        row for row in all_rows(suite) if (row.task, row.agent, row.seed) != ("rare", "Both", 1)
    ]
    before = by_name(board.build(suite, all_rows(suite)))
    built = by_name(board.build(suite, [*rows, failed("rare", "Both", 1)]))
    assert by_label(built["armed"])["Both"].unranked == "failed in 1 of 10 episodes"
    assert by_label(built["armed"])["Both"].failures == 1
    assert built["linear"] == before["linear"]
    assert by_label(built["linear"])["Both"].rank is not None
    assert by_label(built["linear"])["Both"].failures == 0


def test_who_can_play_some_tasks_is_shown_and_who_can_play_none_is_not():
    suite = a_suite()
    built = board.build(suite, troubled(suite))
    picky = by_label(by_name(built)["linear"])["Picky"]
    assert picky.unranked == "cannot play 1 of 2 tasks"
    assert picky.tasks["fixed"].refusal == "cannot"
    assert built.refusals == {"Nothing": ("not armed", "not linear", "not regression")}
    for section in built.sections:
        assert "Nothing" not in by_label(section)
    # Whoever plays a family is not told of for the others.
    rows = all_rows(suite, {"Arms": {"armed"}})
    rows += [refused(task.name, "Arms") for task in suite.tasks if task.family != "armed"]
    built = board.build(suite, rows)
    assert built.refusals == {}
    assert [len(section.standings) for section in built.sections] == [1, 0, 0]


def test_overall_are_all_scored_tasks_of_those_that_play_them():
    suite = a_suite(rare={"measure": "reward"})
    plays = PLAYS | {"Both": PLAYS["Everywhere"], "Fits": PLAYS["Everywhere"]}
    rows = all_rows(suite, plays)
    rows = [row for row in rows if (row.task, row.agent, row.seed) != ("fixed", "Fits", 0)]
    built = board.build(suite, rows)
    assert built.notes == ()
    *_, overall = built.sections
    lean = board.build(suite, rows, compared=False).sections[-1]
    assert lean == dataclasses.replace(overall, profile=None, pairs=None)
    assert overall.name == "overall"
    assert [task.name for task in overall.tasks] == ["coins", "fresh", "fixed", "rows"]
    assert overall.unscored == {}
    assert [s.label for s in overall.standings] == ["Both", "Everywhere", "Fits"]
    assert overall.standings[-1].unranked == "not yet run in 1 of 20 episodes"
    table = np.array(
        [
            [
                1 - row.measures["regret"][-1] / BASELINES[task.name]
                for row in rows
                if (row.agent, row.task) == ("Both", task.name)
            ]
            for task in overall.tasks
        ]
    ).T
    expected = scores_and_ranks.stratified_bootstrap_interval(
        table, lambda x: x.mean(axis=(-2, -1))
    )
    assert dataclasses.astuple(overall.standings[0].score) == pytest.approx(
        tuple(map(float, expected))
    )
    assert {s.rank for s in overall.standings[:2]} == {(1, 1), (2, 2)}


def test_a_family_that_is_not_scored_need_not_be_played():
    suite = a_suite(rows={"measure": "reward"})
    built = board.build(suite, all_rows(suite, {"Both": PLAYS["Both"], "Fits": PLAYS["Fits"]}))
    assert [section.name for section in built.sections][-1] == "overall"
    assert set(by_label(built.sections[-1])) == {"Both"}
    suite = a_suite(**{name: {"measure": "reward"} for name in FAMILIES})
    built = board.build(suite, all_rows(suite))
    assert [section.name for section in built.sections] == ["armed", "linear", "regression"]


def test_without_a_complete_agent_there_is_no_overall_ranking():
    suite = a_suite()
    plays = {name: families for name, families in PLAYS.items() if name != "Everywhere"}
    built = board.build(suite, all_rows(suite, plays))
    assert [section.name for section in built.sections] == ["armed", "linear", "regression"]
    assert built.notes == ("no agent plays every family, so there is no overall ranking",)
    rows = all_rows(suite)[1:]  # the first is one of those that play everywhere
    built = board.build(suite, rows)
    assert [section.name for section in built.sections] == ["armed", "linear", "regression"]
    assert built.notes == ("no agent has every result, so there is no overall ranking",)
    assert by_label(built.sections[1])["Everywhere"].rank is not None


def test_the_order_of_rows_does_not_matter():
    suite = a_suite()
    rows = troubled(suite)
    first = board.build(suite, rows)
    for shuffle in range(3):
        random.Random(shuffle).shuffle(rows)
        assert board.build(suite, rows) == first


def test_an_agent_goes_by_one_label_in_all_sections():
    suite = a_suite()
    rows = all_rows(suite)
    # Another agent of the same name, which plays one of the families alone.
    rows += [
        dataclasses.replace(row, sources="0ddba11f00d")
        for row in rows
        if (row.agent, row.task) in (("Both", "coins"), ("Both", "rare"))
    ]
    built = by_name(board.build(suite, rows))
    assert {"Both @c0ffee1", "Both @0ddba11"} < set(by_label(built["armed"]))
    assert {label for label in by_label(built["linear"]) if "Both" in label} == {"Both @c0ffee1"}


def test_no_rows():
    built = board.build(a_suite(), [])
    assert [section.name for section in built.sections] == ["armed", "linear", "regression"]
    assert built.notes == ()
    assert built.refusals == {}


def test_rows_of_elsewhere():
    suite = a_suite()
    rows = all_rows(suite)
    others = [dataclasses.replace(row, suite="0the7", agent="Elsewhere") for row in rows]
    beyond = [dataclasses.replace(row, seed=99, agent="Beyond") for row in rows]
    assert board.build(suite, rows + others + beyond) == board.build(suite, rows)
    with pytest.raises(ValueError, match="suite made-up has no task 'nowhere'"):
        board.build(suite, [a_row("nowhere", "Arms", 0)])


def test_a_board_is_told_in_a_line():
    assert repr(board.build(a_suite(), [])) == "<Board of made-up: 3 rankings, 0 agents>"


@pytest.mark.parametrize("informed", [False, True])
def test_uniform_play_and_references_alone_are_no_overall_ranking(informed):
    suite = a_suite()
    rows = [
        dataclasses.replace(row, spec="PredictZero" if row.task == "rows" else "UniformRandom")
        for row in all_rows(suite, {"Everywhere": PLAYS["Everywhere"]})
    ]
    if informed:
        rows = [dataclasses.replace(row, spec="Knows", full_information=True) for row in rows]
    rows += all_rows(suite, {name: PLAYS[name] for name in ("Arms", "Lines", "Fits")})
    assert {row.spec for row in rows} > (
        {"Knows"} if informed else {"UniformRandom", "PredictZero"}
    )
    built = board.build(suite, rows)
    assert "overall" not in [section.name for section in built.sections]
    assert built.notes == ("no agent plays every family, so there is no overall ranking",)


def test_rows_of_several_isolations_are_never_one_agents():
    suite = a_suite({"coins": "armed"})
    rows = all_rows(suite, {"Arms": {"armed"}, "Both": {"armed"}})
    within = [
        dataclasses.replace(row, isolation="full", faults=[[7, "timeout"]] if row.seed < 2 else [])
        for row in rows
        if row.agent == "Arms"
    ]
    apart = [dataclasses.replace(row, audit=True) for row in within]
    built = board.build(suite, [*rows, *within, *apart])
    (section,) = built.sections
    assert set(by_label(section)) == {"Arms [none]", "Arms [full]", "Arms [full, audit]", "Both"}
    assert built.notes == (
        "isolation of the agents: full, audit: Arms [full, audit]; full: Arms [full]; "
        "none: Arms [none], Both (in the sandbox the state is as claimed)",
        "uniform play replaced, after a fault in the sandbox, Arms [full, audit] (timeout in "
        "round 7 on 2 seeds), Arms [full] (timeout in round 7 on 2 seeds)",
    )
    alone = board.build(suite, within)
    assert set(by_label(alone.sections[0])) == {"Arms"}  # nobody to be told from
    assert board.build(suite, rows).notes == ()


def test_a_baseline_of_the_sandbox_scores_nobody():
    """It may have had faults, and what went on for it is another stream."""
    suite = a_suite({"coins": "armed"}, baselines={"coins": Baselines()})
    rows = all_rows(suite, {"Arms": {"armed"}})
    uniform = [dataclasses.replace(row, agent="U", spec="UniformRandom") for row in rows]
    uniform = [
        dataclasses.replace(row, measures={"regret": [5.0, 60.0 + row.seed]}) for row in uniform
    ]
    within = [dataclasses.replace(row, isolation="full") for row in uniform]
    assert by_name(board.build(suite, rows + uniform))["armed"].unscored == {}
    assert by_name(board.build(suite, rows + within))["armed"].unscored.keys() == {"coins"}


def test_faults_are_told_by_kind_with_the_rounds_from_which_uniform_play_went_on():
    (row, *_) = all_rows(a_suite({"coins": "armed"}), {"Arms": {"armed"}})
    faults = [[[1, "error"]], [[9, "error"]], [[4, "cpu"]], []]
    rows = [dataclasses.replace(row, faults=fault) for fault in faults]
    assert board.faults_text(rows) == "cpu in round 4 on 1 seed, error in rounds 1 to 9 on 2 seeds"
    assert board.faults_text(rows[3:]) == ""
