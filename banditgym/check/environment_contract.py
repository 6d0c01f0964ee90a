"""check_env: checks of environments beyond those of Gymnasium's checker."""

import contextlib
import copy
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import SyncVectorEnv, VectorEnv

from banditgym.check.actions import check_illegal, check_samples
from banditgym.check.expectations import expect, expect_error
from banditgym.check.feedback import check_feedback
from banditgym.check.masks import check_masks
from banditgym.check.regret import check_regret
from banditgym.check.runs import (
    SEEDS,
    arrays_of,
    bits_of,
    comes_and_goes,
    expect_same,
    is_adaptive,
    legal_actions,
    returned,
    rows_of,
    simulate,
)
from banditgym.rounds.kinds import NOTHING
from banditgym.validation import brief

# Environments may alternate between two buffers, so episodes of even and of odd length are tried.
_HORIZONS = (6, 7)
_HIDDEN = ("theta", "means")


def check_env(env_id: str, **settings: Any) -> None:
    """Try an environment on short episodes, batched and single.

    It checks that

    - a replicate does not depend on the number or order of the others, and depends on its seed;
    - ``make_vec`` equals ``SyncVectorEnv`` over single environments bit for bit, across ends of
      episodes, infos and masks included;
    - an illegal action raises ValueError in one line and changes nothing, except on the step that
      only resets, where it is ignored;
    - what ``reset`` and ``step`` return is the caller's own: it never changes later, and writing to
      its arrays changes nothing else;
    - neither observations nor noise depend on actions; with ``task.adaptive`` outcomes may depend
      on them, but not on those of other replicates and episodes;
    - each episode has new random numbers, as each replicate has, whether an explicit or an
      automatic reset begins it;
    - a deep copy of the environment continues like the original;
    - episodes are truncated at the horizon, for which ``max_episode_steps`` is another name, and
      never terminate;
    - samples of the action space are legal;
    - the task hides the parameters;
    - regret is against the task's comparator, and feedback is what the task reveals;
    - where arms come and go those that are not there are refused, and empty slots show nothing;
    - no global random generator is used.

    Gymnasium's own checker tests the rest: run ``gymnasium.utils.env_checker.check_env`` too. It is
    the only one for a plain ``gymnasium.Env``, which this one refuses.

    Parameters
    ----------
    env_id : str
        Id of a registered environment, ``"module:id"`` to import the module first.
    **settings
        Its settings, as ``gymnasium.make`` takes them, without ``horizon``: the check sets it.

    Raises
    ------
    AssertionError
        The message names the broken rule and the environment.
    ValueError
        If the environment has no vector environment of its own, the arms that are available are
        drawn, or rewards are to be late or missing.

    Examples
    --------
    >>> from banditgym.check import check_env
    >>> check_env("ArmedBandit-v0", means=[0.2, 0.6])
    """
    if {"horizon", "max_episode_steps"} & settings.keys():
        raise ValueError("check_env sets the horizon itself; leave it out")
    if late := {"delay", "missing", "window", "update_every"} & settings.keys():
        raise ValueError(
            f"check_env reads rewards at once: leave out {', '.join(sorted(late))}, "
            "which wrap every environment alike"
        )
    if isinstance(settings.get("available"), dict):
        raise ValueError("check_env plays arms that are legal for all seeds: give a schedule")
    where = ", ".join([env_id, *(f"{name}={brief(value, 40)}" for name, value in settings.items())])
    # Imports of the first environment may draw, which is not the environment's fault.
    with contextlib.suppress(Exception):  # a check says what is wrong with it
        gymnasium.make_vec(env_id, num_envs=1, horizon=_HORIZONS[0], **settings).close()
    spec = gymnasium.registry.get(env_id.rpartition(":")[2])
    if spec is not None and spec.vector_entry_point is None:
        raise ValueError(
            f"{env_id} is a plain gymnasium.Env, which this check_env does not check: it checks "
            "environments that derive from banditgym.vector_env.BanditVectorEnv; use "
            "gymnasium.utils.env_checker.check_env"
        )
    before = _global_states()
    for horizon in _HORIZONS:
        make = partial(gymnasium.make_vec, env_id, horizon=horizon, **settings)
        # Without Gymnasium's passive checker, which warns of what its own check_env warns of.
        single = partial(
            gymnasium.make, env_id, disable_env_checker=True, horizon=horizon, **settings
        )
        for check in _CHECKS:
            try:
                check(make, single, horizon)
            except AssertionError as error:
                raise AssertionError(f"{where}: {error}") from error
            except Exception as error:
                what = check.__name__.strip("_").replace("_", " ")
                raise AssertionError(f"{where}: {what}: {type(error).__name__}: {error}") from error
    expect(_global_states() == before, f"{where}: it draws from a global random generator")


