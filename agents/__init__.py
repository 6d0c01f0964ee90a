"""Bandit agents behind one ``act`` / ``observe`` interface."""

import importlib
from typing import Any

from agents.agent import Agent
from agents.armed.beta_thompson import BetaThompson
from agents.armed.epsilon_n_greedy import EpsilonNGreedy
from agents.armed.klucb import KLUCB
from agents.armed.ucb1 import UCB1
from agents.armed.ucb1_tuned import UCB1Tuned
from agents.armed.ucb2 import UCB2
from agents.check import check_agent
from agents.deep.a2c import A2C
from agents.deep.dqn import DQN
from agents.deep.ppo import PPO
from agents.deep.sac import SAC
from agents.deep.td3 import TD3
from agents.general.uniform import UniformRandom
from agents.kernelized.bbkb import BBKB
from agents.kernelized.bkb import BKB
from agents.kernelized.dtcucb import DTCUCB
from agents.kernelized.gp_bandit import GPBandit
from agents.kernelized.gpts import GPTS
from agents.kernelized.gpucb import GPUCB
from agents.kernelized.kernelucb import KernelUCB
from agents.kernelized.qffts import QFFTS
from agents.kernelized.rffucb import RFFUCB
from agents.kernelized.sorucb import SoRUCB
from agents.linear.cbrap import CBRAP
from agents.linear.discounted_linucb import DiscountedLinUCB
from agents.linear.disjoint_linucb import DisjointLinUCB
from agents.linear.epsilon_greedy import EpsilonGreedy
from agents.linear.fast_linucb import FastLinUCB
from agents.linear.forward_discounted_linucb import ForwardDiscountedLinUCB
from agents.linear.forward_oful import ForwardOFUL
from agents.linear.greedy import Greedy
from agents.linear.lints import LinTS
from agents.linear.linucb import LinUCB
from agents.linear.oful import OFUL
from agents.linear.sliding_window_linucb import SlidingWindowLinUCB
from agents.linear.soful import SOFUL
from agents.losses.adaptive_descent import AdaptiveDescent
from agents.losses.curvature_descent import CurvatureDescent
from agents.losses.follow_the_regularized_leader import FollowTheRegularizedLeader
from agents.losses.online_gradient_descent import OnlineGradientDescent
from agents.multiclass.banditron import Banditron
from agents.multiclass.confidit import Confidit
from agents.multiclass.epsilon_greedy_logistic import EpsilonGreedyLogistic
from agents.multiclass.grid_halving import GridHalving
from agents.multiclass.halving import Halving
from agents.multiclass.margin_banditron import MarginBanditron
from agents.multiclass.multiplicative_banditron import MultiplicativeBanditron
from agents.multiclass.perceptron import Perceptron
from agents.multiclass.projected_halving import ProjectedHalving
from agents.multiclass.ranking_banditron import RankingBanditron
from agents.multiclass.soba import SOBA
from agents.multiclass.squarecb import SquareCB
from agents.naming import names, resolve
from agents.ownership import register
from agents.play import play
from agents.regression.discounted_ridge import DiscountedRidge
from agents.regression.forward import Forward
from agents.regression.gradient_descent_regression import GradientDescentRegression
from agents.regression.online_ridge import OnlineRidge
from agents.regression.polyak_regression import PolyakRegression
from agents.regression.predict_zero import PredictZero
from agents.regression.sag_regression import SAGRegression
from agents.regression.sliding_window_ridge import SlidingWindowRidge
from agents.regression.svrg_regression import SVRGRegression
from agents.regression.unregularized_forward import UnregularizedForward
from agents.scalar import ScalarAgent
from agents.seeding import derived_seeds
from agents.storage.loading import load
from agents.strongly_convex.ball_oful import BallOFUL
from agents.strongly_convex.ball_ts import BallTS
from agents.strongly_convex.explore_then_commit import ExploreThenCommit
from agents.strongly_convex.fast_pege import FastPEGE
from agents.strongly_convex.pege import PEGE
from agents.trace import Trace

# `python -m tools.registry` writes the imports above and the lists below.

