"""What the agents of ``agents.deep`` share: stable-baselines3 behind ``act`` and ``observe``."""
