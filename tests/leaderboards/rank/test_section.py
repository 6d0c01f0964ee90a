"""Rankings from made-up rows of one family, against plain recomputation (about 3 s)."""

import dataclasses
import math
import random

import numpy as np
import pytest
from scipy import stats

from agents.naming import hyperparameters, resolve
from leaderboards.rank import board, interval_estimates, scores_and_ranks
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import Suite, SuiteTask

ROUNDS = [1, 10, 100, 1000]
LEVELS = {"LinUCB": 0.1, "LinTS": 0.3, "OFUL": 0.1, "Mine(x=2)": 0.6}  # share of the baseline


def a_task(name, **changes):
    return SuiteTask(
        name=name, env="LinearBandit-v0", settings={"dim": 5}, horizon=1000,
        **{"family": "linear"} | changes,
    )  # fmt: skip


BASELINES = {"small": 500.0, "large": 800.0, "armed": 500.0}


def a_suite(tasks=None, n_seeds=6, **ends):
    """With baselines that are the same on all seeds, but for those of ``ends``."""
    tasks = tasks or tuple(a_task(name) for name in BASELINES)
    same = {n: Baselines(dict.fromkeys(range(n_seeds), value)) for n, value in BASELINES.items()}
    return Suite(
        name="made-up",
        title="Made up",
        seeds=tuple(range(n_seeds)),
        tasks=tuple(tasks),
        hash="5u17e",
        n_seeds=n_seeds,
        baselines=same | ends,
    )


def a_row(task="small", agent="LinUCB", seed=0, regret=50.0, **changes):
    curve = [regret * t / 1000 for t in ROUNDS]
    row = Row(
        suite="5u17e",
        task=task,
        agent=agent,
        spec=agent,
        hyperparameters={"alpha": 1.0},
        seed=seed,
        sources="c0ffee123456",
        data={},
        error=None,
        rounds=ROUNDS,
        measures={"regret": curve, "reward": [-value for value in curve]},
        seconds=[1e-7, 4e-7],
        bytes=800,
        facts=["noise_std"],
        paper="Somebody 2011",
    )
    return dataclasses.replace(row, **changes)


def failed(error="ValueError: no", **about):
    return a_row(**about, error=error, rounds=None, measures=None, seconds=None, bytes=None)


def refused(task, agent, reason="needs fixed arms"):
    return failed(reason, task=task, agent=agent, seed=-1, refused=True)


def all_rows(suite, levels=LEVELS, seed=0):
    rng = np.random.default_rng(seed)
    return [
        a_row(task.name, agent, s, level * 500 * math.exp(0.2 * rng.normal()))
        for agent, level in levels.items()
        for task in suite.tasks
        for s in suite.seeds
    ]


def the_section(built):
    """The one section of a suite of one family."""
    (section,) = built.sections
    return section


def by_label(built):
    return {standing.label: standing for standing in the_section(built).standings}


def regrets(rows, agent, task):
    own = [row for row in rows if (row.agent, row.task) == (agent, task)]
    return np.array([row.measures["regret"] for row in sorted(own, key=lambda row: row.seed)])


