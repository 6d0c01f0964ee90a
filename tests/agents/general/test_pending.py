"""Pending: open decisions count in the bonus, and where nothing is open nothing changes."""

import copy
from dataclasses import dataclass

import gymnasium
import numpy as np
import pytest

import agents
from agents.general.pending import Pending
from agents.search import with_values
from agents.storage.saving import save
from agents.storage.states import changed
from banditgym.functions.covariances import RBF
from banditgym.tasks import ArmedTask, LinearTask
from leaderboards.run.keys.sources import of_agent

from ..test_agent_estimates import cases
from ..test_definitions import KINDS
from ..test_scalar import Leader

ARMED = ArmedTask(n_arms=4, horizon=None, noise_std=None, subgaussian=0.5, bernoulli=True)
LINEAR = LinearTask(
    n_arms=4, dim=4, horizon=None, noise_std=0.5, subgaussian=0.5, feature_norm=1.0, param_norm=1.0
)
LATE = {"delay": {"kind": "geometric", "mean": 8}, "missing": 0.1}


@dataclass(kw_only=True, eq=False)
class Drawing(Leader):
    """Draws its arms from a generator of its own."""

    def expect(self, contexts, arm):
        return self.sums[arm] / self.pulls[arm] if self.pulls[arm] else np.nan


@pytest.mark.parametrize(
    "agent",
    [
        Pending(agents.UCB1()), Pending(agents.UCB2(), value=0.2), Pending(agents.BetaThompson()),
        Pending(agents.LinUCB(), patience=3), Pending(agents.DisjointLinUCB()),
        Pending(agents.GPUCB()), Pending(Pending(agents.LinTS())), Pending(Drawing()),
        Pending(agents.BallTS()),
    ],
    ids=lambda agent: agents.naming.label(agent),
)  # fmt: skip
def test_it_keeps_the_contract(agent):
    agents.check_agent(agent)


@pytest.mark.parametrize(("kind", "agent"), [one for one in cases() if one.values[0] != "news"])
def test_it_plays_as_the_agent_itself_where_rewards_come_at_once(kind, agent):
    name, given = KINDS[kind]
    env = gymnasium.make_vec(name, num_envs=3, horizon=40, **given)
    around = Pending(agent)
    expected = agents.play(env, agent, seed=3)
    found = agents.play(env, around, seed=3)
    np.testing.assert_array_equal(found.regret, expected.regret)
    assert not changed(vars(agent), vars(around.inner))
    assert not around.open.any()


def _played(agent, env):
    """The decisions of an episode: what was shown, the arms (n,), and what arrived in the round."""
    agent.reset(env.unwrapped.task, n=env.num_envs, seed=4)
    observation, _ = env.reset(seed=4)
    rounds = []
    for _ in range(env.unwrapped.task.horizon):
        shown = copy.deepcopy(observation)
        arms = agent.act(shown)
        observation, *_, info = env.step(arms)
        come = info["arrivals"]
        rounds.append((shown, arms, copy.deepcopy(come)))
        for i, of, arm, reward in zip(
            *map(come.get, ("replicate", "round", "action", "reward")), strict=True
        ):
            then = rounds[of][0]
            answers, rewards = rounds[of][1].copy(), np.zeros(len(arms))
            answers[i], rewards[i] = arm, reward
            agent.observe(
                then, answers, rewards, observed=np.arange(len(arms)) == i, decision=int(of)
            )
    return rounds


def _histories(rounds, i):
    """For each round of replicate i: what was shown, its arm, the answered and the open decisions.

    Decisions are pairs of what was shown and the arm, and the answered ones have their reward.
    """
    answered, waiting = [], {}
    for t, (shown, arms, come) in enumerate(rounds):
        yield (
            np.array(shown[i]) if np.ndim(shown[i]) else None,
            arms[i],
            answered,
            [*waiting.values()],
        )
        waiting[t] = shown[i], arms[i]
        of_replicate = np.flatnonzero(come["replicate"] == i)
        for place in of_replicate:
            answered.append((*waiting.pop(come["round"][place]), come["reward"][place]))


def _near_best(scores, arm):
    assert scores[arm] >= scores.max() - 1e-7 * (1 + abs(scores).max()), (scores, arm)


def test_with_ucb1_it_counts_open_decisions_in_the_bonus():
    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=3, n_arms=4, horizon=300, **LATE)
    rounds = _played(Pending(agents.UCB1(noise_std=0.4)), env)
    for i in range(3):
        for _, arm, answered, waiting in _histories(rounds, i):
            pulls, sums, counts = np.zeros((3, 4))
            for _, k, reward in answered:
                pulls[k] += 1
                sums[k] += reward
            counts += pulls
            for _, k in waiting:
                counts[k] += 1
            if not pulls.all():
                continue  # the stand-in of an arm without a reward
            bonus = 0.4 * np.sqrt(2 * np.log(counts.sum()) / counts)
            _near_best(sums / pulls + bonus, arm)


