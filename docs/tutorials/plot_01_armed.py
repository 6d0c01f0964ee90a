"""
K arms: what exploring costs
============================

A slot machine with ten arms pays 1 with a probability that you do not know. You want to earn as
much as you would by playing the best arm all along. What you miss is the *regret*. Three agents
show three ways to keep it small, and one shows what happens if you do not try.
"""

# %%
# An environment is made by its id, as everywhere in Gymnasium. ``num_envs=50`` makes 50 independent
# copies, called replicates: each has arms of its own, and all are played in lockstep.

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
# all agents meet the same arms and the same noise: if two agents pull the same arm in the same
# round, they are paid the same. So a difference between their curves is due to what they chose.

chosen = [agents.UniformRandom(), agents.UCB1(), agents.KLUCB(), agents.BetaThompson()]
traces = {trace.agent: trace for trace in (agents.play(envs, a, seed=0) for a in chosen)}
for name, trace in traces.items():
    print(f"{name:15} regret {trace.regret[:, -1].mean():6.1f}")

# %%
# Uniform play pays the same price in every round. The others pay less and less, since they find out
# which arms are not worth another pull.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, trace in traces.items():
    axes.plot(trace.rounds, trace.regret.mean(axis=0), label=name)
axes.set(title="Regret on ten coins", xlabel="round", ylabel="mean regret over 50 replicates")
axes.set(ylim=(0, 400))
axes.legend(frameon=False)

# %%
# Why three curves bend differently
# ---------------------------------
#
# UCB1 plays the arm with the largest *upper confidence bound*
#
# .. math:: \hat\mu_k + \sqrt{\frac{2 \log t}{N_k}},
#
# where :math:`N_k` counts the pulls of arm k. The bound comes from Hoeffding's inequality, which
# knows only that rewards lie between 0 and 1. KL-UCB asks a sharper question: for which means would
# the rewards so far still be likely? For a coin near 0 or 1 the answer is a much smaller interval.
# Thompson sampling draws a mean for every arm from its posterior, and plays the largest draw.
#
# The pulls show it: where do 3000 rounds go?

pulls = {name: -np.sort(-trace.pulls, axis=1).mean(axis=0) for name, trace in traces.items()}
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for place, (name, mean) in enumerate(pulls.items()):
    axes.bar(np.arange(1, 11) + 0.2 * (place - 1.5), mean, width=0.2, label=name)
axes.set(title="Pulls of an agent's most played arm, of the second, and so on")
axes.set(xlabel="arm, by its pulls", ylabel="pulls of 3000")
axes.legend(frameon=False)

# %%
# Lai and Robbins showed that no agent that is good on *every* problem can have less regret, in the
# long run, than
#
# .. math:: \log T \sum_{k: \mu_k < \mu^*} \frac{\mu^* - \mu_k}{\mathrm{kl}(\mu_k, \mu^*)}.
#
# KL-UCB and Thompson sampling reach this constant; UCB1 does not.
#
# Try it
# ------
#
# - Give two arms nearly equal means, ``means=[0.5, 0.52]``. Who needs how long to tell them apart?
# - Make all coins rare, ``means=[0.05, 0.02, 0.01]``. Why does UCB1 suffer most?
# - :doc:`/papers/garivier2011` and :doc:`/papers/auer2002` test what the papers claim.
