"""W*, its complexity and loss against plain definitions; the bounds of a run; verdict rules."""

import gymnasium
import numpy as np
import pytest

from agents.parts import bounds
from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.kakade2008 import mistake_bounds as paper
from leaderboards.rank.interval_estimates import Estimate

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED


def number(value, half=0.001):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def documents(env, seeds, rounds):
    """Dense rows (n, 400) and labels (n,), round by round."""
    envs = gymnasium.make_vec(env, num_envs=len(seeds), horizon=rounds, sparse=False)
    rows, _ = envs.reset(seed=seeds)
    for _ in range(rounds):
        shown = rows.copy()
        rows, _, _, _, info = envs.step(np.zeros(len(seeds), int))
        yield shown, info["label"].copy()


def test_keywords_are_those_of_the_documents():
    has = paper.keywords(SEEDS)
    assert has.shape == (3, 9, 120)
    sizes = has.sum(axis=-1)
    assert sizes.min() >= 20
    assert sizes.max() <= 40
    for rows, labels in documents("SynSep-v0", SEEDS, 200):
        for i in range(3):
            topic = has[i, labels[i]]
            assert not (rows[i, :120][~topic]).any()
            assert rows[i, :120].sum() == topic.sum() - 5


def least_gap(weights, topics):
    """The least gap of two scores over all documents, by leaving out the words that help most."""
    found = np.inf
    for i in range(9):
        for j in range(9):
            if i != j:
                gain = weights[i] - weights[j]
                keywords = np.sort(gain[:120][topics[i]])[:-5]
                common = np.sort(gain[120:])[:20]
                found = min(found, keywords.sum() + common.sum())
    return found


def test_the_separator_has_margin_one():
    topics = paper.keywords(SEEDS)
    weights, complexity = paper.separator(topics)
    for i in range(3):
        assert least_gap(weights[i], topics[i]) == pytest.approx(1)
        longest = max(rows[i].sum() for rows, _ in documents("SynSep-v0", SEEDS, 300))
        assert complexity[i] == pytest.approx(2 * (weights[i] ** 2).sum() * longest)


def test_topics_that_barely_differ_are_separated_too():
    topics = np.zeros((1, 9, 120), bool)
    for r in range(9):
        topics[0, r, 10 * r : 11 * r + 20] = True
    topics[0, 1] = topics[0, 0]
    topics[0, 1, 100:111] = True  # topic 0 and 11 words more: its own cannot be off alone
    weights, _ = paper.separator(topics)
    assert least_gap(weights[0], topics[0]) == pytest.approx(1)


def test_hinge_loss():
    rng = np.random.default_rng(3)
    weights = rng.normal(size=(2, 4, 6)) / 3
    shown = {
        "indices": np.array([[1, 4, 0], [0, 2, 5]], np.int32),
        "values": np.array([[0.5, -1.0, 0.0], [1.0, 2.0, 0.3]]),
    }
    labels = np.array([2, 0])
    expected = []
    for i in range(2):
        x = np.zeros(6)
        for at, value in zip(shown["indices"][i], shown["values"][i], strict=True):
            x[at] += value
        scores = weights[i] @ x
        others = [scores[r] for r in range(4) if r != labels[i]]
        expected.append(max(0, max(1 - scores[labels[i]] + other for other in others)))
    np.testing.assert_allclose(paper.hinge_loss(weights, shown, labels), expected)
    weights[0, 2] += 10 * np.array([0, 1, 0, 0, -1, 0])
    assert paper.hinge_loss(weights, shown, labels)[0] == 0


def test_loss_is_met_where_labels_are_false_alone():
    weights, _ = paper.separator(paper.keywords(SEEDS))
    rounds = np.array([100, 400])
    # Exactly 0 but for rounding.
    assert paper.cumulative_loss("SynSep", SEEDS, weights, rounds).max() < 1e-9
    loss, false = np.zeros((3, 400)), np.zeros((3, 400), bool)
    pairs = zip(
        documents("SynSep-v0", SEEDS, 400), documents("SynNonSep-v0", SEEDS, 400), strict=True
    )
    for t, ((rows, true), (same, labels)) in enumerate(pairs):
        np.testing.assert_array_equal(rows, same)
        false[:, t] = true != labels
        for i in range(3):
            scores = weights[i] @ rows[i]
            gaps = 1 - scores[labels[i]] + np.delete(scores, labels[i])
            loss[i, t] = max(0, gaps.max())
    assert (loss[false] > 2 - 1e-9).all()
    found = paper.cumulative_loss("SynNonSep", SEEDS, weights, rounds)
    np.testing.assert_allclose(found, loss.cumsum(axis=1)[:, rounds - 1], atol=1e-9)
    assert found.min() > 0


def test_the_corollaries_gamma():
    # The medians over 100 seeds are uncertain to 5 % and 2 %.
    seeds = list(range(1000, 1100))
    weights, complexity = paper.separator(paper.keywords(seeds))
    assert np.median(complexity) == pytest.approx(paper.COMPLEXITY, rel=0.15)
    loss = paper.cumulative_loss("SynNonSep", seeds, weights, np.array([1000])) / 1000
    assert np.median(loss) == pytest.approx(paper.LOSS, rel=0.08)
    assert paper.exploration("SynSep", 180_000) == pytest.approx(0.1)
    assert paper.exploration("SynNonSep", 1_800_000) == pytest.approx(0.13 * 0.1)


@pytest.fixture(scope="module")
def sample():
    return paper.theorem_1(SEEDS, horizons=(2100, 4000))


