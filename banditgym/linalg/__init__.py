r"""Compiled linear algebra, batched over replicates, one file per factorisation.

Routines that keep a state take a leading axis n and go through it replicate by replicate, so that a
result does not depend on its neighbours. State is updated in place. Where replicate i is not
``observed`` its state stays bit for bit what it was. Routines that take features return the first
replicate whose features are not finite, before any state is written, or -1; arms and rewards are
checked by the caller. Where features may be too long for what an inverse kept in double precision
can absorb, -2 - i is returned for replicate i, likewise before anything is written.

Dense matrices, in place of BLAS and LAPACK, whose last bits differ from one CPU to the next: here
sums are in one order, and so are + - * / and square roots all that there is.

- ``product.product``, ``product.gram`` :math:`X^\top X`, ``product.transpose``;
- ``definite.upper_factor`` (Cholesky), ``definite.solve_transposed`` and ``definite.solve_upper``;
- ``orthogonal.orthonormal`` (Q and R), ``orthogonal.triangle`` (R alone), ``orthogonal.rank``;
- ``symmetric.eigensystem``;
- ``elimination.solve``, ``elimination.inverse``.

They take one C-contiguous float64 matrix, from Python or from kernels.

**Policy for inverses.** Everything is float64. An inverse or a root of
:math:`V = \lambda I + \sum_s x_s x_s^\top` follows rank-one updates and is never refactored: an
update contracts earlier errors as it contracts the inverse. What it cannot contract is kept from
arising:

- Directions that no sample had a part in stay apart from the inverse, whose entries there, of the
  order of :math:`1/\lambda`, would drown the others (``unseen.py``). This is for one regression
  shared by all arms; a regression per arm (``inverse.absorb_disjoint``) keeps one inverse, and its
  variances within the span err by eps :math:`\lVert x\rVert^2/\lambda` until samples span
  :math:`R^d`.
- A sample much longer than those before it, :math:`x^\top V^{-1} x` above 64, is absorbed in shares
  of its weight, so that no subtraction leaves less than a 64th of what was there.
- With fixed arms, variances are read off the K x K matrix where K <= d and the arms are linearly
  independent; else they are shifted, and computed afresh when a sample is long or has a new
  direction.
- Fixed features of fixed arms keep a root of the inverse and every arm's variance, computed afresh
  from the root where it has fallen to less than a 64th (``root_fixed.py``).
- A kernel's inverse on the distinct arms pulled follows rank-one updates and is used with two
  corrections by the residual in the exact matrix (``kernel_posterior.py``); where points change, a
  Cholesky factor gains rows (``kernel_factor.py``): nothing is downdated.
- A Nyström embedding on inducing points that change every round is made afresh (``nystrom.py``).
- Where there is no rank-one form, V is kept and factored every round (``cholesky.py``): nothing is
  inherited but the rounding of V itself. A window's V is summed afresh before what left it could
  leave more rounding than a sum has.
- A sketch of the rows is kept as orthonormal directions and their squared singular values
  (``frequent_directions.py``), which follow each row by a secular equation (``secular.py``): these
  are rotations alone, and backward stable too.
- Where a round brings one row, and for least squares without a ridge, the rows are kept as a
  triangular factor (``triangular.py``): rotations are backward stable, and nothing is inverted.

So means and variances err by a few hundred eps times the largest condition number that V has had on
the span of the samples so far. Two things are worse. In the K x K form the variance of an arm not
yet played errs by eps :math:`\lVert x\rVert^2/\lambda`. And where a new direction was all but
within the span, later samples of their plane may be taken to have a further one: where the part
outside was 1e-5 of the sample, variances were then wrong by 2e-7 relative at
:math:`\lVert x\rVert^2/\lambda` of 1e6, by 3e-4 at 1e9.

After 1e5 rounds at ridge 1e-6 on features of length 200 in well-conditioned directions they agree
with a fresh solve to 1e-6 relative, whether or not the features span the space.
"""
