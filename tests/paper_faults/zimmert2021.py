"""Faults of agents and environments that the claims of zimmert2021 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/adversarial/tsallis_inf.py
    losses are not weighted [adversarial-growth, stochastic-growth]
    - arms.losses[i, k] += (loss - baseline) / p[k]
    + arms.losses[i, k] += loss - baseline

    the baseline is that of the played arm alone [adversarial-growth, stochastic, beats-exp3]
    -         arms.losses[i, k] += baseline
    -         if k == arm:
    +         if k == arm:
    +             arms.losses[i, k] += baseline

    the learning rate is a thirtieth [stochastic, beats-exp3]
    - return rule.scale / math.sqrt(rule.arms.t[i] + 1.0)
    + return rule.scale / 30.0 / math.sqrt(rule.arms.t[i] + 1.0)

    the learning rate does not fall [adversarial-growth, stochastic-growth]
    - return rule.scale / math.sqrt(rule.arms.t[i] + 1.0)
    + return rule.scale

    --- agents/parts/drawn_arms.py
    rewards are taken for losses [adversarial-bound, constrained-bound]
    - return (arms.high - reward) / arms.width
    + return reward / arms.width

    --- banditgym/envs/adversarial.py
    means do not move [almost-linear]
    - side="right") - 1) % 2
    + side="right") - 1) % 1

    phases do not grow [almost-linear]
    - _GROWTH = 1.6
    + _GROWTH = 1.0
    """
)
