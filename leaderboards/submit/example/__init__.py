"""The submission that ``banditgym submit new`` writes."""
