r"""Compiled code that agents compute with, batched over replicates, one file per idea.

The routines for dense matrices that it calls are in ``banditgym.linalg``.

Routines with a state take a leading axis n and process it replicate by replicate, so that a result
does not depend on its neighbours. State is updated in place. If replicate i is not ``observed``, no
bit of its state changes. Routines that take features return the first replicate whose features are
not finite, before any state is written, or -1; callers check arms and rewards. If features are too
long for double precision, -2 - i is returned for replicate i, also before anything is written.

**Ridge regression.** Everything is float64. :math:`V = \lambda I + \sum_s x_s x_s^\top` is never
inverted and never formed. It is kept as a unit triangular factor with its pivots, into which
samples are rotated (``factor.py``; many replicates side by side in ``factor_across.py``, and for
one row per round in ``banditgym.linalg.triangular``; one factor for every arm in ``disjoint.py``).
Rotations are orthogonal, and therefore stable for samples of any lengths and in any order, even if
they do not span the space:

- A rotation rounds a sample's entries, as if its features differed by a few eps. The relative error
  of variances is about d eps. In a direction in which samples have little extent, as for long arms
  that nearly agree, it is about d eps :math:`\lVert x\rVert/s`, where s² is the sum of their
  squares in that direction; in a direction without samples, where only the ridge counts, it grows
  by about (d eps)² :math:`\lVert x\rVert^2/\lambda` per round. In units of the root of their
  variance, means have errors of about d eps times the root of the sum of squared rewards; in such
  directions, about d eps :math:`\lVert x\rVert/\sqrt\lambda` times the residuals of the rewards.
- With fixed arms means and variances are shifted (``fixed_arms_updates.py``). Once a variance has
  fallen to a 64th it is computed anew, from the factor or, if K <= d, from the numbers of pulls:
  this loses two digits.
- A sample with :math:`\lVert x\rVert^2 > 10^{25} \lambda` (``factor.LONGEST``) is refused, because
  the rounding of its features would reach a thousandth of :math:`\sqrt\lambda`. (With one row per
  round only rows longer than 1e140 are refused, because least squares may have no ridge.)

**Forgetting.** Where the past is discounted, or leaves a window, there is no rank-one update. V is
kept as a sum and factored every round (``cholesky.py``). The V of a window is summed anew before
the rounding errors of removed samples exceed those of a sum. The only inherited error is the
rounding of V itself, eps :math:`\lVert x\rVert^2` for every sample in it, so variances and means
have relative errors of about d eps :math:`\lVert x\rVert^2/\lambda`. Samples with
:math:`\lVert x\rVert^2 > 10^{10} \lambda` (``cholesky.LONGEST_SUMMED``) are refused.

If a task's ``feature_norm`` allows features that would be refused, ``reset`` refuses the task.

**Others.**

- A sketch of the rows is kept as orthonormal directions and their squared singular values
  (``sketched_regression.py``), updated with each row by a secular equation (``secular.py``): these
  are rotations too, and backward stable.
- For fixed features of fixed arms, a root of the inverse and every arm's variance are kept; a
  variance is computed anew from the root when it has fallen to less than a 64th
  (``root_fixed.py``).
- A kernel's inverse on the distinct arms pulled has rank-one updates, and every solution is
  corrected twice by its residual in the exact matrix (``kernel_posterior.py``). Where points
  change, a Cholesky factor gains rows (``kernel_factor.py``), and none is ever removed.
- A Nyström embedding on inducing points that change every round is computed anew
  (``nystrom_embedding.py``).
- The upper confidence bounds of KL-UCB on Bernoulli means are roots, by Newton's method for all
  arms together (``bernoulli_bounds.py``).

After 1e5 rounds at ridge 1e-6, on features of length 200 in well-conditioned directions,
regressions agree with a fresh solve to 1e-6 relative, whether or not the features span the space.
"""
