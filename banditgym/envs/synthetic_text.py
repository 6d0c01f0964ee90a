"""Synthetic documents of nine topics, by the recipe of the Banditron's paper."""

import math

import numpy as np

from banditgym.compiled import borrowing, compiled
from banditgym.envs.multiclass import Extent, Multiclass, MulticlassSettings
from banditgym.settings import configured
from banditgym.streams import fill_uniform
from banditgym.vector_env import CONTEXTS, THETA

N_TOPICS, KEYWORDS, COMMON = 9, 120, 280
_FEWEST, _MOST = 20, 40  # keywords of a topic
_OFF, _ON = 5, 20  # keywords that are off, and common words that are on, in a document
_APART = 2 * _OFF + 1
_ONE, _SIX, _LOW = np.uint64(1), np.uint64(6), np.uint64(63)


@configured(MulticlassSettings)
class SynSep(Multiclass):
    r"""SYNSEP: documents of 400 words, each on one of nine topics, linearly separable.

    In each episode nine sets :math:`v_1, \dots, v_9` of keywords are drawn: :math:`v_i` is uniform
    among the sets of :math:`s_i` of the first 120 words, where :math:`s_i` is uniform on 20, ..,
    40. All nine are drawn again until every two differ in at least 11 words. The row of a round is
    a document. Its topic, which is the label, is uniform. Of the topic's keywords 5 are off and the
    others on, and 20 of the last 280 words are on; both choices are uniform among the subsets of
    that size. Words that are on have the value 1. Each row is a function of the seed, the episode
    and the round; nothing is stored.

    The paper's caption says less: there are 20 to 40 keywords, of which "some overlap", 5 are
    turned off at random, and the data is separable by construction. The distance of 11 makes it
    separable: a document has a Hamming distance of 5 from its own topic and of at least 6 from the
    others, and the 20 common words of every document can represent a threshold. SYNNONSEP is SYNSEP
    with ``label_noise=0.05``; a false label is uniform over the other eight. The paper plays
    1,000,000 rounds.

    Observations are a mapping of ``indices`` (n, 55) int32 in ascending order and ``values``
    (n, 55), padded with index 0 and value 0.0, or with ``sparse=False`` arrays (n, 400); actions
    are labels (n,) in 0..8, or (n, r) with ``slots``; see ``banditgym.envs.multiclass.Multiclass``
    for rewards and infos.

    Notes
    -----
    Hidden: the true label. After a wrong label, the right one is not revealed. An agent with full
    information, which is a reference, is given the true label.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, figure 1.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("SynSep-v0", num_envs=3)
    >>> documents, _ = envs.reset(seed=0)
    >>> documents["indices"].shape
    (3, 55)
    """

    def _set_up(self, num_envs: int, given: MulticlassSettings) -> None:
        width = _MOST - _OFF + _ON
        extent = Extent(N_TOPICS, KEYWORDS + COMMON, width, (0.0, 1.0), math.sqrt(width))
        super().__init__(num_envs, extent, given.rounds, given)
        self._sizes = np.empty((self.num_envs, N_TOPICS), np.int64)
        self._topics = np.empty((self.num_envs, N_TOPICS, _MOST), np.int32)

    def _start(self) -> None:
        _draw_topics(self._stream(THETA).keys, _APART, self._sizes, self._topics)
        self._row_keys = self._stream(CONTEXTS).keys

    def _fill(self, t: int, indices: np.ndarray, values: np.ndarray, labels: np.ndarray) -> None:
        _write(self._row_keys, t, self._sizes, self._topics, indices, values, labels)


@compiled
def _draw_topics(keys, apart, sizes, topics):
    """Sizes (n, 9) and keywords (n, 9, 40) of the topics, in ascending order, the rest -1.

    Attempt a uses round a of the stream: nine uniforms for the sizes, then 40 per topic.
    """
    n, n_topics, most = topics.shape
    draws = np.empty(n_topics * (1 + most))
    has = np.empty((n_topics, KEYWORDS), np.bool_)
    for i in range(n):
        attempt = 0
        while True:
            fill_uniform(keys[i, 0], keys[i, 1], attempt, draws)
            has[:] = False
            for topic in range(n_topics):
                size = _FEWEST + np.int64(draws[topic] * (most - _FEWEST + 1))
                sizes[i, topic] = size
                # Floyd's algorithm: a uniform subset of the given size.
                for j in range(size):
                    last = KEYWORDS - size + j
                    pick = np.int64(draws[n_topics + topic * most + j] * (last + 1))
                    has[topic, last if has[topic, pick] else pick] = True
            nearest = KEYWORDS
            for one in range(n_topics):
                for other in range(one):
                    distance = 0
                    for word in range(KEYWORDS):
                        distance += has[one, word] != has[other, word]
                    nearest = min(nearest, distance)
            if nearest >= apart:
                break
            attempt += 1
        topics[i] = -1
        for topic in range(n_topics):
            count = 0
            for word in range(KEYWORDS):
                if has[topic, word]:
                    topics[i, topic, count] = word
                    count += 1


@compiled
def _write(keys, t, sizes, topics, indices, values, labels):
    """The documents of rounds t, .., t + m - 1: indices and values (m, n, 55), labels (m, n).

    Uniform 0 of the round is for the topic, the next 5 for its words that are off, the next 20 for
    the common words that are on; subsets are Floyd's.
    """
    draws = np.empty(32)  # 26 are used: whole registers cost less than a remainder
    picks = np.empty(_ON, np.int64)
    common = np.empty(-(-COMMON // 64), np.uint64)  # a bit for each common word
    for s in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            fill_uniform(keys[i, 0], keys[i, 1], t + s, draws)
            topic = np.int64(draws[0] * N_TOPICS)
            labels[s, i] = topic
            words = topics[i, topic, : sizes[i, topic]]
            _write_one(draws, words, picks, common, indices[s, i], values[s, i])


@borrowing
def _write_one(draws, words, picks, common, indices, values):
    # Writes the document of a topic; picks and common are scratch.
    width, size = indices.shape[0], words.shape[0]
    off = np.uint64(0)
    for j in range(_OFF):
        last = size - _OFF + j
        pick = np.uint64(draws[1 + j] * (last + 1))
        off |= _ONE << (np.uint64(last) if (off >> pick) & _ONE else pick)
    count = 0
    for j in range(size):  # a word that is off is overwritten by the next one
        indices[count] = words[j]
        count += 1 - np.int64((off >> np.uint64(j)) & _ONE)
    for j in range(_ON):
        picks[j] = np.int64(draws[1 + _OFF + j] * (COMMON - _ON + j + 1))
    common[:] = 0
    for j in range(_ON):
        pick = np.uint64(picks[j])
        if (common[pick >> _SIX] >> (pick & _LOW)) & _ONE:
            pick = np.uint64(COMMON - _ON + j)
        common[pick >> _SIX] |= _ONE << (pick & _LOW)
    for j in range(common.size):  # bits in ascending order: no sort is needed
        rest = common[j]
        while rest:
            lowest = rest & (~rest + _ONE)
            exponent = (np.float64(lowest).view(np.int64) >> 52) - 1023  # its logarithm
            indices[count] = KEYWORDS + 64 * j + exponent
            count += 1
            rest ^= lowest
    for j in range(width):
        values[j] = 1.0 if j < count else 0.0
    for j in range(count, width):
        indices[j] = 0
