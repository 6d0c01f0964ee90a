"""check_env: what Gymnasium's checker does not see of a world. Run it on your own."""

import copy
import itertools
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import SyncVectorEnv

from banditgym.settings import brief
from banditgym.tasks import BEST_ARM

# Observations may take turns in two buffers, so episodes of even and of odd length are tried.
_HORIZONS = (6, 7)
_SEEDS = range(40, 140)
_HIDDEN = ("theta", "means")


def check_env(env_id: str, **settings: Any) -> None:
    """Try a world on short episodes, batched and single.

    Checked: a replicate is the same whatever the number and order of the others, and differs with
    the seed; ``make_vec`` equals ``SyncVectorEnv`` over single environments bit for bit, across
    ends of episodes, infos and masks included; an illegal action raises ValueError in one line and
    changes nothing, except on the step that only resets, where it is ignored; observations are
    read-only and stay valid until the step after next, those of single environments for good;
    neither observations nor noise depend on actions; each episode is as new as a replicate is,
    whether an explicit or an automatic reset begins it; a deep copy goes on alike; episodes are
    truncated at the horizon, for which ``max_episode_steps`` is another name, and never terminate;
    samples of the action space are legal; the task hides the parameters; regret is what the task
    says; no global random generator is touched.

    Gymnasium's own checker sees the rest: run ``gymnasium.utils.env_checker.check_env`` too.

    Parameters
    ----------
    env_id : str
        Id of a registered world, ``"module:id"`` to import the module first.
    **settings
        Its settings, as ``gymnasium.make`` takes them, without ``horizon``: the check sets it.

    Raises
    ------
    AssertionError
        With what is broken, and on which world.

    Examples
    --------
    >>> from banditgym.check import check_env
    >>> check_env("ArmedBandit-v0", means=[0.2, 0.6])
    """
    if {"horizon", "max_episode_steps"} & settings.keys():
        raise ValueError("check_env sets the horizon itself; leave it out")
    where = ", ".join([env_id, *(f"{name}={brief(value, 40)}" for name, value in settings.items())])
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
        task: Any = env.unwrapped.task
        parameters = getattr(type(task), "__dataclass_params__", None)
        frozen = parameters is not None and parameters.frozen
        expect(frozen, "env.unwrapped.task must be a frozen dataclass")
        expect(isinstance(task.family, str), "task.family must be a str")
        expect(task.horizon == horizon, f"task.horizon is {task.horizon}, not {horizon}")
        for name, value in vars(task).items():
            expect(name not in _HIDDEN, f"task.{name} tells learners what is hidden")
            if isinstance(value, np.ndarray):
                expect(not value.flags.writeable, f"task.{name} can be written to by learners")
        expect_error(ResetNeeded, lambda env=env: env.unwrapped.step(0), "a step before reset()")


def _check_replicates(make: partial, single: partial, horizon: int) -> None:
    envs = make(num_envs=100)
    actions = _actions(envs, horizon + 3)
    all_hundred = _run(envs, _SEEDS, actions)
    _same(all_hundred, _run(envs, 40, actions), "reset(seed=s) is not seeds s, s+1, ..")
    if not {"theta", "means", "arms"} & make.keywords.keys():
        alike = _run(envs, _SEEDS, np.repeat(actions[:, :1], 100, axis=1))
        one, others = ([_rows(step, i) for step in alike] for i in ([0] * 99, range(1, 100)))
        expect(_bits(one) != _bits(others), "seeds make no difference")
    numpys = np.array(_SEEDS, np.uint32)
    _same(all_hundred, _run(envs, numpys, actions), "numpy's integers as seeds change the world")
    for order in ([57, 3, 99, 0, 12, 13, 71], [99]):
        few = _run(make(num_envs=len(order)), [_SEEDS[i] for i in order], actions[:, order])
        _same(
            [_rows(step, order) for step in all_hundred],
            few,
            f"a replicate is another one among {len(order)} than among 100",
        )
    huge = [2**100 + 1, 2**100]
    _same(
        _run(make(num_envs=2), 2**100, actions[:, :2]),
        [_rows(step, [1, 0]) for step in _run(make(num_envs=2), huge, actions[:, [1, 0]])],
        "seeds s and s + 1 differ from those of reset(seed=s) where they are large",
    )


