"""
K arms: what exploring costs
============================

A slot machine has ten arms. Each arm pays 1 with a probability that you do not know. You want to
earn as much as by playing the best arm in every round. The expected shortfall is the *regret*.
Three agents show three ways to keep it small. A fourth plays at random, for comparison.
"""

# %%
# An environment is made by its id, as everywhere in Gymnasium. ``num_envs=50`` makes 50 independent
# copies, called replicates: each has its own arms, and all are played in lockstep.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=50, n_arms=10, horizon=3000)
print(envs.unwrapped.task)

# %%
# The task is all that an agent may know: how many arms there are, for how many rounds, and that
# rewards are 0 or 1. The means of the arms are hidden.
#
# Play four agents
# ----------------
#
# ``agents.play`` resets the environment and the agent and plays to the horizon. With the same seed,
# all agents get the same arms and the same noise: if two agents pull the same arm in the same
# round, they get the same reward. A difference between their curves is therefore due to their
# choices.

chosen = [agents.UniformRandom(), agents.UCB1(), agents.KLUCB(), agents.BetaThompson()]
traces = {trace.agent: trace for trace in (agents.play(envs, a, seed=0) for a in chosen)}
for name, trace in traces.items():
    print(f"{name:15} regret {trace.regret[:, -1].mean():6.1f}")

# %%
# Uniform play loses the same amount in every round. The others lose less and less, because they
# learn which arms are not worth another pull.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, trace in traces.items():
    axes.plot(trace.rounds, trace.regret.mean(axis=0), label=name)
axes.set(title="Regret on ten coins", xlabel="round", ylabel="mean regret over 50 replicates")
axes.set(ylim=(0, 200))
axes.legend(frameon=False)

# %%
# Why three curves bend differently
# ---------------------------------
#
# UCB1 plays the arm with the largest *upper confidence bound*
#
# .. math:: \hat\mu_k + \sqrt{\frac{\log t}{2 N_k}},
#
# where :math:`N_k` counts the pulls of arm k. The bound comes from Hoeffding's inequality, which
# uses only that rewards lie between 0 and 1. KL-UCB uses the Bernoulli likelihood: its bound is the
# largest mean for which the rewards so far are still likely. For a mean near 0 or 1 this gives a
# much smaller interval. Thompson sampling draws a mean for every arm from its posterior, and plays
# the arm with the largest draw.
#
# The numbers of pulls show the difference:

pulls = {name: -np.sort(-trace.pulls, axis=1).mean(axis=0) for name, trace in traces.items()}
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for place, (name, mean) in enumerate(pulls.items()):
    axes.bar(np.arange(1, 11) + 0.2 * (place - 1.5), mean, width=0.2, label=name)
axes.set(title="Pulls of an agent's most played arm, of the second, and so on")
axes.set(xlabel="arm, by its pulls", ylabel="pulls of 3000")
axes.legend(frameon=False)

# %%
# Lai and Robbins showed a lower bound. In the long run, no agent that is good on *every* problem
# has less regret than
#
# .. math:: \log T \sum_{k: \mu_k < \mu^*} \frac{\mu^* - \mu_k}{\mathrm{kl}(\mu_k, \mu^*)}.
#
# KL-UCB and Thompson sampling reach this constant; UCB1 does not.
#
# Try it
# ------
#
# - Give two arms nearly equal means, ``means=[0.5, 0.52]``. How many rounds does each agent need to
#   tell them apart?
# - Make all means small, ``means=[0.05, 0.02, 0.01]``. Why has UCB1 the most regret?
# - :doc:`/papers/garivier2011` and :doc:`/papers/auer2002` test what the papers claim.
