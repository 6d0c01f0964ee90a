"""Faults of agents and environments that the claims of balagopalan2025 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/linear/linmed.py
    LinMED draws arms whether they agree with the data or not [competitive, wrong-noise]
    - weight[k] = f[k] * (weight[k] + of_best if k == best else weight[k])
    + weight[k] = weight[k] + of_best if k == best else weight[k]

    LinMED is greedy [competitive, wrong-noise]
    - weight[k] = f[k] * (weight[k] + of_best if k == best else weight[k])
    + weight[k] = 1.0 if k == best else 0.0

    --- agents/linear/linimed.py
    LinIMED's index ignores the gaps [linimed]
    - score[k] = log(width) - gap * gap / width if width > 0.0 else -math.inf
    + score[k] = log(width) if width > 0.0 else -math.inf

    LinIMED plays the largest index [linimed]
    - arms[i] = first_largest(score) if mask is None else first_largest_within(score, mask[i])
    + arms[i] = first_largest(-score)

    --- agents/numerics/choice.py
    OFUL has no bonus [wrong-noise]
    - return mean + radius * math.sqrt(max(variance, 0.0))
    + return mean + 0.0 * radius * math.sqrt(max(variance, 0.0))
    """
)