def _check_against_sync(make: partial, single: partial, horizon: int) -> None:
    native, sync = make(num_envs=3), SyncVectorEnv([single] * 3)
    for attribute in ("single_observation_space", "single_action_space", "action_space"):
        same = getattr(native, attribute) == getattr(sync, attribute)
        expect(same, f"{attribute} differs from SyncVectorEnv's")
    actions = _actions(native, 2 * horizon + 4)
    for seed in ([5, 2**70, 0], 7, None):
        for t in range(len(actions) + 1):
            if t == 0:
                ours, theirs = native.reset(seed=seed), sync.reset(seed=seed)
            else:
                ours, theirs = native.step(actions[t - 1]), sync.step(actions[t - 1])
            ours, theirs = _returned(ours), _returned(theirs)
            for name in ours:
                expect(
                    data_equivalence(ours[name], theirs[name], exact=True),
                    f"{name} differs from SyncVectorEnv's, {t} steps after reset(seed={seed})",
                )


def _check_illegal(make: partial, single: partial, horizon: int) -> None:
    envs = make(num_envs=3)
    actions = _actions(envs, 2 * horizon + 3)
    undisturbed = _run(envs, _SEEDS[:3], actions)
    illegal = dict(_illegal(envs.single_action_space, actions[0]))
    for what, bad in illegal.items():
        disturbed = [_returned(envs.reset(seed=list(_SEEDS[:3])))]
        for t, action in enumerate(actions):
            if t % (horizon + 1) == horizon:  # this step only resets
                disturbed.append(_returned(envs.step(bad)))
                continue
            expect_error(ValueError, partial(envs.step, bad), what)
            disturbed.append(_returned(envs.step(action)))
        _same(undisturbed, disturbed, f"{what} changes what follows")
        env = single().unwrapped
        env.reset(seed=0)
        if len(bad) == 3:
            expect_error(ValueError, partial(env.step, bad[2]), f"{what}, in a single environment,")


def _check_observations(make: partial, single: partial, horizon: int) -> None:
    envs = make(num_envs=2)
    for stop in (horizon + 2, 1, 2):  # then an explicit reset comes, in mid-episode
        calls = [partial(envs.reset, seed=3)]
        calls += [partial(envs.step, action) for action in _actions(envs, stop)]
        calls += [envs.reset, partial(envs.step, _actions(envs, 1)[0])]
        held: Any = None
        for call in calls:
            observation = call()[0]
            expect(observation in envs.observation_space, "an observation is not of its space")
            if held is not None:
                expect(
                    _bits(held[0]) == held[1],
                    "an observation is overwritten before the step after next",
                )
            held = (observation, _bits(observation))
            for array in _arrays(observation):
                expect(not array.flags.writeable, "observations must be read-only")
    env, shown = single().unwrapped, []
    for action in _actions(env, 2 * horizon):
        if len(shown) % (horizon + 1) == 0:
            shown.append(env.reset()[0])
        observation, reward, terminated, truncated, _ = env.step(action)
        types = (type(reward), type(terminated), type(truncated))
        expect(types == (float, bool, bool), f"a single step returns {types}, not Python's own")
        shown.append(observation)
        if len(shown) == 2:
            first = _bits(shown[0])
    arrays = [[a for a in _arrays(observation) if a.ndim] for observation in shown]
    expect(_bits(shown[0]) == first, "observations of a single environment must stay valid")
    for past, present in itertools.pairwise(arrays):
        shared = any(np.shares_memory(a, b) for a in past for b in present)
        expect(not shared, "observations of a single environment must not share memory")


def _check_independence(make: partial, single: partial, horizon: int) -> None:
    envs = make(num_envs=20)
    first, other = _actions(envs, 2 * horizon), _actions(envs, 2 * horizon, seed=1)
    coin = np.random.default_rng(2).random(first.shape[:2]) < 0.5
    mixed = np.where(coin.reshape(coin.shape + (1,) * (first.ndim - 2)), first, other)
    one, two = _run(envs, _SEEDS[:20], first), _run(envs, _SEEDS[:20], mixed)
    shown, shown_otherwise = ([step["observation"] for step in run] for run in (one, two))
    _same(shown, shown_otherwise, "observations depend on the actions")
    for t in range(2 * horizon):
        alike = np.flatnonzero(coin[t])
        _same(
            [_rows(one[t + 1], alike)],
            [_rows(two[t + 1], alike)],
            f"the outcome of one action in round {t % (horizon + 1) + 1} depends on earlier ones",
        )


