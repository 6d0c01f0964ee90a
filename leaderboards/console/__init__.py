"""What a terminal shows: progress, and tables that fit."""
