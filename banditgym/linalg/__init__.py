r"""Compiled linear algebra, batched over replicates, one file per factorisation.

Every routine takes a leading axis n and goes through it replicate by replicate, so that a result
does not depend on its neighbours. State is updated in place. Where replicate i is not ``observed``
its state stays bit for bit what it was. Routines that take features return the first replicate
whose features are not finite, before any state is written, or -1; arms and rewards are checked by
the caller. Where features may be too long for what an inverse kept in double precision can absorb,
-2 - i is returned for replicate i, likewise before anything is written.

**Policy for inverses.** Everything is float64. An inverse or a root of
:math:`V = \lambda I + \sum_s x_s x_s^\top` follows rank-one updates and is never refactored: an
update contracts earlier errors as it contracts the inverse. What it cannot contract is kept from
arising:

- Directions that no sample had a part in stay apart from the inverse, whose entries there, of the
  order of :math:`1/\lambda`, would drown the others (``unseen.py``). This is for one regression
  shared by all arms; a regression per arm (``inverse.absorb_disjoint``) keeps one inverse, and its
  variances within the span err by eps :math:`\lVert x\rVert^2/\lambda` until samples span
  :math:`R^d`.
- With fixed arms, variances are read off the K x K matrix where K <= d and the arms are linearly
  independent; until all have been played, those of the played err by eps
  :math:`\lVert x\rVert^2/\lambda`. Else they are shifted, and computed afresh when a sample has
  a new direction: from then on they fall by small steps.
- Where there is no rank-one form, V is kept and factored every round (``cholesky.py``): nothing is
  inherited but the rounding of V itself. A window's V is summed afresh before what left it could
  leave more rounding than a sum has.

So means and variances err by a few hundred eps times the condition number of V on the span of the
samples. After 1e5 rounds at ridge 1e-6 on features of length 200 in well-conditioned directions
they agree with a fresh solve to 1e-6 relative, whether or not the features span the space.
"""
