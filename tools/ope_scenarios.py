"""Estimators judged against the truth, on logs of this project's own environments.

A scenario is an environment, an agent that plays it, and a policy to be evaluated. The truth of a
log is the policy's mean reward in its rounds, which the environment's parameters give exactly; the
value that estimates are compared with is its mean over all logs of a size, because contexts are
drawn anew in each log. ``python -m tools.ope_board`` publishes the board ``ope-v1``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents.inputs.late_rewards import LateRewards
from leaderboards.ope.adaptive_weights import ADAPTIVE
from leaderboards.ope.evaluation import evaluate
from leaderboards.ope.logged_rounds import Log, policies_of_rows
from leaderboards.ope.reward_models import predicted_rewards

N_ARMS = 5
SIZES = (500, 2000)
CLIP = 10.0
BATCHES = 20  # of an adaptive log: a round's model is fitted to the batches before its own
_THETA = np.array([0.8, -0.5, 0.3, 0.0, 0.1])
_WRONG_THETA = np.array([0.5, -0.5, -0.3, 0.4, 0.1])  # what the evaluated policy goes by
_MEANS = (0.5, 0.45, 0.4, 0.35, 0.3)
_DRIFT = ((0.5, 0.45, 0.4, 0.35, 0.3), (0.3, 0.35, 0.4, 0.45, 0.5))
_JUMPS = {"means": _DRIFT * 2, "changes": [400, 900, 1500]}


class Estimate(NamedTuple):
    """What an estimator says of a log."""

    value: float
    low: float
    high: float
    conclusive: bool


Estimator = Callable[[Log, np.ndarray], Estimate]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Logs of one kind.

    Parameters
    ----------
    name, about : str
    env : str
    settings : mapping
    agent : agents.Agent
    exploration : float
        The probability with which a round is played uniformly instead of by the agent.
    target : str
        The evaluated policy: ``second``, mostly arm 1; ``rule``, mostly the best arm of a linear
        rule that is not quite right; ``uniform``.
    adaptive : bool
        Whether the agent learns. Models are then fitted to earlier rounds alone.
    model_sees_contexts : bool
        Otherwise it predicts the mean reward of each action.
    """

    name: str
    about: str
    env: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    agent: agents.Agent
    exploration: float = 0.0
    target: str = "rule"
    adaptive: bool = False
    model_sees_contexts: bool = True

    @property
    def contextual(self) -> bool:
        return "Armed" not in self.env

    def means(self, contexts: np.ndarray) -> np.ndarray:
        """The expected rewards (.., T, K) of all actions."""
        if self.contextual:
            scores = contexts @ np.asarray(self.settings["theta"])
            return 1 / (1 + np.exp(-scores)) if "Logistic" in self.env else scores
        segments = np.searchsorted(
            self.settings.get("changes", []), np.arange(contexts.shape[-2]), side="right"
        )
        return np.broadcast_to(np.atleast_2d(self.settings["means"])[segments], contexts.shape)

    def policy(self, contexts: np.ndarray) -> np.ndarray:
        """The probabilities (.., T, K) of the policy to be evaluated."""
        best: Any = np.broadcast_to(1, contexts.shape[:2])
        if self.contextual:
            best = (contexts @ _WRONG_THETA).argmax(axis=-1)
        share = 0.0 if self.target == "uniform" else 0.8
        return share * np.eye(N_ARMS)[best] + (1 - share) / N_ARMS


_LINEAR: dict[str, Any] = {"n_arms": N_ARMS, "dim": 5, "theta": _THETA, "noise_std": 0.5}
_CLICKS: dict[str, Any] = {"n_arms": N_ARMS, "dim": 5, "theta": 8 * _THETA}
_NIGHTLY = {"means": _MEANS, "update_every": 100}
SCENARIOS = (
    Scenario(
        name="uniform", about="uniform play, linear rewards", env="LinearBandit-v0",
        settings=_LINEAR, agent=agents.UniformRandom(),
    ),
    Scenario(
        name="epsilon-greedy", about="EpsilonGreedy(epsilon=0.2), linear rewards",
        env="LinearBandit-v0", settings=_LINEAR, agent=agents.EpsilonGreedy(epsilon=0.2),
        adaptive=True,
    ),
    Scenario(
        name="thompson", about="BetaThompson, which learns every 100 rounds; no contexts",
        env="ArmedBandit-v0", settings=_NIGHTLY, agent=agents.BetaThompson(), target="second",
        adaptive=True,
    ),
    Scenario(
        name="adaptive-ucb", about="UCB1, which learns every 100 rounds, and uniform play in one "
        "round of ten; no contexts", env="ArmedBandit-v0", settings=_NIGHTLY, agent=agents.UCB1(),
        exploration=0.1, target="second", adaptive=True,
    ),
    Scenario(
        name="small-overlap", about="EpsilonGreedy(epsilon=0.05) plays, and the policy is uniform",
        env="LinearBandit-v0", settings=_LINEAR, agent=agents.EpsilonGreedy(epsilon=0.05),
        target="uniform", adaptive=True,
    ),
    Scenario(
        name="misspecified", about="uniform play, clicks whose log-odds are linear, and a model "
        "that sees no features", env="LogisticBandit-v0", settings=_CLICKS,
        agent=agents.UniformRandom(), model_sees_contexts=False,
    ),
    Scenario(
        name="late", about="EpsilonGreedy(epsilon=0.2), delays of mean 200; rounds whose reward "
        "had not come when the log ended are left out", env="LinearBandit-v0",
        settings={**_LINEAR, "delay": {"kind": "geometric", "mean": 200}},
        agent=agents.EpsilonGreedy(epsilon=0.2), adaptive=True,
    ),
    Scenario(
        name="drift", about="uniform play; the order of the arms is reversed three times",
        env="DriftingArmedBandit-v0", settings=_JUMPS, agent=agents.UniformRandom(),
        target="second",
    ),
)  # fmt: skip


