"""Studies: what they try, what they choose, and that a killed one goes on as if it had not been."""

import hashlib
import json
import os
import signal

import optuna
import pytest

from agents.naming import resolve
from agents.search import Choice, Log
from leaderboards.run.keys.sources import of_agent
from leaderboards.suites.seed_ranges import TUNING
from leaderboards.tuning import study as studies
from leaderboards.tuning.study import Study, journal, run
from leaderboards.tuning.trials import Scoring, play

from .tunable import PLACE, baselines_of

FIRST, MIDDLE, LAST = TUNING.start, TUNING.start + 8, TUNING.start + 24
TRIALS = 13  # TPE draws the first ten at random


@pytest.fixture
def make(tasks):
    names = ["coins", "rare"]
    baselines = baselines_of(tasks.on(range(FIRST, LAST), names))

    def made(spec="UCB1", trials=TRIALS, **changes):
        fields = {
            "spec": spec,
            "family": "armed",
            "space": resolve(spec).search,
            "trials": trials,
            "search": tasks.on(range(FIRST, MIDDLE), names),
            "check": tasks.on(range(MIDDLE, LAST), names),
            "baselines": baselines,
            "sources": of_agent(spec),
        }
        return Study(**{**fields, **changes})

    return made


def trials_of(study, folder):
    """All that the journal keeps of trials, except for times."""
    with journal(folder / f"{study.name}.journal") as storage:
        kept = optuna.load_study(storage=storage, study_name=study.name)
        attributes = [{**one.user_attrs, "seconds": None} for one in kept.trials]
        return [
            (one.number, one.state.name, one.params, one.value, own)
            for one, own in zip(kept.trials, attributes, strict=True)
        ]


def test_a_study_is_a_loop_of_fresh_samplers(make, tmp_path):
    """The definition: every trial has a sampler of its own, and depends on earlier trials alone."""
    study = make()
    found = run(study, tmp_path)
    scoring = Scoring(study.search, study.baselines)
    settings, values = [], []
    space = {"scale": optuna.distributions.FloatDistribution(0.05, 5.0, log=True)}
    for number in range(TRIALS):
        setting = {}
        if number:
            text = json.dumps(["UCB1", "armed", number]).encode()
            seed = int.from_bytes(hashlib.sha256(text).digest()[:4])
            sampler = optuna.samplers.TPESampler(seed=seed)
            memory = optuna.create_study(direction="maximize", sampler=sampler)
            for earlier, value in zip(settings, values, strict=True):
                told = earlier or {"scale": 1.0}  # the default
                memory.add_trial(optuna.trial.create_trial(
                    params=told, distributions=space, value=value))  # fmt: skip
            setting = {"scale": float(f"{memory.ask(space).params['scale']:.3g}")}
        spec = f"UCB1(scale={setting['scale']!r})" if setting else "UCB1"
        finals = play(spec, study.search).finals
        settings.append(setting)
        values.append(scoring.score(finals))
    made = trials_of(study, tmp_path)
    assert [one[4]["setting"] for one in made] == settings
    assert [one[3] for one in made] == values
    assert len({str(setting) for setting in settings}) == TRIALS
    best = max(range(TRIALS), key=values.__getitem__)
    assert found["best"] == settings[best]


def test_the_first_trial_is_the_defaults(make, tmp_path):
    study = make(space={"noise_std": Log(0.02, 1.0)}, trials=1)
    found = run(study, tmp_path)
    ((_, state, params, value, own),) = trials_of(study, tmp_path)
    assert (state, params, own["setting"]) == ("COMPLETE", {}, {})  # the task's fact: no number
    assert own["finals"] == play("UCB1", study.search).finals
    assert value == Scoring(study.search, study.baselines).score(own["finals"])
    scores = Scoring(study.search, study.baselines).by_ranking(own["finals"])
    twice = {name: [s, s] for name, s in scores.items()}
    assert found == {"setting": {}, "best": {}, "failed": 0, "scores": twice, "gain": None}
    # A default within the space is told to the sampler as one.
    other = make("UCB1(scale=0.4)", trials=1)
    run(other, tmp_path)
    assert trials_of(other, tmp_path)[0][2] == {"scale": 0.4}


