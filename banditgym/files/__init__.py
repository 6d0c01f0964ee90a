"""Files and folders: caches, classes that a path names, files written whole, another `agents`."""
