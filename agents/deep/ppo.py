"""PPO: policy gradients with a clipped ratio, by stable-baselines3."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from agents.parts.deep.on_policy import OnPolicyAgent
from banditgym.validation import checked, whole


@dataclass(kw_only=True, eq=False)
class PPO(OnPolicyAgent):
    r"""Draw from a network's policy, and update it with the clipped ratio after every rollout.

    After ``n_steps`` rewards, Adam passes over them ``n_epochs`` times in minibatches of
    ``batch_size`` and descends

    .. math:: -\min\bigl(\rho A, \operatorname{clip}(\rho, 0.8, 1.2) A\bigr)
        + \tfrac12 (V(x) - r)^2, \qquad \rho = \pi(a \mid x) / \pi_{\text{old}}(a \mid x),

    with advantages :math:`A = r - V_{\text{old}}(x)`, standardised to mean 0 and deviation 1 within
    a minibatch; gamma is 0, because an action has no effect on later rounds. The library,
    stable-baselines3, computes all of this, with its own defaults for everything that is not a
    parameter here. A round costs a pass through two networks of two layers of 64 units, about
    0.3 ms, and an update about 10 ms. Memory: n times three copies of the networks' weights.

    The library's own code is the algorithm, so no definition is beside it.

    Parameters
    ----------
    n_steps : int
        Number of rewards in a rollout, at least 2. The library's default of 2048 is for episodes of
        many steps. The default here is 64, which suits bandits; it was not tuned.
    batch_size : int
        Number of rewards in a minibatch; it must divide ``n_steps``.
    n_epochs : int
        Number of passes over a rollout.

    Notes
    -----
    On a linear task the policy sees the flattened features of all arms, and its actions are the
    arms' indices. It does not know that an arm's reward depends on that arm's features alone.

    References
    ----------
    J. Schulman, F. Wolski, P. Dhariwal, A. Radford, O. Klimov. Proximal Policy Optimization
    Algorithms. 2017. A. Raffin et al. Stable-Baselines3. JMLR 22, 2021.
    """

    paper: ClassVar = "Schulman et al. 2017, by stable-baselines3"
    algorithm: ClassVar = "PPO"
    passed: ClassVar = ("n_steps", "batch_size", "n_epochs")

    learning_rate: float = 3e-4
    n_steps: int = checked(partial(whole, least=2), 64)
    batch_size: int = checked(partial(whole, least=2), 64)
    n_epochs: int = checked(whole, 10)

    def __post_init__(self):
        super().__post_init__()
        if self.n_steps % self.batch_size:
            raise ValueError(
                f"batch_size must divide n_steps, {self.n_steps}, got {self.batch_size}"
            )
