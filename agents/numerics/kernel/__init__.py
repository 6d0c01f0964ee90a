"""Posteriors of functions under a kernel: exact ones, Nyström ones, and draws from them."""
