"""Models of rewards and of propensities for logs that are read in chunks.

They are fitted to a sample of the rows, at most `MOST_ROWS`, in blocks of `FOLDS` rows that are
spread over the log. A row never gets the prediction of a model that was fitted to its own fold. If
the agent learned while the log was made, there are batches in place of folds, and the models of a
row are fitted to the batches before its own; those of the first predict 0. Rows that policies
learned from come before all of these, and every model may be fitted to them.

Missing propensities are estimated by a multinomial logistic regression of the action on the
context, or by the actions' frequencies if there is no context. Where that is wrong, so are the
weights: the estimate then rests on the assumption that the context has all that actions and
rewards have in common (unconfoundedness), which no log can show, and intervals do not cover the
error of the propensities. No propensity is estimated as less than `LEAST`.
"""

from typing import Any

import numpy as np

from banditgym.logs import BanditLog, LogChunk
from banditgym.logs.log_tasks import features_shown, shape_shown
from leaderboards.ope.reward_models import CrossFitted, Predict, fitted_rewards

MOST_ROWS = 200_000
MOST_NUMBERS = 8_000_000  # of the features in the sample
FOLDS, BATCHES = 5, 10
LEAST = 1e-3
ESTIMATED = (
    "propensities are estimated: the result holds if the context has all that actions and rewards "
    "have in common, and intervals do not cover the error of the propensities"
)


def shown(chunk: LogChunk, log: BanditLog) -> np.ndarray:
    """The features of rows (m, d) or (m, K, d); a 1 for each where there are none of all arms."""
    features = None if log.context == "played" else features_shown(log, chunk)
    return np.ones((len(chunk), 1)) if features is None else np.asarray(features, float)


class LogModels:
    """Cross-fitted predictions of rewards, and estimates of propensities, of a log's rows.

    Parameters
    ----------
    log : BanditLog
    first : int
        The rows before it are those that policies learned from.
    learns : bool
        Whether the agent learned while the log was made.
    model : estimator of scikit-learn, optional
        Of rewards; ridge regression by default.

    Attributes
    ----------
    n_sampled : int
        How many rows the models are fitted to, in all folds or batches together.
    """

    def __init__(self, log: BanditLog, first: int = 0, learns: bool = False, model: Any = None):
        from sklearn.linear_model import Ridge  # takes a second to import

        self._log, self._first, self._learns = log, first, learns
        self._model: Any = Ridge() if model is None else model
        width = int(np.prod(shape_shown(log)))
        most = max(FOLDS, min(MOST_ROWS, MOST_NUMBERS // width))
        stride = -(-log.n_rows // most)
        parts = []
        for chunk in log.chunks():
            rows = self._rows(chunk)
            kept = (rows // FOLDS % stride == 0) & chunk.arrived
            contexts = shown(chunk, log)
            parts.append((rows[kept], contexts[kept], chunk.action[kept], chunk.reward[kept]))
        rows, *sample = (np.concatenate(each) for each in zip(*parts, strict=True))
        self.n_sampled, groups = len(rows), self._group(rows)
        self._rewards = CrossFitted(self._fit_rewards, sample, groups, learns)
        self._actions = CrossFitted(self._fit_actions, sample, groups, learns)

    def predictions(self, chunk: LogChunk) -> np.ndarray:
        """The predicted rewards (m, K) of every action."""
        return self._predict(self._rewards, chunk, 0.0)

    def propensities(self, chunk: LogChunk) -> np.ndarray:
        """The estimated propensities (m, K); they sum to 1."""
        n_arms = self._log.n_arms
        least = min(LEAST, 0.5 / n_arms)
        return least + (1 - n_arms * least) * self._predict(self._actions, chunk, 1 / n_arms)

    def _predict(self, models: CrossFitted, chunk: LogChunk, unknown: float) -> np.ndarray:
        groups = self._group(self._rows(chunk))
        return models.predict(shown(chunk, self._log), groups, np.full(self._log.n_arms, unknown))

    def _rows(self, chunk: LogChunk) -> np.ndarray:
        return np.arange(chunk.first_row - 1, chunk.first_row - 1 + len(chunk))

    def _group(self, rows: np.ndarray) -> np.ndarray:
        """The fold or the batch of each row; -1 for those that policies learned from."""
        if self._learns:
            groups = (rows - self._first) * BATCHES // max(self._log.n_rows - self._first, 1)
        else:
            groups = rows % FOLDS
        return np.where(rows < self._first, -1, groups)

    def _fit_rewards(
        self, contexts: np.ndarray, actions: np.ndarray, rewards: np.ndarray
    ) -> Predict:
        return fitted_rewards(
            self._model, contexts, actions, rewards, self._log.n_arms, contexts.ndim == 2
        )

    def _fit_actions(self, contexts: np.ndarray, actions: np.ndarray, _: np.ndarray) -> Predict:
        from sklearn.dummy import DummyClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        contexts = contexts.reshape(len(contexts), -1)
        model: Any = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        if (actions == actions[0]).all() or (contexts == contexts[0]).all():
            model = DummyClassifier()  # their frequencies
        model.fit(contexts, actions)

        def probabilities(given: np.ndarray) -> np.ndarray:
            found = np.zeros((len(given), self._log.n_arms))
            found[:, model.classes_] = model.predict_proba(given.reshape(len(given), -1))
            return found

        return probabilities
