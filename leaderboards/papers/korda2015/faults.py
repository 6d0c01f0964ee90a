"""Faults that the claims of korda2015 must see."""

from leaderboards.papers.fault import Fault

_LIMITS = ("tracking-constant",)
_REGRET = ("regret-per-cycle",)
_EVEN = ("tracking-even-directions",)
_MEANS = ("equation-11-mean",)

FAULTS: tuple[Fault, ...] = (
    Fault(
        name="equation (11) without 1/n in its target, fixed arms",
        file="agents/numerics/inverse_descent.py",
        old="shrink, pull = 1.0 - gamma * share, gamma / count[i]",
        new="shrink, pull = 1.0 - gamma * share, gamma",
        claims=_MEANS,
    ),
    Fault(
        name="fLinUCB is greedy",
        file="agents/linear/fast_linucb.py",
        old="self._radius = np.full(n, float(self.alpha))",
        new="self._radius = np.zeros(n)",
        claims=_MEANS,
    ),
    Fault(
        name="equation (11) starts from x / ridge where arms change",
        file="agents/numerics/inverse_descent.py",
        old="own[k] = 1.0 / (ridge + count[i] * square[k])",
        new="own[k] = 1.0 / ridge",
        claims=_MEANS,
    ),
    Fault(
        name="equation (11) does not shrink the rows drawn before",
        file="agents/numerics/inverse_descent.py",
        old="product += along[before, k] * gram[before, s]",
        new="product += along[before, k] * 0.0",
        claims=_MEANS,
    ),
    Fault(
        name="gradient descent's step without its 4",
        file="agents/numerics/descent_steps.py",
        old="return gain / (4.0 * (gain + n)) if",
        new="return gain / (gain + n) if",
        claims=_LIMITS,
    ),
    Fault(
        name="gradient descent goes uphill",
        file="agents/numerics/descent_steps.py",
        old="add_row(-gamma * residual, drawn_one",
        new="add_row(gamma * residual, drawn_one",
        claims=("theorem-1-rate",),
    ),
    Fault(
        name="gradient descent uses the last sample, not a drawn one",
        file="agents/numerics/descent_steps.py",
        old="drawn_one = sample_at(chunks, i, drawn(keys, count, i, 0))",
        new="drawn_one = sample_at(chunks, i, count[i] - 1)",
        claims=_LIMITS,
    ),
    Fault(
        name="gradient descent's c without d",
        file="agents/parts/estimators/gradient_descent.py",
        old="gain = 4.0 * self.rho * task.dim if",
        new="gain = 4.0 * self.rho if",
        claims=("theorem-1-rate",),
    ),
    Fault(
        name="Polyak averaging returns the last iterate",
        file="agents/numerics/descent_steps.py",
        old="return self.average if self.average.size else self.iterate",
        new="return self.iterate",
        claims=_LIMITS,
    ),
    Fault(
        name="samples are drawn from the first half",
        file="agents/numerics/sample_chunks.py",
        old="count[i], index) * count[i])",
        new="count[i], index) * count[i] * 0.5)",
        claims=_LIMITS,
    ),
    Fault(
        name="SVRG never moves its anchor",
        file="agents/numerics/svrg_steps.py",
        old="if count[i] >= 2 and 2 * count[i] >= 3 * anchored[i]:",
        new="if count[i] < 0:",
        claims=_EVEN,
    ),
    Fault(
        name="SVRG adds the anchor's gradient",
        file="agents/numerics/svrg_steps.py",
        old="weight -= along(drawn_one, table, i, anchor[i])",
        new="weight += along(drawn_one, table, i, anchor[i])",
        claims=_EVEN,
    ),
    Fault(
        name="SAG forgets what it stored",
        file="agents/numerics/sag_steps.py",
        old="change = residual - sample[at + 1]",
        new="change = residual",
        claims=_EVEN,
    ),
    Fault(
        name="SAG's step does not shrink",
        file="agents/numerics/sag_steps.py",
        old="min(min(rate, 2.0 * dim / count[i]) / longest[i], 1.0 / share)",
        new="min(rate / longest[i], 1.0 / share)",
        claims=_EVEN,
    ),
    Fault(
        name="PEGE averages the last rewards alone",
        file="agents/strongly_convex/pege.py",
        old="mean[i, k] += (paid[s] - mean[i, k]) / cycle",
        new="mean[i, k] += (paid[s] - mean[i, k]) / 2",
        claims=_REGRET,
    ),
    Fault(
        name="PEGE does not invert its basis",
        file="agents/strongly_convex/pege.py",
        old="theta[j] = inverse[0, j] * mean[j]",
        new="theta[j] = mean[j]",
        claims=_REGRET,
    ),
    Fault(
        name="PEGE keeps the best point of the first cycle",
        file="agents/parts/basis_exploration.py",
        old="explored = (samples >= 0) & (self._place == self.task.dim)",
        new="explored = (samples >= 0) & (self._place == self.task.dim) & (self.cycle == 1)",
        claims=_REGRET,
    ),
    Fault(
        name="PEGE exploits once a cycle",
        file="agents/parts/basis_exploration.py",
        old="rest = cycle[i] if cycles == 0 else 0",
        new="rest = 1 if cycles == 0 else 0",
        claims=_REGRET,
    ),
    Fault(
        name="fPEGE's step without its 4",
        file="agents/strongly_convex/fast_pege.py",
        old="steps[s] = min(0.25 / (1.0",
        new="steps[s] = min(1.0 / (1.0",
        claims=_REGRET,
    ),
    Fault(
        name="fPEGE uses the last sample, not a drawn one",
        file="agents/strongly_convex/fast_pege.py",
        old="drawn[s] = int(uniforms[s] * (first + s + 1))",
        new="drawn[s] = first + s",
        claims=_REGRET,
    ),
    Fault(
        name="fPEGE's step is that of the longest point of the basis",
        file="agents/strongly_convex/fast_pege.py",
        old="self._pace = points.basis_strength / (4",
        new="self._pace = 1.0 / (4",
        claims=_REGRET,
    ),
)
