"""Plays agents on the tasks of a suite: plans, plays and stores the missing cells."""
