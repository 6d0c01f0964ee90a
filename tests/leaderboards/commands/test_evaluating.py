"""``banditgym evaluate``: what it prints, and one line for each error."""

import json

import pandas
import pytest

from ..ope.small_logs import frame, policy

COLUMNS = ["--columns", "context=x0,x1", "--columns", "reward=clicked"]
GIVEN = ["evaluate", "log.csv", *COLUMNS, "--policy", "pi.csv"]


@pytest.fixture(autouse=True)
def data(tmp_path):
    told = frame(table=False).rename(columns={"reward": "clicked"})
    told.to_csv(tmp_path / "log.csv", index=False)
    told.drop(columns="propensity").to_csv(tmp_path / "bare.csv", index=False)
    told.assign(propensity=1).to_csv(tmp_path / "fixed.csv", index=False)
    told.head(80).to_csv(tmp_path / "short.csv", index=False)
    pandas.DataFrame(policy()).to_csv(tmp_path / "pi.csv", index=False)
    pandas.DataFrame(policy()).head(80).to_csv(tmp_path / "pi80.csv", index=False)


def test_the_output_has_estimates_side_by_side_and_a_verdict(call):
    code, out, err = call(*GIVEN, "--policy", "LinUCB(alpha=0.5)")
    assert code == 0, err
    text = " ".join(out.split())
    assert "log.csv, 300 rounds" in text
    assert [text.count(f" {name} 0.") for name in ("dr", "snips", "ips", "mean")] == [2, 2, 2, 1]
    assert "pi.csv: cannot be concluded from this log: the effective sample size is" in text
    assert "effective sample size" in text
    assert "LinUCB(alpha=0.5) learned from the first 300 rows" in text
    code, out, _ = call(*GIVEN, "--estimator", "sndr", "--json", "--level", "0.9", "--clip", "3")
    plain = json.loads(out)
    assert (code, plain["n_rounds"], len(plain["policies"][0]["evaluations"])) == (0, 600, 1)
    assert plain["policies"][0]["evaluations"][0]["level"] == 0.9


def test_what_a_log_does_not_show_is_an_answer(call):
    code, out, _ = call("evaluate", "short.csv", *COLUMNS, "--policy", "pi80.csv")
    assert code == 0
    assert "cannot be concluded from this log: the effective sample size is" in " ".join(
        out.split()
    )


def test_propensities_are_estimated_on_request(call):
    given = ["evaluate", "bare.csv", *COLUMNS, "--policy", "pi.csv"]
    code, _, err = call(*given)
    assert (code, "propensities are missing: dr needs them" in err) == (2, True)
    code, out, _ = call(*given, "--estimate-propensities")
    assert (code, "propensities are estimated: the result holds if" in " ".join(out.split())) == (
        0,
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "log.csv", *COLUMNS], "no policy is given: add --policy"),
        (["evaluate", "none.csv", "--policy", "LinUCB"], "no such file: none.csv"),
        (["evaluate", "log.csv", "--policy", "LinUCB"], "log.csv has no column 'reward'"),
        ([*GIVEN, "--columns", "shown"], "--columns is 'shown': write KIND=COLUMN"),
        ([*GIVEN, "--columns", "acton=shown"], "no column of a log is 'acton'"),
        ([*GIVEN, "--interval", "bernstein"], "--interval is 'bernstein': give normal or boot"),
        ([*GIVEN, "--estimator", "drr"], "estimator is 'drr': give one of"),
        ([*GIVEN, "--level", "2"], "level is 2.0: give a number between 0 and 1"),
        ([*GIVEN, "--policy", "LinUCB", "--train", "1.5"], "train is 1.5: give a number"),
        ([*GIVEN, "--policy", "LinUBC"], "LinUCB"),
        ([*GIVEN, "--n-arms", "7"], "pi.csv has 3 columns: give one for each of the 7 actions"),
        ([*GIVEN, "--estimate-propensities"], "log.csv has propensities"),
        (["evaluate", "fixed.csv", *COLUMNS, "--policy", "pi.csv"], "the log is deterministic"),
    ],
)
def test_errors_are_one_line(arguments, message, call):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
