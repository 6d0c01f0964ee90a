"""``banditgym choose``: what it prints, how it goes on, and one line for each error."""

import json

import pytest

from leaderboards.choosing.choose import Choosing
from leaderboards.choosing.saved_choice import load_choice

from ..choosing.small_tables import separable

GIVEN = ["choose", "rows.csv", "--target", "label", "--agent", "Banditron", "--workers", "1"]
QUICK = [*GIVEN, "--trials", "1", "--seeds", "3"]


@pytest.fixture(autouse=True)
def data(tmp_path):
    frame = separable()
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.assign(one="same").to_csv(tmp_path / "one.csv", index=False)
    frame.assign(name=[f"case {i}" for i in range(60)]).to_csv(tmp_path / "names.csv", index=False)
    frame.head(7).to_csv(tmp_path / "short.csv", index=False)
    log = frame.assign(action=1, reward=0.5, propensity=0.1)
    log.to_csv(tmp_path / "log.csv", index=False)


def test_the_output_says_what_was_done_and_which_agent_to_take(call, tmp_path):
    code, out, err = call(*QUICK)
    assert code == 0, err
    text = " ".join(out.split())
    assert "rows.csv: 60 rows, target label of 3 classes (high, low, mid): a multiclass" in text
    assert "OneHotEncoder" in text
    assert "missing text counts as a value: town (1)" in text
    assert "one trial is the defaults" in text
    assert "µs/round" in out
    assert "Take " in out
    code, again, _ = call(*QUICK, "--json")
    plain = json.loads(again)
    assert (code, plain["data"], plain["seeds"]) == (0, "rows.csv", 3)
    shown = {line["agent"] for line in plain["agents"]}
    assert shown == {"Banditron", "UniformRandom", "BestFixedAction"}
    (folder,) = (tmp_path / "banditgym-choose").iterdir()
    assert len(list((folder / "rows").iterdir())) == 1  # the second call played nothing


def test_what_is_saved_is_loaded_by_a_service(call, tmp_path):
    separable(200).to_csv(tmp_path / "rows.csv", index=False)
    code, out, err = call(*QUICK, "--agent", "Confidit", "--save", "saved")
    assert code == 0, err
    assert "wrote saved: leaderboards.load_choice('saved') loads the encoder and the agent" in err
    encoder, agent = load_choice(tmp_path / "saved")
    row = separable().iloc[3].to_dict()
    assert encoder.meaning(agent.act(encoder(row))) in ("high", "low", "mid")
    assert agent.decisions[0] == 201  # all rows, and this one
    predicted = ["choose", "none.csv", "--target", "z", "--predict", "--agent", "OnlineRidge"]
    separable()[["town", "z"]].to_csv(tmp_path / "none.csv", index=False)
    predicted += ["--trials", "1", "--seeds", "3", "--workers", "1"]
    code, out, err = call(*predicted, "--save", "numbers")
    # The numbers are drawn without regard to the towns: no agent is to be taken.
    assert (code, "OnlineRegression-v0" in " ".join(out.split())) == (2, True)
    assert "nothing is saved to numbers: there is no agent to take" in err


def test_an_interrupted_choice_says_how_to_go_on(call, monkeypatch):
    def play(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Choosing, "play", play)
    code, out, err = call(*QUICK)
    assert (code, out) == (130, "")
    assert "finished cells are kept in banditgym-choose; continue with" in err
    assert "banditgym choose rows.csv --target label" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone.csv", "--target", "y"], "no such file: gone.csv"),
        (["rows.csv"], "--target"),
        (["rows.csv", "--target", "lable"], "no column 'lable'; did you mean label?"),
        (["one.csv", "--target", "one"], "has one class only, 'same'"),
        (["names.csv", "--target", "name"], "has as many classes as rows, 60"),
        (["short.csv", "--target", "label"], "short.csv has 7 rows, too few"),
        (["log.csv", "--target", "label"], "looks like the log of a bandit (columns action, rew"),
        (["small.toml", "--target", "label"], "small.toml must end in .csv"),
        (
            [*GIVEN[1:], "--as", "words"],
            "is read as class, number or predicted, got 'words'",
        ),
        ([*GIVEN[1:], "--as", "number"], "has text, which is not a number"),
        ([*GIVEN[1:], "--agent", "Banditrn"], "unknown agent 'Banditrn'; did you mean"),
        ([*GIVEN[1:], "--agent", "LinUCB"], "LinUCB cannot be chosen for rows.csv"),
        ([*GIVEN[1:], "--trials", "0"], "trials must be >= 1, got 0"),
        ([*GIVEN[1:], "--seeds", "0"], "seeds is a number in 1..500000, got 0"),
        ([*GIVEN[1:], "--horizon", "31"], "horizon must be in 1.."),
        ([*GIVEN[1:], "--workers", "0"], "workers must be >= 1, got 0"),
        ([*GIVEN[1:], "--store", "small.toml"], "--store small.toml is a file"),
        ([*GIVEN[1:], "--save", "small.toml"], "--save small.toml is a file"),
        (["rows.csv", "--target", "z", "--save", "saved"], "--save: the rows are the arms, and an"),
        ([*GIVEN[1:], "--predict"], "has text, which is not a number"),
        (
            [*GIVEN[1:], "--predict", "--as", "class"],
            "--predict is for numbers: leave out --as",
        ),
        (["rows.csv", "--target", "z", "--predict", "--agent", "GPUCB"], "GPUCB cannot be chosen"),
        ([*GIVEN[1:], "--trials", "100000000"], "start it anyway with --yes"),
    ],
)
def test_a_wrong_argument_is_one_line(call, tmp_path, arguments, message):
    code, out, err = call("choose", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert not list((tmp_path / "banditgym-choose").rglob("*.jsonl"))