def test_with_linucb_it_counts_open_decisions_in_the_bonus():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=3, n_arms=4, dim=3, horizon=200, **LATE)
    rounds = _played(Pending(agents.LinUCB(alpha=0.7, ridge=0.5)), env)
    for i in range(3):
        for x, arm, answered, waiting in _histories(rounds, i):
            known, moment = 0.5 * np.eye(3), np.zeros(3)
            for shown, k, reward in answered:
                known += np.outer(shown[k], shown[k])
                moment += reward * shown[k]
            gram = known + sum(np.outer(shown[k], shown[k]) for shown, k in waiting)
            width = np.sqrt(np.sum(x * np.linalg.solve(gram, x.T).T, axis=1))
            _near_best(x @ np.linalg.solve(known, moment) + 0.7 * width, arm)


def test_with_gpucb_it_counts_open_decisions_in_the_bonus():
    env = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=3, n_arms=9, dim=2, covariance=RBF(), horizon=60, **LATE
    )
    rounds = _played(Pending(agents.GPUCB(radius=0.9, ridge=0.3)), env)
    kernel = RBF()(env.unwrapped.task.arms, env.unwrapped.task.arms)
    for i in range(3):
        for _, arm, answered, waiting in _histories(rounds, i):
            known = [k for _, k, _ in answered]
            every = known + [k for _, k in waiting]
            among = kernel[np.ix_(known, known)] + 0.3 * np.eye(len(known))
            mean = kernel[:, known] @ np.linalg.solve(
                among, [r for *_, r in answered] or np.zeros(0)
            )
            among = kernel[np.ix_(every, every)] + 0.3 * np.eye(len(every))
            explained = np.sum(kernel[every] * np.linalg.solve(among, kernel[every]), axis=0)
            _near_best(mean + 0.9 * np.sqrt((1 - explained) / 0.3), arm)