def test_scores_and_curves_are_their_definitions():
    suite = a_suite()
    rows = all_rows(suite)
    standing = by_label(board.build(suite, rows))["LinTS"]
    table = np.array(
        [
            1 - regrets(rows, "LinTS", task.name)[:, -1] / BASELINES[task.name]
            for task in suite.tasks
        ]
    ).T
    expected = scores_and_ranks.stratified_bootstrap_interval(
        table, lambda x: x.mean(axis=(-2, -1))
    )
    assert dataclasses.astuple(standing.score) == pytest.approx(tuple(map(float, expected)))
    assert standing.quartiles == pytest.approx(tuple(np.quantile(table, (0.25, 0.75))))
    for m, task in enumerate(suite.tasks):
        result = standing.tasks[task.name]
        curves = regrets(rows, "LinTS", task.name)
        mean, spread = curves.mean(axis=0), curves.std(axis=0, ddof=1) / math.sqrt(6)
        assert result.seeds == 6
        assert result.score.value == pytest.approx(table[:, m].mean())
        assert result.measure.value == pytest.approx(mean[-1])
        assert result.curve.rounds == tuple(ROUNDS)
        assert result.curve.mean == pytest.approx(tuple(mean))
        # 2.5706 is the 0.975 quantile of Student's t with 5 degrees of freedom.
        assert result.curve.low == pytest.approx(tuple(mean - 2.5706 * spread), rel=1e-4)
        assert result.curve.high == pytest.approx(tuple(mean + 2.5706 * spread), rel=1e-4)
    assert standing.microseconds == pytest.approx(0.4)
    assert (standing.bytes, standing.facts, standing.paper) == (
        800,
        ("noise_std",),
        "Somebody 2011",
    )


def test_a_difference_to_a_twin_is_paired():
    tasks = a_task("small"), dataclasses.replace(a_task("large"), twin="small")
    suite = a_suite(tasks)
    rows = [row for row in all_rows(suite) if (row.task, row.seed) != ("small", 4)]
    for line in the_section(board.build(suite, rows)).standings:
        own = {(r.task, r.seed): r.measures["regret"][-1] for r in rows if r.agent == line.label}
        both = [s for s in suite.seeds if ("small", s) in own]
        differences = np.array([own["large", s] - own["small", s] for s in both])
        half = stats.t.ppf(0.975, 4) * differences.std(ddof=1) / math.sqrt(5)
        found = line.tasks["large"].difference
        assert found.value == pytest.approx(differences.mean())
        assert (found.high - found.low) / 2 == pytest.approx(half)
        assert line.tasks["small"].difference is None


def test_ranks_are_shared_where_agents_are_close():
    built = board.build(a_suite(), all_rows(a_suite(), seed=1))
    ranks = {label: standing.rank for label, standing in by_label(built).items()}
    assert ranks == {"LinUCB": (1, 2), "OFUL": (1, 2), "LinTS": (3, 3), "Mine(x=2)": (4, 4)}
    scores = [standing.score.value for standing in the_section(built).standings]
    assert scores == sorted(scores, reverse=True)
    assert built.notes == the_section(built).notes == ()


def test_pairs_and_profile_are_of_the_same_cells():
    suite = a_suite()
    rows = all_rows(suite)
    built = board.build(suite, rows)
    section = the_section(built)
    labels = section.pairs.labels
    assert labels == tuple(standing.label for standing in section.standings)
    j, k = labels.index("LinUCB"), labels.index("OFUL")
    wins = [
        regrets(rows, "LinUCB", task.name)[:, -1] < regrets(rows, "OFUL", task.name)[:, -1]
        for task in suite.tasks
    ]
    assert section.pairs.improvement[j][k].value == pytest.approx(np.mean(wins))
    scores = by_label(built)
    difference = scores["LinUCB"].score.value - scores["OFUL"].score.value
    assert section.pairs.difference[j][k].value == pytest.approx(difference)
    shares = [share.value for share in section.profile.shares["LinTS"]]
    table = 1 - np.array(
        [regrets(rows, "LinTS", t.name)[:, -1] / BASELINES[t.name] for t in suite.tasks]
    )
    thresholds = np.linspace(0.0, 1.0, 121)  # from the baseline on, below which nobody scores
    np.testing.assert_array_equal(section.profile.thresholds, thresholds)
    expected = [(table > threshold).mean() for threshold in thresholds]
    assert shares == pytest.approx(expected)


@pytest.mark.parametrize(("worst", "first"), [(0.9, 0.0), (1.6, -0.6), (2.0, -1.0), (3.0, -1.0)])
def test_profiles_begin_at_the_worst_score_or_at_twice_the_baseline(worst, first):
    suite = a_suite([a_task("small")], n_seeds=2)
    rows = [a_row(seed=0, regret=500 * worst), a_row(seed=1, regret=50.0)]
    thresholds = the_section(board.build(suite, rows)).profile.thresholds
    assert (thresholds[0], thresholds[-1]) == pytest.approx((first, 1.0))


