"""Faults of agents and environments that the claims of kannan2018 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/numerics/choice.py
    greedy play takes the last arm [perturbed, no-conflict]
    - fill_scores(mean, variance, radius, score)
    -     return first_largest(score)
    + return mean.shape[0] - 1

    arms are scored by their variance alone [no-conflict]
    - return mean + radius * math.sqrt(max(variance, 0.0))
    + return math.sqrt(max(variance, 0.0))

    --- banditgym/envs/linear.py
    fixed arms are drawn anew in every round [failure-to-learn]
    - if self.task.fixed_arms:
    -             features, (means, best) = read_only(self._fixed), self._means
    + if self.task.n_arms == 0:
    +             features, (means, best) = read_only(self._fixed), self._means
    """
)
