"""The rules of optimistic and greedy play on ridge regression, and how they play a block."""

from typing import NamedTuple

import numpy as np

from agents.drivers.decisions import play_arms
from agents.drivers.rule import choose, first_largest_within, learn
from agents.numerics.choice import optimistic_arm
from agents.numerics.ridge.factor import absorb_checked
from agents.numerics.ridge.factor_across import lanes_together, play_fixed_arms_block_across
from agents.numerics.ridge.factor_predictions import predict_replicate, prediction_scratch
from agents.numerics.ridge.fixed_arms_across import play_few_arms_block_across, width
from agents.numerics.ridge.fixed_arms_updates import (
    absorb_fixed_one,
    absorb_kernel_one,
    compute_afresh,
    fixed_scratch,
    kernel_scratch,
)
from agents.parts.estimators.fixed_arms import FewFixedArms, FixedArms
from agents.parts.estimators.ridge import FreshArms
from banditgym.rounds.blocks import ArmsBlock, SlotsBlock

FIRST_CACHE = 1 << 14  # bytes of states that stay in a processor's first cache, beside the rounds


def play_optimistic_block(
    model: FreshArms | FixedArms | FewFixedArms, block: ArmsBlock | SlotsBlock, radius: np.ndarray
) -> np.ndarray:
    """Play ``most_optimistic`` and learn in each round of a block; returns the arms (m, n)."""
    rule, together = rule_of(model, block.features[0], radius)
    lanes, play = 0, play_fixed_arms_block_across
    if isinstance(model, FixedArms):
        lanes = lanes_together(*model.features.shape)
    elif isinstance(model, FewFixedArms):
        lanes, play = width(*model.mean.shape), play_few_arms_block_across
    if isinstance(block, SlotsBlock) or not lanes or len(block.means) > 1 or block.bernoulli:
        return play_arms(rule, block, together)
    arms = np.empty(block.noise.shape, np.int64)
    play(model[:], radius, block.means, block.noise, arms, lanes)
    return arms


def rule_of(
    model: FreshArms | FixedArms | FewFixedArms, features: np.ndarray, radius: np.ndarray
) -> tuple["FreshRule | FixedRule | FewRule", int]:
    """The rule of a model, for arms with features (n, d, K); and how many replicates play together.

    With fixed arms these are as many as the first cache holds.
    """
    n, n_arms = model.mean.shape
    if isinstance(model, FreshArms):
        learning = np.empty(features.shape[1]), np.empty(features.shape[1])
        scratch = np.empty(n_arms), prediction_scratch(features), learning
        return FreshRule(model, radius, *scratch), n
    model.predict(features)  # so that it knows the arms
    if isinstance(model, FewFixedArms):
        together = FIRST_CACHE // model.kernel[0].nbytes
        return FewRule(model, radius, np.empty(n_arms), kernel_scratch(model)), max(1, together)
    together = FIRST_CACHE // (model.features[0].nbytes + model.mean[0].nbytes)
    return FixedRule(model, radius, fixed_scratch(model)), max(1, together)


class FreshRule(NamedTuple):
    """The rule if features are new in every round; the last three fields are scratch."""

    model: FreshArms
    radius: np.ndarray
    score: np.ndarray
    predicting: tuple[np.ndarray, np.ndarray, np.ndarray]
    learning: tuple[np.ndarray, np.ndarray]


@choose.of(FreshRule)
def _choose_fresh(rule, i, t, contexts, mask):
    model, score = rule.model, rule.score
    mean, variance, factor = model.mean, model.variance, (model.upper, model.pivots, model.moment)
    if not predict_replicate(factor, contexts, i, mean, variance, rule.predicting):
        return -1
    arm = optimistic_arm(mean[i], variance[i], rule.radius[i], score)
    return arm if mask is None else first_largest_within(score, mask[i])


@learn.of(FreshRule)
def _learn_fresh(rule, i, contexts, arm, reward):
    model = rule.model
    factor = model.upper, model.pivots, model.moment
    return absorb_checked(factor, model.ridge, contexts, i, arm, reward, rule.learning)


class FixedRule(NamedTuple):
    """The rule of K > d fixed arms; the last field is scratch."""

    model: FixedArms
    radius: np.ndarray
    learning: tuple[np.ndarray, np.ndarray, np.ndarray]


class FewRule(NamedTuple):
    """The rule of K <= d fixed arms; the last two fields are scratch."""

    model: FewFixedArms
    radius: np.ndarray
    score: np.ndarray
    learning: np.ndarray


@choose.of(FixedRule)
def _choose_fixed(rule, i, t, contexts, mask):
    model, (_, _, score) = rule.model, rule.learning
    return optimistic_arm(model.mean[i], model.variance[i], rule.radius[i], score)


@choose.of(FewRule)
def _choose_few(rule, i, t, contexts, mask):
    return optimistic_arm(rule.model.mean[i], rule.model.variance[i], rule.radius[i], rule.score)


@learn.of(FixedRule)
def _learn_fixed(rule, i, contexts, arm, reward):
    absorb_fixed_one(rule.model, i, arm, reward, rule.learning)
    return True


@learn.of(FewRule)
def _learn_few(rule, i, contexts, arm, reward):
    if absorb_kernel_one(rule.model, i, arm, reward, rule.score):
        compute_afresh(rule.model, i, rule.learning)
    return True
