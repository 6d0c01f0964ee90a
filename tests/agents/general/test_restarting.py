"""Restarting: what a restart resets, random numbers of its own, and changes that it follows."""

import copy
from dataclasses import dataclass
from typing import ClassVar

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.detectors import CUSUM, GLR, PageHinkley
from agents.storage.states import equal, rows_of
from banditgym.streams import AGENT, derived_seed
from banditgym.tasks import ArmedTask, KernelTask, LinearTask

from ..test_scalar import Leader

SOON = PageHinkley(threshold=3.0)
ARMED = ArmedTask(n_arms=3, horizon=500, noise_std=None, subgaussian=0.5, bernoulli=True)
KNOWN = {"noise_std": 0.1, "subgaussian": 0.1, "feature_norm": 1.0, "param_norm": 1.0}
LINEAR = LinearTask(n_arms=3, dim=2, horizon=500, **KNOWN)
FIXED = LinearTask(n_arms=5, dim=2, horizon=500, fixed_arms=True, **KNOWN)
FEW = LinearTask(n_arms=2, dim=3, horizon=500, fixed_arms=True, **KNOWN)


def shown(task, t):
    """Observations (3, ..) of round t."""
    if isinstance(task, ArmedTask):
        return np.zeros(3, int)
    rng = np.random.default_rng(0 if task.fixed_arms else t)
    x = rng.standard_normal((3, task.n_arms, task.dim))
    return x / np.linalg.norm(x, axis=2, keepdims=True)


def rewards(task, x, arms, t, changed):
    """Of arms (3,): from 40 on others where ``changed``, with a parameter of the other sign."""
    rng, sign = np.random.default_rng(1000 + t), np.where(changed & (t >= 40), -1.0, 1.0)
    if isinstance(task, ArmedTask):
        return (rng.random(3) < 0.5 + 0.45 * sign).astype(float)
    return sign * x[np.arange(3), arms, 0] + 0.1 * rng.standard_normal(3)


def play(agent, task, changed, rounds=80):
    """Actions (rounds, 3); ``changed`` are the replicates whose rewards change."""
    actions = []
    for t in range(rounds):
        x = shown(task, t)
        arms = agent.act(x)
        made = int(agent.decisions[0]) - 1
        agent.observe(x, arms, rewards(task, x, arms, t, changed), decision=made)
        actions.append(arms)
    return np.array(actions)


CASES = [
    (agents.KLUCB(), ARMED),
    (agents.BetaThompson(), ARMED),
    (agents.SlidingWindowUCB(window=20), ARMED),
    (agents.EpsilonNGreedy(c=0.2, gap=0.5), ARMED),
    *[(agents.LinUCB(), task) for task in (LINEAR, FIXED, FEW)],
    *[(agents.LinTS(), task) for task in (LINEAR, FIXED)],
    *[(kind(), LINEAR) for kind in (agents.DisjointLinUCB, agents.OFUL, agents.SOFUL)],
    (agents.SlidingWindowLinUCB(window=30), LINEAR),
    (agents.DelayedLinUCB(window=3), LINEAR),
    (agents.Greedy(), FIXED),
    (Leader(), ARMED),
]


@pytest.mark.parametrize(("inner", "task"), CASES, ids=[type(case[0]).__name__ for case in CASES])
def test_one_replicate_restarts_as_a_fresh_agent_and_the_others_stay(inner, task):
    """Replicate 1 changes; 0 and 2 are bit for bit those of a play in which nothing changes. From
    the restart on, 1 plays as a fresh agent with the derived seed that sees the same rounds."""
    only = np.array([False, True, False])
    agent, other = (agents.Restarting(inner, SOON, exploration=0.0) for _ in range(2))
    for one in (agent, other):
        one.reset(task, n=3, seed=[7, 8, 9])
    played, still = play(agent, task, only), play(other, task, only & False)
    assert agent.restarts.tolist() == [0, 1, 0]
    assert other.restarts.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(played[:, [0, 2]], still[:, [0, 2]])
    for i in (0, 2):
        assert equal(rows_of(vars(agent.inner), i), rows_of(vars(other.inner), i))
    seeds, since = [7, derived_seed(8, AGENT), 9], int(agent._since[1])
    assert agent.inner.seeds == seeds
    assert 40 < since < 70
    fresh = copy.deepcopy(inner).reset(task, n=3, seed=seeds)
    for t in range(since, 80):
        x, arms = shown(task, t), played[t].copy()
        assert fresh.act(x)[1] == arms[1]
        fresh.observe(x, arms, rewards(task, x, arms, t, only))
    x, names = shown(task, 80), vars(fresh).keys() - {"task", "seeds", "model"}
    for name in names:
        mine, its = vars(agent.inner)[name], vars(fresh)[name]
        assert equal(rows_of(mine, 1), rows_of(its, 1)), name
    if inner.estimates:
        assert agent.estimate(x, [0, 0, 0])[1] == fresh.estimate(x, [0, 0, 0])[1]


