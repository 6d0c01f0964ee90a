"""The rule of one replicate, as compiled loops call it: what it chooses, and what it learns.

A rule is a named tuple of an agent's arrays, those of its n replicates, with the numbers and the
scratch memory that it needs. Each class of rules has a body of ``choose`` and one of ``learn``,
which are written beside the agent. They may write to the rule's arrays in the place of their
replicate alone, and to its scratch memory.
"""

from banditgym.compiled import by_class, inlined


@by_class
def choose(rule, i, t, contexts, mask):
    """The arm or the label that replicate i plays.

    ``t`` counts the rounds since the rule was made, from 0; ``contexts`` are those of the round, as
    ``Agent._choose`` gets them; ``mask`` (n, K) says which arms there are, if not all are. A rule
    for arms may refuse features: it then returns -1.
    """


@by_class
def learn(rule, i, contexts, action, outcome):
    """Let replicate i learn an outcome.

    A rule for arms returns whether it accepts the features, which in blocks alone it may refuse.
    """


@inlined
def withdrawn(mask, i, k):
    """Whether replicate i may not play arm k, given the mask (n, K) of a round, or None."""
    return False if mask is None else not mask[i, k]


@inlined
def first_largest(score):
    """The index of the largest score (K,); ties go to the lowest, as everywhere."""
    best, largest = 0, score[0]
    for k in range(1, score.shape[0]):
        if score[k] > largest:
            best, largest = k, score[k]
    return best


@inlined
def second_largest(score, best):
    """The index of the second largest score (K,), the first of equals; ``best`` if K = 1."""
    second = best
    for r in range(score.shape[0]):
        if r != best and (second == best or score[r] > score[second]):
            second = r
    return second


@inlined
def first_largest_within(score, mask):
    """:func:`first_largest` among the arms of a mask (K,), which has at least one."""
    best = -1
    for k in range(score.shape[0]):
        if mask[k] and (best < 0 or score[k] > score[best]):
            best = k
    return best


@inlined
def first_largest_there(score, mask, i):
    """:func:`first_largest` among the arms that replicate i may play, given the mask, or None."""
    return first_largest(score) if mask is None else first_largest_within(score, mask[i])