def test_a_tiny_run(sample, tmp_path):
    alone = paper.theorem_1([4], horizons=(2100, 4000))
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_allclose(values[1], alone.measures[measure][0], rtol=1e-12)
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample).numbers
    assert Finding.of(CLAIMS["theorem-1"], sample).verdict is YES
    paper.draw_theorem(sample).savefig(tmp_path / "figure.png")


def test_the_bounds_are_those_of_the_run(sample):
    weights, complexity = paper.separator(paper.keywords(SEEDS))
    np.testing.assert_allclose(sample.measures["complexity"], complexity)
    for name in paper.ENVIRONMENTS:
        horizons, mistakes, bound, loss = paper.finals(sample, name)
        assert horizons.tolist() == [2100, 4000]
        assert mistakes[:, 1].tolist() == sample.measures[f"{name}, Banditron"][:, -1].tolist()
        assert bound[:, 1].tolist() == sample.measures[f"{name}, bound, Banditron"][:, -1].tolist()
        assert (mistakes[:, 0] != mistakes[:, 1]).all()
        if name == "SynNonSep":
            expected = paper.cumulative_loss(name, SEEDS, weights, horizons)
            np.testing.assert_allclose(loss, expected)
        else:
            assert not loss.any()
        for h, horizon in enumerate(horizons):
            gamma = paper.exploration(name, horizon)
            for i in range(3):
                expected = bounds.banditron_mistakes(
                    horizon, n_labels=9, gamma=gamma, hinge_loss=loss[i, h],
                    complexity=complexity[i],
                )  # fmt: skip
                assert bound[i, h] == pytest.approx(float(expected))
        own = sample.measures[f"{name}, bound, Perceptron"][:, -1]
        expected = loss[:, 1] + complexity + np.sqrt(loss[:, 1] * complexity)
        np.testing.assert_allclose(own, expected)


def test_a_bound_that_is_broken_is_seen(sample):
    broken = {name: values.copy() for name, values in sample.measures.items()}
    broken["SynSep, Banditron"][:, 5] = 1e9
    broken["SynNonSep, Perceptron"][1, 3] = 1e9
    numbers = paper.theorem_numbers(sample._replace(measures=broken))
    assert float(numbers["Perceptron: seeds above (7), SynNonSep"].value) == pytest.approx(1 / 3)
    assert float(numbers["Banditron / Theorem 1, SynSep"].value) > 1
    assert float(numbers["Banditron / Theorem 1, SynNonSep"].value) < 1
    assert CLAIMS["theorem-1"].judge(numbers) is PARTLY


def test_the_worst_ratio_is_of_means():
    first, second = np.array([[1.0, 8.0], [3.0, 0.0]]), np.array([[2.0, 1.0], [2.0, 7.0]])
    assert float(paper.worst_ratio(first, second).value) == 1.0
    assert float(paper.worst_ratio(first[:, ::-1], second[:, ::-1]).value) == 1.0
    assert float(paper.worst_ratio(2 * first[:, 1:], second[:, 1:]).value) == 2.0


def test_numbers_of_the_corollaries(sample):
    horizons = np.array([1000, 4000])
    loss = np.array([[100.0, 400.0], [140.0, 560.0], [100.0, 400.0]])
    mistakes = np.array([10.0, 20.0, 30.0])[:, None] * np.sqrt(horizons / 1000)
    ends = np.stack([mistakes, 2 * mistakes, loss], axis=-1)
    made_up = {"complexity": np.array([1.0, 1.0, 1.0])}
    for name in paper.ENVIRONMENTS:
        made_up |= {f"{name}, finals": ends, f"{name}, horizons": np.tile(horizons, (3, 1))}
    made_up = sample._replace(measures=made_up)
    low = paper.low_noise(made_up)
    assert float(low["exponent"].value) == pytest.approx(0.5)
    assert float(low["M / sqrt(kDT), largest"].value) == pytest.approx(20 / np.sqrt(9000))
    high = paper.high_noise(made_up)
    assert float(high["M / L, T = 4000"].value) == pytest.approx(120 / 1360)
    assert float(high["M / bound, largest"].value) == pytest.approx(0.5)
    assert float(high["M / L, last over first"].value) == pytest.approx(0.5)
    assert float(high["L / T"].value) == pytest.approx(1360 / 12_000)


def test_theorem_1():
    def of(*parts):
        kinds = ("Banditron / Theorem 1", "Perceptron: seeds above (7)")
        names = [f"{kind}, {env}" for kind in kinds for env in paper.ENVIRONMENTS]
        return judged("theorem-1", dict(zip(names, parts, strict=True)))

    assert of(0.1, 0.9, 0, 0) is YES
    assert of(0.1, 0.9995, 0, 0) is PARTLY
    assert of(0.1, 0.9, 0, 0.01) is PARTLY
    assert of(2, 3, 1, 0.01) is NO


def test_low_noise():
    def of(exponent, ratio):
        return judged("low-noise", {"exponent": exponent, "M / sqrt(kDT), largest": ratio})

    assert of(0.59, 3.9) is YES
    assert of(0.5995, 3.9) is PARTLY
    assert of(0.5, 4.1) is PARTLY
    assert of(0.7, 4.1) is NO


def test_high_noise():
    def of(ratio, growth):
        return judged("high-noise", {"M / bound, largest": ratio, "M / L, last over first": growth})

    assert of(0.9, 0.9) is YES
    assert of(0.9, 0.9995) is PARTLY
    assert of(1.1, 0.9) is PARTLY
    assert of(1.1, 1.1) is NO
