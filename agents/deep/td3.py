"""TD3: twin delayed deterministic policy gradients, by stable-baselines3."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.deep.off_policy import PointAgent
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class TD3(PointAgent):
    r"""Play a network's point plus Gaussian noise; train the network to increase the reward.

    After every reward, Adam moves two critics one step towards :math:`Q(a) = r` on ``batch_size``
    of the stored rewards. After every second reward it moves the actor one step up the first
    critic. Gamma is 0, because an action has no effect on later rounds, so the target networks are
    not used. The library, stable-baselines3, computes all of this, with its own defaults for
    everything that is not a parameter here. A round costs an update of networks with layers of 400
    and 300 units, about 20 ms. Memory: n times twelve copies of a network's weights, and a buffer
    of all rounds.

    Points are chosen in the smallest box that contains the set, and the nearest point of the set is
    played; the critics learn from the point in the box.

    The library's own code is the algorithm, so no definition is beside it.

    Parameters
    ----------
    noise : float
        Standard deviation of the noise, in half widths of the box.

    References
    ----------
    S. Fujimoto, H. van Hoof, D. Meger. Addressing Function Approximation Error in Actor-Critic
    Methods. ICML 2018. A. Raffin et al. Stable-Baselines3. JMLR 22, 2021.
    """

    paper: ClassVar = "Fujimoto et al. 2018, by stable-baselines3"
    algorithm: ClassVar = "TD3"
    passed: ClassVar = (*PointAgent.passed, "noise")
    draws_numpy: ClassVar = True

    learning_rate: float = 1e-3
    batch_size: int = 256
    noise: float = checked(nonnegative, 0.1)
