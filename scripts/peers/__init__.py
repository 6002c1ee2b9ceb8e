"""Stores that a team could pick instead, put to the same work on the same server: one module for each."""
