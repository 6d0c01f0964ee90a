r"""The Banditron on ``SynSep-v0`` in one compiled loop.

As in ``tools.speed.fused_linear``, with the random numbers of the environment and of the
agent. The words of a document all have the value 1, so that they are the pairs' indices alone.
"""

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.envs.synthetic_text import COMMON, KEYWORDS, N_TOPICS
from banditgym.streams import fill_uniform, uniform_pair
from tools.speed.fused_linear import CHUNK

_OFF, _ON, _DRAWS = 5, 20, 32  # words off and on in a document; of the draws 26 are used
_ONE = np.uint64(1)


@compiled
def banditron(topics, gamma, keys, kept, curves, pulls):
    """Write the ``curves`` (2, n, c) of reward and regret, and count ``pulls`` (n, 9).

    ``topics`` are the sizes (n, 9) and the keywords (n, 9, 40) of the environment's topics; the
    keys (n, 2) are those of the documents and of the agent.
    """
    sizes, keywords = topics
    text_keys, agent_keys = keys
    n = sizes.shape[0]
    weights, scores = np.empty((KEYWORDS + COMMON, N_TOPICS)), np.empty(N_TOPICS)
    words, draws, uniforms = np.empty(60, np.uint64), np.empty(_DRAWS), np.empty(CHUNK)
    for i in range(n):
        weights[:] = 0.0
        right, column = 0, 0
        for t in range(kept[-1]):
            if t % CHUNK == 0:
                k0, k1 = agent_keys[i]
                for s in range(CHUNK):
                    uniforms[np.uint64(s)], _ = uniform_pair(k0, k1, t + s, 0)
            fill_uniform(text_keys[i, 0], text_keys[i, 1], t, draws)
            label = int(draws[0] * N_TOPICS)
            width = _write(draws, keywords[i, label], sizes[i, label], words)
            scores[:] = 0.0
            for w in range(width):
                word = words[w]
                for r in range(N_TOPICS):
                    scores[r] += weights[word, r]
            guess = 0
            for r in range(1, N_TOPICS):
                guess = r if scores[r] > scores[guess] else guess
            played, u = guess, uniforms[t % CHUNK]
            if u < gamma:
                played = min(int(u / gamma * N_TOPICS), N_TOPICS - 1)
            if played == label:
                right += 1
                gain = 1.0 / ((1.0 - gamma if played == guess else 0.0) + gamma / N_TOPICS)
                gain -= 1.0 if played == guess else 0.0
                for w in range(width):
                    weights[words[w], played] += gain
            if played != label or played != guess:
                for w in range(width):
                    weights[words[w], guess] -= 1.0
            pulls[i, played] += 1
            if t + 1 == kept[column]:
                curves[0, i, column], curves[1, i, column] = right, t + 1 - right
                column += 1


@inlined
def _write(draws, keywords, size, words):
    """Write the words of a document in ascending order, and return their number.

    Words off and words on are subsets by Floyd's algorithm, kept as bits.
    """
    off, width = np.uint64(0), 0
    for j in range(_OFF):
        last = size - _OFF + j
        pick = np.uint64(draws[1 + j] * (last + 1))
        off |= _ONE << (np.uint64(last) if (off >> pick) & _ONE else pick)
    for j in range(size):  # a word that is off is overwritten by the next one
        words[width] = keywords[j]
        width += 1 - np.int64((off >> np.uint64(j)) & _ONE)
    on = np.zeros(5, np.uint64)
    for j in range(_ON):
        last = np.uint64(COMMON - _ON + j)
        pick = np.uint64(draws[1 + _OFF + j] * (last + _ONE))
        pick = last if (on[pick >> np.uint64(6)] >> (pick & np.uint64(63))) & _ONE else pick
        on[pick >> np.uint64(6)] |= _ONE << (pick & np.uint64(63))
    for part in range(5):
        rest = on[part]
        while rest:
            lowest = rest & (~rest + _ONE)
            exponent = (np.float64(lowest).view(np.int64) >> 52) - 1023  # its logarithm
            words[width] = KEYWORDS + 64 * part + exponent
            width += 1
            rest ^= lowest
    return width
