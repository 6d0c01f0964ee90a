"""
From a log to a decision
========================

A shop has logged which of four offers it showed to whom, with which probability, and who bought.
Would another policy have sold more? This page estimates that from the log alone, and compares the
estimates with the truth, which a simulated shop has and a real one does not.
"""

# %%
# The log
# -------
#
# ``EpsilonGreedy`` shows the offer that seems best, and in one round of five any of them. Before
# each round it says with which ``propensities`` it is about to play. They must be logged: they
# cannot be found out later without assumptions. ``agents.play(.., log="log.parquet")`` and
# ``banditgym run --log log.parquet`` write such logs.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Ridge

import agents
import banditgym
from leaderboards.ope import Log, evaluate, predicted_rewards

T, K = 3000, 4
THETA = np.array([2.0, -1.0, 0.5])

env = gymnasium.make("LogisticBandit-v0", n_arms=K, dim=3, theta=THETA, horizon=T)
shop = agents.EpsilonGreedy(epsilon=0.2).reset(env.unwrapped.task, seed=1)
features, actions, rewards = np.empty((T, K, 3)), np.empty(T, int), np.empty(T)
propensities = np.empty((T, K))
observation, _ = env.reset(seed=0)
for t in range(T):
    features[t], propensities[t] = observation, shop.propensities(observation)
    actions[t] = shop.act(observation)
    following, rewards[t], _, _, _ = env.step(actions[t])
    shop.observe(observation, actions[t], rewards[t])
    observation = following
print(f"{T} rounds, {rewards.mean():.3f} bought a round")

# %%
# Three candidates
# ----------------
#
# A policy is a table of probabilities, one row for each logged round. ``learned`` is LinUCB, which
# learns from the first half of the log and is then frozen; it may only be evaluated on the other
# half. ``uniform`` shows any offer. ``contrary`` shows what the first feature speaks against.

half = slice(T // 2, T)
student = agents.LinUCB(alpha=0.0).reset(env.unwrapped.task, seed=0)
for t in range(T // 2):
    student.act(features[t])
    student.observe(features[t], actions[t], rewards[t])
policies = {
    "learned": np.array([student.propensities(one) for one in features[half]]),
    "uniform": np.full((T // 2, K), 1 / K),
    "contrary": np.eye(K)[features[half, :, 0].argmin(axis=1)],
}

# %%
# The weights
# -----------
#
# Importance weighting counts a logged round :math:`\pi(a_t \mid x_t) / e_t(a_t)` times: the
# candidate's probability of the item that was shown, divided by the propensity.
# Where the shop seldom shows what the candidate wants, a few rounds with large weights decide.

played = np.arange(T // 2), actions[half]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for name, policy in policies.items():
    weights = np.sort(policy[played] / propensities[half][played])[::-1]
    left.plot(np.cumsum(weights) / weights.sum(), np.arange(T // 2), label=name)
    wanted = policy.argmax(axis=1)
    right.hist(
        propensities[half][np.arange(T // 2), wanted], bins=np.linspace(0, 1, 21), histtype="step",
        label=name,
    )  # fmt: skip
left.set(title="Rounds that carry the weight", xlabel="share of the weight", ylabel="rounds")
right.set(title="Overlap: what the log has of it", xlabel="propensity of the wanted offer",
          ylabel="rounds")  # fmt: skip
left.legend(frameon=False)
plt.show()

# %%
# All the weight of ``contrary`` is in a few rounds: the shop seldom showed what it wants. The
# figure on the right shows why.
#
# Estimates and intervals
# -----------------------
#
# The doubly robust estimate begins with a model of rewards and corrects its errors by weights. The
# model of a round is fitted to batches before its own, because the shop learned meanwhile.
# ``evaluate`` also says whether the log suffices.

log = Log(
    actions[half],
    rewards[half],
    propensities[half],
    predicted_rewards(
        Ridge(), features, actions, rewards, n_arms=K, per_arm=False, batches=np.arange(T) // 200
    )[half],
)
means = 1 / (1 + np.exp(-features[half] @ THETA))
truths = {name: (policy * means).sum(axis=1).mean() for name, policy in policies.items()}
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for place, (name, policy) in enumerate(policies.items()):
    for shift, estimator in enumerate(("dr", "snips", "ips")):
        found = evaluate(log, policy, estimator=estimator)
        if estimator == "dr":
            print(f"{name}: {found}, truth {truths[name]:.3f}")
        axes.errorbar(
            found.value, place + 0.2 * (shift - 1),
            xerr=[[found.value - found.low], [found.high - found.value]], fmt="o",
            color=f"C{shift}", alpha=1.0 if found.conclusive else 0.4,
            label=estimator if not place else None,
        )  # fmt: skip
    axes.plot([truths[name]] * 2, [place - 0.4, place + 0.4], "k--", lw=1)
axes.axvline(rewards[half].mean(), color="0.7", label="as logged")
axes.set(title="95 % intervals, and the truth (dashed)", xlabel="bought a round",
         yticks=range(3), yticklabels=policies)  # fmt: skip
axes.legend(frameon=False)
plt.show()

# %%
# The decision
# ------------
#
# ``uniform`` sells less than the shop as it is: its whole interval lies below. ``learned`` sells
# more, mostly because it no longer explores; who takes it will have no log to evaluate the next
# candidate by. Of ``contrary`` the log hardly has a round: nothing can be concluded, and the shop
# would have to show its offers more often for a while, and log that.
#
# What no log can tell:
#
# - the value of what it never has: a log of an agent that does not randomise is refused;
# - whether it lacks what actions and rewards have in common. Propensities that are estimated
#   afterwards (``banditgym evaluate --estimate-propensities``) suffice only if the logged features
#   are all that the shop went by;
# - the future: all this is about people as those in the log.
#
# The same from the command line, for logs of any size: ``banditgym evaluate log.parquet --policy
# "LinUCB(alpha=0.0)" --policy UniformRandom``. Which estimator is right on which logs is measured
# on `ope-v1 <../leaderboards/results/ope-v1/README.md>`__.
