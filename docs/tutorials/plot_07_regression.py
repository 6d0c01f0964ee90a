"""
Online regression: predict, then see
====================================

A row of features arrives, you predict a number, and then see the outcome. There is nothing to
explore here, and still there is something to learn about bandits: an optimistic bandit agent is a
regression with an error bar, and its regret is at most as good as the regression below it.
"""

# %%
# Ridge regression and the forward algorithm
# ------------------------------------------
#
# Ridge regression predicts :math:`\langle x_t, \hat\theta_{t-1} \rangle`. Vovk, and Azoury and
# Warmuth, found a twist: count the row to be predicted as already seen, with the outcome 0. The
# prediction shrinks where little is known,
#
# .. math:: \hat y_t = x_t^\top \Big(\lambda I + \sum_{s \le t} x_s x_s^\top\Big)^{-1}
#           \sum_{s < t} y_s x_s ,
#
# and its regret against an adversary has half the constant of ridge regression's.

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
# With a tiny ridge, ordinary predictions are wild in the first rounds: a direction that was seen
# once has an estimate as noisy as one outcome. The forward algorithm shrinks by itself there, so
# that its regret depends much less on :math:`\lambda`. This is what Ouhamma and others (2021) argue
# for; :doc:`/papers/ouhamma2021` has the verdicts. With a ridge that suits the noise, here 10, both
# are the same.
#
# When one solve per round is too slow
# ------------------------------------
#
# A round of ridge regression costs :math:`d^2`. With d in the hundreds, a gradient step of cost d
# is tempting. How far behind is it?

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
# exact solve. Variance-reduced steps (SVRG) keep up with it; in this run they even end below, since
# the ridge of the exact solve was not tuned.
#
# Try it
# ------
#
# - ``outcomes="adaptive"`` lets an adversary see your prediction before it chooses the outcome.
#   Which of the two is safer?
# - Draw ``agents.bounds.forward_adversarial`` beside the curve: how much room does the theorem
#   leave?