def test_the_order_of_rows_does_not_matter():
    suite = a_suite()
    rows = [
        *all_rows(suite),
        failed(agent="OFUL", seed=2),  # it went well at another attempt
        failed("a", agent="Greedy"),
        failed("b", agent="Greedy"),
        a_row(agent="Twice", regret=60.0),
        a_row(agent="Twice", regret=61.0),
        refused("small", "Picky"),
    ]
    first = board.build(suite, rows)
    for shuffle in range(3):
        random.Random(shuffle).shuffle(rows)
        assert board.build(suite, rows) == first


def test_times_change_nothing_else():
    suite = a_suite()
    rows = all_rows(suite)
    slower = [dataclasses.replace(row, seconds=[1e-6, 8e-6 + row.seed**2 * 1e-6]) for row in rows]

    def timeless(section):
        standings = tuple(
            dataclasses.replace(
                s,
                microseconds=None,
                tasks={n: dataclasses.replace(r, microseconds=None) for n, r in s.tasks.items()},
            )
            for s in section.standings
        )
        return dataclasses.replace(section, standings=standings)

    one = the_section(board.build(suite, rows))
    other = the_section(board.build(suite, slower))
    assert one != other
    assert timeless(one) == timeless(other)
    # The median of 0, 1, 4, 9, 16, 25 is 6.5.
    assert other.standings[0].microseconds == pytest.approx(14.5)


def test_an_agent_beside_them_moves_no_score():
    suite = a_suite()
    rows = all_rows(suite)
    more = rows + all_rows(suite, {"Another": 0.2}, seed=9)
    few, many = by_label(board.build(suite, rows)), by_label(board.build(suite, more))
    for label, standing in few.items():
        assert many[label].score == standing.score
        for name, result in standing.tasks.items():  # only ranks may move
            assert dataclasses.replace(many[label].tasks[name], rank=result.rank) == result


def test_incomplete_agents_are_shown_with_the_reason_and_not_ranked():
    suite = a_suite()
    rows = all_rows(suite)
    rows = [row for row in rows if not (row.agent == "OFUL" and row.task == "large")]
    rows = [row for row in rows if not (row.agent == "LinTS" and row.seed == 3)]
    rows += [failed("LinAlgError: singular", agent="LinTS", task="large", seed=3)]
    rows += [refused("small", "Picky"), *(a_row("large", "Picky", s) for s in suite.seeds)]
    built = board.build(suite, rows)
    standings = by_label(built)
    assert list(standings)[:2] == ["LinUCB", "Mine(x=2)"]
    assert standings["LinUCB"].rank == (1, 1)
    assert standings["LinTS"].rank is standings["LinTS"].score is None
    assert (
        standings["LinTS"].unranked == "failed in 1 of 18 episodes, not yet run in 2 of 18 episodes"
    )
    assert standings["LinTS"].failures == 1
    assert standings["LinTS"].messages == {"LinAlgError: singular": 1}
    assert standings["LinTS"].tasks["large"].seeds == 5
    assert standings["LinTS"].tasks["large"].score is not None
    assert standings["OFUL"].unranked == "not yet run in 6 of 18 episodes"
    assert (
        standings["Picky"].unranked == "cannot play 1 of 3 tasks, not yet run in 6 of 12 episodes"
    )
    assert standings["Picky"].tasks["small"].refusal == "needs fixed arms"
    assert the_section(built).pairs.labels == ("LinUCB", "Mine(x=2)")


