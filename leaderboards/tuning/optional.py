"""Optuna, which only tuning needs: the extra ``[tune]``."""

import functools
from typing import Any


@functools.cache
def optuna() -> Any:
    """The library, without its log on stderr.

    Raises
    ------
    ValueError
        In one line, if it is not installed.
    """
    try:
        import optuna
        import optuna.storages.journal
    except ImportError as error:
        raise ValueError(f"tuning needs Optuna: pip install 'banditgym[tune]' ({error})") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
