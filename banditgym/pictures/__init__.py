"""What ``render`` of a single environment shows of its episode, as text and as pictures.

It draws what was played and what came back. Of what is hidden from agents it shows the regret, or
the clicks in a log, and nothing else.
"""
