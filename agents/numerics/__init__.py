r"""Compiled code that agents compute with, batched over replicates, one file per idea.

The routines for dense matrices that it calls are in ``banditgym.linalg``.

Routines that keep a state take a leading axis n and go through it replicate by replicate, so that a
result does not depend on its neighbours. State is updated in place. Where replicate i is not
``observed`` its state stays bit for bit what it was. Routines that take features return the first
replicate whose features are not finite, before any state is written, or -1; arms and rewards are
checked by the caller. Where features are too long for what is kept in double precision, -2 - i is
returned for replicate i, likewise before anything is written.

**Ridge regression.** Everything is float64. :math:`V = \lambda I + \sum_s x_s x_s^\top` is never
inverted and never formed: it is a unit triangular factor with its pivots, into which samples are
rotated (``factor.py``; one for every arm in ``disjoint.py``; many replicates side by side, where a
round brings one row, in ``banditgym.linalg.triangular``). Rotations are as stable as they are
orthogonal, however long samples are beside each other, whatever their order, and whether or not
they span the space:

- A rotation rounds a sample's entries, which is as if its features had been others by a few eps.
  Variances so err by some d eps, relative; where samples tell one direction by little, as long arms
  do that nearly agree, by some d eps :math:`\lVert x\rVert/s`, s² the sum of their squares in it;
  where they leave it to the ridge, by some (d eps)² :math:`\lVert x\rVert^2/\lambda` a round.
  Means err, in units of the root of their variance, by some d eps of the root of the sum of squared
  rewards, and in such a direction by some d eps :math:`\lVert x\rVert/\sqrt\lambda` of what rewards
  differ from their predictions.
- With fixed arms means and variances are shifted (``fixed_arms_updates.py``) and computed afresh,
  from the factor or, where K <= d, from the numbers of pulls, once a variance has fallen to a 64th:
  that costs two digits.
- Refused is a sample of :math:`\lVert x\rVert^2 > 10^{25} \lambda` (``factor.LONGEST``), where the
  rounding of its features would reach a thousandth of :math:`\sqrt\lambda`. (One row a round
  is only refused if longer than 1e140, since least squares may be without a ridge.)

**Forgetting.** Where the past is discounted, or leaves a window, there is no rank-one form. V is
kept as a sum and factored every round (``cholesky.py``); a window's V is summed afresh before what
left it could leave more rounding than a sum has. Nothing is inherited but the rounding of V itself,
eps :math:`\lVert x\rVert^2` of every sample in it, so variances and means err by some
d eps :math:`\lVert x\rVert^2/\lambda`: refused is
:math:`\lVert x\rVert^2 > 10^{10} \lambda` (``cholesky.LONGEST_SUMMED``).

What a task's ``feature_norm`` allows and these refuse is refused at ``reset``.

**Others.**

- A sketch of the rows is kept as orthonormal directions and their squared singular values
  (``sketched_regression.py``), which follow each row by a secular equation (``secular.py``): these
  are rotations alone, and backward stable too.
- Fixed features of fixed arms keep a root of the inverse and every arm's variance, computed afresh
  from the root where it has fallen to less than a 64th (``root_fixed.py``).
- A kernel's inverse on the distinct arms pulled follows rank-one updates and is used with two
  corrections by the residual in the exact matrix (``kernel_posterior.py``); where points change, a
  Cholesky factor gains rows (``kernel_factor.py``): nothing is downdated.
- A Nyström embedding on inducing points that change every round is made afresh
  (``nystrom_embedding.py``).

After 1e5 rounds at ridge 1e-6 on features of length 200 in well-conditioned directions regressions
agree with a fresh solve to 1e-6 relative, whether or not the features span the space.
"""
