"""Halving over a finite class: the plurality vote of the hypotheses without a mistake."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from agents.parts.active_set import VotingLabel
from banditgym.validation import read_npy, reals


@dataclass(kw_only=True, eq=False)
class Halving(VotingLabel):
    r"""Predict with the plurality of the hypotheses that never voted for a wrong label.

    The active set :math:`H'`, at first the whole class :math:`H`, votes in round :math:`t`,

    .. math:: \hat y_t = \arg\max_r \; |\{h \in H' : h(x_t) = r\}|, \qquad
        h(x) = \arg\max_r (W_h x)_r,

    and ties go to the first label. After a wrong answer, the hypotheses that voted for it are
    removed from :math:`H'`. If some hypothesis is always right, the agent makes at most :math:`k
    \ln |H|` mistakes.

    A round costs :math:`O(|H| k)` per pair of the row and replicate; memory: :math:`|H| k d`
    numbers and :math:`n |H|` bytes.

    Its definition is ``tests/agents/definitions/multiclass/halving.py``.

    Parameters
    ----------
    hypotheses : nested list of shape (m, k, d), or str
        The weights :math:`W_h` of each hypothesis, or the path of an .npy file with them. An array
        is kept as nested lists, because hyperparameters are plain data.

    Attributes
    ----------
    members : agents.parts.active_set.ActiveSet
        The class, and the hypotheses active in each replicate.

    Notes
    -----
    If no hypothesis is always right, the active set may become empty. It is then reset to the whole
    class; the paper does not treat this case.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, section 4 and Lemma 6.
    """

    paper: ClassVar = "Kakade et al. 2008, Lemma 6"
    scope: ClassVar = "tiny"
    on_request: ClassVar = True

    hypotheses: Sequence | str

    def __post_init__(self):
        if isinstance(self.hypotheses, np.ndarray):
            self.hypotheses = self.hypotheses.tolist()
        if not isinstance(self.hypotheses, str):
            _read(self.hypotheses)

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None:
            shape, wanted = _read(self.hypotheses).shape[1:], (task.n_labels, task.dim)
            if shape != wanted:
                return f"its hypotheses are of shape {shape}, and this task needs {wanted}"
        return reason

    def _every_hypothesis(self) -> np.ndarray:
        return _read(self.hypotheses)


def _read(hypotheses: Any) -> np.ndarray:
    given = "hypotheses"
    if isinstance(hypotheses, str):
        given = f"hypotheses of {hypotheses}"
        if not Path(hypotheses).is_file():
            raise FileNotFoundError(
                f"hypotheses must be an .npy file, got {hypotheses}: no such file"
            )
        hypotheses = read_npy("hypotheses", Path(hypotheses))
    array = reals(given, hypotheses)
    if array.ndim != 3 or array.size == 0:
        raise ValueError(f"{given} must be of shape (m, n_labels, dim), got {array.shape}")
    return array
