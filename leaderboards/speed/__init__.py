"""How many rounds a second: worlds and learners through the public interface, on one core."""

from leaderboards.speed.measure import run, table

__all__ = ["run", "table"]
