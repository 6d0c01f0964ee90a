"""Legal values, in the words of the errors."""

import agents
from banditgym.validation import positive, word
from docs.site.legal_values import legal
from leaderboards.suites import environments


def test_the_rule_of_an_error_is_taken():
    def make(**given):
        return environments.make("LinearBandit-v0", 1, given)

    assert legal("n_arms", make) == "an integer >= 1"
    assert legal("noise", make) == "one of gaussian, uniform, rademacher, student_t, pareto"
    assert "> 2" in legal("noise_df", make)
    assert legal("alpha", agents.LinUCB) == "finite and >= 0"
    assert legal("scale", agents.LinTS) == "posterior, theory or a number; finite and >= 0"


def test_several_rules_and_none():
    def both(*, x):
        if isinstance(x, str):
            word("x", x, ("a", "b"))
        positive("x", x)

    def other(*, x):
        raise ValueError("data are missing")

    assert legal("x", both) == "one of a, b; finite and > 0"
    assert legal("x", other, "int, default 3") == "int"
    assert legal("x", lambda x: x) == "any"
