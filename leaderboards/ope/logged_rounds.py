"""The rounds of a log as arrays, and the checks that say which row is wrong and what to do."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

TOLERANCE = 1e-6  # of probabilities that must sum to 1 or agree: logs are often kept in float32


@dataclass(frozen=True, eq=False)
class Log:
    """What was logged in T rounds with K actions. Nothing is checked before :func:`evaluate`.

    Parameters
    ----------
    actions : array_like of shape (T,)
        The actions played, 0 .. K - 1.
    rewards : array_like of shape (T,)
    propensities : array_like of shape (T,) or (T, K), optional
        The probability with which the logging policy played the action, or all its probabilities.
        Those of all actions also show where the policy to be evaluated plays what the log cannot
        have. Every estimator but the direct method needs them or ``logging_policies``.
    predictions : array_like of shape (T, K), optional
        A model's expected reward of every action in every round, as :func:`predicted_rewards` makes
        them. In a log of an adaptive agent, a round's predictions may use earlier rounds alone.
    logging_policies : array_like of shape (B, T, K) or (B, K), optional
        For the adaptively weighted estimators. The probabilities of each of the agent's B policies
        at the contexts of *all* rounds, which the agent can compute afterwards. An agent that
        learns in batches has one policy for each batch, so that B is far below T. An agent that
        sees no contexts has one row of probabilities for each policy: (B, K).
    policy_of_round : array_like of shape (T,), optional
        Which of the B policies played the round: 0 .. B - 1. Needed with ``logging_policies``.
    """

    actions: ArrayLike
    rewards: ArrayLike
    propensities: ArrayLike | None = None
    predictions: ArrayLike | None = None
    logging_policies: ArrayLike | None = None
    policy_of_round: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Rounds:
    """A checked log with the policy to be evaluated; arrays have the shapes of :class:`Log`.

    Attributes
    ----------
    policy : ndarray of shape (T, K)
    propensity : ndarray of shape (T,) or None
        Of the played actions.
    all_propensities : ndarray of shape (T, K) or None
    """

    actions: np.ndarray
    rewards: np.ndarray
    policy: np.ndarray
    propensity: np.ndarray | None
    all_propensities: np.ndarray | None
    predictions: np.ndarray | None
    logging_policies: np.ndarray | None
    policy_of_round: np.ndarray | None

    def played(self, table: np.ndarray) -> np.ndarray:
        """The entries of the played actions in a table (T, K): (T,)."""
        return table[np.arange(len(self.actions)), self.actions]

    @property
    def policy_weights(self) -> np.ndarray:
        r"""The importance weights :math:`\pi(a_t \mid x_t) / e_t(a_t)`: (T,)."""
        assert self.propensity is not None  # estimators that weight check it
        return self.played(self.policy) / self.propensity


def policies_of_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The logging policies (B, K) and the policy of each round (T,), without contexts.

    Each change of the probabilities of all actions (T, K) is another policy.
    """
    of_round = np.append(0, np.cumsum((np.diff(rows, axis=0) != 0).any(axis=1)))
    return rows[np.searchsorted(of_round, np.arange(of_round[-1] + 1))], of_round


def checked(log: Log, policy: ArrayLike) -> Rounds:
    """The arrays of a log and the policy (T, K), or a ValueError about the first wrong row."""
    policy = _numbers("policy", policy, None)
    if policy.ndim != 2 or not policy.size:
        raise ValueError(f"policy has shape {policy.shape}: give T rounds times K actions")
    n_rounds, n_arms = policy.shape
    _probabilities("policy", policy)
    actions = _indices("actions", log.actions, n_rounds, n_arms, "action")
    rewards = _numbers("rewards", log.rewards, (n_rounds,))
    predictions = log.predictions
    if predictions is not None:
        predictions = _numbers("predictions", predictions, (n_rounds, n_arms))
    policies, of_round, at_rounds = _logging_policies(log, n_rounds, n_arms)
    propensity, everywhere = _propensities(log, actions, n_arms, at_rounds)
    return Rounds(actions, rewards, policy, propensity, everywhere, predictions, policies, of_round)


