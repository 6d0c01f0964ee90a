"""A picture of one episode of an environment: what is played, and what it costs."""

import functools
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from matplotlib.figure import Figure

import agents
from agents.play import task_of
from banditgym.registration import ENVIRONMENTS

# Rounds of an episode. A log needs more, since one event in twenty is matched.
ROUNDS = {"news": 6000, "multiclass": 1000}
FEW = 300
_PLAYERS = {
    "armed": "KLUCB",
    "adversarial": "TsallisINF",
    "linear": "LinUCB",
    "logistic": "LaplaceThompson",
    "strongly_convex": "BallTS",
    "kernelized": "GPUCB",
    "regression": "Forward",
    "losses": "AdaptiveDescent",
    "multiclass": "SquareCB",
    "news": "LinUCB",
}
# Where the family's agent cannot play, or another shows more.
_PLAYERS_OF = {
    "DriftingLinearBandit-v0": "DiscountedLinUCB",
    "LoggedBandit-v0": "DisjointLinUCB",
}
_INK, _BAD = "#0072B2", "#D55E00"
_WORDS = {
    "arm": "the arm of each round",
    "point": "the first two coordinates of the points",
    "number": "predictions beside outcomes",
    "label": "the label of each round, the wrong ones in another colour",
}


def player(name: str) -> str:
    """The agent that plays an environment's picture."""
    return _PLAYERS_OF.get(name, _PLAYERS[ENVIRONMENTS[name].family])


def caption(name: str) -> str:
    """What the picture shows, also for those who cannot see it."""
    family = ENVIRONMENTS[name].family
    return f"One episode of {name}: {_WORDS[_kind(family)]}, and the {_total(name)} so far"


def _total(name: str) -> str:
    """The measure whose sum is shown."""
    if name == "LoggedBandit-v0":
        return "reward"
    return "clicks" if ENVIRONMENTS[name].family == "news" else "regret"


def _kind(family: str) -> str:
    kinds = {"strongly_convex": "point", "losses": "point", "regression": "number"}
    return kinds.get(family, "label" if family == "multiclass" else "arm")


def draw(name: str, path: Path) -> None:
    """Play an episode and write its picture."""
    told = played(name)
    figure = Figure(figsize=(8.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_actions(left, _kind(ENVIRONMENTS[name].family), told)
    rounds = np.arange(1, len(told["total"]) + 1)
    right.plot(rounds, told["total"], color=_INK, lw=1.8)
    right.set_title(f"{_total(name)} so far", loc="left", fontsize=10)
    right.set_xlabel("round", fontsize=9)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(True, color="#e4e4e4", lw=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(labelsize=8, color="#bbbbbb")
    figure.savefig(path, dpi=110, metadata={"Software": None})


@functools.cache
def played(name: str) -> dict[str, np.ndarray]:
    """Actions, outcomes and the cumulative measure of an episode, with seed 0."""
    family = ENVIRONMENTS[name].family
    rounds = ROUNDS.get(family, FEW)
    env: Any = gymnasium.make(name, horizon=rounds)
    agent = getattr(agents, player(name))()
    agent.reset(task_of(env), seed=agents.derived_seeds(0))
    observation, _ = env.reset(seed=0)
    actions, outcomes, measures = [], [], []
    for _ in range(rounds):
        action = agent.act(observation)
        following, reward, _, _, info = env.step(action)
        feedback = info.get("feedback")
        agent.observe(observation, action, reward, feedback=feedback, observed=info.get("observed"))
        actions.append(np.copy(action))
        outcomes.append(float(feedback) if family == "regression" else float(reward))
        measures.append(float(reward if _total(name) == "reward" else info[_total(name)]))
        observation = following
    env.close()
    return {
        "actions": np.array(actions),
        "outcomes": np.array(outcomes),
        "total": np.cumsum(measures),
    }


def _draw_actions(axes: Any, kind: str, told: dict[str, np.ndarray]) -> None:
    actions, outcomes = told["actions"], told["outcomes"]
    rounds = np.arange(1, len(actions) + 1)
    if kind == "point":
        seen = axes.scatter(actions[:, 0], actions[:, 1], c=rounds, s=9, cmap="viridis")
        axes.figure.colorbar(seen, ax=axes, label="round")
        axes.set_title("points played, two coordinates", loc="left", fontsize=10)
        axes.set_aspect("equal", adjustable="datalim")
        return
    if kind == "number":
        axes.scatter(outcomes, actions, c=rounds, s=9, cmap="viridis")
        span = [outcomes.min(), outcomes.max()]
        axes.plot(span, span, color="#999999", lw=1)
        axes.set_title("prediction by outcome, later rounds brighter", loc="left", fontsize=10)
        axes.set_xlabel("outcome", fontsize=9)
        return
    wrong = (outcomes <= 0) & (kind == "label")
    axes.scatter(rounds[~wrong], actions[~wrong], s=5, color=_INK, label="right")
    if kind == "label":
        axes.scatter(rounds[wrong], actions[wrong], s=5, color=_BAD, label="wrong", marker="x")
        axes.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(0, -0.12), ncols=2)
    title = "label played" if kind == "label" else "arm played"
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel("round", fontsize=9)
