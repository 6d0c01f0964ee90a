"""Checks and conversions of what agents get: observations, actions, rewards and feedback."""
