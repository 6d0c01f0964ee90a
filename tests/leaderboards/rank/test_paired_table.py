"""`paired_table`: numbers recomputed from the rows by scipy, and one rate for all verdicts."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import leaderboards
from leaderboards.rank import paired_table as module
from leaderboards.rank.paired_table import as_text, paired_table
from leaderboards.run.store.frame import load_results

SUITE, AGAINST = "adversarial-v1", "EXP3"


@pytest.fixture(scope="module")
def results():
    return load_results(SUITE)


@pytest.fixture(scope="module")
def table():
    return paired_table(AGAINST, SUITE)


def test_differences_are_paired_by_seeds(table, results):
    assert leaderboards.paired_table is paired_table
    assert table.columns.tolist() == module.COLUMNS
    ranked = set(results.loc[~results["reference"], "agent"]) - {AGAINST}
    expected = len(results.groupby("task")) * len(ranked)
    assert len(table) == expected - results["refused"].sum() > 50
    for line in table.iloc[::20].itertuples():
        finals = [
            results[(results["task"] == line.task) & (results["agent"] == agent)]
            .sort_values("seed")["regret"]
            .to_numpy()
            for agent in (line.agent, AGAINST)
        ]
        test = scipy.stats.ttest_rel(*finals)
        limits = test.confidence_interval(1 - 0.05 / len(table))
        np.testing.assert_allclose(
            (line.difference, line.low, line.high),
            (np.mean(finals[0] - finals[1]), *limits),
            rtol=1e-9,
        )
        p = len(table) * test.pvalue
        assert (line.verdict == "undecided") == (p > 0.05)
        assert line.verdict != ("worse" if line.difference < 0 else "better")


def made(results, task, shift, seeds, rng):
    """Rows of two agents on a task of the suite, one of them worse by a shift."""
    for agent, extra in (("A", 0.0), ("B", shift)):
        for seed in range(seeds):
            noise = rng.normal()
            yield {
                "task": task, "agent": agent, "seed": seed, "round": 1.0, "regret": extra + noise,
                "reference": False, "refused": False,
            }  # fmt: skip


def test_any_wrong_verdict_is_as_rare_as_said(monkeypatch, results):
    """Two equal agents on every task of the suite, 400 times: some verdict in at most alpha of
    them. 0.2 + 3.1 standard deviations of 400 draws, sqrt(0.2 * 0.8 / 400) = 0.02, is 0.262; a
    table without a shared rate would have one in 1 - 0.8^m.
    """
    rng = np.random.default_rng(0)
    tasks = sorted(set(results["task"]))
    assert len(tasks) >= 4
    wrong = 0
    for _ in range(400):
        rows = itertools.chain(*(made(results, task, 0.0, 10, rng) for task in tasks))
        monkeypatch.setattr(module, "load_results", lambda *_, rows=rows, **__: pd.DataFrame(rows))
        wrong += (paired_table("A", SUITE, alpha=0.2)["verdict"] != "undecided").any()
    assert 0.10 < wrong / 400 < 0.262


def test_a_worse_agent_and_missing_seeds(monkeypatch, results):
    rng = np.random.default_rng(1)
    task = results["task"].iloc[0]
    rows = [*made(results, task, 9.0, 12, rng)]
    rows = [row for row in rows if (row["agent"], row["seed"]) != ("B", 3)]
    monkeypatch.setattr(module, "load_results", lambda *_, **__: pd.DataFrame(rows))
    (line,) = paired_table("A", SUITE).itertuples()
    assert (line.agent, line.verdict, line.seeds) == ("B", "worse", 11)
    (line,) = paired_table("B", SUITE).itertuples()
    assert (line.agent, line.verdict) == ("A", "better")


def test_forms(table):
    lines = as_text(table, "md").splitlines()
    assert len(lines) == len(table) + 2
    assert lines[0] == "| task | agent | measure | seeds | difference | low | high | verdict |"
    assert as_text(table, "csv").count("\n") == len(table) + 1
    assert as_text(table, "tex").startswith("\\begin{tabular}")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"against": "EXP33"}, "no results of 'EXP33' on adversarial-v1; did you mean EXP3?"),
        ({"against": "EXP3", "alpha": 0.0}, "alpha must lie between 0 and 1, got 0.0"),
        ({"against": "EXP3", "suite": "armed-v1"}, "no results of armed-v1"),
    ],
)
def test_wrong_arguments_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        paired_table(**{"suite": SUITE} | given)
