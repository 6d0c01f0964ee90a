r"""Theorems' bounds beside the curves of regret.

A bound on an agent's regret is drawn where it lies below uniform play's mean regret. Above that it
is trivial; the caption then gives its value after the last round. Bounds hold with probability
:math:`1 - \delta` on every seed, while curves are means.

On tasks with Bernoulli rewards the lower bound of Lai and Robbins, :math:`c \log t` with
:math:`c = \sum_k \Delta_k / \mathrm{kl}(\mu_k, \mu^*)` (mean over the seeds), is a dashed slope: it
is asymptotic, so curves may lie below it.

Third-party environments have no such slope, because a page runs no third-party code. The theorems
and the environments are imported when bounds are computed, because a table does not need them.

References
----------
T. L. Lai, H. Robbins. Asymptotically efficient adaptive allocation rules. Advances in Applied
Mathematics 6(1), 1985.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboards.rank.section import Section
from leaderboards.report.styles import GREY, Style
from leaderboards.suites.environments import is_ours, make
from leaderboards.suites.suite import SuiteTask

POINTS = 60  # rounds at which a bound is computed
SLOPE = "Lai–Robbins"


@dataclass(frozen=True)
class Bound:
    """A bound on the regret of a task.

    Attributes
    ----------
    name : str
        Its agent's label, or `SLOPE`.
    rounds, values : tuple of float
        Where it is drawn; empty if it nowhere lies below uniform play.
    last : float
        Its value after the last round.
    """

    name: str
    rounds: tuple[float, ...]
    values: tuple[float, ...]
    last: float

    @property
    def title(self) -> str:
        """Its name beside the curve."""
        return self.name if self.name == SLOPE else f"bound of {self.name}"

    def look(self, looks: Mapping[str, Style]) -> Style:
        """Dashed, in its agent's colour."""
        return Style(GREY if self.name == SLOPE else looks[self.name].colour, (8, 4))

    @property
    def said(self) -> str:
        """What the caption says of it."""
        if self.name == SLOPE:
            return f"{SLOPE}, dashed: asymptotic, may lie above the curves"
        if self.rounds:
            return f"{self.title}, dashed, where it lies below uniform play's regret"
        return f"{self.title} after the last round: {self.last:.4g}, above uniform play's"


def bounds_of(section: Section) -> dict[str, tuple[Bound, ...]]:
    """The bounds of each task that has any."""
    found = {task.name: tuple(_of_task(section, task)) for task in section.tasks}
    return {name: own for name, own in found.items() if own}


def captions(section: Section) -> list[str]:
    """A line for each task that has bounds."""
    return [
        f"{task}: {'; '.join(bound.said for bound in own)}"
        for task, own in bounds_of(section).items()
    ]


def lai_robbins(means: np.ndarray) -> float:
    """The factor c of log t, the mean over problems with these means of Bernoulli arms, (n, K)."""
    best = means.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = _part(means, best) + _part(1 - means, 1 - best)
        each = np.where(means < best, (best - means) / kl, 0.0)
    return float(each.sum(axis=1).mean())


def _part(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.where(p > 0, p * np.log(p / q), 0.0)


def _of_task(section: Section, task: SuiteTask) -> list[Bound]:
    from agents.play import task_of
    from banditgym.tasks import ArmedTask

    theorems = _theorems()
    baseline = section.baseline(task)
    subjects = [
        standing
        for standing in section.standings
        if theorems.get(standing.spec, ("",))[0] == task.env and standing.tasks[task.name].curve
    ]
    if task.env == "LinearBandit-v0" and "means" in task.settings:
        return []  # rewards need not be linear
    if task.measure != "regret" or baseline is None or not is_ours(task.env):
        return []
    if task.family != ArmedTask.family and not subjects:
        return []
    try:
        env = make(task.place, len(section.seeds), {"horizon": task.horizon, **task.settings})
    except (ValueError, OSError):  # an older board, or its data are not on this machine
        return []
    facts = task_of(env)
    rounds = np.geomspace(1, task.horizon, POINTS)
    found = []
    for standing in subjects:
        values = theorems[standing.spec][1](rounds, facts, standing.hyperparameters)
        if values is not None:
            found.append(_bound(standing.label, rounds, values, baseline))
    # Of means that stay: those of other ids drift.
    if task.env == "ArmedBandit-v0" and facts.bernoulli:
        env.unwrapped.reset(seed=list(section.seeds))  # pyright: ignore[reportArgumentType]
        factor = lai_robbins(env.unwrapped._means)  # pyright: ignore[reportAttributeAccessIssue]
        found.append(_bound(SLOPE, rounds, factor * np.log(rounds), baseline))
    return found


def _bound(name: str, rounds: np.ndarray, values: np.ndarray, baseline: float) -> Bound:
    below = values < baseline * rounds / rounds[-1]
    shown = below & (rounds >= rounds[-1] / 1000) & (values > 0)
    x, y = (tuple(map(float, part[shown])) for part in (rounds, values))
    return Bound(name, x, y, float(values[-1]))


def _oful(theorem: Callable[..., np.ndarray]) -> Callable[..., np.ndarray | None]:
    def values(rounds: np.ndarray, facts: Any, given: Mapping[str, Any]) -> np.ndarray | None:
        if not given.keys() >= {"ridge", "delta", "noise_std", "param_norm"}:
            return None  # a row of another version
        noise = facts.subgaussian if given["noise_std"] is None else given["noise_std"]
        norm = facts.param_norm if given["param_norm"] is None else given["param_norm"]
        if facts.feature_norm is None or noise is None or facts.per_arm:
            return None
        return theorem(
            rounds,
            dim=facts.dim,
            ridge=given["ridge"],
            feature_norm=facts.feature_norm,
            noise_std=noise,
            param_norm=norm,
            delta=given["delta"],
        )

    return values


@functools.cache
def _theorems() -> dict[str, tuple[str, Callable[..., np.ndarray | None]]]:
    """The environment that a theorem is about, and its bound, None where it does not apply.

    They are by the text of the agent, since other hyperparameters than the defaults have texts of
    their own.
    """
    from agents import bounds

    def descent(rounds: np.ndarray, facts: Any, given: Mapping[str, Any]) -> np.ndarray | None:
        if "gradient_norm" not in given:
            return None
        gradient = facts.gradient_norm if given["gradient_norm"] is None else given["gradient_norm"]
        radius = facts.action_set.radius
        return bounds.online_gradient_descent(rounds, gradient_norm=gradient, radius=radius)

    return {
        "OFUL": ("LinearBandit-v0", _oful(bounds.oful_unbounded)),
        "ForwardOFUL": ("LinearBandit-v0", _oful(bounds.forward_oful)),
        "OnlineGradientDescent": ("OnlineConvex-v0", descent),
    }
