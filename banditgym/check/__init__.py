"""check_env: what Gymnasium's checker does not see of an environment. Run it on your own."""

from banditgym.check.expectations import expect, expect_error
from banditgym.check.protocol import check_env

__all__ = ["check_env", "expect", "expect_error"]
