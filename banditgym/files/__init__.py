"""Classes named by their place, files that are written whole, another package `agents`."""
