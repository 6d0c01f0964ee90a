"""W*, its complexity and loss against plain definitions."""

import gymnasium
import numpy as np
import pytest

from leaderboards.papers.kakade2008 import separator as paper

SEEDS = [3, 4, 7]


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
