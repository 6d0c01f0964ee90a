"""Lists and describes environments, agents, suites and papers."""
