"""Which values a setting or a hyperparameter may have, in the words of the code's own errors."""

import math
import re
from collections.abc import Callable

# Values of which at most one is legal for anything that has a rule.
_PROBES = ("?", math.nan, -1)
# Says what kind of value it must be, which the table shows beside it.
_KINDS = ("a number", "finite")


def legal(name: str, make: Callable[..., object], type_of: str = "") -> str:
    """What ``make(name=value)`` says that the value must be; by default what its docstring says.

    Parameters
    ----------
    name : str
        A setting of an environment, or a hyperparameter of an agent.
    make : callable
        Makes the environment or the agent from keywords; it raises for values that are not legal.
    type_of : str
        The type that the docstring gives.
    """
    rules: list[str] = []
    for value in _PROBES:
        try:
            made = make(**{name: value})
        except (ValueError, TypeError, OSError) as error:
            found = re.match(rf"{name}\b.*?\bmust (?:be |lie )?(.*)", str(error), re.DOTALL)
            rule = re.sub(r", got .*| at \(\)$", "", found[1] if found else "", flags=re.DOTALL)
            if rule and rule not in (*rules, *_KINDS):
                rules.append(rule)
        else:
            del made
    # A rule that a longer one contains says nothing more.
    rules = [one for one in rules if not any(one != other and one in other for other in rules)]
    return "; ".join(rules[:2]) or re.sub(r", (default .*|optional)$", "", type_of) or "any"
