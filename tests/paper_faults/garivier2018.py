"""Faults of agents and environments that the claims of garivier2018 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/armed/klucb_switch.py
    Switch: the level does not fall with plays [like-moss]
    - level = max(log(rule.share / pulls), 0.0) / pulls
    + level = max(log(rule.share), 0.0) / pulls

    Switch: a bonus without its root [like-moss]
    - rule.bounds[i, arm] = mean + math.sqrt(level / 2.0)
    + rule.bounds[i, arm] = mean + level / 2.0

    Switch: a bonus four times as large [like-moss, better-than-ucb]
    - rule.bounds[i, arm] = mean + math.sqrt(level / 2.0)
    + rule.bounds[i, arm] = mean + 4.0 * math.sqrt(level / 2.0)

    --- agents/armed/klucb.py
    KL-UCB: a tenth of the level [klucb-on-bounded, plus-plus-on-coins]
    - level = log(rule.t[i] + 1.0)
    + level = 0.1 * log(rule.t[i] + 1.0)

    KL-UCB: ten times the level [better-than-ucb]
    - level = log(rule.t[i] + 1.0)
    + level = 10.0 * log(rule.t[i] + 1.0)

    --- agents/armed/klucb_plus_plus.py
    KL-UCB++: ten times the level [plus-plus-on-coins, better-than-ucb]
    - level = max(log(y * (1.0 + grown * grown)), 0.0) / pulls
    + level = 10.0 * max(log(y * (1.0 + grown * grown)), 0.0) / pulls

    --- agents/armed/moss.py
    MOSS: half of the bonus [like-moss]
    - return rule.sums[i, k] / pulls + math.sqrt(rule.scale * level)
    + return rule.sums[i, k] / pulls + 0.5 * math.sqrt(rule.scale * level)

    --- agents/drivers/pulls.py
    the last reward for the sum of rewards [better-than-ucb]
    - rule.sums[i, arm] += reward
    + rule.sums[i, arm] = reward

    --- banditgym/envs/arm_laws.py
    exponential rewards are mirrored [better-than-ucb]
    - return np.minimum(parameters * -each_log1p(-draws)[..., None], 1.0)
    + return 1.0 - np.minimum(parameters * -each_log1p(-draws)[..., None], 1.0)
    """
)
