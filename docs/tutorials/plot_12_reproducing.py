"""
Reproducing a paper's figure
============================

A paper says: "KL-UCB has less regret than UCB1 when rewards are small." On which problem, over how
many runs, and with what confidence? This page repeats a figure at a small size, with a rule that is
written down *before* the run.
"""

# %%
# The claim
# ---------
#
# Garivier and Cappé (COLT 2011) compare agents on ten arms with small means: 0.1 for the best,
# three each of 0.05, 0.02 and 0.01. Their figure shows regret over 20,000 rounds.
#
# Write the rule first: *the ratio of mean regrets, KL-UCB over UCB1, at the end, paired by seeds;
# the claim is reproduced if its whole 95 % interval lies below 1, contradicted if it lies above 1,
# and inconclusive otherwise.*

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

means = [0.1] + 3 * [0.05] + 3 * [0.02] + 3 * [0.01]
envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=60, means=means, horizon=10_000)

# %%
# The run
# -------

traces = {
    type(agent).__name__: agents.play(envs, agent, seed=0)
    for agent in (agents.UCB1(), agents.KLUCB(), agents.BetaThompson())
}
figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
for name, trace in traces.items():
    mean = trace.regret.mean(axis=0)
    error = 2.0 * trace.regret.std(axis=0, ddof=1) / np.sqrt(60)
    (line,) = axes.plot(trace.rounds, mean, label=name)
    axes.fill_between(trace.rounds, mean - error, mean + error, color=line.get_color(), alpha=0.2)

# %%
# The dotted line is the lower bound for all uniformly good agents, drawn as the paper draws it. It
# holds in the limit: at 10,000 rounds curves may still lie below it.


def divergence(p, q):
    """The Kullback-Leibler divergence of two coins."""
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))


rounds = traces["UCB1"].rounds
slope = sum((0.1 - mean) / divergence(mean, 0.1) for mean in means[1:])
axes.plot(rounds, slope * np.log(rounds), color="grey", ls=":", label="Lai and Robbins")
axes.set(xscale="log", title="Ten small coins", xlabel="round", ylabel="mean regret over 60 seeds")
axes.legend(frameon=False)
figure

# %%
# The verdict
# -----------
#
# Resample the seeds, in pairs, for an interval of the ratio:

ours, theirs = traces["KLUCB"].regret[:, -1], traces["UCB1"].regret[:, -1]
rng = np.random.default_rng(0)
chosen = rng.integers(60, size=(2000, 60))
ratios = ours[chosen].mean(axis=1) / theirs[chosen].mean(axis=1)
low, high = np.quantile(ratios, [0.025, 0.975])
verdict = "reproduced" if high < 1 else "contradicted" if low > 1 else "inconclusive"
print(f"ratio {ours.mean() / theirs.mean():.3f} [{low:.3f}, {high:.3f}]: {verdict}")

# %%
# Could the verdict have been different?
# --------------------------------------
#
# A test that cannot fail shows nothing. With a fault in the agent, the verdict must change. Here
# KL-UCB has a far larger exploration constant:

faulty = agents.play(envs, agents.KLUCB(c=300.0), seed=0).regret[:, -1]
ratios = faulty[chosen].mean(axis=1) / theirs[chosen].mean(axis=1)
low, high = np.quantile(ratios, [0.025, 0.975])
print(f"with the fault: {faulty.mean() / theirs.mean():.3f} [{low:.3f}, {high:.3f}]")

# %%
# The published reproduction
# --------------------------
#
# ``banditgym reproduce garivier2011`` runs the paper's claims with rules like this one, and
# ``python -m tests.paper_faults.mutations garivier2011`` plays deliberate faults that must change
# a verdict. The finding at the paper's own size is published on :doc:`/papers/garivier2011`, with
# the machine, the libraries and the commit. :doc:`/how-to/contributing` says how to add a paper.
