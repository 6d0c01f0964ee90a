"""Choosing an agent on one's own labelled data: tuned on some rows, compared on the others."""