def test_no_share_of_nothing_is_shown_of_an_incomplete_agent():
    # On seed 0 the reference is below uniform play: clicks lost there are no gain.
    clicks = a_task("clicks", measure="reward", reference="UCB1")
    ends = Baselines(
        dict.fromkeys(range(6), 100.0), by_seed(90.0, 300.0, 310.0, 290.0, 320.0, 330.0)
    )
    suite = a_suite((clicks,), clicks=ends)
    rows = [a_row("clicks", "Whole", s, regret=-150) for s in suite.seeds]
    for seeds, shown in (((0,), False), ((0, 1), False), ((1,), True), ((1, 2), True)):
        part = [a_row("clicks", "Part", s, regret=-50) for s in seeds]
        result = by_label(board.build(suite, rows + part))["Part"].tasks["clicks"]
        assert result.seeds == len(seeds)
        assert (result.score is not None) == shown
        assert not shown or result.score.value < 0


def by_seed(*values):
    return dict(enumerate(values))


def test_scores_are_paired_with_the_baseline_of_their_seed():
    # Baselines that differ by seed, on the second task with a reference.
    rng = np.random.default_rng(3)
    uniform, top = rng.uniform(300, 700, size=(2, 6)), rng.uniform(50, 90, size=6)
    uniform = uniform * 1000 / 1000  # as `a_row` rounds
    tasks = (a_task("one"), a_task("two", measure="reward", reference="UCB1"))
    suite = a_suite(
        tasks,
        one=Baselines(by_seed(*uniform[0])),
        two=Baselines(by_seed(*-uniform[1]), by_seed(*-top)),
    )
    rows = all_rows(suite, {"LinUCB": 0.3, "OFUL": 0.5})
    rows += [
        a_row(task.name, "Uniform", s, uniform[m][s])
        for m, task in enumerate(tasks)
        for s in suite.seeds
    ]
    section = the_section(board.build(suite, rows))
    scales = np.stack([uniform[0], -(uniform[1] - top)], axis=1)  # (S, M)
    for label in ("LinUCB", "OFUL"):
        finals = np.stack([regrets(rows, label, "one")[:, -1], -regrets(rows, label, "two")[:, -1]])
        gains = np.stack([uniform[0] - finals[0], -uniform[1] - finals[1]], axis=1)
        standing = {s.label: s for s in section.standings}[label]
        table = gains / scales.mean(axis=0)
        assert standing.score.value == pytest.approx(table.mean())
        draws = scores_and_ranks.score_draws(gains, scales).mean(axis=-1)
        expected = interval_estimates.percentile_interval(table.mean(), draws, n_seeds=6)
        assert dataclasses.astuple(standing.score) == pytest.approx(tuple(map(float, expected)))
        for m, task in enumerate(tasks):
            expected = interval_estimates.ratio_interval(gains[:, m], scales[:, m])
            score = standing.tasks[task.name].score
            assert dataclasses.astuple(score) == pytest.approx(tuple(map(float, expected)))
            assert score.value == pytest.approx(table[:, m].mean())
    # Uniform play itself: exactly 0, on every seed and so with an interval of no width.
    standing = {s.label: s for s in section.standings}["Uniform"]
    assert dataclasses.astuple(standing.score) == (0.0, 0.0, 0.0)
    assert all(dataclasses.astuple(r.score) == (0.0, 0.0, 0.0) for r in standing.tasks.values())
    lean = the_section(board.build(suite, rows, compared=False))
    assert lean == dataclasses.replace(section, profile=None, pairs=None)
    (scale, _) = section.scales.values()
    assert scale.uniform == tuple(uniform[0])
    assert scale.best == (0.0,) * 6
    # The profile and the pairs are of the same gains and scales.
    labels = section.pairs.labels
    gains = np.stack(
        [
            np.stack([
                uniform[0] - regrets(rows, label, "one")[:, -1],
                -uniform[1] + regrets(rows, label, "two")[:, -1],
            ], axis=1)
            for label in labels
        ]
    )  # fmt: skip
    score = scores_and_ranks.task_scores(gains, scales).mean(axis=-1)
    draws = scores_and_ranks.score_draws(gains, scales).mean(axis=-1)
    difference = scores_and_ranks.paired_differences(score, draws, n_seeds=6)
    assert dataclasses.astuple(section.pairs.difference[0][1]) == pytest.approx(
        tuple(float(part[0, 1]) for part in difference)
    )
    profile = scores_and_ranks.performance_profile(
        gains, scales, np.array(section.profile.thresholds)
    )
    for j, label in enumerate(labels):
        for p, share in enumerate(section.profile.shares[label]):
            expected = tuple(float(part[j, p]) for part in profile)
            assert dataclasses.astuple(share) == pytest.approx(expected)


