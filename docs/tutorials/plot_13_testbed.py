"""
The ten-armed testbed: four figures of Sutton & Barto
=====================================================

Chapter 2 of Sutton and Barto's *Reinforcement Learning* (second edition, 2018) compares agents on
2,000 bandits of ten arms. The means of the arms are drawn from a normal distribution with mean 0
and standard deviation 1, and rewards have standard deviation 1 around them. This page draws
Figures 2.2 to 2.5.
"""

# %%
# ``leaderboards.compare`` plays all agents on the same bandits, with the same noise. It keeps sums
# of measures after the ``rounds`` that are given: here every round of the first hundred, and then
# every tenth. The measure ``optimal`` counts how often an arm with the largest mean was played.

import matplotlib.pyplot as plt
import numpy as np

import agents
import leaderboards

ROUNDS = [*range(1, 100), *range(100, 1001, 10)]


def play(chosen, mean=0.0):
    """Play agents on 2,000 bandits, the means of whose arms are drawn around ``mean``."""
    return leaderboards.compare(
        "ArmedBandit-v0",
        chosen,
        seeds=2000,
        horizon=1000,
        rounds=ROUNDS,
        n_arms=10,
        means={"kind": "normal", "mean": mean, "std": 1.0},
        noise="gaussian",
        noise_std=1.0,
    )


def show(title, comparison, measure):
    """Draw the mean of a measure in a round, and print it for the last 500 rounds."""
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for name, trace in comparison.traces.items():
        total = trace.measures[measure].mean(axis=0)
        each = np.diff(total, prepend=0) / np.diff(trace.rounds, prepend=0)
        axes.plot(trace.rounds, each, label=name)
        print(f"{name:48} {(total[-1] - total[ROUNDS.index(500)]) / 500:5.2f}")
    axes.set(title=title, xlabel="round", ylabel=f"mean {measure}")
    figure.legend(frameon=False, fontsize=8, loc="outside lower center", ncols=2)


# %%
# Figure 2.2: how much to explore
# -------------------------------
#
# These agents estimate each arm by the mean of its rewards, and by 0 at first. With probability
# :math:`\varepsilon` they play any arm, else the one with the largest estimate.

explorers = [agents.EpsilonGreedy(epsilon=e, start=0.0) for e in (0.0, 0.01, 0.1)]
exploring = play(explorers)
show("Figure 2.2, rewards", exploring, "reward")

# %%
# The largest of ten such means is 1.54 on average. The agent that never explores often stays with
# the first arm whose rewards are good, and gets about 1. The other two earn more:

show("Figure 2.2, share of a best arm", exploring, "optimal")

# %%
# The value 0.1 is the default of ``epsilon``, so the agent's name does not show it. It finds the
# best arm soon, but one round in ten goes on exploring. With 0.01 learning is slower, and the share
# of the best arm may grow to 99 %.
#
# Figure 2.3: optimistic first estimates
# --------------------------------------
#
# An agent that expects 5 from every arm need not explore at random: each arm disappoints it, so it
# tries them all. The constant step 0.1 makes the estimates fall slowly.

optimist = agents.EpsilonGreedy(epsilon=0.0, step=0.1, start=5.0)
realist = agents.EpsilonGreedy(epsilon=0.1, step=0.1, start=0.0)
show("Figure 2.3, share of a best arm", play([optimist, realist]), "optimal")

# %%
# In round 11 all arms have been tried once, and many replicates play their best arm next: hence the
# peak.
#
# Figure 2.4: upper confidence bounds
# -----------------------------------
#
# The book's agent plays the arm with the largest :math:`\hat\mu_k + c \sqrt{\ln t / N_k}`, where
# c = 2. In ``UCB1`` the factor c is :math:`\sqrt 2` times ``scale``, which is 1 by default, times
# the standard deviation of the task's noise: here 1, so that c is 1.41. For a c of one's own, write
# ``UCB1(scale=c / 2**0.5)``.

book = agents.UCB1(scale=1.4142)  # c = 2
show("Figure 2.4, rewards", play([book, agents.UCB1(), explorers[-1]]), "reward")

# %%
# Figure 2.5: a baseline for the gradient bandit
# ----------------------------------------------
#
# The gradient bandit has preferences in place of estimates, and draws an arm by their exponentials.
# The means are now drawn around 4. With the mean reward as the baseline, this number makes no
# difference. Without a baseline nearly every reward is positive, so nearly every arm that is played
# is preferred more afterwards.

gradient = [
    agents.GradientBandit(step=step, baseline=baseline)
    for baseline in (True, False)
    for step in (0.1, 0.4)
]
show("Figure 2.5, share of a best arm", play(gradient, mean=4.0), "optimal")

# %%
# Where this differs from the book
# --------------------------------
#
# - Beyond round 100 a point of a curve is a mean over ten rounds.
# - Of equal estimates, ours play the one with the lowest index, the book's any of them. The order
#   of the arms says nothing here, so the curves are the same on average.
# - ``UCB1`` has t - 1 in its logarithm, the number of rewards so far, and the book has t.
# - The baseline of ``GradientBandit`` is the mean of the rewards before this one, as in the book's
#   text. The book's figure includes this one.
#
# ``Comparison.plot`` draws the same curves with 95 % intervals, and with logarithmic axes where all
# values are positive:

figure = exploring.plot(measure="optimal", per_round=True)
figure.suptitle("Figure 2.2 again, with intervals")
plt.figure(FigureClass=lambda **options: figure)  # this page shows figures of pyplot

# %%
# Try it
# ------
#
# - ``agents.Softmax(temperature=0.3)`` draws an arm by the exponentials of the estimates. Which
#   temperature is best, and does it stay so with ``noise_std=3.0``?
# - Give ``EpsilonGreedy`` no ``start``: it then plays every arm once, first. How much is that worth
#   to the agent that never explores?
# - Play 10,000 rounds. When does 0.01 overtake 0.1?
