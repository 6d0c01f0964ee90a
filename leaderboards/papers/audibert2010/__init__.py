"""Audibert, Bubeck, Munos 2010: successive rejects finds the best arm in given rounds."""

from leaderboards.papers.audibert2010 import errors
from leaderboards.papers.claim import Paper

PAPER = Paper(
    name="audibert2010",
    title="Best Arm Identification in Multi-Armed Bandits",
    authors="J.-Y. Audibert, S. Bubeck, R. Munos",
    published="COLT 2010",
    link="https://mlanthology.org/colt/2010/audibert2010colt-best/",
    claims=errors.CLAIMS,
)