# Every agent of the package; a leaderboard runs those that accept its task.
AGENTS = (
    "UniformRandom",
    "UCB1",
    "KLUCB",
    "BetaThompson",
    "Greedy",
    "EpsilonGreedy",
    "LinUCB",
    "DisjointLinUCB",
    "LinTS",
    "OFUL",
    "ForwardOFUL",
    "DiscountedLinUCB",
    "ForwardDiscountedLinUCB",
    "SlidingWindowLinUCB",
    "CBRAP",
    "SOFUL",
    "FastLinUCB",
    "GPUCB",
    "KernelUCB",
    "GPTS",
    "BKB",
    "BBKB",
    "SoRUCB",
    "DTCUCB",
    "RFFUCB",
    "QFFTS",
    "PredictZero",
    "OnlineRidge",
    "Forward",
    "UnregularizedForward",
    "DiscountedRidge",
    "SlidingWindowRidge",
    "GradientDescentRegression",
    "PolyakRegression",
    "SVRGRegression",
    "SAGRegression",
    "FollowTheRegularizedLeader",
    "CurvatureDescent",
    "AdaptiveDescent",
    "OnlineGradientDescent",
    "Perceptron",
    "Banditron",
    "MarginBanditron",
    "MultiplicativeBanditron",
    "RankingBanditron",
    "EpsilonGreedyLogistic",
    "SquareCB",
    "Confidit",
    "SOBA",
    "GridHalving",
    "PEGE",
    "FastPEGE",
    "BallOFUL",
    "BallTS",
    "ExploreThenCommit",
)

# Agents that play only if they are named: they need arguments, or are made of parts.
ON_REQUEST = (
    "GPBandit",
    "Halving",
    "ProjectedHalving",
    "EpsilonNGreedy",
    "UCB1Tuned",
    "UCB2",
)

# Agents that another library computes: named like the others, but run only if a command names them.
LIBRARY_AGENTS = (
    "PPO",
    "A2C",
    "DQN",
    "SAC",
    "TD3",
)

__all__ = [
    "A2C",
    "AGENTS",
    "BBKB",
    "BKB",
    "CBRAP",
    "DQN",
    "DTCUCB",
    "GPTS",
    "GPUCB",
    "KLUCB",
    "LIBRARY_AGENTS",
    "OFUL",
    "ON_REQUEST",
    "PEGE",
    "PPO",
    "QFFTS",
    "RFFUCB",
    "SAC",
    "SOBA",
    "SOFUL",
    "TD3",
    "UCB1",
    "UCB2",
    "AdaptiveDescent",
    "Agent",
    "BallOFUL",
    "BallTS",
    "Banditron",
    "BetaThompson",
    "Confidit",
    "CurvatureDescent",
    "DiscountedLinUCB",
    "DiscountedRidge",
    "DisjointLinUCB",
    "EpsilonGreedy",
    "EpsilonGreedyLogistic",
    "EpsilonNGreedy",
    "ExploreThenCommit",
    "FastLinUCB",
    "FastPEGE",
    "FollowTheRegularizedLeader",
    "Forward",
    "ForwardDiscountedLinUCB",
    "ForwardOFUL",
    "GPBandit",
    "GradientDescentRegression",
    "Greedy",
    "GridHalving",
    "Halving",
    "KernelUCB",
    "LinTS",
    "LinUCB",
    "MarginBanditron",
    "MultiplicativeBanditron",
    "OnlineGradientDescent",
    "OnlineRidge",
    "Perceptron",
    "PolyakRegression",
    "PredictZero",
    "ProjectedHalving",
    "RankingBanditron",
    "SAGRegression",
    "SVRGRegression",
    "ScalarAgent",
    "SlidingWindowLinUCB",
    "SlidingWindowRidge",
    "SoRUCB",
    "SquareCB",
    "Trace",
    "UCB1Tuned",
    "UniformRandom",
    "UnregularizedForward",
    "check_agent",
    "derived_seeds",
    "load",
    "names",
    "play",
    "resolve",
]

# Modules of parts, of the papers' bounds, and of what is kept until a late reward is observed.
_MODULES = {
    "batching": "agents.parts.batching",
    "bounds": "agents.parts.bounds",
    "confidence": "agents.parts.confidence",
    "decision_rules": "agents.parts.decision_rules",
    "estimators": "agents.parts.estimators",
    "open_decisions": "agents.open_decisions",
    "posteriors": "agents.parts.posteriors",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(_MODULES[name])


def __dir__() -> list[str]:
    return [*__all__, *_MODULES]


# Here, before third-party code can change them.
register(
    *(kind for kind in globals().values() if isinstance(kind, type) and issubclass(kind, Agent))
)