class Stopped(BaseException):
    pass


@pytest.mark.parametrize("kind", ["UCB1", PLACE + "Wide"])
def test_a_study_that_was_stopped_between_trials_goes_on_as_if_not(
    make, tmp_path, monkeypatch, kind
):
    study = make(kind)
    whole = run(study, tmp_path / "whole")
    play_once, left = studies.play, 0

    def stopping(*arguments):
        nonlocal left
        left -= 1
        if left < 0:
            raise Stopped
        return play_once(*arguments)

    stops, found = 0, None
    while found is None:
        left = 2  # two trials, and then a stop within the third
        with monkeypatch.context() as patched:
            patched.setattr(studies, "play", stopping)
            try:
                found = run(study, tmp_path / "parts")
            except Stopped:
                stops += 1
    assert stops >= 5
    assert found == whole
    assert trials_of(study, tmp_path / "parts") == trials_of(study, tmp_path / "whole")
    assert run(study, tmp_path / "parts") == whole  # nothing more is played


def test_a_study_that_was_killed_goes_on_as_if_not(make, tmp_path, monkeypatch):
    study = make()
    whole = run(study, tmp_path / "whole")
    play_once = studies.play
    for survivors in (1, 4):
        child = os.fork()
        if child == 0:

            def killing(*arguments, left=[survivors]):  # noqa: B006 (a counter)
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return play_once(*arguments)

            studies.play = killing
            run(study, tmp_path / "killed")
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    path = tmp_path / "killed" / "UCB1.armed.journal"
    with path.open("ab") as file:
        file.write(b'{"op_code":4,"worker')  # a line that was cut
    assert len(trials_of(study, tmp_path / "killed")) == 5
    assert run(study, tmp_path / "killed") == whole
    assert trials_of(study, tmp_path / "killed") == trials_of(study, tmp_path / "whole")


def test_a_setting_is_taken_only_if_it_beats_the_defaults_elsewhere(make, tmp_path):
    # An arm that is best on the trials' seeds alone. The sampler's seed depends on the path of the
    # agent's file: twelve trials of three values name the best whatever it is.
    by_chance = make(PLACE + "Fixed(arm=1)", space={"arm": Choice((0, 1, 2))}, trials=12)
    found = run(by_chance, tmp_path)
    scoring = Scoring(by_chance.check, by_chance.baselines)
    arms = [play(f"{PLACE}Fixed(arm={arm})", by_chance.check).finals for arm in range(3)]
    assert found["best"]
    difference = scoring.difference(arms[found["best"]["arm"]], arms[1])
    assert found["gain"] == list(difference)
    assert bool(found["setting"]) == (difference[1] > 0)
    # A width that is right everywhere is taken, and its scores stand beside the defaults'.
    better = make("UCB1(scale=5.0)", trials=4)
    found = run(better, tmp_path)
    assert found["setting"] == found["best"] != {}
    assert found["gain"][1] > 0
    assert all(own > default for default, own in found["scores"].values())


def test_a_gain_that_may_be_none_is_not_taken(make, tmp_path, monkeypatch):
    for low, taken in ((-0.01, False), (0.0, False), (0.01, True)):
        monkeypatch.setattr(Scoring, "difference", lambda *_, low=low: (0.1, low, 0.2))
        found = run(make("UCB1(scale=5.0)", trials=4), tmp_path / str(low))
        assert bool(found["setting"]) is taken
        assert found["gain"] == [0.1, low, 0.2]
        assert found["best"]
        if not taken:
            assert all(own == default for default, own in found["scores"].values())