def test_baselines_that_come_with_no_suite_are_rows():
    suite = a_suite((a_task("fresh"), a_task("clicks", measure="reward", reference="UCB1")))
    seeds = suite.seeds
    rows = [
        a_row(task, agent, s, level * (1 + 0.1 * s), hyperparameters={})
        for task in ("fresh", "clicks")
        for agent, level in (("LinUCB", 50.0), ("UniformRandom", 200.0))
        for s in seeds
    ]
    built = the_section(board.build(suite, rows))
    assert built.unscored == {
        "clicks": "the baseline or reference has no result on 6 of 6 seeds: leaderboard run plays "
        "it"
    }
    given = hyperparameters(resolve("UCB1"))
    rows += [a_row("clicks", "UCB1", s, 20.0 + s, hyperparameters={}) for s in seeds]
    assert "clicks" in the_section(board.build(suite, rows)).unscored  # another UCB1
    rows = [dataclasses.replace(r, hyperparameters=given) if r.agent == "UCB1" else r for r in rows]
    built = the_section(board.build(suite, rows))
    assert built.unscored == {}
    standings = {s.label: s for s in built.standings}
    assert standings["UniformRandom"].score.value == 0.0
    assert standings["UCB1"].tasks["clicks"].score.value == pytest.approx(1.0)
    assert standings["LinUCB"].tasks["fresh"].score.value == pytest.approx(0.75)
    # Of the seeds in the suite's own file, the file counts.
    known = a_suite((a_task("fresh"),), fresh=Baselines(by_seed(*[400.0] * 3)))
    built = the_section(board.build(known, [row for row in rows if row.task == "fresh"]))
    expected = (400.0,) * 3 + tuple(200.0 * (1 + 0.1 * s) for s in (3, 4, 5))
    assert built.scales["fresh"].uniform == pytest.approx(expected)
    without = [row for row in rows if row.task == "fresh" and row.agent != "UniformRandom"]
    assert the_section(board.build(known, without)).unscored == {
        "fresh": "the baseline has no result on 3 of 6 seeds: leaderboard run plays it"
    }


def test_a_task_without_room_above_its_noise_is_not_scored():
    flat, backward, bare = a_task("flat"), a_task("backward"), a_task("bare", measure="reward")
    suite = a_suite(
        (a_task("small"), flat, backward, bare),
        # A mean of 1 with a standard error of sqrt(8 / 5 / 6) = 0.516.
        flat=Baselines(by_seed(3.0, 1.0, 1.0, 1.0, 1.0, -1.0)),
        backward=Baselines(dict.fromkeys(range(6), -2.0)),
    )
    built = board.build(suite, all_rows(suite))
    assert the_section(built).unscored == {
        "flat": "baseline 1 and best 0 differ by less than 2 standard errors, 1",
        "backward": "uniform play is as good as the best: baseline -2 and best 0",
        "bare": "the suite names no reference, so the best reward is not known: name one to score "
        "it",
    }
    standing = by_label(built)["LinUCB"]
    assert standing.rank is not None
    assert standing.tasks["flat"].score is None
    assert standing.tasks["flat"].curve is not None
    alone = a_suite((a_task("small"),))
    own = [row for row in all_rows(suite) if row.task == "small"]
    assert standing.score == by_label(board.build(alone, own))["LinUCB"].score

    nothing = the_section(board.build(dataclasses.replace(suite, tasks=(flat,)), [
        row for row in all_rows(suite) if row.task == "flat"
    ]))  # fmt: skip
    assert {s.unranked for s in nothing.standings} == {"no task here is scored"}
    assert nothing.profile is nothing.pairs is None


