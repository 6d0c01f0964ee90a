"""Comparisons on small environments (about 5 s with warm caches)."""

import base64
import dataclasses
import re

import gymnasium
import numpy as np
import pytest
from rich.console import Console
from scipy import stats

import agents
import leaderboards
from banditgym.logs import open_log
from leaderboards.comparison import compare_function
from leaderboards.comparison.compare_function import compare
from leaderboards.comparison.comparison import Comparison
from leaderboards.comparison.sequential_play import Until

SMALL = {"n_arms": 5, "dim": 3, "horizon": 200}


@pytest.fixture(scope="module")
def result():
    names = [agents.UniformRandom(), "LinUCB", "LinUCB(alpha=0.2)", agents.LinUCB(alpha=0.2)]
    return compare("LinearBandit-v0", names, seeds=8, **SMALL)


def test_intervals_of_a_regret_that_cannot_be_negative_end_at_0():
    found = compare("ArmedBandit-v0", ["KLUCB"], seeds=3, horizon=2, n_arms=2, means=[0.5, 0.4])
    once = dataclasses.replace(
        found.traces["KLUCB"], measures={"regret": np.array([[0.0, 9.0], [0.0, 0.0], [0.0, 0.0]])}
    )
    row = dataclasses.replace(found, traces={"KLUCB": once}).to_frame().iloc[0]
    assert (row["mean"], row["low"]) == (3.0, 0.0)
    assert row["high"] == pytest.approx(t_interval(np.array([9.0, 0.0, 0.0]))[1])


def t_interval(values):
    return stats.ttest_1samp(values, 0).confidence_interval(0.95)


def test_it_is_found_in_the_package():
    assert leaderboards.compare is compare


def test_traces_are_those_of_play_on_paired_seeds(result):
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=8, **SMALL)
    trace = agents.play(envs, agents.LinUCB(alpha=0.2), seed=list(range(8)))
    np.testing.assert_array_equal(result.traces["LinUCB(alpha=0.2)"].regret, trace.regret)
    assert result.traces["LinUCB"].seeds == list(range(8))


def test_labels_are_unique_and_in_the_order_given(result):
    assert list(result.traces) == [
        "UniformRandom",
        "LinUCB",
        "LinUCB(alpha=0.2)",
        "LinUCB(alpha=0.2) #2",
    ]


def test_the_frame_is_its_definition(result):
    frame = result.to_frame().set_index("agent")
    assert frame["mean"].is_monotonic_increasing
    assert frame.index[-1] == "UniformRandom"
    best = result.traces[frame.index[0]].regret[:, -1]
    for label, row in frame.iterrows():
        final = result.traces[label].regret[:, -1]
        assert row["mean"] == pytest.approx(final.mean())
        interval = stats.ttest_1samp(final, 0).confidence_interval(0.95)
        assert (row["low"], row["high"]) == pytest.approx(tuple(interval))
        if np.array_equal(final, best):
            assert row["difference"] == row["difference_low"] == row["difference_high"] == 0
        else:
            interval = stats.ttest_rel(final, best).confidence_interval(0.95)
            assert (row["difference_low"], row["difference_high"]) == pytest.approx(tuple(interval))
        env, agent = result.traces[label].seconds
        assert row["microseconds"] == pytest.approx(1e6 * agent / (8 * 200))
        assert row["env_microseconds"] == pytest.approx(1e6 * env / (8 * 200))


def test_the_table_and_the_repr_say_the_same(result):
    console = Console(width=110)
    with console.capture() as capture:
        console.print(result.table())
    assert [line.rstrip() for line in capture.get().splitlines()] == repr(result).splitlines()
    assert "LinearBandit-v0(n_arms=5, dim=3, horizon=200), 200 rounds, 8 seeds" in repr(result)
    mean = result.traces["UniformRandom"].regret[:, -1].mean()
    assert f"{mean:.4g} [" in repr(result)


