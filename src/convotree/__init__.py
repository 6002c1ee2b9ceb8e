"""Branching conversations on MongoDB, replayed as provider requests."""
