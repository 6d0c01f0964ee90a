"""The optimistic arm of a model of logistic rewards."""

from agents.drivers.rule import first_largest_there
from agents.numerics.choice import optimistic_score
from agents.numerics.ridge.factor_predictions import predict_replicate
from banditgym.compiled import borrowing
from banditgym.elementary.log_odds import logistic


@borrowing
def optimistic_arm(model, i, contexts, mask, bound, choosing):
    r"""The first arm of replicate i with the largest bound; -1 if its features are refused.

    ``bound`` is a radius :math:`\rho`, and whether the bound is :math:`\sigma(m) + \rho\sqrt{w}`,
    on rewards, rather than :math:`m + \rho\sqrt{w}`, on scores, with the means m and variances w of
    scores. ``choosing`` are the radii (n,), in which :math:`\rho` is kept, and scratch.
    """
    (radius, of_rewards), (radii, score, predicting) = bound, choosing
    mean, variance, factor = model.mean, model.variance, (model.upper, model.pivots, model.moment)
    if not predict_replicate(factor, contexts, i, mean, variance, predicting):
        return -1
    radii[i] = radius
    for k in range(score.shape[0]):
        middle = logistic(mean[i, k]) if of_rewards else mean[i, k]
        score[k] = optimistic_score(middle, variance[i, k], radius)
    return first_largest_there(score, mask, i)
