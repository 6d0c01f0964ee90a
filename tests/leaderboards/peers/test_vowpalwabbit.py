"""Vowpal Wabbit's explorations, compared with ``SquareCB``."""

import copy

import gymnasium
import numpy as np
import pytest

from agents.multiclass.squarecb import SquareCB
from agents.numerics.random_choice import inverse_gap
from tools.speed import peers

pytestmark = pytest.mark.peers
NAMES = ("VWEpsilonGreedy", "VWSquareCB", "VWRegCB", "VWCover")


def test_contract(adapter, check):
    check(adapter("vowpalwabbit").VWEpsilonGreedy)


@pytest.mark.parametrize("name", NAMES[1:])
def test_contract_of_the_other_explorations(adapter, check, name):
    check(getattr(adapter("vowpalwabbit"), name), "linear")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("family", ["linear", "multiclass"])
def test_it_learns(adapter, share, name, family):
    """RegCB leaves out labels late, and has 60 % of uniform play's regret: 8 deviations below."""
    assert share(getattr(adapter("vowpalwabbit"), name)(), family) < (
        0.65 if name == "VWRegCB" else 0.5
    )


@pytest.mark.parametrize("name", NAMES)
def test_draws_heed_their_seed(adapter, heeds_its_seed, name):
    assert heeds_its_seed(getattr(adapter("vowpalwabbit"), name)(), "linear")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("VWEpsilonGreedy", {"epsilon": 0.9}),
        ("VWSquareCB", {"gamma_scale": 1000.0}),
        ("VWSquareCB", {"gamma_exponent": 0.0}),
        ("VWRegCB", {"mellowness": 0.001}),
        ("VWRegCB", {"min_cost": -5.0}),
        ("VWRegCB", {"max_cost": 5.0}),
        ("VWCover", {"policies": 2}),
    ],
)
def test_hyperparameters_are_the_explorations(adapter, decisions, name, other):
    kind = getattr(adapter("vowpalwabbit"), name)
    assert decisions(kind(**other), "linear") != decisions(kind(), "linear")


def test_its_driver_learns_every_row_of_the_cache(adapter, tmp_path):
    """What ``python -m tools.speed --peers`` measures, and that its options do something."""
    adapter("vowpalwabbit")
    rows = peers.cache_of(tmp_path / "rows", 300)
    assert (tmp_path / "rows.cache").is_file()
    plain = peers.learned_from_cache(rows, "")
    assert plain.get_weighted_examples() == 300
    weights = [
        w.get_weight_from_name("7") for w in (plain, peers.learned_from_cache(rows, " --sgd"))
    ]
    assert weights[0] != weights[1]
    # The first rows teach enough that the mean squared loss is below the outcomes' variance, 1.
    assert 0 < plain.get_sum_loss() / 300 < 0.9


def test_squarecb_draws_with_our_probabilities(adapter):
    """For given costs, one round behind: the library counts rewards from 0, and ours from 1.

    So its first round is uniform. Ours are counted over a grid of the uniform number that is drawn.
    """
    agent = adapter("vowpalwabbit").VWSquareCB(gamma_scale=7.0, gamma_exponent=0.4)
    scores, grid = np.array([0.2, 0.9, 0.55, 0.7]), 10_000
    workspace = adapter("vowpalwabbit").vowpalwabbit.Workspace(
        f"--cb_explore_adf {agent.exploration()} --noconstant --quiet "
        "--min_prediction -5 --max_prediction 5"
    )
    examples = [f"|a f{arm}:1" for arm in range(4)]
    space = workspace.hash_space("a")
    for learned in range(4):
        for arm, score in enumerate(scores):
            workspace.set_weight(workspace.hash_feature(f"f{arm}", space), 0, -score)
        theirs = np.array(workspace.predict(examples))
        gamma = 7.0 * learned**0.4 if learned else 0.0
        drawn = [inverse_gap(scores, gamma, (i + 0.5) / grid, None) for i in range(grid)]
        # Both ends of an arm's interval may lie half a step from the grid.
        np.testing.assert_allclose(theirs, np.bincount(drawn, minlength=4) / grid, atol=1.01 / grid)
        workspace.learn([f"0:0.0:0.5 {examples[0]}", *examples[1:]])


def test_our_gamma_is_theirs_a_round_later():
    """The schedule that the test above shifts: c t^rho in round t, counted from 1."""
    agent = SquareCB(gamma_scale=7.0, gamma_exponent=0.4)
    env = gymnasium.make_vec("SynSep-v0", num_envs=2, horizon=5)
    agent.reset(env.unwrapped.task, n=2)
    assert agent._t.tolist() == [0, 0]  # gamma is c (0 + 1)^rho in the first round


def test_a_copy_goes_on_as_the_model_and_leaves_it_alone(adapter):
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=1, n_arms=4, dim=3, horizon=50)
    agent = adapter("vowpalwabbit").VWSquareCB().reset(envs.unwrapped.task, n=1, seed=2)
    shown, _ = envs.reset(seed=2)
    for _ in range(40):
        arms = agent.act(shown)
        following, reward, *_ = envs.step(arms)
        agent.observe(shown, arms, reward)
        shown = following
    replica = agent.replicas[0]
    other = copy.deepcopy(replica)
    examples = replica._examples(shown[0])
    before = replica.model.workspace.predict(examples)
    assert other.model.workspace.predict(examples) == before
    other.decision = 99
    other.choose(shown[0])
    other.learn(shown[0], 0, 5.0)
    assert replica.model.workspace.predict(examples) == before
    assert other.model.workspace.predict(examples) != before


