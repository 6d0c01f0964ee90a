"""Epsilon-greedy play on one logistic regression for all arms, by gradient steps."""

import math
from typing import NamedTuple

import numpy as np

from agents.drivers.rule import choose, first_largest_there, learn
from agents.numerics.logistic.streaming import read_sample
from agents.numerics.random_choice import uniform_slot
from agents.parts.exploring_label import Exploration, explored
from banditgym.compiled import inlined
from banditgym.elementary.log_odds import logistic
from banditgym.linalg.product import combine_rows
from banditgym.streams import uniform_at

SCALE = 1.0  # what lengths of features are compared with, as with a ridge elsewhere
RELATIVE = 0.0  # in place of a constant learning rate


@inlined
def rate_of(learning_rate, x):
    """The rate of a step along ``x`` (d,); if it is ``RELATIVE``, 1 / (2 ‖x‖²).

    That is 0 where ‖x‖² overflows, or is so small that its inverse does.
    """
    if learning_rate != RELATIVE:
        return learning_rate
    square = 0.0
    for j in range(x.shape[0]):
        square += x[j] * x[j]
    return 0.5 / square if square > 1e-300 else 0.0


class SharedRegressionRule(NamedTuple):
    """A rule of epsilon-greedy arms; the last field is scratch.

    Its uniform numbers are those of ``exploration``, of which the scores are scratch too.
    """

    weights: np.ndarray
    exploration: Exploration
    learning_rate: float
    sample: np.ndarray


@choose.of(SharedRegressionRule)
def _choose_arm(rule, i, t, contexts, mask):
    keys, decisions, epsilon, _, scores, guess = rule.exploration
    combine_rows(rule.weights[i], contexts[i], scores)
    bad = 0
    for k in range(scores.shape[0]):
        bad += not math.isfinite(scores[k])
    if bad > 0:
        return -1
    guess[i] = first_largest_there(scores, mask, i)
    u = uniform_at(keys[i, 0], keys[i, 1], decisions[i] + t, 0)
    if mask is not None and u < epsilon:
        return uniform_slot(mask[i], u / epsilon)
    return explored(guess[i], epsilon, scores.shape[0], u)


@learn.of(SharedRegressionRule)
def _learn_arm(rule, i, contexts, arm, reward):
    w, x, score = rule.weights[i], rule.sample, 0.0
    if not read_sample(contexts, i, arm, SCALE, x):
        return False
    for j in range(x.shape[0]):
        score += w[j] * x[j]
    step = rate_of(rule.learning_rate, x) * (reward - logistic(score))
    for j in range(x.shape[0]):
        w[j] += step * x[j]
    return True
