"""
Multiclass bandits: only right or wrong is revealed
===================================================

A document is shown, you name its topic, and you observe "right" or "wrong". If you are wrong, you
do not learn which topic is right. How much harder is this than ordinary classification?
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
# The Perceptron observes the true label, so it is a reference and not a competitor. The Banditron
# is a Perceptron for bandit feedback: with probability :math:`\gamma` it names a random label, and
# it weights its update by the inverse of the label's probability. Confidit and SquareCB explore
# labels about which they are uncertain.

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
# In this environment regret is the number of mistakes, because the comparator is the true label.
# The Banditron names a random label in a share :math:`\gamma` of all rounds, and eight of nine
# random labels are wrong: its error rate cannot fall below :math:`8\gamma/9`. But with a small
# :math:`\gamma` it learns slowly. The best :math:`\gamma` depends on the horizon:

for rate in (0.01, 0.05, 0.2):
    trace = agents.play(envs, agents.Banditron(gamma=rate), seed=0)
    first, last = trace.regret[:, -1].mean(), trace.rounds[-1]
    print(f"gamma {rate:4}: {100 * first / last:.1f} % of {last} labels wrong")

# %%
# False labels
# ------------
#
# ``SynNonSep-v0`` changes 5 % of the labels. Even the best classifier then errs, and a false answer
# misleads an agent that trusts every answer.

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
# - With ``slots=3`` three labels are shown at once, and a click says which of them is right.
# - :doc:`/papers/kakade2008` tests the Banditron's claims, figure by figure.
