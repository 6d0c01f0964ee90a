"""The common part of the agents of ``agents.deep``: stable-baselines3 behind ``act``."""
