"""Deep reinforcement learning as online agents: stable-baselines3 computes, our loop steps.

The library and torch are imported when an agent is reset, and not before.
"""
