"""Texts that the claims of kakade2008 on Figure 1 share."""

_SETTING = """`{}`, the recipe of Figure 1's caption; k = 9, 400 words. T = 100 000 and 30 seeds in
    the quick form, the paper's T = 1 000 000 and 20 runs (the paper's means are of 10) in the full
    one; each seed has topics of its own and is the same stream for all agents. Open in the paper:
    the values of gamma, here 2^-1 to 2^-14; how much the topics overlap, here sets of uniform size
    and place that differ in at least 11 words."""
SYNSEP, SYNNONSEP = _SETTING.format("SynSep-v0"), _SETTING.format("SynNonSep-v0")
SLOPE = "least-squares slope of the log error rate against log t, twelve rounds a decade"
BEST = """The best gamma is that with the smallest median error rate at T of the same seeds: below
    2^-8 errors are heavy-tailed, and a mean is ruled by the worst runs."""
GAMMA_RULE = """too low: the median error rate at 2^-14 is more than 1.1 times that at the best
    gamma, with the whole interval; too high: likewise at 2^-1."""
GAMMA_MEASURE = "median error rate at T over that at the best gamma of the grid. " + BEST
