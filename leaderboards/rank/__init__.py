"""From stored rows to scores, intervals and rankings."""
