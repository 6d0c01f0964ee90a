"""The commands of ``banditgym``, and what they share: options, checks, and how they speak."""