def test_failed_trials_count_and_are_recorded(make, tmp_path):
    study = make(PLACE + "Wide", trials=8)
    found = run(study, tmp_path)
    made = trials_of(study, tmp_path)
    failed = [one for one in made if one[1] == "FAIL"]
    assert 0 < found["failed"] == len(failed) < 8
    for _, _, params, value, own in failed:
        assert params["width"] > 5.0
        assert value is None
        assert "too wide" in own["error"]


def test_a_trial_over_twenty_times_the_defaults_time_fails(make, tmp_path):
    study = make(PLACE + "Heavy", trials=3, space={"seconds": Choice((1.3, 1.4))})
    found = run(study, tmp_path)
    assert found["failed"] == 2
    assert "CPU seconds, over 1" in trials_of(study, tmp_path)[1][4]["error"]
    assert (found["setting"], found["best"], found["gain"]) == ({}, {}, None)


def test_equal_settings_are_played_once(make, tmp_path, monkeypatch):
    played = []
    play_once = studies.play
    monkeypatch.setattr(studies, "play", lambda *a: played.append(a[0]) or play_once(*a))
    study = make(PLACE + "Fixed", space={"arm": Choice((1, 2))}, trials=9)
    run(study, tmp_path)
    trials = played[:-2] if len(played) > 3 else played
    assert len(set(trials)) == len(trials) <= 3
    made = trials_of(study, tmp_path)
    assert len(made) == 9
    assert len({one[3] for one in made if one[2] == {"arm": 1}}) == 1


def test_a_journal_of_another_study_is_refused(make, tmp_path, monkeypatch):
    run(make(trials=2), tmp_path)
    monkeypatch.setattr(optuna, "__version__", "4.9")
    with pytest.raises(ValueError, match="UCB1 on armed with other optuna: name another folder"):
        run(make(trials=2), tmp_path)
    monkeypatch.undo()
    with monkeypatch.context() as patched:
        patched.setattr(studies, "of_environment", lambda task: "another")
        with pytest.raises(ValueError, match="UCB1 on armed with other tasks: name another"):
            run(make(trials=2), tmp_path)
    for changes, other in (
        ({"trials": 3}, "trials"),
        ({"space": {"noise_std": Log(0.1, 1.0)}}, "space"),
        ({"sources": "another"}, "sources"),
        ({"check": make().search}, "further seeds"),
    ):
        with pytest.raises(ValueError, match=f"UCB1 on armed with other {other}: name another"):
            run(make(**{"trials": 2, **changes}), tmp_path)


def test_one_process_at_a_time_has_a_journal(make, tmp_path):
    study = make(trials=1)
    with (
        journal(tmp_path / f"{study.name}.journal"),
        pytest.raises(ValueError, match="another process is tuning into"),
    ):
        run(study, tmp_path)
    run(study, tmp_path)


def test_defaults_that_fail_are_an_error(make, tmp_path):
    with pytest.raises(ValueError, match=r"Wide\(width=9.0\) fails with its defaults, on coins: "):
        run(make(PLACE + "Wide(width=9.0)", trials=2), tmp_path)


def test_journals_have_names_of_their_own(make):
    names = [make(spec).name for spec in ("UCB1", "UCB1(noise_std=0.5)", PLACE + "Fixed")]
    assert names[0] == "UCB1.armed"
    assert len(set(names)) == 3
    assert all("/" not in name for name in names)


def test_a_journal_with_another_score_is_scored_anew(make, tmp_path, monkeypatch):
    """An earlier version's score decides nothing: of its trials all numbers are kept."""
    study, own = make(trials=6), Scoring.score
    with monkeypatch.context() as patched:
        patched.setattr(Scoring, "score", lambda self, finals: -own(self, finals))
        patched.setattr(studies, "_compared", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(study, tmp_path)
    kept = trials_of(study, tmp_path)
    found = run(study, tmp_path)
    assert trials_of(study, tmp_path) == kept
    scoring = Scoring(study.search, study.baselines)
    scores = [scoring.score(attributes["finals"]) for *_, attributes in kept]
    assert [-value for *_, value, _ in kept] == scores
    assert found["best"] == kept[scores.index(max(scores))][-1]["setting"]
