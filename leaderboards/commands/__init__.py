"""The commands of ``banditgym`` and their shared parts: options, checks and output."""