class Played(NamedTuple):
    """The logs of a scenario: arrays (n, T) or (n, T, K), contexts (n, T, K, d) or (n, T, K)."""

    contexts: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    propensities: np.ndarray
    arrivals: np.ndarray


def played(scenario: Scenario, seeds: Sequence[int], horizon: int) -> Played:
    """Play a scenario on seeds; without contexts they are zeros."""
    n = len(seeds)
    envs: Any = gymnasium.make_vec(
        scenario.env, num_envs=n, **{"horizon": horizon, **scenario.settings}
    )
    agent, task = scenario.agent, envs.unwrapped.task
    agent.reset(task, n=n, seed=agents.derived_seeds(list(seeds), n))
    late = None if task.feedback is None else LateRewards(task, n, False, "feedback")
    rngs = [np.random.default_rng([seed, 36]) for seed in seeds]
    uniforms = np.stack([rng.random(horizon) for rng in rngs], axis=1)
    observation, _ = envs.reset(seed=list(seeds))
    rows: list[tuple[Any, ...]] = []
    own = None
    for t in range(horizon):
        if own is None or scenario.contextual:
            own = agent.propensities(observation)
        probabilities = (1 - scenario.exploration) * own + scenario.exploration / N_ARMS
        above = uniforms[t][:, None] > probabilities.cumsum(axis=1)
        actions = np.minimum(above.sum(axis=1), N_ARMS - 1)
        agent.act(observation)  # counts the decision that the reward answers
        following, reward, _, _, info = envs.step(actions)
        shown = observation if scenario.contextual else np.zeros((n, N_ARMS))
        if late is None:
            rows.append((np.array(shown), actions, reward, probabilities, np.full(n, t)))
            agent.observe(observation, actions, reward)
            own = None
        else:
            rows.append((np.array(shown), actions, info["reward"], probabilities, info["arrival"]))
            late.learn(agent, observation, actions, info)
            own = None if len(info["arrivals"]["round"]) else own
        observation = following
    return Played(*(np.stack(one, axis=1) for one in zip(*rows, strict=True)))


def log_of(scenario: Scenario, logs: Played, one: int, size: int) -> tuple[Log, np.ndarray, float]:
    """The first rounds of one of the logs, the policy to evaluate in them, and its true value."""
    contexts = logs.contexts[one, :size]
    policy = scenario.policy(contexts[None])[0]
    truth = float((policy * scenario.means(contexts)).sum(axis=1).mean())
    # Batches of an agent that learns in batches come with the next one, at the latest.
    come = np.flatnonzero(
        (logs.arrivals[one, :size] < size) | ("update_every" in scenario.settings)
    )
    actions, rewards = logs.actions[one][come], logs.rewards[one][come]
    sees = scenario.contextual and scenario.model_sees_contexts
    shown = contexts[come] if sees else np.ones((len(come), 1))
    batches = come * BATCHES // size if scenario.adaptive else None
    from sklearn.linear_model import Ridge  # takes a second to import

    predictions = predicted_rewards(
        Ridge(), shown, actions, rewards, n_arms=N_ARMS, batches=batches,
        per_arm=not sees,
    )  # fmt: skip
    rows = logs.propensities[one][come]
    policies, of_round = None, None
    if not scenario.contextual:
        policies, of_round = policies_of_rows(rows)
    return Log(actions, rewards, rows, predictions, policies, of_round), policy[come], truth


def own_estimators(scenario: Scenario) -> dict[str, Estimator]:
    """Those of `evaluate` that a scenario's logs allow, by name."""

    def estimator(name: str, clip: float | None = None) -> Estimator:
        def estimate(log: Log, policy: np.ndarray) -> Estimate:
            found = evaluate(log, policy, estimator=name, clip=clip)
            return Estimate(found.value, found.low, found.high, found.conclusive)

        return estimate

    names = ("direct", "ips", "snips", "dr", "sndr", "minvar", "stablevar")
    fitting = [n for n in names if n not in ADAPTIVE or (scenario.adaptive and
               not scenario.contextual)]  # fmt: skip
    return {name: estimator(name) for name in fitting} | {"clipped ips": estimator("ips", CLIP)}


def rows(
    scenario: Scenario,
    seeds: Sequence[int],
    *,
    sizes: Sequence[int] = SIZES,
    others: Mapping[str, Estimator] | None = None,
) -> list[dict[str, Any]]:
    """A row for each log, size and estimator; ``others`` are estimators of the caller's own."""
    logs = played(scenario, seeds, max(sizes))
    estimators = own_estimators(scenario) | dict(others or {})
    found = []
    for one, seed in enumerate(seeds):
        for size in sizes:
            log, policy, truth = log_of(scenario, logs, one, size)
            of = {"scenario": scenario.name, "size": size, "seed": seed, "truth": truth}
            for name, estimator in estimators.items():
                estimate = estimator(log, policy)
                found.append({**of, "estimator": name, **estimate._asdict()})
    return found