@pytest.mark.parametrize("spec", ["UCB1()", "UCB2(alpha=0.3)", "LinTS()", "GPUCB()"])
def test_a_replicate_depends_on_no_other_and_not_on_being_saved(spec, tmp_path):
    agent = agents.resolve(f"Pending({spec}, patience=30)")
    name = {"LinTS()": "LinearBandit-v0", "GPUCB()": "KernelBandit-v0"}.get(spec, "ArmedBandit-v0")
    together = agents.play(gymnasium.make_vec(name, num_envs=3, horizon=60, **LATE), agent, seed=5)
    for i in range(3):
        alone = agents.play(gymnasium.make(name, horizon=60, **LATE), agent, seed=5 + i)
        np.testing.assert_array_equal(alone.regret[0], together.regret[i])
    task = gymnasium.make(name, horizon=60).unwrapped.task
    observation, _ = gymnasium.make_vec(name, num_envs=2, horizon=60).reset(seed=1)
    agent.reset(task, n=2, seed=9)
    played = []
    for t in range(50):
        played.append(agent.act(observation))
        if t % 3 == 0:  # every third decision is answered, five rounds later
            agent.observe(observation, played[t // 2], [1.0, 0.0], decision=t // 2)
        save(agent, tmp_path / "agent.npz")
        again = agents.load(tmp_path / "agent.npz")
        np.testing.assert_array_equal(again.act(observation), copy.deepcopy(agent).act(observation))


def test_no_arm_that_never_answers_takes_most_plays():
    armed = ("UCB1", "KLUCB", "UCB1Tuned", "UCB2", "EpsilonNGreedy", "BetaThompson")
    linear = ("LinUCB", "OFUL", "DisjointLinUCB", "ForwardOFUL", "SOFUL", "Greedy", "EpsilonGreedy")
    plays = {}
    for task, shown, names in ((ARMED, None, armed), (LINEAR, np.eye(4), (*linear, "LinTS"))):
        for name in names:
            plays[name] = _plays_of_silent_arm(agents.resolve(f"Pending({name}())"), task, shown)
    assert max(plays.values()) <= 500, plays
    ucb1 = [
        _plays_of_silent_arm(Pending(agents.UCB1(), value=value), ARMED, None) for value in (0, 1)
    ]
    assert ucb1 == [9, 972]  # as its docstring says


def _plays_of_silent_arm(agent, task, shown):
    """How often of 1,000 plays arm 0 is played, which never answers; arm k has the mean k / 5."""
    rng, plays = np.random.default_rng(0), 0
    agent.reset(task, seed=7)
    for _ in range(1000):
        arm = agent.act(shown)
        plays += arm == 0
        if arm:
            agent.observe(shown, arm, float(rng.random() < 0.2 * arm))
    return plays


def test_ucb1_learns_from_batches_of_a_thousand():
    """The largest share of 30 seeds is 0.33 of the mean of uniform play, their mean 0.245."""
    env = gymnasium.make_vec(
        "ArmedBandit-v0", num_envs=30, horizon=5000, n_arms=10, update_every=1000
    )
    regret = [
        agents.play(env, agent, seed=0, rounds=[5000]).regret.mean()
        for agent in (Pending(agents.UCB1()), agents.UniformRandom())
    ]
    assert regret[0] <= 0.35 * regret[1]


def test_patience_drops_decisions_whose_late_rewards_are_still_learned():
    agent = Pending(agents.UCB1(), patience=3).reset(ARMED)
    for t in range(20):
        agent.act(None)
        assert np.count_nonzero(agent.open.number < t + 1) == min(t + 1, 3)
    assert agent.open.number.shape[1] <= 4
    agent.observe(None, 2, 1.0, decision=0)  # dropped
    agent.observe(None, 1, 1.0, decision=19)
    agent.observe(None, 1, 0.0, decision=19)  # answered already
    assert agent.inner.pulls.tolist() == [[0, 2, 1, 0]]
    assert np.count_nonzero(agent.open.number < 20) == 2


def test_draws_of_an_agent_with_a_generator_go_on_when_rewards_come():
    around, plain = Pending(Drawing(epsilon=1.0)).reset(ARMED), Drawing(epsilon=1.0).reset(ARMED)
    for t in range(60):
        arm = plain.act(None)
        assert around.act(None) == arm
        if t % 7 == 6:
            around.observe(None, arm, 1.0, decision=t - 4)


def test_epochs_of_ucb2_go_on_when_rewards_come():
    agent = Pending(agents.UCB2(alpha=0.5), value=0.0).reset(ARMED)
    for t in range(200):
        arm = agent.act(None)
        if t % 2:
            agent.observe(None, arm, 1.0)
    assert agent.inner.epochs.max() > 3


def test_what_an_arm_without_rewards_is_expected_to_give():
    """The middle of a coin's range, or 0; then the mean of the replicate's rewards."""
    for bernoulli, at_first in ((True, 0.5), (False, 0.0)):
        task = ArmedTask(
            n_arms=4, horizon=None, noise_std=None, subgaussian=0.5, bernoulli=bernoulli
        )
        agent = Pending(agents.UCB1()).reset(task, n=2, seed=0)
        for _ in range(3):
            agent.act(np.zeros(2, int))
        assert agent._expected(None, np.array([3, 3])).tolist() == [at_first, at_first]
        for decision, reward in ((0, [1.0, 0.0]), (1, [0.0, 1.0])):
            arms, heard = np.full(2, decision), np.array([True, decision == 1])
            agent.observe(
                np.zeros(2, int), arms, np.array(reward), observed=heard,
                decision=np.full(2, decision),
            )  # fmt: skip
        assert agent._expected(None, np.array([3, 3])).tolist() == [0.5, 1.0]
        assert agent._expected(None, np.array([0, 1])).tolist() == [1.0, 1.0]


def test_features_are_expected_to_give_a_billionth_less_than_the_estimate():
    agent = Pending(agents.LinUCB()).reset(LINEAR, n=1, seed=0)
    features = np.eye(4)[None]
    agent.observe(features, agent.act(features), np.ones(1))
    for arm in range(4):
        estimate = agent.inner.estimate(features, np.array([arm]))
        np.testing.assert_allclose(
            agent._expected(features, np.array([arm])) - estimate, -1e-9, rtol=1e-6
        )


def test_an_agent_without_estimates_is_refused_in_a_line():
    for inner, task in ((agents.UniformRandom(), ARMED), (Leader(), ARMED)):
        with pytest.raises(ValueError, match="does not estimate the rewards") as refused:
            Pending(inner).reset(task)
        assert "\n" not in str(refused.value)
    with pytest.raises(ValueError, match="UCB1 refuses it, because it plays armed tasks"):
        Pending(agents.UCB1()).reset(LINEAR)
    with pytest.raises(ValueError, match="agent must be an agent, such as UCB1"):
        Pending(3)  # pyright: ignore[reportArgumentType]
    for given in ({"value": np.inf}, {"value": "0"}, {"patience": 0}, {"patience": 1.5}):
        with pytest.raises(ValueError, match="must be (finite|a number|an integer)"):
            Pending(agents.UCB1(), **given)


def test_it_nests_in_names_and_searches():
    agent = agents.resolve("Pending(UCB1(noise_std=0.2), value=0.3)")
    assert agents.naming.label(agent) == "Pending(UCB1(noise_std=0.2), value=0.3)"
    tuned = with_values(agent, {"value": 0.1, "agent.noise_std": 0.4})
    assert agents.naming.label(tuned) == "Pending(UCB1(noise_std=0.4), value=0.1)"
    assert agents.resolve("Pending(agent={'kind': 'UCB1'})").agent.hyperparameters() == {
        "scale": 1.0,
        "noise_std": None,
    }
    assert of_agent("Pending(UCB1())") != of_agent("Pending(KLUCB())")
    for wrong in ("Pending(UBC1())", "Pending(UCB1(nosie_std=1.0))"):
        with pytest.raises(ValueError, match="did you mean (UCB1|noise_std)"):
            agents.resolve(wrong)
