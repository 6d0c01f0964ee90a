"""Draw the README's picture: `python docs/regret.py` writes docs/regret.png."""

from pathlib import Path

import leaderboards

agents = ["UniformRandom", "EpsilonGreedy", "LinTS(scale='theory')", "LinTS", "OFUL", "LinUCB"]
comparison = leaderboards.compare(
    "LinearBandit-v0", agents, seeds=50, horizon=10_000, n_arms=20, dim=10, noise_std=0.5
)
print(comparison)
comparison.plot(Path(__file__).with_suffix(".png"))
