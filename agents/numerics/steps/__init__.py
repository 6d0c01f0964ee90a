"""Estimates by gradient steps on a growing number of samples, and the memory of the samples."""