def _check_copies(make: partial, single: partial, horizon: int) -> None:
    actions = _actions(make(num_envs=2), horizon + 4)
    for env, played in ((make(num_envs=2), actions), (single().unwrapped, actions[:, 0])):
        env.reset(seed=0)
        for action in played[:2]:
            env.step(action)
        twin = copy.deepcopy(env)
        for action in played[2:horizon]:  # in turns, or the two could share what they show
            one, two = _returned(env.step(action)), _returned(twin.step(action))
            _same([one], [two], "a copy of the environment goes on otherwise")


def _check_episodes(make: partial, single: partial, horizon: int) -> None:
    envs = make(num_envs=7)
    # All replicates play the same, so that they differ by luck alone.
    actions = np.repeat(_actions(envs, 2 * horizon + 1)[:, :1], 7, axis=1)
    actions[horizon + 1 :] = actions[:horizon]
    steps = _run(envs, _SEEDS[:7], actions)
    for t, step in enumerate(steps):
        over = t % (horizon + 1) == horizon
        expect(not np.any(step.get("terminated", False)), "episodes must not terminate")
        said = np.all(step["truncated"]) if over else np.any(step.get("truncated", False))
        expect(bool(said) == over, f"truncated must be true at the horizon alone, not so at {t}")
        if t == horizon + 1:
            calm = not np.any(step["reward"]) and step["info"] == {}
            expect(calm, "the step that only resets must pay 0 and tell nothing")
    episodes = steps[: horizon + 1], steps[horizon + 1 :]
    for name in ("observation", "reward", "regret"):
        one, two = (
            [(step["info"] if name == "regret" else step).get(name) for step in episode]
            for episode in episodes
        )
        if name != "observation":  # a reset brings none
            one, two = one[1:], two[1:]
        if any(value is None for value in one):
            continue
        # Whatever chance brings to another replicate it must bring to another episode.
        luck = any(
            _bits(_rows(value, [0] * 6)) != _bits(_rows(value, range(1, 7))) for value in one
        )
        expect(not luck or _bits(one) != _bits(two), f"a new episode repeats the last's {name}s")
    envs.reset(seed=list(_SEEDS[:7]))
    envs.step(actions[0])
    again = [_returned(envs.reset())["observation"]]
    again += [_returned(envs.step(action)) for action in actions[:horizon]]
    following = [episodes[1][0]["observation"], *episodes[1][1:]]
    _same(following, again, "reset() in mid-episode begins another episode than the end of one")


def _check_regret(make: partial, single: partial, horizon: int) -> None:
    envs = make(num_envs=2)
    task = envs.unwrapped.task
    info = _run(envs, 0, _actions(envs, 1))[1]["info"]
    expect(
        (task.regret is not None) == ("regret" in info),
        f"task.regret is {task.regret!r}, but the infos are {sorted(info)}",
    )
    if task.regret != BEST_ARM:
        return
    # One seed for all: replicates are one world, in which each arm is played by one of them.
    envs = make(num_envs=task.n_arms)
    steps = _run(envs, [11] * task.n_arms, np.tile(np.arange(task.n_arms), (2 * horizon, 1)))
    for t, step in enumerate(steps):
        reward, regret = step.get("reward"), step["info"].get("regret")
        if regret is None:
            continue
        expect(
            regret.min() == 0.0,
            f"the least regret of the arms in round {t} is {regret.min()}, not 0: it must be "
            f"against {BEST_ARM}",
        )
        ranked = reward[np.argsort(regret, kind="stable")]
        better: Any = np.diff(np.sort(regret)) > 1e-9  # type: ignore[operator]
        expect(
            not np.any(better & (np.diff(ranked) > 1e-9)),
            f"with the luck of round {t} an arm of more regret pays more",
        )
        if task.noise_std is not None:
            luck = reward + regret
            expect(
                np.ptp(luck) <= 1e-9 * (1.0 + np.abs(luck).max()),
                f"reward + regret differs between the arms of round {t}: either the noise depends "
                "on the arm or the regret is not that of the reward",
            )


def _check_samples(make: partial, single: partial, horizon: int) -> None:
    envs, env = make(num_envs=4), single().unwrapped
    for each in (envs, env):
        each.reset(seed=0)
        each.action_space.seed(0)
        for t in range(horizon - 1):
            action = each.action_space.sample()
            expect(action in each.action_space, f"a sampled action is not of its space: {action}")
            try:
                each.step(action)
            except ValueError as error:
                raise AssertionError(
                    f"a sampled action is refused in round {t}: {error}"
                ) from error


