"""Radii of confidence sets, one function per theorem."""

from agents.parts.confidence.kernelized_radii import released
from agents.parts.confidence.linear_radii import (
    discounted,
    forward_self_normalized,
    self_normalized,
    self_normalized_closed,
    sketched,
    sliding_window,
)
from agents.parts.confidence.nystrom_radii import batched, check_accuracy, nystrom, oversampling
from agents.parts.confidence.radius import check_radius, named_or_number
from agents.parts.confidence.thompson_scales import linear_thompson_scale, thompson_scale

__all__ = [
    "batched",
    "check_accuracy",
    "check_radius",
    "discounted",
    "forward_self_normalized",
    "linear_thompson_scale",
    "named_or_number",
    "nystrom",
    "oversampling",
    "released",
    "self_normalized",
    "self_normalized_closed",
    "sketched",
    "sliding_window",
    "thompson_scale",
]
