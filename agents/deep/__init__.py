"""Deep reinforcement learning as online agents: stable-baselines3's algorithms in our loop.

The library and torch are imported when an agent is reset, and not before.
"""
