"""Faults of agents that the claims of rakhlin2008 must see."""

from leaderboards.papers.fault import Fault

_RIDGE = "agents/regression/online_ridge.py"
_ROWS = "agents/parts/estimators/row_regression.py"
_CURVATURE = "agents/losses/curvature_descent.py"
_ADAPTIVE = "agents/losses/adaptive_descent.py"
_GRADIENT = "agents/losses/online_gradient_descent.py"
_LEADER = "agents/losses/follow_the_regularized_leader.py"

FAULTS = (
    Fault(
        name="online ridge regression with half of its ridge",
        file=_RIDGE,
        old="return Ridge(ridge=self.ridge)",
        new="return Ridge(ridge=0.5 * self.ridge)",
        claims=("ridge-identity",),
    ),
    Fault(
        name="the forward algorithm's prediction in place of ridge regression's",
        file=_ROWS,
        old="        return self.mean, self.variance\n",
        new="        return self.mean / (1.0 + self.variance), self.variance\n",
        claims=("ridge-identity",),
    ),
    Fault(
        name="rows with a negative outcome are not learned",
        file=_ROWS,
        old="absorb_row(self.factor, contexts, reward, observed, self.tolerance, residual)",
        new="absorb_row(self.factor, contexts, reward, observed & (reward > 0), self.tolerance, "
        "residual)",
        claims=("ridge-identity", "ridge-logarithm", "ridge-constant"),
    ),
    Fault(
        name="outcomes are learned with the other sign",
        file=_ROWS,
        old="absorb_row(self.factor, contexts, reward, observed,",
        new="absorb_row(self.factor, contexts, -reward, observed,",
        claims=("ridge-identity", "ridge-constant"),
    ),
    Fault(
        name="descent by 1/H: the curvature of this round is missing from its sum",
        file=_CURVATURE,
        old="point[i, j] -= gradients[i, j] / curvature[i]",
        new="point[i, j] -= gradients[i, j] / max(curvature[i] - curvatures[i], 1e-9)",
        claims=("bounds-met", "descent-bounds"),
    ),
    Fault(
        name="descent by 1/H: no step in the first round",
        file=_CURVATURE,
        old="if curvature[i] > 0.0:",
        new="if curvature[i] > curvatures[i]:",
        claims=("bounds-met",),
    ),
    Fault(
        name="descent by 1/H: steps of the order of 1/sqrt(H)",
        file=_CURVATURE,
        old="point[i, j] -= gradients[i, j] / curvature[i]",
        new="point[i, j] -= gradients[i, j] / curvature[i] ** 0.5",
        claims=("logarithm", "bounds-met"),
    ),
    Fault(
        name="descent by 1/H: no projection",
        file=_CURVATURE,
        old="                project(point, i, radius)\n",
        new="",
        claims=("descent-bounds",),
    ),
    Fault(
        name="adaptive descent: no curvature is added",
        file=_ADAPTIVE,
        old="return 2.0 * s * (s /",
        new="return 0.0 * s * (s /",
        claims=("interpolation", "balance"),
    ),
    Fault(
        name="adaptive descent: the ball's diameter for its radius",
        file=_ADAPTIVE,
        old="(gradient_norm / radius)",
        new="(gradient_norm / (2.0 * radius))",
        claims=("balance", "bounds-met"),
    ),
    Fault(
        name="adaptive descent: lambda_t forgets the curvature added before",
        file=_ADAPTIVE,
        old="to_add(curvature[i] + added[i], ",
        new="to_add(curvature[i], ",
        claims=("interpolation", "balance"),
    ),
    Fault(
        name="adaptive descent: lambda_t forgets the losses' own curvature",
        file=_ADAPTIVE,
        old="to_add(curvature[i] + added[i], ",
        new="to_add(added[i], ",
        claims=("balance", "bounds-met"),
    ),
    Fault(
        name="adaptive descent: the gradient of the added curvature is missing",
        file=_ADAPTIVE,
        old="(gradients[i, j] + more * played[i, j])",
        new="gradients[i, j]",
        claims=("bounds-met",),
    ),
    Fault(
        name="adaptive descent: the step has this round's lambda_t alone",
        file=_ADAPTIVE,
        old="divisor = curvature[i] + added[i]",
        new="divisor = curvature[i] + more",
        claims=("interpolation", "bounds-met"),
    ),
    Fault(
        name="adaptive descent: no projection",
        file=_ADAPTIVE,
        old="            project(point, i, radius)\n",
        new="",
        claims=("descent-bounds",),
    ),
    Fault(
        name="gradient descent: steps of 1/t",
        file=_GRADIENT,
        old="radius / math.sqrt(t[i])",
        new="radius / t[i]",
        claims=("square-root",),
    ),
    Fault(
        name="gradient descent: rounds are not counted",
        file=_GRADIENT,
        old="t[i] += 1\n",
        new="t[i] = 1\n",
        claims=("square-root",),
    ),
    Fault(
        name="follow the regularised leader: the ridge is missing",
        file=_LEADER,
        old="pull[i, j] / (ridge + curvature[i])",
        new="pull[i, j] / max(curvature[i], 1e-9)",
        claims=("bounds-met",),
    ),
    Fault(
        name="all descent starts beside 0",
        file="agents/parts/kept_point.py",
        old="self.point = np.zeros((self.n, self.task.dim))",
        new="self.point = np.full((self.n, self.task.dim), 0.01)",
        claims=("bounds-met",),
    ),
)
