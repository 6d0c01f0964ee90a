"""Terminal output: progress bars, and tables that fit."""