def test_a_measure_where_more_is_better():
    clicks = a_task("clicks", measure="reward", reference="UCB1")
    ends = Baselines(dict.fromkeys(range(6), 100.0), dict.fromkeys(range(6), 300.0))
    suite = a_suite((clicks,), clicks=ends)
    rows = [
        a_row("clicks", agent, s, regret=-paid) for agent, paid in (("Good", 300), ("Bad", 50))
        for s in suite.seeds
    ]  # fmt: skip
    scores = {label: s.score.value for label, s in by_label(board.build(suite, rows)).items()}
    assert scores == {"Good": 1.0, "Bad": -0.25}


def test_scored_on_the_seeds_that_were_run():
    suite = a_suite()
    rows = [row for row in all_rows(suite) if row.seed < 4]
    section = the_section(board.build(suite, rows))
    assert section.seeds == (0, 1, 2, 3)
    assert section.notes == (
        "scored on 4 of the suite's 6 seeds",
        "intervals of fewer than 5 seeds are too short to be relied on",
    )
    assert all(standing.rank for standing in section.standings)
    # Showing only the first seeds does not change the rows of other seeds.
    assert the_section(board.build(suite.first(4), all_rows(suite))) == section


def test_one_seed_ranks_nobody_above_another():
    built = the_section(board.build(a_suite(n_seeds=1), all_rows(a_suite(n_seeds=1))))
    assert {standing.rank for standing in built.standings} == {(1, 4)}
    assert built.standings[0].score.low is None
    assert built.standings[0].tasks["small"].curve.low is None
    assert "one seed gives no intervals and separates no ranks" in built.notes


def test_one_label_for_two_agents_is_told_apart():
    suite = a_suite()
    rows = all_rows(suite, {"LinUCB": 0.1})
    older = [dataclasses.replace(row, sources="0ddba11f00d") for row in rows]
    built = the_section(board.build(suite, rows + older))
    assert {s.label for s in built.standings} == {"LinUCB @c0ffee1", "LinUCB @0ddba11"}
    assert {s.rank for s in built.standings} == {(1, 2)}
    other = [dataclasses.replace(row, hyperparameters={"alpha": 2.0}) for row in rows]
    labels = set(by_label(board.build(suite, rows + other)))
    assert labels == {"LinUCB @c0ffee1 #1", "LinUCB @c0ffee1 #2"}


def test_contradictions_are_told():
    suite = a_suite()
    rows = all_rows(suite)
    again = dataclasses.replace(rows[0], measures={"regret": [1.0, 2.0, 3.0, 4.0]})
    same = dataclasses.replace(rows[1], seconds=[1.0, 2.0])
    (note,) = the_section(board.build(suite, [*rows, again, same])).notes
    assert note.startswith("1 episodes are stored more than once with different numbers")


def test_a_contradiction_is_told_wherever_it_is_among_the_rows():
    suite = a_suite()
    rows = all_rows(suite)
    same = [dataclasses.replace(rows[0], seconds=[1.0, float(t)]) for t in range(3)]
    larger = dataclasses.replace(rows[0], measures={"regret": [9e3, 9e3, 9e3, 9e3]})
    (note,) = the_section(board.build(suite, [*rows, *same, larger])).notes
    assert note.startswith("1 episodes are stored more than once with different numbers")


def test_a_seed_counts_if_it_was_only_failed():
    """Its scores would rise if the seed were left out."""
    suite = a_suite()
    rows = [row for row in all_rows(suite, {"LinUCB": 0.1}) if row.seed < 5]
    section = the_section(board.build(suite, [*rows, failed(seed=5)]))
    assert section.seeds == tuple(range(6))
    assert by_label(board.build(suite, [*rows, failed(seed=5)]))["LinUCB"].rank is None


