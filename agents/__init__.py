"""Bandit agents behind one ``act`` / ``observe`` interface.

``names.toml`` lists the agents. Each is imported when it is first used.
"""

import importlib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.agent import Agent
from agents.check import check_agent
from agents.naming import names, resolve
from agents.play import play
from agents.scalar import ScalarAgent
from agents.seeding import derived_seeds
from agents.storage.loading import load
from agents.trace import Trace

if TYPE_CHECKING:
    from agents.adversarial.exp3 import EXP3 as EXP3
    from agents.adversarial.exp3ix import EXP3IX as EXP3IX
    from agents.adversarial.tsallis_inf import TsallisINF as TsallisINF
    from agents.armed.bayes_ucb import BayesUCB as BayesUCB
    from agents.armed.beta_thompson import BetaThompson as BetaThompson
    from agents.armed.discounted_ucb import DiscountedUCB as DiscountedUCB
    from agents.armed.epsilon_n_greedy import EpsilonNGreedy as EpsilonNGreedy
    from agents.armed.gaussian_thompson import GaussianThompson as GaussianThompson
    from agents.armed.glrklucb import GLRklUCB as GLRklUCB
    from agents.armed.gradient_bandit import GradientBandit as GradientBandit
    from agents.armed.imed import IMED as IMED
    from agents.armed.klucb import KLUCB as KLUCB
    from agents.armed.klucb_plus_plus import KLUCBPlusPlus as KLUCBPlusPlus
    from agents.armed.klucb_switch import KLUCBSwitch as KLUCBSwitch
    from agents.armed.moss import MOSS as MOSS
    from agents.armed.sliding_window_ucb import SlidingWindowUCB as SlidingWindowUCB
    from agents.armed.softmax import Softmax as Softmax
    from agents.armed.ucb1 import UCB1 as UCB1
    from agents.armed.ucb1_tuned import UCB1Tuned as UCB1Tuned
    from agents.armed.ucb2 import UCB2 as UCB2
    from agents.armed.ucbv import UCBV as UCBV
    from agents.best_arm.lucb import LUCB as LUCB
    from agents.best_arm.sequential_halving import SequentialHalving as SequentialHalving
    from agents.best_arm.successive_rejects import SuccessiveRejects as SuccessiveRejects
    from agents.best_arm.top_two_thompson import TopTwoThompson as TopTwoThompson
    from agents.best_arm.track_and_stop import TrackAndStop as TrackAndStop
    from agents.best_arm.ttucb import TTUCB as TTUCB
    from agents.deep.a2c import A2C as A2C
    from agents.deep.dqn import DQN as DQN
    from agents.deep.ppo import PPO as PPO
    from agents.deep.sac import SAC as SAC
    from agents.deep.td3 import TD3 as TD3
    from agents.general.pending import Pending as Pending
    from agents.general.restarting import Restarting as Restarting
    from agents.general.uniform import UniformRandom as UniformRandom
    from agents.kernelized.bbkb import BBKB as BBKB
    from agents.kernelized.bkb import BKB as BKB
    from agents.kernelized.dtcucb import DTCUCB as DTCUCB
    from agents.kernelized.gp_bandit import GPBandit as GPBandit
    from agents.kernelized.gpts import GPTS as GPTS
    from agents.kernelized.gpucb import GPUCB as GPUCB
    from agents.kernelized.kernelucb import KernelUCB as KernelUCB
    from agents.kernelized.qffts import QFFTS as QFFTS
    from agents.kernelized.rffucb import RFFUCB as RFFUCB
    from agents.kernelized.sorucb import SoRUCB as SoRUCB
    from agents.linear.cbrap import CBRAP as CBRAP
    from agents.linear.delayed_linucb import DelayedLinUCB as DelayedLinUCB
    from agents.linear.discounted_linucb import DiscountedLinUCB as DiscountedLinUCB
    from agents.linear.disjoint_lints import DisjointLinTS as DisjointLinTS
    from agents.linear.disjoint_linucb import DisjointLinUCB as DisjointLinUCB
    from agents.linear.epsilon_greedy import EpsilonGreedy as EpsilonGreedy
    from agents.linear.fast_linucb import FastLinUCB as FastLinUCB
    from agents.linear.forward_discounted_linucb import (
        ForwardDiscountedLinUCB as ForwardDiscountedLinUCB,
    )
    from agents.linear.forward_oful import ForwardOFUL as ForwardOFUL
    from agents.linear.greedy import Greedy as Greedy
    from agents.linear.hybrid_linucb import HybridLinUCB as HybridLinUCB
    from agents.linear.ids import IDS as IDS
    from agents.linear.inverse_gap_weighting import InverseGapWeighting as InverseGapWeighting
    from agents.linear.linimed import LinIMED as LinIMED
    from agents.linear.linmed import LinMED as LinMED
    from agents.linear.lints import LinTS as LinTS
    from agents.linear.linucb import LinUCB as LinUCB
    from agents.linear.oful import OFUL as OFUL
    from agents.linear.phased_elimination import PhasedElimination as PhasedElimination
    from agents.linear.rarely_switching_oful import RarelySwitchingOFUL as RarelySwitchingOFUL
    from agents.linear.sliding_window_linucb import SlidingWindowLinUCB as SlidingWindowLinUCB
    from agents.linear.soful import SOFUL as SOFUL
    from agents.logistic.ada_ofu_ecolog import AdaOFUECOLog as AdaOFUECOLog
    from agents.logistic.glm_ucb import GLMUCB as GLMUCB
    from agents.logistic.laplace_thompson import LaplaceThompson as LaplaceThompson
    from agents.logistic.ofuglb_e import OFUGLBe as OFUGLBe
    from agents.losses.adaptive_descent import AdaptiveDescent as AdaptiveDescent
    from agents.losses.curvature_descent import CurvatureDescent as CurvatureDescent
    from agents.losses.follow_the_regularized_leader import (
        FollowTheRegularizedLeader as FollowTheRegularizedLeader,
    )
    from agents.losses.online_gradient_descent import OnlineGradientDescent as OnlineGradientDescent
    from agents.multiclass.banditron import Banditron as Banditron
    from agents.multiclass.confidit import Confidit as Confidit
    from agents.multiclass.epsilon_greedy_logistic import (
        EpsilonGreedyLogistic as EpsilonGreedyLogistic,
    )
    from agents.multiclass.grid_halving import GridHalving as GridHalving
    from agents.multiclass.halving import Halving as Halving
    from agents.multiclass.margin_banditron import MarginBanditron as MarginBanditron
    from agents.multiclass.multiplicative_banditron import (
        MultiplicativeBanditron as MultiplicativeBanditron,
    )
    from agents.multiclass.perceptron import Perceptron as Perceptron
    from agents.multiclass.projected_halving import ProjectedHalving as ProjectedHalving
    from agents.multiclass.ranking_banditron import RankingBanditron as RankingBanditron
    from agents.multiclass.soba import SOBA as SOBA
    from agents.multiclass.squarecb import SquareCB as SquareCB
    from agents.regression.discounted_ridge import DiscountedRidge as DiscountedRidge
    from agents.regression.forward import Forward as Forward
    from agents.regression.gradient_descent_regression import (
        GradientDescentRegression as GradientDescentRegression,
    )
    from agents.regression.online_ridge import OnlineRidge as OnlineRidge
    from agents.regression.polyak_regression import PolyakRegression as PolyakRegression
    from agents.regression.predict_zero import PredictZero as PredictZero
    from agents.regression.sag_regression import SAGRegression as SAGRegression
    from agents.regression.sliding_window_ridge import SlidingWindowRidge as SlidingWindowRidge
    from agents.regression.svrg_regression import SVRGRegression as SVRGRegression
    from agents.regression.unregularized_forward import UnregularizedForward as UnregularizedForward
    from agents.strongly_convex.ball_oful import BallOFUL as BallOFUL
    from agents.strongly_convex.ball_ts import BallTS as BallTS
    from agents.strongly_convex.explore_then_commit import ExploreThenCommit as ExploreThenCommit
    from agents.strongly_convex.fast_pege import FastPEGE as FastPEGE
    from agents.strongly_convex.pege import PEGE as PEGE

