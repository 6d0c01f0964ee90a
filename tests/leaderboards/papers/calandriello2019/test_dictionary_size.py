"""How dictionaries are drawn: verdict rules, a tiny run, and breaks on purpose."""

import numpy as np
import pytest

from leaderboards.papers.calandriello2019 import dictionary_size as paper
from leaderboards.papers.claim import Finding
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import narrow as number

CLAIM, SIZE = paper.CLAIMS
SEEDS = [3, 4, 7]


@pytest.fixture(scope="module")
def sample():
    return paper.dictionaries(SEEDS, horizon=60)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.dictionaries([4], horizon=60)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    assert Finding.of(CLAIM, sample, False).verdict in Verdict
    paper.draw(sample).savefig(tmp_path / "figure.png")
    for qbar in paper.QBARS:
        size = sample.measures[f"qbar = {qbar}, size"]
        assert (size[:, 0] == 1).all()
        assert (size <= sample.rounds).all()


def test_rules():
    def of(**changed):
        numbers = {}
        for qbar in paper.QBARS:
            at = f"qbar = {qbar}"
            numbers |= {
                f"m / sum of p, {at}": 1.01,
                f"the same by variance, {at}": 0.99,
                f"correlation of rounds, {at}": 0.05,
                f"m / (qbar d_eff), {at}": 2.0,
            }
        numbers = {name: number(value) for name, value in (numbers | changed).items()}
        return whole({**CLAIM.judge(numbers), **SIZE.judge(numbers)})

    assert of() is Verdict.REPRODUCED
    for name, bad in {
        "m / sum of p, qbar = 5": 0.9,
        "the same by variance, qbar = 2": 1.1,
        "correlation of rounds, qbar = 1": 0.5,
        "m / (qbar d_eff), qbar = 10": 0.2,
    }.items():
        assert of(**{name: bad}) is Verdict.PARTLY


def part(sample, name):
    return CLAIM.judge(CLAIM.numbers(sample))[name]


def broken(sample, *names, factor):
    measures = dict(sample.measures)
    for name in names:
        measures[f"qbar = 2, {name}"] = factor * measures[f"qbar = 2, {name}"]
    return sample._replace(measures=measures)


def test_other_probabilities_are_seen(sample):
    found = broken(sample, "all size", factor=0.5)
    assert part(found, "m / sum of p, qbar = 2") is Verdict.NOT_REPRODUCED
    found = broken(sample, "all weight", factor=0.5)
    assert part(found, "the same by variance, qbar = 2") is Verdict.NOT_REPRODUCED


def test_the_same_numbers_in_every_round_are_seen(sample, monkeypatch):
    measures = dict(sample.measures)
    measures["qbar = 2, again"] = 0.8 * measures["qbar = 2, square"]
    found = sample._replace(measures=measures)
    assert part(found, "correlation of rounds, qbar = 2") is Verdict.NOT_REPRODUCED
