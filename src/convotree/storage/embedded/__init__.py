"""The embedded engine: a MongoDB-wire server for one user's machine, shared by that user's processes."""

from convotree.storage.embedded.serving import EmbeddedServer, serve_directory

__all__ = ["EmbeddedServer", "serve_directory"]
