"""Measures rounds per second of environments and agents by the public interface, on one core."""
