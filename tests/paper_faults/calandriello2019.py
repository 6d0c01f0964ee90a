"""Deliberate faults in the agents of calandriello2019, and the claims that must see them."""

from tests.paper_faults.fault import faults

FAULTS = faults(
    """
    --- agents/numerics/kernel/nystrom_embedding.py
    BKB's variance is that of the subset of regressors [starvation-avoided, algorithm]
    - variance_here[k] += max(rest[k], 0.0) / ridge
    + variance_here[k] += 0.0 * rest[k]

    --- agents/parts/confidence/kernelized_radii.py
    the released radius is 0 [fixed-dictionary, regret-of-gpucb]
    - each_log(np.maximum(pulls, 1))
    -     return math.sqrt(ridge) * param_norm + noise_std * np.sqrt(growth + each_log(1 / delta))
    + each_log(np.maximum(pulls, 1))
    +     return 0.0 * growth

    --- agents/parts/confidence/nystrom_radii.py
    BKB's theorem's radius is 0 [confidence-set, theorem-regret]
    - return bias + noise_std * noise
    + return 0.0 * (bias + noise_std * noise)

    BKB's theorem's radius has no term for the noise [theorem-regret]
    - return bias + noise_std * noise
    + return bias + 0.0 * noise

    --- agents/numerics/kernel/nystrom_pulls.py
    BKB includes pulls with their variance, without qbar [inclusion, algorithm]
    - p = min(1.0, qbar * variance)
    + p = min(1.0, variance)

    BKB draws an arm once, however often it was pulled [algorithm]
    - -expm1(count * log1p(-p))
    + -expm1(log1p(-p))

    BKB draws its dictionary by the same numbers in every round [inclusion]
    - uniform_at(key[0], key[1], t, index)
    + uniform_at(key[0], key[1], 2, index)

    BKB draws arms by the variance of others [inclusion, algorithm]
    - if drawn(key, t, a, variance[i, a], qbar, counts[i, a]):
    + if drawn(key, t, a, variance[i, j], qbar, counts[i, a]):

    BKB's regression has no weights for repeated pulls [algorithm, accuracy-in-practice]
    - weights[b] = counts[i, seen[b]]
    + weights[b] = 1.0

    --- agents/numerics/choice.py
    optimism has the wrong sign [algorithm]
    - score[k] = optimistic_score(mean[k], variance[k], radius)
    + score[k] = optimistic_score(mean[k], variance[k], -radius)

    --- agents/parts/decision_rules/ucb.py
    the radius stays that of the first round [algorithm, theorem-regret]
    - np.copyto(self.radius, radius, where=True if ends is None else ends)
    + np.copyto(self.radius, radius, where=model.pulls == 0)

    --- agents/numerics/kernel/kernel_posterior.py
    the exact posterior's variance shrinks by half of what it should [algorithm, starvation-avoided]
    - of_variance[k] = max(of_variance[k] - shrink * (c[k] * c[k]), 0.0)
    + of_variance[k] = max(of_variance[k] - 0.5 * shrink * (c[k] * c[k]), 0.0)

    the exact posterior loses the variance of the arm that was pulled [appendix-b, algorithm]
    - of_variance[arm] = shrink * before
    + of_variance[arm] = shrink * shrink * before

    GP-UCB's log-determinant is not kept [algorithm]
    - log_det[i] += log1p(before)
    + log_det[i] += 0.0 * log1p(before)

    --- agents/parts/posteriors/fixed_nystrom.py
    a fixed dictionary has all arms [fixed-dictionary]
    - dictionaries = [np.sort(np.argsort(u, kind="stable")[: self.size]) for u in order]
    + dictionaries = [np.sort(np.argsort(u, kind="stable")) for u in order]

    --- agents/parts/posteriors/random_fourier.py
    random features have frequencies of the inverse length scale [random-features]
    - frequencies = normals[:, :, :dim] / covariance.length_scale
    + frequencies = normals[:, :, :dim] * covariance.length_scale

    --- agents/parts/posteriors/quadrature_fourier.py
    quadrature counts opposite frequencies once [quadrature-features]
    - [2 * weights[:half], weights[half : half + middle]]
    + [weights[:half], weights[half : half + middle]]

    --- agents/numerics/ridge/sketched_regression.py
    SOFUL's sketch is never shrunk [soful, linear-kernel]
    - lost = roots[k - 1]
    + lost = 0.0 * roots[k - 1]

    SOFUL forgets the rewards along a row that it drops [soful, linear-kernel]
    - _add(along[k], basis[i, k], across)
    + _add(0.0 * along[k], basis[i, k], across)
    """
)
