"""
Linear bandits: arms that share what is learned
===============================================

With a thousand arms, an agent cannot pull each of them often. If every arm has *features*, and
rewards are linear in them, a pull of one arm gives information about all others. This is the linear
bandit

.. math:: r_t = \\langle x_{t, a_t}, \\theta \\rangle + \\varepsilon_t .
"""

# %%
# In every round the environment shows the features of all arms, an array (K, d). Here they are new
# in each round, as if a new visitor came in each round.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

settings = {"n_arms": 50, "dim": 8, "noise_std": 0.5, "horizon": 2000}
envs = gymnasium.make_vec("LinearBandit-v0", num_envs=40, **settings)
observation, _ = envs.reset(seed=0)
print("features of 40 replicates:", observation.shape)

# %%
# How uncertain is the estimate?
# ------------------------------
#
# Ridge regression estimates :math:`\theta` by :math:`\hat\theta = V^{-1} \sum_s r_s x_s` with
# :math:`V = \lambda I + \sum_s x_s x_s^\top`. The variance of its estimate for an arm is
# proportional to :math:`x^\top V^{-1} x`, which is small in directions that were often played.
# LinUCB plays
#
# .. math:: \arg\max_k \; \langle x_k, \hat\theta \rangle + \alpha \sqrt{x_k^\top V^{-1} x_k}.
#
# With :math:`\alpha = 0` the agent is greedy. We play several values.

traces = {}
for agent in (
    agents.Greedy(),
    agents.EpsilonGreedy(epsilon=0.1),
    agents.LinUCB(alpha=0.3),
    agents.LinUCB(alpha=1.0),
    agents.LinUCB(alpha=3.0),
):
    trace = agents.play(envs, agent, seed=0)
    traces[trace.agent] = trace

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, trace in traces.items():
    axes.plot(trace.rounds, trace.regret.mean(axis=0), label=name)
axes.set(title="Regret of LinUCB, by its width", xlabel="round", ylabel="mean regret")
axes.legend(frameon=False)

# %%
# Random exploration costs the most: a tenth of all rounds is played at random and never becomes
# less. The width hardly matters here, and greedy play does as well as the rest. With new features
# in every round, the arm with the best estimate varies, so even a greedy agent plays all
# directions. This is not so if the arms are fixed.

fixed = gymnasium.make_vec("LinearBandit-v0", num_envs=40, fixed_arms=True, **settings)
figure, panels = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained", sharey=True)
for axes, environments, title in zip(
    panels, (envs, fixed), ("fresh arms every round", "the same arms all along"), strict=True
):
    final = {}
    for agent in (agents.Greedy(), agents.EpsilonGreedy(), agents.LinUCB(alpha=1.0)):
        trace = agents.play(environments, agent, seed=0)
        final[type(agent).__name__] = trace.regret[:, -1]
    axes.boxplot(list(final.values()), tick_labels=list(final), showmeans=True)
    axes.set_title(title, fontsize=11)
panels[0].set_ylabel("regret after 2000 rounds, per replicate")
figure.suptitle("Greedy play explores if arms are fresh")

# %%
# On fixed arms greedy play stays with one arm: it repeats the arm that first looked best, learns
# nothing about the others, and loses the same amount in every round. This amount depends on the
# replicate, so look at the spread and not only at the mean.

for name in ("Greedy", "LinUCB"):
    trace = agents.play(fixed, getattr(agents, name)(), seed=0)
    final = trace.regret[:, -1]
    print(f"{name:7} median {np.median(final):5.0f}  worst {final.max():5.0f}")

# %%
# Try it
# ------
#
# - Raise ``noise_std`` to 2. Which :math:`\alpha` is best now, and to what is it proportional?
# - :doc:`/agents/OFUL` has the width of a theorem. How wide is it?
# - The next tutorial asks why Thompson sampling does badly with the width of its theorem.