def _check_task(make: partial, single: partial, horizon: int) -> None:
    for env in (make(num_envs=2), single()):
        task: Any = getattr(env.unwrapped, "task", None)
        parameters = getattr(type(task), "__dataclass_params__", None)
        frozen = parameters is not None and parameters.frozen
        expect(frozen, "env.unwrapped.task must be a frozen dataclass")
        expect(isinstance(task.family, str), "task.family must be a str")
        expect(task.horizon == horizon, f"task.horizon is {task.horizon}, not {horizon}")
        for name, value in vars(task).items():
            expect(name not in _HIDDEN, f"task.{name} shows agents what is hidden")
            if isinstance(value, np.ndarray):
                expect(not value.flags.writeable, f"task.{name} can be written to by agents")
        expect_error(ResetNeeded, lambda env=env: env.unwrapped.step(0), "a step before reset()")


def _check_replicates(make: partial, single: partial, horizon: int) -> None:
    envs = make(num_envs=100)
    actions = legal_actions(envs, horizon + 3)
    all_hundred = simulate(envs, SEEDS, actions)
    expect_same(all_hundred, simulate(envs, 40, actions), "reset(seed=s) is not seeds s, s+1, ..")
    # An adversary without observations, or rows in the data's order, may not depend on the seed.
    task = envs.unwrapped.task
    determined = is_adaptive(task) and task.observes is NOTHING
    determined = determined or getattr(envs.unwrapped, "determined", False)
    if not determined and not {"theta", "means", "arms"} & make.keywords.keys():
        # Where only a few of many arms are available, so few rounds may not tell seeds apart.
        tries = 40 if comes_and_goes(task) else 1
        expect(
            any(_seeds_differ(envs, legal_actions(envs, horizon + 3, j)) for j in range(tries)),
            "seeds make no difference",
        )
    numpys = np.array(SEEDS, np.uint32)
    expect_same(
        all_hundred,
        simulate(envs, numpys, actions),
        "numpy's integers as seeds change the environment",
    )
    for order in ([57, 3, 99, 0, 12, 13, 71], [99]):
        few = simulate(make(num_envs=len(order)), [SEEDS[i] for i in order], actions[:, order])
        expect_same(
            [rows_of(step, order) for step in all_hundred],
            few,
            f"a replicate is another one among {len(order)} than among 100",
        )
    huge = [2**100 + 1, 2**100]
    expect_same(
        simulate(make(num_envs=2), 2**100, actions[:, :2]),
        [rows_of(step, [1, 0]) for step in simulate(make(num_envs=2), huge, actions[:, [1, 0]])],
        "seeds s and s + 1 differ from those of reset(seed=s) where they are large",
    )


def _seeds_differ(envs: Any, actions: np.ndarray) -> bool:
    """Whether what replicate 0 brings differs from what some other does, played alike."""
    alike = simulate(envs, SEEDS, np.repeat(actions[:, :1], 100, axis=1))
    one, others = ([rows_of(step, i) for step in alike] for i in ([0] * 99, range(1, 100)))
    return bits_of(one) != bits_of(others)


