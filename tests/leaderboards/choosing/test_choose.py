"""Agents are tuned on some rows and compared on the others: no setting is scored on what it saw."""

import json
import sys
from dataclasses import replace

import numpy as np
import pandas
import pytest

import leaderboards
from leaderboards.choosing.bandit_problem import bandit_problem
from leaderboards.choosing.candidates import choice
from leaderboards.choosing.choose import Choosing, choose, suitable
from leaderboards.choosing.labelled_table import labelled_table
from leaderboards.rank.standing import Interval
from leaderboards.run import runner
from leaderboards.run.execution import IN_PROCESS
from leaderboards.run.outcomes import outcome
from leaderboards.run.store.store import Store
from leaderboards.suites.baselines_file import BEST_CONSTANT, BEST_FIXED
from leaderboards.suites.suite import SuiteTask
from leaderboards.tuning.optional import optuna
from leaderboards.tuning.tune import ROWS

from .small_tables import PLACE, noise, separable

GUESS = f"{PLACE}Guess"


def wrong(task: SuiteTask, spec: str) -> float:
    """The share of the rows of a task that an agent without memory labels wrongly."""
    return outcome(task, spec, [0])["measures"]["regret"][0][-1] / task.horizon


def results_in(folder):
    """Files but journals, to which Optuna adds a line whenever it opens one."""
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.suffix != ".journal"}


def test_the_better_agent_is_found_and_everything_is_kept(tmp_path):
    given = {"trials": 3, "seeds": 6, "store": tmp_path}
    found = choose(separable(120), "label", ["Confidit", "Banditron"], **given)
    assert found.best is not None
    assert found.best.agent == "Confidit"
    names = {one.agent for one in found.candidates}
    assert names == {"Confidit", "Banditron", "UniformRandom", "BestFixedAction"}
    (uniform,) = [one for one in found.candidates if one.agent == "UniformRandom"]
    assert uniform.score.value == 0
    for one in found.candidates:
        assert one.score.low <= one.score.value <= one.score.high
        assert one.microseconds > 0
        # The score, and the labels that are right, by their definition.
        measures = [
            row.measures["regret"][-1]
            for row in Store(found.problem.folder / ROWS).rows()
            if row.spec == one.spec
        ]
        assert len(measures) == 6
        right = 100 * (1 - np.mean(measures) / found.problem.task.horizon)
        assert one.measure.value == pytest.approx(right)
        assert one.measure.low <= one.measure.value <= one.measure.high
    assert found.advice.startswith(f"take {found.best.spec}: score 0.")
    text = repr(found)
    assert "OneHotEncoder" in text
    assert "Take Confidit" in text
    assert "scikit-learn's LogisticRegression is right " in " ".join(text.split())
    plain = json.loads(json.dumps(found.plain(), allow_nan=False))
    assert plain["take"] == found.best.spec
    assert plain["agents"][0]["score"]["value"] == found.best.score.value

    # A second call plays nothing again; one of other seeds plays those alone.
    stored = results_in(tmp_path)
    assert choose(separable(120), "label", ["Confidit", "Banditron"], **given).plain() == plain
    assert results_in(tmp_path) == stored
    more = choose(
        separable(120), "label", ["Confidit", "Banditron"], **{**given, "seeds": 7}
    ).plain()
    assert more["seeds"] == 7
    with pytest.raises(ValueError, match="with other trials: name another folder with --store"):
        choose(separable(120), "label", ["Confidit"], **{**given, "trials": 4})


def test_no_setting_is_scored_on_a_row_that_its_tuning_saw(tmp_path):
    """Labels are drawn without regard to the features, and a setting guesses from the digits of a
    row: the best of forty is far above uniform play on the rows that it was found on, and no
    better on others."""
    table = labelled_table(noise(), "label")
    problem = bandit_problem(table, tmp_path, 8)
    found = Choosing(problem, [GUESS], trials=40).play()
    (tuned,) = [one for one in found.candidates if one.agent.startswith("Guess")]
    assert tuned.setting  # what beats the defaults on the tuning rows is taken
    (tuning,) = problem.tasks.on(range(500_000, 500_001)).tasks
    seen, fresh = wrong(tuning, tuned.spec), wrong(problem.task, tuned.spec)
    # The data are drawn once: of the sixty settings, each of the six best on the tuning rows errs
    # on 33 to 38 % of these and on 46 to 62 % of the others, whichever of them the trials find.
    assert seen < 0.4
    assert fresh > 0.42
    # The report has the fresh rows; on the others the score would be above 0.2.
    assert tuned.measure.value == pytest.approx(100 * (1 - fresh))
    assert tuned.score.value < 0.2 < 1 - 2 * seen

    # Rows of results on the tuning part are refused, whoever plays them.
    swapped = replace(problem, tasks=replace(problem.tasks, suite=suite_on(problem, tuning)))
    store = Store(tmp_path / "swapped")
    runner.run(swapped.suite, [tuned.spec], store=store, execution=IN_PROCESS)
    with pytest.raises(ValueError, match="was not played on the reporting rows: no setting is"):
        choice(problem, store.rows(), [], [])


