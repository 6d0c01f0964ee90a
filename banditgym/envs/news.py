"""News articles shown from a log: replay of its clicks."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces

from banditgym.compiled import compiled
from banditgym.data.chunks import Chunks
from banditgym.data.simulated_logs import FORMATS, MadeLog
from banditgym.data.slot_events import FEATURES, EventsInSlots, extent, in_slots
from banditgym.data.yahoo import YahooLog
from banditgym.rounds.blocks import SlotsBlock
from banditgym.settings import Settings, configured, least, setting, within
from banditgym.spaces import MaskedArms
from banditgym.streams import each_uniform
from banditgym.tasks import NewsTask
from banditgym.validation import brief, positive, whole
from banditgym.vector_env import NOISE, BanditVectorEnv, Played


class NewsSettings(Settings):
    """The settings of ``NewsReplay``."""

    data: Annotated[
        str | Path,
        '"R6A", "R6B", str or path',
        "A simulated log in the form of either collection, which needs no files and never ends "
        "(``banditgym.data.simulated_logs``); or a file, or a folder of files whose names begin "
        "with ``ydata``, in either format, which may be packed as .gz or .bz2 "
        "(``banditgym.data.yahoo``).",
    ] = setting(default="R6A")
    keep: Annotated[
        float, "Probability that a replicate keeps an event, in (0, 1]; 1: every event."
    ] = setting(within(math.ulp(0.0), 1.0, "be a probability in (0, 1]"), 0.5)
    horizon: Annotated[
        int | None,
        "Events per episode, T, at most those of the log. If not given, all events of a file, or "
        "1000 simulated events; ``max_episode_steps`` is Gymnasium's name for it.",
    ] = setting()
    n_arms: Annotated[
        int | None,
        "Number of slots K; by default, and at least, the largest number of articles of any event "
        "up to the horizon.",
    ] = setting(whole)
    features: Annotated[
        str | None,
        '{"outer", "article", "user", "offset"}',
        'The features x; by default "outer" for R6A and "offset" for R6B.',
    ] = setting()
    param_norm: Annotated[
        float,
        "The bound on theta that agents are to assume; the true bound is unknown.",
    ] = setting(positive, 1.0)
    log_seed: Annotated[
        int | None,
        "Seed of a simulated log, the same log for all seeds; only for simulated logs.",
    ] = setting(least(0), otherwise=0)
    n_articles: Annotated[
        int | None,
        "The largest number of articles at a time; only for simulated logs.",
    ] = setting(otherwise=20)
    lifetime: Annotated[
        int | None,
        "Number of events for which an article is available; only for simulated logs. It limits "
        "what can be learned about an article if articles have no features, or if each slot has "
        "its own model.",
    ] = setting(otherwise=2000)

    @property
    def log(self) -> YahooLog | MadeLog:
        """The log."""
        made = {"seed": self.log_seed, "n_articles": self.n_articles, "lifetime": self.lifetime}
        given = {name: value for name, value in made.items() if value is not None}
        if isinstance(self.data, str) and self.data in FORMATS:
            return MadeLog(format=self.data, **given)
        if not isinstance(self.data, str | Path):
            raise ValueError(f"data must be R6A, R6B or a path, got {brief(self.data)}")
        for name in given:
            given = "log_seed" if name == "seed" else name
            raise ValueError(f"{given} is a setting of simulated logs; leave it out")
        return YahooLog(self.data)


@configured(NewsSettings)
class NewsReplay(BanditVectorEnv):
    r"""Recommending news: a log of uniformly shown articles replayed, event by event.

    A round is an event of the log. The available articles are in slots, and an action is a slot. If
    its article is the one that the log showed, and the event is kept, the click is observed.
    Otherwise the reward is 0, ``info["observed"]`` is false, and the round does not count. The
    click rate among observed rounds is an unbiased estimate of the click rate of the agent's
    choices, because the log's choices were uniform. A round of m articles is observed with
    probability ``keep`` / m. If m varies, the estimate is of a mean with these weights.

    Every event is a round. Replicate i keeps the event of round t with probability ``keep``,
    decided by a uniform number of its seed and t. All replicates go through the log together, and
    each keeps other events of it, so one log gives many seeds.

    Observations are mappings of ``arms`` (n, K, d), features; ``action_mask`` (n, K), int8, 1 where
    a slot has an article, as Gymnasium's ``Discrete.sample(mask)`` takes it; and ``ids`` (n, K),
    int64, the ids of the articles in the log. An empty slot has features 0 and id -1. An article
    keeps its slot until another article needs it; see ``banditgym.data.article_slots.place``.
    Actions are slots (n,); an empty one is refused. Samples of ``action_space`` are slots with an
    article. This holds for single and native vector environments: Gymnasium's SyncVectorEnv and
    AsyncVectorEnv do not know the masks and may sample an empty slot, so use ``make_vec`` with its
    default ``vectorization_mode``. Two measures of shape (n,) are increments: ``info["matched"]``,
    1 where the round was observed, and ``info["clicks"]``, which is the reward. A trace also has
    ``clicks_per_10000``, the clicks per 10,000 matched rounds, which is 0 until a round matches;
    leaderboards score it. There is no regret.

    The features of a slot are made from the features u of the user and a of the article, with
    ``features`` =

    - ``outer`` (R6A): all 36 products, :math:`x_{6j+l} = u_j a_l`;
    - ``article`` (R6A): a alone, 6 numbers;
    - ``user``: u, 6 numbers or R6B's 136, the same for every article, for agents with a model per
      slot, as in Li et al. 2010, Algorithm 1;
    - ``offset`` (R6B): (u, e_k), 136 + K numbers, where e_k is the k-th unit vector. One model for
      all slots then has an offset for each slot, which is all that a shared linear model can learn
      about articles without features.

    The environment reads one event ahead. The step after which no event is left truncates the
    episode, and its observation has no articles. A file is read up to the horizon when the
    environment is made, then streamed in constant memory, once per episode.

    Attributes
    ----------
    dropped : dict
        The number of lines of the file (for ``featureless_articles``, of articles) that were
        dropped up to the horizon, by reason, as ``banditgym.data.yahoo`` explains. In a single
        environment it is ``env.unwrapped.batched.dropped``.
    determined : bool
        Whether the episode is the same for all seeds: every event is kept.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to get the data.
    ValueError
        If the log has fewer events than the horizon, or an event has more articles than slots.

    Notes
    -----
    Hidden: which article the log showed in an event, until the agent has chosen, and the clicks on
    articles that the log did not show.

    References
    ----------
    L. Li, W. Chu, J. Langford, R. Schapire. A Contextual-Bandit Approach to Personalized News
    Article Recommendation. WWW 2010.

    L. Li, W. Chu, J. Langford, X. Wang. Unbiased Offline Evaluation of Contextual-bandit-based News
    Article Recommendation Algorithms. WSDM 2011, Algorithm 2: the log as a stream.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("NewsReplay-v0", num_envs=3)
    >>> observation, _ = envs.reset(seed=0)
    >>> observation["arms"].shape, observation["action_mask"].shape
    ((3, 20, 36), (3, 20))
    """

    def _set_up(self, num_envs: int, given: NewsSettings) -> None:
        self._keep = given.keep
        self._log = log = given.log
        self._reads_files = isinstance(log, YahooLog)
        to_the_end = isinstance(log, YahooLog) and not given.has_horizon
        horizon = None if to_the_end else given.rounds
        # One more than the horizon: an observation follows the last round too.
        summary = log.scan(None if horizon is None else horizon + 1)
        if horizon is None:
            horizon = summary.n_rows
        if horizon > summary.n_rows:
            raise ValueError(f"horizon {horizon} is above the number of rows, {summary.n_rows}")
        most = summary.most_articles
        n_arms = most if given.n_arms is None else given.n_arms
        if n_arms < most:
            raise ValueError(
                f"n_arms must be at least the articles of any event up to the horizon, {most}, "
                f"got {n_arms}"
            )
        known = FEATURES[log.described]
        features = known[0] if given.features is None else given.features
        if features not in known:
            raise ValueError(
                f"features must be one of {', '.join(known)} of this log, got {brief(features)}"
            )
        self._features = features
        dim, norm, limits = extent(features, log.described, n_arms, summary)
        task = NewsTask(
            n_arms=n_arms,
            dim=dim,
            horizon=horizon,
            feature_norm=norm,
            param_norm=given.param_norm,
        )
        shown = spaces.Dict(
            arms=spaces.Box(*limits, (n_arms, dim), np.float64),
            action_mask=spaces.MultiBinary(n_arms),
            ids=spaces.Box(-1, 10**18, (n_arms,), np.int64),
        )
        super().__init__(num_envs, task, shown, MaskedArms(n_arms))
        self.dropped = summary.dropped
        self.determined = self._keep == 1.0
        self._summary = summary
        self._chunks: Any = Chunks(summary, self._events_in_slots)  # type: ignore[arg-type]  # any rows will do

    def _events_in_slots(self) -> Iterator[EventsInSlots]:
        """The log from the beginning, up to the number of events scanned."""
        rows, n_rows = 0, self._summary.n_rows
        for chunk in in_slots(self._log.events(n_rows), self.task.n_arms):
            rows += len(chunk)
            yield chunk
        if rows < n_rows:
            raise ValueError(f"data: {n_rows} events were scanned, now there are {rows}")

    def _begin(self) -> None:
        self._keys = self._stream(NOISE).keys

    def _rounds(self, t: int, rounds: int) -> SlotsBlock:
        task, n = self.task, self.num_envs
        chunk, row = (None, 0) if t == self._summary.n_rows else self._chunks.at(t)
        rounds = 1 if chunk is None else min(rounds, len(chunk) - row)
        # Stored feature by feature: agents' inner loops run along the arms.
        features = np.zeros((rounds, n, task.dim, task.n_arms))
        mask = np.zeros((rounds, n, task.n_arms), np.int8)
        ids = np.full((rounds, n, task.n_arms), -1)
        events, kept = np.zeros((rounds, 2), np.int64), np.empty((rounds, n), bool)
        if chunk is not None:  # the log has not ended
            chunk.fill(row, self._features, features, mask, ids, events)
        _keep(self._keep, self._keys, t, kept)
        return SlotsBlock(start=t, features=features, mask=mask, ids=ids, events=events, kept=kept)

    def _reward(self, block: SlotsBlock, places: np.ndarray, actions: np.ndarray):
        reward, matched = np.empty((2, *actions.shape))
        observed, of_block = np.empty(actions.shape, bool), (block.mask, block.events, block.kept)
        bad = _reward_slots(*of_block, places, actions, reward, matched, observed)
        if bad >= 0:
            j, replicate = divmod(bad, self.num_envs)
            raise _refusal(int(actions[j, replicate]), replicate, block.mask[places[j], replicate])
        return reward, {"observed": observed, "matched": matched, "clicks": reward.copy()}

    def _reward_one(self, block: SlotsBlock) -> Callable[[int, Any], Played]:
        masks, kept, events = block.mask[:, 0], block.kept[:, 0].tolist(), block.events.tolist()
        read_one = self._set.read_one

        def play(s: int, action: Any) -> Played:
            slot = read_one(action)
            if not masks.item(s, slot):
                raise _refusal(slot, 0, masks[s])
            shown, click = events[s]
            observed = kept[s] and slot == shown
            reward = float(click) if observed else 0.0
            matched = 1.0 if observed else 0.0
            return reward, {"observed": observed, "matched": matched, "clicks": reward}

        return play


def _refusal(slot: int, replicate: int, mask: np.ndarray) -> ValueError:
    there = brief(np.flatnonzero(mask).tolist())
    return ValueError(
        f"slot {slot} of replicate {replicate} has no article in this round, those with one are "
        f"{there}"
    )


@compiled
def _keep(probability, keys, t, kept):
    """Write to kept (m, n) whether each replicate keeps the events of rounds t, t + 1, .."""
    rounds, n = kept.shape
    draws = np.empty(n)
    for s in range(rounds):
        each_uniform(keys, t + s, draws)
        for i in range(n):
            kept[s, i] = draws[i] < probability


@compiled
def _reward_slots(mask, events, kept, places, played, reward, matched, observed):
    """Rewards (c, n) of the slots (c, n) played, match as 0 or 1, and whether they are observed.

    Returns -1, or j n + i for the first slot that is empty, that of replicate i in row j.
    """
    rows, n = played.shape
    for j in range(rows):
        for i in range(n):
            if mask[places[j], i, played[j, i]] == 0:
                return j * n + i
    for j in range(rows):
        s = places[j]
        for i in range(n):
            observed[j, i] = kept[s, i] and played[j, i] == events[s, 0]
            matched[j, i] = 1.0 if observed[j, i] else 0.0
            reward[j, i] = events[s, 1] if observed[j, i] else 0.0
    return -1
