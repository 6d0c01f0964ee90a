"""
Kernelized bandits: searching a function
========================================

The agent searches for the maximum of an unknown function from noisy values, and every bad point
that it tries costs regret. The function is not linear in known features, but it is smooth: near
points have similar values. A kernel states how similar.
"""

# %%
# ``KernelBandit-v0`` draws a function from a Gaussian process. Agents know its kernel.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

env = gymnasium.make(
    "KernelBandit-v0", arms="grid", n_arms=150, dim=1, noise_std=0.3, horizon=60,
    covariance={"kind": "rbf", "length_scale": 0.1},
)  # fmt: skip
task = env.unwrapped.task
print(task.covariance, "on", len(task.arms), "arms")

# %%
# A posterior in pictures
# -----------------------
#
# GP-UCB plays the arm with the largest :math:`\mu_t(x) + \rho_t \sigma_t(x)`: the posterior's mean
# plus a multiple of its standard deviation. The default is two deviations. Here
# ``radius=2.0`` is 2.0 / 0.3, nearly seven, so that the agent tries more arms. We play 60 rounds
# and draw the posterior twice.

agent = agents.GPUCB(radius=2.0).reset(task, seed=agents.derived_seeds(3))
observation, info = env.reset(seed=3)
points = task.arms[:, 0]
noise = task.noise_std**2
figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
played, paid = [], []
for t in range(60):
    arm = agent.act(observation)
    observation, reward, terminated, truncated, info = env.step(arm)
    agent.observe(0, arm, reward)
    played.append(points[arm])
    paid.append(reward)
    if t in (7, 59):
        # The posterior by its textbook formula, from the rewards so far.
        x, y = np.array(played), np.array(paid)
        near = np.exp(-((x[:, None] - x) ** 2) / (2 * 0.1**2)) + noise * np.eye(len(x))
        far = np.exp(-((points[:, None] - x) ** 2) / (2 * 0.1**2))
        mean = far @ np.linalg.solve(near, y)
        std = np.sqrt(1 - np.einsum("ij,ji->i", far, np.linalg.solve(near, far.T)))
        axes = panels[0 if t == 7 else 1]
        axes.fill_between(points, mean - 2 * std, mean + 2 * std, alpha=0.2, label="± 2 deviations")
        axes.plot(points, mean, label="posterior mean")
        axes.plot(x, y, "k.", ms=6, label="rewards")
        axes.set(title=f"after {t + 1} rounds", xlabel="arm")
panels[0].legend(frameon=False, fontsize=8)
panels[0].set_ylabel("reward")
figure.suptitle("GP-UCB plays where the posterior is uncertain or high")

# %%
# Exact posteriors become expensive
# ---------------------------------
#
# The time and the memory of the exact posterior grow with the number of rounds. Approximations use
# m "inducing points" or random features instead. How much regret do they cost?

envs = gymnasium.make_vec(
    "KernelBandit-v0", num_envs=20, n_arms=200, dim=2, noise_std=0.3, horizon=150,
    covariance={"kind": "rbf", "length_scale": 0.2},
)  # fmt: skip
traces = {}
for approximate in (agents.GPUCB(), agents.GPTS(), agents.BKB(), agents.RFFUCB()):
    trace = agents.play(envs, approximate, seed=0)
    traces[trace.agent] = trace
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, trace in traces.items():
    axes.plot(trace.rounds, trace.regret.mean(axis=0), label=name)
axes.set(title="Exact and sparse posteriors", xlabel="round", ylabel="mean regret")
axes.legend(frameon=False)

# %%
# BKB keeps only as many inducing points as the data need, and its regret is that of the exact
# posterior up to a constant. With too few inducing points the variance *starves*: it is too small
# at points that were never played. :doc:`/papers/calandriello2019` tests this on
# ``StarvationBandit-v0``.
#
# Try it
# ------
#
# - ``covariance={"kind": "matern", "nu": 0.5, "length_scale": 0.1}`` is rough. Which agents have
#   more regret?
# - ``arms="box"`` makes all of [0, 1]^d playable: the agent must optimise its own rule.
