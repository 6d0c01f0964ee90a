"""The library's own ``learn`` is the definition: the same decisions, parameters and updates."""

import inspect
import random

import gymnasium
import numpy as np
import pytest

import agents
from agents.check import contract, late
from agents.check.small_environments import ENVIRONMENTS

stable_baselines3 = pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
torch = pytest.importorskip("torch", reason="needs torch")

NAMES = agents.LIBRARY_AGENTS
LINEAR = ("LinearBandit-v0", {"n_arms": 4, "dim": 3})
BALL = ("BallBandit-v0", {"dim": 3, "radius": 2.0})
TEXT = ("SynSep-v0", {"sparse": False})
ARMED = ("ArmedBandit-v0", {"n_arms": 3})


def same_as_learn(reference, ours, name, plays, horizon, updates, arguments, written):
    """``arguments`` are the library's, ``written`` what our agent is made with."""
    model, expected = reference(name, *plays, horizon, arguments)
    agent, played = ours(getattr(agents, name)(**written), *plays, horizon)
    assert played.dtype == expected.dtype
    np.testing.assert_array_equal(played, expected)
    library = agent.models[0].library
    parts, others = model.get_parameters(), library.get_parameters()
    assert parts.keys() == others.keys()
    same_tensors(parts, others)
    assert (library._n_updates, library.num_timesteps) == (model._n_updates, horizon)
    assert library.gamma == model.gamma == 0.0
    assert updates == model._n_updates
    # No generator is ahead of the other's.
    states = [each.action_space.np_random.bit_generator.state for each in (model, library)]
    assert states[0] == states[1]


