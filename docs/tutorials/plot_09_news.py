"""
News: learning from a log
=========================

You have a log: which article was shown to whom, and was it clicked? You want to know how many
clicks *another* rule would have had. If the log showed articles uniformly at random, a replay gives
an unbiased estimate: count only the events in which your rule agrees with the log.
"""

# %%
# ``NewsReplay-v0`` replays Yahoo!'s logs if you have them, and simulated logs if you do not.
# Articles become available and unavailable; K slots hold the available ones.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

envs = gymnasium.make_vec(
    "NewsReplay-v0", num_envs=10, data="R6A", n_articles=10, lifetime=5000, horizon=8000
)
observation, info = envs.reset(seed=0)
print({name: array.shape for name, array in observation.items()})

# %%
# In a round, ``info["matched"]`` says whether the log showed the same article. If not, the reward
# of the choice is unknown, and nothing is learned from the round. With ten articles, about one
# event in ten is matched.

traces = {}
for agent in (
    agents.UniformRandom(),
    agents.EpsilonGreedy(),
    agents.LinUCB(alpha=0.3),
    agents.DisjointLinUCB(alpha=0.3),
):
    trace = agents.play(envs, agent, seed=0)
    traces[trace.agent] = trace
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, trace in traces.items():
    rate = trace.measures["clicks_per_10000"].mean(axis=0)
    late = trace.rounds >= 500
    axes.plot(trace.rounds[late], rate[late], label=name)
axes.set(title="Clicks per 10,000 matched events, so far", xlabel="event of the log", ylabel="rate")
axes.legend(frameon=False)

# %%
# How wide are the intervals?
# ---------------------------
#
# Few events are matched, and few of these are clicked. Compare agents on the same seeds, and look
# at the differences:

base = traces["UniformRandom"].measures["clicks_per_10000"][:, -1]
for name, trace in traces.items():
    more = trace.measures["clicks_per_10000"][:, -1] - base
    error = more.std(ddof=1) / np.sqrt(len(more))
    print(
        f"{name:28} {more.mean():+7.1f} +- {2.26 * error:.1f} clicks per 10,000 over uniform play"
    )

# %%
# The intervals are wide. Even thousands of replayed events say little about which rule is better. A
# replay is unbiased, but that does not make it precise.
#
# Try it
# ------
#
# - ``keep=0.1`` takes a tenth of the events, drawn by the seed. Why do replicates differ at all?
# - :doc:`/how-to/data` says how to get Yahoo!'s logs, and how to write a simulated log in their
#   format.
