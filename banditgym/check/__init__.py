"""check_env tests rules that Gymnasium's checker does not. Run it on your own environments."""

from banditgym.check.environment_contract import check_env
from banditgym.check.expectations import expect, expect_error

__all__ = ["check_env", "expect", "expect_error"]
