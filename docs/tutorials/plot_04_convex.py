"""
Strongly convex sets: playing points of a ball
==============================================

The action may be a point, such as a dose, a mixture or a direction. On a ball the best point for a
parameter :math:`\\theta` is :math:`\\theta / \\lVert\\theta\\rVert`, and a small error in
:math:`\\theta` costs only its square. This curvature makes the problem easier than one with
finitely many arms.
"""

# %%
# ``SphereBandit-v0``, ``BallBandit-v0``, ``EllipsoidBandit-v0`` and ``LpBallBandit-v0`` are one
# environment with four sets. The set is part of the task, and its ``argmax`` gives its best points.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

envs = gymnasium.make_vec("BallBandit-v0", num_envs=50, dim=6, noise_std=0.3, horizon=3000)
ball = envs.unwrapped.task.action_set
print(
    "the best point for",
    (3.0, 4.0, 0, 0, 0, 0),
    "is",
    ball.argmax(np.array([[3.0, 4, 0, 0, 0, 0]]))[0],
)

# %%
# Explore and commit, in phases
# -----------------------------
#
# In cycle m, PEGE plays every basis vector once, and then m times the point with the largest
# estimate. After m cycles the estimate has an error of order :math:`1/\sqrt m`, so a greedy round
# costs order :math:`1/m`. Cycle m has m greedy rounds, and about :math:`\sqrt T` cycles fit into T
# rounds. Regret is therefore of order :math:`d \sqrt T`, without any confidence set.

chosen = (agents.UniformRandom(), agents.PEGE(), agents.BallOFUL(), agents.BallTS())
traces = {trace.agent: trace for trace in (agents.play(envs, agent, seed=0) for agent in chosen)}

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, trace in traces.items():
    axes.loglog(trace.rounds, trace.regret.mean(axis=0), label=name)
span = np.array([30, 3000])
axes.loglog(span, 4 * np.sqrt(span), color="grey", ls=":", label="slope 1/2")
axes.set(title="Regret on a ball, both axes logarithmic", xlabel="round", ylabel="mean regret")
axes.legend(frameon=False)

# %%
# On logarithmic axes a power of t is a straight line, and its exponent is the slope. Uniform play
# has slope 1, and the slopes of the others approach 1/2.
#
# Where an agent plays
# --------------------
#
# In two dimensions the points can be drawn. We play one replicate, step by step, as in any
# Gymnasium environment:

env = gymnasium.make("BallBandit-v0", dim=2, noise_std=0.3, horizon=200, theta=[0.8, 0.6])
figure, panels = plt.subplots(1, 2, figsize=(8, 3.9), layout="constrained")
for axes, agent in zip(panels, (agents.PEGE(), agents.BallTS()), strict=True):
    agent.reset(env.unwrapped.task, seed=agents.derived_seeds(0))
    observation, info = env.reset(seed=0)
    points = []
    for _ in range(200):
        point = agent.act(observation)
        following, reward, terminated, truncated, info = env.step(point)
        agent.observe(observation, point, reward)
        points.append(point)
        observation = following
    points = np.array(points)
    axes.add_patch(plt.Circle((0, 0), 1, fill=False, color="#999999"))
    shown = axes.scatter(points[:, 0], points[:, 1], c=np.arange(200), cmap="viridis", s=14)
    axes.plot(0.8, 0.6, marker="*", color="#D55E00", ms=14)
    axes.set(title=type(agent).__name__, aspect="equal", xlim=(-1.15, 1.15), ylim=(-1.15, 1.15))
figure.colorbar(shown, ax=panels, label="round")
figure.suptitle("Points played in 200 rounds; the star is the best one")

# %%
# PEGE never stops exploring its basis. The points of Thompson sampling scatter less and less around
# the best point.
#
# Try it
# ------
#
# - ``LpBallBandit-v0`` with ``p=1.1`` is nearly a polytope. What happens to the curvature argument?
# - :doc:`/agents/FastPEGE` replaces least squares by one gradient step per round.
#   :doc:`/papers/korda2015` tests what that costs.