def test_which_end_is_good_and_whose_agent_is_ones_own_is_told(result):
    class Mine(agents.LinUCB):
        pass

    assert "regret ↓ [95 %]" in repr(result)
    assert "↓ lower is better" in repr(result)
    assert "★" not in repr(result)
    both = compare("LinearBandit-v0", [Mine(), "LinUCB"], seeds=2, **SMALL)
    assert "Mine ★" in repr(both)
    assert "LinUCB ★" not in repr(both)
    assert "★ an agent that is not banditgym's" in repr(both)
    rewards = Comparison("Replay-v0", {}, "reward", result.traces)
    assert "reward ↑ [95 %]" in repr(rewards)
    assert "↑ higher is better" in repr(rewards)


def test_names_of_labels_are_in_the_remark():
    kinds = ["high", "low", "mid"] * 8
    given = {"seeds": 2, "data": (np.eye(24), kinds)}
    result = compare("MulticlassBandit-v0", ["UniformRandom"], **given)
    assert "the labels are 0 high, 1 low, 2 mid" in " ".join(repr(result).split())
    many = compare(
        "MulticlassBandit-v0",
        ["UniformRandom"],
        seeds=2,
        data=(np.eye(24), list("abcdefghijkl") * 2),
    )
    assert "7 h, .." in " ".join(repr(many).split())


def test_times_are_the_agents_and_the_remark_has_the_least_of_the_environment(result):
    seconds = {"UniformRandom": (32e-3, 8e-3), "LinUCB": (16e-3, 32e-3)}  # of 8 x 200 rounds
    traces = {
        label: dataclasses.replace(result.traces[label], seconds=times)
        for label, times in seconds.items()
    }
    timed = dataclasses.replace(result, traces=traces)
    assert [row[-1] for row in timed._cells()] == ["20", "5"]
    assert "the environment takes 10 µs of its own" in " ".join(repr(timed).split())


def test_two_rounds_of_a_copy_come_before_the_clock_starts():
    starts = []

    class Noted(agents.UCB1):
        def _start(self):
            starts.append((self, self.task.horizon))
            super()._start()

    mine = Noted()
    compare("ArmedBandit-v0", [mine], seeds=2, horizon=30)
    assert [horizon for _, horizon in starts] == [2, 30]
    assert [agent is mine for agent, _ in starts] == [False, True]
    compare("ArmedBandit-v0", [mine], seeds=2, horizon=1)
    assert starts[-2][1] == 1  # no longer than the task


