"""Logs of bandits: what was seen, played and rewarded in each round, and with which probability.

``open_log`` reads and checks a Parquet or CSV file, a pandas DataFrame or any table with Arrow's
stream interface, in chunks; ``LogColumns`` says which column holds what. ``made_log`` makes a small
log.
"""

from banditgym.logs.bandit_log import BanditLog as BanditLog
from banditgym.logs.bandit_log import open_log as open_log
from banditgym.logs.log_chunks import LogChunk as LogChunk
from banditgym.logs.log_columns import LogColumns as LogColumns
from banditgym.logs.made_log import made_log as made_log

__all__ = ["BanditLog", "LogChunk", "LogColumns", "made_log", "open_log"]
