"""Texts that the claims of kakade2008 on Figure 1 share."""

_SETTING = """`{}` makes documents by the recipe of Figure 1's caption, with k = 9 labels and 400
    words. The quick form has T = 100 000 and 30 seeds; the full one has the paper's T = 1 000 000
    and 20 seeds (the paper's means are of 10 runs). Each seed has its own topics, and all agents
    see the same stream. The paper leaves open the values of gamma, here 2^-1 to 2^-14, and how much
    the topics overlap: here they are sets of uniform size and place that differ in at least 11
    words."""
SYNSEP, SYNNONSEP = _SETTING.format("SynSep-v0"), _SETTING.format("SynNonSep-v0")
SLOPE = "least-squares slope of the log error rate against log t, at twelve rounds per decade"
BEST = """The best gamma is the one with the smallest median error rate at T on the same seeds.
    Medians are used because errors below 2^-8 are heavy-tailed, so that a few bad runs dominate a
    mean."""
GAMMA_RULE = """too low: the median error rate at gamma = 2^-14 is more than 1.1 times that at the
    best gamma, with the whole interval; too high: the same at gamma = 2^-1."""
GAMMA_MEASURE = "median error rate at T, divided by that at the best gamma of the grid. " + BEST
