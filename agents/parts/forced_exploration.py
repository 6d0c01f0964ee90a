"""The schedule by which every arm is played now and then, whatever an agent chooses."""

import math
from typing import Any

from banditgym.compiled import compiled, inlined
from banditgym.elementary import each_log


def usual_rate(task: Any) -> float | None:
    r"""The share of forced plays before any restart, :math:`\sqrt{K \log T / T}`.

    None if the task has no horizon T.
    """
    horizon = task.horizon
    return horizon and math.sqrt(task.n_arms * each_log(horizon) / horizon)


@inlined
def forced_arm(decision, rate, restarts, n_arms):
    """The arm that is forced in a decision, or -1.

    With the rate times the root of 1 + restarts, which is alpha: arm j - 1 is forced if the
    decision modulo K / alpha, rounded down, is j. The period is at least K + 1, so that no arm is
    left out.
    """
    alpha = rate * math.sqrt(restarts + 1.0)
    period = int(min(max(n_arms / alpha, n_arms + 1.0), 2.0**53))
    place = decision % period
    return place - 1 if 1 <= place <= n_arms else -1


@compiled
def force(arms, decisions, rate, restarts, n_arms, mask):
    """Replace arms (n,) by forced ones, if the mask (n, K) has them; None has all."""
    for i in range(arms.shape[0]):
        forced = forced_arm(decisions[i], rate, restarts[i], n_arms)
        if forced >= 0 and (mask is None or mask[i, forced]):
            arms[i] = forced
