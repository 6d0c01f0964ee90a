"""Rounds of a single environment that are prepared before they are played.

A step of one replicate takes several microseconds in Python, although its round is computed in half
a microsecond. A single environment therefore prepares many rounds at once, by the kernels that
compute blocks: it draws what does not depend on actions. A step looks up the rest or computes it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditgym.action_sets import FiniteArms

_BYTES = 1 << 16  # of the rounds prepared at once, which should stay in the fastest caches
_MOST, _LEAST = 64, 8  # rounds prepared at once; fewer are not worth the calls

Played = tuple[float, dict[str, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """Successive rounds of one replicate, hidden values included.

    The two functions take the number i of a round, counted from 0 among these m rounds. They are
    called in the order of the rounds.

    Parameters
    ----------
    start : int
        The first of the rounds, counted from 0 in the episode.
    rounds : int
        m.
    show : callable
        ``show(i)`` -> the observation as a single environment shows it: the caller's own, in memory
        that neither other rounds nor ``play`` use.
    play : callable
        ``play(i, action)`` -> the reward and the info of an action, as a single environment's step
        returns them. An illegal action raises the ValueError of a step, and changes nothing. If
        later rounds depend on a round, ``play`` changes the environment's own state.
    """

    start: int
    rounds: int
    show: Callable[[int], Any]
    play: Callable[[int, Any], Played]


def nothing_shown(rounds: int) -> Callable[[int], int]:
    """``show`` for ``rounds`` rounds in which nothing is observed."""
    return ([0] * rounds).__getitem__


def play_from_table(
    arms: FiniteArms, reward: np.ndarray, regret: np.ndarray, labels: np.ndarray | None = None
) -> Callable[[int, Any], Played]:
    """``play`` for rounds in which the rewards of all arms are known.

    Parameters
    ----------
    arms : FiniteArms
        The K actions.
    reward, regret : ndarray of shape (m, K)
        Those of each arm in each round.
    labels : int64 ndarray of shape (m,), optional
        The true labels, for ``info["label"]``, in multiclass prediction.
    """
    n_arms = arms.n_arms

    def play(i: int, action: Any) -> Played:
        if type(action) is not int or not 0 <= action < n_arms:
            action = arms.read_one(action)
        info = {"regret": regret.item(i, action)}
        if labels is not None:
            info["label"] = labels.item(i)
        return reward.item(i, action), info

    return play


def rounds_at_once(bytes_per_round: int) -> int:
    """How many rounds are prepared at once; 0 means that none are prepared."""
    rounds = min(_MOST, _BYTES // bytes_per_round)
    return rounds if rounds >= _LEAST else 0