def _check_alias(make: partial, single: partial, horizon: int) -> None:
    settings = {key: value for key, value in make.keywords.items() if key != "horizon"}
    free = partial(gymnasium.make_vec, *make.args, num_envs=2, **settings)
    world: Any = free(max_episode_steps=5).unwrapped
    named = world.task.horizon
    expect(named == 5, f"max_episode_steps=5 makes the horizon {named}")
    free(horizon=5, max_episode_steps=5)
    conflict = partial(free, horizon=5, max_episode_steps=6)
    expect_error(ValueError, conflict, "horizon=5 with max_episode_steps=6")


_CHECKS = (
    _check_task,
    _check_replicates,
    _check_against_sync,
    _check_illegal,
    _check_observations,
    _check_independence,
    _check_copies,
    _check_episodes,
    _check_regret,
    _check_samples,
    _check_alias,
)


def _actions(env: Any, rounds: int, seed: int = 0) -> np.ndarray:
    """Legal actions (rounds, n, ..) of a batched environment, or (rounds, ..) of a single one."""
    env.action_space.seed(seed)
    return np.array([env.action_space.sample() for _ in range(rounds)])


def _illegal(space: gymnasium.Space, legal: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Illegal batches of actions; the last replicate's is the illegal one."""
    if isinstance(space, gymnasium.spaces.Discrete):
        for value in (space.start - 1, space.start + space.n):
            bad = legal.copy()
            bad[-1] = value
            yield f"arm {value}", bad
        yield "an arm that is no integer", legal + 0.5
        yield "an arm that is a truth value", np.ones(legal.shape, bool)
    yield "an action that is NaN", np.full(legal.shape, np.nan)
    yield "an infinite action", np.full(legal.shape, np.inf)
    yield "a word for an action", np.full(legal.shape, "best")
    yield "None for an action", [None] * len(legal)
    yield "an action with an axis too many", legal[..., None]
    yield "one action too few", legal[:-1]
    yield "one action too many", np.concatenate([legal, legal[:1]])


def _run(envs: Any, seed: Any, actions: np.ndarray) -> list[Any]:
    if isinstance(seed, range):
        seed = list(seed)
    return [
        _returned(envs.reset(seed=seed)),
        *(_returned(envs.step(action)) for action in actions),
    ]


def _returned(values: tuple) -> dict[str, Any]:
    """A copy of what ``reset`` or ``step`` returned."""
    names = ("observation", "reward", "terminated", "truncated", "info")
    names = names if len(values) == 5 else (names[0], names[-1])
    return copy.deepcopy(dict(zip(names, values, strict=True)))


def _rows(value: Any, index: Any) -> Any:
    """Those replicates of a batch; mappings are walked."""
    if isinstance(value, dict):
        return {key: _rows(item, index) for key, item in value.items()}
    return value[np.asarray(index)]


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, dict):
        return [array for item in value.values() for array in _arrays(item)]
    if isinstance(value, list | tuple):
        return [array for item in value for array in _arrays(item)]
    return [np.asarray(value)]


def _bits(value: Any) -> bytes:
    return b"".join(array.tobytes() for array in _arrays(value))


def _global_states() -> tuple[Any, ...]:
    # The array of words stays the same for 624 draws: the position in it counts too.
    _, words, *rest = np.random.get_state()  # noqa: NPY002
    return np.asarray(words).tobytes(), rest, random.getstate()


def _same(one: list[Any], two: list[Any], message: str) -> None:
    expect(len(one) == len(two), message)
    for t, (a, b) in enumerate(zip(one, two, strict=True)):
        # Equal values of equal shapes and types, and equal bits, which tell -0 from 0.
        equal = data_equivalence(a, b, exact=True) and _bits(a) == _bits(b)
        expect(equal, f"{message}, first after {t} steps")


def expect_error(kind: type[Exception], call: Callable, what: str) -> None:
    """Raise AssertionError unless ``call`` raises ``kind``, with a message of one line."""
    try:
        call()
    except kind as error:
        expect("\n" not in str(error), f"the message on {what} is longer than a line: {error}")
        return
    except Exception as error:
        raise AssertionError(
            f"{what} must raise {kind.__name__}, but raises {type(error).__name__}: {error}"
        ) from error
    raise AssertionError(f"{what} must raise {kind.__name__}")


def expect(condition: bool, message: str) -> None:
    """Raise AssertionError with the message unless the condition holds."""
    if not condition:
        raise AssertionError(message)
