"""SynSep against a plain recomputation of its recipe, its laws, and its separability."""

import itertools
import math

import gymnasium
import numpy as np
import pytest
from scipy import stats

import banditgym  # noqa: F401 (registers the environments)
from banditgym.check import check_env
from banditgym.envs import synthetic_text
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.vector_env import CONTEXTS, THETA


def make(n=3, name="SynSep-v0", **settings):
    return gymnasium.make_vec(name, num_envs=n, **settings)


def subset(uniforms, n):
    """Floyd's: a subset of range(n) with one element per uniform."""
    chosen = set()
    for j, u in enumerate(uniforms):
        last = n - len(uniforms) + j
        pick = int(u * (last + 1))
        chosen.add(last if pick in chosen else pick)
    return chosen


def topics_of(seed, episode, apart=11):
    """The nine sets of keywords, and how many attempts they took."""
    stream = Stream([seed], ENVIRONMENT, THETA, episode)
    for attempt in itertools.count():
        u = stream.uniform(attempt, (9 * 41,))[0]
        sizes = [20 + int(x * 21) for x in u[:9]]
        topics = [subset(u[9 + 40 * i : 9 + 40 * i + size], 120) for i, size in enumerate(sizes)]
        if all(len(a ^ b) >= apart for a, b in itertools.combinations(topics, 2)):
            return topics, attempt


def document(seed, episode, t, topics):
    """The words that are on in round t, in order, and the topic."""
    u = Stream([seed], ENVIRONMENT, CONTEXTS, episode).uniform(t, (26,))[0]
    topic = int(9 * u[0])
    keywords = sorted(topics[topic])
    off = {keywords[j] for j in subset(u[1:6], len(keywords))}
    return sorted((topics[topic] - off) | {120 + j for j in subset(u[6:], 280)}), topic


def test_documents_are_those_of_the_recipe():
    seeds, horizon = [3, 2**70, 0, 11], 40
    envs = make(4, horizon=horizon)
    observation, _ = envs.reset(seed=seeds)
    for episode in range(2):
        topics = [topics_of(seed, episode)[0] for seed in seeds]
        for t in range(horizon):
            told = [document(s, episode, t, v) for s, v in zip(seeds, topics, strict=True)]
            for i, (words, _) in enumerate(told):
                padding = 55 - len(words)
                assert observation["indices"][i].tolist() == words + [0] * padding
                assert observation["values"][i].tolist() == [1.0] * len(words) + [0.0] * padding
            observation, _, _, _, info = envs.step([0] * 4)
            assert info["label"].tolist() == [topic for _, topic in told]
        observation, *_ = envs.step([0] * 4)


def test_topics_are_drawn_again_until_they_are_apart():
    keys = Stream(range(8), ENVIRONMENT, THETA, 0).keys
    sizes, words = np.empty((8, 9), np.int64), np.empty((8, 9, 40), np.int32)
    synthetic_text._draw_topics(keys, 38, sizes, words)
    attempts = []
    for i in range(8):
        topics, attempt = topics_of(i, 0, apart=38)
        attempts.append(attempt)
        assert [set(row[row >= 0].tolist()) for row in words[i]] == topics
        assert sizes[i].tolist() == [len(topic) for topic in topics]
    assert max(attempts) > 0
    assert min(attempts) < max(attempts)


def drawn(n, rounds, **settings):
    """Labels (rounds, n) and dense rows (rounds, n, 400)."""
    envs = make(n, horizon=rounds, sparse=False, **settings)
    rows, labels = [envs.reset(seed=0)[0].copy()], []
    for _ in range(rounds):
        following, *_, info = envs.step([0] * n)
        labels.append(info["label"])
        rows.append(following.copy())
    return np.array(labels), np.array(rows[:-1]), envs


def test_counts_of_bits_are_exact():
    labels, rows, envs = drawn(20, 50)
    sizes = envs.unwrapped._sizes
    assert set(np.unique(rows)) == {0.0, 1.0}
    assert (rows[:, :, 120:].sum(axis=2) == 20).all()
    expected = np.take_along_axis(np.tile(sizes, (50, 1, 1)), labels[..., None], 2)[..., 0] - 5
    np.testing.assert_array_equal(rows[:, :, :120].sum(axis=2), expected)
    # Over the rounds of a topic the union of its documents is the topic, whose size was drawn.
    assert (sizes >= 20).all()
    assert (sizes <= 40).all()
    assert envs.unwrapped.task.feature_norm == math.sqrt(55)
    assert (rows.sum(axis=2) <= 55).all()


def test_topics_are_apart_and_their_sizes_and_words_uniform():
    sizes, words = np.empty((500, 9), np.int64), np.empty((500, 9, 40), np.int32)
    synthetic_text._draw_topics(Stream(range(500), ENVIRONMENT, THETA, 0).keys, 11, sizes, words)
    bits = np.zeros((500, 9, 121), bool)
    np.put_along_axis(bits, words.astype(np.int64) % 121, True, 2)  # -1 falls on the last
    bits = bits[..., :120]
    np.testing.assert_array_equal(bits.sum(axis=2), sizes)
    for one, other in itertools.combinations(range(9), 2):
        assert (bits[:, one] != bits[:, other]).sum(axis=1).min() >= 11
    # 4500 sizes on 21 values; a p-value below 1e-4 has probability 1e-4, and the seeds are fixed.
    assert stats.chisquare(np.bincount(sizes.ravel() - 20, minlength=21)).pvalue > 1e-4
    # Words of a topic are without replacement, so a count has the variance n q (1 - q), and the
    # covariance with another -1 / 119 of that: scaled by both the statistic is chi-square again.
    counts = bits.sum(axis=(0, 1))
    share = sizes.mean() / 120
    statistic = 119 / 120 * ((counts - counts.mean()) ** 2).sum()
    statistic /= counts.mean() * (1 - share)
    assert 1e-4 < stats.chi2.sf(statistic, 119) < 1 - 1e-4


