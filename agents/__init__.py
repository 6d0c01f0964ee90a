"""Bandit learners behind one ``act`` / ``observe`` interface."""

from agents.agent import Agent
from agents.armed.beta_thompson import BetaThompson
from agents.armed.klucb import KLUCB
from agents.armed.ucb1 import UCB1
from agents.check import check_agent
from agents.general.uniform import UniformRandom
from agents.linear.discounted_linucb import DiscountedLinUCB
from agents.linear.disjoint_linucb import DisjointLinUCB
from agents.linear.forward_discounted_linucb import ForwardDiscountedLinUCB
from agents.linear.forward_oful import ForwardOFUL
from agents.linear.greedy import EpsilonGreedy, Greedy
from agents.linear.lints import LinTS
from agents.linear.linucb import LinUCB
from agents.linear.oful import OFUL
from agents.linear.sliding_window_linucb import SlidingWindowLinUCB
from agents.naming import resolve
from agents.play import Trace, play
from agents.saving import load
from agents.scalar import ScalarAgent

# Every learner of the package; a leaderboard runs those that accept its task.
LEARNERS = (
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
)

__all__ = [
    "KLUCB",
    "LEARNERS",
    "OFUL",
    "UCB1",
    "Agent",
    "BetaThompson",
    "DiscountedLinUCB",
    "DisjointLinUCB",
    "EpsilonGreedy",
    "ForwardDiscountedLinUCB",
    "ForwardOFUL",
    "Greedy",
    "LinTS",
    "LinUCB",
    "ScalarAgent",
    "SlidingWindowLinUCB",
    "Trace",
    "UniformRandom",
    "check_agent",
    "load",
    "play",
    "resolve",
]
