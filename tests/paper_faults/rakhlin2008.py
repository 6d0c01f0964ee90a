"""Faults of agents that the claims of rakhlin2008 must see."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/regression/online_ridge.py
    online ridge regression with half of its ridge [ridge-identity]
    - return Ridge(ridge=self.ridge)
    + return Ridge(ridge=0.5 * self.ridge)

    --- agents/parts/estimators/row_regression.py
    the forward algorithm's prediction in place of ridge regression's [ridge-identity]
    -         return self.mean, self.variance
    +         return self.mean / (1.0 + self.variance), self.variance

    rows with a negative outcome are not learned [ridge-identity, ridge-logarithm, ridge-constant]
    - absorb_row(self.factor, contexts, reward, observed, self.tolerance, residual)
    + absorb_row(self.factor, contexts, reward, observed & (reward > 0), self.tolerance, residual)

    outcomes are learned with the other sign [ridge-identity, ridge-constant]
    - absorb_row(self.factor, contexts, reward, observed,
    + absorb_row(self.factor, contexts, -reward, observed,

    --- agents/losses/curvature_descent.py
    descent by 1/H: the curvature of this round is missing from its sum [bounds-met, descent-bounds]
    - point[i, j] -= gradients[i, j] / curvature[i]
    + point[i, j] -= gradients[i, j] / max(curvature[i] - curvatures[i], 1e-9)

    descent by 1/H: no step in the first round [bounds-met]
    - if curvature[i] > 0.0:
    + if curvature[i] > curvatures[i]:

    descent by 1/H: steps of the order of 1/sqrt(H) [logarithm, bounds-met]
    - point[i, j] -= gradients[i, j] / curvature[i]
    + point[i, j] -= gradients[i, j] / curvature[i] ** 0.5

    descent by 1/H: no projection [descent-bounds]
    -                 project(point, i, radius)
    -

    --- agents/losses/adaptive_descent.py
    adaptive descent: no curvature is added [interpolation, balance]
    - return 2.0 * s * (s /
    + return 0.0 * s * (s /

    adaptive descent: the ball's diameter for its radius [balance, bounds-met]
    - (gradient_norm / radius)
    + (gradient_norm / (2.0 * radius))

    adaptive descent: lambda_t forgets the curvature added before [interpolation, balance]
    - to_add(curvature[i] + added[i],
    + to_add(curvature[i],

    adaptive descent: lambda_t forgets the losses' own curvature [balance, bounds-met]
    - to_add(curvature[i] + added[i],
    + to_add(added[i],

    adaptive descent: the gradient of the added curvature is missing [bounds-met]
    - (gradients[i, j] + more * played[i, j])
    + gradients[i, j]

    adaptive descent: the step has this round's lambda_t alone [interpolation, bounds-met]
    - divisor = curvature[i] + added[i]
    + divisor = curvature[i] + more

    adaptive descent: no projection [descent-bounds]
    -             project(point, i, radius)
    -

    --- agents/losses/online_gradient_descent.py
    gradient descent: steps of 1/t [square-root]
    - radius / math.sqrt(t[i])
    + radius / t[i]

    gradient descent: rounds are not counted [square-root]
    - t[i] += 1
    + t[i] = 1

    --- agents/losses/follow_the_regularized_leader.py
    follow the regularised leader: the ridge is missing [bounds-met]
    - pull[i, j] / (ridge + curvature[i])
    + pull[i, j] / max(curvature[i], 1e-9)

    --- agents/parts/kept_point.py
    all descent starts beside 0 [bounds-met]
    - self.point = np.zeros((self.n, self.task.dim))
    + self.point = np.full((self.n, self.task.dim), 0.01)
    """
)
