"""Predicted rewards of every action, from models that never see the round they predict."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Predict = Callable[[np.ndarray], np.ndarray]


def predicted_rewards(
    model: Any,
    contexts: ArrayLike,
    actions: ArrayLike,
    rewards: ArrayLike,
    *,
    n_arms: int,
    per_arm: bool = True,
    folds: int = 5,
    batches: ArrayLike | None = None,
) -> np.ndarray:
    """The predictions (T, K) of a scikit-learn model, cross-fitted.

    Parameters
    ----------
    model : estimator of scikit-learn
        A regressor, or a classifier of rewards that has ``predict_proba``: the mean of its classes
        is the prediction. It is cloned before each fit.
    contexts : array_like of shape (T, d) or (T, K, d)
        Of the rounds, or features of every action.
    actions, rewards : array_like of shape (T,)
    per_arm : bool
        A model for each action. Otherwise one model gets the action as K indicators beside the
        context, or the features of the action alone if ``contexts`` is (T, K, d).
    folds : int
        A round t is in fold t mod folds, and is predicted by what was fitted to the other folds.
    batches : array_like of shape (T,), optional
        For logs of adaptive agents, in place of folds: numbers that never fall. A round is
        predicted by what was fitted to the batches before its own; in the first, by 0.

    Notes
    -----
    An action that was never played in the rounds fitted to is predicted to earn their mean reward.
    Where all rewards fitted to are equal, the prediction is that reward.
    """
    contexts = np.asarray(contexts, float)
    actions, rewards = np.asarray(actions, np.intp), np.asarray(rewards, float)
    n_rounds = len(contexts)
    if not n_rounds == len(actions) == len(rewards):
        raise ValueError(
            f"contexts, actions and rewards have {n_rounds}, {len(actions)} and {len(rewards)} "
            "rounds: give the same rounds of each"
        )
    if actions.min(initial=0) < 0 or actions.max(initial=0) >= n_arms:
        raise ValueError(f"each action is one of 0 .. {n_arms - 1}: renumber, or raise n_arms")

    groups = np.arange(n_rounds) % folds if batches is None else np.asarray(batches)
    if batches is None and not 2 <= folds <= n_rounds:
        raise ValueError(f"folds is {folds}: give 2 .. {n_rounds}, the number of rounds")
    if groups.shape != (n_rounds,):
        raise ValueError(f"batches has shape {groups.shape}: give one number for each round")
    falls = np.flatnonzero(groups[1:] < groups[:-1])
    if batches is not None and len(falls):
        raise ValueError(f"batches falls after round {falls[0]}: sort the log by time")

    def fit(contexts: np.ndarray, actions: np.ndarray, rewards: np.ndarray) -> Predict:
        return fitted_rewards(model, contexts, actions, rewards, n_arms, per_arm)

    models = CrossFitted(fit, (contexts, actions, rewards), groups, batches is not None)
    return models.predict(contexts, groups, np.zeros(n_arms))


class CrossFitted:
    """Models in which no row is predicted by one that was fitted to the row's own group.

    Parameters
    ----------
    fit : callable
        Gives the predictions (m, K) of contexts, fitted to rows: the arrays of ``sample``.
    sample : sequence of ndarray
        Rows to fit to.
    groups : ndarray
        The group of each of them.
    past : bool
        Whether a group is predicted by what was fitted to lower groups; else to all others.
    """

    def __init__(
        self, fit: Callable[..., Predict], sample: Sequence[np.ndarray], groups: np.ndarray,
        past: bool,
    ):  # fmt: skip
        self._fit, self._sample, self._groups, self._past = fit, sample, groups, past
        self._models: dict[Any, Predict | None] = {}

    def predict(self, contexts: np.ndarray, groups: np.ndarray, unknown: np.ndarray) -> np.ndarray:
        """The predictions (m, K) of rows; ``unknown`` (K,) where there was nothing to fit to."""
        found = np.tile(unknown, (len(contexts), 1))
        for group in np.unique(groups).tolist():
            if group not in self._models:
                fitted = self._groups < group if self._past else self._groups != group
                rows = [array[fitted] for array in self._sample]
                self._models[group] = self._fit(*rows) if fitted.any() else None
            if (model := self._models[group]) is not None:
                own = groups == group
                found[own] = model(contexts[own])
        return found


def fitted_rewards(
    model: Any,
    contexts: np.ndarray,
    actions: np.ndarray,
    rewards: np.ndarray,
    n_arms: int,
    per_arm: bool,
) -> Predict:
    """Clones of the model, fitted, as a function of contexts (m, d) or (m, K, d) -> (m, K)."""

    def features(given: np.ndarray, arms: np.ndarray | int) -> np.ndarray:
        if given.ndim == 3:
            return given[np.arange(len(given)), arms]
        if per_arm:
            return given
        return np.hstack([given, np.eye(n_arms)[np.broadcast_to(arms, len(given))]])

    if per_arm:
        models = []
        for arm in range(n_arms):
            own = actions == arm
            models.append(_fitted(model, features(contexts[own], arm), rewards[own],
                                  rewards.mean()))  # fmt: skip
    else:
        models = [_fitted(model, features(contexts, actions), rewards, 0.0)] * n_arms

    return lambda given: np.stack(
        [predict(features(given, arm)) for arm, predict in enumerate(models)], axis=1
    )


def _fitted(model: Any, features: np.ndarray, rewards: np.ndarray, unseen: float) -> Predict:
    """A clone of the model, fitted, as a function of features (n, p) -> (n,)."""
    from sklearn.base import clone  # of all estimators, only those with a model need scikit-learn

    if not len(rewards) or (rewards == rewards[0]).all():
        constant = rewards[0] if len(rewards) else unseen
        return lambda given: np.full(len(given), constant)
    fitted: Any = clone(model)
    fitted.fit(features, rewards)
    if hasattr(fitted, "predict_proba"):
        return lambda given: fitted.predict_proba(given) @ fitted.classes_
    return fitted.predict
