"""PhasedElimination: fixed arms, played by optimal designs, until they are surely not the best."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import noise_level
from agents.drivers.decisions import RuleAgent
from agents.parts.estimators.phased_arms import PhasedArms, PhasedRule
from agents.search import Log
from banditgym.tasks import LinearTask
from banditgym.validation import nonnegative, positive, probability


@dataclass(kw_only=True, eq=False)
class PhasedElimination(RuleAgent):
    r"""Play the arms left as an optimal design says, then drop those that are too far behind.

    In phase :math:`l` with the arms A, an approximate G-optimal design :math:`\pi` of A with the
    largest leverage g, and :math:`\epsilon_l = c \, 2^{-l}`, arm k is played

    .. math:: T_l(k) = \left\lceil \frac{2 g \pi_k R^2}{\epsilon_l^2}
        \log \frac{K l (l + 1)}{\delta} \right\rceil

    times, one arm after the other. With the least squares :math:`\hat\theta` of the rewards of this
    phase alone, the arms with :math:`\max_{b \in A} \langle x_b - x_k, \hat\theta \rangle > 2
    \epsilon_l` are dropped for ever, and the next phase begins.

    A round costs O(K), and the end of a phase :math:`O(K d^2)` with at most 16 steps of the design
    for each dimension (``agents.numerics.optimal_design``). Memory: n (4 K + 1) numbers and n K
    truth values.

    Its definition is ``tests/agents/definitions/linear/phased_elimination.py``.

    Parameters
    ----------
    scale : float
        c > 0, in units of reward; 2 c is a gap that phase 0 would leave.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.

    Attributes
    ----------
    model : agents.parts.estimators.phased_arms.PhasedArms
        The phase, the arms left, and what is known of them.

    Notes
    -----
    The book was not at hand. :math:`\epsilon_l = 2^{-l}`, the logarithm, estimates by the phase
    alone and the test against :math:`2 \epsilon_l` were read in two programs of third parties that
    implement the book's algorithm, with d in place of g and without R; g in place of d, where the
    design is not quite optimal, in ``PhaElimD`` of ``panxulab/optimal-batched-linear-bandits``.
    c is ours. A phase ends when it has learned :math:`T_l(k)` rewards of every arm; those that come
    beyond count too, and those of dropped arms do not. If no arm that needs rewards is available,
    the available one with the largest mean is played, of A if there is one.

    References
    ----------
    T. Lattimore, C. Szepesvári. Bandit Algorithms. Cambridge University Press 2020, chapter 22.
    """

    accepts: ClassVar = (LinearTask,)
    follows_masks: ClassVar = True
    paper: ClassVar = "Lattimore & Szepesvári 2020, chapter 22"
    scope: ClassVar = "fixed arms"
    search: ClassVar = {"scale": Log(0.1, 10.0), "delta": Log(0.001, 0.5)}
    from_task: ClassVar = {"noise_std": noise_level}

    scale: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None

    def __post_init__(self):
        positive("scale", self.scale)
        probability("delta", self.delta)
        if self.noise_std is not None:
            nonnegative("noise_std", self.noise_std)

    def refusal(self, task: Any) -> str | None:
        reason = super().refusal(task)
        if reason is None and not task.fixed_arms:
            return "its arms must be the same in every round"
        return reason

    def _start(self) -> None:
        numbers = float(self.scale), float(self.delta), float(self.known("noise_std"))
        self.model = PhasedArms.initial(self.n, self.task.n_arms, *numbers)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        self.model.begin(contexts)
        return super()._choose(contexts)

    _propensities = RuleAgent.one_hot

    def _learn(self, contexts, actions, outcome, observed) -> None:
        if observed.any():  # or a call without rewards would fix the arms
            self.model.begin(contexts)
        super()._learn(contexts, actions, outcome, observed)

    def _play_block(self, block: Any) -> np.ndarray:
        self.model.begin(block.features[0])
        return super()._play_block(block)

    def _estimate(self, contexts: np.ndarray, actions: np.ndarray) -> np.ndarray:
        return self.model.mean[np.arange(self.n), actions]

    def _rule(self, rounds: int) -> PhasedRule:
        return self.model.rule(self.task.dim)
