"""Deliberate faults in the agents of ouhamma2021, and the claims that must see them."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/parts/estimators/forward_ridge.py
    forward predicts as ridge regression does [four-times]
    - mean[i, k] = m[i, k] * shrink
    + mean[i, k] = m[i, k]

    the forward variance is ridge regression's [coverage-tight]
    - variance[i, k] = w[i, k] * shrink if
    + variance[i, k] = w[i, k] if

    --- agents/parts/estimators/row_regression.py
    online regression has no ridge [rigid-regularisation]
    - factor = initial_factor(n, task.dim, ridge)
    + factor = initial_factor(n, task.dim, 0.0)

    --- agents/parts/predictor.py
    regression learns the outcome's opposite [four-times, figure-1-ridge]
    - self.model.update(contexts, self._arms, outcome, observed)
    + self.model.update(contexts, self._arms, -outcome, observed)

    --- agents/parts/estimators/forward_least_squares.py
    forward without a ridge has one [optimal-order]
    - Rows.initial(task, n, 0.0, float(self.rcond))
    + Rows.initial(task, n, 1.0, float(self.rcond))

    --- agents/linear/forward_oful.py
    ForwardOFUL ignores its ridge [coverage-tight]
    - return ForwardRidge(ridge=self.ridge)
    + return ForwardRidge()

    --- agents/parts/confidence/linear_radii.py
    OFUL's radius has no log-determinant [coverage, coverage-tight]
    - noise_std * np.sqrt(2 * each_log(1 / delta) + log_det)
    + noise_std * np.sqrt(2 * each_log(1 / delta) + 0 * log_det)

    the closed radius has the dimension once [coverage, coverage-tight]
    - growth = dim * each_log1p(t * (feature_norm * feature_norm / (known["ridge"] * dim)))
    + growth = each_log1p(t * (feature_norm * feature_norm / (known["ridge"] * dim)))

    the forward radius has log(1/δ) once [coverage, coverage-tight]
    - growth += 2 * each_log(1 / delta)
    + growth += each_log(1 / delta)

    the forward radius has no term for the pretended reward [coverage, coverage-tight]
    - radius += bias
    + radius += 0 * bias

    --- agents/parts/confidence/theorem_radius.py
    radii are for no noise [coverage, coverage-tight]
    - "noise_std": float(self.known("noise_std")),
    + "noise_std": 0.0,

    radii are for a parameter of 0 [coverage, coverage-tight]
    - "param_norm": float(self.known("param_norm")),
    + "param_norm": 0.0,

    radii stay those of the first round [coverage, coverage-tight]
    - self._t += observed
    + self._t += 0 * observed

    --- agents/numerics/choice.py
    OFUL does not explore [theorem-4-1]
    - score[k] = optimistic_score(mean[k], variance[k], radius)
    + score[k] = mean[k]

    ForwardOFUL is pessimistic [theorem-4-1]
    - score[k] = optimistic_score(mean[i, k], variance[i, k], radius[i, k])
    + score[k] = optimistic_score(mean[i, k], variance[i, k], -radius[i, k])
    """
)
