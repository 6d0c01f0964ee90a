"""Faults that the claims of korda2015 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/numerics/ridge/inverse_descent.py
    equation (11) without 1/n in its target, fixed arms [equation-11-mean]
    - shrink, pull = 1.0 - gamma * share, gamma / count[i]
    + shrink, pull = 1.0 - gamma * share, gamma

    equation (11) starts from x / ridge where arms change [equation-11-mean]
    - own[k] = 1.0 / (ridge + count[i] * square[k])
    + own[k] = 1.0 / ridge

    equation (11) does not shrink the rows drawn before [equation-11-mean]
    - product += along[before, k] * gram[before, s]
    + product += along[before, k] * 0.0

    --- agents/linear/fast_linucb.py
    fLinUCB is greedy [equation-11-mean]
    - self._radius = np.full(n, float(self.alpha))
    + self._radius = np.zeros(n)

    --- agents/numerics/steps/descent_steps.py
    gradient descent's step without its 4 [tracking-constant]
    - return gain / (4.0 * (gain + n)) if
    + return gain / (gain + n) if

    gradient descent goes uphill [theorem-1-rate]
    - add_row(-gamma * residual, drawn_one
    + add_row(gamma * residual, drawn_one

    gradient descent uses the last sample, not a drawn one [tracking-constant]
    - drawn_one = sample_at(chunks, i, drawn(keys, count, i, 0))
    + drawn_one = sample_at(chunks, i, count[i] - 1)

    Polyak averaging returns the last iterate [tracking-constant]
    - return self.average if self.average.size else self.iterate
    + return self.iterate

    --- agents/parts/estimators/gradient_descent.py
    gradient descent's c without d [theorem-1-rate]
    - gain = 4.0 * self.rho * task.dim if
    + gain = 4.0 * self.rho if

    --- agents/numerics/steps/sample_chunks.py
    samples are drawn from the first half [tracking-constant]
    - count[i], index) * count[i])
    + count[i], index) * count[i] * 0.5)

    --- agents/numerics/steps/svrg_steps.py
    SVRG never moves its anchor [tracking-even-directions]
    - if count[i] >= 2 and 2 * count[i] >= 3 * anchored[i]:
    + if count[i] < 0:

    SVRG adds the anchor's gradient [tracking-even-directions]
    - weight -= along(drawn_one, table, i, anchor[i])
    + weight += along(drawn_one, table, i, anchor[i])

    --- agents/numerics/steps/sag_steps.py
    SAG forgets what it stored [tracking-even-directions]
    - change = residual - sample[at + 1]
    + change = residual

    SAG's step does not shrink [tracking-even-directions]
    - min(min(rate, 2.0 * dim / count[i]) / longest[i], 1.0 / share)
    + min(rate / longest[i], 1.0 / share)

    --- agents/strongly_convex/pege.py
    PEGE averages the last rewards alone [regret-per-cycle]
    - mean[i, k] += (own[s] - mean[i, k]) / cycle
    + mean[i, k] += (own[s] - mean[i, k]) / 2

    --- banditgym/linalg/diagonal.py
    PEGE does not invert its basis [regret-per-cycle]
    - out[j] = matrix[0, j] * x[j]
    + out[j] = x[j]

    --- agents/drivers/points.py
    PEGE keeps the best point of the first cycle [regret-per-cycle]
    - self._best = best[ended, np.arange(self.n)]
    + best[1:] = best[0 if self.decisions[0] > dim else 1]; self._best = best[1].copy()

    PEGE exploits once a cycle [regret-per-cycle]
    - rest = cycle[i] if last == 0 else 0
    + rest = 1 if last == 0 else 0

    --- agents/strongly_convex/fast_pege.py
    fPEGE's step without its 4 [regret-per-cycle]
    - steps[s] = min(0.25 / (1.0
    + steps[s] = min(1.0 / (1.0

    fPEGE uses the last sample, not a drawn one [regret-per-cycle]
    - row[s] = int(uniforms[s] * (first + s + 1))
    + row[s] = first + s

    fPEGE's step is that of the longest point of the basis [regret-per-cycle]
    - self._pace = points.basis_strength / (4
    + self._pace = 1.0 / (4
    """
)
