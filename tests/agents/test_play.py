"""play and Trace against a plain loop, and their rules."""

import dataclasses

import gymnasium
import numpy as np
import pytest

import agents
import banditgym
from agents.trace import default_rounds
from banditgym.envs.armed import ArmedBandit

LINEAR = {"n_arms": 4, "dim": 3, "horizon": 60}


def make(n=3, env="LinearBandit-v0", **settings):
    return gymnasium.make_vec(env, num_envs=n, **{**LINEAR, **settings})


def by_hand(env, agent, horizon, seed, agent_seed):
    """Per-round regret, reward and arms (n, T) of the plainest loop."""
    n = env.num_envs
    task = dataclasses.replace(env.unwrapped.task, horizon=horizon)
    agent.reset(task, n=n, seed=agents.derived_seeds(agent_seed, n))
    observation, _ = env.reset(seed=seed)
    rows = []
    for _ in range(horizon):
        arms = agent.act(observation)
        following, reward, _, _, info = env.step(arms)
        agent.observe(observation, arms, reward)
        rows.append((info["regret"], reward, arms))
        observation = following
    return [np.array(column).T for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("horizon", [60, 37])
def test_measures_are_the_cumulative_sums_of_a_plain_loop(horizon):
    env = make()
    rounds = [1, 2, 5, 30]
    trace = agents.play(env, agents.LinTS(), horizon=horizon, seed=8, rounds=rounds)
    regret, reward, arms = by_hand(make(), agents.LinTS(), horizon, 8, 8)
    np.testing.assert_array_equal(trace.rounds, [*rounds, horizon])
    kept = trace.rounds - 1
    np.testing.assert_array_equal(trace.regret, np.cumsum(regret, axis=1)[:, kept])
    np.testing.assert_array_equal(trace.reward, np.cumsum(reward, axis=1)[:, kept])
    assert set(trace.measures) == {"regret", "reward"}
    assert trace.measures["regret"] is trace.regret
    counts = np.array([np.bincount(row, minlength=4) for row in arms])
    np.testing.assert_array_equal(trace.pulls, counts)
    assert trace.seeds == [8, 9, 10]
    assert (trace.agent, trace.env) == ("LinTS", "LinearBandit-v0")


def test_a_single_environment_is_a_trace_of_one():
    settings = {**LINEAR, "noise_std": 0.5}
    single = gymnasium.make("LinearBandit-v0", **settings)
    one = agents.play(single, agents.LinTS(), seed=9)
    many = agents.play(make(noise_std=0.5), agents.LinTS(), seed=8)
    assert one.seeds == [9]
    np.testing.assert_array_equal(one.regret, many.regret[1:2])
    np.testing.assert_array_equal(one.reward, many.reward[1:2])
    np.testing.assert_array_equal(one.pulls, many.pulls[1:2])


def test_a_batch_of_one_is_still_a_batch():
    trace = agents.play(make(1), agents.LinTS(), seed=9)
    many = agents.play(make(), agents.LinTS(), seed=8)
    np.testing.assert_array_equal(trace.regret, many.regret[1:2])


def test_an_armed_environment_too():
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=5, n_arms=4, horizon=50)
    trace = agents.play(env, agents.UCB1(), seed=[5, 1, 2**70, 9, 0])
    regret, reward, arms = by_hand(env, agents.UCB1(), 50, [5, 1, 2**70, 9, 0], 0)
    np.testing.assert_array_equal(trace.regret[:, -1], np.cumsum(regret, axis=1)[:, -1])
    np.testing.assert_array_equal(trace.reward[:, -1], reward.sum(axis=1))
    np.testing.assert_array_equal(trace.pulls, [np.bincount(row, minlength=4) for row in arms])
    assert trace.seeds == [5, 1, 2**70, 9, 0]