def test_classes_and_words_of_documents_are_uniform():
    labels, rows, envs = drawn(50, 200)
    assert stats.chisquare(np.bincount(labels.ravel(), minlength=9)).pvalue > 1e-4
    # 10,000 documents with 20 of 280 words: as above.
    counts = rows[:, :, 120:].sum(axis=(0, 1))
    statistic = 279 / 280 * ((counts - counts.mean()) ** 2).sum()
    statistic /= counts.mean() * (1 - 20 / 280)
    assert 1e-4 < stats.chi2.sf(statistic, 279) < 1 - 1e-4
    # Which of a topic's keywords are off: places 0, .., 19 of each are as likely as any other.
    topics, sizes = envs.unwrapped._topics, envs.unwrapped._sizes
    off = np.zeros(20)
    share = 0.0
    for i in range(50):
        for t in range(200):
            topic = labels[t, i]
            off += rows[t, i, topics[i, topic, :20]] == 0
            share += 5 / sizes[i, topic]
    assert off.mean() == pytest.approx(share, rel=0.03)  # 20 counts of about 1750, 42 off each
    assert stats.chisquare(off).pvalue > 1e-4
    # Rounds are independent: pairs of labels one after the other fall evenly into 81 cells.
    pairs = labels[:-1] * 9 + labels[1:]
    assert stats.chisquare(np.bincount(pairs.ravel(), minlength=81)).pvalue > 1e-4


def test_documents_are_linearly_separable():
    labels, rows, envs = drawn(10, 200)
    for i in range(10):
        # Twice the words in common less the topic's size, which the 20 common words carry, is the
        # size of the document's keywords less its distance from the topic: 5, and others' >= 6.
        weights = np.zeros((9, 400))
        for topic in range(9):
            size = envs.unwrapped._sizes[i, topic]
            weights[topic, envs.unwrapped._topics[i, topic, :size]] = 2.0
            weights[topic, 120:] = -size / 20.0
        scores = rows[:, i] @ weights.T
        own = np.take_along_axis(scores, labels[:, i, None], 1)[:, 0]
        np.put_along_axis(scores, labels[:, i, None], -np.inf, 1)
        assert (own - scores.max(axis=1)).min() >= 1 - 1e-9


def test_a_perceptron_soon_makes_no_mistakes():
    labels, rows, _ = drawn(1, 3000)
    weights, mistakes = np.zeros((9, 400)), []
    for x, label in zip(rows[:, 0], labels[:, 0], strict=True):
        guess = int(np.argmax(weights @ x))
        mistakes.append(guess != label)
        if guess != label:
            weights[label] += x
            weights[guess] -= x
    assert sum(mistakes[:200]) > 10
    assert sum(mistakes[-1000:]) <= 5


def test_synnonsep_has_five_false_labels_in_a_hundred():
    clean, noisy = drawn(100, 100)[0], drawn(100, 100, name="SynNonSep-v0")[0]
    # 10,000 labels: 500 false ones, standard deviation 22.
    assert abs((clean != noisy).sum() - 500) < 4 * 22
    assert drawn(5, 5, name="SynNonSep-v0", label_noise=0.0)[2].unwrapped._label_noise == 0.0


def test_dense_rows_are_the_sparse_ones():
    dense, pairs = make(5, sparse=False), make(5)
    rows, shown = dense.reset(seed=2)[0], pairs.reset(seed=2)[0]
    for _ in range(20):
        for i in range(5):
            on = shown["indices"][i][shown["values"][i] > 0]
            assert np.flatnonzero(rows[i]).tolist() == on.tolist()
        rows, shown = dense.step([0] * 5)[0], pairs.step([0] * 5)[0]


def test_seeds_and_episodes_are_documents_of_their_own():
    envs = make(20, horizon=3)
    first = envs.reset(seed=0)[0]["indices"].copy()
    assert len(np.unique(first, axis=0)) == 20
    again = envs.reset()[0]["indices"].copy()
    assert (first != again).any(axis=1).all()
    np.testing.assert_array_equal(envs.reset(seed=0)[0]["indices"], first)


def test_long_horizons_cost_nothing():
    envs = make(2, horizon=10**7)
    envs.reset(seed=0)
    envs.unwrapped._t = 10**7 - 1
    assert envs.step([0, 0])[3].all()
    assert make(2).unwrapped.task.horizon == 1000


@pytest.mark.parametrize("settings", [{"slots": 2, "label_noise": 0.3}, {"sparse": False}])
def test_the_contract_is_kept(settings):
    check_env("SynSep-v0", **settings)


@pytest.mark.parametrize("settings", [{}, {"slots": 2}, {"sparse": False}])
def test_gymnasiums_checker_passes(settings):
    env = gymnasium.make("SynSep-v0", disable_env_checker=True, **settings)
    gymnasium.utils.env_checker.check_env(env.unwrapped)


def test_unknown_settings_are_named():
    with pytest.raises(ValueError, match="SynSep has no setting 'n_labels'"):
        make(n_labels=3)
    with pytest.raises(ValueError, match="has no setting 'slot'; did you mean slots"):
        make(slot=3)