def test_the_picture_shows_the_traces(result, tmp_path):
    figure = result.plot(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    (axes,) = figure.axes
    drawn = {tuple(line.get_ydata()) for line in axes.lines}
    for trace in result.traces.values():
        assert tuple(trace.regret.mean(axis=0)) in drawn
    said = [text.get_text() for text in axes.texts]
    assert sorted(said) == [
        "= LinUCB(alpha=0.2) #2",
        "LinUCB",
        "LinUCB(alpha=0.2)",
        "UniformRandom",
    ]


def test_a_notebook_shows_the_table_and_the_curves(result):
    import matplotlib

    settings = matplotlib.get_backend(), matplotlib.rcParams.copy()
    text = result._repr_html_()
    assert (matplotlib.get_backend(), matplotlib.rcParams) == settings
    rows = re.findall(r"<tr>(.*?)</tr>", text)
    assert [re.findall(r">([^<]*)</t[hd]>", row)[0] for row in rows] == [
        "agent",
        *result.to_frame()["agent"],
    ]
    mean = result.traces["UniformRandom"].regret[:, -1].mean()
    assert f">{mean:.4g} [" in rows[-1]
    assert "200 rounds, 8 seeds" in text
    (picture,) = re.findall(r'src="data:image/png;base64,([^"]*)"', text)
    assert base64.b64decode(picture, validate=True).startswith(b"\x89PNG")


def test_names_are_text_in_a_notebook(result):
    hostile = '<script>alert("1")</script>'
    one = dataclasses.replace(
        result,
        env=hostile,
        settings={"data": hostile},
        traces={hostile: result.traces["LinUCB"]},
        own=frozenset({hostile}),
    )
    text = one._repr_html_()
    assert "<script" not in text
    assert text.count("&lt;script&gt;") == 3
    assert "★" in text


def test_seeds_may_be_chosen_and_the_id_sit_among_the_settings(result):
    env = {"id": "LinearBandit-v0", "n_arms": 5, "dim": 3}
    some = compare(env, ["LinUCB"], seeds=[6, 2], horizon=200)
    expected = result.traces["LinUCB"].regret[[6, 2]]
    np.testing.assert_array_equal(some.traces["LinUCB"].regret, expected)
    assert some.settings == SMALL
    assert env["id"] == "LinearBandit-v0"


def test_environments_of_one_shape_share_noise_on_a_seed():
    # Why statistics draws seeds for all tasks at once. At 800 seeds independent values correlate
    # by less than 4 / sqrt(800) = 0.142; uniform play does not even see the noise.
    quiet, loud = (
        compare("LinearBandit-v0", ["LinUCB", "UniformRandom"], seeds=800, horizon=1000,
                n_arms=20, dim=10, noise_std=noise_std)
        for noise_std in (0.1, 0.3)
    )  # fmt: skip
    correlation = {
        label: np.corrcoef(quiet.traces[label].regret[:, -1], loud.traces[label].regret[:, -1])[
            0, 1
        ]
        for label in quiet.traces
    }
    assert correlation["LinUCB"] > 0.142
    assert correlation["UniformRandom"] > 0.999


def test_one_seed_has_no_interval():
    one = compare("ArmedBandit-v0", ["UCB1", "UniformRandom"], seeds=1, horizon=50)
    frame = one.to_frame()
    assert np.isnan(frame["low"]).all()
    assert "nan" not in repr(one)
    one.plot()


def test_of_news_the_click_rate_is_compared_and_much_of_it_is_best():
    result = compare("NewsReplay-v0", ["UniformRandom", "LinUCB"], seeds=4, horizon=4000)
    frame = result.to_frame()
    assert result.measure == "clicks_per_10000"
    assert frame["mean"][0] > frame["mean"][1] > 0
    assert list(frame["agent"]) == ["LinUCB", "UniformRandom"]


def test_without_regret_rewards_are_compared(result):
    frame = Comparison("Replay-v0", {}, "reward", result.traces).to_frame()
    assert frame["mean"].is_monotonic_decreasing
    assert (frame["difference"] <= 0).all()


@pytest.mark.parametrize(
    ("env", "names", "settings", "message"),
    [
        ("LinearBandits-v0", ["LinUCB"], {}, "LinearBandit"),
        ("LinearBandit-v0", ["LinUBC"], {}, "did you mean LinUCB"),
        ("LinearBandit-v0", ["LinUCB"], {"dims": 3}, "dims"),
        ("LinearBandit-v0", ["LinUCB"], {"dim": -1}, "dim .*-1"),
        ("ArmedBandit-v0", ["UCB1", "LinUCB"], {}, "LinUCB cannot play ArmedBandit-v0: "),
        ("LinearBandit-v0", [], {}, "at least one agent"),
        ("LinearBandit-v0", ["LinUCB"], {"seeds": 0}, "seeds .* got 0"),
        ("LinearBandit-v0", ["LinUCB"], {"seeds": [1, 1]}, r"seeds .* got \[1, 1\]"),
        ({"n_arms": 3}, ["LinUCB"], {}, "under 'id'"),
        ({"id": 3}, ["LinUCB"], {}, "under 'id'"),
        ({"id": "LinearBandit-v0", "dim": 3}, ["LinUCB"], {"dim": 4}, "dim is given twice"),
    ],
)
def test_bad_input_is_one_clear_line(env, names, settings, message):
    with pytest.raises(ValueError, match=message) as error:
        compare(env, names, **settings)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("long", [True, False])
def test_a_long_wait_shows_a_bar_and_a_short_one_nothing(long, monkeypatch, capfd):
    class Timer:
        """A timer whose time is over at once, or never."""

        def __init__(self, seconds, function):
            assert seconds == compare_function.PATIENCE >= 1
            self.function = function

        def start(self):
            if long:
                self.function()

        def cancel(self): ...

        def join(self): ...

    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes the captured stream for a terminal
    monkeypatch.setattr(compare_function.threading, "Timer", Timer)
    with compare_function._progress(3) as show:
        show(0, ["Agent[red]"])
    err = capfd.readouterr().err
    assert ("Agent[red]" in err) if long else (err == "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("LinearBandit-v0", 3), "agents must be Agents or their names, got 3"),
        (("LinearBandit-v0", [None]), "agents must be Agents or their names, got None"),
        (("LinearBandit-v0", [agents.LinUCB]), r"LinUCB is a class: give LinUCB\(\)"),
        ((3, ["LinUCB"]), "env must be an id or a mapping of settings, got 3"),
    ],
)
def test_what_is_no_environment_or_agent_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(*arguments)


