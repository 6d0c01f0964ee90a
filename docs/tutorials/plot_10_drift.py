"""
Drift: forgetting on purpose
============================

Tastes change. An agent that gives last year's clicks the weight of today's is right only if nothing
changes. Forgetting helps, but it has a cost: an agent that forgets must never stop exploring.
"""

# %%
# ``DriftingLinearBandit-v0`` has a parameter that jumps or rotates. Regret is *dynamic*: it
# compares each round with the best arm of that round.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

settings = {"n_arms": 20, "dim": 2, "noise_std": 0.5, "horizon": 3000}
jumps = gymnasium.make_vec("DriftingLinearBandit-v0", num_envs=40, changes=[1000, 2000], **settings)
chosen = {
    "LinUCB, remembers all": agents.LinUCB(alpha=0.5),
    "discount 0.99": agents.DiscountedLinUCB(discount=0.99, radius=0.5),
    "window 150": agents.SlidingWindowLinUCB(window=150, radius=0.5),
}
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, agent in chosen.items():
    trace = agents.play(jumps, agent, seed=0)
    axes.plot(trace.rounds, trace.regret.mean(axis=0), label=name)
for change in (1000, 2000):
    axes.axvline(change, color="grey", ls=":", lw=1)
axes.set(title="A parameter that jumps twice", xlabel="round", ylabel="mean dynamic regret")
axes.legend(frameon=False)

# %%
# Before the first jump, remembering is best. After it, the old data are worse than none: as many
# new data are needed to outweigh them. With discount :math:`\gamma`, the estimate rests on about
# the last :math:`1/(1-\gamma)` rounds.
#
# How long a memory?
# ------------------
#
# A long memory reduces noise, and a short memory reduces the error due to change. We play several
# lengths:

memories = [25, 50, 100, 200, 400, 800]
rates = {"no change": 0.0, "slow turn": 0.0005, "fast turn": 0.005}
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for title, rate in rates.items():
    turning = gymnasium.make_vec(
        "DriftingLinearBandit-v0", num_envs=20, changes=0, rate=rate, **settings
    )
    final = [
        agents.play(turning, agents.DiscountedLinUCB(discount=1 - 1 / memory, radius=0.5), seed=0)
        .regret[:, -1]
        .mean()
        for memory in memories
    ]
    axes.loglog(memories, final, marker="o", label=title)
    best = memories[int(np.argmin(final))]
    print(f"{title:10} best memory of these: {best} rounds")
axes.set(title="Regret by the length of memory", xlabel="memory 1 / (1 - discount), rounds")
axes.set_ylabel("mean dynamic regret after 3000 rounds")
axes.legend(frameon=False)

# %%
# The faster the parameter rotates, the shorter the best memory is. Theory gives its order: with
# total variation :math:`B_T` the best discount is :math:`1 - (B_T / (dT))^{2/3}`, and regret is of
# order :math:`B_T^{1/3} T^{2/3}`. :doc:`/papers/russac2019` tests the exponent.
#
# Try it
# ------
#
# - How much does forgetting cost if nothing changes? The left end of the lowest curve shows it.
# - ``agents.DiscountedRidge`` and ``SlidingWindowRidge`` do the same in regression.