def test_each_restart_has_random_numbers_of_its_own():
    """Thompson sampling with one arm's worth of rewards repeats no stretch of its plays: of 30
    decisions, two episodes with other numbers agree in all with probability below (1/2)^25."""
    task = ArmedTask(n_arms=2, horizon=500, noise_std=None, subgaussian=0.5, bernoulli=True)
    agent = agents.Restarting(agents.BetaThompson(), SOON, exploration=0.0).reset(task, n=3)
    episodes = []
    for _ in range(3):
        episodes.append(np.array([agent.act(np.zeros(3, int)) for _ in range(30)]))
        agent._restart(np.arange(3), None, None)
    for i in range(3):
        kept = {episode[:, i].tobytes() for episode in episodes}
        assert len(kept) == 3
    assert len(set(agent.inner.seeds)) == 3
    assert agent.inner.decisions.tolist() == [0, 0, 0]


@pytest.mark.parametrize("inner", [agents.BetaThompson(), agents.KLUCB()], ids=str)
@pytest.mark.parametrize("around", [lambda agent: agent, agents.Pending], ids=["", "Pending"])
def test_without_an_alarm_it_plays_as_the_agent_itself(inner, around):
    """At once and late, within another agent too, with the same random numbers."""
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=3, horizon=100, delay=2)
    expected = agents.play(env, around(inner)).regret
    restarting = agents.Restarting(inner, GLR(delta=1e-9), exploration=0.0)
    np.testing.assert_array_equal(agents.play(env, around(restarting)).regret, expected)


def test_the_agents_own_array_of_actions_is_not_written():
    @dataclass(kw_only=True, eq=False)
    class Steady(agents.Agent):
        accepts: ClassVar = (ArmedTask,)

        def _start(self):
            self.arms = np.ones(self.n, int)

        def _choose(self, contexts):
            return self.arms

        def _learn(self, contexts, actions, outcome, observed):
            pass

    agent = agents.Restarting(Steady(), GLR(), exploration=50.0).reset(ARMED, n=3)
    assert [agent.act(shown(ARMED, 0))[0] for _ in range(5)] == [1, 0, 1, 2, 1]
    assert agent.inner.arms.tolist() == [1, 1, 1]


@pytest.mark.parametrize("exploration", [0.0, 0.4, 50.0])
def test_forced_exploration_has_the_period_of_the_number_of_restarts(exploration):
    """At decisions 1 to K of a period, the last arm too; the agent itself plays arm 2."""
    agent = agents.Restarting(agents.KLUCB(), GLR(), exploration=exploration)
    agent.reset(ARMED, n=3)
    for arm, reward in ((0, 0.0), (1, 0.0), (2, 1.0)):
        for _ in range(15):
            agent.observe(shown(ARMED, 0), [arm] * 3, [reward] * 3)
    for restarts in (0, 3):
        agent.restarts[:], agent.decisions[:] = restarts, 0
        played = [agent.act(shown(ARMED, 0))[1] for _ in range(100)]
        alpha = exploration * np.sqrt(restarts + 1)
        period = max(int(3 / alpha), 4) if alpha else 1  # 1: none is forced
        assert played == [t % period - 1 if 1 <= t % period <= 3 else 2 for t in range(100)]


def test_the_usual_share_of_forced_plays():
    agent = agents.Restarting(agents.LinUCB(), GLR()).reset(LINEAR)
    assert agent.known("exploration") == 0.01
    agent = agents.Restarting(agents.KLUCB(), GLR()).reset(ARMED)
    assert agent.known("exploration") == pytest.approx(np.sqrt(3 * np.log(500) / 500))