def test_the_agents_seed_is_the_environments_unless_given():
    env = make(env="LinearBandit-v0")
    same = agents.play(env, agents.UniformRandom(), seed=3)
    again = agents.play(env, agents.UniformRandom(), seed=3, agent_seed=3)
    other = agents.play(env, agents.UniformRandom(), seed=3, agent_seed=4)
    np.testing.assert_array_equal(same.regret, again.regret)
    assert not np.array_equal(same.regret, other.regret)
    assert other.seeds == [3, 4, 5]
    # replicate i of agent_seed=4 is replicate i + 1 of agent_seed=3
    arms = [by_hand(env, agents.UniformRandom(), 20, 3, s)[2] for s in (3, 4)]
    np.testing.assert_array_equal(arms[0][1:], arms[1][:-1])


@pytest.mark.parametrize("bad", [-1, 1.5, "0", [0, 1], [0, 1, -2], None])
def test_a_bad_seed_is_refused(bad):
    with pytest.raises(ValueError, match="seed"):
        agents.play(make(), agents.LinUCB(), seed=bad)


def test_the_agent_knows_the_horizon_really_played():
    env = make()
    agent = agents.LinUCB()
    agents.play(env, agent, horizon=20)
    assert agent.task.horizon == 20
    assert env.unwrapped.task.horizon == 60
    agents.play(env, agent)
    assert agent.task.horizon == 60


@pytest.mark.parametrize(
    ("horizon", "message"),
    [
        (61, "61.*60"),
        (0, "horizon.*0"),
        (-5, "horizon.*-5"),
        (2.5, "horizon.*2.5"),
        (True, "horizon.*True"),
        ("9", "horizon.*9"),
    ],
)
def test_a_bad_horizon_is_refused(horizon, message):
    with pytest.raises(ValueError, match=message):
        agents.play(make(), agents.LinUCB(), horizon=horizon)


def test_numpy_integers_are_horizons_and_rounds():
    trace = agents.play(
        make(), agents.LinUCB(), horizon=np.int64(20), rounds=np.array([3, 7], np.int32)
    )
    np.testing.assert_array_equal(trace.rounds, [3, 7, 20])


def test_a_task_without_horizon_needs_one():
    env = make()
    env.unwrapped.task = dataclasses.replace(env.unwrapped.task, horizon=None)
    with pytest.raises(ValueError, match="horizon"):
        agents.play(env, agents.LinUCB())
    assert agents.play(env, agents.LinUCB(), horizon=12).rounds[-1] == 12


@pytest.mark.parametrize("rounds", [[0, 5], [61], [], [1.5], ["3"], [-1], [True]])
def test_bad_rounds_are_refused(rounds):
    with pytest.raises(ValueError, match="rounds"):
        agents.play(make(), agents.LinUCB(), rounds=rounds)


def test_rounds_are_sorted_made_unique_and_end_with_the_last():
    trace = agents.play(make(), agents.LinUCB(), rounds=[9, 2, 9])
    np.testing.assert_array_equal(trace.rounds, [2, 9, 60])
    full = agents.play(make(), agents.LinUCB(), rounds=range(1, 61))
    np.testing.assert_array_equal(full.rounds, range(1, 61))
    np.testing.assert_array_equal(trace.regret, full.regret[:, trace.rounds - 1])
    default = agents.play(make(), agents.LinUCB())
    np.testing.assert_array_equal(default.rounds, default_rounds(60))
    np.testing.assert_array_equal(default.regret, full.regret[:, default.rounds - 1])


@pytest.mark.parametrize("horizon", [1, 2, 9, 10, 11, 99, 100, 1000, 12345, 10**6])
def test_default_rounds_cut_each_interval_of_a_1_2_5_grid_in_four(horizon):
    got = default_rounds(horizon)
    assert got[-1] == horizon
    assert got[0] == 1
    assert np.all(np.diff(got) > 0)
    for e in range(8):
        for base in (1, 2, 5):
            low, high = base * 10**e, {1: 2, 2: 5, 5: 10}[base] * 10**e
            for quarter in range(4):
                t = low + (high - low) * quarter // 4
                if t < horizon:
                    assert t in got
    # 12 a decade at most, and the last
    assert len(got) <= 12 * np.ceil(np.log10(max(horizon, 10))) + 1


