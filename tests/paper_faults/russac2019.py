"""Faults of agents and environments that the claims of russac2019 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/numerics/ridge/cholesky.py
    squared weights are discounted once [forgetful-widths]
    - twice = discount * discount
    + twice = discount

    rewards are not discounted [forgetful-widths, abrupt-changes]
    - moment[i, r] = discount * moment[i, r] + reward[i] * x[r]
    + moment[i, r] = moment[i, r] + reward[i] * x[r]

    the window keeps old rewards [forgetful-widths]
    - moment[i, j] -= paid[i, slot] * x[j]
    + moment[i, j] -= 0.0 * x[j]

    the window does not forget rows [forgetful-widths]
    - add_outer(gram[i], -1.0, x)
    + add_outer(gram[i], 0.0, x)

    --- agents/linear/discounted_linucb.py
    D-LinUCB does not discount [abrupt-changes]
    - Discounted(discount=self.discount,
    + Discounted(discount=1.0,

    --- banditgym/envs/noise.py
    noise is 5 % too loud [forgetful-widths]
    - if self.kind == "uniform" else self.std
    + if self.kind == "uniform" else 1.05 * self.std

    regret leaves out the arm's mean [theorem-rate]
    - regret[j, i] = best[shown, i] - mean
    + regret[j, i] = best[shown, i]

    --- banditgym/envs/drifting.py
    theta stays after its jumps [abrupt-changes]
    - if enters or (t > 0 and self._rate > 0):
    + if t > 0 and self._rate > 0:
    """
)