def _logging_policies(
    log: Log, n_rounds: int, n_arms: int
) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    """The policies, the policy of each round, and its probabilities there (T, K)."""
    if log.logging_policies is None:
        return None, None, None
    if log.policy_of_round is None:
        raise ValueError("policy_of_round is missing: say which logging policy played each round")
    policies = np.asarray(log.logging_policies, float)
    within = (n_rounds, n_arms) if policies.ndim == 3 else (n_arms,)
    if policies.shape[1:] != within or policies.ndim < 2:
        raise ValueError(
            f"logging_policies has shape {policies.shape}: give (B, {n_rounds}, {n_arms}), "
            f"or (B, {n_arms}) for an agent that sees no contexts"
        )
    for one, table in enumerate(policies):
        _probabilities(f"logging_policies[{one}]", np.atleast_2d(table))
    of_round = _indices(
        "policy_of_round", log.policy_of_round, n_rounds, len(policies), "logging policy"
    )
    rows = () if policies.ndim == 2 else (np.arange(n_rounds),)
    return policies, of_round, policies[(of_round, *rows)]


def _propensities(
    log: Log, actions: np.ndarray, n_arms: int, at_rounds: np.ndarray | None
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The propensities of the played actions (T,), and of all (T, K) if they are known."""
    rows = np.arange(len(actions))
    everywhere = at_rounds
    if log.propensities is not None:
        propensity = _numbers("propensities", log.propensities, None)
        if propensity.ndim == 2:
            _shape("propensities", propensity, (len(actions), n_arms))
            _probabilities("propensities", propensity)
            everywhere, propensity = propensity, propensity[rows, actions]
        _shape("propensities", propensity, (len(actions),))
    elif at_rounds is not None:
        propensity = at_rounds[rows, actions]
    else:
        return None, None
    _refuse(
        "propensities", propensity, ~((propensity > 0) & (propensity <= 1 + TOLERANCE)),
        "the played action's must be above 0 and at most 1; log the probability with which "
        "the action was played, or drop the row",
    )  # fmt: skip
    if at_rounds is not None:
        _refuse(
            "propensities", propensity,
            ~(np.abs(propensity - at_rounds[rows, actions]) <= TOLERANCE),
            "logging_policies has another for the action played; check policy_of_round",
        )  # fmt: skip
    return propensity, everywhere


def _numbers(name: str, given: ArrayLike, shape: tuple[int, ...] | None) -> np.ndarray:
    try:
        array = np.asarray(given, float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers alone; convert or drop the others") from None
    if shape is not None:
        _shape(name, array, shape)
    _refuse(name, array, ~np.isfinite(array), "it must be finite; fill it in or drop the row")
    return array


def _indices(name: str, given: ArrayLike, n_rounds: int, size: int, kind: str) -> np.ndarray:
    numbers = _numbers(name, given, (n_rounds,))
    wrong = ~((numbers >= 0) & (numbers < size) & (numbers == np.floor(numbers)))
    _refuse(name, numbers, wrong, f"each {kind} is one of 0 .. {size - 1}; renumber, or drop it")
    return numbers.astype(np.intp)


def _probabilities(name: str, table: np.ndarray) -> None:
    _refuse(
        name,
        table,
        ~((table >= 0) & (table <= 1 + TOLERANCE)),
        "a probability lies within 0 and 1; correct it, or drop the row",
    )
    total = table.sum(axis=1)
    wrong = ~(np.abs(total - 1) <= TOLERANCE)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{name}[{row}] sums to {total[row]:g}, not 1: divide the row by its sum")


def _shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}: give {shape}, as many rounds as policy")


def _refuse(name: str, array: np.ndarray, wrong: np.ndarray, rule: str) -> None:
    """A ValueError about the first entry that is wrong."""
    if wrong.any():
        where = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        index = ", ".join(str(int(one)) for one in where)
        raise ValueError(f"{name}[{index}] is {array[where]:g}: {rule}")
