"""Moments of one update and shares of labels, against plain definitions; faults are seen."""

import numpy as np
import pytest

from leaderboards.papers.claim import Finding
from leaderboards.papers.kakade2008 import update_claims as paper
from leaderboards.papers.kakade2008.error_rates import GAMMAS
from leaderboards.papers.verdicts import Verdict

YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED


def verdict(claims, claim, sample):
    return Finding.of(claims[claim], sample, reaches_paper=True).verdict


@pytest.fixture(scope="module")
def sample():
    return paper.updates([3, 4], states=4)


@pytest.mark.parametrize(("played", "label"), [(2, 2), (5, 5), (5, 1), (2, 1)])
def test_an_update_is_that_of_the_label_played(played, label):
    weights, row = np.zeros((9, 5)), np.arange(1.0, 6.0)
    weights[2] = 1.0  # so label 2 is the guess
    gamma = 0.25
    expected = np.zeros((9, 5))
    expected[2] -= row
    if played == label:
        expected[played] += row / (gamma / 9 + (1 - gamma) * (played == 2))
    found = paper.every_update(gamma, weights, row, label)[played]
    np.testing.assert_allclose(found, expected)


def test_the_lemmas_hold(claims, sample):
    alone = paper.updates([4], states=4)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    for claim in ("lemma-4", "lemma-5"):
        assert verdict(claims, claim, sample) is YES
    for name, gamma in GAMMAS.items():
        wrong, right = (sample.measures[f"{kind}, {name}"] for kind in ("wrong", "right"))
        assert (np.isnan(wrong) != np.isnan(right)).all()
        expected = (1 + 9 / gamma) / (18 / gamma)
        np.testing.assert_allclose(np.nanmin(wrong), expected)
        expected = (1 / (1 - gamma + gamma / 9) - 1) / (2 * gamma)
        np.testing.assert_allclose(np.nanmax(right), expected)


@pytest.mark.parametrize("fault", ["unweighted", "wrong row", "guess"])
def test_a_wrong_update_is_seen_at_every_gamma(monkeypatch, claims, fault):
    right = paper.every_update

    def wrong(gamma, weights, row, label):
        each, guess = right(gamma, weights, row, label), int(np.argmax(weights @ row))
        if fault == "unweighted":
            each[label, label] = row * (label != guess)
        elif fault == "wrong row":
            each[label] = np.roll(each[label], 1, axis=0)
        else:
            each[:, guess] += row
        return each

    monkeypatch.setattr(paper, "every_update", wrong)
    sample = paper.updates([3], states=4)
    finding = Finding.of(claims["lemma-4"], sample, reaches_paper=True)
    assert set(finding.parts.values()) == {NO}
    assert len(finding.parts) == len(GAMMAS)


def test_squares_beyond_the_bound_are_seen(claims, sample):
    measures = dict(sample.measures)
    measures["right, 2^-3"] = measures["right, 2^-3"] * 3
    found = Finding.of(claims["lemma-5"], sample._replace(measures=measures), reaches_paper=True)
    failed = [part for part, verdict in found.parts.items() if verdict is NO]
    assert failed == ["E|U|² / bound, ŷ right, γ = 2^-3"]
    measures = dict(sample.measures)
    measures["excess, 2^-3"] = measures["excess, 2^-3"] - 0.01  # two-sided
    found = Finding.of(claims["lemma-5"], sample._replace(measures=measures), reaches_paper=True)
    failed = [part for part, verdict in found.parts.items() if verdict is NO]
    assert failed == ["off the proof's value, γ = 2^-3"]


def test_exploration_is_that_of_the_listing(monkeypatch, claims):
    monkeypatch.setattr(paper, "GAMMAS", {name: GAMMAS[name] for name in ("2^-6", "2^-3")})
    sample = paper.exploration([3, 4, 5], events=400)
    alone = paper.exploration([4], events=400)
    for measure, values in sample.measures.items():
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    assert len({tuple(row) for row in sample.measures["offsets"]}) == 3
    # 2 gammas, 400 8/9 plays of another label each, with a standard error of 4 %: 5 of them.
    for name in paper.GAMMAS:
        np.testing.assert_allclose(sample.measures[f"others, {name}"], 1, atol=0.25)
    np.testing.assert_allclose(sample.measures["offsets"].sum(), 6 * 400 * 8 / 9, rtol=0.1)
    # 240 plays of each label: a standard error of 6.5 %, and 5 of them.
    np.testing.assert_allclose(sample.measures["labels"].mean(axis=0), 1, atol=0.33)


def test_an_agent_that_never_explores_is_seen(monkeypatch, claims):
    monkeypatch.setattr(paper, "GAMMAS", {name: GAMMAS[name] for name in ("2^-6", "2^-3")})

    class Greedy:
        def act(self, rows):
            return np.argmax(np.einsum("nkd,nd->nk", self.weights, rows), axis=1)

    def frozen(gamma, n, seed, weights):
        agent = Greedy()
        agent.weights = weights
        return agent

    monkeypatch.setattr(paper, "frozen", frozen)
    sample = paper.exploration([3, 4], events=20)
    finding = Finding.of(claims["floor"], sample, reaches_paper=True)
    assert set(finding.parts.values()) == {NO}


def test_exploration_numbers_and_rule(parts_of):
    names = [f"others, γ = {name}" for name in GAMMAS]
    labels = [f"label ŷ + {j}" for j in range(1, 9)] + [f"label {j}" for j in range(1, 10)]
    good = dict.fromkeys((*names, "others, all γ", *labels), 1.0)
    assert set(parts_of("floor", good).values()) == {YES}
    # Twice gamma/k, gamma off at one value, only labels other than the guess, one label too often.
    bad = {names[2]: 1 / 9, names[5]: 0.0, "others, all γ": 9 / 8, labels[3]: 1.3}
    parts = parts_of("floor", good | bad)
    failed = {part for part, verdict in parts.items() if verdict is NO}
    assert failed == {names[2], names[5], "others, all γ", "every other label"}
    parts = parts_of("floor", good | {labels[-1]: 0.7})
    assert {part for part, verdict in parts.items() if verdict is NO} == {"every other label"}
