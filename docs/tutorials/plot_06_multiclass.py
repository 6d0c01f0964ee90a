"""
Multiclass bandits: only right or wrong is told
===============================================

A document arrives, you name its topic, and you are told "right" or "wrong". If you are wrong, you
do not learn what would have been right. How much harder is this than ordinary classification?
"""

# %%
# ``SynSep-v0`` makes documents of nine topics that a linear classifier can separate. Rows are
# sparse: pairs of the index and the value of a word.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

envs = gymnasium.make_vec("SynSep-v0", num_envs=10, horizon=8000)
observation, _ = envs.reset(seed=0)
words = observation["indices"][0][observation["values"][0] > 0]
print(len(words), "words of the first document, out of", envs.unwrapped.task.dim)

# %%
# The Perceptron, which is told the true label, is a reference that cannot be beaten fairly. The
# Banditron is a Perceptron for bandit feedback: with probability :math:`\gamma` it names a random
# label, and weighs what it learns by the inverse of the probability. Confidit and SquareCB explore
# where they are uncertain instead.

chosen = (
    agents.Perceptron(),
    agents.Banditron(),
    agents.SquareCB(),
    agents.Confidit(),
)
traces = {trace.agent: trace for trace in (agents.play(envs, a, seed=0) for a in chosen)}

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, trace in traces.items():
    late = trace.rounds >= 50
    rate = trace.regret.mean(axis=0) / trace.rounds
    axes.loglog(trace.rounds[late], rate[late], label=name)
axes.set(title="Error rate so far", xlabel="round", ylabel="mistakes per round, from the first on")
axes.legend(frameon=False)

# %%
# In this environment regret is the number of mistakes, since the comparator is the true label. The
# Banditron names a random label in a share :math:`\gamma` of the rounds, for ever, and eight of
# nine random labels are wrong: its rate cannot fall below :math:`8\gamma/9`. But a small
# :math:`\gamma` learns slowly. Which one is best depends on the horizon:

for rate in (0.01, 0.05, 0.2):
    trace = agents.play(envs, agents.Banditron(gamma=rate), seed=0)
    first, last = trace.regret[:, -1].mean(), trace.rounds[-1]
    print(f"gamma {rate:4}: {100 * first / last:.1f} % of {last} labels wrong")

# %%
# False labels
# ------------
#
# ``SynNonSep-v0`` changes 5 % of the labels. Now even the best classifier errs, and an agent that
# trusts every answer is led astray.

noisy = gymnasium.make_vec("SynNonSep-v0", num_envs=10, horizon=8000)
names = [type(agent).__name__ for agent in chosen]
wrong = {
    title: [agents.play(e, getattr(agents, n)(), seed=0).regret[:, -1].mean() / 80 for n in names]
    for title, e in (("separable", envs), ("5 % false labels", noisy))
}
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for place, (title, percent) in enumerate(wrong.items()):
    axes.bar(np.arange(4) + 0.4 * (place - 0.5), percent, width=0.4, label=title)
axes.set_xticks(np.arange(4), names)
axes.set(title="Percent of 8000 labels that were wrong")
axes.legend(frameon=False)

# %%
# Try it
# ------
#
# - ``MulticlassBandit-v0`` plays scikit-learn's data, or yours: ``data=(rows, labels)``.
# - With ``slots=3`` three labels are shown at once, and a click tells one of them was right.
# - :doc:`/papers/kakade2008` tests the Banditron's claims, figure by figure.
