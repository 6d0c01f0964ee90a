"""Parts that agents are made of, and base classes that agents of a family share."""
