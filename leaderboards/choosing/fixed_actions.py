"""What is measured of each kind of problem, and the fixed action that agents are compared with."""

from typing import NamedTuple

from leaderboards.choosing.bandit_problem import ARMS, LABELS, NUMBERS
from leaderboards.suites.baselines_file import BEST_CONSTANT, BEST_FIXED

MEASURES = {LABELS: "right of 100", NUMBERS: "squared error", ARMS: "regret per round"}


class FixedAction(NamedTuple):
    """One action, the best in hindsight, which an agent has to be better than.

    Attributes
    ----------
    spec, name, note, always : str
        Its agent, what it is called, a line of the output, and the end of an advice.
    unit : float
        The measure of a round is in units of the regret of so many rounds.
    """

    spec: str
    name: str
    note: str
    always: str
    unit: float


FIXED = {
    LABELS: FixedAction(
        BEST_FIXED,
        "the best fixed label",
        "BestFixedAction plays the one label that is best in hindsight: no agent",
        "always playing the label that is best in hindsight, {} right of 100",
        100.0,
    ),
    NUMBERS: FixedAction(
        BEST_CONSTANT,
        "the best constant prediction",
        "BestConstant predicts the one number that is best in hindsight, the mean: no agent",
        "always predicting the mean, a squared error of {}",
        1.0,
    ),
}