_LISTS = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
_MODULES = {name: module for members in _LISTS.values() for name, module in members.items()}

AGENTS: tuple[str, ...] = tuple(_LISTS["AGENTS"])
# Agents that play only if they are named: they need arguments, or are made of parts.
ON_REQUEST: tuple[str, ...] = tuple(_LISTS["ON_REQUEST"])
# Agents that another library computes: named like the others, but run only if a command names them.
LIBRARY_AGENTS: tuple[str, ...] = tuple(_LISTS["LIBRARY_AGENTS"])

# Modules of parts, of the papers' bounds, and of what is kept until a late reward is observed.
_PARTS = {
    "batching": "agents.parts.batching",
    "bounds": "agents.parts.bounds",
    "confidence": "agents.parts.confidence",
    "detectors": "agents.parts.detectors",
    "decision_rules": "agents.parts.decision_rules",
    "estimators": "agents.parts.estimators",
    "open_decisions": "agents.open_decisions",
    "posteriors": "agents.parts.posteriors",
}

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    "AGENTS",
    "LIBRARY_AGENTS",
    "ON_REQUEST",
    "Agent",
    "ScalarAgent",
    "Trace",
    "check_agent",
    "derived_seeds",
    "load",
    "names",
    "play",
    "resolve",
    *_MODULES,
]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module(_PARTS[name])
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(importlib.import_module(_MODULES[name]), name)
    return globals()[name]


def __dir__() -> list[str]:
    return [*__all__, *_PARTS]
