"""Estimates by gradient steps on samples, by any of the methods of this folder."""

import numpy as np

from agents.numerics.steps.descent_steps import DescentSteps, learn_by_descent
from agents.numerics.steps.sag_steps import SAGSteps, learn_by_sag
from agents.numerics.steps.sample_chunks import predict_within
from agents.numerics.steps.svrg_steps import SVRGSteps, learn_by_svrg
from banditgym.compiled import by_class, compiled


@by_class
def learn(steps, samples, features, arms, outcomes, observed):
    """Keep samples and make a step each, where ``observed`` (n,).

    Returns the first replicate whose row is not finite, or so long that its square is not, before
    anything is changed, or -1.
    """


learn.of(DescentSteps)(learn_by_descent)
learn.of(SAGSteps)(learn_by_sag)
learn.of(SVRGSteps)(learn_by_svrg)


@compiled
def learn_round(steps, samples, features, arms, outcomes, observed):
    """:func:`learn` as a kernel, which stays on disk where a body is inlined."""
    return learn(steps, samples, features, arms, outcomes, observed)


@compiled
def play_rows_block(steps, theta, samples, bound, rows, outcomes, predictions):
    """Predict and learn the rows (m, n, d, 1), round by round; predictions (m, n) within ``bound``.

    ``theta`` (n, d) is the estimate that predicts. Returns the first bad replicate, or -1.
    """
    rounds, n = outcomes.shape
    arms, everyone = np.zeros(n, np.int64), np.ones(n, np.bool_)
    mean, outcome = np.empty((n, 1)), np.empty(n)
    for t in range(rounds):
        bad = predict_within(theta, rows[t], bound, mean, predictions[t])
        if bad >= 0:
            return bad
        for i in range(n):
            outcome[i] = outcomes[t, i]  # a copy: a read-only array would be another type
        bad = learn(steps, samples, rows[t], arms, outcome, everyone)
        if bad >= 0:
            return bad
    return -1
