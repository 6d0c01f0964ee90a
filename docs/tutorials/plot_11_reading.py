"""
Reading a regret plot honestly
==============================

A plot with two curves is persuasive. Whether it shows a difference depends on facts that it may not
state: the number of seeds, their spread, whether both agents played the same environments, and what
was tuned. This page shows six ways to be misled.
"""

# %%
# Two agents on a small problem. Over very many seeds the first is better by an eighth:

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

settings = {"n_arms": 10, "dim": 5, "noise_std": 0.5, "horizon": 1000}


def final(agent, seed, n):
    """Regret after the last round, of n replicates."""
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=n, **settings)
    return agents.play(envs, agent, seed=seed).regret[:, -1]


one, other = agents.LinUCB(alpha=0.5), agents.OFUL()

# %%
# 1. A few seeds
# --------------
#
# Which agent has the smaller mean over five seeds? We ask 200 times, with other seeds each time.
# *Each agent has its own seeds*, as when numbers are copied from papers.

a, b = final(one, 0, 1000), final(other, 5000, 1000)
wins = (a.reshape(200, 5).mean(axis=1) < b.reshape(200, 5).mean(axis=1)).mean()
print(f"means over 1000 seeds: LinUCB {a.mean():.1f}, OFUL {b.mean():.1f}")
print(f"LinUCB has the smaller mean of 5 seeds in {100 * wins:.0f} % of the cases")

# %%
# 2. Seeds that are not shared
# ----------------------------
#
# Most of the spread is due to the environments, which are easy or hard for both agents. On the same
# seeds it cancels in the difference. This package pairs seeds by default: noise depends on the seed
# and the round, and not on the actions.

b = final(other, 0, 1000)
paired = (a.reshape(200, 5).mean(axis=1) < b.reshape(200, 5).mean(axis=1)).mean()
print(f"on shared seeds: in {100 * paired:.0f} % of the cases")
print(f"standard deviation of a difference: {(a - b).std():.1f} shared, "
      f"{(a - np.roll(b, 1)).std():.1f} not shared")  # fmt: skip

figure, panels = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharex=True)
for axes, difference, title in zip(
    panels, (a - np.roll(b, 1), a - b), ("seeds of their own", "shared seeds"), strict=True
):
    axes.hist(difference, bins=40)
    axes.axvline(0, color="black", lw=1)
    axes.set(title=title, xlabel="regret of the one minus that of the other")
figure.suptitle("The same two agents, unpaired and paired")

# %%
# 3. Bands with another meaning
# -----------------------------
#
# "Mean ± standard deviation" says how much seeds differ. "Mean ± standard error" says how
# accurately the mean is known: with 100 seeds it is ten times narrower. A plot must say which of
# the two it shades. All bands of this package are 95 % intervals of the mean, by Student's t over
# the seeds.

error = a[:100].std(ddof=1) / 10
print(
    f"{a[:100].mean():.1f} ± {a[:100].std(ddof=1):.1f} (deviation), ± {1.98 * error:.1f} (interval)"
)

# %%
# 4. A mean without its tail
# --------------------------
#
# On fixed arms a narrow width has the better median and the worse mean. A few replicates make most
# of the mean: there the agent plays a bad arm forever. A plot of medians hides them, and a plot of
# the mean over few seeds may contain none of them.

fixed = gymnasium.make_vec("LinearBandit-v0", num_envs=300, fixed_arms=True, **settings)
figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
for width in (0.5, 1.0):
    agent = agents.LinUCB(alpha=width)
    values = np.sort(agents.play(fixed, agent, seed=0).regret[:, -1])
    axes.plot(values, np.linspace(0, 1, 300), label=f"width {width}, mean {values.mean():.0f}")
    print(f"width {width}: median {np.median(values):.1f}, mean {values.mean():.1f}, "
          f"worst {values[-1]:.0f}")  # fmt: skip
axes.set(title="Every replicate's regret, in order of size", xlabel="regret after 1000 rounds")
axes.set(ylabel="share of the replicates below", xscale="symlog")
axes.legend(frameon=False)

# %%
# 5. Axes
# -------
#
# The axes decide whether the same two curves look equal or far apart. Linear axes show the last
# rounds, logarithmic axes show the rate. Look at both before you state an exponent. Do not state an
# exponent from less than two decades of t.

envs = gymnasium.make_vec("LinearBandit-v0", num_envs=50, **settings)
curves = {type(agent).__name__: agents.play(envs, agent, seed=0) for agent in (one, other)}
figure, panels = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for axes, scale in zip(panels, ("linear", "log"), strict=True):
    for name, trace in curves.items():
        axes.plot(trace.rounds, trace.regret.mean(axis=0), label=name)
    axes.set(xscale=scale, yscale=scale, title=f"{scale} axes", xlabel="round")
panels[0].legend(frameon=False)
figure.suptitle("The same two curves")

# %%
# 6. Whose hyperparameters?
# -------------------------
#
# If you tune one agent on the seeds that are shown, and leave the other at its default, the tuned
# agent wins. How much better does it look with the best of ten widths, chosen *after* seeing the
# seeds?

widths = np.linspace(0.1, 2.0, 10)
seen = np.array([final(agents.LinUCB(alpha=float(w)), 0, 10) for w in widths])
best = int(seen.mean(axis=1).argmin())
fresh = final(agents.LinUCB(alpha=float(widths[best])), 9000, 1000)
print(f"best of ten on 10 seeds: {seen[best].mean():.1f}; on 1000 fresh seeds: {fresh.mean():.1f}")

# %%
# The boards of this project show defaults, on seeds that are frozen with the suite, with paired
# intervals. Agents that the data cannot tell apart share a rank: see
# :doc:`/explanation/statistics`.
