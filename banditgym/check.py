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
from banditgym.spaces import Points, Ranking
from banditgym.tasks import BEST_ARM, BEST_FIT, BEST_LABEL, BEST_POINT

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
    neither observations nor noise depend on actions, or where ``task.adaptive`` says that outcomes
    may, on those of other replicates and episodes; each episode is as new as a replicate is,
    whether an explicit or an automatic reset begins it; a deep copy goes on alike; episodes are
    truncated at the horizon, for which ``max_episode_steps`` is another name, and never terminate;
    samples of the action space are legal; the task hides the parameters; regret is what the task
    says, feedback what the protocol reveals; infos are not overwritten; no global random generator
    is touched.

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
    # An adversary without observations may have no luck at all, nor have rows in the data's order.
    told: Any = envs.unwrapped.task
    determined = _adaptive(told) and told.observes == "nothing"
    determined = determined or getattr(envs.unwrapped, "determined", False)
    if not determined and not {"theta", "means", "arms"} & make.keywords.keys():
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
    projects = make.keywords.get("project", False)
    illegal = dict(_illegal(envs.single_action_space, actions[0], projects))
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
        told = []
        for call in calls:
            observation, *_, info = call()
            told.append((info, _bits(info)))
            expect(observation in envs.observation_space, "an observation is not of its space")
            if held is not None:
                expect(
                    _bits(held[0]) == held[1],
                    "an observation is overwritten before the step after next",
                )
            held = (observation, _bits(observation))
            for array in _arrays(observation):
                expect(not array.flags.writeable, "observations must be read-only")
        for info, bits in told:
            expect(_bits(info) == bits, "infos must not be overwritten later")
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
    adaptive = _adaptive(envs.unwrapped.task)
    coin = np.random.default_rng(2).random(first.shape[:2]) < (0.8 if adaptive else 0.5)
    if adaptive:
        coin[:, ::4] = True
    mixed = np.where(coin.reshape(coin.shape + (1,) * (first.ndim - 2)), first, other)
    one, two = _run(envs, _SEEDS[:20], first), _run(envs, _SEEDS[:20], mixed)
    shown, shown_otherwise = ([step["observation"] for step in run] for run in (one, two))
    _same(shown, shown_otherwise, "observations depend on the actions")
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
        _same(
            [_rows(one[t + 1], rows)],
            [_rows(two[t + 1], rows)],
            what.format(f"in round {t % (horizon + 1) + 1}"),
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
    for name in ("observation", "reward", "regret", "feedback"):
        one, two = ([(step | step["info"]).get(name) for step in episode] for episode in episodes)
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
    if task.regret == BEST_ARM:
        _check_best_arm(make, horizon)
    elif task.regret is not None and not _adaptive(task):
        _check_common_comparator(make, horizon)
    if task.regret == BEST_POINT:
        _check_best_point(make, horizon)
    if task.regret == BEST_LABEL:
        _check_best_label(make, horizon)
    if task.regret == BEST_FIT:
        _check_best_fit(make, horizon, "regret")
    if "regret_batch" in info:
        _check_best_fit(make, horizon, "regret_batch")


def _check_best_arm(make: partial, horizon: int) -> None:
    task: Any = make(num_envs=1).unwrapped.task
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


def _check_best_label(make: partial, horizon: int) -> None:
    envs = make(num_envs=20)
    task: Any = envs.unwrapped.task
    actions = _actions(envs, horizon)
    for t, step in enumerate(_run(envs, _SEEDS[:20], actions)[1:]):
        label = np.asarray(step["info"].get("label"))
        expect(
            label.dtype.kind == "i" and label.shape == (20,),
            "info['label'] must be the true labels (n,)",
        )
        expect(
            bool(((label >= 0) & (label < task.n_labels)).all()),
            f"labels must be in 0..{task.n_labels - 1}, got {label}",
        )
        right = (actions[t].reshape(20, -1) == label[:, None]).any(axis=1)
        expect(
            np.array_equal(step["reward"], right)
            and np.array_equal(step["info"]["regret"], ~right),
            f"round {t + 1} must pay 1 where the true label was played, else 0, at a regret of 1 "
            "minus that",
        )


def _check_common_comparator(make: partial, horizon: int) -> None:
    # One seed for all: what the comparator pays in a round is the same for each of them.
    steps = _run(make(num_envs=20), [11] * 20, _actions(make(num_envs=20), horizon))
    for t, step in enumerate(steps[1:], start=1):
        for name in {"regret", "regret_batch"} & step["info"].keys():
            theirs = step["reward"] + step["info"][name]
            expect(
                np.ptp(theirs) <= 1e-9 * (1.0 + np.abs(step["reward"]).max()),
                f"reward + {name} of round {t} depends on the action: it must be what the "
                "comparator is paid",
            )


def _check_best_fit(make: partial, horizon: int, name: str) -> None:
    envs = make(num_envs=5)
    actions = _actions(envs, horizon)
    *steps, last = _run(envs, 0, actions)
    rows = np.array([step["observation"] for step in steps])  # (horizon, 5, d)
    steps = [*steps[1:], last]
    outcome = np.array([step["info"]["feedback"] for step in steps])
    paid = np.cumsum([step["reward"] for step in steps], axis=0)
    regret = np.cumsum([step["info"][name] for step in steps], axis=0)
    for t, i in itertools.product(range(horizon), range(5)):
        x, y = rows[: t + 1, i], outcome[: t + 1, i]
        residual = y - x @ np.linalg.lstsq(x, y)[0]
        expected = -paid[t, i] - residual @ residual
        expect(
            abs(regret[t, i] - expected) <= 1e-8 * (1.0 - paid[t, i] + y @ y),
            f"{name} after round {t + 1} is {regret[t, i]}, not {expected}: it must be against "
            f"{BEST_FIT}",
        )


def _check_best_point(make: partial, horizon: int) -> None:
    # One seed for all. Two thirds stay at a point, half of them on the boundary.
    envs = make(num_envs=60)
    task: Any = envs.unwrapped.task
    actions = _actions(envs, horizon)
    actions[:, 20:] = actions[0, 20:]
    actions[:, 20:40] = task.action_set.argmax(actions[0, 20:40])
    steps = _run(envs, [11] * 60, actions)[1:]
    paid = np.cumsum([step["reward"] for step in steps], axis=0)  # (horizon, 60)
    regret = np.cumsum([step["info"]["regret"] for step in steps], axis=0)
    slack = 1e-9 * (1.0 + np.abs(paid).max())
    better = regret[:, 20:].min(axis=1)
    if not _adaptive(task):  # the losses are the same for all
        better = np.minimum(better, (paid + regret).min(axis=1) - paid[:, 20:].max(axis=1))
    expect(
        bool(better.min() >= -slack),
        f"a fixed point does better than the comparator by {-better.min()}: it must be "
        f"{BEST_POINT}",
    )
    # What is revealed bounds the losses from below, and so the regret from above.
    points = np.array([task.action_set.project(action) for action in actions])
    told = [step["info"]["feedback"] for step in steps]
    gradient = np.array([each["gradient"] for each in told])
    curvature = np.array([each["curvature"] for each in told])[..., None]
    total = np.cumsum(curvature, axis=0)
    pull = np.cumsum(curvature * points - gradient, axis=0)
    for t in range(horizon):
        free = pull[t] / np.where(total[t] > 0, total[t], 1.0)
        best = np.where(
            total[t] > 0, task.action_set.project(free), task.action_set.argmax(pull[t])
        )
        away = best - points[: t + 1]
        bound = gradient[: t + 1] * away + 0.5 * curvature[: t + 1] * away * away
        most = -bound.sum(axis=(0, 2))
        excess = float((regret[t] - most).max())
        expect(
            excess <= slack,
            f"the regret after round {t + 1} is more by {excess} than gradients and curvatures "
            f"allow: it must be against {BEST_POINT}",
        )


def _check_feedback(make: partial, single: partial, horizon: int) -> None:
    # One seed for all: replicates are one world, in which they play differently.
    envs = make(num_envs=20)
    task: Any = envs.unwrapped.task
    if task.reveals == "reward":
        return
    actions = _actions(envs, horizon)
    for t, step in enumerate(_run(envs, [11] * 20, actions)[1:]):
        told, reward = step["info"].get("feedback"), step["reward"]
        if task.reveals == "outcome":
            expect(np.shape(told) == (20,), "info['feedback'] must be the outcomes (n,)")
            paid = -((actions[t] - told) ** 2)
            expect(np.allclose(reward, paid, 1e-9, 1e-9), "the reward must be -(prediction - y)²")
            expect(
                _adaptive(task) or np.ptp(told) == 0,
                f"the outcome of round {t + 1} depends on the prediction, but task.adaptive is "
                "false",
            )
            continue
        names = {"loss", "gradient", "curvature"}
        expect(
            isinstance(told, dict) and names <= told.keys(),
            f"info['feedback'] must have {', '.join(sorted(names))}",
        )
        loss, gradient, curvature = told["loss"], told["gradient"], told["curvature"]
        expect(np.array_equal(reward, -loss), "the reward must be -loss")
        expect(bool((curvature >= 0).all()), f"curvature must be >= 0, got {curvature.min()}")
        steepest = np.sqrt((gradient * gradient).sum(axis=1)).max()
        expect(
            bool(steepest <= task.gradient_norm * (1 + 1e-9)),
            f"a gradient has norm {steepest}, above task.gradient_norm {task.gradient_norm}",
        )
        if _adaptive(task):  # then each met a loss of its own
            continue
        points = task.action_set.project(actions[t])
        away = points - points[:, None]  # [i, j] leads from i to j
        bound = loss[:, None] + (gradient[:, None] * away).sum(axis=2)
        bound += 0.5 * curvature[:, None] * (away * away).sum(axis=2)
        expect(
            bool((loss >= bound - 1e-9 * (1 + np.abs(loss).max())).all()),
            f"the loss of round {t + 1} lies below the bound that loss, gradient and curvature at "
            "another point give",
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
    _check_feedback,
    _check_samples,
    _check_alias,
)


def _actions(env: Any, rounds: int, seed: int = 0) -> np.ndarray:
    """Legal actions (rounds, n, ..) of a batched environment, or (rounds, ..) of a single one."""
    env.action_space.seed(seed)
    return np.array([env.action_space.sample() for _ in range(rounds)])


def _illegal(
    space: gymnasium.Space, legal: np.ndarray, projects: bool
) -> Iterator[tuple[str, Any]]:  # fmt: skip
    """Illegal batches of actions; the last replicate's is the illegal one."""

    def last(value: Any) -> np.ndarray:
        bad = legal.copy()
        bad[-1] = value
        return bad

    if isinstance(space, gymnasium.spaces.Discrete):
        for value in (space.start - 1, space.start + space.n):
            yield f"arm {value}", last(value)
        yield "an arm that is no integer", legal + 0.5
        yield "an arm that is a truth value", np.ones(legal.shape, bool)
    if isinstance(space, Points):
        boundary = space.action_set.argmax(legal)[-1]  # type: ignore[attr-defined]
        for factor in (1 + 1e-6, 1e200):
            yield f"a point {factor} times as far as the boundary", last(boundary * factor)
    if isinstance(space, Ranking):
        for value in (-1, space.n_labels):
            yield f"label {value}", last([*legal[-1, :-1], value])
        if space.slots > 1:
            yield "a label twice", last(legal[-1, [0, *range(space.slots - 1)]])
        yield "labels that are no integers", legal + 0.5
    if isinstance(space, gymnasium.spaces.Box) and not projects:
        for bound, outwards in ((space.low, -1.0), (space.high, 1.0)):
            if np.isfinite(bound).all():
                beyond = bound + outwards * 1e-6 * (1.0 + np.abs(bound))
                yield f"an action of {beyond}, beyond the bound {bound}", last(beyond)
    if legal.ndim > 1:
        if legal.dtype.kind == "f":
            yield "a coordinate that is NaN", last([np.nan] + [0.0] * (legal.shape[1] - 1))
        yield "a coordinate too few", legal[:, :-1]
        yield "a coordinate too many", np.concatenate([legal, legal[:, :1]], axis=1)
        yield "coordinates that are truth values", np.ones(legal.shape, bool)
    if not isinstance(space, gymnasium.spaces.Discrete):
        yield "a complex action", legal + 0j
    yield "an action that is NaN", np.full(legal.shape, np.nan)
    yield "an infinite action", np.full(legal.shape, np.inf)
    yield "a word for an action", np.full(legal.shape, "best")
    yield "None for an action", [None] * len(legal)
    yield "an action with an axis too many", legal[..., None]
    yield "one action too few", legal[:-1]
    yield "one action too many", np.concatenate([legal, legal[:1]])


def _adaptive(task: Any) -> bool:
    """Whether outcomes depend on what is played."""
    return getattr(task, "adaptive", False)


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