def suite_on(problem, task):
    return replace(problem.suite, tasks=(task,))


def test_numbers_are_maximised_over_rows(tmp_path):
    frame = separable(60)[["x", "z"]].fillna(0.0)
    frame["y"] = np.sin(2 * frame["x"]) + frame["z"]
    found = leaderboards.choose(
        frame, "y", ["GPUCB", "KernelUCB"], trials=2, seeds=5, store=tmp_path
    )
    assert found.problem.task.env == "KernelBandit-v0"
    assert found.best is not None
    assert found.best.agent in ("GPUCB", "KernelUCB")
    assert found.plain()["agents"][0]["regret per round"]["value"] < 2
    assert "regret per round" in repr(found)


def of_numbers(n_rows=200, slope=10.0):
    frame = separable(n_rows).drop(columns="label")
    noise = np.random.default_rng(7).standard_normal(n_rows)
    return frame.assign(y=100 + slope * frame["z"] + 5 * noise)


def test_numbers_are_predicted_and_compared_with_the_best_constant(tmp_path):
    specs = ["OnlineRidge", "GradientDescentRegression"]
    found = leaderboards.choose(
        of_numbers(), "y", specs, kind="predicted", trials=1, seeds=6, horizon=80, store=tmp_path
    )
    assert found.problem.task.env == "OnlineRegression-v0"
    assert found.best is not None
    assert found.best.agent == "OnlineRidge"
    own = {one.spec: one for one in found.candidates}
    assert own.keys() == {*specs, "PredictZero", BEST_CONSTANT}
    assert own["PredictZero"].score.value == 0
    assert own[BEST_CONSTANT].standing.rank is None
    # The measures by their definition, from the rows that each seed plays.
    rows = Store(found.problem.folder / ROWS).rows()
    lost = {
        spec: np.array(
            [
                -row.measures["reward"][-1] / 80
                for row in sorted(rows, key=lambda row: row.seed)
                if row.spec == spec
            ]
        )
        for spec in own
    }
    for spec, one in own.items():
        assert one.measure.value == pytest.approx(lost[spec].mean())
        assert one.over_fixed.value == pytest.approx((lost[BEST_CONSTANT] - lost[spec]).mean())
    assert own[BEST_CONSTANT].measure.value < own["PredictZero"].measure.value
    assert found.best.over_fixed.low > 0
    plain = json.loads(json.dumps(found.plain(), allow_nan=False))
    assert plain["agents"][0]["squared error"]["value"] == found.best.measure.value
    assert plain["supervised"]["model"] == "Ridge"
    assert plain["supervised"]["squared error"] < found.best.measure.value
    text = " ".join(repr(found).split())
    assert "scikit-learn's Ridge has a mean squared error of 0." in text
    assert "BestConstant predicts the one number that is best in hindsight" in text
    assert "the rows suffice for 100 rounds" in text


def test_no_agent_is_advised_that_predicts_no_better_than_the_mean(tmp_path):
    found = choose(
        of_numbers(60, slope=0.0),
        "y",
        ["OnlineRidge"],
        kind="predicted",
        trials=1,
        seeds=6,
        store=tmp_path,
    )
    assert found.best is None
    assert found.agent is None
    (fixed,) = [one for one in found.candidates if one.spec == BEST_CONSTANT]
    assert found.advice.startswith(
        "take none of these: no agent is clearly better than always predicting the mean, a squared "
        f"error of {fixed.measure.value:.4g}"[:-2]
    )


def test_what_is_predicted_are_numbers(tmp_path):
    # Whole numbers of few values are classes unless they are to be predicted.
    frame = of_numbers(60).assign(y=lambda f: 2 * (f["z"] > 0))
    assert (
        choose(
            frame, "y", ["OnlineRidge"], kind="predicted", trials=1, seeds=2, store=tmp_path
        ).problem.task.env
        == "OnlineRegression-v0"
    )
    with pytest.raises(ValueError, match="read as class, number or predicted, got 'predict'"):
        choose(frame, "y", kind="predict", store=tmp_path)
    with pytest.raises(ValueError, match="has text, which is not a number"):
        choose(separable(), "label", kind="predicted", store=tmp_path)