def test_the_reward_of_a_decision_is_learned_with_its_probability(adapter):
    """The same reward moves the model more if its arm was drawn with a smaller probability."""
    task = gymnasium.make("LinearBandit-v0", n_arms=2, dim=1, horizon=5).unwrapped.task
    features, moved = np.array([[1.0], [0.5]]), []
    for probability in (0.9, 0.1):
        agent = adapter("vowpalwabbit").VWEpsilonGreedy().reset(task, n=1)
        replica = agent.replicas[0]
        replica.kept.keep(0, np.array([probability, 1 - probability]))
        replica.decision = 0
        replica.learn(features, 0, 1.0)
        with pytest.raises(ValueError, match="no open decision 0"):
            replica.learn(features, 0, 1.0)
        workspace = replica.model.workspace
        index = workspace.hash_feature("0", workspace.hash_space("a"))
        moved.append(workspace.get_weight(index))
    assert moved[1] < moved[0] < 0  # costs are minus rewards


@pytest.mark.parametrize(("probability", "told"), [(0.123456, "0.123456"), (0.0, "1")])
def test_the_library_is_told_the_probability_in_full_and_1_in_place_of_0(
    adapter, probability, told
):
    module = adapter("vowpalwabbit")
    task = gymnasium.make("LinearBandit-v0", n_arms=2, dim=1, horizon=5).unwrapped.task
    replica = module.VWEpsilonGreedy().reset(task, n=1).replicas[0]
    replica.kept.keep(0, np.array([probability, 1 - probability]))
    replica.decision = 0
    replica.learn(np.array([[1.0], [0.5]]), 0, 1.0)
    plain = module.vowpalwabbit.Workspace("--cb_explore_adf --epsilon 0.05 --quiet")
    plain.learn([f"0:-1.0:{told} |a 0:1.0", "|a 0:0.5"])
    index = plain.hash_feature("0", plain.hash_space("a"))
    assert plain.get_weight(index) < 0
    assert replica.model.workspace.get_weight(index) == plain.get_weight(index)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("VWEpsilonGreedy", {"epsilon": -0.1}),
        ("VWSquareCB", {"gamma_scale": 0}),
        ("VWSquareCB", {"gamma_exponent": "1 --epsilon 1"}),
        ("VWRegCB", {"min_cost": 2.0}),
        ("VWRegCB", {"mellowness": float("nan")}),
        ("VWCover", {"policies": 0}),
    ],
)
def test_bad_hyperparameters_are_refused(adapter, name, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        getattr(adapter("vowpalwabbit"), name)(**wrong)


def by_hand(workspaces, options):
    """The library's own text format: an example for every action, and the label of the played."""

    def plain(task, rng):
        labels, probabilities = getattr(task, "n_labels", 0), {}
        options_of_all = f"--cb_explore_adf --quiet --random_seed {rng.integers(1, 2**31 - 1)} "
        model = workspaces(options_of_all + options + (" -q xa" if labels else ""))

        def text(row):
            return " ".join(f"{j}:{float(value)!r}" for j, value in enumerate(row))

        def examples(x):
            if labels:
                return [f"shared |x {text(x)}", *(f"|a {label}" for label in range(labels))]
            return [f"|a {text(row)}" for row in x]

        def choose(t, x):
            p = probabilities[t] = model.predict(examples(x))
            number, arm = rng.random() * sum(p), 0
            while number >= sum(p[: arm + 1]):
                arm += 1
            return arm

        def learn(t, x, arm, reward):
            lines = examples(x)
            place = arm + 1 if labels else arm
            lines[place] = f"0:{-reward}:{probabilities[t][arm]} {lines[place]}"
            model.learn(lines)

        return choose, learn

    return plain


@pytest.mark.parametrize("family", ["linear", "multiclass"])
@pytest.mark.parametrize(
    ("name", "settings", "options"),
    [
        ("VWEpsilonGreedy", {"epsilon": 0.4}, "--epsilon 0.4"),
        (
            "VWSquareCB",
            {"gamma_scale": 5.0, "gamma_exponent": 0.7},
            "--squarecb --gamma_scale 5 --gamma_exponent 0.7",
        ),
        (
            "VWRegCB",
            {"mellowness": 0.003, "min_cost": -1.5, "max_cost": 0.5},
            "--regcb --mellowness 0.003 --cb_min_cost -1.5 --cb_max_cost 0.5",
        ),
        ("VWCover", {"policies": 5}, "--cover 5"),
    ],
)
def test_decisions_are_those_of_the_library(adapter, plays_as, name, family, settings, options):
    module = adapter("vowpalwabbit")
    plain = by_hand(module.vowpalwabbit.Workspace, options)
    plays_as(getattr(module, name)(**settings), family, plain)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("VWEpsilonGreedy", ""),
        ("VWSquareCB", "--squarecb"),
        ("VWRegCB", "--regcb --cb_min_cost -1 --cb_max_cost 1"),
    ],
)
def test_defaults_are_the_librarys(adapter, plays_as, name, options):
    """All but the range of costs, and the number of policies, for which it has none."""
    module = adapter("vowpalwabbit")
    plays_as(getattr(module, name)(), "linear", by_hand(module.vowpalwabbit.Workspace, options))
