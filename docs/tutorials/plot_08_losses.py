"""
Online convex losses: how much curvature is there?
==================================================

In each round you choose a point, and then a convex loss is revealed. You are compared with the best
*fixed* point in hindsight. If losses are curved, regret can be logarithmic; if they are linear,
:math:`\\sqrt T` is the best possible order. Must you know in advance which case it will be?
"""

# %%
# Gradient descent has one parameter, the step. For losses of gradient norm G on a ball of radius D,
# Zinkevich's step :math:`D / (G \sqrt t)` gives regret of order :math:`\sqrt T`. If every loss has
# at least curvature H, the step :math:`1 / (H t)` gives regret of order :math:`\log T`. *Curvature
# descent* uses the curvature observed so far. *Adaptive descent* adds as much curvature as is
# missing.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import agents
import banditgym

kinds = {
    "curved": "curved losses",
    "alternating": "linear, alternating",
    "switch": "curved, then linear",
}
chosen = (
    "OnlineGradientDescent",
    "CurvatureDescent",
    "AdaptiveDescent",
    "FollowTheRegularizedLeader",
)
figure, panels = plt.subplots(1, 3, figsize=(10, 3.8), layout="constrained")
final = {}
for axes, (losses, title) in zip(panels, kinds.items(), strict=True):
    envs = gymnasium.make_vec("OnlineConvex-v0", num_envs=20, dim=3, losses=losses, horizon=2000)
    for name in chosen:
        trace = agents.play(envs, getattr(agents, name)(), seed=0)
        regret = trace.regret.mean(axis=0)
        final[title, name] = regret[-1]
        axes.plot(trace.rounds, regret, label=name)
    axes.set(title=title, xlabel="round")
    axes.set_yscale("symlog", linthresh=1)
panels[0].set_ylabel("mean regret")
panels[0].legend(frameon=False, fontsize=7)
figure.suptitle("Four agents on three kinds of losses")

# %%
for (title, name), regret in final.items():
    print(f"{title:20} {name:27} {regret:9.2f}")

# %%
# Curvature descent and following the regularised leader assume that later losses are curved too.
# When losses become linear, their steps are tiny, and they adapt too slowly. Adaptive descent
# adapts. It has little more regret than the best agent for each kind of losses: by the theorem of
# Bartlett, Hazan and Rakhlin, its bound is within a constant factor of the bound for the best
# amount of added curvature, chosen in hindsight.
#
# Regret against the best fixed point so far may fall, and may be negative for some rounds, because
# the comparator is chosen anew in every round, in hindsight.
#
# Try it
# ------
#
# - ``losses="decaying"`` has curvature :math:`H t^{-a}` with a = ``decay``. For which a does regret
#   change from :math:`\log T` to :math:`\sqrt T`?
# - :doc:`/papers/rakhlin2008` tests the inequalities of the proof, round by round.