@pytest.mark.parametrize(
    "seeds", [0, -1, True, 2.5, "3", [], [1, 1], [1, 0.5], [1, -1], [True, 0], None]
)
def test_seeds_that_are_none_are_refused(seeds):
    with pytest.raises(ValueError, match="seeds must be a number >= 1 or a list of different"):
        compare("LinearBandit-v0", "LinUCB", seeds=seeds, **SMALL)


def test_an_agent_alone_is_a_list_of_one():
    assert list(compare("LinearBandit-v0", "LinUCB", seeds=2, **SMALL).traces) == ["LinUCB"]


def test_an_agent_that_fails_is_named_with_its_error():
    class Fragile(agents.UniformRandom):
        def _learn(self, *_):
            raise RuntimeError("boom")

    with pytest.raises(ValueError, match="Fragile failed: RuntimeError: boom"):
        compare("LinearBandit-v0", Fragile(), seeds=2, **SMALL)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, GeneratorExit, SystemExit, ZeroDivisionError])
def test_whatever_an_agent_raises_is_told_with_its_line(kind):
    class Mine(agents.UCB1):
        def _choose(self, contexts):
            raise kind("me")

    place = rf"Mine failed: {kind.__name__}: me \(test_compare_function.py:\d+\)$"
    with pytest.raises(ValueError, match=place):
        compare("ArmedBandit-v0", [Mine()], seeds=2, horizon=9)


def test_with_workers_too_an_agent_that_fails_is_told_with_its_line(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import agents\n\nclass Mine(agents.UCB1):\n    def _start(self):\n        1 / 0\n"
    )
    with pytest.raises(ValueError, match=r"division by zero \(mine.py:5\)$") as caught:
        compare("ArmedBandit-v0", [f"{tmp_path}/mine.py:Mine"], seeds=2, horizon=9, workers=2)
    assert "in _start" in str(caught.value.__cause__)


def test_until_decided_plays_until_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = [agents.LinUCB(alpha=0.2), "UniformRandom"]
    found = compare("LinearBandit-v0", names, until_decided=True, **SMALL)
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.verdict) == (
        "LinUCB(alpha=0.2)",
        "UniformRandom",
        "better",
    )
    assert "uniform play has a mean regret of" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["banditgym-results"]
    until = Until(margin=0.2, budget=5, store=tmp_path / "other")
    short = compare({"id": "LinearBandit-v0"}, names, until_decided=until, horizon=30)
    assert (short.rule.margin, short.pairs[0].seeds) == (0.2, 5)
    assert short.on == "LinearBandit-v0(horizon=30)"
    assert (tmp_path / "other").is_dir()


