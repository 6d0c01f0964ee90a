"""Deliberate faults in the agents of calandriello2019, and the claims that must see them."""

from leaderboards.papers.fault import Fault

_EMBEDDING = "agents/numerics/nystrom_embedding.py"
_PULLS = "agents/numerics/nystrom_pulls.py"
_EXACT = "agents/numerics/kernel_posterior.py"
_RADII = "agents/parts/confidence/kernelized_radii.py"
_RULES = "agents/parts/decision_rules.py"
_POSTERIORS = "agents/parts/posteriors"

FAULTS = (
    Fault(
        name="BKB's variance is that of the subset of regressors",
        file=_EMBEDDING,
        old="variance_here[k] += max(rest[k], 0.0) / ridge",
        new="variance_here[k] += 0.0 * rest[k]",
        claims=["starvation-avoided", "algorithm"],
    ),
    Fault(
        name="the released radius is 0",
        file=_RADII,
        old="""each_log(np.maximum(pulls, 1))
    return math.sqrt(ridge) * param_norm + noise_std * np.sqrt(growth + each_log(1 / delta))""",
        new="""each_log(np.maximum(pulls, 1))
    return 0.0 * growth""",
        claims=["fixed-dictionary", "regret-of-gpucb"],
    ),
    Fault(
        name="BKB's theorem's radius is 0",
        file=_RADII,
        old="return bias + noise_std * noise",
        new="return 0.0 * (bias + noise_std * noise)",
        claims=["confidence-set", "theorem-regret"],
    ),
    Fault(
        name="BKB's theorem's radius has no term for the noise",
        file=_RADII,
        old="return bias + noise_std * noise",
        new="return bias + 0.0 * noise",
        claims=["theorem-regret"],
    ),
    Fault(
        name="BKB includes pulls with their variance, without qbar",
        file=_PULLS,
        old="p = min(1.0, qbar * variance)",
        new="p = min(1.0, variance)",
        claims=["inclusion", "algorithm"],
    ),
    Fault(
        name="BKB draws an arm once, however often it was pulled",
        file=_PULLS,
        old="-expm1(count * log1p(-p))",
        new="-expm1(log1p(-p))",
        claims=["algorithm"],
    ),
    Fault(
        name="BKB draws its dictionary by the same numbers in every round",
        file=_PULLS,
        old="uniform_at(key[0], key[1], t, index)",
        new="uniform_at(key[0], key[1], 2, index)",
        claims=["inclusion"],
    ),
    Fault(
        name="BKB draws arms by the variance of others",
        file=_PULLS,
        old="if drawn(key, t, a, variance[i, a], qbar, counts[i, a]):",
        new="if drawn(key, t, a, variance[i, j], qbar, counts[i, a]):",
        claims=["inclusion", "algorithm"],
    ),
    Fault(
        name="BKB's regression has no weights for repeated pulls",
        file=_PULLS,
        old="weights[b] = counts[i, seen[b]]",
        new="weights[b] = 1.0",
        claims=["algorithm", "accuracy-in-practice"],
    ),
    Fault(
        name="optimism has the wrong sign",
        file="agents/numerics/choice.py",
        old="score[k] = mean[k] + radius",
        new="score[k] = mean[k] - radius",
        claims=["algorithm"],
    ),
    Fault(
        name="the radius stays that of the first round",
        file=_RULES,
        old="np.copyto(self.radius, radius, where=True if ends is None else ends)",
        new="np.copyto(self.radius, radius, where=model.pulls == 0)",
        claims=["algorithm", "theorem-regret"],
    ),
    Fault(
        name="the exact posterior's variance shrinks by half of what it should",
        file=_EXACT,
        old="of_variance[k] = max(of_variance[k] - shrink * (c[k] * c[k]), 0.0)",
        new="of_variance[k] = max(of_variance[k] - 0.5 * shrink * (c[k] * c[k]), 0.0)",
        claims=["algorithm", "starvation-avoided"],
    ),
    Fault(
        name="the exact posterior loses the variance of the arm that was pulled",
        file=_EXACT,
        old="of_variance[arm] = shrink * before",
        new="of_variance[arm] = shrink * shrink * before",
        claims=["appendix-b", "algorithm"],
    ),
    Fault(
        name="GP-UCB's log-determinant is not kept",
        file=_EXACT,
        old="log_det[i] += log1p(before)",
        new="log_det[i] += 0.0 * log1p(before)",
        claims=["algorithm"],
    ),
    Fault(
        name="a fixed dictionary has all arms",
        file=f"{_POSTERIORS}/fixed_nystrom.py",
        old='dictionaries = [np.sort(np.argsort(u, kind="stable")[: self.size]) for u in order]',
        new='dictionaries = [np.sort(np.argsort(u, kind="stable")) for u in order]',
        claims=["fixed-dictionary"],
    ),
    Fault(
        name="random features have frequencies of the inverse length scale",
        file=f"{_POSTERIORS}/random_fourier.py",
        old="frequencies = normals[:, :, :dim] / covariance.length_scale",
        new="frequencies = normals[:, :, :dim] * covariance.length_scale",
        claims=["random-features"],
    ),
    Fault(
        name="quadrature counts opposite frequencies once",
        file=f"{_POSTERIORS}/quadrature_fourier.py",
        old="[2 * weights[:half], weights[half : half + middle]]",
        new="[weights[:half], weights[half : half + middle]]",
        claims=["quadrature-features"],
    ),
    Fault(
        name="SOFUL's sketch is never shrunk",
        file="agents/numerics/sketched_regression.py",
        old="lost = roots[k - 1]",
        new="lost = 0.0 * roots[k - 1]",
        claims=["soful", "linear-kernel"],
    ),
    Fault(
        name="SOFUL forgets the rewards along a row that it drops",
        file="agents/numerics/sketched_regression.py",
        old="_add(along[k], basis[i, k], across)",
        new="_add(0.0 * along[k], basis[i, k], across)",
        claims=["soful", "linear-kernel"],
    ),
)
