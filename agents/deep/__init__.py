"""Deep reinforcement learning as online agents: stable-baselines3 computes, our loop steps.

The library and torch are imported when an agent is reset, and not before.
"""

from agents.deep.a2c import A2C
from agents.deep.dqn import DQN
from agents.deep.ppo import PPO
from agents.deep.sac import SAC
from agents.deep.td3 import TD3

__all__ = ["A2C", "DQN", "PPO", "SAC", "TD3"]
