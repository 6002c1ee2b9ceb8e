"""The process that keeps one embedded engine: starts it, publishes it, and ends it after its last user.

Runs on the standard library alone, in an interpreter without site-packages: it lives as long as any user of
the directory, so it should start in a blink and weigh little. The library itself imports only the modules
that say what both sides agree on (`layout`, `locks`, `state`, `credentials`, `wire`, `orphans`).
"""
