r"""Compiled dense linear algebra, in place of BLAS and LAPACK.

The last bits of BLAS and LAPACK differ from one CPU to the next. These routines sum in a fixed
order, and use only + - * / and square roots.

- ``product.product``, ``product.gram`` :math:`X^\top X`, ``product.transpose``;
- ``definite.upper_factor`` (Cholesky), ``definite.solve_transposed`` and ``definite.solve_upper``;
- ``orthogonal.orthonormal`` (Q and R), ``orthogonal.triangle`` (R alone), ``orthogonal.rank``;
- ``symmetric.eigensystem``;
- ``elimination.solve`` and ``elimination.inverse``.

They take one C-contiguous float64 matrix, from Python or from kernels. ``ball_geometry`` and
``ellipsoid_geometry`` have lengths, best points and nearest points, ``triangular`` and
``triangular_rounds`` least squares without a ridge, and ``lanes`` inlined functions for
replicates side by side. Numerics that only agents use are in ``agents.numerics``.
"""
