"""Documents: the stored form of each value, in both directions.

Thin typed fields are what is queried or checked; everything a caller wrote is exact bytes. No key that a caller
chose becomes a field name. What cannot be read raises ``CorruptTreeError``; a newer schema ``SchemaTooNewError``.
"""

from convotree.storage.documents.coordinates import leaf_document, point_document, read_lane_start, read_point
from convotree.storage.documents.header import header_document, listing_key, owned_header, read_header
from convotree.storage.documents.prompt import prompt_document, read_prompt, read_tool_set, tool_set_document
from convotree.storage.documents.reading import check_schema
from convotree.storage.documents.revision import (
    read_call_place,
    read_facts,
    read_revision,
    read_stored_revision,
    read_tree_revision,
    revision_document,
)

__all__ = [
    "check_schema",
    "header_document",
    "leaf_document",
    "listing_key",
    "owned_header",
    "point_document",
    "prompt_document",
    "read_call_place",
    "read_facts",
    "read_header",
    "read_lane_start",
    "read_point",
    "read_prompt",
    "read_revision",
    "read_stored_revision",
    "read_tool_set",
    "read_tree_revision",
    "revision_document",
    "tool_set_document",
]
