"""Compiled code: the decorators, and the cache of machine code on disk."""

from banditgym.compiled.decorators import borrowing, by_class, compiled, fetch, inlined

__all__ = ["borrowing", "by_class", "compiled", "fetch", "inlined"]