def test_the_time_of_an_agent_is_the_mean_over_the_tasks():
    suite = a_suite()
    times = dict(zip((task.name for task in suite.tasks), (1e-6, 2e-6, 6e-6), strict=True))
    rows = [
        dataclasses.replace(row, seconds=[0.0, times[row.task]])
        for row in all_rows(suite, {"LinUCB": 0.1})
    ]
    assert by_label(board.build(suite, rows))["LinUCB"].microseconds == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"measures": {"reward": [1.0] * 4}}, "has no measure 'regret'"),
        ({"measures": {"regret": [1.0, 2.0, 3.0, None]}}, "its regret is not finite"),
        ({"measures": {"regret": [1.0, 2.0, 3.0, math.inf]}}, "its regret is not finite"),
        ({"measures": {"regret": [1.0, 2.0]}}, "its regret does not end at round 1000"),
        ({"rounds": [1, 2, 3, 4]}, "its regret does not end at round 1000"),
    ],
)
def test_a_row_without_its_number_is_a_failure(changes, message):
    suite = a_suite()
    rows = all_rows(suite)
    rows[0] = dataclasses.replace(rows[0], **changes)
    standing = by_label(board.build(suite, rows))["LinUCB"]
    assert standing.messages == {message: 1}
    assert standing.rank is None


def test_a_regret_that_cannot_be_is_a_failure():
    suite = a_suite()
    rows = all_rows(suite)
    rows[0] = dataclasses.replace(rows[0], measures={"regret": [1.0, 2.0, -3.0, 4.0]})
    standing = by_label(board.build(suite, rows))["LinUCB"]
    assert standing.messages == {
        "a regret -3: no round's regret is negative here, so the result is invalid": 1
    }
    assert standing.rank is None


def test_a_reference_is_scored_and_not_ranked():
    suite = a_suite()
    rows = [
        dataclasses.replace(row, full_information=row.agent == "Oracle")
        for row in all_rows(suite, LEVELS | {"Oracle": 0.01}, seed=1)
    ]
    built = board.build(suite, rows)
    oracle = by_label(built)["Oracle"]
    assert oracle.rank is None
    assert oracle.score.value > 0.9
    assert oracle.unranked == "has full information: a reference"
    assert the_section(built).standings[-1] == oracle
    assert the_section(built).standings[0].rank == (1, 2)


def test_times_that_include_the_environment_say_so():
    suite = a_suite()
    rows = [dataclasses.replace(row, seconds=[2e-6, None]) for row in all_rows(suite)]
    standing = the_section(board.build(suite, rows)).standings[0]
    assert (standing.timing, standing.microseconds) == ("total", pytest.approx(2.0))


def test_no_rows():
    built = board.build(a_suite(), [])
    section = the_section(built)
    assert section.standings == section.seeds == section.notes == built.notes == ()


def test_a_line_says_the_most_of_memory_the_first_paper_and_the_failures_of_each_task():
    suite = a_suite([a_task("small"), a_task("large")], n_seeds=2)
    rows = [
        a_row("small", seed=0, bytes=800, paper="B 2011"),
        a_row("small", seed=1, bytes=900, paper="A 2010"),
        a_row("large", seed=0, bytes=700, paper="C 2012"),
        failed(task="large", seed=1),
    ]
    standing = by_label(board.build(suite, rows))["LinUCB"]
    assert standing.bytes == 900
    assert [result.bytes for result in standing.tasks.values()] == [900, 700]
    assert standing.paper == "A 2010"
    assert [result.failures for result in standing.tasks.values()] == [0, 1]
    assert standing.failures == 1


def test_one_time_that_includes_the_environment_marks_the_whole_line():
    suite = a_suite([a_task("small")], n_seeds=2)
    rows = [a_row(seed=0, seconds=[3e-6, None]), a_row(seed=1, seconds=[1e-6, 2e-6])]
    standing = by_label(board.build(suite, rows))["LinUCB"]
    assert standing.timing == "total"
    assert standing.microseconds == pytest.approx((3.0 + 2.0) / 2)