def test_doubtful_columns_are_warnings_and_lines_of_the_output(tmp_path):
    frame = separable().assign(sales=["1,234", "5,678"] * 30)
    with pytest.warns(UserWarning, match="the frame: the column 'sales' is left out: its text"):
        found = leaderboards.choose(
            frame, "label", ["Banditron"], trials=1, seeds=2, store=tmp_path
        )
    assert "'1,234' may be 1234 or 1.234" in " ".join(repr(found).split())
    assert any("sales (two readings)" in line for line in found.plain()["said"])


def test_huge_numbers_are_chosen_for_like_others(tmp_path):
    frame = separable(60)[["x", "z"]].fillna(0.0)
    frame["y"] = 2.0**700 * frame["z"]
    given = {"trials": 1, "seeds": 2, "horizon": 5, "store": tmp_path}
    huge = leaderboards.choose(frame, "y", ["GPUCB"], **given)
    frame["y"] = frame["z"]
    assert huge.advice.split(",")[0] == choose(frame, "y", ["GPUCB"], **given).advice.split(",")[0]


def test_all_suitable_agents_play_by_default(tmp_path):
    classes = bandit_problem(labelled_table(separable(), "label"), tmp_path, 2)
    names = [one.about["agent"] for one in suitable(classes, None)]
    assert {"Banditron", "Confidit", "SquareCB", "SOBA"} <= set(names)
    assert not {"Perceptron", "LinUCB", "GPUCB", "UniformRandom"} & set(names)
    numbers = bandit_problem(labelled_table(separable(), "z"), tmp_path, 2)
    names = [one.about["agent"] for one in suitable(numbers, None)]
    assert {"GPUCB", "GPTS", "BKB"} <= set(names)
    assert not {"Banditron", "LinUCB"} & set(names)
    predicted = bandit_problem(labelled_table(separable(), "z", "predicted"), tmp_path, 2)
    names = [one.about["agent"] for one in suitable(predicted, None)]
    assert {"OnlineRidge", "Forward", "SlidingWindowRidge"} <= set(names)
    assert not {"Banditron", "LinUCB", "PredictZero"} & set(names)


def test_without_optuna_all_play_their_defaults_and_the_output_says_so(tmp_path, monkeypatch):
    optuna.cache_clear()
    monkeypatch.setitem(sys.modules, "optuna", None)
    found = choose(separable(), "label", ["Banditron"], seeds=3, store=tmp_path)
    optuna.cache_clear()
    assert not any(one.tuned for one in found.candidates)
    assert found.notes[0].startswith(
        "nothing was tuned, all agents play their defaults: tuning needs Optuna: pip install "
        "'banditgym[tune]'"
    )
    assert not list(tmp_path.rglob("*.journal"))


def test_an_agent_that_fails_is_told_and_not_tuned(tmp_path):
    found = choose(
        separable(), "label", [f"{PLACE}Broken", "Banditron"], trials=2, seeds=3, store=tmp_path
    )
    (broken,) = [one for one in found.candidates if one.agent.startswith("Broken")]
    assert broken.score is None
    assert not broken.tuned
    assert any(note.startswith("failed: Broken") and "broken" in note for note in found.notes)
    assert "failed in 3 of 3 episodes" in json.dumps(found.plain())


def test_no_agent_is_advised_that_is_not_better_than_uniform_play(tmp_path):
    found = choose(noise(), "label", [GUESS], trials=1, seeds=6, store=tmp_path)
    assert found.best is None
    assert found.advice.startswith("take none of these: no agent is clearly better than ")
    assert (found.plain()["take"], found.plain()["not clearly worse"]) == (None, [])


@pytest.mark.parametrize("rare", [0.02, 0.1])
def test_no_agent_is_advised_that_is_not_better_than_the_best_fixed_label(tmp_path, rare):
    """The features say nothing, so playing the common label in every round is the best of all."""
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.standard_normal((300, 3)), columns=list("abc"))
    frame["label"] = np.where(rng.random(300) < rare, "rare", "common")
    found = choose(frame, "label", ["Confidit", "Banditron"], trials=1, seeds=8, store=tmp_path)
    (fixed,) = [one for one in found.candidates if one.spec == BEST_FIXED]
    labels = found.problem.table.labels[found.problem.split.reporting]
    assert fixed.measure.value == pytest.approx(100 * max(np.mean(labels), 1 - np.mean(labels)))
    assert fixed.standing.rank is None
    assert "ref" in repr(found)
    assert found.candidates[0].agent == "Confidit"  # far above uniform play
    assert found.candidates[0].score.low > 0
    over = found.candidates[0].over_fixed
    wrong = {
        spec: {row.seed: row.measures["regret"][-1] for row in rows if row.spec == spec}
        for rows in [Store(found.problem.folder / ROWS).rows()]
        for spec in ("Confidit", BEST_FIXED)
    }
    more = [wrong[BEST_FIXED][seed] - wrong["Confidit"][seed] for seed in range(8)]
    assert over.value == pytest.approx(100 * np.mean(more) / found.problem.task.horizon)
    assert over.high < 0
    assert found.best is None
    assert found.advice == (
        "take none of these: no agent is clearly better than always playing the label that is best "
        f"in hindsight, {fixed.measure.value:.4g} [{fixed.measure.low:.4g}, "
        f"{fixed.measure.high:.4g}] right of 100"
    )
    plain = found.plain()
    assert (plain["take"], plain["not clearly worse"]) == (None, [])


