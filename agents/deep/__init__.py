"""Deep reinforcement learning as online agents: the algorithms of stable-baselines3.

The library and torch are imported when an agent is first reset, and not before.
"""