def test_what_refuses_to_play_or_tells_no_task_is_named():
    with pytest.raises(ValueError, match="UCB1 cannot play this task"):
        agents.play(make(), agents.UCB1())
    with pytest.raises(ValueError, match="task"):
        agents.play(gymnasium.make("CartPole-v1"), agents.UCB1())


class Odd(ArmedBandit):
    """An armed environment whose infos the test chooses, and which may end early."""

    def __init__(self, n, infos, ends=None):
        super().__init__(n, n_arms=3, horizon=30)
        self.infos, self.ends = infos, ends

    def step(self, actions):
        t = self._t
        observation, reward, terminated, truncated, _ = super().step(actions)
        return observation, reward, terminated, truncated, dict(self.infos(t))

    @property
    def _over(self):
        return super()._over or self._t == self.ends


def test_a_measure_that_the_environment_lacks_is_none():
    trace = agents.play(Odd(2, lambda t: {}), agents.UCB1())
    assert trace.regret is None
    assert set(trace.measures) == {"reward"}
    assert trace.env == ""
    assert "regret" not in trace.to_frame()
    assert "reward" in repr(trace)


def test_further_measures_are_summed_and_masks_and_secrets_are_not():
    yes = np.ones(2, bool)
    trace = agents.play(
        Odd(
            2,
            lambda t: {
                "mistakes": np.array([1.0, t]), "_mistakes": yes,
                "label": np.array([9, 9]), "_label": yes,
                "observed": yes, "_observed": yes,
            },
        ),
        agents.UCB1(),
        rounds=[3],
    )  # fmt: skip
    assert set(trace.measures) == {"reward", "mistakes"}
    np.testing.assert_array_equal(trace.measures["mistakes"], [[3, 30], [0 + 1 + 2, 29 * 15]])


@dataclasses.dataclass(kw_only=True, eq=False)
class Listener(agents.UCB1):
    """Writes down what it is handed."""

    def _start(self):
        super()._start()
        self.heard = []

    def observe(self, observation, action, reward, *, feedback=None, observed=None, decision=None):
        self.heard.append((feedback, observed))
        super().observe(observation, action, reward, observed=observed)


class Informed(Listener):
    full_information = True

    def observe(self, observation, action, reward, *, feedback=None, observed=None, decision=None):
        self.heard.append((feedback, observed))


@pytest.mark.parametrize("with_regret", [False, True])
def test_observed_reaches_the_agent(with_regret):
    """Also where the environment measures nothing else, as in replay."""
    hidden = np.array([False, True])
    infos = {"observed": hidden, "_observed": np.ones(2, bool)}
    if with_regret:
        infos |= {"regret": np.zeros(2), "_regret": np.ones(2, bool)}
    agent = Listener()
    agents.play(Odd(2, lambda t: infos), agent)
    assert all(observed.tolist() == [False, True] for _, observed in agent.heard)
    assert agent.pulls[0].sum() == 0
    assert agent.pulls[1].sum() == 30


def test_observed_and_feedback_reach_a_solo_agent():
    """The infos of a single environment have no masks."""

    class Single(gymnasium.Env):
        def __init__(self, infos):
            self.batched, self.infos = Odd(1, lambda t: {}), infos
            self.task = self.batched.task
            self.observation_space = self.batched.single_observation_space
            self.action_space = self.batched.single_action_space

        def reset(self, *, seed=None, options=None):
            self.batched.reset(seed=seed)
            return 0, {}

        def step(self, action):
            _, reward, _, over, _ = self.batched.step(np.array([action]))
            return 0, float(reward[0]), False, bool(over[0]), dict(self.infos)

    agent = Listener()
    agents.play(Single({"regret": 0.5, "observed": False}), agent)
    assert all(observed is False for _, observed in agent.heard)
    assert agent.pulls.sum() == 0
    agents.play(Single({"regret": 0.5, "feedback": 2.0}), agent)
    assert all(feedback == 2.0 for feedback, _ in agent.heard)


