"""TD3: twin delayed deterministic policy gradients, of stable-baselines3."""

from dataclasses import dataclass
from typing import Any, ClassVar

from agents.deep.off_policy import PointAgent
from banditgym.settings import nonnegative


@dataclass(kw_only=True, eq=False)
class TD3(PointAgent):
    r"""Play a network's point plus Gaussian noise; it climbs an estimate of the reward.

    After every reward, on ``batch_size`` of the stored ones, Adam takes a step of two critics
    towards :math:`Q(a) = r`, and after every second one a step of the actor up the first of them.
    Gamma is 0, since a round's action changes nothing that comes, so that the target networks have
    no say. The library, stable-baselines3, does all of it, with its own defaults for what is no
    parameter here. A round costs an update of networks of layers of 400 and 300 units, some 20 ms.
    Memory: n times twelve copies of a network's weights, and a buffer of all rounds.

    Points are chosen in the smallest box that holds the set, and played as the nearest point of the
    set; the critics learn of the point in the box.

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
    draws_numpy: ClassVar = True

    learning_rate: float = 1e-3
    batch_size: int = 256
    noise: float = 0.1

    def __post_init__(self):
        super().__post_init__()
        nonnegative("noise", self.noise)

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "noise": float(self.noise)}