def same_tensors(one, other):
    """Nested states of networks and optimizers, bit for bit."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            same_tensors(one[key], other[key])
    elif isinstance(one, list):
        for a, b in zip(one, other, strict=True):
            same_tensors(a, b)
    elif isinstance(one, torch.Tensor):
        assert one.dtype == other.dtype
        assert one.detach().numpy().tobytes() == other.detach().numpy().tobytes()
    else:
        assert one == other


@pytest.mark.parametrize(
    ("name", "plays", "horizon", "updates", "arguments"),
    [
        ("PPO", LINEAR, 192, 30, {"n_steps": 64}),
        ("PPO", BALL, 48, 12, {"n_steps": 16, "batch_size": 8, "n_epochs": 4, "layers": (8,)}),
        ("A2C", LINEAR, 40, 8, {"n_steps": 5}),
        ("A2C", TEXT, 12, 4, {"n_steps": 3, "learning_rate": 0.01}),
        ("A2C", BALL, 20, 4, {"n_steps": 5}),
        ("DQN", LINEAR, 120, 5, {"learning_starts": 100}),
        ("DQN", ARMED, 60, 12, {"learning_starts": 12, "exploration_fraction": 0.5}),
        ("SAC", BALL, 40, 10, {"learning_starts": 30, "batch_size": 8}),
        ("TD3", BALL, 40, 10, {"learning_starts": 30, "batch_size": 8, "noise": 0.3}),
    ],
)
def test_plain_learn_bit_for_bit(reference, ours, name, plays, horizon, updates, arguments):
    same_as_learn(reference, ours, name, plays, horizon, updates, arguments, arguments)


# What each class leaves to its defaults, which are fixed: PPO's rollouts of 64, A2C's of 5, a start
# after 100 rewards, and TD3's noise of 0.1.
DEFAULTS = {"PPO": {"n_steps": 64}, "TD3": {"noise": 0.1}}


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_the_librarys_but_for_these(name):
    agent = getattr(agents, name)()
    parameters = inspect.signature(getattr(stable_baselines3, name)).parameters
    other = {
        key: getattr(agent, key)
        for key in (*agent.passed, "learning_rate")
        if key not in parameters or getattr(agent, key) != parameters[key].default
    }
    assert other == DEFAULTS.get(name, {})


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "plays", "horizon", "updates"),
    [
        *((name, plays, 640, 100) for name in ("PPO",) for plays in (ARMED, LINEAR, TEXT, BALL)),
        *((name, plays, 500, 100) for name in ("A2C",) for plays in (ARMED, LINEAR, TEXT, BALL)),
        *((name, plays, 500, 100) for name in ("DQN",) for plays in (ARMED, LINEAR, TEXT)),
        ("SAC", BALL, 220, 120),
        ("TD3", BALL, 220, 120),
    ],
)
def test_plain_learn_bit_for_bit_with_the_defaults(
    reference, ours, name, plays, horizon, updates
):  # fmt: skip
    same_as_learn(
        reference, ours, name, plays, horizon, updates, DEFAULTS.get(name, {}), {}
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_round_ends_its_episode_so_that_no_gamma_would_matter(name, plays, small, ours):
    def discounted(agent):
        model = agent.models[0]
        for each in (model.library, model.buffer):
            each.gamma = 0.99
        return agent

    plain, played = ours(getattr(agents, name)(**small[name]), *plays[name], 44)
    other, again = ours(getattr(agents, name)(**small[name]), *plays[name], 44, discounted)
    np.testing.assert_array_equal(played, again)
    assert plain.models == other.models
    assert other.models[0].library.gamma == 0.99


@pytest.mark.parametrize("name", NAMES)
def test_three_replicates_are_three_times_one_and_leave_the_users_generators_alone(
    name, plays, small
):
    env_id, settings = plays[name]
    agent, horizon = getattr(agents, name)(**small[name]), 36
    alone, ends = [], []
    for seed in (4, 5, 6):
        env = gymnasium.make_vec(env_id, num_envs=1, horizon=horizon, **settings)
        alone.append(played_by(agent, env, [seed]))
        ends.append(agent.models[0])
    envs = gymnasium.make_vec(env_id, num_envs=3, horizon=horizon, **settings)
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    together = played_by(agent, envs, [4, 5, 6])
    torch.set_num_threads(threads)
    np.testing.assert_array_equal(together, np.concatenate(alone, axis=1))
    assert agent.models == ends
    assert [model.library._n_updates > 2 for model in agent.models] == [True] * 3
    assert agent.models[0] != agent.models[1]


def played_by(agent, env, seeds):
    """Actions of an agent, between whose calls the user draws and seeds too."""
    random.seed(seeds[0])
    torch.manual_seed(seeds[0])
    np.random.seed(seeds[0])  # noqa: NPY002
    task = env.unwrapped.task
    untouched(lambda: agent.reset(task, n=len(seeds), seed=seeds))
    observation, _ = env.reset(seed=seeds)
    played = []
    for t in range(task.horizon):
        # Of a pair of normal numbers the second is kept, in every other round.
        np.random.standard_normal(), np.random.random(), torch.rand(3)  # noqa: NPY002
        action = untouched(lambda shown=observation: agent.act(shown))
        played.append(action)
        following, reward, *_ = env.step(action)
        untouched(lambda shown=observation, a=action, r=reward: agent.observe(shown, a, r))
        observation = following
        if t == 20:
            np.random.seed(0)  # noqa: NPY002
            torch.manual_seed(0)
    return np.array(played)


def untouched(call):
    """What a call returns, which leaves global generators and torch's threads as they were."""
    before = everybodys()
    returned = call()
    assert everybodys() == before
    return returned


def everybodys():
    """The state of every global generator, and the number of threads, to be compared at once."""
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    numpys = name, keys.tobytes(), *rest
    return (
        random.getstate(),
        numpys,
        torch.get_rng_state().numpy().tobytes(),
        torch.get_num_threads(),
    )


@pytest.fixture
def fewer_draws(monkeypatch):
    """What the checker draws anew are streams and numpy's generators, and no model has any."""
    monkeypatch.setattr(late, "REDRAWS", 1)


