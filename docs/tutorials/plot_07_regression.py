"""
Online regression: predict, then observe
========================================

A row of features is shown, you predict a number, and then observe the outcome. Nothing has to be
explored. Online regression still matters for bandits: an optimistic bandit agent is a regression
with a confidence interval, and its regret can be no better than its regression allows.
"""

# %%
# Ridge regression and the forward algorithm
# ------------------------------------------
#
# Ridge regression predicts :math:`\langle x_t, \hat\theta_{t-1} \rangle`. The forward algorithm of
# Vovk, and of Azoury and Warmuth, predicts as if the row had already been observed, with the
# outcome 0. The prediction shrinks where little is known,
#
# .. math:: \hat y_t = x_t^\top \Big(\lambda I + \sum_{s \le t} x_s x_s^\top\Big)^{-1}
#           \sum_{s < t} y_s x_s ,
#
# and its regret bound against an adversary is a quarter of ridge regression's.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

envs = gymnasium.make_vec("OnlineRegression-v0", num_envs=100, dim=10, noise_std=1.0, horizon=1000)
print("regret is measured against", envs.unwrapped.task.regret)

# %%
ridges = (0.01, 0.1, 1.0, 10.0)
final = {
    kind.__name__: [
        agents.play(envs, kind(ridge=ridge), seed=0).regret[:, -1].mean() for ridge in ridges
    ]
    for kind in (agents.OnlineRidge, agents.Forward)
}
figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
for name, values in final.items():
    axes.loglog(ridges, values, marker="o", label=name)
axes.set(title="Regret after 1000 rounds, by the ridge", xlabel="ridge λ", ylabel="mean regret")
axes.legend(frameon=False)

# %%
# With a tiny ridge, ridge regression's predictions have large errors in the first rounds: a
# direction that was observed once has an estimate as noisy as one outcome. The forward algorithm
# shrinks its predictions there, so its regret depends much less on :math:`\lambda`. This is the
# argument of Ouhamma and others (2021); :doc:`/papers/ouhamma2021` has the verdicts. With a ridge
# that suits the noise, here 10, both are the same.
#
# When one solve per round is too slow
# ------------------------------------
#
# A round of ridge regression costs :math:`d^2`, a gradient step costs d. With d in the hundreds,
# this is a large difference. How much more regret does the gradient step have?

wide = gymnasium.make_vec("OnlineRegression-v0", num_envs=20, dim=40, noise_std=0.5, horizon=2000)
traces = {}
for agent in (
    agents.OnlineRidge(),
    agents.GradientDescentRegression(),
    agents.PolyakRegression(),
    agents.SVRGRegression(),
):
    traces[type(agent).__name__] = agents.play(wide, agent, seed=0)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, trace in traces.items():
    axes.plot(trace.rounds, trace.regret.mean(axis=0), label=name)
axes.set(title="One solve a round, or one step a round", xlabel="round", ylabel="mean regret")
axes.legend(frameon=False)

# %%
# Plain gradient steps, and the mean of their iterates, end with less than twice the regret of the
# exact solve. Variance-reduced steps (SVRG) have about the same regret as the exact solve. In this
# run they even end below it, because the ridge of the exact solve was not tuned.
#
# Try it
# ------
#
# - ``outcomes="adaptive"`` lets an adversary see your prediction before it chooses the outcome.
#   Which of the two algorithms is safer?
# - Draw ``agents.bounds.forward_adversarial`` beside the curve. How far above the curve is the
#   bound?
