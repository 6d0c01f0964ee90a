"""Random choices of arms by the exponentials of scores."""

from agents.drivers.rule import first_largest
from banditgym.compiled import inlined
from banditgym.elementary import exp


@inlined
def softmax_arm(score, u):
    """The arm that a uniform u on [0, 1) draws by weights exp(score); ``score`` is overwritten.

    Scores (K,) of -inf are never drawn; one score at least is finite.
    """
    to_weights(score)
    total = 0.0
    for k in range(score.shape[0]):
        total += score[k]
    rest, last = u * total, 0
    for k in range(score.shape[0]):
        if score[k] > 0.0:
            rest -= score[k]
            last = k
            if rest < 0.0:
                return k
    return last


@inlined
def to_weights(score):
    """Replace scores (K,) by exp(score), all over the largest of these."""
    largest = score[first_largest(score)]
    for k in range(score.shape[0]):
        score[k] = exp(score[k] - largest)