@pytest.mark.parametrize(
    ("name", "family", "env"), [("PPO", "linear", 0), ("SAC", "strongly_convex", 1)]
)
def test_the_contract_is_kept(name, family, env, small, monkeypatch, fewer_draws):
    monkeypatch.setattr(contract, "ENVIRONMENTS", {family: [ENVIRONMENTS[family][env]]})
    agents.check_agent(getattr(agents, name)(**small[name]))


# Two seconds an environment: one agent of each way to learn, and every environment for one of them.
@pytest.mark.nightly
@pytest.mark.parametrize(("name", "first"), [("PPO", 0), ("DQN", 1), ("SAC", 0)])
def test_the_contract_is_kept_in_half_of_the_environments(
    name, first, small, monkeypatch, fewer_draws
):
    half = {family: rows[first::2] for family, rows in ENVIRONMENTS.items()}
    monkeypatch.setattr(contract, "ENVIRONMENTS", half)
    agents.check_agent(getattr(agents, name)(**small[name]))


def task(env_id, **settings):
    return gymnasium.make(env_id, **settings).unwrapped.task


@pytest.mark.parametrize(
    ("name", "env", "message"),
    [
        ("PPO", ("SynSep-v0", {"slots": 3}), "PPO cannot play this task: it plays one label per"),
        ("SAC", ("LinearBandit-v0", {}), "SAC cannot play .* it plays strongly_convex tasks"),
        ("DQN", ("BallBandit-v0", {}), "DQN cannot play this task: .*this one is strongly_convex"),
        ("PPO", ("KernelBandit-v0", {}), "this one is kernelized"),
    ],
)
def test_what_it_cannot_play_it_refuses_in_a_line(name, env, message):
    env_id, settings = env
    with pytest.raises(ValueError, match=message):
        getattr(agents, name)().reset(task(env_id, **settings))


def test_the_horizon_is_the_tasks_or_given():
    import dataclasses

    known = task("ArmedBandit-v0", horizon=321)
    unknown = dataclasses.replace(known, horizon=None)
    for name in ("PPO", "DQN"):
        agent = getattr(agents, name)()
        assert agent.facts() == ("horizon",)
        with pytest.raises(ValueError, match="it needs horizon, which this task does not have"):
            agent.reset(unknown)
        assert agent.reset(known).models[0].library._total_timesteps == 321
        given = getattr(agents, name)(horizon=55).reset(unknown)
        assert given.models[0].library._total_timesteps == 55
    assert given.models[0].buffer.buffer_size == 55


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("PPO(n_steps=1)", "n_steps must be an integer >= 2"),
        ("PPO(n_steps=10)", "batch_size must divide n_steps, 10, got 64"),
        ("PPO(batch_size=1)", "batch_size must be an integer >= 2"),
        ("PPO(n_epochs=0)", "n_epochs"),
        ("A2C(n_steps=0)", "n_steps"),
        ("A2C(learning_rate=0.0)", "learning_rate must be finite and > 0"),
        ("A2C(horizon=0)", "horizon"),
        ("DQN(learning_starts=-1)", "learning_starts must be an integer >= 0"),
        ("DQN(batch_size=0)", "batch_size"),
        ("DQN(exploration_fraction=0)", "exploration_fraction is a probability"),
        ("SAC(layers=8)", "layers must be a sequence of widths, got 8"),
        ("SAC(layers=[0])", "a width of layers must be an integer >= 1"),
        ("TD3(noise=-1)", "noise must be finite and >= 0"),
    ],
)
def test_hyperparameters_are_checked(spec, message):
    with pytest.raises(ValueError, match=message):
        agents.resolve(spec)


def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    agent = agents.PPO(n_steps=4, batch_size=4).reset(task("ArmedBandit-v0", horizon=20), seed=0)
    for _ in range(12):
        agent.observe(0, agent.act(0), 1.0)
    assert agent.models[0].library._n_updates == 30
    assert list(tmp_path.iterdir()) == []
    assert agent.state_bytes() > 10_000
    assert agent.state_bytes() > sum(model.nbytes() for model in agent.models)
