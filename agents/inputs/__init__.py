"""Checks of what agents are given: observations, actions and rewards."""
