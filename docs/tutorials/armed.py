"""
A regret curve
==============

Text.
"""

print(1)
