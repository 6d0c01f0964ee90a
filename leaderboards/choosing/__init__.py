"""Chooses an agent on labelled data: agents are tuned on some rows and compared on the others."""
