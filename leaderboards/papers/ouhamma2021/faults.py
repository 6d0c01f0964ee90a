"""Deliberate faults in the agents of ouhamma2021, and the claims that must see them."""

from leaderboards.papers.fault import Fault

_ESTIMATORS = "agents/parts/estimators"
_RADII = "agents/parts/confidence/linear_radii.py"
_OPTIMISM = "agents/parts/optimism.py"
_CHOICE = "agents/numerics/choice.py"

FAULTS = (
    Fault(
        name="forward predicts as ridge regression does",
        file=f"{_ESTIMATORS}/forward_ridge.py",
        old="mean[i, k] = m[i, k] * shrink",
        new="mean[i, k] = m[i, k]",
        claims=["four-times"],
    ),
    Fault(
        name="online regression has no ridge",
        file=f"{_ESTIMATORS}/row_regression.py",
        old="factor = nothing_absorbed(n, task.dim, ridge)",
        new="factor = nothing_absorbed(n, task.dim, 0.0)",
        claims=["rigid-regularisation"],
    ),
    Fault(
        name="regression learns the outcome's opposite",
        file="agents/parts/predictor.py",
        old="self.model.update(contexts, self._arms, outcome, observed)",
        new="self.model.update(contexts, self._arms, -outcome, observed)",
        claims=["four-times", "figure-1-ridge"],
    ),
    Fault(
        name="forward without a ridge has one",
        file=f"{_ESTIMATORS}/forward_least_squares.py",
        old="Rows.empty(task, n, 0.0, float(self.rcond))",
        new="Rows.empty(task, n, 1.0, float(self.rcond))",
        claims=["optimal-order"],
    ),
    Fault(
        name="ForwardOFUL ignores its ridge",
        file="agents/linear/forward_oful.py",
        old="return ForwardRidge(ridge=self.ridge)",
        new="return ForwardRidge()",
        claims=["coverage-tight"],
    ),
    Fault(
        name="OFUL's radius has no log-determinant",
        file=_RADII,
        old="noise_std * np.sqrt(2 * each_log(1 / delta) + log_det)",
        new="noise_std * np.sqrt(2 * each_log(1 / delta) + 0 * log_det)",
        claims=["coverage", "coverage-tight"],
    ),
    Fault(
        name="the closed radius has the dimension once",
        file=_RADII,
        old="growth = dim * each_log1p(t * (feature_norm * feature_norm / (ridge * dim)))",
        new="growth = each_log1p(t * (feature_norm * feature_norm / (ridge * dim)))",
        claims=["coverage", "coverage-tight"],
    ),
    Fault(
        name="the forward radius has log(1/δ) once",
        file=_RADII,
        old="growth += 2 * each_log(1 / delta)",
        new="growth += each_log(1 / delta)",
        claims=["coverage", "coverage-tight"],
    ),
    Fault(
        name="the forward radius has no term for the pretended reward",
        file=_RADII,
        old="radius += bias",
        new="radius += 0 * bias",
        claims=["coverage", "coverage-tight"],
    ),
    Fault(
        name="radii are for no noise",
        file=_OPTIMISM,
        old='"noise_std": float(self.known("noise_std")),',
        new='"noise_std": 0.0,',
        claims=["coverage", "coverage-tight"],
    ),
    Fault(
        name="radii are for a parameter of 0",
        file=_OPTIMISM,
        old='"param_norm": float(self.known("param_norm")),',
        new='"param_norm": 0.0,',
        claims=["coverage", "coverage-tight"],
    ),
    Fault(
        name="radii stay those of the first round",
        file=_OPTIMISM,
        old="self._t += observed",
        new="self._t += 0 * observed",
        claims=["coverage", "coverage-tight"],
    ),
    Fault(
        name="the forward variance is ridge regression's",
        file=f"{_ESTIMATORS}/forward_ridge.py",
        old="variance[i, k] = w[i, k] * shrink if",
        new="variance[i, k] = w[i, k] if",
        claims=["coverage-tight"],
    ),
    Fault(
        name="OFUL does not explore",
        file=_CHOICE,
        old="score[k] = mean[k] + radius * math.sqrt(max(variance[k], 0.0))",
        new="score[k] = mean[k]",
        claims=["theorem-4-1"],
    ),
    Fault(
        name="ForwardOFUL is pessimistic",
        file=_CHOICE,
        old="score[k] = mean[i, k] + radius[i, k] * math.sqrt(max(variance[i, k], 0.0))",
        new="score[k] = mean[i, k] - radius[i, k] * math.sqrt(max(variance[i, k], 0.0))",
        claims=["theorem-4-1"],
    ),
)