def _check_against_sync(make: partial, single: partial, horizon: int) -> None:
    native, sync = make(num_envs=3), SyncVectorEnv([single] * 3)
    for attribute in ("single_observation_space", "single_action_space", "action_space"):
        same = getattr(native, attribute) == getattr(sync, attribute)
        expect(same, f"{attribute} differs from SyncVectorEnv's")
    actions = legal_actions(native, 2 * horizon + 4)
    for seed in ([5, 2**70, 0], 7, None):
        for t in range(len(actions) + 1):
            if t == 0:
                ours, theirs = native.reset(seed=seed), sync.reset(seed=seed)
            else:
                ours, theirs = native.step(actions[t - 1]), sync.step(actions[t - 1])
            ours, theirs = returned(ours), returned(theirs)
            for name in ours:
                expect(
                    data_equivalence(ours[name], theirs[name], exact=True),
                    f"{name} differs from SyncVectorEnv's, {t} steps after reset(seed={seed})",
                )
            over = t % (horizon + 1) == horizon
            said = np.all(ours["truncated"]) if over else np.any(ours.get("truncated", False))
            expect(
                bool(said) == over, f"truncated must be true at the horizon alone, not so at {t}"
            )


def _check_returned(make: partial, single: partial, horizon: int) -> None:
    for made in (partial(make, num_envs=2), single):
        calls = []
        for values, copied in _calls(made().unwrapped, horizon):
            calls.append((values, copied))
            for name, value in zip(copied, values, strict=True):
                own = all(array.flags.writeable for array in arrays_of(value))
                expect(own, f"{name} must be the caller's own, to write to")
        for values, copied in calls:
            for name, value in zip(copied, values, strict=True):
                expect(bits_of(value) == bits_of(copied[name]), f"{name} is overwritten later")
        written = []
        for values, copied in _calls(made().unwrapped, horizon):
            written.append(copied)
            for array in arrays_of(values):
                array[...] = np.logical_not(array)
        copies = [copied for _, copied in calls]
        expect_same(copies, written, "writing to what reset and step return changes what follows")


def _calls(env: Any, horizon: int) -> Iterator[tuple[tuple, dict[str, Any]]]:
    """What resets and steps return, and a copy of it."""
    batched = isinstance(env, VectorEnv)
    for stop in (horizon + 2, 1, 2):  # then an explicit reset comes, in mid-episode
        calls = [partial(env.step, action) for action in legal_actions(env, stop)]
        if not batched:
            calls.insert(horizon, env.reset)
        calls = [partial(env.reset, seed=3), *calls, env.reset]
        for call in [*calls, partial(env.step, legal_actions(env, 1)[0])]:
            values = call()
            expect(values[0] in env.observation_space, "an observation is not of its space")
            if not batched and len(values) == 5:
                types = tuple(map(type, values[1:4]))
                python = types == (float, bool, bool)
                expect(python, f"a single step returns {types}, not Python's own")
            yield values, returned(values)


def _check_independence(make: partial, single: partial, horizon: int) -> None:
    envs = make(num_envs=20)
    first, other = legal_actions(envs, 2 * horizon), legal_actions(envs, 2 * horizon, seed=1)
    adaptive = is_adaptive(envs.unwrapped.task)
    coin = np.random.default_rng(2).random(first.shape[:2]) < (0.8 if adaptive else 0.5)
    if adaptive:
        coin[:, ::4] = True
    mixed = np.where(coin.reshape(coin.shape + (1,) * (first.ndim - 2)), first, other)
    one, two = simulate(envs, SEEDS[:20], first), simulate(envs, SEEDS[:20], mixed)
    for step in [*one, *two]:
        for name in ("simple_regret", "_simple_regret"):  # what is best so far depends on plays
            step["info"].pop(name, None)
    shown, shown_otherwise = ([step["observation"] for step in run] for run in (one, two))
    expect_same(shown, shown_otherwise, "observations depend on the actions")
    alike = coin.copy()
    if adaptive:  # the outcome may depend on all of the replicate's actions in its episode
        for episode in (slice(horizon), slice(horizon + 1, None)):
            alike[episode] = np.logical_and.accumulate(coin[episode])
        alike[horizon] = True  # this step only resets
    what = (
        "the outcome of equal actions {} is another one after other actions elsewhere"
        if adaptive
        else "the outcome of one action {} depends on earlier ones"
    )
    for t in range(2 * horizon):
        rows = np.flatnonzero(alike[t])
        expect_same(
            [rows_of(one[t + 1], rows)],
            [rows_of(two[t + 1], rows)],
            what.format(f"in round {t % (horizon + 1) + 1}"),
        )