def test_until_decided_takes_suites_and_agents_that_can_be_named(tmp_path):
    until = Until(budget=2, store=tmp_path)
    (tmp_path / "own.toml").write_text(
        'title = "t"\nseeds = 2\n[[task]]\nname = "one"\nenv = "ArmedBandit-v0"\nhorizon = 30\n'
    )
    found = compare(f"{tmp_path}/own.toml", ["UCB1", "UniformRandom"], until_decided=until)
    assert (found.on, list(found.denominators)) == ("own", ["one"])

    class Mine(agents.LinUCB):
        pass

    for given, more, message in (
        ([Mine(), "LinUCB"], {}, "until_decided stores results: name Mine, 'file.py:Class'"),
        (["LinUCB", "OFUL"], {"seeds": 5}, "until_decided plays as many seeds .* drop seeds"),
        (["LinUCB", "OFUL"], {"threads": 2}, "until_decided plays on one thread .* drop threads"),
        (["LinUCB"], {}, "compare at least two agents, got LinUCB"),
        (["LinUCB", "OFUL"], {"workers": 0}, "workers must be"),
    ):
        with pytest.raises(ValueError, match=message):
            compare("LinearBandit-v0", given, until_decided=until, **more)


def test_any_measure_is_drawn_summed_or_per_round():
    settings = {"means": [0.9, 0.1], "horizon": 200}
    result = compare(
        "ArmedBandit-v0", ["UCB1", "UniformRandom"], seeds=4, rounds=[50, 100], **settings
    )
    trace = result.traces["UCB1"]
    assert trace.rounds.tolist() == [50, 100, 200]
    [axes] = result.plot(measure="optimal").axes
    summed = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    optimal = trace.measures["optimal"].mean(axis=0)
    assert any(
        np.allclose(np.asarray(y, float)[-3:], optimal) for y in summed.values() if len(y) >= 3
    )
    [axes] = result.plot(measure="optimal", per_round=True).axes
    each = np.diff(optimal, prepend=0) / [50, 50, 100]
    assert axes.get_yscale() == "linear"
    drawn = [np.asarray(line.get_ydata(), float) for line in axes.get_lines()]
    assert any(np.allclose(y[-3:], each) for y in drawn if len(y) >= 3)
    with pytest.raises(ValueError, match="holds no 'clicks'; it has reward, regret, optimal"):
        result.plot(measure="clicks")
    with pytest.raises(ValueError, match="until_decided compares the last round: drop rounds"):
        compare("ArmedBandit-v0", ["UCB1", "KLUCB"], rounds=[3], until_decided=True)


def test_a_log_takes_the_rounds_of_all_agents(tmp_path):
    of = ("LinearBandit-v0", ["UniformRandom", "EpsilonGreedy"])
    settings = {"seeds": 2, "horizon": 20}
    with agents.LogFile(tmp_path / "log.parquet") as log:
        logged = compare(*of, **settings, log=log)
    plain = compare(*of, **settings)
    for label, trace in plain.traces.items():
        np.testing.assert_array_equal(trace.regret, logged.traces[label].regret)
    assert open_log(tmp_path / "log.parquet").n_rows == 2 * 2 * 20


def test_a_log_that_cannot_be_written(tmp_path):
    log, settings = agents.LogFile(tmp_path / "log.parquet"), {"seeds": 2, "horizon": 20}
    for env, names, more, message in [
        (
            "SphereBandit-v0",
            ["PEGE"],
            {},
            "PEGE cannot be logged: strongly_convex tasks have no arms",
        ),
        (
            "ArmedBandit-v0",
            ["UCB1"],
            {"workers": 2},
            "written by one process: take workers=1, got 2",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            compare(env, names, **settings, **more, log=log)
    with pytest.raises(ValueError, match="until_decided plays any number of seeds: drop log"):
        compare("ArmedBandit-v0", ["UCB1", "UCB1"], until_decided=True, log=log)
    assert list(tmp_path.iterdir()) == []
