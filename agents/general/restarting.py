"""Restarting: an agent that begins anew where a detector sees that rewards have changed."""

import copy
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from agents.numerics.random_choice import exploring
from agents.parts import detectors
from agents.parts.detectors import CUSUM, GLR, PageHinkley
from agents.parts.forced_exploration import force, usual_rate
from agents.parts.wrapping import Wrapping
from agents.search import Log
from agents.storage.loadable import Loadable, rules
from agents.storage.states import put_rows
from banditgym.streams import AGENT, derived_seed
from banditgym.tasks import ArmedTask, LinearTask
from banditgym.validation import brief, checked, nonnegative

_FIRST = 5  # rewards for each feature, after a restart, in which the estimate itself still moves


@dataclass(kw_only=True, eq=False)
class Restarting(Wrapping):
    r"""Restart an agent at an alarm: ``Restarting(KLUCB(), GLR())``.

    After m restarts, decision t = 0, 1, .. of K arms plays

    .. math::

        a_t = \begin{cases}
            j & \text{if } t \bmod \lfloor K / \alpha \rfloor = j \in \{1, .., K\}, \quad
                \alpha = \alpha_0 \sqrt{m + 1}, \\
            \text{what the agent plays} & \text{else.}
        \end{cases}

    The forced plays are there because an arm that is not played shows no change. In armed tasks the
    detector watches the rewards of each arm. In linear tasks it watches one sequence: rewards minus
    what the agent expected of them, :math:`r_t - x_t^\top \hat\theta_t`, without those of the first
    5 d rewards after a restart, when the estimate itself still moves. The agent learns every
    reward, also of forced plays. At an alarm the replicate's agent is replaced by a fresh one with
    random numbers of its own, and the detector forgets the replicate; others go on unchanged. A
    reward of a decision before the restart is neither learned nor watched.

    A round costs what the agent and the detector cost, a restart what a reset costs. Memory: that
    of the agent and of the detector, which has K sequences a replicate in armed tasks, else one.

    Its definition is ``tests/agents/definitions/general/restarting.py``.

    Parameters
    ----------
    agent : Agent
        The agent that plays. In linear tasks it must estimate rewards. Its replicates must be rows
        of arrays that do not grow, or members of lists, as those of a ``ScalarAgent`` are.
    detector : GLR, PageHinkley or CUSUM
        Of ``agents.detectors``.
    exploration : float, optional
        :math:`\alpha_0 \ge 0`, the share of forced plays before any restart; 0 forces none.
        If None, that of GLR-klUCB in armed tasks, :math:`\sqrt{K \log T / T}` with the task's
        horizon T; in linear tasks 0.01.

    Attributes
    ----------
    inner : Agent
        The agent, reset with the same seeds; the seed of a replicate that restarts is then
        ``derived_seed(seed, AGENT)`` of ``banditgym.streams``.
    watched : agents.parts.detectors.glr.Splits, or CumulativeSums of ``cumulative_sums``
        The detector's state.
    restarts : ndarray of shape (n,)
        Number of restarts.

    Notes
    -----
    With ``GLR`` it is GLR-klUCB with global restarts for any agent, but for when sequences are
    tested. Its period of forced exploration is at least K + 1. Departs from CUSUM-UCB and PHT-UCB:
    these restart one arm, and force plays at random.

    In linear tasks every play shows a change of the shared parameter, so that the default share
    there is small; it is ours. Three segments of 1,000 rounds each, d = 5, 10 new arms a round, 20
    seeds: regret 40 with 0.01 and 12 with 0, but 452 with :math:`\sqrt{K \log T / T}`; LinUCB alone
    695, ``SlidingWindowLinUCB`` 104 (LinUCB restarted by ``PageHinkley``).

    References
    ----------
    L. Besson, E. Kaufmann, O.-A. Maillard, J. Seznec. Efficient Change-Point Detection for Tackling
    Piecewise-Stationary Bandits. arXiv:1902.01575.

    F. Liu, J. Lee, N. Shroff. A Change-Detection Based Framework for Piecewise-Stationary
    Multi-Armed Bandit Problem. AAAI 2018.

    Examples
    --------
    >>> import agents, banditgym, gymnasium
    >>> envs = gymnasium.make_vec("DriftingArmedBandit-v0", num_envs=5, problem="PB1")
    >>> agent = agents.Restarting(agents.UCB1(), agents.detectors.PageHinkley())
    >>> trace = agents.play(envs, agent)
    >>> agent.restarts.tolist()
    [2, 2, 2, 2, 2]
    """

    accepts: ClassVar = (ArmedTask, LinearTask)
    paper: ClassVar = "Besson et al. 2019 and Liu et al. 2018, for any agent"
    search: ClassVar = {"exploration": Log(0.001, 0.3)}
    scope: ClassVar = "for drift, around another agent"
    on_request: ClassVar = True
    from_task: ClassVar = {
        "exploration": lambda task: usual_rate(task) if isinstance(task, ArmedTask) else 0.01
    }

    loadable: ClassVar = {"_since": Loadable(most=lambda self: self.decisions)}

    detector: GLR | PageHinkley | CUSUM = field(kw_only=False)
    exploration: float | None = checked(nonnegative, None)

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.detector, tuple(getattr(detectors, k) for k in detectors.__all__)):
            known = ", ".join(detectors.__all__)
            raise ValueError(f"detector must be one of {known}, got {brief(self.detector)}")

    def refusal(self, task) -> str | None:
        reason, kind = super().refusal(task), type(self.agent)
        grows = any(rule.axes for rule in rules(kind).values())  # arrays of its state
        if reason is None and (issubclass(kind, Wrapping) or grows):
            return f"it cannot restart one replicate of {kind.__name__}"
        if reason is None and not (isinstance(task, ArmedTask) or self.estimates):
            return f"{kind.__name__} does not estimate the rewards of actions"
        return reason or self.detector.refusal(task)

    def _start(self) -> None:
        super()._start()
        armed = isinstance(self.task, ArmedTask)
        self.watched = self.detector.reset(self.task, self.n, self.task.n_arms if armed else 1)
        self.restarts = np.zeros(self.n, np.int64)
        self._since = np.zeros(self.n, np.int64)  # the first decision after the last restart
        self._learned = np.zeros(self.n, np.int64)  # rewards since then
        self._rate = float(self.known("exploration"))

    def _choose(self, contexts) -> np.ndarray:
        inner = self._ready()
        arms = inner._choose(contexts).copy()
        inner.decisions += 1
        self._force(arms)
        return arms

    def _propensities(self, contexts) -> np.ndarray:
        forced = np.full(self.n, -1)
        self._force(forced)
        known = exploring(np.maximum(forced, 0), 0.0, self._available())
        return np.where(forced[:, None] < 0, self._ready()._propensities(contexts), known)

    def _ready(self) -> Agent:
        """The agent, which knows the decision's number."""
        inner = self._informed(self.inner)
        inner.decisions[:] = self.decisions - self._since
        return inner

    def _force(self, arms: np.ndarray) -> None:
        """Replace arms (n,) where the decision is a forced play."""
        if self._rate > 0:
            force(arms, self.decisions, self._rate, self.restarts, self.task.n_arms, self.mask)

    def _learn(self, contexts, actions, reward, observed) -> None:
        observed = self._since_restart(observed)
        if isinstance(self.task, ArmedTask):
            sequence, values, watched = actions, reward, observed
        else:
            sequence = np.zeros(self.n, np.int64)
            values = reward - self.inner._estimate(contexts, actions)
            watched = observed & (self._learned >= _FIRST * self.task.dim)
        self.inner._learn(contexts, actions, reward, observed)
        self._learned += observed
        alarms = np.flatnonzero(self.watched.add(sequence, values, watched))
        if alarms.size:
            self._restart(alarms, contexts, actions)

    def _impute(self, contexts, actions, values, observed) -> None:
        observed = self._since_restart(observed)
        self.inner._impute(contexts, actions, values, observed)

    def _since_restart(self, observed: np.ndarray) -> np.ndarray:
        """Where rewards answer decisions since the restart, of which ``inner`` is informed."""
        inner = self._informed(self.inner)
        if self.answered is None:
            return observed
        of_now = observed & (self.answered >= self._since)
        inner.answered = np.where(of_now, self.answered - self._since, inner.decisions - 1)
        return of_now

    def _restart(self, which: np.ndarray, contexts, actions) -> None:
        seeds = [derived_seed(self.inner.seeds[i], AGENT) for i in which]
        fresh = copy.deepcopy(self.agent).reset(self.task, n=len(which), seed=seeds)
        if contexts is not None:
            contexts = contexts[which]
            contexts.flags.writeable = False  # kernels are compiled for one mutability
            fresh._estimate(contexts, actions[which])  # so that it knows arms that are fixed
        put_rows(vars(self.inner), vars(fresh), which, self.n)
        self.watched.forget(which)
        self.restarts[which] += 1
        self._since[which], self._learned[which] = self.decisions[which], 0
