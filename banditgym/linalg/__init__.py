"""Compiled linear algebra, batched over replicates, one file per factorisation.

Every routine takes a leading axis n and goes through it replicate by replicate, so that a result
does not depend on its neighbours. State is updated in place. Where replicate i is not ``observed``
its state stays bit for bit what it was. Routines that take features return the first replicate
whose features are not finite, before any state is written, or -1; arms and rewards are checked by
the caller. Where features may be too long for what an inverse kept in double precision can absorb,
-2 - i is returned for replicate i, likewise before anything is written.
"""
