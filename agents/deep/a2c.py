"""A2C: advantage actor-critic, by stable-baselines3."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.deep.on_policy import OnPolicyAgent


@dataclass(kw_only=True, eq=False)
class A2C(OnPolicyAgent):
    r"""Draw from a network's policy, and take a policy gradient step after every few rewards.

    After ``n_steps`` rewards, one step of RMSprop descends the mean of

    .. math:: -(r - V_{\text{old}}(x)) \log \pi(a \mid x) + \tfrac12 (V(x) - r)^2

    over them. Gamma is 0, because an action has no effect on later rounds. The library,
    stable-baselines3, computes all of this, with its own defaults for everything that is not a
    parameter here. A round costs a pass through two networks of two layers of 64 units, about 0.3
    ms, and an update about 1 ms. Memory: n times two copies of the networks' weights.

    The library's own code is the algorithm, so no definition is beside it.

    Parameters
    ----------
    n_steps : int
        Number of rewards in a rollout.

    Notes
    -----
    On a linear task the policy sees the flattened features of all arms, and its actions are the
    arms' indices. It does not know that an arm's reward depends on that arm's features alone.

    References
    ----------
    V. Mnih et al. Asynchronous Methods for Deep Reinforcement Learning. ICML 2016, in its
    synchronous form. A. Raffin et al. Stable-Baselines3. JMLR 22, 2021.
    """

    paper: ClassVar = "Mnih et al. 2016, by stable-baselines3"
    algorithm: ClassVar = "A2C"
    passed: ClassVar = ("n_steps",)

    learning_rate: float = 7e-4
    n_steps: int = 5
