"""What there is: environments, agents, suites and papers, and what each of them is."""
