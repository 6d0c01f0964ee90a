"""SAC: soft actor-critic, by stable-baselines3."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.deep.off_policy import PointAgent


@dataclass(kw_only=True, eq=False)
class SAC(PointAgent):
    r"""Draw points from a squashed Gaussian, whose network is trained to increase the reward.

    After every reward, Adam takes steps on ``batch_size`` of the stored rewards. Each of two
    critics takes a step towards :math:`Q(a) = r`. The actor takes a step that increases :math:`\min
    Q(a) - \alpha \log \pi(a)` at actions that it draws. :math:`\alpha` takes a step towards an
    entropy of -d. Gamma is 0, because an action has no effect on later rounds. The library,
    stable-baselines3, computes all of this, with its own defaults for everything that is not a
    parameter here. A round costs an update of three networks of two layers of 256 units, about 20
    ms. Memory: n times eleven copies of a network's weights, and a buffer of all rounds.

    Points are drawn in the smallest box that contains the set, and the nearest point of the set is
    played; the critics learn from the point in the box.

    The library's own code is the algorithm, so no definition is beside it.

    References
    ----------
    T. Haarnoja, A. Zhou, P. Abbeel, S. Levine. Soft Actor-Critic. ICML 2018. A. Raffin et al.
    Stable-Baselines3. JMLR 22, 2021.
    """

    paper: ClassVar = "Haarnoja et al. 2018, by stable-baselines3"
    algorithm: ClassVar = "SAC"
    draws_numpy: ClassVar = False

    learning_rate: float = 3e-4
    batch_size: int = 256
