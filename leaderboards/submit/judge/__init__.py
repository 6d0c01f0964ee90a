"""A judge for programs that write agents: a task as a folder, and scores on hidden instances."""
