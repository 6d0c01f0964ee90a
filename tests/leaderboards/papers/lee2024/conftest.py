"""The fixtures that judge the claims of a module and run its experiments."""

from ..module_claims import judged, tiny

__all__ = ["judged", "tiny"]
