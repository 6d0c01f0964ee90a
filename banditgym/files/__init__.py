"""Files and modules: classes named by their place, files written whole, another package `agents`."""
