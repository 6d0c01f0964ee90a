"""Probabilities that fall exponentially with the estimated losses of arms."""

import math

from agents.parts.drawn_arms import drawn, least_loss
from banditgym.compiled import inlined
from banditgym.elementary import exp, log


@inlined
def rate(arms, i, scale):
    r"""The learning rate :math:`\sqrt{\log K / (K t)}` of replicate i, times ``scale``."""
    n_arms = arms.losses.shape[1]
    return scale * math.sqrt(log(float(n_arms)) / (n_arms * (arms.t[i] + 1.0)))


def draw_by_weight(rule, i, t, contexts, mask):
    """``agents.drivers.rule.choose`` of rules with the fields ``arms`` and ``scale``."""
    arms = rule.arms
    losses, p, eta = arms.losses[i], arms.probabilities[i], rate(arms, i, rule.scale)
    least, total = least_loss(losses), 0.0
    for k in range(p.shape[0]):
        p[k] = exp(-eta * (losses[k] - least))
        total += p[k]
    for k in range(p.shape[0]):
        p[k] /= total
    return drawn(arms, i, t)
