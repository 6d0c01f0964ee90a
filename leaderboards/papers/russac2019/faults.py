"""Deliberate faults in the agents of russac2019, and the claims that must see them."""

from leaderboards.papers.fault import Fault

_SUMMED = "agents/numerics/cholesky.py"

FAULTS = (
    Fault(
        name="squared weights are discounted once",
        file=_SUMMED,
        old="twice = discount * discount",
        new="twice = discount",
        claims=["forgetful-widths"],
    ),
    Fault(
        name="rewards are not discounted",
        file=_SUMMED,
        old="moment[i, r] = discount * moment[i, r] + reward[i] * x[r]",
        new="moment[i, r] = moment[i, r] + reward[i] * x[r]",
        claims=["forgetful-widths", "abrupt-changes"],
    ),
    Fault(
        name="the window keeps old rewards",
        file=_SUMMED,
        old="moment[i, j] -= paid[i, slot] * x[j]",
        new="moment[i, j] -= 0.0 * x[j]",
        claims=["forgetful-widths"],
    ),
    Fault(
        name="D-LinUCB does not discount",
        file="agents/linear/discounted_linucb.py",
        old="Discounted(discount=self.discount,",
        new="Discounted(discount=1.0,",
        claims=["abrupt-changes"],
    ),
    Fault(
        name="the window does not forget rows",
        file=_SUMMED,
        old="add_outer(gram[i], -1.0, x)",
        new="add_outer(gram[i], 0.0, x)",
        claims=["forgetful-widths"],
    ),
)