def test_an_agent_is_advised_that_is_better_than_the_best_fixed_label(tmp_path):
    frame = separable(300).assign(town="Ulm")
    frame["label"] = np.where(frame["x"].fillna(0) > 1.0, "rare", "common")  # one in six
    found = choose(frame, "label", ["Confidit", "Banditron"], trials=1, seeds=8, store=tmp_path)
    over = {one.agent: one.over_fixed for one in found.candidates}
    assert over["UniformRandom"].high < 0
    assert over["BestFixedAction"].value == over["BestFixedAction"].high == 0
    assert found.best is not None
    assert found.best.over_fixed.low > 0
    assert all(one.over_fixed.low > 0 for one in found.alike)
    # The same candidates, had none been shown to be better than the best fixed label.
    alike = tuple(replace(one, over_fixed=Interval(0.5, -0.1, 1.1)) for one in found.candidates)
    assert replace(found, candidates=alike).best is None
    # An agent behind the first one may be the only one that is.
    first, second, *others = found.candidates
    below, above = Interval(1, -1, 3), Interval(1, 0.5, 1.5)
    two = replace(first, over_fixed=below), replace(second, over_fixed=above)
    turned = replace(found, candidates=(*two, *others))
    assert turned.best is two[1]
    assert "better than the best fixed label it has the highest score" in turned.advice


def test_one_seed_has_no_interval_and_advises_nothing(tmp_path):
    found = choose(separable(60), "label", ["Confidit"], trials=1, seeds=1, store=tmp_path)
    assert found.best is None


def test_wrong_agents_are_one_line(tmp_path):
    for agents, message in (
        (["LinUCB"], "LinUCB cannot be chosen for the frame"),
        (["Perceptron"], "it is given the true labels: a reference"),
        (["Banditrn"], "unknown agent 'Banditrn'; did you mean Banditron"),
        ("Banditron", "agents are a list of names, got 'Banditron'"),
        ([], r"agents are a list of names, got \[\]"),
    ):
        with pytest.raises(ValueError, match=message):
            choose(separable(), "label", agents, store=tmp_path)
    with pytest.raises(ValueError, match="trials must be"):
        choose(separable(), "label", trials=0, store=tmp_path)


KNOWS = """
from dataclasses import dataclass
import agents
from banditgym.tasks import MulticlassTask

@dataclass(kw_only=True, eq=False)
class Knows(agents.ScalarAgent):
    slips: float = 0.0  # how often its first label is wrong
    accepts = (MulticlassTask,)
    def begin(self, task, rng): self.slip = rng.random() < self.slips
    def choose(self, row):
        slip, self.slip = self.slip, False
        return int((row[0] > 0) != slip)
    def learn(self, row, label, reward): pass
"""


def test_an_agent_that_is_always_right_has_the_score_1_exactly(tmp_path):
    """Uniform play is right more often on some seeds: the possible gain varies."""
    (tmp_path / "knows.py").write_text(KNOWS)
    place = f"{tmp_path / 'knows.py'}:Knows"
    x = np.repeat([-1.0, 1.0], 60)
    frame = pandas.DataFrame({"x": x, "label": np.where(x > 0, "p", "n")})
    specs = [place, f"{place}(slips=0.4)"]
    found = choose(frame, "label", specs, trials=1, seeds=7, store=tmp_path / "store")
    scores = {one.spec.partition(":")[2]: one for one in found.candidates}
    perfect, nearly = scores["Knows"], scores["Knows(slips=0.4)"]
    assert (perfect.score.value, perfect.score.low, perfect.score.high) == (1.0, 1.0, 1.0)
    assert (perfect.measure.value, perfect.measure.high) == (100.0, 100.0)
    assert 0.9 < nearly.score.value < nearly.score.high <= 1.0
    assert nearly.measure.value < nearly.measure.high <= 100.0
    assert found.best == perfect
    assert "on these tasks, at these horizons; seeds vary, tasks are fixed" in repr(found)