def _check_copies(make: partial, single: partial, horizon: int) -> None:
    actions = legal_actions(make(num_envs=2), horizon + 4)
    for env, played in ((make(num_envs=2), actions), (single().unwrapped, actions[:, 0])):
        env.reset(seed=0)
        for action in played[:2]:
            env.step(action)
        twin = copy.deepcopy(env)
        for action in played[2:horizon]:  # in turns, or the two could share what they show
            one, two = returned(env.step(action)), returned(twin.step(action))
            expect_same([one], [two], "a copy of the environment continues differently")


def _check_episodes(make: partial, single: partial, horizon: int) -> None:
    envs = make(num_envs=7)
    # All replicates play the same, so that they differ by random numbers alone.
    actions = np.repeat(legal_actions(envs, 2 * horizon + 1)[:, :1], 7, axis=1)
    actions[horizon + 1 :] = actions[:horizon]
    steps = simulate(envs, SEEDS[:7], actions)
    for t, step in enumerate(steps):
        expect(not np.any(step.get("terminated", False)), "episodes must not terminate")
        if t == horizon + 1:
            calm = not np.any(step["reward"]) and step["info"] == {}
            expect(calm, "the step that only resets must give reward 0 and no info")
    episodes = steps[: horizon + 1], steps[horizon + 1 :]
    for name in ("observation", "reward", "regret", "feedback"):
        one, two = ([(step | step["info"]).get(name) for step in episode] for episode in episodes)
        if name != "observation":  # a reset brings none
            one, two = one[1:], two[1:]
        if any(value is None for value in one):
            continue
        # Whatever chance brings to another replicate it must bring to another episode.
        random = any(
            bits_of(rows_of(value, [0] * 6)) != bits_of(rows_of(value, range(1, 7)))
            for value in one
        )
        expect(
            not random or bits_of(one) != bits_of(two), f"a new episode repeats the last's {name}s"
        )
    envs.reset(seed=list(SEEDS[:7]))
    envs.step(actions[0])
    again = [returned(envs.reset())["observation"]]
    again += [returned(envs.step(action)) for action in actions[:horizon]]
    following = [episodes[1][0]["observation"], *episodes[1][1:]]
    expect_same(
        following, again, "reset() in mid-episode begins another episode than the end of one"
    )


def _check_alias(make: partial, single: partial, horizon: int) -> None:
    settings = {key: value for key, value in make.keywords.items() if key != "horizon"}
    free = partial(gymnasium.make_vec, *make.args, num_envs=2, **settings)
    env: Any = free(max_episode_steps=5).unwrapped
    named = env.task.horizon
    expect(named == 5, f"max_episode_steps=5 makes the horizon {named}")
    free(horizon=5, max_episode_steps=5)
    conflict = partial(free, horizon=5, max_episode_steps=6)
    expect_error(ValueError, conflict, "horizon=5 with max_episode_steps=6")


_CHECKS = (
    _check_task,
    _check_replicates,
    _check_against_sync,
    check_illegal,
    check_masks,
    _check_returned,
    _check_independence,
    _check_copies,
    _check_episodes,
    check_regret,
    check_feedback,
    check_samples,
    _check_alias,
)


def _global_states() -> tuple[Any, ...]:
    # The array of words is the same for 624 draws, so the position in it is compared too.
    _, words, *rest = np.random.get_state()  # noqa: NPY002
    return np.asarray(words).tobytes(), rest, random.getstate()
