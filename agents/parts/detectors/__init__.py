"""Detectors of changes in the mean of what an agent observes."""

from agents.parts.detectors.cumulative_sums import CUSUM, PageHinkley
from agents.parts.detectors.glr import GLR

__all__ = ["CUSUM", "GLR", "PageHinkley"]
