"""check_env: what Gymnasium's checker does not see of an environment. Run it on your own."""

from banditgym.check.environment_contract import check_env
from banditgym.check.expectations import expect, expect_error

__all__ = ["check_env", "expect", "expect_error"]