def test_who_has_only_failures_stands_last():
    suite = a_suite([a_task("small")], n_seeds=2)
    rows = [failed(agent="Able", seed=s) for s in (0, 1)]
    rows += [
        a_row(agent="Half", seed=0),
        a_row(agent="Whole", seed=0),
        a_row(agent="Whole", seed=1),
    ]
    section = the_section(board.build(suite, rows))
    assert [standing.label for standing in section.standings] == ["Whole", "Half", "Able"]


def test_intervals_of_regret_and_of_the_score_end_where_the_possible_ones_end():
    """A regret of 0 on five seeds and of 60 on one: Student's t alone would go below 0."""
    suite = a_suite([a_task("small")])
    rows = [a_row(seed=s, regret=60.0 * (s == 0)) for s in suite.seeds]
    (standing,) = the_section(board.build(suite, rows)).standings
    result = standing.tasks["small"]
    assert (result.measure.value, result.measure.low) == (10.0, 0.0)
    assert result.measure.high == pytest.approx(10 + 2.5706 * 10, rel=1e-4)
    assert set(result.curve.low) == {0.0}
    assert (result.score.value, result.score.high) == (0.98, 1.0)
    assert standing.score.high <= 1.0
    # Against the best in hindsight a regret may be negative.
    free = a_suite([a_task("small", family="regression")])
    (standing,) = the_section(board.build(free, rows)).standings
    assert standing.tasks["small"].measure.low == pytest.approx(10 - 2.5706 * 10, rel=1e-4)
    assert standing.tasks["small"].score.high > 1.0


@pytest.mark.parametrize(("most", "others"), [(10_000.0, 9_000.0), (0.0, 1_000.0)])
def test_intervals_of_a_rate_stay_within_it(most, others):
    task = a_task("clicks", family="news", measure="clicks_per_10000", reference="UCB1")
    suite = a_suite(
        (task,), clicks=Baselines(dict.fromkeys(range(6), 500.0), by_seed(*[5000.0] * 6))
    )
    rows = [
        a_row(
            "clicks", seed=s, measures={"clicks_per_10000": [most if s else others] * len(ROUNDS)}
        )
        for s in suite.seeds
    ]
    (standing,) = the_section(board.build(suite, rows)).standings
    found = standing.tasks["clicks"].measure
    assert most in (found.low, found.high)
    assert 0.0 <= found.low < found.value < found.high <= 10_000.0
    score = standing.tasks["clicks"].score
    assert (500 - most) / (500 - 5000) in (score.low, score.high)


def test_ranks_follow_the_mean_and_not_the_middle_of_the_episodes():
    """An agent that is best on two tasks and far below uniform play on the third is last."""
    suite = a_suite()
    rows = all_rows(suite, {"LinUCB": 0.05, "OFUL": 0.3, "Uniform": 1.0})
    rows = [
        dataclasses.replace(row, measures={"regret": [11 * 500.0 * t / 1000 for t in ROUNDS]})
        if (row.agent, row.task) == ("LinUCB", "armed")
        else row
        for row in rows
    ]
    section = the_section(board.build(suite, rows))
    assert [s.label for s in section.standings] == ["OFUL", "Uniform", "LinUCB"]
    worst = section.standings[-1]
    assert worst.score.value == pytest.approx(
        np.mean([worst.tasks[task.name].score.value for task in suite.tasks])
    )
    assert worst.tasks["armed"].score.value == pytest.approx(-10.0)
    assert worst.tasks["armed"].rank == (3, 3)
    assert worst.tasks["small"].rank == (1, 1)
    assert worst.rank == (3, 3)
    # Its quartiles show it: of 18 episodes 6 are at -10.
    assert worst.quartiles[0] == pytest.approx(-10.0)