def test_rewards_of_decisions_before_the_restart_are_dropped():
    agent = agents.Restarting(agents.UCB1(), SOON, exploration=0.0).reset(ARMED, n=3)
    for _ in range(6):
        agent.act(shown(ARMED, 0))
    agent._restart(np.array([1]), None, None)
    for decision, learned in ((5, [1, 0, 1]), (6, [2, 1, 2])):
        agent.act(shown(ARMED, 0))
        agent.observe(shown(ARMED, 0), [0, 0, 0], [1.0, 1.0, 1.0], decision=decision)
        np.testing.assert_array_equal(agent.inner.pulls[:, 0], learned)
        np.testing.assert_array_equal(agent.watched.count[:, 0], learned)
    agent.observe(shown(ARMED, 0), [0, 0, 0], [1.0, 1.0, 1.0])  # by default of the last decision
    np.testing.assert_array_equal(agent.inner.pulls[:, 0], [3, 2, 3])


def test_rewards_of_a_log_are_learned_without_acts():
    agent = agents.Restarting(agents.UCB1(), SOON).reset(ARMED, n=3)
    agent.observe(shown(ARMED, 0), [0, 1, 2], [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(agent.inner.pulls, np.eye(3))


@pytest.mark.parametrize("inner", [agents.KLUCB(), agents.BetaThompson(), agents.LinUCB()])
def test_it_continues_after_saving_and_loading_whoever_has_restarted(inner, tmp_path):
    task, only = (LINEAR if isinstance(inner, agents.LinUCB) else ARMED), np.arange(3) < 2
    agent = agents.Restarting(inner, SOON).reset(task, n=3, seed=5)
    play(agent, task, only)
    assert agent.restarts[0] > 0
    agent.save(tmp_path / "agent.npz")
    loaded = agents.load(tmp_path / "agent.npz")
    assert equal(vars(loaded), vars(agent))
    np.testing.assert_array_equal(play(agent, task, only), play(loaded, task, only))


@pytest.mark.parametrize("change", [{"n_arms": 4}, {"horizon": 400}])
def test_an_inner_agent_of_another_task_is_not_loaded(change, tmp_path):
    agent = agents.Restarting(agents.KLUCB(), SOON).reset(ARMED, n=3)
    known = {"n_arms": 3, "horizon": 500, "noise_std": None, "subgaussian": 0.5, "bernoulli": True}
    agent.inner.reset(ArmedTask(**(known | change)), n=3)
    agent.save(tmp_path / "agent.npz")
    with pytest.raises(ValueError, match="another agent than its owner plays by, or of another"):
        agents.load(tmp_path / "agent.npz")


def test_a_restart_after_the_last_decision_is_not_loaded(tmp_path):
    agent = agents.Restarting(agents.KLUCB(), SOON).reset(ARMED, n=3)
    agent._since[1] = 1
    agent.save(tmp_path / "agent.npz")
    with pytest.raises(ValueError, match="_since has numbers that are out of range"):
        agents.load(tmp_path / "agent.npz")


@pytest.mark.parametrize(
    "spec",
    [
        "Restarting(KLUCB(), GLR(delta=0.1))",
        "Restarting(LinUCB(alpha=0.5), PageHinkley(threshold=3.0), exploration=0.1)",
        "Restarting(agent=UCB1(), detector=CUSUM(samples=20))",
    ],
)
def test_it_is_named_in_one_line(spec):
    agent = agents.resolve(spec)
    assert isinstance(agent, agents.Restarting)
    again = agents.resolve(agents.naming.label(agent))
    plain = agents.naming.hyperparameters
    assert plain(again) == plain(agent)
    assert plain(agents.resolve("Restarting(KLUCB(), GLR())"))["detector"]["kind"] == "glr"


@pytest.mark.parametrize("spec", ["KLUCB(GLR())", "Restarting(KLUCB(), GLR(), GLR())", "GLR()"])
def test_other_arguments_without_names_are_refused(spec):
    with pytest.raises(ValueError, match="written like|unknown agent"):
        agents.resolve(spec)


@pytest.mark.parametrize(
    "agent",
    [
        agents.Restarting(agents.BetaThompson(), GLR(delta=0.9, test_every=1, split_every=1)),
        agents.Restarting(agents.LinTS(), CUSUM(threshold=0.2, samples=2), exploration=0.3),
        agents.Pending(agents.Restarting(agents.UCB1(), PageHinkley(threshold=0.6))),
    ],
    ids=lambda agent: agents.naming.label(agent),
)
def test_it_keeps_the_contract(agent):
    agents.check_agent(agent)


def test_on_besson_et_al_s_problem_it_beats_the_agent_alone():
    """PB1, T = 20,000, 4 seeds. Measured: 976 alone, 376 with PageHinkley, 390 with GLR; with 20
    seeds 969, 462 and 439, and GLRklUCB 444."""
    regret = []
    for agent in (
        agents.KLUCB(),
        agents.Restarting(agents.KLUCB(), PageHinkley()),
        agents.Restarting(agents.KLUCB(), GLR()),
    ):
        env = gymnasium.make_vec("DriftingArmedBandit-v0", num_envs=4, problem="PB1")
        regret.append(agents.play(env, agent, rounds=[20000]).regret[:, -1].mean())
    alone, *restarted = regret
    assert max(restarted) < 0.7 * alone


@pytest.mark.parametrize("detector", [GLR(), PageHinkley()], ids=str)
def test_theta_that_jumps_is_followed_and_false_alarms_are_rare(detector):
    """20 seeds, two jumps. Measured: LinUCB alone 483, with GLR 35 and with PageHinkley 28. All
    restart twice, and without jumps none does."""
    settings = {"num_envs": 20, "dim": 5, "n_arms": 10, "horizon": 1500}
    restarting = agents.Restarting(agents.LinUCB(), detector)
    env = gymnasium.make_vec("DriftingLinearBandit-v0", changes=[500, 1000], **settings)
    alone = agents.play(env, agents.LinUCB(), rounds=[1500]).regret[:, -1].mean()
    regret = agents.play(env, restarting, rounds=[1500]).regret[:, -1].mean()
    assert regret < 0.2 * alone
    assert restarting.restarts.mean() >= 1.8
    env = gymnasium.make_vec("LinearBandit-v0", **settings)
    agents.play(env, restarting, rounds=[1500])
    assert restarting.restarts.sum() <= 2


def test_what_it_cannot_play_is_refused():
    for agent, task, reason in (
        (agents.Restarting(agents.UniformRandom(), GLR()), LINEAR, "UniformRandom does not estim"),
        (agents.Restarting(agents.FastLinUCB(), GLR()), LINEAR, "one replicate of FastLinUCB"),
        (agents.Restarting(agents.Pending(agents.UCB1()), GLR()), ARMED, "one replicate of Pend"),
        (agents.Restarting(agents.UCB1(), GLR()), LINEAR, "UCB1 refuses it"),
        (agents.Restarting(agents.UCB1(), GLR()), ArmedTask(n_arms=2, horizon=None, noise_std=None,
         subgaussian=0.5, bernoulli=True), "needs exploration, which this task does not have"),
        (agents.Restarting(agents.UCB1(), GLR(), exploration=0.1), ArmedTask(n_arms=2, horizon=None,
         noise_std=None, subgaussian=0.5, bernoulli=True), "GLR needs delta, because this task"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=reason):
            agent.reset(task)
    agents.Restarting(agents.UniformRandom(), GLR()).reset(ARMED)
    env = gymnasium.make("KernelBandit-v0")
    assert isinstance(env.unwrapped.task, KernelTask)
    with pytest.raises(ValueError, match="it plays armed and linear tasks"):
        agents.Restarting(agents.GPUCB(), GLR()).reset(env.unwrapped.task)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((agents.UCB1(), 3), "detector must be one of CUSUM, GLR, PageHinkley, got 3"),
        ((agents.UCB1(), agents.UCB1()), "detector must be one of"),
        (("UCB1", GLR()), "agent must be an agent, such as"),
        ((agents.UCB1(), GLR(), -0.1), "exploration.*-0.1"),
        ((agents.UCB1(), GLR(), float("nan")), "exploration.*nan"),
    ],
)
def test_bad_arguments_are_named_with_their_value(arguments, reason):
    agent, detector, *exploration = arguments
    with pytest.raises(ValueError, match=reason):
        agents.Restarting(agent, detector, **dict(zip(["exploration"], exploration, strict=False)))
