"""The claims of garivier2018's abstract, which no run can test: the orders of regret."""

from leaderboards.papers.claim import Claim, Origin

CLAIMS = (
    Claim(
        id="distribution-free",
        statement="""The regret of KL-UCB-switch is at most of the optimal order sqrt(KT) on all
            distributions on [0, 1]""",
        source="abstract",
        origin=Origin.THEOREM,
        paper="at most a constant times sqrt(KT)",
        obstacle="""The hardest problems have a gap of x sqrt(K/T) between the best arm and all
            others. There every agent, uniform play too, has a regret of at most x sqrt(KT), so that
            the order says nothing of an agent. We could not confirm the theorem's constant, which
            would. At first the exponents of T and K were judged at such gaps; uniform play has the
            same exponents there.""",
    ),
    Claim(
        id="optimal-constant",
        statement="""The regret of KL-UCB-switch matches the lower bound kappa log T of Lai and
            Robbins, and of Burnetas and Katehakis""",
        source="abstract",
        origin=Origin.THEOREM,
        paper="kappa log T to leading order",
        obstacle="""The bound of empirical likelihood, which makes the constant optimal, counts for
            the first (T/K)^(1/5) plays of an arm alone. An arm gets about log(T) / K_inf plays, and
            (T/K)^(1/5) reaches that number only at T = 5 * 10^14, even for two coins of means 0.9
            and 0.8. At any length that can be run, the arms are played by the bound of MOSS.""",
    ),
)