def test_feedback_goes_to_all_and_labels_to_those_of_full_information():
    infos = {"regret": np.zeros(2), "feedback": np.array([5, 6]), "label": np.array([7, 8])}
    infos |= {"_" + name: np.ones(2, bool) for name in infos}
    for agent, secret in ((Listener(), "feedback"), (Informed(), "label")):
        agents.play(Odd(2, lambda t: infos), agent)
        assert all((feedback == infos[secret]).all() for feedback, _ in agent.heard)


class Watch(agents.Agent):
    """Holds each observation without a copy until the reward comes."""

    def act(self, observation):
        arrays = observation.values() if isinstance(observation, dict) else [observation]
        self.held = observation, [np.array(array) for array in arrays]
        return super().act(observation)

    def observe(self, observation, action, reward, **given):
        held, copies = self.held
        assert observation is held
        arrays = observation.values() if isinstance(observation, dict) else [observation]
        for array, copied in zip(arrays, copies, strict=True):
            np.testing.assert_array_equal(array, copied)
        super().observe(observation, action, reward, **given)


class WatchingUniform(Watch, agents.UniformRandom):
    pass


class WatchingRidge(Watch, agents.OnlineRidge):
    pass


@pytest.mark.parametrize("horizon", [6, 7])
@pytest.mark.parametrize("env_id", [name for name in banditgym.ids() if name != "Reuters4-v0"])
def test_an_observation_stays_what_it_was_until_its_reward_is_learned(env_id, horizon):
    watching, plain = WatchingUniform(), agents.UniformRandom()
    if env_id == "OnlineRegression-v0":
        watching, plain = WatchingRidge(), agents.OnlineRidge()
    for fixed in ({}, {"fixed_arms": True}) if env_id == "LinearBandit-v0" else ({},):
        env = gymnasium.make_vec(env_id, num_envs=2, horizon=horizon, **fixed)
        for _ in range(2):
            one, other = (agents.play(env, agent) for agent in (watching, plain))
            np.testing.assert_array_equal(one.reward, other.reward)


class Halved(ArmedBandit):
    def step(self, actions):
        observation, reward, *rest = super().step(actions)
        return observation, 0.5 * reward, *rest


def test_a_step_that_is_replaced_is_played():
    np.testing.assert_array_equal(
        agents.play(Halved(3, horizon=60), agents.UniformRandom()).reward,
        0.5 * agents.play(ArmedBandit(3, horizon=60), agents.UniformRandom()).reward,
    )
    env = ArmedBandit(3, horizon=60)
    step, taken = env.step, []
    env.step = lambda actions: taken.append(1) or step(actions)
    agents.play(env, agents.UCB1())
    assert len(taken) == 60


def test_an_environment_that_ends_early_is_an_error():
    with pytest.raises(ValueError, match="ended its episode after 12 of 30 rounds"):
        agents.play(Odd(2, lambda t: {}, ends=12), agents.UCB1())


def test_the_frame_is_long():
    trace = agents.play(make(), agents.LinUCB(alpha=0.5), seed=[4, 2, 2**65], rounds=[10])
    frame = trace.to_frame()
    assert list(frame.columns) == ["agent", "env", "seed", "round", *trace.measures]
    assert list(frame["seed"]) == [4, 4, 2, 2, 2**65, 2**65]
    assert list(frame["round"]) == [10, 60] * 3
    assert set(frame["agent"]) == {"LinUCB(alpha=0.5)"}
    assert set(frame["env"]) == {"LinearBandit-v0"}
    np.testing.assert_array_equal(frame["regret"], trace.regret.ravel())
    np.testing.assert_array_equal(frame["reward"], trace.reward.ravel())


def test_seconds_are_of_this_play():
    import time

    before = time.process_time()
    trace = agents.play(make(), agents.LinUCB())
    spent = time.process_time() - before
    env, agent = trace.seconds
    assert env > 0
    assert agent > 0
    # parts of what the process spent; the clock ticks in steps of up to 10 ms
    assert env + agent <= spent + 0.02
